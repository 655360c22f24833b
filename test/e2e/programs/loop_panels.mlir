// Matrices that a loop multiplies with, which are packed in front of it: rows with columns behind the last panel, a
// matrix whose columns lie along the sums, and doubles. The factors keep rounding from growing from turn to turn.
func.func @main(%w0: tensor<256x520xf32>, %v0: tensor<192x520xf32>, %u: tensor<192x256xf32>, %d0: tensor<48x64xf64>, %x0: tensor<64x256xf32>, %y0: tensor<64x48xf64>)
    -> (tensor<64x256xf32>, tensor<64x48xf64>) {
  %f0 = stablehlo.constant dense<0.01> : tensor<256x520xf32>
  %w = stablehlo.multiply %w0, %f0 : tensor<256x520xf32>
  %f1 = stablehlo.constant dense<0.01> : tensor<192x520xf32>
  %v = stablehlo.multiply %v0, %f1 : tensor<192x520xf32>
  %f2 = stablehlo.constant dense<0.01> : tensor<48x64xf64>
  %d = stablehlo.multiply %d0, %f2 : tensor<48x64xf64>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<20> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %x0, %y = %y0) : tensor<i32>, tensor<64x256xf32>, tensor<64x48xf64>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x520xf32>) -> tensor<64x520xf32>
    %2 = stablehlo.tanh %1 : tensor<64x520xf32>
    %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [1] : (tensor<64x520xf32>, tensor<192x520xf32>) -> tensor<64x192xf32>
    %4 = stablehlo.tanh %3 : tensor<64x192xf32>
    %5 = stablehlo.dot_general %4, %u, contracting_dims = [1] x [0] : (tensor<64x192xf32>, tensor<192x256xf32>) -> tensor<64x256xf32>
    %6 = stablehlo.tanh %5 : tensor<64x256xf32>
    %10 = stablehlo.add %6, %x0 : tensor<64x256xf32>
    %7 = stablehlo.dot_general %y, %d, contracting_dims = [1] x [0] : (tensor<64x48xf64>, tensor<48x64xf64>) -> tensor<64x64xf64>
    %8 = stablehlo.slice %7 [0:64, 0:48] : (tensor<64x64xf64>) -> tensor<64x48xf64>
    %9 = stablehlo.add %8, %y0 : tensor<64x48xf64>
    stablehlo.return %next, %10, %9 : tensor<i32>, tensor<64x256xf32>, tensor<64x48xf64>
  }
  return %0#1, %0#2 : tensor<64x256xf32>, tensor<64x48xf64>
}

// What is computed whole is said with what would avoid that: and it does, which the last programs show.
// RUN: %opt %s --split-input-file --tenon-partition 2>&1 >/dev/null | %check %s
// CHECK: :12:10: remark: computed on gathered operands: a dimension of size 16 is cut along which it needs all; 16384 elements or more, of a number that 4 divides, are sorted in parts
// CHECK: :17:10: remark: {{.*}}; as complex numbers (FFT, IFFT), 16384 elements or more, of a number that 16 divides, are transformed in parts
// CHECK: :18:10: remark: {{.*}}; 16384 elements or more, of a number that 16 divides, are transformed in parts
// CHECK: :19:10: remark: {{.*}}; of a size that 4 divides and not 6, dimension 0 of operand 0 would be cut instead
// CHECK: :20:10: remark: {{.*}}; cut its operands along other dimensions, or write it in the body of a manual computation (shard_map)
// CHECK: :21:10: remark: computed on gathered operands: how its dimensions belong together is not known; a sharding rule (sdy.sharding_rule; in JAX custom_partitioning) says how they do
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%v: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %c: tensor<16xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %m: tensor<6x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %s: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16xf32>, tensor<9xcomplex<f32>>, tensor<16xcomplex<f32>>, tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<16xf32>) {
    %0 = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<16xf32>) -> tensor<16xf32>
    %1 = stablehlo.fft %v, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
    %2 = stablehlo.fft %c, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
    %3 = stablehlo.cholesky %m, lower = true : tensor<6x8x8xf32>
    %4 = stablehlo.cholesky %s, lower = true : tensor<8x8xf32>
    %5 = stablehlo.custom_call @unknown(%v) : (tensor<16xf32>) -> tensor<16xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<16xf32>, tensor<9xcomplex<f32>>, tensor<16xcomplex<f32>>, tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<16xf32>
  }
}

// -----

// CHECK: remark: {{.*}} is cut along which it needs all; 16384 elements or more, of a number that 4 divides, are sorted in parts by a comparator that orders all of them (floats by TOTALORDER)
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%v: tensor<16384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16384xf32> {
    %0 = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<16384xf32>) -> tensor<16384xf32>
    return %0 : tensor<16384xf32>
  }
}

// -----

// CHECK: :50:10: remark: {{.*}}; windows that reach over fewer of its elements move halos only
// CHECK: :56:12: remark: {{.*}}; cut in 4 parts along it, it is computed in parts
// CHECK-NOT: remark
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%v: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<64xf32>, tensor<12xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%v, %zero) <{window_dimensions = array<i64: 65>, padding = dense<32> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %t = sdy.sharding_constraint %s <@mesh, [{"x"}]> : tensor<12xf32>
    %1:2 = chlo.scan(%t) inits(%zero) dimension=0 {
    ^bb0(%a: tensor<f32>, %c: tensor<f32>):
      %half = stablehlo.divide %c, %a : tensor<f32>
      stablehlo.return %half, %half : tensor<f32>, tensor<f32>
    } : (tensor<12xf32>, tensor<f32>) -> (tensor<12xf32>, tensor<f32>)
    return %0, %1#0 : tensor<64xf32>, tensor<12xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%v: tensor<16384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %c: tensor<16384xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %m: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<16384xf32>, tensor<16384xcomplex<f32>>, tensor<8x8x8xf32>) {
    %0 = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<16384xf32>) -> tensor<16384xf32>
    %1 = stablehlo.fft %c, type = FFT, length = [16384] : (tensor<16384xcomplex<f32>>) -> tensor<16384xcomplex<f32>>
    %2 = stablehlo.cholesky %m, lower = true : tensor<8x8x8xf32>
    return %0, %1, %2 : tensor<16384xf32>, tensor<16384xcomplex<f32>>, tensor<8x8x8xf32>
  }
}

// Loads by mask whose lanes may all lie far outside of the array are moved to its begin, so that they meet no page that
// is not mapped, which takes hundreds of cycles.

// Which part of a vector is in which array is known when it runs.
// RUN: %tenon compile %s --entry sliced --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=SLICED
// RUN: %tenon compile %s --entry sliced --cpu x86-64-v4 --dump-after llvm | %check %s --check-prefix=SLICED
// SLICED: select i1 %{{.*}}, i64 %{{.*}}, i64 0
// SLICED: @llvm.masked.load
// SLICED: select i1 %{{.*}}, i64 %{{.*}}, i64 0
// SLICED: @llvm.masked.load
func.func @sliced(%x: tensor<1024xf32>, %y: tensor<1024xf32>, %at: tensor<i32>) -> tensor<1000xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<2048xf32>
  %1 = stablehlo.dynamic_slice %0, %at, sizes = [1000] : (tensor<2048xf32>, tensor<i32>) -> tensor<1000xf32>
  %2 = stablehlo.negate %1 : tensor<1000xf32>
  return %2 : tensor<1000xf32>
}

// Where they are less than a vector beside it, or where a row ends, they stay.
// RUN: %tenon compile %s --entry padded --cpu x86-64-v4 --dump-after llvm | %check %s --check-prefix=PADDED
// PADDED-NOT: select i1 %{{.*}}, i64
// PADDED: @llvm.masked.load
// PADDED-NOT: select i1 %{{.*}}, i64
func.func @padded(%x: tensor<1021xf32>) -> tensor<1023xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [1], high = [1], interior = [0] : (tensor<1021xf32>, tensor<f32>) -> tensor<1023xf32>
  %1 = stablehlo.negate %0 : tensor<1023xf32>
  return %1 : tensor<1023xf32>
}

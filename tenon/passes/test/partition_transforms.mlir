// Transforms along cut dimensions are computed along one after the other, which the devices exchange for that.
// RUN: %opt %s --tenon-partition --split-input-file 2>%t | %check %s
// RUN: %check %s --check-prefix=REMARK --input-file=%t

// Rows are whole; columns are for a device's part of them.
// CHECK-LABEL: func.func @main(%arg0: tensor<4x8xcomplex<f32>>
// CHECK: %[[ROWS:.*]] = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>)
// CHECK: stablehlo.all_to_all
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [16] : (tensor<2x16xcomplex<f32>>)
// CHECK: stablehlo.all_to_all
// CHECK-NOT: all_gather
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xcomplex<f32>> {
    %0 = stablehlo.fft %x, type = FFT, length = [16, 8] : (tensor<16x8xcomplex<f32>>) -> tensor<16x8xcomplex<f32>>
    return %0 : tensor<16x8xcomplex<f32>>
  }
}
// -----
// Of 4 x 4096 elements a device has a row, then columns of 4, rows again, and the columns that follow each other.
// CHECK-LABEL: func.func @main(%arg0: tensor<4096xcomplex<f32>>
// CHECK: stablehlo.all_to_all
// CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [4] : (tensor<1024x4xcomplex<f32>>)
// CHECK: stablehlo.multiply %{{.*}} : tensor<1024x4xcomplex<f32>>
// CHECK: stablehlo.all_to_all
// CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [4096] : (tensor<1x4096xcomplex<f32>>)
// CHECK: stablehlo.all_to_all
// CHECK-NOT: all_gather
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16384xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16384xcomplex<f32>> {
    %0 = stablehlo.fft %x, type = IFFT, length = [16384] : (tensor<16384xcomplex<f32>>) -> tensor<16384xcomplex<f32>>
    return %0 : tensor<16384xcomplex<f32>>
  }
}
// -----
// Batches that can take the axes are one exchange there and one back.
// CHECK-LABEL: func.func @main(%arg0: tensor<8x4x4xcomplex<f32>>
// CHECK: stablehlo.all_to_all
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [16, 4] : (tensor<2x16x4xcomplex<f32>>)
// CHECK: stablehlo.all_to_all
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8x16x4xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<8x16x4xcomplex<f32>> {
    %0 = stablehlo.fft %x, type = FFT, length = [16, 4] : (tensor<8x16x4xcomplex<f32>>) -> tensor<8x16x4xcomplex<f32>>
    return %0 : tensor<8x16x4xcomplex<f32>>
  }
}
// -----
// Few elements of one dimension are gathered.
// CHECK-LABEL: func.func @main(%arg0: tensor<256xcomplex<f32>>
// CHECK: stablehlo.all_gather
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [1024]
// CHECK-NOT: all_to_all
// REMARK: remark: computed on gathered operands: a dimension of size 1024 is cut along which it needs all
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<1024xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<1024xcomplex<f32>> {
    %0 = stablehlo.fft %x, type = FFT, length = [1024] : (tensor<1024xcomplex<f32>>) -> tensor<1024xcomplex<f32>>
    return %0 : tensor<1024xcomplex<f32>>
  }
}

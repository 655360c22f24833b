// A part and its whole array have one type where a dimension that is cut is of unknown size. They are not the same, so
// the computation stays. One that cuts no such dimension, or along an axis of one device, is taken apart.
// RUN: %opt %s --tenon-inline | %check %s
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=2]>
  // CHECK-LABEL: func.func @main
  // CHECK: %[[CUT:.*]] = sdy.manual_computation
  // CHECK-NOT: sdy.manual_computation
  // CHECK: return %[[CUT]]
  func.func @main(%x: tensor<f32>, %sizes: tensor<1xi32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %cut = sdy.manual_computation(%x, %sizes) in_shardings=[<@mesh, []>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"x", "y"} (%a: tensor<f32>, %s: tensor<1xi32>) {
      %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      sdy.return %0 : tensor<?xf32>
    } : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %whole = sdy.manual_computation(%x, %sizes) in_shardings=[<@mesh, []>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x", "y"} (%a: tensor<f32>, %s: tensor<1xi32>) {
      %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      sdy.return %0 : tensor<?xf32>
    } : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %one = sdy.manual_computation(%x, %sizes) in_shardings=[<@mesh, []>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%a: tensor<f32>, %s: tensor<1xi32>) {
      %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      sdy.return %0 : tensor<?xf32>
    } : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    return %cut, %whole, %one : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
}

// In a process for one device of a mesh, what is manual in some of its axes stands in place: each process takes its
// part, along "y" and "z" here, and collects the parts of the others.
// RUN: %opt %s --tenon-outline-manual-computations | %check %s
module attributes {mhlo.num_partitions = 8 : i32, tenon.manual_computation = 0 : i64,
                   tenon.mesh = #sdy.mesh<["x"=2, "y"=2, "z"=2]>} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  sdy.mesh @other = <["y"=2, "x"=2, "z"=2]>
  // CHECK: func.func @main(%[[A:.*]]: tensor<2x8xf32>)
  func.func @main(%a: tensor<2x8xf32>) -> tensor<4x8xf32> {
    // z is the major axis: the process's place along it is the number's last digit.
    // CHECK: %[[ID:.*]] = stablehlo.partition_id
    // CHECK: %[[I:.*]] = stablehlo.convert %[[ID]]
    // CHECK: %[[Z:.*]] = stablehlo.divide %[[I]], %[[ONE:.*]] : tensor<i32>
    // CHECK: stablehlo.remainder %[[Z]]
    // CHECK: stablehlo.divide %[[I]]
    // CHECK: %[[P:.*]] = stablehlo.dynamic_slice %[[A]], {{.*}}, sizes = [2, 2]
    // CHECK: %[[N:.*]] = stablehlo.negate %[[P]] : tensor<2x2xf32>
    // CHECK: %[[G:.*]] = "stablehlo.all_gather"(%[[N]]) <{all_gather_dim = 0 {{.*}} axes = [#stablehlo.axis_ref<name = "y">]{{.*}} -> tensor<4x2xf32>
    // CHECK: "stablehlo.all_gather"(%[[G]]) <{all_gather_dim = 1 {{.*}} axes = [#stablehlo.axis_ref<name = "z">]{{.*}} -> tensor<4x4xf32>
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {"z", "y"}]>] out_shardings=[<@mesh, [{"y"}, {"z"}]>]
        manual_axes={"y", "z"} (%p: tensor<2x2xf32>) {
      %1 = stablehlo.negate %p : tensor<2x2xf32>
      sdy.return %1 : tensor<2x2xf32>
    } : (tensor<2x8xf32>) -> tensor<4x4xf32>
    // Another mesh numbers the processes in another way; that is refused later.
    // CHECK: sdy.manual_computation
    %2 = sdy.manual_computation(%0) in_shardings=[<@other, [{}, {"z"}]>] out_shardings=[<@other, [{}, {"z"}]>]
        manual_axes={"z"} (%p: tensor<4x2xf32>) {
      %3 = stablehlo.concatenate %p, %p, dim = 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
  // Of no elements there is nothing to collect.
  // CHECK: func.func private @empty
  // CHECK-NOT: all_gather
  // CHECK: stablehlo.reshape {{.*}} : (tensor<2x0xf32>) -> tensor<4x0xf32>
  func.func private @empty(%a: tensor<4x0xf32>) -> tensor<4x0xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{"y"}, {"x"}]>]
        manual_axes={"x", "y"} (%p: tensor<2x0xf32>) {
      sdy.return %p : tensor<2x0xf32>
    } : (tensor<4x0xf32>) -> tensor<4x0xf32>
    return %0 : tensor<4x0xf32>
  }
}
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {some.note = "kept"}
  sdy.mesh @one = <[], device_ids=[3]>
  sdy.mesh @ordered = <["a"=2], device_ids=[1, 0]>
  func.func @f(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}p1, {?}], replicated={"y":(2)2}, unreduced={"z"}>}, %arg1: tensor<f32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %1 = sdy.reshard %arg0 <mesh<["a"=2]>, [{}, {"a"}]> : tensor<8x16xf32>
    %2 = sdy.propagation_barrier %arg0 allowed_direction= BACKWARD : tensor<8x16xf32>
    %3 = sdy.data_flow_edge %arg0 sharding=<@mesh, [{?}, {?}]> : tensor<8x16xf32>
    %4 = sdy.data_flow_edge %arg0 : tensor<8x16xf32>
    sdy.sharding_group %arg0 group_id=21 : tensor<8x16xf32>
    %5 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    %6 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x16xf32>) {
      sdy.return %arg2 : tensor<4x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %7 = sdy.named_computation<"block">(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{?}, {?}]>] (%arg2: tensor<8x16xf32>) {
      sdy.return %arg2 : tensor<8x16xf32>
    } {some.note = "kept"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %8 = stablehlo.custom_call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, k]) {i=8, j=4, k=4} reduction={j}, custom>} : (tensor<8x16xf32>) -> tensor<8x4xf32>
    %9 = stablehlo.custom_call @h(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return
  }
}

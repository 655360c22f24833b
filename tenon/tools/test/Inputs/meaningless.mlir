// Programs that StableHLO reads and no specification gives a meaning.
func.func @rows(%x: tensor<4x4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = stablehlo.add %a, %b : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @windows(%x: tensor<4x4xf32>, %z: tensor<3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = stablehlo.add %a, %b : tensor<3xf32>
    stablehlo.return %1 : tensor<3xf32>
  }) : (tensor<4x4xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @order(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @branches(%x: tensor<4xi32>, %q: tensor<4xi1>) -> tensor<4xi1> {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @order(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    stablehlo.return %1 : tensor<4xi1>
  }, {
    stablehlo.return %q : tensor<4xi1>
  }) : (tensor<i1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @scales(%p: tensor<i1>, %x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4x!quant.uniform<i8:f32, 0.5>>
  }, {
    stablehlo.return %x : tensor<4x!quant.uniform<i8:f32, 0.5>>
  }) : (tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25>>
}

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// A loop that reads and writes windows of a small matrix and of a vector, at places that it computes: also outside.
module {
  func.func @main(%a: tensor<3x4xf32>, %v: tensor<7xi32>) -> (tensor<3x4xf32>, tensor<7xi32>, tensor<1x2xf32>) {
    %first = stablehlo.constant dense<-3> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<1x2xf32>
    %0:4 = stablehlo.while(%i = %first, %x = %a, %y = %v, %last = %none) : tensor<i32>, tensor<3x4xf32>, tensor<7xi32>, tensor<1x2xf32>
    cond {
      %n = stablehlo.constant dense<9> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %four = stablehlo.constant dense<4> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %back = stablehlo.subtract %four, %i : tensor<i32>
      %window = stablehlo.dynamic_slice %x, %i, %back, sizes = [1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %number = stablehlo.dynamic_slice %y, %back, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
      %as_float = stablehlo.convert %number : (tensor<1xi32>) -> tensor<1xf32>
      %wide = stablehlo.broadcast_in_dim %as_float, dims = [0] : (tensor<1xf32>) -> tensor<1x2xf32>
      %half = stablehlo.constant dense<0.5> : tensor<1x2xf32>
      %scaled = stablehlo.multiply %window, %half : tensor<1x2xf32>
      %sum = stablehlo.add %scaled, %wide : tensor<1x2xf32>
      %byte = stablehlo.convert %next : (tensor<i32>) -> tensor<ui8>
      %byte_back = stablehlo.convert %back : (tensor<i32>) -> tensor<ui8>
      %x1 = stablehlo.dynamic_update_slice %x, %sum, %byte_back, %byte : (tensor<3x4xf32>, tensor<1x2xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x4xf32>
      %two = stablehlo.slice %y [2:4] : (tensor<7xi32>) -> tensor<2xi32>
      %turned = stablehlo.reverse %two, dims = [0] : tensor<2xi32>
      %places = stablehlo.convert %two : (tensor<2xi32>) -> tensor<2xi64>
      %place = stablehlo.slice %places [0:1] : (tensor<2xi64>) -> tensor<1xi64>
      %at = stablehlo.reshape %place : (tensor<1xi64>) -> tensor<i64>
      %chosen = stablehlo.dynamic_slice %y, %at, sizes = [2] : (tensor<7xi32>, tensor<i64>) -> tensor<2xi32>
      %y2 = stablehlo.dynamic_update_slice %y, %chosen, %at : (tensor<7xi32>, tensor<2xi32>, tensor<i64>) -> tensor<7xi32>
      %y1 = stablehlo.dynamic_update_slice %y2, %turned, %i : (tensor<7xi32>, tensor<2xi32>, tensor<i32>) -> tensor<7xi32>
      stablehlo.return %next, %x1, %y1, %sum : tensor<i32>, tensor<3x4xf32>, tensor<7xi32>, tensor<1x2xf32>
    }
    return %0#1, %0#2, %0#3 : tensor<3x4xf32>, tensor<7xi32>, tensor<1x2xf32>
  }
}

// Scans, forwards and backwards, that take a part of arrays in each turn and give one: a kernel each, which reads and
// writes the parts in its own loop.
module {
  func.func @main(%xs: tensor<7x5x13xf32>, %gates: tensor<7x5xf32>, %h0: tensor<5x13xf32>)
      -> (tensor<5x13xf32>, tensor<7x5x13xf32>, tensor<5x7x13xf32>, tensor<7x5x13xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %turns = stablehlo.constant dense<7> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<1x5x13xf32>
    %ys0 = stablehlo.constant dense<0.0> : tensor<7x5x13xf32>
    %zs0 = stablehlo.constant dense<0.0> : tensor<5x7x13xf32>
    %0:4 = stablehlo.while(%i = %zero, %h = %h0, %ys = %ys0, %zs = %zs0)
        : tensor<i32>, tensor<5x13xf32>, tensor<7x5x13xf32>, tensor<5x7x13xf32>
      cond {
        %p = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %row = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [1, 5, 13]
            : (tensor<7x5x13xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x13xf32>
        %halved = stablehlo.multiply %row, %half : tensor<1x5x13xf32>
        %x = stablehlo.reshape %halved : (tensor<1x5x13xf32>) -> tensor<5x13xf32>
        %part = stablehlo.dynamic_slice %gates, %i, %zero, sizes = [1, 5]
            : (tensor<7x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
        %column = stablehlo.reshape %part : (tensor<1x5xf32>) -> tensor<5xf32>
        %gate = stablehlo.broadcast_in_dim %column, dims = [0] : (tensor<5xf32>) -> tensor<5x13xf32>
        %kept = stablehlo.multiply %h, %gate : tensor<5x13xf32>
        %next = stablehlo.add %kept, %x : tensor<5x13xf32>
        %y = stablehlo.reshape %next : (tensor<5x13xf32>) -> tensor<1x5x13xf32>
        %ys1 = stablehlo.dynamic_update_slice %ys, %y, %i, %zero, %zero
            : (tensor<7x5x13xf32>, tensor<1x5x13xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x5x13xf32>
        %z = stablehlo.reshape %kept : (tensor<5x13xf32>) -> tensor<5x1x13xf32>
        %zs1 = stablehlo.dynamic_update_slice %zs, %z, %zero, %i, %zero
            : (tensor<5x7x13xf32>, tensor<5x1x13xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x7x13xf32>
        stablehlo.return %j, %next, %ys1, %zs1
            : tensor<i32>, tensor<5x13xf32>, tensor<7x5x13xf32>, tensor<5x7x13xf32>
      }
    %1:3 = stablehlo.while(%i = %zero, %h = %0#1, %ys = %ys0)
        : tensor<i32>, tensor<5x13xf32>, tensor<7x5x13xf32>
      cond {
        %p = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %left = stablehlo.subtract %turns, %i : tensor<i32>
        %back = stablehlo.subtract %left, %one : tensor<i32>
        %row = stablehlo.dynamic_slice %0#2, %back, %zero, %zero, sizes = [1, 5, 13]
            : (tensor<7x5x13xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x13xf32>
        %x = stablehlo.reshape %row : (tensor<1x5x13xf32>) -> tensor<5x13xf32>
        %next = stablehlo.subtract %h, %x : tensor<5x13xf32>
        %y = stablehlo.reshape %next : (tensor<5x13xf32>) -> tensor<1x5x13xf32>
        %ys1 = stablehlo.dynamic_update_slice %ys, %y, %back, %zero, %zero
            : (tensor<7x5x13xf32>, tensor<1x5x13xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x5x13xf32>
        stablehlo.return %j, %next, %ys1 : tensor<i32>, tensor<5x13xf32>, tensor<7x5x13xf32>
      }
    return %1#1, %0#2, %0#3, %1#2 : tensor<5x13xf32>, tensor<7x5x13xf32>, tensor<5x7x13xf32>, tensor<7x5x13xf32>
  }
}

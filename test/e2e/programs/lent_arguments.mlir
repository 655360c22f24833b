// Results that take over the memory of arguments which are still to be read, under other types.
module {
  func.func @main(%x: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<1x5xi32> {tf.aliasing_output = 2 : i32},
                  %z: tensor<3x7xf16> {tf.aliasing_output = 4 : i32}, %w: tensor<3x7xf16> {tf.aliasing_output = 5 : i32},
                  %s: tensor<f32> {tf.aliasing_output = 7 : i32}, %rows: tensor<8x6xf32> {tf.aliasing_output = 9 : i32})
      -> (tensor<4x6xf32>, tensor<5xi32>, tensor<1x5xi32>, tensor<24xf32>, tensor<3x7xf16>, tensor<3x7xf16>, tensor<1xf32>,
          tensor<f32>, tensor<6x4xf32>, tensor<8x6xf32>) {
    // Written over what it is computed from.
    %turned = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %columns = stablehlo.transpose %turned, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    // Returned as it is while another result takes its place.
    %flat = stablehlo.reshape %y : (tensor<1x5xi32>) -> tensor<5xi32>
    %fives = stablehlo.constant dense<5> : tensor<1x5xi32>
    %list = stablehlo.reshape %turned : (tensor<6x4xf32>) -> tensor<24xf32>
    %one = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>
    %seven = stablehlo.constant dense<7.0> : tensor<f32>
    // Rows are moved within the array.
    %first = stablehlo.slice %rows [0:7, 0:6] : (tensor<8x6xf32>) -> tensor<7x6xf32>
    %at = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %moved = stablehlo.dynamic_update_slice %rows, %first, %at, %zero : (tensor<8x6xf32>, tensor<7x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    // z and w change places.
    return %columns, %flat, %fives, %list, %w, %z, %one, %seven, %turned, %moved
        : tensor<4x6xf32>, tensor<5xi32>, tensor<1x5xi32>, tensor<24xf32>, tensor<3x7xf16>, tensor<3x7xf16>, tensor<1xf32>,
          tensor<f32>, tensor<6x4xf32>, tensor<8x6xf32>
  }
}

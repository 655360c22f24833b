// Loops and branches: sizes that stay the same are static inside, those that change are carried beside the tensor.
// RUN: %opt %s --split-input-file --tenon-refine-shapes | %check %s

// CHECK-LABEL: func.func @main(%{{.*}}: tensor<4xf32>
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<4xf32>, tensor<i32>
// CHECK: stablehlo.constant dense<4> : tensor<i32>
// CHECK-NOT: get_dimension_size
func.func @main(%x: tensor<?xf32> {tenon.shape = array<i64: 4>}) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<?xf32>, tensor<i32>
    cond {
      %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %b = stablehlo.add %a, %a : tensor<?xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %b, %j : tensor<?xf32>, tensor<i32>
    }
  return %r#0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @main(%{{.*}}: tensor<8xf32>
// CHECK-SAME: -> (tensor<8xf32>, tensor<i32> {tenon.size_of = array<i64: 0, 0>})
// CHECK: %[[EIGHT:.*]] = stablehlo.constant dense<8> : tensor<i32>
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<8xf32>, tensor<i32>
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>> {tenon.shape = array<i64: 8>}) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.while(%a = %x) : tensor<?xf32, #stablehlo.bounds<8>>
    cond {
      %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
      %more = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
      %half = stablehlo.divide %n, %two : tensor<i32>
      %b = stablehlo.set_dimension_size %a, %half, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
      stablehlo.return %b : tensor<?xf32, #stablehlo.bounds<8>>
    }
  return %r : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// Branches of different sizes.
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<4xf32>
// CHECK: %{{.*}}:2 = "stablehlo.if"
// CHECK: stablehlo.pad %{{.*}} low = [0], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK: (tensor<i1>) -> (tensor<5xf32>, tensor<i32>)
func.func @main(%x: tensor<?xf32> {tenon.shape = array<i64: 4>}, %p: tensor<i1>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<?xf32>
  }, {
    %more = stablehlo.pad %x, %zero, low = [1], high = [0], interior = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    stablehlo.return %more : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Static programs stay as they are.
// CHECK-LABEL: func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
// CHECK-NEXT: return %0
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A size that the program clamps to the dimension needs no check, which a computation could not make.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.map
// CHECK-NOT: shape_assertion
// CHECK: return
func.func @main(%x: tensor<12xi32>) -> tensor<12xi32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %row = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %size = stablehlo.clamp %zero, %a, %two : tensor<i32>
    %some = stablehlo.set_dimension_size %row, %size, dim = 0 : (tensor<2xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<2>>
    %sum = stablehlo.reduce(%some init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<2>>, tensor<i32>) -> tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<12xi32>) -> tensor<12xi32>
  return %0 : tensor<12xi32>
}

// RUN: %opt %s --tenon-simplify --tenon-simplify-loops --tenon-simplify | %check %s

// Two numbers that turn around each other: the loop carries them as scalars.
// CHECK-LABEL: func.func @rotation
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>
// CHECK: do {
// CHECK-NOT: tensor<2xf32>
// CHECK: stablehlo.return {{.*}} : tensor<i32>, tensor<f32>, tensor<f32>
// CHECK: stablehlo.concatenate {{.*}} -> tensor<2xf32>
func.func @rotation(%start: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %first = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %second = stablehlo.slice %x [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %negated = stablehlo.negate %second : tensor<1xf32>
    %turned = stablehlo.concatenate %negated, %first, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %sum = stablehlo.add %x, %turned : tensor<2xf32>
    stablehlo.return %next, %sum : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// What a scan reads and writes stays an array, of which one slice is taken apart and one is made.
// CHECK-LABEL: func.func @scan
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>, tensor<9x2xf32>
// CHECK: do {
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.add {{.*}} : tensor<f32>
// CHECK: stablehlo.concatenate {{.*}} -> tensor<2xf32>
// CHECK: stablehlo.dynamic_update_slice
func.func @scan(%start: tensor<2xf32>, %xs: tensor<9x2xf32>, %ys: tensor<9x2xf32>) -> (tensor<2xf32>, tensor<9x2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %start, %all = %ys) : tensor<i32>, tensor<2xf32>, tensor<9x2xf32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 2] : (tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %push = stablehlo.reshape %row : (tensor<1x2xf32>) -> tensor<2xf32>
    %turned = stablehlo.reverse %x, dims = [0] : tensor<2xf32>
    %sum = stablehlo.add %turned, %push : tensor<2xf32>
    %update = stablehlo.reshape %sum : (tensor<2xf32>) -> tensor<1x2xf32>
    %written = stablehlo.dynamic_update_slice %all, %update, %i, %zero : (tensor<9x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<9x2xf32>
    stablehlo.return %next, %sum, %written : tensor<i32>, tensor<2xf32>, tensor<9x2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<9x2xf32>
}

// Sixteen elements in one kernel take less time than in sixteen scalars.
// CHECK-LABEL: func.func @one_vector
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<16xf32>
func.func @one_vector(%start: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<16xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.tanh %x : tensor<16xf32>
    stablehlo.return %next, %y : tensor<i32>, tensor<16xf32>
  }
  return %0#1 : tensor<16xf32>
}

// Nor pays it beside an op on larger arrays, whose kernels compute the bias on the way.
// CHECK-LABEL: func.func @beside_large
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<2xf32>, tensor<64x2xf32>
func.func @beside_large(%start: tensor<2xf32>, %large: tensor<64x2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<64x2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %start, %z = %large) : tensor<i32>, tensor<2xf32>, tensor<64x2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %first = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %second = stablehlo.slice %x [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %turned = stablehlo.concatenate %second, %first, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %y = stablehlo.add %turned, %x : tensor<2xf32>
    %all = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<2xf32>) -> tensor<64x2xf32>
    %w = stablehlo.add %z, %all : tensor<64x2xf32>
    stablehlo.return %next, %y, %w : tensor<i32>, tensor<2xf32>, tensor<64x2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<64x2xf32>
}

// The number of scalar ops is bounded: 4x4 products are 112 each.
// CHECK-LABEL: func.func @many_products
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<4x4xf64>
func.func @many_products(%start: tensor<4x4xf64>, %n: tensor<i32>) -> tensor<4x4xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<4x4xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %c = stablehlo.dot_general %b, %x, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %d = stablehlo.dot_general %c, %x, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    stablehlo.return %next, %d : tensor<i32>, tensor<4x4xf64>
  }
  return %0#1 : tensor<4x4xf64>
}

// Constants become scalars of their own, complex ones and narrow ones too.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
// CHECK-DAG: stablehlo.constant dense<(3.000000e+00,-4.000000e+00)> : tensor<complex<f32>>
// CHECK-DAG: stablehlo.constant dense<1.500000e+00> : tensor<bf16>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<bf16>, tensor<bf16>
func.func @constants(%n: tensor<i32>) -> (tensor<2xcomplex<f32>>, tensor<2xbf16>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>
  %b = stablehlo.constant dense<[1.5, 2.5]> : tensor<2xbf16>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<2xcomplex<f32>>, tensor<2xbf16>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %turned = stablehlo.reverse %x, dims = [0] : tensor<2xcomplex<f32>>
    %product = stablehlo.multiply %x, %turned : tensor<2xcomplex<f32>>
    %sum = stablehlo.add %y, %b : tensor<2xbf16>
    stablehlo.return %next, %product, %sum : tensor<i32>, tensor<2xcomplex<f32>>, tensor<2xbf16>
  }
  return %0#1, %0#2 : tensor<2xcomplex<f32>>, tensor<2xbf16>
}

// Two arrays that the loop exchanges, of which it reads one: both are scalars.
// CHECK-LABEL: func.func @exchanged
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
// CHECK: do {
// CHECK-NOT: tensor<2xi32>
// CHECK: stablehlo.return
func.func @exchanged(%a: tensor<2xi32>, %b: tensor<2xi32>, %n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %s = %zero) : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %first = stablehlo.slice %x [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %number = stablehlo.reshape %first : (tensor<1xi32>) -> tensor<i32>
    %sum = stablehlo.multiply %s, %number : tensor<i32>
    stablehlo.return %next, %y, %x, %sum : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>
  }
  return %0#3 : tensor<i32>
}

// A short loop inside of one on larger arrays: to take its arrays apart each time takes longer than it gains.
// CHECK-LABEL: func.func @short_inside
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<64xf32>, tensor<8xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<8xf32>
func.func @short_inside(%large: tensor<64xf32>, %few: tensor<8xf32>, %n: tensor<i32>) -> (tensor<64xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %z = %large, %x = %few) : tensor<i32>, tensor<64xf32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %1:2 = stablehlo.while(%j = %zero, %y = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %q = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %after = stablehlo.add %j, %one : tensor<i32>
      %w = stablehlo.add %y, %y : tensor<8xf32>
      stablehlo.return %after, %w : tensor<i32>, tensor<8xf32>
    }
    %all = stablehlo.tanh %z : tensor<64xf32>
    stablehlo.return %next, %all, %1#1 : tensor<i32>, tensor<64xf32>, tensor<8xf32>
  }
  return %0#1, %0#2 : tensor<64xf32>, tensor<8xf32>
}

// Elements at places that the loop computes are chosen among the scalars.
// CHECK-LABEL: func.func @window
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK: do {
// CHECK-NOT: dynamic_slice
// CHECK: stablehlo.clamp
// CHECK-COUNT-2: stablehlo.select
// CHECK: stablehlo.clamp
// CHECK-COUNT-2: stablehlo.select
// CHECK-NOT: dynamic_update_slice
// CHECK: stablehlo.return
func.func @window(%start: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %element = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %root = stablehlo.sqrt %element : tensor<1xf32>
    %written = stablehlo.dynamic_update_slice %x, %root, %next : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    stablehlo.return %next, %written : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}

// A choice between two ways to compute a few numbers has scalars as its results.
// CHECK-LABEL: func.func @branch
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>
// CHECK: do {
// CHECK-NOT: tensor<2xf32>
// CHECK: "stablehlo.if"
// CHECK-NOT: tensor<2xf32>
// CHECK: }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
// CHECK-NOT: tensor<2xf32>
// CHECK: stablehlo.return
// CHECK: return
func.func @branch(%start: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %first = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %number = stablehlo.reshape %first : (tensor<1xf32>) -> tensor<f32>
    %limit = stablehlo.constant dense<1.0> : tensor<f32>
    %large = stablehlo.compare GT, %number, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %chosen = "stablehlo.if"(%large) ({
      %turned = stablehlo.reverse %x, dims = [0] : tensor<2xf32>
      %product = stablehlo.multiply %turned, %x : tensor<2xf32>
      stablehlo.return %product : tensor<2xf32>
    }, {
      stablehlo.return %x : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    stablehlo.return %next, %chosen : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// Each number by itself, many times: a kernel of the whole loop computes them side by side.
// CHECK-LABEL: func.func @each_by_itself
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<3xf32>
// CHECK: stablehlo.divide {{.*}} : tensor<3xf32>
func.func @each_by_itself(%x: tensor<3xf32>, %start: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %start) : tensor<i32>, tensor<3xf32>
  cond {
    %trips = stablehlo.constant dense<200> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %quotient = stablehlo.divide %x, %y : tensor<3xf32>
    %sum = stablehlo.add %y, %quotient : tensor<3xf32>
    %mean = stablehlo.multiply %sum, %half : tensor<3xf32>
    stablehlo.return %next, %mean : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}

// Scalars where a loop is around it.
// CHECK-LABEL: func.func @each_by_itself_inside
// CHECK: stablehlo.while
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK: stablehlo.divide {{.*}} : tensor<f32>
func.func @each_by_itself_inside(%x: tensor<3xf32>, %first: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %o:2 = stablehlo.while(%j = %zero, %start = %first) : tensor<i32>, tensor<3xf32>
  cond {
    %q = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
  %0:2 = stablehlo.while(%i = %zero, %y = %start) : tensor<i32>, tensor<3xf32>
  cond {
    %trips = stablehlo.constant dense<200> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %quotient = stablehlo.divide %x, %y : tensor<3xf32>
    %sum = stablehlo.add %y, %quotient : tensor<3xf32>
    %mean = stablehlo.multiply %sum, %half : tensor<3xf32>
    stablehlo.return %next, %mean : tensor<i32>, tensor<3xf32>
  }
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %after = stablehlo.add %j, %c1 : tensor<i32>
    %turned = stablehlo.reverse %0#1, dims = [0] : tensor<3xf32>
    stablehlo.return %after, %turned : tensor<i32>, tensor<3xf32>
  }
  return %o#1 : tensor<3xf32>
}

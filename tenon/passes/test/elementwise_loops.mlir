// RUN: %opt %s --tenon-fuse | %check %s

// All iterations are one kernel, which makes what is broadcast, and has what the loop uses as carried values.
// CHECK-LABEL: func.func @iterated
// CHECK-NEXT: [[R:%.+]] = tenon.fusion loop({{%.+}} = %arg0, {{%.+}} = %arg2, {{%.+}} = %arg1) : (tensor<64x32xf32>, tensor<f32>, tensor<32xf32>) -> tensor<64x32xf32>
// CHECK: stablehlo.broadcast_in_dim
// CHECK-NEXT: stablehlo.while
// CHECK: stablehlo.compare
// CHECK: stablehlo.multiply
// CHECK: stablehlo.add
// CHECK: tenon.yield
// CHECK-NEXT: }
// CHECK-NEXT: return [[R]]
func.func @iterated(%x: tensor<64x32xf32>, %row: tensor<32xf32>, %step: tensor<f32>) -> tensor<64x32xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<100> : tensor<i32>
  %c = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %0:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<64x32xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.broadcast_in_dim %step, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %square = stablehlo.multiply %z, %z : tensor<64x32xf32>
    %scaled = stablehlo.multiply %square, %s : tensor<64x32xf32>
    %next = stablehlo.add %scaled, %c : tensor<64x32xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<64x32xf32>
  }
  return %0#1 : tensor<64x32xf32>
}

// Not loops whose elements meet, whose scalars are results, of which it is not known how often they run, or that run so
// long that a run could not be ended between elements.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-4: {{^    %.+ = stablehlo.while}}
// CHECK: return
func.func @stay(%x: tensor<64xf32>, %n: tensor<i32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<i32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %hundred = stablehlo.constant dense<100> : tensor<i32>
  %billion = stablehlo.constant dense<1000000000> : tensor<i32>
  %meet:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %hundred : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %r = stablehlo.reverse %z, dims = [0] : tensor<64xf32>
    %next = stablehlo.add %r, %z : tensor<64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<64xf32>
  }
  %count:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %hundred : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %z, %z : tensor<64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<64xf32>
  }
  %unknown:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %z, %z : tensor<64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<64xf32>
  }
  %long:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %billion : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %z, %z : tensor<64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<64xf32>
  }
  return %meet#1, %count#1, %count#0, %unknown#1, %long#1
      : tensor<64xf32>, tensor<64xf32>, tensor<i32>, tensor<64xf32>, tensor<64xf32>
}

// Loops around a loop that becomes a kernel stay.
// CHECK-LABEL: func.func @nested
// CHECK: {{^    %.+ = stablehlo.while}}
// CHECK: {{^      %.+ = tenon.fusion loop}}
// CHECK: {{^        %.+ = stablehlo.while}}
// CHECK: return
func.func @nested(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %outer:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %inner:2 = stablehlo.while(%k = %zero, %y = %z) : tensor<i32>, tensor<64xf32>
    cond {
      %p = stablehlo.compare LT, %k, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %next = stablehlo.add %y, %z : tensor<64xf32>
      %l = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %l, %next : tensor<i32>, tensor<64xf32>
    }
    %r = stablehlo.reverse %inner#1, dims = [0] : tensor<64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %r : tensor<i32>, tensor<64xf32>
  }
  return %outer#1 : tensor<64xf32>
}

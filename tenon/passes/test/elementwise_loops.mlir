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

// What an iteration takes of an array is read in the kernel, forwards or backwards, also where it is less than an array,
// and what the iterations write together is its result.
// CHECK-LABEL: func.func @scan
// CHECK-NOT: {{^    %.+ = stablehlo.while}}
// CHECK: [[R:%.+]]:3 = tenon.fusion loop({{.*}} = %arg0{{.*}} = %arg1{{.*}}) : ({{.*}}) -> (tensor<4x6xf32>, tensor<5x4x6xf32>, tensor<5x1x4x6xf32>)
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.dynamic_update_slice
// CHECK: tenon.yield
// CHECK-NEXT: }
// CHECK-NEXT: return [[R]]#0, [[R]]#1, [[R]]#2
func.func @scan(%xs: tensor<5x4x6xf32>, %scales: tensor<5x4xf32>)
    -> (tensor<4x6xf32>, tensor<5x4x6xf32>, tensor<5x1x4x6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %h0 = stablehlo.constant dense<0.0> : tensor<4x6xf32>
  %ys0 = stablehlo.constant dense<0.0> : tensor<5x4x6xf32>
  %zs0 = stablehlo.constant dense<0.0> : tensor<5x1x4x6xf32>
  %0:4 = stablehlo.while(%i = %zero, %h = %h0, %ys = %ys0, %zs = %zs0)
      : tensor<i32>, tensor<4x6xf32>, tensor<5x4x6xf32>, tensor<5x1x4x6xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %left = stablehlo.subtract %n, %i : tensor<i32>
    %back = stablehlo.subtract %left, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %back, %zero, %zero, sizes = [1, 4, 6]
        : (tensor<5x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %part = stablehlo.dynamic_slice %scales, %i, %zero, sizes = [1, 4]
        : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %column = stablehlo.reshape %part : (tensor<1x4xf32>) -> tensor<4xf32>
    %scale = stablehlo.broadcast_in_dim %column, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %scaled = stablehlo.multiply %h, %scale : tensor<4x6xf32>
    %next = stablehlo.add %scaled, %x : tensor<4x6xf32>
    %y = stablehlo.reshape %next : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %y, %back, %zero, %zero
        : (tensor<5x4x6xf32>, tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x6xf32>
    %z = stablehlo.reshape %h : (tensor<4x6xf32>) -> tensor<1x1x4x6xf32>
    %zs1 = stablehlo.dynamic_update_slice %zs, %z, %i, %zero, %zero, %zero
        : (tensor<5x1x4x6xf32>, tensor<1x1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x1x4x6xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %ys1, %zs1 : tensor<i32>, tensor<4x6xf32>, tensor<5x4x6xf32>, tensor<5x1x4x6xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<4x6xf32>, tensor<5x4x6xf32>, tensor<5x1x4x6xf32>
}

// However many elements they have, also with long functions.
// CHECK-LABEL: func.func @large_scan
// CHECK-NOT: {{^    %.+ = stablehlo.while}}
// CHECK: [[R:%.+]]:2 = tenon.fusion loop({{.*}} = %arg0{{.*}}) : ({{.*}}) -> (tensor<9000xf32>, tensor<7x9000xf32>)
// CHECK: return [[R]]#0, [[R]]#1
func.func @large_scan(%xs: tensor<7x9000xf32>) -> (tensor<9000xf32>, tensor<7x9000xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<7> : tensor<i32>
  %h0 = stablehlo.constant dense<0.0> : tensor<9000xf32>
  %ys0 = stablehlo.constant dense<0.0> : tensor<7x9000xf32>
  %0:3 = stablehlo.while(%i = %zero, %h = %h0, %ys = %ys0) : tensor<i32>, tensor<9000xf32>, tensor<7x9000xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 9000]
        : (tensor<7x9000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9000xf32>
    %x = stablehlo.reshape %row : (tensor<1x9000xf32>) -> tensor<9000xf32>
    %gate = stablehlo.logistic %x : tensor<9000xf32>
    %kept = stablehlo.multiply %gate, %h : tensor<9000xf32>
    %next = stablehlo.add %kept, %x : tensor<9000xf32>
    %y = stablehlo.reshape %next : (tensor<9000xf32>) -> tensor<1x9000xf32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %y, %i, %zero
        : (tensor<7x9000xf32>, tensor<1x9000xf32>, tensor<i32>, tensor<i32>) -> tensor<7x9000xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %ys1 : tensor<i32>, tensor<9000xf32>, tensor<7x9000xf32>
  }
  return %0#1, %0#2 : tensor<9000xf32>, tensor<7x9000xf32>
}

// Not scans that sum over elements, take what they have written, leave indices unwritten, or write at an index that is
// data.
// CHECK-LABEL: func.func @scans_that_stay
// CHECK-COUNT-4: {{^    %.+ = stablehlo.while}}
// CHECK: return
func.func @scans_that_stay(%xs: tensor<5x4xf32>, %places: tensor<5xi32>)
    -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<6x4xf32>, tensor<5x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<f32>
  %h0 = stablehlo.constant dense<0.0> : tensor<4xf32>
  %ys0 = stablehlo.constant dense<0.0> : tensor<5x4xf32>
  %more0 = stablehlo.constant dense<0.0> : tensor<6x4xf32>
  %sums:3 = stablehlo.while(%i = %zero, %h = %h0, %ys = %ys0) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4]
        : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %x = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %sum = stablehlo.reduce(%h init: %nothing) applies stablehlo.add across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %all = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %next = stablehlo.add %all, %x : tensor<4xf32>
    %y = stablehlo.reshape %next : (tensor<4xf32>) -> tensor<1x4xf32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %y, %i, %zero
        : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %ys1 : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  }
  %own:3 = stablehlo.while(%i = %zero, %h = %h0, %ys = %xs) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %ys, %i, %zero, sizes = [1, 4]
        : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %x = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %next = stablehlo.add %h, %x : tensor<4xf32>
    %y = stablehlo.reshape %next : (tensor<4xf32>) -> tensor<1x4xf32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %y, %i, %zero
        : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %ys1 : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  }
  %more:3 = stablehlo.while(%i = %zero, %h = %h0, %ys = %more0) : tensor<i32>, tensor<4xf32>, tensor<6x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4]
        : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %x = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %next = stablehlo.add %h, %x : tensor<4xf32>
    %y = stablehlo.reshape %next : (tensor<4xf32>) -> tensor<1x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %y, %j, %zero
        : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
    stablehlo.return %j, %next, %ys1 : tensor<i32>, tensor<4xf32>, tensor<6x4xf32>
  }
  %data:3 = stablehlo.while(%i = %zero, %h = %h0, %ys = %ys0) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4]
        : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %x = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %part = stablehlo.dynamic_slice %places, %i, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
    %place = stablehlo.reshape %part : (tensor<1xi32>) -> tensor<i32>
    %next = stablehlo.add %h, %x : tensor<4xf32>
    %y = stablehlo.reshape %next : (tensor<4xf32>) -> tensor<1x4xf32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %y, %place, %zero
        : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %ys1 : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  }
  return %sums#2, %own#2, %more#2, %data#2 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<6x4xf32>, tensor<5x4xf32>
}

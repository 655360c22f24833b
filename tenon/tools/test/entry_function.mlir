// How the entry function becomes machine code: calls of kernels that follow each other are data, the rest is emitted as
// it stands, where each instruction runs once; by LLVM's better ways where there is a loop, which calls kernels itself.
// RUN: %tenon compile %s --entry calls --dump-after llvm | %check %s --check-prefix=CALLS
// RUN: %tenon compile %s --entry reads --dump-after llvm | %check %s --check-prefix=READS
// RUN: %tenon compile %s --entry shares --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=SHARES
// RUN: %tenon compile %s --entry together --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=TOGETHER
// RUN: %tenon compile %s --entry lent --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=LENT
// RUN: %tenon compile %s --entry loop --dump-after llvm | %check %s --check-prefix=LOOP
// RUN: %tenon compile %s --entry waves --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=WAVES
// RUN: %tenon compile %s --entry chain --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=CHAIN
// RUN: %tenon compile %s --entry elements --dump-after llvm | %check %s --check-prefix=ELEMENTS
// RUN: %tenon compile %s --entry rows --dump-after llvm | %check %s --check-prefix=ROWS

// CALLS: @calls = private constant [17 x { ptr, i64, i32, i32, i32, i32 }]{{.*}}{ ptr @{{[a-z0-9_]+}}, i64 1, i32 16, i32 0, i32 3, i32 1 }]
// CALLS: @places = private constant [51 x i64] [i64 1, i64 1, i64 0,
// CALLS: define i32 @tenon_entry({{.*}} #[[ENTRY:[0-9]+]]
// CALLS: call void @tenon_call_kernels(ptr %0, ptr @calls, i64 17, ptr @places, ptr %bases, ptr %table)
// CALLS-NOT: call
// CALLS: ret i32 0
// CALLS: attributes #[[ENTRY]] = { {{.*}}optnone
func.func @calls(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %3, %2, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.dot_general %4, %3, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.dot_general %5, %4, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = stablehlo.dot_general %6, %5, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = stablehlo.dot_general %7, %6, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %9 = stablehlo.dot_general %8, %7, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %10 = stablehlo.dot_general %9, %8, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %11 = stablehlo.dot_general %10, %9, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %12 = stablehlo.dot_general %11, %10, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %13 = stablehlo.dot_general %12, %11, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %14 = stablehlo.dot_general %13, %12, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %15 = stablehlo.dot_general %14, %13, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %16 = stablehlo.dot_general %15, %14, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %16 : tensor<8x8xf32>
}

// LOOP: define i32 @tenon_entry({{.*}} #[[ENTRY:[0-9]+]]
// LOOP: attributes #[[ENTRY]] =
// LOOP-NOT: optnone
func.func @loop(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %sum = %one) : tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.multiply %sum, %i : tensor<i32>
    %2 = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}

// What takes a few microseconds the caller computes alone; for what takes long sleeping workers are woken at once.
// SHARES: @calls = {{.*}}, i64 {{[0-9]+}}, i32 0, i32 0, i32 3, i32 1 {{.*}}, i32 1, i32 2, i32 3, i32 1 {{.*}}, i32 2, i32 1, i32 3, i32 1 }]
func.func @shares(%small: tensor<20x20xf32>, %medium: tensor<128x128xf32>, %large: tensor<400x400xf32>)
    -> (tensor<20x20xf32>, tensor<128x128xf32>, tensor<400x400xf32>) {
  %0 = stablehlo.dot_general %small, %small, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
  %1 = stablehlo.dot_general %large, %large, contracting_dims = [1] x [0] : (tensor<400x400xf32>, tensor<400x400xf32>) -> tensor<400x400xf32>
  %2 = stablehlo.dot_general %medium, %medium, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0, %2, %1 : tensor<20x20xf32>, tensor<128x128xf32>, tensor<400x400xf32>
}

// Products that do not depend on each other are made together, the three first ones here; not the fourth, which reads
// the result of one.
// TOGETHER: @calls = {{.*}}, i32 0, i32 1, i32 3, i32 3 {{.*}}, i32 1, i32 0, i32 3, i32 1 {{.*}}, i32 2, i32 0, i32 3, i32 1 {{.*}}, i32 3, i32 0, i32 3, i32 1 }]
// TOGETHER: %table = alloca [9 x ptr]
func.func @together(%x: tensor<60x80xf32>, %a: tensor<80x80xf32>, %b: tensor<80x80xf32>, %c: tensor<80x80xf32>)
    -> (tensor<60x80xf32>, tensor<60x80xf32>, tensor<60x80xf32>) {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<60x80xf32>, tensor<80x80xf32>) -> tensor<60x80xf32>
  %1 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<60x80xf32>, tensor<80x80xf32>) -> tensor<60x80xf32>
  %2 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<60x80xf32>, tensor<80x80xf32>) -> tensor<60x80xf32>
  %3 = stablehlo.dot_general %2, %c, contracting_dims = [1] x [0] : (tensor<60x80xf32>, tensor<80x80xf32>) -> tensor<60x80xf32>
  return %0, %1, %3 : tensor<60x80xf32>, tensor<60x80xf32>, tensor<60x80xf32>
}

// The memory of %a may be that of the second result, so the second product waits until the first has read it.
// LENT: @calls = {{.*}}, i32 0, i32 0, i32 3, i32 1 {{.*}}, i32 1, i32 1, i32 3, i32 2 {{.*}}, i32 2, i32 0, i32 3, i32 1 }]
func.func @lent(%x: tensor<80x80xf32>, %a: tensor<80x80xf32> {tf.aliasing_output = 1 : i32}, %b: tensor<80x80xf32>)
    -> (tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>) {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<80x80xf32>, tensor<80x80xf32>) -> tensor<80x80xf32>
  %1 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<80x80xf32>, tensor<80x80xf32>) -> tensor<80x80xf32>
  %2 = stablehlo.dot_general %b, %x, contracting_dims = [1] x [0] : (tensor<80x80xf32>, tensor<80x80xf32>) -> tensor<80x80xf32>
  return %0, %1, %2 : tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>
}

// A number that a kernel has computed is read after the calls up to then; the others follow, with a number that has no
// place in memory but the stack.
// READS: @calls = private constant [1 x
// READS: @calls.1 = private constant [2 x
// READS: define i32 @tenon_entry(
// READS: call void @tenon_call_kernels({{.*}}@calls,
// READS: load float
// READS: %[[SUM:[0-9]+]] = fadd float
// READS: store float %[[SUM]], ptr %spill
// READS: store ptr %spill, ptr
// READS: store ptr %locals, ptr
// READS: call void @tenon_call_kernels({{.*}}@calls.1,
func.func @reads(%x: tensor<300xf32>, %y: tensor<300x300xf32>) -> (tensor<300x300xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xf32>, tensor<f32>) -> tensor<f32>
  %twice = stablehlo.add %sum, %sum : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %twice, dims = [] : (tensor<f32>) -> tensor<300x300xf32>
  %0 = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0] : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
  return %0, %twice : tensor<300x300xf32>, tensor<f32>
}

// Functions of several numbers are computed in the lanes of a vector, cosines with sines, and what costs little comes
// before. What depends on one of the same function stays by itself.
// WAVES: define i32 @tenon_entry(
// WAVES-NOT: call float @llvm.fma.f32
// WAVES: call <4 x float> @llvm.fma.v4f32
// WAVES: extractelement <4 x float>
// CHAIN: define i32 @tenon_entry(
// CHAIN: call float @llvm.fma.f32
// CHAIN-NOT: @llvm.fma.v
func.func @waves(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.multiply %x, %y : tensor<f32>
  %2 = stablehlo.cosine %1 : tensor<f32>
  %3 = stablehlo.subtract %x, %y : tensor<f32>
  %4 = stablehlo.sine %3 : tensor<f32>
  %5 = stablehlo.add %0, %2 : tensor<f32>
  return %5, %4 : tensor<f32>, tensor<f32>
}

func.func @chain(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  %2 = stablehlo.exponential %x : tensor<f32>
  %3 = stablehlo.multiply %1, %2 : tensor<f32>
  return %3 : tensor<f32>
}

// In loops one element is read, and one written, without a call of the kernel that does it, unless the run is traced. Not
// one kernel as a whole: how often it runs is an argument.
// ELEMENTS: define i32 @tenon_entry(
// ELEMENTS-NOT: call void @loop_
// ELEMENTS: call void @tenon_call_kernel(
// ELEMENTS: %[[X:[0-9]+]] = load float
// ELEMENTS: phi float [{{.*}}%[[X]]
// ELEMENTS: fadd float
// ELEMENTS: call void @tenon_call_kernel(
// ELEMENTS-NOT: call void @loop_
// ELEMENTS: declare i32 @tenon_stopped()
func.func @elements(%x: tensor<100xf32>, %end: tensor<i32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %empty = stablehlo.constant dense<0.0> : tensor<100xf32>
  %0:3 = stablehlo.while(%i = %zero, %sum = %start, %sums = %empty) : tensor<i32>, tensor<f32>, tensor<100xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<100xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.add %sum, %2 : tensor<f32>
    %4 = stablehlo.reshape %3 : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.dynamic_update_slice %sums, %4, %i : (tensor<100xf32>, tensor<1xf32>, tensor<i32>) -> tensor<100xf32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %3, %5 : tensor<i32>, tensor<f32>, tensor<100xf32>
  }
  return %0#2 : tensor<100xf32>
}

// Not a row (of a loop that leaves one unwritten, and so is no kernel itself).
// ROWS: define i32 @tenon_entry(
// ROWS: call void @tenon_call_kernel(
// ROWS: call void @loop_
func.func @rows(%x: tensor<100x80xf32>, %y: tensor<100x80xf32>) -> tensor<100x80xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<99> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %rows = %y) : tensor<i32>, tensor<100x80xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 80] : (tensor<100x80xf32>, tensor<i32>, tensor<i32>) -> tensor<1x80xf32>
    %2 = stablehlo.sine %1 : tensor<1x80xf32>
    %3 = stablehlo.optimization_barrier %2 : tensor<1x80xf32>
    %4 = stablehlo.dynamic_update_slice %rows, %3, %i, %zero : (tensor<100x80xf32>, tensor<1x80xf32>, tensor<i32>, tensor<i32>) -> tensor<100x80xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<100x80xf32>
  }
  return %0#1 : tensor<100x80xf32>
}

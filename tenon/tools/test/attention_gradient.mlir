// The gradient of an attention: one kernel, which computes the scores again, beside that of the attention itself.

// RUN: %tenon compile %s --entry gradient --cpu x86-64-v3 --dump-after plan | %check %s
// CHECK: // attention_add_{{[0-9a-f]+}}:
// CHECK-NEXT: attention
// CHECK-NEXT: tasks {{[0-9]+}} of {{[0-9]+}} rows of 420, in place
// CHECK: // attention_dot_general_{{[0-9a-f]+}}:
// CHECK-NEXT: attention
// CHECK-NEXT: gradient, tasks 8 in blocks of {{[0-9]+}} rows of 420
// CHECK-NEXT: scores at 0: tiled f32 8x450x420x16
// CHECK: scores at [[SECOND:[0-9]+]]: tiled f32 8x450x420x16
// CHECK-NEXT: rows at [[SECOND]] 0: dims 3600 420rv
// CHECK: product over rows 1: tiled f32 8x420x16x450
// CHECK: product of rows 0: tiled f32 8x450x16x420
// CHECK: product over rows 0: tiled f32 8x420x16x450
// CHECK-NOT: // {{[a-z]}}
func.func @gradient(%q: tensor<8x450x16xf32>, %k: tensor<8x420x16xf32>, %v: tensor<8x420x16xf32>) -> (tensor<8x450x16xf32>, tensor<8x420x16xf32>, tensor<8x420x16xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x450x16xf32>, tensor<8x420x16xf32>) -> tensor<8x450x420xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<8x450x420xf32>
  %e = stablehlo.exponential %d : tensor<8x450x420xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %p = stablehlo.divide %e, %sums : tensor<8x450x420xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x450x420xf32>, tensor<8x420x16xf32>) -> tensor<8x450x16xf32>
  %do = stablehlo.add %o, %o : tensor<8x450x16xf32>
  %dv = stablehlo.dot_general %p, %do, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x450x420xf32>, tensor<8x450x16xf32>) -> tensor<8x420x16xf32>
  %dp = stablehlo.dot_general %do, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x450x16xf32>, tensor<8x420x16xf32>) -> tensor<8x450x420xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<8x450x420xf32>
  %t = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %pt = stablehlo.multiply %p, %ts : tensor<8x450x420xf32>
  %ds = stablehlo.subtract %pdp, %pt : tensor<8x450x420xf32>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x450x420xf32>, tensor<8x420x16xf32>) -> tensor<8x450x16xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x450x420xf32>, tensor<8x450x16xf32>) -> tensor<8x420x16xf32>
  return %dq, %dk, %dv : tensor<8x450x16xf32>, tensor<8x420x16xf32>, tensor<8x420x16xf32>
}

// The same bits for any number of threads.
// RUN: %tenon run %s --entry gradient --random --seed 4 --out %t.two
// RUN: env TENON_NUM_THREADS=1 %tenon run %s --entry gradient --random --seed 4 --out %t.one
// RUN: env TENON_NUM_THREADS=5 %tenon run %s --entry gradient --random --seed 4 --out %t.five
// RUN: cmp %t.two/result_0.npy %t.one/result_0.npy
// RUN: cmp %t.two/result_1.npy %t.one/result_1.npy
// RUN: cmp %t.two/result_2.npy %t.one/result_2.npy
// RUN: cmp %t.two/result_0.npy %t.five/result_0.npy
// RUN: cmp %t.two/result_1.npy %t.five/result_1.npy
// RUN: cmp %t.two/result_2.npy %t.five/result_2.npy

// Who wants the weights has them in memory, and with them the rest.
// RUN: %tenon compile %s --entry weights --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=WEIGHTS
// WEIGHTS-NOT: attention
// WEIGHTS: row reduction
// WEIGHTS-NOT: attention
func.func @weights(%q: tensor<8x450x16xf32>, %k: tensor<8x420x16xf32>, %v: tensor<8x420x16xf32>) -> (tensor<8x450x16xf32>, tensor<8x420x16xf32>, tensor<8x420x16xf32>, tensor<8x450x420xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x450x16xf32>, tensor<8x420x16xf32>) -> tensor<8x450x420xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<8x450x420xf32>
  %e = stablehlo.exponential %d : tensor<8x450x420xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %p = stablehlo.divide %e, %sums : tensor<8x450x420xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x450x420xf32>, tensor<8x420x16xf32>) -> tensor<8x450x16xf32>
  %do = stablehlo.add %o, %o : tensor<8x450x16xf32>
  %dv = stablehlo.dot_general %p, %do, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x450x420xf32>, tensor<8x450x16xf32>) -> tensor<8x420x16xf32>
  %dp = stablehlo.dot_general %do, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x450x16xf32>, tensor<8x420x16xf32>) -> tensor<8x450x420xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<8x450x420xf32>
  %t = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %pt = stablehlo.multiply %p, %ts : tensor<8x450x420xf32>
  %ds = stablehlo.subtract %pdp, %pt : tensor<8x450x420xf32>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x450x420xf32>, tensor<8x420x16xf32>) -> tensor<8x450x16xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x450x420xf32>, tensor<8x450x16xf32>) -> tensor<8x420x16xf32>
  return %dq, %dk, %dv, %p : tensor<8x450x16xf32>, tensor<8x420x16xf32>, tensor<8x420x16xf32>, tensor<8x450x420xf32>
}

// Few heads: tasks are parts of their rows, whose sums over rows are added up in the order of the parts.
// RUN: %tenon compile %s --entry few --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=FEW
// FEW: gradient, tasks 8 in blocks of {{[0-9]+}} rows of 600, sums of 2 parts in 40 tasks
// FEW: temporary {{[1-9][0-9]*}} scratch
// RUN: %tenon run %s --entry few --random --seed 4 --out %t.few
// RUN: env TENON_NUM_THREADS=1 %tenon run %s --entry few --random --seed 4 --out %t.few_one
// RUN: env TENON_NUM_THREADS=5 %tenon run %s --entry few --random --seed 4 --out %t.few_five
// RUN: cmp %t.few/result_0.npy %t.few_one/result_0.npy
// RUN: cmp %t.few/result_1.npy %t.few_one/result_1.npy
// RUN: cmp %t.few/result_2.npy %t.few_one/result_2.npy
// RUN: cmp %t.few/result_1.npy %t.few_five/result_1.npy
// RUN: cmp %t.few/result_2.npy %t.few_five/result_2.npy
func.func @few(%q: tensor<4x700x16xf32>, %k: tensor<4x600x16xf32>, %v: tensor<4x600x16xf32>) -> (tensor<4x700x16xf32>, tensor<4x600x16xf32>, tensor<4x600x16xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x700x16xf32>, tensor<4x600x16xf32>) -> tensor<4x700x600xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x700x600xf32>, tensor<f32>) -> tensor<4x700xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x700xf32>) -> tensor<4x700x600xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<4x700x600xf32>
  %e = stablehlo.exponential %d : tensor<4x700x600xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x700x600xf32>, tensor<f32>) -> tensor<4x700xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x700xf32>) -> tensor<4x700x600xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x700x600xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x700x600xf32>, tensor<4x600x16xf32>) -> tensor<4x700x16xf32>
  %do = stablehlo.add %o, %o : tensor<4x700x16xf32>
  %dv = stablehlo.dot_general %p, %do, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x700x600xf32>, tensor<4x700x16xf32>) -> tensor<4x600x16xf32>
  %dp = stablehlo.dot_general %do, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x700x16xf32>, tensor<4x600x16xf32>) -> tensor<4x700x600xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<4x700x600xf32>
  %t = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x700x600xf32>, tensor<f32>) -> tensor<4x700xf32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<4x700xf32>) -> tensor<4x700x600xf32>
  %pt = stablehlo.multiply %p, %ts : tensor<4x700x600xf32>
  %ds = stablehlo.subtract %pdp, %pt : tensor<4x700x600xf32>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x700x600xf32>, tensor<4x600x16xf32>) -> tensor<4x700x16xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x700x600xf32>, tensor<4x700x16xf32>) -> tensor<4x600x16xf32>
  return %dq, %dk, %dv : tensor<4x700x16xf32>, tensor<4x600x16xf32>, tensor<4x600x16xf32>
}

// A causal mask: a row reads no scores beyond its own number, and what the rows make is zero there.
// RUN: %tenon compile %s --entry causal --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=CAUSAL
// CAUSAL: gradient, tasks 8 in blocks of {{[0-9]+}} rows of 608, sums of 2 parts
// CAUSAL-NEXT: scores at 0, columns to row + 0: tiled
// CAUSAL-NEXT: scores at {{[0-9]+}}: tiled
// CAUSAL: product over rows 1, without zeros: tiled
// CAUSAL: product of rows 0, without zeros: tiled
// CAUSAL: product over rows 0, without zeros: tiled
// RUN: %tenon run %s --entry causal --random --seed 4 --out %t.causal
// RUN: env TENON_NUM_THREADS=1 %tenon run %s --entry causal --random --seed 4 --out %t.causal_one
// RUN: env TENON_NUM_THREADS=5 %tenon run %s --entry causal --random --seed 4 --out %t.causal_five
// RUN: cmp %t.causal/result_0.npy %t.causal_one/result_0.npy
// RUN: cmp %t.causal/result_1.npy %t.causal_one/result_1.npy
// RUN: cmp %t.causal/result_2.npy %t.causal_one/result_2.npy
// RUN: cmp %t.causal/result_0.npy %t.causal_five/result_0.npy
// RUN: cmp %t.causal/result_1.npy %t.causal_five/result_1.npy
// RUN: cmp %t.causal/result_2.npy %t.causal_five/result_2.npy
func.func @causal(%q: tensor<4x704x16xf32>, %k: tensor<4x608x16xf32>, %v: tensor<4x608x16xf32>) -> (tensor<4x704x16xf32>, tensor<4x608x16xf32>, tensor<4x608x16xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %masked = stablehlo.constant dense<-1.0e30> : tensor<4x704x608xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x704x608xf32>
  %rows = stablehlo.iota dim = 1 : tensor<4x704x608xi32>
  %columns = stablehlo.iota dim = 2 : tensor<4x704x608xi32>
  %mask = stablehlo.compare GE, %rows, %columns : (tensor<4x704x608xi32>, tensor<4x704x608xi32>) -> tensor<4x704x608xi1>
  %all = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x704x16xf32>, tensor<4x608x16xf32>) -> tensor<4x704x608xf32>
  %s = stablehlo.select %mask, %all, %masked : tensor<4x704x608xi1>, tensor<4x704x608xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x704x608xf32>, tensor<f32>) -> tensor<4x704xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x704xf32>) -> tensor<4x704x608xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<4x704x608xf32>
  %e = stablehlo.exponential %d : tensor<4x704x608xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x704x608xf32>, tensor<f32>) -> tensor<4x704xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x704xf32>) -> tensor<4x704x608xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x704x608xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x704x608xf32>, tensor<4x608x16xf32>) -> tensor<4x704x16xf32>
  %do = stablehlo.add %o, %o : tensor<4x704x16xf32>
  %dv = stablehlo.dot_general %p, %do, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x704x608xf32>, tensor<4x704x16xf32>) -> tensor<4x608x16xf32>
  %dp = stablehlo.dot_general %do, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x704x16xf32>, tensor<4x608x16xf32>) -> tensor<4x704x608xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<4x704x608xf32>
  %t = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x704x608xf32>, tensor<f32>) -> tensor<4x704xf32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<4x704xf32>) -> tensor<4x704x608xf32>
  %pt = stablehlo.multiply %p, %ts : tensor<4x704x608xf32>
  %dsum = stablehlo.subtract %pdp, %pt : tensor<4x704x608xf32>
  %ds = stablehlo.select %mask, %dsum, %zeros : tensor<4x704x608xi1>, tensor<4x704x608xf32>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x704x608xf32>, tensor<4x608x16xf32>) -> tensor<4x704x16xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x704x608xf32>, tensor<4x704x16xf32>) -> tensor<4x608x16xf32>
  return %dq, %dk, %dv : tensor<4x704x16xf32>, tensor<4x608x16xf32>, tensor<4x608x16xf32>
}

// A bias whose gradients somebody wants, and sums of them: they are one more result, of which the sums are made.
// RUN: %tenon compile %s --entry bias --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=BIAS
// BIAS: // attention_
// BIAS-NEXT: attention
// BIAS-NEXT: tasks
// BIAS: // attention_
// BIAS-NEXT: attention
// BIAS-NEXT: gradient, tasks 8 in blocks of {{[0-9]+}} rows of 420
// BIAS: rows at {{[0-9]+}} 0 result 3: dims
// BIAS-NOT: gradient
// BIAS: // reduce_
// BIAS-NOT: // {{[a-z]}}
// RUN: %tenon run %s --entry bias --random --seed 4 --out %t.bias
// RUN: env TENON_NUM_THREADS=1 %tenon run %s --entry bias --random --seed 4 --out %t.bias_one
// RUN: cmp %t.bias/result_0.npy %t.bias_one/result_0.npy
// RUN: cmp %t.bias/result_1.npy %t.bias_one/result_1.npy
// RUN: cmp %t.bias/result_3.npy %t.bias_one/result_3.npy
// RUN: cmp %t.bias/result_4.npy %t.bias_one/result_4.npy
func.func @bias(%q: tensor<8x450x16xf32>, %k: tensor<8x420x16xf32>, %v: tensor<8x420x16xf32>, %b: tensor<450x420xf32>) -> (tensor<8x450x16xf32>, tensor<8x420x16xf32>, tensor<8x420x16xf32>, tensor<8x450x420xf32>, tensor<450x420xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %all = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x450x16xf32>, tensor<8x420x16xf32>) -> tensor<8x450x420xf32>
  %biases = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<450x420xf32>) -> tensor<8x450x420xf32>
  %s = stablehlo.add %all, %biases : tensor<8x450x420xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<8x450x420xf32>
  %e = stablehlo.exponential %d : tensor<8x450x420xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %p = stablehlo.divide %e, %sums : tensor<8x450x420xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x450x420xf32>, tensor<8x420x16xf32>) -> tensor<8x450x16xf32>
  %do = stablehlo.add %o, %o : tensor<8x450x16xf32>
  %dv = stablehlo.dot_general %p, %do, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x450x420xf32>, tensor<8x450x16xf32>) -> tensor<8x420x16xf32>
  %dp = stablehlo.dot_general %do, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x450x16xf32>, tensor<8x420x16xf32>) -> tensor<8x450x420xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<8x450x420xf32>
  %t = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<8x450xf32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x450xf32>) -> tensor<8x450x420xf32>
  %pt = stablehlo.multiply %p, %ts : tensor<8x450x420xf32>
  %ds = stablehlo.subtract %pdp, %pt : tensor<8x450x420xf32>
  %db = stablehlo.reduce(%ds init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x450x420xf32>, tensor<f32>) -> tensor<450x420xf32>
  %scale = stablehlo.constant dense<0.25> : tensor<8x450x420xf32>
  %scaled = stablehlo.multiply %ds, %scale : tensor<8x450x420xf32>
  %dq = stablehlo.dot_general %scaled, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x450x420xf32>, tensor<8x420x16xf32>) -> tensor<8x450x16xf32>
  %dk = stablehlo.dot_general %scaled, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x450x420xf32>, tensor<8x450x16xf32>) -> tensor<8x420x16xf32>
  return %dq, %dk, %dv, %ds, %db : tensor<8x450x16xf32>, tensor<8x420x16xf32>, tensor<8x420x16xf32>, tensor<8x450x420xf32>, tensor<450x420xf32>
}

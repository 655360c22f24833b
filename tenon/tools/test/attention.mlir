// A softmax between two products: one kernel of all three where nobody else needs what is between them.

// RUN: %tenon compile %s --entry attention --cpu x86-64-v3 --dump-after plan | %check %s
// CHECK: // attention_dot_general_{{[0-9a-f]+}}: dot_general,reduce,broadcast_in_dim,subtract,exponential,reduce,broadcast_in_dim,divide,dot_general
// CHECK-NEXT: attention
// CHECK-NEXT: tasks 12 of 126 rows of 70, in place
// CHECK-NEXT: scores: tiled f32 6x250x70x24
// CHECK-NEXT: rows: dims 1500 70rv lanes 8 tasks 1500
// CHECK: product: tiled f32 6x250x24x70
// CHECK-NOT: // {{[a-z]}}
func.func @attention(%q: tensor<6x250x24xf32>, %k: tensor<6x70x24xf32>, %v: tensor<6x70x24xf32>) -> tensor<6x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x250x24xf32>, tensor<6x70x24xf32>) -> tensor<6x250x70xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<6x250x70xf32>, tensor<f32>) -> tensor<6x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<6x250xf32>) -> tensor<6x250x70xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<6x250x70xf32>
  %e = stablehlo.exponential %d : tensor<6x250x70xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x250x70xf32>, tensor<f32>) -> tensor<6x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<6x250xf32>) -> tensor<6x250x70xf32>
  %p = stablehlo.divide %e, %sums : tensor<6x250x70xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x250x70xf32>, tensor<6x70x24xf32>) -> tensor<6x250x24xf32>
  return %o : tensor<6x250x24xf32>
}

// The same bits for any number of threads, and as from three kernels, which returning the weights takes.
// RUN: %tenon run %s --entry attention --random --seed 4 --out %t.one
// RUN: env TENON_NUM_THREADS=1 %tenon run %s --entry attention --random --seed 4 --out %t.serial
// RUN: env TENON_NUM_THREADS=5 %tenon run %s --entry attention --random --seed 4 --out %t.five
// RUN: %tenon run %s --entry weights --random --seed 4 --out %t.three
// RUN: cmp %t.one/result_0.npy %t.serial/result_0.npy
// RUN: cmp %t.one/result_0.npy %t.five/result_0.npy
// RUN: cmp %t.one/result_0.npy %t.three/result_0.npy

// RUN: %tenon compile %s --entry weights --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=THREE
// RUN: %tenon compile %s --entry scores --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=THREE
// THREE-NOT: attention
// THREE: tiled f32 6x250x70x24
// THREE-NOT: attention
// THREE: row reduction
// THREE-NOT: attention
// THREE: tiled f32 6x250x24x70
// THREE-NOT: attention
func.func @weights(%q: tensor<6x250x24xf32>, %k: tensor<6x70x24xf32>, %v: tensor<6x70x24xf32>) -> (tensor<6x250x24xf32>, tensor<6x250x70xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x250x24xf32>, tensor<6x70x24xf32>) -> tensor<6x250x70xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<6x250x70xf32>, tensor<f32>) -> tensor<6x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<6x250xf32>) -> tensor<6x250x70xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<6x250x70xf32>
  %e = stablehlo.exponential %d : tensor<6x250x70xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x250x70xf32>, tensor<f32>) -> tensor<6x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<6x250xf32>) -> tensor<6x250x70xf32>
  %p = stablehlo.divide %e, %sums : tensor<6x250x70xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x250x70xf32>, tensor<6x70x24xf32>) -> tensor<6x250x24xf32>
  return %o, %p : tensor<6x250x24xf32>, tensor<6x250x70xf32>
}
func.func @scores(%q: tensor<6x250x24xf32>, %k: tensor<6x70x24xf32>, %v: tensor<6x70x24xf32>) -> (tensor<6x250x24xf32>, tensor<6x250x70xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x250x24xf32>, tensor<6x70x24xf32>) -> tensor<6x250x70xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<6x250x70xf32>, tensor<f32>) -> tensor<6x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<6x250xf32>) -> tensor<6x250x70xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<6x250x70xf32>
  %e = stablehlo.exponential %d : tensor<6x250x70xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x250x70xf32>, tensor<f32>) -> tensor<6x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<6x250xf32>) -> tensor<6x250x70xf32>
  %p = stablehlo.divide %e, %sums : tensor<6x250x70xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x250x70xf32>, tensor<6x70x24xf32>) -> tensor<6x250x24xf32>
  return %o, %s : tensor<6x250x24xf32>, tensor<6x250x70xf32>
}

// Rows along another dimension than the one that is summed over.
// RUN: %tenon compile %s --entry other_rows --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=OTHER
// OTHER-NOT: attention
func.func @other_rows(%q: tensor<6x50x24xf32>, %k: tensor<6x70x24xf32>, %v: tensor<6x70x24xf32>) -> tensor<6x50x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x50x24xf32>, tensor<6x70x24xf32>) -> tensor<6x50x70xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x50x70xf32>, tensor<f32>) -> tensor<6x70xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 2] : (tensor<6x70xf32>) -> tensor<6x50x70xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<6x50x70xf32>
  %e = stablehlo.exponential %d : tensor<6x50x70xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x50x70xf32>, tensor<f32>) -> tensor<6x70xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 2] : (tensor<6x70xf32>) -> tensor<6x50x70xf32>
  %p = stablehlo.divide %e, %sums : tensor<6x50x70xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x50x70xf32>, tensor<6x70x24xf32>) -> tensor<6x50x24xf32>
  return %o : tensor<6x50x24xf32>
}

// One row reads its operands once, as products of one row do well.
// RUN: %tenon compile %s --entry one_row --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=ONE-ROW
// ONE-ROW-NOT: attention
// ONE-ROW: row reduction
// ONE-ROW-NOT: attention
func.func @one_row(%q: tensor<6x1x24xf32>, %k: tensor<6x500x24xf32>, %v: tensor<6x500x24xf32>) -> tensor<6x1x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x1x24xf32>, tensor<6x500x24xf32>) -> tensor<6x1x500xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<6x1x500xf32>, tensor<f32>) -> tensor<6x1xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x1x500xf32>
  %d = stablehlo.subtract %s, %maxes : tensor<6x1x500xf32>
  %e = stablehlo.exponential %d : tensor<6x1x500xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x1x500xf32>, tensor<f32>) -> tensor<6x1xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x1x500xf32>
  %p = stablehlo.divide %e, %sums : tensor<6x1x500xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x1x500xf32>, tensor<6x500x24xf32>) -> tensor<6x1x24xf32>
  return %o : tensor<6x1x24xf32>
}

// Heads in groups that share keys and values: the softmax is written in another order than the scores have.
// RUN: %tenon compile %s --entry grouped --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=GROUPED
// RUN: %tenon run %s --entry grouped --random --seed 4 --out %t.grouped
// RUN: %tenon run %s --entry grouped_weights --random --seed 4 --out %t.apart
// RUN: cmp %t.grouped/result_0.npy %t.apart/result_0.npy
// GROUPED: // attention_transpose_{{[0-9a-f]+}}:
// GROUPED-NEXT: attention
// GROUPED-NEXT: tasks {{[0-9]+}} of {{[0-9]+}} rows of 36, in place
// GROUPED-NEXT: scores: tiled f32 10x60x36x16
// GROUPED: product: tiled f32 10x60x16x36
// GROUPED-NOT: // {{[a-z]}}
func.func @grouped(%q: tensor<2x20x5x3x16xf32>, %k: tensor<2x36x5x16xf32>, %v: tensor<2x36x5x16xf32>) -> (tensor<2x20x5x3x16xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %masked = stablehlo.constant dense<-1.0e9> : tensor<3x2x5x20x36xf32>
  %i = stablehlo.iota dim = 3 : tensor<3x2x5x20x36xi32>
  %j = stablehlo.iota dim = 4 : tensor<3x2x5x20x36xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<3x2x5x20x36xi32>, tensor<3x2x5x20x36xi32>) -> tensor<3x2x5x20x36xi1>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x5x3x16xf32>, tensor<2x36x5x16xf32>) -> tensor<2x5x20x3x36xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x5x20x3x36xf32>) -> tensor<3x2x5x20x36xf32>
  %x = stablehlo.select %seen, %t, %masked : tensor<3x2x5x20x36xi1>, tensor<3x2x5x20x36xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [4] : (tensor<3x2x5x20x36xf32>, tensor<f32>) -> tensor<3x2x5x20xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2, 3] : (tensor<3x2x5x20xf32>) -> tensor<3x2x5x20x36xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<3x2x5x20x36xf32>
  %e = stablehlo.exponential %d : tensor<3x2x5x20x36xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<3x2x5x20x36xf32>, tensor<f32>) -> tensor<3x2x5x20xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2, 3] : (tensor<3x2x5x20xf32>) -> tensor<3x2x5x20x36xf32>
  %p = stablehlo.divide %e, %sums : tensor<3x2x5x20x36xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<2x36x5x16xf32>, tensor<3x2x5x20x36xf32>) -> tensor<2x5x16x3x20xf32>
  %r = stablehlo.transpose %o, dims = [0, 4, 1, 3, 2] : (tensor<2x5x16x3x20xf32>) -> tensor<2x20x5x3x16xf32>
  return %r : tensor<2x20x5x3x16xf32>
}
func.func @grouped_weights(%q: tensor<2x20x5x3x16xf32>, %k: tensor<2x36x5x16xf32>, %v: tensor<2x36x5x16xf32>) -> (tensor<2x20x5x3x16xf32>, tensor<3x2x5x20x36xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %masked = stablehlo.constant dense<-1.0e9> : tensor<3x2x5x20x36xf32>
  %i = stablehlo.iota dim = 3 : tensor<3x2x5x20x36xi32>
  %j = stablehlo.iota dim = 4 : tensor<3x2x5x20x36xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<3x2x5x20x36xi32>, tensor<3x2x5x20x36xi32>) -> tensor<3x2x5x20x36xi1>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x5x3x16xf32>, tensor<2x36x5x16xf32>) -> tensor<2x5x20x3x36xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x5x20x3x36xf32>) -> tensor<3x2x5x20x36xf32>
  %x = stablehlo.select %seen, %t, %masked : tensor<3x2x5x20x36xi1>, tensor<3x2x5x20x36xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [4] : (tensor<3x2x5x20x36xf32>, tensor<f32>) -> tensor<3x2x5x20xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2, 3] : (tensor<3x2x5x20xf32>) -> tensor<3x2x5x20x36xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<3x2x5x20x36xf32>
  %e = stablehlo.exponential %d : tensor<3x2x5x20x36xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<3x2x5x20x36xf32>, tensor<f32>) -> tensor<3x2x5x20xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2, 3] : (tensor<3x2x5x20xf32>) -> tensor<3x2x5x20x36xf32>
  %p = stablehlo.divide %e, %sums : tensor<3x2x5x20x36xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<2x36x5x16xf32>, tensor<3x2x5x20x36xf32>) -> tensor<2x5x16x3x20xf32>
  %r = stablehlo.transpose %o, dims = [0, 4, 1, 3, 2] : (tensor<2x5x16x3x20xf32>) -> tensor<2x20x5x3x16xf32>
  return %r, %p : tensor<2x20x5x3x16xf32>, tensor<3x2x5x20x36xf32>
}

// Narrow floats.
// RUN: %tenon compile %s --entry narrow --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=NARROW
// NARROW: // attention_dot_general
func.func @narrow(%q: tensor<2x64x32xbf16>, %k: tensor<2x64x32xbf16>, %v: tensor<2x64x32xbf16>) -> tensor<2x64x32xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x64x32xbf16>, tensor<2x64x32xbf16>) -> tensor<2x64x64xf32>
  %e = stablehlo.exponential %s : tensor<2x64x64xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %p = stablehlo.divide %e, %sums : tensor<2x64x64xf32>
  %w = stablehlo.convert %p : (tensor<2x64x64xf32>) -> tensor<2x64x64xbf16>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x64x64xbf16>, tensor<2x64x32xbf16>) -> tensor<2x64x32xbf16>
  return %o : tensor<2x64x32xbf16>
}

// Not where the operands are far larger than the scores: each block of rows would read them whole.
// RUN: %tenon compile %s --entry tokens --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TOKENS
// TOKENS-NOT: // attention
func.func @tokens(%x: tensor<128x64xf32>, %w: tensor<64x768xf32>, %v: tensor<768x20000xf32>) -> tensor<128x20000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x768xf32>) -> tensor<128x768xf32>
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x768xf32>, tensor<f32>) -> tensor<128xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<128xf32>) -> tensor<128x768xf32>
  %p = stablehlo.subtract %s, %sums : tensor<128x768xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<128x768xf32>, tensor<768x20000xf32>) -> tensor<128x20000xf32>
  return %o : tensor<128x20000xf32>
}

// Nor where there would be one task of much work: the product alone is shared among the workers.
// RUN: %tenon compile %s --entry few --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=FEW
// FEW-NOT: // attention
func.func @few(%x: tensor<32x64xf32>, %w: tensor<64x768xf32>, %v: tensor<768x20000xf32>) -> tensor<32x20000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x768xf32>) -> tensor<32x768xf32>
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x768xf32>, tensor<f32>) -> tensor<32xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<32xf32>) -> tensor<32x768xf32>
  %p = stablehlo.subtract %s, %sums : tensor<32x768xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<32x768xf32>, tensor<768x20000xf32>) -> tensor<32x20000xf32>
  return %o : tensor<32x20000xf32>
}

// A product that ends one kernel and would begin another.
// RUN: %tenon compile %s --entry layers --cpu x86-64-v3 --dump-after fuse | %check %s --check-prefix=LAYERS
// LAYERS-COUNT-2: tenon.fusion attention
// LAYERS-NOT: tenon.fusion attention
// LAYERS: return
func.func @layers(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %d0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r0 = stablehlo.reduce(%d0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  %b0 = stablehlo.broadcast_in_dim %r0, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
  %s0 = stablehlo.subtract %d0, %b0 : tensor<16x16xf32>
  %d1 = stablehlo.dot_general %s0, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r1 = stablehlo.reduce(%d1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  %b1 = stablehlo.broadcast_in_dim %r1, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
  %s1 = stablehlo.subtract %d1, %b1 : tensor<16x16xf32>
  %d2 = stablehlo.dot_general %s1, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r2 = stablehlo.reduce(%d2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  %b2 = stablehlo.broadcast_in_dim %r2, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
  %s2 = stablehlo.subtract %d2, %b2 : tensor<16x16xf32>
  %d3 = stablehlo.dot_general %s2, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d3 : tensor<16x16xf32>
}

// Where each row sees ever more columns, no scores are computed that none of a block's rows sees, and weights of zero at
// the end are not multiplied: with the same bits.
// RUN: %tenon compile %s --entry causal --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=CAUSAL
// RUN: %tenon compile %s --entry scaled --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SEES-SCALED
// RUN: %tenon run %s --entry causal --random --seed 4 --out %t.causal
// RUN: env TENON_NUM_THREADS=1 %tenon run %s --entry causal --random --seed 4 --out %t.causal_serial
// RUN: %tenon run %s --entry causal_weights --random --seed 4 --out %t.causal_apart
// RUN: cmp %t.causal/result_0.npy %t.causal_apart/result_0.npy
// RUN: cmp %t.causal/result_0.npy %t.causal_serial/result_0.npy
// Rows calculate with scores that are not computed, before they select others: with zeros, at first.
// RUN: %tenon compile %s --entry causal --cpu x86-64-v3 --dump-after llvm > %t.llvm
// RUN: %check %s --check-prefix=CLEARED --input-file %t.llvm
// RUN: %tenon compile %s --entry later --cpu x86-64-v3 --dump-after llvm > %t.llvm
// RUN: %check %s --check-prefix=NOT-CLEARED --input-file %t.llvm
// CLEARED: call void @llvm.memset{{.*}}(ptr {{.*}}, i8 0, i64 16128,
// NOT-CLEARED-NOT: memset
// CAUSAL: tasks 24 of 42 rows of 96, in place, columns to row + 0, without zeros
// SEES-SCALED: tasks 24 of 42 rows of 96, in place, columns to row + -1, without zeros
func.func @causal(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> tensor<4x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %s, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o : tensor<4x250x24xf32>
}
func.func @causal_weights(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> (tensor<4x250x24xf32>, tensor<4x250x96xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %s, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o, %p : tensor<4x250x24xf32>, tensor<4x250x96xf32>
}
func.func @scaled(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> tensor<4x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %eighth = stablehlo.constant dense<0.125> : tensor<4x250x96xf32>
  %t = stablehlo.multiply %s, %eighth : tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare LT, %j, %i : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %t, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o : tensor<4x250x24xf32>
}

// A padding mask that is added: zeros are found when the program runs.
// RUN: %tenon compile %s --entry padding --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=PADDING
// RUN: %tenon run %s --entry padding --random --seed 4 --out %t.padding
// RUN: %tenon run %s --entry padding_weights --random --seed 4 --out %t.padding_apart
// RUN: cmp %t.padding/result_0.npy %t.padding_apart/result_0.npy
// PADDING: tasks {{[0-9]+}} of {{[0-9]+}} rows of 96, in place, without zeros
func.func @padding(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> tensor<4x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %col = stablehlo.iota dim = 2 : tensor<4x250x96xi32>
  %length = stablehlo.constant dense<41> : tensor<4x250x96xi32>
  %is_text = stablehlo.compare LT, %col, %length : (tensor<4x250x96xi32>, tensor<4x250x96xi32>) -> tensor<4x250x96xi1>
  %none = stablehlo.constant dense<0.0> : tensor<4x250x96xf32>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %bias = stablehlo.select %is_text, %none, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %x = stablehlo.add %s, %bias : tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o : tensor<4x250x24xf32>
}
func.func @padding_weights(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> (tensor<4x250x24xf32>, tensor<4x250x96xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %col = stablehlo.iota dim = 2 : tensor<4x250x96xi32>
  %length = stablehlo.constant dense<41> : tensor<4x250x96xi32>
  %is_text = stablehlo.compare LT, %col, %length : (tensor<4x250x96xi32>, tensor<4x250x96xi32>) -> tensor<4x250x96xi1>
  %none = stablehlo.constant dense<0.0> : tensor<4x250x96xf32>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %bias = stablehlo.select %is_text, %none, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %x = stablehlo.add %s, %bias : tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o, %p : tensor<4x250x24xf32>, tensor<4x250x96xf32>
}

// An infinite value that a row does not see: zero times infinity is NaN all the same.
// RUN: %tenon run %s --entry infinite --random --seed 4 --out %t.infinite
// RUN: %tenon run %s --entry infinite_weights --random --seed 4 --out %t.infinite_apart
// RUN: cmp %t.infinite/result_0.npy %t.infinite_apart/result_0.npy
func.func @infinite(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> tensor<4x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %s, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %key = stablehlo.iota dim = 1 : tensor<4x96x24xi32>
  %last = stablehlo.constant dense<90> : tensor<4x96x24xi32>
  %is_last = stablehlo.compare EQ, %key, %last : (tensor<4x96x24xi32>, tensor<4x96x24xi32>) -> tensor<4x96x24xi1>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<4x96x24xf32>
  %w = stablehlo.select %is_last, %infinity, %v : tensor<4x96x24xi1>, tensor<4x96x24xf32>
  %o = stablehlo.dot_general %p, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o : tensor<4x250x24xf32>
}
func.func @infinite_weights(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> (tensor<4x250x24xf32>, tensor<4x250x96xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %s, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %key = stablehlo.iota dim = 1 : tensor<4x96x24xi32>
  %last = stablehlo.constant dense<90> : tensor<4x96x24xi32>
  %is_last = stablehlo.compare EQ, %key, %last : (tensor<4x96x24xi32>, tensor<4x96x24xi32>) -> tensor<4x96x24xi1>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<4x96x24xf32>
  %w = stablehlo.select %is_last, %infinity, %v : tensor<4x96x24xi1>, tensor<4x96x24xf32>
  %o = stablehlo.dot_general %p, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o, %p : tensor<4x250x24xf32>, tensor<4x250x96xf32>
}

// Rows that see the columns behind them, or other elements for those that they do not see, need all scores.
// RUN: %tenon compile %s --entry later --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SEES-ALL
// RUN: %tenon compile %s --entry halved --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SEES-ALL
// SEES-ALL: // attention
// SEES-ALL-NOT: columns to row
func.func @later(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> tensor<4x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare LE, %i, %j : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %masked = stablehlo.constant dense<0xFF800000> : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %s, %masked : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o : tensor<4x250x24xf32>
}
func.func @halved(%q: tensor<4x250x24xf32>, %k: tensor<4x96x24xf32>, %v: tensor<4x96x24xf32>) -> tensor<4x250x24xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x250x24xf32>, tensor<4x96x24xf32>) -> tensor<4x250x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<250x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<250x96xi32>
  %seen = stablehlo.compare GE, %i, %j : (tensor<250x96xi32>, tensor<250x96xi32>) -> tensor<250x96xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [1, 2] : (tensor<250x96xi1>) -> tensor<4x250x96xi1>
  %half = stablehlo.constant dense<0.5> : tensor<4x250x96xf32>
  %s2 = stablehlo.multiply %s, %half : tensor<4x250x96xf32>
  %x = stablehlo.select %mask, %s, %s2 : tensor<4x250x96xi1>, tensor<4x250x96xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x250x96xf32>
  %e = stablehlo.exponential %d : tensor<4x250x96xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x250x96xf32>, tensor<f32>) -> tensor<4x250xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x250xf32>) -> tensor<4x250x96xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x250x96xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x250x96xf32>, tensor<4x96x24xf32>) -> tensor<4x250x24xf32>
  return %o : tensor<4x250x24xf32>
}

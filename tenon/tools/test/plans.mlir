// The schedule of every kind of kernel. A change of a threshold shows here.
//
// What depends on how many cores there are, or on the size of caches, is left open.

// RUN: %tenon compile %s --entry map --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=MAP
// MAP: // loop_tanh_{{[0-9a-f]+}}: broadcast_in_dim,add,tanh
// MAP-NEXT: map
// MAP-NEXT: dims 64 128v lanes 32 tasks 1 = dim 0 by 64
// MAP-NEXT: read tensor<64x128xf32> at d0 * 128 + d1
// MAP-NEXT: read tensor<128xf32> at d1
// MAP-NEXT: write tensor<64x128xf32> at d0 * 128 + d1
// MAP-NEXT: operand 1 and result 0 may share memory
// MAP-NEXT: temporary 0 scratch 0
func.func @map(%x: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.add %x, %0 : tensor<64x128xf32>
  %2 = stablehlo.tanh %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// RUN: %tenon compile %s --entry padded --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=PADDED
// PADDED: // loop_pad_{{[0-9a-f]+}}: negate,pad
// PADDED-NEXT: map
// PADDED-NEXT: dims 32 104v lanes 8 tasks 1 = dim 0 by 32
// PADDED-NEXT: peel dim 0 at 1 31
// PADDED-NEXT: peel dim 1 at 2 102
// PADDED-NEXT: read tensor<30x100xf32> at d0 * 100 + d1 - 102 if
// PADDED-NEXT: write tensor<32x104xf32> at d0 * 104 + d1
// PADDED-NEXT: temporary 0 scratch 0
func.func @padded(%x: tensor<30x100xf32>) -> tensor<32x104xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<30x100xf32>
  %1 = stablehlo.pad %0, %zero, low = [1, 2], high = [1, 2], interior = [0, 0] : (tensor<30x100xf32>, tensor<f32>) -> tensor<32x104xf32>
  return %1 : tensor<32x104xf32>
}

// RUN: %tenon compile %s --entry transposed --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TRANSPOSED
// TRANSPOSED: // loop_add_{{[0-9a-f]+}}: transpose,add
// TRANSPOSED-NEXT: map
// TRANSPOSED-NEXT: dims 256 512v lanes 8 tasks 4 = dim 0 by 10
// TRANSPOSED-NEXT: read tensor<512x256xf32> at d0 + d1 * 256
// TRANSPOSED-NEXT: read tensor<256x512xf32> at d0 * 512 + d1
// TRANSPOSED-NEXT: tiles of 64 over dims 0 and 1
// TRANSPOSED-NEXT: write tensor<256x512xf32> at d0 * 512 + d1
// TRANSPOSED-NEXT: operand 1 and result 0 may share memory
// TRANSPOSED-NEXT: temporary 0 scratch 16384
func.func @transposed(%x: tensor<512x256xf32>, %y: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
  %1 = stablehlo.add %0, %y : tensor<256x512xf32>
  return %1 : tensor<256x512xf32>
}

// RUN: %tenon compile %s --entry transposed_alone --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=BLOCKS
// BLOCKS: tiles of 64 over dims 0 and 1
// BLOCKS-NEXT: write tensor<200x500xf32> at d0 * 500 + d1
// BLOCKS-NEXT: stores transposed blocks
// BLOCKS-NEXT: temporary 0 scratch 0
func.func @transposed_alone(%x: tensor<500x200xf32>) -> tensor<200x500xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<500x200xf32>) -> tensor<200x500xf32>
  return %0 : tensor<200x500xf32>
}

// Rows of the results that lie 2 KiB apart would displace each other.
// RUN: %tenon compile %s --entry transposed_to_pages --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=PAGES
// PAGES: tiles of 64 over dims 0 and 1
// PAGES-NOT: stores transposed blocks
// PAGES: temporary 0 scratch 16384
func.func @transposed_to_pages(%x: tensor<512x200xf32>) -> tensor<200x512xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<512x200xf32>) -> tensor<200x512xf32>
  return %0 : tensor<200x512xf32>
}

// The division is for each result, and does not make the sum a long computation, as a division of each element would, of
// which a cache line is enough.
// RUN: %tenon compile %s --entry mean_of_rows --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=MEAN
// MEAN: dims 16 256v 784r lanes 32
// MEAN: vectors across rows
func.func @mean_of_rows(%x: tensor<16x784x256xf32>) -> tensor<16x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<784.0> : tensor<16x256xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x784x256xf32>, tensor<f32>) -> tensor<16x256xf32>
  %1 = stablehlo.divide %0, %count : tensor<16x256xf32>
  return %1 : tensor<16x256xf32>
}
// RUN: %tenon compile %s --entry sum_of_quotients --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=QUOTIENTS
// QUOTIENTS: dims 16 256v 784r lanes 16
func.func @sum_of_quotients(%x: tensor<16x784x256xf32>) -> tensor<16x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<784.0> : tensor<16x784x256xf32>
  %0 = stablehlo.divide %count, %x : tensor<16x784x256xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x784x256xf32>, tensor<f32>) -> tensor<16x256xf32>
  return %1 : tensor<16x256xf32>
}

// RUN: %tenon compile %s --entry in_place --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=IN-PLACE
// IN-PLACE: // loop_dynamic_update_slice_{{[0-9a-f]+}}: dynamic_update_slice
// IN-PLACE-NEXT: map
// IN-PLACE-NEXT: dims 64v lanes 8 tasks 1 = dim 0 by 64
// IN-PLACE-NEXT: read tensor<1x64xf32> at d0
// IN-PLACE-NEXT: write tensor<1x64xf32> at d0 + s0 * 64 in place of operand 0
// IN-PLACE-NEXT: temporary 0 scratch 0
func.func @in_place(%x: tensor<1024x64xf32>, %y: tensor<1x64xf32>, %i: tensor<i32>) -> tensor<1024x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %y, %i, %zero : (tensor<1024x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x64xf32>
  return %0 : tensor<1024x64xf32>
}

// RUN: %tenon compile %s --entry softmax --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SOFTMAX
// SOFTMAX: // rows_divide_{{[0-9a-f]+}}: reduce,broadcast_in_dim,subtract,exponential,reduce,broadcast_in_dim,divide
// SOFTMAX-NEXT: row reduction
// SOFTMAX-NEXT: dims 64 128rv lanes 8 tasks 1 = dim 0 by 64
// SOFTMAX-NEXT: read tensor<64x128xf32> at d0 * 128 + d1
// SOFTMAX-NEXT: write tensor<64x128xf32> at d0 * 128 + d1
// SOFTMAX-NEXT: vectors along rows, 16 rows at a time
// SOFTMAX-NEXT: stage 0: stablehlo.reduce -> tensor<64xf32> lanes 32
// SOFTMAX-NEXT: stage 1: stablehlo.reduce -> tensor<64xf32> lanes 32 saves 1
// SOFTMAX-NEXT: stage 2: write 0 lanes 8 loads 1
// SOFTMAX-NEXT: saved tensor<64x128xf32> at byte 0
// SOFTMAX-NEXT: operand 0 and result 0 may share memory
// SOFTMAX-NEXT: temporary 0 scratch 8192 cost 4965 ns
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x128xf32>
  %3 = stablehlo.exponential %2 : tensor<64x128xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x128xf32>
  return %6 : tensor<64x128xf32>
}

// RUN: %tenon compile %s --entry columns --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=COLUMNS
// COLUMNS: // reduce_reduce_{{[0-9a-f]+}}: reduce
// COLUMNS-NEXT: row reduction
// COLUMNS-NEXT: dims 100v 40r lanes 32 tasks 1 = dim 0 by 100
// COLUMNS-NEXT: read tensor<40x100xf32> at d0 + d1 * 100
// COLUMNS-NEXT: write tensor<100xf32> at d0
// COLUMNS-NEXT: vectors across rows
// COLUMNS-NEXT: stage 0: stablehlo.reduce -> tensor<100xf32>
// COLUMNS-NEXT: temporary 0 scratch 0
func.func @columns(%x: tensor<40x100xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40x100xf32>, tensor<f32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// RUN: %tenon compile %s --entry long_rows --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=LONG-ROWS
// LONG-ROWS: // reduce_reduce_{{[0-9a-f]+}}: reduce
// LONG-ROWS-NEXT: row reduction
// LONG-ROWS-NEXT: dims 64 10001rv lanes 8 tasks 10 = dim 0 by 7
// LONG-ROWS-NEXT: read tensor<64x10001xf32> at d0 * 10001 + d1
// LONG-ROWS-NEXT: write tensor<64xf32> at d0
// LONG-ROWS-NEXT: vectors along rows
// LONG-ROWS-NEXT: stage 0: stablehlo.reduce -> tensor<64xf32> lanes 32 and halves of them tree over dim 1 of blocks of 2048
// LONG-ROWS-NEXT: temporary 0 scratch 0
func.func @long_rows(%x: tensor<64x10001xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x10001xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// RUN: %tenon compile %s --entry whole --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=WHOLE
// WHOLE: // reduce_reduce_{{[0-9a-f]+}}: reduce
// WHOLE-NEXT: split reduction
// WHOLE-NEXT: dims 16777216rv lanes 8 tasks 1 = dim 0 by 1
// WHOLE-NEXT: read tensor<4096x4096xf32> at d0
// WHOLE-NEXT: write tensor<f32> at 0
// WHOLE-NEXT: vectors along rows, rows split by 262144
// WHOLE-NEXT: stage 0: stablehlo.reduce -> tensor<f32> lanes 32 tree over dim 0 of blocks of 2048
// WHOLE-NEXT: 64 parts
// WHOLE-NEXT: combination: lanes 1 tasks 1
// WHOLE-NEXT: temporary 256 scratch 0 cost 4194354 ns 106 ns
func.func @whole(%x: tensor<4096x4096xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4096x4096xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Extrema are carried as three of bits: of two registers at a time, where sums are of four.
// RUN: %tenon compile %s --entry wide_maximum --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=WIDE-MAX
// WIDE-MAX: dims 1024v 1024r lanes 16
// WIDE-MAX: rows split by 32
// WIDE-MAX: 32 parts, rows together, 8 elements at a time
func.func @wide_maximum(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
// RUN: %tenon compile %s --entry wide_sum --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=WIDE-SUM
// WIDE-SUM: dims 1024v 1024r lanes 32
func.func @wide_sum(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
// So short that parts would not pay, they advance together all the same.
// RUN: %tenon compile %s --entry short_maximum --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SHORT-MAX
// SHORT-MAX: dims 16384v 64r lanes 16
// SHORT-MAX: vectors across rows, rows together, 8 elements at a time
func.func @short_maximum(%x: tensor<64x16384xf32>) -> tensor<16384xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<64x16384xf32>, tensor<f32>) -> tensor<16384xf32>
  return %0 : tensor<16384xf32>
}

// Few columns advance by as many registers as leave nothing of them, if there is such a number.
// RUN: %tenon compile %s --entry sum_of_columns --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SUM-COLUMNS
// SUM-COLUMNS: dims 40v 7000r lanes 8
func.func @sum_of_columns(%x: tensor<7000x40xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7000x40xf32>, tensor<f32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
// RUN: %tenon compile %s --entry sum_of_odd_columns --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SUM-ODD
// SUM-ODD: dims 41v 7000r lanes 32
func.func @sum_of_odd_columns(%x: tensor<7000x41xf32>) -> tensor<41xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7000x41xf32>, tensor<f32>) -> tensor<41xf32>
  return %0 : tensor<41xf32>
}

// RUN: %tenon compile %s --entry tall --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TALL
// TALL: // reduce_reduce_{{[0-9a-f]+}}: reduce
// TALL-NEXT: split reduction
// TALL-NEXT: dims 64v 100000r lanes 32 tasks 2 = dim 0 by 32
// TALL-NEXT: read tensor<100000x64xf32> at d0 + d1 * 64
// TALL-NEXT: write tensor<64xf32> at d0
// TALL-NEXT: vectors across rows, rows split by 1568
// TALL-NEXT: stage 0: stablehlo.reduce -> tensor<64xf32> tree over dim 1 of blocks of 64
// TALL-NEXT: 64 parts, rows together, 8 elements at a time, trees of up to 13 blocks of 128 of dim 1
// TALL-NEXT: combination: lanes 8 tasks 1
// TALL-NEXT: temporary 16384 scratch 1024
func.func @tall(%x: tensor<100000x64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100000x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// RUN: %tenon compile %s --entry cumsum --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=CUMSUM
// CUMSUM: // reduce_window_{{[0-9a-f]+}}: stablehlo.reduce_window
// CUMSUM-NEXT: scan
// CUMSUM-NEXT: dims 16 5000rv lanes 8 tasks 2 = dim 0 by 13
// CUMSUM-NEXT: read tensor<16x5000xf32> at d0 * 5000 + d1
// CUMSUM-NEXT: write tensor<16x5000xf32> at d0 * 5000 + d1
// CUMSUM-NEXT: first to last, vectors along rows, tree of blocks of 512
// CUMSUM-NEXT: operand 0 and result 0 may share memory
// CUMSUM-NEXT: temporary 0 scratch 0
func.func @cumsum(%x: tensor<16x5000xf32>) -> tensor<16x5000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 5000>, padding = dense<[[0, 0], [4999, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<16x5000xf32>, tensor<f32>) -> tensor<16x5000xf32>
  return %0 : tensor<16x5000xf32>
}

// A stencil of stencils would compute its first values at many indices: some are kept in memory.
// RUN: %tenon compile %s --entry stencils --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=STENCILS
// STENCILS: // loop_multiply_{{[0-9a-f]+}}: slice,slice,slice,add,multiply,slice,slice,slice,add,multiply,slice,slice,slice,add,multiply,slice,slice,slice,add,multiply
// STENCILS-NEXT: map of a value in the temporary block
// STENCILS-NEXT: dims 1006v lanes 8 tasks 1 = dim 0 by 1006
// STENCILS-NEXT: read tensor<1008xf32> at d0
// STENCILS-NEXT: read tensor<1008xf32> at d0 + 1
// STENCILS-NEXT: read tensor<1008xf32> at d0 + 2
// STENCILS-NEXT: write tensor<1006xf32> at d0
// STENCILS-NEXT: map
// STENCILS-NEXT: dims 1000v lanes 16 tasks 1 = dim 0 by 1000
// STENCILS-NEXT: read tensor<1006xf32> at d0
// STENCILS-NEXT: read tensor<1006xf32> at d0 + 1
// STENCILS-NEXT: read tensor<1006xf32> at d0 + 2
// STENCILS-NEXT: read tensor<1006xf32> at d0 + 3
// STENCILS-NEXT: read tensor<1006xf32> at d0 + 4
// STENCILS-NEXT: read tensor<1006xf32> at d0 + 5
// STENCILS-NEXT: read tensor<1006xf32> at d0 + 6
// STENCILS-NEXT: write tensor<1000xf32> at d0
// STENCILS-NEXT: temporary 4032 scratch 0
func.func @stencils(%x: tensor<1008xf32>) -> tensor<1000xf32> {
  %a0 = stablehlo.slice %x [0:1006] : (tensor<1008xf32>) -> tensor<1006xf32>
  %b0 = stablehlo.slice %x [1:1007] : (tensor<1008xf32>) -> tensor<1006xf32>
  %c0 = stablehlo.slice %x [2:1008] : (tensor<1008xf32>) -> tensor<1006xf32>
  %d0 = stablehlo.add %a0, %b0 : tensor<1006xf32>
  %e0 = stablehlo.multiply %d0, %c0 : tensor<1006xf32>
  %a1 = stablehlo.slice %e0 [0:1004] : (tensor<1006xf32>) -> tensor<1004xf32>
  %b1 = stablehlo.slice %e0 [1:1005] : (tensor<1006xf32>) -> tensor<1004xf32>
  %c1 = stablehlo.slice %e0 [2:1006] : (tensor<1006xf32>) -> tensor<1004xf32>
  %d1 = stablehlo.add %a1, %b1 : tensor<1004xf32>
  %e1 = stablehlo.multiply %d1, %c1 : tensor<1004xf32>
  %a2 = stablehlo.slice %e1 [0:1002] : (tensor<1004xf32>) -> tensor<1002xf32>
  %b2 = stablehlo.slice %e1 [1:1003] : (tensor<1004xf32>) -> tensor<1002xf32>
  %c2 = stablehlo.slice %e1 [2:1004] : (tensor<1004xf32>) -> tensor<1002xf32>
  %d2 = stablehlo.add %a2, %b2 : tensor<1002xf32>
  %e2 = stablehlo.multiply %d2, %c2 : tensor<1002xf32>
  %a3 = stablehlo.slice %e2 [0:1000] : (tensor<1002xf32>) -> tensor<1000xf32>
  %b3 = stablehlo.slice %e2 [1:1001] : (tensor<1002xf32>) -> tensor<1000xf32>
  %c3 = stablehlo.slice %e2 [2:1002] : (tensor<1002xf32>) -> tensor<1000xf32>
  %d3 = stablehlo.add %a3, %b3 : tensor<1000xf32>
  %e3 = stablehlo.multiply %d3, %c3 : tensor<1000xf32>
  return %e3 : tensor<1000xf32>
}

// RUN: %tenon compile %s --entry large_scatter --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=LARGE-SCATTER
// LARGE-SCATTER: updates 300 windows of 64 lanes 8 tasks 1, fetches 16 ahead
func.func @large_scatter(%x: tensor<50000x64xf32>, %i: tensor<300x1xi32>, %u: tensor<300x64xf32>) -> tensor<50000x64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<50000x64xf32>, tensor<300x1xi32>, tensor<300x64xf32>) -> tensor<50000x64xf32>
  return %0 : tensor<50000x64xf32>
}

// RUN: %tenon compile %s --entry sorted_scatter --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SORTED-SCATTER
// SORTED-SCATTER: updates 100000 windows of 64 lanes 8 tasks 1, sorted in 16 chunks into 196 buckets of 256 rows unless one thread has all, fetches 16 ahead, fetches 64 sorted ahead, sums of blocks of 64 for 50000 rows, 99968 places in a wider type
func.func @sorted_scatter(%x: tensor<50000x64xf32>, %i: tensor<100000x1xi32>, %u: tensor<100000x64xf32>) -> tensor<50000x64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<50000x64xf32>, tensor<100000x1xi32>, tensor<100000x64xf32>) -> tensor<50000x64xf32>
  return %0 : tensor<50000x64xf32>
}

// RUN: %tenon compile %s --entry always_sorted_scatter --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=ALWAYS-SORTED
// ALWAYS-SORTED: updates 30000 windows of 64 lanes 8 tasks 1, sorted in 7 chunks into 98 buckets of 512 rows, fetches 64 sorted ahead
func.func @always_sorted_scatter(%x: tensor<50000x64xf32>, %i: tensor<30000x1xi32>, %u: tensor<30000x64xf32>) -> tensor<50000x64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<50000x64xf32>, tensor<30000x1xi32>, tensor<30000x64xf32>) -> tensor<50000x64xf32>
  return %0 : tensor<50000x64xf32>
}

// RUN: %tenon compile %s --entry briefly_sorted_scatter --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=BRIEFLY-SORTED
// BRIEFLY-SORTED: updates 10000 windows of 64 lanes 8 tasks 1, sorted in 2 chunks into {{[0-9]+}} buckets of {{[0-9]+}} rows, fetches 64 sorted ahead
func.func @briefly_sorted_scatter(%x: tensor<9000x64xf32>, %i: tensor<10000x1xi32>, %u: tensor<10000x64xf32>) -> tensor<9000x64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9000x64xf32>, tensor<10000x1xi32>, tensor<10000x64xf32>) -> tensor<9000x64xf32>
  return %0 : tensor<9000x64xf32>
}

// RUN: %tenon compile %s --entry scatter --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SCATTER
// SCATTER: // scatter_{{[0-9a-f]+}}: stablehlo.scatter
// SCATTER-NEXT: scatter
// SCATTER-NEXT: updates 50000 windows of 64 lanes 8 tasks 2 = dim 1 by 32 of windows, sums of blocks of 64 for 1000 rows, 49984 places in a wider type
// SCATTER-NEXT: temporary 420480 scratch 0
func.func @scatter(%x: tensor<1000x64xf32>, %i: tensor<50000x1xi32>, %u: tensor<50000x64xf32>) -> tensor<1000x64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1000x64xf32>, tensor<50000x1xi32>, tensor<50000x64xf32>) -> tensor<1000x64xf32>
  return %0 : tensor<1000x64xf32>
}

// RUN: %tenon compile %s --entry pool_gradient --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=POOL
// POOL: // select_and_scatter_{{[0-9a-f]+}}: stablehlo.select_and_scatter
// POOL-NEXT: select_and_scatter
// POOL-NEXT: dims 4 64v lanes 8 tasks 32 = dim 1 by 8
// POOL-NEXT: windows of 1 2 2 1
// POOL-NEXT: temporary 0 scratch 0
func.func @pool_gradient(%x: tensor<4x56x56x64xf32>, %g: tensor<4x28x28x64xf32>) -> tensor<4x56x56x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x56x56x64xf32>, tensor<4x28x28x64xf32>, tensor<f32>) -> tensor<4x56x56x64xf32>
  return %0 : tensor<4x56x56x64xf32>
}

// RUN: %tenon compile %s --entry sort --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SORT
// SORT: // sort_{{[0-9a-f]+}}: stablehlo.sort
// SORT-NEXT: sort
// SORT-NEXT: 24 rows of 1000, 3 apart: radix sort of operand 0 by digits of 8 8 8 8, keys only
// SORT-NEXT: temporary 0 scratch 12224
func.func @sort(%x: tensor<8x1000x3xf32>) -> tensor<8x1000x3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x1000x3xf32>) -> tensor<8x1000x3xf32>
  return %0 : tensor<8x1000x3xf32>
}

// RUN: %tenon compile %s --entry sort_short --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SORT-SHORT
// SORT-SHORT: // sort_{{[0-9a-f]+}}: stablehlo.sort
// SORT-SHORT-NEXT: sort
// SORT-SHORT-NEXT: 1000 rows of 128, 1 apart: ranks by operand 0 descending lanes 4
// SORT-SHORT-NEXT: temporary 0 scratch 2048
func.func @sort_short(%x: tensor<1000x128xi64>, %y: tensor<1000x128xf32>) -> (tensor<1000x128xi64>, tensor<1000x128xf32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1000x128xi64>, tensor<1000x128xf32>) -> (tensor<1000x128xi64>, tensor<1000x128xf32>)
  return %0#0, %0#1 : tensor<1000x128xi64>, tensor<1000x128xf32>
}

// A long row is cut into chunks; the positions need no array to be gathered from.
// RUN: %tenon compile %s --entry argsort --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=ARGSORT
// ARGSORT: // sort_{{[0-9a-f]+}}: stablehlo.sort
// ARGSORT-NEXT: sort
// ARGSORT-NEXT: 1 rows of 100000, 1 apart: radix sort of operand 0 by digits of 11 11 10, 6 chunks
func.func @argsort(%x: tensor<100000xi32>) -> (tensor<100000xi32>, tensor<100000xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<100000xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<100000xi32>, tensor<100000xi32>) -> (tensor<100000xi32>, tensor<100000xi32>)
  return %0#0, %0#1 : tensor<100000xi32>, tensor<100000xi32>
}

// RUN: %tenon compile %s --entry sort_by_sum --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SORT-BY-SUM
// SORT-BY-SUM: // sort_{{[0-9a-f]+}}: stablehlo.sort
// SORT-BY-SUM-NEXT: sort
// SORT-BY-SUM-NEXT: 1 rows of 1000, 1 apart: merge sort
// SORT-BY-SUM-NEXT: temporary 0 scratch 8064
func.func @sort_by_sum(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.add %a, %c : tensor<f32>
    %2 = stablehlo.add %b, %d : tensor<f32>
    %3 = stablehlo.compare LT, %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<1000xf32>, tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>)
  return %0#0, %0#1 : tensor<1000xf32>, tensor<1000xf32>
}

// RUN: %tenon compile %s --entry top_k --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TOP-K
// TOP-K: // top_k_{{[0-9a-f]+}}: chlo.top_k
// TOP-K-NEXT: top_k
// TOP-K-NEXT: 10 of 16 rows of 1000 lanes 8 inserts
// TOP-K-NEXT: temporary 0 scratch 208
func.func @top_k(%x: tensor<16x1000xf32>) -> (tensor<16x10xf32>, tensor<16x10xi32>) {
  %0:2 = chlo.top_k(%x, k = 10) : tensor<16x1000xf32> -> (tensor<16x10xf32>, tensor<16x10xi32>)
  return %0#0, %0#1 : tensor<16x10xf32>, tensor<16x10xi32>
}

// RUN: %tenon compile %s --entry top_many --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TOP-MANY
// TOP-MANY: 33 of 16 rows of 1000 lanes 8 buffer of 128
func.func @top_many(%x: tensor<16x1000xf32>) -> (tensor<16x33xf32>, tensor<16x33xi32>) {
  %0:2 = chlo.top_k(%x, k = 33) : tensor<16x1000xf32> -> (tensor<16x33xf32>, tensor<16x33xi32>)
  return %0#0, %0#1 : tensor<16x33xf32>, tensor<16x33xi32>
}

// RUN: %tenon compile %s --entry joined --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=JOINED
// JOINED: // concatenate_{{[0-9a-f]+}}: stablehlo.concatenate
// JOINED-NEXT: concatenation
// JOINED-NEXT: 66 pieces of 33 operands, 66 a task
// JOINED-NEXT: temporary 0 scratch 0
func.func @joined(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>, %a3: tensor<2x3xf32>, %a4: tensor<2x3xf32>, %a5: tensor<2x3xf32>, %a6: tensor<2x3xf32>, %a7: tensor<2x3xf32>, %a8: tensor<2x3xf32>, %a9: tensor<2x3xf32>, %a10: tensor<2x3xf32>, %a11: tensor<2x3xf32>, %a12: tensor<2x3xf32>, %a13: tensor<2x3xf32>, %a14: tensor<2x3xf32>, %a15: tensor<2x3xf32>, %a16: tensor<2x3xf32>, %a17: tensor<2x3xf32>, %a18: tensor<2x3xf32>, %a19: tensor<2x3xf32>, %a20: tensor<2x3xf32>, %a21: tensor<2x3xf32>, %a22: tensor<2x3xf32>, %a23: tensor<2x3xf32>, %a24: tensor<2x3xf32>, %a25: tensor<2x3xf32>, %a26: tensor<2x3xf32>, %a27: tensor<2x3xf32>, %a28: tensor<2x3xf32>, %a29: tensor<2x3xf32>, %a30: tensor<2x3xf32>, %a31: tensor<2x3xf32>, %a32: tensor<2x3xf32>) -> tensor<2x99xf32> {
  %0 = stablehlo.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a31, %a32, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x99xf32>
  return %0 : tensor<2x99xf32>
}

// RUN: %tenon compile %s --entry dense --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=DENSE
// DENSE: // dot_maximum_{{[0-9a-f]+}}: dot_general,broadcast_in_dim,add,maximum
// DENSE-NEXT: dot
// DENSE-NEXT: tiled f32 1x128x128x256 tile 6x2x8 block {{.*}} pack-rhs tasks {{[0-9]+}} scratch {{[0-9]+}}
// DENSE-NEXT: read tensor<128xf32> at d1
// DENSE-NEXT: write tensor<128x128xf32> at d0 * 128 + d1
// DENSE-NEXT: temporary 0 scratch {{[0-9]+}}
func.func @dense(%x: tensor<128x256xf32>, %w: tensor<256x128xf32>, %b: tensor<128xf32>) -> tensor<128x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<128x128xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x256xf32>, tensor<256x128xf32>) -> tensor<128x128xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<128x128xf32>
  %2 = stablehlo.add %0, %1 : tensor<128x128xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<128x128xf32>
  return %3 : tensor<128x128xf32>
}

// What follows a product in another shape is computed on its tiles.
// RUN: %tenon compile %s --entry reshaped --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=RESHAPED
// RESHAPED: // dot_tanh_{{[0-9a-f]+}}: dot_general,reshape,add,tanh
// RESHAPED-NEXT: dot
// RESHAPED-NEXT: tiled
// RESHAPED-NEXT: read tensor<4x16x256xf32> at d0 * 256 + d1
// RESHAPED-NEXT: write tensor<4x16x256xf32> at d0 * 256 + d1
// RESHAPED-NEXT: temporary
// RESHAPED-NOT: //
func.func @reshaped(%x: tensor<64x128xf32>, %w: tensor<128x256xf32>, %b: tensor<4x16x256xf32>) -> tensor<4x16x256xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %1 = stablehlo.reshape %0 : (tensor<64x256xf32>) -> tensor<4x16x256xf32>
  %2 = stablehlo.add %1, %b : tensor<4x16x256xf32>
  %3 = stablehlo.tanh %2 : tensor<4x16x256xf32>
  return %3 : tensor<4x16x256xf32>
}

// In another order, too: rows of the product become columns of the result.
// RUN: %tenon compile %s --entry transposed_product --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TURNED
// TURNED: // dot_transpose_{{[0-9a-f]+}}: dot_general,tanh,transpose
// TURNED-NEXT: dot
// TURNED-NEXT: tiled f32 1x256x64x128 swapped
// TURNED-NEXT: write tensor<256x64xf32> at d0 + d1 * 64
// TURNED-NEXT: temporary
// TURNED-NOT: //
func.func @transposed_product(%x: tensor<64x128xf32>, %w: tensor<128x256xf32>) -> tensor<256x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %1 = stablehlo.tanh %0 : tensor<64x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
  return %2 : tensor<256x64xf32>
}

// The heads of attention: rows and columns of the product are divided.
// RUN: %tenon compile %s --entry heads --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=HEADS
// HEADS: // dot_transpose_{{[0-9a-f]+}}: dot_general,broadcast_in_dim,add,reshape,transpose
// HEADS-NEXT: dot
// HEADS-NEXT: tiled f32 1x64x256x128 tile
// HEADS-NEXT: read tensor<256xf32> at d2 * 32 + d3
// HEADS-NEXT: write tensor<4x8x16x32xf32> at d0 * 4096 + d1 * 32 + d2 * 512 + d3
// HEADS-NEXT: temporary
// HEADS-NOT: //
func.func @heads(%x: tensor<64x128xf32>, %w: tensor<128x256xf32>, %b: tensor<256xf32>) -> tensor<4x8x16x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x256xf32>
  %3 = stablehlo.reshape %2 : (tensor<64x256xf32>) -> tensor<4x16x8x32xf32>
  %4 = stablehlo.transpose %3, dims = [0, 2, 1, 3] : (tensor<4x16x8x32xf32>) -> tensor<4x8x16x32xf32>
  return %4 : tensor<4x8x16x32xf32>
}

// Weights in 8 bits are converted where they are read.
// RUN: %tenon compile %s --entry scaled --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=SCALED
// SCALED: // dot_multiply_{{[0-9a-f]+}}: convert,dot_general,broadcast_in_dim,multiply
// SCALED-NEXT: dot
// SCALED-NEXT: tiled f32 1x64x256x128 tile 6x2x8 block {{.*}} pack-rhs
// SCALED-NEXT: read tensor<256xf32> at d1
// SCALED-NEXT: write tensor<64x256xf32> at d0 * 256 + d1
// SCALED-NEXT: temporary
// SCALED-NOT: //
func.func @scaled(%x: tensor<64x128xf32>, %w: tensor<128x256xi8>, %s: tensor<256xf32>) -> tensor<64x256xf32> {
  %c = stablehlo.convert %w : (tensor<128x256xi8>) -> tensor<128x256xf32>
  %0 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}

// Integers are multiplied as they are stored.
// RUN: %tenon compile %s --entry integers --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=INTEGERS
// INTEGERS: // dot_dot_general_{{[0-9a-f]+}}: convert,convert,dot_general
// INTEGERS-NEXT: dot
// INTEGERS-NEXT: tiled i16x2 1x64x256x128
// INTEGERS-NOT: //
func.func @integers(%x: tensor<64x128xi8>, %w: tensor<128x256xi8>) -> tensor<64x256xi32> {
  %0 = stablehlo.convert %x : (tensor<64x128xi8>) -> tensor<64x128xi32>
  %1 = stablehlo.convert %w : (tensor<128x256xi8>) -> tensor<128x256xi32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<64x128xi32>, tensor<128x256xi32>) -> tensor<64x256xi32>
  return %2 : tensor<64x256xi32>
}

// A row times columns that are runs along k: vectors run along k, of any type of elements.
// RUN: %tenon compile %s --entry narrow_columns --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=NARROW
// NARROW: stablehlo.dot_general
// NARROW-NEXT: dot
// NARROW-NEXT: dot f32 1x1x512x1024 tile 1x4x8
func.func @narrow_columns(%x: tensor<1x1024xf8E4M3FN>, %w: tensor<512x1024xf8E4M3FN>) -> tensor<1x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<1x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) -> tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}

// f16 where the chip does not convert it: in vectors, not by calls of a function for each element.
// RUN: %tenon compile %s --entry halves --cpu x86-64 --dump-after llvm > %t.halves
// RUN: %check %s --check-prefix=HALVES --input-file %t.halves
// RUN: %tenon compile %s --entry halves --cpu x86-64-v3 --dump-after llvm > %t.halves
// RUN: %check %s --check-prefix=CONVERTED --input-file %t.halves
// HALVES-NOT: {{fpext|fptrunc}}
// CONVERTED: fpext <{{[0-9]+}} x half>
// CONVERTED: fptrunc <{{[0-9]+}} x float>
func.func @halves(%x: tensor<1024xf16>, %w: tensor<64x64xf16>) -> (tensor<1024xf16>, tensor<64x64xf16>) {
  %0 = stablehlo.tanh %x : tensor<1024xf16>
  %1 = stablehlo.dot_general %w, %w, contracting_dims = [1] x [1] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1 : tensor<1024xf16>, tensor<64x64xf16>
}

// Padding before a convolution, and all that follows it.
// RUN: %tenon compile %s --entry block --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=BLOCK
// BLOCK: // convolution_add_{{[0-9a-f]+}}: convolution,broadcast_in_dim,add,clamp,add
// BLOCK-NEXT: convolution
// BLOCK-NEXT: padding: 32 rows
// BLOCK-NEXT: tiled
// BLOCK-NEXT: read tensor<64xf32> at d3
// BLOCK-NEXT: read tensor<2x14x14x64xf32> at d0 * 12544 + d1 * 896 + d2 * 64 + d3
// BLOCK-NEXT: write tensor<2x14x14x64xf32> at d0 * 12544 + d1 * 896 + d2 * 64 + d3
// BLOCK-NEXT: temporary
// BLOCK-NOT: //
func.func @block(%x: tensor<2x14x14x32xf32>, %w: tensor<3x3x32x64xf32>, %b: tensor<64xf32>, %r: tensor<2x14x14x64xf32>) -> tensor<2x14x14x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %six = stablehlo.constant dense<6.0> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x14x14x32xf32>, tensor<f32>) -> tensor<2x16x16x32xf32>
  %0 = stablehlo.convolution(%p, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x32xf32>, tensor<3x3x32x64xf32>) -> tensor<2x14x14x64xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<64xf32>) -> tensor<2x14x14x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x14x14x64xf32>
  %3 = stablehlo.clamp %zero, %2, %six : (tensor<f32>, tensor<2x14x14x64xf32>, tensor<f32>) -> tensor<2x14x14x64xf32>
  %4 = stablehlo.add %3, %r : tensor<2x14x14x64xf32>
  return %4 : tensor<2x14x14x64xf32>
}

// RUN: %tenon compile %s --entry convolution --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=CONV
// CONV: // convolution_{{[0-9a-f]+}}: stablehlo.convolution
// CONV-NEXT: convolution
// CONV-NEXT: padding: 120 rows, 17 a task
// CONV-NEXT: tiled f32 1x3136x64x288 tile 6x2x8 block {{.*}} pack-rhs rows 90 tasks {{[0-9]+}} scratch {{[0-9]+}}
// CONV-NEXT: temporary 460800 scratch {{[0-9]+}}
func.func @convolution(%x: tensor<4x28x28x32xf32>, %w: tensor<3x3x32x64xf32>) -> tensor<4x28x28x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x28x28x32xf32>, tensor<3x3x32x64xf32>) -> tensor<4x28x28x64xf32>
  return %0 : tensor<4x28x28x64xf32>
}

// RUN: %tenon compile %s --entry depthwise --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=DEPTHWISE
// DEPTHWISE: // convolution_{{[0-9a-f]+}}: stablehlo.convolution
// DEPTHWISE-NEXT: convolution
// DEPTHWISE-NEXT: depthwise channels lanes 8 tasks 112
// DEPTHWISE-NEXT: temporary 0 scratch 0
func.func @depthwise(%x: tensor<4x28x28x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<4x28x28x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 64 : i64} : (tensor<4x28x28x64xf32>, tensor<3x3x1x64xf32>) -> tensor<4x28x28x64xf32>
  return %0 : tensor<4x28x28x64xf32>
}

// Few rows do not pay for packing the rhs, if its rows are close enough together to stay in L1.
// RUN: %tenon compile %s --entry few_rows --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=FEW-ROWS
// FEW-ROWS: tiled f32 1x12x480x160 tile 6x2x8 block {{[0-9x]+}}{{( fetch-rows 32| fetch-rows 6 to-l1)?}} tasks
// FEW-ROWS: tiled f32 1x12x2048x160 tile 6x2x8 block {{[0-9x]+}} pack-rhs tasks
func.func @few_rows(%x: tensor<12x160xf32>, %w: tensor<160x480xf32>, %far: tensor<160x2048xf32>) -> (tensor<12x480xf32>, tensor<12x2048xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x160xf32>, tensor<160x480xf32>) -> tensor<12x480xf32>
  %1 = stablehlo.dot_general %x, %far, contracting_dims = [1] x [0] : (tensor<12x160xf32>, tensor<160x2048xf32>) -> tensor<12x2048xf32>
  return %0, %1 : tensor<12x480xf32>, tensor<12x2048xf32>
}

// A matrix times a vector: long rows along k are vectors, narrow ones where there are many short rows; small ones, and
// columns, are reductions.
// RUN: %tenon compile %s --entry small_vectors --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=VECTORS
// VECTORS: dot f32 1x1x20x96 swapped tile 1x4x8
// VECTORS: dot f32 1x1x512x8 swapped tile 1x4x4
// VECTORS: row reduction
// VECTORS-NEXT: dims 96v 20r
// VECTORS: row reduction
// VECTORS-NEXT: dims 32 8rv
func.func @small_vectors(%a: tensor<20x96xf32>, %x: tensor<96xf32>, %b: tensor<512x8xf32>, %y: tensor<8xf32>, %c: tensor<32x8xf32>)
    -> (tensor<20xf32>, tensor<512xf32>, tensor<96xf32>, tensor<32xf32>) {
  %0 = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<20x96xf32>, tensor<96xf32>) -> tensor<20xf32>
  %1 = stablehlo.dot_general %b, %y, contracting_dims = [1] x [0] : (tensor<512x8xf32>, tensor<8xf32>) -> tensor<512xf32>
  %2 = stablehlo.dot_general %0, %a, contracting_dims = [0] x [0] : (tensor<20xf32>, tensor<20x96xf32>) -> tensor<96xf32>
  %3 = stablehlo.dot_general %c, %y, contracting_dims = [1] x [0] : (tensor<32x8xf32>, tensor<8xf32>) -> tensor<32xf32>
  return %0, %1, %2, %3 : tensor<20xf32>, tensor<512xf32>, tensor<96xf32>, tensor<32xf32>
}

// A computation with a loop is a function, whose kernels are planned with the kernel that calls it.
// RUN: %tenon compile %s --entry looping --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=LOOPING
// LOOPING: // map_{{[0-9a-f]+}}: stablehlo.map
// LOOPING-NEXT: map
// LOOPING-NEXT: dims 64v lanes 8
// LOOPING: computation with 256 bytes of arrays
// LOOPING-NEXT: its stablehlo.iota: map
// LOOPING-NEXT: dims 40v
// LOOPING: its tenon.fusion: row reduction
// LOOPING-NEXT: dims 40rv
func.func @looping(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %hundred = stablehlo.constant dense<100.0> : tensor<f32>
    %r = stablehlo.while(%v = %a) : tensor<f32>
      cond {
        %more = stablehlo.compare LT, %v, %hundred : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %b = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<40xf32>
        %i = stablehlo.iota dim = 0 : tensor<40xf32>
        %m = stablehlo.multiply %b, %i : tensor<40xf32>
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %s = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
        stablehlo.return %s : tensor<f32>
      }
    stablehlo.return %r : tensor<f32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// AMX where the processor has it, and where whole registers of it pay.
// RUN: %tenon compile %s --entry tiles --cpu sapphirerapids --dump-after plan | %check %s --check-prefix=TILES
// RUN: %tenon compile %s --entry tiles --cpu x86-64-v4 --dump-after plan | %check %s --check-prefix=NO-TILES
// TILES: tiled amx-bf16 1x512x512x512 tile 32x2x16 block {{[0-9x]+}} pack-rhs
// TILES: tiled amx-i8 1x512x512x512 tile 32x2x16 block {{[0-9x]+}} pack-lhs pack-rhs
// TILES-NOT: amx
// NO-TILES: dot_general
// NO-TILES-NOT: amx
func.func @tiles(%x: tensor<512x512xbf16>, %i: tensor<512x512xi8>, %s: tensor<16x16xbf16>) -> (tensor<512x512xbf16>, tensor<512x512xi32>, tensor<16x16xbf16>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
  %1 = stablehlo.dot_general %i, %i, contracting_dims = [0] x [1] : (tensor<512x512xi8>, tensor<512x512xi8>) -> tensor<512x512xi32>
  %2 = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %0, %1, %2 : tensor<512x512xbf16>, tensor<512x512xi32>, tensor<16x16xbf16>
}

// A product whose lhs is read column by column: copied where these are far apart, in place where they are not.
// RUN: %tenon compile %s --entry gradients --cpu x86-64-v4 --dump-after plan | %check %s --check-prefix=GRADIENTS
// GRADIENTS: tiled f32 1x2048x64x1024 tile 6x4x16 block {{[0-9x]+}} pack-lhs
// GRADIENTS: tiled f32 1x128x64x1024 tile 6x4x16 block {{[0-9x]+}} tasks
func.func @gradients(%x: tensor<1024x2048xf32>, %y: tensor<1024x128xf32>, %z: tensor<1024x64xf32>) -> (tensor<2048x64xf32>, tensor<128x64xf32>) {
  %0 = stablehlo.dot_general %x, %z, contracting_dims = [0] x [0] : (tensor<1024x2048xf32>, tensor<1024x64xf32>) -> tensor<2048x64xf32>
  %1 = stablehlo.dot_general %y, %z, contracting_dims = [0] x [0] : (tensor<1024x128xf32>, tensor<1024x64xf32>) -> tensor<128x64xf32>
  return %0, %1 : tensor<2048x64xf32>, tensor<128x64xf32>
}

// Few rows times a matrix that is read once: its next rows are fetched ahead, but not for one row, which waits for nothing
// else.
// RUN: %tenon compile %s --entry four_rows --cpu x86-64-v3 --dump-after llvm > %t.four
// RUN: %check %s --check-prefix=FETCHED --input-file %t.four
// RUN: %tenon compile %s --entry one_row --cpu x86-64-v3 --dump-after llvm > %t.one
// RUN: %check %s --check-prefix=NOT-FETCHED --input-file %t.one
// FETCHED: call void @llvm.prefetch
func.func @four_rows(%x: tensor<4x1024xf32>, %w: tensor<1024x768xf32>) -> tensor<4x768xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x1024xf32>, tensor<1024x768xf32>) -> tensor<4x768xf32>
  return %0 : tensor<4x768xf32>
}
// NOT-FETCHED: dot_general
// NOT-FETCHED-NOT: prefetch
func.func @one_row(%x: tensor<1x1024xf32>, %w: tensor<1024x768xf32>) -> tensor<1x768xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x1024xf32>, tensor<1024x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// All of a window of 3 x 3 is read in one step, row by row: a loop over its rows would read from another one each time.
// RUN: %tenon compile %s --entry maxima --cpu x86-64-v3 --dump-after llvm > %t.maxima
// RUN: %check %s --check-prefix=MAXIMA --input-file %t.maxima
// MAXIMA: define void @reduce_window
// MAXIMA-COUNT-9: load <8 x i32>
// MAXIMA: store <8 x float>
func.func @maxima(%x: tensor<2x33x33x64xf32>) -> tensor<2x16x16x64xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %max = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %max : tensor<f32>
  }) : (tensor<2x33x33x64xf32>, tensor<f32>) -> tensor<2x16x16x64xf32>
  return %0 : tensor<2x16x16x64xf32>
}

// Vectors have as many elements as a register holds of 32 bits, though there are some of 64, which are less work.
// RUN: %tenon compile %s --entry hashed --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=HASHED
// HASHED: dims 4096v lanes 8
func.func @hashed() -> tensor<4096xui32> {
  %i = stablehlo.iota dim = 0 : tensor<4096xui64>
  %k = stablehlo.constant dense<2146121005> : tensor<4096xui32>
  %s = stablehlo.constant dense<15> : tensor<4096xui32>
  %0 = stablehlo.convert %i : (tensor<4096xui64>) -> tensor<4096xui32>
  %1 = stablehlo.multiply %0, %k : tensor<4096xui32>
  %2 = stablehlo.shift_right_logical %1, %s : tensor<4096xui32>
  %3 = stablehlo.xor %1, %2 : tensor<4096xui32>
  %4 = stablehlo.multiply %3, %k : tensor<4096xui32>
  return %4 : tensor<4096xui32>
}
// Of arithmetic on 64 bits, by registers of these.
// RUN: %tenon compile %s --entry hashed_wide --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=WIDE-HASH
// WIDE-HASH: dims 4096v lanes 4
func.func @hashed_wide() -> tensor<4096xui32> {
  %i = stablehlo.iota dim = 0 : tensor<4096xui64>
  %k = stablehlo.constant dense<2146121005> : tensor<4096xui64>
  %0 = stablehlo.add %i, %k : tensor<4096xui64>
  %1 = stablehlo.xor %0, %k : tensor<4096xui64>
  %2 = stablehlo.convert %1 : (tensor<4096xui64>) -> tensor<4096xui32>
  return %2 : tensor<4096xui32>
}

// A row times a matrix of few columns takes all of them at once, so that sums do not wait for each other.
// RUN: %tenon compile %s --entry few_columns --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=FEW-COLUMNS
// FEW-COLUMNS: stream f32 1x1x64x2048 tile 1x1x8 block 8x64x8 pack-lhs tasks 1
func.func @few_columns(%x: tensor<2048xf32>, %y: tensor<2048x64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2048xf32>, tensor<2048x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Sums over the pixels of a few large images: one image after the other. Not where images lie nearer than pixels.
// RUN: %tenon compile %s --entry images --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=IMAGES
// RUN: %tenon compile %s --entry images_inside --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=INSIDE
// IMAGES: parts, rows together, 8 elements at a time, but for those of 1 outer dims
// INSIDE: parts, rows together, 8 elements at a time
// INSIDE-NOT: but for
func.func @images(%x: tensor<2x50176x128xf32>) -> tensor<2x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x50176x128xf32>, tensor<f32>) -> tensor<2x128xf32>
  return %0 : tensor<2x128xf32>
}
func.func @images_inside(%x: tensor<50176x2x128xf32>, %y: tensor<2xf32>) -> tensor<2x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<2xf32>) -> tensor<50176x2x128xf32>
  %p = stablehlo.multiply %x, %t : tensor<50176x2x128xf32>
  %0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<50176x2x128xf32>, tensor<f32>) -> tensor<2x128xf32>
  return %0 : tensor<2x128xf32>
}

// Coordinates that are computed each in its own way are vectors of points, which are interleaved when they are stored.
// RUN: %tenon compile %s --entry rotated --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=ROTATED
// ROTATED: dims 4096 2v
// ROTATED: 2 vectors of 8 for 8 of dim 0, by columns
func.func @rotated(%x: tensor<4096x2xf32>) -> tensor<4096x2xf32> {
  %0 = stablehlo.slice %x [0:4096, 0:1] : (tensor<4096x2xf32>) -> tensor<4096x1xf32>
  %1 = stablehlo.slice %x [0:4096, 1:2] : (tensor<4096x2xf32>) -> tensor<4096x1xf32>
  %2 = stablehlo.negate %1 : tensor<4096x1xf32>
  %3 = stablehlo.concatenate %2, %0, dim = 1 : (tensor<4096x1xf32>, tensor<4096x1xf32>) -> tensor<4096x2xf32>
  return %3 : tensor<4096x2xf32>
}
// Not where all are computed alike.
// RUN: %tenon compile %s --entry scaled_points --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=POINTS
// POINTS: 3 vectors of 8 for 8 of dim 0{{$}}
func.func @scaled_points(%x: tensor<4096x3xf32>, %y: tensor<3xf32>) -> tensor<4096x3xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<4096x3xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4096x3xf32>
  return %1 : tensor<4096x3xf32>
}

// Of pixels that are added in 16 bits, by as many as a register holds, where chips have no instructions that widen and
// narrow whole registers.
// RUN: %tenon compile %s --entry blended --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=BLENDED
// RUN: %tenon compile %s --entry blended --cpu x86-64-v4 --dump-after plan | %check %s --check-prefix=BLENDED-BY-MASKS
// BLENDED: dims 4096v lanes 32
// BLENDED-BY-MASKS: dims 4096v lanes 32
func.func @blended(%x: tensor<4096xui8>, %y: tensor<4096xui8>) -> tensor<4096xui8> {
  %0 = stablehlo.convert %x : (tensor<4096xui8>) -> tensor<4096xui16>
  %1 = stablehlo.convert %y : (tensor<4096xui8>) -> tensor<4096xui16>
  %2 = stablehlo.add %0, %1 : tensor<4096xui16>
  %one = stablehlo.constant dense<1> : tensor<4096xui16>
  %3 = stablehlo.shift_right_logical %2, %one : tensor<4096xui16>
  %4 = stablehlo.convert %3 : (tensor<4096xui16>) -> tensor<4096xui8>
  return %4 : tensor<4096xui8>
}
// Not where results fill registers of their own.
// RUN: %tenon compile %s --entry doubled --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=DOUBLED
// DOUBLED: dims 4096v lanes 16
func.func @doubled(%x: tensor<4096xui8>) -> tensor<4096xui16> {
  %0 = stablehlo.convert %x : (tensor<4096xui8>) -> tensor<4096xui16>
  %1 = stablehlo.add %0, %0 : tensor<4096xui16>
  return %1 : tensor<4096xui16>
}

// What a loop multiplies with is packed in front of it, where it runs often enough, and read as the tile needs it.
// RUN: %tenon compile %s --entry often --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=OFTEN
// RUN: %tenon compile %s --entry twice --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=TWICE
// OFTEN: read tensor<256x1024xf32>
// OFTEN: write tensor<43x256x24xf32>
// OFTEN: tiled f32 1x16x1032x256 tile 4x3x8
// OFTEN-NOT: pack-rhs
// TWICE-NOT: tensor<43x256x24xf32>
// TWICE: tiled f32 1x16x1024x256
func.func @often(%w: tensor<256x1024xf32>, %init: tensor<16x256xf32>) -> tensor<16x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<30> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %init) : tensor<i32>, tensor<16x256xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x256xf32>, tensor<256x1024xf32>) -> tensor<16x1024xf32>
    %z = stablehlo.slice %y [0:16, 0:256] : (tensor<16x1024xf32>) -> tensor<16x256xf32>
    %u = stablehlo.tanh %z : tensor<16x256xf32>
    stablehlo.return %next, %u : tensor<i32>, tensor<16x256xf32>
  }
  return %0#1 : tensor<16x256xf32>
}
func.func @twice(%w: tensor<256x1024xf32>, %init: tensor<16x256xf32>) -> tensor<16x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %init) : tensor<i32>, tensor<16x256xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x256xf32>, tensor<256x1024xf32>) -> tensor<16x1024xf32>
    %z = stablehlo.slice %y [0:16, 0:256] : (tensor<16x1024xf32>) -> tensor<16x256xf32>
    %u = stablehlo.tanh %z : tensor<16x256xf32>
    stablehlo.return %next, %u : tensor<i32>, tensor<16x256xf32>
  }
  return %0#1 : tensor<16x256xf32>
}

// The forms of kernels of GPUs in which the threads of a block work together, behind the plans that they compute.

// RUN: %tenon compile %s --entry rows --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=ROWS
// ROWS: row reduction
// ROWS: a row by 32 threads, 4 in a block, in vectors of 4, 8 a thread in registers, 0 bytes shared, 16 blocks
func.func @rows(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x1024xf32>
  %2 = stablehlo.divide %x, %1 : tensor<64x1024xf32>
  return %2 : tensor<64x1024xf32>
}

// RUN: %tenon compile %s --entry long --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=LONG
// LONG: row reduction
// LONG: a row by 512 threads, 1 in a block, in vectors of 4, 8 a thread of 4 blocks in registers
func.func @long(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<64x65536xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x65536xf32>
  %2 = stablehlo.divide %x, %1 : tensor<64x65536xf32>
  return %2 : tensor<64x65536xf32>
}

// RUN: %tenon compile %s --entry columns --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=COLUMNS
// COLUMNS: split reduction
// COLUMNS: parts: 32 vectors of 4 rows in a block, by 16 warps, 16384 bytes shared, 264 blocks
// COLUMNS-NEXT: combination: 32 vectors of 1 rows in a block, by 16 warps, 8192 bytes shared, 32 blocks
func.func @columns(%x: tensor<65536x1024xf32>) -> tensor<1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<65536x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// RUN: %tenon compile %s --entry transposed --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=TRANSPOSED
// TRANSPOSED: map
// TRANSPOSED: squares of 32x32 through 4224 bytes shared, 8 blocks
func.func @transposed(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// RUN: %tenon compile %s --entry product --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=PRODUCT
// PRODUCT: dot
// PRODUCT: product in blocks of 128x128x16, 8x8 a thread, lhs in vectors along k, rhs in vectors across k, 33792 bytes shared, 256 blocks
func.func @product(%a: tensor<2048x512xf32>, %b: tensor<512x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<2048x512xf32>, tensor<512x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// RUN: %tenon compile %s --entry large --target cuda:sm_80 --dump-after plan | %check %s --check-prefix=LARGE
// LARGE: product in blocks of 128x128x32 by warps, lhs in vectors along k, rhs in vectors along k, 4 stages of copies, 81920 bytes shared, 256 blocks

// RUN: %tenon compile %s --entry large --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=GROUPS
// GROUPS: product in blocks of 128x128x64 by warp groups, lhs in vectors along k, rhs in vectors along k, 5 stages of boxes, 163880 bytes shared, 256 blocks
func.func @large(%a: tensor<2048x512xbf16>, %b: tensor<2048x512xbf16>) -> tensor<2048x2048xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
    : (tensor<2048x512xbf16>, tensor<2048x512xbf16>) -> tensor<2048x2048xbf16>
  return %0 : tensor<2048x2048xbf16>
}

// RUN: %tenon compile %s --entry convolution --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=CONVOLUTION
// CONVOLUTION: convolution
// CONVOLUTION: product in blocks of 64x64x32 by warps, lhs in vectors along k, rhs in vectors across k, 4 stages of copies, 38912 bytes shared, 8 blocks, 2 parts of k, 288 each
func.func @convolution(%x: tensor<1x8x8x64xbf16>, %k: tensor<3x3x64x256xbf16>) -> tensor<1x8x8x256xbf16> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x64xbf16>, tensor<3x3x64x256xbf16>) -> tensor<1x8x8x256xbf16>
  return %0 : tensor<1x8x8x256xbf16>
}

// RUN: %tenon compile %s --entry sorted --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=SORTED
// SORTED: sort
// SORTED: runs of 1024 by 256 threads, 8192 bytes shared, 10 blocks, merged 3 times
func.func @sorted(%x: tensor<2x5000xf32>) -> tensor<2x5000xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x5000xf32>) -> tensor<2x5000xf32>
  return %0 : tensor<2x5000xf32>
}

// RUN: %tenon compile %s --entry many_sorted --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=DIGITS
// DIGITS: sort
// DIGITS: by 4 digits of 8 bits, tiles of 4096 by 512 threads, 245 blocks, keys only
func.func @many_sorted(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1000000xf32>) -> tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
}

// RUN: %tenon compile %s --entry cumulative --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=CUMULATIVE
// CUMULATIVE: scan
// CUMULATIVE: a row by 256 threads, 1 in a block, in vectors of 4, 2 tiles of 8192 by look-back, 528 bytes shared, 4 blocks
func.func @cumulative(%x: tensor<2x12000xf32>) -> tensor<2x12000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 12000>,
    padding = dense<[[0, 0], [11999, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x12000xf32>, tensor<f32>) -> tensor<2x12000xf32>
  return %0 : tensor<2x12000xf32>
}

// RUN: %tenon compile %s --entry scattered --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=SCATTERED
// SCATTERED: scatter
// SCATTERED: updates by segment, 3000 of 16 vectors of 4
// SCATTERED-NEXT: runs of 1024 by 256 threads, 8192 bytes shared, 3 blocks, merged 2 times
func.func @scattered(%a: tensor<500x64xf32>, %i: tensor<3000x1xi32>, %u: tensor<3000x64xf32>) -> tensor<500x64xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<500x64xf32>, tensor<3000x1xi32>, tensor<3000x64xf32>) -> tensor<500x64xf32>
  return %0 : tensor<500x64xf32>
}

// Places of 9 bits are two digits.
// RUN: %tenon compile %s --entry scattered_often --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=OFTEN
// OFTEN: scatter
// OFTEN: updates by segment, 300000 of 16 vectors of 4
// OFTEN-NEXT: by 2 digits of 5 bits, tiles of 4096 by 512 threads, 74 blocks
func.func @scattered_often(%a: tensor<500x64xf32>, %i: tensor<300000x1xi32>, %u: tensor<300000x64xf32>) -> tensor<500x64xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<500x64xf32>, tensor<300000x1xi32>, tensor<300000x64xf32>) -> tensor<500x64xf32>
  return %0 : tensor<500x64xf32>
}

// Those that are sorted are not sorted again; windows that slide over each other are.
// RUN: %tenon compile %s --entry scattered_in_order --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=INORDER
// INORDER: scatter
// INORDER: updates by segment, 3000 of 16 vectors of 4
// INORDER-NEXT: which come in order
// INORDER: scatter
// INORDER: updates by segment, 9000 of 16 vectors of 4
// INORDER-NEXT: runs of 1024
func.func @scattered_in_order(%a: tensor<500x64xf32>, %i: tensor<3000x1xi32>, %u: tensor<3000x64xf32>, %v: tensor<3000x3x64xf32>)
    -> (tensor<500x64xf32>, tensor<500x64xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<500x64xf32>, tensor<3000x1xi32>, tensor<3000x64xf32>) -> tensor<500x64xf32>
  %1 = "stablehlo.scatter"(%0, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<500x64xf32>, tensor<3000x1xi32>, tensor<3000x3x64xf32>) -> tensor<500x64xf32>
  return %0, %1 : tensor<500x64xf32>, tensor<500x64xf32>
}

// Each element is set by one thread: nothing has to be in order.
// RUN: %tenon compile %s --entry unique --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=UNIQUE
// UNIQUE: scatter
// UNIQUE: updates free, 3000 of 16 vectors of 4, the last one counts
func.func @unique(%a: tensor<5000x64xf32>, %i: tensor<3000x1xi32>, %u: tensor<3000x64xf32>) -> tensor<5000x64xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<5000x64xf32>, tensor<3000x1xi32>, tensor<3000x64xf32>) -> tensor<5000x64xf32>
  return %0 : tensor<5000x64xf32>
}

// RUN: %tenon compile %s --entry columns_cumulative --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=COLUMNSCAN
// COLUMNSCAN: scan
// COLUMNSCAN: columns by threads, in vectors of 4, 64 parts of 64
func.func @columns_cumulative(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4096, 1>,
    padding = dense<[[4095, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4096x512xf32>, tensor<f32>) -> tensor<4096x512xf32>
  return %0 : tensor<4096x512xf32>
}

// RUN: %tenon compile %s --entry largest --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=LARGEST
// LARGEST: top_k
// LARGEST: 16 of runs of 1024 by 256 threads, 8192 bytes shared, 3908 blocks, merged 0 times
// LARGEST-NEXT: 16 of runs of 1024 by 256 threads, 8192 bytes shared, 64 blocks, merged 0 times
// LARGEST-NEXT: 16 of runs of 256 by 128 threads, 2048 bytes shared, 4 blocks, merged 0 times
func.func @largest(%x: tensor<4x1000000xf32>) -> (tensor<4x16xf32>, tensor<4x16xi32>) {
  %values, %positions = chlo.top_k(%x, k = 16) : tensor<4x1000000xf32> -> (tensor<4x16xf32>, tensor<4x16xi32>)
  return %values, %positions : tensor<4x16xf32>, tensor<4x16xi32>
}

// RUN: %tenon compile %s --entry selected --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=SELECTED
// SELECTED: select_and_scatter
// SELECTED: 256 windows, then 1024 results by threads, in vectors of 4
func.func @selected(%x: tensor<1x8x8x64xf32>, %s: tensor<1x4x4x64xf32>) -> tensor<1x8x8x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x8x8x64xf32>, tensor<1x4x4x64xf32>, tensor<f32>) -> tensor<1x8x8x64xf32>
  return %0 : tensor<1x8x8x64xf32>
}

// RUN: %tenon compile %s --entry depthwise --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=DEPTHWISE
// DEPTHWISE: depthwise channels
// DEPTHWISE: 576 vectors of results by threads
func.func @depthwise(%x: tensor<1x8x8x64xf32>, %k: tensor<3x3x1x64xf32>) -> tensor<1x6x6x64xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 64 : i64}
    : (tensor<1x8x8x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x6x6x64xf32>
  return %0 : tensor<1x6x6x64xf32>
}

// RUN: %tenon compile %s --entry parted_product --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=PARTED
// PARTED: dot
// PARTED: product in blocks of 64x64x32 by warps, lhs in vectors along k, rhs in vectors across k, 4 stages of copies, 38912 bytes shared, 256 blocks, 32 parts of k, 256 each
func.func @parted_product(%a: tensor<128x8192xbf16>, %b: tensor<8192x256xbf16>) -> tensor<128x256xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<128x8192xbf16>, tensor<8192x256xbf16>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// A GPU that the host plays: ops of each kind against the CPU.

#include "test/e2e/emulated_gpu_testing.h"
#include "test/e2e/program_texts.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

struct Case {
  const char *name;
  std::string text;
};

void PrintTo(const Case &shown, std::ostream *os) { *os << shown.name; }

// Each becomes one kernel, or the phases of one. Integers where the order of a sum would show: a GPU's tasks are others
// than a CPU's.
const Case kCases[] = {
    {"Map", R"(func.func @main(%a: tensor<1001xf32>, %b: tensor<1001xf32>) -> tensor<1001xf32> {
      %0 = stablehlo.multiply %a, %b : tensor<1001xf32>
      %1 = stablehlo.tanh %0 : tensor<1001xf32>
      return %1 : tensor<1001xf32> })"},
    {"Transpose", transposition(70, 130)},
    {"Rows", sums({37, 300}, 1, "i32")},
    // In more parts than one warp adds up.
    {"SumOfAll", sums({1200001}, 0, "i32")},
    {"RowsOfWarpParts", R"(func.func @main(%a: tensor<301x24xi32>) -> tensor<301x24xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<301x24xi32>, tensor<i32>) -> tensor<301xi32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<301xi32>) -> tensor<301x24xi32>
      %2 = stablehlo.multiply %1, %a : tensor<301x24xi32>
      return %2 : tensor<301x24xi32> })"},
    {"RowsOfBlocks", R"(func.func @main(%a: tensor<19x5001xf32>) -> tensor<19x5001xf32> {
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1]
        : (tensor<19x5001xf32>, tensor<f32>) -> tensor<19xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<19xf32>) -> tensor<19x5001xf32>
      %2 = stablehlo.subtract %a, %1 : tensor<19x5001xf32>
      %3 = stablehlo.exponential %2 : tensor<19x5001xf32>
      return %3 : tensor<19x5001xf32> })"},
    {"RowsPastRegisters", R"(func.func @main(%a: tensor<17x20000xi32>) -> tensor<17x20000xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<17x20000xi32>, tensor<i32>) -> tensor<17xi32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<17xi32>) -> tensor<17x20000xi32>
      %2 = stablehlo.add %1, %a : tensor<17x20000xi32>
      return %2 : tensor<17x20000xi32> })"},
    {"PositionOfTheLargest", R"(func.func @main(%a: tensor<50x700xf32>) -> tensor<50xi32> {
      %i = stablehlo.iota dim = 1 : tensor<50x700xi32>
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %n = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.reduce(%a init: %z), (%i init: %n) across dimensions = [1]
        : (tensor<50x700xf32>, tensor<50x700xi32>, tensor<f32>, tensor<i32>) -> (tensor<50xf32>, tensor<50xi32>)
        reducer(%x: tensor<f32>, %u: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
          %1 = stablehlo.compare GT, %x, %u : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %2 = stablehlo.compare NE, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %3 = stablehlo.or %1, %2 : tensor<i1>
          %4 = stablehlo.compare EQ, %x, %u : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %5 = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %6 = stablehlo.and %4, %5 : tensor<i1>
          %7 = stablehlo.or %3, %6 : tensor<i1>
          %8 = stablehlo.select %3, %x, %u : tensor<i1>, tensor<f32>
          %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
          stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
        }
      return %0#1 : tensor<50xi32> })"},
    {"All", sums({100000}, 0, "i32")},
    {"FewLongRows", sums({3, 70001}, 1, "i32")},
    {"Columns", R"(func.func @main(%a: tensor<500x133xf32>) -> tensor<500x133xf32> {
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0]
        : (tensor<500x133xf32>, tensor<f32>) -> tensor<133xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<133xf32>) -> tensor<500x133xf32>
      %2 = stablehlo.subtract %a, %1 : tensor<500x133xf32>
      %3 = stablehlo.exponential %2 : tensor<500x133xf32>
      return %3 : tensor<500x133xf32> })"},
    {"LongColumns", sums({9000, 40}, 0, "i32")},
    {"ColumnsOfTwoDimensions", R"(func.func @main(%a: tensor<5x64x9x24xi32>) -> tensor<5x24xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1, 2]
        : (tensor<5x64x9x24xi32>, tensor<i32>) -> tensor<5x24xi32>
      return %0 : tensor<5x24xi32> })"},
    {"Scan", runningSums({9, 1003}, 1, "i32")},
    {"ScanFromTheEnd", R"(func.func @main(%a: tensor<5x96xf32>) -> tensor<5x96xf32> {
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 96>,
        padding = dense<[[0, 0], [0, 95]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<5x96xf32>, tensor<f32>) -> tensor<5x96xf32>
      return %0 : tensor<5x96xf32> })"},
    {"ScanOfParts", R"(func.func @main(%a: tensor<3x30000xui8>) -> tensor<3x30000xui8> {
      %z = stablehlo.constant dense<7> : tensor<ui8>
      %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 30000>,
        padding = dense<[[0, 0], [29999, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<ui8>, %y: tensor<ui8>):
        %1 = stablehlo.xor %x, %y : tensor<ui8>
        stablehlo.return %1 : tensor<ui8>
      }) : (tensor<3x30000xui8>, tensor<ui8>) -> tensor<3x30000xui8>
      return %0 : tensor<3x30000xui8> })"},
    {"ScanOfColumns", R"(func.func @main(%a: tensor<2x500x36xi32>) -> tensor<2x500x36xi32> {
      %z = stablehlo.constant dense<5> : tensor<i32>
      %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 500, 1>,
        padding = dense<[[0, 0], [499, 0], [0, 0]]> : tensor<3x2xi64>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %1 = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }) : (tensor<2x500x36xi32>, tensor<i32>) -> tensor<2x500x36xi32>
      return %0 : tensor<2x500x36xi32> })"},
    {"ScanOfColumnsFromTheEnd", R"(func.func @main(%a: tensor<301x7xbf16>) -> tensor<301x7xbf16> {
      %z = stablehlo.constant dense<0xFF80> : tensor<bf16>
      %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 301, 1>,
        padding = dense<[[0, 300], [0, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
        %1 = stablehlo.maximum %x, %y : tensor<bf16>
        stablehlo.return %1 : tensor<bf16>
      }) : (tensor<301x7xbf16>, tensor<bf16>) -> tensor<301x7xbf16>
      return %0 : tensor<301x7xbf16> })"},
    {"SortOfRuns", R"(func.func @main(%a: tensor<2x5003xf32>, %b: tensor<2x5003xi32>)
        -> (tensor<2x5003xf32>, tensor<2x5003xi32>) {
      %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<2x5003xf32>, tensor<2x5003xi32>) -> (tensor<2x5003xf32>, tensor<2x5003xi32>)
      return %0#0, %0#1 : tensor<2x5003xf32>, tensor<2x5003xi32> })"},
    // Five merges, of which four are two kernels by turns.
    {"SortOfManyRuns", R"(func.func @main(%a: tensor<2x17001xf32>, %b: tensor<2x17001xi32>)
        -> (tensor<2x17001xf32>, tensor<2x17001xi32>) {
      %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<2x17001xf32>, tensor<2x17001xi32>) -> (tensor<2x17001xf32>, tensor<2x17001xi32>)
      return %0#0, %0#1 : tensor<2x17001xf32>, tensor<2x17001xi32> })"},
    {"SortOfColumns", R"(func.func @main(%a: tensor<2500x7xi8>) -> tensor<2500x7xi32> {
      %i = stablehlo.iota dim = 0 : tensor<2500x7xi32>
      %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<i8>, %y: tensor<i8>, %p: tensor<i32>, %q: tensor<i32>):
        %1 = stablehlo.compare GT, %x, %y : (tensor<i8>, tensor<i8>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<2500x7xi8>, tensor<2500x7xi32>) -> (tensor<2500x7xi8>, tensor<2500x7xi32>)
      return %0#1 : tensor<2500x7xi32> })"},
    {"SortByDigits", R"(func.func @main(%a: tensor<2x20011xf16>) -> tensor<2x20011xi32> {
      %i = stablehlo.iota dim = 1 : tensor<2x20011xi32>
      %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<f16>, %y: tensor<f16>, %p: tensor<i32>, %q: tensor<i32>):
        %1 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<2x20011xf16>, tensor<2x20011xi32>) -> (tensor<2x20011xf16>, tensor<2x20011xi32>)
      return %0#1 : tensor<2x20011xi32> })"},
    {"SortOfManyByDigits", R"(func.func @main(%a: tensor<140000xf16>) -> tensor<140000xf16> {
      %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<f16>, %y: tensor<f16>):
        %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<140000xf16>) -> tensor<140000xf16>
      return %0 : tensor<140000xf16> })"},
    {"Sort", R"(func.func @main(%a: tensor<5x777xi32>) -> tensor<5x777xi32> {
      %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<5x777xi32>) -> tensor<5x777xi32>
      return %0 : tensor<5x777xi32> })"},
    // By JAX's order: zeros are equal, and NaNs, and stay in their order. There are both of both signs, with other
    // bits.
    {"SortOfZerosAndNans", R"(func.func @main(%n: tensor<2x5000xi32>) -> (tensor<2x5000xi32>, tensor<2x5000xi32>) {
      %3 = stablehlo.constant dense<3> : tensor<2x5000xi32>
      %m = stablehlo.and %n, %3 : tensor<2x5000xi32>
      %s = stablehlo.constant dense<0x80000000> : tensor<2x5000xi32>
      %t = stablehlo.constant dense<0x7F800001> : tensor<2x5000xi32>
      %sign = stablehlo.and %n, %s : tensor<2x5000xi32>
      %nan = stablehlo.or %n, %t : tensor<2x5000xi32>
      %one = stablehlo.constant dense<1> : tensor<2x5000xi32>
      %z = stablehlo.constant dense<0> : tensor<2x5000xi32>
      %isZero = stablehlo.compare EQ, %m, %z : (tensor<2x5000xi32>, tensor<2x5000xi32>) -> tensor<2x5000xi1>
      %isNan = stablehlo.compare EQ, %m, %one : (tensor<2x5000xi32>, tensor<2x5000xi32>) -> tensor<2x5000xi1>
      %x = stablehlo.select %isZero, %sign, %n : tensor<2x5000xi1>, tensor<2x5000xi32>
      %y = stablehlo.select %isNan, %nan, %x : tensor<2x5000xi1>, tensor<2x5000xi32>
      %f = stablehlo.bitcast_convert %y : (tensor<2x5000xi32>) -> tensor<2x5000xf32>
      %i = stablehlo.iota dim = 1 : tensor<2x5000xi32>
      %0:2 = "stablehlo.sort"(%f, %i) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %o = stablehlo.constant dense<0.0> : tensor<f32>
        %c = stablehlo.constant dense<0x7FC00000> : tensor<f32>
        %1 = stablehlo.compare EQ, %a, %o, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.select %1, %o, %a : tensor<i1>, tensor<f32>
        %4 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %5 = stablehlo.select %4, %c, %2 : tensor<i1>, tensor<f32>
        %6 = stablehlo.compare EQ, %b, %o, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %7 = stablehlo.select %6, %o, %b : tensor<i1>, tensor<f32>
        %8 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %9 = stablehlo.select %8, %c, %7 : tensor<i1>, tensor<f32>
        %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %10 : tensor<i1>
      }) : (tensor<2x5000xf32>, tensor<2x5000xi32>) -> (tensor<2x5000xf32>, tensor<2x5000xi32>)
      %r = stablehlo.bitcast_convert %0#0 : (tensor<2x5000xf32>) -> tensor<2x5000xi32>
      return %r, %0#1 : tensor<2x5000xi32>, tensor<2x5000xi32> })"},
    {"Scatter", updatedRows(50, 90, 0, "i32")},
    // In rounds; with equal elements, and a float's special values at the ends.
    {"TopK", R"(func.func @main(%a: tensor<3x5000xf32>) -> (tensor<3x9xf32>, tensor<3x9xi32>) {
      %0 = stablehlo.floor %a : tensor<3x5000xf32>
      %v, %p = chlo.top_k(%0, k = 9) : tensor<3x5000xf32> -> (tensor<3x9xf32>, tensor<3x9xi32>)
      return %v, %p : tensor<3x9xf32>, tensor<3x9xi32> })"},
    {"TopKOfMany", R"(func.func @main(%a: tensor<2x1500xi32>) -> (tensor<2x700xi32>, tensor<2x700xi32>) {
      %v, %p = chlo.top_k(%a, k = 700) : tensor<2x1500xi32> -> (tensor<2x700xi32>, tensor<2x700xi32>)
      return %v, %p : tensor<2x700xi32>, tensor<2x700xi32> })"},
    {"TopKOfShortRows", R"(func.func @main(%a: tensor<70x64xbf16>) -> (tensor<70x8xbf16>, tensor<70x8xi32>) {
      %v, %p = chlo.top_k(%a, k = 8) : tensor<70x64xbf16> -> (tensor<70x8xbf16>, tensor<70x8xi32>)
      return %v, %p : tensor<70x8xbf16>, tensor<70x8xi32> })"},
    // Keys that are all ones, of elements that are all equal: those behind the end of the row are not among them.
    {"TopKOfTheLeast", R"(func.func @main(%a: tensor<2x2100xi8>) -> (tensor<2x300xi8>, tensor<2x300xi32>) {
      %n = stablehlo.constant dense<-128> : tensor<2x2100xi8>
      %0 = stablehlo.minimum %a, %n : tensor<2x2100xi8>
      %v, %p = chlo.top_k(%0, k = 300) : tensor<2x2100xi8> -> (tensor<2x300xi8>, tensor<2x300xi32>)
      return %v, %p : tensor<2x300xi8>, tensor<2x300xi32> })"},
    // Rows that get many updates, summed in blocks, some of them outside.
    {"ScatterOfRows", R"(func.func @main(%a: tensor<5x20xf32>, %i: tensor<1500x1xi32>, %u: tensor<1500x20xf32>)
        -> tensor<5x20xf32> {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.subtract %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<5x20xf32>, tensor<1500x1xi32>, tensor<1500x20xf32>) -> tensor<5x20xf32>
      return %0 : tensor<5x20xf32> })"},
    // So many that CPUs sort them into buckets, and copy the operand then.
    {"ScatterOfManyRows", updatedRows(8192, 4096, 80, "f32", "ui16")},
    // The indices are in order, of which some at both ends are outside, and are not sorted.
    {"ScatterOfSorted", R"(func.func @main(%a: tensor<90x6xf32>, %u: tensor<700x6xf32>) -> tensor<90x6xf32> {
      %n = stablehlo.iota dim = 0 : tensor<700x1xi32>
      %c = stablehlo.constant dense<7> : tensor<700x1xi32>
      %q = stablehlo.divide %n, %c : tensor<700x1xi32>
      %i = stablehlo.subtract %q, %c : tensor<700x1xi32>
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
        indices_are_sorted = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.subtract %y, %x : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<90x6xf32>, tensor<700x1xi32>, tensor<700x6xf32>) -> tensor<90x6xf32>
      return %0 : tensor<90x6xf32> })"},
    // Summed in a wider type, which for f64 is a compensated one.
    {"ScatterOfElements", R"(func.func @main(%a: tensor<6xf64>, %b: tensor<6xbf16>, %i: tensor<700x1xi32>,
        %u: tensor<700xf64>, %v: tensor<700xbf16>) -> (tensor<6xf64>, tensor<6xbf16>) {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<f64>, %y: tensor<f64>):
        %1 = stablehlo.add %x, %y : tensor<f64>
        stablehlo.return %1 : tensor<f64>
      }) : (tensor<6xf64>, tensor<700x1xi32>, tensor<700xf64>) -> tensor<6xf64>
      %2 = "stablehlo.scatter"(%b, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
        %1 = stablehlo.subtract %x, %y : tensor<bf16>
        stablehlo.return %1 : tensor<bf16>
      }) : (tensor<6xbf16>, tensor<700x1xi32>, tensor<700xbf16>) -> tensor<6xbf16>
      return %0, %2 : tensor<6xf64>, tensor<6xbf16> })"},
    // The same in two parts, whose sums are added.
    {"ScatterOfElementsInParts", R"(func.func @main(%a: tensor<6x8xf64>, %i: tensor<4200x1xi32>, %u: tensor<4200x8xf64>)
        -> tensor<6x8xf64> {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<f64>, %y: tensor<f64>):
        %1 = stablehlo.add %x, %y : tensor<f64>
        stablehlo.return %1 : tensor<f64>
      }) : (tensor<6x8xf64>, tensor<4200x1xi32>, tensor<4200x8xf64>) -> tensor<6x8xf64>
      return %0 : tensor<6x8xf64> })"},
    // In three parts, vectors of rows, of which a thread for each part reads its own.
    {"ScatterOfRowsInParts", updatedRows(5, 2048, 24, "bf16")},
    // In two parts of sorted indices, of which some at both ends are outside.
    {"ScatterOfSortedInParts", R"(func.func @main(%a: tensor<5xf32>, %u: tensor<33000xf32>) -> tensor<5xf32> {
      %n = stablehlo.iota dim = 0 : tensor<33000x1xi32>
      %c = stablehlo.constant dense<3700> : tensor<33000x1xi32>
      %2 = stablehlo.constant dense<2> : tensor<33000x1xi32>
      %q = stablehlo.divide %n, %c : tensor<33000x1xi32>
      %i = stablehlo.subtract %q, %2 : tensor<33000x1xi32>
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
        indices_are_sorted = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.subtract %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<5xf32>, tensor<33000x1xi32>, tensor<33000xf32>) -> tensor<5xf32>
      return %0 : tensor<5xf32> })"},
    // In two parts, of more places than updates: they are numbered as if windows began in any row.
    {"ScatterOfColumnsInParts", R"(func.func @main(%a: tensor<3x64x4xbf16>, %n: tensor<512x2xi32>,
        %u: tensor<512x64xbf16>) -> tensor<3x64x4xbf16> {
      %3 = stablehlo.constant dense<3> : tensor<512x2xi32>
      %i = stablehlo.and %n, %3 : tensor<512x2xi32>
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0, 2], scatter_dims_to_operand_dims = [0, 2], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
        %1 = stablehlo.add %x, %y : tensor<bf16>
        stablehlo.return %1 : tensor<bf16>
      }) : (tensor<3x64x4xbf16>, tensor<512x2xi32>, tensor<512x64xbf16>) -> tensor<3x64x4xbf16>
      return %0 : tensor<3x64x4xbf16> })"},
    // Windows that slide over each other along one dimension, of several results; the last update counts.
    {"ScatterOfSlidingWindows", R"(func.func @main(%a: tensor<9x7xf32>, %b: tensor<9x7xi64>, %i: tensor<40x1xi32>,
        %u: tensor<40x3x7xf32>, %v: tensor<40x3x7xi64>) -> (tensor<9x7xf32>, tensor<9x7xi64>) {
      %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<f32>, %p: tensor<i64>, %y: tensor<f32>, %q: tensor<i64>):
        stablehlo.return %y, %q : tensor<f32>, tensor<i64>
      }) : (tensor<9x7xf32>, tensor<9x7xi64>, tensor<40x1xi32>, tensor<40x3x7xf32>, tensor<40x3x7xi64>)
        -> (tensor<9x7xf32>, tensor<9x7xi64>)
      return %0#0, %0#1 : tensor<9x7xf32>, tensor<9x7xi64> })"},
    // In batches, of more places than a block sorts.
    {"ScatterOfBatches", R"(func.func @main(%a: tensor<3x70xi32>, %i: tensor<3x900x1xui8>, %u: tensor<3x900xi32>)
        -> tensor<3x70xi32> {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
        scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %3 = stablehlo.constant dense<3> : tensor<i32>
        %1 = stablehlo.multiply %x, %3 : tensor<i32>
        %2 = stablehlo.add %1, %y : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }) : (tensor<3x70xi32>, tensor<3x900x1xui8>, tensor<3x900xi32>) -> tensor<3x70xi32>
      return %0 : tensor<3x70xi32> })"},
    // In any order; of rows of an odd length.
    {"ScatterOfIntegers", R"(func.func @main(%a: tensor<9x7xui32>, %b: tensor<9xi64>, %i: tensor<500x1xi32>,
        %u: tensor<500x7xui32>, %v: tensor<500xi64>) -> (tensor<9x7xui32>, tensor<9xi64>) {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<ui32>, %y: tensor<ui32>):
        %1 = stablehlo.maximum %y, %x : tensor<ui32>
        stablehlo.return %1 : tensor<ui32>
      }) : (tensor<9x7xui32>, tensor<500x1xi32>, tensor<500x7xui32>) -> tensor<9x7xui32>
      %2 = "stablehlo.scatter"(%b, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %1 = stablehlo.subtract %x, %y : tensor<i64>
        stablehlo.return %1 : tensor<i64>
      }) : (tensor<9xi64>, tensor<500x1xi32>, tensor<500xi64>) -> tensor<9xi64>
      return %0, %2 : tensor<9x7xui32>, tensor<9xi64> })"},
    {"ScatterOfFew", updatedRows(6, 9, 40)},
    // No two updates have an element in common.
    {"ScatterOfUnique", R"(func.func @main(%a: tensor<50x6xf32>, %u: tensor<40x6xf32>) -> tensor<50x6xf32> {
      %n = stablehlo.iota dim = 0 : tensor<40x1xi32>
      %7 = stablehlo.constant dense<7> : tensor<40x1xi32>
      %m = stablehlo.constant dense<53> : tensor<40x1xi32>
      %t = stablehlo.multiply %n, %7 : tensor<40x1xi32>
      %i = stablehlo.remainder %t, %m : tensor<40x1xi32>
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
        unique_indices = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<50x6xf32>, tensor<40x1xi32>, tensor<40x6xf32>) -> tensor<50x6xf32>
      return %0 : tensor<50x6xf32> })"},
    // Windows that overlap, of channels in vectors; and of images with channels first, with padding.
    {"SelectAndScatter", gradientOfMaxima({2, 9, 9, 8}, {2, 4, 4, 8}, "0.5")},
    {"SelectAndScatterOfPadding", R"(func.func @main(%a: tensor<2x3x10x7xi16>, %s: tensor<2x3x5x9xi16>)
        -> tensor<2x3x10x7xi16> {
      %z = stablehlo.constant dense<3> : tensor<i16>
      %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 1, 4, 3>,
        window_strides = array<i64: 1, 1, 3, 1>, padding = dense<[[0, 0], [0, 0], [5, 2], [2, 2]]> : tensor<4x2xi64>}> ({
      ^bb0(%x: tensor<i16>, %y: tensor<i16>):
        %1 = stablehlo.compare LE, %x, %y : (tensor<i16>, tensor<i16>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }, {
      ^bb0(%x: tensor<i16>, %y: tensor<i16>):
        %2 = stablehlo.multiply %x, %x : tensor<i16>
        %1 = stablehlo.subtract %2, %y : tensor<i16>
        stablehlo.return %1 : tensor<i16>
      }) : (tensor<2x3x10x7xi16>, tensor<2x3x5x9xi16>, tensor<i16>) -> tensor<2x3x10x7xi16>
      return %0 : tensor<2x3x10x7xi16> })"},
    {"Product", product({33, 70}, {70, 45}, 1, 0, "i32", "i32")},
    {"ProductOfTransposed", R"(func.func @main(%a: tensor<3x70x133xi32>, %b: tensor<3x65x70xi32>)
        -> tensor<3x133x65xi32> {
      %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [2]
        : (tensor<3x70x133xi32>, tensor<3x65x70xi32>) -> tensor<3x133x65xi32>
      return %0 : tensor<3x133x65xi32> })"},
    {"ProductOfBlocks", R"(func.func @main(%a: tensor<1500x40xi32>, %b: tensor<40x1536xi32>, %c: tensor<1536xi32>)
        -> tensor<1500x1536xi32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<1500x40xi32>, tensor<40x1536xi32>) -> tensor<1500x1536xi32>
      %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<1536xi32>) -> tensor<1500x1536xi32>
      %2 = stablehlo.add %0, %1 : tensor<1500x1536xi32>
      return %2 : tensor<1500x1536xi32> })"},
    // The sums of each part of k are added up by another kernel, which has the epilogue.
    {"ProductInParts", R"(func.func @main(%a: tensor<33x3000xi32>, %b: tensor<3000x48xi32>, %c: tensor<48xi32>)
        -> tensor<33x48xi32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<33x3000xi32>, tensor<3000x48xi32>) -> tensor<33x48xi32>
      %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<48xi32>) -> tensor<33x48xi32>
      %2 = stablehlo.multiply %0, %1 : tensor<33x48xi32>
      return %2 : tensor<33x48xi32> })"},
    // With padding and strides, of images with channels first.
    {"Convolution", R"(func.func @main(%a: tensor<2x3x18x17xi32>, %k: tensor<20x3x3x3xi32>) -> tensor<2x20x9x9xi32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x3x18x17xi32>, tensor<20x3x3x3xi32>) -> tensor<2x20x9x9xi32>
      return %0 : tensor<2x20x9x9xi32> })"},
    // With kernels whose elements are read backwards, of rows enough for a product and of few.
    {"ReversedConvolution",
     R"(func.func @main(%a: tensor<2x3x18x17xi32>, %k: tensor<20x3x3x4xi32>) -> tensor<2x20x16x14xi32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x3x18x17xi32>, tensor<20x3x3x4xi32>) -> tensor<2x20x16x14xi32>
      return %0 : tensor<2x20x16x14xi32> })"},
    {"ReversedConvolutionOfFewWindows",
     R"(func.func @main(%a: tensor<2x3x5xi32>, %k: tensor<20x3x4xi32>) -> tensor<2x20x2xi32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
        window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x3x5xi32>, tensor<20x3x4xi32>) -> tensor<2x20x2xi32>
      return %0 : tensor<2x20x2xi32> })"},
    // The sign alone of a double that is rounded to f16: the host has no instruction for that.
    {"SignOfRoundedDoubles", R"(func.func @main(%a: tensor<100xf16>) -> tensor<100xf16> {
      %0 = chlo.atanh %a : tensor<100xf16> -> tensor<100xf16>
      %1 = chlo.atan %0 : tensor<100xf16> -> tensor<100xf16>
      return %1 : tensor<100xf16> })"},
    // The gradient of a kernel, of a convolution with strides.
    {"ConvolutionInParts", R"(func.func @main(%a: tensor<3x19x17x20xi32>, %b: tensor<3x10x9x24xi32>)
        -> tensor<3x3x20x24xi32> {
      %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
        window = {pad = [[1, 1], [1, 1]], rhs_dilate = [2, 2]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<3x19x17x20xi32>, tensor<3x10x9x24xi32>) -> tensor<3x3x20x24xi32>
      return %0 : tensor<3x3x20x24xi32> })"},
    // With padding, strides and an epilogue; and of planes, with dilations.
    {"DepthwiseConvolution", R"(func.func @main(%a: tensor<2x9x10x24xi32>, %k: tensor<3x3x1x24xi32>, %b: tensor<24xi32>)
        -> tensor<2x5x10x24xi32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {stride = [2, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 24 : i64}
        : (tensor<2x9x10x24xi32>, tensor<3x3x1x24xi32>) -> tensor<2x5x10x24xi32>
      %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<24xi32>) -> tensor<2x5x10x24xi32>
      %2 = stablehlo.add %0, %1 : tensor<2x5x10x24xi32>
      return %2 : tensor<2x5x10x24xi32> })"},
    {"DepthwisePlanes",
     R"(func.func @main(%a: tensor<2x5x18x17xi32>, %k: tensor<5x1x3x9xi32>) -> tensor<2x5x12x13xi32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {pad = [[-1, -1], [2, 2]], rhs_dilate = [2, 1]}
        {batch_group_count = 1 : i64, feature_group_count = 5 : i64}
        : (tensor<2x5x18x17xi32>, tensor<5x1x3x9xi32>) -> tensor<2x5x12x13xi32>
      return %0 : tensor<2x5x12x13xi32> })"},
    {"Loop", R"(func.func @main(%a: tensor<64xi32>) -> tensor<64xi32> {
      %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
      ^bb0(%x: tensor<i32>):
        %n = stablehlo.constant dense<1000> : tensor<i32>
        %3 = stablehlo.constant dense<3> : tensor<i32>
        %r = stablehlo.while(%v = %x) : tensor<i32>
          cond { %c = stablehlo.compare LT, %v, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %c : tensor<i1> }
          do { %s = stablehlo.multiply %v, %v : tensor<i32>
               %t = stablehlo.add %s, %3 : tensor<i32>
               stablehlo.return %t : tensor<i32> }
        stablehlo.return %r : tensor<i32>
      }) : (tensor<64xi32>) -> tensor<64xi32>
      return %0 : tensor<64xi32> })"},
};

class EmulatedOps : public EmulatedGpu, public ::testing::WithParamInterface<Case> {};

// The CPU's bits, in whatever order threads take their turns.
TEST_P(EmulatedOps, GiveTheBitsOfTheCpu) {
  const std::string &source = GetParam().text;
  auto native = tenon::testing::compileAndLoad(source, {});
  ASSERT_TRUE(native.ok()) << native.status().message();
  std::vector<Literal> inputs = tenon::testing::randomInputs((*native)->program());
  std::vector<llvm::ArrayRef<uint8_t>> arguments;
  for (const Literal &input : inputs)
    arguments.emplace_back(static_cast<const uint8_t *>(input.untyped_data()), size_t(input.size_bytes()));
  auto expected = tenon::testing::run(**native, arguments);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  program::Program program;
  auto executable = load(source, program);
  ASSERT_TRUE(executable) << failure;
  for (ThreadOrder order : kOrders) {
    runtime::emulator::setThreadOrder(order);
    EXPECT_EQ(run(*executable, program, inputs), *expected);
    EXPECT_EQ(run(*walked, program, inputs), *expected);
  }
}

// Rows that a thread has in lanes are added up in the interpreter's order, which CPUs take across so few rows: the
// initial value first. Longer ones, of teams of threads, are not.
TEST_F(EmulatedGpu, AddsShortRowsUpInTheirOrder) {
  for (int64_t elements : {2, 3, 4, 8, 12}) {
    std::string row = "tensor<6x" + std::to_string(elements) + "xf32>";
    std::string source = "func.func @main(%a: " + row + R"() -> tensor<6xf32> {
      %z = stablehlo.constant dense<0.1> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
        : ()" + row + R"(, tensor<f32>) -> tensor<6xf32>
      return %0 : tensor<6xf32> })";
    program::Program program;
    auto executable = load(source, program);
    ASSERT_TRUE(executable) << failure;
    std::vector<Literal> inputs = tenon::testing::randomInputs(program);
    auto expected = tenon::testing::runReference(source, inputs, program);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    auto *bytes = static_cast<const uint8_t *>((*expected)[0].untyped_data());
    EXPECT_EQ(run(*executable, program, inputs).at(0), Bytes(bytes, bytes + (*expected)[0].size_bytes())) << elements;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EmulatedOps, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace

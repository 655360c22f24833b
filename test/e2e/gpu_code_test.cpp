// Kernels for NVIDIA's chips, without one: what its assembler makes of a simple one, and of each form, has the
// instructions that it should.

#include "test/e2e/gpu_code_testing.h"
#include "test/e2e/program_texts.h"
#include "test/gpu/loop_programs.h"

#include "tenon/runtime/cuda/testing/assembler_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

// Whether a register of 64 bits becomes itself and a vector of 16 bytes.
bool hasMovingPointer(const std::string &ptx) {
  static const std::regex moves("add\\.s64 \t(%rd[0-9]+), \\1, (16|32);");
  return std::regex_search(ptx, moves);
}

// How many loops there are: branches to what is before them.
size_t loops(const std::string &ptx) {
  static const std::regex branch("bra(\\.uni)? \t(\\$L__BB[0-9_]+);");
  size_t found = 0;
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), branch), end; it != end; ++it)
    found += ptx.find("\n" + (*it)[2].str() + ":") < size_t(it->position());
  return found;
}

class GpuCode : public runtime::cuda::AssemblerFixture {};

// One thread takes one vector of 16 bytes, which goes from global memory to registers and back as a whole. What tanh
// takes from its table, ten floats for each element, are three loads.
TEST_F(GpuCode, MovesWholeVectors) {
  for (std::string_view name : codegen::GpuTarget::chips()) {
    std::string chip(name);
    auto modules = compileFor(chip, kMap);
    ASSERT_TRUE(modules.ok()) << modules.status().message();
    ASSERT_EQ(modules->size(), 1u);
    const program::DeviceModule &module = modules->front();
    ASSERT_EQ(module.kernels.size(), 1u);
    EXPECT_EQ(module.kernels[0].tasks, 1 << 18);
    auto cubin = assembler->assemble(module.code, chip);
    ASSERT_TRUE(cubin.ok()) << cubin.status().message();
    auto text = assembler->disassemble(cubin->bytes);
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(count(*text, "LDG.E.128"), 2u + 4 * 2) << *text;
    EXPECT_EQ(count(*text, "LDG.E.64"), 3u + 4) << *text; // with the arrays' addresses
    EXPECT_EQ(count(*text, "LDG.E R"), 0u) << *text;
    EXPECT_EQ(count(*text, "STG.E.128"), 1u);
    EXPECT_THAT(*text, Not(HasSubstr("LDL")));
    EXPECT_THAT(*text, Not(HasSubstr("STL")));
    EXPECT_LE(cubin->functions.at(0).registers, 64);
  }
}

// Sums that have parts are a thread's each, 16 for a result here, by blocks of 128; others are a thread's as a whole,
// as are results that are no sums.
TEST_F(GpuCode, SharesLongSumsOfScattersAmongThreads) {
  auto last = [](const std::string &source) {
    auto modules = compileFor("sm_90a", source);
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    return modules.ok() ? modules->back().kernels.back() : program::DeviceKernel();
  };
  const program::DeviceKernel parts = last(updatedRows(4096, 1 << 22, 0)), whole = last(updatedRows(4096, 30000, 0));
  EXPECT_EQ(parts.blockTasks, 1);
  EXPECT_EQ(parts.tasks, 4096 * 16 / 128);
  EXPECT_EQ(parts.sharedBytes, 128 * 8);
  EXPECT_EQ(whole.tasks, 30000);
  EXPECT_EQ(whole.sharedBytes, 0);
}

// Floats in JAX's order, whose zeros are equal, and NaNs, move as they are: without positions, and nothing is gathered.
// Where another operand moves along, there are positions.
TEST_F(GpuCode, MovesFloatsWithoutPositions) {
  auto shared = [](const std::string &operands, const std::string &arguments, const std::string &types) {
    auto modules = compileFor("sm_90a", "func.func @main(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> "
                                        "tensor<1048576xf32> {\n%0" +
                                            std::string(operands == "%a" ? "" : ":2") + R"( = "stablehlo.sort"()" +
                                            operands + R"() <{dimension = 0 : i64, is_stable = true}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>)" +
                                            arguments + R"():
          %o = stablehlo.constant dense<0.0> : tensor<f32>
          %c = stablehlo.constant dense<0x7FC00000> : tensor<f32>
          %1 = stablehlo.compare EQ, %x, %o, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %2 = stablehlo.select %1, %o, %x : tensor<i1>, tensor<f32>
          %3 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %4 = stablehlo.select %3, %c, %2 : tensor<i1>, tensor<f32>
          %5 = stablehlo.compare EQ, %y, %o, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %6 = stablehlo.select %5, %o, %y : tensor<i1>, tensor<f32>
          %7 = stablehlo.compare NE, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %8 = stablehlo.select %7, %c, %6 : tensor<i1>, tensor<f32>
          %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %9 : tensor<i1>
        }) : )" + types + "\nreturn " + (operands == "%a" ? "%0" : "%0#1") +
                                            " : tensor<1048576xf32> }");
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    return modules.ok() ? modules->front().kernels.back().sharedBytes : 0;
  };
  // The keys of a tile of 4,096, and positions.
  EXPECT_EQ(shared("%a, %b", ", %p: tensor<f32>, %q: tensor<f32>",
                   "(tensor<1048576xf32>, tensor<1048576xf32>) -> (tensor<1048576xf32>, tensor<1048576xf32>)") -
                shared("%a", "", "(tensor<1048576xf32>) -> tensor<1048576xf32>"),
            4096 * 4);
}

// A thread has one task of one vector, and numbers of 32 bits are divided to find its row. What is left of a row behind
// whole vectors, up to three elements, is a loop, as is what a thread goes through.
TEST_F(GpuCode, HasNoLoopsThatRunOnce) {
  auto code = [](const std::string &source) {
    auto modules = compileFor("sm_90a", source);
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    return modules.ok() ? modules->front().code : "";
  };
  auto reversed = [&](const std::string &columns) {
    const std::string type = "tensor<640x" + columns + "xf32>";
    return code("func.func @main(%a: " + type + ") -> " + type + " {\n%0 = stablehlo.reverse %a, dims = [0] : " + type +
                "\nreturn %0 : " + type + " }");
  };
  const std::string whole = reversed("68"), rest = reversed("67");
  EXPECT_EQ(loops(code(kMap)), 0u);
  EXPECT_EQ(loops(whole), 0u) << whole;
  EXPECT_EQ(loops(rest), 1u) << rest;
  for (const std::string *ptx : {&whole, &rest}) {
    EXPECT_THAT(*ptx, HasSubstr("mul.hi.u32"));
    EXPECT_THAT(*ptx, Not(HasSubstr("mul.hi.u64")));
  }
  // Each thread sums up along 40 rows.
  EXPECT_EQ(loops(code("func.func @main(%a: tensor<9x40x68xf32>, %i: tensor<f32>) -> tensor<9x40x68xf32> {\n"
                       "%0 = \"stablehlo.reduce_window\"(%a, %i) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                       "%1 = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %1 : tensor<f32>\n}) "
                       "{window_dimensions = array<i64: 1, 40, 1>, padding = dense<[[0, 0], [39, 0], [0, 0]]> : "
                       "tensor<3x2xi64>} : (tensor<9x40x68xf32>, tensor<f32>) -> tensor<9x40x68xf32>\n"
                       "return %0 : tensor<9x40x68xf32> }")),
            1u);
}

// Sums of everything are cut into more blocks than are at work at a time, sums of columns are not; parts that are many
// are not left to one warp.
TEST_F(GpuCode, CutsLongSumsIntoManyParts) {
  auto kernels = [](const std::string &source) {
    auto modules = compileFor("sm_90a", source);
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    return modules.ok() ? modules->front().kernels : std::vector<program::DeviceKernel>(2);
  };
  auto all = kernels(sums({1 << 26}, 0)), few = kernels(sums({1 << 18}, 0)), columns = kernels(sums({8192, 8192}, 0));
  EXPECT_EQ(all[0].tasks, 2048);
  EXPECT_EQ(all[1].blockThreads, 256);
  EXPECT_EQ(few[0].tasks, 64); // of 4,096 elements
  EXPECT_EQ(few[1].blockThreads, 128);
  EXPECT_EQ(few[1].sharedBytes, 0);
  EXPECT_LE(columns[0].tasks, 4 * 132);
}

// A thread's vector, and what is left at the end, are loops that run once: with pointers that go on from vector to
// vector, the assembler would unroll them. Other kernels' loops have such pointers.
TEST_F(GpuCode, GoesThroughPlainMapsWithoutPointers) {
  auto map = compileFor("sm_90a", R"(
    func.func @main(%a: tensor<387xbf16>) -> tensor<387xbf16> {
      %0 = stablehlo.negate %a : tensor<387xbf16>
      return %0 : tensor<387xbf16>
    })");
  ASSERT_TRUE(map.ok()) << map.status().message();
  EXPECT_FALSE(hasMovingPointer(map->front().code)) << map->front().code;
  auto cubin = assembler->assemble(map->front().code, "sm_90a");
  ASSERT_TRUE(cubin.ok()) << cubin.status().message();
  auto text = assembler->disassemble(cubin->bytes);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(count(*text, "LDG.E.128"), 1u) << *text;
  const std::string kind = "complex<f32>";
  auto product = compileFor("sm_90a", tenon::testing::product({24, 1024}, {1024, 24}, 1, 0, kind, kind));
  ASSERT_TRUE(product.ok()) << product.status().message();
  EXPECT_TRUE(hasMovingPointer(product->front().code)) << product->front().code;
}

// What the code of the only module of a program has to have, on every chip.
struct FormCase {
  const char *name;
  std::string text;
  std::vector<std::pair<const char *, size_t>> least; // so many of an instruction
  std::vector<std::pair<const char *, size_t>> exact;
  std::vector<std::string_view> chips = codegen::GpuTarget::chips();
};

// Those whose warps multiply, and that whose warp groups do.
const std::vector<std::string_view> kByWarps = {"sm_80", "sm_100a"}, kByGroups = {"sm_90a"};
// Those that multiply pairs of floats by one instruction have half as many.
const std::vector<std::string_view> kWithoutPairs = {"sm_80", "sm_90a"};
const std::vector<std::string_view> kWithClusters = {"sm_90a", "sm_100a"};

void PrintTo(const FormCase &form, std::ostream *os) { *os << form.name; }

const FormCase kForms[] = {
    // Two roundings by each instruction, and none by arithmetic of integers: eight elements are 16 bytes.
    {"RoundingToBf16",
     R"(func.func @main(%a: tensor<65536xbf16>, %b: tensor<65536xbf16>) -> tensor<65536xbf16> {
       %0 = stablehlo.multiply %a, %b : tensor<65536xbf16>
       %1 = stablehlo.add %0, %a : tensor<65536xbf16>
       return %1 : tensor<65536xbf16> })",
     {},
     {{"F2FP.BF16", 8}, {"FSETP", 0}, {"LDG.E.128", 2}, {"STG.E.128", 1}}},
    // All results there are, one of which is looked up for each element.
    {"TableOfResults",
     R"(func.func @main(%a: tensor<16777216xf16>) -> tensor<16777216xf16> {
       %0 = stablehlo.tanh %a : tensor<16777216xf16>
       %1 = stablehlo.tanh %0 : tensor<16777216xf16>
       return %1 : tensor<16777216xf16> })",
     {{"LDS.U16", 32}, {"LDG.E.128", 4}, {"STG.E.128", 5}, {"LDGSTS", 1}},
     {{"BAR.SYNC", 1}}},
    // A row by a warp: all of it is read once, and stays in registers.
    {"Softmax", softmax(4096, 1024), {}, {{"LDG.E.128", 8}, {"STG.E.128", 8}, {"SHFL.BFLY", 10}, {"BAR.SYNC", 0}}},
    // A row by a block.
    {"RowsOfBlocks",
     R"(func.func @main(%a: tensor<256x8192xbf16>) -> tensor<256x8192xbf16> {
       %z = stablehlo.constant dense<0.0> : tensor<f32>
       %c = stablehlo.convert %a : (tensor<256x8192xbf16>) -> tensor<256x8192xf32>
       %s = stablehlo.multiply %c, %c : tensor<256x8192xf32>
       %0 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1]
         : (tensor<256x8192xf32>, tensor<f32>) -> tensor<256xf32>
       %r = stablehlo.rsqrt %0 : tensor<256xf32>
       %1 = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<256xf32>) -> tensor<256x8192xf32>
       %2 = stablehlo.multiply %c, %1 : tensor<256x8192xf32>
       %3 = stablehlo.convert %2 : (tensor<256x8192xf32>) -> tensor<256x8192xbf16>
       return %3 : tensor<256x8192xbf16> })",
     {{"SHFL.BFLY", 5}},
     {{"LDG.E.128", 4}, {"STG.E.128", 4}, {"BAR.SYNC", 1}}},
    // A row by a cluster: still read once.
    {"RowsOfClusters",
     tenon::testing::softmax(64, 65536),
     {},
     {{"LDG.E.128", 8}, {"STG.E.128", 8}, {"BAR.SYNC", 2}, {"UCGABAR_ARV", 3}, {" ST.E [", 2}},
     {"sm_90a", "sm_100a"}},
    {"Transpose",
     transposition(2048, 4096),
     {},
     {{"LDG.E R", 4}, {"STS", 4}, {"LDS", 4}, {"STG.E", 4}, {"BAR.SYNC", 1}}},
    // Parts of the columns, and their combination.
    {"Columns",
     sums({65536, 1024}, 0),
     {{"LDG.E.128", 1}, {"STS.128", 1}, {"LDS.128", 16}},
     {{"BAR.SYNC", 2}, {"STG.E.128", 1}}},
    {"Scan", runningSums({1000, 4096}, 1), {{"LDG.E.128", 1}, {"STG.E.128", 1}, {"SHFL.BFLY", 5}, {"BAR.SYNC", 1}}, {}},
    // In tiles: each element is read once, and blocks tell each other of their sums.
    {"LongScan",
     runningSums({2, 4194304}, 1),
     {{"NANOSLEEP", 2}, {"SHFL.IDX", 2}, {"LDG.E.STRONG.GPU", 2}},
     {{"LDG.E.128", 8}, {"STG.E.128", 8}, {"ATOM", 1}, {"BAR.SYNC", 3}}},
    {"Sort",
     R"(func.func @main(%a: tensor<1048576xf32>) -> tensor<1048576xf32> {
       %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
       ^bb0(%x: tensor<f32>, %y: tensor<f32>):
         %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
         stablehlo.return %1 : tensor<i1>
       }) : (tensor<1048576xf32>) -> tensor<1048576xf32>
       return %0 : tensor<1048576xf32> })",
     {{"BAR.SYNC", 10}, {"LDS", 4}, {"VOTE", 192}},
     {{"ATOMS", 24}}},
    // The sums of parts, and their elements again.
    {"ColumnScan", runningSums({4096, 512}, 0), {{"LDG.E.128", 3}, {"STG.E.128", 2}}, {}},
    {"TopK",
     R"(func.func @main(%a: tensor<4x1000000xf32>) -> (tensor<4x16xf32>, tensor<4x16xi32>) {
       %v, %p = chlo.top_k(%a, k = 16) : tensor<4x1000000xf32> -> (tensor<4x16xf32>, tensor<4x16xi32>)
       return %v, %p : tensor<4x16xf32>, tensor<4x16xi32> })",
     {{"LDS", 4}},
     {{"BAR.SYNC", 9}}}, // three rounds, whose steps are loops
    // Eight features are a product of few columns: windows are read in vectors, once.
    {"ConvolutionOfEightFeatures",
     R"(func.func @main(%x: tensor<16x34x34x32xf32>, %k: tensor<3x3x32x8xf32>) -> tensor<16x32x32x8xf32> {
       %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<16x34x34x32xf32>, tensor<3x3x32x8xf32>) -> tensor<16x32x32x8xf32>
       return %0 : tensor<16x32x32x8xf32> })",
     {{"LDG.E.128", 20}, {"SHFL.BFLY", 5}},
     {{"BAR.SYNC", 1}}},
    // Four channels in a vector.
    {"SelectAndScatter",
     gradientOfMaxima({8, 64, 64, 64}, {8, 32, 32, 64}, "0.0",
                      "dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>"),
     {{"LDG.E.128", 3}},
     {{"STG.E.128", 2}, {"ATOM", 0}, {"RED", 0}}},
    // Vectors of rows, which are sorted first.
    {"Scatter",
     updatedRows(50000, 100000, 64),
     {{"BAR.SYNC", 9}, {"LDG.E.128", 10}},
     {{"STG.E.128", 1}, {"ATOMG", 0}, {"RED", 0}}},
    {"ScatterInParts", updatedRows(4096, 1 << 22, 0), {{"BAR.SYNC", 9}, {"DADD", 10}}, {{"ATOMG", 0}, {"RED", 0}}},
    {"ScatterOfIntegers", updatedRows(1000, 1000000, 0, "i32"), {}, {{".E.ADD", 1}, {"BAR.SYNC", 0}}},
    {"ProductOfFloats",
     product({4096, 4096}, {4096, 4096}, 1, 0, "f32", "f32"),
     {{"LDG.E.128", 4}, {"STG.E.128", 16}, {"LDS.128", 64}, {"BAR.SYNC", 2}},
     {}},
    {"ProductOfDoubles",
     product({1024, 1024}, {1024, 1024}, 1, 0, "f64", "f64"),
     {{"LDG.E.128", 2}, {"STG.E.128", 8}},
     {{"DMMA.", 16}, {"DFMA", 0}}},
    {"ProductOfBf16",
     R"(func.func @main(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<4096xf32>)
         -> tensor<4096x4096xbf16> {
       %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
         : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
       %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
       %2 = stablehlo.add %0, %1 : tensor<4096x4096xf32>
       %3 = stablehlo.convert %2 : (tensor<4096x4096xf32>) -> tensor<4096x4096xbf16>
       return %3 : tensor<4096x4096xbf16> })",
     {{"LDGSTS.E.BYPASS.128", 8}, {"LDGDEPBAR", 2}, {"DEPBAR.LE SB0", 1}, {"LDS.128", 2}, {"STG.E.128", 1}},
     {{"HMMA.16816.F32.BF16", 32}, {"LDSM.16.M88.4", 12}, {" STS", 32}, {" STS.64", 32}},
     kByWarps},
    // One instruction for 64 rows and 256 columns, and one wait in a step.
    {"ProductOfBf16ByGroups",
     R"(func.func @main(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<4096xf32>)
         -> tensor<4096x4096xbf16> {
       %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
         : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
       %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
       %2 = stablehlo.add %0, %1 : tensor<4096x4096xf32>
       %3 = stablehlo.convert %2 : (tensor<4096x4096xf32>) -> tensor<4096x4096xbf16>
       return %3 : tensor<4096x4096xbf16> })",
     {{"SYNCS", 5}, {"LDS.128", 2}, {"STG.E.128", 1}},
     {{"HGMMA.64x256x16.F32.BF16", 4}, {"WARPGROUP.ARRIVE", 1}, {"UTMALDG.3D", 15}, {" STS", 64}, {" STS.64", 64}},
     kByGroups},
    {"ProductOfTransposedByGroups",
     R"(func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<4096x1088xf16>) -> tensor<4096x1088xf32> {
       %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]
         : (tensor<4096x4096xf16>, tensor<4096x1088xf16>) -> tensor<4096x1088xf32>
       return %0 : tensor<4096x1088xf32> })",
     {},
     {{"HGMMA.64x128x16.F32", 4}, {"UTMALDG.3D", 16}, {" STS", 0}},
     kByGroups},
    {"ProductOfInt8ByGroups",
     R"(func.func @main(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
       %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
         : (tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32>
       return %0 : tensor<4096x4096xi32> })",
     {},
     {{"IGMMA.64x256x32.S8.S8", 4}, {"UTMALDG.3D", 6}},
     kByGroups},
    // Windows are no boxes.
    {"ConvolutionByGroups",
     R"(func.func @main(%x: tensor<32x32x32x64xbf16>, %k: tensor<3x3x64x64xbf16>) -> tensor<32x30x30x64xbf16> {
       %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<32x32x32x64xbf16>, tensor<3x3x64x64xbf16>) -> tensor<32x30x30x64xbf16>
       return %0 : tensor<32x30x30x64xbf16> })",
     {{"LDGSTS.E.BYPASS.128", 12}},
     {{"HGMMA.64x64x16.F32.BF16", 4}, {"UTMALDG", 0}},
     kByGroups},
    // Parts of k, and then their sums, in vectors.
    {"ProductInParts",
     product({128, 8192}, {8192, 256}, 1, 0, "bf16", "f32"),
     {{"LDG.E.128", 2}, {"LDGSTS.E.BYPASS.128", 2}},
     {{"STG.E.128", 1}, {"ATOM", 0}, {"RED", 0}}},
    // Both operands are transposed by what reads them from shared memory.
    {"ProductOfTransposed",
     product({4096, 4096}, {4096, 4096}, 0, 0, "f16", "f32"),
     {{"LDGSTS.E.BYPASS.128", 8}},
     {{"HMMA.16816.F32 ", 32}, {"LDSM.16.MT88.4", 12}, {" STS", 0}},
     kByWarps},
    // Channels last: windows are read in vectors, too.
    {"Convolution",
     R"(func.func @main(%x: tensor<8x32x32x64xbf16>, %k: tensor<3x3x64x64xbf16>) -> tensor<8x30x30x64xbf16> {
       %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<8x32x32x64xbf16>, tensor<3x3x64x64xbf16>) -> tensor<8x30x30x64xbf16>
       return %0 : tensor<8x30x30x64xbf16> })",
     {{"LDGSTS.E.BYPASS.128", 2}},
     {{"HMMA.16816.F32.BF16", 8}}},
    // The gradient of a kernel: parts of k, and windows in vectors, which warps transpose as they read them.
    {"ConvolutionOfGradients",
     R"(func.func @main(%x: tensor<16x58x58x128xbf16>, %y: tensor<16x56x56x128xbf16>) -> tensor<3x3x128x128xbf16> {
       %0 = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<16x58x58x128xbf16>, tensor<16x56x56x128xbf16>) -> tensor<3x3x128x128xbf16>
       return %0 : tensor<3x3x128x128xbf16> })",
     {{"LDGSTS.E.BYPASS.128", 8}, {"LDG.E.128", 2}},
     {{"HMMA.16816.F32.BF16", 32}, {" STS", 0}, {"ATOM", 0}, {"RED", 0}}},
    // 64 features are a tile of 128x64, of which a thread has 8x4 sums.
    {"ConvolutionOfFewFeatures",
     R"(func.func @main(%x: tensor<64x58x58x64xf32>, %k: tensor<3x3x64x64xf32>) -> tensor<64x56x56x64xf32> {
       %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<64x58x58x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x56x56x64xf32>
       return %0 : tensor<64x56x56x64xf32> })",
     {{"LDS.128", 48}},
     {{"STG.E.128", 8}}},
    // Four channels in a vector.
    {"DepthwiseConvolution",
     R"(func.func @main(%x: tensor<8x32x32x64xf32>, %k: tensor<3x3x1x64xf32>) -> tensor<8x30x30x64xf32> {
       %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 64 : i64}
         : (tensor<8x32x32x64xf32>, tensor<3x3x1x64xf32>) -> tensor<8x30x30x64xf32>
       return %0 : tensor<8x30x30x64xf32> })",
     {},
     {{"LDG.E.128", 18}, {"STG.E.128", 1}, {"BAR.SYNC", 0}}},
    // Nothing of the scores is ever in memory, and an exponential is one instruction.
    {"Attention",
     AttentionText{.heads = 128, .rows = 2048, .keys = 2048, .size = 64, .valueSize = 64, .scores = "bf16"}.text(),
     {{"LDGSTS.E.BYPASS.128", 16}},
     {{"HMMA.16816.F32.BF16", 128},
      {"LDSM.16.M88.4", 24},
      {"LDSM.16.MT88.4", 16},
      {"MUFU.EX2", 68},
      {" STS", 0},
      {"BAR.SYNC", 2}},
     kByWarps},
    // The weights go from registers to the second product, and no division has a function for hard cases, beside which
    // nvJitLink has products wait for each other.
    {"AttentionByGroups",
     AttentionText{.heads = 128, .rows = 2048, .keys = 2048, .size = 64, .valueSize = 64, .scores = "bf16"}.text(),
     {{"LDGSTS.E.BYPASS.128", 8}},
     {{"HGMMA.64x64x16.F32.BF16", 8},
      {"MUFU.EX2", 34},
      {"MUFU.RCP", 2},
      {"CALL", 0},
      {"LDSM", 0},
      {" STS", 0},
      {"BAR.SYNC", 1}},
     kByGroups},
    // A warp has 16 rows of long heads.
    {"AttentionOfLongHeads",
     AttentionText{.heads = 64, .rows = 2048, .keys = 2048, .size = 128, .valueSize = 128, .element = "f16"}.text(),
     {{"HMMA.16816.F32 ", 64}, {"LDSM.16.MT88.4", 16}},
     {{" STS", 0}},
     kByWarps},
    {"AttentionOfLongHeadsByGroups",
     AttentionText{.heads = 64, .rows = 2048, .keys = 2048, .size = 128, .valueSize = 128, .element = "f16"}.text(),
     {},
     {{"HGMMA.64x64x16.F32 ", 8}, {"HGMMA.64x128x16.F32 ", 4}, {"LDSM", 0}, {" STS", 0}},
     kByGroups},
    {"ProductOfF16", product({512, 256}, {512, 256}, 1, 1, "f16", "f32"), {}, {{"HMMA.16816.F32 ", 8}}},
    // In registers: memory is read before the loop and for the word that ends it, and written behind it. A kernel
    // before
    // it copies what it starts from.
    {"LoopOfNumbers", kCounted, {{"FMUL", 1}, {"FADD", 1}}, {{"STG.E", 4}, {"LDS", 0}, {"BAR.SYNC", 0}}},
    // The array is in shared memory, what counts iterations in registers.
    {"LoopOfABlock", iterated(1024), {{"LDS.128", 1}, {"STS.128", 1}}, {}},
    {"LoopOfACluster", reversingLoop(16384), {{"UCGABAR", 2}, {"STG.E.128", 1}}, {{"BAR.SYNC", 0}}, kWithClusters},
    // A thread of each block adds to a word, and looks at it, between two barriers of the block.
    {"LoopOfAGrid", iterated(1 << 18), {{"BAR.SYNC", 2}, {"MEMBAR", 1}, {"LDG.E.STRONG.GPU", 1}, {"STG.E.128", 1}}, {}},
    // A cluster's blocks share out the tiles of a product of few rows, whose sums lanes exchange.
    {"LoopOfProductsOfFewRows",
     recurrent(16),
     {{"UCGABAR", 2}, {"SHFL.BFLY", 48}, {"FFMA", 256}, {"BAR.SYNC", 2}},
     {},
     {"sm_90a"}},
    {"LoopOfProducts", recurrent(24), {{"LDS.128", 4}, {"LDG.E.128", 4}, {"FFMA", 64}, {"STS.128", 4}}, {}},
    // A matrix and a vector: a warp's lanes read a row, and 8 vectors of it are asked for at once.
    {"ProductByVector",
     mainOf("%a: tensor<4096x4096xf32>, %b: tensor<4096xf32>",
            "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, "
            "tensor<4096xf32>) -> tensor<4096xf32>",
            "tensor<4096xf32>"),
     {},
     {{"LDG.E.128", 16}, {"FFMA", 32}, {"SHFL.BFLY", 5}, {"BAR.SYNC", 1}, {"LDG.E.U16", 0}}},
    // Vectors of 16 bytes of each operand, and those of rows by which they are multiplied.
    {"ProductOfFewRows",
     product({8, 4096}, {4096, 4096}, 1, 0, "f32", "f32"),
     {},
     {{"LDG.E.128", 24}, {"FFMA", 256}, {"BAR.SYNC", 1}},
     kWithoutPairs},
    {"ProductOfFewRowsByRows",
     product({8, 4096}, {4096, 4096}, 1, 1, "bf16", "f32"),
     {{"LDG.E.128", 10}, {"SHFL.BFLY", 16}},
     {{"LDG.E.U16", 0}, {"BAR.SYNC", 1}}},
    {"ProductOfSixteenRows",
     product({16, 4096}, {4096, 1024}, 1, 0, "f32", "f32"),
     {},
     {{"LDG.E.128", 20}, {"FFMA", 256}, {"BAR.SYNC", 1}},
     kWithoutPairs},
    {"ProductOfFewDoubles", product({1024, 4096}, {4096, 16}, 1, 0, "f64", "f64"), {{"LDG.E.128", 4}}, {}},
    {"ProductOfFewBytes", product({4, 4096}, {4096, 4096}, 1, 0, "i8", "i32"), {{"LDG.E.128", 4}}, {}},
    {"ProductOfFewComplexNumbers",
     product({6, 512}, {512, 1024}, 1, 0, "complex<f32>", "complex<f32>"),
     {{"LDG.E.128", 2}},
     {}},
    // A thread has the sums of 4x4 complex numbers.
    {"ProductOfComplexNumbers",
     product({1024, 1024}, {1024, 1024}, 1, 0, "complex<f32>", "complex<f32>"),
     {{"LDG.E.128", 8}},
     {{"STG.E.128", 8}, {"BAR.SYNC", 0}}},
    {"ProductOfInt8", product({512, 256}, {512, 256}, 1, 1, "i8", "i32"), {}, {{"IMMA.16832.S8.S8", 8}}},
};

class GpuForms : public GpuCode, public ::testing::WithParamInterface<FormCase> {};

TEST_P(GpuForms, HaveTheInstructionsThatTheyShould) {
  for (std::string_view name : GetParam().chips) {
    std::string chip(name);
    auto modules = compileFor(chip, GetParam().text);
    ASSERT_TRUE(modules.ok()) << modules.status().message();
    std::string text;
    for (const auto &module : *modules) {
      auto cubins = assembleByAll(module.code, chip);
      ASSERT_TRUE(cubins.ok()) << cubins.status().message();
      for (const runtime::cuda::Cubin &cubin : *cubins)
        EXPECT_THAT(cubin.remarks, ::testing::IsEmpty()) << chip;
      // nvJitLink keeps registers around calls in memory.
      for (const auto &function : cubins->front().functions) {
        EXPECT_EQ(function.spillBytes(), 0) << chip << ' ' << function.name;
        EXPECT_EQ(function.stackBytes, 0) << chip << ' ' << function.name;
      }
      auto instructions = assembler->disassemble(cubins->front().bytes);
      ASSERT_TRUE(instructions.ok()) << instructions.status().message();
      text += *instructions;
    }
    for (auto [instruction, number] : GetParam().exact)
      EXPECT_EQ(count(text, instruction), number) << chip << ' ' << instruction;
    for (auto [instruction, number] : GetParam().least)
      EXPECT_GE(count(text, instruction), number) << chip << ' ' << instruction;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuForms, ::testing::ValuesIn(kForms),
                         [](const auto &info) { return info.param.name; });

// Each operation rounds by itself, as on CPUs, and keeps subnormal numbers.
TEST_F(GpuCode, RoundsEachOperation) {
  auto modules = compileFor("sm_90a", R"(
    func.func @main(%a: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> {
      %0 = stablehlo.multiply %a, %b : tensor<4096xf32>
      %1 = stablehlo.add %0, %a : tensor<4096xf32>
      %2 = stablehlo.divide %1, %b : tensor<4096xf32>
      %3 = stablehlo.sqrt %2 : tensor<4096xf32>
      return %3 : tensor<4096xf32>
    })");
  ASSERT_TRUE(modules.ok()) << modules.status().message();
  const std::string &ptx = modules->front().code;
  for (const char *operation : {"mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32"})
    EXPECT_EQ(count(ptx, operation), 4u) << operation;
  EXPECT_THAT(ptx, Not(HasSubstr(".ftz")));
  EXPECT_THAT(ptx, Not(HasSubstr(".approx")));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
}

} // namespace

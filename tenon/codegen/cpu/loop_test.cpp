#include "tenon/codegen/cpu/loop_fuzz.h"
#include "tenon/codegen/cpu/loop_testing.h"
#include "tenon/interpreter/interpreter.h"

#include "mlir/IR/BuiltinTypes.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace tenon;
using codegen::testing::Bytes;
using codegen::testing::LoopKernel;

namespace {

mlir::ShapedType shaped(mlir::Type type) { return llvm::cast<mlir::ShapedType>(type); }

double distance(double expected, double actual) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual) ? 0 : 1e30;
  if (expected == actual)
    return 0;
  return std::abs(expected - actual) / std::max({std::abs(expected), std::abs(actual), 0.5});
}

double tolerance(mlir::Type type) {
  if (type.isF64())
    return 1e-12;
  if (type.isF32())
    return 2e-5;
  if (type.isBF16())
    return 1.6e-2;
  if (type.isF16())
    return 2e-3;
  return 0.3;
}

// The interpreter rounds every step of a narrow sum, kernels once.
double slack = 1;

bool compare(const interpreter::Tensor &expected, const Bytes &actual, mlir::Type type, unsigned number) {
  mlir::Type element = shaped(type).getElementType();
  auto got = interpreter::Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(type), actual);
  EXPECT_TRUE(got.ok());
  int64_t shown = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    interpreter::Scalar a = expected.get(i), b = got->get(i);
    bool same;
    if (llvm::isa<mlir::FloatType>(element)) {
      same = distance(a.f, b.f) <= tolerance(element) * slack;
    } else if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
      double size = std::max(1e-3, std::abs(a.complex<double>()));
      same = std::abs(a.complex<double>() - b.complex<double>()) <= size * tolerance(complex.getElementType());
    } else {
      same = a.i == b.i;
    }
    if (!same && shown++ < 5)
      ADD_FAILURE() << "result " << number << " element " << i << ": expected " << a.f << "/" << a.i << ", got " << b.f
                    << "/" << b.i;
  }
  return shown == 0;
}

const codegen::CpuTarget &narrowTarget() {
  static const codegen::CpuTarget *target = [] {
    codegen::CpuTargetOptions options;
    options.cpu = "x86-64-v3";
    return new codegen::CpuTarget(*codegen::CpuTarget::create(options));
  }();
  return *target;
}

// The kernel of `body` (the text of main's body) against the interpreter, on two targets and several partitions.
void check(const std::string &arguments, const std::string &results, const std::string &body) {
  std::string text = "func.func @main(" + arguments + ") -> (" + results + ") {\n" + body + "\n}";
  for (const codegen::CpuTarget *target : {&codegen::CpuTarget::host(), &narrowTarget()}) {
    LoopKernel kernel(text, *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error << "\n" << text;
    std::vector<Bytes> inputs = kernel.randomInputs(7);
    std::vector<Bytes> actual = kernel.run(inputs);
    for (int64_t piece : {1, 3})
      EXPECT_EQ(actual, kernel.run(inputs, piece)) << "the partition changes the result of\n" << text;
    std::vector<interpreter::Value> values;
    for (auto [input, type] : llvm::zip(inputs, kernel.op->getOperandTypes()))
      values.emplace_back(*interpreter::Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(type), input));
    auto expected = interpreter::interpretOp(kernel.op, values);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (unsigned i = 0; i < actual.size(); ++i)
      if (!compare((*expected)[i].tensor(), actual[i], kernel.op->getResult(i).getType(), i)) {
        ADD_FAILURE() << text;
        return;
      }
  }
}

// One fusion: `types` of the inputs (named %a, %b, ...), the body and what it yields.
void checkFusion(const std::string &kind, std::vector<std::string> types, const std::string &body,
                 const std::string &yielded, const std::string &results) {
  std::string arguments, bound, inputTypes;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string comma = i ? ", " : "", name(1, static_cast<char>('a' + i));
    arguments += comma + "%arg" + std::to_string(i) + ": tensor<" + types[i] + ">";
    bound += comma + "%" + name + " = %arg" + std::to_string(i);
    inputTypes += comma + "tensor<" + types[i] + ">";
  }
  size_t count = 1 + std::count(yielded.begin(), yielded.end(), ',');
  std::string returned;
  for (size_t i = 0; i < count; ++i)
    returned += (i ? ", " : "") + (count == 1 ? std::string("%r") : "%r#" + std::to_string(i));
  check(arguments, results,
        (count == 1 ? std::string("%r") : "%r:" + std::to_string(count)) + " = tenon.fusion " + kind + "(" + bound +
            ") : (" + inputTypes + ") -> (" + results + ") {\n" + body + "\ntenon.yield " + yielded + " : " + results +
            "\n}\nreturn " + returned + " : " + results);
}

TEST(LoopMap, Elementwise) {
  for (std::string shape : {"", "1x", "7x", "16x", "33x5x", "4096x", "3x1000x", "0x4x"}) {
    std::string t = "tensor<" + shape + "f32>";
    check("%x: " + t + ", %y: " + t, t, "%r = stablehlo.add %x, %y : " + t + "\nreturn %r : " + t);
    checkFusion("loop", {shape + "f32", shape + "f32"},
                "%0 = stablehlo.multiply %a, %b : " + t + "\n%1 = stablehlo.exponential %0 : " + t +
                    "\n%2 = stablehlo.subtract %1, %a : " + t,
                "%2, %0", t + ", " + t);
  }
}

TEST(LoopMap, ElementTypes) {
  for (std::string type : {"i1", "i8", "ui8", "i16", "i32", "i64", "ui32", "bf16", "f16", "f32", "f64", "complex<f32>",
                           "complex<f64>", "i4", "f8E4M3FN"}) {
    std::string t = "tensor<5x37x" + type + ">";
    check("%x: " + t + ", %y: " + t, t, "%r = stablehlo.add %x, %y : " + t + "\nreturn %r : " + t);
    std::string b = "tensor<37x5x" + type + ">";
    check("%x: " + t, b, "%r = stablehlo.transpose %x, dims = [1, 0] : (" + t + ") -> " + b + "\nreturn %r : " + b);
    std::string s = "tensor<5x12x" + type + ">";
    check("%x: " + t, s, "%r = stablehlo.slice %x [0:5, 1:37:3] : (" + t + ") -> " + s + "\nreturn %r : " + s);
    check("%x: " + t, t, "%r = stablehlo.reverse %x, dims = [1] : " + t + "\nreturn %r : " + t);
  }
}

TEST(LoopMap, Broadcast) {
  checkFusion("loop", {"40xf32", "33xf32", "f32"},
              R"(%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<40xf32>) -> tensor<40x33xf32>
                 %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<33xf32>) -> tensor<40x33xf32>
                 %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<40x33xf32>
                 %3 = stablehlo.multiply %0, %1 : tensor<40x33xf32>
                 %4 = stablehlo.add %3, %2 : tensor<40x33xf32>)",
              "%4", "tensor<40x33xf32>");
}

// Tiles of one element, which is narrowed when it is stored: its neighbours belong to the next row.
TEST(LoopMap, TransposeAndNarrow) {
  for (auto [from, to] : {std::pair("i64", "i16"), {"i64", "i8"}, {"f64", "bf16"}, {"i32", "i8"}, {"f64", "f32"}})
    for (const char *rows : {"33", "65"}) {
      std::string in = std::string("tensor<") + rows + "x9x", out = std::string("tensor<9x") + rows + "x";
      check("%x: " + in + from + ">", out + to + ">",
            "%0 = stablehlo.transpose %x, dims = [1, 0] : (" + in + from + ">) -> " + out + from +
                ">\n%r = stablehlo.convert %0 : (" + out + from + ">) -> " + out + to + ">\nreturn %r : " + out + to +
                ">");
    }
}

TEST(LoopMap, ReshapeAndTranspose) {
  checkFusion("loop", {"6x4x10xf32", "24x10xf32"},
              R"(%0 = stablehlo.reshape %a : (tensor<6x4x10xf32>) -> tensor<24x10xf32>
                 %1 = stablehlo.add %0, %b : tensor<24x10xf32>
                 %2 = stablehlo.reshape %1 : (tensor<24x10xf32>) -> tensor<2x12x10xf32>
                 %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<2x12x10xf32>) -> tensor<12x2x10xf32>)",
              "%3", "tensor<12x2x10xf32>");
  checkFusion("loop", {"6x10xf32"},
              R"(%0 = stablehlo.reshape %a : (tensor<6x10xf32>) -> tensor<4x15xf32>
                 %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x15xf32>) -> tensor<15x4xf32>
                 %2 = stablehlo.reshape %1 : (tensor<15x4xf32>) -> tensor<6x10xf32>
                 %3 = stablehlo.add %2, %a : tensor<6x10xf32>)",
              "%3", "tensor<6x10xf32>");
}

TEST(LoopMap, Iota) {
  for (std::string type : {"i32", "i64", "f32", "bf16", "ui8", "complex<f32>"}) {
    std::string t = "tensor<9x21x" + type + ">";
    for (std::string dim : {"0", "1"})
      checkFusion("loop", {"9x21x" + type},
                  "%0 = stablehlo.iota dim = " + dim + " : " + t + "\n%1 = stablehlo.add %0, %a : " + t, "%1", t);
  }
}

TEST(LoopMap, CausalMask) {
  checkFusion("loop", {"3x20x20xf32", "3x20xi1"},
              R"(%0 = stablehlo.iota dim = 0 : tensor<20x20xi32>
                 %1 = stablehlo.iota dim = 1 : tensor<20x20xi32>
                 %2 = stablehlo.compare GE, %0, %1 : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
                 %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<20x20xi1>) -> tensor<3x20x20xi1>
                 %4 = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (tensor<3x20xi1>) -> tensor<3x20x20xi1>
                 %5 = stablehlo.and %3, %4 : tensor<3x20x20xi1>
                 %c = stablehlo.constant dense<-1.0e9> : tensor<3x20x20xf32>
                 %6 = stablehlo.select %5, %a, %c : tensor<3x20x20xi1>, tensor<3x20x20xf32>)",
              "%6", "tensor<3x20x20xf32>");
}

TEST(LoopMap, Pad) {
  auto pad = [](std::string from, std::string low, std::string high, std::string interior, std::string to) {
    std::string f = "tensor<" + from + ">", t = "tensor<" + to + ">";
    check("%x: " + f + ", %p: tensor<f32>", t,
          "%r = stablehlo.pad %x, %p, low = [" + low + "], high = [" + high + "], interior = [" + interior + "] : (" +
              f + ", tensor<f32>) -> " + t + "\nreturn %r : " + t);
  };
  pad("5x30xf32", "1, 2", "2, 3", "0, 0", "8x35xf32");
  pad("5x30xf32", "-1, -2", "2, -3", "0, 0", "6x25xf32");
  pad("5x30xf32", "0, 1", "0, 4", "1, 2", "9x93xf32");
  pad("40xf32", "-3", "-4", "1", "72xf32");
  pad("0xf32", "2", "3", "0", "5xf32");
  pad("4x40x4xf32", "3, -2, -1", "1, 3, -2", "0, 1, 0", "8x80x1xf32"); // the lanes share one index behind the end
}

TEST(LoopMap, Concatenate) {
  checkFusion("loop", {"5x30xf32", "5x7xf32", "5x1xf32"},
              R"(%0 = stablehlo.concatenate %a, %b, %c, dim = 1 :
                   (tensor<5x30xf32>, tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x38xf32>
                 %1 = stablehlo.negate %0 : tensor<5x38xf32>)",
              "%1", "tensor<5x38xf32>");
  checkFusion("loop", {"5x8xf32", "2x8xf32"},
              R"(%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<5x8xf32>, tensor<2x8xf32>) -> tensor<7x8xf32>
                 %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<7x8xf32>) -> tensor<8x7xf32>)",
              "%1", "tensor<8x7xf32>");
  // No piece is read where a lane belongs to another.
  checkFusion("loop", {"2x160xi64", "2x160xi64", "2x160xi64", "i32"},
              R"(%0 = stablehlo.concatenate %a, %b, %c, dim = 1 :
                   (tensor<2x160xi64>, tensor<2x160xi64>, tensor<2x160xi64>) -> tensor<2x480xi64>
                 %z = stablehlo.constant dense<0> : tensor<i32>
                 %1 = stablehlo.dynamic_slice %0, %z, %d, sizes = [2, 2] :
                   (tensor<2x480xi64>, tensor<i32>, tensor<i32>) -> tensor<2x2xi64>)",
              "%1", "tensor<2x2xi64>");
}

TEST(LoopMap, ConcatPadSlice) {
  checkFusion("loop", {"20x64xf32", "20x64xf32"},
              R"(%0 = stablehlo.slice %a [0:20, 10:64] : (tensor<20x64xf32>) -> tensor<20x54xf32>
                 %1 = stablehlo.slice %b [0:20, 0:64:2] : (tensor<20x64xf32>) -> tensor<20x32xf32>
                 %2 = stablehlo.slice %a [0:20, 0:10] : (tensor<20x64xf32>) -> tensor<20x10xf32>
                 %3 = stablehlo.concatenate %0, %1, %2, dim = 1 :
                   (tensor<20x54xf32>, tensor<20x32xf32>, tensor<20x10xf32>) -> tensor<20x96xf32>
                 %4 = stablehlo.slice %3 [1:20, 0:96] : (tensor<20x96xf32>) -> tensor<19x96xf32>
                 %c = stablehlo.constant dense<0.0> : tensor<f32>
                 %5 = stablehlo.pad %4, %c, low = [1, 2], high = [1, 2], interior = [0, 0] :
                   (tensor<19x96xf32>, tensor<f32>) -> tensor<21x100xf32>)",
              "%5", "tensor<21x100xf32>");
}

TEST(LoopMap, DynamicSliceAndUpdate) {
  checkFusion("loop", {"50x20xf32", "ui8", "ui8"},
              R"(%0 = stablehlo.dynamic_slice %a, %b, %c, sizes = [30, 9] :
                   (tensor<50x20xf32>, tensor<ui8>, tensor<ui8>) -> tensor<30x9xf32>
                 %1 = stablehlo.negate %0 : tensor<30x9xf32>)",
              "%1", "tensor<30x9xf32>");
  std::string update = R"(stablehlo.dynamic_update_slice %a, %b, %c, %d :
                   (tensor<50x20xf32>, tensor<3x17xf32>, tensor<i64>, tensor<i64>) -> tensor<50x20xf32>)";
  check("%a: tensor<50x20xf32>, %b: tensor<3x17xf32>, %c: tensor<i64>, %d: tensor<i64>", "tensor<50x20xf32>",
        "%r = " + update + "\nreturn %r : tensor<50x20xf32>");
  checkFusion("loop", {"50x20xf32", "3x17xf32", "i64", "i64"}, "%0 = " + update, "%0", "tensor<50x20xf32>");
  checkFusion("loop", {"50x20xf32", "3x17xf32", "i64", "i64"},
              "%0 = " + update + "\n%1 = stablehlo.add %0, %a : tensor<50x20xf32>", "%1", "tensor<50x20xf32>");
}

TEST(LoopMap, Gather) {
  checkFusion("loop", {"100x48xf32", "13xi32"},
              R"(%0 = stablehlo.reshape %b : (tensor<13xi32>) -> tensor<13x1xi32>
                 %1 = "stablehlo.gather"(%a, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
                     collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
                     slice_sizes = array<i64: 1, 48>}> : (tensor<100x48xf32>, tensor<13x1xi32>) -> tensor<13x48xf32>)",
              "%1", "tensor<13x48xf32>");
  checkFusion("loop", {"40x60xf32", "33x2xi32"},
              R"(%1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<
                     collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
                     slice_sizes = array<i64: 1, 1>}> : (tensor<40x60xf32>, tensor<33x2xi32>) -> tensor<33xf32>)",
              "%1", "tensor<33xf32>");
  // A batching dimension, along which the windows' places change.
  checkFusion("loop", {"15x15xf32", "15x2x1xi32"},
              R"(%1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
                     operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0],
                     index_vector_dim = 2>,
                     slice_sizes = array<i64: 9, 1>}> : (tensor<15x15xf32>, tensor<15x2x1xi32>) -> tensor<15x2x9xf32>)",
              "%1", "tensor<15x2x9xf32>");
}

TEST(LoopMap, DenseConstant) {
  checkFusion("loop", {"3x4xf32"},
              R"(%0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
                 %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
                 %2 = stablehlo.multiply %1, %a : tensor<3x4xf32>)",
              "%2", "tensor<3x4xf32>");
}

TEST(LoopMap, SmallReductionInside) {
  checkFusion("loop", {"50x3xf32", "50x3xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.subtract %a, %b : tensor<50x3xf32>
                 %1 = stablehlo.multiply %0, %0 : tensor<50x3xf32>
                 %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] :
                   (tensor<50x3xf32>, tensor<f32>) -> tensor<50xf32>
                 %3 = stablehlo.rsqrt %2 : tensor<50xf32>)",
              "%3", "tensor<50xf32>");
}

// Results beyond the last cache are written around it.
TEST(LoopMap, LargeResults) {
  int64_t rows = std::max<int64_t>(codegen::CpuTarget::host().l3Bytes() / 4 / 1024 + 16, 64);
  std::string n = std::to_string(rows), t = "tensor<" + n + "x1024xf32>", r = "tensor<1024x" + n + "xf32>";
  LoopKernel negate("func.func @main(%x: " + t + ") -> " + t + " {\n%r = stablehlo.negate %x : " + t +
                        "\nreturn %r : " + t + "\n}",
                    codegen::CpuTarget::host());
  LoopKernel transpose("func.func @main(%x: " + t + ") -> " + r + " {\n%r = stablehlo.transpose %x, dims = [1, 0] : (" +
                           t + ") -> " + r + "\nreturn %r : " + r + "\n}",
                       codegen::CpuTarget::host());
  ASSERT_TRUE(negate.ok() && transpose.ok());
  std::vector<Bytes> inputs = negate.randomInputs(3);
  Bytes negated = negate.run(inputs, 7)[0], transposed = transpose.run(inputs, 5)[0];
  auto at = [](const Bytes &bytes, int64_t i) {
    float value;
    std::memcpy(&value, &bytes[4 * i], 4);
    return value;
  };
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < 1024; ++j)
      wrong += at(negated, i * 1024 + j) != -at(inputs[0], i * 1024 + j) ||
               at(transposed, j * rows + i) != at(inputs[0], i * 1024 + j);
  EXPECT_EQ(wrong, 0);
}

std::string reduceText(const std::string &op, const std::string &dims, const std::string &from, const std::string &type,
                       const std::string &to) {
  return "%r = stablehlo.reduce(%x init: %z) applies stablehlo." + op + " across dimensions = [" + dims +
         "] : (tensor<" + from + type + ">, tensor<" + type + ">) -> tensor<" + to + type + ">\nreturn %r : tensor<" +
         to + type + ">";
}

void checkReduce(const std::string &op, const std::string &dims, const std::string &from, const std::string &type,
                 const std::string &to) {
  check("%x: tensor<" + from + type + ">, %z: tensor<" + type + ">", "tensor<" + to + type + ">",
        reduceText(op, dims, from, type, to));
}

TEST(LoopReduce, Shapes) {
  checkReduce("add", "1", "37x100x", "f32", "37x");
  checkReduce("add", "0", "100x37x", "f32", "37x");
  checkReduce("add", "0, 1", "30x50x", "f32", "");
  checkReduce("add", "1", "6x40x70x", "f32", "6x70x");
  checkReduce("add", "0, 2", "6x40x70x", "f32", "40x");
  checkReduce("add", "1", "200x3x", "f32", "200x");
  checkReduce("add", "0", "200x3x", "f32", "3x");
  checkReduce("add", "0", "0x3x", "f32", "3x");
  checkReduce("add", "0", "5x0x", "f32", "0x");
  checkReduce("add", "0", "1x", "f32", "");
  checkReduce("add", "1", "4x1x5x", "f32", "4x5x");
  checkReduce("maximum", "1", "7x1000x", "f32", "7x");
}

TEST(LoopReduce, Parts) {
  checkReduce("add", "0", "300001x", "i32", "");
  checkReduce("add", "0, 1", "301x1000x", "f32", "");
  checkReduce("maximum", "0", "5000x100x", "f32", "100x");
  checkReduce("add", "1", "3x100000x", "f64", "3x");
  checkReduce("add", "0, 2", "400x40x70x", "i32", "40x");
}

TEST(LoopReduce, Types) {
  slack = 8;
  for (std::string type : {"i8", "ui8", "i16", "i32", "i64", "ui64", "f16", "bf16", "f32", "f64"})
    for (std::string op : {"add", "maximum", "minimum", "multiply"})
      for (const auto &[dims, to] : {std::pair<std::string, std::string>{"1", "9x"}, {"0", "45x"}})
        checkReduce(op, dims, "9x45x", type, to);
  for (std::string type : {"i1", "i32"})
    for (std::string op : {"and", "or", "xor"})
      checkReduce(op, "1", "9x45x", type, "9x");
  checkReduce("add", "1", "9x45x", "complex<f32>", "9x");
  checkReduce("multiply", "0", "9x45x", "complex<f32>", "45x");
  slack = 1;
}

std::string argmaxBody(const std::string &comparison, const std::string &shape, const std::string &kept,
                       const std::string &dim) {
  std::string f = "tensor<" + shape + "xf32>", i = "tensor<" + shape + "xi32>", rf = "tensor<" + kept + "f32>",
              ri = "tensor<" + kept + "i32>";
  return "%z = stablehlo.constant dense<0> : tensor<i32>\n%i = stablehlo.iota dim = " + dim + " : " + i +
         "\n%0:2 = stablehlo.reduce(%a init: %b), (%i init: %z) across dimensions = [" + dim + "] : (" + f + ", " + i +
         ", tensor<f32>, tensor<i32>) -> (" + rf + ", " + ri + R"()
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
    %1 = stablehlo.compare )" +
         comparison + R"(, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %p, %q : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %s, %t : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  })";
}

TEST(LoopReduce, Argument) {
  checkFusion("reduce", {"20x333xf32", "f32"}, argmaxBody("GT", "20x333", "20x", "1"), "%0#0, %0#1",
              "tensor<20xf32>, tensor<20xi32>");
  checkFusion("reduce", {"20x333xf32", "f32"}, argmaxBody("LT", "20x333", "333x", "0"), "%0#0, %0#1",
              "tensor<333xf32>, tensor<333xi32>");
  checkFusion("reduce", {"200000xf32", "f32"}, argmaxBody("GT", "200000", "", "0"), "%0#0, %0#1",
              "tensor<f32>, tensor<i32>");
}

TEST(LoopReduce, OrderedBody) {
  // Keeps the later element: associative, not commutative.
  for (const auto &[dim, to] : {std::pair<std::string, std::string>{"1", "9x"}, {"0", "45x"}})
    check("%x: tensor<9x45xf32>, %z: tensor<f32>", "tensor<" + to + "f32>",
          "%r = stablehlo.reduce(%x init: %z) across dimensions = [" + dim +
              "] : (tensor<9x45xf32>, tensor<f32>) -> tensor<" + to + R"(f32>
             reducer(%p: tensor<f32>, %q: tensor<f32>) {
               %0 = stablehlo.abs %q : tensor<f32>
               %1 = stablehlo.negate %0 : tensor<f32>
               stablehlo.return %1 : tensor<f32>
             }
             return %r : tensor<)" +
              to + "f32>");
}

TEST(LoopReduce, Fused) {
  checkFusion("reduce", {"33x70xbf16", "70xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.convert %a : (tensor<33x70xbf16>) -> tensor<33x70xf32>
                 %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<70xf32>) -> tensor<33x70xf32>
                 %2 = stablehlo.multiply %0, %1 : tensor<33x70xf32>
                 %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1] :
                   (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
                 %4 = stablehlo.multiply %2, %2 : tensor<33x70xf32>
                 %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] :
                   (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
                 %6 = stablehlo.sqrt %5 : tensor<33xf32>
                 %7 = stablehlo.divide %3, %6 : tensor<33xf32>)",
              "%7, %5", "tensor<33xf32>, tensor<33xf32>");
}

std::string softmaxBody(const std::string &f, const std::string &r, const std::string &dim, const std::string &kept) {
  return R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %m) applies stablehlo.maximum across dimensions = [)" +
         dim + "] : (" + f + ", tensor<f32>) -> " + r + "\n%1 = stablehlo.broadcast_in_dim %0, dims = [" + kept +
         "] : (" + r + ") -> " + f + "\n%2 = stablehlo.subtract %a, %1 : " + f +
         "\n%3 = stablehlo.exponential %2 : " + f +
         "\n%4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [" + dim + "] : (" + f +
         ", tensor<f32>) -> " + r + "\n%5 = stablehlo.broadcast_in_dim %4, dims = [" + kept + "] : (" + r + ") -> " +
         f + "\n%6 = stablehlo.divide %3, %5 : " + f;
}

TEST(LoopRows, Softmax) {
  for (std::string shape : {"5x100x7", "3x64x1", "2x9x1000", "4x3x16"}) {
    std::string f = "tensor<" + shape + "xf32>";
    size_t first = shape.find('x'), second = shape.rfind('x');
    std::string a = shape.substr(0, first), b = shape.substr(first + 1, second - first - 1),
                c = shape.substr(second + 1);
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + a + "x" + b + "xf32>", "2", "0, 1"), "%6", f);
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + a + "x" + c + "xf32>", "1", "0, 2"), "%6", f);
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + b + "x" + c + "xf32>", "0", "1, 2"), "%6", f);
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + a + "xf32>", "1, 2", "0"), "%6", f);
  }
}

TEST(LoopRows, LayerNormThroughReshape) {
  checkFusion("rows", {"4x6x50xf32", "50xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %n = stablehlo.constant dense<50.0> : tensor<4x6x1xf32>
                 %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [2] :
                   (tensor<4x6x50xf32>, tensor<f32>) -> tensor<4x6xf32>
                 %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
                 %2 = stablehlo.divide %1, %n : tensor<4x6x1xf32>
                 %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<4x6x1xf32>) -> tensor<4x6x50xf32>
                 %4 = stablehlo.subtract %a, %3 : tensor<4x6x50xf32>
                 %5 = stablehlo.multiply %4, %4 : tensor<4x6x50xf32>
                 %6 = stablehlo.reduce(%5 init: %z) applies stablehlo.add across dimensions = [2] :
                   (tensor<4x6x50xf32>, tensor<f32>) -> tensor<4x6xf32>
                 %7 = stablehlo.rsqrt %6 : tensor<4x6xf32>
                 %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x50xf32>
                 %9 = stablehlo.multiply %4, %8 : tensor<4x6x50xf32>
                 %10 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<50xf32>) -> tensor<4x6x50xf32>
                 %11 = stablehlo.multiply %9, %10 : tensor<4x6x50xf32>
                 %12 = stablehlo.reshape %11 : (tensor<4x6x50xf32>) -> tensor<24x50xf32>)",
              "%12, %6", "tensor<24x50xf32>, tensor<4x6xf32>");
}

std::string windowText(const std::string &op, const std::string &attributes, const std::string &from,
                       const std::string &to) {
  return R"(%r = "stablehlo.reduce_window"(%x, %z) <{)" + attributes + R"(}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.)" +
         op + R"( %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<)" +
         from + "xf32>, tensor<f32>) -> tensor<" + to + "xf32>\nreturn %r : tensor<" + to + "xf32>";
}

TEST(LoopWindow, Pooling) {
  auto window = [](std::string op, std::string attributes, std::string from, std::string to) {
    check("%x: tensor<" + from + "xf32>, %z: tensor<f32>", "tensor<" + to + "xf32>",
          windowText(op, attributes, from, to));
  };
  window("maximum",
         "window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
         "padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>",
         "2x12x13x20", "2x6x7x20");
  window("add", "window_dimensions = array<i64: 1, 2, 5>, window_strides = array<i64: 1, 1, 2>", "3x10x41", "3x9x19");
  window("add",
         "window_dimensions = array<i64: 3>, base_dilations = array<i64: 2>, window_dilations = array<i64: 3>, "
         "padding = dense<[[2, 3]]> : tensor<1x2xi64>",
         "30", "58");
  window("subtract",
         "window_dimensions = array<i64: 2, 3>, base_dilations = array<i64: 2, 1>, window_strides = array<i64: 1, 2>, "
         "padding = dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>",
         "7x41", "13x22");
}

TEST(LoopWindow, Cumulative) {
  auto scan = [](std::string op, std::string shape, std::string window, std::string padding) {
    bool sum = op == "add";
    check("%x: tensor<" + shape + "xf32>" + (sum ? "" : ", %z: tensor<f32>"), "tensor<" + shape + "xf32>",
          (sum ? "%z = stablehlo.constant dense<0.0> : tensor<f32>\n" : "") +
              windowText(op,
                         "window_dimensions = array<i64: " + window + ">, padding = dense<" + padding + "> : tensor<" +
                             std::to_string(1 + std::count(window.begin(), window.end(), ',')) + "x2xi64>",
                         shape, shape));
  };
  slack = 10;
  check("%x: tensor<9x100xf32>, %z: tensor<f32>", "tensor<9x100xf32>",
        windowText("add", "window_dimensions = array<i64: 9, 1>, padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>",
                   "9x100", "9x100"));
  scan("add", "9x100", "1, 100", "[[0, 0], [99, 0]]");
  scan("add", "9x100", "1, 100", "[[0, 0], [0, 99]]");
  scan("maximum", "9x100", "9, 1", "[[8, 0], [0, 0]]");
  scan("minimum", "4x33x5", "1, 33, 1", "[[0, 0], [0, 32], [0, 0]]");
  scan("add", "70", "70", "[[69, 0]]");
  scan("add", "7x1", "1, 1", "[[0, 0], [0, 0]]");
  // Computations that are not recognised, which depend on the order.
  scan("subtract", "9x50", "1, 50", "[[0, 0], [49, 0]]");
  scan("subtract", "9x50", "1, 50", "[[0, 0], [0, 49]]");
  scan("divide", "40x37", "40, 1", "[[39, 0], [0, 0]]");
  scan("power", "60", "60", "[[59, 0]]");
  slack = 1;
}

std::string scatterText(const std::string &body, const std::string &numbers, const std::string &t, const std::string &i,
                        const std::string &u) {
  return R"(%r = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<)" + numbers +
         R"(>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      )" +
         body + R"(
  }) : (tensor<)" +
         t + ">, tensor<" + i + ">, tensor<" + u + ">) -> tensor<" + t + ">\nreturn %r : tensor<" + t + ">";
}

TEST(LoopScatter, Forms) {
  const std::string add = "%0 = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %0 : tensor<f32>",
                    set = "stablehlo.return %q : tensor<f32>";
  auto scatter = [](std::string body, std::string numbers, std::string t, std::string i, std::string u) {
    check("%t: tensor<" + t + ">, %i: tensor<" + i + ">, %u: tensor<" + u + ">", "tensor<" + t + ">",
          scatterText(body, numbers, t, i, u));
  };
  for (const std::string &body : {add, set}) {
    scatter(body,
            "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            "index_vector_dim = 1",
            "30x40xf32", "90x1xi32", "90x40xf32");
    scatter(body,
            "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], "
            "index_vector_dim = 1",
            "30x40xf32", "90x2xi64", "90x21xf32");
    scatter(body, "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", "60xf32",
            "200xui8", "200xf32");
    scatter(body, "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0",
            "20x60xf32", "2xi32", "7x33xf32");
    scatter(body,
            "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
            "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
            "3x30x5xf32", "3x8x1xi32", "3x8x5xf32");
  }
  // Large enough for several tasks: parts of the windows along their last dimension (also when it is not whole
  // vectors), along an outer one, and, for windows that span no dimension, ranges of the scattered dimension.
  const std::string rows = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                           "index_vector_dim = 1";
  scatter(add, rows, "50x64xf32", "20000x1xi32", "20000x64xf32");
  scatter(add, rows, "9x77xf32", "7000x1xi32", "7000x77xf32");
  scatter(set, rows, "50x99xf32", "9000x1xi32", "9000x98xf32");
  scatter(add,
          "update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
          "index_vector_dim = 1",
          "20x5x24xf32", "6000x1xi32", "6000x5x24xf32");
}

TEST(LoopScatter, SelectAndScatter) {
  auto test = [](std::string attributes, std::string shape, std::string from) {
    check("%x: tensor<" + shape + "xf32>, %s: tensor<" + from + "xf32>, %z: tensor<f32>", "tensor<" + shape + "xf32>",
          R"(%r = "stablehlo.select_and_scatter"(%x, %s, %z) <{)" + attributes + R"(}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
  }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<)" +
              shape + "xf32>, tensor<" + from + "xf32>, tensor<f32>) -> tensor<" + shape +
              "xf32>\nreturn %r : tensor<" + shape + "xf32>");
  };
  test("window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
       "padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>",
       "2x8x9x20", "2x4x5x20");
  test("window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>", "2x3x8x10", "2x3x4x5");
}

TEST(LoopCuts, StencilOfStencils) {
  std::string body =
      "%x0 = stablehlo.negate %a : tensor<40x50xf32>\n%z = stablehlo.constant dense<0.25> : tensor<f32>\n"
      "%k = stablehlo.constant dense<0.25> : tensor<40x50xf32>\n";
  for (int i = 0; i < 12; ++i) {
    std::string n = std::to_string(i), x = "%x" + n, t = " : (tensor<40x50xf32>, tensor<f32>) -> tensor<40x50xf32>\n";
    auto moved = [&](std::string name, std::string low, std::string high) {
      body += "%" + name + n + " = stablehlo.pad " + x + ", %z, low = [" + low + "], high = [" + high +
              "], interior = [0, 0]" + t;
    };
    moved("l", "0, 1", "0, -1");
    moved("r", "0, -1", "0, 1");
    moved("u", "1, 0", "-1, 0");
    moved("d", "-1, 0", "1, 0");
    std::string s = " : tensor<40x50xf32>\n";
    body +=
        "%p" + n + " = stablehlo.add %l" + n + ", %r" + n + s + "%q" + n + " = stablehlo.add %u" + n + ", %d" + n + s;
    body += "%s" + n + " = stablehlo.add %p" + n + ", %q" + n + s;
    body += "%x" + std::to_string(i + 1) + " = stablehlo.multiply %s" + n + ", %k" + s;
  }
  checkFusion("loop", {"40x50xf32"}, body, "%x12", "tensor<40x50xf32>");
}

TEST(LoopCuts, ScanInTheMiddle) {
  checkFusion("loop", {"9x200xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.abs %a : tensor<9x200xf32>
                 %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 200>,
                    padding = dense<[[0, 0], [199, 0]]> : tensor<2x2xi64>}> ({
                    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
                      %s = stablehlo.add %p, %q : tensor<f32>
                      stablehlo.return %s : tensor<f32>
                  }) : (tensor<9x200xf32>, tensor<f32>) -> tensor<9x200xf32>
                 %2 = stablehlo.multiply %1, %a : tensor<9x200xf32>)",
              "%2", "tensor<9x200xf32>");
}

TEST(LoopFuzz, RandomFusions) {
  const char *first = std::getenv("TENON_FUZZ_SEED"), *many = std::getenv("TENON_FUZZ_COUNT");
  unsigned begin = first ? std::atoi(first) : 1, count = many ? std::atoi(many) : 60;
  slack = 50;
  for (unsigned seed = begin; seed < begin + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto fusion = codegen::testing::randomFusion(seed);
    checkFusion("loop", fusion.inputTypes, fusion.body, fusion.yielded, fusion.resultTypes);
  }
  slack = 1;
}

} // namespace

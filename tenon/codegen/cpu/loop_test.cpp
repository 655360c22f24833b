#include "tenon/codegen/cpu/loop_testing.h"
#include "tenon/interpreter/interpreter.h"

#include "mlir/IR/BuiltinTypes.h"

#include "gtest/gtest.h"

#include <cmath>
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
  return std::abs(expected - actual) / std::max({std::abs(expected), std::abs(actual), 1e-3});
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

void compare(const interpreter::Tensor &expected, const Bytes &actual, mlir::Type type, unsigned number) {
  mlir::Type element = shaped(type).getElementType();
  auto got = interpreter::Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(type), actual);
  ASSERT_TRUE(got.ok()) << got.status().message();
  int64_t shown = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    interpreter::Scalar a = expected.get(i), b = got->get(i);
    bool same;
    if (llvm::isa<mlir::FloatType>(element)) {
      same = distance(a.f, b.f) <= tolerance(element);
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
      values.push_back(*interpreter::Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(type), input));
    auto expected = interpreter::interpretOp(kernel.op, values);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (unsigned i = 0; i < actual.size(); ++i)
      compare((*expected)[i].tensor(), actual[i], kernel.op->getResult(i).getType(), i);
    if (::testing::Test::HasFailure()) {
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
  checkFusion("loop", {"50x20xf32", "i32", "ui8"},
              R"(%0 = stablehlo.dynamic_slice %a, %b, %c, sizes = [30, 9] :
                   (tensor<50x20xf32>, tensor<i32>, tensor<ui8>) -> tensor<30x9xf32>
                 %1 = stablehlo.negate %0 : tensor<30x9xf32>)",
              "%1", "tensor<30x9xf32>");
  std::string update = R"(stablehlo.dynamic_update_slice %a, %b, %c, %d :
                   (tensor<50x20xf32>, tensor<3x17xf32>, tensor<i32>, tensor<i64>) -> tensor<50x20xf32>)";
  check("%a: tensor<50x20xf32>, %b: tensor<3x17xf32>, %c: tensor<i32>, %d: tensor<i64>", "tensor<50x20xf32>",
        "%r = " + update + "\nreturn %r : tensor<50x20xf32>");
  checkFusion("loop", {"50x20xf32", "3x17xf32", "i32", "i64"}, "%0 = " + update, "%0", "tensor<50x20xf32>");
  checkFusion("loop", {"50x20xf32", "3x17xf32", "i32", "i64"},
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

} // namespace

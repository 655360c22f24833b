// Every float op for every float type, and the memory forms: masks, gathers, scatters.
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/codegen/llvm/element/test/element_testing.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace llvm;

namespace tenon::codegen::testing {
namespace {

const char *kUnary[] = {"stablehlo.abs",
                        "stablehlo.cbrt",
                        "stablehlo.ceil",
                        "stablehlo.cosine",
                        "stablehlo.floor",
                        "stablehlo.exponential",
                        "stablehlo.exponential_minus_one",
                        "stablehlo.log",
                        "stablehlo.log_plus_one",
                        "stablehlo.logistic",
                        "stablehlo.negate",
                        "stablehlo.round_nearest_afz",
                        "stablehlo.round_nearest_even",
                        "stablehlo.rsqrt",
                        "stablehlo.sign",
                        "stablehlo.sine",
                        "stablehlo.sqrt",
                        "stablehlo.tan",
                        "stablehlo.tanh",
                        "chlo.acos",
                        "chlo.acosh",
                        "chlo.asin",
                        "chlo.asinh",
                        "chlo.atan",
                        "chlo.atanh",
                        "chlo.bessel_i1e",
                        "chlo.cosh",
                        "chlo.digamma",
                        "chlo.erf",
                        "chlo.erf_inv",
                        "chlo.erfc",
                        "chlo.lgamma",
                        "chlo.sinh",
                        "chlo.square"};
const char *kBinary[] = {"stablehlo.add",      "stablehlo.atan2",    "stablehlo.divide", "stablehlo.maximum",
                         "stablehlo.minimum",  "stablehlo.multiply", "stablehlo.power",  "stablehlo.remainder",
                         "stablehlo.subtract", "chlo.zeta",          "chlo.polygamma"};
const char *kNarrow[] = {"bf16", "f16", "f8E5M2", "f8E4M3FN"};

// `count` times op(negate(...)) of %0, each with the operands of `op` after the first in `rest`.
std::string repeated(const std::string &op, const std::string &rest, const std::string &type, int count) {
  std::string body = "%v0 = stablehlo.negate %0 : tensor<" + type + ">\n";
  for (int i = 0; i < count; ++i) {
    std::string name = std::to_string(i), next = i + 1 == count ? "r" : "v" + std::to_string(i + 1);
    body += "%f" + name + " = " + op + " %v" + name + rest + " : tensor<" + type + ">\n";
    body += "%" + next + " = stablehlo.negate %f" + name + " : tensor<" + type + ">\n";
  }
  return body;
}

unsigned callsOf(const std::string &op, const std::string &rest, int count) {
  return ElementKernel(repeated(op, rest, "f32", count), {"f32"}, "f32", 8, /*asRegion=*/true).calls();
}

TEST(ElementOps, WhatOccursOftenIsCalled) {
  EXPECT_EQ(callsOf("stablehlo.tanh", "", 17), 2 * 17U);
  EXPECT_EQ(callsOf("stablehlo.tanh", "", 16), 0U);
  // Short code is better in place.
  EXPECT_EQ(callsOf("stablehlo.ceil", "", 17), 0U);
  EXPECT_EQ(callsOf("stablehlo.add", ", %0", 17), 0U);
}

TEST(ElementOps, PowersWithConstantsAreNotCalled) {
  std::string squares =
      "%c = stablehlo.constant dense<2.0> : tensor<f32>\n" + repeated("stablehlo.power", ", %c", "f32", 17);
  EXPECT_EQ(ElementKernel(squares, {"f32"}, "f32", 8, /*asRegion=*/true).calls(), 0U);
}

// Every f16, NaN and infinities among them: the bits that rounding the exponential of the float gives, in fewer
// operations.
TEST(ElementOps, ExponentialsOfHalvesAreThoseOfFloatsRounded) {
  std::vector<uint16_t> codes;
  for (uint32_t code = 0; code < 0x10000; ++code)
    codes.push_back(uint16_t(code));
  const std::string byFloat = "%x = stablehlo.convert %0 : (tensor<f16>) -> tensor<f32>\n"
                              "%y = stablehlo.exponential %x : tensor<f32>\n"
                              "%r = stablehlo.convert %y : (tensor<f32>) -> tensor<f16>";
  for (unsigned lanes : {1, 8, 16}) {
    auto halves = fromBytes<uint16_t>(runUnary("stablehlo.exponential", "f16", toBytes(codes), lanes));
    auto floats = fromBytes<uint16_t>(runRegion(byFloat, {"f16"}, "f16", {toBytes(codes)}, lanes));
    for (size_t i = 0; i < codes.size(); ++i) {
      if ((floats[i] & 0x7fff) > 0x7c00)
        ASSERT_GT(halves[i] & 0x7fff, 0x7c00) << std::hex << codes[i];
      else
        ASSERT_EQ(halves[i], floats[i]) << std::hex << codes[i];
    }
  }
  auto operations = [](const std::string &type) {
    return ElementKernel(uniformOp("stablehlo.exponential", type, 1), {type}, type, 8, false, "x86-64-v3").operations();
  };
  EXPECT_LT(operations("f16"), operations("f32"));
  EXPECT_GT(operations("bf16"), operations("f32"));
}

TEST(ElementOps, WhatIsCalledHasTheBitsOfWhatIsNot) {
  for (std::string type : {"f32", "f64", "bf16"})
    for (std::string op : {"stablehlo.sine", "stablehlo.tanh", "stablehlo.logistic", "stablehlo.exponential"}) {
      Bytes expected = type == "f64"   ? toBytes(std::vector<double>{-0.0, 0.3, -2, 1e300, INFINITY, 5, NAN})
                       : type == "f32" ? toBytes(std::vector<float>{-0.0F, 0.3F, -2, 1e30F, INFINITY, 5, NAN})
                                       : toBytes(std::vector<uint16_t>{0x8000, 0x3e9a, 0xc000, 0x7149, 0x7f80, 0x40a0});
      Bytes called = runRegion(repeated(op, "", type, 17), {type}, type, {expected}, 4);
      expected = runUnary("stablehlo.negate", type, expected, 4);
      for (int i = 0; i < 17; ++i)
        expected = runUnary("stablehlo.negate", type, runUnary(op, type, expected, 4), 4);
      EXPECT_EQ(called, expected) << op << ' ' << type;
    }
}

bool isOfUnit(const std::string &exponent) {
  std::string text = "func.func @main(%0: tensor<f32>, %1: tensor<f32>) -> tensor<f32> {\n" + exponent +
                     "%e = stablehlo.exponential %b : tensor<f32>\n%r = stablehlo.log_plus_one %e : tensor<f32>\n"
                     "return %r : tensor<f32>\n}";
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &elementContext());
  bool found = false;
  module->walk([&](stablehlo::LogPlusOneOp op) { found = isLogPlusOneOfUnit(op); });
  return found;
}

TEST(ElementOps, ExponentsThatAreNeverPositiveAreSeen) {
  auto exponent = [](const std::string &x, const std::string &y, const std::string &result) {
    std::string type = " : tensor<f32>\n";
    return "%x = stablehlo." + x + type + "%y = stablehlo." + y + type + "%b = stablehlo." + result + type;
  };
  EXPECT_TRUE(isOfUnit(exponent("abs %0", "negate %x", "negate %x")));
  EXPECT_TRUE(isOfUnit(exponent("multiply %0, %0", "negate %x", "negate %x")));
  EXPECT_TRUE(isOfUnit(exponent("minimum %0, %1", "maximum %1, %0", "subtract %x, %y")));
  EXPECT_FALSE(isOfUnit(exponent("abs %0", "negate %0", "negate %y")));
  EXPECT_FALSE(isOfUnit(exponent("multiply %0, %1", "negate %x", "negate %x")));
  EXPECT_FALSE(isOfUnit(exponent("minimum %0, %1", "maximum %1, %0", "subtract %y, %x")));
  EXPECT_FALSE(isOfUnit(exponent("minimum %0, %1", "maximum %1, %1", "subtract %x, %y")));
}

// softplus and its like, of which the logarithm knows that the exponential is at most one.
TEST(ElementOps, LogarithmsOfOneAndUpToOneHaveTheBitsOfOthers) {
  auto argument = [](const std::string &type, const std::string &first, const std::string &second) {
    return "%a = " + first + " : tensor<" + type + ">\n%b = " + second + " : tensor<" + type + ">\n";
  };
  for (std::string type : {"f32", "f64", "bf16", "f8E5M2"}) {
    std::vector<float> samples = {-0.0F, 0,    1e-30F, -0.3F, 0.7F, 0.8813F,  0.8814F,
                                  -1,    2.5F, 30,     -90,   -104, INFINITY, NAN};
    Bytes x = runConvert("f32", type, toBytes(samples), 4);
    for (const std::string &exponent : {argument(type, "stablehlo.abs %0", "stablehlo.negate %a"),
                                        argument(type, "stablehlo.negate %0", "stablehlo.abs %a"),
                                        argument(type, "stablehlo.multiply %0, %0", "stablehlo.negate %a")}) {
      std::string e = "stablehlo.exponential %b : tensor<" + type + ">\n";
      Bytes before = runRegion(exponent + "%r = " + e, {type}, type, {x}, 4);
      Bytes expected = runUnary("stablehlo.log_plus_one", type, before, 4);
      std::string whole = exponent + "%e = " + e + "%r = stablehlo.log_plus_one %e : tensor<" + type + ">";
      // Which NaN comes out is not specified.
      auto all = fromBytes<double>(runConvert(type, "f64", expected, 4));
      auto unit = fromBytes<double>(runConvert(type, "f64", runRegion(whole, {type}, type, {x}, 4), 4));
      for (size_t i = 0; i < all.size(); ++i)
        EXPECT_TRUE(unit[i] == all[i] || (std::isnan(unit[i]) && std::isnan(all[i])))
            << type << ' ' << samples[i] << ": " << unit[i] << ", not " << all[i] << '\n'
            << exponent;
    }
  }
}

// Exponents that are never positive alternate with others, each often enough to be called.
TEST(ElementOps, LogarithmsOfOneAndUpToOneAreNotCalledForOthers) {
  std::string body = "%v0 = stablehlo.negate %0 : tensor<f32>\n";
  auto define = [&](const std::string &name, const std::string &op) {
    body += "%" + name + " = stablehlo." + op + " : tensor<f32>\n";
  };
  for (int i = 0; i < 18; ++i) {
    std::string n = std::to_string(i);
    define("a" + n, "abs %v" + n);
    define("n" + n, "negate %" + std::string(i % 2 ? "a" : "v") + n);
    define("e" + n, "exponential %n" + n);
    define(i == 17 ? "r" : "v" + std::to_string(i + 1), "log_plus_one %e" + n);
  }
  std::vector<float> x = {-0.0F, 0.7F, 3, -2, 20, NAN};
  auto values = fromBytes<float>(runRegion(body, {"f32"}, "f32", {toBytes(x)}, 4));
  for (size_t i = 0; i < x.size(); ++i) {
    double v = -x[i];
    for (int k = 0; k < 18; ++k)
      v = std::log1p(std::exp(k % 2 ? -std::fabs(v) : -v));
    EXPECT_TRUE(std::isnan(v) ? std::isnan(values[i]) : std::fabs(values[i] - v) < 1e-5) << x[i];
  }
}

// A narrow op is the op in float, rounded once.
TEST(ElementOps, NarrowFloatsAreComputedInFloat) {
  std::vector<float> x, y;
  for (float value : {0.0f, -0.0f, 0.25f, -0.75f, 1.0f, 1.5f, 2.0f, -3.5f, 16.0f, INFINITY, NAN})
    for (float other : {0.5f, -1.0f, 2.0f, 3.0f, 0.0f, INFINITY}) {
      x.push_back(value);
      y.push_back(other);
    }
  for (const char *type : kNarrow) {
    Bytes a = runConvert("f32", type, toBytes(x), 8), b = runConvert("f32", type, toBytes(y), 8);
    Bytes wideA = runConvert(type, "f32", a, 8), wideB = runConvert(type, "f32", b, 8);
    for (const char *name : kUnary)
      EXPECT_EQ(runUnary(name, type, a, 8), runConvert("f32", type, runUnary(name, "f32", wideA, 8), 8))
          << name << " " << type;
    for (const char *name : kBinary)
      EXPECT_EQ(runBinary(name, type, a, b, 8), runConvert("f32", type, runBinary(name, "f32", wideA, wideB, 8), 8))
          << name << " " << type;
  }
}

TEST(ElementOps, DoublesAgreeWithFloats) {
  std::vector<float> x = {0.125f, 0.5f, 0.875f, 0.99f, 0.25f};
  std::vector<double> wide(x.begin(), x.end());
  for (const char *name : kUnary) {
    auto narrow = fromBytes<float>(runUnary(name, "f32", toBytes(x), 4));
    auto exact = fromBytes<double>(runUnary(name, "f64", toBytes(wide), 4));
    for (size_t i = 0; i < x.size(); ++i)
      if (!std::isnan(exact[i]) || !std::isnan(narrow[i]))
        EXPECT_NEAR(narrow[i], exact[i], 2e-7 * std::fmax(1, std::fabs(exact[i]))) << name << " at " << x[i];
  }
}

TEST(ElementOps, NextAfterStepsInTheTypesOwnFormat) {
  std::vector<uint16_t> x = {0x3f80, 0x0000, 0x8001, 0x7f7f, 0x3f80}, toward = {0x4000, 0xbf80, 0x3f80, 0x7f80, 0x3f80};
  EXPECT_EQ(fromBytes<uint16_t>(runBinary("chlo.next_after", "bf16", toBytes(x), toBytes(toward), 4)),
            (std::vector<uint16_t>{0x3f81, 0x8001, 0x8000, 0x7f80, 0x3f80}));
}

// Whether there is code for the op on one, two or three operands of this type, if any of these verifies.
enum class Coverage { kIsNoOp, kHasCode, kHasNone };
Coverage coverageOf(mlir::RegisteredOperationName name, mlir::Type element) {
  mlir::MLIRContext &context = elementContext();
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return success(); });
  mlir::Location location = mlir::UnknownLoc::get(&context);
  SmallVector<mlir::Type> results = {element, mlir::IntegerType::get(&context, 1)};
  if (auto complex = dyn_cast<mlir::ComplexType>(element))
    results.push_back(complex.getElementType());
  else if (element.isF32() || element.isF64())
    results.push_back(mlir::ComplexType::get(element));
  mlir::Block block;
  for (int operands = 1; operands <= 3; ++operands) {
    block.addArgument(mlir::RankedTensorType::get({4}, element), location);
    for (mlir::Type result : results) {
      mlir::OperationState state(location, name);
      state.addOperands(block.getArguments());
      state.addTypes(mlir::RankedTensorType::get({4}, result));
      mlir::OwningOpRef<mlir::Operation *> op(mlir::Operation::create(state));
      if (succeeded(mlir::verify(*op)))
        return isElementwiseSupported(*op) ? Coverage::kHasCode : Coverage::kHasNone;
    }
  }
  return Coverage::kIsNoOp;
}

TEST(ElementOps, AreComputedOnAllThatTheirRecordsTake) {
  int computed = 0;
  std::vector<std::string> missing;
  for (mlir::RegisteredOperationName name : elementContext().getRegisteredOperations())
    for (const char *element : {"i1", "i4", "i32", "ui32", "f8E4M3FN", "bf16", "f32", "f64", "complex<f32>"})
      if (name.hasTrait<ir::Elementwise>() && name.getDialectNamespace() != "sdy") {
        Coverage coverage = coverageOf(name, mlir::parseType(element, &elementContext()));
        computed += coverage == Coverage::kHasCode;
        if (coverage == Coverage::kHasNone)
          missing.push_back((name.getStringRef() + " of " + element).str());
      }
  EXPECT_GT(computed, 200);
  // Legalization computes the first by other ops; programs with the others are refused.
  EXPECT_THAT(missing, ::testing::UnorderedElementsAre("chlo._asin_acos_kernel of complex<f32>",
                                                       "chlo.bessel_i1e of complex<f32>",
                                                       "stablehlo.remainder of complex<f32>"));
}

// --- Memory ---

// void(ptr in, ptr out): `emit` for one element type.
void runMemory(const char *typeText, function_ref<void(IRBuilderBase &, mlir::Type, Value *, Value *)> emit,
               const void *in, void *out) {
  mlir::Type type = mlir::parseType(typeText, &elementContext());
  Jit jit;
  auto module = jit.createModule("memory");
  IRBuilder<> b(module->getContext());
  auto *function = Function::Create(FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false),
                                    GlobalValue::ExternalLinkage, "kernel", *module);
  jit.setTargetAttributes(*function);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  emit(b, type, function->getArg(0), function->getArg(1));
  b.CreateRetVoid();
  jit.add(std::move(module));
  jit.lookup<void(const void *, void *)>("kernel")(in, out);
}

Value *firstLanes(IRBuilderBase &b, unsigned lanes, unsigned set) {
  SmallVector<Constant *> bits;
  for (unsigned i = 0; i < lanes; ++i)
    bits.push_back(b.getInt1(i < set));
  return ConstantVector::get(bits);
}

template <typename T> void checkMasks(const char *type, unsigned parts) {
  std::vector<T> in(8 * parts), out(8 * parts, T(9));
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = T(i + 1);
  runMemory(
      type,
      [](IRBuilderBase &b, mlir::Type elementType, Value *from, Value *to) {
        Element loaded = loadElements(b, elementType, from, 4, firstLanes(b, 4, 3));
        storeElements(b, elementType, loaded, to, 4);
        Element whole = loadElements(b, elementType, from, 4);
        storeElements(b, elementType, whole, elementAddress(b, elementType, to, b.getInt64(4)), 4, firstLanes(b, 4, 2));
      },
      in.data(), out.data());
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned part = 0; part < parts; ++part) {
      T want = i < 3 ? in[i * parts + part] : i == 3 ? T(0) : i < 6 ? in[(i - 4) * parts + part] : T(9);
      EXPECT_EQ(out[i * parts + part], want) << type << " element " << i;
    }
}

TEST(ElementMemory, Masks) {
  checkMasks<float>("f32", 1);
  checkMasks<float>("complex<f32>", 2);
  checkMasks<double>("complex<f64>", 2);
  checkMasks<int8_t>("i8", 1);
  checkMasks<int64_t>("i64", 1);
  checkMasks<uint16_t>("bf16", 1);
}

// Stores one lane, just converted from a wider type.
TEST(ElementMemory, MaskedNarrowing) {
  std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int8_t> out(8, 99);
  for (unsigned lane : {0u, 5u})
    runMemory(
        "i8",
        [&](IRBuilderBase &b, mlir::Type type, Value *from, Value *to) {
          mlir::Type wide = mlir::Float32Type::get(type.getContext());
          Element narrow = emitConvert(b, wide, type, loadElements(b, wide, from, 8));
          SmallVector<Constant *> mask(8, b.getInt1(false));
          mask[lane] = b.getInt1(true);
          storeElements(b, type, narrow, to, 8, ConstantVector::get(mask));
        },
        in.data(), out.data());
  EXPECT_EQ(out, (std::vector<int8_t>{1, 99, 99, 99, 99, 6, 99, 99}));
}

TEST(ElementMemory, Booleans) {
  std::vector<uint8_t> in = {1, 0, 1, 1, 0, 0, 1, 0}, out(8, 7);
  runMemory(
      "i1",
      [](IRBuilderBase &b, mlir::Type type, Value *from, Value *to) {
        Element e = loadElements(b, type, from, 8);
        EXPECT_TRUE(e.re->getType()->getScalarType()->isIntegerTy(1));
        storeElements(b, type, {b.CreateNot(e.re)}, to, 8);
      },
      in.data(), out.data());
  EXPECT_EQ(out, (std::vector<uint8_t>{0, 1, 0, 0, 1, 1, 0, 1}));
}

template <typename T> void checkGather(const char *type, unsigned parts) {
  std::vector<T> in(8 * parts), out(8 * parts, T(0));
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = T(i + 1);
  const int kOrder[] = {7, 0, 3, 3};
  runMemory(
      type,
      [&](IRBuilderBase &b, mlir::Type elementType, Value *from, Value *to) {
        Value *indices = ConstantDataVector::get(b.getContext(), ArrayRef<uint32_t>{7, 0, 3, 3});
        Element gathered = gatherElements(b, elementType, from, indices, 4);
        storeElements(b, elementType, gathered, to, 4);
        Value *targets = ConstantDataVector::get(b.getContext(), ArrayRef<uint64_t>{6, 4, 5, 7});
        scatterElements(b, elementType, gathered, to, targets, 4, firstLanes(b, 4, 3));
      },
      in.data(), out.data());
  for (unsigned part = 0; part < parts; ++part) {
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[i * parts + part], in[kOrder[i] * parts + part]) << type;
    EXPECT_EQ(out[6 * parts + part], in[7 * parts + part]);
    EXPECT_EQ(out[4 * parts + part], in[part]);
    EXPECT_EQ(out[5 * parts + part], in[3 * parts + part]);
    EXPECT_EQ(out[7 * parts + part], T(0));
  }
}

TEST(ElementMemory, GatherAndScatter) {
  checkGather<float>("f32", 1);
  checkGather<double>("complex<f64>", 2);
  checkGather<int8_t>("ui8", 1);
  checkGather<uint16_t>("f16", 1);
}

} // namespace
} // namespace tenon::codegen::testing

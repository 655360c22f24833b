// Arithmetic, comparisons and selection: integers exhaustively where they are small, the edges where they are not.
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/element/test/element_testing.h"
#include "tenon/codegen/llvm/math/instruction_set.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace tenon::codegen::testing {
namespace {

// All pairs of values of an integer type of up to 8 bits, as stored.
struct AllPairs {
  Bytes a, b;
  AllPairs(int low, int high) {
    for (int x = low; x <= high; ++x)
      for (int y = low; y <= high; ++y) {
        a.push_back(uint8_t(x));
        b.push_back(uint8_t(y));
      }
  }
};

int64_t wrap(int64_t value, unsigned width, bool isUnsigned) {
  uint64_t mask = (uint64_t(1) << width) - 1, bits = uint64_t(value) & mask;
  return !isUnsigned && bits >> (width - 1) ? int64_t(bits | ~mask) : int64_t(bits);
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 0 || (base == -1 && exponent & 1) ? -1 : base == 1 || base == -1;
  uint64_t result = 1;
  while (exponent--)
    result *= uint64_t(base);
  return int64_t(result);
}

int64_t shiftAmount(int64_t amount, unsigned width) { return amount & ((1 << width) - 1); }

// The spec and inventory of semantics in plain arithmetic, before wrapping.
int64_t reference(const std::string &name, int64_t x, int64_t y, unsigned width, bool isUnsigned) {
  int64_t mask = (1 << width) - 1, amount = shiftAmount(y, width);
  bool inRange = amount < width;
  if (name == "add")
    return x + y;
  if (name == "subtract")
    return x - y;
  if (name == "multiply")
    return x * y;
  if (name == "divide")
    return y == 0 ? -1 : x / y;
  if (name == "remainder")
    return y == 0 ? x : x % y;
  if (name == "maximum")
    return std::max(x, y);
  if (name == "minimum")
    return std::min(x, y);
  if (name == "and")
    return x & y;
  if (name == "or")
    return x | y;
  if (name == "xor")
    return x ^ y;
  if (name == "power")
    return power(x, y);
  if (name == "shift_left")
    return inRange ? x << amount : 0;
  if (name == "shift_right_logical")
    return inRange ? (x & mask) >> amount : 0;
  return wrap(x, width, false) >> (inRange ? amount : width - 1); // shift_right_arithmetic
}

void checkInteger(const std::string &type, unsigned width, bool isUnsigned) {
  int low = isUnsigned ? 0 : -(1 << (width - 1)), high = isUnsigned ? (1 << width) - 1 : (1 << (width - 1)) - 1;
  AllPairs pairs(low, high);
  auto stored = [&](uint8_t byte) -> int64_t { return isUnsigned ? byte : int8_t(byte); };
  for (const char *name : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or",
                           "xor", "power", "shift_left", "shift_right_logical", "shift_right_arithmetic"})
    for (unsigned lanes : {1u, 16u}) {
      Bytes got = runBinary(std::string("stablehlo.") + name, type, pairs.a, pairs.b, lanes);
      for (size_t i = 0; i < got.size(); ++i) {
        int64_t x = stored(pairs.a[i]), y = stored(pairs.b[i]);
        int64_t want = wrap(reference(name, x, y, width, isUnsigned), width, isUnsigned);
        ASSERT_EQ(stored(got[i]), want) << type << " " << x << " " << name << " " << y;
      }
    }
}

TEST(ElementArith, SignedBytes) { checkInteger("i8", 8, false); }
TEST(ElementArith, UnsignedBytes) { checkInteger("ui8", 8, true); }
TEST(ElementArith, Nibbles) {
  checkInteger("i4", 4, false);
  checkInteger("ui4", 4, true);
  checkInteger("i2", 2, false);
  checkInteger("ui2", 2, true);
}

// Every value over every constant, 0 and -1 among them.
void checkConstantDivisors(const std::string &type, bool isUnsigned) {
  Bytes all(256);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint8_t(i);
  for (int code = 0; code < 256; ++code) {
    int64_t y = wrap(code, 8, isUnsigned);
    for (const char *name : {"divide", "remainder"}) {
      std::string body = "%c = stablehlo.constant dense<" + std::to_string(y) + "> : tensor<" + type +
                         ">\n%r = stablehlo." + name + " %0, %c : tensor<" + type + ">";
      Bytes got = runRegion(body, {type}, type, {all}, 16);
      for (size_t i = 0; i < got.size(); ++i) {
        int64_t x = wrap(all[i], 8, isUnsigned);
        ASSERT_EQ(wrap(got[i], 8, isUnsigned), wrap(reference(name, x, y, 8, isUnsigned), 8, isUnsigned))
            << type << " " << x << " " << name << " " << y;
      }
    }
  }
}

TEST(ElementArith, ConstantDivisors) {
  checkConstantDivisors("i8", false);
  checkConstantDivisors("ui8", true);
}

// Whether quotients by a vector of these are LLVM's of integers alone, without floats and comparisons.
bool isIntegerDivision(const std::vector<int32_t> &divisors, bool isConstant = true) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>("func.func @f(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {\n"
                                              "%r = stablehlo.divide %x, %y : tensor<i32>\nreturn %r : tensor<i32>\n}",
                                              &elementContext());
  mlir::Operation *divide = &llvm::cast<mlir::func::FuncOp>(module->getBody()->front()).front().front();
  llvm::LLVMContext context;
  llvm::Module code("divide", context);
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FixedVectorType::get(b.getInt32Ty(), unsigned(divisors.size()));
  auto *function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                          llvm::GlobalValue::ExternalLinkage, "divide", code);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  llvm::Value *y = function->getArg(1);
  if (isConstant) {
    std::vector<uint32_t> bits(divisors.begin(), divisors.end());
    y = llvm::ConstantDataVector::get(context, llvm::ArrayRef(bits));
  }
  b.CreateRet(emitElementwise(b, divide, {Element{function->getArg(0)}, Element{y}}, unsigned(divisors.size()))->re);
  return llvm::all_of(llvm::instructions(*function), [](const llvm::Instruction &each) {
    return each.getOpcode() == llvm::Instruction::SDiv || llvm::isa<llvm::ReturnInst>(each);
  });
}

TEST(ElementArith, OnlyConstantsThatDivideAnythingAreLeftToLLVM) {
  EXPECT_TRUE(isIntegerDivision({10, 10, 10, 10}));
  EXPECT_TRUE(isIntegerDivision({1, -7, 16, 2147483647}));
  EXPECT_FALSE(isIntegerDivision({10, 0, 10, 10}));
  EXPECT_FALSE(isIntegerDivision({10, 10, 10, -1}));
  EXPECT_FALSE(isIntegerDivision({10, 10, 10, 10}, false));
}

template <typename T> void checkWide(const std::string &type) {
  constexpr unsigned kWidth = sizeof(T) * 8;
  using U = std::make_unsigned_t<T>;
  const T kEdges[] = {0,
                      1,
                      T(-1),
                      2,
                      3,
                      7,
                      10,
                      T(-10),
                      T(12345),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max(),
                      T(std::numeric_limits<T>::max() - 1),
                      T(kWidth),
                      T(kWidth - 1),
                      T(kWidth + 1),
                      T(std::numeric_limits<T>::max() / 3)};
  std::vector<T> a, b;
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  for (T x : kEdges)
    for (T y : kEdges) {
      a.push_back(x);
      b.push_back(y);
    }
  for (unsigned lanes : {1u, 8u}) {
    auto run = [&](const char *name) { return fromBytes<T>(runBinary(name, type, toBytes(a), toBytes(b), lanes)); };
    auto quotient = run("stablehlo.divide"), rest = run("stablehlo.remainder"), product = run("stablehlo.multiply");
    auto left = run("stablehlo.shift_left"), logical = run("stablehlo.shift_right_logical");
    auto arithmetic = run("stablehlo.shift_right_arithmetic"), high = run("chlo.mulhi");
    for (size_t i = 0; i < a.size(); ++i) {
      T x = a[i], y = b[i];
      bool overflows = std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == T(-1);
      EXPECT_EQ(quotient[i], y == 0 ? T(-1) : overflows ? x : T(x / y)) << x << " / " << y;
      EXPECT_EQ(rest[i], y == 0 ? x : overflows ? 0 : T(x % y)) << x << " % " << y;
      EXPECT_EQ(product[i], T(uint64_t(x) * uint64_t(y)));
      EXPECT_EQ(high[i], T((Wide(x) * Wide(y)) >> kWidth)) << x << " * " << y;
      bool inRange = U(y) < kWidth;
      EXPECT_EQ(left[i], inRange ? T(U(x) << U(y)) : 0);
      EXPECT_EQ(logical[i], inRange ? T(U(x) >> U(y)) : 0);
      EXPECT_EQ(arithmetic[i], T(std::make_signed_t<T>(x) >> (inRange ? U(y) : kWidth - 1)));
    }
  }
  auto zeros = fromBytes<T>(runUnary("stablehlo.count_leading_zeros", type, toBytes(a), 8));
  auto ones = fromBytes<T>(runUnary("stablehlo.popcnt", type, toBytes(a), 8));
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(zeros[i], T(std::countl_zero(U(a[i]))));
    EXPECT_EQ(ones[i], T(std::popcount(U(a[i]))));
  }
}

TEST(ElementArith, WideIntegers) {
  checkWide<int32_t>("i32");
  checkWide<uint32_t>("ui32");
  checkWide<int64_t>("i64");
  checkWide<uint64_t>("ui64");
}

TEST(ElementArith, IntegerUnary) {
  Bytes all;
  for (int i = -8; i < 8; ++i)
    all.push_back(uint8_t(i));
  Bytes absolute = runUnary("stablehlo.abs", "i4", all, 4), negated = runUnary("stablehlo.negate", "i4", all, 4);
  Bytes sign = runUnary("stablehlo.sign", "i4", all, 4), inverted = runUnary("stablehlo.not", "i4", all, 4);
  Bytes zeros = runUnary("stablehlo.count_leading_zeros", "i4", all, 4);
  Bytes ones = runUnary("stablehlo.popcnt", "i4", all, 4);
  for (int i = -8; i < 8; ++i) {
    EXPECT_EQ(int8_t(absolute[i + 8]), i == -8 ? -8 : std::abs(i));
    EXPECT_EQ(int8_t(negated[i + 8]), i == -8 ? -8 : -i);
    EXPECT_EQ(int8_t(sign[i + 8]), i < 0 ? -1 : i > 0);
    EXPECT_EQ(int8_t(inverted[i + 8]), ~i);
    EXPECT_EQ(zeros[i + 8], std::countl_zero(uint8_t(i & 15)) - 4);
    EXPECT_EQ(ones[i + 8], std::popcount(uint8_t(i & 15)));
  }
}

TEST(ElementArith, Booleans) {
  Bytes a = {0, 0, 1, 1, 0}, b = {0, 1, 0, 1, 1};
  for (unsigned lanes : {1u, 4u}) {
    EXPECT_EQ(runBinary("stablehlo.add", "i1", a, b, lanes), (Bytes{0, 1, 1, 1, 1}));
    EXPECT_EQ(runBinary("stablehlo.multiply", "i1", a, b, lanes), (Bytes{0, 0, 0, 1, 0}));
    EXPECT_EQ(runBinary("stablehlo.xor", "i1", a, b, lanes), (Bytes{0, 1, 1, 0, 1}));
    EXPECT_EQ(runBinary("stablehlo.maximum", "i1", a, b, lanes), (Bytes{0, 1, 1, 1, 1}));
    EXPECT_EQ(runUnary("stablehlo.not", "i1", a, lanes), (Bytes{1, 1, 0, 0, 1}));
  }
}

// --- Floats ---

const float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = INFINITY;

TEST(ElementArith, MinimumAndMaximumOrderZerosAndKeepNaN) {
  std::vector<float> a = {0.0f, -0.0f, kNaN, 1, 2, kInf}, b = {-0.0f, 0.0f, 1, kNaN, 3, -kInf};
  a.resize(16), b.resize(16);
  for (unsigned lanes : {1u, 4u, 16u}) {
    auto low = fromBytes<float>(runBinary("stablehlo.minimum", "f32", toBytes(a), toBytes(b), lanes));
    auto high = fromBytes<float>(runBinary("stablehlo.maximum", "f32", toBytes(a), toBytes(b), lanes));
    for (int i : {0, 1}) {
      EXPECT_TRUE(low[i] == 0 && std::signbit(low[i]));
      EXPECT_TRUE(high[i] == 0 && !std::signbit(high[i]));
    }
    for (int i : {2, 3})
      EXPECT_TRUE(std::isnan(low[i]) && std::isnan(high[i]));
    EXPECT_EQ(low[4], 2);
    EXPECT_EQ(high[5], kInf);
  }
}

// How many instructions of a class the maximum or minimum of two floats is; of one if `isKnown`.
template <typename Counted>
int64_t countInExtremum(const math::InstructionSet &instructions, bool isMaximum, bool isKnown, unsigned lanes) {
  llvm::LLVMContext context;
  llvm::Module module("extremum", context);
  math::useInstructions(module, instructions);
  llvm::IRBuilder<> b(context);
  llvm::Type *type = b.getFloatTy();
  if (lanes > 1)
    type = llvm::FixedVectorType::get(type, lanes);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                          llvm::GlobalValue::ExternalLinkage, "extremum", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  llvm::Value *other = function->getArg(1);
  if (isKnown)
    other = llvm::ConstantFP::get(type, 1.0);
  mlir::Type f32 = mlir::Float32Type::get(&elementContext());
  Element x{function->getArg(0)}, y{other};
  b.CreateRet(isMaximum ? emitMaximum(b, f32, x, y).re : emitMinimum(b, f32, x, y).re);
  return llvm::count_if(llvm::instructions(*function), [](auto &each) { return llvm::isa<Counted>(each); });
}

// Calls of functions, intrinsics among them.
int64_t callsOfMaximum(const math::InstructionSet &instructions, bool isKnown, unsigned lanes = 16) {
  return countInExtremum<llvm::CallInst>(instructions, true, isKnown, lanes);
}

TEST(ElementArith, ExtremaAreMergedByMasksWhereThatIsFaster) {
  struct Masks : math::InstructionSet {
    Masks() : InstructionSet("masks") {}
    bool mergesExtremaByMasks(unsigned lanes) const override { return lanes == 16; }
  };
  static const Masks masks;
  static const math::InstructionSet none("none");
  EXPECT_EQ(callsOfMaximum(masks, false), 0);
  EXPECT_EQ(callsOfMaximum(masks, true), 1);
  EXPECT_EQ(callsOfMaximum(masks, false, 8), 1);
  EXPECT_EQ(callsOfMaximum(none, false), 1);
  // Bits that either operand has keep a NaN; those that both have do not.
  EXPECT_EQ(countInExtremum<llvm::FCmpInst>(masks, false, false, 16), 2);
  EXPECT_EQ(countInExtremum<llvm::FCmpInst>(masks, true, false, 16), 3);
}

TEST(ElementArith, ClampTakesTheUpperBoundLast) {
  std::vector<float> low = {1, 5, 0, 0}, x = {2, 2, kNaN, -1}, high = {3, 3, 1, 1};
  auto got = fromBytes<float>(runElementwise("%r = stablehlo.clamp %0, %1, %2 : tensor<f32>", {"f32", "f32", "f32"},
                                             "f32", {toBytes(low), toBytes(x), toBytes(high)}, 4));
  EXPECT_EQ(got[0], 2);
  EXPECT_EQ(got[1], 3);
  EXPECT_TRUE(std::isnan(got[2]));
  EXPECT_EQ(got[3], 0);
}

Bytes compare(const std::string &direction, const std::string &kind, const std::string &type, const Bytes &a,
              const Bytes &b, unsigned lanes) {
  return runElementwise("%r = stablehlo.compare " + direction + ", %0, %1" + (kind.empty() ? "" : ", " + kind) +
                            " : (tensor<" + type + ">, tensor<" + type + ">) -> tensor<i1>",
                        {type, type}, "i1", {a, b}, lanes);
}

TEST(ElementCompare, Floats) {
  std::vector<float> a = {1, 2, kNaN, 0.0f, -kInf}, b = {2, 2, kNaN, -0.0f, 1};
  Bytes x = toBytes(a), y = toBytes(b);
  for (unsigned lanes : {1u, 4u}) {
    EXPECT_EQ(compare("EQ", "FLOAT", "f32", x, y, lanes), (Bytes{0, 1, 0, 1, 0}));
    EXPECT_EQ(compare("NE", "FLOAT", "f32", x, y, lanes), (Bytes{1, 0, 1, 0, 1}));
    EXPECT_EQ(compare("LT", "FLOAT", "f32", x, y, lanes), (Bytes{1, 0, 0, 0, 1}));
    EXPECT_EQ(compare("GE", "", "f32", x, y, lanes), (Bytes{0, 1, 0, 1, 0}));
  }
}

TEST(ElementCompare, TotalOrder) {
  // Ascending in the total order.
  std::vector<float> order = {std::copysign(kNaN, -1.0f), -kInf, -1, -1e-45f, -0.0f, 0.0f, 1e-45f, 1, kInf, kNaN};
  std::vector<float> a, b;
  for (float x : order)
    for (float y : order) {
      a.push_back(x);
      b.push_back(y);
    }
  Bytes less = compare("LT", "TOTALORDER", "f32", toBytes(a), toBytes(b), 16);
  Bytes equal = compare("EQ", "TOTALORDER", "f32", toBytes(a), toBytes(b), 16);
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(less[i * order.size() + j], i < j) << order[i] << " " << order[j];
      EXPECT_EQ(equal[i * order.size() + j], i == j);
    }
}

TEST(ElementCompare, IntegersBySignedness) {
  Bytes a = {0x80, 0x01, 0xff}, b = {0x01, 0x80, 0xff};
  EXPECT_EQ(compare("LT", "SIGNED", "i8", a, b, 2), (Bytes{1, 0, 0}));
  EXPECT_EQ(compare("LT", "UNSIGNED", "ui8", a, b, 2), (Bytes{0, 1, 0}));
  EXPECT_EQ(compare("LT", "UNSIGNED", "i1", Bytes{0, 1, 0}, Bytes{1, 0, 0}, 2), (Bytes{1, 0, 0}));
}

TEST(ElementCompare, ComplexNumbersLexicographically) {
  std::vector<float> a = {1, 2, 1, 5, kNaN, 0}, b = {1, 3, 2, 0, 1, 1};
  EXPECT_EQ(compare("LT", "FLOAT", "complex<f32>", toBytes(a), toBytes(b), 2), (Bytes{1, 1, 0}));
  EXPECT_EQ(compare("GE", "FLOAT", "complex<f32>", toBytes(a), toBytes(b), 2), (Bytes{0, 0, 0}));
  EXPECT_EQ(compare("NE", "FLOAT", "complex<f32>", toBytes(a), toBytes(a), 2), (Bytes{0, 0, 1}));
}

TEST(ElementArith, NarrowFloatsRoundAfterEachOp) {
  // 256 + 1 is not a bf16; 255 + 1 is.
  std::vector<uint16_t> a = {0x4380, 0x437f, 0x0001}, b = {0x3f80, 0x3f80, 0x0001};
  EXPECT_EQ(fromBytes<uint16_t>(runBinary("stablehlo.add", "bf16", toBytes(a), toBytes(b), 4)),
            (std::vector<uint16_t>{0x4380, 0x4380, 0x0002}));
}

TEST(ElementArith, SignAndPredicates) {
  std::vector<float> x = {-3, -0.0f, 0.0f, kNaN, kInf, 1e-45f};
  auto sign = fromBytes<float>(runUnary("stablehlo.sign", "f32", toBytes(x), 4));
  EXPECT_EQ(sign[0], -1);
  EXPECT_TRUE(std::signbit(sign[1]) && sign[1] == 0 && !std::signbit(sign[2]));
  EXPECT_TRUE(std::isnan(sign[3]));
  EXPECT_EQ(sign[5], 1);
  EXPECT_EQ(runElementwise("%r = stablehlo.is_finite %0 : (tensor<f32>) -> tensor<i1>", {"f32"}, "i1", {toBytes(x)}, 4),
            (Bytes{1, 1, 1, 0, 0, 1}));
  EXPECT_EQ(runElementwise("%r = chlo.is_inf %0 : tensor<f32> -> tensor<i1>", {"f32"}, "i1", {toBytes(x)}, 4),
            (Bytes{0, 0, 0, 0, 1, 0}));
}

TEST(ElementSelect, ByMask) {
  std::vector<double> a = {1, 2, 3, 4, 5}, b = {-1, -2, -3, -4, -5};
  auto got =
      fromBytes<double>(runElementwise("%r = stablehlo.select %0, %1, %2 : tensor<i1>, tensor<f64>",
                                       {"i1", "f64", "f64"}, "f64", {Bytes{1, 0, 0, 1, 1}, toBytes(a), toBytes(b)}, 4));
  EXPECT_EQ(got, (std::vector<double>{1, -2, -3, 4, 5}));
}

TEST(ElementRegion, ComputesSeveralOps) {
  const char *body = R"(
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %s = stablehlo.multiply %0, %c : tensor<f32>
    %t = stablehlo.reshape %s : (tensor<f32>) -> tensor<f32>
    %r = stablehlo.add %t, %1 : tensor<f32>)";
  std::vector<float> a = {1, 2, 3, 4, 5}, b = {10, 20, 30, 40, 50};
  for (unsigned lanes : {1u, 4u})
    EXPECT_EQ(fromBytes<float>(runRegion(body, {"f32", "f32"}, "f32", {toBytes(a), toBytes(b)}, lanes)),
              (std::vector<float>{12, 24, 36, 48, 60}));
}

TEST(ElementSupport, KnowsWhatTypesOpsTake) {
  EXPECT_TRUE(isSupported("%r = stablehlo.tanh %0 : tensor<f8E4M3FN>", {"f8E4M3FN"}, "f8E4M3FN"));
  EXPECT_TRUE(isSupported("%r = stablehlo.power %0, %0 : tensor<complex<f64>>", {"complex<f64>"}, "complex<f64>"));
  EXPECT_FALSE(isSupported("%r = stablehlo.iota dim = 0 : tensor<4xi32>", {"i32"}, "4xi32"));
}

} // namespace
} // namespace tenon::codegen::testing

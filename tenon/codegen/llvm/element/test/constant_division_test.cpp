#include "tenon/codegen/llvm/element/constant_division.h"

#include "tenon/codegen/llvm/element/test/element_testing.h"
#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenon::codegen::testing {
namespace {

const std::vector<float> kDivisors = {255, 127.5F, 3, 0.2F, -7, 1e-3F, 58.395F, 1e30F, 0x1.fffffep0F, 0x1.000002p0F};

std::string number(float value) {
  char text[32];
  snprintf(text, sizeof text, "%.9e", double(value));
  return text;
}

TEST(ConstantDivision, HasTheBitsOfADivision) {
  for (bool isSigned : {false, true})
    for (float divisor : kDivisors) {
      std::string type = isSigned ? "i8" : "ui8";
      std::string body =
          "%c = stablehlo.constant dense<" + number(divisor) + "> : tensor<f32>\n" +
          "%m = stablehlo.constant dense<0.456> : tensor<f32>\n" + "%x = stablehlo.convert %0 : (tensor<" + type +
          ">) -> tensor<f32>\n" + "%q = stablehlo.divide %x, %c : tensor<f32>\n" +
          "%d = stablehlo.subtract %q, %m : tensor<f32>\n" + "%r = stablehlo.divide %d, %c : tensor<f32>";
      Bytes codes(256);
      for (size_t i = 0; i < codes.size(); ++i)
        codes[i] = uint8_t(i);
      std::vector<float> results = fromBytes<float>(runRegion(body, {type}, "f32", {codes}, 8));
      for (size_t i = 0; i < codes.size(); ++i) {
        float quotient = (isSigned ? float(int8_t(codes[i])) : float(codes[i])) / divisor;
        float right = (quotient - 0.456F) / divisor;
        EXPECT_EQ(llvm::bit_cast<uint32_t>(results[i]), llvm::bit_cast<uint32_t>(right)) << i << " / " << divisor;
      }
    }
}

class Fused : public math::InstructionSet {
public:
  Fused() : InstructionSet("fused") {}
  bool fusesMultiplyAdd() const override { return true; }
};

// Whether what `numerator` makes of a vector of integers is divided by the constants without a division.
class ConstantDivisionCode : public ::testing::Test {
protected:
  template <typename Numerator>
  bool isWithoutDivision(unsigned width, const std::vector<float> &divisors, Numerator numerator,
                         const math::InstructionSet &instructions = fused()) {
    llvm::LLVMContext context;
    llvm::Module module("module", context);
    math::useInstructions(module, instructions);
    llvm::IRBuilder<> b(context);
    auto *integers = llvm::FixedVectorType::get(b.getIntNTy(width), unsigned(divisors.size()));
    auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {integers}, false),
                                            llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    llvm::Value *x =
        numerator(b, function->getArg(0), llvm::FixedVectorType::get(b.getFloatTy(), unsigned(divisors.size())));
    return quotientByConstant(b, x, llvm::ConstantDataVector::get(context, llvm::ArrayRef(divisors)));
  }

  static const math::InstructionSet &fused() {
    static const auto *set = new Fused();
    return *set;
  }
  static llvm::Value *converted(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Type *type) {
    return b.CreateUIToFP(x, type);
  }
};

TEST_F(ConstantDivisionCode, OfChannels) {
  EXPECT_TRUE(isWithoutDivision(8, {255, 255}, converted));
  EXPECT_TRUE(isWithoutDivision(8, {0.229F, 0.224F, 0.225F}, converted));
}

TEST_F(ConstantDivisionCode, OfWhatIsComputedFromThem) {
  auto twice = [](llvm::IRBuilder<> &b, llvm::Value *x, llvm::Type *type) {
    llvm::Value *first = quotientByConstant(b, b.CreateUIToFP(x, type), llvm::ConstantFP::get(type, 255));
    EXPECT_NE(first, nullptr);
    return b.CreateFSub(first, llvm::ConstantFP::get(type, 0.485));
  };
  EXPECT_TRUE(isWithoutDivision(8, {0.229F, 0.224F}, twice));
}

TEST_F(ConstantDivisionCode, NotOfManyValues) {
  EXPECT_FALSE(isWithoutDivision(16, {255, 255}, converted));
  auto product = [](llvm::IRBuilder<> &b, llvm::Value *x, llvm::Type *type) {
    llvm::Value *y = b.CreateUIToFP(b.CreateNot(x), type);
    return b.CreateFMul(b.CreateUIToFP(x, type), y);
  };
  EXPECT_FALSE(isWithoutDivision(8, {255, 255}, product));
}

TEST_F(ConstantDivisionCode, NotWhereTheProductIsWrong) {
  EXPECT_FALSE(isWithoutDivision(8, {255, 0}, converted));
  EXPECT_FALSE(isWithoutDivision(8, {255, std::numeric_limits<float>::infinity()}, converted));
  auto negative = [](llvm::IRBuilder<> &b, llvm::Value *x, llvm::Type *type) {
    return b.CreateFMul(b.CreateUIToFP(x, type), llvm::ConstantFP::get(type, -1));
  };
  EXPECT_FALSE(isWithoutDivision(8, {255, 255}, negative)) << "-0 / 255";
}

TEST_F(ConstantDivisionCode, NotWithoutTheInstruction) {
  static const auto *plain = new math::InstructionSet("nothing");
  EXPECT_FALSE(isWithoutDivision(8, {255, 255}, converted, *plain));
}

class Branching : public math::InstructionSet {
public:
  Branching() : InstructionSet("branching") {}
  bool dividesByBranches() const override { return true; }
};

class DivisionByDoubles : public ConstantDivisionCode {
protected:
  static const math::InstructionSet &branching() {
    static const auto *set = new Branching();
    return *set;
  }
  bool isTaken(const std::vector<float> &divisors) { return isWithoutDivision(16, divisors, converted, branching()); }

  // Four dividends a call, by the same divisor.
  static void emit(llvm::Module &module, float divisor) {
    math::useInstructions(module, branching());
    llvm::IRBuilder<> b(module.getContext());
    auto *type = llvm::FixedVectorType::get(b.getFloatTy(), 4);
    auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
                                            llvm::Function::ExternalLinkage, "divide", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    llvm::Value *x = b.CreateAlignedLoad(type, function->getArg(0), llvm::Align(4));
    llvm::Value *quotient = quotientByConstant(b, x, llvm::ConstantFP::get(type, divisor));
    ASSERT_NE(quotient, nullptr) << divisor;
    b.CreateAlignedStore(quotient, function->getArg(0), llvm::Align(4));
    b.CreateRetVoid();
  }
};

TEST_F(DivisionByDoubles, IsTakenForAnyDividend) { EXPECT_TRUE(isTaken({255, -0.2F, 1e-37F, 3e38F})); }

TEST_F(DivisionByDoubles, NotByPowersOfTwoZeroOrInfinity) {
  for (float divisor : {2.0F, -0.25F, 0x1p-149F, 0.0F, -0.0F, std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()})
    EXPECT_FALSE(isTaken({3, divisor})) << divisor;
}

// Among them quotients that are, and are next to, numbers halfway between two floats, normal and subnormal ones.
TEST_F(DivisionByDoubles, HasTheBitsOfADivision) {
  for (float divisor : {3.0F, -7.0F, 21.0F, 0.1F, 1e-3F, 1e30F, -1e-30F, 0x1.fffffep0F, 0x1.000002p0F, 0x1.fffffep127F,
                        0x1.8p-126F, 0x1.234568p-140F, 0x1.8p-148F}) {
    Jit jit;
    std::unique_ptr<llvm::Module> module = jit.createModule("module");
    emit(*module, divisor);
    jit.add(std::move(module));
    auto *divide = jit.lookup<void(float *)>("divide");
    std::vector<float> dividends = {0.0F,
                                    -0.0F,
                                    std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN(),
                                    -std::numeric_limits<float>::infinity(),
                                    0x1p-149F,
                                    0x1.fffffep127F,
                                    0x1p-126F};
    uint32_t bits = 1;
    for (int i = 0; i < 200'000; ++i) {
      bits = bits * 1664525 + 1013904223;
      float any = llvm::bit_cast<float>(bits);
      dividends.push_back(any);
      dividends.push_back(any * divisor);
      dividends.push_back(std::nextafter(any, 0.0F) / 2 * divisor);
      dividends.push_back(float(double(float(int(bits >> 8)) + 0.5) * divisor * 0x1p-149));
    }
    for (size_t i = 0; i < dividends.size(); i += 4) {
      float quotients[4];
      std::copy_n(&dividends[i], 4, quotients);
      divide(quotients);
      for (int lane = 0; lane < 4; ++lane) {
        volatile float right = dividends[i + lane] / divisor;
        if (std::isnan(right) && std::isnan(quotients[lane]))
          continue;
        ASSERT_EQ(llvm::bit_cast<uint32_t>(quotients[lane]), llvm::bit_cast<uint32_t>(float(right)))
            << dividends[i + lane] << " / " << divisor;
      }
    }
  }
}

} // namespace
} // namespace tenon::codegen::testing

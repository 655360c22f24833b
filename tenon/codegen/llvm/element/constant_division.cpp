#include "tenon/codegen/llvm/element/constant_division.h"

#include "tenon/codegen/llvm/math/fp.h"
#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

#include <array>
#include <cmath>
#include <optional>

using namespace llvm;

namespace tenon::codegen {
namespace {

// What a float is for each value of the integer of 8 bits that it is computed from.
using Values = std::array<float, 256>;

std::optional<float> constantAt(Value *value, unsigned lane) {
  auto *constant = dyn_cast<Constant>(value);
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getAggregateElement(lane);
  auto *number = dyn_cast_or_null<ConstantFP>(constant);
  return number ? std::optional(number->getValueAPF().convertToFloat()) : std::nullopt;
}

float apply(unsigned opcode, float x, float y) {
  switch (opcode) {
  case Instruction::FAdd:
    return x + y;
  case Instruction::FSub:
    return x - y;
  case Instruction::FMul:
    return x * y;
  default:
    return x / y;
  }
}

// The lane's values, and the integer that they are computed from.
struct LaneValues {
  Values values;
  Value *source;
};

std::optional<LaneValues> valuesOf(Value *x, unsigned lane, int depth = 0);

std::optional<LaneValues> valuesOfArithmetic(BinaryOperator *op, unsigned lane, int depth) {
  unsigned opcode = op->getOpcode();
  if (opcode != Instruction::FAdd && opcode != Instruction::FSub && opcode != Instruction::FMul &&
      opcode != Instruction::FDiv)
    return std::nullopt;
  for (unsigned side : {0U, 1U}) {
    std::optional<float> other = constantAt(op->getOperand(1 - side), lane);
    std::optional<LaneValues> result = other ? valuesOf(op->getOperand(side), lane, depth) : std::nullopt;
    if (!result)
      continue;
    for (float &value : result->values)
      value = side == 0 ? apply(opcode, value, *other) : apply(opcode, *other, value);
    return result;
  }
  return std::nullopt;
}

// The last of the two fused multiply-adds of quotientByConstant() itself: a quotient by a constant that is computed on.
std::optional<LaneValues> valuesOfFma(IntrinsicInst *call, unsigned lane, int depth) {
  std::array<std::optional<LaneValues>, 3> operands;
  Value *source = nullptr;
  for (unsigned i = 0; i < 3; ++i) {
    Value *operand = call->getArgOperand(i);
    if (std::optional<float> number = constantAt(operand, lane)) {
      operands[i].emplace(LaneValues{{}, nullptr});
      operands[i]->values.fill(*number);
      continue;
    }
    operands[i] = valuesOf(operand, lane, depth);
    if (!operands[i] || (source && source != operands[i]->source))
      return std::nullopt;
    source = operands[i]->source;
  }
  LaneValues result{{}, source};
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = std::fma(operands[0]->values[i], operands[1]->values[i], operands[2]->values[i]);
  return source ? std::optional(result) : std::nullopt;
}

std::optional<LaneValues> valuesOf(Value *x, unsigned lane, int depth) {
  constexpr int kMostOperations = 12;
  if (depth == kMostOperations)
    return std::nullopt;
  if (auto *cast = dyn_cast<CastInst>(x); cast && (isa<UIToFPInst>(cast) || isa<SIToFPInst>(cast))) {
    Value *source = cast->getOperand(0);
    if (!source->getType()->getScalarType()->isIntegerTy(8))
      return std::nullopt;
    LaneValues result{{}, source};
    for (size_t i = 0; i < result.values.size(); ++i)
      result.values[i] = isa<UIToFPInst>(cast) ? float(i) : float(int8_t(i));
    return result;
  }
  if (auto *op = dyn_cast<BinaryOperator>(x))
    return valuesOfArithmetic(op, lane, depth + 1);
  if (auto *call = dyn_cast<IntrinsicInst>(x); call && call->getIntrinsicID() == Intrinsic::fma)
    return valuesOfFma(call, lane, depth + 1);
  if (auto *negation = dyn_cast<UnaryOperator>(x); negation && negation->getOpcode() == Instruction::FNeg) {
    std::optional<LaneValues> result = valuesOf(negation->getOperand(0), lane, depth + 1);
    if (result)
      for (float &value : result->values)
        value = -value;
    return result;
  }
  return std::nullopt;
}

float quotientByProduct(float x, float y, float inverse) {
  float q = x * inverse;
  return std::fma(std::fma(-q, y, x), inverse, q);
}

bool isRightForAll(const Values &values, float y) {
  return llvm::all_of(values, [&](float x) {
    float right = x / y;
    return std::isfinite(right) && bit_cast<uint32_t>(quotientByProduct(x, y, 1 / y)) == bit_cast<uint32_t>(right);
  });
}

// 1 / y as a double that is not larger in magnitude, and what it lacks, of the same sign.
std::optional<std::pair<double, double>> inverseInParts(float y) {
  int exponent;
  if (!std::isnormal(double(y)) || std::abs(std::frexp(y, &exponent)) == 0.5F)
    return std::nullopt;
  double inverse = 1 / double(y);
  double error = std::fma(-double(y), inverse, 1.0);
  if (error < 0) {
    inverse = std::nextafter(inverse, 0.0);
    error = std::fma(-double(y), inverse, 1.0);
  }
  return std::pair(inverse, error / double(y));
}

Constant *constantOf(Type *type, ArrayRef<double> lanes) {
  SmallVector<Constant *> constants;
  for (double lane : lanes)
    constants.push_back(ConstantFP::get(type->getScalarType(), lane));
  return type->isVectorTy() ? ConstantVector::get(constants) : constants.front();
}

// The two parts make up 1 / y but for 2^-105 of it. So the double q is x / y where that is a double, and else its
// neighbour on either side: rounded to a float it is what x / y is, which keeps away 2^-49 of itself from what lies
// halfway between two floats, subnormal ones too, unless it is that. Zeros keep their signs and infinities are what
// they are, since both products have one sign.
Value *quotientByDoubles(IRBuilderBase &b, Value *x, Value *y) {
  Type *type = x->getType(), *doubles = type->getWithNewType(b.getDoubleTy());
  SmallVector<double> inverses, rests;
  for (unsigned lane = 0; lane < math::laneCount(type); ++lane) {
    std::optional<float> divisor = constantAt(y, lane);
    auto parts = divisor ? inverseInParts(*divisor) : std::nullopt;
    if (!parts)
      return nullptr;
    inverses.push_back(parts->first);
    rests.push_back(parts->second);
  }
  Value *wide = b.CreateFPExt(x, doubles);
  Value *rest = b.CreateFMul(wide, constantOf(doubles, rests));
  Value *q = b.CreateIntrinsic(Intrinsic::fma, {doubles}, {wide, constantOf(doubles, inverses), rest});
  return b.CreateFPTrunc(q, type);
}

} // namespace

Value *quotientByConstant(IRBuilderBase &b, Value *x, Value *y) {
  Type *type = x->getType();
  const math::InstructionSet &instructions = math::instructionsOf(b);
  if (!type->getScalarType()->isFloatTy() || !isa<Constant>(y))
    return nullptr;
  if (instructions.dividesByBranches())
    return quotientByDoubles(b, x, y);
  if (!instructions.fusesMultiplyAdd())
    return nullptr;
  SmallVector<Constant *> inverses;
  for (unsigned lane = 0; lane < math::laneCount(type); ++lane) {
    std::optional<float> divisor = constantAt(y, lane);
    std::optional<LaneValues> values = divisor ? valuesOf(x, lane) : std::nullopt;
    if (!values || !isRightForAll(values->values, *divisor))
      return nullptr;
    inverses.push_back(ConstantFP::get(type->getScalarType(), 1 / *divisor));
  }
  Value *inverse = type->isVectorTy() ? ConstantVector::get(inverses) : inverses.front();
  auto fma = [&](Value *a, Value *c, Value *d) { return b.CreateIntrinsic(Intrinsic::fma, {type}, {a, c, d}); };
  Value *q = b.CreateFMul(x, inverse);
  return fma(fma(b.CreateFNeg(q), y, x), inverse, q);
}

} // namespace tenon::codegen

#include "tenon/codegen/llvm/math/fp.h"

#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <cmath>

using namespace llvm;

namespace tenon::codegen::math {

unsigned laneCount(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

Type *sameLanes(Type *scalar, Type *like) {
  auto *vector = dyn_cast<FixedVectorType>(like);
  return vector ? FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

F constant(F like, double value) { return {like.b, ConstantFP::get(like.v->getType(), value)}; }
I constant(I like, uint64_t value) {
  unsigned width = like.v->getType()->getScalarSizeInBits();
  return {like.b, ConstantInt::get(like.v->getType(), APInt(64, value).zextOrTrunc(width))};
}

// --- Floats ---

F operator+(F a, F b) { return {a.b, a.b->CreateFAdd(a.v, b.v)}; }
F operator-(F a, F b) { return {a.b, a.b->CreateFSub(a.v, b.v)}; }
F operator*(F a, F b) { return {a.b, a.b->CreateFMul(a.v, b.v)}; }
F operator/(F a, F b) { return {a.b, a.b->CreateFDiv(a.v, b.v)}; }
F operator-(F a) { return {a.b, a.b->CreateFNeg(a.v)}; }
F fma(F a, F b, F c) { return {a.b, a.b->CreateIntrinsic(Intrinsic::fma, {a.v->getType()}, {a.v, b.v, c.v})}; }

static F unary(Intrinsic::ID id, F x) { return {x.b, x.b->CreateUnaryIntrinsic(id, x.v)}; }
F abs(F x) { return unary(Intrinsic::fabs, x); }
F sqrt(F x) { return unary(Intrinsic::sqrt, x); }
F floor(F x) { return unary(Intrinsic::floor, x); }
F ceil(F x) { return unary(Intrinsic::ceil, x); }
F trunc(F x) { return unary(Intrinsic::trunc, x); }
F roundEven(F x) { return unary(Intrinsic::roundeven, x); }
F copysign(F magnitude, F sign) {
  return {sign.b, sign.b->CreateBinaryIntrinsic(Intrinsic::copysign, magnitude.v, sign.v)};
}
F minOr(F a, F b) { return select(a < b, a, b); }
F maxOr(F a, F b) { return select(a > b, a, b); }

F poly(F x, ArrayRef<double> c) {
  assert(!c.empty() && "a polynomial has coefficients");
  auto horner = [&](F y, size_t first, size_t step) {
    size_t last = first + (c.size() - 1 - first) / step * step;
    F sum = constant(x, c[last]);
    while (last > first) {
      last -= step;
      sum = fma(sum, y, c[last]);
    }
    return sum;
  };
  if (c.size() < 8)
    return horner(x, 0, 1);
  F square = x * x;
  return fma(horner(square, 1, 2), x, horner(square, 0, 2));
}

// --- Comparisons ---

static M compare(CmpInst::Predicate p, F a, F b) { return {a.b, a.b->CreateFCmp(p, a.v, b.v)}; }
M operator<(F a, F b) { return compare(CmpInst::FCMP_OLT, a, b); }
M operator<=(F a, F b) { return compare(CmpInst::FCMP_OLE, a, b); }
M operator>(F a, F b) { return compare(CmpInst::FCMP_OGT, a, b); }
M operator>=(F a, F b) { return compare(CmpInst::FCMP_OGE, a, b); }
M operator==(F a, F b) { return compare(CmpInst::FCMP_OEQ, a, b); }
M operator!=(F a, F b) { return compare(CmpInst::FCMP_UNE, a, b); }
M isNaN(F x) { return compare(CmpInst::FCMP_UNO, x, x); }
M isInf(F x) { return abs(x) == INFINITY; }
M isFinite(F x) { return abs(x) < INFINITY; }
M signBit(F x) { return slt(bits(x), 0); }

// --- Integers ---

I operator+(I a, I b) { return {a.b, a.b->CreateAdd(a.v, b.v)}; }
I operator-(I a, I b) { return {a.b, a.b->CreateSub(a.v, b.v)}; }
I operator*(I a, I b) { return {a.b, a.b->CreateMul(a.v, b.v)}; }
I operator&(I a, I b) { return {a.b, a.b->CreateAnd(a.v, b.v)}; }
I operator|(I a, I b) { return {a.b, a.b->CreateOr(a.v, b.v)}; }
I operator^(I a, I b) { return {a.b, a.b->CreateXor(a.v, b.v)}; }
I shl(I a, I b) { return {a.b, a.b->CreateShl(a.v, b.v)}; }
I lshr(I a, I b) { return {a.b, a.b->CreateLShr(a.v, b.v)}; }
I ashr(I a, I b) { return {a.b, a.b->CreateAShr(a.v, b.v)}; }
M operator==(I a, I b) { return {a.b, a.b->CreateICmpEQ(a.v, b.v)}; }
M operator!=(I a, I b) { return {a.b, a.b->CreateICmpNE(a.v, b.v)}; }
M slt(I a, I b) { return {a.b, a.b->CreateICmpSLT(a.v, b.v)}; }
M ult(I a, I b) { return {a.b, a.b->CreateICmpULT(a.v, b.v)}; }
I maxSigned(I a, int64_t b) { return {a.b, a.b->CreateBinaryIntrinsic(Intrinsic::smax, a.v, constant(a, b).v)}; }
I countLeadingZeros(I a) { return {a.b, a.b->CreateBinaryIntrinsic(Intrinsic::ctlz, a.v, a.b->getFalse())}; }
static Type *intType(Value *like, unsigned bits) {
  return sameLanes(IntegerType::get(like->getContext(), bits), like->getType());
}
I zext(I a, unsigned bits) { return {a.b, a.b->CreateZExt(a.v, intType(a.v, bits))}; }
I truncate(I a, unsigned bits) { return {a.b, a.b->CreateTrunc(a.v, intType(a.v, bits))}; }

// --- Masks ---

M operator&(M a, M b) { return {a.b, a.b->CreateAnd(a.v, b.v)}; }
M operator|(M a, M b) { return {a.b, a.b->CreateOr(a.v, b.v)}; }
M operator^(M a, M b) { return {a.b, a.b->CreateXor(a.v, b.v)}; }
M operator!(M a) { return {a.b, a.b->CreateNot(a.v)}; }
F select(M m, F a, F b) { return {m.b, m.b->CreateSelect(m.v, a.v, b.v)}; }
I select(M m, I a, I b) { return {m.b, m.b->CreateSelect(m.v, a.v, b.v)}; }
M select(M m, M a, M b) { return {m.b, m.b->CreateSelect(m.v, a.v, b.v)}; }
Value *any(M m) { return m.v->getType()->isVectorTy() ? m.b->CreateOrReduce(m.v) : m.v; }

// --- Between them ---

I bits(F x) { return {x.b, x.b->CreateBitCast(x.v, intType(x.v, x.v->getType()->getScalarSizeInBits()))}; }
static Type *floatTypeOfWidth(Value *like) {
  LLVMContext &context = like->getContext();
  bool wide = like->getType()->getScalarSizeInBits() == 64;
  return sameLanes(wide ? Type::getDoubleTy(context) : Type::getFloatTy(context), like->getType());
}
F fromBits(I x) { return {x.b, x.b->CreateBitCast(x.v, floatTypeOfWidth(x.v))}; }
F toFloat(I x) { return {x.b, x.b->CreateSIToFP(x.v, floatTypeOfWidth(x.v))}; }
F widen(F x) { return {x.b, x.b->CreateFPExt(x.v, sameLanes(x.b->getDoubleTy(), x.v->getType()))}; }
F narrow(F x) { return {x.b, x.b->CreateFPTrunc(x.v, sameLanes(x.b->getFloatTy(), x.v->getType()))}; }

// --- Exponents ---

// body(parts) for parts of `lanes` lanes of the operands, one after the other; of operands that have fewer, once, with
// anything in the other lanes. `like` has the type of the result.
static Value *byRegister(IRBuilderBase &b, Value *like, ArrayRef<Value *> operands, unsigned lanes,
                         function_ref<Value *(ArrayRef<Value *>)> body) {
  unsigned total = laneCount(like->getType());
  auto partAt = [&](Value *v, unsigned i) -> Value * {
    auto *type = FixedVectorType::get(v->getType()->getScalarType(), lanes);
    if (total < lanes)
      return b.CreateInsertVector(type, PoisonValue::get(type), v, uint64_t(0));
    return total == lanes ? v : b.CreateExtractVector(type, v, i);
  };
  Value *result = PoisonValue::get(like->getType());
  for (unsigned i = 0; i < total; i += lanes) {
    SmallVector<Value *> parts;
    for (Value *operand : operands)
      parts.push_back(partAt(operand, i));
    Value *part = body(parts);
    if (total < lanes)
      return b.CreateExtractVector(like->getType(), part, uint64_t(0));
    result = total == lanes ? part : b.CreateInsertVector(like->getType(), result, part, i);
  }
  return result;
}

F byRegister(F x, function_ref<F(F)> body) {
  unsigned lanes = 8 * instructionsOf(*x.b).registerBytes() / x.v->getType()->getScalarSizeInBits();
  if (lanes == 0 || laneCount(x) % lanes != 0)
    return body(x);
  return {x.b, byRegister(*x.b, x.v, {x.v}, lanes, [&](ArrayRef<Value *> part) { return body({x.b, part[0]}).v; })};
}

bool hasScaleInstruction(F x) {
  unsigned lanes = instructionsOf(*x.b).scaledLanes(x.v->getType()->getScalarType());
  return lanes && laneCount(x) % lanes == 0;
}

static F scaleByInstruction(F x, F n) {
  const InstructionSet &instructions = instructionsOf(*x.b);
  unsigned lanes = instructions.scaledLanes(x.v->getType()->getScalarType());
  return {x.b, byRegister(*x.b, x.v, {x.v, n.v}, lanes,
                          [&](ArrayRef<Value *> parts) { return instructions.scale(*x.b, parts[0], parts[1]); })};
}

F powerOfTwo(F like, I n) {
  bool wide = isDouble(like);
  return fromBits(shl(n + (wide ? 1023 : 127), wide ? 52 : 23));
}

F scaleByPowerOfTwo(F x, I n) {
  if (hasScaleInstruction(x))
    return scaleByInstruction(x, toFloat(n));
  // Two factors, because 2^n alone may not be a normal number. The first product is exact: it stays near 2^(n/2).
  I half = ashr(n, 1);
  return x * powerOfTwo(x, half) * powerOfTwo(x, n - half);
}

static double roundingConstant(F like) { return isDouble(like) ? 0x1.8p52 + 2 * 1023 : 0x1.8p23 + 2 * 127; }

Rounded roundProduct(F a, double b) {
  F sum = fma(a, b, roundingConstant(a));
  return {sum, sum - roundingConstant(a)};
}

I Rounded::toInteger() const { return bits(sum) - bits(constant(sum, roundingConstant(sum))); }

// The two factors as above: each half of the low bits is an exponent with its bias, and the shift drops the rest.
static std::pair<F, F> factorsOf(F like, Rounded n) {
  unsigned mantissa = isDouble(like) ? 52 : 23;
  I all = bits(n.sum), half = lshr(all, 1);
  return {fromBits(shl(half, mantissa)), fromBits(shl(all - half, mantissa))};
}

F scaleByPowerOfTwo(F x, Rounded n) {
  if (hasScaleInstruction(x))
    return scaleByInstruction(x, n.n);
  auto [first, second] = factorsOf(x, n);
  return x * first * second;
}

F scalePositive(F x, Rounded n) {
  if (hasScaleInstruction(x) || !instructionsOf(*x.b).fusesMultiplyAdd())
    return scaleByPowerOfTwo(x, n);
  auto [first, second] = factorsOf(x, n);
  return fma(x * first, second, 0.0);
}

// --- Double-word arithmetic ---

Pair constantPair(F like, double hi, double lo) { return {constant(like, hi), constant(like, lo)}; }
Pair twoSum(F a, F b) {
  F s = a + b;
  F t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
Pair fastTwoSum(F a, F b) {
  F s = a + b;
  return {s, b - (s - a)};
}
Pair twoProduct(F a, F b) {
  F p = a * b;
  return {p, fma(a, b, -p)};
}
Pair add(Pair a, Pair b) {
  Pair s = twoSum(a.hi, b.hi);
  return fastTwoSum(s.hi, s.lo + (a.lo + b.lo));
}
Pair add(Pair a, F b) {
  Pair s = twoSum(a.hi, b);
  return fastTwoSum(s.hi, s.lo + a.lo);
}
Pair mul(Pair a, Pair b) {
  Pair p = twoProduct(a.hi, b.hi);
  return fastTwoSum(p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo)));
}
Pair mul(Pair a, F b) {
  Pair p = twoProduct(a.hi, b);
  return fastTwoSum(p.hi, fma(a.lo, b, p.lo));
}
Pair div(Pair a, Pair b) {
  F q = a.hi / b.hi;
  F rest = fma(-q, b.hi, a.hi) + fma(-q, b.lo, a.lo);
  return fastTwoSum(q, rest / b.hi);
}

// --- Control ---

void patchRare(M rare, MutableArrayRef<F> values, function_ref<void(MutableArrayRef<F>)> slow) {
  IRBuilderBase &b = *values.front().b;
  BasicBlock *from = b.GetInsertBlock();
  Function *function = from->getParent();
  Value *taken = any(rare);
  // The builder may stand inside a block that already has a terminator.
  BasicBlock *join;
  if (b.GetInsertPoint() == from->end()) {
    join = BasicBlock::Create(b.getContext(), "", function, from->getNextNode());
  } else {
    join = from->splitBasicBlock(b.GetInsertPoint());
    from->getTerminator()->eraseFromParent();
  }
  BasicBlock *rareBlock = BasicBlock::Create(b.getContext(), "rare", function, join);
  b.SetInsertPoint(from);
  b.CreateCondBr(taken, rareBlock, join, MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(rareBlock);
  SmallVector<F> patched(values);
  slow(patched);
  for (auto [slowly, fast] : zip(patched, values))
    slowly = select(rare, slowly, fast);
  BasicBlock *rareEnd = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join, join->begin());
  for (auto [value, slowly] : zip(values, patched)) {
    PHINode *phi = b.CreatePHI(value.v->getType(), 2);
    phi->addIncoming(value.v, from);
    phi->addIncoming(slowly.v, rareEnd);
    value = {&b, phi};
  }
}

F patchRare(M rare, F fast, function_ref<F()> slow) {
  patchRare(rare, fast, [&](MutableArrayRef<F> values) { values[0] = slow(); });
  return fast;
}

static std::string typeSuffix(Type *type) {
  std::string text;
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    text = "v" + std::to_string(vector->getNumElements());
  Type *scalar = type->getScalarType();
  return text + (scalar->isFloatingPointTy() ? "f" : "i") + std::to_string(scalar->getPrimitiveSizeInBits());
}

static Function *createShared(IRBuilderBase &b, Module &module, StringRef name, FunctionType *type) {
  Function *function = Function::Create(type, GlobalValue::PrivateLinkage, name, module);
  Function *caller = b.GetInsertBlock()->getParent();
  for (const char *kind : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"})
    if (caller->hasFnAttribute(kind))
      function->addFnAttr(caller->getFnAttribute(kind));
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::NoInline);
  function->addFnAttr(Attribute::WillReturn);
  function->setMemoryEffects(MemoryEffects::none());
  return function;
}

Value *callShared(IRBuilderBase &b, StringRef name, ArrayRef<Value *> arguments, Type *resultType,
                  function_ref<Value *(IRBuilderBase &, ArrayRef<Value *>)> body) {
  Module &module = *b.GetInsertBlock()->getModule();
  std::string symbol = ("tenon.math." + name + "." + typeSuffix(arguments[0]->getType())).str();
  Function *function = module.getFunction(symbol);
  if (!function) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    function = createShared(b, module, symbol, FunctionType::get(resultType, types, false));
    IRBuilder<> inner(BasicBlock::Create(b.getContext(), "entry", function));
    SmallVector<Value *> parameters;
    for (Argument &argument : function->args())
      parameters.push_back(&argument);
    inner.CreateRet(body(inner, parameters));
  }
  return b.CreateCall(function, arguments);
}

F callShared(StringRef name, F x, function_ref<F(F)> body) {
  return {x.b, callShared(*x.b, name, {x.v}, x.v->getType(),
                          [&](IRBuilderBase &b, ArrayRef<Value *> a) { return body(F{&b, a[0]}).v; })};
}
F callShared(StringRef name, F x, F y, function_ref<F(F, F)> body) {
  return {x.b, callShared(*x.b, name, {x.v, y.v}, x.v->getType(),
                          [&](IRBuilderBase &b, ArrayRef<Value *> a) { return body(F{&b, a[0]}, F{&b, a[1]}).v; })};
}

// --- Tables ---

static GlobalVariable *tableOf(IRBuilderBase &b, StringRef name, Constant *data) {
  Module &module = *b.GetInsertBlock()->getModule();
  std::string symbol = ("tenon.math." + name).str();
  GlobalVariable *table = module.getNamedGlobal(symbol);
  if (!table) {
    table = new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, symbol);
    table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    table->setAlignment(Align(64));
  }
  return table;
}

static Value *gatherTable(IRBuilderBase &b, StringRef name, Constant *data, Type *elementType, Value *index) {
  GlobalVariable *table = tableOf(b, name, data);
  Align align(elementType->getPrimitiveSizeInBits() / 8);
  Value *address =
      b.CreateInBoundsGEP(elementType, table, b.CreateZExt(index, sameLanes(b.getInt64Ty(), index->getType())));
  if (!index->getType()->isVectorTy())
    return b.CreateAlignedLoad(elementType, address, align);
  return b.CreateMaskedGather(sameLanes(elementType, index->getType()), address, align);
}

F lookupOfEight(StringRef name, ArrayRef<double> table, I index) {
  assert(table.size() == 8 && index.v->getType()->getScalarSizeInBits() == 32);
  IRBuilderBase &b = *index.b;
  SmallVector<float, 8> words(table.begin(), table.end());
  const InstructionSet &instructions = instructionsOf(b);
  unsigned total = laneCount(index.v->getType());
  if (unsigned lanes = total > 1 ? instructions.permutedLanes(total) : 0) {
    Value *like = PoisonValue::get(sameLanes(b.getFloatTy(), index.v->getType()));
    return {&b, byRegister(b, like, index.v, lanes,
                           [&](ArrayRef<Value *> parts) { return instructions.permute(b, words, parts[0]); })};
  }
  return {&b, gatherTable(b, name, ConstantDataArray::get(b.getContext(), ArrayRef<float>(words)), b.getFloatTy(),
                          (index & 7).v)};
}

// The floats of a row follow each other. Rows are an odd number of loads apart, so that loads at eight indices find
// words in different banks of memory on chip.
SmallVector<F> lookupRowOfEight(StringRef name, ArrayRef<ArrayRef<double>> tables, I index) {
  IRBuilderBase &b = *index.b;
  const unsigned width = instructionsOf(b).rowFloats();
  if (width == 0)
    return {};
  const size_t loads = divideCeil(tables.size(), width) | 1, stride = loads * width;
  SmallVector<float> words(8 * stride);
  for (auto [column, table] : enumerate(tables))
    for (auto [row, value] : enumerate(table))
      words[row * stride + column] = float(value);
  GlobalVariable *rows = tableOf(b, name, ConstantDataArray::get(b.getContext(), ArrayRef<float>(words)));
  Type *type = sameLanes(b.getFloatTy(), index.v->getType());
  SmallVector<Value *> found(tables.size(), PoisonValue::get(type));
  Value *eighth = (index & 7).v;
  for (unsigned lane = 0, lanes = laneCount(type); lane < lanes; ++lane) {
    Value *row = type->isVectorTy() ? b.CreateExtractElement(eighth, lane) : eighth;
    Value *first = b.CreateMul(b.CreateZExt(row, b.getInt64Ty()), b.getInt64(stride));
    Value *loaded = nullptr;
    for (auto [column, value] : enumerate(found)) {
      if (column % width == 0) {
        Value *address = b.CreateInBoundsGEP(b.getFloatTy(), rows, b.CreateAdd(first, b.getInt64(column)));
        loaded = b.CreateAlignedLoad(FixedVectorType::get(b.getFloatTy(), width), address, Align(4 * width));
      }
      Value *element = b.CreateExtractElement(loaded, column % width);
      value = type->isVectorTy() ? b.CreateInsertElement(value, element, lane) : element;
    }
  }
  return map_to_vector(found, [&](Value *value) { return F{&b, value}; });
}

I lookup(StringRef name, ArrayRef<uint64_t> table, I index) {
  IRBuilderBase &b = *index.b;
  if (index.v->getType()->getScalarSizeInBits() == 64)
    return {&b, gatherTable(b, name, ConstantDataArray::get(b.getContext(), table), b.getInt64Ty(), index.v)};
  SmallVector<uint32_t> words(table.begin(), table.end());
  return {&b, gatherTable(b, name, ConstantDataArray::get(b.getContext(), words), b.getInt32Ty(), index.v)};
}
F lookup(StringRef name, ArrayRef<double> table, I index) {
  IRBuilderBase &b = *index.b;
  return {&b, gatherTable(b, name, ConstantDataArray::get(b.getContext(), table), b.getDoubleTy(), index.v)};
}

} // namespace tenon::codegen::math

#include "tenon/codegen/llvm/element/element.h"

#include "tenon/codegen/common/interface/constant_data.h"
#include "tenon/codegen/llvm/element/kind.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen {

// --- Types ---

bool isElementTypeSupported(mlir::Type type) {
  if (auto complex = dyn_cast<mlir::ComplexType>(type))
    type = complex.getElementType();
  else if (auto integer = dyn_cast<mlir::IntegerType>(type))
    return is_contained({1u, 2u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
  else if (auto real = dyn_cast<mlir::FloatType>(type))
    return real.getWidth() <= 8 || is_contained({16u, 32u, 64u}, real.getWidth());
  return type.isF32() || type.isF64();
}

Type *storageType(LLVMContext &context, mlir::Type type) {
  if (auto complex = dyn_cast<mlir::ComplexType>(type))
    return storageType(context, complex.getElementType());
  // Not bfloat: LLVM carries a scalar bfloat from block to block as a float and rounds it back with a library call
  // (or with vcvtneps2bf16, which flushes subnormals).
  if (type.isBF16())
    return Type::getInt16Ty(context);
  if (type.isF16())
    return Type::getHalfTy(context);
  if (type.isF32())
    return Type::getFloatTy(context);
  if (type.isF64())
    return Type::getDoubleTy(context);
  if (isa<mlir::FloatType>(type))
    return Type::getInt8Ty(context);
  return Type::getIntNTy(context, std::max(8u, cast<mlir::IntegerType>(type).getWidth()));
}

int64_t storageBytes(mlir::Type type) {
  if (auto complex = dyn_cast<mlir::ComplexType>(type))
    return 2 * storageBytes(complex.getElementType());
  return std::max(8u, type.getIntOrFloatBitWidth()) / 8;
}

Type *valueType(LLVMContext &context, mlir::Type type, unsigned lanes) {
  Type *scalar = type.isInteger(1) ? Type::getInt1Ty(context) : storageType(context, type);
  return lanes > 1 ? FixedVectorType::get(scalar, lanes) : scalar;
}

// --- Memory ---

namespace {

struct Access {
  Type *type; // what is loaded or stored for all lanes, one part of a complex element twice
  Align align;
};

bool isComplex(mlir::Type type) { return isa<mlir::ComplexType>(type); }

Access accessOf(LLVMContext &context, mlir::Type type, unsigned lanes) {
  Type *scalar = storageType(context, type);
  unsigned count = lanes * (isComplex(type) ? 2 : 1);
  return {count > 1 ? FixedVectorType::get(scalar, count) : scalar, Align(scalar->getScalarSizeInBits() / 8)};
}

// Storage form to value form and back, of one part.
Value *fromStorage(IRBuilderBase &b, mlir::Type type, Value *v) {
  return type.isInteger(1) ? b.CreateICmpNE(v, Constant::getNullValue(v->getType())) : v;
}
Value *toStorage(IRBuilderBase &b, mlir::Type type, Value *v) {
  return type.isInteger(1) ? b.CreateZExt(v, v->getType()->getWithNewBitWidth(8)) : v;
}

Element deinterleave(IRBuilderBase &b, Value *both, unsigned lanes) {
  if (lanes == 1)
    return {b.CreateExtractElement(both, uint64_t(0)), b.CreateExtractElement(both, uint64_t(1))};
  SmallVector<int> even, odd;
  for (unsigned i = 0; i < lanes; ++i) {
    even.push_back(2 * i);
    odd.push_back(2 * i + 1);
  }
  return {b.CreateShuffleVector(both, even), b.CreateShuffleVector(both, odd)};
}

Value *interleave(IRBuilderBase &b, Element value, unsigned lanes) {
  if (lanes == 1) {
    Value *both = PoisonValue::get(FixedVectorType::get(value.re->getType(), 2));
    both = b.CreateInsertElement(both, value.re, uint64_t(0));
    return b.CreateInsertElement(both, value.im, uint64_t(1));
  }
  SmallVector<int> order;
  for (unsigned i = 0; i < lanes; ++i) {
    order.push_back(i);
    order.push_back(lanes + i);
  }
  return b.CreateShuffleVector(value.re, value.im, order);
}

// The access of elements by mask: of pairs of floats, of as many words of 64 bits, for which processors have masks, so
// that none is made of parts.
Access maskedAccessOf(IRBuilderBase &b, mlir::Type type, unsigned lanes, const Access &access) {
  bool isPair = isComplex(type) && access.type->getScalarSizeInBits() == 32;
  return isPair && lanes > 1 ? Access{FixedVectorType::get(b.getInt64Ty(), lanes), access.align} : access;
}

// The mask of what the access loads or stores from that of the elements.
Value *maskOfAccess(IRBuilderBase &b, mlir::Type type, Value *mask, unsigned lanes) {
  if (!isComplex(type))
    return mask;
  if (lanes == 1)
    return b.CreateVectorSplat(2, mask);
  if (llvm::cast<mlir::ComplexType>(type).getElementType().isF32())
    return mask;
  SmallVector<int> twice;
  for (unsigned i = 0; i < lanes; ++i)
    twice.append(2, i);
  return b.CreateShuffleVector(mask, twice);
}

Value *loadAccess(IRBuilderBase &b, const Access &access, Value *ptr, Value *mask) {
  if (!mask)
    return b.CreateAlignedLoad(access.type, ptr, access.align);
  if (access.type->isVectorTy())
    return b.CreateMaskedLoad(access.type, ptr, access.align, mask, Constant::getNullValue(access.type));
  // A masked scalar: a vector of one.
  auto *vector = FixedVectorType::get(access.type, 1);
  Value *lane =
      b.CreateMaskedLoad(vector, ptr, access.align, b.CreateVectorSplat(1, mask), Constant::getNullValue(vector));
  return b.CreateExtractElement(lane, uint64_t(0));
}

// The lane that a constant mask selects when it is but one.
std::optional<uint64_t> onlyLane(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  std::optional<uint64_t> only;
  for (unsigned i = 0; constant && type && i < type->getNumElements(); ++i) {
    Constant *lane = constant->getAggregateElement(i);
    if (!lane || lane->isNullValue())
      continue;
    if (only)
      return std::nullopt;
    only = i;
  }
  return only;
}

void storeAccess(IRBuilderBase &b, const Access &access, Value *value, Value *ptr, Value *mask) {
  if (!mask) {
    b.CreateAlignedStore(value, ptr, access.align);
    return;
  }
  // LLVM 22 makes a scalar store of it for x86, too, but of the wider type when the store has taken in a truncation
  // (X86ISelLowering.cpp, reduceMaskedStoreToScalarStore): it would write beyond the lane.
  if (std::optional<uint64_t> lane = onlyLane(mask)) {
    Value *address = b.CreateConstGEP1_64(access.type->getScalarType(), ptr, *lane);
    b.CreateAlignedStore(b.CreateExtractElement(value, *lane), address, access.align);
    return;
  }
  if (!access.type->isVectorTy()) {
    value = b.CreateVectorSplat(1, value);
    mask = b.CreateVectorSplat(1, mask);
  }
  b.CreateMaskedStore(value, ptr, access.align, mask);
}

Value *partAddress(IRBuilderBase &b, mlir::Type type, Value *base, Value *indices, int part) {
  Type *index = indices->getType()->getWithNewBitWidth(64);
  Value *wide = b.CreateSExtOrTrunc(indices, index);
  Type *scalar = storageType(b.getContext(), type);
  if (isComplex(type))
    wide = b.CreateAdd(b.CreateShl(wide, 1), ConstantInt::get(index, part));
  return b.CreateGEP(scalar, base, wide);
}

} // namespace

Value *elementAddress(IRBuilderBase &builder, mlir::Type type, Value *base, Value *index) {
  return partAddress(builder, type, base, index, 0);
}

Element loadElements(IRBuilderBase &builder, mlir::Type type, Value *ptr, unsigned lanes, Value *mask) {
  Access access = accessOf(builder.getContext(), type, lanes);
  Value *loaded = nullptr;
  if (mask) {
    Access masked = maskedAccessOf(builder, type, lanes, access);
    loaded = loadAccess(builder, masked, ptr, maskOfAccess(builder, type, mask, lanes));
    loaded = builder.CreateBitCast(loaded, access.type);
  } else {
    loaded = loadAccess(builder, access, ptr, nullptr);
  }
  if (isComplex(type))
    return deinterleave(builder, loaded, lanes);
  return {fromStorage(builder, type, loaded)};
}

void storeElements(IRBuilderBase &builder, mlir::Type type, Element value, Value *ptr, unsigned lanes, Value *mask) {
  Access access = accessOf(builder.getContext(), type, lanes);
  Value *stored = isComplex(type) ? interleave(builder, value, lanes) : toStorage(builder, type, value.re);
  if (mask) {
    access = maskedAccessOf(builder, type, lanes, access);
    stored = builder.CreateBitCast(stored, access.type);
    mask = maskOfAccess(builder, type, mask, lanes);
  }
  storeAccess(builder, access, stored, ptr, mask);
}

Element gatherElements(IRBuilderBase &builder, mlir::Type type, Value *base, Value *indices, unsigned lanes,
                       Value *mask) {
  if (lanes == 1)
    return loadElements(builder, type, elementAddress(builder, type, base, indices), 1, mask);
  Type *scalar = storageType(builder.getContext(), type);
  Type *vector = FixedVectorType::get(scalar, lanes);
  Align align(scalar->getScalarSizeInBits() / 8);
  if (isComplex(type) && scalar->isFloatTy()) { // as words of both parts
    Type *words = FixedVectorType::get(builder.getInt64Ty(), lanes);
    Value *wide = builder.CreateSExtOrTrunc(indices, words);
    Value *passThrough = mask ? Constant::getNullValue(words) : nullptr;
    Value *gathered = builder.CreateMaskedGather(words, builder.CreateGEP(builder.getInt64Ty(), base, wide), align,
                                                 mask, passThrough);
    return deinterleave(builder, builder.CreateBitCast(gathered, FixedVectorType::get(scalar, 2 * lanes)), lanes);
  }
  auto gather = [&](int part) {
    Value *addresses = partAddress(builder, type, base, indices, part);
    Value *passThrough = mask ? Constant::getNullValue(vector) : nullptr;
    return fromStorage(builder, type, builder.CreateMaskedGather(vector, addresses, align, mask, passThrough));
  };
  Element result{gather(0)};
  if (isComplex(type))
    result.im = gather(1);
  return result;
}

void scatterElements(IRBuilderBase &builder, mlir::Type type, Element value, Value *base, Value *indices,
                     unsigned lanes, Value *mask) {
  if (lanes == 1)
    return storeElements(builder, type, value, elementAddress(builder, type, base, indices), 1, mask);
  Align align(storageType(builder.getContext(), type)->getScalarSizeInBits() / 8);
  auto scatter = [&](Value *part, int index) {
    Value *addresses = partAddress(builder, type, base, indices, index);
    builder.CreateMaskedScatter(toStorage(builder, type, part), addresses, align, mask);
  };
  scatter(value.re, 0);
  if (value.im)
    scatter(value.im, 1);
}

// --- Values ---

static Element mapParts(Element e, function_ref<Value *(Value *)> f) { return {f(e.re), e.im ? f(e.im) : nullptr}; }

Element splat(IRBuilderBase &builder, Element scalar, unsigned lanes) {
  if (lanes == 1)
    return scalar;
  return mapParts(scalar, [&](Value *v) { return builder.CreateVectorSplat(lanes, v); });
}

Element extractLane(IRBuilderBase &builder, Element vector, Value *lane) {
  return mapParts(vector, [&](Value *v) { return builder.CreateExtractElement(v, lane); });
}

Element insertLane(IRBuilderBase &builder, Element vector, Element scalar, Value *lane) {
  return {builder.CreateInsertElement(vector.re, scalar.re, lane),
          vector.im ? builder.CreateInsertElement(vector.im, scalar.im, lane) : nullptr};
}

Element shuffleLanes(IRBuilderBase &builder, Element a, Element b, ArrayRef<int> lanes) {
  auto shuffle = [&](Value *x, Value *y) {
    return y ? builder.CreateShuffleVector(x, y, lanes) : builder.CreateShuffleVector(x, lanes);
  };
  return {shuffle(a.re, b.re), a.im ? shuffle(a.im, b.im) : nullptr};
}

Element selectElement(IRBuilderBase &builder, Value *condition, Element a, Element b) {
  return {builder.CreateSelect(condition, a.re, b.re), a.im ? builder.CreateSelect(condition, a.im, b.im) : nullptr};
}

Element zeroElement(LLVMContext &context, mlir::Type type, unsigned lanes) {
  Value *zero = Constant::getNullValue(valueType(context, type, lanes));
  return {zero, isComplex(type) ? zero : nullptr};
}

Element constantElement(LLVMContext &context, mlir::Type type, const APInt &value, unsigned lanes) {
  Type *to = valueType(context, type, lanes);
  unsigned width = to->getScalarSizeInBits();
  return {ConstantInt::get(to, isUnsignedInteger(type) ? value.zextOrTrunc(width) : value.sextOrTrunc(width))};
}

Element constantElement(LLVMContext &context, mlir::Type type, const APFloat &value, unsigned lanes) {
  Type *to = valueType(context, type, lanes);
  if (to->isIntOrIntVectorTy()) // bf16 and the small floats
    return {ConstantInt::get(to, value.bitcastToAPInt().zextOrTrunc(to->getScalarSizeInBits()))};
  return {ConstantFP::get(to, value)};
}

Element constantElement(LLVMContext &context, mlir::Type type, const APFloat &re, const APFloat &im, unsigned lanes) {
  Type *to = valueType(context, type, lanes);
  return {ConstantFP::get(to, re), ConstantFP::get(to, im)};
}

FailureOr<Element> constantElement(LLVMContext &context, mlir::Type type, mlir::Attribute value, unsigned lanes) {
  if (auto array = dyn_cast<mlir::DenseElementsAttr>(value)) {
    if (array.getNumElements() < 1 || !(array.isSplat() || array.getNumElements() == 1))
      return failure();
    return constantElement(context, array, 0, lanes);
  }
  if (auto integer = dyn_cast<mlir::IntegerAttr>(value))
    return constantElement(context, type, integer.getValue(), lanes);
  if (auto number = dyn_cast<mlir::FloatAttr>(value))
    return constantElement(context, type, number.getValue(), lanes);
  auto parts = dyn_cast<mlir::ArrayAttr>(value);
  if (!parts || parts.size() != 2 || !isComplex(type))
    return failure();
  auto re = dyn_cast<mlir::FloatAttr>(parts[0]), im = dyn_cast<mlir::FloatAttr>(parts[1]);
  if (!re || !im)
    return failure();
  return constantElement(context, type, re.getValue(), im.getValue(), lanes);
}

Element constantElement(LLVMContext &context, mlir::DenseElementsAttr array, int64_t index, unsigned lanes) {
  mlir::Type type = array.getElementType();
  if (array.isSplat())
    index = 0;
  if (isComplex(type)) {
    auto value = *(array.value_begin<std::complex<APFloat>>() + index);
    return constantElement(context, type, value.real(), value.imag(), lanes);
  }
  if (isa<mlir::FloatType>(type))
    return constantElement(context, type, *(array.value_begin<APFloat>() + index), lanes);
  return constantElement(context, type, *(array.value_begin<APInt>() + index), lanes);
}

FailureOr<llvm::Constant *> constantArray(Module &module, mlir::ElementsAttr value) {
  FailureOr<program::Constant> data = value ? constantData(value) : FailureOr<program::Constant>(failure());
  if (failed(data))
    return failure();
  Constant *bytes =
      ConstantDataArray::get(module.getContext(), ArrayRef<uint8_t>(data->bytes.data(), data->bytes.size()));
  auto *global =
      new GlobalVariable(module, bytes->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, bytes, "constant");
  global->setAlignment(Align(64));
  return global;
}

} // namespace tenon::codegen

#include "tenon/ir/rules.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::stablehlo {

Broken &Broken::operator<<(ArrayRef<int64_t> values) {
  if (!diagnostic_)
    return *this;
  *diagnostic_ << '[';
  llvm::interleaveComma(values, *diagnostic_, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      *diagnostic_ << '?';
    else
      *diagnostic_ << value;
  });
  *diagnostic_ << ']';
  return *this;
}

Broken Rules::broken(const llvm::Twine &label) const {
  if (!location_)
    return Broken(std::nullopt);
  mlir::InFlightDiagnostic diagnostic =
      op_ ? op_->emitOpError() : mlir::emitError(*location_) << "'" << name_ << "' op ";
  diagnostic << label << ": ";
  return Broken(std::move(diagnostic));
}

Broken Rules::broken(int constraint) const { return broken(mnemonic() + "_c" + llvm::Twine(constraint)); }

bool compatibleShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return compatible(std::get<0>(pair), std::get<1>(pair));
         });
}

bool compatibleTypes(Type a, Type b) {
  if (a == b)
    return true;
  if (auto tupleA = llvm::dyn_cast<mlir::TupleType>(a)) {
    auto tupleB = llvm::dyn_cast<mlir::TupleType>(b);
    return tupleB && tupleA.size() == tupleB.size() &&
           llvm::all_of(llvm::zip_equal(tupleA.getTypes(), tupleB.getTypes()),
                        [](auto pair) { return compatibleTypes(std::get<0>(pair), std::get<1>(pair)); });
  }
  auto tensorA = llvm::dyn_cast<RankedTensorType>(a);
  auto tensorB = llvm::dyn_cast<RankedTensorType>(b);
  return tensorA && tensorB && compatibleShapes(tensorA.getShape(), tensorB.getShape()) &&
         compatibleElements(tensorA.getElementType(), tensorB.getElementType());
}

RankedTensorType mostSpecific(ArrayRef<RankedTensorType> types) {
  SmallVector<int64_t> shape(types.front().getShape());
  SmallVector<int64_t> bounds(ir::dimensionBounds(types.front()));
  for (RankedTensorType type : types.drop_front()) {
    for (auto [size, other] : llvm::zip(shape, type.getShape()))
      if (ShapedType::isDynamic(size))
        size = other;
    ArrayRef<int64_t> otherBounds = ir::dimensionBounds(type);
    if (bounds.empty())
      bounds.assign(otherBounds.begin(), otherBounds.end());
    for (auto [bound, other] : llvm::zip(bounds, otherBounds))
      if (ShapedType::isDynamic(bound) || (!ShapedType::isDynamic(other) && other < bound))
        bound = other;
  }
  return makeTensor(shape, types.front().getElementType(), bounds);
}

RankedTensorType makeTensor(ArrayRef<int64_t> shape, Type element, ArrayRef<int64_t> bounds) {
  SmallVector<int64_t> kept(bounds);
  for (auto [bound, size] : llvm::zip(kept, shape))
    if (!ShapedType::isDynamic(size))
      bound = ShapedType::kDynamic;
  bool bounded = llvm::any_of(kept, [](int64_t bound) { return !ShapedType::isDynamic(bound); });
  return RankedTensorType::get(shape, element,
                               bounded ? TypeExtensionsAttr::get(element.getContext(), kept) : mlir::Attribute());
}

} // namespace tenon::stablehlo

#include "tenon/passes/partition/local/places.h"

#include "tenon/ir/types.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {

RankedTensorType localType(RankedTensorType global, const ir::Sharding &sharding) {
  SmallVector<int64_t> sizes(global.getShape());
  for (auto [size, cut] : llvm::zip_equal(sizes, sharding.dims))
    size = llvm::divideCeil(size, ir::partsOf(cut.axes));
  return global.clone(sizes);
}

bool isUneven(RankedTensorType global, const ir::Sharding &sharding, int64_t dimension) {
  return global.getDimSize(dimension) % ir::partsOf(sharding.dims[dimension].axes) != 0;
}

// This device's place on the mesh, as u32. Where the mesh lists its devices, it is looked up.
static Value placeOnMesh(ArrayBuilder &builder, const ir::Mesh &mesh) {
  auto scalar = RankedTensorType::get({}, builder.builder.getIntegerType(32, /*isSigned=*/false));
  Value id = sh::PartitionIdOp::create(builder.builder, builder.loc, scalar);
  if (mesh.ids.empty())
    return id;
  SmallVector<uint32_t> places(mesh.ids.size());
  for (auto [place, device] : llvm::enumerate(mesh.ids))
    places[device] = static_cast<uint32_t>(place);
  auto tableType = scalar.clone({static_cast<int64_t>(places.size())});
  Value table = sh::ConstantOp::create(builder.builder, builder.loc,
                                       DenseElementsAttr::get(tableType, ArrayRef<uint32_t>(places)));
  Value entry = sh::DynamicSliceOp::create(builder.builder, builder.loc, scalar.clone({1}), table, ValueRange{id},
                                           ArrayRef<int64_t>{1});
  return builder.reshape(entry, {});
}

Value partNumber(ArrayBuilder &builder, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  Value number;
  Value place = axes.empty() ? Value() : placeOnMesh(builder, mesh);
  Type u32 = builder.builder.getIntegerType(32, /*isSigned=*/false);
  for (const ir::Atom &atom : axes) {
    int64_t stride = mesh.axes[atom.axis].size / atom.end();
    for (size_t inner = atom.axis + 1; inner < mesh.axes.size(); ++inner)
      stride *= mesh.axes[inner].size;
    Value digit = place;
    if (stride > 1)
      digit = builder.divide(digit, builder.fill(u32, {}, static_cast<double>(stride)));
    if (stride * atom.size < mesh.size())
      digit = builder.binary<sh::RemainderOp>(digit, builder.fill(u32, {}, static_cast<double>(atom.size)));
    number = number
                 ? builder.add(builder.multiply(number, builder.fill(u32, {}, static_cast<double>(atom.size))), digit)
                 : digit;
  }
  if (!number)
    return builder.i32(0);
  return sh::ConvertOp::create(builder.builder, builder.loc, ir::typeOf(number).clone(builder.builder.getI32Type()),
                               number);
}

Value partStart(ArrayBuilder &builder, RankedTensorType global, const ir::Sharding &sharding, int64_t dimension) {
  const ir::Axes &axes = sharding.dims[dimension].axes;
  if (axes.empty())
    return builder.i32(0);
  int64_t size = localType(global, sharding).getDimSize(dimension);
  Value number = partNumber(builder, *sharding.mesh, axes);
  return size == 1 ? number : builder.multiply(number, builder.i32(size));
}

Value withoutPadding(ArrayBuilder &builder, Value local, RankedTensorType global, const ir::Sharding &sharding,
                     int64_t dimension, Value filler) {
  if (!isUneven(global, sharding, dimension))
    return local;
  ArrayRef<int64_t> sizes = ir::typeOf(local).getShape();
  // Counted from the part's start: numbers in the array may not fit.
  Value left =
      builder.subtract(builder.i32(global.getDimSize(dimension)), partStart(builder, global, sharding, dimension));
  Value isThere =
      builder.compare(builder.iota(sizes, dimension), sh::ComparisonDirection::LT, builder.broadcast(left, sizes, {}));
  return builder.select(isThere, local, builder.broadcast(filler, sizes, {}));
}

Value neutralElement(ArrayBuilder &builder, Type element, SumKind kind) {
  if (kind == SumKind::kAdd && isa<FloatType>(element)) // which leaves the sign of a zero as it is
    return builder.fill(element, {}, -0.0);
  if (auto complexType = dyn_cast<ComplexType>(element); complexType && kind == SumKind::kAdd)
    return builder.constant(complexType, {}, {{-0.0, -0.0}});
  if (kind == SumKind::kAdd || kind == SumKind::kMultiply)
    return builder.fill(element, {}, kind == SumKind::kAdd ? 0 : 1);
  auto scalar = RankedTensorType::get({}, element);
  bool isLowest = kind == SumKind::kMaximum || kind == SumKind::kOr;
  auto constant = [&](Attribute value) -> Value {
    return sh::ConstantOp::create(builder.builder, builder.loc, DenseElementsAttr::get(scalar, value));
  };
  if (auto floats = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    APFloat value = APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics, isLowest)
                                                        : APFloat::getLargest(semantics, isLowest);
    return constant(FloatAttr::get(floats, value));
  }
  auto integers = cast<IntegerType>(element);
  unsigned width = integers.getWidth();
  bool isSigned = !integers.isUnsigned() && width > 1 && kind != SumKind::kAnd && kind != SumKind::kOr;
  APInt value = isLowest ? (isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width))
                         : (isSigned ? APInt::getSignedMaxValue(width) : APInt::getAllOnes(width));
  return constant(IntegerAttr::get(integers, value));
}

std::optional<sdy::ReductionOp> reductionOf(SumKind kind) {
  switch (kind) {
  case SumKind::kAdd:
    return sdy::ReductionOp::SUM;
  case SumKind::kMaximum:
    return sdy::ReductionOp::MAX;
  case SumKind::kMinimum:
    return sdy::ReductionOp::MIN;
  case SumKind::kMultiply:
  case SumKind::kAnd:
  case SumKind::kOr:
    return std::nullopt;
  }
  return std::nullopt;
}

SumKind kindOf(sdy::ReductionOp reduction) {
  switch (reduction) {
  case sdy::ReductionOp::SUM:
    return SumKind::kAdd;
  case sdy::ReductionOp::MAX:
    return SumKind::kMaximum;
  case sdy::ReductionOp::MIN:
    return SumKind::kMinimum;
  }
  llvm_unreachable("unknown kind");
}

} // namespace tenon::passes::partition

#include "tenon/passes/legalize/decompose/array_builder.h"

#include "tenon/ir/tf32.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

using ir::typeOf;

Value ArrayBuilder::compare(Value a, sh::ComparisonDirection direction, Value b) {
  return sh::CompareOp::create(builder, loc, typeOf(a).clone(builder.getI1Type()), a, b, direction,
                               sh::ComparisonTypeAttr());
}

Value ArrayBuilder::fill(Type element, Sizes sizes, double value) {
  auto type = RankedTensorType::get(sizes, element);
  if (auto complexType = dyn_cast<ComplexType>(element)) {
    Value scalar = constant(complexType, {}, {{value, 0}});
    return sizes.empty() ? scalar : broadcast(scalar, sizes, {});
  }
  if (isa<FloatType>(element))
    return sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getFloatAttr(element, value)));
  return sh::ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(type, builder.getIntegerAttr(element, int64_t(value))));
}

Value ArrayBuilder::constant(ComplexType element, Sizes sizes, ArrayRef<std::complex<double>> values) {
  auto type = RankedTensorType::get(sizes, element);
  if (element.getElementType().isF64()) {
    ArrayRef<char> bytes(reinterpret_cast<const char *>(values.data()), values.size() * sizeof values[0]);
    return sh::ConstantOp::create(builder, loc, DenseElementsAttr::getFromRawBuffer(type, bytes));
  }
  std::vector<std::complex<float>> narrow(values.begin(), values.end());
  ArrayRef<char> bytes(reinterpret_cast<const char *>(narrow.data()), narrow.size() * sizeof narrow[0]);
  return sh::ConstantOp::create(builder, loc, DenseElementsAttr::getFromRawBuffer(type, bytes));
}

Value ArrayBuilder::i32(int64_t value) { return fill(builder.getI32Type(), {}, double(value)); }

Value ArrayBuilder::iota(Sizes sizes, int64_t dimension) {
  return sh::IotaOp::create(builder, loc, RankedTensorType::get(sizes, builder.getI32Type()), dimension);
}

Value ArrayBuilder::toComplex(Value real) {
  auto type = typeOf(real);
  return sh::ComplexOp::create(builder, loc, type.clone(ComplexType::get(type.getElementType())), real,
                               fill(type.getElementType(), type.getShape(), 0));
}

Value ArrayBuilder::realPart(Value value) {
  auto complexType = dyn_cast<ComplexType>(typeOf(value).getElementType());
  return complexType ? sh::RealOp::create(builder, loc, typeOf(value).clone(complexType.getElementType()), value)
                     : value;
}

Value ArrayBuilder::conjugate(Value value) {
  auto complexType = dyn_cast<ComplexType>(typeOf(value).getElementType());
  if (!complexType)
    return value;
  auto part = typeOf(value).clone(complexType.getElementType());
  Value imaginary = sh::ImagOp::create(builder, loc, part, value);
  return sh::ComplexOp::create(builder, loc, value.getType(), realPart(value), unary<sh::NegateOp>(imaginary));
}

Value ArrayBuilder::reshape(Value value, Sizes sizes) {
  return sh::ReshapeOp::create(builder, loc, typeOf(value).clone(sizes), value);
}

Value ArrayBuilder::transpose(Value value, Sizes permutation) {
  SmallVector<int64_t> sizes;
  for (int64_t dimension : permutation)
    sizes.push_back(typeOf(value).getDimSize(dimension));
  return sh::TransposeOp::create(builder, loc, typeOf(value).clone(sizes), value, permutation);
}

Value ArrayBuilder::broadcast(Value value, Sizes sizes, Sizes dimensions) {
  return sh::BroadcastInDimOp::create(builder, loc, typeOf(value).clone(sizes), value, dimensions);
}

Value ArrayBuilder::slice(Value value, Sizes start, Sizes limit) {
  SmallVector<int64_t> sizes, strides(start.size(), 1);
  for (auto [low, high] : llvm::zip_equal(start, limit))
    sizes.push_back(high - low);
  return sh::SliceOp::create(builder, loc, typeOf(value).clone(sizes), value, start, limit, strides);
}

Value ArrayBuilder::padLast(Value value, int64_t size) {
  SmallVector<int64_t> sizes(typeOf(value).getShape()), none(sizes.size(), 0), high(sizes.size(), 0);
  high.back() = size - sizes.back();
  sizes.back() = size;
  return sh::PadOp::create(builder, loc, typeOf(value).clone(sizes), value, fill(typeOf(value).getElementType(), {}, 0),
                           none, high, none);
}

Value ArrayBuilder::reverseLast(Value value) {
  return sh::ReverseOp::create(builder, loc, value.getType(), value, ArrayRef<int64_t>{typeOf(value).getRank() - 1});
}

Value ArrayBuilder::concatenateLast(Value a, Value b) {
  SmallVector<int64_t> sizes(typeOf(a).getShape());
  sizes.back() += typeOf(b).getShape().back();
  return sh::ConcatenateOp::create(builder, loc, typeOf(a).clone(sizes), ValueRange{a, b}, int64_t(sizes.size()) - 1);
}

Value ArrayBuilder::sum(Value value, Sizes dimensions) {
  RankedTensorType type = typeOf(value), scalar = type.clone(ArrayRef<int64_t>{});
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dimensions, int64_t(dim)))
      kept.push_back(size);
  auto reduce = sh::ReduceOp::create(builder, loc, TypeRange(type.clone(kept)), value,
                                     fill(type.getElementType(), {}, 0), dimensions);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value total = add(body->getArgument(0), body->getArgument(1));
  sh::ReturnOp::create(builder, loc, total);
  return reduce.getResult(0);
}

Value ArrayBuilder::product(Value lhs, Value rhs, const ProductDims &dims) {
  SmallVector<int64_t> sizes;
  for (int64_t dimension : dims.lhsBatch)
    sizes.push_back(typeOf(lhs).getDimSize(dimension));
  auto addFree = [&](Value operand, Sizes batch, Sizes summed) {
    for (auto [dimension, size] : llvm::enumerate(typeOf(operand).getShape()))
      if (!llvm::is_contained(batch, int64_t(dimension)) && !llvm::is_contained(summed, int64_t(dimension)))
        sizes.push_back(size);
  };
  addFree(lhs, dims.lhsBatch, dims.lhsSummed);
  addFree(rhs, dims.rhsBatch, dims.rhsSummed);
  auto numbers = sh::DotDimensionNumbersAttr::get(builder.getContext(), dims.lhsBatch, dims.rhsBatch, dims.lhsSummed,
                                                  dims.rhsSummed);
  return sh::DotGeneralOp::create(builder, loc, typeOf(lhs).clone(sizes), lhs, rhs, numbers,
                                  ir::highestPrecision(builder.getContext()), sh::DotAlgorithmAttr());
}

SmallVector<Value> ArrayBuilder::startsOf(Value value, int64_t dimension, Value at) {
  SmallVector<Value> starts(typeOf(value).getRank(), i32(0));
  starts[dimension] = at;
  return starts;
}

Value ArrayBuilder::line(Value value, int64_t dimension, Value at) {
  SmallVector<int64_t> sizes(typeOf(value).getShape());
  sizes[dimension] = 1;
  return sh::DynamicSliceOp::create(builder, loc, typeOf(value).clone(sizes), value, startsOf(value, dimension, at),
                                    sizes);
}

Value ArrayBuilder::withLine(Value value, int64_t dimension, Value at, Value line) {
  return sh::DynamicUpdateSliceOp::create(builder, loc, value.getType(), value, line, startsOf(value, dimension, at));
}

SmallVector<Value> ArrayBuilder::loop(int64_t turns, ValueRange initial, Body body) {
  SmallVector<Value> operands{i32(0)};
  llvm::append_range(operands, initial);
  SmallVector<Type> types(ValueRange(operands).getTypes());
  SmallVector<Location> locations(types.size(), loc);
  auto loop = sh::WhileOp::create(builder, loc, types, operands);
  OpBuilder::InsertionGuard guard(builder);
  Block *condition = builder.createBlock(&loop.getCond(), {}, types, locations);
  sh::ReturnOp::create(builder, loc, compare(condition->getArgument(0), sh::ComparisonDirection::LT, i32(turns)));
  Block *block = builder.createBlock(&loop.getBody(), {}, types, locations);
  SmallVector<Value> next = body(block->getArgument(0), ValueRange(block->getArguments()).drop_front());
  next.insert(next.begin(), add(block->getArgument(0), i32(1)));
  sh::ReturnOp::create(builder, loc, next);
  return SmallVector<Value>(loop->getResults().drop_front());
}

} // namespace tenon::passes

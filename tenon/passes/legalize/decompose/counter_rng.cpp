#include "tenon/passes/legalize/decompose/counter_rng.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

CounterRng::CounterRng(OpBuilder &builder, Location loc, int64_t count)
    : builder(builder), loc(loc), wide(type(64, count)), narrow(type(32, count)) {}

RankedTensorType CounterRng::type(unsigned bits, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, builder.getIntegerType(bits, /*isSigned=*/false));
}

Value CounterRng::constant(RankedTensorType type, uint64_t value) {
  APInt bits(type.getElementTypeBitWidth(), value);
  return sh::ConstantOp::create(builder, loc, SplatElementsAttr::get(type, bits));
}

Value CounterRng::high(Value word64) {
  return convert(binary<sh::ShiftRightLogicalOp>(word64, constant(wide, 32)), narrow);
}

Value CounterRng::join(Value lowWord, Value highWord) {
  Value shifted = binary<sh::ShiftLeftOp>(convert(highWord, wide), constant(wide, 32));
  return binary<sh::OrOp>(convert(lowWord, wide), shifted);
}

Value CounterRng::rotate(Value word, uint32_t by) {
  return binary<sh::OrOp>(binary<sh::ShiftLeftOp>(word, constant32(by)),
                          binary<sh::ShiftRightLogicalOp>(word, constant32(32 - by)));
}

Value CounterRng::reshape(Value value, ArrayRef<int64_t> shape) {
  auto element = cast<RankedTensorType>(value.getType()).getElementType();
  return sh::ReshapeOp::create(builder, loc, RankedTensorType::get(shape, element), value);
}

Value CounterRng::slice(Value value, ArrayRef<int64_t> limit) {
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> start(limit.size(), 0), strides(limit.size(), 1);
  return sh::SliceOp::create(builder, loc, RankedTensorType::get(limit, from.getElementType()), value, start, limit,
                             strides);
}

Value CounterRng::broadcastTo(Value scalar) {
  return sh::BroadcastInDimOp::create(builder, loc, wide, scalar, ArrayRef<int64_t>{});
}

Value CounterRng::broadcastTo(Value vector, int64_t i) {
  int64_t start[] = {i}, limit[] = {i + 1}, one[] = {1};
  Value element = sh::SliceOp::create(builder, loc, type(64, {1}), vector, start, limit, one);
  return sh::BroadcastInDimOp::create(builder, loc, wide, element, ArrayRef<int64_t>{0});
}

Value CounterRng::interleave(ArrayRef<Value> parts) {
  SmallVector<Value> columns;
  for (Value part : parts)
    columns.push_back(reshape(part, {wide.getDimSize(0), 1}));
  auto element = cast<RankedTensorType>(parts[0].getType()).getElementType();
  auto result = RankedTensorType::get({wide.getDimSize(0), int64_t(parts.size())}, element);
  return sh::ConcatenateOp::create(builder, loc, result, columns, 1);
}

std::pair<Value, Value> CounterRng::threeFry(Value key, Value counter) {
  static constexpr uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value keys[3] = {low(key), high(key), {}};
  keys[2] = exclusiveOr(exclusiveOr(keys[0], keys[1]), constant32(0x1BD11BDA));
  Value x = add(low(counter), keys[0]), y = add(high(counter), keys[1]);
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t rotation : rotations[group % 2]) {
      x = add(x, y);
      y = exclusiveOr(rotate(y, rotation), x);
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(add(y, keys[(group + 2) % 3]), constant32(group + 1));
  }
  return {x, y};
}

SmallVector<Value, 4> CounterRng::philox(Value key, Value counterLow, Value counterHigh) {
  Value keys[2] = {low(key), high(key)};
  SmallVector<Value, 4> c{low(counterLow), high(counterLow), low(counterHigh), high(counterHigh)};
  for (int round = 0; round < 10; ++round) {
    Value p = binary<sh::MultiplyOp>(constant(wide, 0xD2511F53), convert(c[0], wide));
    Value q = binary<sh::MultiplyOp>(constant(wide, 0xCD9E8D57), convert(c[2], wide));
    c = {exclusiveOr(exclusiveOr(high(q), c[1]), keys[0]), low(q), exclusiveOr(exclusiveOr(high(p), c[3]), keys[1]),
         low(p)};
    keys[0] = add(keys[0], constant32(0x9E3779B9));
    keys[1] = add(keys[1], constant32(0xBB67AE85));
  }
  return c;
}

} // namespace tenon::passes

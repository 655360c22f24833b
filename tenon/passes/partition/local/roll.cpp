#include "tenon/passes/partition/local/roll.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/halo.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {

// Where the slice begins along the dimension, if all of the others is in it.
static std::optional<int64_t> startOf(sh::SliceOp slice, int64_t dimension, int64_t end) {
  ArrayRef<int64_t> sizes = ir::typeOf(slice.getOperand()).getShape();
  for (auto [i, start, limit, stride] :
       llvm::enumerate(slice.getStartIndices(), slice.getLimitIndices(), slice.getStrides())) {
    bool isRolled = static_cast<int64_t>(i) == dimension;
    if (stride != 1 || limit != (isRolled ? end : sizes[i]) || (!isRolled && start != 0))
      return std::nullopt;
  }
  return slice.getStartIndices()[dimension];
}

std::optional<Roll> rollOf(Operation *op) {
  auto concatenate = dyn_cast<sh::ConcatenateOp>(op);
  if (!concatenate || op->getNumOperands() != 2)
    return std::nullopt;
  auto last = op->getOperand(0).getDefiningOp<sh::SliceOp>(), first = op->getOperand(1).getDefiningOp<sh::SliceOp>();
  if (!first || !last || first.getOperand() != last.getOperand() || first->getBlock() != op->getBlock() ||
      last->getBlock() != op->getBlock())
    return std::nullopt;
  auto dimension = static_cast<int64_t>(concatenate.getDimension());
  int64_t size = ir::typeOf(first.getOperand()).getDimSize(dimension);
  int64_t border = first.getLimitIndices()[dimension];
  if (size == 0 || startOf(first, dimension, border) != 0 || startOf(last, dimension, size) != border)
    return std::nullopt;
  return Roll{first.getOperand(), dimension, (size - border) % size};
}

Value rolled(ArrayBuilder &builder, Value local, const Roll &roll, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  RankedTensorType type = ir::typeOf(local);
  int64_t parts = ir::partsOf(axes), size = type.getDimSize(roll.dimension);
  int64_t distance = roll.shift / size, rest = roll.shift % size; // in devices, and in elements
  SmallVector<Value, 2> received;
  auto receive = [&](int64_t begin, int64_t end, int64_t from) {
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape());
    start[roll.dimension] = begin;
    limit[roll.dimension] = end;
    Value part = end - begin == size ? local : builder.slice(local, start, limit);
    received.push_back(from % parts ? fromAround(builder, part, mesh, axes, parts - from % parts) : part);
  };
  if (rest)
    receive(size - rest, size, distance + 1);
  receive(0, size - rest, distance);
  if (received.size() == 1)
    return received.front();
  return sh::ConcatenateOp::create(builder.builder, builder.loc, type, received, static_cast<uint64_t>(roll.dimension));
}

} // namespace tenon::passes::partition

// CHLO's implicitly broadcasting ops on values with bounded dimensions. Whether a dimension has the size one, and is
// stretched, may only show when the program runs.

#include "tenon/ir/chlo.h"
#include "tenon/passes/refine/refiner.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class BroadcastingRefiner {
public:
  BroadcastingRefiner(Refiner &refiner, Operation *op)
      : refiner_(refiner), emit_(refiner.emit), op_(op), operands_(refiner.getAll(op->getOperands())) {}

  LogicalResult refine() {
    auto rank = cast<RankedTensorType>(op_->getResult(0).getType()).getRank();
    SmallVector<Value, 4> sizes;
    for (int64_t d = 0; d < rank; ++d) {
      FailureOr<Extent> extent = meet(participantsIn(d, rank));
      if (failed(extent))
        return failure();
      sizes.push_back(extent->size);
    }
    return refiner_.rebuild(op_, valuesOf(operands_), sizes);
  }

private:
  // An operand's dimension.
  struct Participant {
    BoundedTensor *operand;
    int64_t dimension;

    bool isBounded() const { return operand->isBounded(dimension); }
    int64_t length() const { return operand->dim(dimension); }
    Value size() const { return operand->sizes[dimension]; }
  };

  // The operands' dimensions that become dimension `d` of the result: broadcast_dimensions says so for an operand of
  // lower rank, else its last dimensions are the result's.
  SmallVector<Participant> participantsIn(int64_t d, int64_t rank) {
    auto given = op_->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
    SmallVector<Participant> found;
    for (BoundedTensor &operand : operands_) {
      auto own = static_cast<int64_t>(operand.sizes.size());
      for (int64_t i = 0; i < own; ++i)
        if (d == (given && own < rank ? given[i] : rank - own + i))
          found.push_back({&operand, i});
    }
    return found;
  }

  // Brings these to one length, or leaves them at one that stretches, and gives the result's.
  FailureOr<Extent> meet(ArrayRef<Participant> participants) {
    SmallVector<Participant> bounded;
    Extent extent{1, Value()};
    for (const Participant &participant : participants) {
      if (participant.isBounded())
        bounded.push_back(participant);
      else if (participant.length() != 1)
        extent.length = participant.length(); // others that are static are held to it by inference
    }
    if (bounded.empty())
      return extent;
    Value one = emit_.i32(1), size = bounded.front().size();
    if (extent.length != 1) {
      size = emit_.i32(extent.length);
    } else {
      for (const Participant &participant : bounded)
        if (!isSame(size, participant.size()))
          size = emit_.select(emit_.compare(sh::ComparisonDirection::EQ, size, one), participant.size(), size);
      for (const Participant &participant : bounded)
        extent.length = std::max(extent.length, participant.length());
      extent.size = size;
    }
    for (const Participant &participant : bounded)
      if (failed(stretch(participant, extent.length, size)))
        return failure();
    return extent;
  }

  // Makes a bounded dimension one of this length whose elements at `size` places count.
  LogicalResult stretch(const Participant &participant, int64_t length, Value size) {
    BoundedTensor &operand = *participant.operand;
    int64_t d = participant.dimension;
    if (isSame(participant.size(), size)) {
      operand.value = emit_.resize(operand.value, d, length);
      return success();
    }
    Value isOne = emit_.compare(sh::ComparisonDirection::EQ, participant.size(), emit_.i32(1));
    Value fits = emit_.make<sh::OrOp>(isOne.getType(), isOne,
                                      emit_.compare(sh::ComparisonDirection::EQ, participant.size(), size));
    if (failed(refiner_.require(op_, fits, "cannot stretch a dimension of size {0} to size {1}",
                                {participant.size(), size})))
      return failure();
    Value full = emit_.resize(operand.value, d, length);
    if (length > 0 && participant.length() > 0) {
      Value first = emit_.resize(operand.value, d, 1);
      auto same = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(operand.sizes.size())));
      Value stretched = emit_.make<sh::BroadcastInDimOp>(full.getType(), first, same);
      full = emit_.select(emit_.fill(isOne, cast<RankedTensorType>(full.getType()).getShape()), stretched, full);
    }
    operand.value = full;
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
  Operation *op_;
  SmallVector<BoundedTensor> operands_;
};

} // namespace

FailureOr<bool> refineBroadcasting(Refiner &refiner, Operation *op) {
  if (!op->getName().getStringRef().starts_with("chlo.broadcast_"))
    return false;
  if (failed(BroadcastingRefiner(refiner, op).refine()))
    return failure();
  return true;
}

} // namespace tenon::passes::refine

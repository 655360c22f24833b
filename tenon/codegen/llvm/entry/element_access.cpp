#include "tenon/codegen/llvm/entry/element_access.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/entry/emitter.h"
#include "tenon/ir/reshapes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/MDBuilder.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::entry {
namespace {

bool isOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

std::optional<ElementAccess> loadOf(ir::FusionOp fusion, Value result) {
  Value value = ir::throughReshapes(result);
  ElementAccess access;
  std::optional<Place> place;
  if (auto slice = value.getDefiningOp<sh::DynamicSliceOp>()) {
    access.array = readValue(fusion, slice.getOperand());
    place = placeOf(fusion, ir::typeOf(slice.getOperand()), slice.getSliceSizes(), slice.getStartIndices());
  } else if (auto slice = value.getDefiningOp<sh::SliceOp>()) {
    access.array = readValue(fusion, slice.getOperand());
    RankedTensorType type = ir::typeOf(slice.getOperand());
    place.emplace();
    for (auto [dim, start] : llvm::enumerate(slice.getStartIndices()))
      place->push_back({Value(), start, type.getDimSize(dim) - 1, elementCount(type.getShape().drop_front(dim + 1))});
  }
  if (!access.array || !place)
    return std::nullopt;
  access.place = *place;
  return access;
}

std::optional<ElementAccess> storeOf(ir::FusionOp fusion, Value result) {
  auto update = result.getDefiningOp<sh::DynamicUpdateSliceOp>();
  if (!update || !isOneElement(update.getUpdate()))
    return std::nullopt;
  ElementAccess access;
  access.array = readValue(fusion, update.getOperand());
  access.stored = readValue(fusion, update.getUpdate());
  std::optional<Place> place = placeOf(fusion, ir::typeOf(update.getOperand()),
                                       ir::typeOf(update.getUpdate()).getShape(), update.getStartIndices());
  if (!access.array || !access.stored || !place || access.array.getType() != result.getType() ||
      !isScalarTensor(access.stored.getType()))
    return std::nullopt;
  access.place = *place;
  return access;
}

} // namespace

std::optional<ElementAccess> elementAccess(Operation *op, const Kernel &kernel) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  if (!fusion || fusion->getNumResults() != 1 || kernel.phases.size() != 1)
    return std::nullopt;
  Value result = fusion.getYield()->getOperand(0);
  if (isScalarTensor(fusion->getResult(0).getType()))
    return loadOf(fusion, result);
  std::optional<ElementAccess> store = storeOf(fusion, result);
  int init = kernel.resultInit.front();
  bool isInPlace = store && init >= 0 && !kernel.copiesInit && op->getOperand(init) == store->array;
  return isInPlace ? store : std::nullopt;
}

FailureOr<Element> EntryEmitter::numberOf(Value value) {
  if (plan_.hasClass(value))
    return loadElements(builder_, elementType(value), pointerOf(value), 1);
  return scalars_.element(value);
}

FailureOr<llvm::Value *> EntryEmitter::positionOf(const Place &place) {
  llvm::Value *position = builder_.getInt64(0);
  for (const PlaceIndex &index : place) {
    llvm::Value *at = builder_.getInt64(index.constant);
    if (index.start) {
      FailureOr<Element> start = numberOf(index.start);
      if (failed(start))
        return failure();
      bool isUnsigned = elementType(index.start).isUnsignedInteger();
      llvm::Value *last = builder_.getInt64(index.last);
      at = builder_.CreateIntCast(start->re, builder_.getInt64Ty(), !isUnsigned);
      at = builder_.CreateBinaryIntrinsic(isUnsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, at, last);
      if (!isUnsigned)
        at = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, at, builder_.getInt64(0));
    }
    position = builder_.CreateNSWAdd(position, builder_.CreateNSWMul(at, builder_.getInt64(index.stride)));
  }
  return position;
}

LogicalResult EntryEmitter::emitView(Operation *op) {
  const View &view = instructions_.views.at(op);
  FailureOr<llvm::Value *> position = positionOf(view.place);
  if (failed(position))
    return failure();
  views_[op->getResult(0)] = elementAddress(builder_, elementType(view.array), pointerOf(view.array), *position);
  return success();
}

// Runs that are traced call the kernel.
LogicalResult EntryEmitter::emitElementAccess(Operation *op, const KernelPhase &phase, const ElementAccess &access) {
  Value result = op->getResult(0);
  FailureOr<llvm::Value *> position = positionOf(access.place);
  FailureOr<Element> stored = access.stored ? numberOf(access.stored) : FailureOr<Element>(Element());
  if (failed(position) || failed(stored))
    return failure();
  Type type = elementType(access.array);
  llvm::BasicBlock *traced = nullptr, *after = nullptr;
  Element loaded;
  if (form_ == Form::kProgram) {
    traced = llvm::BasicBlock::Create(module_.getContext(), "traced", function_);
    after = llvm::BasicBlock::Create(module_.getContext(), "accessed", function_);
    auto *plain = llvm::BasicBlock::Create(module_.getContext(), "access", function_);
    builder_.CreateCondBr(isTraced_, traced, plain,
                          llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
    builder_.SetInsertPoint(traced);
    fillTable(pointersOf(op));
    emitTracedCall(op, phase);
    if (!access.stored)
      loaded = loadElements(builder_, type, pointerOf(result), 1);
    builder_.CreateBr(after);
    traced = builder_.GetInsertBlock();
    builder_.SetInsertPoint(plain);
  }
  Element element = *stored;
  if (access.stored) {
    storeElements(builder_, type, element, elementAddress(builder_, type, pointerOf(result), *position), 1);
  } else {
    element = loadElements(builder_, type, elementAddress(builder_, type, pointerOf(access.array), *position), 1);
    storeElements(builder_, type, element, pointerOf(result), 1);
  }
  if (traced) {
    llvm::BasicBlock *plain = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
    if (!access.stored) {
      Element phi = elementPhi(type, 2);
      addIncoming(phi, loaded, traced);
      addIncoming(phi, element, plain);
      element = phi;
    }
  }
  if (!access.stored && needsRegister(result))
    scalars_.bind(result, element);
  return success();
}

} // namespace tenon::codegen::entry

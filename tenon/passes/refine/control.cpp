// Loops and branches. A bounded value passes a region's border as its tensor and its sizes.

#include "tenon/ir/types.h"
#include "tenon/passes/refine/refiner.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

// How a value looks at a region's border.
struct Form {
  Type type;
  SmallVector<bool, 4> bounded; // by dimension

  explicit Form(const BoundedTensor &refined)
      : type(refined.value.getType()),
        bounded(llvm::map_range(refined.sizes, [](Value size) { return size != nullptr; })) {}

  int64_t length(int64_t d) const { return cast<RankedTensorType>(type).getDimSize(d); }
  void setLength(int64_t d, int64_t length) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[d] = length;
    type = tensor.clone(shape);
  }

  // Whether a value can be brought into this form.
  bool takes(const BoundedTensor &refined, int64_t d) const {
    return bounded[d] ? refined.dim(d) <= length(d) : !refined.isBounded(d) && refined.dim(d) == length(d);
  }
};

class ControlRefiner {
public:
  ControlRefiner(Refiner &refiner, Operation *op) : refiner_(refiner), emit_(refiner.emit), op_(op) {}

  LogicalResult refineWhile(sh::WhileOp loop) {
    SmallVector<BoundedTensor> operands = refiner_.getAll(loop.getOperands());
    Operation *terminator = loop.getBody().front().getTerminator();
    SmallVector<Form> forms;
    for (const BoundedTensor &operand : operands)
      forms.push_back(Form(operand));
    // A size that changes from one iteration to the next shows when the body is refined; then once more, with a bound.
    while (true) {
      OpBuilder::InsertionGuard guard(emit_.builder);
      auto copy = sh::WhileOp::create(emit_.builder, op_->getLoc(), typesOf(forms), flatten(forms, operands));
      copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
      SmallVector<BoundedTensor> arguments = enter(copy.getCond(), forms);
      FailureOr<SmallVector<BoundedTensor>> condition = refiner_.refineBlock(loop.getCond().front(), arguments);
      if (failed(condition))
        return failure();
      sh::ReturnOp::create(emit_.builder, op_->getLoc(), valuesOf(*condition));
      arguments = enter(copy.getBody(), forms);
      // A value that the loop does not change is known inside as well as outside.
      for (auto [i, returned] : llvm::enumerate(terminator->getOperands()))
        if (returned == loop.getBody().getArgument(i))
          arguments[i] = operands[i];
      FailureOr<SmallVector<BoundedTensor>> next = refiner_.refineBlock(loop.getBody().front(), arguments);
      if (failed(next))
        return failure();
      FailureOr<bool> changed = widen(forms, *next);
      if (failed(changed))
        return failure();
      if (*changed) {
        copy.erase();
        continue;
      }
      sh::ReturnOp::create(emit_.builder, op_->getLoc(), flatten(forms, *next));
      emit_.builder.setInsertionPointAfter(copy);
      return putAll(forms, copy->getResults());
    }
  }

  LogicalResult refineBranches(Value index) {
    std::optional<int64_t> known = constantInteger(index);
    if (known) {
      int64_t last = op_->getNumRegions() - 1;
      int64_t taken = isa<sh::IfOp>(op_) ? (*known ? 0 : 1) : (*known >= 0 && *known <= last ? *known : last);
      FailureOr<SmallVector<BoundedTensor>> results = refiner_.refineBlock(op_->getRegion(taken).front(), {});
      if (failed(results))
        return failure();
      for (auto [i, result] : llvm::enumerate(*results))
        if (failed(refiner_.put(op_, i, result)))
          return failure();
      return success();
    }
    OperationState state(op_->getLoc(), op_->getName());
    state.addOperands(index);
    state.addAttributes(op_->getDiscardableAttrDictionary().getValue());
    SmallVector<SmallVector<BoundedTensor>> results;
    for (Region &region : op_->getRegions()) {
      OpBuilder::InsertionGuard guard(emit_.builder);
      emit_.builder.createBlock(state.addRegion());
      FailureOr<SmallVector<BoundedTensor>> branch = refiner_.refineBlock(region.front(), {});
      if (failed(branch))
        return failure();
      results.push_back(std::move(*branch));
    }
    SmallVector<Form> forms = join(results);
    for (auto [region, branch] : llvm::zip(state.regions, results)) {
      OpBuilder::InsertionGuard guard(emit_.builder);
      emit_.builder.setInsertionPointToEnd(&region->front());
      sh::ReturnOp::create(emit_.builder, op_->getLoc(), flatten(forms, branch));
    }
    state.addTypes(typesOf(forms));
    return putAll(forms, emit_.builder.create(state)->getResults());
  }

private:
  SmallVector<Type> typesOf(ArrayRef<Form> forms) {
    SmallVector<Type> types;
    for (const Form &form : forms) {
      types.push_back(form.type);
      types.append(llvm::count(form.bounded, true), RankedTensorType::get({}, emit_.builder.getI32Type()));
    }
    return types;
  }

  // Tensors and sizes of values brought into their forms.
  SmallVector<Value> flatten(ArrayRef<Form> forms, ArrayRef<BoundedTensor> values) {
    SmallVector<Value> flat;
    for (auto [form, refined] : llvm::zip_equal(forms, values)) {
      Value value = refined.value;
      for (size_t d = 0; d < form.bounded.size(); ++d)
        value = emit_.resize(value, d, form.length(d));
      flat.push_back(value);
      for (auto [d, bounded] : llvm::enumerate(form.bounded))
        if (bounded)
          flat.push_back(emit_.size(refined, d));
    }
    return flat;
  }

  SmallVector<BoundedTensor> unflatten(ArrayRef<Form> forms, ValueRange flat) {
    SmallVector<BoundedTensor> values;
    for (const Form &form : forms) {
      BoundedTensor refined(flat.front());
      flat = flat.drop_front();
      for (auto [d, bounded] : llvm::enumerate(form.bounded))
        if (bounded) {
          refined.sizes[d] = flat.front();
          flat = flat.drop_front();
        }
      values.push_back(std::move(refined));
    }
    return values;
  }

  // Gives a region its block, and goes there.
  SmallVector<BoundedTensor> enter(Region &region, ArrayRef<Form> forms) {
    SmallVector<Type> types = typesOf(forms);
    Block *block = emit_.builder.createBlock(&region, {}, types, SmallVector<Location>(types.size(), op_->getLoc()));
    return unflatten(forms, block->getArguments());
  }

  // The bound that the op's type gives, or `otherwise`.
  int64_t boundOf(unsigned result, int64_t d, int64_t otherwise) {
    ArrayRef<int64_t> bounds = ir::dimensionBounds(cast<RankedTensorType>(op_->getResult(result).getType()));
    return bounds.empty() || ShapedType::isDynamic(bounds[d]) ? otherwise : bounds[d];
  }

  // Makes the forms take what the body gives; says whether they changed.
  FailureOr<bool> widen(SmallVectorImpl<Form> &forms, ArrayRef<BoundedTensor> next) {
    bool changed = false;
    for (unsigned i = 0; i < forms.size(); ++i)
      for (size_t d = 0; d < forms[i].bounded.size(); ++d) {
        if (forms[i].takes(next[i], d))
          continue;
        int64_t bound = boundOf(i, d, forms[i].length(d));
        if (forms[i].bounded[d] || next[i].dim(d) > bound)
          return op_->emitOpError() << "dimension " << d << " of carried value " << i
                                    << " grows from one iteration to the next, and its type does not give a bound";
        forms[i].setLength(d, bound);
        forms[i].bounded[d] = changed = true;
      }
    return changed;
  }

  // Sizes that differ between branches are only known when the program runs.
  SmallVector<Form> join(ArrayRef<SmallVector<BoundedTensor>> branches) {
    SmallVector<Form> forms;
    for (const BoundedTensor &first : branches.front())
      forms.push_back(Form(first));
    for (ArrayRef<BoundedTensor> branch : branches.drop_front())
      for (auto [form, refined] : llvm::zip_equal(forms, branch))
        for (size_t d = 0; d < form.bounded.size(); ++d)
          if (form.length(d) != refined.dim(d) || form.bounded[d] != refined.isBounded(d)) {
            form.setLength(d, std::max(form.length(d), refined.dim(d)));
            form.bounded[d] = true;
          }
    return forms;
  }

  LogicalResult putAll(ArrayRef<Form> forms, ValueRange flat) {
    for (auto [i, refined] : llvm::enumerate(unflatten(forms, flat)))
      if (failed(refiner_.put(op_, i, refined)))
        return failure();
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
  Operation *op_;
};

} // namespace

FailureOr<bool> refineControl(Refiner &refiner, Operation *op) {
  LogicalResult outcome = success();
  if (auto loop = dyn_cast<sh::WhileOp>(op))
    outcome = ControlRefiner(refiner, op).refineWhile(loop);
  else if (isa<sh::IfOp, sh::CaseOp>(op))
    outcome = ControlRefiner(refiner, op).refineBranches(refiner.get(op->getOperand(0)).value);
  else
    return false;
  return failed(outcome) ? FailureOr<bool>(failure()) : true;
}

} // namespace tenon::passes::refine

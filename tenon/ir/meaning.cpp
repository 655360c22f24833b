#include "tenon/ir/meaning.h"

#include "tenon/ir/infer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::ir {
namespace {

using mlir::Operation;
using mlir::Region;
using mlir::Type;
using mlir::TypeRange;
namespace sh = tenon::stablehlo;

// Finds types of what is one value to an op, as it passes through, that are quantized in two ways.
class Passage {
public:
  // Requires each type to be the same as its counterpart. Both lists are of one length.
  void same(TypeRange types, TypeRange others) {
    for (auto [type, other] : llvm::zip(types, others))
      same(type, other);
  }
  void same(Type type, Type other) {
    Type a = mlir::getElementTypeOrSelf(type), b = mlir::getElementTypeOrSelf(other);
    if (!difference_ && a != b && llvm::isa<mlir::quant::QuantizedType>(a) && llvm::isa<mlir::quant::QuantizedType>(b))
      difference_ = {a, b};
  }
  // Twice as many arguments as values, and as many results.
  void reduction(Region &region, TypeRange results) {
    if (region.empty())
      return;
    TypeRange arguments(region.getArgumentTypes()), given = sh::returnedTypes(region);
    same(arguments.take_front(given.size()), given);
    same(arguments.drop_front(given.size()), given);
    // A computation for each of a collective's operands, which are of one type.
    for (auto [i, result] : llvm::enumerate(results))
      if (!given.empty())
        same(given[i % given.size()], result);
  }

  const std::optional<std::pair<Type, Type>> &difference() const { return difference_; }

private:
  std::optional<std::pair<Type, Type>> difference_;
};

Passage passageOf(Operation *op) {
  Passage passage;
  TypeRange results = op->getResultTypes();
  llvm::TypeSwitch<Operation *>(op)
      .Case<sh::IfOp, sh::CaseOp>([&](auto) {
        for (Region &branch : op->getRegions())
          passage.same(sh::returnedTypes(branch), results);
      })
      .Case([&](sh::WhileOp loop) {
        for (Region &region : op->getRegions())
          passage.same(region.empty() ? TypeRange() : TypeRange(region.getArgumentTypes()), results);
        passage.same(sh::returnedTypes(loop.getBody()), results);
        passage.same(op->getOperandTypes(), results);
      })
      .Case([&](sh::OptimizationBarrierOp) { passage.same(op->getOperandTypes(), results); })
      .Case([&](sh::TupleOp tuple) {
        passage.same(op->getOperandTypes(), llvm::cast<mlir::TupleType>(tuple.getType()).getTypes());
      })
      .Case([&](sh::GetTupleElementOp element) {
        auto tuple = llvm::cast<mlir::TupleType>(element.getOperand().getType());
        passage.same(tuple.getType(element.getIndex()), element.getType());
      })
      .Case([&](sh::SortOp sort) {
        passage.same(op->getOperandTypes(), results);
        for (auto [i, argument] : llvm::enumerate(sort.getComparator().getArgumentTypes()))
          passage.same(argument, results[i / 2]);
      })
      .Case([&](sh::MapOp map) {
        passage.same(op->getOperandTypes(), map.getComputation().getArgumentTypes());
        passage.same(sh::returnedTypes(map.getComputation()), results);
      })
      .Case<sh::ReduceOp, sh::ReduceWindowOp, sh::ScatterOp, sh::AllReduceOp, sh::ReduceScatterOp,
            sh::CollectiveReduceOp>([&](auto) { passage.reduction(op->getRegion(0), results); })
      .Case([&](sh::SelectAndScatterOp select) { passage.reduction(select.getScatter(), results); });
  return passage;
}

std::optional<std::string> whyWithoutMeaning(sh::RngBitGeneratorOp op) {
  auto state = sh::tensor(op.getInitialState());
  if (sh::isGeneratorState(state))
    return std::nullopt;
  std::string reason;
  llvm::raw_string_ostream(reason) << "initial_state must be a 1-dimensional tensor of ui64, got " << state;
  return reason;
}

std::optional<std::string> whyWithoutMeaning(sh::AllGatherOp op) {
  std::optional<int64_t> count = sh::missingGroupSize(op);
  if (!count)
    return std::nullopt;
  std::string reason;
  llvm::raw_string_ostream(reason) << "the result must be " << *count << " times as large as the operand, as the "
                                   << "groups have " << *count << " processes, got " << op->getOperandTypes() << " and "
                                   << op->getResultTypes();
  return reason;
}

std::optional<std::string> whyWithoutMeaning(sh::CompareOp op) {
  auto type = op.getCompareType().value_or(sh::ComparisonType::NOTYPE);
  Type element = sh::tensor(op.getLhs()).getElementType();
  if (sh::mayCompareAs(element, type))
    return std::nullopt;
  std::string reason;
  llvm::raw_string_ostream(reason) << "compare_type of " << element << " must not be "
                                   << sh::stringifyComparisonType(type);
  return reason;
}

std::optional<std::string> whyWithoutScalars(mlir::ValueRange inits) {
  if (llvm::all_of(inits, [](mlir::Value init) { return sh::tensor(init).getRank() == 0; }))
    return std::nullopt;
  std::string reason;
  llvm::raw_string_ostream(reason) << "init_values must be 0-dimensional tensors, got " << inits.getTypes();
  return reason;
}

// The function that an op calls; null if it calls none.
Operation *calleeOf(Operation *op) {
  mlir::SymbolRefAttr callee;
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
    callee = call.getCalleeAttr();
  else if (auto composite = llvm::dyn_cast<sh::CompositeOp>(op))
    callee = composite.getDecompositionAttr();
  return callee ? mlir::SymbolTable::lookupNearestSymbolFrom(op, callee) : nullptr;
}

} // namespace

std::optional<std::string> whyWithoutMeaning(Operation *op) {
  using Reason = std::optional<std::string>;
  auto reason =
      llvm::TypeSwitch<Operation *, Reason>(op)
          .Case<sh::RngBitGeneratorOp, sh::AllGatherOp, sh::CompareOp>(
              [](auto concrete) { return whyWithoutMeaning(concrete); })
          .Case<sh::ReduceOp, sh::ReduceWindowOp>([](auto reduce) { return whyWithoutScalars(reduce.getInitValues()); })
          .Default(Reason());
  if (reason)
    return reason;
  if (auto difference = passageOf(op).difference()) {
    std::string text;
    llvm::raw_string_ostream(text) << "a value that is passed on must be quantized in one way, got "
                                   << difference->first << " and " << difference->second;
    return text;
  }
  return std::nullopt;
}

std::optional<Meaningless> findMeaningless(Operation *root) {
  std::optional<Meaningless> found;
  llvm::SmallVector<Operation *> pending = {root};
  llvm::DenseSet<Operation *> seen = {root};
  while (!pending.empty() && !found)
    pending.pop_back_val()->walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
      if (std::optional<std::string> reason = whyWithoutMeaning(op)) {
        found = {op, *std::move(reason)};
        return mlir::WalkResult::interrupt();
      }
      if (Operation *callee = calleeOf(op); callee && seen.insert(callee).second)
        pending.push_back(callee);
      return mlir::WalkResult::advance();
    });
  return found;
}

} // namespace tenon::ir

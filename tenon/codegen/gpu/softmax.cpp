#include "tenon/codegen/gpu/softmax.h"

#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/codegen/llvm/loop/reduction.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

class SoftmaxFinder {
public:
  explicit SoftmaxFinder(const RowReductionPlan &rows) : rows_(rows), indexer_(*rows.indexer) {}

  std::optional<IndexedValue> run() {
    if (rows_.outputs.size() != 1 || !rows_.rowOutputs.empty())
      return std::nullopt;
    IndexedValue weights = follow({rows_.outputs[0].value, rows_.outputs[0].index});
    while (auto convert = weights.first.getDefiningOp<sh::ConvertOp>())
      weights = follow(operand(weights, convert, 0));
    auto divide = weights.first.getDefiningOp<sh::DivideOp>();
    if (!divide)
      return std::nullopt;
    IndexedValue exponential = follow(operand(weights, divide, 0));
    auto exp = exponential.first.getDefiningOp<sh::ExponentialOp>();
    if (!exp || reducedFrom(follow(operand(weights, divide, 1)), loop::CombinerKind::kAdd) != exponential)
      return std::nullopt;
    IndexedValue difference = follow(operand(exponential, exp, 0));
    auto subtract = difference.first.getDefiningOp<sh::SubtractOp>();
    if (!subtract)
      return std::nullopt;
    IndexedValue logit = follow(operand(difference, subtract, 0));
    IndexedValue maximum = follow(operand(difference, subtract, 1));
    if (reducedFrom(maximum, loop::CombinerKind::kMaximum) != logit || !elementTypeOf(logit.first).isF32() ||
        hasOtherReductions())
      return std::nullopt;
    return logit;
  }

private:
  static IndexedValue operand(const IndexedValue &of, Operation *op, unsigned number) {
    Value value = op->getOperand(number);
    return {value, RegionIndexer::elementwiseIndex(value, of.second)};
  }

  // What the element is moved from.
  IndexedValue follow(IndexedValue from) {
    while (Operation *op = from.first.getDefiningOp()) {
      if (elementForm(op) != ElementForm::kMoved)
        break;
      auto sources = indexer_.sources(op, from.second);
      if (sources.size() != 1 || !sources.front().conditions.empty())
        break;
      from = {op->getOperand(sources.front().operand), sources.front().index};
    }
    return from;
  }

  // The elements of this row that the value, its only result, combines, f32; null if it does not.
  IndexedValue reducedFrom(const IndexedValue &value, loop::CombinerKind kind) {
    auto reduce = value.first.getDefiningOp<sh::ReduceOp>();
    if (!reduce || reduce->getNumResults() != 1 || !rows_.rows.reducedIndex(reduce, value.second, indexer_.space()))
      return {};
    loop::ReductionBody body = loop::analyzeReductionBody(reduce);
    if (body.form != loop::ReductionBody::Form::kIndependent || body.combiners[0].kind != kind ||
        !body.combiners[0].type.isF32() || !beginsNeutral(reduce.getOperand(1), kind))
      return {};
    return follow({reduce.getOperand(0), rows_.rows.inputIndex(reduce, indexer_.space())});
  }

  static bool beginsNeutral(Value init, loop::CombinerKind kind) {
    DenseElementsAttr data;
    if (!matchPattern(init, m_Constant(&data)) || data.getNumElements() != 1)
      return false;
    llvm::APFloat value = *data.getValues<llvm::APFloat>().begin();
    return kind == loop::CombinerKind::kAdd ? value.isZero() : value.isInfinity() && value.isNegative();
  }

  bool hasOtherReductions() const {
    int reductions = 0;
    llvm::SmallVector<Value> left{rows_.outputs[0].value};
    llvm::SmallPtrSet<Operation *, 32> seen;
    while (!left.empty()) {
      Operation *op = left.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      reductions += elementForm(op) == ElementForm::kReduced;
      llvm::append_range(left, op->getOperands());
    }
    return reductions != 2;
  }

  const RowReductionPlan &rows_;
  RegionIndexer indexer_;
};

} // namespace

std::optional<IndexedValue> findSoftmax(const RowReductionPlan &rows) { return SoftmaxFinder(rows).run(); }

} // namespace tenon::codegen

#include "tenon/checking/agreement.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "llvm/ADT/StringSwitch.h"

namespace tenon::checking {

using namespace mlir;

static Type elementTypeOf(Type type) { return getElementTypeOrSelf(type); }

static bool isQuantized(Type type) { return llvm::isa<quant::QuantizedType>(elementTypeOf(type)); }

static bool isFloatLike(Type type) { return ir::isFloat(elementTypeOf(type)) || ir::isComplex(elementTypeOf(type)); }

// Ops that behave differently on complex values.
static Behaviour behaviourOnReals(StringRef name) {
  return llvm::StringSwitch<Behaviour>(name)
      .Cases({"add", "subtract", "multiply", "negate", "abs", "maximum", "minimum", "clamp", "convert", "real", "imag",
              "complex", "divide", "conj", "square"},
             Behaviour::kContinuous)
      .Cases({"floor", "ceil", "round_nearest_afz", "round_nearest_even", "sign", "remainder", "reduce_precision",
              "sqrt", "next_after", "bitcast_convert", "compare", "is_finite", "is_inf", "is_pos_inf", "is_neg_inf",
              "top_k", "uniform_quantize"},
             Behaviour::kJumps)
      .Cases({"exponential", "exponential_minus_one", "tanh", "logistic", "sine", "cosine", "erf", "erfc", "atan",
              "asinh", "cosh", "bessel_i1e", "cbrt", "sinh"},
             Behaviour::kFunction)
      .Cases({"log", "log_plus_one", "rsqrt", "power", "atan2", "tan", "lgamma", "digamma", "zeta", "polygamma", "acos",
              "asin", "acosh", "atanh", "erf_inv", "_asin_acos_kernel"},
             Behaviour::kBranched)
      .Cases({"dot_general", "dot", "convolution", "fft", "cholesky", "triangular_solve", "batch_norm_inference",
              "batch_norm_training", "batch_norm_grad"},
             Behaviour::kSums)
      .Cases({"ragged_dot", "einsum", "unary_einsum", "dynamic_conv"}, Behaviour::kSums)
      .Default(Behaviour::kMoves);
}

Behaviour behaviourOf(Operation *op) {
  if (auto rng = llvm::dyn_cast<stablehlo::RngOp>(op))
    return rng.getRngDistribution() == stablehlo::RngDistribution::UNIFORM ? Behaviour::kJumps : Behaviour::kSums;
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_"); // CHLO's forms; broadcast_in_dim moves, as every unknown name
  Behaviour behaviour = behaviourOnReals(name);
  bool complex = op->getNumOperands() && ir::isComplex(elementTypeOf(op->getOperand(0).getType()));
  if (!complex)
    return behaviour;
  if (name == "multiply" || name == "divide" || name == "square")
    return Behaviour::kSums;
  if (name == "abs")
    return Behaviour::kFunction;
  if (name == "maximum" || name == "minimum" || name == "clamp")
    return Behaviour::kJumps; // by the imaginary parts where the real ones are the same
  if (name == "sqrt" || name == "sign" || behaviour == Behaviour::kFunction)
    return Behaviour::kBranched;
  return behaviour;
}

bool foldsInAnyOrder(Operation *op) {
  if (auto scan = llvm::dyn_cast<chlo::ScanOp>(op))
    return scan.getIsAssociative().value_or(false);
  return llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp, stablehlo::SelectAndScatterOp>(
      op);
}

bool roundsWhenFolded(Region &body) {
  auto keepsElements = [](Operation &op) {
    StringRef name = op.getName().stripDialect();
    return behaviourOf(&op) == Behaviour::kMoves || name == "maximum" || name == "minimum" || name == "convert" ||
           name == "compare";
  };
  return llvm::any_of(body.front(), [&](Operation &op) {
    return op.getNumResults() && isFloatLike(op.getResult(0).getType()) && !keepsElements(op);
  });
}

bool isAssociative(Region &body) {
  Block &block = body.front();
  unsigned count = block.getNumArguments() / 2;
  auto results = block.getTerminator()->getOperands();
  if (results.size() == 2 * count && llvm::equal(results.take_front(count), results.drop_front(count)))
    results = results.take_front(count);
  return results.size() == count && llvm::all_of(llvm::enumerate(results), [&](auto entry) {
           auto [i, result] = entry;
           Value first = block.getArgument(i), second = block.getArgument(count + i);
           if (result == first || result == second)
             return true;
           Operation *op = result.getDefiningOp();
           bool isKind =
               llvm::isa_and_nonnull<stablehlo::AddOp, stablehlo::MultiplyOp, stablehlo::MinimumOp,
                                     stablehlo::MaximumOp, stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp>(op);
           return isKind && ((op->getOperand(0) == first && op->getOperand(1) == second) ||
                             (op->getOperand(0) == second && op->getOperand(1) == first));
         });
}

// Types without NaN have a zero in its place; of which sign, when a function is computed in a wider type, is not said.
static bool makesNaNWithout(Operation *op) {
  return op->getNumResults() != 0 && behaviourOf(op) >= Behaviour::kFunction &&
         llvm::isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType>(elementTypeOf(op->getResult(0).getType()));
}

void AgreementAnalysis::raise(Value value, Agreement agreement) {
  Type element = elementTypeOf(value.getType());
  if (agreement == Agreement::kRounded && (!isFloatLike(element) || llvm::isa<Float8E8M0FNUType>(element)))
    agreement = Agreement::kOpen; // no value lies near another
  if (agreement > of(value))
    agreements_[value] = agreement;
}

void AgreementAnalysis::raiseAll(ValueRange values, Agreement agreement) {
  for (Value value : values)
    raise(value, agreement);
}

Agreement AgreementAnalysis::ofAll(ValueRange values) const {
  Agreement all = Agreement::kExact;
  for (Value value : values)
    all = std::max(all, of(value));
  return all;
}

void AgreementAnalysis::forget(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      agreements_.erase(result);
    for (Region &region : inner->getRegions())
      for (Value argument : region.getArguments())
        agreements_.erase(argument);
  });
}

void AgreementAnalysis::visit(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void AgreementAnalysis::visit(Operation *op) {
  if (open_.contains(op))
    return raiseAll(op->getResults(), Agreement::kOpen);
  if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
    return visitCall(op, callee.getValue());
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    return visitCall(op, composite.getDecomposition());
  if (llvm::isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
    return visitBranches(op);
  if (llvm::isa<stablehlo::WhileOp>(op))
    return visitWhile(op);
  if (llvm::isa<stablehlo::SortOp>(op))
    return visitSort(op);
  if (llvm::isa<chlo::ScanOp>(op))
    return visitScan(op);
  if (llvm::isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op))
    return visitBody(op);
  if (op->getNumRegions())
    return visitFold(op);

  Agreement agreement = ofAll(op->getOperands());
  Behaviour behaviour = behaviourOf(op);
  if (agreement == Agreement::kRounded && (behaviour == Behaviour::kJumps || behaviour == Behaviour::kBranched))
    agreement = Agreement::kOpen;
  if (makesNaNWithout(op))
    agreement = Agreement::kOpen;
  // Integers, by way of a wider type than the expressed one, so that the least difference does not show.
  bool quantized = llvm::any_of(op->getOperandTypes(), isQuantized) || llvm::any_of(op->getResultTypes(), isQuantized);
  if (quantized && agreement == Agreement::kRounded)
    agreement = Agreement::kOpen;
  for (Value result : op->getResults()) {
    bool rounds = behaviour >= Behaviour::kFunction && isFloatLike(result.getType());
    raise(result, rounds ? std::max(agreement, Agreement::kRounded) : agreement);
  }
}

void AgreementAnalysis::visitScan(Operation *op) {
  auto scan = llvm::cast<chlo::ScanOp>(op);
  Block &body = scan.getBody().front();
  size_t inputs = scan.getInputs().size(), outputs = scan.getOutputs().size();
  for (auto [argument, input] : llvm::zip(body.getArguments(), scan.getInputs()))
    raise(argument, of(input));
  for (auto [carry, init] : llvm::zip(scan.getCarries(), scan.getInits()))
    raise(carry, of(init));
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [argument, carry] : llvm::zip(body.getArguments().drop_front(inputs), scan.getCarries()))
      raise(argument, of(carry));
    visit(body);
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      Agreement before = of(op->getResult(i));
      raise(op->getResult(i), of(value));
      changed |= i >= outputs && of(op->getResult(i)) != before;
    }
  }
  if (foldsInAnyOrder(op) && roundsWhenFolded(scan.getBody()))
    raiseAll(op->getResults(), Agreement::kRounded);
}

void AgreementAnalysis::visitCall(Operation *op, StringRef callee) {
  Operation *function = module_.lookupSymbol(callee);
  bool hasBody = function && function->getNumRegions() != 0 && !function->getRegion(0).empty();
  if (!hasBody || !entered_.insert(function).second) // or calls itself
    return raiseAll(op->getResults(), Agreement::kOpen);
  Block &body = function->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), op->getOperands()))
    raise(argument, of(operand));
  visit(body);
  entered_.erase(function);
  for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
    raise(result, of(value));
}

void AgreementAnalysis::visitBranches(Operation *op) {
  if (ofAll(op->getOperands()) != Agreement::kExact)
    return raiseAll(op->getResults(), Agreement::kOpen);
  for (Region &region : op->getRegions()) {
    visit(region.front());
    for (auto [result, value] : llvm::zip(op->getResults(), region.front().getTerminator()->getOperands()))
      raise(result, of(value));
  }
}

void AgreementAnalysis::visitWhile(Operation *op) {
  Block &condition = op->getRegion(0).front(), &body = op->getRegion(1).front();
  for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
    raise(result, of(operand));
  // Each round raises a value or is the last.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      raise(condition.getArgument(i), of(result));
      raise(body.getArgument(i), of(result));
    }
    visit(condition);
    if (ofAll(condition.getTerminator()->getOperands()) != Agreement::kExact)
      return raiseAll(op->getResults(), Agreement::kOpen);
    visit(body);
    for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands())) {
      Agreement before = of(result);
      raise(result, of(value));
      changed |= of(result) != before;
    }
  }
}

void AgreementAnalysis::visitBody(Operation *op) {
  Block &body = op->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), op->getOperands()))
    raise(argument, of(operand));
  visit(body);
  for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
    raise(result, of(value));
}

// reduce, reduce_window, scatter, select_and_scatter, map; collectives, which take the processes of a group in an order
// that is defined (docs/semantics.md), so that what they give is as exact as what they are given.
void AgreementAnalysis::visitFold(Operation *op) {
  Agreement agreement = ofAll(op->getOperands());
  bool folds = !llvm::isa<stablehlo::MapOp>(op) && !op->hasTrait<ir::Collective>();
  for (Region &region : op->getRegions()) {
    for (Value argument : region.front().getArguments())
      raise(argument, isFloatLike(argument.getType()) || agreement == Agreement::kOpen ? agreement : Agreement::kExact);
    visit(region.front());
    agreement = std::max(agreement, ofAll(region.front().getTerminator()->getOperands()));
    if (folds && roundsWhenFolded(region))
      agreement = std::max(agreement, Agreement::kRounded);
  }
  raiseAll(op->getResults(), agreement);
}

void AgreementAnalysis::visitSort(Operation *op) {
  Block &comparator = op->getRegion(0).front();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    raiseAll({comparator.getArgument(2 * i), comparator.getArgument(2 * i + 1)}, of(operand));
  visit(comparator);
  Agreement order = ofAll(comparator.getTerminator()->getOperands());
  for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
    raise(result, order == Agreement::kExact ? of(operand) : Agreement::kOpen);
}

} // namespace tenon::checking

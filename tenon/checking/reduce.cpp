#include "tenon/checking/reduce.h"

#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <regex>
#include <set>

namespace tenon::checking {

using namespace mlir;

// Programs are made of ops without effects, calls included.
void eraseDeadOps(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    module.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (op->getNumResults() == 0 || !op->use_empty())
        return;
      op->erase();
      changed = true;
    });
  }
  // Functions that nothing calls.
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate() && SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}

void updateType(func::FuncOp function) {
  if (function.getBody().empty() || function.front().empty())
    return;
  function.setFunctionType(FunctionType::get(function.getContext(), function.front().getArgumentTypes(),
                                             function.front().back().getOperandTypes()));
}

void replaceByZeros(OpResult result) {
  auto type = llvm::cast<RankedTensorType>(result.getType());
  OpBuilder builder(result.getOwner());
  result.replaceAllUsesWith(stablehlo::ConstantOp::create(
      builder, result.getOwner()->getLoc(), interpreter::Tensor(type.getShape(), type.getElementType()).toAttr()));
}

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

func::FuncOp mainOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

// Whether values of this type can be made up.
bool isOrdinary(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !llvm::isa<quant::QuantizedType>(tensor.getElementType());
}

class Reducer {
public:
  Reducer(std::string program, const MakeInput &makeInput, const StillFails &stillFails, double seconds)
      : makeInput_(makeInput), stillFails_(stillFails), deadline_(now() + seconds),
        context_(MLIRContext::Threading::DISABLED), silence_(&context_, [](Diagnostic &) { return success(); }),
        text_(std::move(program)) {
    loadAllDialects(context_);
  }

  std::string run() {
    module_ = frontend::importModule(text_, context_);
    if (!module_)
      return text_;
    nameArguments();
    for (std::string before; before != text_ && now() < deadline_;) {
      before = text_;
      keepOneResult();
      cutEnd();
      cutStretches();
      replaceValues();
      openControlFlow();
      dropArguments();
      shrinkSizes();
    }
    embedArguments();
    return text_;
  }

private:
  // Keeps what `change` makes of the program if that is valid and still fails.
  bool attempt(llvm::function_ref<bool(ModuleOp)> change) {
    if (now() > deadline_)
      return false;
    OwningOpRef<ModuleOp> candidate(module_->clone());
    if (!change(*candidate))
      return false;
    eraseDeadOps(*candidate);
    return keepIfFails(std::move(candidate));
  }

  bool keepIfFails(OwningOpRef<ModuleOp> candidate) {
    if (failed(verify(*candidate)))
      return false;
    std::string candidateText = frontend::exportText(*candidate);
    if (candidateText == text_ || !stillFails_(candidateText))
      return false;
    module_ = std::move(candidate);
    text_ = std::move(candidateText);
    return true;
  }

  // The op at the same place in a copy.
  static Operation *opAt(ModuleOp module, unsigned position) {
    Operation *found = nullptr;
    module.walk([&](Operation *op) {
      if (position-- == 0)
        found = op;
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }
  unsigned countOps() {
    unsigned count = 0;
    module_->walk([&](Operation *) { ++count; });
    return count;
  }

  void nameArguments() {
    func::FuncOp main = mainOf(*module_);
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (!main.getArgAttr(i, kInputAttribute))
        main.setArgAttr(i, kInputAttribute, IntegerAttr::get(IntegerType::get(&context_, 64), i));
    nextInput_ = 1000;
    text_ = frontend::exportText(*module_);
  }

  void keepOneResult() {
    unsigned count = mainOf(*module_).getNumResults();
    for (unsigned i = 0; count > 1 && i < count; ++i)
      if (attempt([&](ModuleOp candidate) {
            func::FuncOp main = mainOf(candidate);
            Operation *end = main.front().getTerminator();
            end->setOperands({end->getOperand(i)});
            main.removeResAttrsAttr();
            updateType(main);
            return true;
          }))
        return;
  }

  // Those of main, without its terminator.
  unsigned countMainOps() { return mainOf(*module_).front().getOperations().size() - 1; }

  // Returns what the first ops give to the others, which go: half of the ops, then a quarter of them, and so on.
  void cutEnd() {
    for (unsigned cut = countMainOps() / 2; cut > 0; cut /= 2)
      while (cut < countMainOps() && returnEarlier(countMainOps() - cut))
        ;
  }

  bool returnEarlier(unsigned kept) {
    return attempt([&](ModuleOp candidate) {
      func::FuncOp main = mainOf(candidate);
      Block &body = main.front();
      Operation *end = &*std::next(body.begin(), kept);
      llvm::SetVector<Value> live;
      for (Operation &op : llvm::make_range(body.begin(), end->getIterator()))
        for (OpResult result : op.getResults())
          if (llvm::any_of(result.getUsers(),
                           [&](Operation *user) { return !body.findAncestorOpInBlock(*user)->isBeforeInBlock(end); }))
            live.insert(result);
      if (live.empty() || !llvm::all_of(live, [](Value value) { return isOrdinary(value.getType()); }))
        return false;
      body.getTerminator()->setOperands(live.getArrayRef());
      main.removeResAttrsAttr();
      updateType(main);
      return true;
    });
  }

  // Puts arguments in the place of what half of the ops give, a quarter of them, and so on.
  void cutStretches() {
    for (unsigned length = countMainOps() / 2; length > 1; length /= 2)
      for (unsigned first = 0; first + length <= countMainOps();)
        if (!replaceStretch(first, length))
          first += length;
  }

  bool replaceStretch(unsigned first, unsigned length) {
    return attempt([&](ModuleOp candidate) {
      func::FuncOp main = mainOf(candidate);
      auto begin = std::next(main.front().begin(), first), end = std::next(begin, length);
      llvm::SmallPtrSet<Operation *, 16> stretch;
      for (Operation &op : llvm::make_range(begin, end))
        stretch.insert(&op);
      for (Operation &op : llvm::make_range(begin, end))
        for (OpResult result : op.getResults()) {
          auto isOutside = [&](OpOperand &use) {
            return !stretch.contains(main.front().findAncestorOpInBlock(*use.getOwner()));
          };
          if (op.hasTrait<OpTrait::ConstantLike>() || llvm::none_of(result.getUses(), isOutside))
            continue;
          if (!isOrdinary(result.getType()))
            return false;
          result.replaceUsesWithIf(newArgument(main, result), isOutside);
        }
      return true;
    });
  }

  // An argument of main of the value's type, which stands for an input that the program has not had.
  Value newArgument(func::FuncOp main, Value value) {
    NamedAttribute attribute(StringAttr::get(&context_, kInputAttribute),
                             IntegerAttr::get(IntegerType::get(&context_, 64), nextInput_++));
    (void)main.insertArgument(main.getNumArguments(), value.getType(), DictionaryAttr::get(&context_, attribute),
                              value.getLoc());
    return main.front().getArguments().back();
  }

  // Bodies that fold or order elements stay: with others the result is another matter.
  static bool isReplaceable(Operation *op) {
    return llvm::isa_and_present<func::FuncOp, stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp,
                                 sdy::ManualComputationOp, sdy::NamedComputationOp>(op->getParentOp());
  }

  void replaceValues() {
    for (unsigned position = countOps(); position-- > 0;) {
      Operation *op = opAt(*module_, position);
      if (!op || !isReplaceable(op))
        continue;
      bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
      for (unsigned result = 0, count = op->getNumResults(); !isConstant && result < count; ++result) {
        if (replaceByOperand(position, result) || replaceByArgument(position, result) ||
            replaceByConstant(position, result))
          break; // positions have moved
      }
    }
  }

  bool replaceByOperand(unsigned position, unsigned result) {
    Operation *op = opAt(*module_, position);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (op->getOperand(i).getType() == op->getResult(result).getType() && attempt([&](ModuleOp candidate) {
            Operation *copy = opAt(candidate, position);
            copy->getResult(result).replaceAllUsesWith(copy->getOperand(i));
            return true;
          }))
        return true;
    return false;
  }

  bool replaceByArgument(unsigned position, unsigned result) {
    return attempt([&](ModuleOp candidate) {
      Operation *op = opAt(candidate, position);
      func::FuncOp main = mainOf(candidate);
      Value value = op->getResult(result);
      if (!main->isProperAncestor(op) || op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>() != main ||
          value.use_empty() || !isOrdinary(value.getType()))
        return false;
      value.replaceAllUsesWith(newArgument(main, value));
      return true;
    });
  }

  bool replaceByConstant(unsigned position, unsigned result) {
    return attempt([&](ModuleOp candidate) {
      Operation *op = opAt(candidate, position);
      Type resultType = op->getResult(result).getType();
      if (!isOrdinary(resultType) || op->getResult(result).use_empty())
        return false;
      replaceByZeros(op->getResult(result));
      return true;
    });
  }

  // Puts a branch, or a loop's body, in the place of the op.
  void openControlFlow() {
    for (unsigned position = countOps(); position-- > 0;) {
      Operation *op = opAt(*module_, position);
      if (!op || !llvm::isa<stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp>(op))
        continue;
      for (unsigned region = op->getNumRegions(); region-- > 0;)
        if (attempt([&](ModuleOp candidate) {
              Operation *copy = opAt(candidate, position);
              Block &body = copy->getRegion(region).front();
              if (body.getTerminator()->getNumOperands() != copy->getNumResults())
                return false;
              for (auto [argument, operand] : llvm::zip(body.getArguments(), copy->getOperands()))
                argument.replaceAllUsesWith(operand);
              copy->replaceAllUsesWith(body.getTerminator()->getOperands());
              body.getTerminator()->erase();
              copy->getBlock()->getOperations().splice(copy->getIterator(), body.getOperations());
              copy->erase();
              return true;
            }))
          break;
    }
  }

  void dropArguments() {
    attempt([&](ModuleOp candidate) {
      func::FuncOp main = mainOf(candidate);
      BitVector unused(main.getNumArguments());
      for (unsigned i = 0; i < main.getNumArguments(); ++i)
        if (main.getArgument(i).use_empty())
          unused.set(i);
      return unused.any() && succeeded(main.eraseArguments(unused));
    });
  }

  // One size at a time becomes a smaller one: wherever a type has it, or wherever it stands at all.
  void shrinkSizes() {
    std::set<int64_t, std::greater<>> sizes;
    module_->walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto tensor = llvm::dyn_cast<RankedTensorType>(type))
          sizes.insert(tensor.getShape().begin(), tensor.getShape().end());
    });
    for (Type type : mainOf(*module_).getArgumentTypes())
      for (int64_t size : llvm::cast<RankedTensorType>(type).getShape())
        sizes.insert(size);
    for (int64_t size : sizes)
      for (int64_t smaller : {int64_t{1}, int64_t{2}, size / 2, size - 1})
        if (smaller < size && smaller > 0 && (replaceSize(size, smaller, true) || replaceSize(size, smaller, false)))
          break;
  }

  bool replaceSize(int64_t from, int64_t to, bool everywhere) {
    if (now() > deadline_)
      return false;
    std::string number = std::to_string(from);
    std::regex pattern(everywhere ? "(^|[^\\w.%#])" + number + "(?=x|[^\\w.]|$)" : "(<|x)" + number + "(?=x)");
    std::string candidate = text_, before;
    // Matches that share a character need a second round.
    while (before != candidate) {
      before = candidate;
      candidate = std::regex_replace(candidate, pattern, "$01" + std::to_string(to));
      if (everywhere)
        candidate = std::regex_replace(candidate, std::regex("(<|x)" + number + "(?=x)"), "$01" + std::to_string(to));
    }
    OwningOpRef<ModuleOp> changed = frontend::importModule(candidate, context_);
    return changed && keepIfFails(std::move(changed));
  }

  // Small arguments become constants, so that the program stands alone.
  void embedArguments() {
    auto position = [&] { return mainOf(*module_).getNumArguments(); };
    for (unsigned i = position(); i-- > 0;)
      attempt([&](ModuleOp candidate) {
        func::FuncOp main = mainOf(candidate);
        auto type = llvm::cast<RankedTensorType>(main.getArgument(i).getType());
        if (!type.hasStaticShape() || type.getNumElements() > 64)
          return false;
        OpBuilder builder(&main.front(), main.front().begin());
        main.getArgument(i).replaceAllUsesWith(
            stablehlo::ConstantOp::create(builder, main.getLoc(), argumentValue(candidate, i)));
        return succeeded(main.eraseArgument(i));
      });
  }

  ElementsAttr argumentValue(ModuleOp candidate, unsigned i) {
    func::FuncOp main = mainOf(candidate);
    auto type = llvm::cast<RankedTensorType>(main.getArgument(i).getType());
    return makeInput_(type, inputOf(main, i)).toAttr();
  }

  const MakeInput &makeInput_;
  const StillFails &stillFails_;
  double deadline_;
  MLIRContext context_;
  ScopedDiagnosticHandler silence_;
  std::string text_;
  OwningOpRef<ModuleOp> module_;
  int64_t nextInput_ = 0;
};

} // namespace

uint64_t inputOf(func::FuncOp main, unsigned argument) {
  auto input = main.getArgAttrOfType<IntegerAttr>(argument, kInputAttribute);
  return input ? input.getInt() : argument;
}

std::string reduceProgram(const std::string &program, const MakeInput &makeInput, const StillFails &stillFails,
                          double seconds) {
  return Reducer(program, makeInput, stillFails, seconds).run();
}

} // namespace tenon::checking

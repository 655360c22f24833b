#include "tenon/checking/wrong_kernel.h"

#include "tenon/checking/interpret_all.h"
#include "tenon/checking/reduce.h"
#include "tenon/frontend/export/export.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::checking {

using namespace mlir;

namespace {

bool isControlFlow(Operation *op) { return isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op); }

// Whether the op is one of the entry function's: in main itself, or in a body of its control flow.
bool isInstruction(Operation *op) {
  Operation *parent = op->getParentOp();
  while (parent && isControlFlow(parent))
    parent = parent->getParentOp();
  return isa_and_present<func::FuncOp>(parent) && !isControlFlow(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

// Puts what is in fusions in their place: the noise of an expectation is that of ops.
void openFusions(ModuleOp module) {
  SmallVector<ir::FusionOp> fusions;
  module.walk([&](ir::FusionOp fusion) { fusions.push_back(fusion); });
  for (ir::FusionOp fusion : fusions) {
    Block &body = fusion.getBlock();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), fusion->getOperands()))
      argument.replaceAllUsesWith(operand);
    fusion->replaceAllUsesWith(fusion.getYield()->getOperands());
    fusion.getYield()->erase();
    fusion->getBlock()->getOperations().splice(fusion->getIterator(), body.getOperations());
    fusion.erase();
  }
}

class KernelFinder {
public:
  KernelFinder(ModuleOp program, const RunCompiled &runCompiled, const Limits &limits)
      : program_(program), runCompiled_(runCompiled), limits_(limits) {}

  StatusOr<KernelSearch> run(ArrayRef<interpreter::Value> arguments) {
    std::vector<std::vector<interpreter::Value>> all(1, arguments.vec());
    TENON_RETURN_IF_ERROR(interpretAll(program_, all, [&](int64_t) { return tracing(); }).status());
    KernelSearch search;
    for (Operation *op : order_) {
      std::optional<WrongKernel> kernel = isolate(op);
      if (!kernel)
        continue;
      ++search.compared;
      if (!isWrong(*kernel))
        continue;
      search.wrong = std::move(kernel);
      break;
    }
    return search;
  }

private:
  // Notes the values with which instructions are first evaluated.
  interpreter::Options tracing() {
    interpreter::Options options = limited(limits_);
    options.beforeOp = [this](Operation *op, llvm::MutableArrayRef<interpreter::Value> operands) {
      if (!isInstruction(op) || !seen_.insert(op).second)
        return;
      order_.push_back(op);
      for (auto [operand, value] : llvm::zip(op->getOperands(), operands))
        values_.try_emplace(operand, value);
    };
    return options;
  }

  // What the op reads: operands, and values that its regions take from around it.
  static SmallVector<Value> inputsOf(Operation *op) {
    llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
    return inputs.takeVector();
  }

  // The op as a program; none where it reads or gives other things than arrays of known values.
  std::optional<WrongKernel> isolate(Operation *op) {
    auto isArray = [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && type.hasStaticShape();
    };
    if (op->getNumResults() == 0 || !llvm::all_of(op->getResults(), isArray))
      return std::nullopt;
    WrongKernel kernel{op->getName().getStringRef().str(), op->getLoc(), "", ModuleOp::create(op->getLoc()), {}};
    (*kernel.program)->setAttrs(program_->getAttrDictionary());
    OpBuilder builder = OpBuilder::atBlockEnd(kernel.program->getBody());
    auto main = func::FuncOp::create(builder, op->getLoc(), "main", builder.getFunctionType({}, {}));
    Block *body = main.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    IRMapping mapping;
    for (Value input : inputsOf(op)) {
      Operation *source = input.getDefiningOp();
      auto known = values_.find(input);
      if (source && source->hasTrait<OpTrait::ConstantLike>()) {
        builder.clone(*source, mapping);
      } else if (known != values_.end() && known->second.isTensor() && isArray(input)) {
        mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
        kernel.arguments.push_back(known->second);
      } else {
        return std::nullopt;
      }
    }
    Operation *copy = builder.clone(*op, mapping);
    func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
    updateType(main);
    return kernel;
  }

  // Says so in the kernel.
  bool isWrong(WrongKernel &kernel) {
    OwningOpRef<ModuleOp> reference(kernel.program->clone());
    openFusions(*reference);
    std::vector<std::vector<interpreter::Value>> arguments(1, kernel.arguments);
    auto expectation = Expectation::create(*reference, arguments, {.boundsOpen = true, .limits = limits_});
    if (!expectation.ok())
      return false; // takes too long for noise
    auto results = runCompiled_(*kernel.program, kernel.arguments);
    if (!results.ok()) {
      kernel.difference = results.status().message();
      return true;
    }
    for (auto [i, bytes] : llvm::enumerate(*results))
      if (auto difference = expectation->check(i, bytes)) {
        kernel.difference = *difference;
        return true;
      }
    return false;
  }

  ModuleOp program_;
  const RunCompiled &runCompiled_;
  Limits limits_;
  llvm::DenseSet<Operation *> seen_;
  std::vector<Operation *> order_; // as they were first evaluated
  llvm::DenseMap<Value, interpreter::Value> values_;
};

} // namespace

StatusOr<std::vector<std::vector<uint8_t>>> runOnBackend(backend::Backend &backend, ModuleOp program,
                                                         ArrayRef<interpreter::Value> arguments) {
  TENON_ASSIGN_OR_RETURN(auto executable, backend.compile(frontend::exportText(program), {}));
  // Copies, aligned as programs expect their arrays to be, for those that may be overwritten.
  constexpr size_t kAlignment = 64;
  auto aligned = [](std::vector<uint8_t> &bytes, size_t size) {
    bytes.resize(size + kAlignment);
    auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + (kAlignment - address % kAlignment) % kAlignment;
  };
  std::vector<std::vector<uint8_t>> copies(arguments.size()), memory(executable->program().results.size());
  std::vector<const void *> inputs;
  for (auto [value, copy] : llvm::zip(arguments, copies)) {
    ArrayRef<uint8_t> bytes = value.tensor().bytes();
    uint8_t *data = aligned(copy, bytes.size());
    llvm::copy(bytes, data);
    inputs.push_back(data);
  }
  std::vector<ArrayRef<uint8_t>> results;
  auto give = [&](size_t i, const program::Shape &shape) {
    auto size = static_cast<size_t>(shape.byteSize());
    uint8_t *data = aligned(memory[i], size);
    results.emplace_back(data, size);
    return data;
  };
  TENON_RETURN_IF_ERROR(executable->executeInto(inputs, give, {}));
  std::vector<std::vector<uint8_t>> all;
  for (ArrayRef<uint8_t> bytes : results)
    all.push_back(bytes.vec());
  return all;
}

StatusOr<KernelSearch> findWrongKernel(ModuleOp program, ArrayRef<interpreter::Value> arguments,
                                       const RunCompiled &runCompiled, const Limits &limits) {
  return KernelFinder(program, runCompiled, limits).run(arguments);
}

} // namespace tenon::checking

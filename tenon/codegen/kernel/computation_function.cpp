#include "tenon/codegen/kernel/computation_function.h"

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/entry/entry.h"
#include "tenon/ir/captures.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace mlir;

namespace tenon::codegen {

struct ComputationPlan {
  std::string symbol;
  OwningOpRef<func::FuncOp> program;
  std::deque<std::pair<Operation *, KernelPlan>> kernels; // of the program's ops, in its order
  SmallVector<ElementsAttr> constants;
  ProgramInstructions instructions;
  std::optional<BufferPlan> memory;
  int64_t arenaBytes = 0; // with the kernels' scratch memory behind
};

namespace entry {
namespace {

// Arrays inside a computation are on the stack.
constexpr int64_t kMostBytes = 1 << 20;

bool isFromOutside(Region &computation, Value value) { return !computation.isAncestor(value.getParentRegion()); }

class ComputationPlanner {
public:
  ComputationPlanner(Region &computation, const ProductTarget &target) : computation_(computation), target_(target) {}

  FailureOr<std::shared_ptr<const ComputationPlan>> run(StringRef symbol) {
    plan_->symbol = symbol.str();
    plan_->program = outline();
    func::FuncOp program = *plan_->program;
    if (failed(planKernels(program)))
      return failure();
    for (auto &[op, kernel] : plan_->kernels)
      plan_->instructions.kernels[op] = &kernel.kernel;
    SmallVector<int32_t> donations(program.getNumArguments(), -1);
    plan_->memory = planBuffers(program, plan_->instructions, constantIndex_, donations);
    for (auto &[op, kernel] : plan_->kernels)
      plan_->arenaBytes = std::max(plan_->arenaBytes, kernel.kernel.scratchBytes);
    plan_->arenaBytes += computationScratchOffset(*plan_->memory);
    if (plan_->arenaBytes > kMostBytes)
      return computation_.getParentOp()->emitOpError()
             << "has a computation that needs " << plan_->arenaBytes << " bytes for its arrays; at most " << kMostBytes
             << " are possible";
    return std::shared_ptr<const ComputationPlan>(std::move(plan_));
  }

private:
  // The region as a function. Other threads may be outlining others: nothing here may add uses to values outside.
  OwningOpRef<func::FuncOp> outline() {
    Block &from = computation_.front();
    auto type = FunctionType::get(computation_.getContext(), llvm::to_vector(from.getArgumentTypes()),
                                  llvm::to_vector(from.getTerminator()->getOperandTypes()));
    OwningOpRef<func::FuncOp> program = func::FuncOp::create(computation_.getLoc(), "computation", type);
    Block *block = program->addEntryBlock();
    OpBuilder at(computation_.getContext());
    at.setInsertionPointToStart(block);
    IRMapping mapping;
    mapping.map(from.getArguments(), block->getArguments());
    computation_.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isFromOutside(computation_, operand) && !mapping.contains(operand))
          at.clone(*operand.getDefiningOp(), mapping); // a constant
    });
    for (Operation &op : from.without_terminator())
      at.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : from.getTerminator()->getOperands())
      results.push_back(mapping.lookup(value));
    func::ReturnOp::create(at, computation_.getLoc(), results);
    return program;
  }

  LogicalResult planKernels(func::FuncOp program) {
    return forEachInstruction(program.getBody().front(), [&](Operation *op, InstructionKind kind) -> LogicalResult {
      if (kind == InstructionKind::kConstant && !isScalarTensor(op->getResult(0).getType())) {
        constantIndex_[op] = plan_->constants.size();
        plan_->constants.push_back(op->getAttrOfType<ElementsAttr>("value"));
      }
      if (kind != InstructionKind::kKernel)
        return success();
      std::string symbol = plan_->symbol + "_" + std::to_string(plan_->kernels.size());
      FailureOr<KernelPlan> kernel = planKernel(op, symbol, target_);
      if (failed(kernel))
        return failure();
      plan_->kernels.emplace_back(op, *std::move(kernel));
      return success();
    });
  }

  Region &computation_;
  const ProductTarget &target_;
  std::shared_ptr<ComputationPlan> plan_ = std::make_shared<ComputationPlan>();
  llvm::DenseMap<Operation *, int> constantIndex_;
};

// A computation compiled on its own: a function of pointers, as the entry function is.
class ComputationEmitter {
public:
  ComputationEmitter(const ComputationPlan &plan, llvm::Module &module, const ProductTarget &target)
      : plan_(plan), module_(module), target_(target), builder_(module.getContext()) {}

  // Emits the function, which takes the parts of the arguments' elements and returns those of the results'.
  FailureOr<llvm::Function *> run() {
    func::FuncOp program = *plan_.program;
    createFunction(program, plan_.symbol);
    std::string entry = plan_.symbol + "_entry";
    if (failed(emitKernels()) || failed(emitConstants(program)) ||
        failed(emitComputationEntry(program, plan_.instructions, *plan_.memory, entry, module_)))
      return failure();
    emitWrapper(program, module_.getFunction(entry));
    // Targets that inline at all inline all of it.
    for (llvm::Function *function : {function_, module_.getFunction(entry)})
      function->addFnAttr(llvm::Attribute::AlwaysInline);
    return function_;
  }

private:
  void createFunction(func::FuncOp program, StringRef symbol) {
    SmallVector<llvm::Type *> parameters, results;
    auto append = [&](TypeRange types, SmallVectorImpl<llvm::Type *> &parts) {
      for (Type type : types) {
        Type element = cast<RankedTensorType>(type).getElementType();
        parts.append(isa<ComplexType>(element) ? 2 : 1, valueType(module_.getContext(), element, 1));
      }
    };
    append(program.getArgumentTypes(), parameters);
    append(program.getResultTypes(), results);
    auto *type = llvm::FunctionType::get(llvm::StructType::get(module_.getContext(), results), parameters, false);
    function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, symbol, module_);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
  }

  LogicalResult emitKernels() {
    for (auto &[op, kernel] : plan_.kernels) {
      if (failed(emitKernel(kernel, module_, target_)))
        return failure();
      for (const KernelPhase &phase : kernel.kernel.phases)
        if (llvm::Function *code = module_.getFunction(phase.symbol)) {
          code->setLinkage(llvm::Function::InternalLinkage);
          code->addFnAttr(llvm::Attribute::AlwaysInline);
        }
    }
    return success();
  }

  LogicalResult emitConstants(func::FuncOp program) {
    for (ElementsAttr value : plan_.constants) {
      FailureOr<llvm::Constant *> data = constantArray(module_, value);
      if (failed(data))
        return program.emitError("the data of a constant of this computation is missing");
      constants_.push_back(*data);
    }
    return success();
  }

  // Elements to memory, the call, and elements from memory.
  void emitWrapper(func::FuncOp program, llvm::Function *entry) {
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function_));
    llvm::Type *pointer = builder_.getPtrTy();
    auto slots = [&](TypeRange types) {
      auto *table = builder_.CreateAlloca(llvm::ArrayType::get(pointer, std::max<size_t>(types.size(), 1)));
      SmallVector<llvm::Value *> places;
      for (auto [i, type] : llvm::enumerate(types)) {
        places.push_back(allocate(storageBytes(cast<RankedTensorType>(type).getElementType()), 16));
        builder_.CreateStore(places.back(), builder_.CreateConstInBoundsGEP1_64(pointer, table, i));
      }
      return std::pair(static_cast<llvm::Value *>(table), places);
    };
    auto [argumentTable, arguments] = slots(program.getArgumentTypes());
    auto [resultTable, results] = slots(program.getResultTypes());
    llvm::Value *arena = allocate(plan_.arenaBytes, 64);
    unsigned part = 0;
    for (auto [place, value] : llvm::zip(arguments, program.getArguments())) {
      Element element{function_->getArg(part++)};
      if (isa<ComplexType>(elementTypeOf(value)))
        element.im = function_->getArg(part++);
      storeElements(builder_, elementTypeOf(value), element, place, 1);
    }
    auto *table = llvm::ConstantArray::get(llvm::ArrayType::get(pointer, constants_.size()), constants_);
    auto *constantTable = new llvm::GlobalVariable(module_, table->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                   table, "constants");
    builder_.CreateCall(
        entry, {llvm::ConstantPointerNull::get(builder_.getPtrTy()), argumentTable, resultTable, arena, constantTable});
    SmallVector<llvm::Value *> parts;
    for (auto [place, type] : llvm::zip(results, program.getResultTypes())) {
      Element element = loadElements(builder_, cast<RankedTensorType>(type).getElementType(), place, 1);
      parts.push_back(element.re);
      if (element.im)
        parts.push_back(element.im);
    }
    builder_.CreateAggregateRet(parts.data(), parts.size());
  }

  llvm::Value *allocate(int64_t bytes, int64_t alignment) {
    auto *memory = builder_.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), std::max<int64_t>(bytes, 1)));
    memory->setAlignment(llvm::Align(alignment));
    return memory;
  }

  const ComputationPlan &plan_;
  llvm::Module &module_;
  const ProductTarget &target_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_ = nullptr;
  SmallVector<llvm::Constant *> constants_;
};

} // namespace

Operation *findUncomputable(Region &computation, const ProductTarget &target) {
  Operation *parent = computation.getParentOp(), *found = nullptr;
  if (!computation.hasOneBlock())
    return parent;
  for (BlockArgument argument : computation.getArguments())
    if (!isScalarTensor(argument.getType()) || !isElementTypeSupported(elementTypeOf(argument)))
      return parent;
  auto isAvailable = [&](Value value) {
    return !isFromOutside(computation, value) || matchPattern(value, m_Constant());
  };
  (void)forEachInstruction(computation.front(), [&](Operation *op, InstructionKind kind) {
    bool isSupported = kind != InstructionKind::kKernel || (canEmitKernel(op, target) && !ir::capturesValue(op));
    if (kind == InstructionKind::kConstant)
      isSupported = isElementTypeSupported(elementTypeOf(op->getResult(0)));
    op->walk([&](Operation *inner) { isSupported &= llvm::all_of(inner->getOperands(), isAvailable); });
    found = isSupported ? nullptr : op;
    return success(isSupported);
  });
  return found;
}

FailureOr<std::shared_ptr<const ComputationPlan>> planComputation(Region &computation, StringRef symbol,
                                                                  const ProductTarget &target) {
  return ComputationPlanner(computation, target).run(symbol);
}

FailureOr<llvm::Function *> emitComputation(const ComputationPlan &plan, llvm::Module &module,
                                            const ProductTarget &target) {
  if (llvm::Function *function = module.getFunction(plan.symbol))
    return function;
  return ComputationEmitter(plan, module, target).run();
}

void print(const ComputationPlan &plan, llvm::raw_ostream &os) {
  os << "computation with " << plan.arenaBytes << " bytes of arrays\n";
  for (auto &[op, kernel] : plan.kernels) {
    os << "its " << op->getName() << ": ";
    kernel.print(os);
  }
}

} // namespace entry
} // namespace tenon::codegen

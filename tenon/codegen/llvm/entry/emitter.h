// Private to entry.cpp and control.cpp.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/llvm/element/scalar_evaluator.h"
#include "tenon/codegen/llvm/entry/call_list.h"
#include "tenon/codegen/llvm/entry/concurrent_calls.h"
#include "tenon/codegen/llvm/entry/element_access.h"
#include "tenon/support/cost_model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen::entry {

class EntryEmitter {
public:
  // What the function is of: a program, or a computation that kernels call (emitComputationEntry).
  enum class Form { kProgram, kComputation };

  EntryEmitter(mlir::func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
               llvm::Module &module, llvm::StringRef symbol, Form form, const CostModel &costs);
  llvm::LogicalResult run();

private:
  void measure();
  void storeBases();
  llvm::FunctionCallee runtimeFunction(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> types);

  // The argument of the entry function that is the arena, or one of its pointer tables.
  llvm::Value *baseArgument(CallList::Base base);
  // Element `index` of a pointer table.
  llvm::Value *tableEntry(CallList::Base table, int64_t index);
  llvm::Value *pointerOfClass(const BufferClass &buffer);
  llvm::Value *pointerOf(mlir::Value value);
  // A number that is in memory.
  llvm::FailureOr<Element> loadScalar(mlir::Value value);
  static mlir::Type elementType(mlir::Value value);
  bool needsRegister(mlir::Value value) const;
  void loadIfNeeded(mlir::Value value);
  // memcpy unless the pointers are equal when it runs.
  void copy(llvm::Value *to, llvm::Value *from, int64_t bytes);

  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emitInstruction(mlir::Operation *op);
  llvm::LogicalResult emitScalarGroup(llvm::ArrayRef<mlir::Operation *> group);
  llvm::Value *fillTable(llvm::ArrayRef<llvm::Value *> pointers);
  llvm::FunctionCallee kernelFunction(const KernelPhase &phase);
  llvm::LogicalResult emitKernelCall(mlir::Operation *op, const Kernel &kernel);
  void emitPhase(mlir::Operation *op, const KernelPhase &phase);
  void emitTracedCall(mlir::Operation *op, const KernelPhase &phase);
  // The operands, the results and the temporary block of the op's kernel.
  llvm::SmallVector<llvm::Value *> pointersOf(mlir::Operation *op);
  // element_access.cpp: what kernels do that read or write one element.
  llvm::FailureOr<Element> numberOf(mlir::Value value);
  llvm::FailureOr<llvm::Value *> positionOf(const Place &place);
  llvm::LogicalResult emitView(mlir::Operation *op);
  llvm::LogicalResult emitElementAccess(mlir::Operation *op, const KernelPhase &phase, const ElementAccess &access);
  // Calls outside of loops are put off until something reads or writes what they do: they become one call of a list.
  bool isListed(mlir::Operation *op) const;
  int64_t placeOf(mlir::Value value);
  int64_t placeOfClass(const BufferClass &buffer);
  void listKernelCall(mlir::Operation *op, const Kernel &kernel);
  void emitListedCalls();
  // Listed calls of short kernels that do not depend on each other are one, of all their tasks.
  bool mayJoin(const Kernel &kernel, llvm::ArrayRef<ConcurrentCalls::Access> accesses) const;
  llvm::SmallVector<ConcurrentCalls::Access> accessesOf(mlir::Operation *op) const;
  void closeJoinedCalls();
  // Whether a result is to begin as a copy of operand `init`, which has another place.
  bool beginsAsCopy(mlir::Operation *op, mlir::Value result, int init) const;
  CallList::Sharing sharingOf(double nanoseconds) const;
  CallList::Sharing sharingOf(const KernelPhase &phase) const;
  llvm::LogicalResult emitRuntimeCall(mlir::Operation *op, int index);
  void emitReturn(mlir::Operation *terminator);

  // control.cpp
  struct LoopState;
  llvm::LogicalResult emitWhile(mlir::Operation *op);
  void emitStop();
  llvm::LogicalResult emitInitialValues(LoopState &state);
  void emitLoopPhis(LoopState &state, llvm::BasicBlock *before);
  llvm::LogicalResult emitLoopBody(LoopState &state);
  llvm::LogicalResult emitBranch(mlir::Operation *op);
  Element elementPhi(mlir::Type type, unsigned incoming);
  void addIncoming(Element phi, Element value, llvm::BasicBlock *block);
  void restorePlace(const BufferClass &buffer, llvm::Value *place);
  void storeCarried(mlir::Operation *loop, mlir::Operation *terminator, llvm::ArrayRef<llvm::Value *> homes);

  mlir::func::FuncOp main_;
  const ProgramInstructions &instructions_;
  const BufferPlan &plan_;
  llvm::Module &module_;
  Form form_;
  CostModel costs_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_ = nullptr;
  llvm::BasicBlock *allocas_ = nullptr;
  llvm::Value *table_ = nullptr, *scratch_ = nullptr;
  llvm::Value *isTraced_ = nullptr;
  llvm::Value *bases_ = nullptr; // TENON_BASES pointers, if any calls are listed
  CallList listed_;
  ConcurrentCalls joined_; // the last of `listed_`, numberJoined_ of them
  int64_t numberJoined_ = 0;
  llvm::DenseMap<const BufferClass *, int64_t> placesInResults_; // in `listed_`, of what is inside of a result's memory
  unsigned tableSize_ = 0;
  bool usesScratch_ = false, callsInLoops_ = false, listsCalls_ = false;
  ScalarEvaluator scalars_;                          // the numbers in registers
  llvm::DenseMap<mlir::Value, llvm::Value *> views_; // where what is a part of another array begins
  // Classes that a loop around the current position exchanges.
  llvm::DenseMap<const BufferClass *, llvm::Value *> moved_;
};

} // namespace tenon::codegen::entry

// Internals of the interpreter: frames of values, one op's invocation, and the functions that run regions.
#pragma once

#include "tenon/interpreter/interpreter.h"
#include "tenon/interpreter/kernels.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace tenon::interpreter {

using llvm::LogicalResult;
using Values = llvm::SmallVector<Value, 4>;

// Values of one execution of a block. Regions see the frames around them.
class Frame {
public:
  explicit Frame(Frame *outer) : outer_(outer) {}
  void set(mlir::Value key, Value value) { values_[key] = std::move(value); }
  const Value *find(mlir::Value key) const;
  // Moves a value of this very frame out; empty token when it is not here.
  Value take(mlir::Value key);
  bool holds(mlir::Value key) const { return values_.contains(key); }

private:
  llvm::SmallDenseMap<mlir::Value, Value, 8> values_;
  Frame *outer_;
};

// The context of an op's evaluation: its operands' values, the types it must produce, and a place for its results.
class Evaluator;
class Invocation {
public:
  Invocation(Evaluator &evaluator, mlir::Operation *op, Frame *frame, Values operands);

  mlir::Operation *op() const { return op_; }
  Evaluator &evaluator() const { return evaluator_; }
  Frame *frame() const { return frame_; }

  llvm::MutableArrayRef<Value> operands() { return operands_; }
  const Tensor &tensor(unsigned operand) const { return operands_[operand].tensor(); }
  // Moves an operand out, so that writing to it needs no copy when nobody else holds it.
  Tensor takeTensor(unsigned operand) { return std::move(operands_[operand].tensor()); }
  // The operands of an ODS operand range of `op`.
  llvm::ArrayRef<Value> valuesOf(mlir::OperandRange range) const;

  // Element type (MLIR's) that result `i` must have. A quantized op evaluates with its expressed types.
  mlir::Type elementOf(unsigned result) const { return resultElements_[result]; }
  ElementType elementTypeOf(unsigned result) const;
  void setElementOf(unsigned result, mlir::Type element) { resultElements_[result] = element; }

  int64_t maxTensorBytes() const;
  // A zero-filled tensor, or failure when it would exceed the limits.
  llvm::FailureOr<Tensor> make(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  // Appends the next result.
  LogicalResult yield(Value value);
  Values &results() { return results_; }

  LogicalResult fail(const llvm::Twine &message, StatusCode code = StatusCode::kInvalidArgument);

private:
  Evaluator &evaluator_;
  mlir::Operation *op_;
  Frame *frame_;
  Values operands_;
  llvm::SmallVector<mlir::Type, 2> resultElements_;
  Values results_;
};

// One run.
class Evaluator {
public:
  // `mesh`: where the run is that of a body for one device of it, a process of that device's number.
  explicit Evaluator(const Options &options, mlir::Attribute mesh = {}) : options_(options), mesh_(mesh) {}

  // Runs a block with its arguments bound; `results` are the terminator's operands.
  LogicalResult runBlock(mlir::Block &block, Values args, Frame *outer, Values &results);
  LogicalResult runRegion(mlir::Region &region, Values args, Frame *outer, Values &results) {
    return runBlock(region.front(), std::move(args), outer, results);
  }
  // Calls the function that `symbol` names, as seen from `from`.
  LogicalResult callSymbol(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol, Values args, Values &results);
  // Dispatches to the op's function and checks what it gave.
  LogicalResult evaluate(Invocation &call);

  LogicalResult fail(mlir::Operation *op, StatusCode code, const llvm::Twine &message);
  const Status &status() const { return status_; }
  const Options &options() const { return options_; }
  mlir::Attribute mesh() const { return mesh_; }

  // Payloads sent to this process itself and not received yet, by channel.
  std::deque<Values> &channel(int64_t id) { return channels_[id]; }
  // Distinguishes the invocations of `rng` in a run.
  uint64_t nextRandomStream() { return randomStream_++; }

private:
  // For each op of a block, the operands that it is the last to use: those it may have for itself.
  using LastUses = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>>;
  const LastUses &lastUses(mlir::Block &block);
  LogicalResult evaluateInFrame(mlir::Operation &op, const LastUses &lastUses, Frame &frame, Values &results);
  LogicalResult checkResults(Invocation &call);

  const Options &options_;
  mlir::Attribute mesh_;
  Status status_;
  int64_t steps_ = 0, depth_ = 0;
  uint64_t randomStream_ = 0;
  llvm::DenseMap<mlir::Block *, std::unique_ptr<LastUses>> lastUses_;
  llvm::DenseMap<int64_t, std::deque<Values>> channels_;
  mlir::SymbolTableCollection symbols_;
};

// The types that decide an elementwise op's kernel.
struct KernelTypes {
  llvm::ArrayRef<ElementType> operands;
  ElementType result;
};

// Generated from the op lists (dispatch.cpp).
using Handler = LogicalResult (*)(Invocation &);
Handler handlerOf(mlir::OperationName name);
// The kernel of an elementwise op, nullopt when it has none for the types or is not elementwise.
// Not named kernelOf: ops convert to Operation *, which would hide that an overload is missing.
MaybeKernel findKernel(mlir::Operation *op, const KernelTypes &types);

// Applies a kernel to every element. Operands of rank 0 among others of higher rank count at every index.
LogicalResult applyElementwise(Invocation &call, MaybeKernel kernel);

// Runs an op on quantized operands by dequantizing them and quantizing the results (quantize.cpp).
bool computesOnExpressedValues(mlir::Operation *op);
LogicalResult evaluateQuantized(Invocation &call, Handler handler);
// A tensor of floats or of another quantized type, quantized (quantize.cpp).
llvm::FailureOr<Tensor> requantized(Invocation &call, const Tensor &tensor, mlir::Type type);

} // namespace tenon::interpreter

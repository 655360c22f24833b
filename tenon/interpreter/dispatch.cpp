// The table from an op's name to its function, generated from the op lists.
#include "tenon/interpreter/ops.h"
#include "tenon/ir/op_table.h"

namespace tenon::interpreter {
namespace {

template <typename Op>
concept HasFunction = requires(Op op, Invocation &call) {
  { evaluate(op, call) } -> std::same_as<LogicalResult>;
};

template <typename Op>
concept HasKernel = requires(Op op, const KernelTypes &types) {
  { kernelOf(op, types) } -> std::same_as<MaybeKernel>;
};

using KernelFn = MaybeKernel (*)(mlir::Operation *, const KernelTypes &);

struct Entry {
  Handler handler = nullptr;
  KernelFn kernel = nullptr;
};

template <typename Op> Entry entryOf() {
  static_assert(HasFunction<Op>, "this op has no evaluate() in tenon/interpreter/ops.h");
  Entry entry;
  entry.handler = [](Invocation &call) { return evaluate(llvm::cast<Op>(call.op()), call); };
  if constexpr (HasKernel<Op>)
    entry.kernel = [](mlir::Operation *op, const KernelTypes &types) { return kernelOf(llvm::cast<Op>(op), types); };
  return entry;
}

Entry entryOf(mlir::OperationName name) {
  static const auto entries =
      ir::OpTable<Entry>::make<mlir::func::CallOp, mlir::func::ReturnOp>([]<typename Op>() { return entryOf<Op>(); });
  return entries.lookup(name);
}

} // namespace

Handler handlerOf(mlir::OperationName name) { return entryOf(name).handler; }

MaybeKernel findKernel(mlir::Operation *op, const KernelTypes &types) {
  KernelFn kernel = entryOf(op->getName()).kernel;
  return kernel ? kernel(op, types) : std::nullopt;
}

} // namespace tenon::interpreter

// From an op's name to its function, generated from the op lists.
#include "tenon/interpreter/ops.h"
#include "tenon/ir/meaning.h"

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
using Table = llvm::DenseMap<mlir::TypeID, Entry>;

template <typename Op> void add(Table &table) {
  static_assert(HasFunction<Op>, "this op has no evaluate() in tenon/interpreter/ops.h");
  Entry entry;
  entry.handler = [](Invocation &call) { return evaluate(llvm::cast<Op>(call.op()), call); };
  if constexpr (HasKernel<Op>)
    entry.kernel = [](mlir::Operation *op, const KernelTypes &types) { return kernelOf(llvm::cast<Op>(op), types); };
  table.try_emplace(mlir::TypeID::get<Op>(), entry);
}

template <typename... Ops> void addAll(Table &table) {
  static_assert(sizeof...(Ops) != 0, "the op list is empty: was its section generated?");
  (add<Ops>(table), ...);
}

const Table &table() {
  static const Table entries = [] {
    Table table;
    addAll<
#define GET_OP_LIST
#include "tenon/ops/stablehlo_op_list.inc"
        >(table);
    addAll<
#define GET_OP_LIST
#include "tenon/ops/chlo_op_list.inc"
        >(table);
    addAll<
#define GET_OP_LIST
#include "tenon/ops/sdy_op_list.inc"
        >(table);
    addAll<
#define GET_OP_LIST
#include "tenon/ops/tenon_op_list.inc"
        >(table);
    addAll<mlir::func::CallOp, mlir::func::ReturnOp>(table);
    return table;
  }();
  return entries;
}

} // namespace

Handler handlerOf(mlir::OperationName name) {
  auto it = table().find(name.getTypeID());
  return it == table().end() ? nullptr : it->second.handler;
}

MaybeKernel findKernel(mlir::Operation *op, const KernelTypes &types) {
  auto it = table().find(op->getName().getTypeID());
  return it == table().end() || !it->second.kernel || ir::whyWithoutMeaning(op) ? std::nullopt
                                                                                : it->second.kernel(op, types);
}

} // namespace tenon::interpreter

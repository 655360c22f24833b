// Tables with a row for each op of the dialects. The list of ops is generated from the records, so the function that
// makes the rows can refuse to compile for an op that has none.
#pragma once

#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "llvm/ADT/DenseMap.h"

namespace tenon::ir {

template <typename Row> class OpTable {
public:
  /// Makes the rows by calling rowOf.operator()<Op>() for the class of each op, and for the classes in More.
  template <typename... More, typename RowOf> static OpTable make(RowOf rowOf) {
    OpTable table;
    table.add<
#define GET_OP_LIST
#include "tenon/ops/stablehlo_op_list.inc"
        >(rowOf);
    table.add<
#define GET_OP_LIST
#include "tenon/ops/chlo_op_list.inc"
        >(rowOf);
    table.add<
#define GET_OP_LIST
#include "tenon/ops/sdy_op_list.inc"
        >(rowOf);
    table.add<
#define GET_OP_LIST
#include "tenon/ops/tenon_op_list.inc"
        >(rowOf);
    (table.addRow<More>(rowOf), ...);
    return table;
  }

  /// The row of an op, which is empty for ops of other dialects.
  Row lookup(mlir::OperationName name) const { return rows_.lookup(name.getTypeID()); }

private:
  template <typename... Ops, typename RowOf> void add(RowOf rowOf) {
    static_assert(sizeof...(Ops) != 0, "the op list is empty: was its section generated?");
    (addRow<Ops>(rowOf), ...);
  }
  template <typename Op, typename RowOf> void addRow(RowOf rowOf) {
    rows_.try_emplace(mlir::TypeID::get<Op>(), rowOf.template operator()<Op>());
  }

  llvm::DenseMap<mlir::TypeID, Row> rows_;
};

} // namespace tenon::ir

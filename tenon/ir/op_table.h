// Tables with a row for each op of the dialects, generated from the records: what has no row is a compile error of the
// function that makes them.
#pragma once

#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "llvm/ADT/DenseMap.h"

namespace tenon::ir {

template <typename Row> class OpTable {
public:
  /// `rowOf` is called as rowOf.operator()<Op>() for the class of each op, and for those in More.
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

  /// An empty row for ops of other dialects.
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

// Building the code of a collective: routines of the runtime on a process's group, and how arrays are cut and put
// together for them. Private to passes/legalize/spmd.
#pragma once

#include "tenon/ir/process_groups.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

namespace tenon::passes {

/// The channel of an op of global ids, which must have one.
stablehlo::ChannelHandleAttr anyChannel(mlir::MLIRContext *context);

/// Builds the code of one collective. What takes several arrays moves them in one meeting of the processes.
class GroupBuilder : public ArrayBuilder {
public:
  GroupBuilder(mlir::OpBuilder &builder, mlir::Operation *op, ir::ProcessGroups groups = {});

  /// The size of the largest group. Groups may differ in size in all_reduce only.
  int64_t size() const;
  bool areEqual() const;
  const ir::ProcessGroups &groups() const { return groups_; }

  /// The arrays of the group's processes, stacked along a new dimension 0: zeros behind where a group has fewer.
  llvm::SmallVector<mlir::Value> gather(mlir::ValueRange values);
  /// One behind the other along the dimension.
  llvm::SmallVector<mlir::Value> gatherAlong(mlir::ValueRange values, int64_t dimension);
  mlir::Value groupSize();
  /// The place of this process in its one of the groups; -1 where it is in none.
  mlir::Value placeIn(const ir::ProcessGroups &some);
  /// Part i along dimension 0 goes to the group's process i, and that of process i comes in its place.
  llvm::SmallVector<mlir::Value> exchange(mlir::ValueRange parts);
  /// The all_reduce of the arrays over the groups.
  mlir::ValueRange allReduce(mlir::ValueRange values, mlir::Region &computation);

  /// Dimension `dimension` in as many equal parts as a group has processes, which become dimension 0.
  mlir::Value split(mlir::Value value, int64_t dimension);
  /// The slices along dimension 0, one behind the other along `dimension`.
  mlir::Value join(mlir::Value stacked, int64_t dimension);

  llvm::SmallVector<mlir::Value> permute(mlir::ValueRange values, const ir::ProcessPairs &pairs);
  mlir::Value exchangeRows(mlir::ValueRange operands, mlir::Type result);
  /// A routine of the runtime that finds a place in the grid.
  mlir::Value place(llvm::StringRef target, mlir::Type type);

private:
  llvm::SmallVector<mlir::Value> call(llvm::StringRef target, mlir::ValueRange operands, mlir::TypeRange types,
                                      mlir::DictionaryAttr attributes);
  mlir::Value question(llvm::StringRef target, const ir::ProcessGroups &some);
  mlir::DictionaryAttr groupAttributes(const ir::ProcessGroups &groups);

  // The groups as an op has them, of global ids.
  llvm::StringRef name_;
  ir::ProcessGroups groups_;
  ir::ProcessGrid grid_;
};

} // namespace tenon::passes

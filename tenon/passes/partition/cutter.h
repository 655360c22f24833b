// Rewrites the ops of a program whose values all have shardings into those of one device. Private to partition/.
#pragma once

#include "tenon/passes/partition/local/local_form.h"
#include "tenon/passes/partition/redistribute/plan.h"
#include "tenon/passes/partition/report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tenon::passes::partition {

/// The first mesh of the module that has as many devices; where there is none, a line of them.
const ir::Mesh *meshOfDevices(mlir::ModuleOp module, ir::MeshTable &meshes, int64_t devices);

class Cutter {
public:
  /// The program is main of a module with `devices` partitions, which share memory if they are all of one OS process.
  Cutter(mlir::func::FuncOp main, int64_t devices, bool sharesMemory);

  /// Builds a function of local types beside main, and gives it main's name and place. Shardings of arguments and
  /// results stay as attributes.
  void run();

  /// Whether results of the program are computed of the value, element by element, and nothing else is.
  static bool isUpdate(mlir::Value value) { return resultsOfUpdate(value) > 0; }

  // What came of it, once it has run.
  PartitionReport report() { return recorder_.finish(); }

private:
  // A device's part of a value. There may be others, cut in other ways, in the block where they were made.
  struct Local {
    mlir::Value value;
    ir::Sharding sharding;
  };
  // Why devices have summands of a value, which nobody has needed the sum of yet.
  struct Unfinished {
    std::string reason;
    mlir::Location place;
  };

  void cutBlock(mlir::Block &block);
  void cut(mlir::Operation *op);
  void cutSource(mlir::Operation *op);
  void cutIota(stablehlo::IotaOp op);
  void cutInPlace(mlir::Operation *op);
  void cutByFactors(mlir::Operation *op, const ir::Factors &factors);
  void cutTransform(stablehlo::FftOp op);
  bool isCutAsRoll(mlir::Operation *op);
  void cutRoll(stablehlo::ConcatenateOp op);
  void computeWhole(mlir::Operation *op);
  void cutCall(stablehlo::CustomCallOp call);
  void callOnParts(stablehlo::CustomCallOp call);
  void cutEffect(mlir::Operation *op);
  LocalForm localFormOf(mlir::Operation *op) const;
  bool mayBeForOneDevice(mlir::Operation *op) const;
  bool isForOneDevice(mlir::Operation *op, llvm::ArrayRef<ir::Axes> cuts) const;
  void doOnDevice(mlir::Operation *op, int64_t device);
  std::optional<int64_t> deviceOf(mlir::Operation *op);
  void copyWith(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  void cutLoop(stablehlo::WhileOp op);
  void cutBranches(mlir::Operation *op);
  void cutManual(sdy::ManualComputationOp op);
  void cutRegion(mlir::Region &from, mlir::Region &to, llvm::ArrayRef<ir::Sharding> shardings);
  llvm::SmallVector<mlir::Value> build(mlir::Operation *op, const LocalForm &form, LocalOp &local);
  void finish(mlir::Operation *op, const LocalForm &form, LocalOp &local, mlir::ValueRange results);

  // Sums and gathers that wait (cutter_summands.cpp).
  bool cutSummands(mlir::Operation *op, const ir::Factors &factors);
  const ir::Sharding *findSummands(mlir::Operation *op) const;
  bool areSummands(llvm::ArrayRef<mlir::OpOperand *> operands, const ir::Sharding &alike) const;
  mlir::Value summandsIn(mlir::Value value, const ir::Sharding &sharding, mlir::Type element);
  bool isAddedUp(mlir::Value value, std::optional<SumKind> kind) const;
  bool staySummands(mlir::Value value, const ir::Sharding &own) const;
  bool mayBeSummands(mlir::Value value, const ir::Sharding &alike, int depth = 0) const;
  bool gainsByWaiting(mlir::Value value, const ir::Sharding &own);
  // Whether the op can compute a part of its result of parts of its operands.
  static bool isOfParts(mlir::Operation *op);
  static mlir::Operation *userOfParts(mlir::Value value);
  // Whether an array that gathering alone brings to where it is wanted can be gathered later: one op takes it, which
  // can compute on parts.
  bool staysCut(mlir::Value value, const ir::Sharding &own, const ir::Sharding &wanted) const;
  // To how many results of the program such ops alone lead from the value, as from a gradient to new weights; 0 where
  // others take it as well.
  static int64_t resultsOfUpdate(mlir::Value value);
  // Whether the value is such, and large enough for devices of one process to compute a part of the results each, which
  // they then write into one memory for all.
  bool isSharedUpdate(mlir::Value value) const;
  // Whether devices have the value once in memory where it is gathered.
  bool isForAll(mlir::Value value) const;
  // What the value is cut into for that, of which devices have summands: parts along these axes, too.
  std::optional<ir::Sharding> partsOfUpdate(mlir::Value value, const ir::Sharding &wanted,
                                            llvm::ArrayRef<ir::Atom> axes) const;
  // What such ops, one after the other, read besides the value.
  static int64_t bytesWith(mlir::Value value);
  void defineResult(mlir::Value result, mlir::Value part, const ir::Sharding &own, const ir::Sharding &wanted,
                    std::optional<SumKind> kind = std::nullopt, bool mayWait = true);
  void finishAccumulators(stablehlo::WhileOp op, stablehlo::WhileOp local, llvm::ArrayRef<ir::Sharding> wanted);

  // The device's part of a value as it is wanted; moved before loops that do not change it, where there is room.
  mlir::Value localOf(mlir::Value value, const ir::Sharding &wanted);
  // The same, but that summands of shorter floats may be of f32.
  mlir::Value summandsOf(mlir::Value value, const ir::Sharding &wanted);
  mlir::Value converted(mlir::Value local, mlir::Type element);
  const ir::Sharding &shardingOf(mlir::Value value) const { return locals_.find(value)->second.front().sharding; }
  bool isKnownHere(mlir::Value local) const;
  mlir::Operation *loopToLeave(mlir::Value local, mlir::RankedTensorType type, const ir::Sharding &wanted);
  mlir::IRMapping capturesOf(mlir::Operation *op);
  void define(mlir::Value value, mlir::Value local, ir::Sharding sharding);
  void defineWhole(mlir::Value value, mlir::Value known, const ir::Sharding &wanted);

  // What propagation has said.
  std::vector<ir::Sharding> resultShardings(mlir::Operation *op);
  ir::Sharding read(mlir::Attribute attribute, mlir::Type type);
  ir::Sharding whole(mlir::Type type) const;
  mlir::Type localTypeOf(mlir::Type type, const ir::Sharding &sharding) const;
  void record(mlir::Operation *op, const llvm::Twine &reason, std::string remedy);

  mlir::func::FuncOp main_;
  const bool sharesMemory_;
  ir::MeshTable meshes_;
  const ir::Mesh *mesh_; // of what has no sharding
  Recorder recorder_;
  mlir::OpBuilder builder_;
  redistribution::Planner planner_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Local, 1>> locals_;
  llvm::DenseMap<mlir::Value, Unfinished> unfinished_;
  llvm::DenseSet<mlir::Value> accumulators_; // arguments of loops' bodies that may become summands
  int64_t hoistedBytes_ = 0;
};

} // namespace tenon::passes::partition

// What the partitioner made of a program, for people: how values lie, and which collectives there are, and why.
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/passes/partition/partition.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tenon::passes {

struct CollectiveReport {
  std::string op; // "all_reduce"
  // What asks for it:
  //   program         it is in the program, in the body of a shard_map
  //   required        a constraint, or the sharding of a result
  //   partial sum     devices have summands, along a dimension that is cut
  //   redistribution  an op computes on an array that lies otherwise
  //   halo            an op needs elements of the devices beside this one
  //   fallback        an op is computed whole, of gathered operands
  std::string kind;
  std::string reason;
  mlir::Location location;
  std::vector<std::string> axes; // of the mesh, parts of them as "y":(1)2; none: the groups are no product of axes
  int64_t groupSize = 0;         // 0: there are no groups (a permutation)
  // In one execution: the operands on a device, and what a device receives from others (parallel collectives that move
  // as little as can be: of a sum in two halves, parts and then the others' sums).
  int64_t localBytes = 0, receivedBytes = 0;
  int64_t times = 1; // executions in a run; 0: that depends on data
};

// An array of the program and a device's part of it.
struct PlacedValue {
  std::string name; // "argument 0", "result 1", or the op
  mlir::Location location;
  mlir::RankedTensorType type;
  std::string sharding; // as sdy writes it
  ir::Mesh mesh;
  std::vector<ir::Axes> cuts; // of each dimension
  ir::Axes unreduced;
  int64_t bytes = 0, localBytes = 0;
};

// "y"; of a part of an axis "y:(1)2".
std::string axisText(const ir::Mesh &mesh, const ir::Atom &atom);

struct PartitionReport {
  std::string program;                       // the module's name
  int64_t devices = 0;                       // 0: the program is for one device, and there is nothing to say
  std::string reason;                        // why the program is not partitioned; then there is nothing else
  std::string remedy;                        // what would have it partitioned; empty where nothing is known to
  std::optional<mlir::Location> reasonPlace; // what that is about
  std::vector<PlacedValue> values;           // arguments, results, and what has more than 1 MiB
  std::vector<CollectiveReport> collectives; // in the program's order
  std::vector<Fallback> fallbacks;
};

// The same as partitionProgram() in partition.h, with a report, and with what calls the framework cuts itself read so.
// The report of a program for one device is empty.
llvm::LogicalResult partitionProgram(mlir::ModuleOp module, PartitionReport &report, const ReadLocalProgram &read);

namespace partition {

// Sees which collectives the partitioner builds, and knows for what.
inline constexpr llvm::StringRef kProgram = "program", kRequired = "required", kPartialSum = "partial sum",
                                 kRedistribution = "redistribution", kHalo = "halo", kFallback = "fallback";

bool isCollective(mlir::Operation *op);

class Recorder : public mlir::OpBuilder::Listener {
public:
  // What is built while it lives is for this, unless an inner one says otherwise.
  class Reason {
  public:
    // At the same place of the program as what it is built for.
    Reason(Recorder &recorder, llvm::StringRef kind, std::string text)
        : Reason(recorder, kind, std::move(text), recorder.place_) {}
    Reason(Recorder &recorder, llvm::StringRef kind, std::string text, mlir::Location place);
    ~Reason();
    Reason(const Reason &) = delete;

  private:
    Recorder &recorder_;
    llvm::StringRef kindBefore_;
    std::string textBefore_;
    mlir::Location placeBefore_;
  };

  Recorder(const ir::MeshTable &meshes, mlir::Location place) : meshes_(meshes), place_(place) {}

  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
  // What is built now is for this.
  llvm::StringRef kind() const { return kind_; }
  const std::string &reason() const { return text_; }
  // Values that are not large are left out.
  void place(mlir::Value value, const ir::Sharding &sharding);
  void place(std::string name, mlir::Location location, mlir::RankedTensorType type, const ir::Sharding &sharding);
  // Collectives of the program have become one, of which is said what was said of `like`, one of them.
  void replace(llvm::ArrayRef<mlir::Operation *> parts, mlir::Operation *combined, mlir::Operation *like);
  void addFallback(Fallback fallback) { report_.fallbacks.push_back(std::move(fallback)); }
  std::string textOf(const ir::Sharding &sharding) const;

  // The report on the program as it is when all is built; its name and the number of devices are left to the caller.
  PartitionReport finish();

private:
  struct Collective {
    mlir::Operation *op;
    llvm::StringRef kind;
    std::string reason;
    mlir::Location place; // of what it is built for, which may be after what makes its operand
  };

  const ir::MeshTable &meshes_;
  llvm::StringRef kind_ = kProgram;
  std::string text_ = "it is in the program";
  mlir::Location place_;
  std::vector<Collective> collectives_;
  PartitionReport report_;
};

} // namespace partition
} // namespace tenon::passes

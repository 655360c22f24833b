#include "tenon/passes/partition/report.h"

#include "tenon/ir/process_groups.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

static std::string partText(StringRef axis, int64_t pre, int64_t size) {
  return (axis + ":(" + Twine(pre) + ")" + Twine(size)).str();
}

std::string axisText(const ir::Mesh &mesh, const ir::Atom &atom) {
  const ir::Mesh::Axis &axis = mesh.axes[atom.axis];
  return atom.size == axis.size ? axis.name : partText(axis.name, atom.pre, atom.size);
}

namespace partition {
namespace {

constexpr int64_t kLargeBytes = int64_t(1) << 20;

std::string textOf(sh::AxisRefAttr axis) {
  sh::SubAxisInfoAttr part = axis.getSubAxisInfo();
  return part ? partText(axis.getName(), part.getPreSize(), part.getSize()) : axis.getName().str();
}

// How often the loops around the op run it, 0 if that of one is not known.
int64_t timesOf(Operation *op) {
  int64_t times = 1;
  for (Operation *around = op->getParentOp(); around && times; around = around->getParentOp())
    if (auto loop = dyn_cast<sh::WhileOp>(around))
      times *= ir::tripCount(loop);
  return times;
}

int64_t operandBytes(Operation *op) {
  if (isExchangeRowsCall(op))
    return ir::storedBytes(ir::typeOf(op->getOperand(0)));
  int64_t bytes = 0;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += ir::storedBytes(tensor);
  return bytes;
}

bool isPermute(Operation *op) { return isa<sh::CollectivePermuteOp>(op) || isPermuteCall(op); }

int64_t receivedBytes(Operation *op, int64_t local, int64_t group) {
  if (group <= 1)
    return isPermute(op) ? local : 0;
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](sh::AllGatherOp) { return local * (group - 1); })
      .Case([&](sh::AllReduceOp) { return 2 * local * (group - 1) / group; })
      .Case<sh::ReduceScatterOp, sh::AllToAllOp>([&](auto) { return local * (group - 1) / group; })
      .Default([&](Operation *) { return isExchangeRowsCall(op) ? local * (group - 1) / group : local; });
}

int64_t groupSizeOf(Operation *op) {
  if (isPermute(op))
    return 0;
  if (isExchangeRowsCall(op)) // of which the lists have an entry for each device
    return ir::typeOf(op->getOperands().back()).getNumElements();
  StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
  return groups.ok() && !groups->empty() ? static_cast<int64_t>(groups->front().size()) : 0;
}

} // namespace

bool isCollective(Operation *op) {
  return isa<sh::AllGatherOp, sh::AllReduceOp, sh::ReduceScatterOp, sh::AllToAllOp, sh::CollectivePermuteOp,
             sh::CollectiveBroadcastOp, sh::CollectiveReduceOp>(op) ||
         isPermuteCall(op) || isExchangeRowsCall(op);
}

Recorder::Reason::Reason(Recorder &recorder, StringRef kind, std::string text, Location place)
    : recorder_(recorder), kindBefore_(std::exchange(recorder.kind_, kind)),
      textBefore_(std::exchange(recorder.text_, std::move(text))), placeBefore_(std::exchange(recorder.place_, place)) {
}

Recorder::Reason::~Reason() {
  recorder_.kind_ = kindBefore_;
  recorder_.text_ = std::move(textBefore_);
  recorder_.place_ = placeBefore_;
}

void Recorder::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  if (isCollective(op))
    collectives_.push_back({op, kind_, text_, place_});
}

std::string Recorder::textOf(const ir::Sharding &sharding) const {
  std::string text = debugString(meshes_.write(sharding));
  StringRef inner = text;
  inner.consume_front("#sdy.sharding<");
  inner.consume_back(">");
  return inner.str();
}

void Recorder::place(std::string name, Location location, RankedTensorType type, const ir::Sharding &sharding) {
  std::vector<ir::Axes> cuts;
  for (const ir::DimCut &cut : sharding.dims)
    cuts.push_back(cut.axes);
  report_.values.push_back({std::move(name), location, type, textOf(sharding), *sharding.mesh, std::move(cuts),
                            sharding.unreduced, ir::storedBytes(type), ir::storedBytes(localType(type, sharding))});
}

void Recorder::place(Value value, const ir::Sharding &sharding) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (type && op && ir::storedBytes(type) > kLargeBytes)
    place(op->getName().getStringRef().str(), value.getLoc(), type, sharding);
}

void Recorder::replace(ArrayRef<Operation *> parts, Operation *combined, Operation *like) {
  auto find = [&](Operation *op) {
    return llvm::find_if(collectives_, [&](const Collective &collective) { return collective.op == op; });
  };
  Collective said = *find(like);
  said.op = combined;
  *find(parts.back()) = std::move(said);
  llvm::erase_if(collectives_, [&](const Collective &collective) { return llvm::is_contained(parts, collective.op); });
}

PartitionReport Recorder::finish() {
  for (const Collective &collective : collectives_) {
    StringRef name = isPermuteCall(collective.op)        ? "collective_permute"
                     : isExchangeRowsCall(collective.op) ? "ragged_all_to_all"
                                                         : collective.op->getName().stripDialect();
    CollectiveReport report{name.str(), collective.kind.str(), collective.reason, collective.place, {}};
    if (auto axes = collective.op->getAttrOfType<sh::ReplicaGroupMeshAxesAttr>("replica_groups"))
      for (auto axis : axes.getAxes().getAsRange<sh::AxisRefAttr>())
        report.axes.push_back(partition::textOf(axis));
    report.groupSize = groupSizeOf(collective.op);
    report.localBytes = operandBytes(collective.op);
    report.receivedBytes = partition::receivedBytes(collective.op, report.localBytes, report.groupSize);
    report.times = timesOf(collective.op);
    report_.collectives.push_back(std::move(report));
  }
  return std::move(report_);
}

} // namespace partition
} // namespace tenon::passes

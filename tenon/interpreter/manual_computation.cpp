// sdy.manual_computation: a body that is written for one of several devices. Around it arrays are whole. It runs as a
// process for each device of its mesh, each on its part of the operands (StableHLO has no such op; Shardy's definition,
// docs/semantics.md).
//
// In such a body another computation, manual in some of the same mesh's axes, is done by each process itself: it takes
// its part of the operands, and meets the processes along those axes to have the results whole.
#include "tenon/interpreter/ops.h"

namespace tenon::interpreter {

namespace {

// Devices in the order of their axes, the last of which is the minor one.
struct Mesh {
  sdy::MeshAttr attribute;
  llvm::SmallVector<llvm::StringRef> names;
  Dims sizes;

  int64_t count() const { return countElements(sizes).value_or(0); }

  // The coordinates of a device in the mesh.
  Dims coordinates(int64_t device) const {
    Dims result(sizes.size());
    for (size_t axis = sizes.size(); axis-- > 0; device /= sizes[axis])
      result[axis] = device % sizes[axis];
    return result;
  }

  int64_t deviceAt(llvm::ArrayRef<int64_t> coordinates) const {
    int64_t device = 0;
    for (auto [size, coordinate] : llvm::zip_equal(sizes, coordinates))
      device = device * size + coordinate;
    return device;
  }
};

// Which axes cut each dimension of an array, major to minor.
using Cuts = llvm::SmallVector<Dims>;

class ManualComputation {
public:
  ManualComputation(sdy::ManualComputationOp op, Invocation &call) : op_(op), call_(call) {}

  // Empty, or why the computation cannot be run on several devices.
  std::string read() {
    for (sdy::TensorShardingPerValueAttr shardings : {op_.getInShardings(), op_.getOutShardings()})
      for (sdy::TensorShardingAttr sharding : shardings.getShardings()) {
        sdy::MeshAttr own = sdy::meshOf(op_, sharding);
        if (!own || (mesh_.attribute && own != mesh_.attribute))
          return "needs one mesh, which is known";
        mesh_.attribute = own;
      }
    if (!mesh_.attribute)
      return "names no mesh";
    if (!mesh_.attribute.getDeviceIds().empty())
      return "has devices in an order of their own";
    for (sdy::MeshAxisAttr axis : mesh_.attribute.getAxes()) {
      mesh_.names.push_back(axis.getName());
      mesh_.sizes.push_back(axis.getSize());
      isManual_.push_back(
          llvm::is_contained(op_.getManualAxes().getAxes(), mlir::StringAttr::get(op_.getContext(), axis.getName())));
    }
    if (mesh_.count() < 1 || mesh_.count() > ir::kMaxProcesses)
      return "has more devices than there can be";
    std::string reason = readCuts(op_.getInShardings(), op_->getNumOperands(), inCuts_);
    return reason.empty() ? readCuts(op_.getOutShardings(), op_->getNumResults(), outCuts_) : reason;
  }

  int64_t deviceCount() const { return mesh_.count(); }
  bool isOfMesh(mlir::Attribute other) const { return other == mesh_.attribute; }

  // A process for each device; of devices that have the same part of a result, the first one's counts.
  LogicalResult runOnDevices() {
    std::vector<Values> results(deviceCount());
    const Options &base = call_.evaluator().options();
    Status status = base.devices(base, deviceCount(), [&](const Options &options) -> Status {
      Evaluator evaluator(options, mesh_.attribute);
      return runBody(evaluator, options.process, results[options.process]);
    });
    if (!status.ok())
      return call_.fail(status.message(), status.code());
    return yieldWhole(Dims(mesh_.sizes.size(), 0), [&](int64_t device, unsigned i) { return results[device][i]; });
  }

  // Runs the body in this process, which is one of the mesh's devices, and exchanges the results with the others.
  LogicalResult runAsDevice() {
    const Options &options = call_.evaluator().options();
    std::vector<Values> results(deviceCount());
    if (Status status = runBody(call_.evaluator(), options.process, results[options.process]); !status.ok())
      return llvm::failure();
    Dims self = mesh_.coordinates(options.process);
    llvm::SmallVector<int64_t> members;
    for (int64_t device = 0; device < deviceCount(); ++device) {
      Dims other = mesh_.coordinates(device);
      if (llvm::all_of(llvm::seq<size_t>(0, self.size()),
                       [&](size_t axis) { return isManual_[axis] || other[axis] == self[axis]; }))
        members.push_back(device);
    }
    std::vector<Value> given;
    llvm::copy_if(results[options.process], std::back_inserter(given), [](const Value &v) { return v.isTensor(); });
    if (members.size() > 1) {
      if (!options.exchange)
        return call_.fail("communicates with other processes, but is run as one alone",
                          StatusCode::kFailedPrecondition);
      auto all = options.exchange(op_, members, given);
      if (!all.ok())
        return call_.fail(all.status().message(), all.status().code());
      for (auto [device, values] : llvm::zip_equal(members, *all))
        results[device] = withTokens(values);
    }
    return yieldWhole(self, [&](int64_t device, unsigned i) { return results[device][i]; });
  }

private:
  std::string readCuts(sdy::TensorShardingPerValueAttr shardings, unsigned count, llvm::SmallVector<Cuts> &all) {
    if (shardings.getShardings().size() != count)
      return "has another number of shardings than arrays";
    for (sdy::TensorShardingAttr sharding : shardings.getShardings()) {
      if (!sharding.getUnreducedAxes().empty())
        return "has arrays that are not reduced";
      Cuts cuts;
      llvm::SmallVector<bool> isUsed(mesh_.names.size(), false);
      for (sdy::DimensionShardingAttr dimension : sharding.getDimShardings()) {
        cuts.emplace_back();
        for (sdy::AxisRefAttr axis : dimension.getAxes()) {
          const auto *found = llvm::find(mesh_.names, axis.getName());
          if (found == mesh_.names.end())
            return "names an axis that its mesh does not have";
          int64_t place = found - mesh_.names.begin();
          if (!isManual_[place])
            continue;
          if (axis.getSubAxisInfo() || std::exchange(isUsed[place], true))
            return "cuts an array by parts of axes, or by one twice";
          cuts.back().push_back(place);
        }
      }
      all.push_back(std::move(cuts));
    }
    return "";
  }

  // The number of the part that a device has along a dimension.
  int64_t partAt(llvm::ArrayRef<int64_t> coordinates, llvm::ArrayRef<int64_t> axes) const {
    int64_t part = 0;
    for (int64_t axis : axes)
      part = part * mesh_.sizes[axis] + coordinates[axis];
    return part;
  }

  int64_t partsOf(llvm::ArrayRef<int64_t> axes) const {
    int64_t parts = 1;
    for (int64_t axis : axes)
      parts *= mesh_.sizes[axis];
    return parts;
  }

  // A copy of the elements that a device has: processes share no memory.
  std::optional<Tensor> partOf(const Tensor &whole, const Cuts &cuts, llvm::ArrayRef<int64_t> coordinates) const {
    if (static_cast<int64_t>(cuts.size()) != whole.rank())
      return std::nullopt;
    Dims shape(whole.shape()), start(cuts.size());
    for (size_t d = 0; d < cuts.size(); ++d) {
      if (shape[d] % partsOf(cuts[d]) != 0)
        return std::nullopt;
      shape[d] /= partsOf(cuts[d]);
      start[d] = partAt(coordinates, cuts[d]) * shape[d];
    }
    Tensor part(shape, whole.mlirElementType());
    forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
      Dims from(index);
      for (size_t d = 0; d < from.size(); ++d)
        from[d] += start[d];
      part.set(position, whole.get(whole.positionOf(from)));
    });
    return part;
  }

  Status runBody(Evaluator &evaluator, int64_t device, Values &results) {
    mlir::Block &body = op_.getBody().front();
    Dims coordinates = mesh_.coordinates(device);
    Values parts;
    for (auto [i, operand] : llvm::enumerate(call_.operands())) {
      if (!operand.isTensor()) {
        parts.push_back(operand);
        continue;
      }
      std::optional<Tensor> part = partOf(operand.tensor(), inCuts_[i], coordinates);
      auto type = llvm::dyn_cast<mlir::RankedTensorType>(body.getArgument(i).getType());
      if (!part || !type || failed(mlir::verifyCompatibleShape(type.getShape(), part->shape()))) {
        (void)failParts(evaluator, "operand", i);
        return evaluator.status();
      }
      parts.emplace_back(*std::move(part));
    }
    return llvm::failed(evaluator.runRegion(op_.getBody(), std::move(parts), nullptr, results)) ? evaluator.status()
                                                                                                : Status();
  }

  LogicalResult failParts(Evaluator &evaluator, const char *what, size_t i) {
    return evaluator.fail(op_, StatusCode::kInvalidArgument,
                          llvm::Twine(what) + " " + llvm::Twine(i) + " is not cut into parts of the body's sizes");
  }

  // The results of the op, of those that the devices have; `base` is where devices are along axes that do not cut.
  LogicalResult yieldWhole(const Dims &base, llvm::function_ref<Value(int64_t, unsigned)> resultOf) {
    for (unsigned i = 0; i < op_->getNumResults(); ++i) {
      Value first = resultOf(mesh_.deviceAt(base), i);
      if (!first.isTensor()) {
        (void)call_.yield(first);
        continue;
      }
      const Cuts &cuts = outCuts_[i];
      Dims part(first.tensor().shape()), shape(part);
      if (cuts.size() != part.size())
        return failParts(call_.evaluator(), "result", i);
      for (size_t d = 0; d < cuts.size(); ++d)
        shape[d] *= partsOf(cuts[d]);
      llvm::FailureOr<Tensor> whole = call_.make(shape, first.tensor().mlirElementType());
      if (llvm::failed(whole))
        return llvm::failure();
      bool sameSizes = true;
      forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
        Dims coordinates(base), from(index);
        for (size_t d = 0; d < cuts.size(); ++d) {
          int64_t number = index[d] / part[d];
          from[d] %= part[d];
          for (size_t a = cuts[d].size(); a-- > 0; number /= mesh_.sizes[cuts[d][a]])
            coordinates[cuts[d][a]] = number % mesh_.sizes[cuts[d][a]];
        }
        Value value = resultOf(mesh_.deviceAt(coordinates), i);
        sameSizes &= value.tensor().shape() == llvm::ArrayRef<int64_t>(part);
        if (sameSizes)
          whole->set(position, value.tensor().get(value.tensor().positionOf(from)));
      });
      if (!sameSizes)
        return failParts(call_.evaluator(), "result", i);
      (void)call_.yield(*std::move(whole));
    }
    return llvm::success();
  }

  // The body's results again, of its arrays.
  Values withTokens(llvm::ArrayRef<Value> tensors) {
    Values values;
    for (mlir::Type type : op_->getResultTypes())
      if (llvm::isa<mlir::TensorType>(type)) {
        values.push_back(tensors.front());
        tensors = tensors.drop_front();
      } else {
        values.emplace_back(Token{});
      }
    return values;
  }

  sdy::ManualComputationOp op_;
  Invocation &call_;
  Mesh mesh_;
  llvm::SmallVector<bool> isManual_; // by axis
  llvm::SmallVector<Cuts> inCuts_, outCuts_;
};

// Runs the body on whole arrays, for a mesh of one device and for interpreters that run no others.
LogicalResult runInPlace(Invocation &call, mlir::Region &body) {
  Values operands(call.operands().begin(), call.operands().end());
  return call.evaluator().runRegion(body, std::move(operands), nullptr, call.results());
}

bool hasWholeParts(sdy::ManualComputationOp op, Invocation &call) {
  return llvm::all_of(llvm::zip(call.operands(), op.getBody().getArguments()), [](auto pair) {
    auto &[value, argument] = pair;
    auto type = llvm::dyn_cast<mlir::ShapedType>(argument.getType());
    return !value.isTensor() ||
           (type && succeeded(mlir::verifyCompatibleShape(type.getShape(), value.tensor().shape())));
  });
}

} // namespace

LogicalResult evaluate(sdy::ManualComputationOp op, Invocation &call) {
  const Options &options = call.evaluator().options();
  ManualComputation computation(op, call);
  std::string reason = computation.read();
  bool isSingleProcess = options.grid.size() == 1 || !options.exchange;
  bool isDevice = reason.empty() && !isSingleProcess && computation.isOfMesh(call.evaluator().mesh());
  if (isDevice)
    return computation.runAsDevice();
  bool canRun = reason.empty() && computation.deviceCount() > 1 && isSingleProcess && options.devices;
  if (canRun)
    return computation.runOnDevices();
  if (hasWholeParts(op, call))
    return runInPlace(call, op.getBody());
  return call.fail("is written for several shards, " +
                       (reason.empty() ? std::string("which are not in the sequential interpreter") : "but " + reason),
                   StatusCode::kUnimplemented);
}

LogicalResult evaluate(sdy::NamedComputationOp op, Invocation &call) { return runInPlace(call, op.getBody()); }

} // namespace tenon::interpreter

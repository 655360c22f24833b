// Annotations in XLA's notation become shardings, constraints and computations of the sdy dialect, which all else is
// written for:
//
//   %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]",
//                                             mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
//     =>  %1 = sdy.sharding_constraint %0 <@mesh, [{"axis_1"}, {?}]>
#include "tenon/passes/partition/import/annotations.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/passes.h"

#include "tenon/ir/process_groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
namespace sh = tenon::stablehlo;
using Kind = tenon::program::Sharding::Kind;

namespace tenon::passes {
namespace annotations {
namespace {

int64_t rankOf(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped ? shaped.getRank() : 0;
}

// Says nothing about where a value is.
bool isSilent(Kind kind) { return kind == Kind::kUnknown || kind == Kind::kManual; }

class Importer {
public:
  explicit Importer(Annotations &annotations) : annotations_(annotations) {}

  LogicalResult import(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      NamedAttrList attributes(function.getArgAttrDict(i));
      if (failed(importValue(function, attributes, function.getArgumentTypes()[i])))
        return failure();
      function.setArgAttrs(i, attributes);
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      NamedAttrList attributes(function.getResultAttrDict(i));
      if (failed(importValue(function, attributes, function.getResultTypes()[i])))
        return failure();
      function.setResultAttrs(i, attributes.getDictionary(function.getContext()));
    }
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isPartitionedByFramework(op))
        op->setAttr(kAsksForShardings, UnitAttr::get(op->getContext()));
      if (op->hasAttr(kAnnotation))
        ops.push_back(op);
    });
    return success(llvm::all_of(ops, [&](Operation *op) {
      return succeeded(isCallOf(op, "Sharding") ? importCall(cast<sh::CustomCallOp>(op)) : importOp(op));
    }));
  }

private:
  // Imports the sharding of an argument or a result. Arrays that are manual have no other one, and callers are told so
  // by the annotation itself.
  LogicalResult importValue(func::FuncOp function, NamedAttrList &attributes, Type type) {
    Attribute attribute = attributes.get(kAnnotation);
    ArrayRef<program::AnnotatedSharding> all = annotations_.of(attribute);
    if (!attribute || (function.isPublic() && all.size() == 1 && all.front().sharding.kind == Kind::kManual))
      return success();
    attributes.erase(kAnnotation);
    if (all.empty() || !isa<RankedTensorType>(type))
      return success();
    if (all.size() != 1)
      return function.emitError("an array has shardings of ") << all.size();
    if (isSilent(all.front().sharding.kind))
      return success();
    auto read = annotations_.read(function, all.front().sharding, rankOf(type));
    if (failed(read))
      return failure();
    attributes.set("sdy.sharding", annotations_.write(read->sharding));
    return success();
  }

  LogicalResult importCall(sh::CustomCallOp call) {
    ArrayRef<program::AnnotatedSharding> all = annotations_.of(call->getAttr(kAnnotation));
    Value value = call->getOperand(0);
    Type type = value.getType();
    if (type != call->getResult(0).getType() || all.size() != 1)
      return call.emitError("an annotation must be of one array, whose type it does not change");
    const program::AnnotatedSharding &annotation = all.front();
    OpBuilder builder(call);
    if (annotation.group)
      sdy::ShardingGroupOp::create(builder, call.getLoc(), value, *annotation.group);
    if (!isSilent(annotation.sharding.kind)) {
      auto read = annotations_.read(call, annotation.sharding, rankOf(type));
      if (failed(read))
        return failure();
      for (int64_t dim : openDims(call)) {
        if (dim < 0 || dim >= static_cast<int64_t>(read->sharding.dims.size()))
          return call.emitError("has no dimension ") << dim << " that could be unspecified";
        read->sharding.dims[dim].isClosed = false;
      }
      value =
          sdy::ShardingConstraintOp::create(builder, call.getLoc(), type, value, annotations_.write(read->sharding));
    }
    call->getResult(0).replaceAllUsesWith(value);
    call->erase();
    return success();
  }

  LogicalResult importOp(Operation *op) {
    ArrayRef<program::AnnotatedSharding> all = annotations_.of(op->getAttr(kAnnotation));
    op->removeAttr(kAnnotation);
    const size_t results = op->getNumResults();
    if (llvm::all_of(all, [](const auto &one) { return isSilent(one.sharding.kind); }))
      return success();
    // One for all, or, of an op without results, for the op.
    const bool isShared = all.size() == 1;
    if (!isShared && all.size() != results)
      return op->emitError("has ") << results << " results and shardings of " << all.size();
    SmallVector<sdy::TensorShardingAttr> shardings;
    for (size_t i = 0; i < std::max<size_t>(results, isShared); ++i) {
      const int64_t rank = i < results ? rankOf(op->getResult(i).getType()) : 0;
      auto read = annotations_.read(op, all[isShared ? 0 : i].sharding, rank);
      if (failed(read))
        return failure();
      shardings.push_back(annotations_.write(read->sharding));
    }
    op->setAttr("sdy.sharding", sdy::TensorShardingPerValueAttr::get(op->getContext(), shardings));
    return success();
  }

  Annotations &annotations_;
};

bool hasAnnotations(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    bool isAnnotated = function ? llvm::any_of(signatureAttributes(function),
                                               [](DictionaryAttr one) { return one.contains(kAnnotation); })
                                : op->hasAttr(kAnnotation);
    return isAnnotated ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

// How many devices a sharding says that there are; none of one that is by no axes.
std::optional<int64_t> devicesOf(Operation *op, sdy::TensorShardingAttr sharding) {
  sdy::MeshAttr mesh = sdy::meshOf(op, sharding);
  if (!mesh || mesh.getAxes().empty())
    return std::nullopt;
  int64_t devices = 1;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    devices *= axis.getSize();
  return devices;
}

// Refuses shardings for other devices than the program's.
LogicalResult checkMeshes(ModuleOp module, int64_t devices) {
  auto check = [&](Operation *op, Attribute attribute, Location place, const Twine &what) {
    WalkResult walk = attribute.walk([&](sdy::TensorShardingAttr sharding) -> WalkResult {
      std::optional<int64_t> wanted = devicesOf(op, sharding);
      if (!wanted || *wanted == devices)
        return WalkResult::advance();
      return emitError(place) << "the sharding of " << what << " needs " << *wanted << " devices, the program has "
                              << devices;
    });
    return failure(walk.wasInterrupted());
  };
  auto checkFunction = [&](func::FuncOp function) {
    for (auto [i, attributes] : llvm::enumerate(signatureAttributes(function))) {
      unsigned arguments = function.getNumArguments();
      bool isArgument = i < arguments;
      Location place = isArgument && !function.isExternal() ? function.getArgument(i).getLoc() : function.getLoc();
      auto named = dyn_cast<NameLoc>(place);
      std::string what = !isArgument ? "result " + std::to_string(i - arguments)
                         : named     ? "'" + named.getName().str() + "'"
                                     : "argument " + std::to_string(i);
      if (failed(check(function, attributes, place, what)))
        return failure();
    }
    return success();
  };
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (auto function = dyn_cast<func::FuncOp>(op))
      return checkFunction(function);
    for (const NamedAttribute &attribute : op->getAttrs())
      if (failed(check(op, attribute.getValue(), op->getLoc(), op->getName().getStringRef())))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace

SmallVector<DictionaryAttr> signatureAttributes(func::FuncOp function) {
  SmallVector<DictionaryAttr> all;
  auto append = [&](ArrayAttr attributes, unsigned count) {
    if (attributes)
      llvm::append_range(all, attributes.getAsRange<DictionaryAttr>());
    else
      all.append(count, DictionaryAttr::get(function.getContext()));
  };
  append(function.getArgAttrsAttr(), function.getNumArguments());
  append(function.getResAttrsAttr(), function.getNumResults());
  return all;
}

} // namespace annotations

LogicalResult importShardings(ModuleOp module) {
  const int64_t devices = ir::numPartitions(module).value_or(1);
  if (devices < 2)
    return success();
  if (failed(annotations::checkMeshes(module, devices)))
    return failure();
  if (!annotations::hasAnnotations(module))
    return success();
  annotations::Annotations read(module, devices);
  if (failed(read.collect()) || failed(annotations::importZones(module, read)))
    return failure();
  annotations::Importer importer(read);
  return success(llvm::all_of(module.getOps<func::FuncOp>(),
                              [&](func::FuncOp function) { return succeeded(importer.import(function)); }));
}

} // namespace tenon::passes

#include "tenon/passes/partition/import/annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;
using Kind = tenon::program::Sharding::Kind;

namespace tenon::passes::annotations {

bool isCallOf(Operation *op, StringRef target) {
  auto call = dyn_cast_or_null<sh::CustomCallOp>(op);
  return call && call.getCallTargetName() == target && call->getNumOperands() == 1 && call->getNumResults() == 1 &&
         isa<RankedTensorType>(call->getOperand(0).getType()) && isa<RankedTensorType>(call->getResult(0).getType());
}

SmallVector<int64_t> openDims(sh::CustomCallOp call) {
  SmallVector<int64_t> dims;
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  StringRef text = config ? config.getValue() : StringRef();
  if (!text.consume_front("unspecified_dims=[") || !text.consume_back("]"))
    return dims;
  SmallVector<StringRef> numbers;
  text.split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : numbers)
    if (int64_t dim; !number.trim().getAsInteger(10, dim))
      dims.push_back(dim);
  return dims;
}

//===- Reading ---------------------------------------------------------------------------------------------------===//

LogicalResult Annotations::collect() {
  families_.emplace_back(); // most meshes have their devices in the order of their numbers
  WalkResult walk = module_.walk([&](Operation *op) {
    SmallVector<Attribute> attributes = {op->getAttr(kAnnotation)};
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        attributes.push_back(function.getArgAttr(i, kAnnotation));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        attributes.push_back(function.getResultAttr(i, kAnnotation));
    }
    return llvm::all_of(attributes, [&](Attribute attribute) { return succeeded(collect(op, attribute)); })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  addMeshes();
  return success();
}

LogicalResult Annotations::collect(Operation *op, Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  if (!text || text.empty() || read_.contains(attribute))
    return success();
  auto all = program::parseAnnotation({text.data(), text.size()});
  if (!all.ok())
    return op->emitError(all.status().message());
  for (const program::AnnotatedSharding &one : *all)
    if (failed(place(op, one.sharding)))
      return failure();
  read_[attribute] = *std::move(all);
  return success();
}

LogicalResult Annotations::place(Operation *op, const program::Sharding &sharding) {
  auto isNone = [&](int64_t device) { return device < 0 || device >= devices_; };
  const int64_t devices = sharding.devices.empty() ? std::accumulate(sharding.iotaDims.begin(), sharding.iotaDims.end(),
                                                                     int64_t{1}, std::multiplies<>())
                                                   : static_cast<int64_t>(sharding.devices.size());
  if (llvm::any_of(sharding.devices, isNone) || (sharding.kind == Kind::kTiled && devices != devices_))
    return op->emitError("the sharding '")
           << program::toString(sharding) << "' is not one of the program's " << devices_ << " partitions";
  std::string text = program::toString(sharding);
  if (sharding.kind != Kind::kTiled || placed_.contains(text))
    return success();
  for (size_t family = 0; family < families_.size(); ++family)
    if (joins(family, sharding))
      return success();
  Family &own = families_.emplace_back();
  // One of its own is always possible: with the devices in the order of the tiles.
  std::vector<int64_t> order = program::devicesOfTiles(sharding);
  if (!llvm::is_sorted(order))
    own.order.assign(order.begin(), order.end());
  if (joins(families_.size() - 1, sharding))
    return success();
  return op->emitError("the sharding '") << text << "' names a device twice";
}

// Takes a sharding into a family if the mesh of all shardings in there can have axes for it as well.
bool Annotations::joins(size_t family, const program::Sharding &sharding) {
  Family &members = families_[family];
  std::optional<program::Sharding> byPlaces = ir::asIota(sharding, members.order);
  if (!byPlaces)
    return false;
  members.shardings.push_back(*byPlaces);
  if (!ir::meshForOpShardings(members.shardings, devices_)) {
    members.shardings.pop_back();
    return false;
  }
  placed_[program::toString(sharding)] = {family, *std::move(byPlaces)};
  return true;
}

// A result that is cut along a part of an axis is given to callers whole, and of the axes that the user knows only
// products may be seen here. So axes are as small as can be.
static ir::Mesh withPrimeAxes(const ir::Mesh &mesh) {
  ir::Mesh result;
  for (const ir::Mesh::Axis &axis : mesh.axes)
    for (int64_t rest = axis.size, prime = 2; rest > 1;) {
      if (rest % prime != 0) {
        ++prime;
        continue;
      }
      result.axes.push_back({"axis_" + std::to_string(result.axes.size()), prime});
      rest /= prime;
    }
  return result;
}

void Annotations::addMeshes() {
  if (families_.size() > 1 && families_.front().shardings.empty()) {
    families_.erase(families_.begin());
    for (auto &entry : placed_)
      --entry.second.family;
  }
  OpBuilder builder = OpBuilder::atBlockBegin(module_.getBody());
  SymbolTable symbols(module_);
  for (Family &family : families_) {
    family.axes = withPrimeAxes(*ir::meshForOpShardings(family.shardings, devices_));
    SmallVector<sdy::MeshAxisAttr> axes;
    for (const ir::Mesh::Axis &axis : family.axes.axes)
      axes.push_back(sdy::MeshAxisAttr::get(builder.getContext(), axis.name, axis.size));
    auto mesh = sdy::MeshAttr::get(builder.getContext(), axes, family.order);
    symbols.insert(sdy::MeshOp::create(builder, module_.getLoc(), "mesh", mesh), module_.getBody()->begin());
  }
  meshes_.emplace(module_);
  for (Family &family : families_) {
    ir::Mesh mesh = family.axes;
    mesh.ids = family.order;
    family.mesh = meshes_->intern(std::move(mesh));
  }
}

//===- Questions -------------------------------------------------------------------------------------------------===//

ArrayRef<program::AnnotatedSharding> Annotations::of(Attribute attribute) const {
  auto found = read_.find(attribute);
  return found == read_.end() ? ArrayRef<program::AnnotatedSharding>() : ArrayRef(found->second);
}

const program::Sharding *Annotations::ofValue(Value value) const {
  ArrayRef<program::AnnotatedSharding> all;
  size_t number = 0;
  if (auto result = dyn_cast<OpResult>(value)) {
    all = of(result.getOwner()->getAttr(kAnnotation));
    number = result.getResultNumber();
  } else if (auto argument = cast<BlockArgument>(value);
             auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())) {
    all = of(function.getArgAttr(argument.getArgNumber(), kAnnotation));
  }
  return number < all.size() ? &all[number].sharding : nullptr;
}

const ir::Mesh *Annotations::meshOf(const program::Sharding &sharding) const {
  auto found = sharding.kind == Kind::kTiled ? placed_.find(program::toString(sharding)) : placed_.end();
  return found == placed_.end() ? nullptr : families_[found->second.family].mesh;
}

FailureOr<ir::PartlyManualSharding> Annotations::read(Operation *op, const program::Sharding &sharding, int64_t rank,
                                                      const ir::Mesh *mesh) {
  if (!mesh)
    mesh = families_.front().mesh;
  if (sharding.kind == Kind::kMaximal) {
    mesh = meshes_->intern(ir::meshOfTiles(sharding));
    return ir::PartlyManualSharding{ir::Sharding::whole(mesh, 0, /*isClosed=*/true), {}};
  }
  const program::Sharding *byPlaces = &sharding;
  ir::Mesh axes = *mesh;
  axes.ids.clear();
  if (sharding.kind == Kind::kTiled) {
    const Placed &placed = placed_.find(program::toString(sharding))->second;
    byPlaces = &placed.byPlaces;
    axes = families_[placed.family].axes;
    mesh = families_[placed.family].mesh;
  }
  auto result = ir::fromOpSharding(*byPlaces, &axes, rank);
  if (!result.ok())
    return op->emitError(result.status().message());
  result->sharding.mesh = mesh;
  return *std::move(result);
}

} // namespace tenon::passes::annotations

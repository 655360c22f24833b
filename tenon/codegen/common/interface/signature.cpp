#include "tenon/codegen/common/interface/signature.h"

#include "tenon/codegen/common/interface/program_shape.h"
#include "tenon/codegen/common/location.h"
#include "tenon/ir/layouts.h"
#include "tenon/ir/mesh.h"
#include "tenon/ir/op_sharding.h"
#include "tenon/ir/process_groups.h"
#include "tenon/ir/tenon.h"
#include "tenon/program/sharding.h"
#include "tenon/support/strides.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

StatusOr<std::vector<int64_t>> layoutOf(StringAttr mode, const program::Shape &shape) {
  if (!mode || ir::isOpenLayoutMode(mode))
    return std::vector<int64_t>();
  auto order = ir::parseLayout(mode, shape.type);
  if (!order || !isPermutation(*order, shape.dims.size()))
    return invalidArgument("cannot read the layout '" + mode.str() + "' of " + shape.toString());
  return *std::move(order);
}

program::Layout storedArray(DictionaryAttr stored) {
  if (!stored)
    return {};
  auto numbers = [&](StringRef name) { return llvm::to_vector(stored.getAs<DenseI64ArrayAttr>(name).asArrayRef()); };
  auto dims = numbers("dims"), order = numbers("minor_to_major");
  return {{dims.begin(), dims.end()}, {order.begin(), order.end()}};
}

// The sharding that an argument or result has by its attributes. On one partition every sharding is trivial.
StatusOr<program::Sharding> shardingOf(func::FuncOp main, size_t rank, Attribute mhlo, Attribute sdy) {
  if (ir::numPartitions(main->getParentOfType<ModuleOp>()).value_or(1) == 1)
    return program::Sharding();
  if (auto text = dyn_cast_or_null<StringAttr>(mhlo); text && !text.empty())
    return program::parseSharding(text.getValue());
  auto sharding = dyn_cast_or_null<sdy::TensorShardingAttr>(sdy);
  if (!sharding)
    return program::Sharding();
  ir::MeshTable meshes(main->getParentOfType<ModuleOp>());
  auto read = meshes.read(sharding, static_cast<int64_t>(rank));
  // Who computes whole arrays cannot add up summands that devices have.
  const bool isWhole = main->getParentOfType<ModuleOp>()->hasAttr(ir::kUnpartitionedAttribute);
  if (read.ok() && !read->unreduced.empty() && isWhole)
    return unimplemented("of an array with the sharding '" + debugString(sharding) +
                         "' devices have parts of a sum, which a run on whole arrays cannot take or give, and the "
                         "program is not cut (TENON_PARTITION=required says why)");
  auto tiled = read.ok() ? ir::toOpSharding(*read) : std::nullopt;
  if (!tiled)
    return invalidArgument("cannot read the sharding '" + debugString(sharding) + "'" +
                           (read.ok() ? "" : ": " + read.status().message()));
  return *std::move(tiled);
}

// Gives results the memory of arguments that are donated without naming one. XLA chooses by sizes alone: of each size
// as many arguments, from the first, as there are results. Of those, each gets the first result that lies as it does.
class DonorMatching {
public:
  explicit DonorMatching(program::Program &program)
      : program_(program), isTaken_(program.results.size()), isGiven_(program.results.size()) {
    for (const program::Argument &argument : program.arguments)
      if (argument.aliasedResult >= 0 && static_cast<size_t>(argument.aliasedResult) < isTaken_.size())
        isTaken_[static_cast<size_t>(argument.aliasedResult)] = isGiven_[static_cast<size_t>(argument.aliasedResult)] =
            true;
  }

  void match() {
    llvm::SmallVector<program::Argument *> donors;
    for (program::Argument &argument : program_.arguments)
      if (argument.donated && argument.aliasedResult < 0 &&
          take(isTaken_, [&](const program::Result &result) { return isOfSize(argument, result); }) >= 0)
        donors.push_back(&argument);
    for (program::Argument *donor : donors)
      donor->aliasedResult = take(isGiven_, [&](const program::Result &result) {
        return isOfSize(*donor, result) && lieAlike(*donor, result);
      });
  }

private:
  // The first result that `accepts` of those that are not set in `taken`, which it is then; -1: none.
  int32_t take(std::vector<bool> &taken, llvm::function_ref<bool(const program::Result &)> accepts) {
    for (auto [i, result] : llvm::enumerate(program_.results))
      if (!taken[i] && accepts(result)) {
        taken[i] = true;
        return static_cast<int32_t>(i);
      }
    return -1;
  }

  static bool isOfSize(const program::Argument &argument, const program::Result &result) {
    auto kind = [](const std::string &name) { return name.empty() ? "device" : name; };
    return argument.shape.byteSize() == result.shape.byteSize() && kind(argument.memoryKind) == kind(result.memoryKind);
  }

  static bool lieAlike(const program::Argument &argument, const program::Result &result) {
    return argument.shape == result.shape && !argument.shape.dims.empty() && argument.layout.empty() &&
           result.layout.empty() && argument.stored == result.stored && argument.stored.dims.empty() &&
           result.sizeResults.empty();
  }

  program::Program &program_;
  std::vector<bool> isTaken_, isGiven_; // by result: by the size, and by an argument's memory
};

} // namespace

void describeSignature(func::FuncOp main, program::Program &result) {
  if (!main)
    return;
  auto set = [&](auto &field, auto known) {
    if (known.ok())
      field = *std::move(known);
    else if (result.unreadable.empty())
      result.unreadable = known.status().message();
  };
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    program::Argument argument;
    argument.shape = programShape(type);
    argument.name = locationName(main.getArgument(i).getLoc());
    if (auto index = main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output"))
      argument.aliasedResult = index.getInt();
    argument.donated = main.getArgAttr(i, "jax.buffer_donor") != nullptr;
    if (auto declared = main.getArgAttrOfType<StringAttr>(i, ir::kDeclaredTypeAttribute))
      argument.declaredType = declared.str();
    if (auto value = main.getArgAttrOfType<DenseI64ArrayAttr>(i, ir::kValueAttribute))
      argument.value.assign(value.asArrayRef().begin(), value.asArrayRef().end());
    argument.stored = storedArray(main.getArgAttrOfType<DictionaryAttr>(i, ir::kStoredAttribute));
    if (auto kind = main.getArgAttrOfType<StringAttr>(i, "mhlo.memory_kind"))
      argument.memoryKind = kind.str();
    set(argument.layout, layoutOf(main.getArgAttrOfType<StringAttr>(i, ir::kLayoutModeAttribute), argument.shape));
    set(argument.sharding, shardingOf(main, argument.shape.dims.size(), main.getArgAttr(i, "mhlo.sharding"),
                                      main.getArgAttr(i, "sdy.sharding")));
    result.arguments.push_back(std::move(argument));
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    program::Result described;
    described.shape = programShape(type);
    if (auto name = main.getResultAttrOfType<StringAttr>(i, "jax.result_info"))
      described.name = name.str();
    described.stored = storedArray(main.getResultAttrOfType<DictionaryAttr>(i, ir::kStoredAttribute));
    if (auto kind = main.getResultAttrOfType<StringAttr>(i, "mhlo.memory_kind"))
      described.memoryKind = kind.str();
    set(described.layout, layoutOf(main.getResultAttrOfType<StringAttr>(i, ir::kLayoutModeAttribute), described.shape));
    set(described.sharding, shardingOf(main, described.shape.dims.size(), main.getResultAttr(i, "mhlo.sharding"),
                                       main.getResultAttr(i, "sdy.sharding")));
    result.results.push_back(std::move(described));
    if (auto place = main.getResultAttrOfType<DenseI64ArrayAttr>(i, ir::kSizeOfAttribute)) {
      program::Result &sized = result.results[place[0]];
      sized.sizeResults.resize(sized.shape.dims.size(), -1);
      sized.sizeResults[place[1]] = i;
    }
  }
  // A run on whole arrays computes into memory of its own.
  if (!main->getParentOfType<ModuleOp>()->hasAttr(ir::kUnpartitionedAttribute))
    DonorMatching(result).match();
}

} // namespace tenon::codegen

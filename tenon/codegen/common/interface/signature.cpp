#include "tenon/codegen/common/interface/signature.h"

#include "tenon/codegen/common/interface/program_shape.h"
#include "tenon/codegen/common/location.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

// "default" and "auto" leave the choice to us.
std::string layoutText(StringAttr mode) { return mode && mode.getValue().starts_with("{") ? mode.str() : ""; }

program::Layout storedArray(DictionaryAttr stored) {
  if (!stored)
    return {};
  auto numbers = [&](StringRef name) { return llvm::to_vector(stored.getAs<DenseI64ArrayAttr>(name).asArrayRef()); };
  auto dims = numbers("dims"), order = numbers("minor_to_major");
  return {{dims.begin(), dims.end()}, {order.begin(), order.end()}};
}

// "#sdy.sharding<@mesh, ...>" to "#sdy.sharding<mesh<[...]>, ...>": the text has to stand without the module.
std::string inlineMesh(ModuleOp module, std::string text) {
  const std::string before = "#sdy.sharding<@";
  size_t comma = text.find(',');
  if (!StringRef(text).starts_with(before) || comma == std::string::npos)
    return text;
  Operation *mesh = SymbolTable::lookupSymbolIn(module, StringRef(text).slice(before.size(), comma));
  std::string meshText;
  llvm::raw_string_ostream stream(meshText);
  if (Attribute attribute = mesh ? mesh->getAttr("mesh") : Attribute())
    attribute.print(stream);
  StringRef bare = meshText;
  if (!bare.consume_front("#sdy."))
    return text;
  return text.replace(before.size() - 1, comma - before.size() + 1, bare.str());
}

// On one partition every sharding is trivial.
std::string shardingText(ModuleOp module, Attribute mhlo, Attribute sdy) {
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  if (!partitions || partitions.getInt() == 1)
    return "";
  if (auto text = dyn_cast_or_null<StringAttr>(mhlo))
    return text.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (sdy)
    sdy.print(stream);
  return inlineMesh(module, std::move(text));
}

} // namespace

void describeSignature(func::FuncOp main, program::Program &result) {
  if (!main)
    return;
  auto module = main->getParentOfType<ModuleOp>();
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
    argument.layout = layoutText(main.getArgAttrOfType<StringAttr>(i, "mhlo.layout_mode"));
    argument.sharding = shardingText(module, main.getArgAttr(i, "mhlo.sharding"), main.getArgAttr(i, "sdy.sharding"));
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
    described.layout = layoutText(main.getResultAttrOfType<StringAttr>(i, "mhlo.layout_mode"));
    described.sharding =
        shardingText(module, main.getResultAttr(i, "mhlo.sharding"), main.getResultAttr(i, "sdy.sharding"));
    result.results.push_back(std::move(described));
    if (auto place = main.getResultAttrOfType<DenseI64ArrayAttr>(i, ir::kSizeOfAttribute)) {
      program::Result &sized = result.results[place[0]];
      sized.sizeResults.resize(sized.shape.dims.size(), -1);
      sized.sizeResults[place[1]] = i;
    }
  }
}

} // namespace tenon::codegen

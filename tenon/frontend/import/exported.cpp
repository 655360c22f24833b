#include "tenon/frontend/import/exported.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <optional>

namespace tenon::frontend {

using llvm::StringRef;

namespace {

// Fields of the table `Exported` in jax/_src/export/serialization.fbs, by their numbers there. They keep their numbers
// in all versions of the format.
enum Field : size_t { kFunctionName = 1, kInTree = 2, kPlatforms = 9, kModule = 13 };

// Reads of little-endian numbers and of what they point to; nothing where that is not within the bytes. Nothing is
// asked about alignment: numbers are read byte by byte.
class Flatbuffer {
public:
  explicit Flatbuffer(StringRef bytes) : bytes_(bytes) {}

  template <typename Number> std::optional<Number> read(size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(Number))
      return std::nullopt;
    return llvm::support::endian::read<Number, llvm::endianness::little>(bytes_.data() + at);
  }

  // The offset at `at` counts from there, and only forward.
  std::optional<size_t> follow(size_t at) const {
    auto offset = read<uint32_t>(at);
    if (!offset || *offset == 0 || *offset >= bytes_.size() - at)
      return std::nullopt;
    return at + *offset;
  }

  // The place of a table's field; none if the table lacks it or is damaged. A table begins with the signed distance
  // back to its list of fields, which begins with the sizes in bytes of itself and of the table.
  std::optional<size_t> field(size_t table, Field number) const {
    auto distance = read<int32_t>(table);
    if (!distance)
      return std::nullopt;
    int64_t list = static_cast<int64_t>(table) - *distance;
    if (list < 0 || static_cast<size_t>(list) >= bytes_.size())
      return std::nullopt;
    auto begin = static_cast<size_t>(list);
    auto listSize = read<uint16_t>(begin), tableSize = read<uint16_t>(begin + 2);
    if (!listSize || !tableSize || *listSize % 2 != 0 || *listSize > bytes_.size() - begin ||
        *tableSize > bytes_.size() - table)
      return std::nullopt;
    size_t entry = 4 + 2 * number;
    if (entry + 2 > *listSize)
      return std::nullopt;
    auto offset = read<uint16_t>(begin + entry);
    if (!offset || *offset < 4 || *offset + 4 > *tableSize)
      return std::nullopt;
    return table + *offset;
  }

  // The number of a vector's elements of `size` bytes, all of which are there. The first one is behind it.
  std::optional<size_t> vectorLength(size_t vector, size_t size) const {
    auto length = read<uint32_t>(vector);
    if (!length || *length > (bytes_.size() - vector - 4) / size)
      return std::nullopt;
    return *length;
  }

  // The bytes that the vector of bytes, or the string, which the offset at `at` leads to has.
  std::optional<StringRef> contents(size_t at) const {
    auto vector = follow(at);
    auto length = vector ? vectorLength(*vector, 1) : std::nullopt;
    if (!length)
      return std::nullopt;
    return bytes_.substr(*vector + 4, *length);
  }

private:
  StringRef bytes_;
};

} // namespace

bool looksExported(StringRef bytes) {
  Flatbuffer buffer(bytes);
  auto root = buffer.follow(0);
  return root && llvm::all_of(llvm::ArrayRef<Field>{kFunctionName, kInTree, kPlatforms, kModule},
                              [&](Field number) { return buffer.field(*root, number).has_value(); });
}

StatusOr<ExportedProgram> readExported(StringRef bytes) {
  Flatbuffer buffer(bytes);
  auto root = buffer.follow(0);
  auto module = root ? buffer.field(*root, kModule) : std::nullopt;
  auto platforms = root ? buffer.field(*root, kPlatforms) : std::nullopt;
  if (!module || !platforms)
    return invalidArgument("malformed file of jax.export: it has no module or no platforms");
  ExportedProgram result;
  auto artifact = buffer.contents(*module);
  if (!artifact)
    return invalidArgument("malformed file of jax.export: its module is cut off");
  result.artifact = *artifact;
  // JAX knows some five; names of any length and number would make messages of any length.
  constexpr size_t kMostPlatforms = 64, kLongestName = 64;
  auto vector = buffer.follow(*platforms);
  auto count = vector ? buffer.vectorLength(*vector, 4) : std::nullopt;
  if (!count || *count > kMostPlatforms)
    return invalidArgument("malformed file of jax.export: its list of platforms is cut off or too long");
  for (size_t i = 0; i < *count; ++i) {
    auto name = buffer.contents(*vector + 4 + 4 * i);
    if (!name || name->size() > kLongestName)
      return invalidArgument("malformed file of jax.export: the name of platform " + std::to_string(i) +
                             " is cut off or too long");
    result.platforms.push_back(*name);
  }
  return result;
}

llvm::LogicalResult bindPlatform(mlir::ModuleOp module, llvm::ArrayRef<StringRef> platforms) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto marks = [](mlir::StringAttr name) { return name && name.getValue() == "_platform_index"; };
  if (!main || main.isExternal() || main.getNumArguments() == 0 ||
      !marks(main.getArgAttrOfType<mlir::StringAttr>(0, "jax.global_constant")))
    return llvm::success();
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(main.getArgument(0).getType());
  if (!type || type.getRank() != 0 || !type.getElementType().isSignlessInteger())
    return main.emitError("the argument for the number of the platform must be an integer");
  const auto *cpu = llvm::find(platforms, "cpu");
  if (cpu == platforms.end())
    return main.emitError("the program was exported for the platforms ")
           << llvm::join(platforms, ", ") << ", and not for cpu";
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&main.getBody().front());
  auto number = mlir::IntegerAttr::get(type.getElementType(), cpu - platforms.begin());
  auto value = stablehlo::ConstantOp::create(builder, main.getArgument(0).getLoc(),
                                             mlir::DenseElementsAttr::get(type, mlir::Attribute(number)));
  main.getArgument(0).replaceAllUsesWith(value.getResult());
  if (failed(main.eraseArgument(0)))
    return llvm::failure();
  return mlir::verify(module); // whoever calls it still gives the number
}

} // namespace tenon::frontend

#include "tenon/tools/npy.h"

#include "tenon/literal/npy.h"
#include "tenon/literal/program_types.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tenon::tools {

namespace {

std::string sizesText(const std::vector<int64_t> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + (dims[i] < 0 ? "?" : std::to_string(dims[i]));
  return text + "]";
}

xla::Shape shapeOf(const program::Shape &shape) {
  return xla::ShapeUtil::MakeShape(primitiveTypeOf(shape.type), {shape.dims.data(), shape.dims.size()});
}

Status checkShape(const xla::NpyHeader &header, const std::string &path, const ExpectedArray &expected) {
  const std::vector<int64_t> &dims = expected.shape.dims;
  auto fits = [](int64_t found, int64_t wanted) { return wanted < 0 || found == wanted; };
  bool sameDims = std::equal(header.dimensions.begin(), header.dimensions.end(), dims.begin(), dims.end(), fits);
  if (sameDims && xla::NpyElementType(header, path, primitiveTypeOf(expected.shape.type)).ok())
    return {};
  return invalidArgument(expected.name + ": expected " + program::elementTypeName(expected.shape.type) +
                         sizesText(dims) + ", found " + header.TypeName() + sizesText(header.dimensions) + " in " +
                         path);
}

StatusOr<Array> readArray(std::istream &file, const std::string &path, const ExpectedArray &expected) {
  TENON_ASSIGN_OR_RETURN(auto header, xla::ReadNpyHeader(file, path));
  TENON_RETURN_IF_ERROR(checkShape(header, path, expected));
  TENON_ASSIGN_OR_RETURN(auto literal, xla::ReadNpyData(file, path, header, primitiveTypeOf(expected.shape.type)));
  const auto *bytes = static_cast<const uint8_t *>(literal.untyped_data());
  return Array{{expected.shape.type, header.dimensions}, {bytes, bytes + literal.size_bytes()}};
}

Status cannotOpen(const std::string &path) { return notFound(path + ": " + std::strerror(errno)); }

xla::Literal literalOf(const Array &array) { return xla::Literal::Borrow(shapeOf(array.shape), array.bytes.data()); }

} // namespace

StatusOr<Array> parseNpy(std::string_view contents, const std::string &path, const ExpectedArray &expected) {
  std::istringstream file{std::string(contents)};
  return readArray(file, path, expected);
}

StatusOr<Array> readNpy(const std::string &path, const ExpectedArray &expected) {
  std::ifstream file(path, std::ios::binary);
  return file ? readArray(file, path, expected) : cannotOpen(path);
}

StatusOr<program::Shape> readNpyShape(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return cannotOpen(path);
  TENON_ASSIGN_OR_RETURN(auto header, xla::ReadNpyHeader(file, path));
  auto type = xla::NpyElementType(header, path, xla::PRIMITIVE_TYPE_INVALID);
  return program::Shape{type.ok() ? elementTypeOf(*type) : program::ElementType::kInvalid, header.dimensions};
}

std::string formatNpy(const Array &array) {
  std::ostringstream file;
  xla::WriteNpyTo(file, literalOf(array));
  return std::move(file).str();
}

Status writeNpy(const std::string &path, const Array &array) {
  return xla::LiteralUtil::WriteNpy(literalOf(array), path);
}

} // namespace tenon::tools

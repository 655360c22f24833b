#include "tenon/tools/npy.h"

#include "tenon/literal/npy.h"
#include "tenon/literal/program_types.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace tenon::tools {

namespace {

std::string sizesText(const std::vector<int64_t> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + (dims[i] < 0 ? "?" : std::to_string(dims[i]));
  return text + "]";
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

Status cannotOpen(const std::string &path) { return notFound(path + ": " + std::strerror(errno)); }

} // namespace

StatusOr<Literal> readNpy(const std::string &path, const ExpectedArray &expected) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return cannotOpen(path);
  TENON_ASSIGN_OR_RETURN(auto header, xla::ReadNpyHeader(file, path));
  TENON_RETURN_IF_ERROR(checkShape(header, path, expected));
  return xla::ReadNpyData(file, path, header, primitiveTypeOf(expected.shape.type));
}

StatusOr<program::Shape> readNpyShape(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return cannotOpen(path);
  TENON_ASSIGN_OR_RETURN(auto header, xla::ReadNpyHeader(file, path));
  auto type = xla::NpyElementType(header, path, xla::PRIMITIVE_TYPE_INVALID);
  return program::Shape{type.ok() ? elementTypeOf(*type) : program::ElementType::kInvalid, header.dimensions};
}

} // namespace tenon::tools

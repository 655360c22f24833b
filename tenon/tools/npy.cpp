#include "tenon/tools/npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace tenon::tools {

using llvm::StringRef;
using program::ElementType;

namespace {

constexpr StringRef kMagic = "\x93NUMPY";

struct Header {
  char byteOrder = '|'; // '<', '>', '|'
  char kind = 'V';      // b, i, u, f, c, V, ...
  int64_t itemSize = 0;
  bool fortranOrder = false;
  std::vector<int64_t> dims;
};

// NumPy's letter for a type that it knows, else 'V'.
char numpyKind(ElementType type) {
  switch (type) {
  case ElementType::kI1:
    return 'b';
  case ElementType::kI8:
  case ElementType::kI16:
  case ElementType::kI32:
  case ElementType::kI64:
    return 'i';
  case ElementType::kUI8:
  case ElementType::kUI16:
  case ElementType::kUI32:
  case ElementType::kUI64:
    return 'u';
  case ElementType::kF16:
  case ElementType::kF32:
  case ElementType::kF64:
    return 'f';
  case ElementType::kComplexF32:
  case ElementType::kComplexF64:
    return 'c';
  default:
    return 'V';
  }
}

std::string numpyTypeName(char kind, int64_t itemSize) {
  std::string bits = std::to_string(itemSize * 8);
  switch (kind) {
  case 'b':
    return "bool";
  case 'i':
    return "int" + bits;
  case 'u':
    return "uint" + bits;
  case 'f':
    return "float" + bits;
  case 'c':
    return "complex" + bits;
  default:
    return std::string("'") + kind + std::to_string(itemSize) + "'";
  }
}

// The header is a Python dictionary with exactly these three keys, in any order.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  std::optional<Header> parse() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!consume("{"))
      return fail("not a dictionary");
    while (!consume("}")) {
      auto key = string();
      if (!key || !consume(":"))
        return fail("expected a key");
      bool good = false;
      if (*key == "descr" && !hasDescr)
        good = hasDescr = descr(header);
      else if (*key == "fortran_order" && !hasOrder)
        good = hasOrder = boolean(header.fortranOrder);
      else if (*key == "shape" && !hasShape)
        good = hasShape = shape(header.dims);
      if (!good)
        return fail("bad entry '" + key->str() + "'");
      if (!consume(",") && !text.ltrim().starts_with("}"))
        return fail("expected ','");
    }
    if (!text.trim().empty() || !hasDescr || !hasOrder || !hasShape)
      return fail("missing entries");
    return header;
  }

  std::string error;

private:
  std::nullopt_t fail(std::string message) {
    if (error.empty())
      error = std::move(message);
    return std::nullopt;
  }

  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }

  std::optional<StringRef> string() {
    text = text.ltrim();
    if (!text.starts_with("'") && !text.starts_with("\""))
      return std::nullopt;
    size_t end = text.find(text.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef value = text.slice(1, end);
    text = text.drop_front(end + 1);
    return value;
  }

  bool descr(Header &header) {
    text = text.ltrim();
    if (text.starts_with("["))
      return fail("structured arrays are not supported"), false;
    auto value = string();
    if (!value || value->empty())
      return false;
    StringRef rest = *value;
    if (StringRef("<>|=").contains(rest.front())) {
      header.byteOrder = rest.front() == '=' ? '<' : rest.front();
      rest = rest.drop_front();
    }
    if (rest.empty())
      return false;
    header.kind = rest.front();
    if (header.kind == 'O')
      return fail("arrays of Python objects are not supported"), false;
    rest = rest.drop_front().split('[').first;
    return !rest.getAsInteger(10, header.itemSize) && header.itemSize > 0 && header.itemSize <= 1 << 20;
  }

  bool boolean(bool &value) {
    value = consume("True");
    return value || consume("False");
  }

  bool shape(std::vector<int64_t> &dims) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      int64_t dim;
      text = text.ltrim();
      if (text.consumeInteger(10, dim) || dim < 0 || dims.size() == 64)
        return false;
      text.consume_front("L");
      dims.push_back(dim);
      if (!consume(",") && !text.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef text;
};

// `contents` becomes the data behind the header.
StatusOr<Header> readHeader(StringRef &contents, const std::string &path) {
  auto malformed = [&](const std::string &what) { return invalidArgument(path + ": not a .npy file: " + what); };
  if (!contents.consume_front(kMagic) || contents.size() < 4)
    return malformed("wrong magic number");
  unsigned version = static_cast<uint8_t>(contents[0]);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3)
    return invalidArgument(path + ": unknown .npy format version " + std::to_string(version));
  if (contents.size() < 2 + lengthBytes)
    return malformed("truncated header");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<uint8_t>(contents[2 + i])) << (8 * i);
  contents = contents.drop_front(2 + lengthBytes);
  if (length > contents.size())
    return malformed("truncated header");
  HeaderParser parser(contents.take_front(length));
  auto header = parser.parse();
  if (!header)
    return malformed(parser.error);
  contents = contents.drop_front(length);
  return *header;
}

std::string describe(char kind, int64_t itemSize, llvm::ArrayRef<int64_t> dims) {
  std::string text = numpyTypeName(kind, itemSize) + "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + (dims[i] < 0 ? "?" : std::to_string(dims[i]));
  return text + "]";
}

std::string describe(const program::Shape &shape) {
  std::string text = std::string(program::elementTypeName(shape.type)) + "[";
  for (size_t i = 0; i < shape.dims.size(); ++i)
    text += (i ? "," : "") + (shape.dims[i] < 0 ? "?" : std::to_string(shape.dims[i]));
  return text + "]";
}

Status checkType(const Header &header, const std::string &path, const ExpectedArray &expected) {
  char kind = numpyKind(expected.shape.type);
  bool sameSize = header.itemSize == program::byteSize(expected.shape.type);
  bool storageOnly = kind == 'V' && StringRef("Vuif").contains(header.kind);
  bool sameDims = header.dims.size() == expected.shape.dims.size() &&
                  std::equal(header.dims.begin(), header.dims.end(), expected.shape.dims.begin(),
                             [](int64_t found, int64_t wanted) { return wanted < 0 || found == wanted; });
  if (sameSize && sameDims && (header.kind == kind || storageOnly))
    return {};
  return invalidArgument(expected.name + ": expected " + describe(expected.shape) + ", found " +
                         describe(header.kind, header.itemSize, header.dims) + " in " + path);
}

// Copies column-major elements to row-major order.
void copyFromFortran(const uint8_t *from, uint8_t *to, llvm::ArrayRef<int64_t> dims, int64_t itemSize) {
  int64_t count = 1;
  std::vector<int64_t> strides(dims.size()), index(dims.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d) {
    strides[d] = count * itemSize;
    count *= dims[d];
  }
  for (int64_t i = 0; i < count; ++i, to += itemSize) {
    int64_t offset = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      offset += index[d] * strides[d];
    std::memcpy(to, from + offset, itemSize);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] != dims[d])
        break;
      index[d] = 0;
    }
  }
}

// What the runtime relies on but a file need not respect: booleans are 0 or 1, integers below a byte are extended.
void normalizeElements(Array &array) {
  int width = 0;
  bool isSigned = false;
  switch (array.shape.type) {
  case ElementType::kI1:
    for (uint8_t &byte : array.bytes)
      byte = byte != 0;
    return;
  case ElementType::kI2:
  case ElementType::kI4:
    isSigned = true;
    [[fallthrough]];
  case ElementType::kUI2:
  case ElementType::kUI4:
    width = array.shape.type == ElementType::kI2 || array.shape.type == ElementType::kUI2 ? 2 : 4;
    break;
  case ElementType::kF4E2M1FN:
    width = 4;
    break;
  case ElementType::kF6E2M3FN:
  case ElementType::kF6E3M2FN:
    width = 6;
    break;
  default:
    return;
  }
  for (uint8_t &byte : array.bytes) {
    byte &= (1 << width) - 1;
    if (isSigned && byte >> (width - 1))
      byte |= 0xFF << width;
  }
}

void swapBytes(Array &array) {
  bool isComplex = isComplexType(array.shape.type);
  size_t size = program::byteSize(array.shape.type) / (isComplex ? 2 : 1);
  for (size_t at = 0; at + size <= array.bytes.size(); at += size)
    std::reverse(array.bytes.begin() + at, array.bytes.begin() + at + size);
}

} // namespace

StatusOr<Array> parseNpy(std::string_view contents, const std::string &path, const ExpectedArray &expected) {
  StringRef data(contents.data(), contents.size());
  auto header = readHeader(data, path);
  if (!header.ok())
    return header.status();
  if (Status status = checkType(*header, path, expected); !status.ok())
    return status;
  Array array;
  array.shape = {expected.shape.type, header->dims};
  int64_t bytes = header->itemSize;
  for (int64_t dim : header->dims)
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      return invalidArgument(path + ": the array's size is beyond 2^63 bytes");
  if (static_cast<int64_t>(data.size()) < bytes)
    return invalidArgument(path + ": truncated: " + std::to_string(data.size()) + " bytes of data where " +
                           std::to_string(bytes) + " are needed");
  array.bytes.resize(bytes);
  auto *from = reinterpret_cast<const uint8_t *>(data.data());
  if (header->fortranOrder)
    copyFromFortran(from, array.bytes.data(), header->dims, header->itemSize);
  else
    std::copy_n(from, bytes, array.bytes.begin());
  if (header->byteOrder == '>')
    swapBytes(array);
  normalizeElements(array);
  return array;
}

static StatusOr<std::string> readContents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return notFound(path + ": " + std::strerror(errno));
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

StatusOr<Array> readNpy(const std::string &path, const ExpectedArray &expected) {
  StatusOr<std::string> contents = readContents(path);
  if (!contents.ok())
    return contents.status();
  return parseNpy(*contents, path, expected);
}

StatusOr<program::Shape> readNpyShape(const std::string &path) {
  StatusOr<std::string> contents = readContents(path);
  if (!contents.ok())
    return contents.status();
  StringRef data(contents->data(), contents->size());
  StatusOr<Header> header = readHeader(data, path);
  if (!header.ok())
    return header.status();
  for (auto number = static_cast<int>(ElementType::kI1); number < static_cast<int>(ElementType::kToken); ++number) {
    auto type = static_cast<ElementType>(number);
    if (header->kind != 'V' && numpyKind(type) == header->kind && program::byteSize(type) == header->itemSize)
      return program::Shape{type, header->dims};
  }
  return program::Shape{ElementType::kInvalid, header->dims};
}

std::string formatNpy(const Array &array) {
  char kind = numpyKind(array.shape.type);
  // Integers below a byte are stored extended, so they can be read as bytes.
  if (array.shape.type == ElementType::kI2 || array.shape.type == ElementType::kI4)
    kind = 'i';
  else if (array.shape.type == ElementType::kUI2 || array.shape.type == ElementType::kUI4)
    kind = 'u';
  int64_t size = program::byteSize(array.shape.type);
  std::string header = "{'descr': '";
  header += size == 1 ? '|' : '<';
  header += kind;
  header += std::to_string(size) + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : array.shape.dims)
    header += std::to_string(dim) + ", ";
  if (array.shape.dims.size() > 1)
    header.resize(header.size() - 2);
  else if (array.shape.dims.size() == 1)
    header.pop_back();
  header += "), }";
  // The data begins at a multiple of 64, as NumPy has it.
  size_t total = llvm::alignTo(kMagic.size() + 4 + header.size() + 1, 64);
  header.append(total - kMagic.size() - 4 - header.size() - 1, ' ');
  header += '\n';
  std::string out = kMagic.str();
  out += '\1';
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size());
  return out;
}

Status writeNpy(const std::string &path, const Array &array) {
  std::ofstream file(path, std::ios::binary);
  std::string contents = formatNpy(array);
  file.write(contents.data(), contents.size());
  file.close();
  if (!file)
    return {StatusCode::kUnknown, path + ": cannot write: " + std::strerror(errno)};
  return {};
}

} // namespace tenon::tools

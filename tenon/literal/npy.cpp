#include "tenon/literal/npy.h"

#include "tenon/literal/primitive_type.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

namespace tenon::xla_2017 {
namespace {

using tenon::ElementKind;
using tenon::ElementType;
using tenon::ElementTypeInfo;
using tenon::invalidArgument;
using tensorflow::StringPiece;

constexpr StringPiece kMagic = "\x93NUMPY";
// NumPy itself reads no more than 10000 characters unless told to.
constexpr size_t kLongestHeader = 1 << 20;

// NumPy's letter for a type that it knows, else 'V'.
char numpyKind(const ElementTypeInfo &info) {
  switch (info.kind) {
  case ElementKind::kBool:
    return 'b';
  case ElementKind::kSigned:
    return info.bits < 8 ? 'V' : 'i';
  case ElementKind::kUnsigned:
    return info.bits < 8 ? 'V' : 'u';
  case ElementKind::kFloat:
    return info.bits <= 16 && info.type != ElementType::kF16 ? 'V' : 'f';
  case ElementKind::kComplex:
    return 'c';
  case ElementKind::kNone:
    break;
  }
  return 'V';
}

// The header is a Python dictionary with exactly these three keys, in any order.
class HeaderParser {
public:
  explicit HeaderParser(StringPiece text) : text_(text) {}

  std::optional<NpyHeader> parse() {
    NpyHeader header;
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
        good = hasOrder = boolean(header.fortran_order);
      else if (*key == "shape" && !hasShape)
        good = hasShape = shape(header.dimensions);
      if (!good)
        return fail("bad entry '" + std::string(*key) + "'");
      if (!consume(",") && !peek("}"))
        return fail("expected ','");
    }
    skipSpace();
    if (!text_.empty() || !hasDescr || !hasOrder || !hasShape)
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

  void skipSpace() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n\r\v\f"), text_.size())); }

  bool peek(StringPiece token) {
    skipSpace();
    return text_.starts_with(token);
  }

  bool consume(StringPiece token) {
    if (!peek(token))
      return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::optional<StringPiece> string() {
    if (!peek("'") && !peek("\""))
      return std::nullopt;
    size_t end = text_.find(text_.front(), 1);
    if (end == StringPiece::npos)
      return std::nullopt;
    StringPiece value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }

  bool integer(StringPiece &text, int64 &value) {
    auto [after, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<size_t>(after - text.data()));
    return problem == std::errc() && value >= 0;
  }

  bool descr(NpyHeader &header) {
    if (peek("["))
      return fail("structured arrays are not supported"), false;
    auto value = string();
    if (!value || value->empty())
      return false;
    StringPiece rest = *value;
    if (StringPiece("<>|=").find(rest.front()) != StringPiece::npos) {
      header.byte_order = rest.front() == '=' ? '<' : rest.front();
      rest.remove_prefix(1);
    }
    if (rest.empty())
      return false;
    header.kind = rest.front();
    if (header.kind == 'O')
      return fail("arrays of Python objects are not supported"), false;
    rest.remove_prefix(1);
    // The unit of times.
    rest = rest.substr(0, rest.find('['));
    return integer(rest, header.item_size) && rest.empty() && header.item_size > 0 && header.item_size <= 1 << 20;
  }

  bool boolean(bool &value) {
    value = consume("True");
    return value || consume("False");
  }

  bool shape(std::vector<int64> &dimensions) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      int64 size;
      skipSpace();
      if (!integer(text_, size) || dimensions.size() == 64)
        return false;
      if (text_.starts_with('L'))
        text_.remove_prefix(1);
      dimensions.push_back(size);
      if (!consume(",") && !peek(")"))
        return false;
    }
    return true;
  }

  StringPiece text_;
};

// A piece of a file that is not longer than it says.
bool readExactly(std::istream &file, char *to, size_t size) {
  file.read(to, static_cast<std::streamsize>(size));
  return static_cast<size_t>(file.gcount()) == size;
}

void swapBytes(const ElementTypeInfo &info, void *data, int64 bytes) {
  int64 size = info.bytes / (info.kind == ElementKind::kComplex ? 2 : 1);
  auto *at = static_cast<unsigned char *>(data);
  for (int64 i = 0; i + size <= bytes; i += size)
    std::reverse(at + i, at + i + size);
}

std::string formatHeader(const Shape &shape) {
  const ElementTypeInfo &info = *internal::findType(shape.element_type());
  char kind = numpyKind(info);
  // Integers below a byte are stored extended, so they can be read as bytes.
  if (info.bits < 8 && (info.kind == ElementKind::kSigned || info.kind == ElementKind::kUnsigned))
    kind = info.kind == ElementKind::kSigned ? 'i' : 'u';
  std::string text = "{'descr': '";
  text += info.bytes == 1 ? '|' : '<';
  text += kind + std::to_string(info.bytes) + "', 'fortran_order': False, 'shape': (";
  for (int d = 0; d < shape.dimensions_size(); ++d)
    text +=
        (d ? " " : "") + std::to_string(shape.dimensions(d)) + (d + 1 < shape.dimensions_size() || d == 0 ? "," : "");
  return text + "), }";
}

} // namespace

std::string NpyHeader::TypeName() const {
  std::string bits = std::to_string(item_size * 8);
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
    return std::string("'") + kind + std::to_string(item_size) + "'";
  }
}

StatusOr<NpyHeader> ReadNpyHeader(std::istream &file, const std::string &name) {
  auto malformed = [&](const std::string &what) { return invalidArgument(name + ": not a .npy file: " + what); };
  char start[12];
  if (!readExactly(file, start, kMagic.size() + 4) || StringPiece(start, kMagic.size()) != kMagic)
    return malformed("wrong magic number");
  const char *after = start + kMagic.size();
  unsigned version = static_cast<unsigned char>(after[0]);
  if (version < 1 || version > 3)
    return invalidArgument(name + ": unknown .npy format version " + std::to_string(version));
  size_t lengthBytes = version == 1 ? 2 : 4, length = 0;
  if (version > 1 && !readExactly(file, start + kMagic.size() + 4, 2))
    return malformed("truncated header");
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(after[2 + i])) << (8 * i);
  if (length > kLongestHeader)
    return malformed("a header of " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  if (!readExactly(file, text.data(), length))
    return malformed("truncated header");
  HeaderParser parser(text);
  auto header = parser.parse();
  if (!header)
    return malformed(parser.error);
  return *std::move(header);
}

StatusOr<PrimitiveType> NpyElementType(const NpyHeader &header, const std::string &name, PrimitiveType wanted) {
  for (const ElementTypeInfo &info : tenon::elementTypes()) {
    PrimitiveType type = tenon::primitiveTypeOf(info.type);
    if ((wanted != PRIMITIVE_TYPE_INVALID && type != wanted) || info.bytes != header.item_size)
      continue;
    char kind = numpyKind(info);
    bool isStorage = kind == 'V' && type == wanted && StringPiece("Vuif").find(header.kind) != StringPiece::npos;
    if (isStorage || (kind == header.kind && kind != 'V'))
      return type;
  }
  return invalidArgument(name + ": expected " +
                         (wanted == PRIMITIVE_TYPE_INVALID ? "an element type of Tenon" : PrimitiveTypeName(wanted)) +
                         ", found " + header.TypeName());
}

StatusOr<Literal> ReadNpyData(std::istream &file, const std::string &name, const NpyHeader &header,
                              PrimitiveType type) {
  Shape shape = ShapeUtil::MakeShape(type, header.dimensions);
  if (header.fortran_order)
    std::reverse(shape.mutable_layout()->mutable_minor_to_major()->begin(),
                 shape.mutable_layout()->mutable_minor_to_major()->end());
  auto array = Literal::Create(shape);
  if (!array.ok())
    return Status(array.status().code(), name + ": " + array.status().message());
  int64 bytes = array->size_bytes();
  auto *data = static_cast<char *>(array->mutable_data());
  if (!readExactly(file, data, static_cast<size_t>(bytes)))
    return invalidArgument(name + ": truncated: " + std::to_string(file.gcount()) + " bytes of data where " +
                           std::to_string(bytes) + " are needed");
  const ElementTypeInfo &info = *internal::findType(type);
  if (header.byte_order == '>')
    swapBytes(info, data, bytes);
  internal::makeCanonical(info, data, bytes);
  return header.fortran_order ? array->Relayout(LayoutUtil::GetDefaultLayout(ShapeUtil::Rank(shape)))
                              : *std::move(array);
}

StatusOr<Literal> LiteralUtil::ReadNpy(const std::string &path, PrimitiveType type) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return tenon::notFound(path + ": " + std::strerror(errno));
  TENON_ASSIGN_OR_RETURN(auto header, ReadNpyHeader(file, path));
  TENON_ASSIGN_OR_RETURN(auto found, NpyElementType(header, path, type));
  return ReadNpyData(file, path, header, found);
}

void WriteNpyTo(std::ostream &file, const Literal &array) {
  std::string header = formatHeader(array.shape());
  // The data begins at a multiple of 64, as NumPy has it.
  size_t front = kMagic.size() + 4, total = (front + header.size() + 1 + 63) / 64 * 64;
  header.append(total - front - header.size() - 1, ' ');
  header += '\n';
  file << kMagic << '\1' << '\0' << static_cast<char>(header.size() & 0xFF) << static_cast<char>(header.size() >> 8)
       << header;
  auto write = [&](const Literal &literal) {
    file.write(static_cast<const char *>(literal.untyped_data()), static_cast<std::streamsize>(literal.size_bytes()));
  };
  Layout layout = LayoutUtil::LayoutOf(array.shape());
  if (LayoutUtil::IsDefault(layout))
    write(array);
  else
    write(array.Relayout(LayoutUtil::GetDefaultLayout(ShapeUtil::Rank(array.shape()))));
}

Status LiteralUtil::WriteNpy(const Literal &literal, const std::string &path) {
  if (!ShapeUtil::IsArray(literal.shape()))
    return invalidArgument("a .npy file holds one array, not " + ShapeUtil::HumanString(literal.shape()));
  std::ofstream file(path, std::ios::binary);
  WriteNpyTo(file, literal);
  file.close();
  if (!file)
    return tenon::failedPrecondition(path + ": cannot write: " + std::strerror(errno));
  return {};
}

} // namespace tenon::xla_2017

#include "tenon/runtime/core/attributes.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tenon::runtime {
namespace {

// Nesting deeper than this is refused: the text comes from outside.
constexpr int kMaxDepth = 64;

bool isFloatType(std::string_view type) { return type.starts_with("f") || type == "bf16" || type == "tf32"; }

bool isUnsignedType(std::string_view type) { return type.starts_with("ui") || type == "i1"; }

// The value of a float's bit pattern, for the types that scalars have.
double floatFromBits(std::string_view type, uint64_t bits) {
  if (type == "f64")
    return std::bit_cast<double>(bits);
  if (type == "f32")
    return std::bit_cast<float>(uint32_t(bits));
  if (type == "bf16")
    return std::bit_cast<float>(uint32_t(bits) << 16);
  if (type == "f16")
    return double(std::bit_cast<_Float16>(uint16_t(bits)));
  return std::numeric_limits<double>::quiet_NaN();
}

size_t storageBytes(std::string_view type) {
  if (type == "index")
    return 8;
  size_t digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos)
    return 0;
  int bits = std::atoi(std::string(type.substr(digits)).c_str());
  return bits <= 0 || bits > 64 ? 0 : size_t(bits + 7) / 8;
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  StatusOr<AttributeDict> parse() {
    AttributeDict dict;
    skipSpace();
    if (atEnd())
      return dict;
    if (!expect('{') || !parseDictBody(dict))
      return error();
    skipSpace();
    if (!atEnd()) {
      fail("text after the dictionary");
      return error();
    }
    return dict;
  }

private:
  // A number before its type is known.
  struct Number {
    std::string text;
    bool isFloat = false;
  };

  bool fail(const std::string &what) {
    if (message_.empty())
      message_ = what + " at offset " + std::to_string(position_);
    return false;
  }
  Status error() const {
    return invalidArgument("malformed attributes (" + message_ + "): " + std::string(text_.substr(0, 200)));
  }

  bool atEnd() const { return position_ >= text_.size(); }
  char peek() const { return atEnd() ? '\0' : text_[position_]; }
  void skipSpace() {
    while (!atEnd() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }
  bool accept(char c) {
    skipSpace();
    if (peek() != c)
      return false;
    ++position_;
    return true;
  }
  bool expect(char c) { return accept(c) || fail(std::string("expected '") + c + "'"); }
  bool acceptWord(std::string_view word) {
    skipSpace();
    std::string_view rest = text_.substr(position_);
    if (!rest.starts_with(word))
      return false;
    if (rest.size() > word.size() && isNameChar(rest[word.size()]) && isNameChar(word.back()))
      return false;
    position_ += word.size();
    return true;
  }
  static bool isNameChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '-';
  }
  std::string_view name() {
    skipSpace();
    size_t begin = position_;
    while (!atEnd() && isNameChar(text_[position_]))
      ++position_;
    return text_.substr(begin, position_ - begin);
  }

  bool parseDictBody(AttributeDict &dict) {
    if (++depth_ > kMaxDepth)
      return fail("nesting too deep");
    if (!accept('}')) {
      do {
        NamedAttribute &entry = dict.emplace_back();
        skipSpace();
        if (peek() == '"') {
          if (!parseString(entry.name))
            return false;
        } else {
          entry.name = name();
        }
        if (entry.name.empty())
          return fail("expected an attribute name");
        if (accept('=') && !parseValue(entry.value))
          return false;
      } while (accept(','));
      if (!expect('}'))
        return false;
    }
    --depth_;
    return true;
  }

  bool parseString(std::string &out) {
    if (!expect('"'))
      return false;
    auto hexDigit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
    while (!atEnd() && peek() != '"') {
      char c = text_[position_++];
      if (c != '\\') {
        out += c;
        continue;
      }
      char next = peek();
      ++position_;
      if (next == 'n')
        out += '\n';
      else if (next == 't')
        out += '\t';
      else if (next == '"' || next == '\\')
        out += next;
      else if (std::isxdigit(static_cast<unsigned char>(next)) && std::isxdigit(static_cast<unsigned char>(peek())))
        out += char(hexDigit(next) * 16 + hexDigit(text_[position_++]));
      else
        return fail("unknown escape in a string");
    }
    return expect('"');
  }

  // Text up to the next ',', '}', ']' or the end, with balanced brackets and strings: what is not understood.
  bool parseOpaque(std::string &out) {
    size_t begin = position_;
    int open = 0;
    std::string ignored;
    while (!atEnd()) {
      char c = peek();
      if (open == 0 && (c == ',' || c == '}' || c == ']'))
        break;
      if (c == '"') {
        if (!parseString(ignored))
          return false;
        continue;
      }
      if (c == '-' && text_.substr(position_).starts_with("->")) {
        position_ += 2;
        continue;
      }
      open += c == '<' || c == '(' || c == '[' || c == '{';
      open -= c == '>' || c == ')' || c == ']' || c == '}';
      ++position_;
    }
    if (position_ == begin || open != 0)
      return fail("expected an attribute");
    out = text_.substr(begin, position_ - begin);
    while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back())))
      out.pop_back();
    return true;
  }

  bool parseNumber(Number &number) {
    skipSpace();
    size_t begin = position_;
    if (peek() == '-' || peek() == '+')
      ++position_;
    bool hex = text_.substr(position_).starts_with("0x");
    if (hex)
      position_ += 2;
    size_t digits = position_;
    while (!atEnd()) {
      char c = text_[position_];
      bool exponentSign = !hex && (c == '-' || c == '+') && (text_[position_ - 1] | 32) == 'e' && position_ > digits;
      if (hex ? !std::isxdigit(static_cast<unsigned char>(c))
              : !(std::isdigit(static_cast<unsigned char>(c)) || c == '.' || (c | 32) == 'e' || exponentSign))
        break;
      number.isFloat |= !hex && !std::isdigit(static_cast<unsigned char>(c));
      ++position_;
    }
    number.text = text_.substr(begin, position_ - begin);
    return position_ > digits || fail("expected a number");
  }

  bool toInteger(const Number &number, std::string_view type, int64_t &value) {
    if (number.isFloat)
      return fail("expected an integer");
    bool negative = number.text[0] == '-';
    errno = 0;
    // Base 0 would read a leading zero as octal.
    std::string digits = number.text.substr(negative || number.text[0] == '+');
    bool hex = digits.starts_with("0x");
    uint64_t magnitude = std::strtoull(digits.c_str(), nullptr, hex ? 16 : 10);
    if (errno == ERANGE || (negative && magnitude > uint64_t(1) << 63))
      return fail("integer out of range");
    value = int64_t(negative ? 0 - magnitude : magnitude);
    // Signless types print as signed; ui64's upper half keeps its bits.
    if (!negative && !isUnsignedType(type) && magnitude >> 63 && !hex)
      return fail("integer out of range");
    return true;
  }

  bool toFloat(const Number &number, std::string_view type, double &value) {
    if (number.text.find("0x") == std::string::npos) {
      value = std::strtod(number.text.c_str(), nullptr);
      return true;
    }
    value = floatFromBits(type, std::strtoull(number.text.c_str(), nullptr, 16));
    return true;
  }

  bool parseNumberAttribute(Attribute &out) {
    Number number;
    if (!parseNumber(number))
      return false;
    std::string type = number.isFloat ? "f64" : "i64";
    if (accept(':'))
      type = name();
    if (isFloatType(type)) {
      FloatAttribute &value = out.value.emplace<FloatAttribute>();
      value.type = type;
      return toFloat(number, type, value.value);
    }
    IntegerAttribute &value = out.value.emplace<IntegerAttribute>();
    value.type = type;
    return toInteger(number, type, value.value);
  }

  // Numbers, true and false, with any brackets around them, to '>'.
  bool parseElements(std::vector<Number> &numbers, char close) {
    if (++depth_ > kMaxDepth)
      return fail("nesting too deep");
    if (!accept(close)) {
      do {
        skipSpace();
        if (accept('[')) {
          if (!parseElements(numbers, ']'))
            return false;
        } else if (acceptWord("true")) {
          numbers.push_back({"1"});
        } else if (acceptWord("false")) {
          numbers.push_back({"0"});
        } else {
          Number number;
          if (!parseNumber(number))
            return false;
          numbers.push_back(std::move(number));
        }
      } while (accept(','));
      if (!expect(close))
        return false;
    }
    --depth_;
    return true;
  }

  // One number stands for all of `count`.
  bool storeElements(const std::vector<Number> &numbers, const std::string &type, size_t count, Attribute &out) {
    bool isSplat = numbers.size() == 1 && count > 1;
    if (isSplat && count > splatsLeft_)
      return fail("array too large for an attribute");
    splatsLeft_ -= isSplat ? count : 0;
    if (!isSplat && numbers.size() != count && !(numbers.size() == 1 && count == 0))
      return fail("array size differs from its type");
    auto store = [&](auto &array, auto convert) {
      array.type = type;
      for (const Number &number : numbers)
        if (!convert(number, array.values.emplace_back()))
          return false;
      if (numbers.size() == 1)
        array.values.resize(count, array.values[0]);
      return true;
    };
    if (isFloatType(type))
      return store(out.value.emplace<FloatArrayAttribute>(),
                   [&](const Number &number, double &value) { return toFloat(number, type, value); });
    return store(out.value.emplace<IntegerArrayAttribute>(),
                 [&](const Number &number, int64_t &value) { return toInteger(number, type, value); });
  }

  // array<i64: 1, 2>
  bool parseDenseArray(Attribute &out) {
    std::string type(name());
    std::vector<Number> numbers;
    if (accept('>'))
      return storeElements(numbers, type, 0, out);
    return expect(':') && parseElements(numbers, '>') && storeElements(numbers, type, numbers.size(), out);
  }

  // tensor<2x3xi64>: the element type, and how many elements.
  bool parseTensorType(std::string &type, size_t &count) {
    if (!acceptWord("tensor") && !acceptWord("vector"))
      return fail("expected a tensor type");
    if (!expect('<'))
      return false;
    count = 1;
    skipSpace();
    while (std::isdigit(static_cast<unsigned char>(peek()))) {
      size_t size = 0;
      while (std::isdigit(static_cast<unsigned char>(peek())))
        size = size * 10 + size_t(text_[position_++] - '0');
      if (__builtin_mul_overflow(count, size, &count) || peek() != 'x')
        return fail("malformed tensor type");
      ++position_;
    }
    type = name();
    return expect('>');
  }

  // dense<...> : tensor<...>
  bool parseDense(Attribute &out) {
    std::vector<Number> numbers;
    std::string blob;
    skipSpace();
    bool isBlob = peek() == '"';
    if (isBlob ? !parseString(blob) || !expect('>') : !parseElements(numbers, '>'))
      return false;
    std::string type;
    size_t count = 0;
    if (!expect(':') || !parseTensorType(type, count))
      return false;
    if (isBlob)
      return decodeBlob(blob, type, count, out);
    return storeElements(numbers, type, count, out);
  }

  // "0x0102..." in memory order.
  bool decodeBlob(const std::string &blob, const std::string &type, size_t count, Attribute &out) {
    size_t bytes = storageBytes(type);
    if (!blob.starts_with("0x") || bytes == 0 || (blob.size() - 2) % (2 * bytes) != 0)
      return fail("malformed binary array");
    std::vector<Number> numbers;
    for (size_t i = 2; i < blob.size(); i += 2 * bytes) {
      std::string digits = "0x";
      for (size_t byte = bytes; byte-- > 0;)
        digits += blob.substr(i + 2 * byte, 2);
      numbers.push_back({digits});
    }
    if (!storeElements(numbers, type, count, out))
      return false;
    if (auto *array = std::get_if<IntegerArrayAttribute>(&out.value); array && !isUnsignedType(type) && bytes < 8)
      for (int64_t &value : array->values)
        value = int64_t(uint64_t(value) << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    return true;
  }

  bool parseArray(Attribute &out) {
    if (++depth_ > kMaxDepth)
      return fail("nesting too deep");
    auto &elements = out.value.emplace<std::vector<Attribute>>();
    if (!accept(']')) {
      do
        if (!parseValue(elements.emplace_back()))
          return false;
      while (accept(','));
      if (!expect(']'))
        return false;
    }
    --depth_;
    return true;
  }

  bool parseValue(Attribute &out) {
    skipSpace();
    char c = peek();
    if (c == '"') {
      if (!parseString(out.value.emplace<std::string>()))
        return false;
      if (accept(':'))
        name(); // a string's type says nothing
      return true;
    }
    if (accept('{'))
      return parseDictBody(out.value.emplace<AttributeDict>());
    if (accept('['))
      return parseArray(out);
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-')
      return parseNumberAttribute(out);
    if (acceptWord("true") || acceptWord("false")) {
      out.value = text_[position_ - 2] == 'u';
      return true;
    }
    if (acceptWord("unit"))
      return true;
    if (acceptWord("array<"))
      return parseDenseArray(out);
    if (acceptWord("dense<"))
      return parseDense(out);
    return parseOpaque(out.value.emplace<OpaqueAttribute>().text);
  }

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  size_t splatsLeft_ = size_t(1) << 24; // elements of arrays of which the text has only one
  std::string message_;
};

Status wrongKind(std::string_view name, const char *expected, bool missing) {
  return invalidArgument("attribute '" + std::string(name) + "' " +
                         (missing ? "is missing" : "is not " + std::string(expected)));
}

} // namespace

StatusOr<AttributeDict> parseAttributes(std::string_view text) { return Parser(text).parse(); }

const Attribute *findAttribute(const AttributeDict &dict, std::string_view name) {
  auto it = std::find_if(dict.begin(), dict.end(), [&](const NamedAttribute &entry) { return entry.name == name; });
  return it == dict.end() ? nullptr : &it->value;
}

StatusOr<int64_t> integerAttribute(const AttributeDict &dict, std::string_view name) {
  const Attribute *attribute = findAttribute(dict, name);
  if (attribute) {
    if (auto *integer = std::get_if<IntegerAttribute>(&attribute->value))
      return integer->value;
    if (auto *boolean = std::get_if<bool>(&attribute->value))
      return int64_t(*boolean);
  }
  return wrongKind(name, "an integer", !attribute);
}

StatusOr<bool> booleanAttribute(const AttributeDict &dict, std::string_view name) {
  StatusOr<int64_t> value = integerAttribute(dict, name);
  if (!value.ok())
    return value.status();
  return *value != 0;
}

StatusOr<std::string> stringAttribute(const AttributeDict &dict, std::string_view name) {
  const Attribute *attribute = findAttribute(dict, name);
  if (attribute)
    if (auto *text = std::get_if<std::string>(&attribute->value))
      return *text;
  return wrongKind(name, "a string", !attribute);
}

StatusOr<std::vector<int64_t>> integerArrayAttribute(const AttributeDict &dict, std::string_view name) {
  const Attribute *attribute = findAttribute(dict, name);
  if (attribute) {
    if (auto *array = std::get_if<IntegerArrayAttribute>(&attribute->value))
      return array->values;
    if (auto *elements = std::get_if<std::vector<Attribute>>(&attribute->value)) {
      std::vector<int64_t> values;
      for (const Attribute &element : *elements)
        if (auto *integer = std::get_if<IntegerAttribute>(&element.value))
          values.push_back(integer->value);
      if (values.size() == elements->size())
        return values;
    }
  }
  return wrongKind(name, "an array of integers", !attribute);
}

StatusOr<AttributeDict> backendConfig(std::string_view attributes) {
  StatusOr<AttributeDict> dict = parseAttributes(attributes);
  if (!dict.ok())
    return dict.status();
  const Attribute *config = findAttribute(*dict, "backend_config");
  const auto *entries = config ? std::get_if<AttributeDict>(&config->value) : nullptr;
  if (!entries)
    return wrongKind("backend_config", "a dictionary", !config);
  return *entries;
}

} // namespace tenon::runtime

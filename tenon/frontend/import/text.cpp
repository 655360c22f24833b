// Older spellings, each with what it becomes:
//
// - functions: `stablehlo.func @f(...) -> T, T {` becomes `func.func @f(...) -> (T, T) {`
// - attributes that are arrays now: `window_strides = dense<[1, 2]> : tensor<2xi64>` becomes
//   `window_strides = array<i64: 1, 2>`
// - signed types, which are the signless ones: `tensor<2xsi32>` becomes `tensor<2xi32>`
// - tokens: `%t : token` becomes `%t : !stablehlo.token`
// - integers for floats: `dense<[1, 2]> : tensor<2xf32>` becomes `dense<[1.0, 2.0]> : tensor<2xf32>`
//
// And a newer one: booleans of a byte each, `dense<"0x0100..."> : tensor<20xi1>`, become the bits that the MLIR we are
// built with reads, `dense<"0x01...">`.
//
// They are rewritten in the source because MLIR's generic parser drops an attribute of another kind than the
// operation declares before anything of ours could see it. The scanner only knows what it needs: strings, comments and
// identifiers.
#include "tenon/frontend/import/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tenon::frontend {

using llvm::StringRef;

namespace {

const llvm::StringSet<> &arrayAttributeNames() {
  static const llvm::StringSet<> names = {"base_dilations",
                                          "broadcast_dimensions",
                                          "broadcast_sizes",
                                          "dimensions",
                                          "edge_padding_high",
                                          "edge_padding_low",
                                          "fft_length",
                                          "interior_padding",
                                          "lhs_dilation",
                                          "limit_indices",
                                          "permutation",
                                          "rhs_dilation",
                                          "slice_sizes",
                                          "start_indices",
                                          "strides",
                                          "window_dilations",
                                          "window_dimensions",
                                          "window_reversal",
                                          "window_strides",
                                          "known_expanding_dimensions",
                                          "known_nonexpanding_dimensions"};
  return names;
}

bool isIdentifierChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }

// `si32`, or a shape and element type lexed as one word: `2x3xsi32`. Returns the length of the part before `si`.
std::optional<size_t> findSignedType(StringRef word) {
  size_t at = word.rfind("si");
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef width = word.substr(at + 2), prefix = word.substr(0, at);
  bool isWidth = width == "2" || width == "4" || width == "8" || width == "16" || width == "32" || width == "64";
  bool isShape =
      prefix.empty() || (prefix.ends_with("x") && prefix.find_first_not_of("0123456789x") == StringRef::npos);
  if (!isWidth || !isShape)
    return std::nullopt;
  return at;
}

class Modernizer {
public:
  explicit Modernizer(StringRef text) : text_(text) {}

  std::optional<std::string> run() {
    while (pos_ < text_.size()) {
      step();
      while (!insertions_.empty() && pos_ >= insertions_.front().first) {
        insert(insertions_.front().second);
        insertions_.erase(insertions_.begin());
      }
    }
    if (!changed_)
      return std::nullopt;
    out_ += text_.substr(copied_);
    return std::move(out_);
  }

private:
  void step() {
    char c = text_[pos_];
    if (c == '"') {
      skipString();
    } else if (c == '/' && text_.substr(pos_).starts_with("//")) {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    } else if (c == '@' || c == '%' || c == '^' || c == '#' || c == '!') {
      ++pos_;
      pos_ = wordEnd(pos_);
    } else if (llvm::isAlnum(c) || c == '_') {
      word();
    } else {
      ++pos_;
    }
  }

  void skipString() {
    for (++pos_; pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n'; ++pos_)
      if (text_[pos_] == '\\')
        ++pos_;
    pos_ = std::min(pos_ + 1, text_.size());
  }

  size_t wordEnd(size_t at) const {
    while (at < text_.size() && isIdentifierChar(text_[at]))
      ++at;
    return at;
  }

  // The first position from `at` that is not blank.
  size_t skipBlank(size_t at) const { return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size()); }

  bool startsWithAt(size_t at, StringRef prefix) const { return text_.substr(at).starts_with(prefix); }

  void word() {
    size_t begin = pos_;
    pos_ = wordEnd(pos_);
    StringRef name = text_.slice(begin, pos_);
    if (name == "stablehlo.func") {
      replace(begin, pos_, "func.func");
      functionResults();
    } else if (name == "token") {
      bareToken(begin);
    } else if (name == "dense" && startsWithAt(pos_, "<")) {
      literals();
    } else if (auto at = findSignedType(name)) {
      replace(begin, pos_, (name.substr(0, *at) + name.substr(*at + 1)).str());
    } else if (arrayAttributeNames().contains(name)) {
      arrayAttribute();
    }
  }

  // Replaces text[begin, end), padding with blanks to keep the columns of what follows.
  void replace(size_t begin, size_t end, std::string with) {
    changed_ = true;
    out_ += text_.slice(copied_, begin);
    size_t lineBreaks = text_.slice(begin, end).count('\n');
    if (lineBreaks)
      with.append(lineBreaks, '\n');
    else if (with.size() < end - begin)
      with.append(end - begin - with.size(), ' ');
    out_ += with;
    copied_ = end;
  }

  // The type `token` of the grammar: after `:`, `(`, `,` or `>`, before `,`, `)`, `{` or the end of the line.
  void bareToken(size_t begin) {
    size_t before = text_.substr(0, begin).find_last_not_of(" \t\r\n");
    size_t after = skipBlank(pos_);
    bool typeBefore = before != StringRef::npos && StringRef(":(,><").contains(text_[before]);
    bool typeAfter = after == text_.size() || StringRef(",)>{}%\"").contains(text_[after]) || text_[after] == '/' ||
                     text_.slice(pos_, after).contains('\n');
    if (typeBefore && typeAfter)
      replace(begin, pos_, "!stablehlo.token");
  }

  // The position behind the bracket that closes the one at `at`, or npos.
  size_t matchBracket(size_t at, char open, char close) const {
    int depth = 0;
    for (; at < text_.size(); ++at) {
      if (text_[at] == '"') {
        at = text_.find('"', at + 1);
        if (at == StringRef::npos)
          return at;
      } else if (text_[at] == open) {
        ++depth;
      } else if (text_[at] == close && !(close == '>' && text_[at - 1] == '-') && --depth == 0) {
        return at + 1;
      }
    }
    return StringRef::npos;
  }

  // `-> T, T {` lacks the parentheses that MLIR wants around several results.
  void functionResults() {
    size_t arguments = text_.find('(', pos_);
    size_t at = arguments == StringRef::npos ? arguments : matchBracket(arguments, '(', ')');
    if (at == StringRef::npos)
      return;
    at = skipBlank(at);
    if (!startsWithAt(at, "->"))
      return;
    size_t types = skipBlank(at + 2), body = types;
    bool several = false;
    int depth = 0;
    for (; body < text_.size() && !(text_[body] == '{' && depth == 0); ++body) {
      depth += text_[body] == '<' || text_[body] == '(';
      depth -= text_[body] == '>' || text_[body] == ')';
      several |= text_[body] == ',' && depth == 0;
    }
    if (!several || body == text_.size())
      return;
    insertions_.push_back({at + 2, '('});
    insertions_.push_back({text_.substr(0, body).find_last_not_of(" \t\r\n") + 1, ')'});
  }

  // Puts a parenthesis at `pos`, in place of a blank if there is one.
  void insert(char parenthesis) {
    changed_ = true;
    out_ += text_.slice(copied_, pos_);
    out_ += parenthesis;
    if (pos_ < text_.size() && text_[pos_] == ' ')
      ++pos_;
    copied_ = pos_;
  }

  struct Dense {
    StringRef literal; // between the brackets
    StringRef shape;   // between the brackets of `tensor<...>`
    size_t literalBegin;
    size_t end;
  };

  // `<...> : tensor<...>` at `at`, the position after `dense`.
  std::optional<Dense> parseDense(size_t at) const {
    size_t close = matchBracket(at, '<', '>');
    if (close == StringRef::npos)
      return std::nullopt;
    size_t colon = skipBlank(close);
    if (!startsWithAt(colon, ":"))
      return std::nullopt;
    size_t type = skipBlank(colon + 1);
    if (!startsWithAt(type, "tensor<"))
      return std::nullopt;
    size_t end = matchBracket(type + 6, '<', '>');
    if (end == StringRef::npos)
      return std::nullopt;
    return Dense{text_.slice(at + 1, close - 1), text_.slice(type + 7, end - 1), at + 1, end};
  }

  // `= dense<...> : tensor<Nxi64>` becomes `= array<i64: ...>`. `pos` is behind the attribute's name.
  void arrayAttribute() {
    size_t equal = skipBlank(pos_);
    if (!startsWithAt(equal, "="))
      return;
    size_t dense = skipBlank(equal + 1);
    if (!startsWithAt(dense, "dense<"))
      return;
    auto parsed = parseDense(dense + 5);
    if (!parsed)
      return;
    auto [count, element] = parsed->shape.trim().split('x');
    size_t size;
    if (count.getAsInteger(10, size) || size > 64)
      return;
    if (element == "si64")
      element = "i64";
    if (element != "i64" && element != "i1")
      return;
    StringRef literal = parsed->literal.trim();
    bool isList = literal.consume_front("[");
    if (isList && !literal.consume_back("]"))
      return;
    std::string values = literal.trim().str();
    if (!isList && size > 1)
      values = llvm::join(llvm::SmallVector<std::string>(size, values), ",");
    if (size == 0)
      values.clear();
    replace(dense, parsed->end, ("array<" + element + (values.empty() ? "" : ": " + values) + ">").str());
    pos_ = parsed->end;
  }

  // Handles the text of a constant's elements. `pos` is behind `dense`.
  void literals() {
    auto parsed = parseDense(pos_);
    if (!parsed)
      return;
    StringRef element = parsed->shape.substr(shapeLength(parsed->shape));
    if (element.split(',').first.trim() == "i1")
      booleans(*parsed);
    else
      floatLiterals(*parsed, element);
  }

  // Bytes where bits are due. The number of bytes tells which they are: one for each element, or one for eight. A
  // single byte stands for all elements alike when it holds no bits, which MLIR writes as 0x00 and 0xFF.
  void booleans(const Dense &dense) {
    size_t begin = dense.literalBegin, end = begin + dense.literal.size();
    StringRef digits = dense.literal.trim();
    pos_ = std::max(pos_, end);
    std::optional<uint64_t> count = elementsOf(dense.shape.take_front(shapeLength(dense.shape)));
    if (!(digits.consume_front("\"0x") || digits.consume_front("\"0X")) || !digits.consume_back("\"") || !count)
      return;
    uint64_t bytes = digits.size() / 2, bits = (*count + 7) / 8;
    bool isRepeated = bytes == 1 && *count > 8 && digits == "01";
    if (isRepeated)
      return replace(begin, end, "\"0xFF\"");
    if (digits.size() % 2 != 0 || bytes != *count || bytes == bits || !llvm::all_of(digits, llvm::isHexDigit))
      return;
    std::string packed(bits, 0);
    for (uint64_t i = 0; i < bytes; ++i)
      if (digits.substr(2 * i, 2) != "00")
        packed[i / 8] |= static_cast<char>(1 << i % 8);
    replace(begin, end, "\"0x" + llvm::toHex(packed) + "\"");
  }

  // `2x3x` has 6; nothing where a size is not known, or too large for any text.
  static std::optional<uint64_t> elementsOf(StringRef shape) {
    uint64_t count = 1;
    while (!shape.empty()) {
      uint64_t size;
      auto [digits, rest] = shape.split('x');
      if (digits.getAsInteger(10, size) || __builtin_mul_overflow(count, size, &count))
        return std::nullopt;
      shape = rest;
    }
    return count;
  }

  // Integers where floating-point values are due.
  void floatLiterals(const Dense &dense, StringRef element) {
    bool isFloat = element.starts_with("f") || element.starts_with("bf") || element.starts_with("complex<f");
    size_t end = dense.literalBegin + dense.literal.size();
    for (size_t at = dense.literalBegin; isFloat && at < end;) {
      if (text_[at] == '"')
        break;
      if (!llvm::isDigit(text_[at])) {
        ++at;
        continue;
      }
      size_t stop = at;
      bool isInteger = true;
      while (stop < end &&
             (llvm::isAlnum(text_[stop]) || text_[stop] == '.' ||
              ((text_[stop] == '-' || text_[stop] == '+') && (text_[stop - 1] == 'e' || text_[stop - 1] == 'E'))))
        isInteger &= llvm::isDigit(text_[stop++]) != 0;
      if (isInteger)
        replace(at, stop, text_.slice(at, stop).str() + ".0");
      at = stop;
    }
    pos_ = std::max(pos_, end);
  }

  // The length of the dimensions in front of an element type: 4 for `2x3xf32`.
  static size_t shapeLength(StringRef shape) {
    size_t length = 0;
    while (true) {
      size_t digits = shape.find_first_not_of("0123456789?", length);
      if (digits == StringRef::npos || digits == length || shape[digits] != 'x')
        return length;
      length = digits + 1;
    }
  }

  StringRef text_;
  std::string out_;
  // Parentheses to put around function results, by position.
  llvm::SmallVector<std::pair<size_t, char>, 2> insertions_;
  size_t pos_ = 0, copied_ = 0;
  bool changed_ = false;
};

} // namespace

// Whether an affine map or set, which no program needs, is long: MLIR nests its terms without brackets.
static bool isLongAffine(StringRef text) {
  constexpr size_t kMaxLength = 2000;
  if (!text.starts_with("affine_map<") && !text.starts_with("affine_set<"))
    return false;
  int depth = 0;
  for (size_t at = 0; at < std::min(text.size(), kMaxLength); ++at) {
    if (text.substr(at).starts_with("->") || text.substr(at).starts_with(">=") || text.substr(at).starts_with("<="))
      ++at;
    else if (text[at] == '<')
      ++depth;
    else if (text[at] == '>' && --depth == 0)
      return false;
  }
  return text.size() > kMaxLength;
}

// Whether the text is `array<` and an element type that is, or may be a name for, index.
static bool isIndexArray(StringRef text) {
  if (!text.consume_front("array<"))
    return false;
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.drop_until([](char c) { return c == '\n'; });
  return text.starts_with("index") || text.starts_with("!");
}

std::optional<Hazard> findHazard(StringRef text) {
  constexpr int kMaxDepth = 400;
  constexpr StringRef kTooDeep = "brackets or terms nest too deep";
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    StringRef rest = text.substr(at);
    switch (text[at]) {
    case 'a':
      if (isLongAffine(rest))
        return Hazard{kTooDeep, rest};
      if (isIndexArray(rest))
        return Hazard{"the elements of an array must be integers, booleans or floating-point numbers", rest};
      break;
    case '"':
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
        at += text[at] == '\\';
      break;
    case '/':
      if (rest.starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > kMaxDepth)
        return Hazard{kTooDeep, rest};
      break;
    case ')':
    case ']':
    case '}':
      --depth;
      break;
    case '>':
      depth -= at == 0 || text[at - 1] != '-';
      break;
    default:
      break;
    }
    depth = std::max(depth, 0);
  }
  return std::nullopt;
}

std::optional<std::string> modernizeText(StringRef text) { return Modernizer(text).run(); }

} // namespace tenon::frontend

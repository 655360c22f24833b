// Shapes as text.
#include "tenon/literal/primitive_type.h"
#include "tenon/shape.h"

#include <charconv>
#include <utility>

namespace tenon::xla_2017 {
namespace {

constexpr std::pair<PaddingValue, tensorflow::StringPiece> kPaddingNames[] = {
    {ONE_PAD, "one"}, {LOWEST_PAD, "lowest"}, {HIGHEST_PAD, "highest"}, {UNKNOWN_PAD, "unknown"}};

template <typename Numbers> std::string list(const Numbers &numbers) {
  std::string text;
  for (int64 number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

void print(const Shape &shape, bool layouts, std::string &text) {
  if (ShapeUtil::IsTuple(shape)) {
    text += '(';
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      text += i ? ", " : "";
      print(shape.tuple_shapes(i), layouts, text);
    }
    text += ')';
    return;
  }
  text += PrimitiveTypeName(shape.element_type()) + "[" + list(shape.dimensions()) + "]";
  if (layouts && shape.dimensions_size() != 0)
    text += LayoutUtil::HumanString(LayoutUtil::LayoutOf(shape));
}

class Parser {
public:
  explicit Parser(tensorflow::StringPiece text) : text_(text), rest_(text) {}

  StatusOr<Shape> parse() {
    Shape shape;
    if (!parseShape(shape, 0) || (skipSpace(), !rest_.empty()))
      return tenon::invalidArgument("not a shape, from character " + std::to_string(text_.size() - rest_.size()) +
                                    " on: '" + std::string(text_) + "'");
    TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
    return shape;
  }

private:
  void skipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }

  bool consume(tensorflow::StringPiece token) {
    skipSpace();
    if (!rest_.starts_with(token))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  tensorflow::StringPiece word() {
    skipSpace();
    size_t size = std::min(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), rest_.size());
    tensorflow::StringPiece word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  // Numbers and commas, then `end`.
  template <typename Add> bool numbers(tensorflow::StringPiece end, Add add) {
    if (consume(end))
      return true;
    do {
      skipSpace();
      int64 number;
      auto [after, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc() || number < 0)
        return false;
      rest_.remove_prefix(static_cast<size_t>(after - rest_.data()));
      add(number);
    } while (consume(","));
    return consume(end);
  }

  bool parseShape(Shape &shape, int64 depth) {
    if (!consume("("))
      return parseArray(shape);
    shape.set_element_type(TUPLE);
    if (depth > ShapeUtil::kMaxTupleDepth)
      return false;
    if (consume(")"))
      return true;
    do {
      if (!parseShape(*shape.add_tuple_shapes(), depth + 1))
        return false;
    } while (consume(","));
    return consume(")");
  }

  bool parseArray(Shape &shape) {
    auto type = ParsePrimitiveType(word());
    if (!type.ok() || *type == TUPLE || !consume("["))
      return false;
    shape.set_element_type(*type);
    if (!numbers("]", [&](int64 size) { shape.add_dimensions(size); }))
      return false;
    if (!ShapeUtil::IsArray(shape))
      return true;
    if (consume("{"))
      return parseLayout(*shape.mutable_layout());
    *shape.mutable_layout() = LayoutUtil::GetDefaultLayout(shape.dimensions_size());
    return true;
  }

  // Parses a layout from behind its opening brace.
  bool parseLayout(Layout &layout) {
    auto add = [&](int64 dimension) { layout.add_minor_to_major(dimension); };
    size_t end = rest_.find_first_of(":}");
    if (end == tensorflow::StringPiece::npos || rest_[end] == '}')
      return numbers("}", add);
    if (!numbers(":", add) || !consume("p(") || !numbers(")", [&](int64 size) { layout.add_padded_dimensions(size); }))
      return false;
    if (!consume("="))
      return consume("}");
    tensorflow::StringPiece name = word();
    for (auto [value, known] : kPaddingNames)
      if (name == known) {
        layout.set_padding_value(value);
        return consume("}");
      }
    return false;
  }

  tensorflow::StringPiece text_, rest_;
};

} // namespace

std::string ShapeUtil::HumanString(const Shape &shape) {
  std::string text;
  print(shape, /*layouts=*/false, text);
  return text;
}

std::string ShapeUtil::HumanStringWithLayout(const Shape &shape) {
  std::string text;
  print(shape, /*layouts=*/true, text);
  return text;
}

StatusOr<Shape> ShapeUtil::ParseShapeString(tensorflow::StringPiece text) { return Parser(text).parse(); }

std::string LayoutUtil::HumanString(const Layout &layout) {
  std::string text = "{" + list(layout.minor_to_major());
  if (layout.padded_dimensions_size() != 0) {
    text += ":p(" + list(layout.padded_dimensions()) + ")";
    for (auto [value, name] : kPaddingNames)
      if (layout.has_padding_value() && layout.padding_value() == value)
        text += "=" + std::string(name);
  }
  return text + "}";
}

} // namespace tenon::xla_2017

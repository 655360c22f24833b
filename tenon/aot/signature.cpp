#include "tenon/aot/signature.h"

#include "tenon/aot/package.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>

namespace tenon::aot {

namespace {

// A word of C or C++, or a macro that is there before or by the headers that ours includes.
bool isReserved(const std::string &word) {
  static const std::set<std::string> words = [] {
    std::istringstream text(
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
        "char32_t class compl concept const const_cast consteval constexpr constinit continue co_await "
        "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern "
        "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
        "operator or or_eq private protected public register reinterpret_cast requires restrict return short "
        "signed sizeof static static_assert static_cast struct switch template this thread_local throw true "
        "try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t "
        "while xor xor_eq _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn "
        "_Static_assert _Thread_local NULL offsetof linux unix i386 ");
    return std::set<std::string>(std::istream_iterator<std::string>(text), {});
  }();
  return words.contains(word);
}

// Names that frameworks give: "params['layer']['bias']", "result['logits']", "result[0]", "result" or "" for the only
// one.
std::string fieldName(const std::string &given, const char *kind, size_t index, std::set<std::string> &taken) {
  std::string_view text = given;
  std::string_view noise = "result['";
  if (text.starts_with(noise))
    text.remove_prefix(noise.size());
  std::string name = text.empty() || text == "result" ? "" : identifierFor(text);
  if (name.empty() || name == "_")
    name = kind + std::to_string(index);
  if (isReserved(name))
    name += '_';
  if (!taken.insert(name).second) {
    name += "_" + std::to_string(index);
    while (!taken.insert(name).second)
      name += '_';
  }
  return name;
}

std::string inCase(std::string text, int (*change)(int)) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [change](unsigned char c) { return static_cast<char>(change(c)); });
  return text;
}

// "f32[2,3]", "f32[2,3]{0,1}", "f32[2,3]{0,1} in f32[4,3]".
std::string arrayText(const Field &field) {
  if (!field.stored)
    return field.shape->toString();
  std::string text = program::Shape{field.shape->type, field.stored->dims}.toString() + "{";
  for (size_t i = 0; i < field.stored->minorToMajor.size(); ++i)
    text += (i ? "," : "") + std::to_string(field.stored->minorToMajor[i]);
  text += "}";
  if (field.paddedDims() != field.stored->dims)
    text += " in " + program::Shape{field.shape->type, field.paddedDims()}.toString();
  return text;
}

template <typename T>
std::vector<Field> describe(const std::vector<T> &values, const char *kind, const std::string &model) {
  std::vector<Field> fields;
  std::set<std::string> taken;
  for (size_t i = 0; i < values.size(); ++i) {
    Field field;
    field.index = i;
    field.shape = &values[i].shape;
    if (!values[i].stored.minorToMajor.empty())
      field.stored = &values[i].stored;
    field.name = fieldName(values[i].name, kind, i, taken);
    field.macro = macroPrefix(model) + "_" + inCase(std::string(kind) + "_" + field.name, std::toupper);
    field.type = cType(field.shape->type);
    field.describe = std::string(kind) + " " + std::to_string(i) + ": " + arrayText(field);
    if (!values[i].name.empty())
      field.describe += ", " + commentText(values[i].name);
    if (std::string note = typeNote(field.shape->type); !note.empty())
      field.describe += "; " + note;
    fields.push_back(std::move(field));
  }
  return fields;
}

} // namespace

// The memory's sizes are those of the dimensions from the most major on.
std::vector<int64_t> Field::paddedDims() const {
  std::vector<int64_t> padded(shape->dims.size());
  for (size_t place = 0; place < padded.size(); ++place)
    padded[static_cast<size_t>(stored->minorToMajor[padded.size() - 1 - place])] = shape->dims[place];
  return padded;
}

std::vector<int64_t> Field::strides() const { return denseStrides(paddedDims(), stored->minorToMajor); }

std::string identifierFor(std::string_view text) {
  std::string name;
  for (char c : text) {
    bool fits = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (fits)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.size() > 1 && name.back() == '_')
    name.pop_back();
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    name.insert(0, "_");
  return name;
}

Signature describeSignature(const program::Program &program, const std::string &model,
                            const std::vector<int64_t> &bound) {
  Signature signature{describe(program.arguments, "argument", model), describe(program.results, "result", model)};
  if (!bound.empty())
    std::erase_if(signature.arguments, [&](const Field &field) { return bound[field.index] >= 0; });
  return signature;
}

const char *cType(ElementType type) {
  static constexpr const char *kSigned[] = {"int8_t", "int16_t", "int32_t", "int64_t"};
  static constexpr const char *kUnsigned[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  const auto size = static_cast<unsigned>(byteSize(type));
  switch (kindOf(type)) {
  case ElementKind::kSigned:
    return kSigned[std::countr_zero(size)];
  case ElementKind::kFloat:
    if (size >= 4)
      return size == 4 ? "float" : "double";
    [[fallthrough]]; // C has no type for small floats, so their codes are passed
  case ElementKind::kBool:
  case ElementKind::kUnsigned:
    return kUnsigned[std::countr_zero(size)];
  case ElementKind::kComplex:
    return size == 8 ? "TenonComplex64" : "TenonComplex128";
  case ElementKind::kNone:
    break;
  }
  return "void";
}

std::string typeNote(ElementType type) {
  if (type == ElementType::kI1)
    return "0 or 1";
  if (type == ElementType::kBF16)
    return "the bits of a bfloat16";
  if (type == ElementType::kF16)
    return "the bits of an IEEE binary16";
  if (type == ElementType::kToken)
    return "a token: pass a null pointer";
  if (isFloat(type) && bitWidth(type) <= 8)
    return std::string("the bits of an ") + elementTypeName(type) + ", one element a byte";
  return isSubByteNumber(type) ? "one element a byte" : "";
}

std::string commentText(std::string_view text) {
  std::string result;
  for (char c : text) {
    bool ends = c == '/' && !result.empty() && result.back() == '*';
    bool begins = c == '*' && !result.empty() && result.back() == '/';
    if (ends || begins)
      result += ' ';
    result += static_cast<unsigned char>(c) < ' ' || c == '\\' ? ' ' : c;
  }
  return result;
}

std::string macroPrefix(const std::string &model) {
  bool hasUpper = std::any_of(model.begin(), model.end(), [](unsigned char c) { return std::isupper(c); });
  bool hasLower = std::any_of(model.begin(), model.end(), [](unsigned char c) { return std::islower(c); });
  if (hasUpper && hasLower)
    return model;
  return hasUpper ? inCase(model, std::tolower) : inCase(model, std::toupper);
}

} // namespace tenon::aot

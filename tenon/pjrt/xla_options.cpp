#include "tenon/pjrt/xla_options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace tenon::pjrt {
namespace {

struct XlaOption {
  std::string_view name, type;
  std::string_view enumeration = {};
  bool isList = false;
};

// In the order of names.
constexpr XlaOption kOptions[] = {
#define XLA_OPTION(name, type) {#name, #type},
#define XLA_ENUM_OPTION(name, enumeration) {#name, "enum", #enumeration},
#define XLA_ENUM_LIST_OPTION(name, enumeration) {#name, "enum", #enumeration, true},
#include "tenon/pjrt/xla_options.def"
};

struct EnumValue {
  std::string_view enumeration, name;
};

constexpr EnumValue kEnumValues[] = {
#define XLA_ENUM_VALUE(enumeration, name) {#enumeration, #name},
#include "tenon/pjrt/xla_options.def"
};

const XlaOption *find(std::string_view name) {
  static_assert(std::ranges::is_sorted(kOptions, {}, &XlaOption::name));
  const XlaOption *found = std::ranges::lower_bound(kOptions, name, {}, &XlaOption::name);
  return found != std::end(kOptions) && found->name == name ? found : nullptr;
}

std::string text(const backend::OptionValue &value) {
  if (auto *string = std::get_if<std::string>(&value))
    return *string;
  if (auto *boolean = std::get_if<bool>(&value))
    return *boolean ? "1" : "0";
  if (auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  std::ostringstream number;
  number << std::get<double>(value);
  return number.str();
}

// Spaces may be around a number.
template <typename T> bool isNumber(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  T number;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool isEnumValue(const XlaOption &option, std::string_view text) {
  return isNumber<int32_t>(text) || std::ranges::any_of(kEnumValues, [&](const EnumValue &value) {
           return value.enumeration == option.enumeration && value.name == text;
         });
}

// The first of the values that is none; null where all are.
std::optional<std::string_view> wrongEnumValue(const XlaOption &option, std::string_view text) {
  if (!option.isList)
    return isEnumValue(option, text) ? std::nullopt : std::optional(text);
  for (bool isLast = text.empty(); !isLast;) {
    size_t comma = text.find(',');
    isLast = comma == std::string_view::npos;
    std::string_view first = text.substr(0, comma);
    if (!isEnumValue(option, first))
      return first;
    text.remove_prefix(isLast ? text.size() : comma + 1);
  }
  return std::nullopt;
}

bool isOfType(std::string_view type, const std::string &text) {
  if (type == "bool")
    return text == "True" || text == "False";
  if (type == "int32")
    return isNumber<int32_t>(text);
  if (type == "int64")
    return isNumber<int64_t>(text);
  if (type == "float")
    return isNumber<double>(text);
  return type == "string";
}
bool isOfType(std::string_view type, bool) { return type == "bool"; }
bool isOfType(std::string_view type, double) { return type == "float"; }
bool isOfType(std::string_view type, int64_t number) {
  return type == "int64" || type == "enum" || (type == "int32" && std::in_range<int32_t>(number));
}

} // namespace

bool isXlaOption(std::string_view name) { return find(name) != nullptr; }

Status checkXlaOption(std::string_view name, const backend::OptionValue &value) {
  const XlaOption &option = *find(name);
  auto wrong = [&](std::string_view text) {
    return invalidArgument("While setting option " + std::string(name) + ", '" + std::string(text) +
                           "' is not a valid " + std::string(option.type) + " value.");
  };
  if (auto *string = std::get_if<std::string>(&value); string && option.type == "enum") {
    std::optional<std::string_view> first = wrongEnumValue(option, *string);
    return first ? wrong(*first) : Status();
  }
  bool isRight = std::visit([&](const auto &given) { return isOfType(option.type, given); }, value);
  return isRight ? Status() : wrong(text(value));
}

} // namespace tenon::pjrt

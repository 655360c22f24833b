#include "tenon/program/attributes.h"

#include <algorithm>

namespace tenon::program {
namespace {

Status wrongKind(std::string_view name, const char *expected, bool missing) {
  return invalidArgument("attribute '" + std::string(name) + "' " +
                         (missing ? "is missing" : "is not " + std::string(expected)));
}

} // namespace

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
  TENON_ASSIGN_OR_RETURN(int64_t value, integerAttribute(dict, name));
  return value != 0;
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

void addAttribute(AttributeDict &dict, NamedAttribute attribute) {
  auto place = std::ranges::find_if(dict, [&](const NamedAttribute &other) { return other.name > attribute.name; });
  dict.insert(place, std::move(attribute));
}

} // namespace tenon::program

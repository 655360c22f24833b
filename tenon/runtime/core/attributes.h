// The attributes of a service: MLIR's textual dictionary ("{axis = 1 : i64, uplo = 76 : ui8}") as values.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::runtime {

struct Attribute;

struct NamedAttribute;
using AttributeDict = std::vector<NamedAttribute>; // in textual order

// Scalars keep their MLIR type's name ("i64", "ui8", "f32", "i1", "index"); integers are stored sign-extended if
// signless or signed, zero-extended if unsigned.
struct IntegerAttribute {
  std::string type;
  int64_t value = 0;
};
struct FloatAttribute {
  std::string type;
  double value = 0;
};
// array<i64: 1, 2> or dense<...> : tensor<...xi64>.
struct IntegerArrayAttribute {
  std::string type;
  std::vector<int64_t> values;
};
struct FloatArrayAttribute {
  std::string type;
  std::vector<double> values;
};

// Anything else, as its text: types, symbols, other dialects' attributes.
struct OpaqueAttribute {
  std::string text;
};

struct Attribute {
  std::variant<std::monostate /* unit */, bool, IntegerAttribute, FloatAttribute, std::string, IntegerArrayAttribute,
               FloatArrayAttribute, std::vector<Attribute>, AttributeDict, OpaqueAttribute>
      value;
};
struct NamedAttribute {
  std::string name;
  Attribute value;
};

// Empty text gives an empty dictionary.
StatusOr<AttributeDict> parseAttributes(std::string_view text);

const Attribute *findAttribute(const AttributeDict &dict, std::string_view name);
// INVALID_ARGUMENT if missing or of another kind. Integers of any width and booleans convert to int64_t.
StatusOr<int64_t> integerAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<bool> booleanAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<std::string> stringAttribute(const AttributeDict &dict, std::string_view name);
StatusOr<std::vector<int64_t>> integerArrayAttribute(const AttributeDict &dict, std::string_view name);

// The dictionary that a custom call with these attributes has as its backend_config. INVALID_ARGUMENT: it has none.
StatusOr<AttributeDict> backendConfig(std::string_view attributes);

} // namespace tenon::runtime

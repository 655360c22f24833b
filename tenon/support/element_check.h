// The checks of programs that test themselves: custom calls of two arrays, what was computed and what is expected.
//
//   check.expect_eq         equal; of floats by value: -0 is +0, and any NaN is any NaN
//   check.expect_almost_eq  floats within an absolute or relative `tolerance` (1e-4), infinities and NaN equal
//   check.eq                the same
//   check.expect_close      floats from `min_ulp_difference` (0) to `max_ulp_difference` (3) units in the last place
//   apart
//
// Parts of complex numbers count for themselves, the further one in units in the last place. Whatever is no float has
// to be equal. The interpreter and the runtime both ask here.
#pragma once

#include "tenon/status.h"
#include "tenon/support/element_type.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tenon {

struct ElementCheck {
  enum class Kind : uint8_t { Equal, AlmostEqual, Close };
  Kind kind = Kind::Equal;
  double tolerance = 1e-4;
  uint64_t minUlps = 0, maxUlps = 3;
};

// An attribute of a call. Integers below zero are of no kind that a check knows.
struct CheckAttribute {
  std::string name;
  std::variant<std::monostate, uint64_t, double> value;
};

// The kind of check that a custom call target stands for.
std::optional<ElementCheck::Kind> checkNamed(std::string_view target);

// Whether some check has an attribute of this name.
bool isCheckAttribute(std::string_view name);

// INVALID_ARGUMENT, without the target's name, if an attribute is none of the check's, or has no such value.
StatusOr<ElementCheck> makeElementCheck(ElementCheck::Kind kind, std::span<const CheckAttribute> attributes);

// Compares two dense row-major arrays.
// INVALID_ARGUMENT if the check fails: it says the first element that differs, how, and how many do.
Status compareElements(const ElementCheck &check, ElementType type, std::span<const int64_t> dims, const void *actual,
                       const void *expected);

} // namespace tenon

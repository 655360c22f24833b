// Layouts as frameworks name them.
#pragma once

#include "tenon/support/element_type.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::ir {

/// The layout of an argument or result of main in the caller's memory: "default" and "auto" leave the choice to the
/// compiler, anything else is XLA's notation.
inline constexpr llvm::StringLiteral kLayoutModeAttribute = "mhlo.layout_mode";
inline bool isOpenLayoutMode(llvm::StringRef mode) { return mode == "default" || mode == "auto"; }

/// The order of dimensions, minor to major, of a layout in XLA's notation: "{0,1}". The size of elements that are
/// narrower than a byte may stand behind ("{0,1:E(4)}"); their memory is that of other elements. None if it is no list
/// of numbers, which need not be an order of dimensions.
std::optional<std::vector<int64_t>> parseLayout(llvm::StringRef text, ElementType type);

} // namespace tenon::ir

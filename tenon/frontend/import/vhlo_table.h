// The operations of the VHLO dialect, as data.
//
// VHLO is the serialisation dialect of portable artifacts: each StableHLO operation, frozen under a name that ends in a
// version (`add_v1`). It has no semantics of its own, so Tenon has no C++ classes for its operations: a row of this
// table says since when there is one, how its attributes are laid out in the file and what they are in StableHLO.
// Reading (vhlo_convert.h) and writing (export/vhlo_spell.h) both follow it.
#pragma once

#include "tenon/frontend/import/vhlo_version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::frontend {

// How an attribute is converted to StableHLO. Export does the inverse.
enum class VhloRule : uint8_t {
  kKeep,
  kI64Array,   // tensor of si64 -> array<i64>
  kBoolArray,  // tensor of i1 -> array<i1>
  kFlag,       // true -> unit, false -> absent
  kSymbol,     // string -> symbol
  kSymbols,    // array of strings -> array of symbols
  kChannelId,  // si64 -> channel_handle of type 0
  kApiVersion, // kept, but not written as the integer that it is in StableHLO
  kGrouped,    // one field of a structured attribute that the operation's VhloGroup builds
};

// The value that StableHLO leaves out. VHLO has no optional attributes: every default is written down.
enum class VhloDefault : uint8_t {
  kNone,
  kFalse,
  kZero,     // integer 0
  kMinusOne, // integer -1
  kEmptyArray,
  kEmptyDictionary,
  kEmptyString,
  kEmptyTensor,
  kEmptyConfig,   // of a custom call: a dictionary for the typed FFI, else a string
  kNoneType,      // the type `none`
  kAllZeros,      // tensor
  kAllOnes,       // tensor
  kAllFalse,      // tensor
  kPrecision,     // array of DEFAULT
  kAccuracy,      // DEFAULT with zero tolerances
  kOriginalApi,   // custom call API version 1
  kNoCompareType, // decided by the element type
};

// Structured attributes that VHLO keeps as separate fields.
enum class VhloGroup : uint8_t {
  kNone,
  kConvolution,               // dimension_numbers
  kDot,                       // dot_dimension_numbers, algorithm
  kGather,                    // dimension_numbers
  kScatter,                   // scatter_dimension_numbers
  kChannel,                   // channel_handle with its type
  kLayouts,                   // operand_layouts and result_layouts, absent when both are empty
  kDynamicConvolutionPadding, // dynamic_conv_v1: the padding attribute must be trivial
};

struct VhloAttribute {
  llvm::StringRef name;
  VhloRule rule = VhloRule::kKeep;
  VhloDefault defaultValue = VhloDefault::kNone;
};

struct VhloOp {
  llvm::StringRef name;   // without the dialect: "add_v1"
  VhloVersion since;      // the first version with it
  llvm::StringRef target; // full name: "stablehlo.add"; empty for vhlo.return, which depends on the parent
  VhloGroup group = VhloGroup::kNone;
  // The attributes in the order of the file, which is alphabetical.
  llvm::SmallVector<VhloAttribute, 4> attributes;
};

// Every operation of VHLO 0.9.0 to 1.20.0, in all its versions.
llvm::ArrayRef<VhloOp> vhloOps();

// The row for `name` (without the dialect), or null.
const VhloOp *findVhloOp(llvm::StringRef name);

// The rows of one operation, oldest first, by its name in StableHLO or func without the dialect: "add".
llvm::ArrayRef<const VhloOp *> vhloRows(llvm::StringRef base);

} // namespace tenon::frontend

// What values may be beside plain arrays, and which ops take them, by themselves and two at a time
// (crossing_table.cpp).
//
// An op that a program has may get a twin: the same op on operands that leave sizes open, or are quantized. What it
// gives is an ordinary value again.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <set>
#include <string>
#include <vector>

namespace tenon::fuzz {

class Generator;

enum class Trait : uint8_t {
  kDynamic,   // D: a size that the type leaves open
  kBounded,   // B: a size that only the run knows, up to a bound
  kQuantized, // Q
  kComplex,   // C
  kSubByte,   // S: elements of less than a byte, but for booleans
  kSharded,   // H: of a process of several, or of one device's part
};
constexpr int kTraits = 6;
constexpr llvm::StringLiteral kTraitLetters = "DBQCSH";

// A set of traits, by their numbers.
class Traits {
public:
  void add(Trait trait) { bits_ |= 1u << static_cast<int>(trait); }
  bool has(Trait trait) const { return bits_ >> static_cast<int>(trait) & 1; }
  Traits &operator|=(Traits other) {
    bits_ |= other.bits_;
    return *this;
  }

private:
  unsigned bits_ = 0;
};

// The traits of the op's operands and results together, and of where it stands.
Traits traitsOf(mlir::Operation *op);

// What the op takes: one row of the table for each op that programs are made of.
struct CrossingRow {
  const char *op;
  const char *letters;      // the traits
  const char *without = ""; // pairs of them that it does not take, as "BQ CS"

  bool takes(Trait trait) const;
  bool takes(Trait first, Trait second) const;
};
llvm::ArrayRef<CrossingRow> crossingTable();
// Null for an op without a row.
const CrossingRow *crossingRow(llvm::StringRef op);

// Which pairs of traits were drawn for which ops.
class CrossingCoverage {
public:
  void add(mlir::ModuleOp module);
  bool has(llvm::StringRef op, Trait first, Trait second) const;
  // "stablehlo.add DB", for each pair that the table has.
  std::vector<std::string> missing() const;
  std::vector<std::string> missing(const CrossingRow &row) const;
  // Those that were drawn, though the table does not have them.
  std::vector<std::string> beyondTable() const;

private:
  std::set<std::string> drawn_; // "stablehlo.add DB"
};

// What programs that begin with each op cover, of seeds from `seed` on: until its pairs have all been drawn, but at
// most `count`.
CrossingCoverage drawCoverage(uint64_t seed, uint64_t count);

// Emits a twin of an op that has just been emitted, if the table lets it have one.
void emitTwin(Generator &g, mlir::Operation *op);

// The elements of a value, which leaves sizes open or is quantized; null if that cannot be. The op that takes it, as
// the table says.
mlir::Value specialForm(Generator &g, mlir::Value x, llvm::StringRef op);
// Emits what makes an ordinary value of such a one, which had this type before.
void closeSpecial(Generator &g, mlir::Value value, mlir::RankedTensorType before);
// Another one of the same type.
mlir::Value nextSpecial(Generator &g, mlir::Value value);

} // namespace tenon::fuzz

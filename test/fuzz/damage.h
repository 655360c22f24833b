// Damaged programs: what a program of the generator becomes when a few things of it are changed at random. Most are
// wrong, and have to be refused; those that are accepted have to run as any other.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <random>
#include <string>

namespace tenon::fuzz {

// The module's generic text with one to three changes, the same for a seed: of types (a size, the rank, the element
// type), attributes (numbers, lists, enums; left out or added), operands (another value, dropped, twice), regions
// (their arguments, exchanged, empty), the name of an op, or the kind of an attribute or of an element inside one.
// Sometimes the types that follow from what was changed follow it, so that more is accepted.
std::string damagedText(mlir::ModuleOp module, uint64_t seed);

// `text` of an attribute or type, changed in one place: a number, a word (of an enum, an element type), a list.
std::string damagedNotation(llvm::StringRef text, std::mt19937_64 &random);

// A number to stand for `number`: a neighbour, 0, -1, an extreme.
int64_t otherNumber(int64_t number, std::mt19937_64 &random);

} // namespace tenon::fuzz

// Programs that are wrong in kind: an attribute, an element inside one, or a type is of a kind that has no business
// there. Damage changes numbers and words at random; here every place of an op gets every kind.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <random>
#include <string>
#include <vector>

namespace tenon::fuzz {

// For each op at the top of a function: a module whose main is that op alone, with what it cannot do without, as the
// functions that it names and the tokens that it takes. Its operands that are tensors are main's arguments, its results
// that are tensors are main's. The op has the attribute `fuzz.marked`. `module` is one that verifies.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>> alone(mlir::ModuleOp module);

// A program in generic form, and what was done to it.
struct Wrong {
  std::string text, what;
};

// Calls `take` with the module (one that `alone` made) wrong in one place of the marked op: each attribute, present or
// absent, as a property and as one of the older form beside the operands, and each element inside of it, is of each
// other kind; each type of a result, operand or region's argument likewise; there is a result or an operand more or
// less.
void forEachWrongKind(mlir::ModuleOp module, llvm::function_ref<void(const Wrong &)> take);

// How the attribute would be written if it, or an element inside, were of another kind.
std::string otherKind(mlir::Attribute attribute, std::mt19937_64 &random);

// The same program, read as text, in bytecode that does not check kinds either. Empty when the text cannot be read.
std::string uncheckedBytecode(llvm::StringRef genericText);

} // namespace tenon::fuzz

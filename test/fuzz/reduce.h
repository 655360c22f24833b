// Makes a program that shows a failure as small as it can.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace tenon::fuzz {

// Whether a program still fails, as far as the caller cares. Called with valid programs only.
using StillFails = std::function<bool(const std::string &program)>;

// Drops results and ops, puts arguments and constants in the place of values, opens control flow, shrinks dimensions,
// as long as the program fails and for at most `seconds`. Arguments keep their values: each gets the attribute
// fuzz.input, the position it had, from which makeArguments knows its values; small ones become constants.
std::string reduceProgram(const std::string &program, uint64_t seed, const StillFails &stillFails, double seconds);

// Gives a function the types of its arguments and results, when it has a body.
void updateType(mlir::func::FuncOp function);

// Puts zeros in the place of the result, a tensor of static shape.
void replaceByZeros(mlir::OpResult result);

// Erases ops whose results nothing uses, and functions that nothing calls.
void eraseDeadOps(mlir::ModuleOp module);

} // namespace tenon::fuzz

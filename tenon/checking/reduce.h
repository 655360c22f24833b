// Makes a program that shows a failure as small as it can.
#pragma once

#include "tenon/interpreter/tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace tenon::checking {

// An argument of main with this attribute stands for the input of the number that it says, the others for that of their
// position: reducing moves arguments, and their values are not to change.
constexpr llvm::StringLiteral kInputAttribute = "tenon.input";
uint64_t inputOf(mlir::func::FuncOp main, unsigned argument);

// The values of an input, in a type that may have shrunk.
using MakeInput = std::function<interpreter::Tensor(mlir::RankedTensorType type, uint64_t number)>;

// Whether a program still fails, as far as the caller cares. Called with valid programs only.
using StillFails = std::function<bool(const std::string &program)>;

// Drops results and ops, puts arguments and constants in the place of values, opens control flow, shrinks dimensions,
// as long as the program fails and for at most `seconds`. Arguments get kInputAttribute; small ones become constants,
// of the values that `makeInput` gives them.
std::string reduceProgram(const std::string &program, const MakeInput &makeInput, const StillFails &stillFails,
                          double seconds);

// Gives a function the types of its arguments and results, when it has a body.
void updateType(mlir::func::FuncOp function);

// Puts zeros in the place of the result, a tensor of static shape.
void replaceByZeros(mlir::OpResult result);

// Erases ops whose results nothing uses, and functions that nothing calls.
void eraseDeadOps(mlir::ModuleOp module);

} // namespace tenon::checking

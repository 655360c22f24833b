// What a program should compute: the interpreter's results, and how far from them a correct result may lie.
//
// The bounds come from running the interpreter again with noise. Each op that may round differently gets its operands
// (of a sum) or results (of a function) moved by a few units in the last place; how far the program's results then
// move is how far rounding moves them, whatever the program makes of it. A few such runs bound most programs; where a
// result is outside of their bounds, many more have the last word. Values that AgreementAnalysis calls exact have
// no such bounds: they must agree to the bit, but for the payload and sign of NaN.
#pragma once

#include "test/fuzz/agreement.h"

#include "tenon/interpreter/interpreter.h"

#include <optional>

namespace tenon::fuzz {

// Arguments of main: for each one of several kinds of values, special ones included, by seed and position. An argument
// with this attribute has the values of the position that it says. The processes of a grid have other values of the
// same sizes.
constexpr llvm::StringLiteral kInputAttribute = "fuzz.input";
std::vector<interpreter::Value> makeArguments(mlir::ModuleOp module, uint64_t seed, int64_t process = 0);
// Those of each process that runs main.
std::vector<std::vector<interpreter::Value>> makeAllArguments(mlir::ModuleOp module, uint64_t seed);

class Expectation {
public:
  // Interprets main, on each process that runs it; the results of the first come first. kDeadlineExceeded, kCancelled
  // and kResourceExhausted: it takes too long or too much memory. Without `foldsAreAssociative` nothing is said about
  // the results of folds that are not seen to be, which depend on the order. The module must outlive the expectation.
  static StatusOr<Expectation> create(mlir::ModuleOp module, llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
                                      bool foldsAreAssociative = true);

  // What is wrong with a result, given as bytes; nothing when it is right.
  std::optional<std::string> check(unsigned result, llvm::ArrayRef<uint8_t> actual);

  Agreement agreement(unsigned result) const { return agreements_[result]; }

private:
  Expectation(mlir::ModuleOp module, llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
              llvm::DenseSet<mlir::Operation *> open)
      : module_(module), arguments_(arguments.begin(), arguments.end()), analysis_(module, std::move(open)) {}

  // Widens the bounds by noisy runs, up to this many in all.
  Status runNoisily(int runs);
  std::optional<std::string> firstWrong(unsigned result, const interpreter::Tensor &actual) const;
  std::string nameOf(unsigned result) const;
  bool isRight(unsigned result, const interpreter::Tensor &actual, int64_t position, bool imaginary) const;

  mlir::ModuleOp module_;
  std::vector<std::vector<interpreter::Value>> arguments_; // by process
  AgreementAnalysis analysis_;
  int noisyRuns_ = 0;
  std::vector<interpreter::Tensor> expected_;
  std::vector<Agreement> agreements_;
  // For each rounded result and each of its elements (of complex values, each part), how far noise moves it, and it and
  // its neighbours; empty for others.
  std::vector<std::vector<double>> distances_, spreads_;
};

} // namespace tenon::fuzz

// What a program should compute: the interpreter's results, and how far from them a correct result may lie.
//
// The bounds come from running the interpreter again with noise. Each op that may round differently gets its operands
// (of a sum) or results (of a function) moved by a few units in the last place; how far the program's results then
// move is how far rounding moves them, whatever the program makes of it. A few such runs bound most programs; where a
// result is outside of their bounds, many more have the last word. Values that AgreementAnalysis calls exact have
// no such bounds: they must agree to the bit, but for the payload and sign of NaN.
#pragma once

#include "tenon/checking/agreement.h"
#include "tenon/checking/interpret_all.h"

#include <optional>

namespace tenon::checking {

struct ExpectationOptions {
  // Otherwise nothing is said about the results of folds that are not seen to be, which depend on the order.
  bool foldsAreAssociative = true;
  // What a jump makes of a rounded value gets bounds as well, from how far noise moves it: right for nearly all
  // elements, where kOpen says nothing of any.
  bool boundsOpen = false;
  Limits limits = {};
};

class Expectation {
public:
  // Interprets main, on each process that runs it; the results of the first come first. kDeadlineExceeded, kCancelled
  // and kResourceExhausted: it takes too long or too much memory. The module must outlive the expectation.
  static StatusOr<Expectation> create(mlir::ModuleOp module, llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
                                      const ExpectationOptions &options = {});

  // What is wrong with a result, given as bytes; nothing when it is right.
  std::optional<std::string> check(unsigned result, llvm::ArrayRef<uint8_t> actual);

  // What is expected, without bounds.
  llvm::ArrayRef<interpreter::Tensor> results() const { return expected_; }
  Agreement agreement(unsigned result) const { return agreements_[result]; }

private:
  Expectation(mlir::ModuleOp module, llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
              llvm::DenseSet<mlir::Operation *> open, const ExpectationOptions &options)
      : module_(module), options_(options), arguments_(arguments.begin(), arguments.end()),
        analysis_(module, std::move(open)) {}

  // Widens the bounds by noisy runs, up to this many in all.
  Status runNoisily(int runs);
  std::optional<std::string> firstWrong(unsigned result, const interpreter::Tensor &actual) const;
  std::string nameOf(unsigned result) const;
  bool isRight(unsigned result, const interpreter::Tensor &actual, int64_t position, bool imaginary) const;

  // What is known of a value, as far as the options ask.
  Agreement agreementOf(mlir::Value value) const;

  mlir::ModuleOp module_;
  ExpectationOptions options_;
  std::vector<std::vector<interpreter::Value>> arguments_; // by process
  AgreementAnalysis analysis_;
  int noisyRuns_ = 0;
  std::vector<interpreter::Tensor> expected_;
  std::vector<Agreement> agreements_;
  // For each rounded result and each of its elements (of complex values, each part), how far noise moves it, and it and
  // its neighbours; empty for others.
  std::vector<std::vector<double>> distances_, spreads_;
};

} // namespace tenon::checking

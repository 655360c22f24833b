// Runs functions over arguments and collects errors.
#pragma once

#include "test/accuracy/format.h"
#include "test/accuracy/functions.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tenon::accuracy {

struct Record {
  std::string op, type;
  uint64_t count = 0;
  bool exhaustive = false;
  double maxUlp = 0, meanUlp = 0;
  // The same of the parts of complex results, each in its own ULP.
  double maxPartUlp = 0;
  std::vector<double> argument; // of maxUlp
  // Results of the wrong class (see error.h), and the first arguments that give them.
  uint64_t wrong = 0;
  std::vector<std::vector<double>> wrongArguments;
  // Results that another level of x86-64 gives other bits for.
  uint64_t levelDifferences = 0;
};

struct Effort {
  bool allFloats = false;    // all 2^32, instead of samples
  size_t floatSamples = 0;   // of floats
  size_t exactSamples = 0;   // where every value goes through MPFR: double, functions of two arguments
  size_t complexSamples = 0; // of each kind
  size_t codeStride = 1;     // of types of 16 bits: every how many-th code
  bool allLevels = true;     // of x86-64, instead of the best that this machine has
  unsigned threads = 1;
};

Record measureUnary(const UnaryFunction &function, const Format &format, const Effort &effort);
Record measureBinary(const BinaryFunction &function, const Format &format, const Effort &effort);
Record measureComplex(const ComplexFunction &function, bool isDouble, const Effort &effort);
Record measureComplexBinary(const ComplexBinaryFunction &function, bool isDouble, const Effort &effort);

// --- For the implementation (measure_*.cpp) ---

// One thread's part of a record.
struct Statistics {
  uint64_t count = 0, wrong = 0, levelDifferences = 0;
  double sum = 0, maxUlp = 0, maxPartUlp = 0;
  std::vector<double> argument;
  std::vector<std::vector<double>> wrongArguments;

  void add(double error, std::initializer_list<double> arguments);
  void addTo(Record &record) const;
};

// body(statistics, block) for all blocks, on `threads` threads; progress on standard error if it takes long.
Record measureBlocks(const std::string &op, const std::string &type, size_t blocks, unsigned threads,
                     const std::function<void(Statistics &, size_t)> &body);

} // namespace tenon::accuracy

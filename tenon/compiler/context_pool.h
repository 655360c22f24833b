// MLIR contexts for compilations, each of which has one of its own. A new one with all dialects takes as long to make
// and to take down as a kernel of a few operations takes to compile, so some serve several small programs in turn.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <cstddef>
#include <memory>

namespace tenon::compiler {

// Types, attributes and places stay in a context for as long as it lives. So one serves this many programs, with this
// many bytes of source, and this many idle ones are kept.
constexpr int kProgramsPerContext = 32;
constexpr size_t kSourceBytesPerContext = 128 << 10;
constexpr size_t kIdleContexts = 2;

class ContextLoan {
public:
  // For a program of that many bytes.
  explicit ContextLoan(size_t sourceBytes);
  // Operations and diagnostic handlers of the context are gone by now.
  ~ContextLoan();

  ContextLoan(const ContextLoan &) = delete;
  ContextLoan &operator=(const ContextLoan &) = delete;

  // Single-threaded at first.
  mlir::MLIRContext &operator*() const;

private:
  struct Entry;
  class Pool;

  std::unique_ptr<Entry> entry_;
};

} // namespace tenon::compiler

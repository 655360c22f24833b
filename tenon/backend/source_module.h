// The source of an executable, kept for whoever asks for its optimized text or serialises it. A large constant that the
// compiled program holds as it lies in the source is not kept twice.
#pragma once

#include "tenon/program/program.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::backend {

class SourceModule {
public:
  // `bytes`: MLIR bytecode, a portable artifact or text; `program`: what it was compiled to.
  SourceModule(std::string_view bytes, const program::Program &program);

  // What the constructor was given; `program` has the same constants.
  std::string bytes(const program::Program &program) const;

  bool isEmpty() const { return pieces_.size() == 1 && pieces_[0].text.empty(); }

  // Bytes that are kept beside the program's constants.
  size_t ownBytes() const;

private:
  // Bytes of its own, then those of a constant, if there is one.
  struct Piece {
    std::string text;
    int64_t constant = -1;
  };

  std::vector<Piece> pieces_;
};

} // namespace tenon::backend

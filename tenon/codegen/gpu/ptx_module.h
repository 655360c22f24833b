// Kernels' PTX as one module: for each module the assembler has to be started.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tenon::codegen {

// A module as LLVM prints it, in parts, which refer to its text.
struct PtxModule {
  struct Part {
    llvm::StringRef name, text;
  };

  llvm::StringRef text;
  std::string header;               // its version and target
  llvm::SmallVector<Part, 2> parts; // kernels, tables, and the block's shared memory, in their order

  // None where there is something else in it: functions, whose names are the same in modules that were optimised apart,
  // or memory that kernels write to.
  static std::optional<PtxModule> parse(llvm::StringRef text);
};

// Modules that are assembled together.
class JoinedPtx {
public:
  // Takes the module, unless it is for another version or target, or one of its names stands for something else here.
  // What is the same in both, tables and shared memory, is there once. A module that is alone keeps its text.
  bool add(const PtxModule &module);
  const std::string &text() const { return text_; }

private:
  std::string header_, text_;
  llvm::StringMap<llvm::StringRef> parts_; // by their names
};

} // namespace tenon::codegen

// The tables of a bytecode file: strings, dialects, operation names, and where attributes, types and properties are
// encoded. Nothing is decoded here.
#pragma once

#include "tenon/frontend/import/bytecode_stream.h"

#include <optional>
#include <vector>

namespace tenon::frontend {

struct BytecodeOpName {
  unsigned dialect;
  llvm::StringRef name; // without the dialect
  // Whether the writer knew the operation; else its properties are one dictionary attribute.
  bool wasRegistered;
};

// An encoded attribute or type.
struct BytecodeEntry {
  unsigned dialect;
  bool customEncoding; // by the dialect's own codes; else MLIR's text
  BytecodeStream data;
};

// Large constants that attributes refer to by number.
struct BytecodeResource {
  llvm::StringRef name;
  llvm::ArrayRef<uint8_t> blob;
};

struct BytecodeContainer {
  uint64_t version = 0;
  std::vector<llvm::StringRef> strings;
  std::vector<llvm::StringRef> dialects;
  std::vector<BytecodeOpName> opNames;
  std::vector<BytecodeEntry> attributes, types;
  std::vector<BytecodeStream> properties;
  std::vector<BytecodeResource> resources;
  std::optional<BytecodeStream> ir;
};

// `bytes` starts with the magic number.
llvm::LogicalResult readContainer(llvm::StringRef bytes, BytecodeErrors &errors, BytecodeContainer &container);

} // namespace tenon::frontend

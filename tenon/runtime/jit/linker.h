// Linking in memory with LLVM's JITLink, without the ORC layers above it: a program's objects are all here, no symbol
// is compiled on demand, and nothing is shared with other programs. What is left of a JIT is short:
//
//  - one mapping for the program, cut in three regions (code, read-only data, data), reserved from the objects' sizes;
//  - JITLink lays out each object's sections in the regions (ObjectMemory), then asks for external symbols;
//  - those questions are kept until every object has its addresses (ProgramLinker::lookup), then answered from the
//    program's own symbols and the runtime's table. Nothing else resolves;
//  - fix-ups are applied in place, the regions get their protection once, and the mapping lives as long as the image.

#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/loaded_program.h"
#include "tenon/runtime/jit/debug_registration.h"
#include "tenon/status.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::runtime {

// Code in this process, which goes with it.
class LinkedCode {
public:
  // `name`: of the program, for errors. The objects may refer to each other and to `symbols`; any other undefined
  // symbol is an error.
  static StatusOr<std::shared_ptr<LinkedCode>> link(const std::string &name,
                                                    const std::vector<program::ObjectCode> &objects,
                                                    std::span<const RuntimeSymbol> symbols);
  // Null if no object defines it for others.
  void *find(const std::string &symbol) const;
  const std::vector<CodeSymbol> &functions() const { return functions_; }
  // Whether the address is in the code or its data.
  bool contains(const void *address) const;
  // Whether the code refers to tenon_stopped.
  bool asksToStop() const { return asksToStop_; }

private:
  LinkedCode() = default;

  std::shared_ptr<void> memory_;
  std::span<const char> bytes_; // of the memory
  std::map<std::string, void *, std::less<>> symbols_;
  std::vector<CodeSymbol> functions_;
  bool asksToStop_ = false;
};

} // namespace tenon::runtime

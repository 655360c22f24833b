// Programs' code and what is around it to one relocatable object, of any kind that LLVM writes: the modules are linked
// as bitcode, and become machine code together. References between them are bound, and every symbol but the chosen ones
// becomes local, so that objects never clash.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/program/program.h"
#include "tenon/status.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

inline constexpr int64_t kDataAlignment = 64;

struct LinkedCode {
  std::string object;
  std::vector<std::string> undefined; // what the object still wants, sorted
  // What the object's sections take that a program loads, without the data that was added.
  int64_t codeBytes = 0, readOnlyBytes = 0, writableBytes = 0;
  // The most that a public function and all that it calls take of the stack, but for what the object does not define.
  std::map<std::string, int64_t> stackBytes;
};

// What is linked: a model's code, or only functions around data, calls that no optimization makes better and each of
// whose passes would cost a model for a GPU as much as the whole does.
enum class LinkedContents { kCode, kGlue };

class CodeLinker {
public:
  explicit CodeLinker(const codegen::CpuTarget &target, LinkedContents contents = LinkedContents::kCode);

  // The modules of one program, as bitcode. Symbols that they define are theirs alone: those of other programs may have
  // the same names, and modules that are equal are taken once. `shared` tells which modules may be equal to others'.
  // Returns the symbols that they use and do not define.
  StatusOr<std::set<std::string>> begin(const std::vector<program::ObjectCode> &objects,
                                        const std::function<bool(const program::ObjectCode &)> &shared);
  // LLVM IR, as text, that belongs to the program that was begun: the two know each other's symbols. `name` tells what
  // is not shared from other programs'. Those of `names` keep their names.
  Status end(const std::string &text, const std::string &name, const std::vector<std::string> &names);

  // LLVM IR, as text, for all programs.
  Status add(const std::string &text);
  // Read-only data that text refers to by the symbol, aligned to kDataAlignment.
  void addData(const std::string &symbol, std::string_view bytes);

  // The symbols that are used and not defined so far.
  std::set<std::string> undefined() const;
  // Nothing can be added afterwards.
  StatusOr<LinkedCode> finish(const std::vector<std::string> &publicSymbols);

private:
  struct Unit {
    std::unique_ptr<llvm::Module> module;
    std::string digest; // of what may be shared; otherwise empty
  };

  // A module of LLVM IR as text; code is cleaned up.
  StatusOr<std::unique_ptr<llvm::Module>> compileText(const std::string &text);
  StatusOr<std::unique_ptr<llvm::Module>> parse(std::string_view bitcode);
  Status link(std::unique_ptr<llvm::Module> module);

  const codegen::CpuTarget &target_;
  const LinkedContents contents_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<Unit> begun_;
  std::set<std::string> taken_; // digests of modules that were shared
  int64_t dataBytes_ = 0;
};

} // namespace tenon::aot

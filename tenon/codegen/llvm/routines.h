// Routines: functions that many kernels have in common, such as the register tile of a product. Each becomes an object
// of its own, which is compiled once and then found: in the memory of the process, or in the cache of kernels.
//
// A routine is known by its code: its symbol ends in a digest of its LLVM IR and of the target that it is compiled for.
// So one that is found is the one that would have been compiled, whichever kernel asks for it, and a kernel's object
// tells by the symbols that it refers to what it needs. The emitters see none of this: they emit functions into the
// kernel's module, and mark them.
#pragma once

#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/status.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tenon::codegen {

class ObjectCache;

// Makes the internal function a routine. It may refer to other routines and to internal constants, to no other function
// or variable of the module. `name`: what it is, for people. `cost`: how many instructions a call takes, roughly, since
// it does not ask whether to stop (stop_checks.h).
void markRoutine(llvm::Function &function, llvm::StringRef name, double cost);
// As markRoutine, for code that is seldom the same twice: where it does not ship with the library, the function stays a
// part of the kernel.
void markRoutineIfShipped(llvm::Function &function, llvm::StringRef name, double cost);
// Whether the function ships with the library as a routine of the name. One that calls functions which are not compiled
// yet counts as shipped: that is known when routines are taken.
bool shipsAsRoutine(llvm::Function &function, llvm::StringRef name, const KernelTarget &target);

// The number that a function's string attribute is; none without it.
std::optional<double> numberIn(const llvm::Function &function, llvm::StringRef attribute);

// What digests of a module are of.
std::string bitcodeOf(const llvm::Module &module);

// What a call of a routine of another module costs; none for other functions.
std::optional<double> routineCost(const llvm::Function &function);

struct Routine {
  std::string symbol;
  std::unique_ptr<llvm::Module> module; // of the kernel's context
  // Beyond those of the level that it is compiled for; none if it is for the kernel's target alone.
  std::optional<std::vector<llvm::StringRef>> features;

  // What it is compiled for, given the kernel's.
  const KernelTarget *targetFor(const KernelTarget *kernels) const {
    return features ? &kernels->routineTarget(*features) : kernels;
  }
};

// Moves the marked functions into modules of their own, those that are called before those that call them. The module
// refers to them by their symbols then. `ships` tells which stay if they do not ship; without it all are moved.
std::vector<Routine> takeRoutines(llvm::Module &module, const KernelTarget &target,
                                  llvm::function_ref<bool(llvm::StringRef symbol)> ships = nullptr);

// Objects by their symbols as one text, which ships with the library.
std::string makeRoutineArchive(const std::map<std::string, std::string> &objects);
std::optional<llvm::StringRef> findInRoutineArchive(llvm::StringRef archive, llvm::StringRef symbol);
// Whether the archive has a routine of the name, for any level.
bool hasRoutineNamed(llvm::StringRef archive, llvm::StringRef name);

// The symbols of routines that an object refers to.
std::vector<std::string> routinesOf(llvm::StringRef object);

// Objects of routines by their symbols.
class RoutineStore {
public:
  using Object = std::shared_ptr<const std::string>;
  // The one of the process, which holds what it has compiled or found.
  static RoutineStore &ofProcess();

  // Has the store look in an archive, too, which stays where it is. Before it is first asked.
  void ship(llvm::StringRef archive) { shipped_ = archive; }
  // For who makes an archive: as if routines of any name shipped.
  void shipAnyName(bool any) { shipsAnyName_ = any; }
  bool ships(llvm::StringRef symbol) const {
    return shipsAnyName_ || findInRoutineArchive(shipped_, symbol).has_value();
  }
  // Whether some routine of the name ships, so that it pays to write code as one.
  bool shipsName(llvm::StringRef name) const { return shipsAnyName_ || hasRoutineNamed(shipped_, name); }

  // Null if it is neither in memory, nor shipped, nor in `cache` (which may be null).
  Object find(const std::string &symbol, ObjectCache *cache);
  // As find(); what is not there is compiled, once, however many threads ask.
  StatusOr<Object> findOrCompile(const std::string &symbol, ObjectCache *cache,
                                 llvm::function_ref<StatusOr<std::string>()> compile);

  // How many routines have been compiled.
  int64_t compiled() const { return compiled_; }
  // Drops what is in memory.
  void forget();

private:
  struct Entry {
    std::mutex mutex; // held while the routine is looked for or compiled
    Object object;
  };
  std::shared_ptr<Entry> entryOf(const std::string &symbol);
  // With the entry's mutex held.
  Object findIn(Entry &entry, const std::string &symbol, ObjectCache *cache);
  Object keep(Entry &entry, std::string object);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  llvm::StringRef shipped_;
  bool shipsAnyName_ = false;
  std::atomic<int64_t> bytes_{0}, compiled_{0};
};

} // namespace tenon::codegen

#include "tenon/codegen/llvm/routines.h"

#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/object_cache.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <cstring>
#include <set>

namespace tenon::codegen {
namespace {

constexpr llvm::StringLiteral kMark = "tenon-routine", kCost = "tenon-routine-cost", kPrefix = "tenon.routine.",
                              kIfShipped = "tenon-routine-if-shipped", kSymbol = "tenon-routine-symbol",
                              kOfMath = "tenon.math.";

// What routines in memory may take. It is far more than the routines of usual programs do; a process that compiles
// products of ever new shapes must not grow without end.
constexpr int64_t kMostBytes = int64_t(64) << 20;

// An archive is a header, an index in the order of the symbols, and what that points to.
struct ArchiveHeader {
  uint64_t magic, count;
};
struct ArchiveEntry {
  uint64_t symbol, symbolBytes, object, objectBytes; // where, from the start of the archive, and how long
};
constexpr uint64_t kArchiveMagic = 0x3154'4F52'4E4E'4554;

// The globals that a function's code refers to, in the order of the code.
llvm::SmallVector<llvm::GlobalValue *> globalsIn(llvm::Function &function) {
  llvm::SmallVector<llvm::GlobalValue *> globals;
  llvm::SmallPtrSet<llvm::Value *, 16> seen;
  auto visit = [&](auto &self, llvm::Value *value) -> void {
    if (!llvm::isa<llvm::Constant>(value) || !seen.insert(value).second)
      return;
    if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(value)) {
      globals.push_back(global);
      return;
    }
    for (llvm::Value *operand : llvm::cast<llvm::Constant>(value)->operands())
      self(self, operand);
  };
  for (llvm::Instruction &instruction : llvm::instructions(function))
    for (llvm::Value *operand : instruction.operands())
      visit(visit, operand);
  return globals;
}

llvm::Function *declare(const llvm::Function &function, llvm::StringRef symbol, llvm::Module &module) {
  if (llvm::Function *known = module.getFunction(symbol))
    return known;
  llvm::Function *declaration =
      llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage, symbol, module);
  declaration->setAttributes(function.getAttributes());
  declaration->removeFnAttr(kCost); // of the kernel that asked
  declaration->setDSOLocal(symbol.starts_with(kPrefix));
  return declaration;
}

// Takes one module's routines out of it.
class Extraction {
public:
  using Ships = llvm::function_ref<bool(llvm::StringRef symbol)>;

  Extraction(llvm::Module &module, const KernelTarget &target, Ships ships)
      : module_(module), target_(target), ships_(ships) {}

  std::vector<Routine> run() {
    markFunctionsOfMath();
    llvm::SmallVector<llvm::Function *> marked;
    for (llvm::Function &function : module_)
      if (!function.isDeclaration() && function.hasFnAttribute(kMark))
        marked.push_back(&function);
    mergeEqual(marked);
    for (llvm::Function *function : calleesFirst(marked))
      if (function->getParent() != &module_) // with one that calls it
        continue;
      else if (ships_ && function->hasFnAttribute(kIfShipped))
        takeIfShipped(*function);
      else
        take(*function);
    return std::move(routines_);
  }

  // The symbol of one function as a routine of the name. The function stays where it is.
  std::string symbolOf(llvm::Function &function, llvm::StringRef name) {
    llvm::ValueToValueMapTy map;
    llvm::Function *copy = llvm::CloneFunction(&function, map);
    copy->addFnAttr(kMark, name);
    for (llvm::Value &argument : copy->args())
      argument.setName("");
    for (llvm::BasicBlock &block : *copy) {
      block.setName("");
      for (llvm::Instruction &instruction : block)
        instruction.setName("");
    }
    llvm::Function *stub = take(*copy);
    std::string symbol = stub->getName().str();
    stub->eraseFromParent();
    return symbol;
  }

private:
  // The functions that elementary functions share in a module (math/fp.h) are the same in every kernel.
  void markFunctionsOfMath() const {
    for (llvm::Function &function : module_) {
      if (function.isDeclaration() || !function.getName().starts_with(kOfMath))
        continue;
      std::string name = "math." + function.getName().drop_front(kOfMath.size()).str();
      if (RoutineStore::ofProcess().shipsName(name))
        markRoutineIfShipped(function, name, double(function.getInstructionCount()));
    }
  }

  // So that it is known which of them ship when those that call them are taken.
  static llvm::SmallVector<llvm::Function *> calleesFirst(llvm::ArrayRef<llvm::Function *> functions) {
    llvm::SmallVector<llvm::Function *> ordered;
    llvm::SmallPtrSet<llvm::Function *, 16> wanted(llvm::from_range, functions), seen;
    auto visit = [&](auto &self, llvm::Function *function) -> void {
      if (!wanted.contains(function) || !seen.insert(function).second)
        return;
      for (llvm::GlobalValue *global : globalsIn(*function))
        if (auto *callee = llvm::dyn_cast<llvm::Function>(global))
          self(self, callee);
      ordered.push_back(function);
    };
    for (llvm::Function *function : functions)
      visit(visit, function);
    return ordered;
  }

  // Leaves one of those that do the same, as the parts of a kernel emit them: to compare them takes a tenth of the time
  // that their digests do.
  static void mergeEqual(llvm::SmallVectorImpl<llvm::Function *> &functions) {
    llvm::GlobalNumberState numbers;
    llvm::SmallVector<llvm::Function *> kept;
    for (llvm::Function *function : functions) {
      auto same = llvm::find_if(kept, [&](llvm::Function *other) {
        return other->getFnAttribute(kMark) == function->getFnAttribute(kMark) &&
               llvm::FunctionComparator(other, function, &numbers).compare() == 0;
      });
      if (same == kept.end()) {
        kept.push_back(function);
        continue;
      }
      function->replaceAllUsesWith(*same);
      numbers.erase(function);
      function->eraseFromParent();
    }
    functions = kept;
  }

  static bool callsOwnFunctions(llvm::Function &function) {
    return llvm::any_of(globalsIn(function), [](llvm::GlobalValue *global) {
      auto *callee = llvm::dyn_cast<llvm::Function>(global);
      return callee && !callee->isDeclaration() && !callee->hasFnAttribute(kMark);
    });
  }

  // Only as a routine the function has a symbol to ask for: a copy becomes one, where that is not known yet.
  void takeIfShipped(llvm::Function &function) {
    if (callsOwnFunctions(function)) { // one that does not ship
      unmark(function);
      return;
    }
    if (function.hasFnAttribute(kSymbol) && ships_(function.getFnAttribute(kSymbol).getValueAsString())) {
      take(function);
      return;
    }
    llvm::ValueToValueMapTy map;
    llvm::Function *stub = take(*llvm::CloneFunction(&function, map));
    if (ships_(stub->getName())) {
      function.replaceAllUsesWith(stub);
      function.eraseFromParent();
      return;
    }
    llvm::erase_if(routines_, [&](const Routine &routine) { return routine.symbol == stub->getName(); });
    stub->eraseFromParent();
    unmark(function);
  }

  static void unmark(llvm::Function &function) {
    for (llvm::StringRef attribute : {kMark, kCost, kIfShipped, kSymbol})
      function.removeFnAttr(attribute);
  }

  // The declaration in `module_` that stands for the function, which goes.
  llvm::Function *take(llvm::Function &function) {
    auto module = std::make_unique<llvm::Module>("routine", module_.getContext());
    target_.prepareModule(*module);
    math::forgetInstructions(*module); // one routine serves chips with other sets
    llvm::ValueToValueMapTy map;
    for (llvm::GlobalValue *global : globalsIn(function))
      map[global] = bring(*global, *module);
    std::string name = function.getFnAttribute(kMark).getValueAsString().str();
    std::string symbol = function.getFnAttribute(kSymbol).getValueAsString().str();
    double cost = routineCost(function).value_or(0);
    unmark(function);
    auto *stub = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage, "", module_);
    stub->setAttributes(function.getAttributes());
    stub->addFnAttr(kCost, std::to_string(cost));
    stub->setDSOLocal(true);
    function.replaceAllUsesWith(stub);
    function.removeFromParent();
    module->getFunctionList().push_back(&function);
    llvm::RemapFunction(function, map, llvm::RF_IgnoreMissingLocals | llvm::RF_ReuseAndMutateDistinctMDs);
    function.setName("routine");
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    function.setDSOLocal(true);
    std::optional<std::vector<llvm::StringRef>> features = featuresOf(function);
    if (symbol.empty())
      symbol = (kPrefix + name + "." + digestOf(*module, features)).str();
    function.setName(symbol);
    if (llvm::Function *same = module_.getFunction(symbol)) { // emitted twice
      stub->replaceAllUsesWith(same);
      stub->eraseFromParent();
      return same;
    }
    stub->setName(symbol);
    routines_.push_back({symbol, std::move(module), std::move(features)});
    return stub;
  }

  // What stands for a global of `module_` in the routine's module.
  llvm::GlobalValue *bring(llvm::GlobalValue &global, llvm::Module &module) {
    if (auto *callee = llvm::dyn_cast<llvm::Function>(&global)) {
      if (callee->isDeclaration())
        return declare(*callee, callee->getName(), module);
      assert(callee->hasFnAttribute(kMark) && "a routine calls no function of the kernel's own");
      llvm::Function *taken = take(*callee);
      return declare(*taken, taken->getName(), module);
    }
    auto &variable = llvm::cast<llvm::GlobalVariable>(global);
    assert(variable.isConstant() && variable.hasLocalLinkage() && "a routine refers to constants only");
    auto *copy = new llvm::GlobalVariable(module, variable.getValueType(), true, variable.getLinkage(),
                                          variable.getInitializer(), "constant");
    copy->copyAttributesFrom(&variable);
    return copy;
  }

  // The features that the function's intrinsics need beyond a level's; none where that is not known.
  std::optional<std::vector<llvm::StringRef>> featuresOf(llvm::Function &function) const {
    std::set<llvm::StringRef> features;
    for (llvm::GlobalValue *global : globalsIn(function)) {
      if (!global->getName().starts_with("llvm."))
        continue;
      std::optional<llvm::StringRef> feature = target_.featureOfIntrinsic(global->getName());
      if (!feature)
        return std::nullopt;
      if (!feature->empty())
        features.insert(*feature);
    }
    return std::vector<llvm::StringRef>(features.begin(), features.end());
  }

  std::string digestOf(const llvm::Module &module, const std::optional<std::vector<llvm::StringRef>> &features) const {
    llvm::BLAKE3 hash;
    hash.update(features ? target_.routineKey(*features) : target_.key());
    hash.update(bitcodeOf(module));
    return llvm::toHex(hash.final<12>(), /*LowerCase=*/true);
  }

  llvm::Module &module_;
  const KernelTarget &target_;
  Ships ships_;
  std::vector<Routine> routines_;
};

ObjectCache::Key keyOf(const std::string &symbol) { return ObjectCache::keyOf({"routine", symbol}); }

} // namespace

void markRoutine(llvm::Function &function, llvm::StringRef name, double cost) {
  function.addFnAttr(kMark, name);
  function.addFnAttr(kCost, std::to_string(cost));
}

void markRoutineIfShipped(llvm::Function &function, llvm::StringRef name, double cost) {
  markRoutine(function, name, cost);
  function.addFnAttr(kIfShipped);
}

bool shipsAsRoutine(llvm::Function &function, llvm::StringRef name, const KernelTarget &target) {
  for (llvm::GlobalValue *global : globalsIn(function))
    if (auto *callee = llvm::dyn_cast<llvm::Function>(global); callee && !callee->isDeclaration())
      return true;
  std::string symbol = Extraction(*function.getParent(), target, nullptr).symbolOf(function, name);
  if (!RoutineStore::ofProcess().ships(symbol))
    return false;
  function.addFnAttr(kSymbol, symbol);
  return true;
}

std::optional<double> numberIn(const llvm::Function &function, llvm::StringRef attribute) {
  llvm::Attribute mark = function.getFnAttribute(attribute);
  double number = 0;
  if (!mark.isValid() || mark.getValueAsString().getAsDouble(number))
    return std::nullopt;
  return number;
}

std::string bitcodeOf(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return bitcode;
}

std::optional<double> routineCost(const llvm::Function &function) { return numberIn(function, kCost); }

std::vector<Routine> takeRoutines(llvm::Module &module, const KernelTarget &target,
                                  llvm::function_ref<bool(llvm::StringRef symbol)> ships) {
  return Extraction(module, target, ships).run();
}

std::vector<std::string> routinesOf(llvm::StringRef object) {
  std::vector<std::string> symbols;
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return symbols;
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) && name->starts_with(kPrefix))
      symbols.push_back(name->str());
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  return symbols;
}

std::string makeRoutineArchive(const std::map<std::string, std::string> &objects) {
  ArchiveHeader header = {kArchiveMagic, objects.size()};
  std::vector<ArchiveEntry> index;
  uint64_t at = sizeof(header) + objects.size() * sizeof(ArchiveEntry);
  std::string symbols, bytes;
  for (const auto &[symbol, object] : objects) {
    index.push_back({at + symbols.size(), symbol.size(), bytes.size(), object.size()});
    symbols += symbol;
    bytes += object;
  }
  for (ArchiveEntry &entry : index)
    entry.object += at + symbols.size();
  std::string archive(reinterpret_cast<const char *>(&header), sizeof(header));
  archive.append(reinterpret_cast<const char *>(index.data()), index.size() * sizeof(ArchiveEntry));
  return archive + symbols + bytes;
}

namespace {

// The index of an archive; empty for what is none.
class ArchiveIndex {
public:
  explicit ArchiveIndex(llvm::StringRef archive) : archive_(archive) {
    ArchiveHeader header = {};
    if (archive.size() < sizeof(header))
      return;
    std::memcpy(&header, archive.data(), sizeof(header));
    if (header.magic == kArchiveMagic)
      count_ = header.count;
  }

  uint64_t count() const { return count_; }
  llvm::StringRef symbol(uint64_t i) const { return archive_.substr(entry(i).symbol, entry(i).symbolBytes); }
  llvm::StringRef object(uint64_t i) const { return archive_.substr(entry(i).object, entry(i).objectBytes); }
  // The first whose symbol is not less; count() if all are.
  uint64_t lowerBound(llvm::StringRef wanted) const {
    uint64_t low = 0, high = count_;
    while (low < high) {
      uint64_t middle = (low + high) / 2;
      if (symbol(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

private:
  ArchiveEntry entry(uint64_t i) const {
    ArchiveEntry entry;
    std::memcpy(&entry, archive_.data() + sizeof(ArchiveHeader) + i * sizeof(entry), sizeof(entry));
    return entry;
  }

  llvm::StringRef archive_;
  uint64_t count_ = 0;
};

} // namespace

std::optional<llvm::StringRef> findInRoutineArchive(llvm::StringRef archive, llvm::StringRef symbol) {
  ArchiveIndex index(archive);
  uint64_t at = index.lowerBound(symbol);
  if (at == index.count() || index.symbol(at) != symbol)
    return std::nullopt;
  return index.object(at);
}

bool hasRoutineNamed(llvm::StringRef archive, llvm::StringRef name) {
  std::string prefix = (kPrefix + name + ".").str();
  ArchiveIndex index(archive);
  uint64_t at = index.lowerBound(prefix);
  return at < index.count() && index.symbol(at).starts_with(prefix);
}

RoutineStore &RoutineStore::ofProcess() {
  static auto *store = new RoutineStore();
  return *store;
}

void RoutineStore::forget() {
  std::lock_guard lock(mutex_);
  entries_.clear(); // who is at work on an entry keeps it
  bytes_ = 0;
}

std::shared_ptr<RoutineStore::Entry> RoutineStore::entryOf(const std::string &symbol) {
  if (bytes_ > kMostBytes)
    forget();
  std::lock_guard lock(mutex_);
  std::shared_ptr<Entry> &entry = entries_[symbol];
  if (!entry)
    entry = std::make_shared<Entry>();
  return entry;
}

RoutineStore::Object RoutineStore::keep(Entry &entry, std::string object) {
  bytes_ += int64_t(object.size());
  entry.object = std::make_shared<const std::string>(std::move(object));
  return entry.object;
}

RoutineStore::Object RoutineStore::findIn(Entry &entry, const std::string &symbol, ObjectCache *cache) {
  if (entry.object)
    return entry.object;
  if (std::optional<llvm::StringRef> shipped = findInRoutineArchive(shipped_, symbol))
    return keep(entry, shipped->str());
  if (!cache)
    return nullptr;
  if (std::optional<std::string> object = cache->find(keyOf(symbol)))
    return keep(entry, *std::move(object));
  return nullptr;
}

RoutineStore::Object RoutineStore::find(const std::string &symbol, ObjectCache *cache) {
  std::shared_ptr<Entry> entry = entryOf(symbol);
  std::lock_guard lock(entry->mutex);
  return findIn(*entry, symbol, cache);
}

StatusOr<RoutineStore::Object> RoutineStore::findOrCompile(const std::string &symbol, ObjectCache *cache,
                                                           llvm::function_ref<StatusOr<std::string>()> compile) {
  std::shared_ptr<Entry> entry = entryOf(symbol);
  std::lock_guard lock(entry->mutex);
  if (Object object = findIn(*entry, symbol, cache))
    return object;
  TENON_ASSIGN_OR_RETURN(std::string object, compile());
  ++compiled_;
  if (cache)
    cache->store(keyOf(symbol), object);
  return keep(*entry, std::move(object));
}

} // namespace tenon::codegen

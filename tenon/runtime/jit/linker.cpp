#include "tenon/runtime/jit/linker.h"

#include "llvm/ExecutionEngine/JITLink/ELF.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/SymbolStringPool.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Process.h"

#include <sys/mman.h>

namespace tenon::runtime {
namespace {

using namespace llvm::jitlink;
using llvm::orc::ExecutorAddr;
using llvm::orc::ExecutorSymbolDef;
using llvm::orc::MemProt;

// One mapping with three regions of equal reserved size. Untouched pages cost nothing.
class CodeMemory {
public:
  static constexpr int kRegions = 3; // code, constants, data

  static std::shared_ptr<CodeMemory> map(size_t regionBytes) {
    regionBytes = llvm::alignTo(regionBytes, pageSize());
    void *base = mmap(nullptr, kRegions * regionBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
      return nullptr;
    return std::shared_ptr<CodeMemory>(new CodeMemory(static_cast<char *>(base), regionBytes));
  }
  ~CodeMemory() { munmap(base_, kRegions * regionBytes_); }
  std::span<const char> bytes() const { return {base_, kRegions * regionBytes_}; }

  char *allocate(MemProt protection, size_t bytes, size_t alignment) {
    using llvm::BitmaskEnumDetail::operator&;
    bool code = (protection & MemProt::Exec) != MemProt::None, data = (protection & MemProt::Write) != MemProt::None;
    int region = code ? 0 : data ? 2 : 1;
    size_t begin = llvm::alignTo(used_[region], alignment);
    if (begin + bytes > regionBytes_)
      return nullptr;
    used_[region] = begin + bytes;
    return base_ + size_t(region) * regionBytes_ + begin;
  }

  llvm::Error protect() {
    for (int region = 0; region < 2; ++region) {
      char *begin = base_ + size_t(region) * regionBytes_;
      size_t bytes = llvm::alignTo(used_[region], pageSize());
      if (bytes && mprotect(begin, bytes, region == 0 ? PROT_READ | PROT_EXEC : PROT_READ) != 0)
        return llvm::createStringError(llvm::errnoAsErrorCode(), "cannot protect code memory");
    }
    llvm::sys::Memory::InvalidateInstructionCache(base_, used_[0]);
    return llvm::Error::success();
  }

private:
  CodeMemory(char *base, size_t regionBytes) : base_(base), regionBytes_(regionBytes) {}
  static size_t pageSize() {
    static const size_t size = llvm::sys::Process::getPageSizeEstimate();
    return size;
  }

  char *base_;
  size_t regionBytes_;
  size_t used_[kRegions] = {};
};

// JITLink's view of the mapping. Freeing is the image's affair, so allocations are never given back one by one.
class ObjectMemory final : public JITLinkMemoryManager {
public:
  explicit ObjectMemory(CodeMemory &memory) : memory_(memory) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction onAllocated) override {
    BasicLayout layout(graph);
    for (auto &[group, segment] : layout.segments()) {
      size_t bytes = segment.ContentSize + segment.ZeroFillSize; // fresh pages are zero already
      char *place = memory_.allocate(group.getMemProt(), bytes, segment.Alignment.value());
      if (!place)
        return onAllocated(llvm::createStringError("the region reserved for code is too small"));
      segment.WorkingMem = place;
      segment.Addr = ExecutorAddr::fromPtr(place);
    }
    if (llvm::Error error = layout.apply())
      return onAllocated(std::move(error));
    onAllocated(std::make_unique<InPlace>());
  }

  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction onDeallocated) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    onDeallocated(llvm::Error::success());
  }

private:
  class InPlace final : public InFlightAlloc {
    void abandon(OnAbandonedFunction onAbandoned) override { onAbandoned(llvm::Error::success()); }
    void finalize(OnFinalizedFunction onFinalized) override { onFinalized(FinalizedAlloc(ExecutorAddr(1))); }
  };

  CodeMemory &memory_;
};

class ProgramLinker {
public:
  ProgramLinker(CodeMemory &memory, std::span<const RuntimeSymbol> symbols)
      : objectMemory_(memory), memory_(memory), pool_(std::make_shared<llvm::orc::SymbolStringPool>()) {
    for (const RuntimeSymbol &symbol : symbols)
      runtime_[pool_->intern(symbol.name)] = ExecutorSymbolDef(ExecutorAddr::fromPtr(symbol.address), {});
    stopped_ = pool_->intern("tenon_stopped");
  }

  // Lays out all objects, then connects them.
  llvm::Error link(const std::vector<program::ObjectCode> &objects) {
    for (const program::ObjectCode &object : objects) {
      auto graph = createLinkGraphFromELFObject(llvm::MemoryBufferRef(object.bytes, object.name), pool_);
      if (!graph)
        return graph.takeError();
      llvm::jitlink::link(std::move(*graph), std::make_unique<Context>(*this));
      if (error_)
        return std::move(error_);
    }
    std::vector<PendingLookup> questions = std::move(questions_);
    for (PendingLookup &question : questions)
      question.continuation->run(resolve(question.symbols));
    if (error_)
      return std::move(error_);
    return memory_.protect();
  }

  std::map<std::string, void *, std::less<>> definitions() const {
    std::map<std::string, void *, std::less<>> addresses;
    for (const auto &[name, definition] : defined_)
      addresses.emplace((*name).str(), definition.getAddress().toPtr<void *>());
    return addresses;
  }
  std::vector<CodeSymbol> takeFunctions() { return std::move(functions_); }
  bool asksToStop() const { return asksToStop_; }

private:
  struct PendingLookup {
    JITLinkContext::LookupMap symbols;
    std::unique_ptr<JITLinkAsyncLookupContinuation> continuation;
  };

  class Context final : public JITLinkContext {
  public:
    explicit Context(ProgramLinker &linker) : JITLinkContext(nullptr), linker_(linker) {}
    JITLinkMemoryManager &getMemoryManager() override { return linker_.objectMemory_; }
    void notifyFailed(llvm::Error error) override {
      linker_.error_ = llvm::joinErrors(std::move(linker_.error_), std::move(error));
    }
    void lookup(const LookupMap &symbols, std::unique_ptr<JITLinkAsyncLookupContinuation> continuation) override {
      linker_.asksToStop_ |= symbols.contains(linker_.stopped_);
      linker_.questions_.push_back({symbols, std::move(continuation)});
    }
    llvm::Error notifyResolved(LinkGraph &graph) override { return linker_.define(graph); }
    void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }

  private:
    ProgramLinker &linker_;
  };

  llvm::Error define(LinkGraph &graph) {
    for (Symbol *symbol : graph.defined_symbols()) {
      if (!symbol->hasName())
        continue;
      if (symbol->isCallable())
        functions_.push_back({(*symbol->getName()).str(), symbol->getAddress().toPtr<void *>(), symbol->getSize()});
      if (symbol->getScope() == Scope::Local)
        continue;
      ExecutorSymbolDef definition(symbol->getAddress(), {});
      if (!defined_.try_emplace(symbol->getName(), definition).second && symbol->getLinkage() == Linkage::Strong)
        return llvm::createStringError("symbol '%s' is defined twice", (*symbol->getName()).str().c_str());
    }
    return llvm::Error::success();
  }

  llvm::Expected<AsyncLookupResult> resolve(const JITLinkContext::LookupMap &symbols) {
    AsyncLookupResult result;
    for (const auto &[name, flags] : symbols) {
      auto it = defined_.find(name);
      if (it == defined_.end()) {
        it = runtime_.find(name);
        if (it == runtime_.end())
          return llvm::createStringError("generated code refers to '%s', which the runtime does not provide",
                                         (*name).str().c_str());
      }
      result[name] = it->second;
    }
    return result;
  }

  ObjectMemory objectMemory_;
  CodeMemory &memory_;
  std::shared_ptr<llvm::orc::SymbolStringPool> pool_;
  AsyncLookupResult runtime_, defined_;
  llvm::orc::SymbolStringPtr stopped_;
  bool asksToStop_ = false;
  std::vector<PendingLookup> questions_;
  std::vector<CodeSymbol> functions_;
  llvm::Error error_ = llvm::Error::success();
};

// Room for the objects' sections in each region, for GOT entries and stubs, and for alignment.
size_t regionBytes(const std::vector<program::ObjectCode> &objects) {
  size_t bytes = 4096;
  for (const program::ObjectCode &object : objects)
    bytes += 2 * object.bytes.size() + 16384;
  return bytes;
}

} // namespace

StatusOr<std::shared_ptr<LinkedCode>> LinkedCode::link(const std::string &name,
                                                       const std::vector<program::ObjectCode> &objects,
                                                       std::span<const RuntimeSymbol> symbols) {
  std::shared_ptr<CodeMemory> memory = CodeMemory::map(regionBytes(objects));
  if (!memory)
    return Status(StatusCode::kResourceExhausted, "out of memory: cannot map memory for code");
  ProgramLinker linker(*memory, symbols);
  if (llvm::Error error = linker.link(objects))
    return internalError("cannot link program '" + name + "': " + llvm::toString(std::move(error)));
  std::shared_ptr<LinkedCode> code(new LinkedCode());
  code->bytes_ = memory->bytes();
  code->memory_ = std::move(memory);
  code->symbols_ = linker.definitions();
  code->functions_ = linker.takeFunctions();
  code->asksToStop_ = linker.asksToStop();
  return code;
}

bool LinkedCode::contains(const void *address) const {
  const auto *at = static_cast<const char *>(address);
  return at >= bytes_.data() && at < bytes_.data() + bytes_.size();
}

void *LinkedCode::find(const std::string &symbol) const {
  auto found = symbols_.find(symbol);
  return found == symbols_.end() ? nullptr : found->second;
}

} // namespace tenon::runtime

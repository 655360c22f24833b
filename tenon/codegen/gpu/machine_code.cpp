#include "tenon/codegen/gpu/machine_code.h"

#include "tenon/codegen/gpu/ptx_module.h"
#include "tenon/support/cpu_quota.h"
#include "tenon/support/parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

using llvm::ArrayRef, llvm::StringRef;

namespace tenon::codegen {
namespace {

// Larger modules gain little, and keep threads from working side by side.
constexpr size_t kMostJoinedBytes = 32 << 10;

StringRef bytesOf(const ObjectCache::Key &key) { return {reinterpret_cast<const char *>(key.data()), key.size()}; }

// Modules that are assembled together.
struct Group {
  std::vector<size_t> modules;
  size_t bytes = 0;
  JoinedPtx joined; // empty where the one module is not to be joined
};

class Maker {
public:
  Maker(ArrayRef<StringRef> modules, StringRef chip, const PtxAssembler &assembler, ObjectCache *cache, int threads)
      : modules_(modules), assembler_(assembler), cache_(cache), threads_(threads) {
    result_.codeOf.resize(modules.size());
    for (StringRef module : modules)
      keys_.push_back(ObjectCache::keyOf({"machine code", assembler.version, chip, module}));
  }

  StatusOr<MachineCode> run() {
    std::vector<size_t> missing;
    for (size_t i = 0; i < modules_.size(); ++i)
      if (assembler_.isReproducible || !findModule(i))
        missing.push_back(i);
    std::vector<Group> groups = makeGroups(missing);
    std::vector<StatusOr<std::string>> codes(groups.size(), internalError("not assembled"));
    forEachInParallel(groups.size(), threads_, [&](size_t i) { codes[i] = codeOf(groups[i]); });
    for (auto [group, code] : llvm::zip(groups, codes)) {
      TENON_RETURN_IF_ERROR(code.status());
      for (size_t module : group.modules)
        result_.codeOf[module] = result_.codes.size();
      result_.codes.push_back(*std::move(code));
    }
    return std::move(result_);
  }

private:
  // The key of what leads from a module to the code in which it is one of several.
  static ObjectCache::Key keyOfPlace(const ObjectCache::Key &module) {
    return ObjectCache::keyOf({"place of machine code", bytesOf(module)});
  }

  ObjectCache::Key keyOf(const Group &group) const {
    if (group.modules.size() == 1)
      return keys_[group.modules[0]];
    llvm::SmallVector<StringRef> parts = {"joined machine code"};
    for (size_t module : group.modules)
      parts.push_back(bytesOf(keys_[module]));
    return ObjectCache::keyOf(parts);
  }

  // Whether the cache has code with this module's kernels.
  bool findModule(size_t module) {
    ObjectCache::Key key = keys_[module];
    if (takeCode(module, key))
      return true;
    std::optional<std::string> place = cache_ ? cache_->find(keyOfPlace(key)) : std::nullopt;
    if (!place || place->size() != key.size())
      return false;
    std::copy(place->begin(), place->end(), key.begin());
    return takeCode(module, key);
  }

  // Whether the cache has code of this key, which is then the module's.
  bool takeCode(size_t module, const ObjectCache::Key &key) {
    auto found = found_.find(key);
    if (found == found_.end()) {
      std::optional<std::string> code = cache_ ? cache_->find(key) : std::nullopt;
      if (!code)
        return false;
      found = found_.emplace(key, result_.codes.size()).first;
      result_.codes.push_back(*std::move(code));
    }
    result_.codeOf[module] = found->second;
    return true;
  }

  // As many bytes as leave work for all threads.
  size_t mostBytes(ArrayRef<size_t> modules) const {
    if (assembler_.isReproducible)
      return kMostJoinedBytes;
    size_t bytes = 0;
    for (size_t module : modules)
      bytes += modules_[module].size();
    const int threads = threads_ > 0 ? threads_ : usableCpus();
    return std::min(kMostJoinedBytes, bytes / size_t(threads));
  }

  std::vector<Group> makeGroups(ArrayRef<size_t> modules) const {
    const size_t most = mostBytes(modules);
    std::vector<Group> groups;
    for (size_t module : modules) {
      std::optional<PtxModule> parsed = PtxModule::parse(modules_[module]);
      const size_t bytes = modules_[module].size();
      auto takes = [&](Group &group) {
        return !group.joined.text().empty() && group.bytes + bytes <= most && group.joined.add(*parsed);
      };
      auto group = parsed ? llvm::find_if(groups, takes) : groups.end();
      if (group == groups.end()) {
        groups.emplace_back();
        group = std::prev(groups.end());
        if (parsed)
          group->joined.add(*parsed);
      }
      group->modules.push_back(module);
      group->bytes += bytes;
    }
    return groups;
  }

  StatusOr<std::string> codeOf(const Group &group) const {
    const bool isOne = group.modules.size() == 1;
    const StringRef text = isOne ? modules_[group.modules[0]] : StringRef(group.joined.text());
    if (!cache_)
      return assembler_.assemble(text);
    const ObjectCache::Key key = keyOf(group);
    if (std::optional<std::string> found = cache_->find(key))
      return *std::move(found);
    TENON_ASSIGN_OR_RETURN(std::string made, assembler_.assemble(text));
    cache_->store(key, made);
    if (!isOne)
      for (size_t module : group.modules)
        cache_->store(keyOfPlace(keys_[module]), bytesOf(key));
    return made;
  }

  ArrayRef<StringRef> modules_;
  const PtxAssembler &assembler_;
  ObjectCache *cache_;
  int threads_;
  std::vector<ObjectCache::Key> keys_;       // of the modules
  std::map<ObjectCache::Key, size_t> found_; // of what was found, in the result's codes
  MachineCode result_;
};

} // namespace

StatusOr<MachineCode> machineCodeOf(ArrayRef<StringRef> modules, StringRef chip, const PtxAssembler &assembler,
                                    ObjectCache *cache, int threads) {
  return Maker(modules, chip, assembler, cache, threads).run();
}

} // namespace tenon::codegen

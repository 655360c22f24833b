#include "tenon/runtime/emulator/shadow.h"

namespace tenon::runtime::emulator {

namespace {

// More blocks than wait for each other: of what so many read nobody looks for the last.
constexpr size_t kMostReaders = 32;

} // namespace

bool Shadow::isOrdered(const Accessor &earlier, const Accessor &later) const {
  if (earlier.block == kNobody)
    return true;
  if (earlier.block == later.block)
    return earlier.epoch != later.epoch || earlier.thread == later.thread;
  return happensBefore_.isKnown(earlier, later);
}

std::string Shadow::describe(const Accessor &who) {
  if (who.block == kSeveral)
    return "several blocks";
  std::string thread = who.thread == kSeveral ? "several threads" : "thread " + std::to_string(who.thread);
  return thread + " of block " + std::to_string(who.block);
}

void Shadow::addReader(Byte &byte, const Accessor &who) const {
  auto add = [&](Accessor &reader) {
    if (reader.block == who.block && reader.epoch == who.epoch && reader.thread != who.thread)
      reader.thread = kSeveral;
    else
      reader = who;
  };
  if (byte.reader.block == kSeveral)
    return;
  if (byte.reader.block == who.block || isOrdered(byte.reader, who))
    return add(byte.reader);
  if (!byte.otherReaders)
    byte.otherReaders = std::make_unique<std::vector<Accessor>>();
  for (Accessor &other : *byte.otherReaders)
    if (other.block == who.block)
      return add(other);
  byte.otherReaders->push_back(who);
  if (byte.otherReaders->size() > kMostReaders) {
    byte.otherReaders.reset();
    byte.reader = {kSeveral, kSeveral, 0};
  }
}

const Accessor *Shadow::findUnordered(const Byte &byte, const Accessor &writer) const {
  if (!isOrdered(byte.reader, writer))
    return &byte.reader;
  if (byte.otherReaders)
    for (const Accessor &other : *byte.otherReaders)
      if (!isOrdered(other, writer))
        return &other;
  return nullptr;
}

std::string Shadow::accessByte(Byte &byte, Access access, bool isFresh, const Accessor &who) {
  std::string verb = access == Access::kRead || access == Access::kAcquire ? "reads" : "writes";
  if (byte.isCopied)
    return verb + " what a copy that nobody has waited for may write";
  if (byte.products > 0 && access != Access::kRead)
    return verb + " what a product that nobody has waited for may read";
  bool isAtomic = access != Access::kRead && access != Access::kWrite, hasOrder = isOrdered(byte.writer, who);
  if (!hasOrder && !(isAtomic && byte.isAtomic))
    return verb + " what " + describe(byte.writer) + " has written, without a barrier between them";
  if (access != Access::kRead) {
    if (const Accessor *reader = findUnordered(byte, who))
      return "writes what " + describe(*reader) + " may read later, without a barrier between them";
    // Whoever comes later has to be ordered after the atomic operations of all.
    if (!hasOrder && byte.writer.block != who.block)
      byte.writer.block = kSeveral;
    else if (!hasOrder)
      byte.writer = {who.block, kSeveral, who.epoch};
    else
      byte.writer = who;
    byte.isAtomic = isAtomic;
    byte.reader = {kNobody, kNobody, 0};
    byte.otherReaders.reset();
    return {};
  }
  if (isFresh && byte.writer.block == kNobody)
    return "reads what nobody has written";
  addReader(byte, who);
  return {};
}

Shadow::Byte &Shadow::byteAt(uintptr_t address) {
  std::unique_ptr<Page> &page = pages_[address / kPageBytes];
  if (!page)
    page = std::make_unique<Page>();
  return (*page)[address % kPageBytes];
}

std::string Shadow::access(uintptr_t address, size_t bytes, Access access, bool isFresh, Accessor who) {
  who.releases = happensBefore_.releasesOf(who);
  for (uintptr_t at = address; at < address + bytes; ++at)
    if (std::string problem = accessByte(byteAt(at), access, isFresh, who); !problem.empty())
      return problem;
  if (access == Access::kAcquire)
    happensBefore_.acquire(address, who);
  if (access == Access::kRelease || access == Access::kAddRelease)
    happensBefore_.release(address, who, access == Access::kAddRelease);
  return {};
}

void Shadow::startCopy(uintptr_t address, size_t bytes) {
  for (uintptr_t at = address; at < address + bytes; ++at)
    byteAt(at).isCopied = true;
}

void Shadow::endCopy(uintptr_t address, size_t bytes, Accessor writer) {
  writer.releases = happensBefore_.releasesOf(writer);
  for (uintptr_t at = address; at < address + bytes; ++at) {
    Byte &byte = byteAt(at);
    byte.isCopied = false;
    byte.writer = writer;
  }
}

std::string Shadow::startProduct(uintptr_t address, size_t bytes, Accessor group,
                                 const std::function<bool(const Accessor &writer)> &isFenced) {
  for (uintptr_t at = address; at < address + bytes; ++at) {
    Byte &byte = byteAt(at);
    if (std::string problem = accessByte(byte, Access::kRead, /*isFresh=*/true, group); !problem.empty())
      return problem;
    if (!isFenced(byte.writer))
      return "multiplies what " + describe(byte.writer) + " has written without a fence before the barrier";
    ++byte.products;
  }
  return {};
}

void Shadow::endProduct(uintptr_t address, size_t bytes, Accessor group) {
  for (uintptr_t at = address; at < address + bytes; ++at) {
    Byte &byte = byteAt(at);
    --byte.products;
    byte.reader = group;
  }
}

void Shadow::forget(uintptr_t address, size_t bytes) {
  for (uintptr_t at = address; at < address + bytes; ++at)
    byteAt(at) = {};
}

} // namespace tenon::runtime::emulator

#include "tenon/codegen/llvm/testing/guarded_memory.h"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace tenon::codegen::testing {

GuardedMemory::GuardedMemory(int64_t bytes, int64_t align, Guard guard) {
  size_t page = size_t(sysconf(_SC_PAGESIZE)), usable = (size_t(bytes + align) + page - 1) / page * page;
  mapped_ = usable + 2 * page;
  mapping_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint8_t *begin = static_cast<uint8_t *>(mapping_) + page;
  if (mapping_ == MAP_FAILED || mprotect(begin, usable, PROT_READ | PROT_WRITE) != 0)
    std::abort();
  size_t rounded = size_t(bytes + align - 1) / size_t(align) * size_t(align);
  data_ = guard == Guard::kBefore ? begin : begin + usable - rounded;
}

GuardedMemory::~GuardedMemory() { munmap(mapping_, mapped_); }

} // namespace tenon::codegen::testing

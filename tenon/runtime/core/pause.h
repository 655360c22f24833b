// Waiting busily.
#pragma once

namespace tenon::runtime {

/// Tells the processor that the thread waits for memory that another one writes.
inline void pauseCpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

} // namespace tenon::runtime

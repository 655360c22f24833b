#include "tenon/codegen/routines/shipped.h"

#include "tenon/codegen/llvm/routines.h"

// NOLINTNEXTLINE(hicpp-no-assembler): the one way to put a large file into a library quickly
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "tenon_routine_archive_begin:\n"
        ".incbin \"" TENON_ROUTINE_ARCHIVE "\"\n"
        "tenon_routine_archive_end:\n"
        ".popsection\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char tenon_routine_archive_begin[];
__attribute__((visibility("hidden"))) extern const char tenon_routine_archive_end[];
}

namespace tenon::codegen {

llvm::StringRef shippedRoutines() {
  return {tenon_routine_archive_begin, size_t(tenon_routine_archive_end - tenon_routine_archive_begin)};
}

void useShippedRoutines() {
  static const bool done = [] {
    RoutineStore::ofProcess().ship(shippedRoutines());
    return true;
  }();
  (void)done;
}

} // namespace tenon::codegen

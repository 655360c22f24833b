// The sanitizers' defaults in programs built with TENON_SANITIZE; ASAN_OPTIONS and UBSAN_OPTIONS override them.

// LLVM's allocators poison memory only where they are instrumented, and LLVM's archives are not: which memory is
// poisoned would depend on whose copy of an inline function the linker took. So none is.
// LLVM gives the thread that registers its signal handlers an alternate stack for signals. AddressSanitizer would take
// it for the one that it gives each thread, and free it with the thread. An allocation that fails returns null, as it
// does without: literals make a Status of it.
const char *__asan_default_options(void) {
  return "allow_user_poisoning=0:strict_string_checks=1:allocator_may_return_null=1:use_sigaltstack=0";
}

const char *__ubsan_default_options(void) { return "halt_on_error=1:print_stacktrace=1"; }

// NVIDIA's assembler library keeps a part of what it allocates for each program, though it is told to let go.
const char *__lsan_default_suppressions(void) { return "leak:libnvJitLink.so\n"; }

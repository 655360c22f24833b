// The routines that Tenon brings itself.
#pragma once

namespace tenon::runtime {

// Registers the library routines ("fft", "cholesky", "triangular_solve") and LAPACK's custom call targets
// ("lapack_*_ffi"). Idempotent, thread-safe. Targets that were registered from outside before are kept.
void registerCpuLibrary();

} // namespace tenon::runtime

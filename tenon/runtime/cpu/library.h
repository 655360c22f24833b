// The routines that Tenon brings itself.
#pragma once

namespace tenon::runtime {

// Registers the library routines ("fft", "cholesky", "triangular_solve") and LAPACK's custom call targets
// ("lapack_*_ffi"). Idempotent, thread-safe.
void registerCpuLibrary();

} // namespace tenon::runtime

#pragma once

namespace tenon::aot {

// Makes code generators for other processors than this one known to codegen::CpuTarget: AArch64, ARM, RISC-V and
// WebAssembly. Apart from the rest, so that what only runs programs need not hold them.
void initializeCrossTargets();

} // namespace tenon::aot

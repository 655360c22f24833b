// Arithmetic of pairs of 16-bit integers, of which NVIDIA's assembler gets constants wrong.
//
// LLVM makes add.s16x2 and the like of vectors of i16 and i8 for sm_90 and newer. Of
//
//   mov.b32 %r2, 6356992;  // {0, 97}
//   add.s16x2 %r3, %r1, %r2;
//
// nvJitLink and ptxas 13.0 make VIADD.16x2 R3, R1, 0x610000, which adds nothing to the upper half on an H100.
#pragma once

#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Takes such operations apart, element by element.
void splitPackedIntegers(llvm::Module &module);

} // namespace tenon::codegen

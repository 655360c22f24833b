// Compiled programs run in this process, for tests that compare them with the interpreter.
#pragma once

#include "tenon/codegen/cpu/testing/guarded_memory.h"
#include "tenon/compiler/compiler.h"
#include "tenon/runtime/core/loaded_program.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace tenon::testing {

using Bytes = std::vector<uint8_t>;

StatusOr<std::unique_ptr<runtime::LoadedProgram>> compileAndLoad(std::string_view source,
                                                                 const compiler::CompileOptions &options);

// One array of bytes for each result. Results start as a pattern, so that elements left unwritten are noticed; behind
// them and behind the arguments, or before, is memory that nobody may touch.
StatusOr<std::vector<Bytes>> run(runtime::LoadedProgram &program, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments,
                                 codegen::testing::Guard guard = codegen::testing::Guard::kBehind);

} // namespace tenon::testing

// Compiled programs run in this process, for tests that compare them with the interpreter.
#pragma once

#include "tenon/codegen/llvm/testing/guarded_memory.h"
#include "tenon/compiler/compiler.h"
#include "tenon/runtime/core/loaded_program.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace tenon::testing {

using Bytes = std::vector<uint8_t>;

// By way of the serialised form.
StatusOr<std::unique_ptr<runtime::LoadedProgram>> compileAndLoad(std::string_view source,
                                                                 const compiler::CompileOptions &options);

// How a program is run.
struct RunForm {
  codegen::testing::Guard guard = codegen::testing::Guard::kBehind; // of arguments and results
  bool givesArguments = false; // an argument that a result may take over is given as this result's memory
  int threads = 0;             // of a pool of its own; 0: the process's pool
};

// One array of bytes for each result. Results start as a pattern, so that elements left unwritten are noticed; behind
// them and behind the arguments, or before, is memory that nobody may touch. kInternal if the run changes an argument
// that was not given away.
StatusOr<std::vector<Bytes>> run(runtime::LoadedProgram &program, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments,
                                 const RunForm &form = {});

// The same on each process of the program's grid, at the same time; arguments and results by process. Of a program of
// whole arrays there is one.
StatusOr<std::vector<std::vector<Bytes>>> runOnGrid(runtime::LoadedProgram &program,
                                                    llvm::ArrayRef<std::vector<llvm::ArrayRef<uint8_t>>> arguments,
                                                    const RunForm &form = {});

} // namespace tenon::testing

// Ahead-of-time compilation: a computation as an object file and a C header, which an application links without any of
// Tenon (xla-preview-2017, "Compiling TensorFlow": "an object file / header pair"). docs/aot.md shows what is in them.
//
//   xla::AotCompilationOptions options;
//   options.cpu = "x86-64-v3";
//   auto axpy = xla::CompileAheadOfTime(*computation, options).ConsumeValueOrDie();
//   axpy.WriteTo("out"); // out/axpy.o, out/axpy.h
#pragma once

#include "tenon/computation.h"
#include "tenon/xla_namespace.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::xla_2017 {

// What to make: of what name, for which machine. ("Compiling TensorFlow")
struct AotCompilationOptions {
  // The name of the model: the prefix of all its names in C, and the files' name. A C identifier; empty: one that
  // resembles the computation's name. Models of different names go into one binary.
  std::string name;
  // The system and the processor to generate code for, as LLVM names them: "aarch64-linux-gnu" with "cortex-a76".
  // Empty: those of this machine. A triple of another architecture needs a processor.
  std::string triple;
  std::string cpu;
  // Constants are in the object, or in `weights`, which the application loads and passes to each run. Above 1 GiB they
  // must be external.
  enum class Weights { kEmbedded, kExternal };
  Weights weights = Weights::kEmbedded;
  // A safetensors file that has some of the arguments, and which the application loads and passes to each run. Not with
  // kExternal. An argument is the tensor of its name, of the keys in its name joined by dots, or that `bindings` names.
  std::string weights_file;
  std::map<std::string, std::string> bindings;
  // How the arrays of the arguments lie in the application's memory: one shape for each parameter, the parameter's but
  // for layouts. Empty: as the shapes say that the parameters were made with, or a StableHLO program's attributes
  // (mhlo.layout_mode). The program reads them so; the header says how. (xla-preview-2017, "Shapes and Layout")
  std::vector<Shape> argument_shapes;
  // The result's, likewise; the program fills padding as its layout says (UNKNOWN_PAD: with zeros). Absent: row-major,
  // or as the program's attributes say.
  std::optional<Shape> result_shape;
  // That compile; 0: as many as the process may use. The code has the same bytes for any number. Which threads the
  // compiled program uses is said where it is run: NAME_run_parallel.
  int compile_threads = 0;
};

// What was made: contents of files, and figures. ("Compiling TensorFlow")
struct AotCompilationResult {
  std::string name;
  std::string object;  // relocatable, of the kind that the system has: ELF, Mach-O, COFF, WebAssembly
  std::string header;  // C99 and C++
  std::string weights; // contents of the weights' file; empty where they are embedded
  // What the application has to bring: functions of libc, libm and the C compiler's support library, custom calls.
  std::vector<std::string> undefined_symbols;
  // The routines of LAPACK that it calls, with their places in the source. Where there are any, the application links
  // libtenon_lapack.a as the header says.
  std::vector<std::string> lapack_routines;
  // Bytes of code and tables in the object, of the weights wherever they are, of the arena of a run on one thread, and
  // what each further thread adds to it; and the most that a run takes of a thread's stack, beside what functions from
  // outside do.
  int64 code_bytes = 0, table_bytes = 0, weights_bytes = 0, arena_bytes = 0, arena_bytes_per_thread = 0,
        stack_bytes = 0;

  // Writes NAME.o, NAME.h and, unless empty, NAME.weights to a folder, which is made where it is missing.
  // FAILED_PRECONDITION, with the path, where that cannot be done.
  TENON_API Status WriteTo(const std::string &folder) const;
};

// The arrays inside the parameters, depth first, are the arguments, under the parameters' names; those inside the
// result are the results. INVALID_ARGUMENT for an empty computation, a name that is no identifier, a processor or
// system that there is not, and shapes that are not the computation's; UNIMPLEMENTED, with each place, for what needs
// Tenon at run time: infeed, typed custom calls.
TENON_API StatusOr<AotCompilationResult> CompileAheadOfTime(const Computation &computation,
                                                            const AotCompilationOptions &options = {});

} // namespace tenon::xla_2017

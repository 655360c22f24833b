#include "tenon/aot/header.h"

#include "tenon/aot/declarations.h"

#include "llvm/Support/raw_ostream.h"

namespace tenon::aot {
namespace {

// What the headers of all models share with tenon_threads.h.
constexpr const char *kSharedTypes =
#include "shared_types.inc"
    ;

class HeaderWriter {
public:
  HeaderWriter(const program::Program &program, const HeaderFacts &facts)
      : program_(program), facts_(facts), signature_(describeSignature(program, facts.name)),
        prefix_(macroPrefix(facts.name)), out_(text_) {}

  std::string write() {
    writeOpening();
    writeFacts();
    writeSizes(out_, signature_.arguments);
    writeSizes(out_, signature_.results);
    writeStructs(out_, facts_.name, program_, signature_);
    writeCustomCalls();
    writeFunctions();
    out_ << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return std::move(text_);
  }

private:
  std::string linking() const {
    std::string calls;
    for (const std::string &name : facts_.customCalls)
      calls += (calls.empty() ? " * Bring the functions that it calls (see below): " : ", ") + name;
    if (!calls.empty())
      calls += ".\n";
    if (facts_.lapack.empty())
      return calls + " * Link " + facts_.name + ".o, and -lm.";
    std::string text = calls + " * Link " + facts_.name +
                       ".o, libtenon_lapack.a, the C++ library (-lstdc++), -ldl, -pthread and -lm: it calls LAPACK,\n"
                       " * which is opened at run time (OpenBLAS, reference LAPACK, MKL; TENON_LAPACK_LIBRARY names "
                       "another), for\n";
    for (const std::string &routine : facts_.lapack)
      text += " *   " + commentText(routine) + "\n";
    return text + " *";
  }

  void writeOpening() {
    out_ << "/* The model '" << facts_.name << "', compiled ahead of time by Tenon for " << cpuCode(program_).cpu
         << " (" << cpuCode(program_).triple << ").\n"
         << linking() << " Arrays are row-major, without gaps"
         << (hasStored(signature_) ? ", but for those that have strides" : "")
         << "; see the shapes below.\n * An array is aligned as its elements are, the arena as the macro says.\n"
         << " *\n"
         << " *   " << facts_.name << "_arguments arguments = {...};\n"
         << " *   " << facts_.name << "_results results = {...};\n"
         << " *   void *arena = aligned_alloc(" << prefix_ << "_ALIGNMENT, " << prefix_ << "_ARENA_BYTES);\n"
         << " *   if (" << facts_.name << "_run(&arguments, &results, " << (facts_.externalWeights ? "weights, " : "")
         << "arena) != " << prefix_ << "_OK)\n"
         << " *     puts(" << facts_.name << "_error(arena));\n"
         << " */\n"
         << "#ifndef TENON_MODEL_" << prefix_ << "_H\n#define TENON_MODEL_" << prefix_ << "_H\n\n"
         << "#include <stddef.h>\n#include <stdint.h>\n\n"
         << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
         << kSharedTypes << elementTypes(signature_);
  }

  void define(const std::string &name, const std::string &value, const char *comment) {
    out_ << "#define " << prefix_ << "_" << name << " " << value << (*comment ? " /* " : "") << comment
         << (*comment ? " */" : "") << "\n";
  }

  void writeFacts() {
    out_ << "\n/* Changes whenever the compiled program does. */\n";
    define("FINGERPRINT", "\"" + facts_.fingerprint + "\"", "");
    out_ << "\n/* The memory of a run. It holds nothing that the next run needs; runs at the same time need one each. "
            "*/\n";
    define("ALIGNMENT", "64", "of the arena");
    define("ARENA_BYTES", std::to_string(facts_.arena.bytes(1)), "on one thread");
    define("ARENA_BYTES_PER_THREAD", std::to_string(facts_.arena.scratchStride), "more for each further thread");
    if (facts_.externalWeights) {
      out_ << "\n/* The contents of " << facts_.name << ".weights, wherever they are, aligned like the arena. */\n";
      define("WEIGHTS_BYTES", std::to_string(facts_.weightsBytes), "");
      define("WEIGHTS_DIGEST", "\"" + facts_.weightsDigest + "\"", "in them from byte 8 on; of what they hold");
    }
    if (!facts_.lapack.empty()) {
      out_ << "\n/* It wants libtenon_lapack.a and, when it runs, LAPACK; without either, see above. */\n";
      define("NEEDS_LAPACK", "1", "");
    }
    out_ << "\n/* What a run returns. */\n";
    define("OK", std::to_string(kRunOk), "");
    define("FAILED", std::to_string(kRunFailed), "the program found an error");
    define("BAD_ARENA", std::to_string(kRunBadArena), "null or not aligned");
    if (facts_.externalWeights)
      define("BAD_WEIGHTS", std::to_string(kRunBadWeights), "null, not aligned, or of another model");
  }

  void writeCustomCalls() {
    if (facts_.customCalls.empty())
      return;
    out_
        << "\n/* Functions that the program calls: the binary has to bring them. `in` points to the operands; `out` is "
           "the\n"
        << " * result, or, of calls with none, several, or a tuple for their result, points to the results. */\n";
    for (const std::string &name : facts_.customCalls)
      out_ << "void " << name << "(void *out, const void **in);\n";
  }

  void writeFunctions() {
    std::string weights = facts_.externalWeights ? "const void *weights, " : "";
    std::string rule = "  No two pointers may overlap, but for arguments with each other";
    for (const program::Argument &argument : program_.arguments)
      if (argument.aliasedResult >= 0) {
        rule += " and\n * with the results that say so";
        break;
      }
    out_ << "\n/* Runs the model on the calling thread. Thread-safe: it works in the caller's memory only.\n *"
         << rule.substr(1) << ". */\n"
         << "int32_t " << facts_.name << "_run(const " << facts_.name << "_arguments *arguments, const " << facts_.name
         << "_results *results,\n    " << weights << "void *arena);\n"
         << "\n/* The same with other threads' help, and the same results to the last bit. The arena must have\n * "
         << prefix_ << "_ARENA_BYTES + (threads->count - 1) * " << prefix_ << "_ARENA_BYTES_PER_THREAD bytes. */\n"
         << "int32_t " << facts_.name << "_run_parallel(const " << facts_.name << "_arguments *arguments, const "
         << facts_.name << "_results *results,\n    " << weights << "void *arena, const TenonThreads *threads);\n"
         << "\n/* After a run that returned " << prefix_ << "_FAILED in this arena: why. */\n"
         << "const char *" << facts_.name << "_error(const void *arena);\n"
         << "\n/* For callers that cannot read this header: the size of the arena, and the fingerprint. */\n"
         << "size_t " << facts_.name << "_arena_bytes(int32_t threads);\n"
         << "extern const char " << facts_.name << "_fingerprint[];\n";
  }

  const program::Program &program_;
  const HeaderFacts &facts_;
  Signature signature_;
  std::string prefix_, text_;
  llvm::raw_string_ostream out_;
};

} // namespace

std::string headerText(const program::Program &program, const HeaderFacts &facts) {
  return HeaderWriter(program, facts).write();
}

} // namespace tenon::aot

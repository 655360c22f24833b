#include "tenon/aot/header.h"

#include "tenon/aot/declarations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace tenon::aot {
namespace {

// What the headers of all models share with tenon_threads.h.
constexpr const char *kSharedTypes =
#include "shared_types.inc"
    ;

// What is said of one model.
class ModelWriter {
public:
  ModelWriter(llvm::raw_ostream &out, const ModelFacts &facts, const WeightsFacts *weights)
      : out_(out), facts_(facts), weights_(weights),
        signature_(describeSignature(*facts.program, facts.name, facts.bound)), prefix_(macroPrefix(facts.name)) {}

  const Signature &signature() const { return signature_; }

  // How a run is made, as lines of a comment.
  void writeUsage() const {
    out_ << " *   " << facts_.name << "_arguments arguments = {...};\n"
         << " *   " << facts_.name << "_results results = {...};\n"
         << " *   void *arena = aligned_alloc(" << prefix_ << "_ALIGNMENT, " << prefix_ << "_ARENA_BYTES);\n"
         << " *   if (" << facts_.name << "_run(&arguments, &results, " << (weights_ ? "weights, " : "")
         << "arena) != " << prefix_ << "_OK)\n"
         << " *     puts(" << facts_.name << "_error(arena));\n";
  }

  void write() {
    writeFacts();
    writeSizes(out_, signature_.arguments);
    writeSizes(out_, signature_.results);
    writeStructs(out_, facts_.name, *facts_.program, signature_);
    writeFunctions();
  }

  // In C++: the model, its arrays and the memory of its runs as one object.
  void writeClass() const {
    const std::string &name = facts_.name;
    std::string weights = weights_ ? ", const void *weights" : "", pass = weights_ ? "weights, " : "";
    std::string only = weights_ ? "const void *weights" : "";
    out_ << "\n/* The model and the memory of a run, on up to so many threads: make it where there is room, set the "
            "pointers, run. It\n * does one run at a time: threads that run the model at the same time have one each. "
            "*/\n"
         << "template <int Threads = 1> class " << name << "_model {\n"
         << "public:\n"
         << "  " << name << "_arguments arguments;\n"
         << "  " << name << "_results results;\n\n"
         << "  " << name << "_model() : arguments(), results() {}\n"
         << "  " << name << "_model(const " << name << "_model &) = delete;\n"
         << "  " << name << "_model &operator=(const " << name << "_model &) = delete;\n\n"
         << "  int32_t run(" << only << ") { return " << name << "_run(&arguments, &results, " << pass
         << "arena()); }\n"
         << "  /* " << prefix_ << "_BAD_ARENA, too, for more threads than there is room for. */\n"
         << "  int32_t run(const TenonThreads *threads" << weights << ") {\n"
         << "    return threads->count > Threads\n"
         << "               ? " << prefix_ << "_BAD_ARENA\n"
         << "               : " << name << "_run_parallel(&arguments, &results, " << pass << "arena(), threads);\n"
         << "  }\n"
         << "  const char *error() const { return " << name << "_error(arena()); }\n\n"
         << "private:\n"
         << "  static_assert(Threads >= 1, \"a run has a thread\");\n"
         << "  /* Aligned here: before C++17, `new` gives memory of less alignment. */\n"
         << "  void *arena() const { return memory_ + (0 - reinterpret_cast<uintptr_t>(memory_)) % " << prefix_
         << "_ALIGNMENT; }\n\n"
         << "  mutable unsigned char memory_[" << prefix_ << "_ALIGNMENT - 1 + " << prefix_
         << "_ARENA_BYTES +\n                                (Threads - 1) * " << prefix_
         << "_ARENA_BYTES_PER_THREAD];\n"
         << "};\n";
  }

private:
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
    out_ << "\n/* What a run takes of the stack at most, of each thread's, beside what functions from outside do. */\n";
    define("STACK_BYTES", std::to_string(facts_.stackBytes), "");
    if (weights_)
      writeWeights();
    if (!facts_.lapack.empty()) {
      out_ << "\n/* It wants libtenon_lapack.a and, when it runs, LAPACK; without either, see above. */\n";
      define("NEEDS_LAPACK", "1", "");
    }
    out_ << "\n/* What a run returns. */\n";
    define("OK", std::to_string(kRunOk), "");
    define("FAILED", std::to_string(kRunFailed), "the program found an error");
    define("BAD_ARENA", std::to_string(kRunBadArena), "null or not aligned");
    if (weights_)
      define("BAD_WEIGHTS", std::to_string(kRunBadWeights), "null, not aligned, or of another model");
  }

  void writeWeights() {
    out_ << "\n/* The contents of " << commentText(weights_->fileName)
         << ", wherever they are, aligned like the arena. */\n";
    define("WEIGHTS_BYTES", std::to_string(weights_->bytes), "");
    define("WEIGHTS_DIGEST", "\"" + weights_->digest + "\"",
           weights_->isSafetensors ? "of all of them (XXH3)" : "in them from byte 8 on; of what they hold");
    std::string names;
    for (size_t i = 0; i < facts_.bound.size(); ++i)
      if (facts_.bound[i] >= 0)
        names += (names.empty() ? "" : ", ") + std::to_string(i) + " (" + facts_.program->arguments[i].name + ")";
    if (!names.empty())
      out_ << "\n/* Arguments that they have: " << commentText(names) << ". */\n";
  }

  void writeFunctions() {
    std::string weights = weights_ ? "const void *weights, " : "";
    std::string rule = "  No two pointers may overlap, but for arguments with each other";
    for (const program::Argument &argument : facts_.program->arguments)
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
    if (weights_)
      out_
          << "\n/* Reads all of the weights, which a run does not: null where they are right, otherwise what is wrong. "
             "*/\n"
          << "const char *" << facts_.name << "_check_weights(const void *weights, size_t bytes);\n";
  }

  llvm::raw_ostream &out_;
  const ModelFacts &facts_;
  const WeightsFacts *weights_; // null where runs are given none
  Signature signature_;
  std::string prefix_;
};

class HeaderWriter {
public:
  explicit HeaderWriter(const HeaderFacts &facts) : facts_(facts), out_(text_) {
    for (const ModelFacts &model : facts.models)
      models_.emplace_back(out_, model, facts.weights ? &*facts.weights : nullptr);
  }

  std::string write() {
    writeOpening();
    for (ModelWriter &model : models_)
      model.write();
    writeCustomCalls();
    out_ << "\n#ifdef __cplusplus\n} /* extern \"C\" */\n";
    for (const ModelWriter &model : models_)
      model.writeClass();
    out_ << "#endif\n\n#endif\n";
    return std::move(text_);
  }

private:
  // Each once, in order.
  std::set<std::string> all(std::vector<std::string> ModelFacts::*list) const {
    std::set<std::string> names;
    for (const ModelFacts &model : facts_.models)
      names.insert((model.*list).begin(), (model.*list).end());
    return names;
  }

  std::string linking() const {
    std::string calls;
    for (const std::string &name : all(&ModelFacts::customCalls))
      calls += (calls.empty() ? " * Bring the functions that it calls (see below): " : ", ") + name;
    if (!calls.empty())
      calls += ".\n";
    std::set<std::string> lapack = all(&ModelFacts::lapack);
    if (lapack.empty())
      return calls + " * Link " + facts_.name + ".o, and -lm.";
    std::string text = calls + " * Link " + facts_.name +
                       ".o, libtenon_lapack.a, the C++ library (-lstdc++), -ldl, -pthread and -lm: it calls LAPACK,\n"
                       " * which is opened at run time (OpenBLAS, reference LAPACK, MKL; TENON_LAPACK_LIBRARY names "
                       "another), for\n";
    for (const std::string &routine : lapack)
      text += " *   " + commentText(routine) + "\n";
    return text + " *";
  }

  const char *elementTypesOfAll() const {
    for (const ModelWriter &model : models_)
      if (const char *types = elementTypes(model.signature()); *types)
        return types;
    return "";
  }

  void writeOpening() {
    const program::CpuCode &code = cpuCode(*facts_.models.front().program);
    std::string names;
    for (const ModelFacts &model : facts_.models)
      names += (names.empty() ? "'" : ", '") + model.name + "'";
    bool stored = llvm::any_of(models_, [](const ModelWriter &model) { return hasStored(model.signature()); });
    std::string guard = "TENON_MODEL_" + macroPrefix(facts_.name) + "_H";
    out_ << "/* The model" << (models_.size() > 1 ? "s " : " ") << names << ", compiled ahead of time by Tenon for "
         << code.cpu << " (" << code.triple << ").\n"
         << linking() << " Arrays are row-major, without gaps" << (stored ? ", but for those that have strides" : "")
         << "; see the shapes below.\n * An array is aligned as its elements are, the arena as the macro says.\n"
         << " *\n";
    models_.front().writeUsage();
    out_ << " */\n#ifndef " << guard << "\n#define " << guard << "\n\n"
         << "#include <stddef.h>\n#include <stdint.h>\n\n"
         << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
         << kSharedTypes << elementTypesOfAll();
  }

  void writeCustomCalls() {
    std::set<std::string> names = all(&ModelFacts::customCalls);
    if (names.empty())
      return;
    out_
        << "\n/* Functions that the program calls: the binary has to bring them. `in` points to the operands; `out` is "
           "the\n"
        << " * result, or, of calls with none, several, or a tuple for their result, points to the results. */\n";
    for (const std::string &name : names)
      out_ << "void " << name << "(void *out, const void **in);\n";
  }

  const HeaderFacts &facts_;
  std::string text_;
  llvm::raw_string_ostream out_;
  std::vector<ModelWriter> models_;
};

} // namespace

std::string headerText(const HeaderFacts &facts) { return HeaderWriter(facts).write(); }

} // namespace tenon::aot

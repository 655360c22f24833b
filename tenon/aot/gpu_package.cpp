#include "tenon/aot/gpu_package.h"

#include "tenon/aot/code_linker.h"
#include "tenon/aot/declarations.h"
#include "tenon/aot/digest.h"
#include "tenon/aot/glue.h"
#include "tenon/aot/text.h"
#include "tenon/aot/weights.h"
#include "tenon/program/serialization.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tenon::aot {
namespace {

constexpr const char *kDataSymbol = "tenon_model";

// Arguments and results are structs of pointers, which is to say arrays of them.
constexpr const char *kGlue = R"(
@tenon_model = external hidden constant i8
@$NAME_fingerprint = constant [$FINGERPRINT_BYTES x i8] c"$FINGERPRINT\00"
declare i32 @tenon_cuda_load(ptr, i64, ptr)
declare i32 @tenon_cuda_run(ptr, ptr, ptr, ptr)
declare i32 @tenon_cuda_unload(ptr)
declare ptr @tenon_cuda_error()
define i32 @$NAME_load(ptr %model) {
  %code = call i32 @tenon_cuda_load(ptr @tenon_model, i64 $BYTES, ptr %model)
  ret i32 %code
}
define i32 @$NAME_run(ptr %model, ptr %stream, ptr %arguments, ptr %results) {
  %code = call i32 @tenon_cuda_run(ptr %model, ptr %stream, ptr %arguments, ptr %results)
  ret i32 %code
}
define i32 @$NAME_unload(ptr %model) {
  %code = call i32 @tenon_cuda_unload(ptr %model)
  ret i32 %code
}
define ptr @$NAME_error() {
  %text = call ptr @tenon_cuda_error()
  ret ptr %text
}
)";

std::vector<std::string> gpuSymbols(const std::string &name) {
  return {name + "_load", name + "_run", name + "_unload", name + "_error", name + "_fingerprint"};
}

std::string placeOf(const program::Program &program, const program::RuntimeCall &call) {
  return call.location.empty() ? program.name : call.location;
}

Status checkProgram(const program::Program &program, const PackageOptions &options) {
  if (options.externalWeights || options.weightsFile)
    return unimplemented("weights in a file of their own are for CPUs: a model for GPUs brings them to the device when "
                         "it is loaded");
  std::string problems;
  for (const program::RuntimeCall &call : program.runtimeCalls)
    problems += (problems.empty() ? "" : "\n") + placeOf(program, call) + ": error: '" + call.target +
                "' is called by the host, which a model for GPUs that is compiled ahead of time cannot do";
  if (!problems.empty())
    return unimplemented(problems);
  if (program.numReplicas != 1 || program.numPartitions != 1)
    return unimplemented("the program is for several devices, which is not supported ahead of time");
  return {};
}

class GpuHeaderWriter {
public:
  GpuHeaderWriter(const program::Program &program, const program::DeviceProgram &code, std::string name,
                  std::string fingerprint)
      : program_(program), code_(code), name_(std::move(name)), fingerprint_(std::move(fingerprint)),
        prefix_(macroPrefix(name_)), signature_(describeSignature(program, name_)), out_(text_) {}

  std::string write() {
    writeOpening();
    out_ << "\n/* Changes whenever the compiled program does. */\n#define " << prefix_ << "_FINGERPRINT \""
         << fingerprint_ << "\"\n";
    out_ << "\n/* What the functions return. */\n#define " << prefix_ << "_OK " << kRunOk << "\n#define " << prefix_
         << "_FAILED " << kRunFailed << "\n";
    writeSizes(out_, signature_.arguments);
    writeSizes(out_, signature_.results);
    writeStructs(out_, name_, program_, signature_);
    writeFunctions();
    out_ << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return std::move(text_);
  }

private:
  void writeOpening() {
    out_
        << "/* The model '" << name_ << "', compiled ahead of time by Tenon for NVIDIA's GPUs of the kind "
        << code_.chip << (code_.processor.empty() ? "" : ", played by the host") << ".\n * Link " << name_
        << ".o, libtenon_cuda.a, the C++ library (-lstdc++), -ldl, -pthread and -lm. The driver is opened\n"
        << " * at run time.\n *\n"
        << " * All pointers to arrays are addresses of the device's memory, aligned to 16 bytes. Arrays are row-major, "
           "without gaps"
        << (hasStored(signature_) ? ",\n * but for those that have strides" : "") << "; see the shapes below.\n *\n"
        << " *   " << name_ << "_model *model;\n"
        << " *   if (" << name_ << "_load(&model) != " << prefix_ << "_OK)\n"
        << " *     puts(" << name_ << "_error());\n"
        << " *   " << name_ << "_arguments arguments = {...};\n"
        << " *   " << name_ << "_results results = {...};\n"
        << " *   " << name_ << "_run(model, stream, &arguments, &results);\n"
        << " */\n"
        << "#ifndef TENON_MODEL_" << prefix_ << "_H\n#define TENON_MODEL_" << prefix_ << "_H\n\n"
        << "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
        << elementTypes(signature_);
  }

  void writeFunctions() {
    out_ << "\ntypedef struct " << name_ << "_model " << name_ << "_model;\n"
         << "\n/* Loads the model to the device of the calling thread's CUDA context, in which all other calls are "
            "made, too. */\n"
         << "int32_t " << name_ << "_load(" << name_ << "_model **model);\n"
         << "\n/* Enqueues a run in `stream`, a CUstream or cudaStream_t, and returns: the results are there when the "
            "stream has\n * come so far. A model does one run at a time: enqueue its runs in one stream, or each after "
            "the one before has\n * ended; for runs at the same time, load it again. With a driver older than CUDA "
            "12.4, programs of loops and\n * branches have ended when this returns. */\n"
         << "int32_t " << name_ << "_run(" << name_ << "_model *model, void *stream, const " << name_
         << "_arguments *arguments,\n    const " << name_ << "_results *results);\n"
         << "\n/* After the last run has ended. */\n"
         << "int32_t " << name_ << "_unload(" << name_ << "_model *model);\n"
         << "\n/* Why the last call of this thread failed. */\n"
         << "const char *" << name_ << "_error(void);\n"
         << "\n/* For callers that cannot read this header. */\n"
         << "extern const char " << name_ << "_fingerprint[];\n";
  }

  const program::Program &program_;
  const program::DeviceProgram &code_;
  std::string name_, fingerprint_, prefix_;
  Signature signature_;
  std::string text_;
  llvm::raw_string_ostream out_;
};

PackageSizes sizesOf(const program::Program &program, const program::DeviceProgram &code, const std::string &data) {
  PackageSizes sizes;
  for (const program::DeviceModule &module : code.modules)
    sizes.code += int64_t(module.code.size() + module.machineCode.size());
  for (const program::Constant &constant : program.constants)
    sizes.weights += int64_t(constant.bytes.size());
  sizes.readOnly = int64_t(data.size()) - sizes.weights;
  sizes.arena = code.arenaBytes;
  return sizes;
}

} // namespace

StatusOr<Package> makeGpuPackage(const program::Program &program, const program::DeviceProgram &code,
                                 const PackageOptions &options) {
  TENON_RETURN_IF_ERROR(checkName(options.name));
  TENON_RETURN_IF_ERROR(checkProgram(program, options));
  const std::string data = program::serialize(program) + program::serialize(code);
  if (data.size() > kEmbeddedLimit)
    return unimplemented("the model takes " + std::to_string(data.size()) + " bytes, too many for one object");
  std::string fingerprint = digestOf(data);
  CodeLinker linker(codegen::CpuTarget::host(), LinkedContents::kGlue);
  TENON_RETURN_IF_ERROR(linker.add(fillIn(kGlue, {{"$NAME", options.name},
                                                  {"$BYTES", std::to_string(data.size())},
                                                  {"$FINGERPRINT_BYTES", std::to_string(fingerprint.size() + 1)},
                                                  {"$FINGERPRINT", fingerprint}})));
  linker.addData(kDataSymbol, data);
  TENON_ASSIGN_OR_RETURN(LinkedCode linked, linker.finish(gpuSymbols(options.name)));
  Package package;
  package.sizes = sizesOf(program, code, data);
  package.object = std::move(linked.object);
  package.undefined = std::move(linked.undefined);
  package.header = GpuHeaderWriter(program, code, options.name, fingerprint).write();
  return package;
}

} // namespace tenon::aot

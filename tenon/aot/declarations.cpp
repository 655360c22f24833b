#include "tenon/aot/declarations.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::aot {

namespace {

constexpr const char *kComplexTypes = R"(
#ifndef TENON_COMPLEX_DEFINED
#define TENON_COMPLEX_DEFINED
/* In memory like `float _Complex` and std::complex<float>, and like those of double. */
typedef struct TenonComplex64 {
  float real, imag;
} TenonComplex64;
typedef struct TenonComplex128 {
  double real, imag;
} TenonComplex128;
#endif
)";

void writeList(llvm::raw_ostream &out, const Field &field, const char *name, const std::vector<int64_t> &numbers) {
  if (numbers.empty())
    return;
  out << "#define " << field.macro << "_" << name << " {";
  for (size_t i = 0; i < numbers.size(); ++i)
    out << (i ? ", " : "") << numbers[i];
  out << "}\n";
}

bool isComplex(const Field &field) {
  return field.shape->type == program::ElementType::kComplexF32 ||
         field.shape->type == program::ElementType::kComplexF64;
}

bool isStored(const Field &field) { return field.stored != nullptr; }

} // namespace

bool hasStored(const Signature &signature) {
  return llvm::any_of(signature.arguments, isStored) || llvm::any_of(signature.results, isStored);
}

const char *elementTypes(const Signature &signature) {
  return llvm::any_of(signature.arguments, isComplex) || llvm::any_of(signature.results, isComplex) ? kComplexTypes
                                                                                                    : "";
}

void writeSizes(llvm::raw_ostream &out, const std::vector<Field> &fields) {
  for (const Field &field : fields) {
    const program::Shape &shape = *field.shape;
    if (shape.type == program::ElementType::kToken)
      continue;
    out << "\n/* " << field.describe << " */\n";
    out << "#define " << field.macro << "_RANK " << shape.dims.size() << "\n";
    writeList(out, field, "SHAPE", field.dims());
    if (field.stored) {
      writeList(out, field, "MINOR_TO_MAJOR", field.stored->minorToMajor);
      writeList(out, field, "PADDED_SHAPE", field.paddedDims());
      writeList(out, field, "STRIDES", field.strides());
    }
    out << "#define " << field.macro << "_COUNT " << shape.elementCount() << "\n";
    out << "#define " << field.macro << "_BYTES " << shape.byteSize() << "\n";
  }
}

static std::string noteOnArgument(const program::Program &program, size_t index) {
  int32_t result = program.arguments[index].aliasedResult;
  return result < 0 ? "" : "; result " + std::to_string(result) + " may be given the same memory";
}

static std::string noteOnResult(const program::Program &program, size_t index) {
  std::string text;
  const std::vector<int32_t> &sizes = program.results[index].sizeResults;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] >= 0)
      text += "; result " + std::to_string(sizes[d]) + " says how many of dimension " + std::to_string(d) + " are used";
  return text;
}

static void writeStruct(llvm::raw_ostream &out, const std::string &name, const std::vector<Field> &fields,
                        const char *qualifier, llvm::function_ref<std::string(size_t)> note) {
  out << "\ntypedef struct " << name << " {\n";
  for (const Field &field : fields)
    out << "  " << qualifier << field.type << " *" << field.name << "; /* " << field.describe << note(field.index)
        << " */\n";
  if (fields.empty())
    out << "  void *none; /* not used */\n";
  out << "} " << name << ";\n";
}

void writeStructs(llvm::raw_ostream &out, const std::string &model, const program::Program &program,
                  const Signature &signature) {
  writeStruct(out, model + "_arguments", signature.arguments, "const ",
              [&](size_t i) { return noteOnArgument(program, i); });
  writeStruct(out, model + "_results", signature.results, "", [&](size_t i) { return noteOnResult(program, i); });
}

} // namespace tenon::aot

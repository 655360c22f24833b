// How a model's header declares its arrays, on CPUs and GPUs. Private to the folder.
#pragma once

#include "tenon/aot/signature.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tenon::aot {

// Whether an array lies in memory in another order than row-major, or with gaps.
bool hasStored(const Signature &signature);

// The types of elements that C has not and the arrays need: C code, or nothing.
const char *elementTypes(const Signature &signature);

// Macros of the arrays' ranks, shapes and sizes.
void writeSizes(llvm::raw_ostream &out, const std::vector<Field> &fields);

// MODEL_arguments and MODEL_results: a pointer to each array.
void writeStructs(llvm::raw_ostream &out, const std::string &model, const program::Program &program,
                  const Signature &signature);

} // namespace tenon::aot

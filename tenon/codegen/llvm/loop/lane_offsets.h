// Vectors whose lanes come from places that are known when code is made.
#pragma once

#include "tenon/codegen/llvm/element/element.h"

#include <optional>

namespace tenon::codegen::loop {

// The numbers of a vector that is a constant; nothing of another one, or of null.
std::optional<llvm::SmallVector<int64_t>> constantLanes(llvm::Value *vector);

// How far the lanes are apart, if all neighbours are equally far.
std::optional<int64_t> strideOf(llvm::ArrayRef<int64_t> offsets);

// The elements at these distances from `pointer`, by loads of what lies together and shuffles; nothing if that takes
// more loads than a gather is worth. What is not `wanted` of a lane may be anything, and is not read.
std::optional<Element> loadAtOffsets(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer,
                                     llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<bool> wanted);
// The same of vectors, of which the mask may be null, if both are constants.
std::optional<Element> loadAtOffsets(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer,
                                     llvm::Value *offsets, llvm::Value *mask);

} // namespace tenon::codegen::loop

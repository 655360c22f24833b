// How a convolution is taken apart into contractions. Plain data, no LLVM IR: see lowering.cpp for the method.
#pragma once

#include "tenon/codegen/cpu/conv/conv.h"

namespace tenon::codegen {

// The outputs of one residue of one spatial dimension, for which input dilation leaves a regular set of kernel taps:
//   output = outFirst + outStep * o, kernel tap = tapFirst + tapStep * t,
//   input = inputFirst + inputStep * o + tapInput * t.
struct WindowPhase {
  int64_t outFirst = 0, outStep = 1, outputs = 0;
  int64_t tapFirst = 0, tapStep = 1, taps = 0;
  int64_t inputFirst = 0, inputStep = 1, tapInput = 1;
};

// All phases of a dimension; phases without taps have taps == 0 (their outputs are zero).
llvm::SmallVector<WindowPhase, 2> windowPhases(const ConvolutionWindow &window);

// The input with its padding made explicit.
struct PaddedInput {
  bool needed = false;
  llvm::SmallVector<int64_t, 3> low, high; // per spatial dimension
  // Dense strides of the padded array (or those of the input itself when not needed).
  int64_t batchStride = 0, featureStride = 0;
  llvm::SmallVector<int64_t, 3> strides;
  int64_t elements = 0;
};

PaddedInput padInput(const ConvolutionSpec &spec, llvm::ArrayRef<llvm::SmallVector<WindowPhase, 2>> phases);

// The contraction of one combination of phases; `lhs` addresses are those of the padded input.
struct ConvolutionPart {
  ContractionSpec contraction;
  // For the result's indices: where in the contraction's index list they are (-1: always zero).
  int group = -1, batch = -1, feature = -1;
  int64_t featuresPerGroup = 1;
  llvm::SmallVector<int, 3> spatial;
  llvm::SmallVector<WindowPhase, 3> phases;
};

ConvolutionPart contractionPart(const ConvolutionSpec &spec, const PaddedInput &input,
                                llvm::ArrayRef<WindowPhase> phases, bool hasEpilogue);

// An epilogue for the part's contraction that calls `epilogue` with the convolution's indices.
Epilogue mapIndices(const ConvolutionSpec &spec, const ConvolutionPart &part, const Epilogue &epilogue);

// Adds the phase that fills the padded input; returns its number of tasks.
int64_t emitPadding(llvm::Module &module, llvm::StringRef symbol, const ConvolutionSpec &spec, const PaddedInput &input,
                    const MatmulTarget &target, int lhsBuffer, int tempBuffer);

// One input channel a group: every output channel sees one input channel.
bool isDepthwise(const ConvolutionSpec &spec);
// Adds a depthwise kernel as one phase.
Kernel emitDepthwise(llvm::Module &module, llvm::StringRef symbol, const ConvolutionSpec &spec,
                     const MatmulTarget &target, const Epilogue &epilogue);

} // namespace tenon::codegen

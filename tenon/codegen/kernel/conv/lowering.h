// How a convolution is taken apart into contractions: see lowering.cpp for the method.
#pragma once

#include "tenon/codegen/kernel/conv/conv.h"
#include "tenon/codegen/kernel/matmul/problem.h"

#include <optional>

namespace tenon::codegen::matmul {

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
  // For the result's indices: where in the contraction's index list they are (-1: always zero). Of features in panels,
  // `feature` counts these, and `column` the features of one.
  int group = -1, batch = -1, feature = -1, column = -1;
  int64_t featuresPerGroup = 1;
  llvm::SmallVector<int, 3> spatial;
  llvm::SmallVector<WindowPhase, 3> phases;
};

ConvolutionPart contractionPart(const ConvolutionSpec &spec, const PaddedInput &input,
                                llvm::ArrayRef<WindowPhase> phases, bool hasEpilogue, const CostModel &costs);

// An epilogue for the part's contraction that calls `epilogue` with the convolution's indices.
Epilogue mapIndices(const ConvolutionSpec &spec, const ConvolutionPart &part, const Epilogue &epilogue);

// One dimension of the padded array.
struct PadDim {
  int64_t size, low, high, sourceStride; // size of the source
  int64_t padded() const { return size + low + high; }
};

// How the padded input is filled: rows of it one after the other.
struct PaddingPlan {
  llvm::SmallVector<PadDim, 5> dims; // outermost first, without the innermost one
  PadDim inner{};
  int64_t unitBytes = 1; // of what is copied
  int64_t rows = 1, rowsPerTask = 1;

  int64_t tasks() const { return (rows + rowsPerTask - 1) / rowsPerTask; }
};
PaddingPlan planPadding(const ConvolutionSpec &spec, const PaddedInput &input, const CostModel &costs);
void emitPadding(const PaddingPlan &plan, llvm::Module &module, llvm::StringRef symbol, const MatmulTarget &target,
                 int lhsBuffer, int tempBuffer);

// One input channel a group: every output channel sees one input channel.
bool isDepthwise(const ConvolutionSpec &spec);

// Where the taps of a window are in the rhs, in elements: a step in each dimension, and the first tap.
struct TapPlaces {
  llvm::SmallVector<int64_t, 3> strides;
  int64_t base = 0;
};

struct DepthwisePlan {
  bool planar = false;  // rows of pixels lie next to each other; otherwise channels do
  ConvolutionPart part; // all of the convolution, for the epilogue's indices
  Problem problem;      // of the results
  unsigned lanes = 1;
  TapPlaces taps;
  llvm::SmallVector<int64_t, 3> planeStrides; // of a padded plane in scratch memory
  int64_t outerOutputs = 1;                   // results outside of the innermost dimension
};
// Gives the phase's number of tasks and estimated time, and its scratch bytes, in `kernel`.
StatusOr<DepthwisePlan> planDepthwise(const ConvolutionSpec &spec, const MatmulTarget &target, llvm::StringRef symbol,
                                      bool hasEpilogue, Kernel &kernel);
void emitDepthwise(const DepthwisePlan &plan, const ConvolutionSpec &spec, llvm::Module &module, llvm::StringRef symbol,
                   const Epilogue &epilogue);

// The gradient of one with regard to its weights (depthwise_gradient.cpp).
struct DepthwiseGradientPlan {
  ConvolutionPart part;          // all of the convolution, for the epilogue's indices
  Problem problem;               // of the results
  unsigned lanes = 1, width = 1; // of a register, and of what channels are taken in
  TapPlaces taps;
  // A unit is a row of the window in one image, or one of `pieces` of it.
  int64_t pieces = 1, pieceSize = 1, units = 1, unitsPerPart = 1, unitsPerBlock = 1, parts = 1;
  int64_t slices = 1, sliceChannels = 1; // of the channels
  int64_t sliceWidth = 1, sliceSums = 1; // sums of a task for one result, and for all
  int64_t treeLevels = 0;                // none: sums are made one after the other

  void print(llvm::raw_ostream &os) const;
};

// How a convolution is computed: everything that is decided before its code is emitted.
struct ConvolutionPlan {
  Kernel kernel;
  ConvolutionSpec spec;
  MatmulTarget target;
  bool isEmpty = false; // there are no results
  std::optional<DepthwisePlan> depthwise;
  std::optional<DepthwiseGradientPlan> gradient;
  PaddedInput input;
  std::optional<PaddingPlan> padding; // the first phase, if the input is padded
  ContractionBuffers buffers;
  struct Part {
    ConvolutionPart part;
    ContractionPlan contraction;
  };
  llvm::SmallVector<Part, 1> parts; // one phase each
  double flops = 0;

  void print(llvm::raw_ostream &os) const;
};
// Fails when the spec is impossible, or the types do not go together.
StatusOr<ConvolutionPlan> planConvolution(const ConvolutionSpec &spec, const MatmulTarget &target,
                                          llvm::StringRef symbol, bool hasEpilogue = false);
// The output features of a panel, where the kernel is a constant that may lie in such: [panels, spatial dimensions in
// the result's order, inputs, features]. All of them where no register tile reads panels, but features do not lie side
// by side; 0 where the kernel is to stay as it is.
int64_t kernelPanelColumns(const ConvolutionSpec &spec, const MatmulTarget &target, bool hasEpilogue);
// The convolution with its kernel in such panels.
ConvolutionSpec inPanels(const ConvolutionSpec &spec, int64_t columns);
void emitConvolution(const ConvolutionPlan &plan, llvm::Module &module, const Epilogue &epilogue = {});

} // namespace tenon::codegen::matmul

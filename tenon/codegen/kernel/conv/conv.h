// Convolutions, all of them, as contractions over windows. See conv.cpp for the method.
#pragma once

#include "tenon/codegen/kernel/matmul/matmul.h"

namespace tenon::codegen::matmul {

// One spatial dimension.
struct ConvolutionWindow {
  int64_t inputSize = 1, kernelSize = 1, outputSize = 1;
  int64_t stride = 1;
  int64_t padLow = 0, padHigh = 0; // may be negative
  int64_t inputDilation = 1;       // lhs_dilation
  int64_t kernelDilation = 1;      // rhs_dilation
  bool reversed = false;
  int64_t lhsStride = 0, rhsStride = 0, outStride = 0; // elements
};

struct ConvolutionSpec {
  mlir::Type lhs, rhs, out, lhsAs, rhsAs, sum; // as in ContractionSpec

  mlir::Type lhsType() const { return lhsAs ? lhsAs : lhs; }
  mlir::Type rhsType() const { return rhsAs ? rhsAs : rhs; }

  int64_t batch = 1;          // of the input
  int64_t inputFeatures = 1;  // of the input, all groups
  int64_t outputFeatures = 1; // of the result, all groups
  int64_t featureGroups = 1, batchGroups = 1;
  llvm::SmallVector<ConvolutionWindow, 3> spatial; // in the order of the result's spatial dimensions

  // Element strides of the batch and feature dimensions (row-major strides of the arrays, whatever their layout).
  int64_t lhsBatchStride = 0, lhsFeatureStride = 0;
  int64_t rhsInputFeatureStride = 0, rhsOutputFeatureStride = 0;
  // A kernel in panels: so many output features lie side by side, and one panel of them `rhsPanelStride` behind the
  // other. 0: all are `rhsOutputFeatureStride` apart.
  int64_t rhsPanelColumns = 0, rhsPanelStride = 0;
  int64_t outBatchStride = 0, outFeatureStride = 0;

  // Where in the result's shape its batch, feature and spatial dimensions are, for the epilogue's indices.
  int outBatchDim = 0, outFeatureDim = 1;
  llvm::SmallVector<int, 3> outSpatialDims;

  // Buffer table: [lhs, rhs, extra operands..., out, temp?].
  int extraOperands = 0;
  llvm::SmallVector<FullOperand, 1> fullOperands;
  bool epilogueLanesAlongSpatial = false; // lanes may run along the last spatial dimension (batch when it is innermost)
  bool epilogueLanesMayWrap = false;
};

} // namespace tenon::codegen::matmul

// Numbers of cuDNN's enumerations.
#pragma once

#include "tenon/support/element_type.h"

#include <optional>

namespace tenon::runtime::cuda::dnn {

enum class Kind : int { // cudnnBackendDescriptorType_t
  kConvolution = 1,
  kEngine = 2,
  kEngineConfiguration = 3,
  kHeuristics = 4,
  kPlan = 5,
  kForward = 10,
  kKernelGradient = 11,
  kInputGradient = 12,
  kGraph = 15,
  kArguments = 16,
  kTensor = 17
};

enum class Attribute : int { // cudnnBackendAttributeName_t
  kSumType = 100,
  kMode = 101,
  kDilations = 102,
  kStrides = 103,
  kPadHigh = 104,
  kPadLow = 105,
  kSpatialDims = 106,
  kHeuristicsMode = 200,
  kHeuristicsGraph = 201,
  kHeuristicsResults = 202,
  kConfiguredEngine = 300,
  kPlanHandle = 400,
  kPlanConfiguration = 401,
  kPlanWorkspaceBytes = 402,
  kPlanRetention = 408, // since 9.28
  kForwardAlpha = 700,
  kForwardBeta = 701,
  kForwardConvolution = 702,
  kForwardKernel = 703,
  kForwardInput = 704,
  kForwardOutput = 705,
  kInputGradientAlpha = 706,
  kInputGradientBeta = 707,
  kInputGradientConvolution = 708,
  kInputGradientKernel = 709,
  kInputGradientInput = 710,
  kInputGradientOutput = 711,
  kKernelGradientAlpha = 712,
  kKernelGradientBeta = 713,
  kKernelGradientConvolution = 714,
  kKernelGradientKernel = 715,
  kKernelGradientInput = 716,
  kKernelGradientOutput = 717,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorSizes = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kArgumentIds = 1000,
  kArgumentPointers = 1001,
  kArgumentWorkspace = 1003,
  kEngineNotes = 1303
};

enum class Type : int { // cudnnBackendAttributeType_t
  kHandle = 0,
  kDataType = 1,
  kInt64 = 3,
  kFloat = 4,
  kDouble = 5,
  kPointer = 6,
  kConvolutionMode = 7,
  kHeuristicsMode = 8,
  kNote = 11,
  kDescriptor = 15,
  kRetention = 33
};

enum class Note : int { // cudnnBackendNumericalNote_t
  kTensorCores = 0,
  kRoundsOperands = 1,
  kRoundsSums = 2,
  kFft = 3,
  kNondeterministic = 4,
  kWinograd = 5
};

enum : int { kConvolutionMode = 0, kCorrelationMode = 1 };     // cudnnConvolutionMode_t
enum : int { kRecommended = 3 };                               // cudnnBackendHeurMode_t
enum : int { kNoRetention = 1 };                               // cudnnCudaGraphRetention_t
enum : int { kNotSupported = 3000, kNotSupportedLast = 3999 }; // cudnnStatus_t

// The number of cudnnDataType_t; none of types that convolutions have not.
constexpr std::optional<int> dataType(ElementType type) {
  switch (type) {
  case ElementType::kF32:
    return 0;
  case ElementType::kF64:
    return 1;
  case ElementType::kF16:
    return 2;
  case ElementType::kBF16:
    return 9;
  default:
    return std::nullopt;
  }
}

} // namespace tenon::runtime::cuda::dnn

// Our declarations of the driver's interface against NVIDIA's header, where the development environment has it. It is
// all checked when this is compiled.
#include "tenon/runtime/cuda/device_libraries.h"
#include "tenon/runtime/cuda/driver.h"

#include <cuda.h>
#if __has_include(<cusolverDn.h>) && __has_include(<cufft.h>) && __has_include(<cublasLt.h>)
// Packages of their own, which are not for tests alone.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>
#define TENON_HAS_LIBRARY_HEADERS
#endif
#if __has_include(<cudnn.h>)
#include "tenon/runtime/cuda/convolution_numbers.h"

#include <cudnn.h>
#define TENON_HAS_CUDNN_HEADER
#endif

#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

namespace tenon::runtime::cuda {
namespace {

// Whether values are passed in the same way: numbers of the same size, or pointers.
template <typename Ours, typename Theirs>
constexpr bool kPassedAlike = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <typename R1, typename... A1, typename R2, typename... A2> constexpr bool agree(R1 (*)(A1...), R2 (*)(A2...)) {
  if constexpr (sizeof...(A1) == sizeof...(A2))
    return kPassedAlike<R1, R2> && (kPassedAlike<A1, A2> && ...);
  return false;
}

#define TENON_SAME(member, function)                                                                                   \
  static_assert(agree(decltype(Driver::member)(), static_cast<decltype(&function)>(nullptr)), #function)

TENON_SAME(init, cuInit);
TENON_SAME(driverGetVersion, cuDriverGetVersion);
TENON_SAME(deviceGetCount, cuDeviceGetCount);
TENON_SAME(deviceGet, cuDeviceGet);
TENON_SAME(deviceGetAttribute, cuDeviceGetAttribute);
TENON_SAME(deviceGetName, cuDeviceGetName);
TENON_SAME(deviceTotalMem, cuDeviceTotalMem);
TENON_SAME(primaryContextRetain, cuDevicePrimaryCtxRetain);
TENON_SAME(primaryContextRelease, cuDevicePrimaryCtxRelease);
TENON_SAME(contextSetCurrent, cuCtxSetCurrent);
TENON_SAME(memAlloc, cuMemAlloc);
TENON_SAME(memFree, cuMemFree);
TENON_SAME(memAllocAsync, cuMemAllocAsync);
TENON_SAME(memFreeAsync, cuMemFreeAsync);
TENON_SAME(deviceGetDefaultMemoryPool, cuDeviceGetDefaultMemPool);
TENON_SAME(memoryPoolSetAttribute, cuMemPoolSetAttribute);
TENON_SAME(memcpyHtoDAsync, cuMemcpyHtoDAsync);
TENON_SAME(memcpyDtoHAsync, cuMemcpyDtoHAsync);
TENON_SAME(memcpyDtoDAsync, cuMemcpyDtoDAsync);
TENON_SAME(memcpyPeerAsync, cuMemcpyPeerAsync);
TENON_SAME(memcpy3DPeerAsync, cuMemcpy3DPeerAsync);
TENON_SAME(memsetD8Async, cuMemsetD8Async);
TENON_SAME(streamCreate, cuStreamCreate);
TENON_SAME(streamDestroy, cuStreamDestroy);
TENON_SAME(streamSynchronize, cuStreamSynchronize);
TENON_SAME(streamWaitEvent, cuStreamWaitEvent);
TENON_SAME(eventCreate, cuEventCreate);
TENON_SAME(eventRecord, cuEventRecord);
TENON_SAME(eventQuery, cuEventQuery);
TENON_SAME(eventSynchronize, cuEventSynchronize);
TENON_SAME(eventDestroy, cuEventDestroy);
TENON_SAME(moduleLoadData, cuModuleLoadData);
TENON_SAME(moduleUnload, cuModuleUnload);
TENON_SAME(moduleGetFunction, cuModuleGetFunction);
TENON_SAME(functionSetAttribute, cuFuncSetAttribute);
TENON_SAME(launchKernel, cuLaunchKernel);
TENON_SAME(launchCooperativeKernel, cuLaunchCooperativeKernel);
TENON_SAME(occupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor);

#define TENON_SAME_IN_COPY(member, theirs)                                                                             \
  static_assert(offsetof(PeerCopy, member) == offsetof(CUDA_MEMCPY3D_PEER, theirs), #theirs)

static_assert(sizeof(PeerCopy) == sizeof(CUDA_MEMCPY3D_PEER));
TENON_SAME_IN_COPY(from.xBytes, srcXInBytes);
TENON_SAME_IN_COPY(from.level, srcLOD);
TENON_SAME_IN_COPY(from.kind, srcMemoryType);
TENON_SAME_IN_COPY(from.address, srcDevice);
TENON_SAME_IN_COPY(from.context, srcContext);
TENON_SAME_IN_COPY(from.pitch, srcPitch);
TENON_SAME_IN_COPY(from.height, srcHeight);
TENON_SAME_IN_COPY(to.xBytes, dstXInBytes);
TENON_SAME_IN_COPY(to.kind, dstMemoryType);
TENON_SAME_IN_COPY(to.address, dstDevice);
TENON_SAME_IN_COPY(to.context, dstContext);
TENON_SAME_IN_COPY(to.height, dstHeight);
TENON_SAME_IN_COPY(rowBytes, WidthInBytes);
TENON_SAME_IN_COPY(rows, Height);
TENON_SAME_IN_COPY(planes, Depth);
static_assert(int(MemoryKind::kDevice) == CU_MEMORYTYPE_DEVICE);

TENON_SAME(contextGetCurrent, cuCtxGetCurrent);
TENON_SAME(contextGetDevice, cuCtxGetDevice);
TENON_SAME(memHostAlloc, cuMemHostAlloc);
TENON_SAME(memFreeHost, cuMemFreeHost);
TENON_SAME(graphCreate, cuGraphCreate);
TENON_SAME(graphDestroy, cuGraphDestroy);
TENON_SAME(graphConditionalHandleCreate, cuGraphConditionalHandleCreate);
TENON_SAME(graphAddNode, cuGraphAddNode);
TENON_SAME(graphInstantiate, cuGraphInstantiate);
TENON_SAME(graphExecDestroy, cuGraphExecDestroy);
TENON_SAME(graphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams);
TENON_SAME(graphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute);
TENON_SAME(graphLaunch, cuGraphLaunch);
TENON_SAME(streamBeginCaptureToGraph, cuStreamBeginCaptureToGraph);
TENON_SAME(streamGetCaptureInfo, cuStreamGetCaptureInfo);
TENON_SAME(streamEndCapture, cuStreamEndCapture);

#define TENON_SAME_IN(table, member, function)                                                                         \
  static_assert(agree(decltype(table::member)(), static_cast<decltype(&function)>(nullptr)), #function)

#ifdef TENON_HAS_CUDNN_HEADER
TENON_SAME_IN(ConvolutionTable, version, cudnnGetVersion);
TENON_SAME_IN(ConvolutionTable, cudaVersion, cudnnGetCudartVersion);
TENON_SAME_IN(ConvolutionTable, create, cudnnCreate);
TENON_SAME_IN(ConvolutionTable, destroy, cudnnDestroy);
TENON_SAME_IN(ConvolutionTable, setStream, cudnnSetStream);
TENON_SAME_IN(ConvolutionTable, createDescriptor, cudnnBackendCreateDescriptor);
TENON_SAME_IN(ConvolutionTable, destroyDescriptor, cudnnBackendDestroyDescriptor);
TENON_SAME_IN(ConvolutionTable, setAttribute, cudnnBackendSetAttribute);
TENON_SAME_IN(ConvolutionTable, getAttribute, cudnnBackendGetAttribute);
TENON_SAME_IN(ConvolutionTable, finalize, cudnnBackendFinalize);
TENON_SAME_IN(ConvolutionTable, execute, cudnnBackendExecute);

constexpr bool areKinds() {
  using enum dnn::Kind;
  return int(kConvolution) == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR && int(kEngine) == CUDNN_BACKEND_ENGINE_DESCRIPTOR &&
         int(kEngineConfiguration) == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR &&
         int(kHeuristics) == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR &&
         int(kPlan) == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR &&
         int(kForward) == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
         int(kKernelGradient) == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR &&
         int(kInputGradient) == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR &&
         int(kGraph) == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR &&
         int(kArguments) == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR && int(kTensor) == CUDNN_BACKEND_TENSOR_DESCRIPTOR;
}
constexpr bool areConvolutionAttributes() {
  using enum dnn::Attribute;
  return int(kSumType) == CUDNN_ATTR_CONVOLUTION_COMP_TYPE && int(kMode) == CUDNN_ATTR_CONVOLUTION_CONV_MODE &&
         int(kDilations) == CUDNN_ATTR_CONVOLUTION_DILATIONS &&
         int(kStrides) == CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES &&
         int(kPadHigh) == CUDNN_ATTR_CONVOLUTION_POST_PADDINGS && int(kPadLow) == CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS &&
         int(kSpatialDims) == CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS &&
         int(kForwardAlpha) == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA &&
         int(kForwardBeta) == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA &&
         int(kForwardConvolution) == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC &&
         int(kForwardKernel) == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W &&
         int(kForwardInput) == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X &&
         int(kForwardOutput) == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y &&
         int(kInputGradientAlpha) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA &&
         int(kInputGradientBeta) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA &&
         int(kInputGradientConvolution) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC &&
         int(kInputGradientKernel) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W &&
         int(kInputGradientInput) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX &&
         int(kInputGradientOutput) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY &&
         int(kKernelGradientAlpha) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA &&
         int(kKernelGradientBeta) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA &&
         int(kKernelGradientConvolution) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC &&
         int(kKernelGradientKernel) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW &&
         int(kKernelGradientInput) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X &&
         int(kKernelGradientOutput) == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY;
}
constexpr bool areOtherAttributes() {
  using enum dnn::Attribute;
  return int(kHeuristicsMode) == CUDNN_ATTR_ENGINEHEUR_MODE &&
         int(kHeuristicsGraph) == CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH &&
         int(kHeuristicsResults) == CUDNN_ATTR_ENGINEHEUR_RESULTS &&
         int(kConfiguredEngine) == CUDNN_ATTR_ENGINECFG_ENGINE &&
         int(kPlanHandle) == CUDNN_ATTR_EXECUTION_PLAN_HANDLE &&
         int(kPlanConfiguration) == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG &&
         int(kPlanWorkspaceBytes) == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE &&
#if CUDNN_VERSION >= 92800
         int(kPlanRetention) == CUDNN_ATTR_EXECUTION_PLAN_CUDA_GRAPH_RETENTION &&
#endif
         int(kGraphHandle) == CUDNN_ATTR_OPERATIONGRAPH_HANDLE &&
         int(kGraphOperations) == CUDNN_ATTR_OPERATIONGRAPH_OPS &&
         int(kTensorAlignment) == CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT && int(kTensorType) == CUDNN_ATTR_TENSOR_DATA_TYPE &&
         int(kTensorSizes) == CUDNN_ATTR_TENSOR_DIMENSIONS && int(kTensorStrides) == CUDNN_ATTR_TENSOR_STRIDES &&
         int(kTensorId) == CUDNN_ATTR_TENSOR_UNIQUE_ID && int(kArgumentIds) == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS &&
         int(kArgumentPointers) == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS &&
         int(kArgumentWorkspace) == CUDNN_ATTR_VARIANT_PACK_WORKSPACE &&
         int(kEngineNotes) == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE;
}
constexpr bool areTypes() {
  using enum dnn::Type;
  return int(kHandle) == CUDNN_TYPE_HANDLE && int(kDataType) == CUDNN_TYPE_DATA_TYPE &&
         int(kInt64) == CUDNN_TYPE_INT64 && int(kFloat) == CUDNN_TYPE_FLOAT && int(kDouble) == CUDNN_TYPE_DOUBLE &&
         int(kPointer) == CUDNN_TYPE_VOID_PTR && int(kConvolutionMode) == CUDNN_TYPE_CONVOLUTION_MODE &&
         int(kHeuristicsMode) == CUDNN_TYPE_HEUR_MODE && int(kNote) == CUDNN_TYPE_NUMERICAL_NOTE &&
#if CUDNN_VERSION >= 92800
         int(kRetention) == CUDNN_TYPE_CUDA_GRAPH_RETENTION &&
         int(dnn::kNoRetention) == CUDNN_CUDA_GRAPH_RETENTION_NONE &&
#endif
         int(kDescriptor) == CUDNN_TYPE_BACKEND_DESCRIPTOR;
}
static_assert(areKinds() && areConvolutionAttributes() && areOtherAttributes() && areTypes());
static_assert(int(dnn::Note::kTensorCores) == CUDNN_NUMERICAL_NOTE_TENSOR_CORE &&
              int(dnn::Note::kRoundsOperands) == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS &&
              int(dnn::Note::kRoundsSums) == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION &&
              int(dnn::Note::kFft) == CUDNN_NUMERICAL_NOTE_FFT &&
              int(dnn::Note::kNondeterministic) == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC &&
              int(dnn::Note::kWinograd) == CUDNN_NUMERICAL_NOTE_WINOGRAD);
static_assert(int(dnn::kConvolutionMode) == CUDNN_CONVOLUTION &&
              int(dnn::kCorrelationMode) == CUDNN_CROSS_CORRELATION && int(dnn::kRecommended) == CUDNN_HEUR_MODE_A &&
              int(dnn::kNotSupported) == CUDNN_STATUS_NOT_SUPPORTED &&
              int(dnn::kNotSupportedLast) < CUDNN_STATUS_INTERNAL_ERROR);
static_assert(dnn::dataType(ElementType::kF32) == CUDNN_DATA_FLOAT &&
              dnn::dataType(ElementType::kF64) == CUDNN_DATA_DOUBLE &&
              dnn::dataType(ElementType::kF16) == CUDNN_DATA_HALF &&
              dnn::dataType(ElementType::kBF16) == CUDNN_DATA_BFLOAT16);
#endif

#ifdef TENON_HAS_LIBRARY_HEADERS
TENON_SAME_IN(SolverTable, create, cusolverDnCreate);
TENON_SAME_IN(SolverTable, destroy, cusolverDnDestroy);
TENON_SAME_IN(SolverTable, setStream, cusolverDnSetStream);
TENON_SAME_IN(SolverTable, createParams, cusolverDnCreateParams);
TENON_SAME_IN(SolverTable, destroyParams, cusolverDnDestroyParams);
TENON_SAME_IN(SolverTable, potrfSizes, cusolverDnXpotrf_bufferSize);
TENON_SAME_IN(SolverTable, potrf, cusolverDnXpotrf);
#define TENON_SAME_OF_TYPES(table, member, single, doubles, complexSingle, complexDouble)                              \
  static_assert(agree(decltype(table::member)::value_type(), static_cast<decltype(&single)>(nullptr)), #single);       \
  static_assert(agree(decltype(table::member)::value_type(), static_cast<decltype(&doubles)>(nullptr)), #doubles);     \
  static_assert(agree(decltype(table::member)::value_type(), static_cast<decltype(&complexSingle)>(nullptr)),          \
                #complexSingle);                                                                                       \
  static_assert(agree(decltype(table::member)::value_type(), static_cast<decltype(&complexDouble)>(nullptr)),          \
                #complexDouble)

TENON_SAME_OF_TYPES(SolverTable, getrfSize, cusolverDnSgetrf_bufferSize, cusolverDnDgetrf_bufferSize,
                    cusolverDnCgetrf_bufferSize, cusolverDnZgetrf_bufferSize);
TENON_SAME_OF_TYPES(SolverTable, getrf, cusolverDnSgetrf, cusolverDnDgetrf, cusolverDnCgetrf, cusolverDnZgetrf);
TENON_SAME_OF_TYPES(SolverTable, geqrfSize, cusolverDnSgeqrf_bufferSize, cusolverDnDgeqrf_bufferSize,
                    cusolverDnCgeqrf_bufferSize, cusolverDnZgeqrf_bufferSize);
TENON_SAME_OF_TYPES(SolverTable, geqrf, cusolverDnSgeqrf, cusolverDnDgeqrf, cusolverDnCgeqrf, cusolverDnZgeqrf);
TENON_SAME_OF_TYPES(SolverTable, orgqrSize, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize,
                    cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize);
TENON_SAME_OF_TYPES(SolverTable, orgqr, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr, cusolverDnZungqr);
TENON_SAME_IN(SolverTable, syevdSizes, cusolverDnXsyevd_bufferSize);
TENON_SAME_IN(SolverTable, syevd, cusolverDnXsyevd);
TENON_SAME_IN(SolverTable, gesvdSizes, cusolverDnXgesvd_bufferSize);
TENON_SAME_IN(SolverTable, gesvd, cusolverDnXgesvd);
TENON_SAME_IN(FourierTable, planMany, cufftPlanMany);
TENON_SAME_IN(FourierTable, destroy, cufftDestroy);
TENON_SAME_IN(FourierTable, setStream, cufftSetStream);
TENON_SAME_IN(FourierTable, complexSingle, cufftExecC2C);
TENON_SAME_IN(FourierTable, complexDouble, cufftExecZ2Z);
TENON_SAME_IN(FourierTable, realSingle, cufftExecR2C);
TENON_SAME_IN(FourierTable, realDouble, cufftExecD2Z);
TENON_SAME_IN(FourierTable, toRealSingle, cufftExecC2R);
TENON_SAME_IN(FourierTable, toRealDouble, cufftExecZ2D);
TENON_SAME_IN(BlasTable, create, cublasCreate_v2);
TENON_SAME_IN(BlasTable, destroy, cublasDestroy_v2);
TENON_SAME_IN(BlasTable, setStream, cublasSetStream_v2);
TENON_SAME_IN(BlasTable, setWorkspace, cublasSetWorkspace_v2);
TENON_SAME_OF_TYPES(BlasTable, copy, cublasScopy_v2_64, cublasDcopy_v2_64, cublasScopy_v2_64, cublasDcopy_v2_64);
TENON_SAME_OF_TYPES(BlasTable, scale, cublasSscal_v2_64, cublasDscal_v2_64, cublasSscal_v2_64, cublasDscal_v2_64);
TENON_SAME_OF_TYPES(BlasTable, add, cublasSgeam_64, cublasDgeam_64, cublasCgeam_64, cublasZgeam_64);
TENON_SAME_OF_TYPES(BlasTable, solve, cublasStrsm_v2_64, cublasDtrsm_v2_64, cublasCtrsm_v2_64, cublasZtrsm_v2_64);
TENON_SAME_IN(ProductTable, create, cublasLtCreate);
TENON_SAME_IN(ProductTable, destroy, cublasLtDestroy);
TENON_SAME_IN(ProductTable, createDescription, cublasLtMatmulDescCreate);
TENON_SAME_IN(ProductTable, destroyDescription, cublasLtMatmulDescDestroy);
TENON_SAME_IN(ProductTable, setDescription, cublasLtMatmulDescSetAttribute);
TENON_SAME_IN(ProductTable, createLayout, cublasLtMatrixLayoutCreate);
TENON_SAME_IN(ProductTable, destroyLayout, cublasLtMatrixLayoutDestroy);
TENON_SAME_IN(ProductTable, setLayout, cublasLtMatrixLayoutSetAttribute);
TENON_SAME_IN(ProductTable, createPreference, cublasLtMatmulPreferenceCreate);
TENON_SAME_IN(ProductTable, destroyPreference, cublasLtMatmulPreferenceDestroy);
TENON_SAME_IN(ProductTable, setPreference, cublasLtMatmulPreferenceSetAttribute);
TENON_SAME_IN(ProductTable, algorithms, cublasLtMatmulAlgoGetHeuristic);
TENON_SAME_IN(ProductTable, multiply, cublasLtMatmul);
static_assert(sizeof(ProductAlgorithm) == sizeof(cublasLtMatmulHeuristicResult_t) &&
              sizeof(ProductAlgorithm::choice) == sizeof(cublasLtMatmulAlgo_t) &&
              offsetof(ProductAlgorithm, workspaceBytes) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(ProductAlgorithm, state) == offsetof(cublasLtMatmulHeuristicResult_t, state) &&
              offsetof(ProductAlgorithm, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
static_assert(dataType(ElementType::kF16) == CUDA_R_16F && dataType(ElementType::kBF16) == CUDA_R_16BF &&
              dataType(ElementType::kI8) == CUDA_R_8I && dataType(ElementType::kI32) == CUDA_R_32I);
// Numbers that product_library.cpp and blas_library.h have.
static_assert(CUBLAS_COMPUTE_32F == 68 && CUBLAS_COMPUTE_64F == 70 && CUBLAS_COMPUTE_32I == 72 &&
              CUBLASLT_MATMUL_DESC_TRANSA == 3 && CUBLASLT_MATMUL_DESC_TRANSB == 4 &&
              CUBLASLT_MATMUL_DESC_EPILOGUE == 7 && CUBLASLT_MATMUL_DESC_BIAS_POINTER == 8 &&
              CUBLASLT_EPILOGUE_BIAS == 4 && CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT == 5 &&
              CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET == 6 && CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == 1 &&
              CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK == 3 && CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES == 5 &&
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES == 8 && CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE == 2 &&
              CUBLAS_STATUS_NOT_SUPPORTED == 15);
static_assert(kNoTranspose == int(CUBLAS_OP_N) && kTranspose == int(CUBLAS_OP_T) && kAdjoint == int(CUBLAS_OP_C) &&
              kLeft == int(CUBLAS_SIDE_LEFT) && kRight == int(CUBLAS_SIDE_RIGHT) &&
              kLower == int(CUBLAS_FILL_MODE_LOWER) && kUpper == int(CUBLAS_FILL_MODE_UPPER) &&
              kNotUnit == int(CUBLAS_DIAG_NON_UNIT) && kUnit == int(CUBLAS_DIAG_UNIT));
static_assert(CUSOLVER_EIG_MODE_NOVECTOR == 0 && CUSOLVER_EIG_MODE_VECTOR == 1);
static_assert(CUDA_R_32F == 0 && CUDA_R_64F == 1 && CUDA_C_32F == 4 && CUDA_C_64F == 5 && CUBLAS_FILL_MODE_LOWER == 0 &&
              CUBLAS_FILL_MODE_UPPER == 1);
static_assert(CUFFT_R2C == 0x2a && CUFFT_C2C == 0x29 && CUFFT_D2Z == 0x6a && CUFFT_Z2Z == 0x69 && CUFFT_C2R == 0x2c &&
              CUFFT_Z2D == 0x6c && CUFFT_FORWARD == -1 && CUFFT_INVERSE == 1);
#endif

// NOLINTBEGIN(bugprone-sizeof-expression): the sizes of pointers are meant.
#define TENON_SAME_PLACE(ours, member, theirs, field)                                                                  \
  static_assert(offsetof(ours, member) == offsetof(theirs, field) && sizeof(ours::member) == sizeof(theirs::field))

static_assert(sizeof(GraphNodeParameters) == sizeof(CUgraphNodeParams) &&
              sizeof(KernelNodeParameters) == sizeof(CUDA_KERNEL_NODE_PARAMS));
TENON_SAME_PLACE(GraphNodeParameters, kind, CUgraphNodeParams, type);
TENON_SAME_PLACE(GraphNodeParameters, reserved1, CUgraphNodeParams, reserved1);
TENON_SAME_PLACE(KernelNodeParameters, function, CUDA_KERNEL_NODE_PARAMS, func);
TENON_SAME_PLACE(KernelNodeParameters, gridX, CUDA_KERNEL_NODE_PARAMS, gridDimX);
TENON_SAME_PLACE(KernelNodeParameters, blockZ, CUDA_KERNEL_NODE_PARAMS, blockDimZ);
TENON_SAME_PLACE(KernelNodeParameters, sharedBytes, CUDA_KERNEL_NODE_PARAMS, sharedMemBytes);
TENON_SAME_PLACE(KernelNodeParameters, parameters, CUDA_KERNEL_NODE_PARAMS, kernelParams);
TENON_SAME_PLACE(KernelNodeParameters, context, CUDA_KERNEL_NODE_PARAMS, ctx);
TENON_SAME_PLACE(ConditionalNodeParameters, handle, CUDA_CONDITIONAL_NODE_PARAMS, handle);
TENON_SAME_PLACE(ConditionalNodeParameters, kind, CUDA_CONDITIONAL_NODE_PARAMS, type);
TENON_SAME_PLACE(ConditionalNodeParameters, size, CUDA_CONDITIONAL_NODE_PARAMS, size);
TENON_SAME_PLACE(ConditionalNodeParameters, bodies, CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out);
TENON_SAME_PLACE(ConditionalNodeParameters, context, CUDA_CONDITIONAL_NODE_PARAMS, ctx);
// NOLINTEND(bugprone-sizeof-expression)
static_assert(int(GraphNodeKind::kKernel) == CU_GRAPH_NODE_TYPE_KERNEL &&
              int(GraphNodeKind::kConditional) == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
              int(ConditionalKind::kIf) == CU_GRAPH_COND_TYPE_IF &&
              int(ConditionalKind::kWhile) == CU_GRAPH_COND_TYPE_WHILE);

static_assert(int(Result::kSuccess) == CUDA_SUCCESS && int(Result::kInvalidValue) == CUDA_ERROR_INVALID_VALUE &&
              int(Result::kOutOfMemory) == CUDA_ERROR_OUT_OF_MEMORY &&
              int(Result::kNotInitialized) == CUDA_ERROR_NOT_INITIALIZED &&
              int(Result::kInvalidDevice) == CUDA_ERROR_INVALID_DEVICE &&
              int(Result::kInvalidImage) == CUDA_ERROR_INVALID_IMAGE &&
              int(Result::kInvalidContext) == CUDA_ERROR_INVALID_CONTEXT &&
              int(Result::kNoBinaryForGpu) == CUDA_ERROR_NO_BINARY_FOR_GPU &&
              int(Result::kInvalidHandle) == CUDA_ERROR_INVALID_HANDLE &&
              int(Result::kNotFound) == CUDA_ERROR_NOT_FOUND && int(Result::kNotReady) == CUDA_ERROR_NOT_READY &&
              int(Result::kLaunchFailed) == CUDA_ERROR_LAUNCH_FAILED &&
              int(Result::kCooperativeLaunchTooLarge) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE &&
              int(Result::kStreamCaptureUnsupported) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
              int(Result::kStreamCaptureInvalidated) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
static_assert(int(CaptureStatus::kNone) == CU_STREAM_CAPTURE_STATUS_NONE &&
              int(CaptureStatus::kActive) == CU_STREAM_CAPTURE_STATUS_ACTIVE &&
              int(CaptureStatus::kInvalidated) == CU_STREAM_CAPTURE_STATUS_INVALIDATED &&
              int(CaptureMode::kRelaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);

static_assert(int(DeviceAttribute::kMaxThreadsPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              int(DeviceAttribute::kMaxSharedBytesPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK &&
              int(DeviceAttribute::kWarpSize) == CU_DEVICE_ATTRIBUTE_WARP_SIZE &&
              int(DeviceAttribute::kMultiprocessors) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT &&
              int(DeviceAttribute::kComputeMajor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              int(DeviceAttribute::kComputeMinor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR &&
              int(DeviceAttribute::kMaxSharedBytesOptIn) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN &&
              int(FunctionAttribute::kMaxDynamicSharedBytes) == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(int(LaunchAttribute::kCooperative) == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
              sizeof(LaunchAttributeValue) == sizeof(CUlaunchAttributeValue));
TENON_SAME_PLACE(LaunchAttributeValue, cooperative, CUlaunchAttributeValue, cooperative);
static_assert(int(MemoryPoolAttribute::kReleaseThreshold) == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);

TEST(DriverDeclarations, AreTheHeaders) { EXPECT_GE(CUDA_VERSION, 12000); }

} // namespace
} // namespace tenon::runtime::cuda

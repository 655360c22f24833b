// One function an op. An op without a function here, and outside the Elementwise family, does not compile
// (dispatch.cpp).
#pragma once

#include "tenon/interpreter/elementwise.h"
#include "tenon/interpreter/evaluator.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::interpreter {

// Elementwise ops: the kernel that elementwise.h names, applied to every element.
template <typename Op>
  requires(Op::template hasTrait<ir::Elementwise>())
LogicalResult evaluate(Op op, Invocation &call) {
  llvm::SmallVector<ElementType, 3> types;
  for (const Value &operand : call.operands())
    types.push_back(operand.tensor().elementType());
  return applyElementwise(call, kernelOf(op, KernelTypes{types, call.elementTypeOf(0)}));
}

// Control flow, calls, tuples, tokens and the host (control.cpp, custom_call.cpp, channel.cpp).
LogicalResult evaluate(stablehlo::ReturnOp op, Invocation &call);
LogicalResult evaluate(stablehlo::IfOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CaseOp op, Invocation &call);
LogicalResult evaluate(stablehlo::WhileOp op, Invocation &call);
LogicalResult evaluate(stablehlo::OptimizationBarrierOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CompositeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CustomCallOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CreateTokenOp op, Invocation &call);
LogicalResult evaluate(stablehlo::AfterAllOp op, Invocation &call);
LogicalResult evaluate(stablehlo::TupleOp op, Invocation &call);
LogicalResult evaluate(stablehlo::GetTupleElementOp op, Invocation &call);
LogicalResult evaluate(stablehlo::InfeedOp op, Invocation &call);
LogicalResult evaluate(stablehlo::OutfeedOp op, Invocation &call);
LogicalResult evaluate(stablehlo::SendOp op, Invocation &call);
LogicalResult evaluate(stablehlo::RecvOp op, Invocation &call);

// Whole tensors and their elements' places (shape.cpp, indexing.cpp).
LogicalResult evaluate(stablehlo::ConstantOp op, Invocation &call);
LogicalResult evaluate(stablehlo::IotaOp op, Invocation &call);
LogicalResult evaluate(stablehlo::BitcastConvertOp op, Invocation &call);
LogicalResult evaluate(stablehlo::BroadcastInDimOp op, Invocation &call);
LogicalResult evaluate(stablehlo::BroadcastOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ConcatenateOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ReshapeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ReverseOp op, Invocation &call);
LogicalResult evaluate(stablehlo::TransposeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::PadOp op, Invocation &call);
LogicalResult evaluate(stablehlo::SliceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicSliceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicUpdateSliceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::GatherOp op, Invocation &call);
LogicalResult evaluate(stablehlo::GetDimensionSizeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::SetDimensionSizeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::TorchIndexSelectOp op, Invocation &call);

// The same with shapes given as values.
LogicalResult evaluate(stablehlo::DynamicBroadcastInDimOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicConvOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicGatherOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicIotaOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicPadOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DynamicReshapeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::RealDynamicSliceOp op, Invocation &call);

// Ops with a region applied to elements (reduction.cpp, window.cpp, sort.cpp, indexing.cpp).
LogicalResult evaluate(stablehlo::ReduceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ReduceWindowOp op, Invocation &call);
LogicalResult evaluate(stablehlo::SelectAndScatterOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ScatterOp op, Invocation &call);
LogicalResult evaluate(stablehlo::SortOp op, Invocation &call);
LogicalResult evaluate(stablehlo::MapOp op, Invocation &call);

// Products, solves, transforms, normalisation, random numbers.
LogicalResult evaluate(stablehlo::DotGeneralOp op, Invocation &call);
LogicalResult evaluate(stablehlo::DotOp op, Invocation &call);
LogicalResult evaluate(stablehlo::EinsumOp op, Invocation &call);
LogicalResult evaluate(stablehlo::UnaryEinsumOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ConvolutionOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CholeskyOp op, Invocation &call);
LogicalResult evaluate(stablehlo::TriangularSolveOp op, Invocation &call);
LogicalResult evaluate(stablehlo::FftOp op, Invocation &call);
LogicalResult evaluate(stablehlo::BatchNormGradOp op, Invocation &call);
LogicalResult evaluate(stablehlo::BatchNormInferenceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::BatchNormTrainingOp op, Invocation &call);
LogicalResult evaluate(stablehlo::RngOp op, Invocation &call);
LogicalResult evaluate(stablehlo::RngBitGeneratorOp op, Invocation &call);

// Collectives (collective.cpp).
LogicalResult evaluate(stablehlo::ReplicaIdOp op, Invocation &call);
LogicalResult evaluate(stablehlo::PartitionIdOp op, Invocation &call);
LogicalResult evaluate(stablehlo::AllGatherOp op, Invocation &call);
LogicalResult evaluate(stablehlo::AllReduceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::ReduceScatterOp op, Invocation &call);
LogicalResult evaluate(stablehlo::AllToAllOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CollectiveBroadcastOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CollectiveReduceOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CollectivePermuteOp op, Invocation &call);
LogicalResult evaluate(stablehlo::CrossReplicaSumOp op, Invocation &call);
LogicalResult evaluate(stablehlo::AsyncStartOp op, Invocation &call);
LogicalResult evaluate(stablehlo::AsyncDoneOp op, Invocation &call);

// Quantized values (quantize.cpp).
LogicalResult evaluate(stablehlo::UniformQuantizeOp op, Invocation &call);
LogicalResult evaluate(stablehlo::UniformDequantizeOp op, Invocation &call);

// CHLO beyond the elementwise (chlo.cpp).
LogicalResult evaluate(chlo::ConstantOp op, Invocation &call);
LogicalResult evaluate(chlo::ConstantLikeOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastAddOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastAndOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastAtan2Op op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastComplexOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastDivideOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastMaximumOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastMinimumOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastMultiplyOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastNextAfterOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastOrOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastPolygammaOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastPowerOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastRemainderOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastShiftLeftOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastShiftRightArithmeticOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastShiftRightLogicalOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastSubtractOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastXorOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastZetaOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastCompareOp op, Invocation &call);
LogicalResult evaluate(chlo::BroadcastSelectOp op, Invocation &call);
LogicalResult evaluate(chlo::RaggedDotOp op, Invocation &call);
LogicalResult evaluate(chlo::TopKOp op, Invocation &call);
LogicalResult evaluate(chlo::ScanOp op, Invocation &call);

// Operations that the passes add, and functions (control.cpp).
LogicalResult evaluate(ir::FusionOp op, Invocation &call);
LogicalResult evaluate(ir::YieldOp op, Invocation &call);
LogicalResult evaluate(mlir::func::CallOp op, Invocation &call);
LogicalResult evaluate(mlir::func::ReturnOp op, Invocation &call);

// Operations of shardings; there is one shard (collective.cpp).
LogicalResult evaluate(sdy::MeshOp op, Invocation &call);
LogicalResult evaluate(sdy::ShardingGroupOp op, Invocation &call);
LogicalResult evaluate(sdy::ConstantOp op, Invocation &call);
LogicalResult evaluate(sdy::ManualComputationOp op, Invocation &call);
LogicalResult evaluate(sdy::NamedComputationOp op, Invocation &call);
LogicalResult evaluate(sdy::ReturnOp op, Invocation &call);

} // namespace tenon::interpreter

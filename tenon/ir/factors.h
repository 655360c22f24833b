// How the dimensions of an op's operands and results belong together when they are cut among devices: factors.
//
//   dot_general   ([i, k], [k, j])->([i, j]) {i=4, j=16, k=8} reduction={k}
//   reshape       ([ij, k])->([i, j, k])     {i=2, j=2, k=16}
//
// A dimension is one factor or several, major to minor, and what is cut along a factor in one tensor may be cut along
// it in all. Each op has one factorsOf() here, which are in the files factors_<topic>.cpp, like those of shape
// inference; an op without one does not compile (factors.cpp). Where Shardy has a rule for an op, these are its
// factors in its order, so that propagation is the same: scripts/compare_with_shardy.py looks.
#pragma once

#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include <optional>
#include <string>

namespace tenon::ir {

/// What an op does along a factor whose dimensions are cut.
enum class FactorType {
  kPassThrough, // devices compute their parts on their own
  kReduction,   // devices compute summands (or factors, maxima, ...) of the result
  kMoves,       // devices send elements to their neighbours
  kReplicated,  // every device needs the whole dimension
};

struct Factor {
  int64_t size = 1;
  FactorType type = FactorType::kPassThrough;
  bool isBlocked = false; // shardings are not propagated along it
  bool operator==(const Factor &) const = default;
};

/// The numbers of the factors that a dimension consists of, major to minor; at least one.
using DimFactors = llvm::SmallVector<int64_t, 1>;
/// Those of each dimension.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

struct Factors {
  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<TensorFactors, 3> operands, results;
  bool isCustom = false; // the program says so, of an op that has none by itself

  bool operator==(const Factors &) const = default;
};

/// None where nothing is propagated from operands to results: an op without tensors, control flow (whose edges
/// propagation knows itself), a custom call of unknown meaning.
using MaybeFactors = std::optional<Factors>;

/// Finds any op's: by its `sdy.sharding_rule`, otherwise by its factorsOf() below. None for shapes that are not static.
MaybeFactors findFactors(mlir::Operation *op);

/// The factors of an op whose operands and results have the dimensions of this shape, all of them.
Factors identityFactors(llvm::ArrayRef<int64_t> shape, size_t operands, size_t results);

/// In Shardy's notation, without the angle brackets.
std::string toString(const Factors &factors);
/// None if the text is no such notation, or names factors or dimensions inconsistently.
MaybeFactors parseFactors(llvm::StringRef text);

//===- By op -----------------------------------------------------------------------------------------------------===//

/// Dimension i of every operand and result is factor i, of the first result's size.
MaybeFactors elementwiseFactors(mlir::Operation *op);

template <typename Op>
  requires(Op::template hasTrait<Elementwise>())
MaybeFactors factorsOf(Op op) {
  return elementwiseFactors(op);
}

template <typename Op, typename... Ops> inline constexpr bool isOneOf = (std::is_same_v<Op, Ops> || ...);

/// Ops without factors: those without operands, of which each use may have its own; those whose shapes are operands,
/// which are refined before; those with regions that are edges (tenon/passes/partition/propagate/edges.h); those that
/// are expanded before; tokens, tuples and the host; what earlier and later stages have.
template <typename Op>
  requires(isOneOf<Op, stablehlo::ConstantOp, stablehlo::IotaOp, stablehlo::ReplicaIdOp, stablehlo::PartitionIdOp,
                   chlo::ConstantOp, sdy::ConstantOp,                                                           //
                   stablehlo::DynamicBroadcastInDimOp, stablehlo::DynamicConvOp, stablehlo::DynamicGatherOp,    //
                   stablehlo::DynamicIotaOp, stablehlo::DynamicPadOp, stablehlo::DynamicReshapeOp,              //
                   stablehlo::RealDynamicSliceOp, stablehlo::GetDimensionSizeOp, stablehlo::SetDimensionSizeOp, //
                   stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp, stablehlo::OptimizationBarrierOp,    //
                   sdy::ManualComputationOp, sdy::NamedComputationOp,                                           //
                   stablehlo::CompositeOp, stablehlo::AsyncStartOp, stablehlo::AsyncDoneOp,                     //
                   stablehlo::BatchNormGradOp, stablehlo::BatchNormTrainingOp, stablehlo::CollectiveReduceOp,   //
                   stablehlo::CreateTokenOp, stablehlo::AfterAllOp, stablehlo::TupleOp,                         //
                   stablehlo::GetTupleElementOp, stablehlo::InfeedOp, stablehlo::OutfeedOp, stablehlo::SendOp,  //
                   stablehlo::RecvOp, stablehlo::ReturnOp, sdy::ReturnOp, sdy::MeshOp, sdy::ShardingGroupOp,    //
                   FusionOp, YieldOp>)
MaybeFactors factorsOf(Op) {
  return std::nullopt;
}

// Ops that move elements (factors_shape.cpp).
MaybeFactors factorsOf(stablehlo::BitcastConvertOp op);
MaybeFactors factorsOf(stablehlo::BroadcastInDimOp op);
MaybeFactors factorsOf(stablehlo::BroadcastOp op);
MaybeFactors factorsOf(stablehlo::ConcatenateOp op);
MaybeFactors factorsOf(stablehlo::ReshapeOp op);
MaybeFactors factorsOf(stablehlo::ReverseOp op);
MaybeFactors factorsOf(stablehlo::TransposeOp op);
MaybeFactors factorsOf(stablehlo::PadOp op);
MaybeFactors factorsOf(stablehlo::SliceOp op);

// Ops with indices (factors_index.cpp).
MaybeFactors factorsOf(stablehlo::DynamicSliceOp op);
MaybeFactors factorsOf(stablehlo::DynamicUpdateSliceOp op);
MaybeFactors factorsOf(stablehlo::GatherOp op);
MaybeFactors factorsOf(stablehlo::ScatterOp op);
MaybeFactors factorsOf(stablehlo::TorchIndexSelectOp op);

// Ops with a region applied to elements, and collectives (factors_reduction.cpp).
MaybeFactors factorsOf(stablehlo::ReduceOp op);
MaybeFactors factorsOf(stablehlo::ReduceWindowOp op);
MaybeFactors factorsOf(stablehlo::SelectAndScatterOp op);
MaybeFactors factorsOf(stablehlo::SortOp op);
MaybeFactors factorsOf(stablehlo::MapOp op);
MaybeFactors factorsOf(stablehlo::AllGatherOp op);
MaybeFactors factorsOf(stablehlo::AllReduceOp op);
MaybeFactors factorsOf(stablehlo::ReduceScatterOp op);
MaybeFactors factorsOf(stablehlo::AllToAllOp op);
MaybeFactors factorsOf(stablehlo::CollectiveBroadcastOp op);
MaybeFactors factorsOf(stablehlo::CollectivePermuteOp op);
MaybeFactors factorsOf(stablehlo::CrossReplicaSumOp op);

// Products, solves, transforms, random numbers (factors_linear_algebra.cpp).
MaybeFactors factorsOf(stablehlo::DotGeneralOp op);
MaybeFactors factorsOf(stablehlo::DotOp op);
MaybeFactors factorsOf(stablehlo::EinsumOp op);
MaybeFactors factorsOf(stablehlo::UnaryEinsumOp op);
MaybeFactors factorsOf(stablehlo::ConvolutionOp op);
MaybeFactors factorsOf(stablehlo::CholeskyOp op);
MaybeFactors factorsOf(stablehlo::TriangularSolveOp op);
MaybeFactors factorsOf(stablehlo::FftOp op);
MaybeFactors factorsOf(stablehlo::BatchNormInferenceOp op);
MaybeFactors factorsOf(stablehlo::RngOp op);
MaybeFactors factorsOf(stablehlo::RngBitGeneratorOp op);

// By the name of what is called (factors_custom_call.cpp).
MaybeFactors factorsOf(stablehlo::CustomCallOp op);

/// The forms of CHLO that broadcast both operands to the result (factors_chlo.cpp).
MaybeFactors broadcastingFactors(mlir::Operation *op, std::optional<llvm::ArrayRef<int64_t>> dimensions);
template <typename Op>
  requires requires(Op op) {
    { op.getBroadcastDimensions() } -> std::same_as<std::optional<llvm::ArrayRef<int64_t>>>;
    op.getLhs();
  }
MaybeFactors factorsOf(Op op) {
  return broadcastingFactors(op, op.getBroadcastDimensions());
}
MaybeFactors factorsOf(chlo::BroadcastSelectOp op);
MaybeFactors factorsOf(chlo::ConstantLikeOp op);
MaybeFactors factorsOf(chlo::RaggedDotOp op);
MaybeFactors factorsOf(chlo::TopKOp op);
MaybeFactors factorsOf(chlo::ScanOp op);

} // namespace tenon::ir

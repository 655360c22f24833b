// Tenon's own dialect: what the passes add to a program (tenon.fusion, tenon.yield).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tenon/ops/tenon_dialect.h.inc"

namespace tenon::ir {

/// The shape to compile for, on an argument of main whose type is dynamic (array<i64>).
inline constexpr llvm::StringLiteral kShapeAttribute = "tenon.shape";
/// The elements, on an argument of main that is a list of integers or one, as far as refineShapes needs them
/// (array<i64>).
inline constexpr llvm::StringLiteral kKnownValueAttribute = "tenon.known_value";
/// The elements, on an argument that the program is compiled for: it may have no others (array<i64>).
inline constexpr llvm::StringLiteral kValueAttribute = "tenon.value";
/// The declared type, as text, on an argument that was refined.
inline constexpr llvm::StringLiteral kDeclaredTypeAttribute = "tenon.declared_type";
/// The number of a result and of its dimension, on a result that is that dimension's size (array<i64>).
inline constexpr llvm::StringLiteral kSizeOfAttribute = "tenon.size_of";
/// The layout of an argument or result of main in the caller's memory (dictionary: minor_to_major and, if any, padded,
/// both array<i64>, and padding, the bytes of an element). kStoredAttribute takes its place once the program has that
/// layout, and describes the array that the memory holds (dictionary: dims, minor_to_major).
inline constexpr llvm::StringLiteral kLayoutAttribute = "tenon.layout";
inline constexpr llvm::StringLiteral kStoredAttribute = "tenon.stored";
/// The zero point of each result, on a collective of stored quantized values (array<i64>).
inline constexpr llvm::StringLiteral kZeroPointsAttribute = "tenon.zero_points";
/// Marks a custom call whose results are the parts of one tuple (unit).
inline constexpr llvm::StringLiteral kTupleResultAttribute = "tenon.tuple_result";
/// A custom call without operands that gives the seed of the run's random numbers (ui64).
inline constexpr llvm::StringLiteral kRunSeedTarget = "tenon.run_seed";

/// Custom calls that find a process's place in the grid and move arrays between processes
/// (runtime/collectives/collectives.h); their backend_config has the groups or pairs of processes.
inline constexpr llvm::StringLiteral kReplicaIdTarget = "tenon.replica_id";
inline constexpr llvm::StringLiteral kPartitionIdTarget = "tenon.partition_id";
inline constexpr llvm::StringLiteral kGroupSizeTarget = "tenon.group_size";
inline constexpr llvm::StringLiteral kGroupPlaceTarget = "tenon.group_place";
inline constexpr llvm::StringLiteral kGatherGroupTarget = "tenon.gather_group";
inline constexpr llvm::StringLiteral kExchangeGroupTarget = "tenon.exchange_group";
inline constexpr llvm::StringLiteral kPermuteTarget = "tenon.permute";
inline constexpr llvm::StringLiteral kExchangeRowsTarget = "tenon.exchange_rows";
/// A custom call that runs a module's code for all devices of a mesh (runtime/jit/manual_computation.h); its
/// backend_config has the number of that module, in the order of those that outlineManualComputations makes.
inline constexpr llvm::StringLiteral kManualComputationTarget = "tenon.manual_computation";
/// The number of a module inside a module among those that outlineManualComputations made (i64).
inline constexpr llvm::StringLiteral kManualComputationAttribute = "tenon.manual_computation";
/// Marks a module that runs once for all partitions of a replica, on whole arrays (unit).
inline constexpr llvm::StringLiteral kUnpartitionedAttribute = "tenon.unpartitioned";

} // namespace tenon::ir
#include "tenon/ops/tenon_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/tenon_attributes.h.inc"

#define GET_OP_CLASSES
#include "tenon/ops/tenon_ops.h.inc"

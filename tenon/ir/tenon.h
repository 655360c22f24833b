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

/// Of an argument of main whose type is dynamic: the shape to compile for (array<i64>).
inline constexpr llvm::StringLiteral kShapeAttribute = "tenon.shape";
/// Of an argument of main, a list of integers or one: its elements, as far as refineShapes needs them (array<i64>).
inline constexpr llvm::StringLiteral kKnownValueAttribute = "tenon.known_value";
/// The same of an argument that the program is compiled for: it may have no other elements (array<i64>).
inline constexpr llvm::StringLiteral kValueAttribute = "tenon.value";
/// Of an argument that was refined: the type it had, as text.
inline constexpr llvm::StringLiteral kDeclaredTypeAttribute = "tenon.declared_type";
/// Of a result that is the size of another one: that result's number and the dimension (array<i64>).
inline constexpr llvm::StringLiteral kSizeOfAttribute = "tenon.size_of";
/// Of an argument or result of main: how it lies in the caller's memory (dictionary: minor_to_major and,
/// if any, padded, both array<i64>, and padding, the bytes of an element); once that is done, which array the memory
/// holds (dictionary: dims, minor_to_major).
inline constexpr llvm::StringLiteral kLayoutAttribute = "tenon.layout";
inline constexpr llvm::StringLiteral kStoredAttribute = "tenon.stored";
/// Of a collective on stored quantized values: what stands for zero in each result (array<i64>).
inline constexpr llvm::StringLiteral kZeroPointsAttribute = "tenon.zero_points";
/// Of a custom call: its results are the parts of one tuple (unit).
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
/// A custom call that runs a module's code for all devices of a mesh (runtime/jit/shards.h); its backend_config has the
/// number of that module, in the order of those that outlineShards makes.
inline constexpr llvm::StringLiteral kRunShardsTarget = "tenon.run_shards";
/// Of a module inside a module: its number among those that outlineShards made (i64).
inline constexpr llvm::StringLiteral kShardsAttribute = "tenon.shards";
/// Of a module: it runs once for all partitions of a replica, whose arrays are whole (unit).
inline constexpr llvm::StringLiteral kWholeArraysAttribute = "tenon.whole_arrays";

} // namespace tenon::ir
#include "tenon/ops/tenon_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/tenon_attributes.h.inc"

#define GET_OP_CLASSES
#include "tenon/ops/tenon_ops.h.inc"

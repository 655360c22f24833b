// The StableHLO dialect: op `stablehlo.some_name` is class tenon::stablehlo::SomeNameOp, without exception.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "tenon/ops/stablehlo_dialect.h.inc"
#include "tenon/ops/stablehlo_enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tenon/ops/stablehlo_types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/ops/stablehlo_attributes.h.inc"

namespace tenon::stablehlo {

/// Resources that the host-facing ops and rng read and write, so that they keep their order.
struct InfeedResource : mlir::SideEffects::Resource::Base<InfeedResource> {
  llvm::StringRef getName() final { return "stablehlo.infeed"; }
};
struct OutfeedResource : mlir::SideEffects::Resource::Base<OutfeedResource> {
  llvm::StringRef getName() final { return "stablehlo.outfeed"; }
};
struct ChannelResource : mlir::SideEffects::Resource::Base<ChannelResource> {
  llvm::StringRef getName() final { return "stablehlo.channel"; }
};
struct RngResource : mlir::SideEffects::Resource::Base<RngResource> {
  llvm::StringRef getName() final { return "stablehlo.rng"; }
};

} // namespace tenon::stablehlo

#define GET_OP_CLASSES
#include "tenon/ops/stablehlo_ops.h.inc"

// The dialect of portable artifacts, as far as a reader needs it: attributes and types are decoded straight to those of
// builtin and StableHLO, operations are known by name only (vhlo_table.h) and carry their attributes unconverted until
// convertVhlo runs.
#pragma once

#include "mlir/IR/ExtensibleDialect.h"

namespace tenon::frontend {

class VhloDialect : public mlir::ExtensibleDialect {
public:
  explicit VhloDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return llvm::StringLiteral("vhlo"); }
};

} // namespace tenon::frontend

MLIR_DECLARE_EXPLICIT_TYPE_ID(tenon::frontend::VhloDialect)

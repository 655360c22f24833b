// How the project's dialects are inlined.
#pragma once

#include "mlir/Transforms/InliningUtils.h"

namespace tenon::ir {

/// All ops are free of context, so they may be inlined anywhere.
struct InlineAnywhere : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Operation *, bool) const final { return true; }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
};

} // namespace tenon::ir

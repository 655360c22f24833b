// What a user can do about an op that is computed whole, for the report (partition.h, Fallback).
#pragma once

#include "tenon/passes/partition/local/local_form.h"

#include <string>

namespace tenon::passes::partition {

/// What would have the op computed in parts, which its form cannot cut in that many along the factor, and of which no
/// other dimension takes the axes: what the form says itself; or fewer parts; or another size of another dimension.
std::string remedyOf(mlir::Operation *op, const ir::Factors &factors, const LocalForm &form, size_t factor,
                     int64_t parts);

/// The same of an op that has no factors.
std::string remedyOfUnknown(mlir::Operation *op);

} // namespace tenon::passes::partition

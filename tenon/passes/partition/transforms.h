// Fourier transforms along dimensions that are cut.
#pragma once

#include "tenon/ir/factors.h"
#include "tenon/ir/mesh.h"
#include "tenon/ir/stablehlo.h"

#include <string>

namespace tenon::passes::partition {

/// Writes before a transform, whose operand lies as given, ops that compute it and need no dimension whole that cannot
/// be: by one dimension after the other, each of which gives its axes to another one meanwhile, or, of an array of one
/// dimension, as rows and columns of a matrix. Gives the last one's result; none, with nothing written, where no
/// transformed dimension is cut, or batches can take all its axes, or the array is small.
mlir::Value splitTransform(stablehlo::FftOp op, const ir::Sharding &operand, const ir::MeshTable &meshes);

/// What would let that be of a transform along a dimension that is cut in so many parts (LocalForm::remedy).
std::string remedyOfTransform(mlir::Operation *op, const ir::Factors &factors, size_t factor, int64_t parts);

} // namespace tenon::passes::partition

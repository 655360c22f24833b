// What becomes an attention's kernel, or its gradient's, is found by its products.
#pragma once

#include "tenon/ir/tenon.h"
#include "tenon/passes/passes.h"

namespace tenon::passes {

// A product with one result, alone or with what is made of it.
bool isDot(mlir::Operation *op);

// Computes what is made of products' results in the order of dimensions that these have. Before ops are grouped.
// (sink_transposes.cpp)
void sinkTransposes(mlir::Block &block);

// Puts the kernels of an attention's gradient into one. Before joinAttention, to which it leaves the attention.
// (attention_gradient.cpp)
void joinAttentionGradients(mlir::Block &block, const FuseOptions &options);

} // namespace tenon::passes

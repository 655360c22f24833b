// The elementwise ops of a dot or convolution fusion, computed on the accumulator before it is stored.
#pragma once

#include "tenon/codegen/cpu/matmul/matmul.h"
#include "tenon/ir/tenon.h"

namespace tenon::codegen {

using matmul::Epilogue, matmul::EpilogueContext;

bool canEmitEpilogue(ir::FusionOp fusion, mlir::Operation *contraction);

// The callback refers to the fusion's ops; it must not outlive them.
Epilogue makeEpilogue(ir::FusionOp fusion, mlir::Operation *contraction);

} // namespace tenon::codegen

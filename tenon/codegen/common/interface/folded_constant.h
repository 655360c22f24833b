#pragma once

#include "tenon/ir/tenon.h"
#include "tenon/program/program.h"

namespace tenon::codegen {

// The bytes of a fusion with ir::kFoldedAttribute, row-major. Fails where the data of its constant are missing, or on
// anything else than it may have.
llvm::FailureOr<program::Constant> foldedConstant(ir::FusionOp fusion);

} // namespace tenon::codegen

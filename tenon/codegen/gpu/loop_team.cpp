#include "tenon/codegen/gpu/loop_team.h"

using namespace llvm;

namespace tenon::codegen {

void LoopTeamCode::emitStart() {
  if (isAlone()) {
    thread_ = b_.getInt64(0);
    return;
  }
  thread_ = team_.isOneBlock() ? b_.CreateZExt(gpu_.number(GpuBuilder::Number::kThread), b_.getInt64Ty())
                               : gpu_.threadInGrid();
  b_.CreateAssumption(b_.CreateICmpULT(thread_, threads()));
  isFirst_ = b_.CreateICmpEQ(thread_, b_.getInt64(0));
}

void LoopTeamCode::emitBarrier() {
  if (team_.isOneBlock())
    gpu_.emitBarrier();
  else
    gpu_.emitClusterBarrier();
}

Value *LoopTeamCode::wordOf(Value *number) {
  Value *words = team_.isOneBlock() ? gpu_.sharedMemory() : words_;
  return b_.CreateGEP(b_.getInt32Ty(), words, b_.CreateZExt(number, b_.getInt64Ty()));
}

} // namespace tenon::codegen

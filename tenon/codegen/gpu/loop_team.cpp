#include "tenon/codegen/gpu/loop_team.h"

#include "tenon/codegen/gpu/control_code.h"

#include <string>
#include <utility>

using namespace llvm;

namespace tenon::codegen {

using Number = GpuBuilder::Number;

StatusOr<ForcedLoops> ForcedLoops::parse(std::string_view word, const GpuChip &chip) {
  static constexpr std::pair<std::string_view, ForcedLoops> kWords[] = {
      {"", {}},
      {"nodes", {Form::kNodes}},
      {"block", {Form::kBlock}},
      {"cluster2", {Form::kCluster, 2}},
      {"cluster4", {Form::kCluster, 4}},
      {"cluster8", {Form::kCluster, 8}},
      {"grid", {Form::kGrid}},
  };
  for (const auto &[name, loops] : kWords)
    if (name == word) {
      if (loops.blocks > chip.mostClusterBlocks)
        return invalidArgument("loops are to be '" + std::string(word) + "', but " + std::string(chip.name) +
                               " has clusters of at most " + std::to_string(chip.mostClusterBlocks) + " blocks");
      return loops;
    }
  return invalidArgument("loops cannot be '" + std::string(word) +
                         "': they are nodes, block, cluster2, cluster4, cluster8 or grid");
}

void LoopTeamCode::emitStart() {
  threads_ = team_.isGrid ? gpu_.threadsInGrid() : b_.getInt64(uint64_t(team_.most()));
  if (isAlone()) {
    thread_ = b_.getInt64(0);
    return;
  }
  thread_ = team_.isOneBlock() ? b_.CreateZExt(gpu_.number(Number::kThread), b_.getInt64Ty()) : gpu_.threadInGrid();
  b_.CreateAssumption(b_.CreateICmpULT(thread_, b_.getInt64(uint64_t(team_.most()))));
  isFirst_ = b_.CreateICmpEQ(thread_, b_.getInt64(0));
  if (!team_.isGrid)
    return;
  blocks_ = gpu_.number(Number::kBlocks);
  BasicBlock *entry = b_.GetInsertBlock();
  arrived_ = IRBuilder<>(entry, entry->begin()).CreateAlloca(b_.getInt32Ty());
  b_.CreateStore(b_.getInt32(0), arrived_);
}

Value *LoopTeamCode::block() const { return team_.isOneBlock() ? b_.getInt64(0) : gpu_.blockInGrid(); }

Value *LoopTeamCode::blocks() const {
  return team_.isGrid ? b_.CreateZExt(blocks_, b_.getInt64Ty()) : b_.getInt64(uint64_t(team_.blocks));
}

void LoopTeamCode::emitBarrier() {
  if (team_.isGrid)
    emitGridBarrier();
  else if (team_.isOneBlock())
    gpu_.emitBarrier();
  else
    gpu_.emitClusterBarrier();
}

void LoopTeamCode::emitGridBarrier() {
  Value *arrived = b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), arrived_), blocks_);
  b_.CreateStore(arrived, arrived_);
  Value *word = wordAt(words_, b_.getInt32(kLoopWords), gpu_);
  gpu_.emitBarrier();
  ControlCode code(gpu_);
  code.onlyIf(b_.CreateICmpEQ(gpu_.number(Number::kThread), b_.getInt32(0)), [&] {
    gpu_.addRelease(b_.getInt32(1), word);
    BasicBlock *look = code.block("look"), *pause = code.block("pause"), *after = code.block("arrived");
    b_.CreateBr(look);
    b_.SetInsertPoint(look);
    Value *ahead = b_.CreateSub(gpu_.loadAcquire(word), arrived);
    b_.CreateCondBr(b_.CreateICmpSLT(ahead, b_.getInt32(0)), pause, after);
    b_.SetInsertPoint(pause);
    gpu_.emitPause();
    b_.CreateBr(look);
    b_.SetInsertPoint(after);
  });
  gpu_.emitBarrier();
}

Value *LoopTeamCode::wordOf(Value *number) {
  return wordAt(team_.isOneBlock() ? gpu_.sharedMemory() : words_, number, gpu_);
}

Value *LoopTeamCode::wordAt(Value *words, Value *number, GpuBuilder &gpu) {
  return gpu.b.CreateGEP(gpu.b.getInt32Ty(), words, gpu.b.CreateZExt(number, gpu.b.getInt64Ty()));
}

void LoopTeamCode::emitClear(Value *words, GpuBuilder &gpu) {
  gpu.b.CreateStore(gpu.b.getInt32(0), wordAt(words, gpu.b.getInt32(kLoopWords), gpu));
}

} // namespace tenon::codegen

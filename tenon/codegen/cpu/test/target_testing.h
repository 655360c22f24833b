// Small kernels to compile.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <atomic>

namespace tenon::codegen::testing {

// out[i] = in[i] * in[i] + 1 by vectors of `lanes` floats.
inline void emitKernel(llvm::Module &module, const std::string &name, int lanes, int copies = 1) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, i64, i64, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  auto *entry = llvm::BasicBlock::Create(context, "entry", function);
  auto *loop = llvm::BasicBlock::Create(context, "loop", function);
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  llvm::Value *in = b.CreateLoad(pointer, function->getArg(0));
  llvm::Value *out = b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, function->getArg(0), 1));
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(i64, 2);
  i->addIncoming(function->getArg(1), entry);
  auto *vector = llvm::FixedVectorType::get(b.getFloatTy(), unsigned(lanes));
  llvm::Value *x = b.CreateAlignedLoad(vector, b.CreateGEP(vector, in, i), llvm::Align(4));
  for (int k = 0; k < copies; ++k)
    x = b.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {x, x, llvm::ConstantFP::get(vector, k + 1.0)});
  b.CreateAlignedStore(x, b.CreateGEP(vector, out, i), llvm::Align(4));
  llvm::Value *next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpSLT(next, function->getArg(2)), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
}

// Jobs that count how many of them have been emitted.
inline std::vector<CompileJob> manyJobs(int count, std::atomic<int> &emitted) {
  std::vector<CompileJob> jobs;
  for (int i = 0; i < count; ++i) {
    CompileJob job;
    job.name = "kernel" + std::to_string(i);
    job.emit = [name = job.name, &emitted](llvm::Module &module) {
      emitKernel(module, name, 16, 20);
      ++emitted;
      return Status();
    };
    jobs.push_back(std::move(job));
  }
  return jobs;
}

} // namespace tenon::codegen::testing

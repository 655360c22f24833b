// Tests of passes over one function, `kernel`, that is given as text.
#pragma once

#include "tenon/codegen/cpu/instructions/cpu_instructions.h"
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/pass_analyses.h"
#include "tenon/codegen/llvm/testing/jit.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace tenon::codegen::testing {

inline std::unique_ptr<llvm::Module> parseModule(const std::string &text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << " at line " << error.getLineNo() << '\n' << text;
  return module;
}

// Runs the passes, one after the other, for an x86-64 chip with these features, and verifies what they leave.
template <typename... Passes>
void runPasses(llvm::Module &module, llvm::ArrayRef<llvm::StringRef> features, Passes... each) {
  auto has = [&](llvm::StringRef feature) { return llvm::is_contained(features, feature); };
  math::useInstructions(module, cpuInstructions(llvm::Triple("x86_64-pc-linux-gnu"), has));
  llvm::PassBuilder builder;
  PassAnalyses analyses;
  analyses.add(builder);
  llvm::FunctionPassManager passes;
  (passes.addPass(std::move(each)), ...);
  passes.run(*module.getFunction("kernel"), analyses.functions);
  std::string message;
  llvm::raw_string_ostream stream(message);
  EXPECT_FALSE(llvm::verifyModule(module, &stream)) << message << Jit::toText(module);
}

} // namespace tenon::codegen::testing

// Object code for tests and benchmarks of the loader.
#pragma once

#include "tenon/program/program.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace tenon::runtime {

// The object code of LLVM IR for this machine.
inline program::ObjectCode assemble(const std::string &name, const std::string &text) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    llvm::report_fatal_error(llvm::StringRef(diagnostic.getMessage()));
  std::string error;
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(triple, llvm::sys::getHostCPUName(), "", {},
                                                                           llvm::Reloc::PIC_, llvm::CodeModel::Small));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(*module);
  return {name, std::string(object.data(), object.size())};
}

// out[i] = in[i] * 3 for tasks of one element; the factor lies in read-only data.
inline const char *const kernelText = R"(
define void @triple(ptr %buffers, i64 %begin, i64 %end, ptr %scratch) {
entry:
  %in = load ptr, ptr %buffers
  %p = getelementptr ptr, ptr %buffers, i64 1
  %out = load ptr, ptr %p
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %a = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %a
  %y = fmul float %x, 3.0
  %b = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %b
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";

} // namespace tenon::runtime

#include "tenon/aot/code_linker.h"

#include "tenon/aot/digest.h"
#include "tenon/aot/stack_bound.h"
#include "tenon/aot/target_preparation.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>

namespace tenon::aot {
namespace {

Status fromError(llvm::Error error) { return internalError("object code: " + llvm::toString(std::move(error))); }

// Collects the frames' sizes, which LLVM warns of, and errors of code generation.
class FrameListener final : public llvm::DiagnosticHandler {
public:
  explicit FrameListener(FrameSizes &frames, std::string &errors) : frames_(frames), errors_(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (const auto *frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
      frames_[&frame->getFunction()] = int64_t(frame->getStackSize());
    } else if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(errors_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      stream << "\n";
    }
    return true;
  }

private:
  FrameSizes &frames_;
  std::string &errors_;
};

// A symbol's name in C. Mach-O has a line before each.
std::string inC(llvm::StringRef symbol, const llvm::Triple &triple) {
  if (triple.isOSBinFormatMachO())
    symbol.consume_front("_");
  return symbol.str();
}

// What linkers make themselves: of ELF where code on ARM counts distances from, of WebAssembly memory, stack and table.
bool isMadeByLinkers(llvm::StringRef symbol) {
  return symbol.empty() || symbol == "_GLOBAL_OFFSET_TABLE_" || symbol == "__linear_memory" ||
         symbol == "__indirect_function_table" || symbol == "__stack_pointer";
}

Status readObject(const llvm::Triple &triple, LinkedCode &code) {
  llvm::MemoryBufferRef buffer(code.object, "object");
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return fromError(file.takeError());
  std::set<std::string> undefined;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return fromError(flags.takeError());
    auto name = symbol.getName();
    if (!name)
      return fromError(name.takeError());
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !isMadeByLinkers(*name))
      undefined.insert(inC(*name, triple));
  }
  code.undefined.assign(undefined.begin(), undefined.end());
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    bool isElf = (*file)->isELF(), isWritable = section.isBSS();
    if (isElf) {
      uint64_t flags = llvm::object::ELFSectionRef(section).getFlags();
      if (!(flags & llvm::ELF::SHF_ALLOC))
        continue;
      isWritable = flags & llvm::ELF::SHF_WRITE;
    }
    if (section.isText())
      code.codeBytes += int64_t(section.getSize());
    else if (isElf || section.isData() || section.isBSS())
      (isWritable ? code.writableBytes : code.readOnlyBytes) += int64_t(section.getSize());
  }
  return {};
}

} // namespace

CodeLinker::CodeLinker(const codegen::CpuTarget &target, LinkedContents contents)
    : target_(target), contents_(contents), module_(std::make_unique<llvm::Module>("model", context_)) {
  context_.setDiscardValueNames(contents_ == LinkedContents::kCode); // without names there is no reading of text
  target.prepareModule(*module_);
}

StatusOr<std::unique_ptr<llvm::Module>> CodeLinker::parse(std::string_view bitcode) {
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef({bitcode.data(), bitcode.size()}, "code"), context_);
  if (!module)
    return internalError("the program's code is no bitcode: " + llvm::toString(module.takeError()));
  return std::move(*module);
}

StatusOr<std::unique_ptr<llvm::Module>> CodeLinker::compileText(const std::string &text) {
  llvm::LLVMContext own;
  llvm::LLVMContext &context = contents_ == LinkedContents::kGlue ? context_ : own;
  llvm::SMDiagnostic diagnostic;
  // Pointers' alignment is taken from the layout while the text is read.
  std::string layout = module_->getDataLayoutStr();
  auto callback = [&](llvm::StringRef, llvm::StringRef) { return std::optional<std::string>(layout); };
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssembly(llvm::MemoryBufferRef(text, "text"), diagnostic, context, nullptr, callback);
  if (!module)
    return internalError("ahead-of-time code, line " + std::to_string(diagnostic.getLineNo()) + ": " +
                         diagnostic.getMessage().str());
  if (contents_ == LinkedContents::kGlue)
    return std::move(module);
  codegen::CompileOptions options;
  options.bitcode = true;
  TENON_ASSIGN_OR_RETURN(std::string bitcode, codegen::compileModule(*module, target_, options));
  return parse(bitcode);
}

StatusOr<std::set<std::string>> CodeLinker::begin(const std::vector<program::ObjectCode> &objects,
                                                  const std::function<bool(const program::ObjectCode &)> &shared) {
  std::set<std::string> defined, used;
  for (const program::ObjectCode &object : objects) {
    TENON_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> module, parse(object.bytes));
    for (const llvm::GlobalValue &value : module->global_values())
      if (!value.hasLocalLinkage() && !value.getName().starts_with("llvm."))
        (value.isDeclaration() ? used : defined).insert(value.getName().str());
    begun_.push_back({std::move(module), shared(object) ? digestOf(object.bytes) : ""});
  }
  std::set<std::string> undefined;
  std::set_difference(used.begin(), used.end(), defined.begin(), defined.end(),
                      std::inserter(undefined, undefined.end()));
  return undefined;
}

Status CodeLinker::end(const std::string &text, const std::string &name, const std::vector<std::string> &names) {
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> around, compileText(text));
  begun_.push_back({std::move(around), ""});
  std::map<std::string, std::string> renamed;
  for (const Unit &unit : begun_)
    for (const llvm::GlobalValue &value : unit.module->global_values())
      if (std::string symbol = value.getName().str();
          !value.isDeclaration() && !value.hasLocalLinkage() && !llvm::is_contained(names, symbol))
        renamed[symbol] = symbol + "." + (unit.digest.empty() ? name : unit.digest);
  for (Unit &unit : begun_) {
    if (!unit.digest.empty() && !taken_.insert(unit.digest).second)
      continue;
    for (llvm::GlobalValue &value : unit.module->global_values())
      if (!value.hasLocalLinkage())
        if (auto found = renamed.find(value.getName().str()); found != renamed.end())
          value.setName(found->second);
    TENON_RETURN_IF_ERROR(link(std::move(unit.module)));
  }
  begun_.clear();
  return {};
}

Status CodeLinker::add(const std::string &text) {
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> module, compileText(text));
  return link(std::move(module));
}

void CodeLinker::addData(const std::string &symbol, std::string_view bytes) {
  llvm::Constant *contents = llvm::ConstantDataArray::getString(context_, {bytes.data(), bytes.size()}, false);
  auto *data = new llvm::GlobalVariable(*module_, contents->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::ExternalLinkage, contents);
  if (llvm::GlobalVariable *declared = module_->getGlobalVariable(symbol)) {
    declared->replaceAllUsesWith(data);
    declared->eraseFromParent();
  }
  data->setName(symbol);
  data->setAlignment(llvm::Align(kDataAlignment));
  dataBytes_ += int64_t(bytes.size());
}

Status CodeLinker::link(std::unique_ptr<llvm::Module> module) {
  std::string name = module->getName().str();
  if (llvm::Linker::linkModules(*module_, std::move(module)))
    return internalError("the code of '" + name + "' cannot be linked");
  return {};
}

std::set<std::string> CodeLinker::undefined() const {
  std::set<std::string> symbols;
  for (const llvm::GlobalValue &value : module_->global_values())
    if (value.isDeclaration() && !value.getName().starts_with("llvm."))
      symbols.insert(value.getName().str());
  return symbols;
}

StatusOr<LinkedCode> CodeLinker::finish(const std::vector<std::string> &publicSymbols) {
  for (llvm::GlobalValue &value : module_->global_values())
    if (!value.isDeclaration() && !llvm::is_contained(publicSymbols, value.getName().str()) &&
        !value.hasPrivateLinkage()) {
      value.setVisibility(llvm::GlobalValue::DefaultVisibility);
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  for (llvm::Function &function : *module_)
    if (!function.isDeclaration())
      function.addFnAttr("warn-stack-size", "0");
  prepareForTarget(*module_);

  FrameSizes frames;
  std::string errors;
  context_.setDiagnosticHandler(std::make_unique<FrameListener>(frames, errors));
  std::unique_ptr<llvm::TargetMachine> machine = target_.createTargetMachine();
  if (contents_ == LinkedContents::kGlue)
    machine->setOptLevel(llvm::CodeGenOptLevel::None);
  llvm::SmallVector<char, 0> bytes;
  bytes.reserve(size_t(dataBytes_) + (size_t(1) << 16)); // weights are large, and would be copied as the vector grows
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile, /*DisableVerify=*/true))
    return unimplemented("LLVM cannot emit objects for '" + target_.triple() + "'");
  passes.run(*module_);
  if (!errors.empty())
    return internalError("code generation for '" + target_.triple() + "': " + errors);

  LinkedCode code;
  code.object.assign(bytes.data(), bytes.size());
  llvm::SmallVector<char, 0>().swap(bytes);
  TENON_RETURN_IF_ERROR(readObject(module_->getTargetTriple(), code));
  code.readOnlyBytes -= dataBytes_;
  StackBound stack(*module_, frames, target_.vectorBits());
  for (const std::string &symbol : publicSymbols)
    if (const llvm::Function *function = module_->getFunction(symbol)) {
      TENON_ASSIGN_OR_RETURN(code.stackBytes[symbol], stack.of(*function));
    }
  return code;
}

} // namespace tenon::aot

// A plug-in of clang-tidy that narrows what its checks look at to the declarations that the source and the project's
// headers make. Without it, the first matcher that asks for a parent makes clang-tidy read all of a precompiled header
// and record the parents of everything in it: two seconds for each source.

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

namespace {

using namespace clang;

// Instantiations are reached from their templates.
bool isInstantiation(const Decl *decl) {
  if (const auto *function = dyn_cast<FunctionDecl>(decl)) {
    return function->getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  }
  if (const auto *variable = dyn_cast<VarDecl>(decl)) {
    return variable->getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  }
  return false;
}

class ScopeConsumer : public ASTConsumer {
public:
  explicit ScopeConsumer(const SourceManager &sources) : sources_(sources) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *decl : group) {
      SourceLocation location = sources_.getExpansionLoc(decl->getLocation());
      if (!decl->isFromASTFile() && !sources_.isInSystemHeader(location) && !isInstantiation(decl)) {
        scope_.push_back(decl);
      }
    }
    return true;
  }

  void HandleTranslationUnit(ASTContext &context) override { context.setTraversalScope(scope_); }

private:
  const SourceManager &sources_;
  std::vector<Decl *> scope_;
};

class ScopeAction : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    return std::make_unique<ScopeConsumer>(compiler.getSourceManager());
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<ScopeAction> registration("tenon-tidy-scope", "checks only what the project declares");

} // namespace

// MLIR's diagnostics as text.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tenon::frontend {

struct DiagnosticOptions {
  // The program's name in messages.
  std::string fileName;
  // Its bytes, to quote from where they are text. They must outlive the reader.
  std::string_view source;
  // Quote from other files that locations name: a framework's programs point into the user's source. Not for programs
  // of someone else, who could have any file read to him.
  bool quotesFiles = false;
  bool hasColors = false;
};

// While it lives, gives each diagnostic of a context to `consume` as compilers print it: "file:line:column: error:
// message", the source line and a caret, then its notes. One at a time, in no order across threads.
class DiagnosticReader {
public:
  using Consumer = std::function<void(mlir::DiagnosticSeverity, std::string_view text)>;
  DiagnosticReader(mlir::MLIRContext &context, DiagnosticOptions options, Consumer consume);

private:
  void append(std::string &text, mlir::Diagnostic &diagnostic);
  // The number of the buffer to quote from; 0 when there is none.
  unsigned findSource(llvm::StringRef fileName);

  DiagnosticOptions options_;
  Consumer consume_;
  std::mutex mutex_;
  llvm::SourceMgr sources_;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace tenon::frontend

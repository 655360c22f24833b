#include "tenon/frontend/import/diagnostics.h"
#include "tenon/frontend/import/import.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::frontend {
namespace {

// The place in a file that a location is about: the innermost one of a call chain.
FileLineColLoc findPlace(Location location) {
  if (auto place = llvm::dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto call = llvm::dyn_cast<CallSiteLoc>(location))
    return findPlace(call.getCallee());
  if (auto name = llvm::dyn_cast<NameLoc>(location))
    return findPlace(name.getChildLoc());
  if (auto fused = llvm::dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (auto place = findPlace(part))
        return place;
  return {};
}

// The name that a framework gave an operation ("jit(f)/dot_general"), if any.
StringRef findName(Location location) {
  auto name = llvm::dyn_cast<NameLoc>(location);
  return name ? name.getName().getValue() : "";
}

llvm::SourceMgr::DiagKind kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return llvm::SourceMgr::DK_Error;
  case DiagnosticSeverity::Warning:
    return llvm::SourceMgr::DK_Warning;
  case DiagnosticSeverity::Remark:
    return llvm::SourceMgr::DK_Remark;
  case DiagnosticSeverity::Note:
    return llvm::SourceMgr::DK_Note;
  }
  return llvm::SourceMgr::DK_Note;
}

// The place in `source` to point at; invalid where the line is nothing to print.
llvm::SMLoc quotable(llvm::SourceMgr &sources, unsigned source, FileLineColLoc place) {
  constexpr size_t kLongestLine = 200;
  if (place.getLine() == 0)
    return {};
  llvm::SMLoc start = sources.FindLocForLineAndColumn(source, place.getLine(), 1);
  if (!start.isValid())
    return start;
  const char *end = sources.getMemoryBuffer(source)->getBufferEnd();
  StringRef rest(start.getPointer(), end - start.getPointer());
  StringRef line = rest.take_until([](char c) { return c == '\n'; }).rtrim('\r');
  bool isText = llvm::all_of(line, [](char c) { return c == '\t' || llvm::isPrint(c); });
  if (!isText || line.size() > kLongestLine || place.getColumn() > line.size() + 1)
    return {};
  return sources.FindLocForLineAndColumn(source, place.getLine(), std::max(1u, place.getColumn()));
}

} // namespace

DiagnosticReader::DiagnosticReader(MLIRContext &context, DiagnosticOptions given, Consumer consume)
    : options_(std::move(given)), consume_(std::move(consume)), handler_(&context, [this](Diagnostic &diagnostic) {
        std::lock_guard lock(mutex_);
        std::string text;
        append(text, diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          append(text, note);
        this->consume_(diagnostic.getSeverity(), text);
        return success();
      }) {
  if (sniffFormat(options_.source) == ProgramFormat::kText)
    sources_.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(options_.source, options_.fileName, /*RequiresNullTerminator=*/false),
        llvm::SMLoc());
}

unsigned DiagnosticReader::findSource(StringRef name) {
  for (unsigned id = 1; id <= sources_.getNumBuffers(); ++id)
    if (sources_.getMemoryBuffer(id)->getBufferIdentifier() == name)
      return id;
  if (name == options_.fileName || !options_.quotesFiles)
    return 0;
  auto file = llvm::MemoryBuffer::getFile(name, /*IsText=*/true);
  if (!file)
    return 0;
  return sources_.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
}

void DiagnosticReader::append(std::string &text, Diagnostic &diagnostic) {
  llvm::raw_string_ostream out(text);
  Location location = diagnostic.getLocation();
  llvm::SourceMgr::DiagKind kind = kindOf(diagnostic.getSeverity());
  FileLineColLoc place = findPlace(location);
  StringRef file = place ? place.getFilename().getValue() : StringRef(options_.fileName);
  unsigned source = place ? findSource(file) : 0;
  llvm::SMLoc at = source ? quotable(sources_, source, place) : llvm::SMLoc();
  if (at.isValid()) {
    sources_.GetMessage(at, kind, diagnostic.str()).print(nullptr, out, options_.hasColors);
    return;
  }
  static constexpr StringRef kNames[] = {"error", "warning", "remark", "note"};
  out << file;
  // Lines of the program itself say nothing where it is binary.
  if (place && place.getLine() && (source || file != options_.fileName))
    out << ":" << place.getLine() << ":" << place.getColumn();
  out << ": " << kNames[kind] << ": " << diagnostic.str();
  if (StringRef name = findName(location); !name.empty())
    out << " (in " << name << ")";
  out << "\n";
}

} // namespace tenon::frontend

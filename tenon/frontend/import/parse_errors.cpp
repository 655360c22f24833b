#include "tenon/frontend/import/parse_errors.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace tenon::frontend {

using llvm::StringRef;

namespace {

// The text from the place of the diagnostic on; empty where it has none in the text.
StringRef textAt(mlir::Location location, StringRef text) {
  auto place = llvm::dyn_cast<mlir::FileLineColLoc>(location);
  if (!place || place.getLine() == 0 || place.getColumn() == 0)
    return "";
  for (unsigned line = 1; line < place.getLine() && !text.empty(); ++line)
    text = text.drop_until([](char c) { return c == '\n'; }).drop_front(std::min<size_t>(1, text.size()));
  return text.drop_front(std::min<size_t>(text.size(), place.getColumn() - 1));
}

// A value or block with its sigil: %0, ^bb1.
StringRef nameAt(StringRef text) {
  if (text.empty() || (text.front() != '%' && text.front() != '^'))
    return "";
  return text.take_front(
      1 + text.drop_front()
              .take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-'; })
              .size());
}

// The name in single quotes behind `words`; empty where the message has none there.
StringRef quotedAfter(StringRef message, StringRef words) {
  return message.split(words).second.split('\'').second.split('\'').first;
}

// The operation of a program's dialects whose name is the likeliest to have been meant; empty where none is near.
StringRef nearestOperation(mlir::MLIRContext &context, StringRef wrong) {
  constexpr StringRef kDialects[] = {"stablehlo", "chlo", "func", "sdy"}; // in this order, where several have the name
  StringRef base = wrong.contains('.') ? wrong.split('.').second : wrong;
  auto allowed = static_cast<unsigned>(std::max<size_t>(1, base.size() / 3));
  StringRef nearest;
  std::pair<unsigned, size_t> best{~0u, 0};
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    StringRef name = op.getStringRef(), dialect = op.getDialectNamespace();
    const auto *order = llvm::find(kDialects, dialect);
    if (order == std::end(kDialects))
      continue;
    StringRef known = name.drop_front(dialect.size() + 1);
    unsigned distance = base.edit_distance(known, /*AllowReplacements=*/true, allowed);
    // Abbreviations: mul for multiply.
    if (distance > allowed && base.size() >= 3 && known.starts_with(base))
      distance = allowed;
    std::pair<unsigned, size_t> rank{distance, order - kDialects};
    if (distance <= allowed && (rank < best || (rank == best && name < nearest))) {
      best = rank;
      nearest = name;
    }
  }
  return nearest;
}

std::string unknownOperation(mlir::MLIRContext &context, StringRef name) {
  std::string message = ("unknown operation '" + name + "'").str();
  if (StringRef nearest = nearestOperation(context, name); !nearest.empty())
    message += ("; did you mean '" + nearest + "'?").str();
  return message;
}

// The string that ends where `rest` begins: MLIR points behind the name of a generic operation.
StringRef stringBefore(StringRef text, StringRef rest) {
  StringRef before = text.drop_back(rest.size());
  if (!before.consume_back("\""))
    return "";
  return before.substr(before.rfind('"') + 1); // npos is -1
}

std::optional<std::string> clarified(mlir::Diagnostic &diagnostic, StringRef text) {
  std::string message = diagnostic.str();
  StringRef said = message, at = textAt(diagnostic.getLocation(), text);
  mlir::MLIRContext &context = *diagnostic.getLocation()->getContext();
  if (said == "use of undeclared SSA value name" || said == "reference to an undefined block")
    return nameAt(at).empty() ? std::nullopt : std::optional(message + " '" + nameAt(at).str() + "'");
  StringRef unknown;
  for (StringRef words :
       {"custom op ", "unregistered operation "}) // "Dialect `mhlo' not found for custom op 'mhlo.add'"
    if (unknown.empty())
      unknown = quotedAfter(said, words);
  if (said.starts_with("operation being parsed with an unregistered dialect"))
    unknown = stringBefore(text, at);
  bool begins = !at.empty() && at.begin() == text.ltrim().begin();
  StringRef isNone = begins ? "not a StableHLO program: " : "";
  if (!unknown.empty())
    return (isNone + unknownOperation(context, unknown)).str();
  if (begins && said.starts_with("expected operation name"))
    return (isNone + said).str();
  return std::nullopt;
}

} // namespace

void clarifyParseError(mlir::Diagnostic &diagnostic, StringRef text) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
    return;
  auto message = clarified(diagnostic, text);
  if (!message)
    return;
  // Without its notes, which list MLIR's own dialects or print the operation again.
  mlir::Diagnostic better(diagnostic.getLocation(), diagnostic.getSeverity());
  better << llvm::Twine(*message);
  diagnostic = std::move(better);
}

} // namespace tenon::frontend

// MLIR's language server over our dialects. It trusts its input: what comes in is checked here and handed on through a
// pipe.
#include "tenon/frontend/import/text.h"
#include "tenon/ir/register.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace tenon::tools {

namespace {

using nlohmann::json;

constexpr size_t kMaxMessage = size_t{256} << 20;
constexpr int kMaxDepth = 100;

void complain(const std::string &message) { llvm::errs() << "tenon lsp: error: " << message << "\n"; }

// Header lines, an empty line, the message. Nothing at the end of the input, or, with an error, where it is none of
// this.
std::optional<std::string> readMessage(std::FILE *input, bool &failed) {
  std::string line;
  size_t length = 0;
  for (int c; (c = std::fgetc(input)) != EOF;) {
    line += char(c);
    if (line.size() > 4096)
      break;
    if (c != '\n')
      continue;
    llvm::StringRef header = llvm::StringRef(line).trim();
    if (header.empty() && length > 0) {
      std::string message(length, '\0');
      if (std::fread(message.data(), 1, length, input) == length)
        return message;
      complain("the input ends within a message");
      failed = true;
      return std::nullopt;
    }
    if (header.empty() || !header.contains(':'))
      break;
    if (header.consume_front_insensitive("content-length:") &&
        (header.trim().getAsInteger(10, length) || length == 0 || length > kMaxMessage))
      break;
    line.clear();
  }
  failed = !line.empty() || length > 0;
  if (failed)
    complain("expected a header, Content-Length: BYTES, and an empty line");
  return std::nullopt;
}

// Makes the program's text one that MLIR's parser takes, and survives. Fails if it cannot.
bool modernize(json &holder) {
  if (!holder.is_object() || !holder.contains("text") || !holder["text"].is_string())
    return true;
  auto &text = holder["text"].get_ref<std::string &>();
  if (frontend::findHazard(text))
    return false;
  if (std::optional<std::string> modern = frontend::modernizeText(text))
    text = *modern;
  return true;
}

// The message as it goes to the server, or nothing, with an error, where that could not read it.
std::optional<std::string> checkMessage(const std::string &text) {
  bool isTooDeep = false;
  json message = json::parse(
      text,
      [&](int depth, json::parse_event_t, json &) {
        isTooDeep |= depth > kMaxDepth;
        return !isTooDeep;
      },
      /*allow_exceptions=*/false);
  if (isTooDeep || message.is_discarded()) {
    complain(isTooDeep ? "a message nests too deep" : "a message is not JSON");
    return std::nullopt;
  }
  bool isRequest = message.is_object() && message.value("jsonrpc", json()) == "2.0" &&
                   (message.contains("method") ? message["method"].is_string() : message.contains("id"));
  if (!isRequest) {
    complain("a message is not JSON-RPC 2.0");
    return std::nullopt;
  }
  bool isReadable = true;
  if (auto params = message.find("params"); params != message.end() && params->is_object()) {
    if (params->contains("textDocument"))
      isReadable &= modernize((*params)["textDocument"]);
    if (auto changes = params->find("contentChanges"); changes != params->end() && changes->is_array())
      for (json &change : *changes)
        isReadable &= modernize(change);
  }
  if (!isReadable) {
    complain("brackets or terms of a program nest too deep");
    return std::nullopt;
  }
  return message.dump();
}

void writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written <= 0)
      return; // the server has gone
    bytes.remove_prefix(size_t(written));
  }
}

} // namespace

int lspCommand(const LspOptions &options) {
  int ends[2];
  int input = ::dup(STDIN_FILENO);
  if (input < 0 || ::pipe(ends) != 0 || ::dup2(ends[0], STDIN_FILENO) < 0)
    return reportError(std::string("cannot read standard input: ") + std::strerror(errno));
  ::close(ends[0]);
  std::atomic<bool> failed = false;
  std::thread reader([input, output = ends[1], &failed] {
    std::FILE *file = ::fdopen(input, "rb");
    bool isBroken = false;
    while (std::optional<std::string> text = readMessage(file, isBroken))
      if (std::optional<std::string> message = checkMessage(*text))
        writeAll(output, "Content-Length: " + std::to_string(message->size()) + "\r\n\r\n" + *message);
    failed = isBroken;
    ::close(output);
  });
  reader.detach(); // it may wait for input after the server was told to exit

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  std::string name = "tenon lsp", log = "--log=" + options.log;
  char *arguments[] = {name.data(), log.data(), nullptr};
  bool isDone = llvm::succeeded(mlir::MlirLspServerMain(2, arguments, registry));
  llvm::outs().flush();
  // The reader may still be running: no destructors.
  std::_Exit(isDone && !failed ? 0 : 1);
}

} // namespace tenon::tools

// `tenon serve` as the command knows it. The server itself, with gRPC and whatever else it alone needs, is in a library
// of its own, which is opened when the server is started: a process that serves nobody would spend half of its start on
// it.
#pragma once

#include "tenon/status.h"

#include <string>

namespace tenon::server {

struct ServeOptions {
  std::string listen = "127.0.0.1:8470";
  std::string target = "cpu";
  std::string metrics;
  std::string models, http;
  double modelPoll = 2; // seconds
  int64_t requestBytes = int64_t{64} << 20;
  std::string certificate, privateKey, clientAuthorities, tokenFile; // files
  int maxClients = 256;
  int64_t maxMemory = int64_t{8} << 30;
  int64_t maxPrograms = 1000;
  int maxConcurrent = 8;
  double maxDeadline = 0; // seconds, as those below
  double compileTimeout = 60;
  int64_t compileMemory = int64_t{8} << 30;
  double grace = 10;
  std::string logLevel = "info";
  bool printPort = false;
};

// The process in which the server compiles one program.
struct WorkerOptions {
  std::string target = "cpu"; // as backend::compilerOf knows it
  int64_t memory = 0;
  int64_t cpuSeconds = 0;
};

// Both return the exit status.
struct Commands {
  int (*serve)(const ServeOptions &options);
  int (*work)(const WorkerOptions &options);
};

// The symbol that gives these: of the program, where the server is linked into it, or of the library, which is of the
// same build and takes the rest of Tenon from the program that opens it.
inline constexpr const char kCommandsSymbol[] = "tenonServerCommands";
using GetCommands = const Commands *();

StatusOr<Commands> openCommands();

} // namespace tenon::server

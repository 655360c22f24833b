#include "tenon/runtime/core/runtime_call.h"
#include "tenon/server/command/command.h"
#include "tenon/server/log.h"
#include "tenon/server/server.h"
#include "tenon/server/worker.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

namespace tenon::server {
namespace {

Status readFile(const std::string &path, std::string &text) {
  if (path.empty())
    return {};
  std::ifstream file(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file)
    return notFound("cannot read '" + path + "'");
  if (text.empty())
    return invalidArgument("'" + path + "' is empty");
  return {};
}

// What the libraries have to say becomes lines like the others; of protobuf, that a message is none, which the client
// learns.
void takeLogs() {
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_function([](gpr_log_func_args *line) {
    bool isError = line->severity == GPR_LOG_SEVERITY_ERROR;
    log(isError ? Level::kWarning : Level::kDebug, "grpc", {{"message", std::string(line->message)}});
  });
}

std::chrono::nanoseconds seconds(double value) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(value));
}

StatusOr<ServerOptions> serverOptions(const ServeOptions &options) {
  ServerOptions result;
  result.listen = options.listen;
  result.platform = options.target;
  result.metrics = options.metrics;
  result.models = options.models;
  result.http = options.http;
  result.modelPoll = seconds(options.modelPoll);
  result.requestBytes = options.requestBytes;
  for (auto [path, text] : {std::pair{&options.certificate, &result.certificate},
                            {&options.privateKey, &result.privateKey},
                            {&options.clientAuthorities, &result.clientAuthorities},
                            {&options.tokenFile, &result.token}})
    TENON_RETURN_IF_ERROR(readFile(*path, *text));
  while (!result.token.empty() && std::isspace(static_cast<unsigned char>(result.token.back())))
    result.token.pop_back();
  if (!options.tokenFile.empty() && result.token.empty())
    return invalidArgument("there is no token in '" + options.tokenFile + "'");
  result.maxClients = options.maxClients;
  result.limits.memory = options.maxMemory;
  result.limits.programs = options.maxPrograms;
  result.limits.concurrent = options.maxConcurrent;
  result.limits.streamBytes = std::min(result.limits.streamBytes, options.maxMemory);
  result.limits.deadline = seconds(options.maxDeadline);
  result.limits.compile.timeout = seconds(options.compileTimeout);
  result.limits.compile.memory = options.compileMemory;
  std::error_code error;
  result.limits.compile.command = {std::filesystem::read_symlink("/proc/self/exe", error).string(), "worker"};
  return result;
}

int serve(const ServeOptions &options) {
  // Before any thread begins, so that all leave them to this one.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  runtime::allowProcessSymbols(false);
  takeLogs();
  auto checked = serverOptions(options);
  Status status = checked.ok() ? setLogLevel(options.logLevel) : checked.status();
  StatusOr<std::unique_ptr<Server>> started =
      status.ok() ? Server::start(*checked) : StatusOr<std::unique_ptr<Server>>(status);
  if (!started.ok()) {
    std::fprintf(stderr, "error: %s\n", started.status().message().c_str());
    return 1;
  }
  if (options.printPort) {
    std::printf("%d %d %d\n", (*started)->port(), (*started)->metricsPort(), (*started)->httpPort());
    std::fflush(stdout);
  }
  int signal = 0;
  sigwait(&signals, &signal);
  log(Level::kInfo, "shutting down", {{"signal", int64_t{signal}}});
  // What nothing stops, a handler that does not return, ends with the process.
  std::thread([last = seconds(options.grace) + std::chrono::seconds(3)] {
    std::this_thread::sleep_for(last);
    log(Level::kWarning, "ended", {{"message", "executions that cannot be stopped were under way"}});
    std::_Exit(0);
  }).detach();
  (*started)->shutDown(seconds(options.grace));
  return 0;
}

int work(const WorkerOptions &options) {
  runtime::allowProcessSymbols(false);
  return workerMain(options.target, options.memory, options.cpuSeconds);
}

} // namespace
} // namespace tenon::server

extern "C" __attribute__((visibility("default"))) const tenon::server::Commands *tenonServerCommands() {
  static const tenon::server::Commands commands{tenon::server::serve, tenon::server::work};
  return &commands;
}

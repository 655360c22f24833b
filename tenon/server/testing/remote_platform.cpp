// Makes a platform "remote" of a server, and the one that is used: so the tests of the C++ interface test the server.
// It is a server in this process, which compiles here, or, where TENON_REMOTE_TEST is "process", a `tenon serve`, which
// has its workers compile.
#include "tenon/remote/remote_service.h"
#include "tenon/server/testing/server_fixture.h"

#include <cstdlib>

namespace {

using tenon::server::Server;
using tenon::server::ServerProcess;

tenon::StatusOr<std::string> startProcess() {
  // Ends with this process.
  static ServerProcess process;
  return process.address();
}

tenon::StatusOr<std::string> startHere() {
  tenon::server::ServerOptions options;
  options.listen = "127.0.0.1:0";
  TENON_ASSIGN_OR_RETURN(auto server, Server::start(options));
  // Ends before what it uses does.
  static std::unique_ptr<Server> running;
  running = std::move(server);
  return "127.0.0.1:" + std::to_string(running->port());
}

tenon::StatusOr<std::shared_ptr<xla::ServiceInterface>> connect() {
  const char *kind = std::getenv("TENON_REMOTE_TEST");
  TENON_ASSIGN_OR_RETURN(auto address, kind &&std::string(kind) == "process" ? startProcess() : startHere());
  TENON_ASSIGN_OR_RETURN(auto service, tenon::remote::RemoteService::connect(address, {}));
  return std::shared_ptr<xla::ServiceInterface>(std::move(service));
}

const bool kIsRegistered = [] {
  setenv("TENON_PLATFORM", "remote", /*overwrite=*/1);
  return xla::ClientLibrary::RegisterPlatform("remote", connect).ok();
}();

} // namespace

// Makes a platform "remote" of a server in this process, and the one that is used: so the tests of the C++ interface
// test the server.
#include "tenon/remote/remote_service.h"
#include "tenon/server/server.h"

#include <cstdlib>

namespace {

tenon::StatusOr<std::shared_ptr<xla::ServiceInterface>> connect() {
  tenon::server::ServerOptions options;
  options.listen = "127.0.0.1:0";
  auto server = tenon::server::Server::start(options);
  if (!server.ok())
    return server.status();
  // Lives as long as the process, as the client does.
  auto *running = (*server).release();
  auto service = tenon::remote::RemoteService::connect("127.0.0.1:" + std::to_string(running->port()), {});
  if (!service.ok())
    return service.status();
  return std::shared_ptr<xla::ServiceInterface>(*std::move(service));
}

const bool kIsRegistered = [] {
  setenv("TENON_PLATFORM", "remote", /*overwrite=*/1);
  return xla::ClientLibrary::RegisterPlatform("remote", connect).ok();
}();

} // namespace

// Clients of a service in another process, here or on another machine: `tenon serve` (docs/server.md).
//
//   auto client = ConnectRemote("localhost:8470").ConsumeValueOrDie();
//   auto x = client->TransferToServer(literal).ConsumeValueOrDie();
#pragma once

#include "tenon/client.h"
#include "tenon/xla_namespace.h"

#include <chrono>
#include <memory>
#include <string>

namespace tenon::xla_2017 {

// How to connect to a server, where it differs from a server on this machine that asks for nothing.
struct RemoteOptions {
  // TLS, where any of these is given; each is PEM's text, not a file's name. Whom to trust (empty: the system's
  // authorities), and, for a server that asks for one, the client's own certificate with its key.
  bool tls = false;
  std::string ca_certificates;
  std::string certificate;
  std::string private_key;
  // What the server's certificate must be for, where that is not the host of the address.
  std::string server_name;
  // Sent with each call ("authorization: Bearer ..."), for a server with --token-file. Encrypted, or on this machine
  // alone: anything else is kInvalidArgument.
  std::string token;
  // Until the connection stands.
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(10);
  // How long the server may be silent before the connection counts as lost. At least 2 seconds.
  std::chrono::nanoseconds keepalive = std::chrono::seconds(20);
};

// `address`: "host:port", "[::1]:port" or "unix:/path". The data and programs of the client live in a session of its
// own, which ends with the client and all data that came from it, or with the connection: from then on every call is
// kUnavailable, and a new client is needed. kUnavailable where nobody listens (at once), nobody answers in time, or not
// with TLS as asked, kUnauthenticated for a wrong token, kInvalidArgument for certificates and keys that are no PEM's
// text. A call returns within its own timeout, or when the connection is lost; none waits for a server that is gone.
TENON_API StatusOr<std::unique_ptr<Client>> ConnectRemote(const std::string &address,
                                                          const RemoteOptions &options = {});

} // namespace tenon::xla_2017

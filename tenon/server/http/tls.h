// TLS over a connection's socket, by OpenSSL, which nothing else of the server sees.
#pragma once

#include "tenon/server/http/transport.h"

namespace tenon::server {

// INVALID_ARGUMENT as makeTransportMaker; `identity` has a certificate.
StatusOr<std::unique_ptr<TransportMaker>> makeTls(const TlsIdentity &identity);

} // namespace tenon::server

// Connections to a server on this machine, for tests.
#pragma once

namespace tenon::server {

// A socket that is connected to the port of 127.0.0.1, or -1.
int connectedTo(int port);

} // namespace tenon::server

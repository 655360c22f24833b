// The protocol over HTTP: paths and JSON.
#pragma once

#include "tenon/server/http/http_server.h"
#include "tenon/server/kserve/service.h"

namespace tenon::kserve {

// The answer to a request; bodies may be anything. `service` is asked from the calling thread.
server::HttpReply answer(Service &service, server::HttpRequest &request);

// {"error": "..."} with the status of HTTP that says the same.
server::HttpReply errorReply(const Status &status);

} // namespace tenon::kserve

// Why a server cannot be reached, in words for whoever asked for it.
#pragma once

#include "tenon/remote.h"

#include <string>

namespace tenon::remote {

// `why` is what gRPC says of the attempt; it stands at the end of the message.
std::string connectError(const std::string &address, const xla::RemoteOptions &options, const std::string &why);

// Whether the options ask for TLS.
bool isEncrypted(const xla::RemoteOptions &options);

} // namespace tenon::remote

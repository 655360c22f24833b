// Who bears the server's token.
#pragma once

#include "tenon/status.h"
#include "tenon/support/secret.h"

#include <string>
#include <string_view>

namespace tenon::server {

// `authorization`: the header of that name, "" where there is none. UNAUTHENTICATED unless it has the token; an empty
// token asks for nothing.
inline Status checkToken(std::string_view authorization, const std::string &token) {
  if (token.empty() || isSecret(authorization, "Bearer " + token))
    return {};
  return {StatusCode::kUnauthenticated, "the call does not bear the server's token"};
}

} // namespace tenon::server

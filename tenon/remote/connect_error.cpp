#include "tenon/remote/connect_error.h"

#include <algorithm>
#include <cctype>

namespace tenon::remote {
namespace {

// Lower-case words: TLS libraries write "CERTIFICATE_VERIFY_FAILED" and "certificate verify failed".
std::string normalized(const std::string &text) {
  std::string words = text;
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  return words;
}

std::string reason(const xla::RemoteOptions &options, const std::string &why) {
  const std::string words = normalized(why);
  auto says = [&](const char *text) { return words.find(text) != std::string::npos; };
  if (says("connection refused"))
    return "nobody listens there";
  if (says("no such file"))
    return "there is no such socket";
  if (says("hostname verification") || says("is not in peer certificate"))
    return "the server's certificate is for another name (server_name says which one is meant)";
  if (says("certificate verify failed"))
    return options.ca_certificates.empty()
               ? "the server's certificate is not trusted: none of the system's authorities has signed it "
                 "(ca_certificates names others)"
               : "the server's certificate is not trusted: none of ca_certificates has signed it";
  if (says("wrong version number"))
    return "the server does not speak TLS";
  const bool hungUp =
      says("socket closed") || says("reset by peer") || says("broken pipe") || says("certificate required");
  if (!isEncrypted(options))
    return hungUp ? "the server may want TLS" : "";
  if (!hungUp)
    return "";
  // A server says no to a client's certificate when the client believes to be connected, and then hangs up.
  if (options.certificate.empty())
    return "the server may ask for a client's certificate, and none was given";
  return "the server may not trust the client's certificate";
}

} // namespace

bool isEncrypted(const xla::RemoteOptions &options) {
  return options.tls || !options.ca_certificates.empty() || !options.certificate.empty();
}

std::string connectError(const std::string &address, const xla::RemoteOptions &options, const std::string &why) {
  std::string message = "cannot connect to " + address + (isEncrypted(options) ? " by TLS" : " without TLS");
  if (std::string because = reason(options, why); !because.empty())
    message += ": " + because;
  return message + " (" + why + ")";
}

} // namespace tenon::remote

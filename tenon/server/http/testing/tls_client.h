// Certificates, and a client that speaks TLS, for tests.
#pragma once

#include <filesystem>
#include <string>

namespace tenon::server {

// In a folder of its own, by the openssl command: an authority (ca.pem), of which are a certificate for "localhost" and
// 127.0.0.1 (server.pem, server.key) and one of a client (client.pem, client.key), and another that is its own
// authority (other.pem, other.key).
class Certificates {
public:
  Certificates();
  ~Certificates();
  Certificates(const Certificates &) = delete;
  Certificates &operator=(const Certificates &) = delete;

  // False where there is no openssl command.
  bool areMade() const { return areMade_; }
  std::string path(const std::string &name) const { return (folder_ / name).string(); }
  std::string read(const std::string &name) const;

private:
  std::filesystem::path folder_;
  bool areMade_ = false;
};

// Whom a client trusts, and what it shows, if anything: names of files.
struct TlsClient {
  std::string authorities, certificate, key;
};
// What a server on this machine says to these bytes, up to the end of the connection. Where TLS fails, "no TLS: " and
// the reason.
std::string exchangeByTls(int port, const std::string &text, const TlsClient &client);

} // namespace tenon::server

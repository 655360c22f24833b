#include "tenon/server/http/testing/tls_client.h"

#include "tenon/server/http/testing/local_socket.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace tenon::server {

Certificates::Certificates() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tenon_tls_XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return;
  folder_ = pattern;
  std::string script = "cd " + pattern + R"( && exec >/dev/null 2>&1
    new() { openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj /CN=$1; }
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority -days 2
    openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -subj /CN=other -days 2
    echo subjectAltName=DNS:localhost,IP:127.0.0.1 > names
    new server; openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem
    new client; openssl x509 -req -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out client.pem)";
  // NOLINTNEXTLINE(bugprone-command-processor): the script is ours.
  areMade_ = std::system(script.c_str()) == 0;
}

Certificates::~Certificates() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::string Certificates::read(const std::string &name) const {
  std::ifstream file(folder_ / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

std::string failure() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return std::string("no TLS: ") + text.data();
}

std::string exchangeOn(int socket, SSL_CTX *context, const std::string &text) {
  SSL *session = SSL_new(context);
  SSL_set_fd(session, socket);
  std::string answer;
  if (SSL_connect(session) != 1 || SSL_write(session, text.data(), static_cast<int>(text.size())) <= 0) {
    answer = failure();
  } else {
    std::array<char, 4096> buffer;
    int size = 0;
    while ((size = SSL_read(session, buffer.data(), buffer.size())) > 0)
      answer.append(buffer.data(), static_cast<size_t>(size));
    // With TLS 1.3 a client learns only here that its certificate is not taken.
    if (SSL_get_error(session, size) != SSL_ERROR_ZERO_RETURN)
      answer = failure();
  }
  SSL_free(session);
  return answer;
}

} // namespace

std::string exchangeByTls(int port, const std::string &text, const TlsClient &client) {
  ERR_clear_error();
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (!client.authorities.empty())
    SSL_CTX_load_verify_locations(context, client.authorities.c_str(), nullptr);
  if (!client.certificate.empty()) {
    SSL_CTX_use_certificate_file(context, client.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context, client.key.c_str(), SSL_FILETYPE_PEM);
  }
  int socket = connectedTo(port);
  std::string answer = socket >= 0 ? exchangeOn(socket, context, text) : "no connection";
  if (socket >= 0)
    close(socket);
  SSL_CTX_free(context);
  return answer;
}

} // namespace tenon::server

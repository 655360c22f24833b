#include "tenon/server/http/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <limits>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace tenon::server {

namespace {

template <auto release> struct Release {
  template <typename T> void operator()(T *pointer) const { release(pointer); }
};
using Session = std::unique_ptr<SSL, Release<SSL_free>>;
using Context = std::unique_ptr<SSL_CTX, Release<SSL_CTX_free>>;
using Certificate = std::unique_ptr<X509, Release<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, Release<BIO_free_all>>;

// How OpenSSL reads and writes the socket. Its own way has no MSG_NOSIGNAL, so that a peer that has gone would end the
// process, and it waits.
int readSocket(BIO *bio, char *to, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t received = recv(static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))), to,
                          static_cast<size_t>(size), MSG_DONTWAIT);
  short wants = 0;
  if (movedBy(received, POLLIN, wants) < 0 && wants != 0)
    BIO_set_retry_read(bio);
  return static_cast<int>(received);
}
int writeSocket(BIO *bio, const char *from, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t sent = ::send(static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))), from,
                        static_cast<size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  short wants = 0;
  if (movedBy(sent, POLLOUT, wants) < 0 && wants != 0)
    BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}
long controlSocket(BIO *, int command, long, void *) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

// Kept for the life of the process.
BIO_METHOD *socketMethod() {
  static BIO_METHOD *method = [] {
    BIO_METHOD *made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
    BIO_meth_set_read(made, readSocket);
    BIO_meth_set_write(made, writeSocket);
    BIO_meth_set_ctrl(made, controlSocket);
    return made;
  }();
  return method;
}

class Tls final : public Transport {
public:
  Tls(SSL_CTX *context, int socket) : session_(SSL_new(context)) {
    BIO *bio = session_ ? BIO_new(socketMethod()) : nullptr;
    if (!bio) {
      session_.reset();
      return;
    }
    BIO_set_data(bio, reinterpret_cast<void *>(static_cast<intptr_t>(socket)));
    BIO_set_init(bio, 1);
    SSL_set_bio(session_.get(), bio, bio);
    SSL_set_accept_state(session_.get());
  }
  bool isMade() const { return session_ != nullptr; }

  ssize_t begin(short &wants) override {
    return result(step([&] { return SSL_do_handshake(session_.get()); }), wants);
  }
  ssize_t receive(char *to, size_t size, short &wants) override {
    return result(step([&] { return SSL_read(session_.get(), to, length(size)); }), wants);
  }
  ssize_t peek(char *to, short &wants) override {
    return result(step([&] { return SSL_peek(session_.get(), to, 1); }), wants);
  }
  ssize_t send(const char *from, size_t size, short &wants) override {
    return result(step([&] { return SSL_write(session_.get(), from, length(size)); }), wants);
  }
  bool hasBytes() const override { return SSL_has_pending(session_.get()) == 1; }
  void end() override {
    if (SSL_is_init_finished(session_.get()) && !hasFailed_)
      (void)step([&] { return SSL_shutdown(session_.get()); });
  }

private:
  static int length(size_t size) {
    return static_cast<int>(std::min(size, static_cast<size_t>(std::numeric_limits<int>::max())));
  }
  // What OpenSSL says of a call is in a queue of the thread's, which other connections' errors must not be in.
  template <typename Call> static int step(const Call &call) {
    ERR_clear_error();
    return call();
  }
  ssize_t result(int done, short &wants) {
    wants = 0;
    if (done > 0)
      return done;
    switch (SSL_get_error(session_.get(), done)) {
    case SSL_ERROR_WANT_READ:
      wants = POLLIN;
      return -1;
    case SSL_ERROR_WANT_WRITE:
      wants = POLLOUT;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default: // after which nothing more may be said
      hasFailed_ = true;
      return -1;
    }
  }

  Session session_;
  bool hasFailed_ = false;
};

class TlsMaker final : public TransportMaker {
public:
  explicit TlsMaker(Context context) : context_(std::move(context)) {}
  std::unique_ptr<Transport> make(int socket) override {
    auto made = std::make_unique<Tls>(context_.get(), socket); // which keeps the context
    return made->isMade() ? std::move(made) : nullptr;
  }
  bool isTls() const override { return true; }

private:
  const Context context_;
};

Bio textOf(const std::string &text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// A key with a password would be asked for on the terminal.
int noPassword(char *, int, int, void *) { return -1; }

// The certificates of a PEM text, in order; empty: there is none, or something else.
std::vector<Certificate> certificatesOf(const std::string &text) {
  std::vector<Certificate> found;
  Bio bio = textOf(text);
  while (Certificate next{PEM_read_bio_X509(bio.get(), nullptr, noPassword, nullptr)})
    found.push_back(std::move(next));
  // The end of the text is an error, too.
  bool isEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!isEnd)
    found.clear();
  return found;
}

Status setIdentity(SSL_CTX *context, const TlsIdentity &identity) {
  std::vector<Certificate> chain = certificatesOf(identity.certificate);
  Bio bio = textOf(identity.privateKey);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, noPassword, nullptr));
  ERR_clear_error();
  if (chain.empty())
    return invalidArgument("the certificate is none, or a damaged one");
  if (!key)
    return invalidArgument("the private key is none, is a damaged one, or has a password");
  bool isSet = SSL_CTX_use_certificate(context, chain[0].get()) == 1;
  for (size_t i = 1; i < chain.size() && isSet; ++i)
    isSet = SSL_CTX_add1_chain_cert(context, chain[i].get()) == 1;
  if (!isSet)
    return invalidArgument("the certificate cannot be used");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return invalidArgument("certificate and private key do not fit together");
  return {};
}

Status setAuthorities(SSL_CTX *context, const std::string &text) {
  std::vector<Certificate> authorities = certificatesOf(text);
  if (authorities.empty())
    return invalidArgument("the clients' authorities are none, or damaged ones");
  for (const Certificate &each : authorities)
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), each.get()) != 1 ||
        SSL_CTX_add_client_CA(context, each.get()) != 1)
      return invalidArgument("the clients' authorities cannot be used");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

// Clients that speak HTTP/2, too, are told that this is not spoken here.
int chooseProtocol(SSL *, const unsigned char **chosen, unsigned char *size, const unsigned char *offered,
                   unsigned offeredSize, void *) {
  static constexpr std::string_view kHttp = "\x08http/1.1";
  unsigned char *out = nullptr;
  if (SSL_select_next_proto(&out, size, reinterpret_cast<const unsigned char *>(kHttp.data()), kHttp.size(), offered,
                            offeredSize) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *chosen = out;
  return SSL_TLSEXT_ERR_OK;
}

} // namespace

StatusOr<std::unique_ptr<TransportMaker>> makeTls(const TlsIdentity &identity) {
  Context context(SSL_CTX_new(TLS_server_method()));
  if (!context)
    return Status(StatusCode::kResourceExhausted, "there is no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Nothing is resumed: each connection shows its certificate.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_alpn_select_cb(context.get(), chooseProtocol, nullptr);
  TENON_RETURN_IF_ERROR(setIdentity(context.get(), identity));
  if (!identity.clientAuthorities.empty())
    TENON_RETURN_IF_ERROR(setAuthorities(context.get(), identity.clientAuthorities));
  return std::unique_ptr<TransportMaker>(std::make_unique<TlsMaker>(std::move(context)));
}

} // namespace tenon::server

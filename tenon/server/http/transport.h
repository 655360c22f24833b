// What the bytes of a connection go by: the socket itself, or TLS over it. Nothing here waits: who calls waits for what
// the transport wants, and calls again.
#pragma once

#include "tenon/status.h"

#include <memory>
#include <string>
#include <sys/types.h>

namespace tenon::server {

class Transport {
public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport &) = delete;
  Transport &operator=(const Transport &) = delete;

  // Each gives how many bytes it has moved, and 0 at the end of the stream. A negative number: nothing was moved;
  // `wants` is what poll(2) has to wait for, or 0 where the connection is of no use any more.

  // Before the first byte; 1 when both sides have agreed.
  virtual ssize_t begin(short &wants) = 0;
  virtual ssize_t receive(char *to, size_t size, short &wants) = 0;
  // What comes next, which stays there.
  virtual ssize_t peek(char *to, short &wants) = 0;
  virtual ssize_t send(const char *from, size_t size, short &wants) = 0;

  // Bytes that have left the socket, and that `receive` has not given yet: poll(2) does not see them.
  virtual bool hasBytes() const = 0;
  // Tells the peer that nothing comes any more.
  virtual void end() = 0;
};

// What a server shows of itself and asks of clients, as PEM's text. Without a certificate there is no TLS; without
// authorities no client has to show one.
struct TlsIdentity {
  std::string certificate, privateKey, clientAuthorities;
};

// Makes the transport of each connection. It may go before them.
class TransportMaker {
public:
  virtual ~TransportMaker() = default;
  // Makes that of a socket, which stays the caller's. It is null where there is no memory for it.
  virtual std::unique_ptr<Transport> make(int socket) = 0;
  virtual bool isTls() const = 0;
};

// What a call of the system's gave: the same, with `event` in `wants` where it may give more after that event.
ssize_t movedBy(ssize_t size, short event, short &wants);

// INVALID_ARGUMENT for a certificate, a key or authorities that are none, or do not fit together.
StatusOr<std::unique_ptr<TransportMaker>> makeTransportMaker(const TlsIdentity &identity);

} // namespace tenon::server

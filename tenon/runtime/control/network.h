// What carries frames and control messages between processes: the interface of the library that has gRPC
// (runtime/grpc), which is opened only where there are several processes. Both sides are of one build.
#pragma once

#include "tenon/runtime/control/key_store.h"
#include "tenon/runtime/transport/exchange.h"

#include <optional>

namespace tenon::runtime {

// The texts of PEM files; all empty: no TLS.
struct NetworkSecurity {
  std::string authorities, certificate, privateKey;
  // The name that all certificates of the job have; empty: each has its address.
  std::string name;

  bool isEncrypted() const { return !certificate.empty(); }
};

struct NetworkOptions {
  // "host:port"; port 0: any.
  std::string listen;
  NetworkSecurity security;
  // The whole job's: who reads and writes the keys that this process serves must bear it. Empty: none are served.
  std::string keyToken;
};

// Where a process listens, and the secret that it proves itself by.
struct PeerAddress {
  std::string address;
  std::string token;
};

class Network {
public:
  // What happens. Called on the network's thread, without locks; may call the network.
  class Events {
  public:
    virtual ~Events() = default;
    // As Exchange::nextFrame and received.
    virtual std::optional<Exchange::Outgoing> nextFrame(Peer peer) = 0;
    virtual Status received(Peer peer, Pieces frame) = 0;
    // Messages of one peer come in the order in which they were sent.
    virtual void controlled(Peer peer, const std::string &message) = 0;
    // The connection for control messages, or that for frames, has ended; without an error: the peer has ended it.
    virtual void disconnected(Peer peer, bool isControl, const Status &why) = 0;
  };

  // The longest control message.
  static constexpr size_t kMaxControlBytes = size_t{1} << 16;

  virtual ~Network() = default;

  virtual int port() const = 0;
  // The keys that a process serves. `timeout`: how long a put waits for it.
  virtual std::unique_ptr<KeyStore> connectKeys(const std::string &address, const std::string &token,
                                                std::chrono::milliseconds timeout) = 0;
  // Once: from now on peers are let in, and there are events. `addresses` by number of process, `self` among them;
  // `events` outlives this.
  virtual void open(Peer self, std::vector<PeerAddress> addresses, Events &events) = 0;
  // There is a frame for the peer. The first one connects.
  virtual void wake(Peer peer) = 0;
  // Ends the connection for frames, and lets go of the memory of all that are on their way.
  virtual void cut(Peer peer) = 0;
  // Connects where it has not yet.
  virtual void control(Peer peer, std::string message) = 0;
  // Sends what is to be sent, for as long as `grace`, and ends all connections. No events afterwards. `hasFailed`: the
  // others do not end as they mean to, and may have gone.
  virtual void shutDown(std::chrono::milliseconds grace, bool hasFailed) = 0;
};

// The symbol that the library exports, and its type. `interface`: what the caller was compiled for. The network is the
// caller's; null: `status` says why.
inline constexpr const char kMakeNetworkSymbol[] = "tenonMakeNetwork";
inline constexpr uint32_t kNetworkInterface = 2;
using MakeNetwork = Network *(uint32_t interface, const NetworkOptions &options, Status &status);

// Opens the library: the file of that name, or, where it is empty, what lies beside the library or program that calls
// this. It stays open.
StatusOr<std::unique_ptr<Network>> openNetwork(const std::string &library, const NetworkOptions &options);

} // namespace tenon::runtime

// The network over gRPC: each process serves calls of all others. A call carries messages one way; there are two a pair
// and direction, each on a connection of its own: Frames, and Control, which never waits behind a frame.
#pragma once

#include "tenon/runtime/control/network.h"
#include "tenon/runtime/grpc/key_service.h"
#include "tenon/runtime/grpc/streams.h"

#include <grpcpp/server.h>

#include <atomic>
#include <deque>
#include <set>
#include <thread>

namespace tenon::runtime {

class GrpcNetwork final : public Network {
public:
  static StatusOr<std::unique_ptr<GrpcNetwork>> start(const NetworkOptions &options);
  ~GrpcNetwork() override;

  int port() const override { return port_; }
  std::unique_ptr<KeyStore> connectKeys(const std::string &address, const std::string &token,
                                        std::chrono::milliseconds timeout) override;
  void open(Peer self, std::vector<PeerAddress> addresses, Events &events) override;
  void wake(Peer peer) override;
  void cut(Peer peer) override;
  void control(Peer peer, std::string message) override;
  void shutDown(std::chrono::milliseconds grace, bool hasFailed) override;

private:
  enum class Kind { kFrames, kControl };
  // What goes to a peer.
  struct Out {
    std::mutex mutex;
    std::shared_ptr<OutgoingStream> frames, control;
    std::deque<std::string> messages; // for control
    std::mutex messageMutex;
  };

  explicit GrpcNetwork(NetworkOptions options) : options_(std::move(options)) {}
  std::shared_ptr<grpc::Channel> channel(const std::string &address) const;
  std::shared_ptr<OutgoingStream> stream(Peer peer, Kind kind);
  std::optional<grpc::ByteBuffer> nextControl(Peer peer);
  void accept();
  // A call that has come; held back until the network is open.
  void admit(const std::shared_ptr<IncomingStream> &call);
  StatusOr<Peer> identify(const IncomingStream &call) const;
  void read(const std::shared_ptr<IncomingStream> &call, Peer peer, Kind kind);
  // Whether the peer has such a call already; if not, it has one now.
  bool isTwice(Peer peer, Kind kind);

  const NetworkOptions options_;
  Completions completions_;
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
  int port_ = 0;
  KeyService keys_;

  std::mutex mutex_;
  bool isOpen_ = false;
  std::vector<std::shared_ptr<IncomingStream>> early_; // calls that have come before
  std::set<std::pair<Peer, Kind>> incoming_;
  std::atomic<bool> isEnding_{false};

  // From open on.
  Peer self_ = 0;
  std::vector<PeerAddress> addresses_;
  Events *events_ = nullptr;
  std::vector<std::unique_ptr<Out>> out_;
};

} // namespace tenon::runtime

// The network of jobs that MPI starts: it carries the frames, in messages of its own, and another network what is for
// control, since MPI knows neither who is silent nor who has gone.
#pragma once

#include "tenon/runtime/control/mpi.h"
#include "tenon/runtime/control/network.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace tenon::runtime {

// What processes tell each other to start, where MPI has started them: each put goes to all.
class MpiKeyStore final : public KeyStore {
public:
  explicit MpiKeyStore(Mpi &mpi) : mpi_(mpi) {}
  // Waits until the others have what was put here.
  ~MpiKeyStore() override;
  Status put(const std::string &key, const std::string &value) override;
  StatusOr<std::string> get(const std::string &key, std::chrono::milliseconds timeout) override;

private:
  // Receives one message, if there is one.
  StatusOr<bool> receiveOne();

  Mpi &mpi_;
  std::map<std::string, std::string> values_;
  std::deque<std::pair<std::string, Mpi::Request>> sends_;
};

class MpiNetwork final : public Network {
public:
  MpiNetwork(std::unique_ptr<Mpi> mpi, std::unique_ptr<Network> control)
      : mpi_(std::move(mpi)), control_(std::move(control)) {}
  ~MpiNetwork() override { shutDown({}, /*hasFailed=*/true); }

  int port() const override { return control_->port(); }
  std::unique_ptr<KeyStore> connectKeys(const std::string &address, const std::string &token,
                                        std::chrono::milliseconds timeout) override {
    return control_->connectKeys(address, token, timeout);
  }
  void open(Peer self, std::vector<PeerAddress> addresses, Events &events) override;
  void wake(Peer peer) override;
  // Frames are sent from memory of this network's own, since MPI gives none back before it has sent it.
  void cut(Peer peer) override;
  void control(Peer peer, std::string message) override { control_->control(peer, std::move(message)); }
  void shutDown(std::chrono::milliseconds grace, bool hasFailed) override;

private:
  using Bytes = std::vector<std::byte>;
  struct Moving {
    Bytes bytes;
    Mpi::Request request;
  };

  void run();
  // Each: whether anything has happened.
  StatusOr<bool> sendSome();
  StatusOr<bool> receiveSome();
  StatusOr<bool> deliverSome();
  bool hasSentAll() const;
  void lose(Peer peer, const Status &why);

  const std::unique_ptr<Mpi> mpi_;
  const std::unique_ptr<Network> control_;
  Events *events_ = nullptr;
  // By process, in order: what is received is given on in the order in which it was sent.
  std::map<Peer, std::deque<Moving>> sending_, receiving_;
  std::set<Peer> full_; // there may be more for them than may be on its way
  std::set<Peer> lost_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Peer> awake_;
  bool isEnding_ = false;
  std::chrono::steady_clock::time_point end_; // when what is not sent is given up
  std::thread thread_;
};

} // namespace tenon::runtime

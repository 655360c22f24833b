// Networks and keys for tests of what stands on them.
#pragma once

#include "tenon/runtime/control/node.h"
#include "tenon/runtime/control/shared_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>

namespace tenon::runtime {

// Keys of this process.
class MemoryKeys final : public KeyStore {
public:
  Status put(const std::string &key, const std::string &value) override {
    values[key] = value;
    return {};
  }
  StatusOr<std::string> get(const std::string &key, std::chrono::milliseconds) override {
    auto found = values.find(key);
    return found == values.end() ? StatusOr<std::string>(Status(StatusCode::kDeadlineExceeded, "none")) : found->second;
  }
  void add(Peer process, const Node &node) { values["node/" + std::to_string(process)] = writeNode(node); }

  std::map<std::string, std::string> values;
};

// What has happened, of which others wait for some.
class Happenings {
public:
  void add(const std::string &what) {
    std::lock_guard lock(mutex_);
    all_.push_back(what);
    changed_.notify_all();
  }
  // Waits until it has happened so many times.
  void await(const std::string &what, ptrdiff_t times = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::count(all_.begin(), all_.end(), what) >= times; });
  }
  std::vector<std::string> all() {
    std::lock_guard lock(mutex_);
    return all_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

// A network that carries nothing, and says what it was asked for.
class StillNetwork : public Network {
public:
  int port() const override { return 0; }
  std::unique_ptr<KeyStore> connectKeys(const std::string &, const std::string &, std::chrono::milliseconds) override {
    return nullptr;
  }
  void open(Peer, std::vector<PeerAddress>, Events &) override {}
  void wake(Peer peer) override { happenings.add("wake " + std::to_string(peer)); }
  void cut(Peer) override {}
  void control(Peer, std::string) override {}
  void shutDown(std::chrono::milliseconds, bool) override { happenings.add("shut down"); }

  Happenings happenings;
};

// One process of two that share memory, and have no control messages.
class SharingProcess final : private Network::Events {
public:
  explicit SharingProcess(Peer self) : self_(self) {
    auto still = std::make_unique<StillNetwork>();
    other = still.get();
    std::unique_ptr<Network> network = std::move(still);
    this->network = SharedNetwork::create(network).ConsumeValueOrDie();
  }
  void open(const std::map<Peer, SharedNetwork::Neighbour> &neighbours) {
    exchange = std::make_unique<Exchange>(Exchange::Options{self_,
                                                            {"process 0", "process 1"},
                                                            [this](Peer peer) { network->wake(peer); },
                                                            [this](Peer peer) { network->cut(peer); }});
    network->setNeighbours(neighbours);
    network->open(self_, {}, *this);
  }
  ~SharingProcess() override {
    network->shutDown({}, false);
    exchange.reset();
  }

  std::unique_ptr<SharedNetwork> network;
  std::unique_ptr<Exchange> exchange;
  StillNetwork *other = nullptr; // where nothing is shared
  std::function<void()> onFrame; // before open; called before a frame that has come is looked at
  Happenings happenings;         // "frame" and "end"

private:
  std::optional<Exchange::Outgoing> nextFrame(Peer peer) override { return exchange->nextFrame(peer); }
  Status received(Peer peer, Pieces frame) override {
    if (onFrame)
      onFrame();
    Status status = exchange->received(peer, frame);
    happenings.add("frame");
    return status;
  }
  void controlled(Peer, const std::string &) override {}
  void disconnected(Peer peer, bool, const Status &) override {
    happenings.add("end");
    exchange->lost(peer, {StatusCode::kAborted, "it has gone"});
  }

  const Peer self_;
};

// Two of them.
class SharedNetworkTest : public testing::Test {
protected:
  SharedNetworkTest() : one(std::make_unique<SharingProcess>(0)), two(std::make_unique<SharingProcess>(1)) {
    neighbours = {{0, {one->network->socketName(), "secret of 0"}}, {1, {two->network->socketName(), "secret of 1"}}};
  }
  std::unique_ptr<SharingProcess> one, two;
  std::map<Peer, SharedNetwork::Neighbour> neighbours;
};

} // namespace tenon::runtime

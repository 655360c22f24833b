// The network of jobs with several processes on one machine: frames between those go through memory that they share
// (ring.h), everything else by another network. So do frames where the memory cannot be handed over, as between
// containers that do not see each other.
//
// A process listens at a socket of the machine's own (an abstract name, which no file has). Who has the first frame for
// another connects, says who it is, and hands over a ring and two events: one that wakes the reader, and one that wakes
// the writer when there is room again. The answer is a byte; until then, and without it, nothing goes through the ring.
#pragma once

#include "tenon/runtime/control/network.h"
#include "tenon/runtime/control/ring.h"

#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace tenon::runtime {

class SharedNetwork final : public Network {
public:
  // A process of the same machine: by what name it listens, and its secret.
  struct Neighbour {
    std::string socket, token;
  };

  // Listens at a name that it chooses. Takes `other` where that succeeds.
  static StatusOr<std::unique_ptr<SharedNetwork>> create(std::unique_ptr<Network> &other);
  ~SharedNetwork() override;

  const std::string &socketName() const { return name_; }
  // Before open: the processes of this machine, itself among them.
  void setNeighbours(std::map<Peer, Neighbour> neighbours) { neighbours_ = std::move(neighbours); }

  int port() const override { return other_->port(); }
  std::unique_ptr<KeyStore> connectKeys(const std::string &address, const std::string &token,
                                        std::chrono::milliseconds timeout) override {
    return other_->connectKeys(address, token, timeout);
  }
  void open(Peer self, std::vector<PeerAddress> addresses, Events &events) override;
  void wake(Peer peer) override;
  // Frames are copied into rings, so that no memory of a caller's is held.
  void cut(Peer peer) override;
  void control(Peer peer, std::string message) override { other_->control(peer, std::move(message)); }
  void shutDown(std::chrono::milliseconds grace, bool hasFailed) override;

  // How many neighbours frames go to by shared memory: for tests.
  size_t connectedCount();

private:
  // To a neighbour.
  struct Out {
    enum class State { kConnecting, kOpen, kElsewhere } state = State::kConnecting;
    FileDescriptor socket, readerEvent, writerEvent;
    std::unique_ptr<Ring> ring;
    std::optional<Exchange::Outgoing> waiting; // a frame for which there was no room
  };
  // From a neighbour, or from whoever has connected and not said yet who it is.
  struct In {
    std::optional<Peer> peer;
    FileDescriptor socket, readerEvent, writerEvent;
    std::unique_ptr<Ring> ring;
  };

  SharedNetwork(std::unique_ptr<Network> other, FileDescriptor listener, std::string name);
  void watch(const FileDescriptor &file);
  void run();
  void handle(int file);
  Status connect(Peer peer, Out &out);
  void answered(Peer peer, Out &out);
  // Whether anything has gone.
  bool send(Peer peer, Out &out);
  void giveElsewhere(Peer peer, Out &out);
  void accept();
  Status admit(In &in);
  // Whether anything has come.
  bool receive(int socket);
  void readRest(int socket);
  void leave(int socket, const Status &why);

  const std::unique_ptr<Network> other_;
  const FileDescriptor listener_;
  const std::string name_;
  FileDescriptor poll_, wakeEvent_;
  std::map<Peer, Neighbour> neighbours_;
  Peer self_ = 0;
  Events *events_ = nullptr;

  // The thread's own.
  std::map<Peer, Out> out_;
  std::map<int, In> in_; // by socket

  std::mutex mutex_;
  std::set<Peer> awake_;
  std::set<Peer> elsewhere_; // to whom frames go by the other network
  size_t openCount_ = 0;
  bool isEnding_ = false;
  std::chrono::steady_clock::time_point end_; // when what is not sent is given up
  std::thread thread_;
};

} // namespace tenon::runtime

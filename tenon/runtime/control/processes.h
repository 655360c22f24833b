// The OS processes that programs span: how they start together, move data, and learn of each other's end. One object a
// process and job.
//
//   TENON_ASSIGN_OR_RETURN(auto processes, Processes::start(options, keys));
//   processes->transport().post(...)
//
// The first failure, of whichever process, ends all transfers on all of them with kAborted and its cause; programs on a
// process's own devices are not concerned.
#pragma once

#include "tenon/runtime/control/deadlock.h"
#include "tenon/runtime/control/liveness.h"
#include "tenon/runtime/control/network.h"
#include "tenon/runtime/control/node.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace tenon::runtime {

struct ProcessesOptions {
  Peer self = 0;
  int count = 1;
  // How many jobs have been started before with the same store of keys, which keeps what it has.
  int earlierStarts = 0;
  // What this process says of itself; the rest of its node is filled in here.
  std::string version, cpuLevel, fingerprint;
  int64_t devices = 1;

  // Where process 0 serves keys, "host:port"; empty where the framework has a store. Who reads and writes them must
  // bear `jobToken`.
  std::string coordinator, jobToken;
  // The library of MPI (mpi.h) that carries data, and says, unless the keys' owner does, which process this is; empty:
  // none.
  std::string mpiShim;
  // Whether frames between processes of one machine go through memory that they share.
  bool sharesMemory = true;
  // The host that others reach this process at; empty: loopback where connections are not encrypted, and otherwise that
  // of the route to the network.
  std::string address;
  NetworkSecurity security;
  // Whether connections to other machines may be plain.
  bool mayBePlain = false;

  std::chrono::milliseconds startTimeout{120'000};
  LivenessOptions liveness;
  // Up to so many processes hear each other's heartbeats; of more, all hear process 0's, and it hears all.
  int mostInMesh = 64;
  // The file of the library that has the network; empty: beside this one.
  std::string library;
  // Makes the network; empty: the library does.
  std::function<StatusOr<std::unique_ptr<Network>>(const NetworkOptions &)> makeNetwork;
  // Called, on any thread, with what users are to know. Empty: it goes to stderr.
  std::function<void(const std::string &)> report;
};

// The job that the environment names (docs/processes.md): self, count, coordinator, address, MPI, security and time
// limits. kInvalidArgument, naming the variable, for values that make no sense. A count of 1: none is named.
Status readEnvironment(ProcessesOptions &options);

class Mpi;
class SharedNetwork;

class Processes final : private Network::Events {
public:
  // `keys`: a framework's store; null: the one of options.coordinator. Returns when all processes have started.
  static StatusOr<std::unique_ptr<Processes>> start(const ProcessesOptions &options, KeyStore *keys = nullptr);
  // Says goodbye: transfers of others with this process end.
  ~Processes() override;
  Processes(const Processes &) = delete;
  Processes &operator=(const Processes &) = delete;

  Peer self() const { return options_.self; }
  // Where all processes are, in their order.
  const std::vector<Node> &nodes() const { return nodes_; }
  // Transfers must have ended before this does.
  Transport &transport() { return *exchange_; }

  // What one of this process's devices does from now on: others see it in errors and warnings. `activity.device` is the
  // number among this process's.
  void setActivity(const Activity &activity);
  // Meetings that devices of this process wait in for others of it, which no transfer shows. Called now and then, on a
  // thread of its own and without locks, until this ends.
  using LocalMeetings = std::function<std::vector<OpenMeeting>()>;
  void setLocalMeetings(LocalMeetings meetings);
  // Programs over several processes cannot go on, since one has failed here; `cause` names device, op and line. The
  // first cause, of any process, counts.
  void fail(const std::string &cause);
  // That cause, once there is one.
  Status status() const;
  // Requested then, and by endRuns(): what spans processes ends wherever it is, in compiling and computing as well.
  std::stop_token stop() const { return stop_.get_token(); }
  void endRuns() { stop_.request_stop(); }

private:
  explicit Processes(ProcessesOptions options);
  Status open(KeyStore *keys, std::unique_ptr<Mpi> mpi);
  Status checkPlainness() const;
  void findNeighbours();
  void watchNeighbours();
  Status listen(std::unique_ptr<Mpi> mpi, std::unique_ptr<KeyStore> &own, Node &node);
  Status awaitReaders(KeyStore &keys) const;
  // Whose heartbeats come here: with many processes only process 0 hears all, and tells failures.
  std::vector<Peer> watched() const;
  void tell(const ControlMessage &message);
  std::string name(Peer peer) const;
  void report(const std::string &text) const;
  void failFor(const Status &status, bool isOwn);
  void monitor();
  void tick();
  void lookAtNeighbours();
  Heartbeat heartbeat() const;
  // How this process stands, of the round that it reports of.
  WaitReport waitReport() const;
  void reportWaits();
  bool isNewRound() const;
  void heardWaits(Peer peer, WaitReport report);

  std::optional<Exchange::Outgoing> nextFrame(Peer peer) override { return exchange_->nextFrame(peer); }
  Status received(Peer peer, Pieces frame) override;
  void controlled(Peer peer, const std::string &message) override;
  void disconnected(Peer peer, bool isControl, const Status &why) override;

  const ProcessesOptions options_;
  std::unique_ptr<Network> network_;
  SharedNetwork *sharedNetwork_ = nullptr; // the same, if it shares memory
  std::vector<Node> nodes_;
  std::unique_ptr<Exchange> exchange_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Liveness> liveness_;
  std::unique_ptr<DeadlockDetector> deadlock_; // of process 0
  uint64_t round_ = 0, reportedRound_ = 0; // of reports of waits: as process 0 has said last, and of the last one here
  LocalMeetings localMeetings_;
  struct Doing {
    Activity activity;
    std::chrono::steady_clock::time_point since;
  };
  std::vector<Doing> doing_; // by device
  Status failure_;
  std::stop_source stop_;
  std::map<Peer, ProcessWatch> watches_; // of this machine; the monitor's own
  bool isEnding_ = false;
  std::thread monitor_;
};

} // namespace tenon::runtime

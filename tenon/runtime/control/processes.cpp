#include "tenon/runtime/control/processes.h"

#include "tenon/runtime/control/address.h"
#include "tenon/runtime/control/mpi_network.h"
#include "tenon/runtime/control/shared_network.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kHeartbeatPeriod{1'000}, kTickPeriod{200};
constexpr milliseconds kGoodbyeGrace{1'000};

Status checkOptions(const ProcessesOptions &options, bool hasKeys) {
  if (options.count < 1 || options.self < 0 || options.self >= options.count)
    return invalidArgument("process " + std::to_string(options.self) + " is none of " + std::to_string(options.count));
  if (options.devices < 1 || options.devices > kMaxDevicesOfNode)
    return invalidArgument("a process has 1 to " + std::to_string(kMaxDevicesOfNode) + " devices");
  if (!hasKeys && options.mpiShim.empty() && (options.coordinator.empty() || options.jobToken.empty()))
    return invalidArgument("processes find each other by a coordinator and a token, by a framework's keys, or by MPI");
  bool isPlain = !options.security.isEncrypted() && !options.mayBePlain;
  for (const std::string &host : {hostOf(options.coordinator), options.address})
    if (isPlain && !host.empty() && !isLoopbackHost(host))
      return invalidArgument("'" + host +
                             "' can be reached from other machines: that needs certificates (TENON_TLS_CERTIFICATE, "
                             "TENON_TLS_KEY, TENON_TLS_AUTHORITIES), or TENON_PLAIN_NETWORK=1 where the network is "
                             "trusted");
  return {};
}

// The address to listen on, port and all.
std::string listenAddress(const ProcessesOptions &options, bool servesKeys) {
  if (servesKeys)
    return options.coordinator;
  if (!options.address.empty())
    return joined(options.address, 0);
  bool isAlone = !options.security.isEncrypted() && !options.mayBePlain;
  bool isLocal = !options.coordinator.empty() && isLoopbackHost(hostOf(options.coordinator));
  return joined(isAlone || isLocal ? "127.0.0.1" : routeAddress(), 0);
}

} // namespace

Processes::Processes(ProcessesOptions options) : options_(std::move(options)) {}

StatusOr<std::unique_ptr<Processes>> Processes::start(const ProcessesOptions &given, KeyStore *keys) {
  ProcessesOptions options = given;
  std::unique_ptr<Mpi> mpi;
  if (!options.mpiShim.empty()) {
    TENON_ASSIGN_OR_RETURN(mpi, Mpi::start(options.mpiShim));
    bool isNumbered = keys || !options.coordinator.empty();
    if (isNumbered && (options.self != mpi->rank() || options.count != mpi->size()))
      return invalidArgument("this is process " + std::to_string(options.self) + " of " +
                             std::to_string(options.count) + ", but MPI started it as " + std::to_string(mpi->rank()) +
                             " of " + std::to_string(mpi->size()));
    options.self = mpi->rank();
    options.count = mpi->size();
  }
  TENON_RETURN_IF_ERROR(checkOptions(options, keys != nullptr));
  std::unique_ptr<Processes> processes(new Processes(std::move(options)));
  TENON_RETURN_IF_ERROR(processes->open(keys, std::move(mpi)));
  return processes;
}

// MPI encrypts nothing.
Status Processes::checkPlainness() const {
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (!options_.mpiShim.empty() && !options_.mayBePlain && nodes_[i].bootId != nodes_[0].bootId)
      return invalidArgument(name(0) + " and " + name(static_cast<Peer>(i)) +
                             " are on different machines, and MPI does not encrypt what it sends: that needs "
                             "TENON_PLAIN_NETWORK=1, where the network is trusted");
  return {};
}

Status Processes::listen(std::unique_ptr<Mpi> mpi, std::unique_ptr<KeyStore> &own, Node &node) {
  bool hasOwnKeys = !options_.coordinator.empty();
  bool servesKeys = hasOwnKeys && options_.self == 0;
  NetworkOptions network{listenAddress(options_, servesKeys), options_.security,
                         servesKeys ? options_.jobToken : std::string()};
  TENON_ASSIGN_OR_RETURN(network_,
                         options_.makeNetwork ? options_.makeNetwork(network) : openNetwork(options_.library, network));
  std::string host = hostOf(network.listen);
  if (!options_.security.isEncrypted() && !isLoopbackHost(host))
    report("connections at " + host + " are not encrypted (TENON_PLAIN_NETWORK=1)");
  if (mpi)
    network_ = std::make_unique<MpiNetwork>(std::move(mpi), std::move(network_));
  if (options_.sharesMemory) {
    TENON_ASSIGN_OR_RETURN(auto shared, SharedNetwork::create(network_));
    sharedNetwork_ = shared.get();
    network_ = std::move(shared);
  }
  if (hasOwnKeys)
    own = network_->connectKeys(options_.coordinator, options_.jobToken, options_.startTimeout);
  node = {.version = options_.version,
          .bootId = bootId(),
          .host = hostName(),
          .process = ownIdentity(),
          .address = joined(host, network_->port()),
          .cpuLevel = options_.cpuLevel,
          .fingerprint = options_.fingerprint,
          .devices = options_.devices,
          .token = randomToken(),
          .socket = sharedNetwork_ ? sharedNetwork_->socketName() : std::string()};
  return {};
}

void Processes::findNeighbours() {
  std::map<Peer, SharedNetwork::Neighbour> neighbours;
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].bootId == nodes_[static_cast<size_t>(options_.self)].bootId && !nodes_[i].socket.empty())
      neighbours[static_cast<Peer>(i)] = {nodes_[i].socket, nodes_[i].token};
  sharedNetwork_->setNeighbours(std::move(neighbours));
}

Status Processes::open(KeyStore *keys, std::unique_ptr<Mpi> mpi) {
  std::unique_ptr<KeyStore> own;
  Node node;
  Mpi *launcher = mpi.get();
  TENON_RETURN_IF_ERROR(listen(std::move(mpi), own, node));
  bool isServed = own != nullptr; // by process 0
  if (launcher && !own && !keys)
    own = std::make_unique<MpiKeyStore>(*launcher);
  if (own)
    keys = own.get();
  std::string prefix = options_.earlierStarts ? "start" + std::to_string(options_.earlierStarts) + "/" : "";
  TENON_ASSIGN_OR_RETURN(nodes_,
                         exchangeNodes(*keys, prefix, options_.self, options_.count, node, options_.startTimeout));
  TENON_RETURN_IF_ERROR(checkPlainness());
  if (sharedNetwork_)
    findNeighbours();
  if (isServed)
    TENON_RETURN_IF_ERROR(awaitReaders(*keys));
  own.reset();
  watchNeighbours();
  std::vector<std::string> names;
  std::vector<PeerAddress> addresses;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    names.push_back(nodeName(static_cast<Peer>(i), nodes_[i]));
    addresses.push_back({nodes_[i].address, nodes_[i].token});
  }
  exchange_ = std::make_unique<Exchange>(Exchange::Options{
      options_.self, names, [this](Peer peer) { network_->wake(peer); }, [this](Peer peer) { network_->cut(peer); }});
  if (options_.self == 0)
    deadlock_ = std::make_unique<DeadlockDetector>(names);
  liveness_ = std::make_unique<Liveness>(options_.liveness, std::move(names), watched(), Clock::now());
  network_->open(options_.self, std::move(addresses), *this);
  monitor_ = std::thread([this] { monitor(); });
  return {};
}

void Processes::watchNeighbours() {
  for (Peer peer : watched()) {
    const Node &node = nodes_[static_cast<size_t>(peer)];
    if (node.bootId != nodes_[static_cast<size_t>(options_.self)].bootId)
      continue;
    if (ProcessWatch watch(node.process); watch.isPossible())
      watches_.emplace(peer, watch);
  }
}

Processes::~Processes() {
  if (!exchange_)
    return; // not all have started
  {
    std::lock_guard lock(mutex_);
    isEnding_ = true;
  }
  changed_.notify_all();
  monitor_.join();
  exchange_->wakeAll();
  tell(Goodbye());
  network_->shutDown(kGoodbyeGrace, /*hasFailed=*/!status().ok());
}

// Process 0 serves the keys until all have read them.
Status Processes::awaitReaders(KeyStore &keys) const {
  auto keyOf = [](Peer peer) { return "read/" + std::to_string(peer); };
  TENON_RETURN_IF_ERROR(keys.put(keyOf(options_.self), ""));
  for (Peer peer = 0; options_.self == 0 && peer < options_.count; ++peer)
    if (Status status = keys.get(keyOf(peer), options_.startTimeout).status(); !status.ok())
      return {status.code(), name(peer) + " has ended while the others started: " + status.message()};
  return {};
}

std::vector<Peer> Processes::watched() const {
  std::vector<Peer> peers;
  for (Peer peer = 0; peer < options_.count; ++peer)
    if (peer != options_.self && (options_.count <= options_.mostInMesh || options_.self == 0 || peer == 0))
      peers.push_back(peer);
  return peers;
}

void Processes::tell(const ControlMessage &message) {
  std::string bytes = writeControl(message);
  for (Peer peer : watched()) {
    {
      std::lock_guard lock(mutex_);
      if (liveness_->hasLeft(peer))
        continue;
    }
    network_->control(peer, bytes);
  }
}

void Processes::report(const std::string &text) const {
  if (options_.report)
    options_.report(text);
  else
    std::fprintf(stderr, "tenon: process %d: %s\n", options_.self, text.c_str());
}

std::string Processes::name(Peer peer) const { return nodeName(peer, nodes_[static_cast<size_t>(peer)]); }

Status Processes::status() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void Processes::fail(const std::string &cause) {
  failFor({StatusCode::kAborted, name(options_.self) + ": " + cause}, /*isOwn=*/true);
}

void Processes::failFor(const Status &status, bool isOwn) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_.ok() || isEnding_)
      return;
    failure_ = status;
  }
  // Others first: who hears of it here may end the process.
  if (isOwn || options_.self == 0)
    tell(Failure{status.message()});
  exchange_->fail(status);
  stop_.request_stop();
  // An error comes of it where the framework calls next, however late that is.
  report("programs over several processes end: " + status.message());
}

void Processes::setActivity(const Activity &activity) {
  if (activity.device < 0 || activity.device >= static_cast<int64_t>(kMaxActivities))
    return;
  std::lock_guard lock(mutex_);
  auto device = static_cast<size_t>(activity.device);
  if (doing_.size() <= device)
    doing_.resize(device + 1);
  doing_[device] = {activity, Clock::now()};
}

void Processes::setLocalMeetings(LocalMeetings meetings) {
  std::lock_guard lock(mutex_);
  localMeetings_ = std::move(meetings);
}

Heartbeat Processes::heartbeat() const {
  std::lock_guard lock(mutex_);
  Heartbeat heartbeat;
  heartbeat.round = deadlock_ ? deadlock_->round() : 0;
  for (const Doing &doing : doing_) {
    if (doing.since == Clock::time_point())
      continue;
    heartbeat.activities.push_back(doing.activity);
    heartbeat.activities.back().duration = std::chrono::duration_cast<milliseconds>(Clock::now() - doing.since);
  }
  return heartbeat;
}

WaitReport Processes::waitReport() const {
  WaitReport report;
  LocalMeetings localMeetings;
  {
    std::lock_guard lock(mutex_);
    report.round = reportedRound_;
    localMeetings = localMeetings_;
  }
  std::vector<Exchange::Counts> counts;
  std::vector<Exchange::Waiting> waiting = exchange_->waiting(&counts);
  std::map<uint64_t, OpenMeeting> meetings;
  auto add = [&](OpenMeeting found) {
    OpenMeeting &meeting = meetings.try_emplace(found.id, OpenMeeting{found.id, found.what, {}, {}}).first->second;
    for (uint32_t device : found.devices)
      if (std::find(meeting.devices.begin(), meeting.devices.end(), device) == meeting.devices.end())
        meeting.devices.push_back(device);
    meeting.awaited.insert(meeting.awaited.end(), found.awaited.begin(), found.awaited.end());
  };
  for (const Exchange::Waiting &each : waiting) {
    if (each.lane.source & kCopies)
      continue; // no device waits in it
    uint32_t source = each.lane.source & ~kMessages;
    uint32_t own = each.isPost ? source : each.lane.target, other = each.isPost ? each.lane.target : source;
    add({meetingId(each.launch, each.ordinal, each.hash),
         each.description + " (launch " + std::to_string(each.launch) + ")",
         {own},
         {{each.peer, other}}});
  }
  for (OpenMeeting &meeting : localMeetings ? localMeetings() : std::vector<OpenMeeting>())
    add(std::move(meeting));
  for (auto &[id, meeting] : meetings)
    report.meetings.push_back(std::move(meeting));
  for (size_t peer = 0; peer < counts.size(); ++peer)
    if (counts[peer].sent || counts[peer].received)
      report.traffic.push_back({static_cast<Peer>(peer), counts[peer].sent, counts[peer].received});
  return report;
}

void Processes::reportWaits() {
  {
    std::lock_guard lock(mutex_);
    reportedRound_ = deadlock_ ? deadlock_->round() : round_;
    if (!reportedRound_ || !failure_.ok() || liveness_->hasLeft(0))
      return;
  }
  WaitReport report = waitReport();
  if (options_.self == 0)
    heardWaits(0, std::move(report));
  else
    network_->control(0, writeControl(report));
}

bool Processes::isNewRound() const {
  std::lock_guard lock(mutex_);
  return (deadlock_ ? deadlock_->round() : round_) != reportedRound_;
}

void Processes::heardWaits(Peer peer, WaitReport report) {
  std::optional<std::string> deadlock;
  {
    std::lock_guard lock(mutex_);
    if (deadlock_)
      deadlock = deadlock_->report(peer, std::move(report));
  }
  if (deadlock)
    failFor({StatusCode::kAborted, *deadlock}, /*isOwn=*/true);
}

void Processes::monitor() {
  for (auto next = Clock::now();;) {
    if (Clock::now() >= next) {
      next = Clock::now() + kHeartbeatPeriod;
      tell(heartbeat());
      reportWaits();
    } else if (isNewRound()) {
      reportWaits();
    }
    tick();
    std::unique_lock lock(mutex_);
    auto tick = Clock::now() + kTickPeriod, wake = std::min(tick, liveness_->nextEnd().value_or(tick));
    if (changed_.wait_until(lock, wake, [&] { return isEnding_; }))
      return;
  }
}

void Processes::lookAtNeighbours() {
  for (auto watch = watches_.begin(); watch != watches_.end();) {
    if (!watch->second.hasEnded()) {
      ++watch;
      continue;
    }
    std::lock_guard lock(mutex_);
    liveness_->processEnded(watch->first, Clock::now());
    watch = watches_.erase(watch);
  }
}

void Processes::tick() {
  lookAtNeighbours();
  std::vector<Exchange::Waiting> waiting = exchange_->waiting();
  Liveness::Verdict verdict;
  {
    std::lock_guard lock(mutex_);
    verdict = liveness_->check(waiting, Clock::now());
  }
  for (const auto &[peer, why] : verdict.lost)
    exchange_->lost(peer, why);
  for (const std::string &warning : verdict.warnings)
    report(warning);
  if (verdict.failure)
    failFor({StatusCode::kAborted, verdict.failure->message()}, /*isOwn=*/true);
}

Status Processes::received(Peer peer, Pieces frame) {
  Status status = exchange_->received(peer, frame);
  if (!status.ok())
    failFor({StatusCode::kAborted, status.message()}, /*isOwn=*/true);
  return status;
}

void Processes::controlled(Peer peer, const std::string &bytes) {
  StatusOr<ControlMessage> message = readControl(bytes);
  if (!message.ok()) {
    failFor({StatusCode::kAborted, "from " + name(peer) + ": " + message.status().message()}, /*isOwn=*/true);
  } else if (auto *heartbeat = std::get_if<Heartbeat>(&*message)) {
    std::lock_guard lock(mutex_);
    if (peer == 0)
      round_ = heartbeat->round;
    liveness_->heard(peer, std::move(heartbeat->activities), Clock::now());
  } else if (auto *report = std::get_if<WaitReport>(&*message)) {
    heardWaits(peer, std::move(*report));
  } else if (auto *failure = std::get_if<Failure>(&*message)) {
    failFor({StatusCode::kAborted, failure->cause}, /*isOwn=*/false);
  } else {
    // Frames that it has sent before may still come.
    std::lock_guard lock(mutex_);
    liveness_->left(peer, Clock::now());
    if (deadlock_)
      deadlock_->left(peer);
  }
}

void Processes::disconnected(Peer peer, bool isControl, const Status &why) {
  Status failure;
  {
    std::lock_guard lock(mutex_);
    auto now = Clock::now();
    // After a goodbye, what it has sent before may still come by its other connection.
    if (isEnding_ || liveness_->hasLeft(peer))
      return;
    if (!isControl) {
      liveness_->framesEnded(peer, now);
      return;
    }
    failure = liveness_->withoutAWord(peer, why, now);
  }
  failFor(failure, /*isOwn=*/true);
}

} // namespace tenon::runtime

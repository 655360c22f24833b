// A grid whose processes are spread over several OS processes, for which a transport in this one stands.
#pragma once

#include "tenon/runtime/collectives/grid_channels.h"
#include "tenon/runtime/collectives/other_processes.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/transport/loopback.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

namespace tenon::runtime {

// The OS process that each process of the grid is in.
using Spread = std::vector<Peer>;

// Counts what is sent.
class CountingTransport final : public Transport {
public:
  // `onPost`: called before a message goes.
  CountingTransport(Transport &transport, std::function<void()> onPost)
      : transport_(transport), onPost_(std::move(onPost)) {}

  std::unique_ptr<Transfer> post(Peer peer, Lane lane, const Message &message,
                                 std::span<const std::span<const std::byte>> pieces) override {
    onPost_();
    for (const auto &piece : pieces)
      bytes += piece.size();
    return transport_.post(peer, lane, message, pieces);
  }
  void refuse(Peer peer, Lane lane, const Message &message, const Status &why) override {
    transport_.refuse(peer, lane, message, why);
  }
  std::unique_ptr<Transfer> take(Peer peer, Lane lane, const Message &message, std::span<std::byte> into) override {
    return transport_.take(peer, lane, message, into);
  }

  std::atomic<size_t> bytes = 0;

private:
  Transport &transport_;
  const std::function<void()> onPost_;
};

// A grid whose processes are threads here, of OS processes that see each other by a transport alone.
class SpreadGrid {
public:
  explicit SpreadGrid(const Spread &spread, std::vector<std::string> programs = {})
      : spread_(spread), loopback_(peerNames(spread)) {
    std::vector<uint32_t> devices(spread.size());
    std::iota(devices.begin(), devices.end(), 0);
    std::vector<std::string> names;
    for (uint32_t device : devices)
      names.push_back("device " + std::to_string(device));
    for (Peer peer = 0; peer < peerCount(spread); ++peer) {
      transports_.push_back(std::make_unique<CountingTransport>(loopback_.process(peer), [this, peer] {
        if (onPost)
          onPost(peer);
      }));
      std::string program = programs.empty() ? "" : programs[static_cast<size_t>(peer)];
      rendezvous_.push_back(
          std::make_unique<Rendezvous>(names, std::make_unique<OtherProcesses>(OtherProcesses::Options{
                                                  .transport = transports_.back().get(),
                                                  .launch = {.self = peer,
                                                             .devices = devices,
                                                             .number = 7,
                                                             .programHash = std::hash<std::string>()(program),
                                                             .program = program},
                                                  .peers = spread,
                                                  .onWait = {}})));
      channels_.push_back(std::make_unique<GridChannels>(*rendezvous_.back()));
    }
  }

  // What OS process `peer` has sent.
  size_t bytesFrom(size_t peer) const { return transports_[peer]->bytes; }

  // What each process of the grid returns; those who fail end the transfers of all, as a job does.
  std::vector<Status> run(const std::function<Status(const RunOptions &)> &process) {
    std::vector<Status> outcomes(spread_.size());
    std::vector<std::jthread> threads;
    for (int64_t place = 0; place < static_cast<int64_t>(spread_.size()); ++place)
      threads.emplace_back([&, place] {
        RunOptions options;
        options.partitionId = static_cast<int32_t>(place);
        options.numPartitions = static_cast<int32_t>(spread_.size());
        Rendezvous &rendezvous = *rendezvous_[static_cast<size_t>(spread_[static_cast<size_t>(place)])];
        options.rendezvous = &rendezvous;
        options.channels = channels_[static_cast<size_t>(spread_[static_cast<size_t>(place)])].get();
        Status status = process(options);
        if (!status.ok())
          for (Peer peer = 0; peer < peerCount(spread_); ++peer)
            loopback_.process(peer).fail({StatusCode::kAborted, "first cause: " + status.message()});
        rendezvous.leave(place, status);
        outcomes[static_cast<size_t>(place)] = status;
      });
    threads.clear();
    return outcomes;
  }

  // Called, on any thread, before OS process `peer` sends a message.
  std::function<void(Peer peer)> onPost;

private:
  static Peer peerCount(const Spread &spread) { return *std::max_element(spread.begin(), spread.end()) + 1; }
  static std::vector<std::string> peerNames(const Spread &spread) {
    std::vector<std::string> names;
    for (Peer peer = 0; peer < peerCount(spread); ++peer)
      names.push_back("process " + std::to_string(peer));
    return names;
  }

  const Spread spread_;
  Loopback loopback_;
  std::vector<std::unique_ptr<CountingTransport>> transports_;
  std::vector<std::unique_ptr<Rendezvous>> rendezvous_;
  std::vector<std::unique_ptr<GridChannels>> channels_;
};

inline std::vector<std::string> messagesOf(const std::vector<Status> &outcomes) {
  std::vector<std::string> messages;
  for (const Status &outcome : outcomes)
    messages.push_back(outcome.message());
  return messages;
}

} // namespace tenon::runtime

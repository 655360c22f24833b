// The members of meetings that are in other OS processes: their parts come and go over a Transport.
//
// In each meeting, one message goes from an OS process to each other one that has members: what the members there need
// of those here, array by array. It is of the lane between the first members of both, who come to all meetings of the
// two sets in one order. What is sent on channels has lanes of its own (remote_channels.h).
#pragma once

#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/transport/transport.h"

namespace tenon::runtime {

class OtherProcesses final : public Rendezvous::Elsewhere {
public:
  // A launch, as messages name it.
  struct Launch {
    Peer self = 0;
    // The number of the device of each process of the grid, which is unique in all OS processes.
    std::vector<uint32_t> devices;
    // What all OS processes must agree on: which launch of which program. The words are for errors.
    uint64_t number = 0, programHash = 0;
    std::string program;
  };
  struct Options {
    Transport *transport = nullptr;
    Launch launch;
    // The OS process that each process of the grid is in.
    std::vector<Peer> peers;
    // Told what process `process` of the grid, which is here, waits for; and with an empty text that it goes on.
    std::function<void(int64_t process, const std::string &what)> onWait;
  };
  explicit OtherProcesses(Options options) : options_(std::move(options)) {}

  int32_t where(int64_t process) const override { return options_.peers[static_cast<size_t>(process)]; }
  int32_t here() const override { return options_.launch.self; }
  Status exchange(std::span<const int64_t> members, uint32_t turn, std::span<Rendezvous::Part> parts,
                  Rendezvous::Received &received, const Wait &wait) override;
  std::unique_ptr<Transfer> post(const Letter &letter, std::span<const std::span<const std::byte>> pieces) override;
  std::unique_ptr<Transfer> take(const Letter &letter, std::span<std::byte> into) override;
  Status await(int64_t self, const std::string &what, Transfer &transfer, const Wait &wait) override;

private:
  Lane laneOf(const Letter &letter) const;
  Message messageOf(const Letter &letter) const;

  const Options options_;
};

} // namespace tenon::runtime

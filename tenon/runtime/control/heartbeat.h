// Control messages: what processes tell each other beside data.
#pragma once

#include "tenon/runtime/transport/transport.h"

#include <variant>

namespace tenon::runtime {

// What a device does.
struct Activity {
  enum class State : uint8_t {
    kIdle = 0,  // in the framework or the user's own code
    kCompiling, // `what` says which program
    kRunning,   // `what` is the collective, with its source line, that it does or waits in
  };
  State state = State::kIdle;
  int64_t device = 0;
  uint64_t launch = 0;
  std::string what;
  std::chrono::milliseconds duration{0}; // for how long

  bool operator==(const Activity &) const = default;
};

// "device 3: all_reduce at train.py:31 (launch 7), for 12 s".
std::string describe(const Activity &activity);

// Once a second.
struct Heartbeat {
  std::vector<Activity> activities; // of the sender's devices
  // Process 0's: which round of reports of waits it is (deadlock.h).
  uint64_t round = 0;
  bool operator==(const Heartbeat &) const = default;
};

// A meeting of devices that some of a process wait in.
struct OpenMeeting {
  struct Awaited {
    Peer process = 0;
    uint32_t device = 0;
    bool operator==(const Awaited &) const = default;
  };
  uint64_t id = 0;               // the same in all processes
  std::string what;              // the collective, with its source line
  std::vector<uint32_t> devices; // that wait here
  std::vector<Awaited> awaited;  // devices that have not come, as far as this process knows
  bool operator==(const OpenMeeting &) const = default;
};
// How many frames a process has had for another one, and has received from it.
struct Traffic {
  Peer peer = 0;
  uint64_t sent = 0, received = 0;
  bool operator==(const Traffic &) const = default;
};
// To process 0, once a second: how a process stands, after it has heard of a round.
struct WaitReport {
  uint64_t round = 0;
  std::vector<OpenMeeting> meetings;
  std::vector<Traffic> traffic; // with whom there was any
  bool operator==(const WaitReport &) const = default;
};
// Why programs over several processes cannot go on, as the process knows it that noticed first.
struct Failure {
  std::string cause;
  bool operator==(const Failure &) const = default;
};
// The process ends, and means to.
struct Goodbye {
  bool operator==(const Goodbye &) const = default;
};
using ControlMessage = std::variant<Heartbeat, WaitReport, Failure, Goodbye>;

inline constexpr size_t kMaxActivities = 256, kMaxActivityText = 160, kMaxCauseText = 8192;
// A report with more of any says nothing at all. Devices and those awaited: of all meetings.
inline constexpr size_t kMaxMeetings = 64, kMaxMeetingText = 320, kMaxMeetingDevices = 1024, kMaxTraffic = 512;

std::string writeControl(const ControlMessage &message);
// kDataLoss for bytes that writeControl does not write.
StatusOr<ControlMessage> readControl(const std::string &bytes);

} // namespace tenon::runtime

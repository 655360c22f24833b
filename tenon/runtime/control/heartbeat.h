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
  bool operator==(const Heartbeat &) const = default;
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
using ControlMessage = std::variant<Heartbeat, Failure, Goodbye>;

inline constexpr size_t kMaxActivities = 256, kMaxActivityText = 160, kMaxCauseText = 8192;

std::string writeControl(const ControlMessage &message);
// kDataLoss for bytes that writeControl does not write.
StatusOr<ControlMessage> readControl(const std::string &bytes);

} // namespace tenon::runtime

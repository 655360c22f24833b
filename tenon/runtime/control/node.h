// What the processes of a program tell each other of themselves when they start, through a store of keys.
#pragma once

#include "tenon/runtime/control/key_store.h"
#include "tenon/runtime/control/process_watch.h"
#include "tenon/runtime/transport/transport.h"

namespace tenon::runtime {

struct Node {
  std::string version; // of the library; all must have the same
  std::string bootId;  // of the machine since it was started: equal for processes of one host
  std::string host;    // its name, for errors
  ProcessIdentity process;
  std::string address;     // "host:port", where it listens
  std::string cpuLevel;    // what it compiles for without being told otherwise
  std::string fingerprint; // of the library's code
  int64_t devices = 0;
  std::string token; // a secret of the job's processes
  // By which processes of its machine hand it memory to share (shared_network.h); empty: it shares none.
  std::string socket;

  bool operator==(const Node &) const = default;
};

inline constexpr int64_t kMaxDevicesOfNode = 4096;

std::string writeNode(const Node &node);
// kDataLoss for bytes that writeNode does not write.
StatusOr<Node> readNode(const std::string &bytes);

// "process 2 (host, pid 1234)".
std::string nodeName(Peer process, const Node &node);

// What this machine and process say of themselves.
std::string bootId();
std::string hostName();
// 128 random bits, in hexadecimal digits.
std::string randomToken();

// Puts `own` under "node/<self>" behind `prefix`, and reads those of all processes, in their order. kDeadlineExceeded,
// naming them, where some have not come within `timeout`; kFailedPrecondition where they cannot work together.
StatusOr<std::vector<Node>> exchangeNodes(KeyStore &keys, const std::string &prefix, Peer self, int count,
                                          const Node &own, std::chrono::milliseconds timeout);

} // namespace tenon::runtime

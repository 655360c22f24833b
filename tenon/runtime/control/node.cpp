#include "tenon/runtime/control/node.h"

#include "tenon/runtime/control/address.h"
#include "tenon/runtime/control/bytes.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <sys/random.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

constexpr uint64_t kFormat = 3;
constexpr size_t kMaxText = 1024;
// How many missing processes an error names.
constexpr size_t kMaxNamed = 10;

std::string keyOf(Peer process) { return "node/" + std::to_string(process); }

std::string listed(const std::vector<Peer> &processes) {
  std::string text;
  for (size_t i = 0; i < processes.size() && i < kMaxNamed; ++i)
    text += (i ? ", " : "") + std::to_string(processes[i]);
  if (processes.size() > kMaxNamed)
    text += " and " + std::to_string(processes.size() - kMaxNamed) + " more";
  return text;
}

// Whether `self` can work with `other`.
Status checkFit(Peer selfProcess, const Node &self, Peer otherProcess, const Node &other) {
  std::string both = nodeName(selfProcess, self) + " and " + nodeName(otherProcess, other);
  if (self.version != other.version)
    return failedPrecondition(both + " have different versions of Tenon: '" + self.version + "' and '" + other.version +
                              "'");
  if (self.bootId != other.bootId && isLoopbackHost(hostOf(other.address)))
    return failedPrecondition(both + " are on different machines, but the second listens at " + other.address +
                              ", which only its own machine reaches: that needs certificates (TENON_TLS_CERTIFICATE, "
                              "TENON_TLS_KEY, TENON_TLS_AUTHORITIES), or TENON_PLAIN_NETWORK=1 where the network is "
                              "trusted");
  return {};
}

} // namespace

std::string writeNode(const Node &node) {
  ByteWriter writer;
  writer.integer(kFormat);
  for (const std::string *text : {&node.version, &node.bootId, &node.host, &node.address, &node.cpuLevel,
                                  &node.fingerprint, &node.token, &node.socket})
    writer.text(std::string_view(*text).substr(0, kMaxText));
  writer.integer(static_cast<uint64_t>(node.process.pid));
  writer.integer(node.process.started);
  writer.integer(node.process.namespaceId);
  writer.integer(static_cast<uint64_t>(node.devices));
  return writer.take();
}

StatusOr<Node> readNode(const std::string &bytes) {
  ByteReader reader(bytes);
  Node node;
  bool isKnown = reader.integer() == kFormat;
  for (std::string *text : {&node.version, &node.bootId, &node.host, &node.address, &node.cpuLevel, &node.fingerprint,
                            &node.token, &node.socket})
    *text = reader.text(kMaxText);
  node.process.pid = static_cast<int64_t>(reader.integer(INT32_MAX));
  node.process.started = reader.integer();
  node.process.namespaceId = reader.integer();
  node.devices = static_cast<int64_t>(reader.integer(kMaxDevicesOfNode));
  if (!isKnown || !reader.isDone() || node.token.empty())
    return Status(StatusCode::kDataLoss, "what a process says of itself cannot be read; is it of another version?");
  return node;
}

std::string nodeName(Peer process, const Node &node) {
  return "process " + std::to_string(process) + " (" + node.host + ", pid " + std::to_string(node.process.pid) + ")";
}

std::string bootId() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown host";
}

std::string randomToken() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) { // old kernels
    std::random_device random;
    for (unsigned char &byte : bytes)
      byte = static_cast<unsigned char>(random());
  }
  std::string token;
  for (unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

StatusOr<std::vector<Node>> exchangeNodes(KeyStore &keys, const std::string &prefix, Peer self, int count,
                                          const Node &own, std::chrono::milliseconds timeout) {
  auto end = std::chrono::steady_clock::now() + timeout;
  TENON_RETURN_IF_ERROR(keys.put(prefix + keyOf(self), writeNode(own)));
  std::vector<Node> nodes(static_cast<size_t>(count));
  std::vector<Peer> missing;
  for (Peer process = 0; process < count; ++process) {
    // Those behind a missing one still have a moment, so that the error names all that are missing, and no others.
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    StatusOr<std::string> bytes = keys.get(prefix + keyOf(process), std::max(left, std::chrono::milliseconds(50)));
    if (!bytes.ok() && bytes.status().code() == StatusCode::kDeadlineExceeded) {
      missing.push_back(process);
      continue;
    }
    TENON_RETURN_IF_ERROR(bytes.status());
    StatusOr<Node> node = readNode(*bytes);
    if (!node.ok())
      return Status(node.status().code(), "process " + std::to_string(process) + ": " + node.status().message());
    nodes[static_cast<size_t>(process)] = *std::move(node);
  }
  if (!missing.empty())
    return Status(StatusCode::kDeadlineExceeded, "of " + std::to_string(count) + " processes, " +
                                                     std::to_string(missing.size()) + " have not started within " +
                                                     std::to_string(timeout.count() / 1000) + " s: " + listed(missing));
  for (Peer process = 0; process < count; ++process)
    TENON_RETURN_IF_ERROR(checkFit(self, own, process, nodes[static_cast<size_t>(process)]));
  return nodes;
}

} // namespace tenon::runtime

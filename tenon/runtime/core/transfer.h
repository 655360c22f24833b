// Infeed, outfeed, send and recv: the routines behind the ops, which both the compiled program (as library runtime
// calls) and the interpreter call. Each blocks until its data has moved, as device_streams.h says.
#pragma once

#include "tenon/runtime/core/device_streams.h"
#include "tenon/runtime/core/runtime_call.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tenon::runtime {

// An array in the program's memory, row-major; `type` is how it travels.
struct TransferArray {
  StreamType type;
  void *data = nullptr;
};

struct ChannelUse {
  int64_t id = 0;
  bool isHostTransfer = false;
  // (source, target) pairs of processes, which are partitions, or replicas where there is one partition. A process that
  // is nobody's source sends nothing, and one that is nobody's target receives zeros. Empty: whoever sends on the
  // channel sends to whoever receives on it.
  std::vector<std::pair<int64_t, int64_t>> pairs;
};

// An infeed without results reads nothing, and an outfeed without operands writes nothing.
Status readInfeed(const RunOptions &options, std::span<const TransferArray> results);
Status writeOutfeed(const RunOptions &options, std::span<const TransferArray> operands, const std::string &config);
Status sendMessage(const RunOptions &options, const ChannelUse &channel, std::span<const TransferArray> operands);
Status receiveMessage(const RunOptions &options, const ChannelUse &channel, std::span<const TransferArray> results);

// The channel of a runtime call that moves data between devices; none for others.
std::optional<ChannelUse> deviceChannel(const program::RuntimeCall &runtimeCall);
// A run has ended well whose program has these (Channels::finish).
Status finishMessages(const RunOptions &options, std::span<const ChannelUse> channels);

// Whether a runtime call is one of those below.
bool isTransfer(const program::RuntimeCall &runtimeCall);

// Whether runs of the program wait for nothing but each other, in collectives, and call no code but this library's:
// then several may have one thread (fiber_group.h).
bool waitsForDevicesOnly(const program::Program &program);

// The library's routines "infeed", "outfeed", "send" and "recv". Attributes: `config`, a string; `channel`, `host` and
// `pairs` as in ChannelUse.
void registerTransfers();

} // namespace tenon::runtime

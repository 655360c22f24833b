#include "tenon/runtime/core/transfer.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/core/background_calls.h"
#include "tenon/runtime/core/relayout.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/support/shown.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime {
namespace {

using program::AttributeDict;

ThreadPool &poolOf(const RunOptions &options) { return options.pool ? *options.pool : ThreadPool::global(); }

DeviceStreams &streamsOf(const RunOptions &options) {
  return options.streams ? *options.streams : DeviceStreams::ofDevice(options.deviceOrdinal);
}

Channels &channelsOf(const RunOptions &options) { return options.channels ? *options.channels : Channels::ofProcess(); }

std::vector<StreamType> typesOf(std::span<const TransferArray> arrays) {
  std::vector<StreamType> types;
  for (const TransferArray &array : arrays)
    types.push_back(array.type);
  return types;
}

// Copies between the program's memory and an item's.
void copy(const TransferArray &array, const void *from, void *to, RelayoutDirection direction,
          const RunOptions &options) {
  const program::Shape &shape = array.type.shape;
  if (shape.byteSize() == 0)
    return;
  if (isRowMajor(shape.dims, array.type.layout))
    std::memcpy(to, from, size_t(shape.byteSize()));
  else
    relayout(from, to, size_t(program::byteSize(shape.type)), shape.dims, array.type.layout, direction,
             poolOf(options));
}

StatusOr<StreamItem> makeItem(const RunOptions &options, std::span<const TransferArray> arrays) {
  StreamItem item;
  if (options.account) {
    int64_t total = 0;
    for (const TransferArray &array : arrays)
      total += array.type.shape.byteSize();
    TENON_ASSIGN_OR_RETURN(item.account, options.account(total));
  }
  for (const TransferArray &array : arrays) {
    auto bytes = size_t(array.type.shape.byteSize());
    Buffer data = bytes ? Buffer(bytes) : Buffer();
    if (bytes && !data)
      return Status(StatusCode::kResourceExhausted,
                    "out of memory: cannot allocate " + std::to_string(bytes) + " bytes for " + array.type.toString());
    copy(array, array.data, data.data(), RelayoutDirection::kFromRowMajor, options);
    item.arrays.push_back({array.type, std::move(data)});
  }
  return item;
}

void takeItem(const RunOptions &options, const StreamItem &item, std::span<const TransferArray> arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    copy(arrays[i], item.arrays[i].data.data(), arrays[i].data, RelayoutDirection::kToRowMajor, options);
}

int64_t processOf(const RunOptions &options) {
  return options.numPartitions > 1 ? options.partitionId : options.replicaId;
}

Channels::Key keyOf(const RunOptions &options, int64_t channel, std::pair<int64_t, int64_t> pair) {
  bool areReplicas = options.numPartitions <= 1;
  Channels::Key key{channel, areReplicas ? 0 : options.replicaId, int32_t(pair.first), int32_t(pair.second), -1, -1};
  if (key.isOpen())
    return key;
  int64_t first = areReplicas ? 0 : int64_t(options.replicaId) * options.numPartitions;
  key.sourceProcess = first + pair.first;
  key.targetProcess = first + pair.second;
  return key;
}

} // namespace

Status readInfeed(const RunOptions &options, std::span<const TransferArray> results) {
  if (results.empty())
    return {};
  TENON_ASSIGN_OR_RETURN(StreamItem item, streamsOf(options).infeed.pop(typesOf(results), options.wait));
  takeItem(options, item, results);
  return {};
}

Status writeOutfeed(const RunOptions &options, std::span<const TransferArray> operands, const std::string &config) {
  if (operands.empty())
    return {};
  TENON_ASSIGN_OR_RETURN(StreamItem item, makeItem(options, operands));
  item.config = config;
  return streamsOf(options).outfeed.push(std::move(item), options.wait);
}

Status sendMessage(const RunOptions &options, const ChannelUse &channel, std::span<const TransferArray> operands) {
  if (channel.isHostTransfer) {
    TENON_ASSIGN_OR_RETURN(StreamItem item, makeItem(options, operands));
    if (options.hostTransfers)
      return options.hostTransfers->send(channel.id, std::move(item), options.wait);
    return streamsOf(options).toHost(channel.id).push(std::move(item), options.wait);
  }
  std::vector<std::pair<int64_t, int64_t>> routes = channel.pairs;
  if (routes.empty())
    routes.emplace_back(-1, -1);
  else
    std::erase_if(routes, [&](const auto &pair) { return pair.first != processOf(options); });
  for (const auto &route : routes) {
    TENON_ASSIGN_OR_RETURN(StreamItem item, makeItem(options, operands));
    Channels::Key key = keyOf(options, channel.id, route);
    TENON_RETURN_IF_ERROR(channelsOf(options).send(key, std::move(item), options.process(), options.wait));
  }
  return {};
}

Status receiveMessage(const RunOptions &options, const ChannelUse &channel, std::span<const TransferArray> results) {
  std::vector<StreamType> types = typesOf(results);
  StatusOr<StreamItem> item = StreamItem();
  if (channel.isHostTransfer) {
    item = options.hostTransfers ? options.hostTransfers->receive(channel.id, types, options.wait)
                                 : streamsOf(options).fromHost(channel.id).pop(types, options.wait);
  } else {
    std::pair<int64_t, int64_t> route(-1, -1);
    auto isTarget = [&](const auto &pair) { return pair.second == processOf(options); };
    if (!channel.pairs.empty()) {
      auto found = std::find_if(channel.pairs.begin(), channel.pairs.end(), isTarget);
      if (found == channel.pairs.end()) {
        for (const TransferArray &result : results)
          if (int64_t bytes = result.type.shape.byteSize())
            std::memset(result.data, 0, size_t(bytes));
        return {};
      }
      route = *found;
    }
    Channels::Key key = keyOf(options, channel.id, route);
    item = channelsOf(options).receive(key, types, options.process(), options.wait);
  }
  if (!item.ok())
    return item.status();
  takeItem(options, *item, results);
  return {};
}

// --- As runtime calls ---

namespace {

// The arrays among operands or results: tokens carry nothing.
struct ArraySlots {
  std::vector<size_t> positions;
  std::vector<StreamType> types;

  ArraySlots(const std::vector<program::Shape> &shapes, const std::vector<std::vector<int64_t>> &layouts) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].type == program::ElementType::kToken)
        continue;
      positions.push_back(i);
      types.push_back({shapes[i], i < layouts.size() ? layouts[i] : std::vector<int64_t>()});
    }
  }

  std::vector<TransferArray> arrays(std::span<void *const> pointers) const {
    std::vector<TransferArray> arrays;
    for (size_t i = 0; i < positions.size(); ++i)
      arrays.push_back({types[i], pointers[positions[i]]});
    return arrays;
  }
};

StatusOr<ChannelUse> channelUse(const program::RuntimeCall &runtimeCall) {
  const AttributeDict &attributes = runtimeCall.attributes;
  TENON_ASSIGN_OR_RETURN(int64_t id, integerAttribute(attributes, "channel"));
  TENON_ASSIGN_OR_RETURN(bool host, booleanAttribute(attributes, "host"));
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> pairs, integerArrayAttribute(attributes, "pairs"));
  if (pairs.size() % 2)
    return invalidArgument("source_target_pairs must be pairs");
  ChannelUse use{id, host, {}};
  for (size_t i = 0; i < pairs.size(); i += 2)
    use.pairs.emplace_back(pairs[i], pairs[i + 1]);
  return use;
}

using Factory = StatusOr<std::unique_ptr<RuntimeCallInstance>>;

Factory makeInfeed(const program::RuntimeCall &runtimeCall) {
  ArraySlots slots(runtimeCall.results, runtimeCall.resultLayouts);
  for (const StreamType &type : slots.types)
    if (!type.layout.empty() && !isPermutation(type.layout, type.shape.dims.size()))
      return invalidArgument("the layout of " + type.shape.toString() + " is not an order of its dimensions");
  return makeRuntimeCall(
      [slots](const CallBuffers &call) { return readInfeed(call.options, slots.arrays(call.results)); });
}

Factory makeOutfeed(const program::RuntimeCall &runtimeCall) {
  const AttributeDict &attributes = runtimeCall.attributes;
  TENON_ASSIGN_OR_RETURN(std::string config, stringAttribute(attributes, "config"));
  return makeRuntimeCall([slots = ArraySlots(runtimeCall.operands, {}), config](const CallBuffers &call) {
    return writeOutfeed(call.options, slots.arrays(call.operands), config);
  });
}

Factory makeSend(const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(ChannelUse channel, channelUse(runtimeCall));
  return makeRuntimeCall([slots = ArraySlots(runtimeCall.operands, {}), channel](const CallBuffers &call) -> Status {
    TENON_RETURN_IF_ERROR(awaitBackground(call.options));
    return sendMessage(call.options, channel, slots.arrays(call.operands));
  });
}

Factory makeReceive(const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(ChannelUse channel, channelUse(runtimeCall));
  return makeRuntimeCall([slots = ArraySlots(runtimeCall.results, {}), channel](const CallBuffers &call) -> Status {
    TENON_RETURN_IF_ERROR(awaitBackground(call.options));
    return receiveMessage(call.options, channel, slots.arrays(call.results));
  });
}

} // namespace

std::optional<ChannelUse> deviceChannel(const program::RuntimeCall &runtimeCall) {
  if (!isTransfer(runtimeCall) || (runtimeCall.target != "send" && runtimeCall.target != "recv"))
    return std::nullopt;
  StatusOr<ChannelUse> use = channelUse(runtimeCall);
  return use.ok() && !use->isHostTransfer ? std::optional(*use) : std::nullopt;
}

Status finishMessages(const RunOptions &options, std::span<const ChannelUse> channels) {
  int64_t self = processOf(options);
  std::vector<Channels::Key> keys;
  for (const ChannelUse &channel : channels)
    for (const auto &pair : channel.pairs)
      if (pair.first == self || pair.second == self)
        keys.push_back(keyOf(options, channel.id, pair));
  return keys.empty() ? Status() : channelsOf(options).finish(keys, options.process(), options.wait);
}

TENON_SHOWN bool isTransfer(const program::RuntimeCall &runtimeCall) {
  if (runtimeCall.kind != program::RuntimeCall::Kind::kLibrary)
    return false;
  return runtimeCall.target == "infeed" || runtimeCall.target == "outfeed" || runtimeCall.target == "send" ||
         runtimeCall.target == "recv";
}

bool waitsForDevicesOnly(const program::Program &program) {
  return std::ranges::all_of(program.runtimeCalls, [](const program::RuntimeCall &runtimeCall) {
    return runtimeCall.kind == program::RuntimeCall::Kind::kLibrary && !isTransfer(runtimeCall) &&
           runtimeCall.programs.empty();
  });
}

void registerTransfers() {
  registerLibrary("infeed", makeInfeed);
  registerLibrary("outfeed", makeOutfeed);
  registerLibrary("send", makeSend);
  registerLibrary("recv", makeReceive);
}

} // namespace tenon::runtime

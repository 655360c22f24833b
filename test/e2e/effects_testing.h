// A world for programs with effects, and what they do to it.
#pragma once

#include "test/execution.h"

#include "tenon/runtime/core/device_streams.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::testing {

using Transcript = std::vector<std::string>;

std::string numberText(float value);

// The host and the custom call of a run, and what they see. Arrays are f32; what is written is their first element.
class World : public runtime::HostTransfers {
public:
  explicit World(int infeedItems = 100) {
    for (int i = 0; i < infeedItems; ++i)
      feed({float(i + 1)}, {});
    options.streams = &streams;
    options.channels = &channels;
    options.hostTransfers = this;
    options.userData = &userData;
    userData[0] = this;
  }

  void feed(const std::vector<float> &values, std::vector<int64_t> dims) {
    runtime::StreamItem item;
    item.arrays.push_back(
        *runtime::StreamArray::copyOf({{program::ElementType::kF32, std::move(dims)}, {}}, values.data()));
    ASSERT_TRUE(streams.infeed.push(std::move(item)).ok());
  }

  // The outfeed is emptied whenever something else is seen, so that all is in one order.
  void note(const std::string &what) {
    drain();
    transcript_.push_back(what);
  }
  Transcript finish() {
    drain();
    return transcript_;
  }

  Status send(int64_t channel, runtime::StreamItem item, const runtime::Wait &) override {
    note("send" + std::to_string(channel) + " " + textOf(item));
    return {};
  }
  StatusOr<runtime::StreamItem> receive(int64_t channel, std::span<const runtime::StreamType> types,
                                        const runtime::Wait &) override {
    note("recv" + std::to_string(channel));
    runtime::StreamItem item;
    float value = float(channel);
    item.arrays.push_back(*runtime::StreamArray::copyOf(types[0], &value));
    return item;
  }

  runtime::DeviceStreams streams{0};
  runtime::Channels channels{/*alone=*/true};
  runtime::RunOptions options;
  std::unordered_map<int64_t, void *> userData;

private:
  static std::string textOf(const runtime::StreamItem &item) {
    std::string text;
    for (const runtime::StreamArray &array : item.arrays)
      text += (text.empty() ? "" : ",") + numberText(*static_cast<const float *>(array.data.data()));
    return text;
  }
  void drain() {
    while (streams.outfeed.itemCount())
      transcript_.push_back("out " + textOf(*streams.outfeed.pop()));
  }

  Transcript transcript_;
};

// What a program does to a world: compiled, with or without optimisation, and interpreted. Its arguments are zeros.
StatusOr<Transcript> runCompiled(const std::string &source, bool optimize);
StatusOr<Transcript> runInterpreted(const std::string &source);

// `text` with $t as the type of tokens.
std::string expand(std::string text);

} // namespace tenon::testing

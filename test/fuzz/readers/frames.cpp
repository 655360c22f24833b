// What comes from another process of a job.
#include "test/fuzz/readers/readers.h"

#include "tenon/runtime/control/heartbeat.h"
#include "tenon/runtime/control/node.h"
#include "tenon/runtime/transport/exchange.h"

#include <algorithm>
#include <array>

namespace tenon::fuzz {
namespace {

using namespace runtime;

// Messages that wait for the peer, and memory around those that are received, which must stay as it is.
class Waiting {
public:
  Waiting()
      : exchange_({0, {"process 0", "process 1"}, [](Peer) {}, [this](Peer peer) { exchange_.lost(peer, kCut); }}) {
    memory_.fill(kUntouched);
    std::span<const std::byte> out(sent_);
    for (uint32_t lane = 0; lane < 2; ++lane) {
      transfers_.push_back(exchange_.post(1, {lane, 0}, kMessage, {&out, 1}));
      transfers_.push_back(
          exchange_.take(1, {0, lane}, kMessage, std::span(memory_).subspan(kBytes * (2 * lane + 1), kBytes)));
    }
  }

  // False: the peer has been given up.
  bool receive(std::string_view frame) {
    std::span<const std::byte> bytes = std::as_bytes(std::span(frame.data(), frame.size()));
    std::span<const std::byte> pieces[] = {bytes.first(frame.size() / 2), bytes.subspan(frame.size() / 2)};
    bool isFine = exchange_.received(1, pieces).ok();
    while (exchange_.nextFrame(1)) {
    }
    return isFine;
  }

  void finish() {
    exchange_.fail(kCut);
    for (auto &transfer : transfers_)
      (void)transfer->wait();
    for (size_t part : {0, 2, 4})
      for (size_t i = 0; i < kBytes; ++i)
        if (memory_[part * kBytes + i] != kUntouched)
          fail("a frame was written outside of where it was to go");
  }

private:
  static constexpr size_t kBytes = 16;
  static constexpr std::byte kUntouched{0x5a};
  static constexpr Message kMessage{1, 2, 3, "exchange"};
  inline static const Status kCut{StatusCode::kUnavailable, "cut"};

  std::array<std::byte, kBytes> sent_{};
  std::array<std::byte, 5 * kBytes> memory_;
  Exchange exchange_;
  std::vector<std::unique_ptr<Transfer>> transfers_;
};

} // namespace

void fuzzFrames(std::string_view bytes) {
  std::string text(bytes);
  if (auto message = readControl(text); message.ok() && writeControl(*message) != text)
    fail("a control message is written in two ways");
  if (auto node = readNode(text); node.ok() && writeNode(*node) != text)
    fail("a node is written in two ways");
  Waiting waiting;
  while (bytes.size() >= 2) {
    size_t size = static_cast<uint8_t>(bytes[0]) | static_cast<size_t>(static_cast<uint8_t>(bytes[1])) << 8;
    bytes.remove_prefix(2);
    std::string_view frame = bytes.substr(0, size);
    bytes.remove_prefix(frame.size());
    if (!waiting.receive(frame))
      break;
  }
  waiting.finish();
}

} // namespace tenon::fuzz

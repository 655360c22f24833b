// Orders in which things may happen when processes end. The tests play the network, or stop a thread of it, so that
// they happen in just that order.
#include "tenon/runtime/control/processes.h"
#include "tenon/runtime/control/test/network_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>

namespace tenon::runtime {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr Message kOurs{.launch = 5, .ordinal = 6, .hash = 7, .description = "all_reduce at train.py:31"};
constexpr Message kOther{.launch = 5, .ordinal = 9, .hash = 8, .description = "all_gather at train.py:7"};

// A frame as it comes from the network.
class Arrived {
public:
  explicit Arrived(Exchange::Outgoing frame) : frame_(std::move(frame)) {
    pieces_ = {frame_.header, std::as_bytes(std::span(frame_.text))};
  }
  Pieces pieces() const { return pieces_; }
  FrameKind kind() const { return parseFrame(frame_.header, kFrameHeaderBytes + frame_.text.size())->kind; }

private:
  Exchange::Outgoing frame_;
  std::vector<std::span<const std::byte>> pieces_;
};

// A network whose part the test plays. Frames go when it is shut down, to those for whom it has heard of some by then.
class PlayedNetwork final : public StillNetwork {
public:
  // A thread of the network's brings the frame, and comes to say that there is one to be sent, but is not heard.
  void deliverUnheard(Peer peer, const Arrived &frame) {
    thread_ = std::thread([this, peer, &frame] {
      isUnheard = true;
      status_ = events->received(peer, frame.pieces());
    });
  }

  void open(Peer, std::vector<PeerAddress>, Events &opened) override { events = &opened; }
  void wake(Peer peer) override {
    if (isUnheard) {
      happenings.add("unheard wake");
      release_.wait();
    } else {
      woken_.push_back(peer);
    }
  }
  void shutDown(std::chrono::milliseconds, bool) override {
    for (Peer peer : woken_)
      while (std::optional<Exchange::Outgoing> frame = events->nextFrame(peer))
        sent->push_back(Arrived(*std::move(frame)).kind());
    release_.count_down();
    if (thread_.joinable())
      thread_.join();
  }

  Events *events = nullptr;
  std::vector<FrameKind> *sent = nullptr; // the test's: it outlives this

private:
  static thread_local bool isUnheard; // of the thread that calls
  std::thread thread_;
  Status status_;
  std::latch release_{1};
  std::vector<Peer> woken_;
};

thread_local bool PlayedNetwork::isUnheard = false;

// Process 1 of three, which is the only one that is there.
class EndingTest : public testing::Test {
protected:
  // `mostInMesh`: 2: only process 0 hears all.
  void start(int mostInMesh = 64) {
    MemoryKeys keys;
    for (Peer peer : {0, 2}) {
      Node node;
      node.bootId = bootId();
      node.token = "secret";
      keys.add(peer, node);
    }
    ProcessesOptions options;
    options.self = 1;
    options.count = 3;
    options.mostInMesh = mostInMesh;
    options.sharesMemory = false;
    options.liveness = {.peerTimeout = 0ms, .endTimeout = 1h}; // time decides nothing
    options.report = [](const std::string &) {};
    options.makeNetwork = [this](const NetworkOptions &) -> StatusOr<std::unique_ptr<Network>> {
      auto played = std::make_unique<PlayedNetwork>();
      network_ = played.get();
      network_->sent = &sent_;
      return std::unique_ptr<Network>(std::move(played));
    };
    processes_ = Processes::start(options, &keys).ConsumeValueOrDie();
  }
  std::unique_ptr<Transfer> takeFrom(Peer peer) { return processes_->transport().take(peer, {}, kOurs, into_); }
  std::unique_ptr<Transfer> postTo(Peer peer) { return processes_->transport().post(peer, {}, kOurs, {&piece_, 1}); }

  Network::Events &events() const { return *network_->events; }
  // Process 2's side of its messages with this process.
  Exchange other_{{2, {"process 0", "process 1", "process 2"}, [](Peer) {}, [](Peer) {}}};
  std::vector<FrameKind> sent_;
  PlayedNetwork *network_ = nullptr;
  std::unique_ptr<Processes> processes_;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(4), into_ = bytes_;
  std::span<const std::byte> piece_ = bytes_;
};

// Process 2 has ended since another one has failed, and its connection is heard of first.
TEST_F(EndingTest, ABrokenConnectionIsNotTheCauseThatProcess0Tells) {
  for (int mostInMesh : {2, 64}) {
    start(mostInMesh);
    auto received = takeFrom(2);
    events().disconnected(2, /*isControl=*/false, {});
    events().controlled(0, writeControl(Failure{"process 0 (host, pid 70): device 3: out of memory"}));
    EXPECT_THAT(received->wait().message(), HasSubstr("device 3: out of memory"));
    EXPECT_THAT(processes_->status().message(), HasSubstr("device 3: out of memory"));
    received.reset();
    processes_.reset();
  }
}

// A process refuses a message, says goodbye and ends; of its two connections the one with the refusal is read last.
TEST_F(EndingTest, ARefusalCountsThatComesBehindAGoodbye) {
  start();
  auto received = takeFrom(2);
  auto posted = other_.post(1, {}, kOther, {&piece_, 1});
  Exchange::Outgoing ready = *events().nextFrame(2);
  ASSERT_TRUE(other_.received(1, Arrived(std::move(ready)).pieces()).ok());
  Arrived refusal(*other_.nextFrame(1));
  ASSERT_EQ(refusal.kind(), FrameKind::kRefuse);
  events().controlled(2, writeControl(Goodbye()));
  events().disconnected(2, /*isControl=*/true, {});
  events().disconnected(2, /*isControl=*/false, {});
  ASSERT_TRUE(events().received(2, refusal.pieces()).ok());
  EXPECT_THAT(received->wait().message(),
              AllOf(HasSubstr("processes do different things"), HasSubstr("all_gather at train.py:7")));
  EXPECT_EQ(processes_->status().ToString(), "OK");
  received.reset();
}

// The process ends when a thread of the network has just found that a message must be refused.
TEST_F(EndingTest, ARefusalIsSentOfWhichTheNetworkHasNotHeard) {
  start();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(postTo(2)->wait({.stop = stop.get_token()}).code(), StatusCode::kCancelled);
  auto received = other_.take(1, {}, kOurs, into_);
  Arrived ready(*other_.nextFrame(1));
  network_->deliverUnheard(2, ready);
  network_->happenings.await("unheard wake");
  processes_.reset();
  EXPECT_THAT(sent_, testing::ElementsAre(FrameKind::kRefuse));
}

// Process 0 ends before process 1 has answered that it may share memory.
TEST_F(SharedNetworkTest, SendsFirstWhatIsForAProcessThatHasNotAnsweredYet) {
  one->open(neighbours);
  std::vector<std::byte> into(4);
  auto received = one->exchange->take(1, {}, kOurs, into);
  std::future<void> ended = std::async(std::launch::async, [&] { one->network->shutDown(1h, false); });
  EXPECT_EQ(ended.wait_for(20ms), std::future_status::timeout);
  two->open(neighbours);
  ended.wait();
  two->happenings.await("frame");
}

// Process 0 ends while the thread of process 1 is at the first of its frames, so that both connections have ended when
// that looks again.
TEST_F(SharedNetworkTest, ReadsAllThatAProcessHasWrittenBeforeItsEnd) {
  constexpr uint32_t kFrames = 100;
  std::vector<std::byte> bytes(4), into(4);
  std::span<const std::byte> piece(bytes);
  std::promise<void> first, goOn;
  std::atomic<bool> holdsNext{false};
  two->onFrame = [&] {
    if (holdsNext.exchange(false)) {
      first.set_value();
      goOn.get_future().wait();
    }
  };
  one->open(neighbours);
  two->open(neighbours);
  auto connecting = two->exchange->take(0, {}, kOurs, into);
  EXPECT_TRUE(one->exchange->post(1, {}, kOurs, {&piece, 1})->wait().ok());
  EXPECT_TRUE(connecting->wait().ok());
  two->happenings.await("frame");
  holdsNext = true;
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (uint32_t i = 0; i < kFrames; ++i)
    transfers.push_back(one->exchange->take(1, {1, i}, kOurs, into));
  first.get_future().wait();
  one->network->shutDown(1h, false);
  transfers.clear();
  one.reset();
  goOn.set_value();
  two->happenings.await("end");
  std::vector<std::string> all = two->happenings.all();
  EXPECT_GE(std::count(all.begin(), std::find(all.begin(), all.end(), "end"), "frame"), kFrames + 1);
}

} // namespace
} // namespace tenon::runtime

// Frames through memory that processes share: here two mappings of it in one.
#include "tenon/runtime/control/ring.h"
#include "tenon/runtime/control/shared_network.h"
#include "tenon/runtime/control/test/network_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace tenon::runtime {
namespace {

using Bytes = std::vector<std::byte>;

Bytes pattern(size_t size, uint64_t seed) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + seed * 17) >> (i % 3));
  return bytes;
}

class RingTest : public testing::Test {
protected:
  RingTest() {
    writer_ = Ring::create(file_).ConsumeValueOrDie();
    reader_ = Ring::open(file_).ConsumeValueOrDie();
  }
  bool write(const Bytes &bytes) {
    std::span<const std::byte> all(bytes), pieces[] = {all.first(bytes.size() / 3), all.subspan(bytes.size() / 3)};
    return writer_->write(pieces);
  }
  // The next frame, which is dropped; nothing: there is none.
  std::optional<Bytes> read(size_t most = Ring::kCapacity) {
    auto frame = reader_->next(most).ConsumeValueOrDie();
    if (!frame)
      return std::nullopt;
    Bytes bytes;
    for (std::span<const std::byte> piece : frame->pieces)
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    reader_->drop(*frame);
    return bytes;
  }

  FileDescriptor file_;
  std::unique_ptr<Ring> writer_, reader_;
};

TEST_F(RingTest, HandsFramesOnInOrder) {
  std::mt19937 random(1);
  std::vector<Bytes> sent;
  size_t next = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes frame = pattern(random() % 4 ? random() % 100 : random() % 300'000, random());
    if (write(frame))
      sent.push_back(frame);
    else
      EXPECT_LT(next, sent.size()) << "an empty ring has room";
    while (next < sent.size() && random() % 3)
      EXPECT_EQ(read(), sent[next++]);
  }
  while (next < sent.size())
    EXPECT_EQ(read(), sent[next++]);
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(RingTest, TakesWhatItHasRoomFor) {
  EXPECT_FALSE(write(Bytes(Ring::kCapacity)));
  Bytes largest = pattern(Ring::kCapacity - 8, 1);
  EXPECT_TRUE(write(largest));
  EXPECT_FALSE(write({}));
  EXPECT_EQ(read(), largest);
  EXPECT_TRUE(write({}));
  EXPECT_EQ(read(), Bytes());
}

TEST_F(RingTest, WakesWhoSaysThatHeSleeps) {
  EXPECT_FALSE(writer_->mustWakeReader());
  reader_->readerSleeps();
  EXPECT_TRUE(writer_->mustWakeReader());
  EXPECT_FALSE(writer_->mustWakeReader()) << "once";
  writer_->writerSleeps();
  EXPECT_TRUE(reader_->mustWakeWriter());
}

TEST_F(RingTest, RefusesFramesThatAreTooLong) {
  ASSERT_TRUE(write(Bytes(101)));
  EXPECT_EQ(reader_->next(100).status().code(), StatusCode::kDataLoss);
}

// Whatever the other process writes there, nothing outside of the ring is read.
TEST_F(RingTest, SurvivesAnyBytes) {
  size_t size = static_cast<size_t>(lseek(file_.number(), 0, SEEK_END));
  auto *memory = static_cast<std::byte *>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0));
  ASSERT_NE(memory, MAP_FAILED);
  std::mt19937_64 random(7);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    for (size_t at = 0; at < 256; at += 64) { // counters, and the length in front of the first frame
      uint64_t number = random() >> (random() % 64);
      if (random() % 2)
        std::memcpy(memory + at, &number, sizeof number);
    }
    auto frame = reader_->next(1000);
    if (!frame.ok()) {
      ++refused;
    } else if (*frame) {
      size_t bytes = 0;
      for (std::span<const std::byte> piece : (*frame)->pieces) {
        bytes += piece.size();
        for (std::byte byte : piece)
          EXPECT_LE(byte, std::byte{255});
      }
      EXPECT_LE(bytes, 1000u);
      reader_->drop(**frame);
    }
    (void)write(Bytes(random() % 500));
  }
  EXPECT_GT(refused, 0);
  munmap(memory, size);
}

TEST(RingFile, MustNotShrink) {
  FileDescriptor file(memfd_create("test", MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(file.number(), 16 << 20), 0);
  EXPECT_EQ(Ring::open(file).status().code(), StatusCode::kDataLoss);
  FileDescriptor none;
  EXPECT_EQ(Ring::open(none).status().code(), StatusCode::kDataLoss);
  FileDescriptor own;
  auto ring = Ring::create(own);
  ASSERT_TRUE(ring.ok());
  EXPECT_NE(ftruncate(own.number(), 1), 0);
}

constexpr Message kMessage{.launch = 1, .ordinal = 2, .hash = 3, .description = "all_reduce at train.py:31"};

TEST_F(SharedNetworkTest, MovesMessagesOfAnySizeBothWays) {
  one->open(neighbours);
  two->open(neighbours);
  uint32_t lane = 0;
  for (size_t size : {size_t{0}, size_t{5}, kMaxChunkBytes, 9 * kMaxChunkBytes + 3}) {
    Bytes there = pattern(size, 1), back = pattern(size, 2), inThere(size), inBack(size);
    std::span<const std::byte> thereSpan(there), backSpan(back);
    auto received = two->exchange->take(0, {lane, 0}, kMessage, inThere);
    auto receivedBack = one->exchange->take(1, {lane, 1}, kMessage, inBack);
    auto sent = one->exchange->post(1, {lane, 0}, kMessage, {&thereSpan, 1});
    auto sentBack = two->exchange->post(0, {lane++, 1}, kMessage, {&backSpan, 1});
    for (auto *transfer : {&received, &receivedBack, &sent, &sentBack})
      EXPECT_EQ((*transfer)->wait().ToString(), "OK");
    EXPECT_EQ(inThere, there);
    EXPECT_EQ(inBack, back);
  }
  EXPECT_EQ(one->network->connectedCount(), 1u);
}

TEST_F(SharedNetworkTest, NoticesTheEndOfTheOther) {
  one->open(neighbours);
  two->open(neighbours);
  Bytes bytes(4), into(4);
  std::span<const std::byte> piece(bytes);
  auto received = two->exchange->take(0, {}, kMessage, into);
  EXPECT_TRUE(one->exchange->post(1, {}, kMessage, {&piece, 1})->wait().ok());
  EXPECT_TRUE(received->wait().ok());
  received.reset();
  received = one->exchange->take(1, {}, kMessage, into);
  two.reset();
  EXPECT_EQ(received->wait().message(), "it has gone");
}

TEST_F(SharedNetworkTest, LeavesToTheOtherNetworkWhoCannotBeReached) {
  neighbours[1].socket = "tenon-of-nobody";
  one->open(neighbours);
  Bytes into(4);
  auto received = one->exchange->take(1, {}, kMessage, into);
  one->other->happenings.await("wake 1");
  EXPECT_EQ(one->network->connectedCount(), 0u);
}

TEST_F(SharedNetworkTest, SaysHowToDoWithout) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  int next = dup(0); // the number of the next file, of which there is to be none
  ASSERT_GE(next, 0);
  close(next);
  rlimit low = limit;
  low.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  std::unique_ptr<Network> other = std::make_unique<StillNetwork>();
  Status status = SharedNetwork::create(other).status();
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_THAT(status.message(), testing::AllOf(testing::HasSubstr("cannot listen for processes of this machine"),
                                               testing::HasSubstr("TENON_SHARED_MEMORY=0")));
  EXPECT_TRUE(other) << "it is the caller's still";
}

TEST_F(SharedNetworkTest, LetsNobodyInWithoutTheSecret) {
  auto wrong = neighbours;
  wrong[0].token = "secret of 1";
  one->open(wrong); // it says that it is process 0, by another one's secret
  two->open(neighbours);
  Bytes into(4);
  auto received = one->exchange->take(1, {}, kMessage, into);
  one->other->happenings.await("wake 1");
  EXPECT_EQ(one->network->connectedCount(), 0u);
}

FileDescriptor connectTo(const std::string &name) {
  FileDescriptor stranger(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  EXPECT_EQ(connect(stranger.number(), reinterpret_cast<sockaddr *>(&address),
                    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())),
            0);
  return stranger;
}

// Before it has said anything.
TEST_F(SharedNetworkTest, LetsNoOtherUserIn) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can be another user";
  two->open(neighbours);
  std::thread([&] {
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(syscall(SYS_setresuid, -1, kNobody, -1), 0) << "of this thread";
    FileDescriptor stranger = connectTo(two->network->socketName());
    pollfd closed{stranger.number(), POLLIN, 0};
    char answer = 0;
    ASSERT_EQ(poll(&closed, 1, /*a minute, which only keeps the test from hanging*/ 60'000), 1);
    EXPECT_EQ(recv(stranger.number(), &answer, 1, 0), 0);
  }).join();
}

TEST_F(SharedNetworkTest, IsNotBrokenByStrangers) {
  one->open(neighbours);
  two->open(neighbours);
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    FileDescriptor stranger = connectTo(two->network->socketName());
    Bytes garbage = pattern(random() % 500, random());
    (void)!write(stranger.number(), garbage.data(), garbage.size());
    char answer = 0;
    shutdown(stranger.number(), SHUT_WR);
    EXPECT_LE(recv(stranger.number(), &answer, 1, 0), 0) << "it is let go";
  }
  Bytes bytes = pattern(100, 1), into(100);
  std::span<const std::byte> piece(bytes);
  auto received = two->exchange->take(0, {}, kMessage, into);
  EXPECT_TRUE(one->exchange->post(1, {}, kMessage, {&piece, 1})->wait().ok());
  EXPECT_TRUE(received->wait().ok());
  EXPECT_EQ(into, bytes);
}

} // namespace
} // namespace tenon::runtime

#include "tenon/runtime/transport/frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tenon::runtime {
namespace {

Frame dataFrame() {
  return {FrameKind::kData, StatusCode::kOk, {3, 5}, 7, 11, 13, 17, /*bytes=*/100, /*offset=*/40, /*size=*/60};
}

TEST(Frame, IsReadAsItWasWritten) {
  Frame ready{FrameKind::kReady, StatusCode::kOk, {1, 2}, 3, 4, 5, 6, 7, 0, 8};
  Frame refuse{
      FrameKind::kRefuse, StatusCode::kAborted, {UINT32_MAX, 0, INT64_MIN}, UINT64_MAX, 0, 0, UINT64_MAX, 0, 0, 0};
  for (const Frame &frame : {dataFrame(), ready, refuse}) {
    StatusOr<Frame> read = parseFrame(writeHeader(frame), kFrameHeaderBytes + frame.size);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(*read, frame);
  }
}

TEST(Frame, RefusesWhatDoesNotFit) {
  auto refused = [](Frame frame, size_t behindHeader) {
    StatusOr<Frame> read = parseFrame(writeHeader(frame), kFrameHeaderBytes + behindHeader);
    return !read.ok() && read.status().code() == StatusCode::kDataLoss;
  };
  EXPECT_FALSE(refused(dataFrame(), 60));
  EXPECT_TRUE(refused(dataFrame(), 59)) << "fewer bytes than its header says";
  EXPECT_TRUE(refused(dataFrame(), 61));
  Frame frame = dataFrame();
  frame.offset = 41;
  EXPECT_TRUE(refused(frame, 60)) << "it ends behind the message";
  frame.offset = UINT64_MAX - 10;
  EXPECT_TRUE(refused(frame, 60)) << "its end is no number";
  frame = dataFrame();
  frame.size = 0;
  EXPECT_TRUE(refused(frame, 0)) << "nothing of a message that has bytes";
  frame = dataFrame();
  frame.bytes = kMaxChunkBytes + 1;
  frame.offset = 0;
  frame.size = kMaxChunkBytes + 1;
  EXPECT_TRUE(refused(frame, kMaxChunkBytes + 1));
  frame = {FrameKind::kReady, StatusCode::kOk, {}, 0, 0, 0, 0, 0, 0, kMaxTextBytes + 1};
  EXPECT_TRUE(refused(frame, kMaxTextBytes + 1));
  EXPECT_TRUE(refused({FrameKind::kReady, StatusCode::kAborted}, 0)) << "a status that it has not";
  EXPECT_TRUE(refused({FrameKind::kRefuse, StatusCode::kOk}, 0)) << "no status";
  EXPECT_TRUE(refused({FrameKind::kRefuse, static_cast<StatusCode>(17)}, 0));
  EXPECT_TRUE(refused({static_cast<FrameKind>(0)}, 0));
  EXPECT_TRUE(refused({static_cast<FrameKind>(6)}, 0));
  FrameHeader header = writeHeader(dataFrame());
  for (size_t size = 0; size < kFrameHeaderBytes; ++size)
    EXPECT_FALSE(parseFrame(header, size).ok());
  header[0] = std::byte{0};
  EXPECT_FALSE(parseFrame(header, kFrameHeaderBytes + 60).ok());
}

// Whatever is accepted has parts that lie inside of the message, and is what writeHeader writes.
TEST(Frame, AcceptsOnlyWhatIsConsistent) {
  std::mt19937_64 random(1);
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    FrameHeader header = writeHeader(i % 2 ? dataFrame() : Frame{FrameKind::kReady, {}, {1, 2}, 3, 4, 5, 6, 7, 0, 8});
    for (uint64_t changes = random() % 3 + 1; changes; --changes)
      header[random() % header.size()] = static_cast<std::byte>(random());
    size_t behind = i % 2 ? 60 : 8;
    StatusOr<Frame> frame = parseFrame(header, kFrameHeaderBytes + behind);
    if (!frame.ok())
      continue;
    ++accepted;
    EXPECT_EQ(writeHeader(*frame), header);
    EXPECT_EQ(frame->size, behind);
    if (frame->kind == FrameKind::kData) {
      EXPECT_LE(frame->offset, frame->bytes);
      EXPECT_LE(frame->size, frame->bytes - frame->offset);
    }
  }
  EXPECT_GT(accepted, 0);
}

} // namespace
} // namespace tenon::runtime

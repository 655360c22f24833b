// The parts behind the API that have logic of their own: protocol buffers, compile options, shardings, types.
#include "tenon/pjrt/compile_options.h"
#include "tenon/pjrt/sharding.h"
#include "tenon/pjrt/shared_outcome.h"
#include "tenon/pjrt/types.h"
#include "tenon/program/sharding.h"
#include "tenon/support/proto.h"
#include "tenon/support/strides.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <limits>
#include <thread>

namespace tenon::pjrt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Proto, ReadsWhatItWrites) {
  ProtoWriter writer;
  writer.integer(1, -1);
  writer.bytes(300, "text");
  writer.packed(2, {0, 1, std::numeric_limits<int64_t>::min()});
  std::string bytes = writer.take();
  ProtoReader reader(bytes);
  ProtoField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.asInt(), -1);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 300u);
  EXPECT_EQ(field.bytes, "text");
  ASSERT_TRUE(reader.next(field));
  std::vector<int64_t> numbers;
  EXPECT_TRUE(appendInts(field, numbers));
  EXPECT_THAT(numbers, ElementsAre(0, 1, std::numeric_limits<int64_t>::min()));
  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.ok());
  // Cut anywhere inside a field, it is malformed, never read beyond.
  for (size_t size = 1; size < bytes.size(); ++size) {
    ProtoReader cut(std::string_view(bytes).substr(0, size));
    while (cut.next(field)) {
    }
    bool atBoundary = size == 11 || size == 18;
    EXPECT_EQ(cut.ok(), atBoundary) << size;
  }
}

TEST(Proto, RefusesOverlongNumbersAndUnknownWires) {
  ProtoField field;
  ProtoReader overlong("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_FALSE(overlong.next(field));
  EXPECT_FALSE(overlong.ok());
  ProtoReader group("\x0b");
  EXPECT_FALSE(group.next(field));
  EXPECT_FALSE(group.ok());
}

std::string buildOptions(ProtoWriter &build) {
  ProtoWriter options;
  options.bytes(3, build.take());
  return options.take();
}

TEST(CompileOptions, ReadsTheGrid) {
  ProtoWriter build;
  build.integer(1, -1);
  build.integer(4, 2);
  build.integer(5, 3);
  build.integer(6, 1);
  build.bytes(9, serializeDeviceAssignment(2, 3, {5, 4, 3, 2, 1, 0}));
  build.packed(12, {1, 0});
  build.integer(18, 1);
  build.integer(19, 1);
  auto options = parseCompileOptions(buildOptions(build));
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->numReplicas, 2);
  EXPECT_EQ(options->numPartitions, 3);
  EXPECT_TRUE(options->useSpmdPartitioning);
  EXPECT_TRUE(options->useShardyPartitioner);
  EXPECT_THAT(options->deviceAssignment, ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(options->allowShardingPropagationToOutput, ElementsAre(true, false));
  EXPECT_THAT(options->allowShardingPropagationToParameters, ElementsAre(true));
}

TEST(CompileOptions, ReadsOverrides) {
  auto entry = [](const char *name, ProtoWriter value) {
    ProtoWriter map;
    map.bytes(1, name);
    map.bytes(2, value.take());
    return map.take();
  };
  ProtoWriter options, text, flag, number;
  text.bytes(1, "fast");
  flag.integer(2, 1);
  number.integer(3, -5);
  options.bytes(7, entry("a", std::move(text)));
  options.bytes(7, entry("b", std::move(flag)));
  options.bytes(7, entry("c", std::move(number)));
  auto parsed = parseCompileOptions(options.take());
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->overrides.size(), 3u);
  EXPECT_EQ(std::get<std::string>(parsed->overrides[0].second), "fast");
  EXPECT_EQ(std::get<bool>(parsed->overrides[1].second), true);
  EXPECT_EQ(std::get<int64_t>(parsed->overrides[2].second), -5);
}

TEST(CompileOptions, RefusesWhatIsWrong) {
  auto fails = [](ProtoWriter build) { return !parseCompileOptions(buildOptions(build)).ok(); };
  ProtoWriter tooFew, autoPartition, negative;
  tooFew.integer(4, 2);
  tooFew.bytes(9, serializeDeviceAssignment(1, 1, {0}));
  EXPECT_TRUE(fails(std::move(tooFew)));
  autoPartition.integer(7, 1);
  EXPECT_TRUE(fails(std::move(autoPartition)));
  negative.integer(4, -2);
  EXPECT_TRUE(fails(std::move(negative)));
  ProtoWriter tupled;
  tupled.integer(2, 1);
  EXPECT_EQ(parseCompileOptions(tupled.take()).status().code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(parseCompileOptions("").ok());
}

// The numbers in a field of an OpSharding.
std::vector<int64_t> protoField(std::string_view text, uint32_t number) {
  std::string bytes = program::toProto(*program::parseSharding(text));
  std::vector<int64_t> values;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);)
    if (field.number == number)
      appendInts(field, values);
  return values;
}

TEST(Sharding, IsWrittenAsOpSharding) {
  EXPECT_THAT(protoField("{manual}", 1), ElementsAre(4));
  EXPECT_THAT(protoField("{unreduced}", 1), ElementsAre(6));
  EXPECT_THAT(protoField("{maximal device=3}", 1), ElementsAre(1));
  EXPECT_THAT(protoField("{maximal device=3}", 4), ElementsAre(3));
  const char *iota = "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}";
  EXPECT_THAT(protoField(iota, 1), ElementsAre(3));
  EXPECT_THAT(protoField(iota, 3), ElementsAre(2, 1, 4));
  EXPECT_THAT(protoField(iota, 6), ElementsAre(1));
  EXPECT_THAT(protoField(iota, 9), ElementsAre(2, 4));
  EXPECT_THAT(protoField(iota, 10), ElementsAre(1, 0));
  const char *subgroups = "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}";
  EXPECT_THAT(protoField(subgroups, 8), ElementsAre(4, 0));
  EXPECT_THAT(protoField(subgroups, 10), ElementsAre(0));
  EXPECT_THAT(protoField(subgroups, 6), IsEmpty());
}

TEST(Sharding, TellsWhichTilesPartitionsHold) {
  auto tiling = [](std::string_view text, size_t rank, int partitions) {
    return shardingTiling(*program::parseSharding(text), rank, partitions);
  };
  EXPECT_TRUE(tiling("{replicated}", 2, 4)->isReplicated());
  EXPECT_THAT(tiling("{devices=[2,1]1,0}", 2, 2)->tileOf, ElementsAre(1, 0));
  StatusOr<Tiling> copies = tiling("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", 2, 4);
  EXPECT_THAT(copies->tiles, ElementsAre(2, 1));
  EXPECT_THAT(copies->tileOf, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(tiling("{devices=[2,2]<=[2,2]T(1,0)}", 2, 4)->tileOf, ElementsAre(0, 2, 1, 3));
  EXPECT_FALSE(tiling("{devices=[2]<=[2]}", 1, 4).ok());
  EXPECT_FALSE(tiling("{devices=[4]0,1,2,7}", 1, 4).ok());
  EXPECT_EQ(tiling("{manual}", 1, 4).status().message(), "arrays with the sharding '{manual}' are not supported");
}

TEST(Types, ConvertBothWays) {
  for (int i = PJRT_Buffer_Type_PRED; i <= PJRT_Buffer_Type_F6E3M2FN; ++i) {
    if (i == PJRT_Buffer_Type_S1 || i == PJRT_Buffer_Type_U1)
      continue;
    auto type = static_cast<PJRT_Buffer_Type>(i);
    StatusOr<program::ElementType> element = fromPjrt(type);
    ASSERT_TRUE(element.ok()) << i;
    EXPECT_EQ(toPjrt(*element), type);
  }
  EXPECT_FALSE(fromPjrt(static_cast<PJRT_Buffer_Type>(63)).ok());
}

TEST(Types, StridesOfDimensionsOfSizeOneDoNotMatter) {
  program::Shape shape{program::ElementType::kF32, {2, 1, 3}};
  std::vector<int64_t> rowMajor = {12, 12, 4}, other = {12, 999, 4}, columnMajor = {4, 4, 8};
  EXPECT_TRUE(sameStrides(shape, rowMajor, other));
  EXPECT_FALSE(sameStrides(shape, rowMajor, columnMajor));
  shape.dims[0] = 0;
  EXPECT_TRUE(sameStrides(shape, rowMajor, columnMajor));
}

TEST(Types, LayoutsAreText) {
  EXPECT_EQ(layoutText(std::vector<int64_t>{1, 0}), "{1,0}");
  program::Shape shape{program::ElementType::kF32, {2, 3}};
  BufferTypeRef columnMajor = makeBufferType(shape, {0, 1});
  EXPECT_FALSE(columnMajor->isRowMajor);
  EXPECT_THAT(columnMajor->strides, ElementsAre(4, 8));
  EXPECT_TRUE(makeBufferType(program::Shape{program::ElementType::kF32, {1, 3}}, {0, 1})->isRowMajor);
}

class Work final : public runtime::DeviceWork {
public:
  explicit Work(Status status = {}) : status_(std::move(status)) {}
  Status wait() override { return ++waits_, status_; }
  int waits() const { return waits_; }

private:
  Status status_;
  std::atomic<int> waits_{0};
};

// Whoever asks first waits until the others have said what they do, and do it.
TEST(SharedOutcome, IsThatOfAllRuns) {
  auto good = std::make_shared<Work>(), bad = std::make_shared<Work>(internalError("device 1 is gone"));
  SharedOutcome outcome(3);
  std::atomic<bool> isPosted{false};
  std::thread others([&] {
    outcome.post(bad, {});
    isPosted = true;
    outcome.post(nullptr, {}); // which has ended
  });
  outcome.post(good, {});
  EXPECT_EQ(outcome.await().message(), "device 1 is gone");
  EXPECT_TRUE(isPosted);
  EXPECT_EQ(good->waits(), 1);
  EXPECT_EQ(outcome.await().message(), "device 1 is gone");
  others.join();
}

TEST(SharedOutcome, IsGoodWhereAllAre) {
  auto first = std::make_shared<Work>(), second = std::make_shared<Work>();
  SharedOutcome outcome(2);
  outcome.post(first, {});
  outcome.post(second, {});
  EXPECT_TRUE(outcome.await().ok());
  EXPECT_EQ(first->waits() + second->waits(), 2);
}

// A run that never came to its device's stream.
TEST(SharedOutcome, IsTheFailureOfARunThatDoesNotBegin) {
  SharedOutcome outcome(2);
  outcome.post(std::make_shared<Work>(), {});
  outcome.post(nullptr, internalError("no memory"));
  EXPECT_EQ(outcome.await().message(), "no memory");
}

} // namespace
} // namespace tenon::pjrt

// What programs do to the world: infeed, outfeed, messages, custom calls with effects. Each program runs compiled,
// optimised and not, and in the interpreter, and must do the same things in the same order: none dropped, merged or
// moved. Then what makes programs wait, and what ends it.

#include "test/endless_loop.h"
#include "test/execution.h"

#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/runtime/core/device_streams.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/targets/reference_transfers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

using namespace tenon;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

using Transcript = std::vector<std::string>;

std::string numberText(float value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find('.'));
}

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
    transcript.push_back(what);
  }
  Transcript finish() {
    drain();
    return transcript;
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
      transcript.push_back("out " + textOf(*streams.outfeed.pop()));
  }

  Transcript transcript;
};

// `note(x, tokens...) -> (tokens...)`: has an effect, and no results but tokens.
void registerNote() {
  runtime::registerCustomCall("note", [](const program::Service &) {
    return StatusOr<std::unique_ptr<runtime::ServiceInstance>>(
        runtime::makeService([](const runtime::ServiceCall &call) {
          auto *world = static_cast<World *>(call.options.userData->at(0));
          world->note("note " + numberText(*static_cast<const float *>(call.operands[0])));
          return Status();
        }));
  });
}

StatusOr<Transcript> runCompiled(const std::string &source, bool optimize) {
  registerNote();
  compiler::CompileOptions options;
  options.optimize = optimize;
  options.verifyStages = true;
  auto program = tenon::testing::compileAndLoad(source, options);
  if (!program.ok())
    return program.status();
  World world;
  std::vector<std::vector<uint8_t>> memory;
  std::vector<const void *> arguments;
  std::vector<void *> results;
  for (const program::Argument &argument : (*program)->program().arguments)
    arguments.push_back(memory.emplace_back(argument.shape.byteSize(), 0).data());
  for (const program::Result &result : (*program)->program().results)
    results.push_back(memory.emplace_back(std::max<int64_t>(result.shape.byteSize(), 1)).data());
  TENON_RETURN_IF_ERROR((*program)->run(arguments, results, world.options));
  return world.finish();
}

StatusOr<Transcript> runInterpreted(const std::string &source) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = frontend::importModule(source, context);
  if (!module)
    return invalidArgument("cannot be read");
  World world;
  interpreter::Options options;
  options.transfer = targets::transferAsCompiled(world.options);
  options.customCall = [&](mlir::Operation *op,
                           llvm::ArrayRef<interpreter::Value> inputs) -> StatusOr<std::vector<interpreter::Value>> {
    float value = 0;
    std::memcpy(&value, inputs[0].tensor().data(), sizeof value);
    world.note("note " + numberText(value));
    return std::vector<interpreter::Value>(op->getNumResults(), interpreter::Token{});
  };
  std::vector<interpreter::Value> arguments;
  for (mlir::Type type : module->lookupSymbol<mlir::func::FuncOp>("main").getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    arguments.emplace_back(interpreter::Tensor(tensor.getShape(), tensor.getElementType()));
  }
  TENON_ASSIGN_OR_RETURN(auto results, interpreter::interpret(*module, "main", arguments, options));
  return world.finish();
}

// $t stands for the type of tokens.
std::string expand(std::string text) {
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replaceAll("$t", "!stablehlo.token");
  return text;
}

void expectTranscript(const std::string &program, const Transcript &expected) {
  std::string source = expand(program);
  for (bool optimize : {true, false}) {
    auto transcript = runCompiled(source, optimize);
    ASSERT_TRUE(transcript.ok()) << transcript.status().message();
    EXPECT_EQ(*transcript, expected) << (optimize ? "optimised" : "not optimised");
  }
  auto transcript = runInterpreted(source);
  ASSERT_TRUE(transcript.ok()) << transcript.status().message();
  EXPECT_EQ(*transcript, expected) << "interpreted";
}

// Equal ops with equal operands are not one op, and those whose results nobody reads are not none.
TEST(Effects, AreNeitherMergedNorDropped) {
  expectTranscript(R"(
func.func @main() {
  %t = stablehlo.create_token : $t
  %unused:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<f32>, $t)
  %a:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<f32>, $t)
  %b:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<f32>, $t)
  %0 = "stablehlo.outfeed"(%a#0, %t) : (tensor<f32>, $t) -> $t
  %1 = "stablehlo.outfeed"(%a#0, %t) : (tensor<f32>, $t) -> $t
  %2 = "stablehlo.outfeed"(%b#0, %a#0, %t) : (tensor<f32>, tensor<f32>, $t) -> $t
  stablehlo.custom_call @note(%b#0) {has_side_effect = true} : (tensor<f32>) -> ()
  stablehlo.custom_call @note(%b#0) {has_side_effect = true} : (tensor<f32>) -> ()
  %3 = "stablehlo.send"(%a#0, %t) {channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, is_host_transfer = true} : (tensor<f32>, $t) -> $t
  %4 = "stablehlo.send"(%a#0, %t) {channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, is_host_transfer = true} : (tensor<f32>, $t) -> $t
  %5:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : ($t) -> (tensor<f32>, $t)
  %6:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : ($t) -> (tensor<f32>, $t)
  return
})",
                   {"out 2", "out 2", "out 3,2", "note 3", "note 3", "send4 2", "send4 2", "recv5", "recv5"});
}

// Tokens that say nothing about each other: the order is the program's all the same.
TEST(Effects, KeepTheirOrderWithoutCommonTokens) {
  expectTranscript(R"(
func.func @main() {
  %t0 = stablehlo.create_token : $t
  %a:2 = "stablehlo.infeed"(%t0) : ($t) -> (tensor<f32>, $t)
  %t1 = stablehlo.create_token : $t
  %0 = "stablehlo.outfeed"(%a#0, %t1) : (tensor<f32>, $t) -> $t
  %t2 = stablehlo.create_token : $t
  %b:2 = "stablehlo.infeed"(%t2) : ($t) -> (tensor<f32>, $t)
  stablehlo.custom_call @note(%b#0) {has_side_effect = true} : (tensor<f32>) -> ()
  %t3 = stablehlo.after_all %t0, %t2 : $t
  %1 = "stablehlo.outfeed"(%b#0, %t3) : (tensor<f32>, $t) -> $t
  %2 = "stablehlo.outfeed"(%a#0, %t0) : (tensor<f32>, $t) -> $t
  return
})",
                   {"out 1", "note 2", "out 2", "out 1"});
}

// What reads an early part of a fusion must not wait for the late parts, where effects stand between them.
TEST(Effects, AreNotPassedByFusions) {
  expectTranscript(R"(
func.func @main(%x: tensor<64x64xf32>) {
  %t = stablehlo.create_token : $t
  %one = stablehlo.constant dense<1.0> : tensor<64x64xf32>
  %early = stablehlo.add %x, %one : tensor<64x64xf32>
  %0 = "stablehlo.outfeed"(%early, %t) : (tensor<64x64xf32>, $t) -> $t
  %a:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<f32>, $t)
  stablehlo.custom_call @note(%one) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  %all = stablehlo.broadcast_in_dim %a#0, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
  %late = stablehlo.add %early, %all : tensor<64x64xf32>
  %later = stablehlo.add %early, %late : tensor<64x64xf32>
  %1 = "stablehlo.outfeed"(%later, %t) : (tensor<64x64xf32>, $t) -> $t
  stablehlo.custom_call @note(%late) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  return
})",
                   {"out 1", "note 1", "out 3", "note 2"});
}

// Several results of one fusion, each read between effects; no value leads from one effect to the next.
TEST(Effects, AreNotReorderedAroundFusions) {
  expectTranscript(R"(
func.func @main(%x: tensor<64x64xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<64x64xf32>
  %a = stablehlo.add %x, %one : tensor<64x64xf32>
  %unread = stablehlo.negate %x : tensor<64x64xf32>
  stablehlo.custom_call @note(%a) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  stablehlo.custom_call @note(%x) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  %b = stablehlo.add %a, %a : tensor<64x64xf32>
  stablehlo.custom_call @note(%b) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  stablehlo.custom_call @note(%a) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  %c = stablehlo.add %b, %a : tensor<64x64xf32>
  stablehlo.custom_call @note(%c) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  stablehlo.custom_call @note(%b) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  stablehlo.custom_call @note(%x) {has_side_effect = true} : (tensor<64x64xf32>) -> ()
  return
})",
                   {"note 1", "note 0", "note 2", "note 1", "note 3", "note 2", "note 0"});
}

// What is read is read when its turn comes, not after an update in place.
TEST(Effects, SeeArraysBeforeTheyAreOverwritten) {
  expectTranscript(R"(
func.func @main(%x: tensor<4xf32>) {
  %t = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %seven = stablehlo.constant dense<7.0> : tensor<1xf32>
  %eight = stablehlo.constant dense<8.0> : tensor<1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %a = stablehlo.add %x, %one : tensor<4xf32>
  %0 = "stablehlo.outfeed"(%a, %t) : (tensor<4xf32>, $t) -> $t
  %b = stablehlo.dynamic_update_slice %a, %seven, %zero : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
  %1 = "stablehlo.outfeed"(%b, %0) : (tensor<4xf32>, $t) -> $t
  %c = stablehlo.dynamic_update_slice %b, %eight, %zero : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
  %2 = "stablehlo.outfeed"(%c, %1) : (tensor<4xf32>, $t) -> $t
  %3 = "stablehlo.outfeed"(%x, %2) : (tensor<4xf32>, $t) -> $t
  return
})",
                   {"out 1", "out 7", "out 8", "out 0"});
}

// Conditions have effects, too; nothing that changes a stream leaves the loop, though it looks the same every time.
TEST(Effects, StayInLoops) {
  expectTranscript(R"(
func.func @main() {
  %outer = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %t = %outer) : tensor<i32>, $t cond {
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    stablehlo.custom_call @note(%f) {has_side_effect = true} : (tensor<f32>) -> ()
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a:2 = "stablehlo.infeed"(%outer) : ($t) -> (tensor<f32>, $t)
    %0 = "stablehlo.outfeed"(%a#0, %outer) : (tensor<f32>, $t) -> $t
    %b:2 = "stablehlo.infeed"(%outer) : ($t) -> (tensor<f32>, $t)
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, $t
  }
  return
})",
                   {"note 0", "out 1", "note 1", "out 3", "note 2", "out 5", "note 3"});
}

// A loop nobody reads anything of, in a branch of a branch, and tokens that are carried.
TEST(Effects, StayInBranchesAndNests) {
  expectTranscript(R"(
func.func @main() {
  %t0 = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %limit = stablehlo.constant dense<4.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %t = %t0) : tensor<i32>, $t cond {
    %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%k = %zero, %u = %t) : tensor<i32>, $t cond {
      %p = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %a:2 = "stablehlo.infeed"(%u) : ($t) -> (tensor<f32>, $t)
      %small = stablehlo.compare LT, %a#0, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v = "stablehlo.if"(%small) ({
        %w = "stablehlo.case"(%k) ({
          %x = "stablehlo.outfeed"(%a#0, %a#1) : (tensor<f32>, $t) -> $t
          %unread = "stablehlo.outfeed"(%a#0, %limit, %t0) : (tensor<f32>, tensor<f32>, $t) -> $t
          stablehlo.return %x : $t
        }, {
          stablehlo.custom_call @note(%a#0) {has_side_effect = true} : (tensor<f32>) -> ()
          stablehlo.return %a#1 : $t
        }) : (tensor<i32>) -> $t
        stablehlo.return %w : $t
      }, {
        %x = "stablehlo.outfeed"(%limit, %a#0, %a#1) : (tensor<f32>, tensor<f32>, $t) -> $t
        stablehlo.return %x : $t
      }) : (tensor<i1>) -> $t
      %l = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %l, %v : tensor<i32>, $t
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %q#1 : tensor<i32>, $t
  }
  return
})",
                   {"out 1", "out 1,4", "note 2", "out 3", "out 3,4", "out 4,4"});
}

// A function is its effects, each time it is called, read or not; and so is a composite.
TEST(Effects, HappenOncePerCall) {
  expectTranscript(R"(
func.func @main() {
  %t = stablehlo.create_token : $t
  %a:2 = func.call @next(%t) : ($t) -> (tensor<f32>, $t)
  %b:2 = func.call @next(%t) : ($t) -> (tensor<f32>, $t)
  %c:2 = stablehlo.composite "my.next" %t {decomposition = @next} : ($t) -> (tensor<f32>, $t)
  %0:2 = stablehlo.optimization_barrier %b#0, %b#1 : tensor<f32>, $t
  %1 = "stablehlo.outfeed"(%0#0, %0#1) : (tensor<f32>, $t) -> $t
  return
}
func.func private @next(%t: $t) -> (tensor<f32>, $t) {
  %a:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<f32>, $t)
  stablehlo.custom_call @note(%a#0) {has_side_effect = true} : (tensor<f32>) -> ()
  return %a#0, %a#1 : tensor<f32>, $t
})",
                   {"note 1", "note 2", "note 3", "out 2"});
}

// A loop that never runs and the branch that is not taken, known when compiling.
TEST(Effects, OfWhatIsNotReachedDoNotHappen) {
  expectTranscript(R"(
func.func @main() {
  %t = stablehlo.create_token : $t
  %false = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<9.0> : tensor<f32>
  %r = stablehlo.while(%u = %t) : $t cond {
    stablehlo.return %false : tensor<i1>
  } do {
    %0 = "stablehlo.outfeed"(%x, %u) : (tensor<f32>, $t) -> $t
    stablehlo.return %0 : $t
  }
  %s = "stablehlo.if"(%false) ({
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, $t) -> $t
    stablehlo.return %0 : $t
  }, {
    stablehlo.custom_call @note(%x) {has_side_effect = true} : (tensor<f32>) -> ()
    stablehlo.return %t : $t
  }) : (tensor<i1>) -> $t
  return
})",
                   {"note 9"});
}

// An infeed of nothing reads nothing.
TEST(Effects, EmptyItemsAreNotMoved) {
  expectTranscript(R"(
func.func @main() {
  %t = stablehlo.create_token : $t
  %0 = "stablehlo.infeed"(%t) : ($t) -> $t
  %1 = "stablehlo.outfeed"(%0) : ($t) -> $t
  %a:2 = "stablehlo.infeed"(%1) : ($t) -> (tensor<f32>, $t)
  %2 = "stablehlo.outfeed"(%a#0, %a#1) : (tensor<f32>, $t) -> $t
  return
})",
                   {"out 1"});
}

// --- Waiting ---

std::unique_ptr<runtime::LoadedProgram> load(const std::string &source) {
  auto program = tenon::testing::compileAndLoad(expand(source), {});
  if (!program.ok()) {
    ADD_FAILURE() << program.status().message();
    return nullptr;
  }
  return std::move(*program);
}

// Sums `count` items of 1000 elements.
const char *kSumItems = R"(
func.func @main(%count: tensor<i32>) -> tensor<1000xf32> {
  %t0 = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<1000xf32>
  %r:3 = stablehlo.while(%i = %zero, %sum = %nothing, %t = %t0) : tensor<i32>, tensor<1000xf32>, $t cond {
    %p = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<1000xf32>, $t)
    %next = stablehlo.add %sum, %a#0 : tensor<1000xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %a#1 : tensor<i32>, tensor<1000xf32>, $t
  }
  return %r#1 : tensor<1000xf32>
})";

void awaitWaiting(const runtime::StreamQueue &queue) {
  while (queue.waiting() == 0)
    std::this_thread::yield();
}

Status runSum(runtime::LoadedProgram &program, int32_t count, std::vector<float> &sum,
              const runtime::RunOptions &options) {
  const void *arguments[] = {&count};
  sum.assign(1000, -1);
  void *results[] = {sum.data()};
  return program.run(arguments, results, options);
}

TEST(Waiting, ALoopConsumesWhatIsFedMeanwhile) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  // The queue holds two items, so that either side must wait for the other.
  runtime::DeviceStreams streams(0, /*capacityBytes=*/8000);
  std::thread feeder([&] {
    for (int i = 0; i < 500; ++i) {
      std::vector<float> item(1000, float(i));
      runtime::StreamItem moved;
      moved.arrays.push_back(*runtime::StreamArray::copyOf({{program::ElementType::kF32, {1000}}, {}}, item.data()));
      ASSERT_TRUE(streams.infeed.push(std::move(moved)).ok());
    }
  });
  runtime::RunOptions options;
  options.streams = &streams;
  std::vector<float> sum;
  Status status = runSum(*program, 500, sum, options);
  feeder.join();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(sum, ::testing::Each(499.0f * 250));
}

TEST(Waiting, EndsWhenTheRunIsCancelled) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  World world(0);
  std::stop_source source;
  world.options.wait.stop = source.get_token();
  std::thread canceller([&] {
    awaitWaiting(world.streams.infeed);
    source.request_stop();
  });
  std::vector<float> sum;
  Status status = runSum(*program, 1, sum, world.options);
  canceller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_THAT(status.message(), HasSubstr("infeed: cancelled while waiting for the infeed of device 0 (at "));
  // The program is as good as new.
  world.options.wait = {};
  world.feed(std::vector<float>(1000, 2), {1000});
  status = runSum(*program, 1, sum, world.options);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(sum, ::testing::Each(2));
}

TEST(Waiting, EndsAtTheDeadline) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  World world(0);
  world.options.wait.deadline = std::chrono::steady_clock::now() + 10ms;
  std::vector<float> sum;
  EXPECT_EQ(runSum(*program, 1, sum, world.options).code(), StatusCode::kDeadlineExceeded);
}

// Element by element, on all workers.
TEST(Waiting, EndsLoopsInComputations) {
  auto program = load(R"(func.func @main(%x: tensor<4096xi32>) -> tensor<4096xi32> {
    %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>):
      )" + tenon::testing::endlessLoop("%a") +
                      R"(      stablehlo.return %endless : tensor<i32>
    }) : (tensor<4096xi32>) -> tensor<4096xi32>
    return %r : tensor<4096xi32>
  })");
  ASSERT_TRUE(program);
  std::vector<int32_t> x(4096, 1), y(4096);
  const void *arguments[] = {x.data()};
  void *results[] = {y.data()};
  runtime::RunOptions options;
  options.wait.deadline = std::chrono::steady_clock::now() + 20ms;
  EXPECT_EQ(program->run(arguments, results, options).code(), StatusCode::kDeadlineExceeded);
  // The next run is its own.
  std::ranges::fill(x, -1);
  EXPECT_TRUE(program->run(arguments, results, {}).ok());
  EXPECT_THAT(y, ::testing::Each(-1));
}

TEST(Waiting, WrongDataIsAnError) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  World world(1); // a scalar
  std::vector<float> sum;
  Status status = runSum(*program, 1, sum, world.options);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("the infeed of device 0 holds f32[] where f32[1000] is expected (at "));
}

TEST(Waiting, AFullOutfeedHoldsTheProgramBack) {
  auto program = load(R"(
func.func @main(%x: tensor<1000xf32>) {
  %t = stablehlo.create_token : $t
  %0 = "stablehlo.outfeed"(%x, %t) : (tensor<1000xf32>, $t) -> $t
  %1 = "stablehlo.outfeed"(%x, %0) : (tensor<1000xf32>, $t) -> $t
  %2 = "stablehlo.outfeed"(%x, %1) : (tensor<1000xf32>, $t) -> $t
  return
})");
  ASSERT_TRUE(program);
  runtime::DeviceStreams streams(0, /*capacityBytes=*/4000);
  runtime::RunOptions options;
  options.streams = &streams;
  std::stop_source source;
  options.wait.stop = source.get_token();
  std::thread canceller([&] {
    awaitWaiting(streams.outfeed);
    source.request_stop();
  });
  std::vector<float> x(1000);
  const void *arguments[] = {x.data()};
  Status status = program->run(arguments, {}, options);
  canceller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_THAT(status.message(), HasSubstr("the outfeed of device 0 to have room"));
  EXPECT_EQ(streams.outfeed.itemCount(), 1);
}

// Two programs in the same pool, of which one waits for what the other makes in parallel loops: who waits holds no
// worker.
TEST(Waiting, LeavesTheWorkersToOthers) {
  auto consumer = load(kSumItems);
  auto producer = load(R"(
func.func @main(%x: tensor<512x512xf32>) {
  %t = stablehlo.create_token : $t
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.slice %0 [0:2, 0:500] : (tensor<512x512xf32>) -> tensor<2x500xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x500xf32>) -> tensor<1000xf32>
  %3 = "stablehlo.outfeed"(%2, %t) : (tensor<1000xf32>, $t) -> $t
  return
})");
  ASSERT_TRUE(consumer && producer);
  for (int workers : {1, 2}) {
    runtime::ThreadPool pool(workers);
    runtime::DeviceStreams consuming(0), producing(1);
    runtime::RunOptions options;
    options.pool = &pool;
    options.streams = &consuming;
    std::vector<float> sum;
    Status status;
    std::thread waiting([&] { status = runSum(*consumer, 4, sum, options); });
    runtime::RunOptions other = options;
    other.streams = &producing;
    std::vector<float> x(512 * 512, 1);
    const void *arguments[] = {x.data()};
    for (int i = 0; i < 4; ++i) {
      awaitWaiting(consuming.infeed);
      ASSERT_TRUE(producer->run(arguments, {}, other).ok());
      ASSERT_TRUE(consuming.infeed.push(*producing.outfeed.pop()).ok());
    }
    waiting.join();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_THAT(sum, ::testing::Each(4 * 512));
  }
}

// --- Between devices ---

// Each process gives its number to the next and gets that of the one before, `rounds` times.
TEST(Messages, GoRound) {
  auto program = load(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t0 = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<7> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %v = %x, %t = %t0) : tensor<i32>, tensor<2xf32>, $t cond {
    %p = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = "stablehlo.send"(%v, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<2xf32>, $t) -> $t
    %a:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : ($t) -> (tensor<2xf32>, $t)
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a#0, %a#1 : tensor<i32>, tensor<2xf32>, $t
  }
  return %r#1 : tensor<2xf32>
})");
  ASSERT_TRUE(program);
  runtime::Channels channels;
  std::vector<std::vector<float>> received(3, std::vector<float>(2));
  std::vector<std::thread> devices;
  for (int32_t device = 0; device < 3; ++device)
    devices.emplace_back([&, device] {
      runtime::RunOptions options;
      options.channels = &channels;
      options.replicaId = device;
      options.deviceOrdinal = device;
      std::vector<float> x{float(device), float(10 * device)};
      const void *arguments[] = {x.data()};
      void *results[] = {received[size_t(device)].data()};
      Status status = program->run(arguments, results, options);
      EXPECT_TRUE(status.ok()) << status.message();
    });
  for (std::thread &device : devices)
    device.join();
  EXPECT_THAT(received, ElementsAre(ElementsAre(2, 20), ElementsAre(0, 0), ElementsAre(1, 10)));
}

// Two programs, each written for its device, that know each other by channel only.
TEST(Messages, MatchByChannelBetweenPrograms) {
  auto ping = load(R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %t = stablehlo.create_token : $t
  %s = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<3xf32>, $t) -> $t
  %a:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : ($t) -> (tensor<3xf32>, $t)
  return %a#0 : tensor<3xf32>
})");
  auto pong = load(R"(
func.func @main() {
  %t = stablehlo.create_token : $t
  %a:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : ($t) -> (tensor<3xf32>, $t)
  %double = stablehlo.add %a#0, %a#0 : tensor<3xf32>
  %s = "stablehlo.send"(%double, %a#1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<3xf32>, $t) -> $t
  return
})");
  ASSERT_TRUE(ping && pong);
  runtime::Channels channels;
  runtime::RunOptions options;
  options.channels = &channels;
  std::thread other([&] { EXPECT_TRUE(pong->run({}, {}, options).ok()); });
  std::vector<float> x{1, 2, 3}, result(3);
  const void *arguments[] = {x.data()};
  void *results[] = {result.data()};
  Status status = ping->run(arguments, results, options);
  other.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(result, ElementsAre(2, 4, 6));
}

TEST(Messages, OfAnotherTypeAreAnError) {
  const char *program = R"(
func.func @main() -> tensor<2xi32> {
  %t = stablehlo.create_token : $t
  %x = stablehlo.constant dense<1.0> : tensor<3xf32>
  %s = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>} : (tensor<3xf32>, $t) -> $t
  %a:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>} : ($t) -> (tensor<2xi32>, $t)
  return %a#0 : tensor<2xi32>
})";
  for (const Status &status : {runCompiled(expand(program), true).status(), runInterpreted(expand(program)).status()}) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("channel 6 holds f32[3] where i32[2] is expected"));
  }
}

} // namespace

// What programs do to the world: infeed, outfeed, messages, custom calls with effects. Each program runs compiled,
// optimised and not, and in the interpreter, and must do the same things in the same order: none dropped, merged or
// moved.
#include "test/e2e/effects_testing.h"

#include <gtest/gtest.h>

using tenon::testing::expand;
using tenon::testing::runCompiled;
using tenon::testing::runInterpreted;
using tenon::testing::Transcript;

namespace {

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

} // namespace

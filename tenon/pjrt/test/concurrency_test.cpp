// Many threads at once, as frameworks call: for the sanitizers as much as for the results.
#include "tenon/pjrt/testing/api_fixture.h"

#include <atomic>
#include <thread>

namespace tenon::pjrt {
namespace {

class ConcurrencyTest : public ApiTest {
protected:
  template <typename Body> static void onThreads(int count, Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] { body(i); });
    for (std::thread &thread : threads)
      thread.join();
  }
};

TEST_F(ConcurrencyTest, SharesOneProgramAndOneArgument) {
  PJRT_LoadedExecutable *add = compile("add 64");
  PJRT_Buffer *shared = put(std::vector<float>(64, 1));
  onThreads(4, [&](int i) {
    for (int k = 0; k < 200; ++k) {
      PJRT_Buffer *mine = put(std::vector<float>(64, static_cast<float>(i)));
      RunResult result = run(add, {{shared, mine}});
      EXPECT_EQ(getFloats(result.results[0], 64)[63], static_cast<float>(i + 1));
      awaitEvent(result.events[0]);
      destroy(mine);
      destroy(result.results[0]);
    }
  });
  destroy(shared);
  destroy(add);
}

// Two threads race for one donation; exactly one gets it, or the other runs before it.
TEST_F(ConcurrencyTest, DonatesOnce) {
  PJRT_LoadedExecutable *increment = compile("increment 16");
  for (int round = 0; round < 200; ++round) {
    PJRT_Buffer *buffer = put(std::vector<float>(16, 1));
    std::atomic<int> succeeded{0};
    onThreads(2, [&](int) {
      RunResult result = run(increment, {{buffer}});
      if (!result.outcome.ok()) {
        EXPECT_EQ(result.outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
        return;
      }
      ++succeeded;
      EXPECT_EQ(getFloats(result.results[0], 16)[3], 2);
      awaitEvent(result.events[0]);
      destroy(result.results[0]);
    });
    EXPECT_GE(succeeded, 1);
    EXPECT_TRUE(isDeleted(buffer));
    destroy(buffer);
  }
  destroy(increment);
}

TEST_F(ConcurrencyTest, ReadsWhileItIsDeleted) {
  for (int round = 0; round < 200; ++round) {
    PJRT_Buffer *buffer = put(std::vector<float>(1024, 5));
    onThreads(3, [&](int i) {
      if (i == 0) {
        TENON_ARGS(PJRT_Buffer_Delete, args);
        args.buffer = buffer;
        TENON_CHECK(PJRT_Buffer_Delete, args);
        return;
      }
      std::vector<float> values(1024);
      Outcome outcome = get(buffer, values.data(), 4096);
      if (outcome.ok()) {
        EXPECT_EQ(values[1023], 5);
      }
    });
    destroy(buffer);
  }
}

TEST_F(ConcurrencyTest, ChainsAcrossDevices) {
  PJRT_LoadedExecutable *slow = compile("slow 8");
  onThreads(3, [&](int i) {
    PJRT_Buffer *buffer = put(std::vector<float>(8, 0));
    for (int k = 0; k < 3; ++k) {
      SlowHold held;
      RunResult result = run(slow, {{buffer}});
      ASSERT_TRUE(result.outcome.ok());
      destroy(buffer);
      // To another device and back, while it is computed.
      TENON_ARGS(PJRT_Buffer_CopyToDevice, there);
      there.buffer = result.results[0];
      there.dst_device = devices[i + 1];
      TENON_CHECK(PJRT_Buffer_CopyToDevice, there);
      TENON_ARGS(PJRT_Buffer_CopyToDevice, back);
      back.buffer = there.dst_buffer;
      back.dst_device = devices[0];
      TENON_CHECK(PJRT_Buffer_CopyToDevice, back);
      destroy(result.results[0]);
      destroy(there.dst_buffer);
      held.letGo();
      awaitEvent(result.events[0]);
      buffer = back.dst_buffer;
    }
    EXPECT_EQ(getFloats(buffer, 8), std::vector<float>(8, 3));
    destroy(buffer);
  });
  destroy(slow);
}

// What is queued is done before the client goes away.
TEST_F(ConcurrencyTest, FinishesWorkOnDestruction) {
  PJRT_LoadedExecutable *slow = compile("slow 8");
  PJRT_Buffer *buffer = put(std::vector<float>(8, 0));
  SlowHold held;
  RunResult result = run(slow, {{buffer}});
  destroy(buffer);
  destroy(slow);
  destroy(result.results[0]);
  TENON_ARGS(PJRT_Event_Destroy, event);
  event.event = result.events[0];
  TENON_CHECK(PJRT_Event_Destroy, event);
}

} // namespace
} // namespace tenon::pjrt

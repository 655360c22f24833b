// Programs that exchange data with the framework while they run.
#include "tenon/pjrt/testing/api_fixture.h"

#include <functional>
#include <optional>
#include <thread>

namespace tenon::pjrt {
namespace {

// The framework's end of one channel in each direction.
struct Callbacks {
  std::vector<float> sent;
  std::optional<Outcome> failure; // of the send callback
  std::function<void(PJRT_CopyToDeviceStream *)> receive;

  static PJRT_Error *onSend(PJRT_Chunk *chunk, PJRT_CallbackError *error, size_t total, bool done, void *self) {
    auto &callbacks = *static_cast<Callbacks *>(self);
    EXPECT_TRUE(done);
    EXPECT_EQ(total, chunk->size);
    auto *data = static_cast<float *>(chunk->data);
    size_t count = chunk->size / sizeof(float);
    callbacks.sent.assign(data, data + count);
    chunk->deleter(chunk->data, chunk->deleter_arg);
    if (!callbacks.failure)
      return nullptr;
    return (*error)(callbacks.failure->code, callbacks.failure->message.data(), callbacks.failure->message.size());
  }
  static void onReceive(PJRT_CopyToDeviceStream *stream, void *self) {
    static_cast<Callbacks *>(self)->receive(stream);
  }
};

Outcome addChunk(PJRT_CopyToDeviceStream *stream, const std::vector<float> &values) {
  auto *copy = new std::vector<float>(values);
  PJRT_Chunk chunk{copy->data(), copy->size() * sizeof(float),
                   [](void *, void *owner) { delete static_cast<std::vector<float> *>(owner); }, copy};
  TENON_ARGS(PJRT_CopyToDeviceStream_AddChunk, args);
  args.stream = stream;
  args.chunk = &chunk;
  TENON_CHECK(PJRT_CopyToDeviceStream_AddChunk, args);
  TENON_ARGS(PJRT_Event_Await, wait);
  wait.event = args.transfer_complete;
  Outcome outcome = TENON_CALL(PJRT_Event_Await, wait);
  TENON_ARGS(PJRT_Event_Destroy, end);
  end.event = args.transfer_complete;
  TENON_CHECK(PJRT_Event_Destroy, end);
  return outcome;
}

void destroyStream(PJRT_CopyToDeviceStream *stream) {
  TENON_ARGS(PJRT_CopyToDeviceStream_Destroy, args);
  args.stream = stream;
  TENON_CHECK(PJRT_CopyToDeviceStream_Destroy, args);
}

class HostTransfersTest : public ApiTest {
protected:
  // Runs "exchange 3" on {1, 2, 3}. The call returns before the program is done.
  Outcome exchange(std::vector<float> &received) {
    PJRT_LoadedExecutable *executable = compile("exchange 3");
    PJRT_Buffer *argument = put({1, 2, 3}), *result = nullptr;
    PJRT_Buffer *const arguments[] = {argument};
    PJRT_Buffer *const *argumentLists[] = {arguments};
    PJRT_Buffer **outputLists[] = {&result};
    PJRT_SendCallbackInfo send{1, &callbacks, Callbacks::onSend}, *sends[] = {&send};
    PJRT_RecvCallbackInfo receive{2, &callbacks, Callbacks::onReceive}, *receives[] = {&receive};
    PJRT_ExecuteOptions options{};
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    options.send_callbacks = sends;
    options.recv_callbacks = receives;
    options.num_send_ops = 1;
    options.num_recv_ops = callbacks.receive ? 1 : 0;
    TENON_ARGS(PJRT_LoadedExecutable_Execute, args);
    args.executable = executable;
    args.options = &options;
    args.argument_lists = argumentLists;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = outputLists;
    TENON_CHECK(PJRT_LoadedExecutable_Execute, args);
    send = {}, receive = {}; // only the functions have to live on
    Outcome outcome = awaitBuffer(result);
    if (outcome.ok())
      received = getFloats(result, 3);
    destroy(argument);
    destroy(result);
    destroy(executable);
    return outcome;
  }

  Callbacks callbacks;
};

TEST_F(HostTransfersTest, DataGoesBothWays) {
  std::thread filler;
  callbacks.receive = [&](PJRT_CopyToDeviceStream *stream) {
    TENON_ARGS(PJRT_CopyToDeviceStream_TotalBytes, total);
    total.stream = stream;
    TENON_CHECK(PJRT_CopyToDeviceStream_TotalBytes, total);
    EXPECT_EQ(total.total_bytes, 12);
    // From another thread, in two chunks.
    filler = std::thread([stream] {
      EXPECT_TRUE(addChunk(stream, {7, 8}).ok());
      TENON_ARGS(PJRT_CopyToDeviceStream_CurrentBytes, current);
      current.stream = stream;
      TENON_CHECK(PJRT_CopyToDeviceStream_CurrentBytes, current);
      EXPECT_EQ(current.current_bytes, 8);
      EXPECT_TRUE(addChunk(stream, {9}).ok());
      destroyStream(stream);
    });
  };
  std::vector<float> received;
  Outcome outcome = exchange(received);
  filler.join();
  ASSERT_TRUE(outcome.ok()) << outcome;
  EXPECT_EQ(callbacks.sent, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(received, (std::vector<float>{7, 8, 9}));
}

TEST_F(HostTransfersTest, ErrorsOfCallbacksAreThePrograms) {
  callbacks.failure = Outcome{PJRT_Error_Code_ABORTED, "the host is tired"};
  callbacks.receive = [](PJRT_CopyToDeviceStream *) { FAIL() << "nothing is received after an error"; };
  std::vector<float> received;
  Outcome outcome = exchange(received);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_ABORTED);
  EXPECT_NE(outcome.message.find("the host is tired"), std::string::npos);
}

TEST_F(HostTransfersTest, AStreamThatIsGivenUpIsAnError) {
  callbacks.receive = [](PJRT_CopyToDeviceStream *stream) {
    EXPECT_TRUE(addChunk(stream, {7}).ok());
    destroyStream(stream);
  };
  std::vector<float> received;
  EXPECT_NE(exchange(received).message.find("the framework gave 4 of 12 bytes"), std::string::npos);
}

TEST_F(HostTransfersTest, TooMuchDataIsAnError) {
  callbacks.receive = [](PJRT_CopyToDeviceStream *stream) {
    Outcome outcome = addChunk(stream, {1, 2, 3, 4});
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
    destroyStream(stream);
  };
  std::vector<float> received;
  EXPECT_NE(exchange(received).message.find("a chunk of 16 bytes was added to a stream of 12 bytes"),
            std::string::npos);
}

TEST_F(HostTransfersTest, ChannelsWithoutCallbackAreAnError) {
  std::vector<float> received;
  EXPECT_NE(exchange(received).message.find("the framework gave no receive callback for channel 2"), std::string::npos);
}

// A program that waits for data does not keep the client from going.
TEST_F(HostTransfersTest, WaitingEndsWithTheClient) {
  PJRT_LoadedExecutable *waiting = compile("wait 2");
  PJRT_Buffer *argument = put({1, 2});
  RunResult result = run(waiting, {{argument}});
  ASSERT_TRUE(result.outcome.ok()) << result.outcome;
  EXPECT_FALSE(isReady(result.events[0]));
  destroy(argument);
  destroy(waiting);
  TENON_ARGS(PJRT_Client_Destroy, args);
  args.client = client;
  TENON_CHECK(PJRT_Client_Destroy, args);
  Outcome outcome = awaitEvent(result.events[0]);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_CANCELLED);
  EXPECT_NE(outcome.message.find("cancelled while waiting for the infeed"), std::string::npos);
  destroy(result.results[0]);
  TENON_ARGS(PJRT_Client_Create, create);
  TENON_CHECK(PJRT_Client_Create, create);
  client = create.client; // for TearDown
}

} // namespace
} // namespace tenon::pjrt

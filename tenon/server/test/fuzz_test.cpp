// Requests that no client of ours would send: any bytes may come, and nothing may break. TENON_FUZZ_REQUESTS says how
// many (default 2000), TENON_FUZZ_SEED which.
#include "tenon/server/log.h"
#include "tenon/server/testing/server_fixture.h"
#include "tenon/service.grpc.pb.h"

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace tenon::server {
namespace {

int64_t setting(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

constexpr int64_t kThreads = 8;

struct Handles {
  int64_t data = 0, executable = 0;
};

// A tuple of two scalars, and a program of such a tuple; none where there is no memory for them.
Handles makeTupleAndProgram(v1::Compute::Stub &stub, const std::string &session) {
  v1::ValuePart value;
  value.mutable_header()->set_session(session);
  xla::Shape scalar = xla::ShapeUtil::MakeShape(xla::F32, {});
  *value.mutable_shape() = xla::ShapeUtil::MakeTupleShape({scalar, scalar});
  value.set_data(std::string(8, 0));
  grpc::ClientContext first, second;
  v1::DataReply data;
  auto values = stub.TransferToServer(&first, &data);
  values->Write(value);
  values->WritesDone();
  grpc::Status status = values->Finish();
  EXPECT_TRUE(status.ok() || status.error_code() == grpc::RESOURCE_EXHAUSTED) << status.error_message();
  v1::ProgramPart program;
  *program.mutable_header() = value.header();
  *program.mutable_shape()->add_parameters() = value.shape();
  program.mutable_shape()->add_parameter_names("pair");
  *program.mutable_shape()->mutable_result() = scalar;
  program.set_program("func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
                      "  %0 = stablehlo.add %a, %b : tensor<f32>\n  return %0 : tensor<f32>\n}");
  v1::CompileReply compiled;
  auto parts = stub.Compile(&second, &compiled);
  parts->Write(program);
  parts->WritesDone();
  status = parts->Finish();
  EXPECT_TRUE(status.ok() || status.error_code() == grpc::RESOURCE_EXHAUSTED) << status.error_message();
  return {data.data(), compiled.executable()};
}

class Fuzz {
public:
  Fuzz(const std::string &address, std::string session, uint64_t seed)
      : channel_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())), stub_(channel_),
        compute_(v1::Compute::NewStub(channel_)), session_(std::move(session)), random_(seed) {}

  // One call: its method, and how many of its messages arrive changed, are up to chance.
  grpc::Status call() {
    // What there is to run and to take apart is released by chance, so it is made anew from time to time.
    if (calls_++ % 500 == 0)
      handles_ = makeTupleAndProgram(*compute_, session_);
    static const std::vector<std::string> methods = {
        "TransferToServer", "TransferFromServer", "DeconstructTuple", "Release",      "Compile",
        "Execute",          "TransferToInfeed",   "GetStatistics",    "Connect",      "TransferFromOutfeed",
        "TransferToServer", "TransferFromServer", "TransferToInfeed", "NoSuchMethod", "Execute",
        "Analyze",          "ExecuteParallel"};
    const std::string &method = methods[below(methods.size())];
    std::vector<std::string> messages;
    for (size_t i = 0, count = 1 + below(3); i < count; ++i)
      messages.push_back(mutated(request(method, i == 0)));
    return send("/tenon.v1.Compute/" + method, messages);
  }

private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }
  bool often() { return below(4) != 0; }

  int64_t number() {
    static constexpr int64_t kNumbers[] = {
        0, 1, 2, 3, 4, 7, 255, -1, 1 << 20, int64_t{1} << 31, int64_t{1} << 62, INT64_MIN, INT64_MAX};
    return kNumbers[below(often() ? 6 : std::size(kNumbers))];
  }

  xla::Shape shape(int depth = 0) {
    xla::Shape shape;
    if (below(5) == 0 && depth < 100) {
      shape.set_element_type(xla::TUPLE);
      for (size_t i = 0, count = below(4); i < count; ++i)
        *shape.add_tuple_shapes() = this->shape(depth + 1);
      if (often())
        return shape;
    }
    shape.set_element_type(often() ? xla::F32 : static_cast<xla::PrimitiveType>(below(36)));
    for (size_t i = 0, rank = below(4); i < rank; ++i)
      shape.add_dimensions(number());
    if (!often())
      for (size_t i = 0, rank = below(4); i < rank; ++i) {
        shape.mutable_layout()->add_minor_to_major(number());
        shape.mutable_layout()->add_padded_dimensions(number());
      }
    return shape;
  }

  std::string bytes() { return std::string(below(2) ? below(64) * 4 : below(5000), static_cast<char>(below(256))); }

  void fill(v1::Header &header) {
    header.set_session(often() ? session_ : bytes());
    if (!often())
      header.add_released_data(number());
    if (!often())
      header.add_released_executables(number());
    header.set_timeout_nanoseconds(1'000'000);
  }

  std::string request(const std::string &method, bool isFirst) {
    if (method == "TransferToServer" || method == "TransferToInfeed") {
      v1::ValuePart part;
      if (isFirst) {
        fill(*part.mutable_header());
        *part.mutable_shape() = shape();
        part.set_device(number());
      }
      part.set_data(bytes());
      return part.SerializeAsString();
    }
    if (method == "Compile") {
      v1::ProgramPart part;
      fill(*part.mutable_header());
      // What a worker gets is for the compiler's fuzzers: here most calls end before.
      *part.mutable_shape()->mutable_result() = shape();
      part.mutable_shape()->add_parameter_names("x");
      part.set_name(bytes());
      return part.SerializeAsString();
    }
    if (method == "Execute") {
      v1::ExecuteRequest request;
      fill(*request.mutable_header());
      request.set_executable(often() ? handles_.executable : number());
      for (size_t i = 0, count = often() ? 1 : below(4); i < count; ++i)
        request.add_arguments(often() ? handles_.data : number());
      return request.SerializeAsString();
    }
    if (method == "ExecuteParallel") {
      v1::ExecuteParallelRequest request;
      fill(*request.mutable_header());
      request.set_num_replicas(often() ? 2 : number());
      request.set_num_partitions(often() ? 1 : number());
      for (size_t i = 0, count = often() ? 2 : below(12); i < count; ++i) {
        v1::ExecuteParallelRequest::Process &process = *request.add_processes();
        process.set_executable(often() ? handles_.executable : number());
        process.add_arguments(often() ? handles_.data : number());
      }
      return request.SerializeAsString();
    }
    if (method == "Analyze") {
      v1::AnalyzeRequest request;
      fill(*request.mutable_header());
      request.set_executable(often() ? handles_.executable : number());
      return request.SerializeAsString();
    }
    // The others have the same fields or fewer.
    v1::TransferFromServerRequest request;
    fill(*request.mutable_header());
    request.set_data(often() ? handles_.data : number());
    *request.mutable_shape() = shape();
    return request.SerializeAsString();
  }

  std::string mutated(std::string message) {
    for (size_t i = 0, changes = below(4); i < changes && !message.empty(); ++i) {
      size_t at = below(message.size());
      switch (below(4)) {
      case 0:
        message[at] = static_cast<char>(below(256));
        break;
      case 1:
        message[at] = static_cast<char>(message[at] ^ (1 << below(8)));
        break;
      case 2:
        message.erase(at, 1 + below(8));
        break;
      default:
        message.insert(at, message, below(message.size()), 1 + below(16));
      }
    }
    return message;
  }

  grpc::Status send(const std::string &method, const std::vector<std::string> &messages) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    grpc::CompletionQueue queue;
    auto wait = [&] {
      void *tag = nullptr;
      bool ok = false;
      queue.Next(&tag, &ok);
      return ok;
    };
    auto call = stub_.PrepareCall(&context, method, &queue);
    call->StartCall(nullptr);
    bool ok = wait();
    for (const std::string &message : messages) {
      if (!ok)
        break;
      grpc::Slice slice(message);
      call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      ok = wait();
    }
    if (ok) {
      call->WritesDone(nullptr);
      ok = wait();
    }
    grpc::ByteBuffer reply;
    while (ok) {
      call->Read(&reply, nullptr);
      ok = wait();
    }
    grpc::Status status;
    call->Finish(&status, nullptr);
    wait();
    return status;
  }

  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  const std::unique_ptr<v1::Compute::Stub> compute_;
  const std::string session_;
  Handles handles_;
  int64_t calls_ = 0;
  std::mt19937_64 random_;
};

// A session that stays open meanwhile, with some data.
TEST_F(ServerTest, MutatedRequests) {
  ServerOptions options;
  options.limits.memory = 1 << 24;
  options.limits.deadline = std::chrono::milliseconds(5);
  options.limits.streamBytes = 1 << 16;
  ASSERT_TRUE(setLogLevel("off").ok());
  start(options);
  auto stub = v1::Compute::NewStub(grpc::CreateChannel(address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext connection;
  auto stream = stub->Connect(&connection);
  v1::ConnectReply reply;
  ASSERT_TRUE(stream->Read(&reply));
  google::protobuf::LogSilencer silencer; // messages that are none
  std::mutex mutex;
  std::map<int, int> codes;
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Fuzz fuzz(address(), reply.session(), static_cast<uint64_t>(setting("TENON_FUZZ_SEED", 1) * 1000 + t));
      for (int64_t i = 0, count = setting("TENON_FUZZ_REQUESTS", 2000) / kThreads; i < count; ++i) {
        int code = fuzz.call().error_code();
        std::lock_guard lock(mutex);
        ++codes[code];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto [code, count] : codes)
    RecordProperty("code_" + std::to_string(code), count);
  EXPECT_GT(codes[0], 0) << "some get through";
  EXPECT_EQ(codes[grpc::StatusCode::UNKNOWN], 0);
  EXPECT_TRUE(becomes("tenon_sessions", 1)) << "no call holds a session";
  connection.TryCancel();
  (void)stream->Finish();
  // Whoever comes after is served.
  auto after = connect();
  auto data = after->TransferToServer(xla::LiteralUtil::CreateR0<float>(3)).ConsumeValueOrDie();
  EXPECT_EQ(*after->Transfer(*data).ConsumeValueOrDie(), xla::LiteralUtil::CreateR0<float>(3));
}

} // namespace
} // namespace tenon::server

// Several OS processes on one machine.
#include "tenon/runtime/control/processes.h"
#include "tenon/runtime/grpc/grpc_network.h"
#include "tenon/runtime/grpc/testing/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace tenon::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string nameOf(size_t process) { return "process " + std::to_string(process) + " ("; }
std::string pidOf(TestJob &job, size_t process) { return "pid " + std::to_string(job[process].pid()) + ")"; }

class Spread : public testing::TestWithParam<bool> {};

TEST_P(Spread, MovesDataBothWaysFromManyThreads) {
  TestJob job(3, "exchange", {{"TENON_SHARED_MEMORY", GetParam() ? "0" : "1"}}, GetParam());
  for (size_t i = 0; i < job.size(); ++i) {
    EXPECT_EQ(job[i].lineWith("done"), "done") << job[i].said();
    EXPECT_EQ(job[i].end(), 0);
    EXPECT_THAT(job[i].said(), Not(HasSubstr("wrong"))) << job[i].said();
  }
}
INSTANTIATE_TEST_SUITE_P(All, Spread, testing::Bool(),
                         [](const auto &info) { return info.param ? "ByACoordinator" : "ByAFrameworksKeys"; });

TEST(Processes, MoveLargeMessages) {
  for (const char *sharesMemory : {"0", "1"}) {
    TestJob job(2, "large", {{"TENON_SHARED_MEMORY", sharesMemory}});
    for (size_t i = 0; i < job.size(); ++i) {
      EXPECT_EQ(job[i].lineWith("done"), "done") << job[i].said();
      EXPECT_EQ(job[i].end(), 0);
      EXPECT_THAT(job[i].said(), Not(HasSubstr("wrong")));
    }
  }
}

#if !__has_feature(address_sanitizer) // which keeps freed memory for a while
// What has come is received into memory that what came before has left.
TEST(Processes, ReceiveIntoMemoryThatTheyHave) {
  TestJob job(2, "pages", {{"TENON_SHARED_MEMORY", "0"}});
  std::string said = job[1].lineWith("new ");
  ASSERT_THAT(said, StartsWith("new ")) << job[1].said();
  constexpr int kPages = (256 << 20) / 4096;
  EXPECT_LT(std::atoi(said.c_str() + 4), kPages / 8);
}
#endif

// Every other one must say who; `word`: what has happened to it.
void expectNamed(TestJob &job, size_t victim, const std::string &word) {
  for (size_t i = 0; i < job.size(); ++i)
    if (i != victim) {
      EXPECT_THAT(job[i].lineWith("error"),
                  AllOf(HasSubstr("ABORTED: " + nameOf(victim)), HasSubstr(pidOf(job, victim)), HasSubstr(word)))
          << job[i].said();
      EXPECT_EQ(job[i].end(), 0) << job[i].said();
      EXPECT_THAT(job[i].said(), Not(HasSubstr("wrong")));
    }
}

// Whether all hear each other's heartbeats, or only process 0's.
class Liveliness : public testing::TestWithParam<bool> {
protected:
  std::map<std::string, std::string> environment() const {
    return {{"TENON_PEER_TIMEOUT", "2"},
            {"TENON_TEST_MESH", GetParam() ? "64" : "2"},
            {"TENON_SHARED_MEMORY", GetParam() ? "1" : "0"}};
  }
};

TEST_P(Liveliness, NamesWhoWasKilled) {
  TestJob job(4, "endless", environment());
  for (size_t i = 0; i < job.size(); ++i)
    ASSERT_EQ(job[i].lineWith("round"), "round 0") << job[i].said();
  job[2].signal(SIGKILL);
  expectNamed(job, 2, "has ended without a word");
}

TEST_P(Liveliness, NamesWhoIsStopped) {
  for (size_t victim : {0, 1}) {
    TestJob job(3, "endless", environment());
    for (size_t i = 0; i < job.size(); ++i)
      ASSERT_EQ(job[i].lineWith("round"), "round 0") << job[i].said();
    job[victim].signal(SIGSTOP);
    expectNamed(job, victim, "has been silent");
  }
}
INSTANTIATE_TEST_SUITE_P(All, Liveliness, testing::Bool(),
                         [](const auto &info) { return info.param ? "InAMesh" : "ByProcess0"; });

// The child has its connections, which do not end, and nobody counts heartbeats.
TEST(Processes, NameWhoWasKilledWhereAChildOfItLives) {
  TestJob job(3, "forked", {{"TENON_PEER_TIMEOUT", "0"}});
  for (size_t i = 0; i < job.size(); ++i) {
    ASSERT_EQ(job[i].lineWith("done"), "done") << job[i].said();
    ASSERT_EQ(job[i].lineWith("round 0"), "round 0") << job[i].said();
  }
  job[1].signal(SIGKILL);
  expectNamed(job, 1, "has ended without a word");
}

TEST(Processes, TellWhatTheOtherDid) {
  TestJob job(2, "endless");
  // The first heartbeat that names what it does comes within a second or two.
  for (const char *line : {"round 0", "round 10", "round 20"})
    ASSERT_EQ(job[0].lineWith("round"), line) << job[0].said();
  job[1].signal(SIGKILL);
  EXPECT_THAT(job[0].lineWith("error"), HasSubstr("last heard of")) << job[0].said();
}

TEST(Processes, NameBothWhereTheyDisagree) {
  for (const char *mode : {"mismatch", "wrong_size"}) {
    TestJob job(2, mode);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_THAT(job[i].lineWith("error"),
                  AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr(nameOf(0)), HasSubstr(nameOf(1)),
                        HasSubstr("sends: all_reduce of f32[4] at train.py:31 (launch 5, collective 6, 16 bytes)"),
                        HasSubstr(std::string(mode) == "mismatch"
                                      ? "receives: all_gather of f32[8] at train.py:7 (launch 5, collective 9"
                                      : "receives: all_reduce of f32[4] at train.py:31 (launch 5, collective 6, 17")))
          << job[i].said();
      EXPECT_EQ(job[i].end(), 0);
    }
  }
}

TEST(Processes, TellAllOfTheFirstCause) {
  TestJob job(3, "cause");
  for (size_t i : {0, 2})
    EXPECT_THAT(job[i].lineWith("error"), AllOf(HasSubstr("ABORTED: process 1 ("),
                                                HasSubstr("device 3: all_reduce at train.py:31: out of memory")))
        << job[i].said();
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(job[i].end(), 0);
}

TEST(Processes, AllLearnOfADeadlock) {
  for (const char *mesh : {"64", "2"}) {
    TestJob job(3, "circle", {{"TENON_TEST_MESH", mesh}, {"TENON_PEER_TIMEOUT", "0"}});
    const std::string first = nameOf(0), pid = pidOf(job, 0);
    for (size_t i = 0; i < job.size(); ++i) {
      EXPECT_THAT(job[i].lineWith("error"),
                  AllOf(HasSubstr("ABORTED: deadlock"), HasSubstr(first), HasSubstr(pid), HasSubstr(nameOf(1)),
                        HasSubstr(nameOf(2)),
                        HasSubstr("device 0 waits for device 1 of process 1 in call 0 at job.py:1 (launch 0)"),
                        HasSubstr("device 1 waits for device 2 of process 2 in call 1 at job.py:2 (launch 1)"),
                        HasSubstr("device 2 waits for device 0 of process 0 in call 2 at job.py:3 (launch 2)")))
          << job[i].said();
      EXPECT_EQ(job[i].end(), 0);
    }
  }
}

TEST(Processes, MayEndWhileOthersWaitForThem) {
  TestJob job(2, "goodbye");
  ASSERT_EQ(job[0].lineWith("waits"), "waits");
  job[1].proceed();
  EXPECT_THAT(job[0].lineWith("error"), HasSubstr("has ended, and others wait for it")) << job[0].said();
  EXPECT_EQ(job[1].end(), 0);
  EXPECT_EQ(job[0].end(), 0);
  EXPECT_THAT(job[0].said(), Not(HasSubstr("status"))) << "an end that was meant is no failure of all";
}

TEST(Processes, SayThatNobodyServesKeys) {
  ChildProcess child("idle", {{"TENON_TEST_LIBRARY", TENON_PROCESSES_LIBRARY},
                              {"TENON_COORDINATOR", "127.0.0.1:1"},
                              {"TENON_PROCESSES", "2"},
                              {"TENON_PROCESS", "1"},
                              {"TENON_JOB_TOKEN", "a token of the test's"},
                              {"TENON_START_TIMEOUT", "1"}});
  EXPECT_THAT(child.lineWith("error"), HasSubstr("nobody serves keys at 127.0.0.1:1")) << child.said();
  EXPECT_EQ(child.end(), 1);
}

TEST(Processes, SayThatAPortIsTaken) {
  TestJob first(1, "idle", {}, /*hasCoordinator=*/true);
  ASSERT_NE(first[0].lineWith("started"), "");
  TestJob second(1, "idle", {{"TENON_COORDINATOR", "127.0.0.1:" + std::to_string(first.port())}},
                 /*hasCoordinator=*/true);
  EXPECT_THAT(second[0].lineWith("error"), HasSubstr("cannot listen on 127.0.0.1:")) << second[0].said();
  EXPECT_EQ(second[0].end(), 1);
}

TEST(Processes, NameWhoHasNotStarted) {
  TestJob job(1, "idle", {{"TENON_PROCESSES", "3"}, {"TENON_START_TIMEOUT", "1"}}, /*hasCoordinator=*/true);
  EXPECT_THAT(job[0].lineWith("error"), HasSubstr("of 3 processes, 2 have not started within 1 s: 1, 2"));
  EXPECT_EQ(job[0].end(), 1);
}

// Keys of this process, which others wait for.
class SharedKeys final : public KeyStore {
public:
  Status put(const std::string &key, const std::string &value) override {
    std::lock_guard lock(mutex_);
    values_[key] = value;
    changed_.notify_all();
    return {};
  }
  StatusOr<std::string> get(const std::string &key, std::chrono::milliseconds timeout) override {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, timeout, [&] { return values_.contains(key); }))
      return Status(StatusCode::kDeadlineExceeded, "nobody has put " + key);
    return values_[key];
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

// Several that are in one process of the system, for tests of what stands on this; one job after the other.
TEST(Processes, MayBeInOneProcess) {
  SharedKeys keys;
  for (int start = 0; start < 2; ++start) {
    std::vector<std::unique_ptr<Processes>> all(2);
    std::vector<std::thread> threads;
    for (Peer self = 0; self < 2; ++self)
      threads.emplace_back([&, self] {
        ProcessesOptions options;
        options.self = self;
        options.count = 2;
        options.devices = self + 1;
        options.earlierStarts = start;
        options.library = TENON_PROCESSES_LIBRARY;
        auto processes = Processes::start(options, &keys);
        EXPECT_TRUE(processes.ok()) << processes.status().ToString();
        all[static_cast<size_t>(self)] = processes.ok() ? *std::move(processes) : nullptr;
      });
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_TRUE(all[0] && all[1]);
    EXPECT_EQ(all[0]->nodes()[1].devices, 2);
    EXPECT_EQ(all[1]->nodes()[0].devices, 1);
    Message message{1, 2, 3, "exchange"};
    std::vector<std::byte> out(1000, std::byte{7}), in(1000);
    std::span<const std::byte> piece(out);
    auto received = all[1]->transport().take(0, {}, message, in);
    EXPECT_TRUE(all[0]->transport().post(1, {}, message, {&piece, 1})->wait().ok());
    EXPECT_TRUE(received->wait().ok());
    EXPECT_EQ(in, out);
    received = all[1]->transport().take(0, {}, message, in);
    all[0]->fail("device 0: it broke");
    EXPECT_THAT(received->wait().message(), AllOf(HasSubstr(nameOf(0)), HasSubstr("device 0: it broke")));
    EXPECT_EQ(all[1]->status().code(), StatusCode::kAborted);
    received.reset();
  }
}

// --- Who comes from outside ---

// A call with these metadata; its status, and what it was answered.
grpc::Status call(const std::string &address, const std::string &method,
                  const std::map<std::string, std::string> &metadata, const std::vector<std::string> &messages,
                  std::string *answer = nullptr,
                  const std::shared_ptr<grpc::ChannelCredentials> &credentials = grpc::InsecureChannelCredentials()) {
  grpc::GenericStub stub(grpc::CreateChannel(address, credentials));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  for (const auto &[key, value] : metadata)
    context.AddMetadata(key, value);
  grpc::CompletionQueue queue;
  auto call = stub.PrepareCall(&context, method, &queue);
  auto await = [&] {
    void *tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  call->StartCall(nullptr);
  bool isOpen = await();
  for (const std::string &message : messages) {
    if (isOpen) {
      call->Write(bufferOf(message), nullptr);
      isOpen = await();
    }
  }
  grpc::ByteBuffer received;
  if (isOpen) {
    call->Read(&received, nullptr);
    if (await() && answer)
      *answer = textOf(received);
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  await();
  return status;
}

struct Outsider : testing::Test {
  explicit Outsider(const std::string &mode = "idle")
      : job(2, mode, {{"TENON_SHARED_MEMORY", "0"}}, /*hasCoordinator=*/true) {
    std::istringstream line(job[0].lineWith("listens"));
    std::string word;
    EXPECT_TRUE(line >> word >> address >> token) << job[0].said();
    EXPECT_NE(job[1].lineWith("listens"), "");
  }
  // Nothing has happened to the job.
  void expectUnharmed() {
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(job[i].end(), 0);
      EXPECT_THAT(job[i].said(), Not(HasSubstr("status"))) << job[i].said();
    }
  }

  TestJob job;
  std::string address, token; // of process 0; of process 1
};

TEST_F(Outsider, NeedsTheToken) {
  std::string request = keyRequest("node/0", std::nullopt), answer;
  for (const char *bad : {"", "Bearer ", "Bearer something else", "a token of the test's"})
    EXPECT_EQ(call(address, "/tenon.Processes/Keys", {{"authorization", bad}}, {request}, &answer).error_code(),
              grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(answer, "");
  for (const char *method : {"/tenon.Processes/Frames", "/tenon.Processes/Control"}) {
    using Metadata = std::map<std::string, std::string>;
    for (const Metadata &metadata : {Metadata{}, Metadata{{"tenon-process", "1"}},
                                     Metadata{{"tenon-process", "1"}, {"authorization", "Bearer 0123456789"}},
                                     Metadata{{"tenon-process", "0"}, {"authorization", "Bearer " + token}},
                                     Metadata{{"tenon-process", "2"}, {"authorization", "Bearer " + token}},
                                     Metadata{{"tenon-process", "-1"}, {"authorization", "Bearer " + token}},
                                     Metadata{{"tenon-process", "1x"}, {"authorization", "Bearer " + token}}})
      EXPECT_EQ(call(address, method, metadata, {}).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  }
  EXPECT_EQ(call(address, "/tenon.Processes/Other", {}, {}).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  // With the token there is an answer, so that it was that which was missing.
  EXPECT_TRUE(
      call(address, "/tenon.Processes/Keys", {{"authorization", "Bearer a token of the test's"}}, {request}, &answer)
          .ok());
  EXPECT_TRUE(readKeyAnswer(answer).ok());
  expectUnharmed();
}

TEST_F(Outsider, CannotBreakTheKeys) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    std::string request = keyRequest("node/0", std::nullopt);
    for (uint64_t changes = random() % 4; changes; --changes)
      request[random() % request.size()] = static_cast<char>(random());
    request.resize(request.size() - random() % 3);
    std::string answer;
    EXPECT_TRUE(
        call(address, "/tenon.Processes/Keys", {{"authorization", "Bearer a token of the test's"}}, {request}, &answer)
            .ok());
    (void)readKeyAnswer(answer);
  }
  std::string large(size_t{2} << 20, 'x');
  EXPECT_EQ(
      call(address, "/tenon.Processes/Keys", {{"authorization", "Bearer a token of the test's"}}, {large}).error_code(),
      grpc::StatusCode::RESOURCE_EXHAUSTED);
  expectUnharmed();
}

// It knows the token, and sends what no process of ours does: the job ends with a reason.
TEST_F(Outsider, EndsTheJobByDamagedFrames) {
  std::map<std::string, std::string> metadata = {{"tenon-process", "1"}, {"authorization", "Bearer " + token}};
  FrameHeader header = writeHeader({FrameKind::kData, {}, {}, 0, 1, 2, 3, 4, 0, 4});
  std::string frame(reinterpret_cast<const char *>(header.data()), header.size());
  EXPECT_EQ(call(address, "/tenon.Processes/Frames", metadata, {frame + "abcd"}).error_code(),
            grpc::StatusCode::DATA_LOSS);
  for (size_t i = 0; i < 2; ++i) {
    job[i].proceed();
    EXPECT_THAT(job[i].lineWith("status"),
                AllOf(HasSubstr("ABORTED"), HasSubstr("from process 1"), HasSubstr("a message that is not awaited")))
        << job[i].said();
    EXPECT_EQ(job[i].end(), 0);
  }
}

// An outsider of a job whose processes have exchanged messages: before, it might be the first to connect.
struct LateOutsider : Outsider {
  LateOutsider() : Outsider("connected") {}
};

TEST_F(LateOutsider, CannotConnectForAProcessThatIs) {
  std::map<std::string, std::string> metadata = {{"tenon-process", "1"}, {"authorization", "Bearer " + token}};
  EXPECT_EQ(call(address, "/tenon.Processes/Frames", metadata, {}).error_code(), grpc::StatusCode::ALREADY_EXISTS);
  expectUnharmed();
}

// --- TLS ---

// An authority and a certificate for 127.0.0.1 of it, another authority, and a client's certificate of that.
class Tls : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "tenon_tls_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    std::string script = R"(
      new() { openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj /CN=$1; }
      authority() { openssl req -x509 -newkey rsa:2048 -nodes -keyout $1.key -out $1.pem -subj /CN=$1 -days 2; }
      authority ca; authority other
      echo subjectAltName=IP:127.0.0.1,DNS:job.example > names
      new node; openssl x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out node.pem
      new guest; openssl x509 -req -in guest.csr -CA other.pem -CAkey other.key -CAcreateserial -days 2 -out guest.pem)";
    // NOLINTNEXTLINE(bugprone-command-processor): the script is ours.
    if (std::system(("cd " + folder_ + " && (" + script + ") > log 2>&1").c_str()) != 0)
      GTEST_SKIP() << "no openssl command";
  }
  ~Tls() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string &name) const { return folder_ + "/" + name; }
  std::map<std::string, std::string> environment() const {
    return {{"TENON_TLS_CERTIFICATE", file("node.pem")},
            {"TENON_TLS_KEY", file("node.key")},
            {"TENON_TLS_AUTHORITIES", file("ca.pem")}};
  }
  static std::string read(const std::string &path) {
    std::stringstream contents;
    contents << std::ifstream(path).rdbuf();
    return contents.str();
  }

  std::string folder_;
};

TEST_F(Tls, EncryptsEverything) {
  for (const char *name : {"", "job.example"}) {
    auto environment = this->environment();
    environment["TENON_TLS_NAME"] = name;
    TestJob job(2, "exchange", environment, /*hasCoordinator=*/true);
    for (size_t i = 0; i < job.size(); ++i) {
      EXPECT_EQ(job[i].lineWith("done"), "done") << job[i].said();
      EXPECT_EQ(job[i].end(), 0);
    }
  }
}

TEST_F(Tls, LetsNobodyInWithoutACertificate) {
  TestJob job(2, "idle", environment(), /*hasCoordinator=*/true);
  std::istringstream line(job[0].lineWith("listens"));
  std::string word, address;
  ASSERT_TRUE(line >> word >> address) << job[0].said();
  ASSERT_NE(job[1].lineWith("listens"), "");
  std::map<std::string, std::string> metadata = {{"authorization", "Bearer a token of the test's"}};
  std::string request = keyRequest("node/0", std::nullopt), authority = read(file("ca.pem"));
  std::shared_ptr<grpc::ChannelCredentials> bad[] = {
      grpc::InsecureChannelCredentials(), grpc::SslCredentials({authority, "", ""}),
      grpc::SslCredentials({authority, read(file("guest.key")), read(file("guest.pem"))})};
  for (const auto &credentials : bad)
    EXPECT_FALSE(call(address, "/tenon.Processes/Keys", metadata, {request}, nullptr, credentials).ok());
  auto good = grpc::SslCredentials({authority, read(file("node.key")), read(file("node.pem"))});
  EXPECT_TRUE(call(address, "/tenon.Processes/Keys", metadata, {request}, nullptr, good).ok());
}

TEST_F(Tls, TrustsNobodyOfAnotherAuthority) {
  auto environment = this->environment();
  environment["TENON_TLS_AUTHORITIES"] = file("other.pem");
  environment["TENON_START_TIMEOUT"] = "2";
  TestJob job(2, "exchange", environment, /*hasCoordinator=*/true);
  for (size_t i = 0; i < job.size(); ++i) {
    EXPECT_THAT(job[i].lineWith("error"), HasSubstr("or its certificate is not trusted")) << job[i].said();
    EXPECT_EQ(job[i].end(), 1);
  }
}

// --- Chance ---

// Kills or stops one of several processes. TENON_CHAOS_ROUNDS says how often, TENON_CHAOS_SEED how.
int chaosRounds() {
  const char *rounds = std::getenv("TENON_CHAOS_ROUNDS");
  return rounds ? std::atoi(rounds) : 4;
}
std::mt19937 chaosSource() {
  const char *seed = std::getenv("TENON_CHAOS_SEED");
  return std::mt19937(seed ? static_cast<unsigned>(std::atoi(seed)) : 1);
}

// Whatever the others have come to, they end with an error.
TEST(Chaos, EndsWhereOneIsKilledAtTheStart) {
  std::mt19937 random = chaosSource();
  for (int round = 0; round < chaosRounds() && !testing::Test::HasFailure(); ++round) {
    size_t victim = random() % 3;
    SCOPED_TRACE("round " + std::to_string(round) + ": kills " + std::to_string(victim));
    TestJob job(3, "endless", {{"TENON_START_TIMEOUT", "2"}}, /*hasCoordinator=*/random() % 2 == 0);
    usleep(random() % 80'000);
    job[victim].signal(SIGKILL);
    for (size_t i = 0; i < job.size(); ++i)
      if (i != victim) {
        EXPECT_NE(job[i].lineWith("error"), "") << job[i].said();
        EXPECT_GE(job[i].end(), 0) << "it ends by itself";
      }
  }
}

// In the middle of their work.
TEST(Chaos, AlwaysNamesTheVictim) {
  std::mt19937 random = chaosSource();
  for (int round = 0; round < chaosRounds() && !testing::Test::HasFailure(); ++round) {
    size_t processes = 2 + random() % 3, victim = random() % processes;
    bool isStopped = random() % 3 == 0;
    SCOPED_TRACE("round " + std::to_string(round) + ": " + (isStopped ? "stops " : "kills ") + std::to_string(victim) +
                 " of " + std::to_string(processes));
    std::map<std::string, std::string> environment = {{"TENON_PEER_TIMEOUT", "2"},
                                                      {"TENON_TEST_MESH", random() % 4 ? "64" : "2"},
                                                      {"TENON_SHARED_MEMORY", random() % 2 ? "1" : "0"}};
    TestJob job(static_cast<int>(processes), "endless", environment, /*hasCoordinator=*/random() % 2 == 0);
    for (size_t i = 0; i < job.size(); ++i)
      ASSERT_EQ(job[i].lineWith("round"), "round 0") << job[i].said();
    usleep(random() % 300'000);
    job[victim].signal(isStopped ? SIGSTOP : SIGKILL);
    expectNamed(job, victim, isStopped ? "has been silent" : "has ended without a word");
  }
}

} // namespace
} // namespace tenon::runtime

// One process of a job, as the tests start several. It says on its output what happens, a line each.
//
//   tenon_job_process MODE
//
// The environment names the job (docs/processes.md), and in TENON_TEST_LIBRARY the library. With TENON_TEST_KEYS the
// processes find each other by files of that folder, as by a framework's store. TENON_TEST_MESH: how many processes
// hear each other's heartbeats.
#include "tenon/runtime/control/processes.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;

void say(const std::string &text) {
  std::string line = text;
  for (char &c : line)
    if (c == '\n')
      c = '|';
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Status putFile(const fs::path &folder, const std::string &key, const std::string &value) {
  fs::path path = folder / key;
  fs::create_directories(path.parent_path());
  fs::path temporary = path.string() + ".new" + std::to_string(getpid());
  std::ofstream(temporary, std::ios::binary) << value;
  fs::rename(temporary, path);
  return {};
}

StatusOr<std::string> getFile(const fs::path &folder, const std::string &key, std::chrono::milliseconds timeout) {
  auto end = std::chrono::steady_clock::now() + timeout;
  while (!fs::exists(folder / key)) {
    if (std::chrono::steady_clock::now() > end)
      return Status(StatusCode::kDeadlineExceeded, "nobody has put " + key);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::stringstream contents;
  contents << std::ifstream(folder / key, std::ios::binary).rdbuf();
  return contents.str();
}

std::vector<std::byte> pattern(size_t size, uint64_t seed) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + (i >> 8) + seed);
  return bytes;
}

uint64_t seedOf(Peer from, Peer to, uint64_t round, uint32_t lane) {
  return static_cast<uint64_t>(from) * 101 + static_cast<uint64_t>(to) * 57 + round * 13 + lane;
}

class Job {
public:
  explicit Job(Processes &processes) : processes_(processes), count_(static_cast<Peer>(processes.nodes().size())) {}

  // Exchanges messages with all others over `slots` lanes, posted in opposite orders on both sides. The first error.
  Status round(uint64_t round, uint32_t thread, uint32_t slots, size_t scale) {
    Message message{round, thread, 42, "exchange of the test at job.py:1"};
    struct Slot {
      Peer peer;
      uint32_t lane;
      std::vector<std::byte> out, in;
    };
    std::vector<Slot> all;
    for (Peer peer = 0; peer < count_; ++peer)
      for (uint32_t i = 0; i < slots && peer != self(); ++i) {
        uint32_t slot = self() < peer ? i : slots - 1 - i;
        size_t size = slot * scale + round % 5;
        all.push_back({peer, slot, pattern(size, seedOf(self(), peer, round, slot)), std::vector<std::byte>(size)});
      }
    std::vector<std::unique_ptr<Transfer>> transfers; // end before the memory does
    for (Slot &slot : all) {
      Lane lane{thread, slot.lane};
      std::span<const std::byte> out(slot.out);
      transfers.push_back(processes_.transport().post(slot.peer, lane, message, {&out, 1}));
      transfers.push_back(processes_.transport().take(slot.peer, lane, message, slot.in));
    }
    for (auto &transfer : transfers)
      TENON_RETURN_IF_ERROR(transfer->wait());
    for (const Slot &slot : all)
      if (slot.in != pattern(slot.in.size(), seedOf(slot.peer, self(), round, slot.lane)))
        say("wrong data in round " + std::to_string(round));
    return {};
  }

  // Several threads, so many rounds each.
  void exchange(uint64_t rounds, uint32_t slots, size_t scale) {
    std::vector<std::thread> threads;
    for (uint32_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([=, this] {
        for (uint64_t i = 0; i < rounds; ++i) {
          processes_.setActivity({Activity::State::kRunning, thread, i, "exchange of the test at job.py:1"});
          if (Status status = round(i, thread, slots, scale); !status.ok()) {
            if (!hasFailed_.exchange(true))
              say("error " + status.ToString());
            return;
          }
          if (thread == 0 && i % 10 == 0)
            say("round " + std::to_string(i));
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    if (!hasFailed_)
      say("done");
  }

  // Takes from a process what it may never send.
  void takeFrom(Peer peer, const Message &message, size_t size) {
    std::vector<std::byte> into(size);
    say("waits");
    Status status = processes_.transport().take(peer, {}, message, into)->wait();
    say(status.ok() ? "ok" : "error " + status.ToString());
  }

  void postTo(Peer peer, const Message &message, size_t size) {
    std::vector<std::byte> bytes(size);
    std::span<const std::byte> piece(bytes);
    Status status = processes_.transport().post(peer, {}, message, {&piece, 1})->wait();
    say(status.ok() ? "ok" : "error " + status.ToString());
  }

  // From process 0 to 1, into the same memory every time. Says of how many pages the receiver's were new after the
  // first messages, of 256 MiB.
  void countNewPages() {
    constexpr int kWarm = 4, kMessages = 16;
    std::vector<std::byte> bytes(size_t{16} << 20);
    std::span<const std::byte> piece(bytes);
    int64_t before = 0;
    for (int i = 0; i < kWarm + kMessages; ++i) {
      if (i == kWarm)
        before = faults();
      Message message{1, static_cast<uint64_t>(i), 42, "pages of the test at job.py:1"};
      Transport &transport = processes_.transport();
      auto transfer = self() == 0 ? transport.post(1, {}, message, {&piece, 1}) : transport.take(0, {}, message, bytes);
      if (Status status = transfer->wait(); !status.ok())
        return say("error " + status.ToString());
    }
    say("new " + std::to_string(faults() - before));
  }

  // Waits for the next process, whose call would come behind its own wait for the one after it.
  void waitInACircle() {
    auto own = static_cast<uint32_t>(self()), next = (own + 1) % static_cast<uint32_t>(count_);
    std::string what = "call " + std::to_string(own) + " at job.py:" + std::to_string(own + 1);
    std::vector<std::byte> into(4);
    Message message{own, 0, own, what};
    Status status = processes_.transport().take(static_cast<Peer>(next), {next, own}, message, into)->wait();
    say(status.ok() ? "ok" : "error " + status.ToString());
  }

  Peer self() const { return processes_.self(); }

private:
  static int64_t faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  }

  Processes &processes_;
  const Peer count_;
  std::atomic<bool> hasFailed_{false};
};

void awaitInput() {
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0 && byte != '\n') {
  }
}

// Goes on when it has a child by fork, which has all of its connections, and ends when the test does.
void exchangeBesideAChild(Job &job) {
  job.exchange(1, 3, 1000);
  if (fork() == 0) {
    close(STDOUT_FILENO);
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    _exit(0);
  }
  job.exchange(UINT64_MAX, 3, 1000);
}

void run(const std::string &mode, Processes &processes) {
  Job job(processes);
  Message own{5, 6, 7, "all_reduce of f32[4] at train.py:31"}, other{5, 9, 8, "all_gather of f32[8] at train.py:7"};
  if (mode == "exchange")
    job.exchange(20, 16, 3000);
  else if (mode == "large")
    job.exchange(3, 3, size_t{5} << 20);
  else if (mode == "pages")
    job.countNewPages();
  else if (mode == "endless")
    job.exchange(UINT64_MAX, 3, 300'000);
  else if (mode == "forked")
    exchangeBesideAChild(job);
  else if (mode == "mismatch" && job.self() == 0)
    job.postTo(1, own, 16);
  else if (mode == "mismatch")
    job.takeFrom(0, other, 16);
  else if (mode == "wrong_size" && job.self() == 0)
    job.postTo(1, own, 16);
  else if (mode == "wrong_size")
    job.takeFrom(0, own, 17);
  else if (mode == "cause" && job.self() == 1)
    processes.fail("device 3: all_reduce at train.py:31: out of memory");
  else if ((mode == "cause" || mode == "goodbye") && job.self() != 1)
    job.takeFrom(1, own, 4);
  else if (mode == "circle")
    job.waitInACircle();
  else if (mode == "connected")
    job.exchange(1, 1, 16);
  bool isIdle = mode == "idle" || mode == "connected";
  if (isIdle)
    say("listens " + processes.nodes()[static_cast<size_t>(job.self())].address + " " + processes.nodes().back().token);
  if (mode == "cause" || isIdle || (mode == "goodbye" && job.self() == 1))
    awaitInput();
  if (Status status = processes.status(); !status.ok())
    say("status " + status.ToString());
}

int main(const std::string &mode) {
  ProcessesOptions options;
  if (Status status = readEnvironment(options); !status.ok()) {
    say("error " + status.ToString());
    return 1;
  }
  options.version = environment("TENON_TEST_VERSION");
  options.library = environment("TENON_TEST_LIBRARY");
  if (std::string mesh = environment("TENON_TEST_MESH"); !mesh.empty())
    options.mostInMesh = std::atoi(mesh.c_str());
  options.report = [](const std::string &text) { say("report " + text); };
  fs::path folder = environment("TENON_TEST_KEYS");
  CallbackKeyStore files(
      [&](const std::string &key, const std::string &value) { return putFile(folder, key, value); },
      [&](const std::string &key, std::chrono::milliseconds timeout) { return getFile(folder, key, timeout); });
  bool hasFiles = !folder.empty();
  if (hasFiles)
    options.coordinator.clear();
  auto processes = Processes::start(options, hasFiles ? &files : nullptr);
  if (!processes.ok()) {
    say("error " + processes.status().ToString());
    return 1;
  }
  say("started");
  run(mode, **processes);
  processes->reset();
  say("ended");
  return 0;
}

} // namespace
} // namespace tenon::runtime

int main(int argc, char **argv) { return tenon::runtime::main(argc > 1 ? argv[1] : ""); }

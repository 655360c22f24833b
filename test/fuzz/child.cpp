#include "test/fuzz/child.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::fuzz {

static constexpr size_t kTextBytes = size_t{8} << 20;

// In memory of both processes.
struct Child::Shared {
  std::atomic<uint64_t> number, done;
  std::atomic<int> kind;
  char program[kTextBytes], message[1 << 16];

  static void copy(char *to, size_t size, const std::string &text) {
    size_t length = std::min(size - 1, text.size());
    std::memcpy(to, text.data(), length);
    to[length] = 0;
  }
};

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static std::string readAll(int file) {
  std::string text(1 << 14, 0);
  ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(size, 0));
  return text;
}

// A process that asks for more ends, instead of others on the machine. (Sanitizers reserve far more than they use.)
static void limitMemory() {
#if !__has_feature(address_sanitizer)
  constexpr rlim_t kBytes = rlim_t{8} << 30;
  rlimit limit{kBytes, kBytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

Child::Child(uint64_t first, uint64_t stride, uint64_t count, const Work &work)
    : errors(memfd_create("errors", 0)), lastProgress(now()) {
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || errors < 0)
    throw std::runtime_error("no memory for another process");
  shared = new (memory) Shared;
  shared->number = first;
  process = fork();
  if (process < 0)
    throw std::runtime_error("cannot start another process");
  if (process > 0)
    return;
  dup2(errors, STDERR_FILENO);
  limitMemory();
  for (uint64_t i = 0; i < count && shared->kind == 0; ++i) {
    shared->number = first + i * stride;
    shared->program[0] = 0;
    Finding finding = work(shared->number, [this](const std::string &program) {
      Shared::copy(shared->program, sizeof shared->program, program);
    });
    Shared::copy(shared->message, sizeof shared->message, finding.message);
    shared->kind = static_cast<int>(finding.kind);
    ++shared->done;
  }
  _exit(0);
}

Child::~Child() {
  if (process > 0) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  close(errors);
  munmap(shared, sizeof(Shared));
}

// Seconds of the processor that it has used.
double Child::computed() const {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) == 0)
    clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool Child::poll(double timeLimit) {
  int status = 0;
  if (waitpid(process, &status, WNOHANG) == process) {
    end(status, false);
    return true;
  }
  if (shared->done != lastDone) {
    lastDone = shared->done;
    lastProgress = now();
    computedBefore = computed();
  }
  if (computed() - computedBefore <= timeLimit && now() - lastProgress <= 10 * timeLimit)
    return false;
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  end(status, true);
  return true;
}

void Child::end(int status, bool hangs) {
  process = 0;
  if (hangs)
    result = {Finding::Kind::kHang, "no end in sight"};
  else if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0)
    result = {Finding::Kind::kCrash, readAll(errors)};
  else
    result = {static_cast<Finding::Kind>(shared->kind.load()), shared->message};
  if (result.kind == Finding::Kind::kCrash && result.message.empty())
    result.message = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "unexpected exit";
}

uint64_t Child::number() const { return shared->number; }
std::string Child::program() const { return shared->program; }
uint64_t Child::done() const { return shared->done; }

Finding checkInChild(const std::string &program, uint64_t seed, double timeLimit, Origin origin) {
  Child child(seed, 1, 1,
              [&](uint64_t number, const Child::HandOver &) { return checkProgram(program, number, origin); });
  while (!child.poll(timeLimit))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return child.finding();
}

} // namespace tenon::fuzz

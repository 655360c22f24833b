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
    : errors_(memfd_create("errors", 0)), lastProgress_(now()) {
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || errors_ < 0)
    throw std::runtime_error("no memory for another process");
  shared_ = new (memory) Shared;
  shared_->number = first;
  process_ = fork();
  if (process_ < 0)
    throw std::runtime_error("cannot start another process");
  if (process_ > 0)
    return;
  dup2(errors_, STDERR_FILENO);
  limitMemory();
  for (uint64_t i = 0; i < count && shared_->kind == 0; ++i) {
    shared_->number = first + i * stride;
    shared_->program[0] = 0;
    Finding finding = work(shared_->number, [this](const std::string &program) {
      Shared::copy(shared_->program, sizeof shared_->program, program);
    });
    Shared::copy(shared_->message, sizeof shared_->message, finding.message);
    shared_->kind = static_cast<int>(finding.kind);
    ++shared_->done;
  }
  _exit(0);
}

Child::~Child() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(errors_);
  munmap(shared_, sizeof(Shared));
}

// Seconds of the processor that it has used.
double Child::computed() const {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process_, &clock) == 0)
    clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool Child::poll(double timeLimit) {
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) == process_) {
    end(status, false);
    return true;
  }
  if (shared_->done != lastDone_) {
    lastDone_ = shared_->done;
    lastProgress_ = now();
    computedBefore_ = computed();
  }
  if (computed() - computedBefore_ <= timeLimit && now() - lastProgress_ <= 10 * timeLimit)
    return false;
  kill(process_, SIGKILL);
  waitpid(process_, &status, 0);
  end(status, true);
  return true;
}

void Child::end(int status, bool hangs) {
  process_ = 0;
  if (hangs)
    result_ = {Finding::Kind::kHang, "no end in sight"};
  else if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0)
    result_ = {Finding::Kind::kCrash, readAll(errors_)};
  else
    result_ = {static_cast<Finding::Kind>(shared_->kind.load()), shared_->message};
  if (result_.kind == Finding::Kind::kCrash && result_.message.empty())
    result_.message = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "unexpected exit";
}

uint64_t Child::number() const { return shared_->number; }
std::string Child::program() const { return shared_->program; }
uint64_t Child::done() const { return shared_->done; }

Finding checkInChild(const std::string &program, uint64_t seed, double timeLimit, Origin origin, Target target) {
  Child child(seed, 1, 1,
              [&](uint64_t number, const Child::HandOver &) { return checkProgram(program, number, origin, target); });
  while (!child.poll(timeLimit))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return child.finding();
}

} // namespace tenon::fuzz

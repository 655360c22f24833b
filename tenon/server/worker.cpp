#include "tenon/server/worker.h"

#include "tenon/api/trace.h"
#include "tenon/backend/registry.h"
#include "tenon/support/cpu_quota.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <semaphore>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tenon::server {

namespace {

using Clock = std::chrono::steady_clock;

// The worker's end of the socket.
constexpr int kSocket = 3;
constexpr std::chrono::milliseconds kTick{50};

// Limits the compilations at a time to the number of processors, since each uses all of them.
std::counting_semaphore<> &places() {
  static std::counting_semaphore<> instance(std::max(2, usableCpus()));
  return instance;
}

// A place among those that compile.
class Place {
public:
  Place(Clock::time_point deadline, const std::stop_token &stop) {
    while (!has_ && !stop.stop_requested() && Clock::now() < deadline)
      has_ = places().try_acquire_for(kTick);
  }
  ~Place() {
    if (has_)
      places().release();
  }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;
  bool has() const { return has_; }

private:
  bool has_ = false;
};

// The process, and our end of the socket. Ends it with itself.
class Worker {
public:
  explicit Worker(const CompileLimits &limits);
  ~Worker() { (void)wait(/*kill=*/true); }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  bool isStarted() const { return pid_ > 0; }
  // Sends `request`, then reads to the end. DEADLINE_EXCEEDED, CANCELLED, or RESOURCE_EXHAUSTED for a reply that is too
  // long.
  StatusCode exchange(std::string_view request, std::string &reply, Clock::time_point deadline,
                      const std::stop_token &stop, int64_t mostBytes);
  // The status of waitpid.
  int wait(bool kill);

private:
  bool send(std::string_view &request);
  bool receive(std::string &reply);

  pid_t pid_ = -1;
  int socket_ = -1;
};

Worker::Worker(const CompileLimits &limits) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return;
  socket_ = ends[0];
  fcntl(socket_, F_SETFL, O_NONBLOCK);
  std::vector<std::string> command = limits.command;
  command.push_back("--memory=" + std::to_string(limits.memory));
  auto seconds = std::chrono::ceil<std::chrono::seconds>(limits.timeout).count();
  command.push_back("--cpu-seconds=" + std::to_string(seconds * usableCpus()));
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  // Were it descriptor 3 already, dup2 would leave it to be closed.
  int other = ends[1] == kSocket ? fcntl(ends[1], F_DUPFD_CLOEXEC, kSocket + 1) : -1;
  posix_spawn_file_actions_adddup2(&actions, other < 0 ? ends[1] : other, kSocket);
  posix_spawn_file_actions_addclosefrom_np(&actions, kSocket + 1);
  if (posix_spawn(&pid_, command.front().c_str(), &actions, nullptr, arguments.data(), environ) != 0)
    pid_ = -1;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (other >= 0)
    close(other);
}

bool Worker::send(std::string_view &request) {
  ssize_t sent = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
  if (sent < 0)
    return errno == EAGAIN || errno == EINTR;
  request.remove_prefix(static_cast<size_t>(sent));
  if (request.empty())
    shutdown(socket_, SHUT_WR);
  return true;
}

// False at the end.
bool Worker::receive(std::string &reply) {
  std::array<char, 1 << 16> buffer;
  ssize_t size = recv(socket_, buffer.data(), buffer.size(), 0);
  if (size < 0)
    return errno == EAGAIN || errno == EINTR;
  reply.append(buffer.data(), static_cast<size_t>(size));
  return size > 0;
}

StatusCode Worker::exchange(std::string_view request, std::string &reply, Clock::time_point deadline,
                            const std::stop_token &stop, int64_t mostBytes) {
  bool isSending = !request.empty();
  if (!isSending)
    shutdown(socket_, SHUT_WR);
  while (!stop.stop_requested() && Clock::now() < deadline) {
    if (static_cast<int64_t>(reply.size()) > mostBytes)
      return StatusCode::kResourceExhausted;
    pollfd descriptor{socket_, static_cast<short>(isSending ? POLLIN | POLLOUT : POLLIN), 0};
    if (poll(&descriptor, 1, static_cast<int>(kTick.count())) <= 0)
      continue;
    if (isSending && (descriptor.revents & (POLLOUT | POLLERR)))
      isSending = send(request) && !request.empty();
    if ((descriptor.revents & (POLLIN | POLLHUP | POLLERR)) && !receive(reply))
      return StatusCode::kOk;
  }
  return stop.stop_requested() ? StatusCode::kCancelled : StatusCode::kDeadlineExceeded;
}

int Worker::wait(bool kill) {
  int status = 0;
  if (pid_ > 0) {
    if (kill)
      ::kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (socket_ >= 0)
    close(socket_);
  pid_ = socket_ = -1;
  return status;
}

// A request: for each argument whose shape is said its rank and sizes, behind their number, and then the program.
std::string requestOf(std::string_view module, const std::vector<std::vector<int64_t>> &shapes) {
  std::string request;
  auto add = [&](int64_t number) { request.append(reinterpret_cast<const char *>(&number), sizeof number); };
  add(static_cast<int64_t>(shapes.size()));
  for (const auto &sizes : shapes) {
    add(static_cast<int64_t>(sizes.size()));
    for (int64_t size : sizes)
      add(size);
  }
  return request.append(module);
}

// What the shapes are of what requestOf has made; the program stays in `request`. False for what it has not made.
bool takeShapes(std::string_view &request, std::vector<std::vector<int64_t>> &shapes) {
  auto take = [&](int64_t &number) {
    if (request.size() < sizeof number)
      return false;
    std::memcpy(&number, request.data(), sizeof number);
    request.remove_prefix(sizeof number);
    return true;
  };
  int64_t count = 0, rank = 0, size = 0;
  if (!take(count))
    return false;
  for (int64_t i = 0; i < count; ++i) {
    shapes.emplace_back();
    if (!take(rank))
      return false;
    for (int64_t d = 0; d < rank; ++d) {
      if (!take(size))
        return false;
      shapes.back().push_back(size);
    }
  }
  return true;
}

// A reply begins with the code of a status; its message or, where it is OK, the executable follows.
StatusOr<std::string> parse(std::string reply) {
  int32_t code = 0;
  std::memcpy(&code, reply.data(), sizeof code);
  reply.erase(0, sizeof code);
  if (code != 0)
    return Status(static_cast<StatusCode>(code), std::move(reply));
  return reply;
}

Status failure(StatusCode code, const CompileLimits &limits) {
  if (code == StatusCode::kCancelled)
    return {code, "the session has ended"};
  if (code == StatusCode::kResourceExhausted)
    return {code, "the compiled program takes more than the client's " + std::to_string(limits.resultBytes) + " bytes"};
  return {code, "compiling took longer than the server gives a program: " +
                    std::to_string(std::chrono::duration<double>(limits.timeout).count()) + " s"};
}

Status crashed(int status, const CompileLimits &limits) {
  std::string how = WIFSIGNALED(status) ? std::string("signal ") + strsignal(WTERMSIG(status))
                                        : "exit status " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return {StatusCode::kDeadlineExceeded, "compiling took more time of processors than the server gives a program"};
  return internalError("the compiler has crashed on the program (" + how + "), or needed more than the " +
                       std::to_string(limits.memory) + " bytes of memory that the server gives it");
}

} // namespace

StatusOr<std::shared_ptr<backend::Executable>> WorkerBackend::compile(std::string_view module,
                                                                      const backend::CompileOptions &options) {
  if (limits_.command.empty())
    return backend_.compile(module, options);
  Clock::time_point deadline = Clock::now() + limits_.timeout;
  Place place(deadline, stop_.get_token());
  if (!place.has())
    return failure(stop_.stop_requested() ? StatusCode::kCancelled : StatusCode::kDeadlineExceeded, limits_);
  Worker worker(limits_);
  if (!worker.isStarted())
    return Status(StatusCode::kResourceExhausted, "cannot start a process to compile in");
  ++metrics_.workersStarted;
  std::string reply;
  StatusCode code = worker.exchange(requestOf(module, options.argumentShapes), reply, deadline, stop_.get_token(),
                                    limits_.resultBytes);
  if (code != StatusCode::kOk) {
    ++metrics_.workersKilled;
    return failure(code, limits_);
  }
  int status = worker.wait(/*kill=*/false);
  if (status != 0 || reply.size() < sizeof(int32_t)) {
    ++metrics_.workersCrashed;
    return crashed(status, limits_);
  }
  TENON_ASSIGN_OR_RETURN(auto bytes, parse(std::move(reply)));
  return backend_.deserialize(bytes);
}

// --- In the worker ---

namespace {

bool writeAll(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t size = ::send(kSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  }
  return true;
}

bool reply(StatusCode code, std::string_view rest) {
  auto number = static_cast<int32_t>(code);
  return writeAll({reinterpret_cast<const char *>(&number), sizeof number}) && writeAll(rest);
}

void outOfMemory() {
  reply(StatusCode::kResourceExhausted, "the compiler needs more memory than the server gives a program");
  _exit(0);
}

void limit(__rlimit_resource resource, int64_t most) {
  if (most <= 0)
    return;
  rlimit value{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  setrlimit(resource, &value);
}

StatusOr<std::string> compileFor(const std::string &target, std::string_view module,
                                 const backend::CompileOptions &options) {
  TENON_ASSIGN_OR_RETURN(backend::Backend * compiler, backend::compilerOf(target));
  TENON_ASSIGN_OR_RETURN(auto executable, compiler->compile(module, options));
  return executable->serialize();
}

} // namespace

int workerMain(const std::string &target, int64_t memory, int64_t cpuSeconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0); // no core files
  limit(RLIMIT_CPU, cpuSeconds);
#if !__has_feature(address_sanitizer)
  limit(RLIMIT_AS, memory); // AddressSanitizer's shadow is larger
#endif
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { outOfMemory(); });
  api::registerTraceTarget(); // the service, which does it elsewhere, is in the server
  std::string request;
  std::array<char, 1 << 16> buffer;
  ssize_t size = 0;
  while ((size = recv(kSocket, buffer.data(), buffer.size(), 0)) > 0 || (size < 0 && errno == EINTR))
    request.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  std::string_view module = request;
  backend::CompileOptions options;
  if (size < 0 || !takeShapes(module, options.argumentShapes))
    return 1;
  StatusOr<std::string> bytes = compileFor(target, module, options);
  bool isSent = bytes.ok() ? reply(StatusCode::kOk, *bytes) : reply(bytes.status().code(), bytes.status().message());
  return isSent ? 0 : 1;
}

} // namespace tenon::server

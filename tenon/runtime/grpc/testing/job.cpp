#include "tenon/runtime/grpc/testing/job.h"

#include "tenon/support/testing/free_port.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tenon::runtime {
namespace {

// Keeps a test from hanging.
constexpr std::chrono::seconds kPatience{60};

} // namespace

ChildProcess::ChildProcess(const std::string &mode, const std::map<std::string, std::string> &environment) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) // none for the other children
    return;
  std::vector<std::string> variables;
  for (char **each = environ; *each; ++each)
    if (!std::string_view(*each).starts_with("TENON_"))
      variables.emplace_back(*each);
  for (const auto &[name, value] : environment)
    variables.push_back(name + "=" + value);
  std::vector<char *> pointers;
  for (std::string &variable : variables)
    pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string program = TENON_JOB_PROCESS, argument = mode;
  char *arguments[] = {program.data(), argument.data(), nullptr};
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execve(arguments[0], arguments, pointers.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = out[0];
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (input_ >= 0)
    close(input_);
  close(output_);
}

void ChildProcess::signal(int number) const { kill(pid_, number); }

void ChildProcess::proceed() {
  if (input_ >= 0)
    close(input_);
  input_ = -1;
}

bool ChildProcess::readMore(std::chrono::steady_clock::time_point end) {
  pollfd entry{output_, POLLIN, 0};
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
  if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) <= 0)
    return false;
  char bytes[4096];
  ssize_t count = read(output_, bytes, sizeof bytes);
  if (count <= 0)
    return false;
  said_.append(bytes, static_cast<size_t>(count));
  return true;
}

std::string ChildProcess::lineWith(const std::string &start) {
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    for (size_t line; (line = said_.find('\n', read_)) != std::string::npos;) {
      std::string text = said_.substr(read_, line - read_);
      read_ = line + 1;
      if (text.starts_with(start))
        return text;
    }
    if (!readMore(end))
      return {};
  }
}

int ChildProcess::end() {
  proceed();
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (readMore(end)) {
  }
  if (std::chrono::steady_clock::now() >= end)
    signal(SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TestJob::TestJob(int count, const std::string &mode, std::map<std::string, std::string> environment,
                 bool hasCoordinator) {
  // No child may write to a pipe of ours that is gone, and end us.
  ::signal(SIGPIPE, SIG_IGN);
  folder_ = ::testing::TempDir() + "tenon_job_XXXXXX";
  EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  port_ = testing::freePort();
  environment.emplace("TENON_TEST_LIBRARY", TENON_PROCESSES_LIBRARY);
  environment.emplace("TENON_COORDINATOR", "127.0.0.1:" + std::to_string(port_));
  environment.emplace("TENON_PROCESSES", std::to_string(count));
  environment.emplace("TENON_JOB_TOKEN", "a token of the test's");
  if (!hasCoordinator)
    environment.emplace("TENON_TEST_KEYS", folder_);
  for (int process = 0; process < count; ++process) {
    environment["TENON_PROCESS"] = std::to_string(process);
    children_.push_back(std::make_unique<ChildProcess>(mode, environment));
  }
}

TestJob::~TestJob() {
  children_.clear();
  std::filesystem::remove_all(folder_);
}

} // namespace tenon::runtime

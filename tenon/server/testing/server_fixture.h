// Servers and their clients, for tests.
#pragma once

#include "tenon/computation_builder.h"
#include "tenon/remote.h"
#include "tenon/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/types.h>

namespace tenon::server {

// A `tenon serve` of its own, on any port. It ends with this object, and with the thread that made it.
class ServerProcess {
public:
  explicit ServerProcess(const std::vector<std::string> &options = {}, int port = 0);
  ~ServerProcess() { end(9); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  int metricsPort() const { return metricsPort_; }
  int httpPort() const { return httpPort_; }
  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Sends a signal and waits for the end; the status as waitpid says it.
  int end(int number);

private:
  pid_t pid_ = -1;
  int port_ = 0, metricsPort_ = 0, httpPort_ = 0;
};

// What a GET of a path on this machine answers, headers and all.
std::string httpGet(int port, const std::string &path);
// And a POST with that body.
std::string httpPost(int port, const std::string &path, const std::string &body);
// A connection to a port of this machine, to be closed.
int connectedSocket(int port);
// The value of a line of a metrics text; -1: there is none.
int64_t metricIn(const std::string &text, const std::string &name);

class ServerTest : public ::testing::Test {
protected:
  // Starts the server in this process; programs are compiled by workers.
  void start(ServerOptions options = {});
  std::unique_ptr<xla::Client> connect(const xla::RemoteOptions &options = {}) const;
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  // The value of a line of the metrics.
  int64_t metric(const std::string &name) const;
  // Waits until it has that value, for at most 10 seconds.
  bool becomes(const std::string &name, int64_t value) const;

  std::unique_ptr<Server> server_;
};

// alpha * x + y, of f32[size].
std::unique_ptr<xla::Computation> axpy(int64_t size);
// Runs for ever: a loop whose condition is always true, on a scalar. Before it, the run writes a number to its outfeed.
std::unique_ptr<xla::Computation> endless();
// Writes a number to its outfeed, then waits for its infeed.
std::unique_ptr<xla::Computation> fed();
// Waits until a run of one of these has begun.
void awaitBegin(xla::Client &client);
// The text of what such a run begins with. It defines %announced, a token.
extern const char *const kAnnounce;

} // namespace tenon::server

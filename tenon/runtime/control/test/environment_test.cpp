#include "tenon/runtime/control/processes.h"
#include "tenon/runtime/control/test/network_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tenon::runtime {
namespace {

using testing::HasSubstr;

class Environment : public testing::Test {
protected:
  ~Environment() override {
    for (const std::string &name : names_)
      unsetenv(name.c_str());
  }
  void set(const std::string &name, const std::string &value) {
    setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  void setJob() {
    set("TENON_COORDINATOR", "127.0.0.1:4711");
    set("TENON_PROCESSES", "4");
    set("TENON_PROCESS", "3");
    set("TENON_JOB_TOKEN", "0123456789abcdef");
  }
  std::string error() {
    Status status = readEnvironment(options_);
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument) << status.ToString();
    return status.message();
  }

  ProcessesOptions options_;
  std::vector<std::string> names_;
};

TEST_F(Environment, NamesNoJobByItself) {
  EXPECT_EQ(error(), "");
  EXPECT_EQ(options_.count, 1);
  EXPECT_EQ(options_.liveness.peerTimeout, std::chrono::seconds(10));
}

TEST_F(Environment, NamesAJob) {
  setJob();
  set("TENON_PEER_TIMEOUT", "0");
  set("TENON_START_TIMEOUT", "5");
  set("TENON_COLLECTIVE_TIMEOUT", "60");
  set("TENON_SHARED_MEMORY", "0");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(options_.self, 3);
  EXPECT_EQ(options_.count, 4);
  EXPECT_EQ(options_.coordinator, "127.0.0.1:4711");
  EXPECT_FALSE(options_.sharesMemory);
  EXPECT_EQ(options_.liveness.peerTimeout.count(), 0);
  EXPECT_EQ(options_.startTimeout, std::chrono::seconds(5));
  EXPECT_EQ(options_.liveness.collectiveTimeout, std::chrono::seconds(60));
}

// What no variable of ours says, a launcher may.
TEST_F(Environment, ALauncherNumbersTheProcesses) {
  set("TENON_COORDINATOR", "127.0.0.1:4711");
  set("TENON_JOB_TOKEN", "0123456789abcdef");
  set("SLURM_PROCID", "1");
  EXPECT_THAT(error(), HasSubstr("or a launcher that says both")) << "an allocation alone launches nothing";
  set("SLURM_STEP_NUM_TASKS", "3");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(std::pair(options_.self, options_.count), std::pair(1, 3));
  set("PMI_RANK", "2");
  set("PMI_SIZE", "5");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(std::pair(options_.self, options_.count), std::pair(2, 5));
  set("OMPI_COMM_WORLD_RANK", "4");
  set("OMPI_COMM_WORLD_SIZE", "6");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(std::pair(options_.self, options_.count), std::pair(4, 6));
  set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_THAT(error(), HasSubstr("OMPI_COMM_WORLD_RANK is 4, of 4 processes (OMPI_COMM_WORLD_SIZE)"));
  set("TENON_PROCESSES", "2");
  EXPECT_THAT(error(), HasSubstr("TENON_COORDINATOR needs TENON_PROCESSES")) << "one of ours needs the other";
  set("TENON_PROCESS", "0");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(std::pair(options_.self, options_.count), std::pair(0, 2));
}

TEST_F(Environment, SaysWhatIsWrongWithAShimOfMpi) {
  set("TENON_MPI_SHIM", "/nowhere/tenon_mpi.so");
  ASSERT_EQ(error(), "");
  EXPECT_THAT(Processes::start(options_).status().message(),
              testing::AllOf(HasSubstr("TENON_MPI_SHIM"), HasSubstr("/nowhere/tenon_mpi.so")));
  options_.mpiShim = "libc.so.6";
  EXPECT_THAT(Processes::start(options_).status().message(), HasSubstr("not made from this version's tenon_mpi.c"));
}

TEST_F(Environment, MustMakeSense) {
  setJob();
  set("TENON_PROCESS", "4");
  EXPECT_THAT(error(), HasSubstr("TENON_PROCESS is 4, of 4 processes"));
  set("TENON_PROCESS", "");
  EXPECT_THAT(error(), HasSubstr("TENON_PROCESS, which of them this is"));
  set("TENON_PROCESS", "1x");
  EXPECT_THAT(error(), HasSubstr("TENON_PROCESS is '1x'"));
  setJob();
  set("TENON_JOB_TOKEN", "short");
  EXPECT_THAT(error(), HasSubstr("TENON_JOB_TOKEN"));
  setJob();
  set("TENON_PEER_TIMEOUT", "-1");
  EXPECT_THAT(error(), HasSubstr("TENON_PEER_TIMEOUT"));
}

TEST_F(Environment, TakesCertificatesTogether) {
  std::string path = testing::TempDir() + "tenon_environment_test.pem";
  std::ofstream(path) << "-----BEGIN CERTIFICATE-----\n";
  set("TENON_TLS_CERTIFICATE", path);
  EXPECT_THAT(error(), HasSubstr("belong together"));
  set("TENON_TLS_KEY", path);
  set("TENON_TLS_AUTHORITIES", path);
  EXPECT_EQ(error(), "");
  EXPECT_TRUE(options_.security.isEncrypted());
  set("TENON_TLS_KEY", path + ".missing");
  EXPECT_THAT(error(), HasSubstr("no PEM file"));
  std::remove(path.c_str());
}

TEST_F(Environment, IsNotPlainBeyondThisMachine) {
  setJob();
  set("TENON_COORDINATOR", "10.1.2.3:4711");
  ASSERT_EQ(error(), "");
  auto processes = Processes::start(options_);
  EXPECT_THAT(processes.status().message(), HasSubstr("'10.1.2.3' can be reached from other machines"));
  setJob();
  set("TENON_SOCKET_ADDRESS", "0.0.0.0");
  ASSERT_EQ(error(), "");
  processes = Processes::start(options_);
  EXPECT_THAT(processes.status().message(), HasSubstr("'0.0.0.0' can be reached from other machines"));
}

// Nobody else comes, so that no job starts.
TEST_F(Environment, ListensForThisMachineAloneUnlessItIsSaidOtherwise) {
  for (bool isPlain : {false, true}) {
    setJob();
    if (isPlain) {
      set("TENON_PLAIN_NETWORK", "1");
      set("TENON_SOCKET_ADDRESS", "10.1.2.3");
    }
    ASSERT_EQ(error(), "");
    std::vector<std::string> reports;
    std::string listen;
    MemoryKeys keys;
    options_.coordinator.clear();
    options_.report = [&](const std::string &text) { reports.push_back(text); };
    options_.makeNetwork = [&](const NetworkOptions &network) -> StatusOr<std::unique_ptr<Network>> {
      listen = network.listen;
      return std::unique_ptr<Network>(std::make_unique<StillNetwork>());
    };
    EXPECT_THAT(Processes::start(options_, &keys).status().message(), HasSubstr("3 have not started"));
    EXPECT_EQ(listen, isPlain ? "10.1.2.3:0" : "127.0.0.1:0");
    if (isPlain)
      EXPECT_THAT(reports, testing::ElementsAre(HasSubstr("connections at 10.1.2.3 are not encrypted")));
    else
      EXPECT_THAT(reports, testing::IsEmpty());
  }
}

TEST_F(Environment, SaysWhichLibraryIsMissing) {
  setJob();
  ASSERT_EQ(error(), "");
  options_.library = "/nowhere/libtenon_processes.so";
  EXPECT_THAT(Processes::start(options_).status().message(),
              HasSubstr("a program over several processes needs libtenon_processes.so"));
}

} // namespace
} // namespace tenon::runtime

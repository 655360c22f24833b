// Jobs whose data MPI carries, which a library of the test's plays.
#include "tenon/runtime/control/processes.h"
#include "tenon/runtime/control/test/network_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Process 0 of two, of which the other one is on a machine of that boot id.
StatusOr<std::unique_ptr<Processes>> start(const std::string &otherBootId, bool mayBePlain) {
  MemoryKeys keys;
  Node node;
  node.bootId = otherBootId;
  node.token = "secret";
  keys.add(1, node);
  ProcessesOptions options;
  options.self = 0;
  options.count = 2;
  options.mpiShim = TENON_FAKE_MPI;
  options.mayBePlain = mayBePlain;
  options.address = "127.0.0.1";
  options.sharesMemory = false;
  options.liveness.peerTimeout = std::chrono::milliseconds(0);
  options.report = [](const std::string &) {};
  options.makeNetwork = [](const NetworkOptions &) {
    return StatusOr<std::unique_ptr<Network>>(std::make_unique<StillNetwork>());
  };
  return Processes::start(options, &keys);
}

TEST(Mpi, DoesNotEncryptSoThatOtherMachinesNeedPermission) {
  auto refused = start("another machine", /*mayBePlain=*/false);
  ASSERT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(),
              AllOf(HasSubstr("process 0 ("), HasSubstr("process 1 ("), HasSubstr("are on different machines"),
                    HasSubstr("MPI does not encrypt"), HasSubstr("TENON_PLAIN_NETWORK=1")));
  EXPECT_EQ(start("another machine", /*mayBePlain=*/true).status().ToString(), "OK");
  EXPECT_EQ(start(bootId(), /*mayBePlain=*/false).status().ToString(), "OK");
}

TEST(Mpi, HasItsOwnNumbersOfProcesses) {
  MemoryKeys keys;
  ProcessesOptions options;
  options.self = 1;
  options.count = 3;
  options.mpiShim = TENON_FAKE_MPI;
  auto refused = Processes::start(options, &keys);
  EXPECT_THAT(refused.status().message(), HasSubstr("this is process 1 of 3, but MPI started it as 0 of 2"));
}

} // namespace
} // namespace tenon::runtime

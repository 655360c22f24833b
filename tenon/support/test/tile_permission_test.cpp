#include "tenon/support/tile_permission.h"

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

namespace tenon {
namespace {

// What the system says of this process.
bool hasPermission() {
  constexpr long kGetPermission = 0x1022; // ARCH_GET_XCOMP_PERM
  uint64_t mask = 0;
  return syscall(SYS_arch_prctl, kGetPermission, &mask) == 0 && (mask >> 18 & 1) != 0;
}

TEST(TilePermission, IsAskedFor) {
  bool answer = mayUseTiles();
  EXPECT_EQ(answer, hasPermission());
  EXPECT_EQ(answer, mayUseTiles());
}

} // namespace
} // namespace tenon

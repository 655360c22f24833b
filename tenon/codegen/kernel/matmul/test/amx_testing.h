// Runs AMX's instructions on processors that have none.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>

namespace tenon::codegen::testing {

// While it lives, the instructions that matrix products are made of work in this process: natively where the processor
// has them and the system lets us, else computed by a handler of SIGILL.
class AmxTesting {
public:
  AmxTesting();
  ~AmxTesting();
  AmxTesting(const AmxTesting &) = delete;
  AmxTesting &operator=(const AmxTesting &) = delete;

  bool isNative() const { return isNative_; }

private:
  bool isNative_;
  struct sigaction before_{};
};

// What code with AMX's instructions finds under `tenon_tile_configuration`.
extern const std::array<uint8_t, 64> kTileConfiguration;

// How many products of tiles the calling thread has had computed for it.
int emulatedTileProducts();

} // namespace tenon::codegen::testing

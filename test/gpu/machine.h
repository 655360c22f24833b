// A driver with a device: the machine's, or the one that the host plays. What is asked of hardware is asked of both.
#pragma once

#include "tenon/codegen/gpu/target.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/emulator/block.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon::testing {

using namespace tenon::runtime::cuda;
using runtime::emulator::ThreadOrder;

// A kernel that is compiled for a machine and run: "tested", with the addresses of what it reads and what it writes.
struct TestedKernel {
  std::string name;
  std::function<void(llvm::Module &, codegen::GpuBuilder &)> emit;
  std::string input;
  size_t outputBytes = 0;
  unsigned blocks = 1, threads = 32, sharedBytes = 0;
  bool usesMaps = false;
};

class Machine {
public:
  // NOT_FOUND where there is no driver or no GPU.
  static StatusOr<std::unique_ptr<Machine>> hardware();
  static StatusOr<std::unique_ptr<Machine>> emulated();
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  const Driver &driver() const { return driver_; }
  StreamHandle *stream() const { return stream_; }
  bool isEmulated() const { return isEmulated_; }
  const std::string &name() const { return name_; } // of the device

  // `loops`: GpuTargetOptions::loops.
  StatusOr<codegen::GpuTarget> target(std::function<void(program::DeviceProgram)> receive = {},
                                      std::string loops = {}) const;
  // What it wrote. `order` is for the emulation.
  StatusOr<std::string> run(const TestedKernel &kernel, ThreadOrder order = ThreadOrder::kForward) const;
  // An error of the driver's, with what the emulation has to say of it.
  Status explained(Status status) const;

private:
  Machine(const Driver &driver, bool isEmulated) : driver_(driver), isEmulated_(isEmulated) {}
  Status start();
  Status launch(const TestedKernel &kernel, const std::string &code, DeviceAddress input, DeviceAddress output,
                std::string &written) const;

  Driver driver_;
  bool isEmulated_;
  std::string name_, chip_;
  ContextHandle *context_ = nullptr;
  StreamHandle *stream_ = nullptr;
};

// The kernels of every operation that codegen::GpuBuilder has of its own, and the chip with it, in every mode that has
// other code.
std::vector<TestedKernel> builderKernels(const codegen::GpuChip &chip);

} // namespace tenon::testing

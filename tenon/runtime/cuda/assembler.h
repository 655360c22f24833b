// NVIDIA's assembler of PTX, as a program that is there or is not: nothing of NVIDIA's is linked or shipped.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::runtime::cuda {

// What a function of a module takes of a multiprocessor. Functions that kernels call have no registers of their own.
struct FunctionResources {
  std::string name;
  bool isKernel = false;
  int registers = 0;      // of each thread
  int64_t stackBytes = 0; // the same, as what follows: in local memory
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;
};

struct Cubin {
  std::string bytes; // an ELF file, for one kind of chip
  std::vector<FunctionResources> functions;
};

// The programs of CUDA's toolkit. Looked for in the folder `bin` of what TENON_CUDA_PATH names, in the packages of the
// Python environment in use (VIRTUAL_ENV), in PATH and in /usr/local/cuda, in this order.
class Assembler {
public:
  // NOT_FOUND, with where it was looked for, if there is no ptxas.
  static StatusOr<Assembler> find();

  // `chip` as "sm_90a". INTERNAL with what the assembler says of PTX that it refuses, and of products of warp groups
  // that it would run one after the other or repair (its remarks C7510 to C7519), which it takes.
  StatusOr<Cubin> assemble(std::string_view ptx, const std::string &chip) const;
  // The machine code as text. NOT_FOUND if there is no nvdisasm, a package of its own.
  StatusOr<std::string> disassemble(std::string_view cubin) const;

  const std::string &path() const { return ptxas_; }

private:
  explicit Assembler(std::string ptxas) : ptxas_(std::move(ptxas)) {}

  std::string ptxas_;
};

} // namespace tenon::runtime::cuda

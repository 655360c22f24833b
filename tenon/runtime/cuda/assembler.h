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

  int64_t spillBytes() const { return spillStoreBytes + spillLoadBytes; }
};

struct Cubin {
  std::string bytes; // an ELF file, for one kind of chip
  std::vector<FunctionResources> functions;
  // What the assembler says that it does otherwise than it was asked, without failing: products of warp groups one
  // after the other, or repaired (its remarks C7509 to C7519). Results are the same, but later. Each names its kernel.
  std::vector<std::string> remarks;
};

// What the report of an assembler says of the machine code that it has made.
Cubin readReport(std::string machineCode, const std::string &report);

// The programs of CUDA's toolkit (toolkit.h says where they are looked for).
class Assembler {
public:
  // NOT_FOUND, with where it was looked for, if there is no ptxas.
  static StatusOr<Assembler> find();

  // `chip` as "sm_90a". INTERNAL with what the assembler says of PTX that it refuses.
  //
  // The assembler gives a thread fewer registers than there are where it finds that more blocks are then at work, even
  // if some have to be kept in memory for it. Kernels to which it does that are assembled again, with as many as they
  // want.
  StatusOr<Cubin> assemble(std::string_view ptx, const std::string &chip) const;
  // The machine code as text. NOT_FOUND if there is no nvdisasm, a package of its own.
  StatusOr<std::string> disassemble(std::string_view cubin) const;

  // "13.0.88".
  StatusOr<std::string> version() const;
  const std::string &path() const { return ptxas_; }

private:
  explicit Assembler(std::string ptxas) : ptxas_(std::move(ptxas)) {}
  StatusOr<Cubin> assembleOnce(std::string_view ptx, const std::string &chip) const;

  std::string ptxas_;
};

} // namespace tenon::runtime::cuda

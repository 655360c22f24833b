// The CPU that code is generated for.
//
// A target is a description: what emitters ask of it (vector width, features, caches) and what LLVM needs to know. The
// module compiler stamps every function with the target's attributes, so that no kernel is compiled for another width
// than the one its emitter assumed.
#pragma once

#include "tenon/codegen/common/code_target.h"
#include "tenon/codegen/kernel/product_target.h"
#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::codegen {

struct CpuTargetOptions {
  // "" (this machine's, or "generic" where the triple is of another architecture), "host", "x86-64", "x86-64-v2",
  // "-v3", "-v4", or any name that LLVM knows for the triple. Of the host, code uses no instruction that the processor
  // named by the environment variable TENON_MAX_CPU lacks, where it is set.
  std::string cpu = "host";
  // LLVM feature string added to the CPU's own ("+avx512bf16,-fma").
  std::string features = {};
  // Empty: the host's.
  std::string triple = {};
  // Upper limit of the vector width; 0 means none. The environment variable TENON_MAX_VECTOR_BITS sets the default.
  int maxVectorBits = 0;
};

class CpuTarget final : public ProductTarget, public CodeTarget {
public:
  static StatusOr<CpuTarget> create(const CpuTargetOptions &options = {});
  // The machine this process runs on. Made once; an error where TENON_MAX_CPU names no processor.
  static const StatusOr<CpuTarget> &hostOrError();
  // The same for callers that come after a successful hostOrError(); aborts otherwise.
  static const CpuTarget &host();

  bool hasFeature(std::string_view llvmName) const override;

  bool isX86() const { return isX86_; }
  bool fma() const { return fma_; }
  bool f16c() const { return f16c_; }
  bool avx() const { return avx_; }
  bool avx2() const { return avx2_; }
  bool avx512() const { return avx512_; } // F, BW, DQ and VL, at 512 bits
  bool avx512bf16() const { return avx512bf16_; }
  // Whether VDPBF16PS computes half as much in a cycle as VFMADD231PS, as Golden Cove's does, which splits it up.
  bool slowBf16Pairs() const { return cpu_ == "sapphirerapids" || cpu_ == "emeraldrapids"; }
  bool avx512vnni() const { return avx512vnni_; }
  bool avxvnni() const { return avxvnni_; }
  bool amxBf16() const { return amxBf16_; }
  bool amxInt8() const { return amxInt8_; }

  // Data caches of one core: this machine's for "host", modest guesses otherwise, as lastLevelCacheBytes().
  int64_t l1Bytes() const { return l1Bytes_; }
  int64_t l2Bytes() const { return l2Bytes_; }

  const CostModel &costs() const override { return costs_; }
  bool canFuse(mlir::Operation *op) const override;
  bool canEmit(mlir::Operation *op) const override;
  int64_t featureLanes() const override;
  int64_t panelColumns(mlir::Operation *product, int64_t runs) const override;
  int64_t kernelPanelColumns(mlir::Operation *convolution) const override;
  llvm::FailureOr<program::Program> generate(mlir::ModuleOp module, const GenerateOptions &options) const override;

  bool canOutlineComputation(mlir::Region &computation) const override;
  matmul::MatmulTarget matmulTarget() const override;
  std::string routineKey(llvm::ArrayRef<llvm::StringRef> features) const override;
  const KernelTarget &routineTarget(llvm::ArrayRef<llvm::StringRef> features) const override;
  std::optional<llvm::StringRef> featureOfIntrinsic(llvm::StringRef name) const override;
  void emitStoreFence(llvm::IRBuilderBase &builder) const override;
  // Position-independent small code, IEEE denormals, no fast-math, CodeGenOptLevel::Less.
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const override;
  void prepareModule(llvm::Module &module) const override;

private:
  CpuTarget() = default;
  void setFeatureFlags(const std::function<bool(llvm::StringRef)> &has, int maxVectorBits);

  // The highest of "x86-64-v4" and "x86-64-v3" that the target has all features of, at that level's vector width;
  // otherwise empty.
  std::string level() const;
  bool hasRoutineLevel(llvm::ArrayRef<llvm::StringRef> features) const;

  std::string dataLayout_, level_;
  bool isX86_ = false, fma_ = false, f16c_ = false, avx_ = false, avx2_ = false, avx512_ = false;
  bool avx512bf16_ = false, avx512vnni_ = false, avxvnni_ = false;
  bool amxBf16_ = false, amxInt8_ = false;
  int64_t l1Bytes_ = 32 << 10, l2Bytes_ = 512 << 10;
};

} // namespace tenon::codegen

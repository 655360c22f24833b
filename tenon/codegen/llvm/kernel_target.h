// The chip that kernels are emitted for, as far as emitters of LLVM IR and the compiler of modules need to know it.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tenon::codegen {

class KernelTarget {
public:
  virtual ~KernelTarget() = default;

  const std::string &triple() const { return triple_; }
  const std::string &cpu() const { return cpu_; }
  // Every feature that the chip has, as "+a,+b": complete, so that it means the same on any other machine.
  const std::string &features() const { return features_; }
  // Those of them, and those with a minus, in which the chip differs from what LLVM takes cpu() to have.
  const std::string &distinctFeatures() const { return distinctFeatures_; }
  // Identifies equal targets.
  const std::string &key() const { return key_; }

  // Width of the registers that emitters should use.
  int vectorBits() const { return vectorBits_; }
  // Elements of `elementBits` in one register, at least 1.
  int lanes(int elementBits) const { return vectorBits_ / elementBits > 0 ? vectorBits_ / elementBits : 1; }
  // Whether loads and stores under a mask cost what plain ones do, for elements of every width.
  bool hasMaskedMemory() const { return hasMaskedMemory_; }
  // Whether stores can go past the caches (emitStoreFence orders them).
  bool hasStreamingStores() const { return hasStreamingStores_; }
  // Makes streaming stores, which there are, visible before what follows.
  virtual void emitStoreFence(llvm::IRBuilderBase &builder) const { llvm_unreachable("there are no streaming stores"); }
  // Whether LLVM tries to merge all shuffles of a chain, in a time that is exponential in its length.
  bool mergesShuffles() const { return mergesShuffles_; }
  // Bytes of the cache that all cores share.
  int64_t lastLevelCacheBytes() const { return lastLevelCacheBytes_; }

  const CostModel &costs() const { return costs_; }

  // Whether EmissionTarget::outlineComputation takes the region: the computation of a reduce, sort or the like with
  // loops, branches or arrays of its own.
  virtual bool canOutlineComputation(mlir::Region &computation) const = 0;

  // Whether it has the feature, as LLVM names it.
  virtual bool hasFeature(std::string_view llvmName) const = 0;
  // What a routine (routines.h) that needs the features is compiled for, so that one serves many machines: the level of
  // the architecture that this target reaches, with the features; where there is none, this target. The key, which
  // costs nothing, and the target, which lives as long as the process or this one does.
  virtual std::string routineKey(llvm::ArrayRef<llvm::StringRef> features) const { return key_; }
  virtual const KernelTarget &routineTarget(llvm::ArrayRef<llvm::StringRef> features) const { return *this; }
  // The feature that an intrinsic of LLVM's needs beyond what all targets of a level have; empty if there is none,
  // nothing where that is not known.
  virtual std::optional<llvm::StringRef> featureOfIntrinsic(llvm::StringRef name) const { return ""; }

  // A new TargetMachine, not shared between threads.
  virtual std::unique_ptr<llvm::TargetMachine> createTargetMachine() const = 0;
  // Sets triple and data layout of an empty module, before functions are emitted.
  virtual void prepareModule(llvm::Module &module) const = 0;

protected:
  KernelTarget() = default;
  KernelTarget(const KernelTarget &) = default;
  KernelTarget &operator=(const KernelTarget &) = default;

  std::string triple_, cpu_, features_, distinctFeatures_, key_;
  int vectorBits_ = 128;
  bool hasMaskedMemory_ = false, hasStreamingStores_ = false, mergesShuffles_ = false;
  int64_t lastLevelCacheBytes_ = 8 << 20;
  CostModel costs_;
};

// The same while the code of one kernel is emitted, as its plan says.
class EmissionTarget {
public:
  explicit EmissionTarget(const KernelTarget &target) : target_(target) {}
  virtual ~EmissionTarget() = default;

  const KernelTarget &operator*() const { return target_; }
  const KernelTarget *operator->() const { return &target_; }

  // A function that takes the parts of the elements of the block's arguments and returns those of the terminator's
  // operands. Errors are reported at the op that has the region.
  virtual llvm::FailureOr<llvm::Function *> outlineComputation(mlir::Region &computation,
                                                               llvm::Module &module) const = 0;

private:
  const KernelTarget &target_;
};

} // namespace tenon::codegen

// How large attributes and types are when they are written out.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon::frontend {

// Attributes and types share their parts, but what prints or walks them visits each as often as it occurs: aliases (or
// the numbers of bytecode) that name another twice, level after level, are a short program with more parts than memory.
class PartCounter {
public:
  // How many parts a value is written with; kMany if they are many or nest deep.
  static constexpr uint64_t kMany = uint64_t(1) << 24;
  template <typename T> uint64_t count(T value) { return value ? measure(value, 0).count : 0; }

private:
  static constexpr unsigned kMaxDepth = 1000;
  struct Measure {
    uint64_t count;
    unsigned depth;
  };
  static constexpr Measure kTooLarge{kMany, kMaxDepth};

  // `above`: how many values this one was reached through.
  template <typename T> Measure measure(T value, unsigned above) {
    if (above > kMaxDepth)
      return kTooLarge;
    const void *key = value.getAsOpaquePointer();
    if (auto known = measures_.find(key); known != measures_.end())
      return known->second;
    Measure whole{1, 1};
    auto add = [&](auto part) {
      if (!part)
        return;
      Measure measured = measure(part, above + 1);
      whole.count += measured.count;
      whole.depth = std::max(whole.depth, measured.depth + 1);
    };
    value.walkImmediateSubElements([&](mlir::Attribute part) { add(part); }, [&](mlir::Type part) { add(part); });
    if (whole.count >= kMany || whole.depth >= kMaxDepth)
      whole = kTooLarge;
    measures_[key] = whole;
    return whole;
  }

  llvm::DenseMap<const void *, Measure> measures_;
};

} // namespace tenon::frontend

// The runtime call around a LAPACK routine. Included by the files that define routines.
#pragma once

#include "tenon/runtime/core/call_memory.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/lapack.h"
#include "tenon/runtime/cpu/small_matrices/group.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace tenon::runtime::lapack {

template <typename Routine> class LapackCall final : public RuntimeCallInstance {
public:
  LapackCall(Routine routine, const program::RuntimeCall &runtimeCall, int64_t batch)
      : routine_(std::move(routine)), batch_(batch) {
    auto strides = [&](const std::vector<program::Shape> &shapes, std::vector<int64_t> &out) {
      for (const program::Shape &shape : shapes)
        out.push_back(batch_ > 0 ? shape.byteSize() / batch_ : 0);
    };
    strides(runtimeCall.operands, operandStrides_);
    strides(runtimeCall.results, resultStrides_);
    assert(operandStrides_.size() <= kMostArrays && resultStrides_.size() <= kMostArrays);
  }

  Status call(const CallBuffers &call) override {
    if constexpr (requires(small_matrices::Group &group) { routine_.many(group); })
      if (routine_.kernels)
        return small_matrices::forEachGroup(call, batch_, routine_.kernels->lanes, routine_.groupBytes,
                                            [&](small_matrices::Group &group) { routine_.many(group); });
    size_t workBytes = size_t((routine_.workBytes + 63) / 64 * 64);
    int64_t parts = partsOfOne();
    int64_t workers = std::min<int64_t>(call.pool.size(), std::max<int64_t>(batch_ * parts, 1));
    // One worker may have any number below the pool's size.
    CallMemory work(workBytes * size_t(workers > 1 ? call.pool.size() : 1));
    if (!work)
      return Status(StatusCode::kResourceExhausted, "out of memory");
    call.pool.parallelFor(batch_ * parts, [&](int64_t begin, int64_t end, int worker) {
      std::array<void *, kMostArrays> operands, results;
      for (int64_t task = begin; task < end; ++task) {
        int64_t i = task / parts;
        for (size_t k = 0; k < operandStrides_.size(); ++k)
          operands[k] = static_cast<char *>(call.operands[k]) + i * operandStrides_[k];
        for (size_t k = 0; k < resultStrides_.size(); ++k)
          results[k] = static_cast<char *>(call.results[k]) + i * resultStrides_[k];
        Item item(operands.data(), results.data(), work.data() + workBytes * size_t(worker));
        if constexpr (requires { routine_.parts(); })
          routine_.one(item, task % parts);
        else if constexpr (requires { routine_.one(item, call.pool); })
          routine_.one(item, call.pool);
        else
          routine_.one(item);
      }
    });
    return {};
  }

private:
  // As many operands, and results, as any routine has.
  static constexpr size_t kMostArrays = 8;

  // The parts of each matrix, where threads share one.
  int64_t partsOfOne() const {
    if constexpr (requires { routine_.parts(); })
      return routine_.parts();
    return 1;
  }

  Routine routine_;
  int64_t batch_;
  std::vector<int64_t> operandStrides_, resultStrides_;
};

template <typename Routine>
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeRuntimeCall(const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Setup setup, Setup::create(runtimeCall));
  Routine routine;
  routine.prepare(setup);
  if (!setup.status().ok())
    return setup.status();
  return std::unique_ptr<RuntimeCallInstance>(
      std::make_unique<LapackCall<Routine>>(std::move(routine), runtimeCall, setup.batch()));
}

// Registers Routine<T> as lapack_<letter><name>_ffi for the types.
template <template <typename> class Routine, typename... Ts> void addTypes(Registrar add, const std::string &name) {
  (add(std::string("lapack_") + TypeTraits<Ts>::letter + name + "_ffi", makeRuntimeCall<Routine<Ts>>), ...);
}
template <template <typename> class Routine> void addAllTypes(Registrar add, const std::string &name) {
  addTypes<Routine, float, double, std::complex<float>, std::complex<double>>(add, name);
}
// Under the names that real and complex matrices have.
template <template <typename> class Routine>
void addAllTypes(Registrar add, const std::string &realName, const std::string &complexName) {
  addTypes<Routine, float, double>(add, realName);
  addTypes<Routine, std::complex<float>, std::complex<double>>(add, complexName);
}

template <typename T> std::string routineName(const std::string &name) { return TypeTraits<T>::letter + name; }

} // namespace tenon::runtime::lapack

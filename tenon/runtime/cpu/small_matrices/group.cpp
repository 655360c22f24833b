#include "tenon/runtime/cpu/small_matrices/group.h"

#include "tenon/runtime/cpu/instruction_set.h"

namespace tenon::runtime::small_matrices {

// Measured against OpenBLAS, a batch of 256 (docs/architecture.md): up to these orders all factorisations are faster in
// lanes of 16, 32 and 64 bytes. Of a few matrices most lanes would be idle.
template <typename Real>
static const Kernels<Real> *ifWorthwhile(const Kernels<Real> &kernels, int64_t batch, int64_t rows, int64_t columns) {
  int64_t vectorBytes = kernels.lanes * int64_t(sizeof(Real));
  int64_t maxOrder = vectorBytes >= 64 ? 24 : vectorBytes / 2, order = std::max(rows, columns);
  int64_t minBatch = order <= 8 ? kernels.lanes / 2 : kernels.lanes;
  return rows > 0 && columns > 0 && order <= maxOrder && batch >= minBatch ? &kernels : nullptr;
}

template <> const Kernels<float> *kernelsFor<float>(int64_t batch, int64_t rows, int64_t columns) {
  return ifWorthwhile(TENON_VARIANT(f32), batch, rows, columns);
}
template <> const Kernels<double> *kernelsFor<double>(int64_t batch, int64_t rows, int64_t columns) {
  return ifWorthwhile(TENON_VARIANT(f64), batch, rows, columns);
}
template <> const Kernels<float> *kernelsFor<std::complex<float>>(int64_t batch, int64_t rows, int64_t columns) {
  return ifWorthwhile(TENON_VARIANT(c64), batch, rows, columns);
}
template <> const Kernels<double> *kernelsFor<std::complex<double>>(int64_t batch, int64_t rows, int64_t columns) {
  return ifWorthwhile(TENON_VARIANT(c128), batch, rows, columns);
}

void Group::storeIntegers(int lanes, size_t result, int64_t values, const int32_t *block) const {
  auto *to = this->result<int32_t>(result, values);
  for (int l = 0; l < count_; ++l)
    for (int64_t v = 0; v < values; ++v)
      to[l * values + v] = block[v * lanes + l];
}

} // namespace tenon::runtime::small_matrices

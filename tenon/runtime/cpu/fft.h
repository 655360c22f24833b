// The library routine "fft": all four kinds of StableHLO's fft, one to three dimensions, any lengths.
//
// Attributes: fft_type ("FFT", "IFFT", "RFFT", "IRFFT", as a string or as StableHLO's enum) and fft_length (integers).
#pragma once

#include "tenon/runtime/core/runtime_call.h"

namespace tenon::runtime {

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeFftCall(const program::RuntimeCall &runtimeCall);

} // namespace tenon::runtime

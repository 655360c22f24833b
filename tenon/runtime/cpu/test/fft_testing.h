// Calls of the FFT, and data for them.
#pragma once

#include "tenon/program/program.h"
#include "tenon/program/testing/attributes.h"

#include <complex>
#include <random>

namespace tenon::runtime {

inline program::RuntimeCall fftCall(const std::string &type, const std::vector<int64_t> &dims,
                                    const std::vector<int64_t> &lengths, bool isDouble) {
  using namespace program::attribute;
  using program::ElementType;
  program::RuntimeCall runtimeCall;
  runtimeCall.target = "fft";
  runtimeCall.attributes = {{"fft_length", i64s(lengths)}, {"fft_type", string(type)}};
  ElementType complexType = isDouble ? ElementType::kComplexF64 : ElementType::kComplexF32;
  ElementType realType = isDouble ? ElementType::kF64 : ElementType::kF32;
  std::vector<int64_t> half = dims;
  if (!half.empty() && half.back() != 0)
    half.back() = half.back() / 2 + 1;
  if (type == "RFFT") {
    runtimeCall.operands = {{realType, dims}};
    runtimeCall.results = {{complexType, half}};
  } else if (type == "IRFFT") {
    runtimeCall.operands = {{complexType, half}};
    runtimeCall.results = {{realType, dims}};
  } else {
    runtimeCall.operands = runtimeCall.results = {{complexType, dims}};
  }
  return runtimeCall;
}

template <typename T> std::vector<std::complex<T>> randomComplex(int64_t count, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> distribution(-1, 1);
  std::vector<std::complex<T>> data(static_cast<size_t>(count));
  for (auto &value : data)
    value = {distribution(random), distribution(random)};
  return data;
}

} // namespace tenon::runtime

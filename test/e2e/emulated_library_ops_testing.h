// Ops of a program that libraries compute, which tests play, on a GPU that the host plays.
#pragma once

#include "test/e2e/emulated_gpu_testing.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tenon::testing {

// An element of an array, and what an element becomes; of types that the libraries have.
inline double numberAt(ElementType type, const void *array, int64_t at) {
  switch (type) {
  case ElementType::kF32:
    return static_cast<const float *>(array)[at];
  case ElementType::kF64:
    return static_cast<const double *>(array)[at];
  case ElementType::kF16:
    return double(static_cast<const _Float16 *>(array)[at]);
  case ElementType::kBF16:
    return std::bit_cast<float>(uint32_t(static_cast<const uint16_t *>(array)[at]) << 16);
  case ElementType::kI8:
    return static_cast<const int8_t *>(array)[at];
  default:
    ADD_FAILURE() << "an element's type";
    return 0;
  }
}
inline void putNumber(ElementType type, void *array, int64_t at, double value) {
  switch (type) {
  case ElementType::kF32:
    static_cast<float *>(array)[at] = float(value);
    return;
  case ElementType::kF64:
    static_cast<double *>(array)[at] = value;
    return;
  case ElementType::kF16:
    static_cast<_Float16 *>(array)[at] = _Float16(value);
    return;
  case ElementType::kI32:
    static_cast<int32_t *>(array)[at] = int32_t(value);
    return;
  case ElementType::kBF16: {
    auto bits = std::bit_cast<uint32_t>(float(value));
    static_cast<uint16_t *>(array)[at] = uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    return;
  }
  default:
    ADD_FAILURE() << "a result's type";
  }
}

// The bits that tensor cores read of f32; a library may round to them, or leave the others out.
inline double inTf32(double number) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(float(number)) & ~uint32_t{0x1fff});
}

class EmulatedLibraryOps : public EmulatedGpu {
protected:
  // What the libraries are played by may be asked about afterwards: all that was loaded is gone, they too.
  void TearDown() override {
    graph.reset();
    walk.reset();
    libraries = {};
    EmulatedGpu::TearDown();
  }

  void loadBoth(const std::string &source) {
    codegen::GpuTargetOptions options;
    options.changeCosts = [this](CostModel &costs) { costs.blocks.libraryOp = leastNanoseconds; };
    options.loops = "nodes"; // as kernels have none
    options.allowsTf32 = allowsTf32;
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device, std::move(options)), source, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    program = *std::move(compiled);
    for (auto [mode, into] : {std::pair{RunMode::kGraphIfPossible, &graph}, std::pair{RunMode::kWalk, &walk}}) {
      auto loaded = DeviceExecutable::load(d, device, program, stream, mode, libraries);
      ASSERT_TRUE(loaded.ok()) << loaded.status().message();
      *into = *std::move(loaded);
    }
  }

  // The graph and the walk agree with each other and with the interpreter.
  void checkRun(const std::string &source, const std::vector<Literal> &inputs) {
    auto expected = runReference(source, inputs, program);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    std::vector<Bytes> results = run(*graph, program, inputs);
    EXPECT_EQ(run(*walk, program, inputs), results);
    for (size_t i = 0; i < results.size(); ++i)
      compareArrays(tools::makeArray(program.results[i].shape, results[i].data()).ConsumeValueOrDie(), (*expected)[i],
                    "result " + std::to_string(i));
  }
  void check(const std::string &source) {
    loadBoth(source);
    if (graph && walk)
      checkRun(source, randomInputs(program));
  }

  // The same where sums of so many products of f32 are in tf32: as far from the interpreter's as two operands without
  // 13 of their bits make them, and farther than f32 is.
  void checkRounds(const std::string &source, int64_t terms) {
    loadBoth(source);
    ASSERT_TRUE(graph && walk);
    std::vector<Literal> inputs = randomInputs(program);
    auto expected = runReference(source, inputs, program);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    std::vector<Bytes> results = run(*graph, program, inputs);
    EXPECT_EQ(run(*walk, program, inputs), results);
    double most = double(terms) * largest(inputs[0]) * largest(inputs[1]), farthest = 0;
    for (size_t i = 0; i < results[0].size() / sizeof(float); ++i)
      farthest = std::max(farthest, std::abs(numberAt(ElementType::kF32, results[0].data(), int64_t(i)) -
                                             numberAt(ElementType::kF32, (*expected)[0].untyped_data(), int64_t(i))));
    EXPECT_LE(farthest, most * 0x1p-9);
    EXPECT_GT(farthest, most * 0x1p-19);
  }
  static double largest(const Literal &array) {
    double found = 0;
    for (size_t i = 0; i < size_t(array.size_bytes()) / sizeof(float); ++i)
      found = std::max(found, std::abs(numberAt(ElementType::kF32, array.untyped_data(), int64_t(i))));
    return found;
  }

  bool allowsTf32 = false;
  DeviceLibraries libraries;
  double leastNanoseconds = 0; // of an op that a library computes
  program::Program program;
  std::unique_ptr<DeviceExecutable> graph, walk;
};

} // namespace tenon::testing

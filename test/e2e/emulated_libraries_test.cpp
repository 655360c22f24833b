// NVIDIA's libraries, played by tables of functions of our own, in programs of a GPU that the host plays: what they do
// is done in the device's memory and in the stream, and what they do not is the host's.

#include "test/e2e/emulated_gpu_testing.h"

#include "tenon/runtime/cpu/library.h"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <numbers>

using namespace tenon;
using namespace tenon::testing;

namespace {

struct Calls {
  int factors = 0, transforms = 0, open = 0; // handles and plans that have not been destroyed
  void *stream = nullptr;
};
Calls calls;

void enqueue(std::function<void()> work) {
  EXPECT_EQ(runtime::emulator::enqueueWork(static_cast<StreamHandle *>(calls.stream), std::move(work)),
            Result::kSuccess);
}

// --- cuSOLVER ---

constexpr size_t kWorkBytes = 24;

// The factor of a column-major matrix, in place of one of its triangles.
void factor(float *a, int64_t n, bool isUpper, int *info) {
  auto at = [&](int64_t row, int64_t column) -> float & { return isUpper ? a[column + row * n] : a[row + column * n]; };
  *info = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      float sum = at(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= at(i, k) * at(j, k);
      if (i == j && sum <= 0) {
        *info = int(j + 1);
        return;
      }
      at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
    }
  }
}

int makeHandle(void **handle) {
  ++calls.open;
  *handle = &calls;
  return 0;
}
int destroyHandle(void *) {
  --calls.open;
  return 0;
}
int setStream(void *, void *stream) {
  calls.stream = stream;
  return 0;
}
int potrfSizes(void *, void *, int, int64_t, int type, const void *, int64_t, int, size_t *deviceBytes,
               size_t *hostBytes) {
  *deviceBytes = kWorkBytes;
  *hostBytes = 1;
  return type == 0 ? 0 : 7;
}
int potrf(void *, void *, int fill, int64_t n, int, void *a, int64_t lda, int, void *work, size_t bytes, void *host,
          size_t, int *info) {
  if (lda != n || !work || bytes != kWorkBytes || !host)
    return 3;
  ++calls.factors;
  enqueue([=] { factor(static_cast<float *>(a), n, fill == 1, info); });
  return 0;
}

// --- cuFFT ---

struct Plan {
  int64_t points = 0, batch = 0;
  bool isReal = false;
};
Plan plan;

int planMany(int *handle, int rank, int *lengths, int *inEmbed, int, int, int *outEmbed, int, int, int type,
             int batch) {
  if (rank != 1 || inEmbed || outEmbed)
    return 4;
  ++calls.open;
  *handle = 5;
  plan = {lengths[0], batch, type == 0x2a};
  return type == 0x29 || type == 0x2a ? 0 : 6;
}
int destroyPlan(int) {
  --calls.open;
  return 0;
}
int setPlanStream(int, void *stream) {
  calls.stream = stream;
  return 0;
}

template <typename In> void transform(const In *in, std::complex<float> *out) {
  const int64_t results = plan.isReal ? plan.points / 2 + 1 : plan.points;
  for (int64_t line = 0; line < plan.batch; ++line)
    for (int64_t k = 0; k < results; ++k) {
      std::complex<double> sum = 0;
      for (int64_t i = 0; i < plan.points; ++i)
        sum += std::complex<double>(in[line * plan.points + i]) *
               std::polar(1.0, -2 * std::numbers::pi * double(i * k) / double(plan.points));
      out[line * results + k] = std::complex<float>(sum);
    }
}

int complexSingle(int, void *in, void *out, int direction) {
  ++calls.transforms;
  enqueue([=] { transform(static_cast<std::complex<float> *>(in), static_cast<std::complex<float> *>(out)); });
  return direction == -1 ? 0 : 2;
}
int realSingle(int, void *in, void *out) {
  ++calls.transforms;
  enqueue([=] { transform(static_cast<float *>(in), static_cast<std::complex<float> *>(out)); });
  return 0;
}

const std::vector<float> kMatrices{4, 2, 1, 2, 5, 3, 1, 3, 6, 1, 2, 0, 2, 1, 0, 0, 0, 1};

// Factors in a loop and in a branch of it, between kernels, from an argument and into a result.
constexpr const char *kFactorsInALoop = R"(
  func.func private @factor(%a: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>) {
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8},
      operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
      result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[0]> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,
        operand_tuple_indices = []>]} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
    return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2xi32>
  }
  func.func @main(%a: tensor<2x3x3xf32>, %n: tensor<i32>) -> (tensor<2x3x3xf32>, tensor<2xi32>, tensor<2x3x3xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %none = stablehlo.constant dense<0> : tensor<2xi32>
    %eighth = stablehlo.constant dense<0.125> : tensor<2x3x3xf32>
    %first:2 = func.call @factor(%a) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
    %0:4 = stablehlo.while(%i = %zero, %m = %a, %p = %first#0, %c = %none)
      : tensor<i32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2xi32>
      cond {
        %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      } do {
        %odd = stablehlo.and %i, %one : tensor<i32>
        %isOdd = stablehlo.compare EQ, %odd, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %b:2 = "stablehlo.if"(%isOdd) ({
          %f:2 = func.call @factor(%m) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
          stablehlo.return %f#0, %f#1 : tensor<2x3x3xf32>, tensor<2xi32>
        }, {
          %d = stablehlo.add %m, %p : tensor<2x3x3xf32>
          stablehlo.return %d, %none : tensor<2x3x3xf32>, tensor<2xi32>
        }) : (tensor<i1>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
        %s = stablehlo.multiply %b#0, %eighth : tensor<2x3x3xf32>
        %next = stablehlo.add %a, %s : tensor<2x3x3xf32>
        %count = stablehlo.add %c, %b#1 : tensor<2xi32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %next, %m, %count : tensor<i32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2xi32>
      }
    %last:2 = func.call @factor(%0#1) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
    return %last#0, %0#3, %0#2 : tensor<2x3x3xf32>, tensor<2xi32>, tensor<2x3x3xf32>
  })";

// The argument of kFactorsInALoop, with so many iterations.
std::vector<Literal> factorInputs(int32_t iterations) {
  std::vector<Literal> inputs;
  inputs.push_back(tools::makeArray({program::ElementType::kF32, {2, 3, 3}}, kMatrices.data()).ConsumeValueOrDie());
  inputs.push_back(tools::makeArray({program::ElementType::kI32, {}}, &iterations).ConsumeValueOrDie());
  return inputs;
}

class EmulatedLibraries : public EmulatedGpu {
protected:
  void SetUp() override {
    EmulatedGpu::SetUp();
    runtime::registerCpuLibrary();
    calls = {};
    libraries.solver = {makeHandle, destroyHandle, setStream, makeHandle, destroyHandle, potrfSizes, potrf};
    libraries.fourier = {planMany, destroyPlan, setPlanStream, complexSingle, nullptr, realSingle, nullptr};
  }

  std::unique_ptr<DeviceExecutable> load(const std::string &source, program::Program &program, RunMode mode) {
    program::DeviceProgram device;
    codegen::GpuTarget target = emulatedTarget(&device);
    auto compiled = compiler::compileFor(target, source, {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    program = *std::move(compiled);
    auto loaded = DeviceExecutable::load(d, std::move(device), program, stream, mode, libraries);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return *std::move(loaded);
  }

  // The results with the libraries and without: those of the host's routines.
  std::pair<std::vector<Bytes>, std::vector<Bytes>> runBoth(const std::string &source, program::Program &program,
                                                            const std::vector<Literal> &inputs) {
    program::DeviceProgram device;
    codegen::GpuTarget target = emulatedTarget(&device);
    auto compiled = compiler::compileFor(target, source, {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    program = *std::move(compiled);
    std::pair<std::vector<Bytes>, std::vector<Bytes>> results;
    for (bool has : {true, false}) {
      auto loaded = DeviceExecutable::load(d, device, program, stream, RunMode::kGraphIfPossible,
                                           has ? libraries : DeviceLibraries());
      EXPECT_TRUE(loaded.ok()) << loaded.status().message();
      if (loaded.ok())
        (has ? results.first : results.second) = run(**loaded, program, inputs);
    }
    return results;
  }

  // What a run of kFactorsInALoop did.
  struct GraphRun {
    int32_t iterations;
    int64_t launches; // of graphs
    int factors;      // that the library was asked for
  };

  // Runs of different lengths, one after the other. Each gives what the host's walk gives, and changes one node at
  // most.
  std::vector<GraphRun> runFactorsInALoop() {
    program::Program program, other;
    auto walked = load(kFactorsInALoop, other, RunMode::kWalk);
    auto executable = load(kFactorsInALoop, program, RunMode::kGraphIfPossible);
    std::vector<GraphRun> runs;
    for (int32_t iterations : {0, 1, 2, 5, 6}) {
      std::vector<Bytes> expected = run(*walked, other, factorInputs(iterations));
      int factors = calls.factors;
      runtime::emulator::GraphCounts before = runtime::emulator::graphCounts();
      EXPECT_EQ(run(*executable, program, factorInputs(iterations)), expected) << iterations;
      runtime::emulator::GraphCounts after = runtime::emulator::graphCounts();
      EXPECT_LE(after.nodeUpdates, before.nodeUpdates + 1) << iterations;
      runs.push_back({iterations, after.graphLaunches - before.graphLaunches, calls.factors - factors});
    }
    return runs;
  }

  static std::vector<float> floats(const Bytes &bytes) {
    std::vector<float> numbers(bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

  DeviceLibraries libraries;
};

std::string factorProgram(char triangle) {
  return "func.func @main(%a: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>) {\n"
         "  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = " +
         std::to_string(int(triangle)) + R"( : ui8},
    operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
    result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[0]> : tensor<1xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,
      operand_tuple_indices = []>]} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2xi32> })";
}

// The second matrix has no factor: both say at which order.
TEST_F(EmulatedLibraries, HaveLapacksCholeskyFactors) {
  for (char triangle : {'L', 'U'}) {
    calls = {};
    program::Program program;
    std::vector<Literal> inputs;
    inputs.push_back(tools::makeArray({program::ElementType::kF32, {2, 3, 3}}, kMatrices.data()).ConsumeValueOrDie());
    auto [there, here] = runBoth(factorProgram(triangle), program, inputs);
    EXPECT_EQ(calls.factors, 2);
    EXPECT_EQ(calls.open, 0);
    ASSERT_EQ(there.size(), 2u);
    EXPECT_EQ(there[1], here[1]);
    std::vector<float> found = floats(there[0]), expected = floats(here[0]);
    for (size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-6) << triangle << ", element " << i;
  }
}

TEST_F(EmulatedLibraries, AreNodesOfGraphs) {
  for (const GraphRun &run : runFactorsInALoop()) {
    EXPECT_EQ(run.launches, 1);
    EXPECT_EQ(run.factors, run.iterations == 0 ? 6 : 0) << "captured when the graph is made, and not again";
  }
}

// One that waits for its stream is no node: it is called between graphs, and the host decides the loop.
TEST_F(EmulatedLibraries, ThatCannotBeCapturedAreCalledBetweenGraphs) {
  libraries.solver->potrf = [](void *handle, void *params, int fill, int64_t n, int type, void *a, int64_t lda,
                               int computeType, void *work, size_t bytes, void *host, size_t hostBytes, int *info) {
    auto *into = static_cast<StreamHandle *>(calls.stream);
    if (runtime::emulator::driver().streamSynchronize(into) != Result::kSuccess)
      return 7;
    return potrf(handle, params, fill, n, type, a, lda, computeType, work, bytes, host, hostBytes, info);
  };
  for (const GraphRun &run : runFactorsInALoop()) {
    EXPECT_GT(run.launches, 1);
    EXPECT_EQ(run.factors, 2 * (2 + run.iterations / 2));
  }
}

// Nor is what the host does.
TEST_F(EmulatedLibraries, OfTheHostAreCalledBetweenGraphs) {
  libraries = {};
  program::Program program, other;
  auto walked = load(kFactorsInALoop, other, RunMode::kWalk);
  auto executable = load(kFactorsInALoop, program, RunMode::kGraphIfPossible);
  for (int32_t iterations : {0, 1, 5, 6})
    EXPECT_EQ(run(*executable, program, factorInputs(iterations)), run(*walked, other, factorInputs(iterations)));
}

TEST_F(EmulatedLibraries, FailWithTheFunctionsName) {
  libraries.solver->potrfSizes = [](void *, void *, int, int64_t, int, const void *, int64_t, int, size_t *, size_t *) {
    return 7;
  };
  program::DeviceProgram device;
  codegen::GpuTarget target = emulatedTarget(&device);
  auto compiled = compiler::compileFor(target, factorProgram('L'), {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto loaded = DeviceExecutable::load(d, std::move(device), *compiled, stream, RunMode::kGraphIfPossible, libraries);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  DeviceAddress argument = allocate(72), result = allocate(72), info = allocate(8);
  const DeviceAddress arguments[] = {argument}, results[] = {result, info};
  EXPECT_THAT((*loaded)->run({arguments, results, {}}).message(),
              ::testing::HasSubstr("lapack_spotrf_ffi: cusolverDnXpotrf_bufferSize fails: error 7"));
  for (DeviceAddress memory : {argument, result, info})
    check(d.memFree(memory));
}

std::string transformProgram(const std::string &kind, const std::string &from, const std::string &to) {
  return "func.func @main(%a: tensor<" + from + ">) -> tensor<" + to + "> {\n  %0 = stablehlo.fft %a, type = " + kind +
         ", length = [6] : (tensor<" + from + ">) -> tensor<" + to + ">\n  return %0 : tensor<" + to + "> }";
}

TEST_F(EmulatedLibraries, TransformForwards) {
  for (auto [kind, from, to] :
       {std::tuple{"FFT", "2x6xcomplex<f32>", "2x6xcomplex<f32>"}, std::tuple{"RFFT", "2x6xf32", "2x4xcomplex<f32>"}}) {
    calls = {};
    program::Program program;
    std::vector<float> numbers(24);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = float(i % 7) - 2;
    const auto type = std::string(kind) == "FFT" ? program::ElementType::kComplexF32 : program::ElementType::kF32;
    std::vector<Literal> inputs;
    inputs.push_back(tools::makeArray({type, {2, 6}}, numbers.data()).ConsumeValueOrDie());
    auto [there, here] = runBoth(transformProgram(kind, from, to), program, inputs);
    EXPECT_EQ(calls.transforms, 1) << kind;
    EXPECT_EQ(calls.open, 0);
    std::vector<float> found = floats(there.at(0)), expected = floats(here.at(0));
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5) << kind << ", number " << i;
  }
}

TEST_F(EmulatedLibraries, LeaveInverseTransformsToTheHost) {
  program::Program program;
  std::vector<float> numbers(24, 1);
  std::vector<Literal> inputs;
  inputs.push_back(tools::makeArray({program::ElementType::kComplexF32, {2, 6}}, numbers.data()).ConsumeValueOrDie());
  auto [there, here] = runBoth(transformProgram("IFFT", "2x6xcomplex<f32>", "2x6xcomplex<f32>"), program, inputs);
  EXPECT_EQ(calls.transforms, 0);
  EXPECT_EQ(there, here);
}

} // namespace

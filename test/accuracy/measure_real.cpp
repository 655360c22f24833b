// Real functions. Codes of 16 bits or fewer are all tried, each against MPFR. Of float, samples or all 2^32 values are
// held against double, and MPFR decides where an error is larger than all before, or the class is wrong. Of double, and
// of two arguments, samples go through MPFR.
#include "test/accuracy/error.h"
#include "test/accuracy/kernels.h"
#include "test/accuracy/measure.h"
#include "test/accuracy/samples.h"

#include <bit>

namespace tenon::accuracy {
namespace {

constexpr size_t kBlock = 1 << 14;

// Elements whose bits differ, NaN being like NaN.
uint64_t countDifferences(const Format &format, const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) {
  if (a == b)
    return 0;
  uint64_t differences = 0;
  for (size_t i = 0; i < a.size(); i += format.bytes) {
    if (std::memcmp(&a[i], &b[i], format.bytes) == 0)
      continue;
    uint64_t codeA = 0, codeB = 0;
    std::memcpy(&codeA, &a[i], format.bytes);
    std::memcpy(&codeB, &b[i], format.bytes);
    differences += !(std::isnan(format.decode(codeA)) && std::isnan(format.decode(codeB)));
  }
  return differences;
}

// Results of the best level; the others are compared with it.
std::vector<uint8_t> runLevels(const Kernels &kernels, const Format &format, const std::vector<const void *> &inputs,
                               size_t elements, Statistics &statistics) {
  std::vector<uint8_t> results(elements * format.bytes), others(results.size());
  (*kernels[0])(inputs, results.data(), elements);
  for (size_t level = 1; level < kernels.size(); ++level) {
    (*kernels[level])(inputs, others.data(), elements);
    statistics.levelDifferences += countDifferences(format, results, others);
  }
  return results;
}

uint64_t codeAt(const Format &format, const uint8_t *bytes, size_t i) {
  uint64_t code = 0;
  std::memcpy(&code, bytes + i * format.bytes, format.bytes);
  return code;
}

double exactError(const UnaryFunction &function, const Format &format, double x, double got) {
  Real argument(x, 53), exact;
  function.exact(exact, argument);
  return errorInUlp(format, got, exact);
}

Record measureAgainstMpfr(const UnaryFunction &function, const Format &format, const Kernels &kernels,
                          const std::vector<uint8_t> &codes, unsigned threads) {
  size_t count = codes.size() / format.bytes, block = std::min(kBlock, size_t(256));
  auto body = [&](Statistics &statistics, size_t index) {
    const uint8_t *in = codes.data() + index * block * format.bytes;
    size_t elements = std::min(block, count - index * block);
    std::vector<uint8_t> results = runLevels(kernels, format, {in}, elements, statistics);
    for (size_t i = 0; i < elements; ++i) {
      double x = format.decode(codeAt(format, in, i)), got = format.decode(codeAt(format, results.data(), i));
      statistics.add(exactError(function, format, x, got), {x});
    }
  };
  return measureBlocks(function.op, format.name, (count + block - 1) / block, threads, body);
}

// Errors below this need not be known better than a double can tell.
constexpr double kCertain = 0.4;

// The double reference decides but where the error would be the largest so far, or the class is wrong.
void addFloats(const UnaryFunction &function, const Format &format, const float *in, const float *results,
               size_t elements, Statistics &statistics) {
  std::vector<double> x(in, in + elements), exact;
  x.resize((elements + 3) / 4 * 4);
  exact.resize(x.size());
  function.fast(x.data(), exact.data(), x.size());
  for (size_t i = 0; i < elements; ++i) {
    double error = errorInUlp(results[i], exact[i]);
    if (error > std::max(statistics.maxUlp, kCertain))
      error = exactError(function, format, x[i], results[i]);
    statistics.add(error, {x[i]});
  }
}

Record measureFloats(const UnaryFunction &function, const Format &format, const Kernels &kernels,
                     const std::vector<float> &samples, unsigned threads) {
  auto body = [&](Statistics &statistics, size_t index) {
    const float *in = samples.data() + index * kBlock;
    size_t elements = std::min(kBlock, samples.size() - index * kBlock);
    std::vector<float> results =
        codegen::testing::fromBytes<float>(runLevels(kernels, format, {in}, elements, statistics));
    addFloats(function, format, in, results.data(), elements, statistics);
  };
  return measureBlocks(function.op, format.name, (samples.size() + kBlock - 1) / kBlock, threads, body);
}

// The negative half of a symmetric function is held against the positive. Without vectors of 256 bits x86-64 is slow
// (no fused multiply-add): it runs every 256th block.
Record measureAllFloats(const UnaryFunction &function, const Format &format, const Kernels &kernels, unsigned threads) {
  constexpr size_t kBlocks = (size_t(1) << 32) / kBlock, kSparse = 256;
  bool symmetric = function.symmetry != Symmetry::kNone;
  auto body = [&](Statistics &statistics, size_t index) {
    std::vector<float> in(kBlock), results(kBlock), others(kBlock);
    auto fill = [&](uint32_t mask) {
      for (size_t i = 0; i < kBlock; ++i)
        in[i] = std::bit_cast<float>(uint32_t(index * kBlock + i) & mask);
    };
    fill(0xffffffff);
    (*kernels[0])({in.data()}, results.data(), kBlock);
    auto compare = [&](bool negated) {
      uint64_t differences = 0;
      for (size_t i = 0; i < kBlock; ++i)
        differences += !sameBits(results[i], negated ? -others[i] : others[i]);
      return differences;
    };
    for (size_t level = 1; level < kernels.size(); ++level) {
      if (supportedLevels()[level].vectorBits < 256 && index % kSparse)
        continue;
      (*kernels[level])({in.data()}, others.data(), kBlock);
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are what is compared
      if (std::memcmp(results.data(), others.data(), kBlock * sizeof(float)) != 0)
        statistics.levelDifferences += compare(false);
    }
    if (symmetric && index >= kBlocks / 2) {
      fill(0x7fffffff);
      (*kernels[0])({in.data()}, others.data(), kBlock);
      if (compare(function.symmetry == Symmetry::kOdd) == 0) {
        statistics.count += kBlock;
        return;
      }
      fill(0xffffffff);
    }
    addFloats(function, format, in.data(), results.data(), kBlock, statistics);
  };
  Record record = measureBlocks(function.op, format.name, kBlocks, threads, body);
  record.exhaustive = true;
  return record;
}

template <typename T> std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  return codegen::testing::toBytes(values);
}

// Codes of the values, rounded to the format.
std::vector<uint8_t> encodeAll(const Format &format, const std::vector<float> &values) {
  std::vector<uint8_t> bytes(values.size() * format.bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t code = format.encode(values[i]);
    std::memcpy(&bytes[i * format.bytes], &code, format.bytes);
  }
  return bytes;
}

std::vector<uint8_t> everyCode(const Format &format, size_t stride) {
  size_t count = (size_t(1) << format.bits) / stride;
  std::vector<uint8_t> bytes(count * format.bytes);
  for (size_t i = 0; i < count; ++i) {
    uint64_t code = i * stride;
    std::memcpy(&bytes[i * format.bytes], &code, format.bytes);
  }
  return bytes;
}

} // namespace

Record measureUnary(const UnaryFunction &function, const Format &format, const Effort &effort) {
  Kernels kernels = compileKernels(function.op, format.name, format.bits, 1, effort.allLevels);
  if (format.name == "f64")
    return measureAgainstMpfr(function, format, kernels,
                              bytesOf(hardSamples<double>(function.range, effort.exactSamples)), effort.threads);
  if (format.name == "f32" && effort.allFloats)
    return measureAllFloats(function, format, kernels, effort.threads);
  if (format.name == "f32")
    return measureFloats(function, format, kernels, hardSamples<float>(function.range, effort.floatSamples),
                         effort.threads);
  size_t stride = format.bits == 16 ? effort.codeStride : 1;
  Record record = measureAgainstMpfr(function, format, kernels, everyCode(format, stride), effort.threads);
  record.exhaustive = stride == 1;
  return record;
}

Record measureBinary(const BinaryFunction &function, const Format &format, const Effort &effort) {
  Kernels kernels = compileKernels(function.op, format.name, format.bits, 2, effort.allLevels);
  std::vector<uint8_t> x, y;
  if (format.name == "f64") {
    auto pairs = pairSamples<double>(function.rangeX, function.rangeY, effort.exactSamples);
    x = bytesOf(pairs.first);
    y = bytesOf(pairs.second);
  } else {
    auto pairs = pairSamples<float>(function.rangeX, function.rangeY, effort.exactSamples);
    x = encodeAll(format, pairs.first);
    y = encodeAll(format, pairs.second);
  }
  size_t count = x.size() / format.bytes, block = 256;
  auto body = [&](Statistics &statistics, size_t index) {
    const uint8_t *a = x.data() + index * block * format.bytes, *b = y.data() + index * block * format.bytes;
    size_t elements = std::min(block, count - index * block);
    std::vector<uint8_t> results = runLevels(kernels, format, {a, b}, elements, statistics);
    Real exact;
    for (size_t i = 0; i < elements; ++i) {
      double u = format.decode(codeAt(format, a, i)), v = format.decode(codeAt(format, b, i));
      function.exact(exact, Real(u, 53), Real(v, 53));
      statistics.add(errorInUlp(format, format.decode(codeAt(format, results.data(), i)), exact), {u, v});
    }
  };
  return measureBlocks(function.op, format.name, (count + block - 1) / block, effort.threads, body);
}

} // namespace tenon::accuracy

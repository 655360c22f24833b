// Random bits. THREE_FRY and PHILOX give the bits that XLA gives, which the specification leaves to implementations
// but programs compare against. DEFAULT is PHILOX.
#include "tenon/interpreter/ops.h"

#include <array>
#include <cmath>
#include <numbers>

namespace tenon::interpreter {
namespace {

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

Words2 wordsOf(uint64_t value) { return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}; }

// Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
Words2 threeFry(Words2 key, Words2 counter) {
  static constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  uint32_t x = counter[0] + keys[0], y = counter[1] + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x += y;
      y = (y << rotation | y >> (32 - rotation)) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

// Philox-4x32 with 10 rounds.
Words4 philox(Words2 key, Words4 c) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p = uint64_t{0xD2511F53} * c[0], q = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(q >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(q),
         static_cast<uint32_t>(p >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return c;
}

// Philox from a 128-bit counter, block by block.
class PhiloxStream {
public:
  PhiloxStream(uint64_t key, uint64_t low, uint64_t high) : key_(wordsOf(key)), low_(low), high_(high) {}
  uint32_t next() {
    if (used_ == 4) {
      Words2 l = wordsOf(low_), h = wordsOf(high_);
      block_ = philox(key_, {l[0], l[1], h[0], h[1]});
      high_ += ++low_ == 0;
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t next64() {
    uint64_t low = next();
    return low | static_cast<uint64_t>(next()) << 32;
  }
  // The counter of the first block that was not touched.
  uint64_t low() const { return low_; }
  uint64_t high() const { return high_; }

private:
  Words2 key_;
  uint64_t low_, high_;
  Words4 block_{};
  int used_ = 4;
};

// Types narrower than 32 bits take the low bits of a 32-bit draw.
void fillPhilox(Tensor &output, std::vector<uint64_t> &state) {
  bool wide = bitWidth(output.elementType()) == 64;
  // A state of two words repeats the key in the counter's upper half.
  PhiloxStream stream(state[0], state[1], state.size() > 2 ? state[2] : state[0]);
  for (int64_t i = 0; i < output.size(); ++i)
    output.set(i, fromBits(output.elementType(), wide ? stream.next64() : stream.next()));
  state[1] = stream.low();
  if (state.size() > 2)
    state[2] = stream.high();
}

// 64-bit elements take both words of their own counter. Others halve the first even dimension (else the largest,
// rounded up): a counter gives one element of each half, which alternate along that dimension.
void fillThreeFry(Tensor &output, std::vector<uint64_t> &state) {
  ElementType type = output.elementType();
  Words2 key = wordsOf(state[0]);
  if (bitWidth(type) == 64) {
    for (int64_t i = 0; i < output.size(); ++i) {
      Words2 words = threeFry(key, wordsOf(state[1] + static_cast<uint64_t>(i)));
      output.set(i, fromBits(type, words[0] | static_cast<uint64_t>(words[1]) << 32));
    }
    state[1] += static_cast<uint64_t>(output.size());
    return;
  }
  Dims half(output.shape());
  size_t split = half.size();
  for (size_t d = 0; d < half.size() && split == half.size(); ++d)
    if (half[d] % 2 == 0)
      split = d;
  if (split == half.size())
    for (size_t d = 0; d < half.size(); ++d)
      if (split == half.size() || half[d] > half[split])
        split = d;
  if (!half.empty())
    half[split] = (half[split] + 1) / 2;
  forEachIndex(half, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    Words2 words = threeFry(key, wordsOf(state[1] + static_cast<uint64_t>(position)));
    Dims at(index);
    if (at.empty()) {
      output.set(0, fromBits(type, words[0]));
      return;
    }
    for (int part = 0; part < 2; ++part) {
      at[split] = 2 * index[split] + part;
      if (at[split] < output.dim(split))
        output.set(output.positionOf(at), fromBits(type, words[part]));
    }
  });
  state[1] += static_cast<uint64_t>(*countElements(half));
}

double uniformUnit(PhiloxStream &stream) { return static_cast<double>(stream.next64() >> 11) * 0x1p-53; }

Scalar drawUniform(ElementType type, Scalar low, Scalar high, PhiloxStream &stream) {
  if (isFloat(type)) {
    if (!(low.f < high.f))
      return low;
    Scalar value = normalize(type, Scalar::ofFloat(low.f + (high.f - low.f) * uniformUnit(stream)));
    // Rounding may reach the excluded end.
    return value.f < high.f ? value : low;
  }
  bool isSigned = kindOf(type) == ElementKind::kSigned;
  if (isSigned ? low.i >= high.i : low.u >= high.u)
    return low;
  uint64_t range = high.u - low.u;
  return Scalar::ofUnsigned(low.u + stream.next64() % range);
}

// Box-Muller.
double drawNormal(PhiloxStream &stream) {
  double u = 1 - uniformUnit(stream), v = uniformUnit(stream);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

} // namespace

LogicalResult evaluate(stablehlo::RngBitGeneratorOp op, Invocation &call) {
  const Tensor &initial = call.tensor(0);
  std::vector<uint64_t> state(initial.size());
  for (int64_t i = 0; i < initial.size(); ++i)
    state[i] = initial.get(i).u;
  bool threeFry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  if (initial.elementType() != ElementType::kUI64 || state.size() < 2 || state.size() > (threeFry ? 2U : 3U))
    return call.fail(threeFry ? "THREE_FRY needs a state of two ui64" : "PHILOX needs a state of two or three ui64");
  auto type = llvm::cast<mlir::ShapedType>(op.getOutput().getType());
  if (!type.hasStaticShape())
    return call.fail("the shape of the output must be static");
  llvm::FailureOr<Tensor> output = call.make(type.getShape(), call.elementOf(1));
  if (llvm::failed(output))
    return llvm::failure();
  if (threeFry)
    fillThreeFry(*output, state);
  else
    fillPhilox(*output, state);
  Tensor next(initial.shape(), call.elementOf(0));
  for (size_t i = 0; i < state.size(); ++i)
    next.set(static_cast<int64_t>(i), Scalar::ofUnsigned(state[i]));
  (void)call.yield(next);
  return call.yield(*output);
}

// An empty interval gives its lower end. Draws are a function of the seed and of how many rng ops ran before.
LogicalResult evaluate(stablehlo::RngOp op, Invocation &call) {
  Dims shape;
  for (int64_t i = 0; i < call.tensor(2).size(); ++i)
    shape.push_back(call.tensor(2).intAt(i));
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  Scalar a = call.tensor(0).get(0), b = call.tensor(1).get(0);
  bool normal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  if (normal && !isFloat(result->elementType()))
    return call.fail("a normal distribution needs a floating-point type");
  PhiloxStream stream(call.evaluator().options().seed, 0, call.evaluator().nextRandomStream());
  for (int64_t i = 0; i < result->size(); ++i)
    result->set(i, normal ? Scalar::ofFloat(a.f + b.f * drawNormal(stream))
                          : drawUniform(result->elementType(), a, b, stream));
  return call.yield(*result);
}

} // namespace tenon::interpreter

#include "tenon/runtime/core/relayout.h"

#include "tenon/runtime/core/custom_call_memory.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/support/strides.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <random>

namespace tenon::runtime {
namespace {

using program::ElementType;
using program::RuntimeCall;
using testing::ElementsAre;

// Element by element, from the definition of a layout.
std::vector<uint8_t> reference(const std::vector<uint8_t> &from, size_t elementBytes, const std::vector<int64_t> &dims,
                               const std::vector<int64_t> &minorToMajor) {
  std::vector<uint8_t> to(from.size());
  int64_t count = int64_t(from.size() / elementBytes);
  for (int64_t linear = 0; linear < count; ++linear) {
    std::vector<int64_t> index(dims.size());
    int64_t rest = linear;
    for (size_t i = dims.size(); i-- > 0; rest /= dims[i])
      index[i] = rest % dims[i];
    int64_t offset = 0, stride = 1;
    for (int64_t dim : minorToMajor) {
      offset += index[size_t(dim)] * stride;
      stride *= dims[size_t(dim)];
    }
    std::memcpy(&to[size_t(offset) * elementBytes], &from[size_t(linear) * elementBytes], elementBytes);
  }
  return to;
}

TEST(Relayout, AgreesWithTheDefinition) {
  ThreadPool pool(3);
  std::mt19937 random(1);
  const std::vector<std::vector<int64_t>> shapes = {
      {},         {5},        {1, 7}, {33, 17},  {2, 5, 5},      {3, 1, 4}, {2, 3, 4, 5},
      {300, 257}, {16, 1000}, {0, 4}, {1000, 2}, {4, 40, 3, 20}, {1, 1, 1}};
  for (const auto &dims : shapes) {
    std::vector<int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      for (size_t elementBytes : {1, 2, 4, 8, 16}) {
        size_t bytes = elementBytes;
        for (int64_t dim : dims)
          bytes *= size_t(dim);
        std::vector<uint8_t> from(bytes), to(bytes), back(bytes);
        for (uint8_t &byte : from)
          byte = uint8_t(random());
        relayout(from.data(), to.data(), elementBytes, dims, order, RelayoutDirection::kFromRowMajor, pool);
        ASSERT_EQ(to, reference(from, elementBytes, dims, order));
        relayout(to.data(), back.data(), elementBytes, dims, order, RelayoutDirection::kToRowMajor, pool);
        ASSERT_EQ(back, from);
        if (isRowMajor(dims, order))
          ASSERT_EQ(to, from);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(Relayout, Checks) {
  std::vector<int64_t> dims = {2, 1, 3};
  EXPECT_TRUE(isRowMajor(dims, std::vector<int64_t>{2, 1, 0}));
  EXPECT_TRUE(isRowMajor(dims, std::vector<int64_t>{1, 2, 0}));
  EXPECT_FALSE(isRowMajor(dims, std::vector<int64_t>{0, 1, 2}));
  EXPECT_TRUE(isRowMajor(dims, {}));
  EXPECT_TRUE(isPermutation(std::vector<int64_t>{1, 0}, 2));
  EXPECT_FALSE(isPermutation(std::vector<int64_t>{1, 1}, 2));
  EXPECT_FALSE(isPermutation(std::vector<int64_t>{0, 2}, 2));
  EXPECT_FALSE(isPermutation(std::vector<int64_t>{0, -1}, 2));
  EXPECT_FALSE(isPermutation(std::vector<int64_t>{0}, 2));
}

RuntimeCall matrixCall() {
  RuntimeCall runtimeCall;
  runtimeCall.kind = RuntimeCall::Kind::kCustomCall;
  runtimeCall.target = "test";
  runtimeCall.operands = {{ElementType::kI32, {2, 3}}, {ElementType::kI32, {2}}};
  runtimeCall.results = {{ElementType::kI32, {2, 3}}};
  return runtimeCall;
}

TEST(AdaptMemory, TransposesAndAliases) {
  ThreadPool pool(1);
  RunOptions options;
  int32_t a[6] = {1, 2, 3, 4, 5, 6}, b[2] = {10, 20}, out[6] = {};
  void *operands[] = {a, b}, *results[] = {out};
  auto run = [&](const RuntimeCall &runtimeCall, std::function<Status(const CallBuffers &)> body) {
    auto adapted = adaptMemory(makeRuntimeCall(std::move(body)), runtimeCall);
    EXPECT_TRUE(adapted.ok()) << adapted.status().message();
    Status status = (*adapted)->call({operands, results, options, pool});
    EXPECT_TRUE(status.ok()) << status.message();
  };

  // Column-major operand and result.
  RuntimeCall runtimeCall = matrixCall();
  runtimeCall.operandLayouts = {{0, 1}, {}};
  runtimeCall.resultLayouts = {{0, 1}};
  run(runtimeCall, [&](const CallBuffers &call) {
    const int32_t *in = static_cast<const int32_t *>(call.operands[0]);
    EXPECT_THAT(std::vector<int32_t>(in, in + 6), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_EQ(call.operands[1], b);
    std::memcpy(call.results[0], in, 24);
    return Status();
  });
  EXPECT_THAT(out, ElementsAre(1, 2, 3, 4, 5, 6));

  // The same, in place.
  runtimeCall.aliases = {{0, 0}};
  run(runtimeCall, [&](const CallBuffers &call) {
    EXPECT_EQ(call.operands[0], call.results[0]);
    static_cast<int32_t *>(call.results[0])[1] = 40; // row 1, column 0
    return Status();
  });
  EXPECT_THAT(out, ElementsAre(1, 2, 3, 40, 5, 6));
  EXPECT_THAT(a, ElementsAre(1, 2, 3, 4, 5, 6));

  // An alias without layouts.
  runtimeCall.operandLayouts = runtimeCall.resultLayouts = {};
  run(runtimeCall, [&](const CallBuffers &call) {
    EXPECT_EQ(call.operands[0], out);
    static_cast<int32_t *>(call.results[0])[0] += 100;
    return Status();
  });
  EXPECT_THAT(out, ElementsAre(101, 2, 3, 4, 5, 6));
}

TEST(AdaptMemory, RefusesNonsense) {
  auto refuses = [](auto change) {
    RuntimeCall runtimeCall = matrixCall();
    change(runtimeCall);
    EXPECT_FALSE(adaptMemory(makeRuntimeCall([](const CallBuffers &) { return Status(); }), runtimeCall).ok());
  };
  refuses([](RuntimeCall &s) { s.operandLayouts = {{0, 0}}; });
  refuses([](RuntimeCall &s) { s.operandLayouts = {{0}}; });
  refuses([](RuntimeCall &s) { s.aliases = {{0, 1}}; });
  refuses([](RuntimeCall &s) { s.aliases = {{1, 0}}; });
  refuses([](RuntimeCall &s) {
    s.aliases = {{0, 0}};
    s.resultLayouts = {{0, 1}};
  });
}

} // namespace
} // namespace tenon::runtime

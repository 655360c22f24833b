#include "tenon/codegen/llvm/loop/test/scatter_testing.h"

#include "tenon/codegen/llvm/loop/test/sum_testing.h"
#include "tenon/interpreter/interpreter.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

namespace tenon::codegen::testing {

std::string scatter(const std::string &op, const std::string &numbers, const std::string &element, const std::string &t,
                    const std::string &i, const std::string &u) {
  std::string scalar = "tensor<" + element + ">", result = "tensor<" + t + element + ">",
              types = result + ", tensor<" + i + ">, tensor<" + u + element + ">";
  return "func.func @main(%t: " + result + ", %i: tensor<" + i + ">, %u: tensor<" + u + element + ">) -> " + result +
         " {\n%r = \"stablehlo.scatter\"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<" + numbers +
         ">}> ({\n^bb0(%p: " + scalar + ", %q: " + scalar + "):\n%0 = stablehlo." + op + " %p, %q : " + scalar +
         "\nstablehlo.return %0 : " + scalar + "\n}) : (" + types + ") -> " + result + "\nreturn %r : " + result +
         "\n}";
}

Bytes bytesOf(const std::vector<int32_t> &values) {
  Bytes bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Bit for bit, but for NaN.
static bool isSame(const interpreter::Tensor &expected, const Bytes &actual) {
  auto got = interpreter::Tensor::fromBytes(expected.type(), actual);
  if (!got.ok())
    return false;
  if (!isFloat(expected.elementType()) && !isComplex(expected.elementType()))
    return expected.bytes() == got->bytes();
  for (int64_t i = 0; i < expected.size(); ++i) {
    interpreter::Scalar a = expected.get(i), b = got->get(i);
    bool complex = isComplex(expected.elementType());
    auto same = [](double x, double y) {
      return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
    };
    if (complex ? !same(a.c.re, b.c.re) || !same(a.c.im, b.c.im) : !same(a.f, b.f))
      return false;
  }
  return true;
}

void checkInterpreted(const std::string &text, llvm::function_ref<void(std::vector<Bytes> &inputs)> change,
                      llvm::function_ref<void(const LoopKernel &)> look) {
  for (const codegen::CpuTarget *target : sumTargets()) {
    LoopKernel kernel(text, *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error << "\n" << text;
    if (look)
      look(kernel);
    std::vector<Bytes> inputs = kernel.randomInputs(3);
    if (change)
      change(inputs);
    std::vector<interpreter::Value> values;
    for (auto [input, type] : llvm::zip(inputs, kernel.op->getOperandTypes()))
      values.emplace_back(*interpreter::Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(type), input));
    auto expected = interpreter::interpretOp(kernel.op, values);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_EQ(expected->size(), kernel.op->getNumResults());
    for (int64_t piece : {0, 1, 2})
      for (auto [value, bytes] : llvm::zip(*expected, kernel.run(inputs, piece)))
        EXPECT_TRUE(isSame(value.tensor(), bytes)) << text;
    // A phase may have several threads where the ones before had one.
    if (kernel.kernel.phases.size() > 1)
      for (int64_t lastPiece : {1, 3})
        for (auto [value, bytes] : llvm::zip(*expected, kernel.run(inputs, 0, lastPiece)))
          EXPECT_TRUE(isSame(value.tensor(), bytes)) << text;
  }
}

} // namespace tenon::codegen::testing

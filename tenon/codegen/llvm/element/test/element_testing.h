// Runs one op over arrays of elements, as a loop of emitElementwise or emitScalarRegion: for tests.
#pragma once

#include "tenon/codegen/llvm/testing/jit.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tenon::codegen::testing {

using Bytes = std::vector<uint8_t>;

template <typename T> Bytes toBytes(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T> std::vector<T> fromBytes(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

mlir::MLIRContext &elementContext();

// Native code of one op (or, asRegion, of a region of several): `body` and `types` as for runElementwise. Any number of
// threads may call it.
class ElementKernel {
public:
  ElementKernel(const std::string &body, const std::vector<std::string> &types, const std::string &resultType,
                unsigned lanes, bool asRegion = false, const std::string &cpu = {});
  // Whole vectors, then the rest one by one.
  void operator()(const std::vector<const void *> &inputs, void *output, int64_t elements) const;
  int64_t inputBytes() const { return inputBytes_; } // of an element of the first input
  int64_t outputBytes() const { return outputBytes_; }
  // Calls of functions of the module, in the loop over vectors and in that over the rest.
  unsigned calls() const { return calls_; }
  // Instructions in both loops.
  unsigned operations() const { return operations_; }

private:
  std::unique_ptr<Jit> jit_;
  void (*function_)(const void *const *buffers, int64_t elements, int64_t inVectors) = nullptr;
  unsigned lanes_, calls_, operations_;
  int64_t inputBytes_, outputBytes_;
};

// `body` is one op that defines %r from %0, %1, ...: `%r = stablehlo.add %0, %1 : tensor<i8>`. `types` are the element
// types of %0, %1, ..., `resultType` that of %r. All arrays have the same number of elements, any number.
Bytes runElementwise(const std::string &body, const std::vector<std::string> &types, const std::string &resultType,
                     const std::vector<Bytes> &inputs, unsigned lanes);

// The same with a region of several ops that ends in `stablehlo.return %r`.
Bytes runRegion(const std::string &body, const std::vector<std::string> &types, const std::string &resultType,
                const std::vector<Bytes> &inputs, unsigned lanes);

// `%r = <name> %0, %1 : tensor<type>`, operands and result of one type.
std::string uniformOp(const std::string &name, const std::string &type, int operands);
Bytes runBinary(const std::string &name, const std::string &type, const Bytes &a, const Bytes &b, unsigned lanes);
Bytes runUnary(const std::string &name, const std::string &type, const Bytes &a, unsigned lanes);
Bytes runConvert(const std::string &from, const std::string &to, const Bytes &a, unsigned lanes);

// Whether isElementwiseSupported says so.
bool isSupported(const std::string &body, const std::vector<std::string> &types, const std::string &resultType);

} // namespace tenon::codegen::testing

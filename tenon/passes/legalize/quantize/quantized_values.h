// Quantized element types as numbers, and the specification's `quantize` and `dequantize` as ops on the integers that
// quantized values are stored in. Step for step as in the interpreter (tenon/interpreter/quantize.cpp).
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace tenon::passes {

bool isQuantized(mlir::Type tensor);

// How the values of one tensor are quantized: with one scale and zero point, or one for each index along `axis`.
struct Quantization {
  // The tensor's element type must be quantized.
  explicit Quantization(mlir::RankedTensorType tensor);

  static mlir::IntegerType storageOf(mlir::quant::QuantizedType type);

  // The largest distance of a stored integer from its zero point, over everything that the storage can hold.
  int64_t maxDifference() const;
  bool hasZeroPoint() const;
  // Whether stored integers must be clipped to [low, high].
  bool isNarrowed() const;
  // Whether dequantizing and quantizing again gives back every stored integer (clipped), and dequantizing keeps their
  // order: then choosing and comparing need no arithmetic on expressed values.
  bool isFaithful() const;
  // Whether dequantizing rounds nothing.
  bool dequantizesExactly() const;

  mlir::FloatType expressed;
  mlir::IntegerType storage;
  llvm::SmallVector<double, 1> scales; // as rounded to the expressed type
  llvm::SmallVector<int64_t, 1> zeroPoints;
  int64_t axis = 0; // where there are several
  int64_t low, high;
};

// The bits from the first to the last that is set in the significand.
unsigned significantBits(double value);

// Builds ops at one place. Quantized values and their stored integers are connected by unrealized_conversion_cast,
// which goes when the pass gives all values their storage types.
class QuantizedValues {
public:
  QuantizedValues(mlir::OpBuilder &builder, mlir::Location loc) : builder_(builder), loc_(loc) {}

  mlir::Value stored(mlir::Value quantized);
  mlir::Value fromStored(mlir::Value storage, mlir::RankedTensorType type);
  mlir::Value dequantize(mlir::Value quantized);
  // `real` may be of another floating-point type than the one that `type` expresses.
  mlir::Value quantize(mlir::Value real, mlir::RankedTensorType type);

  // The stored integers less their zero points, in a type that holds the difference.
  mlir::Value differences(mlir::Value quantized, mlir::IntegerType element);
  mlir::Value clip(mlir::Value storage, const Quantization &quantization);

  mlir::Value convert(mlir::Value value, mlir::Type element);
  // The one value everywhere, or value i at every index i along `axis`.
  mlir::Value broadcastTo(llvm::ArrayRef<double> values, mlir::RankedTensorType type, int64_t axis = 0);
  template <typename Op> mlir::Value binary(mlir::Value a, mlir::Value b) {
    return Op::create(builder_, loc_, a.getType(), a, b);
  }

private:
  mlir::Value cast(mlir::Value value, mlir::Type type);

  mlir::OpBuilder &builder_;
  mlir::Location loc_;
};

} // namespace tenon::passes

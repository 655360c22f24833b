// Random bits as ops: integer arithmetic on arrays of counters. The generators are those of the interpreter
// (tenon/interpreter/rng.cpp): Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3").
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"

namespace tenon::passes {

// Arithmetic on rank-1 arrays of one length, of ui64 (wide) and ui32 (narrow).
class CounterRng {
public:
  CounterRng(mlir::OpBuilder &builder, mlir::Location loc, int64_t count);

  mlir::RankedTensorType type(unsigned bits, llvm::ArrayRef<int64_t> shape);
  mlir::Value constant(mlir::RankedTensorType type, uint64_t value);
  template <typename Op> mlir::Value binary(mlir::Value a, mlir::Value b) {
    return Op::create(builder, loc, a.getType(), a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return binary<stablehlo::AddOp>(a, b); }
  mlir::Value convert(mlir::Value value, mlir::RankedTensorType to) {
    return stablehlo::ConvertOp::create(builder, loc, to, value);
  }
  // low | high << 32
  mlir::Value join(mlir::Value lowWord, mlir::Value highWord);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  // The first elements in each dimension.
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> limit);
  // A scalar, or element i of a vector, in every element.
  mlir::Value broadcastTo(mlir::Value scalar);
  mlir::Value broadcastTo(mlir::Value vector, int64_t i);
  mlir::Value positions() { return stablehlo::IotaOp::create(builder, loc, wide, 0); }
  // One array [count, parts], row-major: the parts of each position side by side.
  mlir::Value interleave(llvm::ArrayRef<mlir::Value> parts);

  // The generators, a block for each counter.
  std::pair<mlir::Value, mlir::Value> threeFry(mlir::Value key, mlir::Value counter);
  llvm::SmallVector<mlir::Value, 4> philox(mlir::Value key, mlir::Value counterLow, mlir::Value counterHigh);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType wide, narrow;

private:
  mlir::Value constant32(uint32_t value) { return constant(narrow, value); }
  mlir::Value exclusiveOr(mlir::Value a, mlir::Value b) { return binary<stablehlo::XorOp>(a, b); }
  mlir::Value low(mlir::Value word64) { return convert(word64, narrow); }
  mlir::Value high(mlir::Value word64);
  mlir::Value rotate(mlir::Value word, uint32_t by);
};

} // namespace tenon::passes

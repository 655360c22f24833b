// What rng_bit_generator gives, as arithmetic on counters (counter_rng.h). Which counter gives which element is as in
// the interpreter (tenon/interpreter/rng.cpp), and in XLA: so any part of the output can be made without the rest of
// it.
#pragma once

#include "tenon/passes/legalize/decompose/counter_rng.h"

namespace tenon::passes {

/// A box of an array: its size and, in each dimension, where it begins (i32). No value: at 0, and then the box is as
/// large as the array there. It may reach behind the array's end, where elements are of any value.
struct ArrayPart {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<mlir::Value> starts;
};

class RandomBits {
public:
  /// Whether the op's state and output are of types that it is defined for, and static.
  static bool isDefinedFor(stablehlo::RngBitGeneratorOp op);

  /// `state` is the op's initial one.
  RandomBits(mlir::OpBuilder &builder, stablehlo::RngBitGeneratorOp op, mlir::Value state);

  /// All of the output, and a part of it.
  mlir::Value all();
  mlir::Value part(const ArrayPart &part);
  mlir::Value nextState();

private:
  bool isWide() const { return output_.getElementTypeBitWidth() == 64; }
  int64_t perBlock() const { return isWide() ? 2 : 4; } // elements that a block of Philox has
  unsigned splitDimension() const;
  llvm::SmallVector<int64_t> halfShape() const;
  int64_t counterCount() const;

  mlir::Value threeFry(const ArrayPart &part);
  mlir::Value philox(const ArrayPart &part);
  mlir::Value philoxRuns(const ArrayPart &part, unsigned last);
  mlir::Value philoxBlocks(mlir::Value positions);
  mlir::Value positions(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                        llvm::ArrayRef<mlir::Value> starts);
  mlir::Value slice(mlir::Value value, unsigned dimension, int64_t start, int64_t size);
  mlir::Value shifted(mlir::Value value, unsigned dimension, mlir::Value by, int64_t choices, int64_t size);
  mlir::Value carry(CounterRng &words, mlir::Value sum, mlir::Value before);
  mlir::Value converted(mlir::Value value, mlir::RankedTensorType to);
  mlir::Value ofType(mlir::Value bits, mlir::RankedTensorType type);

  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  mlir::RankedTensorType output_;
  mlir::Value state_;
  bool isThreeFry_;
};

} // namespace tenon::passes

// Rows of scores as a part of an attention's kernel: they read arrays as large as the scores from the worker's scratch
// memory, and leave what they make of them there, row after row in the order of the scores.
#pragma once

#include "tenon/codegen/kernel/product_target.h"
#include "tenon/codegen/llvm/loop/row_reduction.h"

namespace tenon::codegen {

struct RowsPart {
  mlir::Operation *op = nullptr;
  KernelSource source;
  loop::RowKernelPlan plan;
  // How far apart the indices of each kept dimension of `plan` are in the scores' order of rows.
  llvm::SmallVector<int64_t> rowStrides;
  // Steps of the rows' dimensions: in their first result as it is declared, in scratch memory.
  struct Stride {
    int64_t result, scratch, extent;
  };
  llvm::SmallVector<Stride> strides;

  // The stride in scratch memory that belongs to one in the rows' result.
  int64_t strideInScratch(int64_t stride) const;
  // Whether the first result lies in scratch memory as it is declared, as the others do.
  bool isInOrder() const;
  // Whether a result may take the place of the argument's elements.
  bool mayReplace(mlir::Value argument, unsigned result = 0) const;
  const std::string &symbol() const { return plan.kernel.phases[0].symbol; }
};

// A fusion of rows of which `scores` is the argument that says how they lie: `rowCount` rows of `keys` elements. None
// where they are not read row by row, where another result than the first one lies in another order, or where there is
// no such part.
std::optional<RowsPart> planRowsPart(mlir::Operation *op, mlir::Value scores, int64_t rowCount, int64_t keys,
                                     llvm::StringRef symbol, const ProductTarget &target);
// Whether the argument's elements are read where those of `scores` are.
bool isReadAs(const RowsPart &part, mlir::Value argument, mlir::Value scores);

// void(ptr buffers, i64 begin, i64 end, ptr scratch), a function of the module alone: rows by their numbers in the
// scores' order. The buffers may change from call to call.
llvm::LogicalResult emitRowsPart(const RowsPart &part, llvm::Module &module, const EmissionTarget &target);

} // namespace tenon::codegen

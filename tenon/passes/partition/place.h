// The choice of the axes along which an op is computed.
#pragma once

#include "tenon/passes/partition/local/local_form.h"
#include "tenon/passes/partition/redistribute/plan.h"

namespace tenon::passes::partition {

/// An operand or result, and how it lies where it comes from, or is wanted.
struct PlacedTensor {
  mlir::RankedTensorType type;
  ir::Sharding sharding;
  bool isAddedUp = false; // a sum of which may stay summands
  bool isUpdate = false;  // a result that goes into results of the program, element by element
  bool staysCut = false;  // a result that is gathered later, and then in the memory that devices have in common
  bool isForAll = false;  // an operand that is there, too, where it is gathered
  int64_t bytesWith = 0;  // of whole arrays that ops read with a result, parts of them with a part of it
};

struct Choice {
  llvm::SmallVector<ir::Axes> cuts; // the axes of each of the op's factors
  // A factor that is cut in some operand or result, and which the op's form cannot cut in so many parts: its axes are
  // gathered, as no other factor takes them.
  struct NotCut {
    size_t factor;
    int64_t parts;
  };
  llvm::SmallVector<NotCut> notCut;
};

/// The axes for which operands and results move the fewest bytes. Tensors of other meshes have no say. See
/// docs/partitioning.md.
Choice chooseCuts(mlir::Operation *op, const ir::Factors &factors, const LocalForm &form, const ir::Mesh *mesh,
                  llvm::ArrayRef<PlacedTensor> operands, llvm::ArrayRef<PlacedTensor> results,
                  redistribution::Planner &planner);

} // namespace tenon::passes::partition

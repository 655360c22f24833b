// At how many places of its result each op of a fusion is computed for a point of the iteration space: slices at
// neighbouring offsets, the taps of a stencil, read an op's result at several, and it is computed once for each.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>

namespace tenon::passes {

class FusionPlaces {
public:
  // The op, whose users in the fusion are there already, joins it. `isRoot`: its result leaves the fusion.
  void add(mlir::Operation *op, bool isRoot);
  // Another fusion, whose iteration space is the same, becomes a part of this one.
  void merge(FusionPlaces &&other);
  // How many elements of the op's result are computed if it joins.
  double evaluations(mlir::Operation *op) const;

private:
  // The ops that move elements on the way from the point to the place, and how many elements are computed there.
  struct Place {
    size_t path;
    double elements;
  };
  using Places = llvm::SmallVector<Place, 1>;

  Places placesOf(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Operation *, Places> places_;
};

} // namespace tenon::passes

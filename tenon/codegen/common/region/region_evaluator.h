// What one element of a value inside a kernel is computed from: the one place that says it, for planners and emitters.
#pragma once

#include "tenon/codegen/common/region/region_indexer.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::codegen {

// How the elements of an op's results come about.
enum class ElementForm {
  kConstant, // data of the program
  kIota,     // numbers: the index in one dimension
  kMoved,    // elements of the operands at other indices: RegionIndexer::sources
  kReduced,  // many elements, combined: RegionIndexer::reducedSource
  kComputed, // the operands' elements at the same index: RegionIndexer::elementwiseIndex
};
ElementForm elementForm(mlir::Operation *op);

// Evaluates elements of a region over the domain `Domain`, which derives from this: LLVM values in emitters; costs,
// accesses and the like in planners. The domain has a function for each thing that an element may be, which evaluates
// what that needs, as it sees fit, and returns what evaluate() shall return:
//
//   array(value, index)          an element in memory: of an input, or of a constant whose elements differ
//   constant(value)              an element of a constant whose elements are equal (a DenseElementsAttr)
//   iota(op, expr)               the number `expr`
//   moved(op, index, sources)    an element of operands: of the first of `sources` whose conditions hold
//   reduced(result, index)       a result of a reduce or reduce_window
//   computed(result, index)      a result of an elementwise op, or of a loop of such ops (ir::isElementwiseLoop)
//
// A domain whose indices are no affine expressions, but something of its own, has iota(op, index) and moved(op, index).
template <typename Domain> class RegionEvaluator {
protected:
  // An element of `value`, which is an input or computed inside of the region.
  auto evaluate(const KernelSource &source, RegionIndexer &indexer, mlir::Value value,
                llvm::ArrayRef<mlir::AffineExpr> index) {
    if (!value.getDefiningOp() || source.inputNumber(value) >= 0)
      return domain().array(value, index);
    auto iota = [&](mlir::Operation *op) {
      return domain().iota(op, index[llvm::cast<stablehlo::IotaOp>(op).getIotaDimension()]);
    };
    auto moved = [&](mlir::Operation *op) { return domain().moved(op, index, indexer.sources(op, index)); };
    return dispatch(llvm::cast<mlir::OpResult>(value), index, iota, moved);
  }

  // The same over indices of the domain's own.
  template <typename Index> auto evaluate(mlir::OpResult value, const Index &index) {
    auto iota = [&](mlir::Operation *op) { return domain().iota(op, index); };
    auto moved = [&](mlir::Operation *op) { return domain().moved(op, index); };
    return dispatch(value, index, iota, moved);
  }

private:
  template <typename Index, typename Iota, typename Moved>
  auto dispatch(mlir::OpResult value, const Index &index, Iota iota, Moved moved) {
    mlir::Operation *op = value.getOwner();
    switch (elementForm(op)) {
    case ElementForm::kConstant: {
      auto data = llvm::dyn_cast<mlir::DenseElementsAttr>(llvm::cast<stablehlo::ConstantOp>(op).getValue());
      return data && (data.isSplat() || data.getNumElements() == 1) ? domain().constant(data)
                                                                    : domain().array(value, index);
    }
    case ElementForm::kIota:
      return iota(op);
    case ElementForm::kMoved:
      return moved(op);
    case ElementForm::kReduced:
      return domain().reduced(value, index);
    case ElementForm::kComputed:
      return domain().computed(value, index);
    }
    llvm_unreachable("all forms are handled");
  }

  Domain &domain() { return static_cast<Domain &>(*this); }
};

} // namespace tenon::codegen

// Each operand and each result proposes to compute the op where it lies, along further axes where those of others do
// not stand against it. What costs least is done:
//
//   dot_general  x: [{"d"}, {}]  w: [{"d"}, {}]  wanted: [{"d"}, {}]
//     as x lies (batch cut by "d"): w is gathered; as w lies (contracted dimension cut): x is moved, the result summed
//
// so it follows from the sizes whether weights or activations move.
#include "tenon/passes/partition/place.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/propagate/projection.h"
#include "tenon/passes/partition/redistribute.h"

using namespace mlir;

namespace tenon::passes::partition {
namespace {

using Cuts = SmallVector<ir::Axes>;

class Chooser {
public:
  Chooser(Operation *op, const ir::Factors &factors, const LocalForm &form, const ir::Mesh *mesh,
          ArrayRef<PlacedTensor> operands, ArrayRef<PlacedTensor> results, Planner &planner)
      : op_(op), factors_(factors), form_(form), mesh_(mesh), operands_(operands), results_(results),
        planner_(planner) {
    for (auto [tensor, dims] : llvm::zip_equal(operands, factors.operands))
      add(tensor, dims);
    for (auto [tensor, dims] : llvm::zip_equal(results, factors.results))
      add(tensor, dims);
    llvm::stable_sort(wishes_, [](const Wish &a, const Wish &b) { return a.bytes > b.bytes; });
  }

  Cuts choose() const {
    Cuts best(factors_.factors.size());
    double least = cost(best);
    auto propose = [&](Cuts candidate) {
      keepPossible(candidate);
      for (const Wish &other : wishes_)
        complete(candidate, other.cuts);
      keepPossible(candidate);
      if (!ir::splitAxes(*mesh_, SmallVector<ArrayRef<ir::Atom>>(candidate.begin(), candidate.end())))
        return; // parts of an axis that do not fit together
      if (double own = cost(candidate); own < least) {
        best = std::move(candidate);
        least = own;
      }
    };
    for (const Wish &wish : wishes_) {
      propose(wish.cuts);
      if (Cuts moved = wish.cuts; moveToOthers(moved))
        propose(std::move(moved));
    }
    return best;
  }

  SmallVector<size_t> notCut(ArrayRef<ir::Axes> chosen) const {
    auto isUnused = [&](const ir::Atom &atom) {
      return llvm::none_of(chosen, [&](const ir::Axes &axes) { return ir::overlapsAny(atom, axes); });
    };
    SmallVector<size_t> numbers;
    for (size_t i = 0; i < factors_.factors.size(); ++i)
      if (llvm::any_of(wishes_, [&](const Wish &wish) {
            return !isCuttable(i, wish.cuts[i]) && llvm::any_of(wish.cuts[i], isUnused);
          }))
        numbers.push_back(i);
    return numbers;
  }

private:
  struct Wish {
    Cuts cuts;
    int64_t bytes;
  };

  void add(const PlacedTensor &tensor, const ir::TensorFactors &dims) {
    if (tensor.sharding.mesh != mesh_)
      return;
    propagate::TensorCuts projected = propagate::project(dims, factors_.factors, &tensor.sharding);
    Wish wish{Cuts(factors_.factors.size()), ir::storedBytes(tensor.type)};
    bool wantsAny = false;
    for (auto [cut, axes] : llvm::zip_equal(projected.factors, wish.cuts))
      if (cut && !cut->axes.empty()) {
        axes = cut->axes;
        wantsAny = true;
      }
    if (wantsAny && !llvm::any_of(wishes_, [&](const Wish &known) { return known.cuts == wish.cuts; }))
      wishes_.push_back(std::move(wish));
  }

  bool isCuttable(size_t factor, ArrayRef<ir::Atom> axes) const {
    return form_.isCuttable(op_, factors_, factor, ir::partsOf(axes));
  }

  // Gives the axes of factors that cannot be cut to those that can: a sort along a cut dimension is one along a whole
  // dimension of other rows. Whether there were such.
  bool moveToOthers(Cuts &cuts) const {
    bool isMoved = false;
    for (auto [i, axes] : llvm::enumerate(cuts)) {
      if (axes.empty() || isCuttable(i, axes))
        continue;
      std::optional<size_t> to;
      int64_t most = 1; // what is left of the dimension
      for (auto [j, factor] : llvm::enumerate(factors_.factors)) {
        int64_t parts = ir::partsOf(cuts[j]) * ir::partsOf(axes);
        if (j == i || factor.type != ir::FactorType::kPassThrough || factor.size % parts != 0 ||
            factor.size / parts < most || !form_.isCuttable(op_, factors_, j, parts))
          continue;
        to = j;
        most = factor.size / parts;
      }
      if (!to)
        continue;
      for (const ir::Atom &atom : axes)
        ir::append(cuts[*to], atom);
      axes.clear();
      isMoved = true;
    }
    return isMoved;
  }

  // Takes those axes of another tensor that nobody uses yet.
  void complete(Cuts &cuts, const Cuts &others) const {
    ir::Axes used;
    for (const ir::Axes &axes : cuts)
      used.append(axes);
    for (auto [i, own, other] : llvm::enumerate(cuts, others)) {
      if (!(own.empty() || propagate::isStrictPrefix(own, other)))
        continue;
      ir::Axes longer = own;
      for (const ir::Atom &atom : ArrayRef(other).drop_front(own.size())) {
        if (ir::overlapsAny(atom, used))
          break;
        longer.push_back(atom);
      }
      if (longer.size() == own.size() || !isCuttable(i, longer))
        continue;
      used.append(longer.begin() + static_cast<ptrdiff_t>(own.size()), longer.end());
      own = std::move(longer);
    }
  }

  // Within a dimension all but the last cut factor are full, and all but a lone one are cut evenly.
  void keepPossible(Cuts &cuts) const {
    for (auto [i, axes] : llvm::enumerate(cuts))
      if (!axes.empty() && !isCuttable(i, axes))
        axes.clear();
    bool isChanged = true;
    auto visit = [&](ArrayRef<ir::TensorFactors> tensors) {
      for (const ir::TensorFactors &dims : tensors)
        for (const ir::DimFactors &numbers : dims)
          isChanged |= keepPossible(cuts, numbers);
    };
    while (isChanged) {
      isChanged = false;
      visit(factors_.operands);
      visit(factors_.results);
    }
  }

  bool keepPossible(Cuts &cuts, const ir::DimFactors &numbers) const {
    bool isChanged = false, isFull = true;
    int64_t before = 1, behind = 1;
    for (int64_t number : numbers)
      behind *= factors_.factors[number].size;
    for (int64_t number : numbers) {
      int64_t size = factors_.factors[number].size, parts = ir::partsOf(cuts[number]);
      behind /= std::max<int64_t>(size, 1);
      bool isEvenNeeded = before > 1 || behind > 1;
      if (parts > 1 && (!isFull || (isEvenNeeded && size % parts != 0))) {
        cuts[number].clear();
        parts = 1;
        isChanged = true;
      }
      isFull = isFull && parts == size;
      before *= size;
    }
    return isChanged;
  }

  // A byte that moves counts as several that are read and written.
  double cost(const Cuts &cuts) const {
    constexpr double kMoved = 4;
    OpBuilder builder(op_);
    LocalOp local(builder, op_, factors_, mesh_, cuts);
    double bytes = 0;
    for (auto [i, tensor] : llvm::enumerate(operands_)) {
      ir::Sharding sharding = local.operandSharding(i);
      bytes += kMoved * static_cast<double>(redistributionBytes(planner_, tensor.type, tensor.sharding, sharding)) +
               static_cast<double>(ir::storedBytes(localType(tensor.type, sharding)));
    }
    for (auto [i, tensor] : llvm::enumerate(results_)) {
      ir::Sharding sharding = local.resultSharding(i);
      bytes += kMoved * static_cast<double>(redistributionBytes(planner_, tensor.type, sharding, tensor.sharding)) +
               static_cast<double>(ir::storedBytes(localType(tensor.type, sharding)));
    }
    return bytes;
  }

  Operation *op_;
  const ir::Factors &factors_;
  const LocalForm &form_;
  const ir::Mesh *mesh_;
  ArrayRef<PlacedTensor> operands_, results_;
  Planner &planner_;
  std::vector<Wish> wishes_; // the largest tensor's first
};

} // namespace

Choice chooseCuts(Operation *op, const ir::Factors &factors, const LocalForm &form, const ir::Mesh *mesh,
                  ArrayRef<PlacedTensor> operands, ArrayRef<PlacedTensor> results, Planner &planner) {
  Chooser chooser(op, factors, form, mesh, operands, results, planner);
  Choice choice;
  choice.cuts = chooser.choose();
  choice.notCut = chooser.notCut(choice.cuts);
  return choice;
}

} // namespace tenon::passes::partition

// Each operand and each result proposes to compute the op where it lies, along further axes where those of others do
// not stand against it. What costs least is done:
//
//   dot_general  x: [{"d"}, {}]  w: [{"d"}, {}]  wanted: [{"d"}, {}]
//     as x lies (batch cut by "d"): w is gathered; as w lies (contracted dimension cut): x is moved, the result summed
//
// so it follows from the sizes whether weights or activations move. Products that give gradients of weights have
// further proposals, in which the axes of a dimension that is summed over cut one of the result instead:
//
//   dot_general  x: [{"d"}, {}]  g: [{"d"}, {}]  contracted along the cut dimensions, wanted: [{}, {}]
//     as they lie, the result is summed; or columns of x and all of g are moved, and then parts of the result
//
// which moves less where the result is larger than they, in steps of small batches. So it is with gradients of lookups
// in tables that devices have one memory for: each is given all that is added, and adds what belongs into its rows.
#include "tenon/passes/partition/place.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/propagate/projection.h"
#include "tenon/passes/partition/redistribute.h"
#include "tenon/support/insertion_sort.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

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
    insertionSort(wishes_, [](const Wish &a, const Wish &b) { return a.bytes > b.bytes; });
  }

  Cuts choose() const {
    Cuts best(factors_.factors.size());
    double least = cost(best);
    auto propose = [&](Cuts candidate, double handicap = 0) {
      keepPossible(candidate);
      for (const Wish &other : wishes_)
        complete(candidate, other.cuts);
      keepPossible(candidate);
      if (!ir::splitAxes(*mesh_, SmallVector<ArrayRef<ir::Atom>>(candidate.begin(), candidate.end())))
        return; // parts of an axis that do not fit together
      if (double own = cost(candidate) + handicap; own < least) {
        best = std::move(candidate);
        least = own;
      }
    };
    for (const Wish &wish : wishes_) {
      propose(wish.cuts);
      if (Cuts moved = wish.cuts; moveToOthers(moved))
        propose(std::move(moved));
      for (Cuts &apart : withoutSums(wish.cuts))
        propose(std::move(apart), results_.front().staysCut ? kMeetingsInProcess : kMeetings);
    }
    return best;
  }

  SmallVector<Choice::NotCut> notCut(ArrayRef<ir::Axes> chosen) const {
    auto isUnused = [&](const ir::Atom &atom) {
      return llvm::none_of(chosen, [&](const ir::Axes &axes) { return ir::overlapsAny(atom, axes); });
    };
    SmallVector<Choice::NotCut> gathered;
    for (size_t i = 0; i < factors_.factors.size(); ++i) {
      auto wish = llvm::find_if(wishes_, [&](const Wish &wish) {
        return !isCuttable(i, wish.cuts[i]) && llvm::any_of(wish.cuts[i], isUnused);
      });
      if (wish != wishes_.end())
        gathered.push_back({i, ir::partsOf(wish->cuts[i])});
    }
    return gathered;
  }

private:
  // What it costs that arrays move apart, each when it is needed, instead of in the one sum of a step (combine.h).
  static constexpr double kMeetings = 512 << 10, kMeetingsInProcess = 64 << 10;

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

  static int64_t partsOf(const ir::Sharding &sharding) {
    int64_t parts = 1;
    for (const ir::DimCut &cut : sharding.dims)
      parts *= ir::partsOf(cut.axes);
    return parts;
  }

  bool isProduct() const { return isa<sh::DotGeneralOp, sh::ConvolutionOp>(op_); }

  // Whether parts of the result along a factor are one piece each of its memory.
  bool cutsRows(size_t factor) const {
    const ir::TensorFactors &dims = factors_.results.front();
    return !dims.empty() && !dims.front().empty() && dims.front().front() == static_cast<int64_t>(factor);
  }

  // The cuts of an op that gives a gradient, with the axes of dimensions that are summed over given to one that is
  // not, whichever it is.
  std::vector<Cuts> withoutSums(const Cuts &cuts) const {
    std::vector<Cuts> others;
    Cuts kept = cuts;
    ir::Axes summed;
    for (auto [factor, axes] : llvm::zip_equal(factors_.factors, kept))
      if (factor.type == ir::FactorType::kReduction)
        summed.append(std::exchange(axes, {}));
    // Sums at computed places (gradients of lookups) write all of the result for few summands.
    bool gainsByParts = isProduct() || (isa<sh::ScatterOp>(op_) && results_.front().staysCut);
    if (summed.empty() || !gainsByParts || !results_.front().isUpdate)
      return others;
    for (auto [i, factor] : llvm::enumerate(factors_.factors)) {
      int64_t parts = ir::partsOf(kept[i]) * ir::partsOf(summed);
      if (factor.type != ir::FactorType::kPassThrough || factor.size % parts != 0 || (!isProduct() && !cutsRows(i)))
        continue;
      Cuts other = kept;
      for (const ir::Atom &atom : summed)
        ir::append(other[i], atom);
      others.push_back(std::move(other));
    }
    return others;
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

  // How many numbers a product multiplies and adds on each device. Other ops compute little for what they read.
  double multiplyAdds(ArrayRef<ir::Axes> cuts) const {
    double count = isProduct() ? 1 : 0;
    for (auto [factor, axes] : llvm::zip_equal(factors_.factors, cuts))
      count *= static_cast<double>(llvm::divideCeilSigned(factor.size, ir::partsOf(axes)));
    return count;
  }

  // In bytes that are read. One that moves counts as several of these, one that is written as two, since its line is
  // read before, and so many numbers are multiplied and added meanwhile: by products of few rows, for which it matters;
  // others do twice as much.
  //
  // An array that devices of one process gather is there once for all, so that each moves its part. Only of products is
  // that counted: of other ops, what each device would compute of the whole array is not.
  double cost(const Cuts &cuts) const {
    constexpr double kMoved = 4, kWritten = 2, kMultiplyAdds = 4;
    OpBuilder builder(op_);
    LocalOp local(builder, op_, factors_, mesh_, cuts);
    local.addsInF32 = form_.addsInF32;
    double bytes = multiplyAdds(cuts) / kMultiplyAdds;
    for (auto [i, tensor] : llvm::enumerate(operands_)) {
      ir::Sharding sharding = local.operandSharding(i);
      int64_t moved = redistributionBytes(planner_, tensor.type, tensor.sharding, sharding);
      if (isProduct() && tensor.isForAll && isCutFurther(tensor.sharding, sharding))
        moved = std::min(moved, ir::storedBytes(localType(tensor.type, tensor.sharding)));
      bytes +=
          kMoved * static_cast<double>(moved) + static_cast<double>(ir::storedBytes(localType(tensor.type, sharding)));
    }
    for (auto [i, tensor] : llvm::enumerate(results_)) {
      ir::Sharding sharding = local.resultSharding(i);
      if (tensor.isAddedUp)
        sharding.unreduced.clear();
      // Where there is a sum to be made, what follows is of the whole one.
      const ir::Sharding &following = sharding.unreduced.empty() ? sharding : tensor.sharding;
      int64_t own = ir::storedBytes(localType(tensor.type, sharding));
      int64_t moved = redistributionBytes(planner_, tensor.type, sharding, tensor.sharding);
      if (tensor.staysCut) // each device writes its part for all
        moved = std::min(moved, own);
      bytes += kMoved * static_cast<double>(moved) + kWritten * static_cast<double>(own) +
               static_cast<double>(tensor.bytesWith) / static_cast<double>(partsOf(following));
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

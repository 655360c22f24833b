// einsum and unary_einsum as diagonals, one dot_general and a transpose.
//
//   einsum "bij,bjk->ki"  =>  dot_general contracting j and (summed first, with ones) b, then a transpose

#include "tenon/ir/einsum.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// An array and the label of each of its dimensions.
struct Term {
  Value value;
  std::string labels;

  bool has(char label) const { return labels.find(label) != std::string::npos; }
  int64_t dimOf(char label) const { return int64_t(labels.find(label)); }
};

class EinsumBuilder {
public:
  explicit EinsumBuilder(Operation *op) : builder_(op), loc_(op->getLoc()) {}

  // Takes the diagonal of dimensions that share a label.
  Term withoutRepeats(Term term) {
    for (size_t i = 0; i < term.labels.size(); ++i)
      for (size_t j = i + 1; j < term.labels.size();)
        if (term.labels[i] == term.labels[j])
          term = diagonal(term, int64_t(i), int64_t(j));
        else
          ++j;
    return term;
  }

  // Sums over the labels that neither `output` nor `other` has.
  Term withoutUnused(const Term &term, StringRef output, StringRef other) {
    std::string summed;
    for (char label : term.labels)
      if (!output.contains(label) && !other.contains(label))
        summed += label;
    return summed.empty() ? term : multiply(term, ones(term, summed), output.str() + other.str());
  }

  // Contracts the common labels that are not in `kept`; the batch labels come first in the result.
  Term multiply(const Term &lhs, const Term &rhs, StringRef kept) {
    SmallVector<int64_t> lhsBatch, rhsBatch, lhsContracted, rhsContracted, shape;
    Term result;
    auto keep = [&](char label, const Term &from) {
      result.labels += label;
      shape.push_back(typeOf(from.value).getDimSize(from.dimOf(label)));
    };
    for (char label : lhs.labels)
      if (rhs.has(label)) {
        bool isBatch = kept.contains(label);
        (isBatch ? lhsBatch : lhsContracted).push_back(lhs.dimOf(label));
        (isBatch ? rhsBatch : rhsContracted).push_back(rhs.dimOf(label));
        if (isBatch)
          keep(label, lhs);
      }
    for (char label : lhs.labels)
      if (!rhs.has(label))
        keep(label, lhs);
    for (char label : rhs.labels)
      if (!lhs.has(label))
        keep(label, rhs);
    auto numbers =
        sh::DotDimensionNumbersAttr::get(builder_.getContext(), lhsBatch, rhsBatch, lhsContracted, rhsContracted);
    result.value = sh::DotGeneralOp::create(builder_, loc_, typeOf(lhs.value).clone(shape), lhs.value, rhs.value,
                                            numbers, ArrayAttr(), sh::DotAlgorithmAttr());
    return result;
  }

  Value convert(Value value, Type element) {
    RankedTensorType type = typeOf(value);
    return type.getElementType() == element
               ? value
               : sh::ConvertOp::create(builder_, loc_, type.clone(element), value).getResult();
  }

  Value inOrder(const Term &term, StringRef output) {
    SmallVector<int64_t> permutation, shape;
    for (char label : output) {
      permutation.push_back(term.dimOf(label));
      shape.push_back(typeOf(term.value).getDimSize(permutation.back()));
    }
    return sh::TransposeOp::create(builder_, loc_, typeOf(term.value).clone(shape), term.value, permutation);
  }

private:
  // Dimension j > i goes; dimension i runs along both.
  Term diagonal(const Term &term, int64_t i, int64_t j) {
    RankedTensorType type = typeOf(term.value);
    int64_t size = type.getDimSize(i);
    auto positionsType = RankedTensorType::get({size, 2}, builder_.getI64Type());
    Value positions = sh::IotaOp::create(builder_, loc_, positionsType, 0);
    SmallVector<int64_t> shape(type.getShape()), slice(type.getShape()), kept;
    shape.erase(shape.begin() + j);
    slice[i] = slice[j] = 1;
    for (int64_t d = 0; d < int64_t(shape.size()); ++d)
      if (d != i)
        kept.push_back(d);
    auto numbers = sh::GatherDimensionNumbersAttr::get(builder_.getContext(), kept, {i, j}, {}, {}, {i, j}, 1);
    Term result{sh::GatherOp::create(builder_, loc_, type.clone(shape), term.value, positions, numbers, slice, true),
                term.labels};
    result.labels.erase(j, 1);
    return result;
  }

  Term ones(const Term &like, const std::string &labels) {
    SmallVector<int64_t> shape;
    for (char label : labels)
      shape.push_back(typeOf(like.value).getDimSize(like.dimOf(label)));
    RankedTensorType type = typeOf(like.value).clone(shape);
    auto one = sh::ConstantOp::create(builder_, loc_,
                                      SplatElementsAttr::get(RankedTensorType::get({}, builder_.getI1Type()), true));
    Value number = sh::ConvertOp::create(builder_, loc_, type.clone(ArrayRef<int64_t>()), one);
    return {sh::BroadcastInDimOp::create(builder_, loc_, type, number, ArrayRef<int64_t>{}), labels};
  }

  OpBuilder builder_;
  Location loc_;
};

// The type that elements are summed in: the result's type if that holds more, at least f32 in the place of integers,
// else their own. The sum is converted in the end. A boolean says whether the sum is zero, so that integers must not
// wrap.
Type summedType(Type from, Type result) {
  ir::NumberKind least = ir::numberKind(from), most = ir::numberKind(result);
  if (least == ir::NumberKind::kInteger && most == ir::NumberKind::kFloat && ir::partWidth(result) < 32)
    return Float32Type::get(from.getContext());
  if (least == ir::NumberKind::kInteger && result.isInteger(1) && !from.isInteger(1))
    return IntegerType::get(from.getContext(), 64);
  bool holdsMore = most > least || (most == least && ir::partWidth(result) > ir::partWidth(from));
  return holdsMore ? result : from;
}

void expand(Operation *op) {
  auto isStatic = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) || !isStatic(op->getResult(0).getType()))
    return;
  auto [labels, output] = *sh::einsumLabels(op);
  EinsumBuilder einsum(op);
  Type element = typeOf(op->getResult(0)).getElementType();
  SmallVector<Term> terms;
  for (auto [operand, term] : llvm::zip_equal(op->getOperands(), labels))
    terms.push_back(
        einsum.withoutRepeats({einsum.convert(operand, summedType(typeOf(operand).getElementType(), element)), term}));
  Term result = einsum.withoutUnused(terms[0], output, terms.size() > 1 ? StringRef(terms[1].labels) : StringRef());
  if (terms.size() > 1)
    result = einsum.multiply(result, einsum.withoutUnused(terms[1], output, result.labels), output);
  op->getResult(0).replaceAllUsesWith(einsum.convert(einsum.inOrder(result, output), element));
  op->erase();
}

} // namespace

LogicalResult expandEinsums(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<sh::EinsumOp, sh::UnaryEinsumOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    expand(op);
  return success();
}

} // namespace tenon::passes

// chlo.ragged_dot as a loop over the groups, which follow each other along one dimension of lhs. Each step is a plain
// product, of which the rows of the group are kept; where the ragged dimension is contracted, the group's slice of both
// operands is multiplied, and the product is an entry of the result's first dimension. Rows of no group give zeros.

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tf32.h"
#include "tenon/passes/legalize/decompose/patterns.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// Position in a list, or -1.
int64_t indexIn(ArrayRef<int64_t> dims, int64_t dim) {
  const int64_t *found = llvm::find(dims, dim);
  return found == dims.end() ? -1 : found - dims.begin();
}

class RaggedDot {
public:
  RaggedDot(chlo::RaggedDotOp op, PatternRewriter &rewriter)
      : op_(op), numbers_(op.getRaggedDotDimensionNumbers()), loc_(op.getLoc()), rewriter_(rewriter),
        result_(typeOf(op.getResult())), ragged_(numbers_.getLhsRaggedDimensions()[0]),
        contracted_(indexIn(numbers_.getLhsContractingDimensions(), ragged_)) {}

  Value build() {
    RankedTensorType sizes = typeOf(op_.getGroupSizes());
    auto startType = RankedTensorType::get(sizes.getShape().drop_back(), rewriter_.getI64Type());
    SmallVector<Value> initial{number(0), fill(startType, 0), zeros(result_)};
    SmallVector<Type> types(ValueRange(initial).getTypes());
    auto loop = sh::WhileOp::create(rewriter_, loc_, types, initial);
    SmallVector<Location> locations(types.size(), loc_);
    OpBuilder::InsertionGuard guard(rewriter_);
    Block *cond = rewriter_.createBlock(&loop.getCond(), {}, types, locations);
    sh::ReturnOp::create(rewriter_, loc_, less(cond->getArgument(0), number(sizes.getShape().back())));
    Block *body = rewriter_.createBlock(&loop.getBody(), {}, types, locations);
    Value group = body->getArgument(0), start = body->getArgument(1);
    Value end = binary<sh::AddOp>(start, sizeOf(group, start));
    Value given = step(group, start, end, body->getArgument(2));
    sh::ReturnOp::create(rewriter_, loc_, ValueRange{binary<sh::AddOp>(group, number(1)), end, given});
    return loop->getResult(2);
  }

private:
  // Both operands are as exact as the program asks for of one.
  ArrayAttr precision() {
    auto isHighest = [](Attribute operand) {
      return cast<chlo::PrecisionAttr>(operand).getValue() == chlo::Precision::HIGHEST;
    };
    ArrayAttr asked = op_.getPrecisionConfigAttr();
    return asked && llvm::any_of(asked, isHighest) ? ir::highestPrecision(op_.getContext()) : ArrayAttr();
  }

  // Rows that are left, at most.
  Value sizeOf(Value group, Value start) {
    RankedTensorType type = typeOf(start);
    Value given = layer(op_.getGroupSizes(), typeOf(op_.getGroupSizes()).getRank() - 1, group);
    Value size = sh::ConvertOp::create(rewriter_, loc_, type, given);
    Value left = binary<sh::SubtractOp>(fill(type, typeOf(op_.getLhs()).getDimSize(ragged_)), start);
    return binary<sh::MinimumOp>(binary<sh::MaximumOp>(size, fill(type, 0)), left);
  }

  Value step(Value group, Value start, Value end, Value sum) {
    Value lhs = op_.getLhs(), rhs = op_.getRhs();
    SmallVector<int64_t> batch(numbers_.getLhsBatchingDimensions()), rhsBatch(numbers_.getRhsBatchingDimensions()),
        inner(numbers_.getLhsContractingDimensions()), rhsInner(numbers_.getRhsContractingDimensions());
    if (!numbers_.getRhsGroupDimensions().empty()) {
      int64_t dim = numbers_.getRhsGroupDimensions()[0];
      rhs = layer(rhs, dim, group);
      for (SmallVector<int64_t> *list : {&rhsBatch, &rhsInner})
        for (int64_t &d : *list)
          d -= d > dim;
    }
    auto product = [&]() -> Value {
      auto dims = sh::DotDimensionNumbersAttr::get(op_.getContext(), batch, rhsBatch, inner, rhsInner);
      auto type = contracted_ < 0 ? result_ : result_.clone(result_.getShape().drop_front());
      return sh::DotGeneralOp::create(rewriter_, loc_, type, lhs, rhs, dims, precision(), sh::DotAlgorithmAttr());
    };
    size_t batches = size_t(typeOf(start).getRank());
    if (contracted_ >= 0) {
      lhs = keep(lhs, ArrayRef(batch).take_front(batches), ragged_, start, end, zeros(typeOf(lhs)));
      rhs = keep(rhs, ArrayRef(rhsBatch).take_front(batches), rhsInner[contracted_], start, end, zeros(typeOf(rhs)));
      SmallVector<int64_t> shape(result_.getShape());
      shape[0] = 1;
      Value entry = sh::ReshapeOp::create(rewriter_, loc_, result_.clone(shape), product());
      SmallVector<Value> at(result_.getRank(), number(0));
      at[0] = group;
      return sh::DynamicUpdateSliceOp::create(rewriter_, loc_, result_, sum, entry, at);
    }
    // In the result, the batch comes first, then what is left of lhs.
    int64_t place = indexIn(batch, ragged_);
    if (place < 0) {
      place = int64_t(batch.size());
      for (int64_t d = 0; d < ragged_; ++d)
        place += indexIn(batch, d) < 0 && indexIn(inner, d) < 0;
    }
    auto leading = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(batches)));
    return keep(product(), leading, place, start, end, sum);
  }

  // The value where start <= index along `dim` < end, and `other` elsewhere. Start and end are given for each index of
  // `batch`.
  Value keep(Value value, ArrayRef<int64_t> batch, int64_t dim, Value start, Value end, Value other) {
    auto type = typeOf(value).clone(rewriter_.getI64Type());
    auto broadcastTo = [&](Value bound) { return sh::BroadcastInDimOp::create(rewriter_, loc_, type, bound, batch); };
    Value index = sh::IotaOp::create(rewriter_, loc_, type, dim);
    auto notBefore = sh::CompareOp::create(rewriter_, loc_, type.clone(rewriter_.getI1Type()), broadcastTo(start),
                                           index, sh::ComparisonDirection::LE, sh::ComparisonTypeAttr());
    Value inside = binary<sh::AndOp>(notBefore, less(index, broadcastTo(end)));
    return sh::SelectOp::create(rewriter_, loc_, value.getType(), inside, value, other);
  }

  // Element `at` of one dimension, without that dimension.
  Value layer(Value value, int64_t dim, Value at) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> sizes(type.getShape());
    SmallVector<Value> starts(type.getRank(), number(0));
    sizes[dim] = 1;
    starts[dim] = at;
    Value slice = sh::DynamicSliceOp::create(rewriter_, loc_, type.clone(sizes), value, starts, sizes);
    sizes.erase(sizes.begin() + dim);
    return sh::ReshapeOp::create(rewriter_, loc_, type.clone(sizes), slice);
  }

  template <typename Op> Value binary(Value a, Value b) { return Op::create(rewriter_, loc_, a.getType(), a, b); }
  Value less(Value a, Value b) {
    return sh::CompareOp::create(rewriter_, loc_, typeOf(a).clone(rewriter_.getI1Type()), a, b,
                                 sh::ComparisonDirection::LT, sh::ComparisonTypeAttr());
  }
  Value fill(RankedTensorType type, int64_t value) {
    return sh::ConstantOp::create(rewriter_, loc_, SplatElementsAttr::get(type, APInt(64, value, true)));
  }
  Value number(int64_t value) { return fill(RankedTensorType::get({}, rewriter_.getI64Type()), value); }
  Value zeros(RankedTensorType type) {
    Value zero = sh::ConvertOp::create(rewriter_, loc_, type.clone(ArrayRef<int64_t>()), number(0));
    return sh::BroadcastInDimOp::create(rewriter_, loc_, type, zero, ArrayRef<int64_t>{});
  }

  chlo::RaggedDotOp op_;
  chlo::RaggedDotDimensionNumbersAttr numbers_;
  Location loc_;
  PatternRewriter &rewriter_;
  RankedTensorType result_;
  int64_t ragged_, contracted_;
};

struct RaggedDotPattern : OpRewritePattern<chlo::RaggedDotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(chlo::RaggedDotOp op, PatternRewriter &rewriter) const override {
    auto numbers = op.getRaggedDotDimensionNumbers();
    auto isStatic = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
    if (!llvm::all_of(op->getOperandTypes(), isStatic) || numbers.getLhsRaggedDimensions().size() != 1 ||
        numbers.getRhsGroupDimensions().size() > 1)
      return failure();
    rewriter.replaceOp(op, RaggedDot(op, rewriter).build());
    return success();
  }
};

} // namespace

void populateRaggedDotPatterns(RewritePatternSet &patterns) { patterns.add<RaggedDotPattern>(patterns.getContext()); }

} // namespace tenon::passes

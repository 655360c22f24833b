// A chlo.scan that may be computed in any order, by one op and from what changes nothing, is a reduce_window over all
// that is before each element: cumulative sums of JAX on GPUs, from 0.11 on. Others that may be, of computations for
// each element by itself (cumulative sums of logarithms), are trees: neighbours are combined in pairs, of these what is
// before each in the same way, and from that what is before the elements between; as many steps as the length has bits,
// and two combinations an element.
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// The scalar that all carries begin with, if it is a constant.
TypedAttr initialScalar(Value init) {
  while (auto broadcast = init.getDefiningOp<sh::BroadcastInDimOp>())
    init = broadcast.getOperand();
  DenseElementsAttr constant;
  if (!matchPattern(init, m_Constant(&constant)) || !constant.isSplat())
    return nullptr;
  return dyn_cast<TypedAttr>(constant.getSplatValue<Attribute>());
}

// Whether the value may count more than once: a window is padded with it.
bool isRepeatable(Operation *op, TypedAttr value) {
  if (isa<sh::MaximumOp, sh::MinimumOp, sh::AndOp, sh::OrOp>(op))
    return true;
  auto floats = dyn_cast<FloatAttr>(value);
  auto integers = dyn_cast<IntegerAttr>(value);
  if (isa<sh::AddOp>(op))
    return floats ? floats.getValue().isZero() : integers && integers.getValue().isZero();
  if (isa<sh::MultiplyOp>(op))
    return floats ? floats.getValue().isExactlyValue(1) : integers && integers.getValue().isOne();
  return false;
}

// The op of two arguments that is all of the body, whose result is output and carry.
Operation *onlyOp(chlo::ScanOp scan) {
  Block &body = scan.getBody().front();
  Operation *end = body.getTerminator();
  if (body.getNumArguments() != 2 || end->getNumOperands() != 2 || end->getOperand(0) != end->getOperand(1))
    return nullptr;
  Operation *op = end->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<sh::AddOp, sh::MultiplyOp, sh::MaximumOp, sh::MinimumOp, sh::AndOp, sh::OrOp>(op))
    return nullptr;
  bool isOfBoth = llvm::equal(op->getOperands(), body.getArguments()) ||
                  llvm::equal(llvm::reverse(op->getOperands()), body.getArguments());
  return isOfBoth ? op : nullptr;
}

struct AssociativeScanPattern : OpRewritePattern<chlo::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::ScanOp scan, PatternRewriter &rewriter) const override {
    if (!scan.getIsAssociative().value_or(false) || scan.getInputs().size() != 1 || scan->getNumResults() != 2)
      return failure();
    Value input = scan.getInputs()[0], init = scan.getInits()[0];
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Operation *op = onlyOp(scan);
    TypedAttr initial = initialScalar(init);
    const int64_t dimension = scan.getDimension();
    if (!op || !initial || !type || !type.hasStaticShape() || type.getDimSize(dimension) == 0 ||
        scan->getResult(0).getType() != type || initial.getType() != type.getElementType() ||
        typeOf(init).getElementType() != type.getElementType() || !isRepeatable(op, initial))
      return failure();
    Value sums = buildWindow(scan, op, initial, rewriter);
    rewriter.replaceOp(scan, {sums, last(scan, sums, rewriter)});
    return success();
  }

private:
  static Value buildWindow(chlo::ScanOp scan, Operation *op, TypedAttr initial, PatternRewriter &rewriter) {
    RankedTensorType type = typeOf(scan.getInputs()[0]);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    const auto dimension = static_cast<int64_t>(scan.getDimension());
    const int64_t size = type.getDimSize(dimension);
    SmallVector<int64_t> widths(type.getRank(), 1), padding(2 * type.getRank(), 0);
    widths[dimension] = size;
    padding[2 * dimension + (scan.getIsReverse() ? 1 : 0)] = size - 1;
    Value start = sh::ConstantOp::create(rewriter, scan.getLoc(), DenseElementsAttr::get(scalar, initial));
    DenseI64ArrayAttr none;
    auto window = sh::ReduceWindowOp::create(
        rewriter, scan.getLoc(), TypeRange{type}, ValueRange{scan.getInputs()[0]}, ValueRange{start},
        rewriter.getDenseI64ArrayAttr(widths), none, none, none,
        DenseIntElementsAttr::get(RankedTensorType::get({type.getRank(), 2}, rewriter.getI64Type()),
                                  ArrayRef<int64_t>(padding)));
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = rewriter.createBlock(&window.getBody(), {}, {scalar, scalar}, {scan.getLoc(), scan.getLoc()});
    OperationState same(op->getLoc(), op->getName(), body->getArguments(), scalar);
    sh::ReturnOp::create(rewriter, scan.getLoc(), rewriter.create(same)->getResult(0));
    return window->getResult(0);
  }

  // What is carried out of the last step.
  static Value last(chlo::ScanOp scan, Value sums, PatternRewriter &rewriter) {
    RankedTensorType type = typeOf(sums);
    const auto dimension = static_cast<int64_t>(scan.getDimension());
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()), ones(type.getRank(), 1);
    start[dimension] = scan.getIsReverse() ? 0 : type.getDimSize(dimension) - 1;
    limit[dimension] = start[dimension] + 1;
    Value slice = sh::SliceOp::create(rewriter, scan.getLoc(), sums, start, limit, ones);
    return sh::ReshapeOp::create(rewriter, scan.getLoc(), scan->getResult(1).getType(), slice);
  }
};

class ScanTree {
public:
  using Arrays = SmallVector<Value>;

  ScanTree(chlo::ScanOp scan, PatternRewriter &rewriter)
      : scan_(scan), rewriter_(rewriter), loc_(scan.getLoc()), dimension_(int64_t(scan.getDimension())) {}

  // Whether its body computes each element by itself, of values of its own, and carries what it puts out.
  static bool isPossible(chlo::ScanOp scan) {
    Block &body = scan.getBody().front();
    size_t count = scan.getInputs().size();
    auto types = scan.getInputs().getTypes();
    if (count == 0 || scan.getInits().size() != count || scan->getNumResults() != 2 * count ||
        !llvm::equal(types, scan.getOutputs().getTypes()))
      return false;
    auto results = body.getTerminator()->getOperands();
    if (!llvm::equal(results.take_front(count), results.drop_front(count)))
      return false;
    auto type = dyn_cast<RankedTensorType>(types.front());
    if (!type || !type.hasStaticShape() || type.getDimSize(scan.getDimension()) == 0 ||
        llvm::any_of(scan.getInputs(), [&](Value input) { return ir::shapeOf(input) != type.getShape(); }) ||
        !llvm::equal(ValueRange(body.getArguments().take_front(count)).getTypes(),
                     ValueRange(body.getArguments().drop_front(count)).getTypes()))
      return false;
    ArrayRef<int64_t> shape = typeOf(body.getArgument(0)).getShape();
    return llvm::all_of(body.without_terminator(), [&](Operation &op) { return isByElement(op, shape); }) &&
           llvm::all_of(results, [&](Value value) { return value.getParentBlock() == &body; });
  }

  // The outputs, and what is carried out of the last step.
  Arrays build() {
    Arrays arrays = reversed(scan_.getInputs()), inits;
    arrays = upTo(arrays);
    for (auto [init, array] : llvm::zip(scan_.getInits(), arrays))
      inits.push_back(spread(init, typeOf(array)));
    arrays = combine(inits, arrays);
    Arrays last = part(arrays, sizeOf(arrays) - 1, sizeOf(arrays), 1);
    arrays = reversed(arrays);
    for (auto [value, result] : llvm::zip(last, scan_->getResults().drop_front(arrays.size())))
      arrays.push_back(sh::ReshapeOp::create(rewriter_, loc_, result.getType(), value));
    return arrays;
  }

private:
  static bool isByElement(Operation &op, ArrayRef<int64_t> shape) {
    auto hasShape = [&](Value value) { return typeOf(value).getShape() == shape; };
    if (DenseElementsAttr constant; matchPattern(&op, m_Constant(&constant)))
      return constant.isSplat();
    if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op)) // of a constant number
      return !shape.empty() && hasShape(op.getResult(0)) && typeOf(broadcast.getOperand()).getRank() == 0 &&
             broadcast.getOperand().getParentBlock() == op.getBlock();
    return op.hasTrait<ir::Elementwise>() && op.getNumRegions() == 0 && op.getNumResults() == 1 &&
           hasShape(op.getResult(0)) && llvm::all_of(op.getOperands(), [&](Value value) {
             return value.getParentBlock() == op.getBlock() && hasShape(value);
           });
  }

  int64_t sizeOf(const Arrays &arrays) const { return typeOf(arrays.front()).getDimSize(dimension_); }

  // For each element of the arrays, what comes of all up to it.
  Arrays upTo(const Arrays &arrays) {
    int64_t size = sizeOf(arrays);
    if (size < 2)
      return arrays;
    Arrays odd = upTo(combine(part(arrays, 0, size - 1, 2), part(arrays, 1, size, 2)));
    Arrays even = part(arrays, 0, 1, 1);
    if (size > 2) {
      Arrays between = combine(part(odd, 0, (size - 1) / 2, 1), part(arrays, 2, size, 2));
      for (auto [first, rest] : llvm::zip(even, between))
        first = joined({first, rest}, dimension_);
    }
    Arrays all;
    for (auto [first, second] : llvm::zip(even, odd))
      all.push_back(interleaved(first, second));
    return all;
  }

  // The first and the second of each pair by turns; the first may have one element more.
  Value interleaved(Value first, Value second) {
    RankedTensorType type = typeOf(second);
    int64_t pairs = type.getDimSize(dimension_);
    SmallVector<int64_t> columns(type.getShape()), rows(type.getShape());
    columns.insert(columns.begin() + dimension_ + 1, 1);
    rows[dimension_] *= 2;
    auto column = [&](Value value) -> Value {
      return sh::ReshapeOp::create(rewriter_, loc_, type.clone(columns), value);
    };
    Value both = joined({column(part({first}, 0, pairs, 1)[0]), column(second)}, dimension_ + 1);
    both = sh::ReshapeOp::create(rewriter_, loc_, type.clone(rows), both);
    int64_t size = typeOf(first).getDimSize(dimension_);
    return size == pairs ? both : joined({both, part({first}, pairs, size, 1)[0]}, dimension_);
  }

  Value joined(ArrayRef<Value> values, int64_t dimension) {
    SmallVector<int64_t> shape(typeOf(values[0]).getShape());
    shape[dimension] += typeOf(values[1]).getDimSize(dimension);
    return sh::ConcatenateOp::create(rewriter_, loc_, typeOf(values[0]).clone(shape), values, dimension);
  }

  Arrays part(const Arrays &arrays, int64_t from, int64_t to, int64_t step) {
    Arrays parts;
    for (Value array : arrays) {
      int64_t rank = typeOf(array).getRank();
      SmallVector<int64_t> start(rank, 0), limit(typeOf(array).getShape()), steps(rank, 1);
      start[dimension_] = from;
      limit[dimension_] = to;
      steps[dimension_] = step;
      parts.push_back(sh::SliceOp::create(rewriter_, loc_, array, start, limit, steps));
    }
    return parts;
  }

  Arrays reversed(ValueRange arrays) {
    Arrays results(arrays);
    if (scan_.getIsReverse())
      for (Value &array : results)
        array = sh::ReverseOp::create(rewriter_, loc_, array.getType(), array, ArrayRef<int64_t>{dimension_});
    return results;
  }

  Value spread(Value init, RankedTensorType type) {
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dimension_)
        dims.push_back(d);
    return sh::BroadcastInDimOp::create(rewriter_, loc_, type, init, dims);
  }

  // The body for all elements at once: the first are what is carried.
  Arrays combine(const Arrays &before, const Arrays &after) {
    Block &body = scan_.getBody().front();
    ArrayRef<int64_t> shape = typeOf(after.front()).getShape();
    ArrayRef<int64_t> step = typeOf(body.getArgument(0)).getShape();
    IRMapping mapping;
    mapping.map(body.getArguments().take_front(after.size()), after);
    mapping.map(body.getArguments().drop_front(after.size()), before);
    for (Operation &op : body.without_terminator()) {
      RankedTensorType type = typeOf(op.getResult(0));
      DenseElementsAttr constant;
      if (matchPattern(&op, m_Constant(&constant)) && type.getShape() == step)
        mapping.map(op.getResult(0),
                    sh::ConstantOp::create(rewriter_, loc_, constant.resizeSplat(type.clone(shape))).getResult());
      else if (Operation *copy = rewriter_.clone(op, mapping); type.getShape() == step)
        copy->getResult(0).setType(type.clone(shape));
    }
    Arrays results;
    for (Value value : body.getTerminator()->getOperands().take_front(after.size()))
      results.push_back(mapping.lookup(value));
    return results;
  }

  chlo::ScanOp scan_;
  PatternRewriter &rewriter_;
  Location loc_;
  int64_t dimension_;
};

struct ScanTreePattern : OpRewritePattern<chlo::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::ScanOp scan, PatternRewriter &rewriter) const override {
    if (!scan.getIsAssociative().value_or(false) || !ScanTree::isPossible(scan))
      return failure();
    rewriter.replaceOp(scan, ScanTree(scan, rewriter).build());
    return success();
  }
};

} // namespace

void populateAssociativeScanPatterns(RewritePatternSet &patterns) {
  patterns.add<AssociativeScanPattern>(patterns.getContext(), /*benefit=*/3);
  patterns.add<ScanTreePattern>(patterns.getContext(), /*benefit=*/2);
}

} // namespace tenon::passes

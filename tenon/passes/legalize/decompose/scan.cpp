// chlo.scan as a while loop: each step takes a slice of the inputs and writes one of the outputs.

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

class ScanLoop {
public:
  ScanLoop(chlo::ScanOp scan, int64_t size, PatternRewriter &rewriter)
      : scan_(scan), loc_(scan.getLoc()), dimension_(scan.getDimension()), size_(size), rewriter_(rewriter) {}

  // Outputs, then carries. The loop carries the step, the outputs and the carries.
  SmallVector<Value> build() {
    SmallVector<Value> initial{number(0)};
    for (Value output : scan_.getOutputs())
      initial.push_back(zeros(typeOf(output)));
    llvm::append_range(initial, scan_.getInits());
    if (size_ == 0) // nothing that a body could slice
      return SmallVector<Value>(ArrayRef(initial).drop_front());
    SmallVector<Type> types(ValueRange(initial).getTypes());
    auto loop = sh::WhileOp::create(rewriter_, loc_, types, initial);
    SmallVector<Location> locations(types.size(), loc_);
    OpBuilder::InsertionGuard guard(rewriter_);
    Block *cond = rewriter_.createBlock(&loop.getCond(), {}, types, locations);
    Value more =
        sh::CompareOp::create(rewriter_, loc_, RankedTensorType::get({}, rewriter_.getI1Type()), cond->getArgument(0),
                              number(size_), sh::ComparisonDirection::LT, sh::ComparisonTypeAttr());
    sh::ReturnOp::create(rewriter_, loc_, more);
    buildBody(rewriter_.createBlock(&loop.getBody(), {}, types, locations));
    return SmallVector<Value>(loop->getResults().drop_front());
  }

private:
  void buildBody(Block *block) {
    size_t outputs = scan_.getOutputs().size();
    Value step = block->getArgument(0), at = step;
    if (scan_.getIsReverse())
      at = sh::SubtractOp::create(rewriter_, loc_, step.getType(), number(size_ - 1), step);
    SmallVector<Value> arguments;
    for (Value input : scan_.getInputs())
      arguments.push_back(sliceOf(input, at));
    llvm::append_range(arguments, block->getArguments().drop_front(1 + outputs));
    Block &body = scan_.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), arguments);
    for (Operation &op : body.without_terminator())
      rewriter_.clone(op, mapping);
    SmallVector<Value> next{sh::AddOp::create(rewriter_, loc_, step.getType(), step, number(1))};
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      Value given = mapping.lookupOrDefault(value);
      next.push_back(i < outputs ? withSlice(block->getArgument(1 + i), given, at) : given);
    }
    sh::ReturnOp::create(rewriter_, loc_, next);
  }

  Value number(int64_t value) {
    auto type = RankedTensorType::get({}, rewriter_.getI64Type());
    return sh::ConstantOp::create(rewriter_, loc_, SplatElementsAttr::get(type, APInt(64, value)));
  }
  Value zeros(RankedTensorType type) {
    auto scalar = RankedTensorType::get({}, rewriter_.getI1Type());
    Value zero = sh::ConstantOp::create(rewriter_, loc_, SplatElementsAttr::get(scalar, false));
    zero = sh::ConvertOp::create(rewriter_, loc_, scalar.clone(type.getElementType()), zero);
    return sh::BroadcastInDimOp::create(rewriter_, loc_, type, zero, ArrayRef<int64_t>{});
  }
  SmallVector<Value> starts(int64_t rank, Value at) {
    SmallVector<Value> result(rank, number(0));
    result[dimension_] = at;
    return result;
  }
  Value sliceOf(Value input, Value at) {
    RankedTensorType type = typeOf(input);
    SmallVector<int64_t> sizes(type.getShape());
    sizes[dimension_] = 1;
    Value slice =
        sh::DynamicSliceOp::create(rewriter_, loc_, type.clone(sizes), input, starts(type.getRank(), at), sizes);
    sizes.erase(sizes.begin() + dimension_);
    return sh::ReshapeOp::create(rewriter_, loc_, type.clone(sizes), slice);
  }
  Value withSlice(Value output, Value slice, Value at) {
    RankedTensorType type = typeOf(output);
    SmallVector<int64_t> sizes(type.getShape());
    sizes[dimension_] = 1;
    Value update = sh::ReshapeOp::create(rewriter_, loc_, type.clone(sizes), slice);
    return sh::DynamicUpdateSliceOp::create(rewriter_, loc_, type, output, update, starts(type.getRank(), at));
  }

  chlo::ScanOp scan_;
  Location loc_;
  int64_t dimension_, size_;
  PatternRewriter &rewriter_;
};

struct ScanPattern : OpRewritePattern<chlo::ScanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(chlo::ScanOp scan, PatternRewriter &rewriter) const override {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    std::optional<uint64_t> given = scan.getScanDimSize();
    if (!llvm::all_of(scan->getOperandTypes(), isStatic) || !llvm::all_of(scan->getResultTypes(), isStatic) ||
        (scan.getInputs().empty() && !given))
      return failure();
    int64_t size =
        scan.getInputs().empty() ? int64_t(*given) : typeOf(scan.getInputs()[0]).getDimSize(scan.getDimension());
    rewriter.replaceOp(scan, ScanLoop(scan, size, rewriter).build());
    return success();
  }
};

} // namespace

void populateScanPatterns(RewritePatternSet &patterns) { patterns.add<ScanPattern>(patterns.getContext()); }

} // namespace tenon::passes

#include "tenon/passes/partition/late_products.h"

#include "tenon/ir/mesh.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tf32.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/cutter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// A carried array whose parts are products, each put into its place once.
struct StackedProduct {
  unsigned number; // of what the loop carries
  sh::DotGeneralOp product;
  sh::TransposeOp transposed; // or null
  sh::DynamicUpdateSliceOp update;
  int64_t direction; // 1: the first iteration's is in front; -1: the last one's
};

// The sum of a smaller stack is made with that of the loss, and moving operands takes meetings (place.cpp).
constexpr int64_t kLeastBytes = 512 << 10;
// A stack of operands is in memory, which that of a few columns of weights would not be.
constexpr int64_t kMostTimes = 4;

Value onlyOperand(Operation *op) { return op->hasOneUse() ? op->getOperand(0) : Value(); }

class LateProducts {
public:
  LateProducts(sh::WhileOp loop, ir::MeshTable &meshes)
      : loop_(loop), meshes_(meshes), body_(loop.getBody().front()), trips_(ir::tripCount(loop)) {}

  void run() {
    auto shardings = loop_->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
    if (trips_ < 2 || !shardings || shardings.getShardings().size() != loop_->getNumResults())
      return;
    for (unsigned i = 0; i < loop_->getNumResults(); ++i)
      if (std::optional<StackedProduct> found = find(i); found && pays(*found))
        products_.push_back(*found);
    if (!products_.empty())
      rewrite();
  }

private:
  //===- What there is -------------------------------------------------------------------------------------------===//

  // In which direction iterations follow each other in a stack, if each is in another place, and all places are some
  // iteration's; 0 if not.
  int64_t directionOf(ValueRange starts, int64_t size) {
    auto isZero = [](Value start) { return matchPattern(start, m_Zero()); };
    if (size != trips_ || !llvm::all_of(starts.drop_front(), isZero))
      return 0;
    std::optional<ir::IterationNumber> place = ir::iterationNumber(starts.front(), loop_);
    bool isUp = place && place->factor == 1 && place->constant == 0;
    bool isDown = place && place->factor == -1 && place->constant == trips_ - 1;
    return isUp || isDown ? place->factor : 0;
  }

  // What the update puts into a carried array in each iteration, without the dimension of size one in front.
  Value stackedBy(sh::DynamicUpdateSliceOp update, unsigned number) {
    BlockArgument argument = body_.getArgument(number);
    if (!update || !argument.hasOneUse() || !update->hasOneUse() || update.getOperand() != argument ||
        !loop_.getCond().front().getArgument(number).use_empty())
      return {};
    ArrayRef<int64_t> stack = ir::shapeOf(argument), part = ir::shapeOf(update.getUpdate());
    if (stack.empty() || part.front() != 1 || part.drop_front() != stack.drop_front() ||
        directionOf(update.getStartIndices(), stack.front()) == 0)
      return {};
    Operation *put = update.getUpdate().getDefiningOp();
    if (!isa_and_present<sh::BroadcastInDimOp, sh::ReshapeOp>(put) || put->getBlock() != &body_)
      return {};
    Value value = onlyOperand(put);
    if (!value || ir::shapeOf(value) != part.drop_front())
      return {};
    auto broadcast = dyn_cast<sh::BroadcastInDimOp>(put);
    bool isInOrder = !broadcast || llvm::equal(broadcast.getBroadcastDimensions(),
                                               llvm::seq<int64_t>(1, static_cast<int64_t>(part.size())));
    return isInOrder ? value : Value();
  }

  std::optional<StackedProduct> find(unsigned number) {
    auto update = body_.getTerminator()->getOperand(number).getDefiningOp<sh::DynamicUpdateSliceOp>();
    Value value = stackedBy(update, number);
    auto transposed = value ? value.getDefiningOp<sh::TransposeOp>() : sh::TransposeOp();
    if (transposed)
      value = onlyOperand(transposed);
    auto product = value ? value.getDefiningOp<sh::DotGeneralOp>() : sh::DotGeneralOp();
    if (!product || !product->hasOneUse() || product->getBlock() != &body_ ||
        !product.getDotDimensionNumbers().getLhsBatchingDimensions().empty())
      return std::nullopt;
    bool areInside =
        llvm::all_of(product->getOperands(), [&](Value operand) { return operand.getParentBlock() == &body_; });
    bool areNumbers = llvm::all_of(product->getOperandTypes(), [](Type type) {
      return cast<RankedTensorType>(type).getElementType().isIntOrFloat();
    });
    if (!areInside || !areNumbers)
      return std::nullopt;
    return StackedProduct{number, product, transposed, update, directionOf(update.getStartIndices(), trips_)};
  }

  // Whether devices would have summands of a gradient that is no smaller than what can be moved in its place.
  bool pays(StackedProduct found) {
    sh::DotGeneralOp product = found.product;
    sh::DotDimensionNumbersAttr numbers = product.getDotDimensionNumbers();
    auto isCut = [&](Value operand, ArrayRef<int64_t> dims) {
      std::optional<ir::Sharding> sharding = shardingOf(operand);
      return sharding && llvm::any_of(dims, [&](int64_t dim) { return !sharding->dims[dim].axes.empty(); });
    };
    auto [least, most] =
        std::minmax({ir::storedBytes(ir::typeOf(product.getLhs())), ir::storedBytes(ir::typeOf(product.getRhs()))});
    int64_t given = ir::storedBytes(ir::typeOf(product.getResult()));
    return trips_ * given >= kLeastBytes && least <= given && most <= kMostTimes * given &&
           Cutter::isUpdate(loop_->getResult(found.number)) && shardingOf(product.getLhs()) &&
           shardingOf(product.getRhs()) &&
           (isCut(product.getLhs(), numbers.getLhsContractingDimensions()) ||
            isCut(product.getRhs(), numbers.getRhsContractingDimensions()));
  }

  std::optional<ir::Sharding> shardingOf(Value value) {
    unsigned number = 0;
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      op = loop_;
      number = argument.getArgNumber();
    } else {
      number = cast<OpResult>(value).getResultNumber();
    }
    auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
    if (!perValue || perValue.getShardings().size() <= number)
      return std::nullopt;
    StatusOr<ir::Sharding> sharding = meshes_.read(perValue.getShardings()[number], ir::typeOf(value).getRank());
    return sharding.ok() ? std::optional(*std::move(sharding)) : std::nullopt;
  }

  //===- What comes of it ----------------------------------------------------------------------------------------===//

  // The attribute of a stack of such values; null where nothing is known of them.
  sdy::TensorShardingAttr stackSharding(Value value) {
    std::optional<ir::Sharding> sharding = shardingOf(value);
    if (!sharding)
      return {};
    sharding->dims.insert(sharding->dims.begin(), ir::DimCut{.axes = {}, .isClosed = true, .priority = {}});
    return meshes_.write(*sharding);
  }
  static void mark(Value value, sdy::TensorShardingAttr sharding) {
    if (sharding)
      value.getDefiningOp()->setAttr("sdy.sharding",
                                     sdy::TensorShardingPerValueAttr::get(value.getContext(), {sharding}));
  }
  RankedTensorType stackOf(RankedTensorType type) const {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), trips_);
    return type.clone(shape);
  }

  // The stack that the value is read from in this direction, as it is before the loop; or null.
  Value readFrom(Value value, int64_t direction) {
    auto reshape = value.getDefiningOp<sh::ReshapeOp>();
    auto slice = reshape ? reshape.getOperand().getDefiningOp<sh::DynamicSliceOp>() : sh::DynamicSliceOp();
    if (!slice || slice.getSliceSizes().front() != 1)
      return {};
    ArrayRef<int64_t> stack = ir::shapeOf(slice.getOperand());
    if (directionOf(slice.getStartIndices(), stack.front()) != direction || stack.drop_front() != ir::shapeOf(value) ||
        slice.getSliceSizes().drop_front() != stack.drop_front())
      return {};
    if (auto argument = dyn_cast<BlockArgument>(slice.getOperand()); argument && argument.getOwner() == &body_)
      return body_.getTerminator()->getOperand(argument.getArgNumber()) == argument
                 ? loop_->getOperand(argument.getArgNumber())
                 : Value();
    return loop_->isAncestor(slice.getOperand().getParentRegion()->getParentOp()) ? Value() : slice.getOperand();
  }

  // Which values are to be stacked, each once, and where the first product that needs it is put.
  void collect() {
    for (StackedProduct found : products_) {
      for (Value operand : {found.product.getLhs(), found.product.getRhs()}) {
        std::pair key{operand, found.direction};
        if (Value known = readFrom(operand, found.direction))
          stacks_.insert({key, known});
        else if (!stacks_.contains(key)) {
          stacks_.insert({key, Value()});
          added_.push_back({key, found.update});
        }
      }
    }
  }

  void rewrite() {
    collect();
    OpBuilder builder(loop_);
    SmallVector<Value> operands(loop_->getOperands());
    SmallVector<sdy::TensorShardingAttr> shardings(
        loop_->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding").getShardings());
    Operation *end = body_.getTerminator();
    SmallVector<Value> given(end->getOperands());
    for (auto &[key, update] : added_) {
      Value value = key.first;
      RankedTensorType type = stackOf(ir::typeOf(value));
      sdy::TensorShardingAttr sharding = stackSharding(value);
      auto zeros = cast<DenseElementsAttr>(builder.getZeroAttr(type));
      operands.push_back(sh::ConstantOp::create(builder, value.getLoc(), zeros));
      mark(operands.back(), sharding);
      shardings.push_back(sharding);
      loop_.getCond().front().addArgument(type, value.getLoc());
      Value stack = body_.addArgument(type, value.getLoc());
      OpBuilder inside(end);
      SmallVector<int64_t> shape(type.getShape());
      shape.front() = 1;
      Value part = sh::ReshapeOp::create(inside, value.getLoc(), type.clone(shape), value);
      mark(part, sharding);
      SmallVector<Value> starts(type.getRank(), zeroLike(inside, update.getStartIndices().front()));
      starts.front() = update.getStartIndices().front();
      given.push_back(sh::DynamicUpdateSliceOp::create(inside, value.getLoc(), stack, part, starts));
      mark(given.back(), sharding);
    }
    // What was stacked stays as it is, and nobody reads it.
    for (StackedProduct found : products_)
      given[found.number] = body_.getArgument(found.number);
    builder.setInsertionPoint(end);
    sh::ReturnOp::create(builder, end->getLoc(), given);
    builder.setInsertionPoint(loop_);
    end->erase();
    finish(builder, operands, shardings);
  }

  static Value zeroLike(OpBuilder &builder, Value value) {
    return sh::ConstantOp::create(builder, value.getLoc(),
                                  cast<DenseElementsAttr>(builder.getZeroAttr(value.getType())));
  }

  // Builds the loop with what it carries now, and the products behind it.
  void finish(OpBuilder &builder, ArrayRef<Value> operands, ArrayRef<sdy::TensorShardingAttr> shardings) {
    auto loop = sh::WhileOp::create(builder, loop_.getLoc(), ValueRange(operands).getTypes(), operands);
    loop->setAttr("sdy.sharding", sdy::TensorShardingPerValueAttr::get(loop.getContext(), shardings));
    size_t before = loop_->getNumResults();
    for (auto [i, entry] : llvm::enumerate(added_))
      stacks_[entry.first] = loop->getResult(before + i);
    SmallVector<std::pair<unsigned, Value>> late;
    for (StackedProduct found : products_)
      late.push_back({found.number, productOf(builder, found)});
    for (auto [number, value] : late)
      loop_->getResult(number).replaceAllUsesWith(value);
    for (size_t i = 0; i < before; ++i)
      loop_->getResult(i).replaceAllUsesWith(loop->getResult(i));
    loop.getCond().takeBody(loop_.getCond());
    loop.getBody().takeBody(loop_.getBody());
    for (StackedProduct found : products_)
      dropUnused(found.transposed ? found.transposed : found.product);
    loop_->erase();
  }

  // The ops that put the value into the stack, and the product.
  static void dropUnused(Operation *op) {
    SmallVector<Operation *> users;
    for (Operation *at = op; at; at = at->use_empty() ? nullptr : *at->user_begin())
      users.push_back(at);
    if (auto transposed = dyn_cast<sh::TransposeOp>(op))
      users.insert(users.begin(), transposed.getOperand().getDefiningOp());
    for (Operation *user : llvm::reverse(users))
      user->erase();
  }

  Value productOf(OpBuilder &builder, StackedProduct found) {
    sh::DotGeneralOp product = found.product;
    sh::DotDimensionNumbersAttr numbers = product.getDotDimensionNumbers();
    auto behind = [](ArrayRef<int64_t> dims) { return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; }); };
    auto dims =
        sh::DotDimensionNumbersAttr::get(product.getContext(), {0}, {0}, behind(numbers.getLhsContractingDimensions()),
                                         behind(numbers.getRhsContractingDimensions()));
    Value result = sh::DotGeneralOp::create(builder, product.getLoc(), stackOf(ir::typeOf(product.getResult())),
                                            stacks_[{product.getLhs(), found.direction}],
                                            stacks_[{product.getRhs(), found.direction}], dims,
                                            product.getPrecisionConfigAttr(), product.getAlgorithmAttr());
    ir::copyTf32Operands(product, result.getDefiningOp());
    mark(result, stackSharding(product.getResult()));
    if (!found.transposed)
      return result;
    sdy::TensorShardingAttr sharding = stackSharding(found.transposed.getResult());
    SmallVector<int64_t> order = behind(found.transposed.getPermutation());
    order.insert(order.begin(), 0);
    result = sh::TransposeOp::create(builder, product.getLoc(), stackOf(ir::typeOf(found.transposed.getResult())),
                                     result, order);
    mark(result, sharding);
    return result;
  }

  sh::WhileOp loop_;
  ir::MeshTable &meshes_;
  Block &body_;
  int64_t trips_;
  SmallVector<StackedProduct> products_;
  using Key = std::pair<Value, int64_t>; // with the direction of its stack
  llvm::MapVector<Key, Value> stacks_;   // by what is in them
  SmallVector<std::pair<Key, sh::DynamicUpdateSliceOp>> added_;
};

} // namespace

void multiplyAfterLoops(func::FuncOp main) {
  ir::MeshTable meshes(main->getParentOfType<ModuleOp>());
  SmallVector<sh::WhileOp> loops(main.getBody().front().getOps<sh::WhileOp>());
  for (sh::WhileOp loop : loops)
    LateProducts(loop, meshes).run();
}

} // namespace tenon::passes::partition

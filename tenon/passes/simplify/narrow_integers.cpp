// Images are of bytes, whose sums and products programs compute in i32 so that they do not wrap. A vector holds two or
// four times as many of the numbers in the bits that they need.
//
//   %0 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xi32>
//   %1 = stablehlo.convert %y : (tensor<64xui8>) -> tensor<64xi32>
//   %2 = stablehlo.add %0, %1 : tensor<64xi32>
//   %3 = stablehlo.minimum %2, %c255 : tensor<64xi32>
//   %4 = stablehlo.convert %3 : (tensor<64xi32>) -> tensor<64xui8>
// =>
//   %0 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xi16>
//   %1 = stablehlo.convert %y : (tensor<64xui8>) -> tensor<64xi16>
//   %2 = stablehlo.add %0, %1 : tensor<64xi16>
//   %3 = stablehlo.minimum %2, %c255 : tensor<64xi16>
//   %4 = stablehlo.convert %3 : (tensor<64xi16>) -> tensor<64xui8>
//
// Ops that compute with each other's values form a web, all of which is computed in one type: that of the fewest bits
// that has the bounds of every value in it. Results stay the same to the bit, as no value wraps in either type.

#include "tenon/passes/simplify/narrow_integers.h"

#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr int64_t kLeast = -(1 << 15), kMost = (1 << 16) - 1; // of what is looked at

struct Bounds {
  int64_t min = 0, max = 0;
};
using MaybeBounds = std::optional<Bounds>;

// None for what no type of 16 bits has.
MaybeBounds within(int64_t min, int64_t max) {
  return min >= kLeast && max <= kMost ? MaybeBounds({min, max}) : std::nullopt;
}

Bounds joined(Bounds a, Bounds b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

MaybeBounds ofCorners(Bounds a, Bounds b, llvm::function_ref<int64_t(int64_t, int64_t)> f) {
  auto [min, max] = std::minmax({f(a.min, b.min), f(a.min, b.max), f(a.max, b.min), f(a.max, b.max)});
  return within(min, max);
}

// Numbers that are not negative whose bits are combined by "or" and the like.
MaybeBounds ofBits(Bounds a, Bounds b) {
  if (a.min < 0 || b.min < 0)
    return std::nullopt;
  return within(0, int64_t(llvm::NextPowerOf2(std::max(a.max, b.max))) - 1);
}

IntegerType integerOf(Value value) { return dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType())); }
bool isWide(Value value) { return integerOf(value) && integerOf(value).getWidth() >= 32; }
bool isNarrow(Value value) { return integerOf(value) && integerOf(value).getWidth() <= 16; }

Bounds boundsOfType(IntegerType type) {
  unsigned width = type.getWidth();
  if (width == 1)
    return {0, 1};
  return type.isUnsigned() ? Bounds{0, (1 << width) - 1} : Bounds{-(1 << (width - 1)), (1 << (width - 1)) - 1};
}

MaybeBounds boundsOfConstant(Value value) {
  constexpr int64_t kMostElements = 64;
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || elements.getNumElements() == 0 ||
      (!elements.isSplat() && elements.getNumElements() > kMostElements))
    return std::nullopt;
  bool isUnsigned = integerOf(value).isUnsigned();
  MaybeBounds bounds;
  for (const APInt &element : elements.getValues<APInt>()) {
    if (element.getBitWidth() > 64 || (isUnsigned && element.getActiveBits() > 32))
      return std::nullopt;
    int64_t number = isUnsigned ? int64_t(element.getZExtValue()) : element.getSExtValue();
    bounds = bounds ? joined(*bounds, {number, number}) : Bounds{number, number};
    if (elements.isSplat())
      break;
  }
  return within(bounds->min, bounds->max);
}

// Elements of the operands, and no others.
bool onlyMoves(Operation *op) {
  return isa<sh::ReshapeOp, sh::BroadcastInDimOp, sh::SliceOp, sh::TransposeOp, sh::ReverseOp, sh::ConcatenateOp,
             sh::PadOp>(op);
}

// Whether vectors of 8 bits have no instructions for the op.
bool wants16Bits(Operation *op) {
  return isa<sh::MultiplyOp, sh::DivideOp, sh::RemainderOp, sh::ShiftLeftOp, sh::ShiftRightArithmeticOp,
             sh::ShiftRightLogicalOp>(op);
}

// Whether the op's blocks are narrowed, too.
bool hasBlocks(Operation *op) { return isa<sh::WhileOp, sh::IfOp, sh::CaseOp>(op); }

class Narrowing {
public:
  explicit Narrowing(Block &block) : block_(block) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block_))
      visit(&op);
    for (Operation *member : members_)
      checkUses(member);
    llvm::MapVector<Operation *, SmallVector<Operation *>> webs;
    for (Operation *member : members_)
      webs[webs_.getLeaderValue(member)].push_back(member);
    for (auto &[leader, web] : webs)
      if (!refused_.contains(leader))
        narrow(web);
    // What is left over: conversions to the wide type, and what bounds decided. Loops and branches stay, since their
    // blocks may be narrowed after this one.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block_)))
      if (!hasBlocks(&op) && isOpTriviallyDead(&op))
        op.erase();
  }

private:
  // What is known of a value: a member's, or that of what the web begins with.
  MaybeBounds boundsOf(Value value) {
    if (auto known = bounds_.find(value); known != bounds_.end())
      return known->second;
    if (!isWide(value))
      return std::nullopt;
    auto convert = value.getDefiningOp<sh::ConvertOp>();
    MaybeBounds bounds = convert && isNarrow(convert.getOperand())
                             ? MaybeBounds(boundsOfType(integerOf(convert.getOperand())))
                             : boundsOfConstant(value);
    return bounds && wrapsNot(value, *bounds) ? bounds : std::nullopt;
  }

  // Whether the wide type has the numbers, too.
  static bool wrapsNot(Value value, Bounds bounds) { return bounds.min >= 0 || !integerOf(value).isUnsigned(); }

  void visit(Operation *op) {
    if (simplify(op))
      return;
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return;
    Value result = op->getResult(0);
    bool compares = isa<sh::CompareOp>(op);
    if ((!compares && !isWide(result)) || isa<sh::ConvertOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return;
    SmallVector<Bounds> operands;
    for (Value operand : op->getOperands()) {
      if (isa<sh::SelectOp>(op) && operand == op->getOperand(0))
        continue;
      MaybeBounds bounds = boundsOf(operand);
      if (!bounds)
        return;
      operands.push_back(*bounds);
    }
    MaybeBounds bounds = compares ? joinedOf(operands) : boundsOfResult(op, operands);
    if (!bounds || (!compares && !wrapsNot(result, *bounds)))
      return;
    if (!compares)
      bounds_[result] = *bounds;
    members_.push_back(op);
    webs_.insert(op);
    for (Value operand : op->getOperands())
      if (bounds_.contains(operand))
        webs_.unionSets(op, operand.getDefiningOp());
  }

  // What bounds decide: clamps that change nothing, and the corrections of floored quotients.
  bool simplify(Operation *op) {
    auto replaceBy = [&](Value value) {
      if (value.getType() != op->getResult(0).getType())
        return false;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      return true;
    };
    if (isa<sh::MaximumOp, sh::MinimumOp>(op))
      for (unsigned i : {0U, 1U}) {
        MaybeBounds kept = boundsOf(op->getOperand(i)), other = boundsOf(op->getOperand(1 - i));
        if (kept && other && (isa<sh::MaximumOp>(op) ? kept->min >= other->max : kept->max <= other->min))
          return replaceBy(op->getOperand(i));
      }
    if (auto select = dyn_cast<sh::SelectOp>(op)) {
      auto compare = select.getPred().getDefiningOp<sh::CompareOp>();
      MaybeBounds x = compare ? boundsOf(compare.getLhs()) : std::nullopt,
                  y = x ? boundsOf(compare.getRhs()) : std::nullopt;
      if (y && compare.getComparisonDirection() == sh::ComparisonDirection::LT && x->min >= y->max)
        return replaceBy(select.getOnFalse());
    }
    return false;
  }

  static Bounds joinedOf(ArrayRef<Bounds> operands) {
    Bounds all = operands.front();
    for (Bounds each : operands)
      all = joined(all, each);
    return all;
  }

  static MaybeBounds boundsOfResult(Operation *op, ArrayRef<Bounds> x) {
    if (onlyMoves(op))
      return joinedOf(x);
    auto number = [&](unsigned i) { return x[i].min == x[i].max ? std::optional(x[i].min) : std::nullopt; };
    auto shift = [&] { return number(1) && *number(1) >= 0 && *number(1) < 16 ? number(1) : std::nullopt; };
    return TypeSwitch<Operation *, MaybeBounds>(op)
        .Case([&](sh::AddOp) { return passes::within(x[0].min + x[1].min, x[0].max + x[1].max); })
        .Case([&](sh::SubtractOp) { return passes::within(x[0].min - x[1].max, x[0].max - x[1].min); })
        .Case([&](sh::MultiplyOp) { return ofCorners(x[0], x[1], std::multiplies<int64_t>()); })
        .Case([&](sh::MaximumOp) { return Bounds{std::max(x[0].min, x[1].min), std::max(x[0].max, x[1].max)}; })
        .Case([&](sh::MinimumOp) { return Bounds{std::min(x[0].min, x[1].min), std::min(x[0].max, x[1].max)}; })
        .Case([&](sh::ClampOp) {
          auto least = std::min(std::max(x[1].min, x[0].min), x[2].min);
          return Bounds{least, std::min(std::max(x[1].max, x[0].max), x[2].max)};
        })
        .Case([&](sh::SelectOp) { return joined(x[0], x[1]); })
        .Case([&](sh::AbsOp) { return passes::within(0, std::max(std::abs(x[0].min), std::abs(x[0].max))); })
        .Case([&](sh::NegateOp) { return passes::within(-x[0].max, -x[0].min); })
        .Case([&](sh::AndOp) {
          return x[0].min < 0 || x[1].min < 0 ? MaybeBounds() : Bounds{0, std::min(x[0].max, x[1].max)};
        })
        .Case<sh::OrOp, sh::XorOp>([&](auto) { return ofBits(x[0], x[1]); })
        .Case([&](sh::DivideOp) {
          bool isPositive = number(1) && *number(1) > 0;
          return isPositive ? MaybeBounds({x[0].min / *number(1), x[0].max / *number(1)}) : std::nullopt;
        })
        .Case([&](sh::RemainderOp) {
          bool isPositive = number(1) && *number(1) > 0;
          auto least = isPositive ? std::max(std::min<int64_t>(x[0].min, 0), 1 - *number(1)) : 0;
          return isPositive ? MaybeBounds({least, std::max<int64_t>(std::min(x[0].max, *number(1) - 1), 0)})
                            : std::nullopt;
        })
        .Case([&](sh::ShiftLeftOp) {
          return shift() ? passes::within(x[0].min * (1 << *shift()), x[0].max * (1 << *shift())) : std::nullopt;
        })
        .Case<sh::ShiftRightArithmeticOp, sh::ShiftRightLogicalOp>([&](auto) {
          bool isKnown = shift() && (x[0].min >= 0 || isa<sh::ShiftRightArithmeticOp>(op));
          return isKnown ? MaybeBounds({x[0].min >> *shift(), x[0].max >> *shift()}) : std::nullopt;
        })
        .Default(MaybeBounds());
  }

  // A web stays as it is where a value of it is needed in the wide type.
  void checkUses(Operation *member) {
    if (isa<sh::CompareOp>(member))
      return;
    for (Operation *user : member->getResult(0).getUsers()) {
      auto convert = dyn_cast<sh::ConvertOp>(user);
      bool isInWeb = webs_.contains(user);
      if (user->getBlock() != &block_ || (!isInWeb && !(convert && isNarrow(convert.getResult()))))
        refused_.insert(webs_.getLeaderValue(member));
    }
  }

  // The type of all values of a web, or none where none of 16 bits has them all.
  IntegerType typeOf(ArrayRef<Operation *> web) {
    Bounds all;
    bool isWide16 = false, isSigned = false;
    for (Operation *member : web) {
      for (Value operand : member->getOperands())
        if (MaybeBounds bounds = boundsOf(operand))
          all = joined(all, *bounds);
      if (MaybeBounds bounds = boundsOf(member->getResult(0)))
        all = joined(all, *bounds);
      isWide16 |= wants16Bits(member);
      isSigned |= isa<sh::AbsOp>(member);
    }
    for (unsigned width : {8U, 16U})
      for (bool isUnsigned : {false, true}) {
        auto type = IntegerType::get(block_.getParentOp()->getContext(), width,
                                     isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
        Bounds bounds = boundsOfType(type);
        if (all.min >= bounds.min && all.max <= bounds.max && !(isWide16 && width < 16) && !(isSigned && isUnsigned))
          return type;
      }
    return {};
  }

  static bool pays(ArrayRef<Operation *> web) {
    constexpr int64_t kLeastElements = 64;
    return llvm::any_of(web, [](Operation *member) {
      return !onlyMoves(member) && cast<ShapedType>(member->getResult(0).getType()).getNumElements() >= kLeastElements;
    });
  }

  void narrow(ArrayRef<Operation *> web) {
    IntegerType type = pays(web) ? typeOf(web) : IntegerType();
    if (!type)
      return;
    IRMapping narrow;
    for (Operation *member : web) {
      OpBuilder builder(member);
      for (Value operand : member->getOperands())
        if (isWide(operand) && !narrow.contains(operand))
          narrow.map(operand, beginning(builder, operand, type));
      copy(builder, member, narrow, type);
    }
    for (Operation *member : llvm::reverse(web))
      member->erase();
  }

  // What a web begins with, in its type.
  static Value beginning(OpBuilder &builder, Value value, IntegerType type) {
    auto narrowType = cast<RankedTensorType>(value.getType()).clone(type);
    if (auto convert = value.getDefiningOp<sh::ConvertOp>()) {
      Value source = convert.getOperand();
      return source.getType() == narrowType ? source
                                            : sh::ConvertOp::create(builder, value.getLoc(), narrowType, source);
    }
    DenseIntElementsAttr elements;
    matchPattern(value, m_Constant(&elements));
    auto narrowed = elements.mapValues(type, [&](const APInt &element) { return element.trunc(type.getWidth()); });
    return sh::ConstantOp::create(builder, value.getLoc(), cast<ElementsAttr>(narrowed));
  }

  // The member in the web's type, in its place for all that uses it.
  static void copy(OpBuilder &builder, Operation *member, IRMapping &narrow, IntegerType type) {
    Value wide = member->getResult(0);
    if (auto compare = dyn_cast<sh::CompareOp>(member)) {
      auto copied = cast<sh::CompareOp>(builder.clone(*member, narrow));
      copied.setCompareType(type.isUnsigned() ? sh::ComparisonType::UNSIGNED : sh::ComparisonType::SIGNED);
      wide.replaceAllUsesWith(copied.getResult());
      return;
    }
    Value result;
    if (auto shift = dyn_cast<sh::ShiftRightArithmeticOp>(member); shift && type.isUnsigned()) {
      result = sh::ShiftRightLogicalOp::create(builder, shift.getLoc(), narrow.lookup(shift.getLhs()),
                                               narrow.lookup(shift.getRhs()));
    } else {
      result = builder.clone(*member, narrow)->getResult(0);
      result.setType(cast<RankedTensorType>(wide.getType()).clone(type));
    }
    narrow.map(wide, result);
    for (Operation *user : llvm::make_early_inc_range(wide.getUsers())) {
      auto convert = dyn_cast<sh::ConvertOp>(user);
      if (!convert)
        continue;
      convert->setOperand(0, result);
      if (convert.getType() == result.getType()) {
        convert.replaceAllUsesWith(result);
        convert.erase();
      }
    }
  }

  Block &block_;
  llvm::DenseMap<Value, Bounds> bounds_; // of members
  SmallVector<Operation *> members_;     // of webs, in the order of the block
  llvm::EquivalenceClasses<Operation *> webs_;
  llvm::DenseSet<Operation *> refused_; // leaders of webs
};

} // namespace

LogicalResult narrowIntegers(ModuleOp module, const CostModel &costs) {
  if (!costs.hasCores()) // A thread of the hardware computes one number at a time.
    return success();
  SmallVector<Block *> blocks;
  module.walk([&](func::FuncOp function) { blocks.push_back(&function.getBody().front()); });
  module.walk([&](Operation *op) {
    if (hasBlocks(op))
      for (Region &region : op->getRegions())
        blocks.push_back(&region.front());
  });
  for (Block *block : blocks)
    Narrowing(*block).run();
  return success();
}

} // namespace tenon::passes

// Arrays as they lie in the caller's memory.
//
// An array of a layout is, as memory, a row-major array of other sizes: those that its dimensions are padded to, the
// most major first. The arguments and results of main become these, and ops lead from one to the other:
//
//   main(%x: tensor<2x3xf32> {tenon.layout = {minor_to_major = [0, 1], padded = [4, 3]}})
//     =>  main(%m: tensor<3x4xf32>)   %x = slice (transpose %m, [1, 0]) [0:2, 0:3]
//
// Simplification and fusion make them a kernel's order of reading and writing later.
//
// A result whose layout the frontend leaves open (mhlo.layout_mode = "auto") lies as what it is made of, so that
// nothing is moved: a transpose of a row-major array is that array's memory.

#include "tenon/ir/layouts.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/passes.h"
#include "tenon/support/strides.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

struct Layout {
  SmallVector<int64_t> minorToMajor, padded; // padded: for every dimension
  StringRef padding;

  // The dimensions, the one that changes most slowly first, and the sizes of the memory in that order.
  SmallVector<int64_t> majorToMinor() const { return llvm::to_vector(llvm::reverse(minorToMajor)); }
  SmallVector<int64_t> memorySizes() const {
    return llvm::map_to_vector(majorToMinor(), [&](int64_t d) { return padded[d]; });
  }
  bool isDense(RankedTensorType array) const {
    return ArrayRef<int64_t>(padded) == array.getShape() && llvm::is_sorted(majorToMinor());
  }
};

// In what order of dimensions, the one that changes most slowly first, values are made without moving elements: that
// of row-major arrays, seen through transposes and elementwise ops.
class NaturalOrders {
public:
  SmallVector<int64_t> of(Value value, unsigned depth = kMostOps) {
    if (auto known = orders_.find(value); known != orders_.end())
      return known->second;
    SmallVector<int64_t> order = orderOf(value, depth);
    orders_[value] = order;
    return order;
  }

private:
  static constexpr unsigned kMostOps = 64; // one on top of the other

  static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

  // Whether an operand can be read in any order equally well: a scalar, a constant, or a value that is broadcast.
  static bool isIndifferent(Value operand, int64_t rank) {
    if (rankOf(operand) != rank)
      return true;
    if (auto broadcast = operand.getDefiningOp<sh::BroadcastInDimOp>())
      return broadcast.getOperand().getType().getShape() != broadcast.getType().getShape();
    return isa_and_nonnull<sh::ConstantOp, sh::IotaOp>(operand.getDefiningOp());
  }

  SmallVector<int64_t> orderOf(Value value, unsigned depth) {
    SmallVector<int64_t> rowMajor = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(value)));
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0)
      return rowMajor;
    if (auto transpose = dyn_cast<sh::TransposeOp>(op)) {
      SmallVector<int64_t> placeOf(rowMajor.size());
      for (auto [place, d] : llvm::enumerate(transpose.getPermutation()))
        placeOf[d] = static_cast<int64_t>(place);
      return llvm::map_to_vector(of(transpose.getOperand(), depth - 1), [&](int64_t d) { return placeOf[d]; });
    }
    if (!op->hasTrait<ir::Elementwise>())
      return rowMajor;
    std::optional<SmallVector<int64_t>> shared;
    for (Value operand : op->getOperands()) {
      if (isIndifferent(operand, static_cast<int64_t>(rowMajor.size())))
        continue;
      SmallVector<int64_t> order = of(operand, depth - 1);
      if (shared && *shared != order)
        return rowMajor;
      shared = order;
    }
    return shared.value_or(rowMajor);
  }

  llvm::DenseMap<Value, SmallVector<int64_t>> orders_;
};

class Lowering {
public:
  explicit Lowering(func::FuncOp main) : main_(main), builder_(main.getContext()) {}

  LogicalResult run() {
    for (BlockArgument argument : main_.getArguments())
      if (failed(lowerArgument(argument)))
        return failure();
    auto terminator = cast<func::ReturnOp>(main_.front().getTerminator());
    builder_.setInsertionPoint(terminator);
    for (OpOperand &result : terminator->getOpOperands())
      if (failed(lowerResult(result)))
        return failure();
    finish(terminator);
    return success();
  }

  // Lowers the layouts of results that the frontend leaves open.
  void lowerOpenResults() {
    auto terminator = cast<func::ReturnOp>(main_.front().getTerminator());
    builder_.setInsertionPoint(terminator);
    for (OpOperand &result : terminator->getOpOperands())
      if (isOpen(main_.getResultAttrDict(result.getOperandNumber())))
        lowerTo(result, naturalLayout(result));
    finish(terminator);
  }

  // Whole arrays, of which the devices get parts, stay row-major: who cuts them lays the parts so.
  void nameOpenResults() {
    for (OpOperand &result : main_.front().getTerminator()->getOpOperands()) {
      unsigned i = result.getOperandNumber();
      if (auto layout = isOpen(main_.getResultAttrDict(i)) ? naturalLayout(result) : std::nullopt)
        main_.setResultAttr(i, ir::kLayoutModeAttribute, builder_.getStringAttr(layoutText(layout->minorToMajor)));
    }
  }

private:
  static bool isOpen(DictionaryAttr attributes) {
    auto mode = attributes ? attributes.getAs<StringAttr>(ir::kLayoutModeAttribute) : nullptr;
    return mode && mode == "auto" && !attributes.contains(ir::kLayoutAttribute);
  }

  void finish(func::ReturnOp terminator) {
    dropBrokenAliases();
    main_.setFunctionType(builder_.getFunctionType(main_.front().getArgumentTypes(), terminator.getOperandTypes()));
  }

  // The layout that the attributes name; none if the array is to be row-major.
  FailureOr<std::optional<Layout>> layoutOf(DictionaryAttr attributes, Type type, const Twine &what) {
    auto given = attributes ? attributes.getAs<DictionaryAttr>(ir::kLayoutAttribute) : nullptr;
    auto mode = attributes ? attributes.getAs<StringAttr>(ir::kLayoutModeAttribute) : nullptr;
    if (!given && (!mode || ir::isOpenLayoutMode(mode)))
      return std::optional<Layout>();
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array)
      return main_.emitError() << what << " has a layout, and is no array";
    Layout layout;
    if (given) {
      auto order = given.getAs<DenseI64ArrayAttr>("minor_to_major"), padded = given.getAs<DenseI64ArrayAttr>("padded");
      auto padding = given.getAs<StringAttr>("padding");
      if (!order)
        return main_.emitError() << what << " has a layout without minor_to_major";
      llvm::append_range(layout.minorToMajor, order.asArrayRef());
      llvm::append_range(layout.padded, padded ? padded.asArrayRef() : ArrayRef<int64_t>());
      layout.padding = padding ? padding.getValue() : "";
    } else if (auto order = ir::parseLayout(mode.getValue(), ir::toElementType(array.getElementType()))) {
      llvm::append_range(layout.minorToMajor, *order);
    } else {
      return main_.emitError() << what << " has the layout '" << mode.getValue()
                               << "', which is no order of dimensions";
    }
    if (layout.padded.empty())
      llvm::append_range(layout.padded, array.getShape());
    bool fits = isPermutation(layout.minorToMajor, array.getRank()) &&
                static_cast<int64_t>(layout.padded.size()) == array.getRank() &&
                llvm::all_of_zip(layout.padded, array.getShape(), [](int64_t to, int64_t size) { return to >= size; });
    if (!fits)
      return main_.emitError() << what << " has a layout that is not one of " << array;
    return layout.isDense(array) ? std::optional<Layout>() : std::optional<Layout>(layout);
  }

  // The layout in which a result with an open layout is made. Arrays whose sizes only the run knows stay row-major.
  std::optional<Layout> naturalLayout(OpOperand &result) {
    Value value = result.get();
    auto array = dyn_cast<RankedTensorType>(value.getType());
    bool hasSizes = llvm::any_of(llvm::seq(main_.getNumResults()), [&](unsigned i) {
      auto place = main_.getResultAttrOfType<DenseI64ArrayAttr>(i, ir::kSizeOfAttribute);
      return place && place[0] == result.getOperandNumber();
    });
    if (!array || !array.hasStaticShape() || hasSizes)
      return std::nullopt;
    Layout layout;
    layout.minorToMajor = llvm::to_vector(llvm::reverse(naturalOrders_.of(value)));
    llvm::append_range(layout.padded, array.getShape());
    return layout.isDense(array) ? std::optional<Layout>() : layout;
  }

  DictionaryAttr withoutLayout(DictionaryAttr attributes, const std::optional<Layout> &layout, RankedTensorType array) {
    NamedAttrList list(attributes ? attributes : builder_.getDictionaryAttr({}));
    list.erase(ir::kLayoutAttribute);
    list.erase(ir::kLayoutModeAttribute);
    if (layout)
      list.set(ir::kStoredAttribute,
               builder_.getDictionaryAttr(
                   {builder_.getNamedAttr("dims", builder_.getDenseI64ArrayAttr(array.getShape())),
                    builder_.getNamedAttr("minor_to_major", builder_.getDenseI64ArrayAttr(layout->minorToMajor))}));
    return list.getDictionary(builder_.getContext());
  }

  LogicalResult lowerArgument(BlockArgument argument) {
    unsigned i = argument.getArgNumber();
    DictionaryAttr attributes = main_.getArgAttrDict(i);
    auto layout = layoutOf(attributes, argument.getType(), "argument " + Twine(i));
    if (failed(layout))
      return failure();
    auto array = dyn_cast<RankedTensorType>(argument.getType());
    main_.setArgAttrs(i, withoutLayout(attributes, *layout, array));
    if (!*layout)
      return success();
    builder_.setInsertionPointToStart(&main_.front());
    ArrayBuilder b(builder_, argument.getLoc());
    // The uses, before there are ours.
    SmallVector<OpOperand *> uses = llvm::map_to_vector(argument.getUses(), [](OpOperand &use) { return &use; });
    argument.setType(array.clone((*layout)->memorySizes()));
    SmallVector<int64_t> placeOf(array.getRank()), start(array.getRank(), 0);
    for (auto [place, d] : llvm::enumerate((*layout)->majorToMinor()))
      placeOf[d] = static_cast<int64_t>(place);
    Value value = b.transpose(argument, placeOf);
    if (ArrayRef<int64_t>((*layout)->padded) != array.getShape())
      value = b.slice(value, start, array.getShape());
    for (OpOperand *use : uses)
      use->set(value);
    return success();
  }

  // One element, from its bytes.
  DenseElementsAttr paddingElement(Type element, StringRef bytes) {
    auto scalar = RankedTensorType::get({}, element);
    auto part = [&](Type type, size_t offset, size_t size) -> APInt {
      uint64_t bits = 0;
      if (offset < bytes.size())
        std::memcpy(&bits, bytes.data() + offset, std::min(size, bytes.size() - offset));
      return APInt(type.getIntOrFloatBitWidth(), bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    };
    auto real = [&](FloatType type, size_t offset) {
      size_t size = llvm::divideCeil(type.getWidth(), 8);
      return APFloat(type.getFloatSemantics(), part(type, offset * size, size));
    };
    if (auto complex = dyn_cast<ComplexType>(element)) {
      auto type = cast<FloatType>(complex.getElementType());
      return DenseElementsAttr::get(scalar, std::complex<APFloat>(real(type, 0), real(type, 1)));
    }
    if (auto type = dyn_cast<FloatType>(element))
      return DenseElementsAttr::get(scalar, real(type, 0));
    return DenseElementsAttr::get(scalar, part(element, 0, sizeof(uint64_t)));
  }

  LogicalResult lowerResult(OpOperand &result) {
    unsigned i = result.getOperandNumber();
    DictionaryAttr attributes = main_.getResultAttrDict(i);
    auto layout = layoutOf(attributes, result.get().getType(), "result " + Twine(i));
    if (failed(layout))
      return failure();
    lowerTo(result, isOpen(attributes) ? naturalLayout(result) : *layout);
    return success();
  }

  // Makes the result the memory of that layout; none: the row-major one that it is.
  void lowerTo(OpOperand &result, const std::optional<Layout> &layout) {
    unsigned i = result.getOperandNumber();
    auto array = dyn_cast<RankedTensorType>(result.get().getType());
    main_.setResultAttrs(i, withoutLayout(main_.getResultAttrDict(i), layout, array));
    if (!layout)
      return;
    Value value = result.get();
    ArrayBuilder b(builder_, value.getLoc());
    ArrayRef<int64_t> sizes = array.getShape(), padded = layout->padded;
    if (padded != sizes) {
      SmallVector<int64_t> none(array.getRank(), 0), high(array.getRank());
      for (int64_t d = 0; d < array.getRank(); ++d)
        high[d] = padded[d] - sizes[d];
      Value element =
          sh::ConstantOp::create(builder_, value.getLoc(), paddingElement(array.getElementType(), layout->padding));
      value = sh::PadOp::create(builder_, value.getLoc(), array.clone(padded), value, element, none, high, none);
    }
    result.set(b.transpose(value, layout->majorToMinor()));
  }

  // An argument cannot lend its memory to a result of another layout.
  void dropBrokenAliases() {
    for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
      auto alias = main_.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
      if (!alias || alias.getValue().uge(main_.getNumResults()))
        continue;
      if (main_.getArgAttr(i, ir::kStoredAttribute) != main_.getResultAttr(alias.getInt(), ir::kStoredAttribute) ||
          main_.getArgument(i).getType() != main_.front().getTerminator()->getOperand(alias.getInt()).getType())
        main_.removeArgAttr(i, "tf.aliasing_output");
    }
  }

  func::FuncOp main_;
  OpBuilder builder_;
  NaturalOrders naturalOrders_;
};

} // namespace

LogicalResult lowerLayouts(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return Lowering(main).run();
}

LogicalResult lowerOpenLayouts(ModuleOp module) {
  Lowering lowering(module.lookupSymbol<func::FuncOp>("main"));
  if (module->hasAttr(ir::kUnpartitionedAttribute))
    lowering.nameOpenResults();
  else
    lowering.lowerOpenResults();
  return success();
}

} // namespace tenon::passes

#include "test/fuzz/crossing.h"

#include "tenon/checking/interpret_all.h"
#include "test/fuzz/generator.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/ir/register.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"

namespace tenon::fuzz {

using namespace mlir;

//===- What a program has ----------------------------------------------------------------------------------------===//

namespace {

bool isBounded(RankedTensorType type) { return type.getEncoding() && !type.hasStaticShape(); }

// Without a bound.
bool isDynamic(RankedTensorType type) {
  auto bounds = llvm::dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(type.getEncoding());
  for (int64_t d : openDimensions(type))
    if (!bounds || ShapedType::isDynamic(bounds.getBounds()[d]))
      return true;
  return false;
}

Traits traitsOf(Type type) {
  Traits traits;
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return traits;
  Type element = tensor.getElementType();
  if (isDynamic(tensor))
    traits.add(Trait::kDynamic);
  if (isBounded(tensor))
    traits.add(Trait::kBounded);
  if (ir::isComplex(element))
    traits.add(Trait::kComplex);
  if (auto quantized = llvm::dyn_cast<quant::QuantizedType>(element)) {
    traits.add(Trait::kQuantized);
    element = quantized.getStorageType();
  }
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 8 && !ir::isBool(element))
    traits.add(Trait::kSubByte);
  return traits;
}

bool isSharded(Operation *op) {
  return checking::processesOf(op->getParentOfType<ModuleOp>()).size() > 1 ||
         llvm::isa<sdy::SdyDialect>(op->getDialect()) || op->getParentOfType<sdy::ManualComputationOp>();
}

// The least number of programs with an op, though its pairs have all been drawn: they may be others' too.
constexpr uint64_t kLeastPrograms = 20;

std::string pairName(StringRef op, Trait first, Trait second) {
  std::string name = op.str() + " ";
  for (Trait trait : {std::min(first, second), std::max(first, second)})
    name += kTraitLetters[static_cast<int>(trait)];
  return name;
}

void forEachPair(llvm::function_ref<void(Trait, Trait)> take) {
  for (int first = 0; first < kTraits; ++first)
    for (int second = first + 1; second < kTraits; ++second)
      take(Trait(first), Trait(second));
}

} // namespace

Traits traitsOf(Operation *op) {
  Traits traits;
  for (Type type : op->getOperandTypes())
    traits |= traitsOf(type);
  for (Type type : op->getResultTypes())
    traits |= traitsOf(type);
  if (isSharded(op))
    traits.add(Trait::kSharded);
  return traits;
}

bool CrossingRow::takes(Trait trait) const {
  return StringRef(letters).contains(kTraitLetters[static_cast<int>(trait)]);
}

bool CrossingRow::takes(Trait first, Trait second) const {
  StringRef pair = StringRef(kTraitLetters);
  std::string name{pair[static_cast<int>(first)], pair[static_cast<int>(second)]};
  // No element is both.
  if (name == "QC" || name == "CS")
    return false;
  return takes(first) && takes(second) && !StringRef(without).contains(name);
}

const CrossingRow *crossingRow(StringRef op) {
  static const llvm::StringMap<const CrossingRow *> rows = [] {
    llvm::StringMap<const CrossingRow *> rows;
    for (const CrossingRow &row : crossingTable())
      rows[row.op] = &row;
    return rows;
  }();
  return rows.lookup(op);
}

void CrossingCoverage::add(ModuleOp module) {
  module.getBody()->walk([&](Operation *op) {
    Traits traits = traitsOf(op);
    forEachPair([&](Trait first, Trait second) {
      if (traits.has(first) && traits.has(second))
        drawn_.insert(pairName(op->getName().getStringRef(), first, second));
    });
  });
}

bool CrossingCoverage::has(StringRef op, Trait first, Trait second) const {
  return drawn_.contains(pairName(op, first, second));
}

std::vector<std::string> CrossingCoverage::missing(const CrossingRow &row) const {
  std::vector<std::string> missing;
  forEachPair([&](Trait first, Trait second) {
    if (row.takes(first, second) && !has(row.op, first, second))
      missing.push_back(pairName(row.op, first, second));
  });
  return missing;
}

std::vector<std::string> CrossingCoverage::missing() const {
  std::vector<std::string> all;
  for (const CrossingRow &row : crossingTable())
    llvm::append_range(all, missing(row));
  return all;
}

std::vector<std::string> CrossingCoverage::beyondTable() const {
  std::vector<std::string> beyond;
  for (const std::string &name : drawn_) {
    auto [op, pair] = StringRef(name).split(' ');
    const CrossingRow *row = crossingRow(op);
    if (op.ends_with(".return") || pair == "QC" || pair == "CS") // of several values
      continue;
    if (!row || !row->takes(Trait(kTraitLetters.find(pair[0])), Trait(kTraitLetters.find(pair[1]))))
      beyond.push_back(name);
  }
  return beyond;
}

CrossingCoverage drawCoverage(uint64_t seed, uint64_t count) {
  CrossingCoverage coverage;
  for (const Entry &entry : entries()) {
    const CrossingRow *row = crossingRow(entry.name);
    MLIRContext context(MLIRContext::Threading::DISABLED);
    loadAllDialects(context);
    for (uint64_t i = 0; row && i < count && (i < kLeastPrograms || !coverage.missing(*row).empty()); ++i) {
      auto setting = StringRef(entry.name).starts_with("sdy.") || i % 3 == 0 ? Setting::kUnpartitioned
                     : i % 3 == 1                                            ? Setting::kGrid
                                                                             : Setting::kSingleProcess;
      GeneratorOptions options{.seed = seed + i, .ops = 2, .first = &entry, .setting = setting, .twins = 60};
      if (auto module = generate(context, options))
        coverage.add(*module);
    }
  }
  return coverage;
}

//===- Twins -----------------------------------------------------------------------------------------------------===//

namespace {

bool isQuantized(Type type) { return llvm::isa<quant::QuantizedType>(getElementTypeOrSelf(type)); }

// Whether the type is of floats that can be.
bool canBeQuantized(Type type) {
  auto element = llvm::dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && (element.isF32() || element.isBF16() || element.isF16());
}

// By a shape that is an operand.
Value withoutSizes(Generator &g, Value x) {
  Sizes sizes(shapeOf(x));
  for (int64_t &size : sizes)
    size = g.chance(60) ? ShapedType::kDynamic : size;
  return g.emitValue("stablehlo.dynamic_reshape", {x, g.vector(shapeOf(x))}, {}, g.tensor(sizes, elementTypeOf(x)));
}

// All of the array, which only the run knows.
Value ofWholeSize(Generator &g, Value x, int64_t dimension, int64_t size) {
  Value number = g.splat(g.scalar(g.builder.getI32Type()), static_cast<double>(size));
  if (g.chance(70))
    number = g.emitValue("stablehlo.optimization_barrier", number);
  return g.emitValue("stablehlo.set_dimension_size", {x, number}, g.number("dimension", dimension));
}

// Leaves sizes of a value of known ones open, in the bounded case one along dimension `cut`, counted around. The value
// itself where it has none.
Value leaveOpen(Generator &g, Value x, bool dynamic, bool bounded, int64_t cut) {
  RankedTensorType type = typeOf(x);
  if (type.getRank() == 0 || !type.hasStaticShape())
    return x;
  int64_t dimension = cut % type.getRank();
  Value open = dynamic ? withoutSizes(g, x) : x;
  if (bounded && open && !typeOf(open).isDynamicDim(dimension))
    open = ofWholeSize(g, open, dimension, type.getDimSize(dimension));
  return open ? open : x;
}

class Twin {
public:
  Twin(Generator &g, Operation *op, const CrossingRow &row) : g_(g), op_(op), row_(row) {}

  void emit() {
    if (row_.takes(Trait::kQuantized) && g_.chance(40))
      chooseQuantizedType();
    bool dynamic = row_.takes(Trait::kDynamic) && g_.chance(60);
    bool bounded = row_.takes(Trait::kBounded) && g_.chance(60);
    if (!dynamic && !bounded && !quantizedType_)
      return;
    Values operands;
    for (OpOperand &operand : op_->getOpOperands())
      operands.push_back(quantizedForm(operand.get()));
    if (llvm::is_contained(operands, Value()))
      return;
    // Mostly all operands at once, since many ops want them to be alike.
    size_t only = g_.chance(30) ? g_.pick(operands.size()) : operands.size();
    int64_t cut = g_.pick(4);
    for (size_t i = 0; i < operands.size(); ++i)
      if ((dynamic || bounded) && (only == operands.size() || only == i))
        operands[i] = leaveOpen(g_, operands[i], dynamic, bounded, cut);
    Operation *twin = emitOn(operands, bounded);
    for (unsigned i = 0; twin && i < twin->getNumResults(); ++i)
      closeSpecial(g_, twin->getResult(i), llvm::cast<RankedTensorType>(op_->getResult(i).getType()));
  }

private:
  // Chooses what all floats of the op become, if they are of one type that can be quantized.
  void chooseQuantizedType() {
    // Its other type has as many bits as the float, not as the storage; with open sizes, no verifier would see that.
    if (llvm::isa<stablehlo::BitcastConvertOp>(op_) &&
        getElementTypeOrSelf(op_->getOperand(0)) != getElementTypeOrSelf(op_->getResult(0)))
      return;
    Type expressed;
    auto add = [&](Type type) {
      if (isQuantized(type))
        return false;
      Type element = getElementTypeOrSelf(type);
      if (!llvm::isa<FloatType>(element))
        return true;
      bool fits = canBeQuantized(element) && (!expressed || expressed == element);
      expressed = element;
      return fits;
    };
    if (llvm::all_of(op_->getOperandTypes(), add) && llvm::all_of(op_->getResultTypes(), add) && expressed &&
        llvm::all_of(op_->getRegions(), pickOnly))
      quantizedType_ = fuzz::quantizedType(g_, expressed);
  }

  // What computes may saturate, in one order and not in another.
  static bool pickOnly(mlir::Region &region) {
    return llvm::all_of(region.front(), [](Operation &inner) {
      return llvm::isa<stablehlo::MaximumOp, stablehlo::MinimumOp, stablehlo::SelectOp, stablehlo::CompareOp,
                       stablehlo::AndOp, stablehlo::OrOp, stablehlo::ReturnOp>(inner);
    });
  }

  Type quantizedForm(Type type) const {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    bool isFloat = tensor && llvm::isa<FloatType>(tensor.getElementType());
    return quantizedType_ && isFloat ? Type(tensor.clone(quantizedType_)) : type;
  }

  Value quantizedForm(Value value) {
    return quantizedForm(value.getType()) == value.getType() ? value : quantize(g_, value, quantizedType_);
  }

  Operation *emitOn(const Values &operands, bool bounded) {
    // As the op says itself; as its operand, if it was before; as before; with no size known.
    llvm::SmallVector<llvm::SmallVector<Type>> candidates;
    if (!quantizedType_)
      candidates.emplace_back();
    // A reshape's result has at most one size that follows from the number of elements.
    bool isLeftOpen = llvm::isa<stablehlo::ReshapeOp>(op_) && typeOf(operands[0]).getNumDynamicDims() > 1;
    if (op_->getNumResults() == 1 && op_->getResult(0).getType() == op_->getOperand(0).getType() && !isLeftOpen)
      candidates.push_back({operands[0].getType()});
    for (bool open : {false, true}) {
      if (open && (bounded || llvm::isa<stablehlo::ReshapeOp>(op_))) // whose result says what it does
        continue;
      llvm::SmallVector<Type> types;
      for (Type type : op_->getResultTypes()) {
        auto tensor = llvm::cast<RankedTensorType>(quantizedForm(type));
        Sizes sizes(tensor.getRank(), ShapedType::kDynamic);
        types.push_back(open ? g_.tensor(sizes, tensor.getElementType()) : tensor);
      }
      candidates.push_back(types);
    }
    for (const auto &types : candidates)
      if (Operation *twin =
              g_.emit(op_->getName().getStringRef(), operands, op_->getAttrDictionary().getValue(), types, regions()))
        return twin;
    return nullptr;
  }

  // Copies, null where they would be invalid.
  std::vector<Generator::Region> regions() {
    std::vector<Generator::Region> copies;
    for (mlir::Region &region : op_->getRegions()) {
      IRMapping mapping;
      copies.push_back(std::make_unique<mlir::Region>());
      region.cloneInto(copies.back().get(), mapping);
      for (Value argument : copies.back()->getArguments())
        argument.setType(quantizedForm(argument.getType()));
      bool valid = true;
      for (Operation &inner : copies.back()->front()) {
        for (Value result : inner.getResults())
          result.setType(quantizedForm(result.getType()));
        valid &= !quantizedType_ || succeeded(inner.getName().verifyInvariants(&inner));
      }
      if (!valid)
        copies.back() = nullptr;
    }
    return copies;
  }

  Generator &g_;
  Operation *op_;
  const CrossingRow &row_;
  Type quantizedType_;
};

} // namespace

Value specialForm(Generator &g, Value x, StringRef op) {
  const CrossingRow *row = crossingRow(op);
  if (!x || !row || !g.inFunction())
    return {};
  if (row->takes(Trait::kQuantized) && canBeQuantized(x.getType()) && g.chance(60))
    x = quantize(g, x, quantizedType(g, elementTypeOf(x)));
  if (!x)
    return {};
  bool dynamic = row->takes(Trait::kDynamic) && g.chance(50), bounded = row->takes(Trait::kBounded) && g.chance(50);
  return leaveOpen(g, x, dynamic, bounded, g.pick(4));
}

Value nextSpecial(Generator &g, Value value) {
  if (g.chance(30))
    return value;
  if (g.chance(50))
    return g.emitValue("stablehlo.reverse", value, g.list("dimensions", g.choose(typeOf(value).getRank(), 1)),
                       value.getType());
  return g.emitValue("stablehlo.optimization_barrier", value, {}, value.getType());
}

// An ordinary value again.
void closeSpecial(Generator &g, Value value, RankedTensorType before) {
  bool quantized = isQuantized(value.getType());
  if (!typeOf(value).hasStaticShape() && !isBounded(typeOf(value)))
    value = g.emitValue("stablehlo.dynamic_reshape", {value, g.vector(before.getShape())}, {},
                        g.tensor(before.getShape(), elementTypeOf(value)));
  if (value && quantized)
    value = dequantize(g, value);
  if (value && !typeOf(value).hasStaticShape())
    foldOpen(g, value);
}

void emitTwin(Generator &g, Operation *op) {
  auto isPlain = [](Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  const CrossingRow *row = crossingRow(op->getName().getStringRef());
  // Computations of single elements have no sizes, and bodies of control flow say the types of their values.
  bool takes = row && g.inFunction() && op->getNumOperands() != 0 && llvm::all_of(op->getOperandTypes(), isPlain) &&
               llvm::all_of(op->getResultTypes(), isPlain);
  for (mlir::Region &region : op->getRegions())
    takes &= llvm::all_of(region.getArgumentTypes(),
                          [](Type type) { return llvm::cast<RankedTensorType>(type).getRank() == 0; }) &&
             region.getNumArguments() != 0;
  if (takes)
    Twin(g, op, *row).emit();
}

} // namespace tenon::fuzz

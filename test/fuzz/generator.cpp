#include "test/fuzz/generator.h"

#include "tenon/checking/interpret_all.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "tenon/interpreter/tensor.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "llvm/Support/SaveAndRestore.h"

#include <cmath>
#include <numeric>

namespace tenon::fuzz {

using namespace mlir;

int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

Sizes openDimensions(RankedTensorType type) {
  Sizes open;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      open.push_back(d);
  return open;
}

const std::vector<Entry> &entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries;
    addElementwise(entries);
    addShape(entries);
    addIndexing(entries);
    addReductions(entries);
    addControl(entries);
    addLinearAlgebra(entries);
    addRandom(entries);
    addQuantized(entries);
    addOpen(entries);
    addBounded(entries);
    addCollectives(entries);
    addShardings(entries);
    return entries;
  }();
  return all;
}

// What any op may use.
static bool isOrdinary(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !llvm::isa<quant::QuantizedType>(tensor.getElementType());
}

static const Entry &chooseEntry(std::mt19937_64 &random) {
  static const uint64_t total =
      std::accumulate(entries().begin(), entries().end(), 0, [](int sum, const Entry &e) { return sum + e.weight; });
  uint64_t at = random() % total;
  for (const Entry &entry : entries()) {
    if (at < static_cast<uint64_t>(entry.weight))
      return entry;
    at -= entry.weight;
  }
  return entries().back();
}

OwningOpRef<ModuleOp> generate(MLIRContext &context, const GeneratorOptions &options, std::string *error) {
  return Generator(context, options).run(error);
}

Generator::Generator(MLIRContext &context, const GeneratorOptions &options)
    : builder(&context), module_(ModuleOp::create(builder, builder.getUnknownLoc())), options_(options),
      random_(options.seed * 0x9e3779b97f4a7c15 + 1), agreement_(*module_) {
  int64_t kind = pick(20);
  elementLimit_ = kind == 0 ? 200'000 : kind < 4 ? 20'000 : 2'000;
  for (int i = 0; i < 4; ++i)
    sizes_.push_back(oneOf<int64_t>({1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33, 40}));
  if (kind < 4)
    sizes_.push_back(between(50, kind == 0 ? 4000 : 400));
  chooseSetting(options.setting);
}

int64_t Mesh::count() const { return sizes.empty() ? 1 : product(sizes); }

void Generator::chooseSetting(Setting setting) {
  if (setting == Setting::kAny) {
    int64_t kind = pick(10);
    setting = kind < 4 ? Setting::kSingleProcess : kind < 7 ? Setting::kGrid : Setting::kUnpartitioned;
  }
  if (setting == Setting::kSingleProcess)
    return;
  // As much work as one process has.
  elementLimit_ = std::min<int64_t>(elementLimit_, 2'000);
  sizes_.append({2, 4, 8});
  if (setting == Setting::kGrid) {
    constexpr std::pair<int64_t, int64_t> kGrids[] = {{2, 1}, {1, 2}, {2, 2}, {2, 2}, {3, 1}, {1, 3}, {4, 1},
                                                      {1, 4}, {3, 2}, {2, 3}, {2, 4}, {4, 2}, {8, 1}, {1, 8}};
    auto [replicas, partitions] = kGrids[pick(std::size(kGrids))];
    processes_ = {replicas, partitions};
    return;
  }
  const Mesh meshes[] = {{{"x"}, {2}},         {{"x"}, {4}},         {{"x"}, {8}},           {{"x", "y"}, {2, 2}},
                         {{"x", "y"}, {2, 4}}, {{"x", "y"}, {4, 2}}, {{"rows", "y"}, {1, 2}}};
  devices_ = meshes[pick(std::size(meshes))];
  isUnpartitioned_ = true;
}

// What the module says of it.
void Generator::declareSetting() {
  auto number = [&](int64_t count) { return builder.getI32IntegerAttr(static_cast<int32_t>(count)); };
  if (processes_.size() > 1) {
    (*module_)->setAttr("mhlo.num_replicas", number(processes_.replicas));
    (*module_)->setAttr("mhlo.num_partitions", number(processes_.partitions));
  }
  if (!isUnpartitioned_)
    return;
  (*module_)->setAttr("mhlo.num_partitions", number(devices_.count()));
  (*module_)->setAttr(checking::kUnpartitionedAttribute, builder.getUnitAttr());
  llvm::SmallVector<sdy::MeshAxisAttr> axes;
  for (auto [name, size] : llvm::zip_equal(devices_.axes, devices_.sizes))
    axes.push_back(sdy::MeshAxisAttr::get(builder.getContext(), name, size));
  sdy::MeshOp::create(builder, builder.getUnknownLoc(), builder.getStringAttr("mesh"),
                      sdy::MeshAttr::get(builder.getContext(), axes, {}));
}

OwningOpRef<ModuleOp> Generator::run(std::string *error) {
  // What verifiers say about ops that are not kept is of no interest.
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  Location location = builder.getUnknownLoc();
  builder.setInsertionPointToEnd(module_->getBody());
  declareSetting();
  auto main = func::FuncOp::create(builder, location, "main", builder.getFunctionType({}, {}));
  int ops = options_.ops ? options_.ops : static_cast<int>(2 + pick(1 + pick(30)));
  fillFunction(main, ops, options_.first, {nullptr, 0, true, false, processes_, true});
  if (isUnpartitioned_)
    shardSignature(*this, main);
  ScopedDiagnosticHandler keep(builder.getContext(), [&](Diagnostic &diagnostic) {
    if (error && error->empty())
      *error = diagnostic.str();
    return success();
  });
  return failed(verify(*module_)) ? OwningOpRef<ModuleOp>() : std::move(module_);
}

void Generator::fillFunction(func::FuncOp function, int ops, const Entry *first, Scope scope) {
  OpBuilder::InsertionGuard guard(builder);
  scope.block = function.addEntryBlock();
  scope.firstValue = values_.size();
  builder.setInsertionPointToEnd(scope.block);
  scopes_.push_back(scope);
  for (int i = 0; i < 2; ++i)
    newValue(tensor(shape(), element(isAny)));
  if (first)
    first->emit(*this);
  emitOps(ops);
  returnFrom(function);
  values_.truncate(scopes_.back().firstValue);
  scopes_.pop_back();
}

// Returns the values that nothing uses, and some of those that something does.
void Generator::returnFrom(func::FuncOp function) {
  Values results;
  for (Value value : ArrayRef(values_).drop_front(scopes_.back().firstValue))
    if (value.getDefiningOp() && results.size() < 8 && (value.use_empty() || chance(8)))
      results.push_back(value);
  if (results.empty())
    results.push_back(values_.back());
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), ValueRange(results).getTypes()));
}

func::FuncOp Generator::function() {
  if (!functions_.empty() && chance(50)) {
    const Function &known = functions_[pick(functions_.size())];
    bool fits = known.grid.replicas == grid().replicas && known.grid.partitions == grid().partitions &&
                known.manualAxes == manualAxes_;
    return fits && (meets() || !known.meets) && (inFunction() || known.isElements) ? known.op : func::FuncOp();
  }
  if (functionCount_ >= 3 || depth() > 2)
    return {};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module_->getBody());
  auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), "f" + std::to_string(functionCount_++),
                                       builder.getFunctionType({}, {}));
  function.setPrivate();
  Scope scope{nullptr, 0, true, false, grid(), scopes_.back().meets && chance(60), !inFunction()};
  fillFunction(function, static_cast<int>(between(1, 5)), nullptr, scope);
  functions_.push_back({function, scope.grid, scope.meets && scope.grid.size() > 1, scope.isElements, manualAxes_});
  return function;
}

void Generator::emitOps(int count) {
  for (int i = 0; i < count; ++i)
    chooseEntry(random_).emit(*this);
}

//===- Choices ---------------------------------------------------------------------------------------------------===//

Sizes Generator::choose(int64_t n, int64_t count) {
  Sizes all(n);
  std::iota(all.begin(), all.end(), 0);
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(all[i], all[pick(i + 1)]);
  all.resize(std::min(n, count));
  return all;
}

Type Generator::element(Accepts accepts) {
  MLIRContext *context = builder.getContext();
  auto integer = [&](unsigned width) { return IntegerType::get(context, width); };
  auto unsignedInteger = [&](unsigned width) { return IntegerType::get(context, width, IntegerType::Unsigned); };
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  // Listed as often as they are to be chosen.
  const Type all[] = {f32,
                      f32,
                      f32,
                      f32,
                      f32,
                      f32,
                      f64,
                      f64,
                      builder.getBF16Type(),
                      builder.getBF16Type(),
                      builder.getF16Type(),
                      builder.getF16Type(),
                      integer(32),
                      integer(32),
                      integer(32),
                      integer(64),
                      integer(8),
                      integer(8),
                      integer(16),
                      integer(1),
                      integer(1),
                      integer(4),
                      integer(2),
                      unsignedInteger(8),
                      unsignedInteger(8),
                      unsignedInteger(16),
                      unsignedInteger(32),
                      unsignedInteger(64),
                      unsignedInteger(4),
                      unsignedInteger(2),
                      ComplexType::get(f32),
                      ComplexType::get(f32),
                      ComplexType::get(f64),
                      Float4E2M1FNType::get(context),
                      Float6E2M3FNType::get(context),
                      Float6E3M2FNType::get(context),
                      Float8E3M4Type::get(context),
                      Float8E4M3Type::get(context),
                      Float8E4M3FNType::get(context),
                      Float8E4M3FNUZType::get(context),
                      Float8E4M3B11FNUZType::get(context),
                      Float8E5M2Type::get(context),
                      Float8E5M2FNUZType::get(context),
                      Float8E8M0FNUType::get(context)};
  for (;;)
    if (Type type = all[pick(std::size(all))]; accepts(type))
      return type;
}

Sizes Generator::shape(int64_t maxRank) {
  Sizes result;
  for (int64_t i = 0, rank = pick(maxRank + 1); i < rank; ++i) {
    int64_t size = chance(2) ? 0 : chance(15) ? 1 : oneOf<int64_t>(sizes_);
    if (product(result) * size > elementLimit_)
      size = 1;
    result.push_back(size);
  }
  return result;
}

NamedAttribute Generator::padding(StringRef name, ArrayRef<int64_t> lowHighPairs) {
  auto type = RankedTensorType::get({static_cast<int64_t>(lowHighPairs.size() / 2), 2}, builder.getI64Type());
  return named(name, DenseIntElementsAttr::get(type, lowHighPairs));
}

//===- Values ----------------------------------------------------------------------------------------------------===//

Value Generator::existing(llvm::function_ref<bool(RankedTensorType)> accepts) {
  auto visible = ArrayRef(values_).drop_front(scopes_.back().firstValue);
  Values fitting;
  for (Value value : visible)
    if (auto type = llvm::dyn_cast<RankedTensorType>(value.getType()); type && accepts(type))
      fitting.push_back(value);
  if (fitting.empty())
    return {};
  // The lesser of two picks from the end: mostly recent values, so that chains grow long.
  int64_t back = std::min(pick(fitting.size()), pick(fitting.size()));
  return fitting[fitting.size() - 1 - back];
}

Value Generator::value(Accepts accepts) { return valueOfRank(accepts, 0); }

Value Generator::valueOfRank(Accepts accepts, int64_t minRank) {
  if (!chance(8))
    if (Value found = existing(
            [&](RankedTensorType type) { return type.getRank() >= minRank && accepts(type.getElementType()); }))
      return found;
  Sizes sizes = shape();
  while (static_cast<int64_t>(sizes.size()) < minRank)
    sizes.push_back(1 + pick(5));
  if (product(sizes) > elementLimit_)
    sizes.assign(minRank, 2);
  return newValue(tensor(sizes, element(accepts)));
}

Value Generator::valueOf(RankedTensorType type) {
  if (!chance(10))
    if (Value found = existing([&](RankedTensorType other) { return other == type; }))
      return found;
  return newValue(type);
}

Value Generator::newValue(RankedTensorType type) {
  const Scope &scope = scopes_.back();
  if (!scope.isFunction || scope.block->getNumArguments() > 12 || (type.getNumElements() < 100 && chance(25)))
    return constant(type);
  Value argument = scope.block->addArgument(type, builder.getUnknownLoc());
  values_.push_back(argument);
  return argument;
}

Value Generator::argument(RankedTensorType type) {
  return scopes_.size() == 1 ? scopes_[0].block->addArgument(type, builder.getUnknownLoc()) : Value();
}

Value Generator::constant(RankedTensorType type) {
  if (type.getNumElements() > 64 || chance(25))
    return splat(type, static_cast<double>(pick(7)) - 2);
  interpreter::Tensor numbers(type.getShape(), type.getElementType());
  bool special = chance(5);
  constexpr double kSpecial[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1.0, 0x1p-149, 0x1p127};
  for (int64_t i = 0; i < numbers.size(); ++i) {
    auto quarters = static_cast<double>(pick(64) - 20) / 4;
    double number = special ? kSpecial[pick(std::size(kSpecial))] : quarters;
    numbers.set(
        i, interpreter::convertScalar(ElementType::kF64, numbers.elementType(), interpreter::Scalar::ofFloat(number)));
  }
  return emitValue("stablehlo.constant", {}, named("value", numbers.toAttr()), type);
}

Value Generator::splat(RankedTensorType type, double number) {
  interpreter::Tensor value({}, type.getElementType());
  value.set(0,
            interpreter::convertScalar(ElementType::kF64, value.elementType(), interpreter::Scalar::ofFloat(number)));
  Attribute one = *value.toAttr().value_begin<Attribute>();
  return emitValue("stablehlo.constant", {}, named("value", DenseElementsAttr::get(type, one)), type);
}

Value Generator::vector(ArrayRef<int64_t> numbers) {
  auto type = tensor({static_cast<int64_t>(numbers.size())}, chance(60) ? builder.getI32Type() : builder.getI64Type());
  auto constantOf = [&](ArrayRef<int64_t> values) {
    interpreter::Tensor tensor(type.getShape(), type.getElementType());
    for (auto [i, value] : llvm::enumerate(values))
      tensor.set(static_cast<int64_t>(i), interpreter::scalarOf(tensor.elementType(), value));
    return emitValue("stablehlo.constant", {}, named("value", tensor.toAttr()), type);
  };
  if (numbers.empty() || chance(60))
    return constantOf(numbers);
  Sizes first, second;
  for (int64_t number : numbers) {
    first.push_back(pick(5));
    second.push_back(number - first.back());
  }
  return emitValue("stablehlo.add", {constantOf(first), constantOf(second)});
}

//===- Ops -------------------------------------------------------------------------------------------------------===//

Generator::Region Generator::region(TypeRange arguments, Fill fill, bool open, bool shared) {
  // What sees only its arguments is a computation that runs for each element: the interpreter's time is the product.
  constexpr int64_t kComputationLimit = 100;
  llvm::SaveAndRestore limit(elementLimit_, open ? elementLimit_ : std::min(elementLimit_, kComputationLimit));
  const Scope &outer = scopes_.back();
  Scope scope{nullptr, open ? outer.firstValue : values_.size(), false, open, outer.grid, shared && outer.meets};
  scope.isElements = open ? outer.isElements : true;
  if (!open)
    scope.grid = {};
  return region(arguments, fill, scope, stablehlo::ReturnOp::getOperationName());
}

Generator::Region Generator::bodyRegion(TypeRange arguments, Fill fill, ir::ProcessGrid grid, bool meets,
                                        StringRef terminator) {
  return region(arguments, fill, {nullptr, values_.size(), false, false, grid, meets}, terminator);
}

Generator::Region Generator::manualRegion(TypeRange arguments, Fill fill, ArrayRef<int64_t> axes) {
  llvm::SaveAndRestore around(manualAxes_);
  manualAxes_.append(axes.begin(), axes.end());
  return bodyRegion(arguments, fill, {1, mesh().count()}, true, sdy::ReturnOp::getOperationName());
}

Sizes Generator::freeAxes() const {
  Sizes axes;
  for (int64_t axis = 0; axis < static_cast<int64_t>(mesh().axes.size()); ++axis)
    if (!llvm::is_contained(manualAxes_, axis))
      axes.push_back(axis);
  return axes;
}

Generator::Region Generator::region(TypeRange arguments, Fill fill, const Scope &scope, StringRef terminator) {
  auto region = std::make_unique<mlir::Region>();
  Block *block = &region->emplaceBlock();
  block->addArguments(arguments, llvm::SmallVector<Location>(arguments.size(), builder.getUnknownLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  size_t before = values_.size();
  scopes_.push_back(scope);
  scopes_.back().block = block;
  llvm::copy_if(block->getArguments(), std::back_inserter(values_),
                [](Value argument) { return isOrdinary(argument.getType()); });
  Values results = fill(block->getArguments());
  values_.truncate(before);
  scopes_.pop_back();
  if (results.empty() || llvm::is_contained(results, Value()))
    return nullptr;
  builder.create(OperationState(builder.getUnknownLoc(), terminator, results, {}, {}));
  return region;
}

// The op has to exist for its attributes to become the properties that inference reads.
bool Generator::inferTypes(OperationState &state) {
  Operation *probe =
      Operation::create(state.location, state.name, TypeRange(), state.operands, NamedAttrList(state.attributes),
                        OpaqueProperties(nullptr), BlockRange(), static_cast<unsigned>(state.regions.size()));
  for (auto [from, to] : llvm::zip(state.regions, probe->getRegions()))
    to.takeBody(*from);
  auto interface = llvm::dyn_cast<InferTypeOpInterface>(probe);
  llvm::SmallVector<Type> types;
  bool inferred =
      interface && succeeded(interface.inferReturnTypes(builder.getContext(), state.location, probe->getOperands(),
                                                        probe->getAttrDictionary(), probe->getPropertiesStorage(),
                                                        probe->getRegions(), types));
  for (auto [from, to] : llvm::zip(probe->getRegions(), state.regions))
    to->takeBody(from);
  probe->destroy();
  state.addTypes(types);
  return inferred;
}

bool Generator::isAcceptable(Operation *op) {
  // Only the op: what is inside has been verified, and regions not yet in the module have no dominance.
  if (failed(op->getName().verifyInvariants(op)) || failed(op->getName().verifyRegionInvariants(op)))
    return false;
  for (Type type : op->getResultTypes())
    if (auto tensor = llvm::dyn_cast<RankedTensorType>(type))
      if (tensor.hasStaticShape() && tensor.getNumElements() > elementLimit_)
        return false;
  agreement_.visit(op);
  return llvm::none_of(op->getResults(),
                       [&](Value value) { return agreement_.of(value) == checking::Agreement::kOpen; });
}

Operation *Generator::emit(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes, TypeRange types,
                           std::vector<Region> regions) {
  if (llvm::is_contained(operands, Value()) || llvm::is_contained(regions, nullptr))
    return nullptr;
  OperationState state(builder.getUnknownLoc(), name, operands, types, attributes);
  for (Region &region : regions)
    state.addRegion(std::move(region));
  if (types.empty() && !inferTypes(state))
    return nullptr;
  Operation *op = builder.create(state);
  if (!isAcceptable(op)) {
    agreement_.forget(op);
    op->erase();
    return nullptr;
  }
  for (Value result : op->getResults())
    if (isOrdinary(result.getType()))
      values_.push_back(result);
  if (!makesTwin_ && chance(options_.twins)) {
    llvm::SaveAndRestore guard(makesTwin_, true);
    emitTwin(*this, op);
  }
  return op;
}

void Generator::emitWithoutResults(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  builder.create(OperationState(builder.getUnknownLoc(), name, operands, {}, attributes));
}

Operation *Generator::emitAlone(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                                TypeRange types, std::vector<Region> regions) {
  llvm::SaveAndRestore guard(makesTwin_, true);
  return emit(name, operands, attributes, types, std::move(regions));
}

Value Generator::emitValue(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes, TypeRange types) {
  Operation *op = emit(name, operands, attributes, types);
  return op ? op->getResult(0) : Value();
}

Value Generator::emitOpen(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                          RankedTensorType type) {
  Sizes sizes(type.getShape());
  for (int64_t &size : sizes)
    size = chance(50) ? ShapedType::kDynamic : size;
  Value result = emitValue(name, operands, attributes, tensor(sizes, type.getElementType()));
  if (!result || typeOf(result).hasStaticShape())
    return result;
  if (chance(40) && !ir::isBool(type.getElementType()))
    result = emitValue("stablehlo.negate", result, {}, result.getType());
  return emitValue("stablehlo.dynamic_reshape", {result, vector(type.getShape())}, {}, type);
}

} // namespace tenon::fuzz

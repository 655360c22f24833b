// Dynamic shapes become static ones.
//
// A program is compiled for argument shapes that are known (`tenon.shape` on the arguments of main, see passes.h). From
// them every other shape follows: the program is built anew, op by op, with result types inferred from refined operands
// and the arithmetic of shapes folded as it is met, so that ops that take a shape as an operand find a constant and
// become the static ops of the same name.
//
//   %n = get_dimension_size %x, dim = 0                    (x: tensor<?x3xf32>, known to be 4x3)
//   %s = concatenate(reshape %n, dense<2>)
//   %y = dynamic_broadcast_in_dim %v, %s, dims = [0]   =>  %y = broadcast_in_dim %v, dims = [0] : -> tensor<4x2xf32>
//
// A size that depends on data (set_dimension_size, or a shape computed from an argument's elements) has a bound
// instead. A value of such a type becomes a pair: a tensor as large as the bounds, and an i32 for each bounded
// dimension's size. Elements beyond the size may hold anything; ops that would mix them in (reductions, products, sort,
// ...) mask them first. main returns the sizes behind its results. An op that has no rule for bounded operands is an
// error.
//
// The order: calls are inlined before, so there is one function; decompositions come after and see static shapes only.

#include "tenon/ir/chlo_shapes.h"
#include "tenon/ir/einsum.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/passes.h"
#include "tenon/passes/refine/refiner.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace refine {

static bool isDynamic(Type type) {
  auto tensor = dyn_cast<ShapedType>(type);
  return tensor && !tensor.hasStaticShape();
}

SmallVector<int64_t> lengthsOf(ArrayRef<Extent> extents) {
  return llvm::map_to_vector(extents, [](const Extent &extent) { return extent.length; });
}
SmallVector<Value, 4> sizesOf(ArrayRef<Extent> extents) {
  return llvm::map_to_vector<4>(extents, [](const Extent &extent) { return extent.size; });
}
SmallVector<Value> valuesOf(ArrayRef<BoundedTensor> refined) {
  return llvm::map_to_vector(refined, [](const BoundedTensor &one) { return one.value; });
}

SmallVector<BoundedTensor> Refiner::getAll(ValueRange old) const {
  return llvm::map_to_vector(old, [&](Value value) { return get(value); });
}

//===- Agreement of sizes ----------------------------------------------------------------------------------------===//

LogicalResult Refiner::require(Operation *op, Value condition, StringRef message, ValueRange inputs) {
  std::optional<int64_t> known = constantInteger(condition);
  if (known && *known)
    return success();
  OperationState state(op->getLoc(), sh::CustomCallOp::getOperationName());
  state.addOperands(condition);
  state.addOperands(inputs);
  state.addAttribute("call_target_name", emit.builder.getStringAttr("shape_assertion"));
  state.addAttribute("has_side_effect", emit.builder.getBoolAttr(true));
  state.addAttribute("error_message",
                     emit.builder.getStringAttr("'" + op->getName().getStringRef() + "' op " + message));
  return checkAssertion(cast<sh::CustomCallOp>(emit.builder.create(state)));
}

LogicalResult Refiner::requireEqual(Operation *op, Value a, Value b) {
  if (isSame(a, b))
    return success();
  return require(op, emit.compare(sh::ComparisonDirection::EQ, a, b),
                 "two dimensions must have the same size, got {0} and {1}", {a, b});
}

LogicalResult Refiner::fix(Operation *op, BoundedTensor &refined, int64_t d, int64_t length) {
  if (!refined.isBounded(d) && refined.dim(d) == length)
    return success();
  if (!refined.isBounded(d) || length > refined.dim(d))
    return op->emitOpError() << "dimension " << d << " must have size " << length << ", got "
                             << (refined.isBounded(d) ? "at most " : "") << refined.dim(d);
  if (failed(requireEqual(op, refined.sizes[d], emit.i32(length))))
    return failure();
  refined.value = emit.resize(refined.value, d, length);
  refined.sizes[d] = nullptr;
  return success();
}

LogicalResult Refiner::unify(Operation *op, BoundedTensor &a, int64_t i, BoundedTensor &b, int64_t j) {
  if (!a.isBounded(i) && !b.isBounded(j))
    return success(); // inference compares them
  if (!a.isBounded(i))
    return fix(op, b, j, a.dim(i));
  if (!b.isBounded(j))
    return fix(op, a, i, b.dim(j));
  if (failed(requireEqual(op, a.sizes[i], b.sizes[j])))
    return failure();
  int64_t length = std::min(a.dim(i), b.dim(j));
  a.value = emit.resize(a.value, i, length);
  b.value = emit.resize(b.value, j, length);
  b.sizes[j] = a.sizes[i];
  return success();
}

// Twice, so that what the last one knows reaches the first ones.
FailureOr<SmallVector<BoundedTensor>> Refiner::unified(Operation *op, ValueRange old) {
  SmallVector<BoundedTensor> values = getAll(old);
  for (int round = 0; round < 2; ++round)
    for (BoundedTensor &other : llvm::drop_begin(values))
      for (size_t d = 0; d < other.sizes.size(); ++d)
        if (failed(unify(op, values.front(), d, other, d)))
          return failure();
  return values;
}

FailureOr<Extent> Refiner::extent(Operation *op, Value size, RankedTensorType declared, int64_t d) {
  int64_t known = declared.getDimSize(d);
  if (!ShapedType::isDynamic(known)) {
    if (failed(require(op, emit.compare(sh::ComparisonDirection::EQ, size, emit.i32(known)),
                       "a dimension of the result must have size {1}, got {0}", {size, emit.i32(known)})))
      return failure();
    return Extent{known, Value()};
  }
  if (std::optional<int64_t> constant = constantInteger(size)) {
    if (*constant >= 0)
      return Extent{*constant, Value()};
    return op->emitOpError() << "dimension " << d << " of the result would have the negative size " << *constant;
  }
  ArrayRef<int64_t> bounds = ir::dimensionBounds(declared);
  if (bounds.empty() || ShapedType::isDynamic(bounds[d]))
    return op->emitOpError() << "the size of dimension " << d
                             << " of the result depends on data, and its type does not give a bound";
  Value bound = emit.i32(bounds[d]);
  Value fits = emit.logicalAnd(emit.compare(sh::ComparisonDirection::GE, size, emit.i32(0)),
                               emit.compare(sh::ComparisonDirection::LE, size, bound));
  if (failed(require(op, fits, "a dimension of the result must have a size of at most {1}, got {0}", {size, bound})))
    return failure();
  return Extent{bounds[d], size};
}

FailureOr<Value> Refiner::list(Operation *op, Value old, int64_t length) {
  BoundedTensor vector = get(old);
  if (vector.type().getRank() != 1)
    return op->emitOpError() << "needs a list of " << length << " numbers, got " << vector.type();
  if (failed(fix(op, vector, 0, length)))
    return failure();
  return vector.value;
}

FailureOr<SmallVector<Extent>> Refiner::extents(Operation *op, Value oldSizes, RankedTensorType declared) {
  FailureOr<Value> sizes = list(op, oldSizes, declared.getRank());
  if (failed(sizes))
    return failure();
  SmallVector<Extent> all;
  for (int64_t d = 0; d < declared.getRank(); ++d) {
    FailureOr<Extent> one = extent(op, emit.element(*sizes, d), declared, d);
    if (failed(one))
      return failure();
    all.push_back(*one);
  }
  return all;
}

LogicalResult Refiner::refuse(Operation *op, int64_t d) {
  return op->emitOpError() << "cannot be compiled with a size of dimension " << d
                           << " that is only known when the program runs";
}

LogicalResult Refiner::refuseBounded(Operation *op, const BoundedTensor &refined, ArrayRef<int64_t> dimensions) {
  for (int64_t d : dimensions)
    if (d < static_cast<int64_t>(refined.sizes.size()) && refined.isBounded(d))
      return refuse(op, d);
  return success();
}

LogicalResult Refiner::refuseBounded(Operation *op, const BoundedTensor &refined) {
  return refuseBounded(op, refined, llvm::to_vector(llvm::seq<int64_t>(0, refined.sizes.size())));
}

//===- Ops --------------------------------------------------------------------------------------------------------===//

// Arrays in a tuple have no sizes that only the run knows.
static bool fitsTuple(Type declared, Type actual) {
  auto declaredTuple = dyn_cast<TupleType>(declared), actualTuple = dyn_cast<TupleType>(actual);
  if (!declaredTuple || !actualTuple)
    return true;
  SmallVector<Type> declaredParts, actualParts;
  declaredTuple.getFlattenedTypes(declaredParts);
  actualTuple.getFlattenedTypes(actualParts);
  return succeeded(verifyCompatibleShapes(declaredParts, actualParts));
}

LogicalResult Refiner::put(Operation *op, unsigned result, BoundedTensor refined) {
  if (Type type = op->getResult(result).getType(); !fitsTuple(type, refined.value.getType()))
    return op->emitOpError() << "result " << result << " must have type " << type << ", got "
                             << refined.value.getType();
  auto declared = dyn_cast<RankedTensorType>(op->getResult(result).getType());
  for (int64_t d = 0; declared && d < declared.getRank(); ++d) {
    int64_t size = declared.getDimSize(d);
    ArrayRef<int64_t> bounds = ir::dimensionBounds(declared);
    int64_t bound = bounds.empty() ? ShapedType::kDynamic : bounds[d];
    if (!ShapedType::isDynamic(size)) {
      if (failed(fix(op, refined, d, size)))
        return failure();
    } else if (!ShapedType::isDynamic(bound) && refined.dim(d) > bound) {
      Value limit = emit.i32(bound), actual = emit.size(refined, d);
      if (failed(require(op, emit.compare(sh::ComparisonDirection::LE, actual, limit),
                         "a dimension of the result must have a size of at most {1}, got {0}", {actual, limit})))
        return failure();
      refined.value = emit.resize(refined.value, d, bound);
    }
  }
  values_[op->getResult(result)] = std::move(refined);
  return success();
}

// Shapes of ops whose element type inference could not know.
static FailureOr<SmallVector<int64_t>> inferShape(Operation *op, const ir::ProcessGrid &grid) {
  auto declared = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(declared.getShape());
  if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
    return sh::dotShape(dot.getDotDimensionNumbers(), sh::tensor(dot.getLhs()), sh::tensor(dot.getRhs()));
  if (auto dot = dyn_cast<sh::DotOp>(op)) {
    shape.assign(ir::shapeOf(dot.getLhs()).drop_back().begin(), ir::shapeOf(dot.getLhs()).drop_back().end());
    llvm::append_range(shape, ir::shapeOf(dot.getRhs()).drop_front());
    return shape;
  }
  if (auto convolution = dyn_cast<sh::ConvolutionOp>(op))
    return sh::convolutionShape(convolution);
  if (auto ragged = dyn_cast<chlo::RaggedDotOp>(op))
    return chlo::raggedDotShape(ragged);
  if (auto scatter = dyn_cast<sh::ReduceScatterOp>(op)) {
    // An operand that cannot be cut is an error of verification.
    FailureOr<RankedTensorType> type = sh::scatteredType(scatter, grid);
    return failed(type) ? shape : SmallVector<int64_t>(type->getShape());
  }
  if (auto select = dyn_cast<sh::TorchIndexSelectOp>(op))
    return sh::selectedShape(select);
  if (isa<sh::EinsumOp, sh::UnaryEinsumOp>(op))
    return sh::einsumShape(op, *sh::einsumLabels(op));
  if (op->hasTrait<ir::Elementwise>() && shape.size() == ir::shapeOf(op->getOperand(0)).size())
    return SmallVector<int64_t>(ir::shapeOf(op->getOperand(0)));
  if (auto bitcast = dyn_cast<sh::BitcastConvertOp>(op)) {
    RankedTensorType operand = sh::tensor(bitcast.getOperand());
    for (auto [size, from] : llvm::zip(shape, operand.getShape()))
      size = ShapedType::isDynamic(size) ? from : size;
    if (declared.getRank() > operand.getRank() && declared.isDynamicDim(operand.getRank()))
      shape.back() = sh::bitWidth(operand.getElementType()) / sh::bitWidth(declared.getElementType());
  }
  if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op))
    for (auto [from, to] : llvm::zip(ir::shapeOf(broadcast.getOperand()), broadcast.getBroadcastDimensions()))
      shape[to] = ShapedType::isDynamic(shape[to]) ? from : shape[to];
  if (auto reshape = dyn_cast<sh::ReshapeOp>(op); reshape && llvm::count(shape, ShapedType::kDynamic) == 1) {
    int64_t known = 1;
    for (int64_t size : shape)
      known *= ShapedType::isDynamic(size) ? 1 : size;
    *llvm::find(shape, ShapedType::kDynamic) = known ? sh::tensor(reshape.getOperand()).getNumElements() / known : 0;
  }
  return shape;
}

LogicalResult verifyCopy(Operation *copy) {
  return failure(copy->walk([](Operation *op) {
                       bool wrong = failed(op->getName().verifyInvariants(op)) ||
                                    failed(op->getName().verifyRegionInvariants(op));
                       return wrong ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted());
}

// Inference knows shapes; the element type is the declared one. Refinement changes no element type, and that of an
// operation on quantized values does not follow from its operands (its scale and zero point are the result's own).
static Type withElementTypeOf(Type inferred, Type declared) {
  auto from = dyn_cast<RankedTensorType>(inferred), to = dyn_cast<RankedTensorType>(declared);
  return from && to ? Type(from.clone(to.getElementType())) : inferred;
}

LogicalResult Refiner::inferTypes(Operation *copy) {
  SmallVector<Type> types;
  if (auto inferring = dyn_cast<InferTypeOpInterface>(copy)) {
    if (failed(inferring.inferReturnTypes(copy->getContext(), copy->getLoc(), copy->getOperands(),
                                          copy->getDiscardableAttrDictionary(), copy->getPropertiesStorage(),
                                          copy->getRegions(), types)))
      return failure();
  } else if (auto gather = dyn_cast<sh::AllGatherOp>(copy)) {
    llvm::append_range(types, sh::gatheredTypes(gather, grid_));
  } else if (copy->getNumResults() == 1 && isa<RankedTensorType>(copy->getResult(0).getType())) {
    FailureOr<SmallVector<int64_t>> shape = inferShape(copy, grid_);
    if (failed(shape))
      return failure();
    types.push_back(
        RankedTensorType::get(*shape, cast<RankedTensorType>(copy->getResult(0).getType()).getElementType()));
  } else {
    llvm::append_range(types, copy->getResultTypes());
  }
  if (auto generator = dyn_cast<sh::RngBitGeneratorOp>(copy))
    types[0] = generator.getInitialState().getType();
  for (auto [i, result, type] : llvm::enumerate(copy->getResults(), types)) {
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape())
      return copy->emitOpError() << "dimension "
                                 << *llvm::find_if(llvm::seq(tensor.getRank()),
                                                   [&](int64_t d) { return tensor.isDynamicDim(d); })
                                 << " of result " << i << " does not follow from the shapes of the arguments";
    result.setType(withElementTypeOf(type, result.getType()));
  }
  return success();
}

// Whether the op's types or its meaning depend on sizes that only refinement settles.
static bool needsShapes(Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  bool isShapeCall = call && (call.getCallTargetName() == "shape_assertion" ||
                              call.getCallTargetName().starts_with("stablehlo.dynamic_") ||
                              call->hasAttr("indices_of_shape_operands"));
  auto rng = dyn_cast<sh::RngOp>(op);
  return isShapeCall || (rng && !rng.getShape().getDefiningOp<sh::ConstantOp>()) ||
         isa<sh::GetDimensionSizeOp, sh::SetDimensionSizeOp, sh::DynamicBroadcastInDimOp, sh::DynamicConvOp,
             sh::DynamicGatherOp, sh::DynamicIotaOp, sh::DynamicPadOp, sh::DynamicReshapeOp, sh::RealDynamicSliceOp>(
             op) ||
         llvm::any_of(op->getOperandTypes(), isDynamic) || llvm::any_of(op->getResultTypes(), isDynamic);
}

FailureOr<SmallVector<Value>> Refiner::rebuild(Operation *op, ValueRange operands) {
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto outer = values_.find(operand); outer != values_.end())
          mapping.map(operand, outer->second.value);
    });
  Operation *copy = emit.builder.clone(*op, mapping);
  copy->setOperands(operands);
  if (failed(refineComputations(op, copy)))
    return failure();
  bool sameTypes = llvm::equal(operands.getTypes(), op->getOperandTypes());
  if (!(sameTypes && llvm::none_of(op->getResultTypes(), isDynamic)) && failed(inferTypes(copy)))
    return failure();
  if (failed(verifyCopy(copy)))
    return failure();
  return emit.folded(copy);
}

LogicalResult Refiner::refineComputations(Operation *op, Operation *copy) {
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions())) {
    WalkResult search = from.walk(
        [](Operation *inner) { return needsShapes(inner) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (!search.wasInterrupted())
      continue;
    to.dropAllReferences();
    to.getBlocks().clear();
    if (failed(refineComputation(op, from, to, SmallVector<Type>(from.getArgumentTypes()))))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<BoundedTensor>> Refiner::refineComputation(Operation *op, Region &from, Region &to,
                                                                 ArrayRef<Type> argumentTypes) {
  OpBuilder::InsertionGuard guard(emit.builder);
  Block *body = emit.builder.createBlock(&to);
  SmallVector<BoundedTensor> arguments;
  for (auto [argument, type] : llvm::zip_equal(from.getArguments(), argumentTypes))
    arguments.emplace_back(body->addArgument(type, argument.getLoc()));
  FailureOr<SmallVector<BoundedTensor>> results = refineBlock(from.front(), arguments);
  if (failed(results))
    return failure();
  for (const BoundedTensor &result : *results)
    if (failed(refuseBounded(op, result)))
      return failure();
  emit.builder.setInsertionPointToEnd(body);
  sh::ReturnOp::create(emit.builder, op->getLoc(), valuesOf(*results));
  return results;
}

LogicalResult Refiner::rebuild(Operation *op, ValueRange operands, const SmallVector<Value, 4> &sizes) {
  FailureOr<SmallVector<Value>> results = rebuild(op, operands);
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    if (failed(put(op, i, BoundedTensor(result, sizes))))
      return failure();
  return success();
}

Block *Refiner::copyBody(Region &from, Region &to, unsigned moreArguments) {
  Block *body = emit.builder.createBlock(&to);
  IRMapping mapping;
  for (BlockArgument argument : from.front().getArguments())
    mapping.map(argument, body->addArgument(argument.getType(), argument.getLoc()));
  for (unsigned i = 0; i < moreArguments; ++i)
    body->addArgument(RankedTensorType::get({}, emit.builder.getI1Type()), emit.loc);
  from.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!from.isAncestor(operand.getParentRegion()))
        mapping.map(operand, get(operand).value);
  });
  for (Operation &op : from.front())
    emit.builder.clone(op, mapping);
  emit.builder.setInsertionPoint(body->getTerminator());
  return body;
}

LogicalResult Refiner::refineOp(Operation &op) {
  emit.loc = op.getLoc();
  SmallVector<BoundedTensor> operands = getAll(op.getOperands());
  bool isBounded = llvm::any_of(operands, [](const BoundedTensor &operand) { return operand.isBounded(); });
  for (auto rule : {refineControl, refineCustomCall, refineDynamic, refineScan, refineMovement, refineBroadcasting,
                    refineIndexing, refineScatter, refineReduction, refineProduct, refineWindow, refineAlgebra}) {
    if (!isBounded && rule == refineMovement)
      break;
    FailureOr<bool> done = rule(*this, &op);
    if (failed(done))
      return failure();
    if (*done)
      return success();
  }
  for (const BoundedTensor &operand : operands)
    if (failed(refuseBounded(&op, operand)))
      return failure();
  FailureOr<SmallVector<Value>> results = rebuild(&op, valuesOf(operands));
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    if (failed(put(&op, i, BoundedTensor(result))))
      return failure();
  return success();
}

FailureOr<SmallVector<BoundedTensor>> Refiner::refineBlock(Block &block, ArrayRef<BoundedTensor> arguments) {
  for (auto [old, refined] : llvm::zip_equal(block.getArguments(), arguments))
    values_[old] = refined;
  for (Operation &op : block.without_terminator())
    if (failed(refineOp(op)))
      return failure();
  return getAll(block.getTerminator()->getOperands());
}

//===- The function -----------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<BoundedTensor>> Refiner::makeArguments(func::FuncOp main, Block &block) {
  SmallVector<BoundedTensor> arguments;
  for (BlockArgument old : main.getArguments()) {
    Type type = old.getType();
    unsigned i = old.getArgNumber();
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape()) {
      auto shape = main.getArgAttrOfType<DenseI64ArrayAttr>(i, ir::kShapeAttribute);
      if (!shape)
        return main.emitError() << "argument " << i << " has type " << type
                                << ": its shape must be given before the program can be compiled";
      type = tensor.clone(shape.asArrayRef()).dropEncoding();
      main.setArgAttr(i, ir::kDeclaredTypeAttribute, emit.builder.getStringAttr(debugString(old.getType())));
    }
    main.removeArgAttr(i, ir::kShapeAttribute);
    arguments.push_back(BoundedTensor(block.addArgument(type, old.getLoc())));
  }
  emit.builder.setInsertionPointToEnd(&block);
  emit.loc = main.getLoc();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    FailureOr<Value> value = fixValue(*this, main, i, argument.value);
    if (failed(value))
      return failure();
    argument.value = *value;
  }
  return arguments;
}

LogicalResult Refiner::giveResults(func::FuncOp main, ArrayRef<BoundedTensor> results, Location location) {
  SmallVector<Value> returned = valuesOf(results);
  SmallVector<Attribute> attributes;
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto dictionary = main.getResultAttrDict(i);
    attributes.push_back(dictionary ? dictionary : emit.builder.getDictionaryAttr({}));
  }
  for (auto [i, result] : llvm::enumerate(results))
    for (auto [d, size] : llvm::enumerate(result.sizes))
      if (size) {
        returned.push_back(size);
        int64_t place[] = {static_cast<int64_t>(i), static_cast<int64_t>(d)};
        attributes.push_back(emit.builder.getDictionaryAttr(
            emit.builder.getNamedAttr(ir::kSizeOfAttribute, emit.builder.getDenseI64ArrayAttr(place))));
      }
  func::ReturnOp::create(emit.builder, location, returned);
  Block &block = *emit.builder.getBlock();
  main.setFunctionType(
      emit.builder.getFunctionType(block.getArgumentTypes(), llvm::to_vector(ValueRange(returned).getTypes())));
  main.setResAttrsAttr(emit.builder.getArrayAttr(attributes));
  return success();
}

LogicalResult Refiner::run(func::FuncOp main) {
  grid_ = ir::processGrid(main);
  Block &old = main.front();
  Block *block = new Block;
  main.push_back(block);
  FailureOr<SmallVector<BoundedTensor>> arguments = makeArguments(main, *block);
  if (failed(arguments))
    return failure();
  FailureOr<SmallVector<BoundedTensor>> results = refineBlock(old, *arguments);
  if (failed(results))
    return failure();
  LogicalResult given = giveResults(main, *results, old.getTerminator()->getLoc());
  old.dropAllReferences();
  old.erase();
  // Arithmetic that came to constants leaves many behind.
  main.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  return given;
}

} // namespace refine

LogicalResult setArgumentShapes(ModuleOp module, ArrayRef<std::vector<int64_t>> shapes) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (shapes.size() != main.getNumArguments())
    return main.emitError() << "the program takes " << main.getNumArguments() << " arguments, shapes are given for "
                            << shapes.size();
  for (auto [i, type, shape] : llvm::enumerate(main.getArgumentTypes(), shapes)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    ArrayRef<int64_t> bounds = ir::dimensionBounds(tensor);
    auto wrong = [&](int64_t d) {
      bool outside = shape[d] < 0 || (!bounds.empty() && !ShapedType::isDynamic(bounds[d]) && shape[d] > bounds[d]);
      return outside || !sh::compatible(tensor.getDimSize(d), shape[d]);
    };
    if (static_cast<int64_t>(shape.size()) != tensor.getRank())
      return main.emitError() << "argument " << i << " has type " << type << ", of rank " << tensor.getRank()
                              << ", but is given with rank " << shape.size();
    for (int64_t d = 0; d < tensor.getRank(); ++d)
      if (wrong(d))
        return main.emitError() << "argument " << i << " has type " << type << ", but is given with size " << shape[d]
                                << " in dimension " << d;
    if (!tensor.hasStaticShape())
      main.setArgAttr(i, ir::kShapeAttribute, DenseI64ArrayAttr::get(module.getContext(), shape));
  }
  return success();
}

LogicalResult refineShapes(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return success();
  WalkResult dynamic = main.walk(
      [](Operation *op) { return refine::needsShapes(op) ? WalkResult::interrupt() : WalkResult::advance(); });
  refine::fixNeededValues(main);
  bool isFixed = llvm::any_of(llvm::seq(main.getNumArguments()),
                              [&](unsigned i) { return main.getArgAttr(i, ir::kValueAttribute) != nullptr; });
  if (!dynamic.wasInterrupted() && !isFixed && llvm::none_of(main.getArgumentTypes(), refine::isDynamic))
    return success();
  if (failed(refine::Refiner(module.getContext()).run(main)))
    return failure();
  // Computations that inlining kept for custom calls.
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function != main)
      function.erase();
  return success();
}

} // namespace tenon::passes

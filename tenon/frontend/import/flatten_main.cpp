#include "tenon/frontend/import/flatten_main.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tenon::frontend {

using llvm::SmallVector;
using mlir::DictionaryAttr;
using mlir::Location;
using mlir::OpBuilder;
using mlir::Type;
using mlir::Value;

namespace {

bool hasParts(Type type) { return llvm::isa<mlir::TupleType, stablehlo::FutureType>(type); }

// The types of the parts of a tuple or future.
llvm::ArrayRef<Type> partsOf(Type type) {
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type))
    return tuple.getTypes();
  return llvm::cast<stablehlo::FutureType>(type).getTypes();
}

// "x.0" for part 0 of the argument "x".
Location partLocation(Location location, size_t part) {
  auto named = llvm::dyn_cast<mlir::NameLoc>(location);
  if (!named)
    return location;
  std::string name = (named.getName().getValue() + "." + llvm::Twine(part)).str();
  return mlir::NameLoc::get(mlir::StringAttr::get(location.getContext(), name), named.getChildLoc());
}

// The value of a type, of new arguments of the block for its parts.
Value addArguments(OpBuilder &builder, mlir::Block &block, unsigned &position, Type type, Location location) {
  if (!hasParts(type))
    return block.insertArgument(position++, type, location);
  SmallVector<Value> parts;
  for (auto [i, part] : llvm::enumerate(partsOf(type)))
    parts.push_back(addArguments(builder, block, position, part, partLocation(location, i)));
  if (llvm::isa<mlir::TupleType>(type))
    return stablehlo::TupleOp::create(builder, location, type, parts);
  // An operation that has nothing to do.
  auto start = stablehlo::AsyncStartOp::create(builder, location, type, parts);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(parts.size(), location);
  mlir::Block *body = builder.createBlock(&start.getBody(), {}, partsOf(type), locations);
  stablehlo::ReturnOp::create(builder, location, body->getArguments());
  return start;
}

void takeApart(OpBuilder &builder, Value value, SmallVector<Value> &parts) {
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(value.getType())) {
    for (auto [i, type] : llvm::enumerate(tuple.getTypes()))
      takeApart(builder, stablehlo::GetTupleElementOp::create(builder, value.getLoc(), type, value, i), parts);
  } else if (llvm::isa<stablehlo::FutureType>(value.getType())) {
    auto done = stablehlo::AsyncDoneOp::create(builder, value.getLoc(), partsOf(value.getType()), value);
    for (Value result : done->getResults())
      takeApart(builder, result, parts);
  } else {
    parts.push_back(value);
  }
}

// The attributes of each part, from those of what has parts: whoever gives a tuple away gives its parts away.
void appendAttributes(mlir::MLIRContext *context, Type type, DictionaryAttr attributes,
                      SmallVector<mlir::Attribute> &all) {
  if (!hasParts(type))
    return all.push_back(attributes ? attributes : DictionaryAttr::get(context));
  SmallVector<mlir::NamedAttribute> kept;
  if (mlir::Attribute donated = attributes ? attributes.get("jax.buffer_donor") : mlir::Attribute())
    kept.emplace_back(mlir::StringAttr::get(context, "jax.buffer_donor"), donated);
  SmallVector<Type> parts;
  appendParts(type, parts);
  all.append(parts.size(), DictionaryAttr::get(context, kept));
}

// An argument names the result that takes its memory by a number, which is another one now; a result with parts is none
// that could.
void renumberAliases(mlir::func::FuncOp main, llvm::ArrayRef<Type> oldResults) {
  SmallVector<int64_t> numbers;
  int64_t next = 0;
  for (Type type : oldResults) {
    SmallVector<Type> parts;
    appendParts(type, parts);
    numbers.push_back(hasParts(type) ? -1 : next);
    next += static_cast<int64_t>(parts.size());
  }
  mlir::Builder builder(main.getContext());
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto alias = main.getArgAttrOfType<mlir::IntegerAttr>(i, "tf.aliasing_output");
    if (!alias || alias.getValue().uge(numbers.size()))
      continue;
    int64_t number = numbers[alias.getValue().getZExtValue()];
    if (number < 0)
      main.removeArgAttr(i, "tf.aliasing_output");
    else
      main.setArgAttr(i, "tf.aliasing_output", builder.getIntegerAttr(alias.getType(), number));
  }
}

} // namespace

void appendParts(Type type, llvm::SmallVectorImpl<Type> &parts) {
  if (!hasParts(type))
    return parts.push_back(type);
  for (Type part : partsOf(type))
    appendParts(part, parts);
}

llvm::LogicalResult flattenMain(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal() ||
      (llvm::none_of(main.getArgumentTypes(), hasParts) && llvm::none_of(main.getResultTypes(), hasParts)))
    return mlir::success();
  if (auto uses = mlir::SymbolTable::getSymbolUses(main, module); uses && !uses->empty())
    return main.emitError("a function 'main' that takes or gives tuples or futures cannot be called by others");
  mlir::Block &block = main.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  SmallVector<mlir::Attribute> argumentAttributes, resultAttributes;
  SmallVector<Type> oldArguments(main.getArgumentTypes()), oldResults(main.getResultTypes());
  unsigned position = 0;
  for (auto [i, type] : llvm::enumerate(oldArguments)) {
    appendAttributes(main.getContext(), type, main.getArgAttrDict(i), argumentAttributes);
    if (!hasParts(type)) {
      ++position;
      continue;
    }
    mlir::Location location = block.getArgument(position).getLoc();
    Value whole = addArguments(builder, block, position, type, location);
    block.getArgument(position).replaceAllUsesWith(whole);
    block.eraseArgument(position);
  }
  mlir::Operation *terminator = block.getTerminator();
  builder.setInsertionPoint(terminator);
  SmallVector<Value> results;
  for (Value result : terminator->getOperands())
    takeApart(builder, result, results);
  terminator->setOperands(results);
  for (auto [i, type] : llvm::enumerate(oldResults))
    appendAttributes(main.getContext(), type, main.getResultAttrDict(i), resultAttributes);
  main.setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), llvm::to_vector(terminator->getOperandTypes())));
  main.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  main.setResAttrsAttr(builder.getArrayAttr(resultAttributes));
  renumberAliases(main, oldResults);
  return mlir::success();
}

} // namespace tenon::frontend

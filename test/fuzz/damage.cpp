#include "test/fuzz/damage.h"

#include "test/fuzz/generator.h"
#include "test/fuzz/kinds.h"

#include "tenon/checking/reduce.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/text.h"
#include "tenon/interpreter/tensor.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Support/DebugStringHelper.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

constexpr int64_t kMaxConstant = 100'000;
constexpr size_t kMaxNotation = 2000; // characters of an attribute that is changed

class Damage {
public:
  Damage(ModuleOp module, uint64_t seed)
      : module_(module), context_(module.getContext()), random_(seed * 0x9e3779b97f4a7c15 + 3),
        silence_(context_, [](Diagnostic &) { return success(); }) {}

  std::string run() {
    bool opens = chance(8);
    if (opens)
      openSizes();
    for (int64_t i = 0, count = opens ? 0 : 1 + pick(3) * pick(2); i < count; ++i)
      for (int attempt = 0; attempt < 20 && !change(); ++attempt) {
      }
    if (!opens && chance(75))
      followAll();
    if (chance(90))
      for (auto function : module_.getOps<func::FuncOp>())
        checking::updateType(function);
    std::string text = frontend::exportText(module_, {.generic = true});
    if (chance(10))
      text = renamed(text);
    return chance(10) ? ofOtherKind(text) : text;
  }

private:
  int64_t pick(size_t n) { return static_cast<int64_t>(random_() % n); }
  bool chance(int percent) { return pick(100) < percent; }
  template <typename T> T anyOf(ArrayRef<T> choices) { return choices[pick(choices.size())]; }

  // Whether something has been changed.
  bool change() {
    std::vector<Operation *> ops;
    module_.walk([&](Operation *op) {
      if (op != module_)
        ops.push_back(op);
    });
    Operation *op = ops[pick(ops.size())];
    int64_t kind = pick(100);
    if (kind < 40)
      return changeAttribute(op);
    if (kind < 62)
      return changeSomeType(op);
    if (kind < 80)
      return exchangeOperand(op);
    if (kind < 88)
      return changeOperandCount(op);
    return changeRegion(op);
  }

  //===- Attributes ----------------------------------------------------------------------------------------------===//

  bool changeAttribute(Operation *op) {
    if (chance(8))
      return addAttribute(op);
    auto attributes = op->getAttrDictionary();
    if (attributes.empty())
      return false;
    NamedAttribute attribute = anyOf(attributes.getValue());
    if (chance(5)) {
      op->removeAttr(attribute.getName());
      incomplete_.insert(op);
      return true;
    }
    std::string text = debugString(attribute.getValue());
    if (text.size() > kMaxNotation)
      return false;
    std::string damaged = damagedNotation(text, random_);
    Attribute other = frontend::findHazard(damaged) ? Attribute() : parseAttribute(damaged, context_);
    if (!other || other == attribute.getValue())
      return false;
    op->setAttr(attribute.getName(), other);
    // One of another kind cannot be set, and leaves nothing.
    if (op->getAttr(attribute.getName()) != other || attribute.getName() == "operandSegmentSizes")
      incomplete_.insert(op);
    return true;
  }

  // One that the op may have and has not.
  bool addAttribute(Operation *op) {
    SmallVector<StringAttr> absent;
    for (StringAttr name : op->getName().getAttributeNames())
      if (!op->getAttr(name))
        absent.push_back(name);
    if (absent.empty())
      return false;
    Builder builder(context_);
    auto type = op->getNumOperands() ? llvm::dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : nullptr;
    int64_t rank = type ? type.getRank() : 1;
    Sizes list;
    for (int64_t i = 0; i < rank; ++i)
      list.push_back(pick(4));
    switch (pick(4)) {
    case 0:
      op->setAttr(anyOf<StringAttr>(absent), builder.getDenseI64ArrayAttr(list));
      break;
    case 1:
      llvm::append_range(list, Sizes(list));
      op->setAttr(anyOf<StringAttr>(absent),
                  DenseIntElementsAttr::get(RankedTensorType::get({rank, 2}, builder.getI64Type()), list));
      break;
    case 2:
      op->setAttr(anyOf<StringAttr>(absent), builder.getI64IntegerAttr(pick(4)));
      break;
    default:
      op->setAttr(anyOf<StringAttr>(absent), builder.getBoolAttr(chance(50)));
    }
    return true;
  }

  // In the text, an attribute or an element of it becomes one of another kind, which an op cannot be given.
  std::string ofOtherKind(const std::string &text) {
    SmallVector<NamedAttribute> attributes;
    module_.walk([&](Operation *op) { llvm::append_range(attributes, op->getAttrDictionary()); });
    if (attributes.empty())
      return text;
    NamedAttribute attribute = anyOf<NamedAttribute>(attributes);
    std::string name = attribute.getName().str() + " = ", value = debugString(attribute.getValue());
    size_t at = text.find(name + value, pick(text.size()));
    at = at == std::string::npos ? text.find(name + value) : at;
    if (at == std::string::npos || value.size() > kMaxNotation)
      return text;
    return text.substr(0, at) + name + otherKind(attribute.getValue(), random_) +
           text.substr(at + name.size() + value.size());
  }

  // In the text, the name of one op becomes that of another that takes as many operands.
  std::string renamed(const std::string &text) {
    SmallVector<Operation *> ops;
    module_.walk([&](Operation *op) {
      if (op->getNumResults())
        ops.push_back(op);
    });
    if (ops.empty())
      return text;
    Operation *op = ops[pick(ops.size())];
    SmallVector<StringRef> names;
    for (StringRef dialect : {"stablehlo", "chlo"})
      for (RegisteredOperationName other : context_->getRegisteredOperationsByDialect(dialect))
        if (isAlike(op->getName(), other))
          names.push_back(other.getStringRef());
    llvm::sort(names);
    if (names.empty())
      return text;
    std::string quoted = '"' + op->getName().getStringRef().str() + "\"(";
    size_t at = text.find(quoted, pick(text.size()));
    at = at == std::string::npos ? text.find(quoted) : at;
    if (at == std::string::npos)
      return text;
    return text.substr(0, at) + '"' + anyOf<StringRef>(names).str() + "\"(" + text.substr(at + quoted.size());
  }

  static bool isAlike(OperationName a, OperationName b) {
    return a.hasTrait<OpTrait::OneOperand>() == b.hasTrait<OpTrait::OneOperand>() &&
           a.hasTrait<OpTrait::NOperands<2>::Impl>() == b.hasTrait<OpTrait::NOperands<2>::Impl>() &&
           a.hasTrait<OpTrait::NOperands<3>::Impl>() == b.hasTrait<OpTrait::NOperands<3>::Impl>() &&
           a.hasTrait<OpTrait::OneRegion>() == b.hasTrait<OpTrait::OneRegion>() &&
           a.hasTrait<OpTrait::ZeroRegions>() == b.hasTrait<OpTrait::ZeroRegions>();
  }

  //===- Types ---------------------------------------------------------------------------------------------------===//

  // Some results say less about their shapes.
  void openSizes() {
    int share = chance(50) ? 100 : 30;
    module_.walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() || !chance(share))
        return;
      for (OpResult result : op->getResults())
        if (auto tensor = llvm::dyn_cast<RankedTensorType>(result.getType()); tensor && chance(80)) {
          Sizes sizes(tensor.getShape());
          for (int64_t &size : sizes)
            size = chance(70) ? ShapedType::kDynamic : size;
          result.setType(RankedTensorType::get(sizes, tensor.getElementType()));
        }
    });
  }

  bool changeSomeType(Operation *op) {
    if (op->getNumResults())
      return changeType(op->getResult(pick(op->getNumResults())));
    SmallVector<Value> arguments;
    for (Region &region : op->getRegions())
      if (!region.empty())
        llvm::append_range(arguments, region.getArguments());
    return !arguments.empty() && changeType(anyOf<Value>(arguments));
  }

  bool changeType(Value value) {
    Type type = otherType(value.getType());
    if (!type || type == value.getType())
      return false;
    value.setType(type);
    if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>())
      changeConstant(constant, type);
    return true;
  }

  // A value that the new type may have.
  static void changeConstant(stablehlo::ConstantOp constant, Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !interpreter::elementTypeOf(tensor.getElementType()) ||
        interpreter::countElements(tensor.getShape()).value_or(INT64_MAX) > kMaxConstant)
      return;
    auto old = llvm::dyn_cast_if_present<DenseElementsAttr>(constant.getValueAttr());
    if (old && old.isSplat() && old.getElementType() == tensor.getElementType())
      constant.setValueAttr(DenseElementsAttr::get(tensor, old.getSplatValue<Attribute>()));
    else
      constant.setValueAttr(interpreter::Tensor(tensor.getShape(), tensor.getElementType()).toAttr());
  }

  int64_t otherSize(int64_t size) {
    if (chance(8))
      return ShapedType::kDynamic;
    if (ShapedType::isDynamic(size))
      return pick(9);
    int64_t other = otherNumber(size, random_);
    return other < 0 ? 0 : other;
  }

  Type otherType(Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor || chance(15))
      return parseType(damagedNotation(debugString(type), random_), context_);
    if (chance(25))
      return RankedTensorType::getChecked([&] { return emitError(UnknownLoc::get(context_)); }, tensor.getShape(),
                                          otherElement(), tensor.getEncoding());
    Sizes sizes(tensor.getShape());
    int64_t kind = sizes.empty() ? 5 : pick(7);
    if (kind <= 3) {
      int64_t d = pick(sizes.size());
      sizes[d] = otherSize(sizes[d]);
    } else if (kind == 4) {
      sizes.erase(sizes.begin() + pick(sizes.size()));
    } else if (kind == 5) {
      sizes.insert(sizes.begin() + pick(sizes.size() + 1), chance(50) ? 1 : pick(6));
    } else {
      std::swap(sizes[pick(sizes.size())], sizes[pick(sizes.size())]);
    }
    return RankedTensorType::get(sizes, tensor.getElementType());
  }

  Type otherElement() {
    static constexpr const char *names[] = {"i1",
                                            "i2",
                                            "i4",
                                            "i8",
                                            "i16",
                                            "i32",
                                            "i64",
                                            "ui2",
                                            "ui4",
                                            "ui8",
                                            "ui16",
                                            "ui32",
                                            "ui64",
                                            "f4E2M1FN",
                                            "f6E2M3FN",
                                            "f6E3M2FN",
                                            "f8E3M4",
                                            "f8E4M3",
                                            "f8E4M3FN",
                                            "f8E4M3FNUZ",
                                            "f8E4M3B11FNUZ",
                                            "f8E5M2",
                                            "f8E5M2FNUZ",
                                            "f8E8M0FNU",
                                            "bf16",
                                            "f16",
                                            "f32",
                                            "f64",
                                            "i1",
                                            "complex<f32>",
                                            "complex<f64>",
                                            "complex<f16>",
                                            "complex<i32>",
                                            "index",
                                            "i128",
                                            "f80",
                                            "si32",
                                            "!quant.uniform<i8:f32, 0.5:3>",
                                            "!quant.uniform<u8:f32:0, {0.5, 0.25}>",
                                            "!quant.uniform<i4:bf16, 2.0>"};
    return parseType(names[pick(std::size(names))], context_);
  }

  //===- Operands and regions ------------------------------------------------------------------------------------===//

  // Values that an op may use, and now and then some that it may not.
  SmallVector<Value> valuesFor(Operation *op) {
    SmallVector<Value> values;
    auto add = [&](Operation *before, Block &block) {
      llvm::append_range(values, block.getArguments());
      for (Operation &other : block) {
        if (&other == before)
          break;
        llvm::append_range(values, other.getResults());
      }
    };
    if (chance(4)) {
      module_.walk([&](Block *block) { add(nullptr, *block); });
      return values;
    }
    for (Operation *at = op; at && at->getBlock() && !llvm::isa<func::FuncOp>(at); at = at->getParentOp())
      add(at, *at->getBlock());
    return values;
  }

  Value anyValueFor(Operation *op, Type like) {
    SmallVector<Value> values = valuesFor(op);
    auto rankOf = [](Type type) {
      auto tensor = llvm::dyn_cast<RankedTensorType>(type);
      return tensor ? tensor.getRank() : -1;
    };
    int64_t kind = pick(3);
    SmallVector<Value> fitting = llvm::filter_to_vector(values, [&](Value value) {
      return kind == 0   ? rankOf(value.getType()) == rankOf(like)
             : kind == 1 ? getElementTypeOrSelf(value.getType()) == getElementTypeOrSelf(like)
                         : true;
    });
    return fitting.empty() ? Value() : anyOf<Value>(fitting);
  }

  bool exchangeOperand(Operation *op) {
    if (op->getNumOperands() == 0)
      return false;
    OpOperand &operand = op->getOpOperand(pick(op->getNumOperands()));
    Value other = anyValueFor(op, operand.get().getType());
    if (!other || other == operand.get())
      return false;
    operand.set(other);
    return true;
  }

  bool changeOperandCount(Operation *op) {
    SmallVector<Value> operands(op->getOperands());
    if (operands.empty())
      return false;
    auto any = operands.begin() + pick(operands.size());
    Value value = *any;
    if (chance(50))
      operands.erase(any);
    else
      operands.insert(any, value);
    op->setOperands(operands);
    incomplete_.insert(op);
    return true;
  }

  bool changeRegion(Operation *op) {
    if (op->getNumRegions() == 0 || op->getRegion(0).empty())
      return false;
    Region &region = op->getRegion(static_cast<unsigned>(pick(op->getNumRegions())));
    if (region.empty())
      return false;
    Block &block = region.front();
    unsigned count = block.getNumArguments();
    switch (pick(5)) {
    case 0:
      return count != 0 && changeType(block.getArgument(static_cast<unsigned>(pick(count))));
    case 1: {
      Type type = count ? block.getArgument(0).getType() : RankedTensorType::get({}, Float32Type::get(context_));
      block.insertArgument(static_cast<unsigned>(pick(count + 1)), type, UnknownLoc::get(context_));
      return true;
    }
    case 2:
      for (unsigned i = count; i-- > 0;)
        if (block.getArgument(i).use_empty()) {
          block.eraseArgument(i);
          return true;
        }
      return false;
    case 3: {
      Region &other = op->getRegion(static_cast<unsigned>(pick(op->getNumRegions())));
      if (&other == &region)
        return false;
      Region between;
      between.takeBody(other);
      other.takeBody(region);
      region.takeBody(between);
      return true;
    }
    default:
      return !llvm::isa<func::FuncOp>(op) && chance(20) && empty(region);
    }
  }

  bool empty(Region &region) {
    bool usedOutside = false;
    region.walk([&](Operation *op) {
      usedOutside |=
          llvm::any_of(op->getUsers(), [&](Operation *user) { return !region.isAncestor(user->getParentRegion()); });
    });
    if (usedOutside)
      return false;
    incomplete_.insert(region.getParentOp());
    region.dropAllReferences();
    region.getBlocks().clear();
    return true;
  }

  //===- What follows --------------------------------------------------------------------------------------------===//

  void followAll() {
    for (auto function : module_.getOps<func::FuncOp>())
      if (!function.getBody().empty())
        follow(function.front());
  }

  // Gives values the types that follow from the operands and attributes, where there are such.
  void follow(Block &block) {
    for (Operation &op : block) {
      if (llvm::isa<stablehlo::WhileOp>(op))
        for (Region &region : op.getRegions())
          if (!region.empty())
            for (auto [argument, operand] : llvm::zip(region.getArguments(), op.getOperands()))
              argument.setType(operand.getType());
      for (Region &region : op.getRegions())
        if (!region.empty())
          follow(region.front());
      inferTypes(&op);
    }
  }

  // Inference is asked of ops with which only the results are wrong.
  void inferTypes(Operation *op) {
    auto interface = llvm::dyn_cast<InferTypeOpInterface>(op);
    if (!interface || incomplete_.contains(op))
      return;
    std::string error;
    ScopedDiagnosticHandler handler(context_, [&](Diagnostic &diagnostic) {
      error += diagnostic.str();
      return success();
    });
    if (succeeded(op->getName().verifyInvariants(op)) || !StringRef(error).contains("result"))
      return;
    SmallVector<Type> types;
    if (failed(interface.inferReturnTypes(context_, op->getLoc(), op->getOperands(), op->getAttrDictionary(),
                                          op->getPropertiesStorage(), op->getRegions(), types)) ||
        types.size() != op->getNumResults())
      return;
    for (auto [result, type] : llvm::zip(op->getResults(), types))
      if (type)
        result.setType(type);
  }

  ModuleOp module_;
  MLIRContext *context_;
  std::mt19937_64 random_;
  ScopedDiagnosticHandler silence_;
  llvm::DenseSet<Operation *> incomplete_;
};

} // namespace

std::string damagedText(ModuleOp module, uint64_t seed) {
  OwningOpRef<ModuleOp> copy(module.clone());
  return Damage(*copy, seed).run();
}

} // namespace tenon::fuzz

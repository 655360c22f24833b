#include "test/fuzz/kinds.h"

#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/text.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

constexpr StringLiteral kMarked = "fuzz.marked";

bool isTensor(Value value) { return llvm::isa<TensorType>(value.getType()); }

SmallVector<Value> tensorsOf(ValueRange values) {
  SmallVector<Value> tensors;
  llvm::copy_if(values, std::back_inserter(tensors), isTensor);
  return tensors;
}

//===- One op alone ----------------------------------------------------------------------------------------------===//

class Isolation {
public:
  explicit Isolation(Operation *op)
      : op_(op), module_(ModuleOp::create(op->getLoc())), builder_(module_->getBodyRegion()) {}

  OwningOpRef<ModuleOp> run() {
    auto source = op_->getParentOfType<ModuleOp>();
    module_.get()->setAttrs(source->getAttrDictionary());
    for (Operation &other : *source.getBody()) {
      auto function = llvm::dyn_cast<func::FuncOp>(other);
      if (!function || function.isPrivate())
        builder_.clone(other);
    }
    main_ = func::FuncOp::create(builder_, op_->getLoc(), "main", builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToStart(main_.addEntryBlock());
    provide(op_);
    Operation *copy = builder_.clone(*op_, values_);
    copy->setDiscardableAttr(kMarked, builder_.getUnitAttr());
    auto result = func::ReturnOp::create(builder_, op_->getLoc(), tensorsOf(copy->getResults()));
    main_.setFunctionType(builder_.getFunctionType(main_.getBody().getArgumentTypes(), result->getOperandTypes()));
    return std::move(module_);
  }

private:
  // What the op uses, also in its regions.
  void provide(Operation *user) {
    llvm::SetVector<Value> used(user->operand_begin(), user->operand_end());
    getUsedValuesDefinedAbove(user->getRegions(), used);
    for (Value value : used)
      if (!values_.contains(value))
        values_.map(value, provided(value));
  }

  Value provided(Value value) {
    if (llvm::isa<stablehlo::TokenType>(value.getType()))
      return stablehlo::CreateTokenOp::create(builder_, value.getLoc());
    Operation *from = value.getDefiningOp();
    if (isTensor(value) || !from)
      return main_.getBody().addArgument(value.getType(), value.getLoc());
    provide(from);
    return builder_.clone(*from, values_)->getResult(llvm::cast<OpResult>(value).getResultNumber());
  }

  Operation *op_;
  OwningOpRef<ModuleOp> module_;
  OpBuilder builder_;
  func::FuncOp main_;
  IRMapping values_;
};

//===- Kinds -----------------------------------------------------------------------------------------------------===//

constexpr const char *kAttributes[] = {
    "unit",
    "true",
    "5 : i64",
    "5 : i32",
    "5 : si32",
    "5 : i128",
    "5 : index",
    "1.5 : f32",
    "1.5 : f64",
    "\"a\"",
    "@a",
    "@a::@b",
    "[]",
    "[5]",
    "[unit]",
    "[\"a\"]",
    "[[]]",
    "[[[]]]",
    "[[\"a\"]]",
    "[[0], [0]]",
    "{}",
    "{a = 1 : i64}",
    "{a = [\"b\"]}",
    "dense<1> : tensor<i64>",
    "dense<1> : tensor<2xi32>",
    "dense<[[0, 1]]> : tensor<1x2xi64>",
    "dense<[[[0, 1]]]> : tensor<1x1x2xi64>",
    "dense<> : tensor<0xi64>",
    "dense<1.0> : tensor<2xf32>",
    "dense<0> : tensor<1xindex>",
    "dense<\"a\"> : tensor<1x!stablehlo.token>",
    "dense<0> : vector<1xi64>",
    "sparse<[[0, 0]], [1]> : tensor<1x2xi64>",
    "array<i64>",
    "array<i64: 0>",
    "array<i32: 0>",
    "array<i1: true>",
    "array<f32: 1.0>",
    "tensor<2xf32>",
    "!stablehlo.token",
    "() -> ()",
    "loc(\"a\")",
    "affine_map<() -> ()>",
    "strided<[1]>",
    "#stablehlo<precision HIGH>",
    "[#stablehlo<precision HIGH>]",
    "#stablehlo<fft_type FFT>",
    "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>",
    "#stablehlo.channel_handle<handle = 1, type = 1>",
    "#stablehlo.bounds<4>",
    "#stablehlo.replica_group_mesh_axes<mesh = @a, axes = []>",
    "#stablehlo.mesh<axes=[]>",
    "#chlo<precision HIGH>",
    "#sdy.sharding<@a, []>",
};

constexpr const char *kTypes[] = {
    "tensor<f32>",
    "tensor<2xi1>",
    "tensor<?xf32>",
    "tensor<2x3xindex>",
    "tensor<*xf32>",
    "tensor<2xcomplex<f64>>",
    "tensor<2xui8>",
    "tensor<?x8xf32, #stablehlo.bounds<4, ?>>",
    "tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>",
    "tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>",
    "tensor<2x!stablehlo.token>",
    "tensor<2xvector<2xf32>>",
    "tensor<2xf32, \"a\">",
    "!stablehlo.token",
    "!stablehlo.future<tensor<f32>>",
    "!stablehlo.future<f32>",
    "!stablehlo.future<!stablehlo.token>",
    "tuple<>",
    "tuple<tensor<f32>, tuple<f32>>",
    "memref<2xf32>",
    "memref<*xf32>",
    "vector<2xf32>",
    "f32",
    "i32",
    "index",
    "none",
    "() -> ()",
    "complex<f32>",
    "!quant.uniform<i8:f32, 0.5:3>",
};

// Calls `take` with the text of the attribute, where it or an element of it is of another kind.
void forEachOther(const std::string &text, Attribute attribute, llvm::function_ref<void(const std::string &)> take) {
  for (const char *kind : kAttributes)
    take(kind);
  if (!attribute)
    return;
  // Elements are found by how they are printed, some of which leave out the dialect inside of their attribute.
  auto replace = [&](const std::string &part, const std::string &other) {
    if (size_t at = text.find(part); at != std::string::npos)
      take(text.substr(0, at) + other + text.substr(at + part.size()));
  };
  attribute.walkImmediateSubElements(
      [&](Attribute element) {
        std::string part = debugString(element);
        forEachOther(part, element, [&](const std::string &other) { replace(part, other); });
      },
      [&](Type type) {
        for (const char *other : kTypes)
          replace(debugString(type), other);
      });
}

//===- Places ----------------------------------------------------------------------------------------------------===//

class WrongKinds {
public:
  WrongKinds(ModuleOp module, llvm::function_ref<void(const Wrong &)> take) : module_(module), take_(take) {
    module.walk([&](Operation *op) {
      if (op->hasAttr(kMarked))
        marked_ = op;
    });
  }

  void run() {
    splitText();
    for (StringAttr name : names())
      changeAttribute(name);
    for (OpResult result : marked_->getResults())
      changeType("result " + std::to_string(result.getResultNumber()), result);
    for (OpOperand &operand : marked_->getOpOperands())
      changeType("operand " + std::to_string(operand.getOperandNumber()), operand.get());
    for (Region &region : marked_->getRegions())
      for (BlockArgument argument : region.getArguments())
        changeType("argument " + std::to_string(argument.getArgNumber()) + " of region " +
                       std::to_string(region.getRegionNumber()),
                   argument);
    changeOperandCount();
    changeResultCount();
  }

private:
  std::string text() const { return frontend::exportText(module_, {.generic = true}); }

  void give(const std::string &text, const std::string &what) {
    take_({text, marked_->getName().getStringRef().str() + ": " + what});
  }

  SmallVector<StringAttr> names() const {
    llvm::SetVector<StringAttr> all;
    for (StringAttr name : marked_->getName().getAttributeNames())
      all.insert(name);
    for (NamedAttribute attribute : marked_->getAttrDictionary())
      if (attribute.getName() != kMarked)
        all.insert(attribute.getName());
    return all.takeVector();
  }

  // The text before the properties, and from behind them.
  void splitText() {
    std::string whole = text();
    size_t begin = whole.find('"' + marked_->getName().getStringRef().str() + "\"(");
    size_t operands = whole.find(')', begin) + 1, end = operands;
    if (StringRef(whole).substr(operands).starts_with(" <{")) {
      bool quoted = false;
      end += 3;
      for (int depth = 1; depth > 0; ++end) {
        quoted ^= whole[end] == '"' && whole[end - 1] != '\\';
        depth += !quoted && whole[end] == '{';
        depth -= !quoted && whole[end] == '}';
      }
      ++end; // the bracket >
    }
    before_ = whole.substr(0, operands);
    behind_ = whole.substr(end);
  }

  std::string properties(StringAttr changed, const std::string &value) const {
    std::string list;
    for (StringAttr name : names()) {
      Attribute attribute = marked_->getAttr(name);
      if (name != changed && !attribute)
        continue;
      list += (list.empty() ? "" : ", ") + name.str() + " = " + (name == changed ? value : debugString(attribute));
    }
    return list;
  }

  void changeAttribute(StringAttr name) {
    Attribute attribute = marked_->getAttr(name);
    forEachOther(attribute ? debugString(attribute) : "", attribute, [&](const std::string &other) {
      std::string list = properties(name, other), what = name.str() + " = " + other;
      give(before_ + " <{" + list + "}>" + behind_, what);
      size_t at = behind_.find(kMarked);
      give(before_ + behind_.substr(0, at) + list + ", " + behind_.substr(at), what + ", in the older form");
    });
  }

  void changeType(const std::string &what, Value value) {
    Type before = value.getType();
    for (const char *kind : kTypes) {
      Type type = parseType(kind, module_.getContext());
      if (!type || type == before)
        continue;
      value.setType(type);
      updateMain();
      give(text(), what + " of type " + kind);
    }
    value.setType(before);
    updateMain();
  }

  void updateMain() {
    auto main = module_.lookupSymbol<func::FuncOp>("main");
    main.setFunctionType(FunctionType::get(module_.getContext(), main.getBody().getArgumentTypes(),
                                           main.getBody().front().getTerminator()->getOperandTypes()));
  }

  void changeOperandCount() {
    SmallVector<Value> operands(marked_->getOperands());
    for (size_t i = 0; i < operands.size(); ++i) {
      SmallVector<Value> fewer(operands), more(operands);
      fewer.erase(fewer.begin() + i);
      more.insert(more.begin() + i, operands[i]);
      marked_->setOperands(fewer);
      give(text(), "without operand " + std::to_string(i));
      marked_->setOperands(more);
      give(text(), "with operand " + std::to_string(i) + " twice");
      marked_->setOperands(operands);
    }
  }

  void changeResultCount() {
    SmallVector<Type> types(marked_->getResultTypes());
    for (size_t i = 0; i < types.size(); ++i) {
      SmallVector<Type> fewer(types), more(types);
      fewer.erase(fewer.begin() + i);
      more.insert(more.begin() + i, types[i]);
      give(withResults(fewer), "without result " + std::to_string(i));
      give(withResults(more), "with result " + std::to_string(i) + " twice");
    }
    types.push_back(RankedTensorType::get({}, Float32Type::get(module_.getContext())));
    give(withResults(types), "with a result more");
  }

  std::string withResults(ArrayRef<Type> types) {
    OwningOpRef<ModuleOp> copy(module_.clone());
    Operation *old = nullptr;
    copy->walk([&](Operation *op) { old = op->hasAttr(kMarked) ? op : old; });
    Operation *other =
        Operation::create(old->getLoc(), old->getName(), types, old->getOperands(), old->getDiscardableAttrDictionary(),
                          old->getPropertiesStorage(), BlockRange(), old->getNumRegions());
    for (auto [from, to] : llvm::zip(old->getRegions(), other->getRegions()))
      to.takeBody(from);
    Operation *end = old->getBlock()->getTerminator();
    end->setOperands(tensorsOf(other->getResults()));
    OpBuilder(old).insert(other);
    old->erase();
    WrongKinds(*copy, take_).updateMain();
    return frontend::exportText(*copy, {.generic = true});
  }

  ModuleOp module_;
  llvm::function_ref<void(const Wrong &)> take_;
  Operation *marked_ = nullptr;
  std::string before_, behind_;
};

} // namespace

std::vector<OwningOpRef<ModuleOp>> alone(ModuleOp module) {
  std::vector<OwningOpRef<ModuleOp>> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      for (Operation &op : function.front().without_terminator())
        all.push_back(Isolation(&op).run());
  return all;
}

void forEachWrongKind(ModuleOp module, llvm::function_ref<void(const Wrong &)> take) {
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  WrongKinds(module, take).run();
}

std::string otherKind(Attribute attribute, std::mt19937_64 &random) {
  std::vector<std::string> all;
  forEachOther(debugString(attribute), attribute, [&](const std::string &other) { all.push_back(other); });
  return all[random() % all.size()];
}

std::string uncheckedBytecode(StringRef genericText) {
  // An op of a dialect that nobody knows may have any attributes. Its name is as long as the true one, which is then
  // put in its place.
  constexpr StringLiteral kTrue = "stablehlo", kOther = "stablehl0";
  static MLIRContext context(MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
  auto exchange = [](std::string text, const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  std::string text = exchange(genericText.str(), '"' + kTrue.str() + '.', '"' + kOther.str() + '.');
  if (frontend::findHazard(text))
    return "";
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context, /*verifyAfterParse=*/false));
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  if (!module || failed(writeBytecodeToFile(*module, out, BytecodeWriterConfig("fuzz"))))
    return "";
  return exchange(bytes, kOther.str(), kTrue.str());
}

} // namespace tenon::fuzz

#include "tenon/backend/program_view.h"

#include "tenon/codegen/common/interface/constant_data.h"
#include "tenon/codegen/common/location.h"
#include "tenon/frontend/export/vhlo_fields.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon::backend {
namespace {

// An enumeration is printed as "#stablehlo<comparison_direction LT>": what it says is the last word.
std::string wordOf(Attribute attribute) {
  std::string text = debugString(attribute);
  StringRef word = text;
  if (word.consume_front("#stablehlo<") && word.consume_back(">"))
    word = word.drop_until([](char c) { return c == ' '; }).trim();
  return word.empty() ? text : word.str();
}

std::vector<int64_t> integersOf(DenseIntElementsAttr elements) {
  std::vector<int64_t> values;
  bool isFlag = elements.getElementType().isInteger(1);
  for (const APInt &value : elements.getValues<APInt>())
    values.push_back(isFlag ? int64_t(value.getZExtValue()) : value.getSExtValue());
  return values;
}

class View {
public:
  explicit View(ModuleOp module) : module_(module) {}

  StatusOr<target::Program> make() {
    auto main = module_.lookupSymbol<func::FuncOp>("main");
    if (!main)
      return invalidArgument("the program has no function 'main'");
    program_.name = module_.getName() ? module_.getName()->str() : "program";
    program_.main = regionOf(main.getBody());
    if (!status_.ok())
      return status_;
    return std::move(program_);
  }

private:
  void fail(Location location, const std::string &what) {
    std::string place = codegen::locationText(location);
    if (status_.ok())
      status_ = unimplemented((place.empty() ? "" : place + ": ") + "error: " + what);
  }

  target::Type typeOf(Type type, Location location) {
    target::Type result;
    program::ElementType element = program::ElementType::kToken;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      element = ir::toElementType(tensor.getElementType());
      result.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
    }
    bool isArray = isa<RankedTensorType>(type) && cast<RankedTensorType>(type).hasStaticShape();
    if ((!isArray && !isa<stablehlo::TokenType>(type)) || element == program::ElementType::kInvalid)
      fail(location, "targets have no values of type " + debugString(type));
    result.element = program::elementTypeName(element);
    result.elementBytes = program::byteSize(element);
    return result;
  }

  target::Value define(Value value) {
    auto number = target::Value(program_.values.size());
    program_.values.push_back(typeOf(value.getType(), value.getLoc()));
    numbers_[value] = number;
    return number;
  }

  target::Region regionOf(Region &region) {
    target::Region result;
    Block &block = region.front();
    for (BlockArgument argument : block.getArguments())
      result.arguments.push_back(define(argument));
    for (Operation &op : block.without_terminator())
      result.operations.push_back(operationOf(op));
    for (Value value : block.getTerminator()->getOperands())
      result.results.push_back(numbers_.lookup(value));
    return result;
  }

  target::Operation operationOf(Operation &op) {
    target::Operation result;
    StringRef name = op.getName().getStringRef();
    name.consume_front("stablehlo.");
    result.name = name.str();
    result.location = codegen::locationText(op.getLoc());
    for (Value operand : op.getOperands())
      result.operands.push_back(numbers_.lookup(operand));
    // Before the results: values are numbered in the order in which they appear.
    for (Region &region : op.getRegions())
      if (!region.empty())
        result.regions.push_back(regionOf(region));
    for (Value value : op.getResults())
      result.results.push_back(define(value));
    for (NamedAttribute attribute : frontend::spreadGroups(&op))
      if (!attribute.getName().getValue().contains('.')) // a dialect's own notes
        result.attributes[attribute.getName().str()] = attributeOf(op, attribute.getValue());
    return result;
  }

  target::Attribute attributeOf(Operation &op, Attribute value) {
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op); constant && value == constant.getValue())
      return constantOf(constant);
    return llvm::TypeSwitch<Attribute, target::Attribute>(value)
        .Case([](UnitAttr) { return true; })
        .Case([](BoolAttr flag) { return flag.getValue(); })
        .Case([](IntegerAttr number) { return number.getInt(); })
        .Case([](FloatAttr number) { return number.getValueAsDouble(); })
        .Case([](StringAttr text) { return text.str(); })
        .Case([](FlatSymbolRefAttr symbol) { return symbol.getValue().str(); })
        .Case([](DenseI64ArrayAttr list) { return std::vector<int64_t>(list.asArrayRef()); })
        .Case([](DenseBoolArrayAttr list) {
          return std::vector<int64_t>(list.asArrayRef().begin(), list.asArrayRef().end());
        })
        .Case([](DenseIntElementsAttr elements) { return integersOf(elements); })
        .Case([](ArrayAttr list) {
          std::vector<std::string> words;
          for (Attribute element : list) {
            auto text = dyn_cast<StringAttr>(element);
            words.push_back(text ? text.str() : wordOf(element));
          }
          return words;
        })
        .Default([](Attribute other) { return wordOf(other); });
  }

  target::Attribute constantOf(stablehlo::ConstantOp op) {
    target::Constant result;
    result.type = typeOf(op.getType(), op.getLoc());
    ElementsAttr elements = op.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(elements); dense && dense.isSplat() && dense.getNumElements() > 1) {
      result.isSplat = true;
      elements = dense.resizeSplat(RankedTensorType::get({}, dense.getElementType()));
    }
    FailureOr<program::Constant> data = codegen::constantData(elements);
    if (failed(data)) {
      fail(op.getLoc(), "the constant's data is not there");
      return result;
    }
    result.bytes.assign(data->bytes.begin(), data->bytes.end());
    return result;
  }

  ModuleOp module_;
  target::Program program_;
  Status status_;
  DenseMap<Value, target::Value> numbers_;
};

} // namespace

StatusOr<target::Program> viewOf(ModuleOp module) { return View(module).make(); }

} // namespace tenon::backend

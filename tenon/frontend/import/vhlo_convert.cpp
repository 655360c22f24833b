// VHLO to StableHLO: one generic conversion, driven by the rows of vhlo_table.h. An operation keeps its operands, types
// and regions under its new name; its attributes are renamed, regrouped, or left out where they say the default.
#include "tenon/frontend/import/vhlo_convert.h"
#include "tenon/frontend/import/vhlo_groups.h"
#include "tenon/frontend/import/vhlo_table.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;
using mlir::Attribute;
using mlir::NamedAttrList;
using mlir::Operation;

namespace {

bool isSplat(Attribute value, int64_t expected) {
  auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(value);
  if (!elements || !elements.getElementType().isInteger())
    return false;
  // VHLO leaves the number of dimensions to the tensor's shape: without dimensions every value is the default.
  if (elements.empty())
    return true;
  return elements.isSplat() && elements.getSplatValue<llvm::APInt>().getSExtValue() == expected;
}

bool isInteger(Attribute value, int64_t expected) {
  auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
  return integer && integer.getType().isIntOrIndex() && integer.getValue().getSExtValue() == expected;
}

bool isEmpty(Attribute value) {
  if (auto array = llvm::dyn_cast<mlir::ArrayAttr>(value))
    return array.empty();
  if (auto string = llvm::dyn_cast<mlir::StringAttr>(value))
    return string.empty();
  if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value))
    return dictionary.empty();
  if (auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(value))
    return elements.empty();
  return false;
}

bool isDefaultPrecision(Attribute value) {
  auto array = llvm::dyn_cast<mlir::ArrayAttr>(value);
  return array && llvm::all_of(array, [](Attribute element) {
           auto precision = llvm::dyn_cast<stablehlo::PrecisionAttr>(element);
           return precision && precision.getValue() == stablehlo::Precision::DEFAULT;
         });
}

bool isDefaultAccuracy(Attribute value) {
  auto accuracy = llvm::dyn_cast<stablehlo::ResultAccuracyAttr>(value);
  return accuracy && accuracy.getAtol().isZero() && accuracy.getRtol().isZero() && accuracy.getUlps() == 0 &&
         accuracy.getMode().getValue() == stablehlo::ResultAccuracyMode::DEFAULT;
}

} // namespace

bool isVhloDefault(Attribute value, VhloDefault defaultValue) {
  switch (defaultValue) {
  case VhloDefault::kNone:
    return false;
  case VhloDefault::kFalse: {
    auto boolean = llvm::dyn_cast<mlir::BoolAttr>(value);
    return boolean && !boolean.getValue();
  }
  case VhloDefault::kZero:
    return isInteger(value, 0);
  case VhloDefault::kMinusOne:
    return isInteger(value, -1);
  case VhloDefault::kEmptyArray:
  case VhloDefault::kEmptyDictionary:
  case VhloDefault::kEmptyString:
  case VhloDefault::kEmptyTensor:
  case VhloDefault::kEmptyConfig:
    return isEmpty(value);
  case VhloDefault::kNoneType: {
    auto type = llvm::dyn_cast<mlir::TypeAttr>(value);
    return type && llvm::isa<mlir::NoneType>(type.getValue());
  }
  case VhloDefault::kAllZeros:
  case VhloDefault::kAllFalse:
    return isSplat(value, 0);
  case VhloDefault::kAllOnes:
    return isSplat(value, 1);
  case VhloDefault::kPrecision:
    return isDefaultPrecision(value);
  case VhloDefault::kAccuracy:
    return isDefaultAccuracy(value);
  case VhloDefault::kOriginalApi: {
    auto version = llvm::dyn_cast<stablehlo::CustomCallApiVersionAttr>(value);
    return version && version.getValue() == stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL;
  }
  case VhloDefault::kNoCompareType: {
    auto type = llvm::dyn_cast<stablehlo::ComparisonTypeAttr>(value);
    return type && type.getValue() == stablehlo::ComparisonType::NOTYPE;
  }
  }
  return false;
}

namespace {

Attribute toSymbol(Attribute value) {
  auto string = llvm::dyn_cast<mlir::StringAttr>(value);
  return string && !string.empty() ? mlir::FlatSymbolRefAttr::get(string) : nullptr;
}

Attribute toSymbols(Attribute value) {
  auto array = llvm::dyn_cast<mlir::ArrayAttr>(value);
  if (!array)
    return {};
  llvm::SmallVector<Attribute> symbols;
  for (Attribute element : array)
    if (Attribute symbol = toSymbol(element))
      symbols.push_back(symbol);
    else
      return {};
  return mlir::ArrayAttr::get(array.getContext(), symbols);
}

Attribute toI64Array(Attribute value) {
  auto integers = getIntegers(value);
  return failed(integers) ? Attribute() : mlir::DenseI64ArrayAttr::get(value.getContext(), *integers);
}

Attribute toBoolArray(Attribute value) {
  auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(value);
  if (!elements || !elements.getElementType().isInteger(1) || !ir::isListable(elements))
    return {};
  return mlir::DenseBoolArrayAttr::get(value.getContext(), llvm::to_vector(elements.getValues<bool>()));
}

// Adds the StableHLO form of one attribute. Fails when the value is not what the rule expects.
LogicalResult convertAttribute(const VhloAttribute &attribute, Attribute value, NamedAttrList &result) {
  if (isVhloDefault(value, attribute.defaultValue))
    return success();
  Attribute converted;
  StringRef name = attribute.name;
  switch (attribute.rule) {
  case VhloRule::kKeep:
  case VhloRule::kApiVersion:
    converted = value;
    break;
  case VhloRule::kI64Array:
    converted = toI64Array(value);
    break;
  case VhloRule::kBoolArray:
    converted = toBoolArray(value);
    break;
  case VhloRule::kFlag: {
    auto flag = llvm::dyn_cast<mlir::BoolAttr>(value);
    if (flag && !flag.getValue())
      return success();
    converted = flag ? mlir::UnitAttr::get(value.getContext()) : nullptr;
    break;
  }
  case VhloRule::kSymbol:
    converted = toSymbol(value);
    break;
  case VhloRule::kSymbols:
    converted = toSymbols(value);
    break;
  case VhloRule::kChannelId: {
    auto id = llvm::dyn_cast<mlir::IntegerAttr>(value);
    name = "channel_handle";
    if (id && id.getType().isInteger(64))
      converted = stablehlo::ChannelHandleAttr::get(value.getContext(), id.getInt(), /*type=*/0);
    break;
  }
  case VhloRule::kGrouped:
    return success();
  }
  if (!converted)
    return failure();
  result.append(name, converted);
  return success();
}

llvm::FailureOr<NamedAttrList> convertAttributes(const VhloOp &row, const NamedAttrList &attributes,
                                                 ErrorFn emitError) {
  NamedAttrList result;
  llvm::SmallDenseSet<StringRef> known;
  for (const VhloAttribute &attribute : row.attributes) {
    known.insert(attribute.name);
    Attribute value = attributes.get(attribute.name);
    if (!value)
      return emitError() << "'" << row.target << "' lacks attribute '" << attribute.name << "'";
    if (failed(convertAttribute(attribute, value, result)))
      return emitError() << "'" << row.target << "': unexpected value of attribute '" << attribute.name
                         << "': " << value;
  }
  if (failed(convertGroup(row, attributes, result, emitError)))
    return failure();
  for (mlir::NamedAttribute attribute : attributes)
    if (!known.contains(attribute.getName()))
      result.append(attribute);
  return result;
}

} // namespace

FailureOr<ConvertedVhloOp> convertVhloOp(const VhloOp &row, const NamedAttrList &attributes, Operation *parent,
                                         ErrorFn emitError) {
  StringRef target = row.target;
  if (target.empty())
    target = llvm::isa<mlir::func::FuncOp>(parent) ? "func.return" : "stablehlo.return";
  auto name = mlir::RegisteredOperationName::lookup(target, parent->getContext());
  if (!name)
    return emitError() << "operation '" << target << "' is not supported";
  auto converted = convertAttributes(row, attributes, emitError);
  if (failed(converted))
    return failure();
  // Inherent attributes become properties, through the checks that the operation's definition has for them.
  ConvertedVhloOp result{*name, {}, {}};
  llvm::ArrayRef<mlir::StringAttr> inherentNames = name->getAttributeNames();
  for (mlir::NamedAttribute attribute : *converted)
    (llvm::is_contained(inherentNames, attribute.getName()) ? result.inherent : result.discardable)
        .push_back(attribute);
  return result;
}

FailureOr<NamedAttrList> convertLegacyAttributesOf(const VhloOp &row, const NamedAttrList &attributes,
                                                   ErrorFn emitError) {
  NamedAttrList result;
  bool isGrouped = false;
  for (const VhloAttribute &attribute : row.attributes) {
    Attribute value = attributes.get(attribute.name);
    if (!value)
      continue;
    isGrouped |= attribute.rule == VhloRule::kGrouped;
    if (failed(convertAttribute(attribute, value, result)))
      return emitError() << "'" << row.target << "': unexpected value of attribute '" << attribute.name
                         << "': " << value;
  }
  if (isGrouped && failed(convertGroup(row, attributes, result, emitError)))
    return failure();
  return result;
}

} // namespace tenon::frontend

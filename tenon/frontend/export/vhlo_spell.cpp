#include "tenon/frontend/export/vhlo_spell.h"
#include "tenon/frontend/export/vhlo_dialect.h"
#include "tenon/frontend/export/vhlo_encode.h"
#include "tenon/frontend/export/vhlo_fields.h"
#include "tenon/frontend/import/vhlo_convert.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"

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
using mlir::Type;

namespace {

// Properties of an operation that its row in the table does not have.
bool hasSeveralOperands(Operation *op) { return op->getNumOperands() > 1; }
bool hasRegions(Operation *op) { return op->getNumRegions() > 0; }
bool takesFutures(Operation *op) { return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<stablehlo::FutureType>); }
bool usesTypedFfi(Operation *op) {
  auto call = llvm::cast<stablehlo::CustomCallOp>(op);
  return call.getApiVersion() == stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI ||
         llvm::isa_and_nonnull<mlir::DictionaryAttr>(call.getBackendConfigAttr());
}
bool changesElementType(Operation *op) {
  return llvm::any_of(llvm::zip(op->getOperandTypes(), op->getResultTypes()), [](auto types) {
    auto [operand, result] = types;
    return mlir::getElementTypeOrSelf(operand) != mlir::getElementTypeOrSelf(result);
  });
}

struct Extension {
  VhloVersion since;
  bool (*isUsed)(Operation *op);
  llvm::StringLiteral what;
  llvm::StringLiteral ops;
};
constexpr Extension kExtensions[] = {
    {{0, 17},
     changesElementType,
     "results of another element type",
     "all_reduce reduce reduce_scatter reduce_window scatter select_and_scatter"},
    {{1, 3}, usesTypedFfi, "the typed FFI", "custom_call"},
    {{1, 5}, hasSeveralOperands, "several operands", "all_gather all_reduce all_to_all"},
    {{1, 14}, hasRegions, "regions", "composite"},
    {{1, 17}, takesFutures, "operands that are futures", "custom_call"},
    {{1, 20}, hasSeveralOperands, "several operands", "collective_broadcast"},
};

mlir::InFlightDiagnostic refuse(Operation *op, const llvm::Twine &what, VhloVersion since, VhloVersion version) {
  return op->emitOpError(what) << (what.isTriviallyEmpty() ? "needs" : " needs") << " StableHLO " << since.str()
                               << " or newer; the artifact is to be of " << version.str();
}

LogicalResult checkExtensions(Operation *op, VhloVersion version) {
  for (const Extension &extension : kExtensions) {
    llvm::SmallVector<StringRef> ops;
    extension.ops.split(ops, ' ');
    if (version < extension.since && llvm::is_contained(ops, op->getName().stripDialect()) && extension.isUsed(op))
      return refuse(op, "with " + extension.what, extension.since, version);
  }
  return success();
}

// The first version with a form for an attribute or a type, without its parts.
VhloVersion since(Attribute attribute) {
  auto code = vhloCode(attribute);
  bool isWritten =
      code || llvm::isa<mlir::FlatSymbolRefAttr, mlir::DenseI64ArrayAttr, mlir::DenseBoolArrayAttr>(attribute);
  return isWritten ? (code ? vhloSince(*code) : kOldestVhloVersion) : kMixedDialects;
}

LogicalResult checkAttribute(StringRef name, Attribute attribute, VhloVersion version, Operation *op) {
  auto result = attribute.walk<mlir::WalkOrder::PreOrder>(
      [&](Attribute part) {
        if (VhloVersion first = since(part); version < first) {
          refuse(op, "with attribute '" + name + "'", first, version) << ": " << part;
          return mlir::WalkResult::interrupt();
        }
        // Other dialects' attributes are written by them. A string's type is not written.
        bool isLeaf = llvm::isa<mlir::StringAttr>(part) || !vhloCode(part);
        auto typed = llvm::dyn_cast<mlir::TypedAttr>(part); // walks pass over the types of elements
        if (!isLeaf && typed && failed(checkVhloType(typed.getType(), version, op)))
          return mlir::WalkResult::interrupt();
        return isLeaf && !llvm::isa<mlir::FlatSymbolRefAttr>(part) ? mlir::WalkResult::skip()
                                                                   : mlir::WalkResult::advance();
      },
      [&](Type part) {
        return failed(checkVhloType(part, version, op)) ? mlir::WalkResult::interrupt() : mlir::WalkResult::skip();
      });
  return failure(result.wasInterrupted());
}

// The number of spatial or window dimensions, which decides the size of default values.
int64_t numWindowDimensions(const NamedAttrList &fields) {
  for (StringRef name : {"input_spatial_dimensions", "window_dimensions"})
    if (Attribute value = fields.get(name)) {
      if (auto array = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value))
        return array.size();
      return llvm::cast<mlir::DenseElementsAttr>(value).getNumElements();
    }
  return 0;
}

Attribute makeDefault(const VhloAttribute &attribute, const NamedAttrList &fields, Operation *op) {
  mlir::Builder builder(op->getContext());
  mlir::MLIRContext *context = op->getContext();
  int64_t dimensions = numWindowDimensions(fields);
  switch (attribute.defaultValue) {
  case VhloDefault::kNone:
    return {};
  case VhloDefault::kFalse:
    return builder.getBoolAttr(false);
  case VhloDefault::kZero:
    return builder.getI64IntegerAttr(0);
  case VhloDefault::kMinusOne:
    return builder.getI64IntegerAttr(-1);
  case VhloDefault::kEmptyArray:
    return builder.getArrayAttr({});
  case VhloDefault::kEmptyDictionary:
    return builder.getDictionaryAttr({});
  case VhloDefault::kEmptyString:
    return builder.getStringAttr("");
  case VhloDefault::kEmptyTensor:
    return builder.getI64TensorAttr({});
  case VhloDefault::kEmptyConfig:
    return usesTypedFfi(op) ? Attribute(builder.getDictionaryAttr({})) : builder.getStringAttr("");
  case VhloDefault::kNoneType:
    return mlir::TypeAttr::get(builder.getNoneType());
  case VhloDefault::kAllZeros:
    return mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({dimensions, 2}, builder.getI64Type()), int64_t(0));
  case VhloDefault::kAllOnes:
    return builder.getI64TensorAttr(llvm::SmallVector<int64_t>(dimensions, 1));
  case VhloDefault::kAllFalse:
    return mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({dimensions}, builder.getI1Type()), false);
  case VhloDefault::kPrecision:
    return builder.getArrayAttr(
        llvm::SmallVector<Attribute>(2, stablehlo::PrecisionAttr::get(context, stablehlo::Precision::DEFAULT)));
  case VhloDefault::kAccuracy: {
    auto mode = stablehlo::ResultAccuracyModeAttr::get(context, stablehlo::ResultAccuracyMode::DEFAULT);
    return stablehlo::ResultAccuracyAttr::get(context, llvm::APFloat(0.0), llvm::APFloat(0.0), 0, mode);
  }
  case VhloDefault::kOriginalApi:
    return stablehlo::CustomCallApiVersionAttr::get(context, stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL);
  case VhloDefault::kNoCompareType:
    return stablehlo::ComparisonTypeAttr::get(context, stablehlo::ComparisonType::NOTYPE);
  }
  return {};
}

// Checks that attributes of later versions of the operation, which `row` lacks, have the values that `row` implies.
LogicalResult checkLaterAttributes(const VhloOp &row, const VhloOp &newest, const NamedAttrList &fields,
                                   VhloVersion version, Operation *op) {
  for (const VhloAttribute &attribute : newest.attributes) {
    bool isKnown = llvm::any_of(row.attributes, [&](auto &known) { return known.name == attribute.name; });
    Attribute value = fields.get(attribute.name);
    bool isFlag = attribute.rule == VhloRule::kFlag;
    if (!isKnown && value && (isFlag || !isVhloDefault(value, attribute.defaultValue)))
      return refuse(op, "with attribute '" + attribute.name + "'", newest.since, version) << ": " << value;
  }
  return success();
}

// The value in the file, of StableHLO's attributes.
FailureOr<Attribute> fieldValue(const VhloAttribute &attribute, const NamedAttrList &fields, Operation *op) {
  Attribute value = fields.get(attribute.name);
  if (value && attribute.rule == VhloRule::kFlag)
    return Attribute(mlir::BoolAttr::get(op->getContext(), true));
  if (!value)
    value = makeDefault(attribute, fields, op);
  if (!value)
    return op->emitOpError("lacks attribute '") << attribute.name << "', without which it has no portable form";
  return value;
}

} // namespace

LogicalResult checkVhloType(Type type, VhloVersion version, Operation *op) {
  auto result = type.walk<mlir::WalkOrder::PreOrder>(
      [&](Type part) {
        auto code = vhloCode(part);
        if (!code) {
          op->emitOpError("has a type that has no portable form: ") << part;
          return mlir::WalkResult::interrupt();
        }
        if (version < vhloSince(*code)) {
          refuse(op, "", vhloSince(*code), version) << ", because of type " << part;
          return mlir::WalkResult::interrupt();
        }
        return mlir::WalkResult::advance();
      },
      // Bounds and layouts, which are parts of the types that vhloCode has judged.
      [](Attribute) { return mlir::WalkResult::skip(); });
  return failure(result.wasInterrupted());
}

FailureOr<SpelledOp> spellVhlo(Operation *op, VhloVersion version) {
  auto rows = vhloRows(op->getName().stripDialect());
  if (rows.empty())
    return op->emitOpError("has no portable form");
  auto isThere = [&](const VhloOp *row) { return row->since <= version; };
  auto found = llvm::find_if(llvm::reverse(rows), isThere);
  if (found == rows.rend())
    return refuse(op, "", rows.front()->since, version);
  if (failed(checkExtensions(op, version)))
    return failure();

  SpelledOp result;
  result.row = *found;
  NamedAttrList fields = spreadGroups(op), inherent, discardable;
  if (failed(checkLaterAttributes(*result.row, *rows.back(), fields, version, op)))
    return failure();
  llvm::SmallDenseSet<StringRef> spelled;
  for (const VhloAttribute &attribute : rows.back()->attributes)
    spelled.insert(attribute.name);
  for (const VhloAttribute &attribute : result.row->attributes) {
    spelled.insert(attribute.name);
    auto value = fieldValue(attribute, fields, op);
    if (failed(value) || failed(checkAttribute(attribute.name, *value, version, op)))
      return failure();
    bool isApiVersion = attribute.rule == VhloRule::kApiVersion;
    inherent.append(attribute.name,
                    isApiVersion ? wrapForVhlo(VhloAttributeCode::kCustomCallApiVersion, *value) : wrapForVhlo(*value));
  }
  for (mlir::NamedAttribute attribute : fields) {
    if (spelled.contains(attribute.getName()))
      continue;
    if (failed(checkAttribute(attribute.getName(), attribute.getValue(), version, op)))
      return failure();
    discardable.append(attribute.getName(), wrapForVhlo(attribute.getValue()));
  }
  result.inherent = inherent.getDictionary(op->getContext());
  result.discardable = discardable.getDictionary(op->getContext());
  return result;
}

} // namespace tenon::frontend

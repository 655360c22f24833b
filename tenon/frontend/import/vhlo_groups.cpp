#include "tenon/frontend/import/vhlo_groups.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::success;
using mlir::Attribute;
using mlir::NamedAttrList;
using mlir::Operation;
using mlir::Type;

FailureOr<SmallVector<int64_t>> getIntegers(Attribute value) {
  auto elements = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(value);
  if (!elements || !elements.getElementType().isSignlessInteger(64) || elements.getType().getRank() != 1)
    return failure();
  return llvm::to_vector(elements.getValues<int64_t>());
}

namespace {

// Reads fields of one operation, remembering the first that is not of the expected kind. Values read after a failure
// are meaningless but harmless.
class Fields {
public:
  explicit Fields(Operation *op) : op(op) {}

  int64_t integer(StringRef name) {
    auto value = op->getAttrOfType<mlir::IntegerAttr>(name);
    if (value && value.getType().isSignlessInteger(64))
      return value.getInt();
    return bad(name), 0;
  }

  SmallVector<int64_t> integers(StringRef name) {
    auto values = getIntegers(op->getAttr(name));
    if (failed(values))
      return bad(name), SmallVector<int64_t>();
    return std::move(*values);
  }

  // Fields that later versions of the operation added.
  SmallVector<int64_t> optionalIntegers(StringRef name) {
    return op->hasAttr(name) ? integers(name) : SmallVector<int64_t>();
  }

  bool boolean(StringRef name) {
    if (auto value = op->getAttrOfType<mlir::BoolAttr>(name))
      return value.getValue();
    return bad(name), false;
  }

  Type type(StringRef name) {
    if (auto value = op->getAttrOfType<mlir::TypeAttr>(name))
      return value.getValue();
    return bad(name), Type();
  }

  bool isNone(StringRef name) {
    auto value = op->getAttrOfType<mlir::TypeAttr>(name);
    return value && llvm::isa<mlir::NoneType>(value.getValue());
  }

  LogicalResult result() const {
    if (badName.empty())
      return success();
    return op->emitError() << "'" << op->getName() << "': unexpected value of attribute '" << badName << "'";
  }

private:
  void bad(StringRef name) {
    if (badName.empty())
      badName = name;
  }

  Operation *op;
  StringRef badName;
};

LogicalResult convertConvolution(Operation *op, NamedAttrList &result) {
  Fields fields(op);
  auto numbers = stablehlo::ConvDimensionNumbersAttr::get(
      op->getContext(), fields.integer("input_batch_dimension"), fields.integer("input_feature_dimension"),
      fields.integers("input_spatial_dimensions"), fields.integer("kernel_input_feature_dimension"),
      fields.integer("kernel_output_feature_dimension"), fields.integers("kernel_spatial_dimensions"),
      fields.integer("output_batch_dimension"), fields.integer("output_feature_dimension"),
      fields.integers("output_spatial_dimensions"));
  result.append("dimension_numbers", numbers);
  return fields.result();
}

// The algorithm is absent when all its fields are the type `none`.
LogicalResult convertDotAlgorithm(Operation *op, NamedAttrList &result) {
  static constexpr StringRef kFields[] = {
      "lhs_precision_type",  "rhs_precision_type",       "accumulation_type",           "lhs_component_count",
      "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"};
  Fields fields(op);
  if (!op->hasAttr("lhs_precision_type") || llvm::all_of(kFields, [&](StringRef name) { return fields.isNone(name); }))
    return success();
  auto lhs = fields.type("lhs_precision_type"), rhs = fields.type("rhs_precision_type"),
       accumulation = fields.type("accumulation_type");
  auto lhsCount = fields.integer("lhs_component_count"), rhsCount = fields.integer("rhs_component_count"),
       operations = fields.integer("num_primitive_operations");
  bool imprecise = fields.boolean("allow_imprecise_accumulation");
  if (failed(fields.result()))
    return failure();
  auto algorithm = stablehlo::DotAlgorithmAttr::get(op->getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
                                                    operations, imprecise);
  result.append("algorithm", algorithm);
  return success();
}

LogicalResult convertDot(Operation *op, NamedAttrList &result) {
  Fields fields(op);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      op->getContext(), fields.integers("lhs_batching_dimensions"), fields.integers("rhs_batching_dimensions"),
      fields.integers("lhs_contracting_dimensions"), fields.integers("rhs_contracting_dimensions"));
  result.append("dot_dimension_numbers", numbers);
  return failed(fields.result()) ? failure() : convertDotAlgorithm(op, result);
}

LogicalResult convertGather(Operation *op, NamedAttrList &result) {
  Fields fields(op);
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      op->getContext(), fields.integers("offset_dims"), fields.integers("collapsed_slice_dims"),
      fields.optionalIntegers("operand_batching_dims"), fields.optionalIntegers("start_indices_batching_dims"),
      fields.integers("start_index_map"), fields.integer("index_vector_dim"));
  result.append("dimension_numbers", numbers);
  return fields.result();
}

LogicalResult convertScatter(Operation *op, NamedAttrList &result) {
  Fields fields(op);
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      op->getContext(), fields.integers("update_window_dims"), fields.integers("inserted_window_dims"),
      fields.optionalIntegers("input_batching_dims"), fields.optionalIntegers("scatter_indices_batching_dims"),
      fields.integers("scatter_dims_to_operand_dims"), fields.integer("index_vector_dim"));
  result.append("scatter_dimension_numbers", numbers);
  return fields.result();
}

LogicalResult convertChannel(Operation *op, NamedAttrList &result) {
  Fields fields(op);
  int64_t id = fields.integer("channel_id"), type = fields.integer("channel_type");
  result.append("channel_handle", stablehlo::ChannelHandleAttr::get(op->getContext(), id, type));
  return fields.result();
}

void convertLayouts(Operation *op, NamedAttrList &result) {
  auto isEmpty = [&](StringRef name) {
    auto array = op->getAttrOfType<mlir::ArrayAttr>(name);
    return array && array.empty();
  };
  if (!isEmpty("operand_layouts") || !isEmpty("result_layouts"))
    return;
  result.erase("operand_layouts");
  result.erase("result_layouts");
}

// Version 1 had the padding as an operand and, uselessly, as an attribute too.
LogicalResult checkDynamicConvolutionPadding(Operation *op, NamedAttrList &result) {
  auto padding = op->getAttrOfType<mlir::DenseIntElementsAttr>("padding");
  if (!padding || !llvm::all_of(padding.getValues<llvm::APInt>(), [](const llvm::APInt &v) { return v.isZero(); }))
    return op->emitError("'vhlo.dynamic_conv_v1' with a padding attribute that is not zero");
  return convertConvolution(op, result);
}

} // namespace

LogicalResult convertGroup(Operation *op, VhloGroup group, NamedAttrList &result) {
  switch (group) {
  case VhloGroup::kNone:
    return success();
  case VhloGroup::kConvolution:
    return convertConvolution(op, result);
  case VhloGroup::kDot:
    return convertDot(op, result);
  case VhloGroup::kGather:
    return convertGather(op, result);
  case VhloGroup::kScatter:
    return convertScatter(op, result);
  case VhloGroup::kChannel:
    return convertChannel(op, result);
  case VhloGroup::kLayouts:
    convertLayouts(op, result);
    return success();
  case VhloGroup::kDynamicConvolutionPadding:
    return checkDynamicConvolutionPadding(op, result);
  }
  return failure();
}

} // namespace tenon::frontend

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
using mlir::Type;

FailureOr<SmallVector<int64_t>> getIntegers(Attribute value) {
  if (auto array = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(value))
    return llvm::to_vector(array.asArrayRef());
  auto elements = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(value);
  if (!elements || !elements.getElementType().isSignlessInteger(64) || elements.getType().getRank() != 1 ||
      !ir::isListable(elements))
    return failure();
  return llvm::to_vector(elements.getValues<int64_t>());
}

namespace {

// Reads fields of one operation, remembering the first that is not of the expected kind. Values read after a failure
// are meaningless but harmless.
class Fields {
public:
  Fields(const NamedAttrList &attributes, mlir::MLIRContext *context) : context(context), attributes_(attributes) {}

  mlir::MLIRContext *const context;

  int64_t integer(StringRef name) {
    auto value = get<mlir::IntegerAttr>(name);
    if (value && value.getType().isSignlessInteger(64))
      return value.getInt();
    return bad(name), 0;
  }

  SmallVector<int64_t> integers(StringRef name) {
    auto values = getIntegers(attributes_.get(name));
    if (failed(values))
      return bad(name), SmallVector<int64_t>();
    return std::move(*values);
  }

  // Fields that later versions of the operation added.
  SmallVector<int64_t> optionalIntegers(StringRef name) {
    return attributes_.get(name) ? integers(name) : SmallVector<int64_t>();
  }

  bool boolean(StringRef name) {
    if (auto value = get<mlir::BoolAttr>(name))
      return value.getValue();
    return bad(name), false;
  }

  Type type(StringRef name) {
    if (auto value = get<mlir::TypeAttr>(name))
      return value.getValue();
    return bad(name), Type();
  }

  bool isNone(StringRef name) {
    auto value = get<mlir::TypeAttr>(name);
    return value && llvm::isa<mlir::NoneType>(value.getValue());
  }

  bool isEmptyArray(StringRef name) {
    auto value = get<mlir::ArrayAttr>(name);
    return value && value.empty();
  }

  template <typename AttributeT> AttributeT get(StringRef name) const {
    return llvm::dyn_cast_or_null<AttributeT>(attributes_.get(name));
  }

  void bad(StringRef name) {
    if (badName_.empty())
      badName_ = name;
  }

  // The first field that was bad, or nothing.
  StringRef firstBad() const { return badName_; }

private:
  const NamedAttrList &attributes_;
  StringRef badName_;
};

void convertConvolution(Fields &fields, NamedAttrList &result) {
  auto numbers = stablehlo::ConvDimensionNumbersAttr::get(
      fields.context, fields.integer("input_batch_dimension"), fields.integer("input_feature_dimension"),
      fields.integers("input_spatial_dimensions"), fields.integer("kernel_input_feature_dimension"),
      fields.integer("kernel_output_feature_dimension"), fields.integers("kernel_spatial_dimensions"),
      fields.integer("output_batch_dimension"), fields.integer("output_feature_dimension"),
      fields.integers("output_spatial_dimensions"));
  result.append("dimension_numbers", numbers);
}

// The algorithm is absent when all its fields are the type `none`.
void convertDotAlgorithm(Fields &fields, NamedAttrList &result) {
  static constexpr StringRef kFields[] = {
      "lhs_precision_type",  "rhs_precision_type",       "accumulation_type",           "lhs_component_count",
      "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"};
  if (!fields.get<Attribute>("lhs_precision_type") ||
      llvm::all_of(kFields, [&](StringRef name) { return fields.isNone(name); }))
    return;
  auto lhs = fields.type("lhs_precision_type"), rhs = fields.type("rhs_precision_type"),
       accumulation = fields.type("accumulation_type");
  auto lhsCount = fields.integer("lhs_component_count"), rhsCount = fields.integer("rhs_component_count"),
       operations = fields.integer("num_primitive_operations");
  bool imprecise = fields.boolean("allow_imprecise_accumulation");
  if (!lhs || !rhs || !accumulation)
    return;
  auto algorithm = stablehlo::DotAlgorithmAttr::get(fields.context, lhs, rhs, accumulation, lhsCount, rhsCount,
                                                    operations, imprecise);
  result.append("algorithm", algorithm);
}

void convertDot(Fields &fields, NamedAttrList &result) {
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      fields.context, fields.integers("lhs_batching_dimensions"), fields.integers("rhs_batching_dimensions"),
      fields.integers("lhs_contracting_dimensions"), fields.integers("rhs_contracting_dimensions"));
  result.append("dot_dimension_numbers", numbers);
  convertDotAlgorithm(fields, result);
}

void convertGather(Fields &fields, NamedAttrList &result) {
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      fields.context, fields.integers("offset_dims"), fields.integers("collapsed_slice_dims"),
      fields.optionalIntegers("operand_batching_dims"), fields.optionalIntegers("start_indices_batching_dims"),
      fields.integers("start_index_map"), fields.integer("index_vector_dim"));
  result.append("dimension_numbers", numbers);
}

void convertScatter(Fields &fields, NamedAttrList &result) {
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      fields.context, fields.integers("update_window_dims"), fields.integers("inserted_window_dims"),
      fields.optionalIntegers("input_batching_dims"), fields.optionalIntegers("scatter_indices_batching_dims"),
      fields.integers("scatter_dims_to_operand_dims"), fields.integer("index_vector_dim"));
  result.append("scatter_dimension_numbers", numbers);
}

void convertChannel(Fields &fields, NamedAttrList &result) {
  int64_t id = fields.integer("channel_id"), type = fields.integer("channel_type");
  result.append("channel_handle", stablehlo::ChannelHandleAttr::get(fields.context, id, type));
}

// An operation has both or none. Conversion has left out what is empty.
void convertLayouts(Fields &fields, NamedAttrList &result) {
  bool noOperands = fields.isEmptyArray("operand_layouts"), noResults = fields.isEmptyArray("result_layouts");
  if (noOperands != noResults)
    result.append(noOperands ? "operand_layouts" : "result_layouts", mlir::ArrayAttr::get(fields.context, {}));
}

// Version 1 had the padding as an operand and, uselessly, as an attribute too.
void checkDynamicConvolutionPadding(Fields &fields) {
  auto padding = fields.get<mlir::DenseIntElementsAttr>("padding");
  if (!padding || !ir::isListable(padding) ||
      !llvm::all_of(padding.getValues<llvm::APInt>(), [](const llvm::APInt &v) { return v.isZero(); }))
    fields.bad("padding");
}

} // namespace

LogicalResult convertGroup(const VhloOp &row, const NamedAttrList &attributes, NamedAttrList &result,
                           llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
  if (row.group == VhloGroup::kNone)
    return success();
  mlir::MLIRContext *context = attributes.begin()->getName().getContext();
  Fields fields(attributes, context);
  switch (row.group) {
  case VhloGroup::kNone:
    break;
  case VhloGroup::kDynamicConvolutionPadding:
    checkDynamicConvolutionPadding(fields);
    [[fallthrough]];
  case VhloGroup::kConvolution:
    convertConvolution(fields, result);
    break;
  case VhloGroup::kDot:
    convertDot(fields, result);
    break;
  case VhloGroup::kGather:
    convertGather(fields, result);
    break;
  case VhloGroup::kScatter:
    convertScatter(fields, result);
    break;
  case VhloGroup::kChannel:
    convertChannel(fields, result);
    break;
  case VhloGroup::kLayouts:
    convertLayouts(fields, result);
    break;
  }
  if (fields.firstBad().empty())
    return success();
  return emitError() << "'" << row.target << "': unexpected value of attribute '" << fields.firstBad() << "'";
}

} // namespace tenon::frontend

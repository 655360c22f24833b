#include "tenon/frontend/export/vhlo_fields.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::frontend {

using mlir::NamedAttrList;

namespace {

class Fields {
public:
  Fields(NamedAttrList &result, mlir::MLIRContext *context) : builder_(context), result_(result) {}

  void add(llvm::StringRef name, int64_t value) { result_.append(name, builder_.getI64IntegerAttr(value)); }
  void add(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    result_.append(name, builder_.getI64TensorAttr(values));
  }
  void add(llvm::StringRef name, mlir::Type type) { result_.append(name, mlir::TypeAttr::get(type)); }
  void addFlag(llvm::StringRef name, bool value) { result_.append(name, builder_.getBoolAttr(value)); }

private:
  mlir::Builder builder_;
  NamedAttrList &result_;
};

void spread(stablehlo::ConvDimensionNumbersAttr numbers, Fields &fields) {
  fields.add("input_batch_dimension", numbers.getInputBatchDimension());
  fields.add("input_feature_dimension", numbers.getInputFeatureDimension());
  fields.add("input_spatial_dimensions", numbers.getInputSpatialDimensions());
  fields.add("kernel_input_feature_dimension", numbers.getKernelInputFeatureDimension());
  fields.add("kernel_output_feature_dimension", numbers.getKernelOutputFeatureDimension());
  fields.add("kernel_spatial_dimensions", numbers.getKernelSpatialDimensions());
  fields.add("output_batch_dimension", numbers.getOutputBatchDimension());
  fields.add("output_feature_dimension", numbers.getOutputFeatureDimension());
  fields.add("output_spatial_dimensions", numbers.getOutputSpatialDimensions());
}

void spread(stablehlo::DotDimensionNumbersAttr numbers, Fields &fields) {
  fields.add("lhs_batching_dimensions", numbers.getLhsBatchingDimensions());
  fields.add("rhs_batching_dimensions", numbers.getRhsBatchingDimensions());
  fields.add("lhs_contracting_dimensions", numbers.getLhsContractingDimensions());
  fields.add("rhs_contracting_dimensions", numbers.getRhsContractingDimensions());
}

void spread(stablehlo::DotAlgorithmAttr algorithm, Fields &fields) {
  fields.add("lhs_precision_type", algorithm.getLhsPrecisionType());
  fields.add("rhs_precision_type", algorithm.getRhsPrecisionType());
  fields.add("accumulation_type", algorithm.getAccumulationType());
  fields.add("lhs_component_count", algorithm.getLhsComponentCount());
  fields.add("rhs_component_count", algorithm.getRhsComponentCount());
  fields.add("num_primitive_operations", algorithm.getNumPrimitiveOperations());
  fields.addFlag("allow_imprecise_accumulation", algorithm.getAllowImpreciseAccumulation());
}

void spread(stablehlo::GatherDimensionNumbersAttr numbers, Fields &fields) {
  fields.add("offset_dims", numbers.getOffsetDims());
  fields.add("collapsed_slice_dims", numbers.getCollapsedSliceDims());
  fields.add("operand_batching_dims", numbers.getOperandBatchingDims());
  fields.add("start_indices_batching_dims", numbers.getStartIndicesBatchingDims());
  fields.add("start_index_map", numbers.getStartIndexMap());
  fields.add("index_vector_dim", numbers.getIndexVectorDim());
}

void spread(stablehlo::ScatterDimensionNumbersAttr numbers, Fields &fields) {
  fields.add("update_window_dims", numbers.getUpdateWindowDims());
  fields.add("inserted_window_dims", numbers.getInsertedWindowDims());
  fields.add("input_batching_dims", numbers.getInputBatchingDims());
  fields.add("scatter_indices_batching_dims", numbers.getScatterIndicesBatchingDims());
  fields.add("scatter_dims_to_operand_dims", numbers.getScatterDimsToOperandDims());
  fields.add("index_vector_dim", numbers.getIndexVectorDim());
}

// Collectives have no field for the type; send and recv have one.
void spread(stablehlo::ChannelHandleAttr handle, Fields &fields) {
  fields.add("channel_id", handle.getHandle());
  fields.add("channel_type", handle.getType());
}

} // namespace

NamedAttrList spreadGroups(mlir::Operation *op) {
  NamedAttrList result;
  Fields fields(result, op->getContext());
  for (mlir::NamedAttribute attribute : op->getAttrs())
    llvm::TypeSwitch<mlir::Attribute>(attribute.getValue())
        .Case<stablehlo::ConvDimensionNumbersAttr, stablehlo::DotDimensionNumbersAttr, stablehlo::DotAlgorithmAttr,
              stablehlo::GatherDimensionNumbersAttr, stablehlo::ScatterDimensionNumbersAttr,
              stablehlo::ChannelHandleAttr>([&](auto group) { spread(group, fields); })
        .Default([&](mlir::Attribute) { result.append(attribute); });
  if (!llvm::isa<stablehlo::SendOp, stablehlo::RecvOp>(op))
    result.erase("channel_type");
  return result;
}

} // namespace tenon::frontend

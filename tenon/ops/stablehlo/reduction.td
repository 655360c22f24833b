// Ops that combine many elements by a body, and those that order or scatter elements by one.
#ifndef TENON_OPS_STABLEHLO_REDUCTION
#define TENON_OPS_STABLEHLO_REDUCTION

include "tenon/ops/stablehlo/base.td"

defvar bodyTraits = [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock];

def ReduceOp : Stablehlo_Op<"reduce", bodyTraits # [SameVariadicOperandSize, InferredTypes]> {
  let arguments = (ins Variadic<In<"reduce_i1", PerTensorTensor>>:$inputs,
                       Variadic<In<"reduce_i2", PerTensorTensor>>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def ReduceWindowOp : Stablehlo_Op<"reduce_window", bodyTraits # [SameVariadicOperandSize, InferredTypes]> {
  let arguments = (ins Variadic<In<"reduce_window_i1", PerTensorTensor>>:$inputs,
                       Variadic<In<"reduce_window_i2", PerTensorTensor>>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
}

def SelectAndScatterOp : Stablehlo_Op<"select_and_scatter", bodyTraits # [InferredTypes]> {
  let arguments = (ins In<"select_and_scatter_i1", PerTensorTensor>:$operand,
                       In<"select_and_scatter_i2", PerTensorTensor>:$source,
                       In<"select_and_scatter_i3", PerTensorScalar>:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs PerTensorTensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
}

def ScatterOp : Stablehlo_Op<"scatter", bodyTraits # [SameVariadicOperandSize, InferredTypes]> {
  let arguments = (ins Variadic<In<"scatter_i1", PerTensorTensor>>:$inputs,
                       In<"scatter_i2", TensorWith<[DimensionSize]>>:$scatter_indices,
                       Variadic<In<"scatter_i3", PerTensorTensor>>:$updates,
                       ScatterDimensionNumbers:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
}

def SortOp : Stablehlo_Op<"sort", bodyTraits # [InferredTypes]> {
  let arguments = (ins Variadic<In<"sort_i1", PerTensorTensor>>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
}

def MapOp : Stablehlo_Op<"map", bodyTraits # [InferredTypes]> {
  let arguments = (ins Variadic<In<"map_i1", PerTensorTensor>>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs PerTensorTensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}

#endif

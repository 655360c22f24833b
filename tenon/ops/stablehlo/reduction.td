// Ops that combine many elements by a body, and those that order or scatter elements by one.
#ifndef TENON_OPS_STABLEHLO_REDUCTION
#define TENON_OPS_STABLEHLO_REDUCTION

include "tenon/ops/stablehlo/base.td"

defvar bodyTraits = [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock];

def ReduceOp : Stablehlo_Op<"reduce", bodyTraits # [SameVariadicOperandSize, InferredTypes]>,
               Document<"Combines the elements along dimensions by body, which takes two elements and gives one, "
                        "starting from init_values. body gets an element of each init value, then an element of each "
                        "input, if there are several.",
                        "the inputs' without those dimensions, of the element types of init_values"> {
  let arguments = (ins Variadic<In<"reduce_i1", PerTensorTensor>>:$inputs,
                       Variadic<In<"reduce_i2", PerTensorTensor>>:$init_values,
                       A<"reduce_i3", DenseI64ArrayAttr>:$dimensions);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region Body<"reduce_i4">:$body);
  let hasCustomAssemblyFormat = 1;
}

def ReduceWindowOp : Stablehlo_Op<"reduce_window", bodyTraits # [SameVariadicOperandSize, InferredTypes]>,
                     Document<"Combines the elements of each window of the inputs by body, as reduce does.",
                              "the number of windows in each dimension, of the element types of init_values"> {
  let arguments = (ins Variadic<In<"reduce_window_i1", PerTensorTensor>>:$inputs,
                       Variadic<In<"reduce_window_i2", PerTensorTensor>>:$init_values,
                       A<"reduce_window_i3", DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<A<"reduce_window_i4", DenseI64ArrayAttr>>:$window_strides,
                       OptionalAttr<A<"reduce_window_i5", DenseI64ArrayAttr>>:$base_dilations,
                       OptionalAttr<A<"reduce_window_i6", DenseI64ArrayAttr>>:$window_dilations,
                       OptionalAttr<A<"reduce_window_i7", I64List>>:$padding);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region Body<"reduce_window_i8">:$body);
}

def SelectAndScatterOp : Stablehlo_Op<"select_and_scatter", bodyTraits # [InferredTypes]>,
                         Document<"Adds each element of source, by scatter, to the element of the operand that "
                                  "select chooses in its window. Gradients of max pooling.",
                                  "as the operand"> {
  let arguments = (ins In<"select_and_scatter_i1", PerTensorTensor>:$operand,
                       In<"select_and_scatter_i2", PerTensorTensor>:$source,
                       In<"select_and_scatter_i3", PerTensorScalar>:$init_value,
                       OptionalAttr<A<"select_and_scatter_i4", DenseI64ArrayAttr>>:$window_dimensions,
                       OptionalAttr<A<"select_and_scatter_i5", DenseI64ArrayAttr>>:$window_strides,
                       OptionalAttr<A<"select_and_scatter_i6", I64List>>:$padding);
  let results = (outs PerTensorTensor:$result);
  let regions = (region Body<"select_and_scatter_i7">:$select, Body<"select_and_scatter_i8">:$scatter);
}

def ScatterOp : Stablehlo_Op<"scatter", bodyTraits # [SameVariadicOperandSize, InferredTypes]>,
                Document<"The inputs with slices combined with updates at computed places. The computation takes the "
                         "elements of the inputs, then those of the updates.",
                         "as the inputs"> {
  let arguments = (ins Variadic<In<"scatter_i1", PerTensorTensor>>:$inputs,
                       In<"scatter_i2", TensorWith<[DimensionSize]>>:$scatter_indices,
                       Variadic<In<"scatter_i3", PerTensorTensor>>:$updates,
                       A<"scatter_i4", ScatterDimensionNumbers>:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<A<"scatter_i8", BoolAttr>, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<A<"scatter_i9", BoolAttr>, "false">:$unique_indices);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region Body<"scatter_i10">:$update_computation);
}

def SortOp : Stablehlo_Op<"sort", bodyTraits # [InferredTypes]>,
             Document<"Sorts the inputs along a dimension, all by one comparator: of two elements of each input, "
                      "side by side, it says whether the first comes before the second.",
                      "as the inputs"> {
  let arguments = (ins Variadic<In<"sort_i1", PerTensorTensor>>:$inputs,
                       DefaultValuedOptionalAttr<A<"sort_i2", I64Attr>, "-1">:$dimension,
                       DefaultValuedOptionalAttr<A<"sort_i3", BoolAttr>, "false">:$is_stable);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region Body<"sort_i4">:$comparator);
}

def MapOp : Stablehlo_Op<"map", bodyTraits # [InferredTypes]>,
            Document<"The computation of an element of each input, at each index.",
                     "the inputs' shape, of the computation's element type"> {
  let arguments = (ins Variadic<In<"map_i1", PerTensorTensor>>:$inputs, A<"map_i2", DenseI64ArrayAttr>:$dimensions);
  let results = (outs PerTensorTensor:$result);
  let regions = (region Body<"map_i3">:$computation);
}

#endif

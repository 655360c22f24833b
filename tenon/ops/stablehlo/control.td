// Control flow, tokens, tuples, and communication with the host.
#ifndef TENON_OPS_STABLEHLO_CONTROL
#define TENON_OPS_STABLEHLO_CONTROL

include "mlir/IR/SymbolInterfaces.td"
include "tenon/ops/stablehlo/base.td"

def ReturnOp : Stablehlo_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<TensorTokenOrBuffer>:$operands);
  let assemblyFormat = "$operands attr-dict (`:` type($operands)^)?";
}

def IfOp : Stablehlo_Op<"if", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, InferredTypes]>,
           Document<"The results of true_branch where pred holds, of false_branch otherwise. The branches take "
                    "nothing.",
                    "as both branches give"> {
  let arguments = (ins In<"if_i1", ScalarWith<[Bool]>>:$pred);
  let results = (outs Variadic<TensorOrToken>:$results);
  let regions = (region Body<"if_i2">:$true_branch, Body<"if_i3">:$false_branch);
}

def CaseOp : Stablehlo_Op<"case", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, InferredTypes]>,
             Document<"The results of the branch of that number, of the last one where there is none. The branches "
                      "take nothing.",
                      "as all branches give"> {
  let arguments = (ins In<"case_i1", RankedTensorOf<[I32], [HasAnyRankOfPred<[0]>], "0-dimensional tensor">>:$index);
  let results = (outs Variadic<TensorOrToken>:$results);
  let regions = (region VariadicRegion<Body<"case_i2">>:$branches);
}

def WhileOp : Stablehlo_Op<"while", [RecursiveMemoryEffects, SingleBlock, InferredTypes, OpAsmOpInterface]>,
              Document<"Applies body to the operands for as long as cond holds of them.", "as the operands"> {
  let arguments = (ins Variadic<In<"while_i1", TensorTokenOrBuffer>>:$operand);
  let results = (outs Variadic<TensorTokenOrBuffer>:$results);
  let regions = (region Body<"while_i2">:$cond, Body<"while_i3">:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName);
  }];
}

def OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier", [Pure, InferredTypes]>,
                            Document<"The operands; nothing is moved across.", "as the operands"> {
  let arguments = (ins Variadic<TensorOrToken>:$operand);
  let results = (outs Variadic<TensorOrToken>:$result);
  let assemblyFormat = "attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?";
}

def CompositeOp : Stablehlo_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>,
                  Document<"What the function `decomposition` computes, under a name that says what it means.",
                           "those given"> {
  let summary = "a named operation, with a function that says what it computes";
  let arguments = (ins Variadic<AnyValue>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<AnyValue>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name operands (` ` `(` $composite_regions^ `)`)? attr-dict
        `:` functional-type(operands, results)
  }];
}

def CustomCallOp : Stablehlo_Op<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>,
                   Document<"Calls the function that is registered under a name.", "those given"> {
  let arguments = (ins Variadic<In<"custom_call_i1", CustomCallValue>>:$inputs,
                       A<"custom_call_i2", StrAttr>:$call_target_name,
                       DefaultValuedOptionalAttr<A<"custom_call_i3", BoolAttr>, "false">:$has_side_effect,
                       OptionalAttr<A<"custom_call_i4", AnyAttrOf<[StrAttr, DictionaryAttr]>>>:$backend_config,
                       DefaultValuedOptionalAttr<A<"custom_call_i5", CustomCallApiVersionAttr>,
                           "::tenon::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
                       DefaultValuedOptionalAttr<A<"custom_call_i6", FlatSymbolRefsAttr>, "{}">:$called_computations,
                       OptionalAttr<LayoutsAttr>:$operand_layouts, OptionalAttr<LayoutsAttr>:$result_layouts,
                       DefaultValuedOptionalAttr<AliasesAttr, "{}">:$output_operand_aliases,
                       OptionalAttr<TilingsAttr>:$result_tilings);
  let results = (outs Variadic<CustomCallValue>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict
        `:` functional-type(operands, results)
  }];
}

//===- Tokens and tuples -----------------------------------------------------------------------------------------===//

def CreateTokenOp : Stablehlo_Op<"create_token", [Pure, InferredTypes]>,
                    Document<"A token, which orders effects.", "a token"> {
  let results = (outs Token:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def AfterAllOp : Stablehlo_Op<"after_all", [Pure, InferredTypes]>,
                 Document<"A token behind all of these.", "a token"> {
  let arguments = (ins Variadic<In<"after_all_i1", Token>>:$inputs);
  let results = (outs Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict
        `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}
def TupleOp : Stablehlo_Op<"tuple", [Pure, InferredTypes]>,
              Document<"A tuple of the values.", "a tuple"> {
  let arguments = (ins Variadic<In<"tuple_i1", AnyValue>>:$val);
  let results = (outs TupleOf:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}
def GetTupleElementOp : Stablehlo_Op<"get_tuple_element", [Pure, InferredTypes]>,
                        Document<"An element of a tuple.", "the element's"> {
  let arguments = (ins In<"get_tuple_element_i1", TupleOf>:$operand, A<"get_tuple_element_i2", I32Attr>:$index);
  let results = (outs AnyValue:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

//===- Host and channels -----------------------------------------------------------------------------------------===//

def InfeedOp : Stablehlo_Op<"infeed", [MemoryEffects<[MemRead<InfeedResource>, MemWrite<InfeedResource>]>]>,
               Document<"Reads arrays from the device's infeed; the last result is a token.", "those given"> {
  let arguments = (ins In<"infeed_i1", Token>:$token, DefaultValuedStrAttr<A<"infeed_i2", StrAttr>, "">:$infeed_config,
                       OptionalAttr<NumberLayoutsAttr>:$layout);
  let results = (outs Variadic<TensorOrToken>:$results);
}
def OutfeedOp : Stablehlo_Op<"outfeed",
    [InferredTypes, MemoryEffects<[MemRead<OutfeedResource>, MemWrite<OutfeedResource>]>]>,
                Document<"Writes the inputs to the device's outfeed.", "a token"> {
  let arguments = (ins Variadic<In<"outfeed_i1", AnyElementTensor>>:$inputs, In<"outfeed_i2", Token>:$token,
                       DefaultValuedStrAttr<A<"outfeed_i3", StrAttr>, "">:$outfeed_config);
  let results = (outs Token:$result);
}
def SendOp : Stablehlo_Op<"send",
    [InferredTypes, MemoryEffects<[MemRead<ChannelResource>, MemWrite<ChannelResource>]>]>,
             Document<"Sends the inputs over a channel.", "a token"> {
  let arguments = (ins Variadic<In<"send_i1", AnyElementTensor>>:$inputs, In<"send_i2", Token>:$token,
                       A<"send_i3", ChannelHandle>:$channel_handle,
                       DefaultValuedOptionalAttr<A<"send_i5", BoolAttr>, "false">:$is_host_transfer,
                       OptionalAttr<I64List>:$source_target_pairs);
  let results = (outs Token:$result);
}
def RecvOp : Stablehlo_Op<"recv", [MemoryEffects<[MemRead<ChannelResource>, MemWrite<ChannelResource>]>]>,
             Document<"Receives arrays over a channel; the last result is a token.", "those given"> {
  let arguments = (ins In<"recv_i1", Token>:$token, A<"recv_i2", ChannelHandle>:$channel_handle,
                       DefaultValuedOptionalAttr<A<"recv_i4", BoolAttr>, "false">:$is_host_transfer,
                       OptionalAttr<I64List>:$source_target_pairs);
  let results = (outs Variadic<TensorOrToken>:$results);
}

#endif

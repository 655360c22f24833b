// The sdy dialect: how a program's tensors are to be spread over a mesh of devices, as JAX writes it.
include "mlir/IR/SymbolInterfaces.td"
include "tenon/ops/common.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::tenon::sdy";
  let summary = "sharding of tensors over a mesh of devices";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

//===- Attributes ------------------------------------------------------------------------------------------------===//

class Sdy_Attr<string name, string mnemonic_> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnemonic_;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "`\"x\"=2`: a named axis and its size";
  let parameters = (ins StringRefParameter<"axis">:$name, "int64_t":$size);
}
def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "`<[\"x\"=2, \"y\"=4]>`: axes in major to minor order; device ids where they are not 0, 1, 2...";
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes, ArrayRefParameter<"int64_t">:$device_ids);
}
def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "`(2)4`: the part of an axis of size 4 that starts after parts whose product is 2";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
}
def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "`\"x\"` or `\"x\":(2)4`";
  let parameters = (ins StringRefParameter<"axis">:$name, OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
}
def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "`{\"x\", \"y\", ?}p1`: axes a dimension is split over, whether it may get more, and a priority";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes, "bool":$is_closed,
                        OptionalParameter<"std::optional<int64_t>">:$priority);
}
def Sdy_ReductionOp : I32EnumAttr<"ReductionOp", "how what devices have of an array is put together", [
  I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">, I32EnumAttrCase<"MIN", 2, "min">]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tenon::sdy";
}
def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "`<@mesh, [{\"x\"}, {}], replicated={\"y\"}, unreduced=max{\"z\"}>`; without a word, of sums";
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref, ArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
                        ArrayRefParameter<"AxisRefAttr">:$replicated_axes,
                        ArrayRefParameter<"AxisRefAttr">:$unreduced_axes,
                        "::tenon::sdy::ReductionOp":$reduction_op);
  let builders = [AttrBuilder<(ins "::mlir::Attribute":$mesh_or_ref, "::llvm::ArrayRef<DimensionShardingAttr>":$dim_shardings,
                                   "::llvm::ArrayRef<AxisRefAttr>":$replicated_axes,
                                   "::llvm::ArrayRef<AxisRefAttr>":$unreduced_axes), [{
    return $_get($_ctxt, mesh_or_ref, dim_shardings, replicated_axes, unreduced_axes, ReductionOp::SUM);
  }]>];
}
def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "`<[<@mesh, [{\"x\"}]>, <@mesh, []>]>`: one sharding for each of several values";
  let parameters = (ins ArrayRefParameter<"TensorShardingAttr">:$shardings);
}
def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "`{\"x\"}`: axes a body is written for one shard of";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
}
def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "`<([i, j])->([i]) {i=4, j=8} reduction={j}>`: how an op's dimensions correspond; kept as text";
  let parameters = (ins StringRefParameter<"text">:$text);
}

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection", "which ways a sharding may spread", [
  I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>, I32EnumAttrCase<"BACKWARD", 2>,
  I32EnumAttrCase<"BOTH", 3>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tenon::sdy";
}
def Sdy_PropagationDirectionAttr : EnumAttr<Sdy_Dialect, Sdy_PropagationDirection, "propagation_direction">;

//===- Ops -------------------------------------------------------------------------------------------------------===//

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "names a mesh";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

// The result is the operand, with something said about its sharding.
class IdentityOp<string mnemonic, list<Trait> traits = [Pure]>
    : Sdy_Op<mnemonic, [SameOperandsAndResultType, Simple] # traits> {
  let results = (outs AnyTensor:$result);
}
def ShardingConstraintOp : IdentityOp<"sharding_constraint"> {
  let arguments = (ins AnyTensor:$input, Sdy_TensorSharding:$sharding);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}
def ReshardOp : IdentityOp<"reshard"> {
  let arguments = (ins AnyTensor:$input, Sdy_TensorSharding:$sharding);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}
def PropagationBarrierOp : IdentityOp<"propagation_barrier"> {
  let arguments = (ins AnyTensor:$input, Sdy_PropagationDirectionAttr:$allowed_direction);
  let assemblyFormat = "$input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)";
}
def DataFlowEdgeOp : IdentityOp<"data_flow_edge"> {
  let arguments = (ins AnyTensor:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let assemblyFormat = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
}

def ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "values of one group get the same sharding";
  let arguments = (ins AnyTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def ConstantOp : Sdy_Op<"constant", [Pure, CheckedInferredTypes,
    PredOpTrait<"output must have the value's type", CPred<"getValue().getType() == getOutput().getType()">>]> {
  let summary = "a constant of its own, so that each use may be sharded differently";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

// Arrays, and the tokens that order effects of the body.
def Sdy_TensorOrToken : Type<
    CPred<"::llvm::isa<::mlir::TensorType>($_self) || ::llvm::isa<::tenon::stablehlo::TokenType>($_self)">,
    "tensor or token">;

def ManualComputationOp : Sdy_Op<"manual_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a body written for one shard, along some of the axes";
  let arguments = (ins Variadic<Sdy_TensorOrToken>:$tensors, Sdy_TensorShardingPerValue:$in_shardings,
                       Sdy_TensorShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<Sdy_TensorOrToken>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def NamedComputationOp : Sdy_Op<"named_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "a body with a name, inlined where it stands";
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

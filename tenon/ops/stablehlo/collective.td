// Ops that several processes of a grid take part in. Their effects are unknown to MLIR on purpose: all processes must
// run the same ones in the same order, so none may be dropped, merged or moved past another.
#ifndef TENON_OPS_STABLEHLO_COLLECTIVE
#define TENON_OPS_STABLEHLO_COLLECTIVE

include "tenon/ops/stablehlo/base.td"

def ReplicaIdOp : Stablehlo_Op<"replica_id", [Pure, InferredTypes]>,
                  Document<"The number of the replica that runs the program.", "ui32"> {
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def PartitionIdOp : Stablehlo_Op<"partition_id", [Pure, InferredTypes]>,
                    Document<"The number of the partition that runs the program.", "ui32"> {
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}

class CollectiveOp<string mnemonic, list<Trait> traits = []> : Stablehlo_Op<mnemonic, [CollectiveFamily] # traits>;

def AllGatherOp : CollectiveOp<"all_gather">,
                  Document<"The operands of a group's processes one behind the other along a dimension.",
                           "as the operands, the dimension as often as there are processes in a group"> {
  let arguments = (ins Variadic<In<"all_gather_i1", PerTensorTensor>>:$operands,
                       A<"all_gather_i2", I64Attr>:$all_gather_dim,
                       A<"all_gather_i3", ReplicaGroups>:$replica_groups,
                       OptionalAttr<A<"all_gather_i4", ChannelHandle>>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<PerTensorTensor>:$results);
}
def AllReduceOp : CollectiveOp<"all_reduce", [InferredTypes, SingleBlock]>,
                  Document<"The operands of a group's processes combined by a computation of two elements.",
                           "as the operands"> {
  let arguments = (ins Variadic<In<"all_reduce_i1", PerTensorTensor>>:$operands,
                       A<"all_reduce_i2", ReplicaGroups>:$replica_groups,
                       OptionalAttr<A<"all_reduce_i3", ChannelHandle>>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region Body<"all_reduce_i5">:$computation);
}
def ReduceScatterOp : CollectiveOp<"reduce_scatter", [SingleBlock]>,
                      Document<"The same, of which each process gets its part along a dimension.",
                               "as the operand, the dimension divided by the number of processes in a group"> {
  let arguments = (ins In<"reduce_scatter_i1", PerTensorTensor>:$operand,
                       A<"reduce_scatter_i2", I64Attr>:$scatter_dimension,
                       A<"reduce_scatter_i3", ReplicaGroups>:$replica_groups,
                       OptionalAttr<A<"reduce_scatter_i4", ChannelHandle>>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs PerTensorTensor:$result);
  let regions = (region Body<"reduce_scatter_i6">:$computation);
}
def AllToAllOp : CollectiveOp<"all_to_all", [InferredTypes]>,
                 Document<"Each process of a group gets a part, along split_dimension, of each other's operands, "
                          "joined along concat_dimension.",
                          "as the operands, the one dimension divided and the other multiplied by split_count"> {
  let arguments = (ins Variadic<In<"all_to_all_i1", PerTensorTensor>>:$operands,
                       A<"all_to_all_i2", I64Attr>:$split_dimension,
                       A<"all_to_all_i3", I64Attr>:$concat_dimension, A<"all_to_all_i4", I64Attr>:$split_count,
                       A<"all_to_all_i5", ReplicaGroups>:$replica_groups,
                       OptionalAttr<A<"all_to_all_i6", ChannelHandle>>:$channel_handle);
  let results = (outs Variadic<PerTensorTensor>:$results);
}
def CollectiveBroadcastOp : CollectiveOp<"collective_broadcast", [InferredTypes]>,
                            Document<"The operands of the first process of each group.", "as the operands"> {
  let arguments = (ins Variadic<PerTensorTensor>:$operands, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandle>:$channel_handle, UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<PerTensorTensor>:$results);
}
def CollectiveReduceOp : CollectiveOp<"collective_reduce", [InferredTypes, SingleBlock]>,
                         Document<"The operands of a group's processes combined, for one of them.", "as the operands"> {
  let arguments = (ins Variadic<PerTensorTensor>:$operands, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<PerTensorTensor>:$results);
  let regions = (region SizedRegion<1>:$computation);
}
def CollectivePermuteOp : CollectiveOp<"collective_permute", [InferredTypes]>,
                          Document<"The operand of the process that is this one's source; zeros without one.",
                                   "as the operand"> {
  let arguments = (ins In<"collective_permute_i1", PerTensorTensor>:$operand,
                       A<"collective_permute_i2", I64List>:$source_target_pairs,
                       OptionalAttr<A<"collective_permute_i3", ChannelHandle>>:$channel_handle);
  let results = (outs PerTensorTensor:$result);
}
def CrossReplicaSumOp : CollectiveOp<"cross-replica-sum", [InferredTypes]>,
                        Document<"The sum over the replicas of a group. Deprecated: all_reduce.", "as the operand"> {
  let summary = "deprecated: all_reduce with add";
  let arguments = (ins PerTensorTensor:$operand, I64List:$replica_groups);
  let results = (outs PerTensorTensor:$result);
}

def AsyncStartOp : Stablehlo_Op<"async_start", [InferredTypes, SingleBlock, IsolatedFromAbove]>,
                   Document<"Begins the one operation of body, which takes the operands.", "a future"> {
  let arguments = (ins Variadic<PerTensorTensor>:$operands);
  let results = (outs Future:$result);
  let regions = (region SizedRegion<1>:$body);
}
def AsyncDoneOp : Stablehlo_Op<"async_done", [InferredTypes]>,
                  Document<"The results of what async_start has begun.", "what the future holds"> {
  let arguments = (ins Future:$operand);
  let results = (outs Variadic<PerTensorTensor>:$results);
}

#endif

#include "tenon/frontend/import/vhlo_table.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <vector>

namespace tenon::frontend {

using llvm::StringLiteral;
using llvm::StringRef;

namespace {

// A name is followed by the minor version that brought it, if that is not the oldest: `tan_v1@1.4`. It ends where the
// operation's next row begins.

// Operations without attributes.
constexpr StringLiteral kPlainOps =
    "abs_v1 add_v1 after_all_v1 and_v1 async_start_v1@1.15 async_done_v1@1.15 atan2_v1 bitcast_convert_v1 case_v1 "
    "cbrt_v1 "
    "ceil_v1 clamp_v1 count_leading_zeros_v1 complex_v1 convert_v1 cosine_v1 create_token_v1 divide_v1 "
    "dynamic_pad_v1 dynamic_reshape_v1 dynamic_update_slice_v1 exponential_minus_one_v1 exponential_v1 floor_v1 "
    "if_v1 imag_v1 is_finite_v1 log_plus_one_v1 logistic_v1 log_v1 maximum_v1 minimum_v1 multiply_v1 negate_v1 "
    "not_v1 optimization_barrier_v1 or_v1 partition_id_v1 popcnt_v1 power_v1 real_dynamic_slice_v1 real_v1 "
    "remainder_v1 replica_id_v1 reshape_v1 return_v1 round_nearest_even_v1 round_nearest_afz_v1 rsqrt_v1 select_v1 "
    "shift_left_v1 shift_right_arithmetic_v1 shift_right_logical_v1 sign_v1 sine_v1 sqrt_v1 subtract_v1 tan_v1@1.4 "
    "tanh_v1 tuple_v1 uniform_dequantize_v1 uniform_quantize_v1 while_v1 xor_v1";

// Operations whose only attribute is the requested accuracy.
constexpr StringLiteral kAccuracyOps = "cbrt_v2@1.10 cosine_v2@1.10 exponential_minus_one_v2@1.10 exponential_v2@1.9 "
                                       "log_plus_one_v2@1.10 logistic_v2@1.10 log_v2@1.10 rsqrt_v2@1.10 sine_v2@1.10 "
                                       "sqrt_v2@1.10 tan_v2@1.10 tanh_v2@1.10";

// The other operations, with their attributes written `name[:rule][=default]`.
struct Row {
  StringLiteral name;
  StringLiteral attributes;
  VhloGroup group = VhloGroup::kNone;
};
constexpr Row kRows[] = {
    {"all_gather_v1", "all_gather_dim channel_id:channel=0 replica_groups use_global_device_ids:flag=false"},
    {"all_gather_v2@1.5", "all_gather_dim channel_id:channel=0 replica_groups use_global_device_ids:flag=false"},
    {"all_reduce_v1", "channel_id:channel=0 replica_groups use_global_device_ids:flag=false"},
    {"all_reduce_v2@1.5", "channel_id:channel=0 replica_groups use_global_device_ids:flag=false"},
    {"all_to_all_v1", "channel_id:channel=0 concat_dimension replica_groups split_count split_dimension"},
    {"all_to_all_v2@1.5", "channel_id:channel=0 concat_dimension replica_groups split_count split_dimension"},
    {"batch_norm_grad_v1", "epsilon feature_index"},
    {"batch_norm_inference_v1", "epsilon feature_index"},
    {"batch_norm_training_v1", "epsilon feature_index"},
    {"broadcast_in_dim_v1", "broadcast_dimensions:i64s"},
    {"broadcast_v1", "broadcast_sizes:i64s"},
    {"call_v1", "callee:symbol"},
    {"cholesky_v1", "lower=false"},
    {"collective_broadcast_v1@0.16", "channel_id:channel=0 replica_groups"},
    {"collective_broadcast_v2@1.20", "channel_id:channel=0 has_dynamic_root:flag=false replica_groups"},
    {"collective_reduce_v1@1.19",
     "channel_id:channel=0 has_dynamic_root:flag=false replica_groups use_global_device_ids:flag=false"},
    {"collective_permute_v1", "channel_id:channel=0 source_target_pairs"},
    {"compare_v1", "compare_type=notype comparison_direction"},
    {"composite_v1@0.19", "composite_attributes={} decomposition:symbol name version=0"},
    {"composite_v2@1.14", "composite_attributes={} decomposition:symbol name version=0"},
    {"concatenate_v1", "dimension"},
    {"constant_v1", "value"},
    {"convolution_v1",
     "batch_group_count feature_group_count input_batch_dimension:g input_feature_dimension:g "
     "input_spatial_dimensions:g kernel_input_feature_dimension:g kernel_output_feature_dimension:g "
     "kernel_spatial_dimensions:g lhs_dilation:i64s=ones output_batch_dimension:g output_feature_dimension:g "
     "output_spatial_dimensions:g padding=zeros precision_config=precision rhs_dilation:i64s=ones "
     "window_reversal:bools=allfalse window_strides:i64s=ones",
     VhloGroup::kConvolution},
    {"cross-replica-sum_v1", "replica_groups"},
    {"custom_call_v1",
     "api_version:api=original backend_config=config call_target_name called_computations:symbols=[] "
     "has_side_effect=false operand_layouts=[] output_operand_aliases=[] result_layouts=[]",
     VhloGroup::kLayouts},
    {"custom_call_v2@1.18",
     "api_version:api=original backend_config=config call_target_name called_computations:symbols=[] "
     "has_side_effect=false operand_layouts=[] output_operand_aliases=[] result_layouts=[] result_tilings=[]",
     VhloGroup::kLayouts},
    {"dot_general_v1",
     "lhs_batching_dimensions:g lhs_contracting_dimensions:g precision_config=precision rhs_batching_dimensions:g "
     "rhs_contracting_dimensions:g",
     VhloGroup::kDot},
    {"dot_general_v2@1.6",
     "accumulation_type:g=none allow_imprecise_accumulation:g=none lhs_batching_dimensions:g "
     "lhs_component_count:g=none "
     "lhs_contracting_dimensions:g lhs_precision_type:g=none num_primitive_operations:g=none "
     "precision_config=precision "
     "rhs_batching_dimensions:g rhs_component_count:g=none rhs_contracting_dimensions:g rhs_precision_type:g=none",
     VhloGroup::kDot},
    {"dot_v1", "precision_config=precision"},
    {"dynamic_broadcast_in_dim_v1",
     "broadcast_dimensions:i64s known_expanding_dimensions:i64s=dense known_nonexpanding_dimensions:i64s=dense"},
    {"dynamic_conv_v1",
     "batch_group_count feature_group_count input_batch_dimension:g input_feature_dimension:g "
     "input_spatial_dimensions:g kernel_input_feature_dimension:g kernel_output_feature_dimension:g "
     "kernel_spatial_dimensions:g lhs_dilation:i64s=ones output_batch_dimension:g output_feature_dimension:g "
     "output_spatial_dimensions:g padding:g=zeros precision_config=precision rhs_dilation:i64s=ones "
     "window_reversal:bools=allfalse window_strides:i64s=ones",
     VhloGroup::kDynamicConvolutionPadding},
    {"dynamic_conv_v2@0.20",
     "batch_group_count feature_group_count input_batch_dimension:g input_feature_dimension:g "
     "input_spatial_dimensions:g kernel_input_feature_dimension:g kernel_output_feature_dimension:g "
     "kernel_spatial_dimensions:g lhs_dilation:i64s=ones output_batch_dimension:g output_feature_dimension:g "
     "output_spatial_dimensions:g precision_config=precision rhs_dilation:i64s=ones window_reversal:bools=allfalse "
     "window_strides:i64s=ones",
     VhloGroup::kConvolution},
    {"dynamic_gather_v1",
     "collapsed_slice_dims:g index_vector_dim:g indices_are_sorted=false offset_dims:g start_index_map:g",
     VhloGroup::kGather},
    {"dynamic_gather_v2@1.1",
     "collapsed_slice_dims:g index_vector_dim:g indices_are_sorted=false offset_dims:g operand_batching_dims:g=dense "
     "start_index_map:g start_indices_batching_dims:g=dense",
     VhloGroup::kGather},
    {"dynamic_iota_v1", "iota_dimension"},
    {"dynamic_slice_v1", "slice_sizes:i64s"},
    {"einsum_v1", "einsum_config"},
    {"fft_v1", "fft_length:i64s fft_type"},
    {"func_v1", "arg_attrs=[] function_type res_attrs=[] sym_name sym_visibility=string"},
    {"gather_v1",
     "collapsed_slice_dims:g index_vector_dim:g indices_are_sorted=false offset_dims:g slice_sizes:i64s "
     "start_index_map:g",
     VhloGroup::kGather},
    {"gather_v2@1.1",
     "collapsed_slice_dims:g index_vector_dim:g indices_are_sorted=false offset_dims:g operand_batching_dims:g=dense "
     "slice_sizes:i64s start_index_map:g start_indices_batching_dims:g=dense",
     VhloGroup::kGather},
    {"get_dimension_size_v1", "dimension"},
    {"get_tuple_element_v1", "index"},
    {"infeed_v1", "infeed_config=string layout=[]"},
    {"iota_v1", "iota_dimension"},
    {"map_v1", "dimensions:i64s"},
    {"outfeed_v1", "outfeed_config=string"},
    {"pad_v1", "edge_padding_high:i64s edge_padding_low:i64s interior_padding:i64s"},
    {"recv_v1", "channel_id:g channel_type:g is_host_transfer=false", VhloGroup::kChannel},
    {"recv_v2@1.12", "channel_id:g channel_type:g is_host_transfer=false source_target_pairs=dense",
     VhloGroup::kChannel},
    {"reduce_v1", "dimensions:i64s"},
    {"reduce_precision_v1", "exponent_bits mantissa_bits"},
    {"reduce_scatter_v1", "channel_id:channel=0 replica_groups scatter_dimension use_global_device_ids:flag=false"},
    {"reduce_window_v1", "base_dilations:i64s=ones padding=zeros window_dilations:i64s=ones window_dimensions:i64s "
                         "window_strides:i64s=ones"},
    {"reverse_v1", "dimensions:i64s"},
    {"rng_bit_generator_v1", "rng_algorithm"},
    {"rng_v1", "rng_distribution"},
    {"scatter_v1",
     "index_vector_dim:g indices_are_sorted=false inserted_window_dims:g scatter_dims_to_operand_dims:g "
     "unique_indices=false update_window_dims:g",
     VhloGroup::kScatter},
    {"scatter_v2@1.1",
     "index_vector_dim:g indices_are_sorted=false input_batching_dims:g=dense inserted_window_dims:g "
     "scatter_dims_to_operand_dims:g scatter_indices_batching_dims:g=dense unique_indices=false update_window_dims:g",
     VhloGroup::kScatter},
    {"select_and_scatter_v1", "padding=zeros window_dimensions:i64s window_strides:i64s=ones"},
    {"send_v1", "channel_id:g channel_type:g is_host_transfer=false", VhloGroup::kChannel},
    {"send_v2@1.12", "channel_id:g channel_type:g is_host_transfer=false source_target_pairs=dense",
     VhloGroup::kChannel},
    {"set_dimension_size_v1", "dimension"},
    {"slice_v1", "limit_indices:i64s start_indices:i64s strides:i64s"},
    {"sort_v1", "dimension=-1 is_stable=false"},
    {"torch_index_select_v1", "batch_dims dim"},
    {"transpose_v1", "permutation:i64s"},
    {"triangular_solve_v1", "left_side lower transpose_a unit_diagonal"},
    {"unary_einsum_v1", "einsum_config"},
};

VhloRule parseRule(StringRef text) {
  return llvm::StringSwitch<VhloRule>(text)
      .Case("", VhloRule::kKeep)
      .Case("i64s", VhloRule::kI64Array)
      .Case("bools", VhloRule::kBoolArray)
      .Case("flag", VhloRule::kFlag)
      .Case("symbol", VhloRule::kSymbol)
      .Case("symbols", VhloRule::kSymbols)
      .Case("channel", VhloRule::kChannelId)
      .Case("api", VhloRule::kApiVersion)
      .Case("g", VhloRule::kGrouped);
}

VhloDefault parseDefault(StringRef text) {
  return llvm::StringSwitch<VhloDefault>(text)
      .Case("", VhloDefault::kNone)
      .Case("false", VhloDefault::kFalse)
      .Case("0", VhloDefault::kZero)
      .Case("-1", VhloDefault::kMinusOne)
      .Case("[]", VhloDefault::kEmptyArray)
      .Case("{}", VhloDefault::kEmptyDictionary)
      .Case("string", VhloDefault::kEmptyString)
      .Case("dense", VhloDefault::kEmptyTensor)
      .Case("config", VhloDefault::kEmptyConfig)
      .Case("none", VhloDefault::kNoneType)
      .Case("zeros", VhloDefault::kAllZeros)
      .Case("ones", VhloDefault::kAllOnes)
      .Case("allfalse", VhloDefault::kAllFalse)
      .Case("precision", VhloDefault::kPrecision)
      .Case("accuracy", VhloDefault::kAccuracy)
      .Case("original", VhloDefault::kOriginalApi)
      .Case("notype", VhloDefault::kNoCompareType);
}

struct Table {
  std::vector<VhloOp> ops;
  std::vector<std::string> targets;
  llvm::StringMap<const VhloOp *> byName;
  llvm::StringMap<llvm::SmallVector<const VhloOp *, 2>> byBase;

  Table() {
    ops.reserve(160);
    targets.reserve(160);
    llvm::SmallVector<StringRef> names;
    kPlainOps.split(names, ' ');
    for (StringRef name : names)
      add(name, "", VhloGroup::kNone);
    names.clear();
    kAccuracyOps.split(names, ' ');
    for (StringRef name : names)
      add(name, "result_accuracy=accuracy", VhloGroup::kNone);
    for (const Row &row : kRows)
      add(row.name, row.attributes, row.group);
    for (const VhloOp &op : ops) {
      byName[op.name] = &op;
      byBase[op.name.rsplit("_v").first].push_back(&op);
    }
    for (auto &rows : byBase)
      llvm::sort(rows.second, [](const VhloOp *a, const VhloOp *b) { return a->since < b->since; });
  }

  void add(StringRef nameAndVersion, StringRef attributes, VhloGroup group) {
    auto [name, since] = nameAndVersion.split('@');
    VhloOp &op = ops.emplace_back();
    op.name = name;
    op.since = since.empty() ? kOldestVhloVersion : *parseVhloVersion(since);
    op.target = targets.emplace_back(targetName(name));
    op.group = group;
    llvm::SmallVector<StringRef> specs;
    attributes.split(specs, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef spec : specs) {
      auto [left, defaultText] = spec.split('=');
      auto [attributeName, rule] = left.split(':');
      op.attributes.push_back({attributeName, parseRule(rule), parseDefault(defaultText)});
    }
  }

  static std::string targetName(StringRef name) {
    StringRef base = name.rsplit("_v").first;
    if (base == "return")
      return "";
    return ((base == "func" || base == "call" ? "func." : "stablehlo.") + base).str();
  }
};

const Table &table() {
  static const Table instance;
  return instance;
}

} // namespace

llvm::ArrayRef<VhloOp> vhloOps() { return table().ops; }

const VhloOp *findVhloOp(StringRef name) { return table().byName.lookup(name); }

llvm::ArrayRef<const VhloOp *> vhloRows(StringRef base) {
  auto found = table().byBase.find(base);
  return found == table().byBase.end() ? llvm::ArrayRef<const VhloOp *>() : found->second;
}

} // namespace tenon::frontend

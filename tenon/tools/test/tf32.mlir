// Which products and convolutions of f32 NVIDIA's libraries may round to tf32.
// RUN: %tenon compile %s --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=EXACT
// RUN: env TENON_TF32=0 %tenon compile %s --target cuda:sm_90a --dump-after plan | %check %s --check-prefix=EXACT
// EXACT-NOT: in tf32, where it is there
// EXACT: or cuBLASLt's product in tf32, where it is there
// EXACT-NOT: in tf32, where it is there

// RUN: env TENON_TF32=1 %tenon compile %s --target cuda:sm_90a --dump-after plan > %t
// RUN: %check %s --check-prefix=ALLOWED < %t
// RUN: grep -c "cuBLASLt's product in tf32, where it is there" %t | %check %s --check-prefix=TWO
// ALLOWED-DAG: or cuBLASLt's product, where it is there
// ALLOWED-DAG: or cuBLASLt's product in tf32, where it is there
// ALLOWED-DAG: or cuDNN's convolution in tf32, where it is there
// TWO: {{^2$}}

// RUN: not env TENON_TF32=yes %tenon compile %s --target cuda:sm_90a --dump-after plan 2>&1 | %check %s --check-prefix=WORD
// WORD: error: TENON_TF32 is 'yes'; it can be '0' or '1'

func.func @main(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>, %x: tensor<16x128x56x56xf32>, %w: tensor<128x128x3x3xf32>)
    -> (tensor<2048x2048xf32>, tensor<2048x2048xf32>, tensor<2048x2048xf32>, tensor<16x128x54x54xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<16x128x56x56xf32>, tensor<128x128x3x3xf32>) -> tensor<16x128x54x54xf32>
  return %0, %1, %2, %3 : tensor<2048x2048xf32>, tensor<2048x2048xf32>, tensor<2048x2048xf32>, tensor<16x128x54x54xf32>
}

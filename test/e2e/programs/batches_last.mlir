// Products whose batches are the last dimension of operands and results, of rows with rows, and of products.
func.func @main(
    %f32_a: tensor<9x8x33xf32>, %f32_b: tensor<8x7x33xf32>, %f32_rows: tensor<40x33xf32>, %f32_columns: tensor<500x33xf32>,
    %bf16_a: tensor<9x8x33xbf16>, %bf16_b: tensor<8x7x33xbf16>, %bf16_rows: tensor<40x33xbf16>, %bf16_columns: tensor<500x33xbf16>,
    %i32_a: tensor<9x8x33xi32>, %i32_b: tensor<8x7x33xi32>, %i32_rows: tensor<40x33xi32>, %i32_columns: tensor<500x33xi32>,
    %c_a: tensor<9x8x33xcomplex<f32>>, %c_b: tensor<8x7x33xcomplex<f32>>, %c_rows: tensor<40x33xcomplex<f32>>, %c_columns: tensor<500x33xcomplex<f32>>,
    %f64_a: tensor<9x8x33xf64>, %f64_b: tensor<8x7x33xf64>, %f64_rows: tensor<40x33xf64>, %f64_columns: tensor<500x33xf64>,
    %i8_a: tensor<9x8x33xi8>, %i8_b: tensor<8x7x33xi8>, %i8_rows: tensor<40x33xi8>, %i8_columns: tensor<500x33xi8>)
    -> (tensor<7x9x33xf32>, tensor<500xf32>, tensor<500xf32>, tensor<7x9x33xbf16>, tensor<500xbf16>, tensor<500xbf16>, tensor<7x9x33xi32>, tensor<500xi32>, tensor<500xi32>, tensor<7x9x33xcomplex<f32>>, tensor<500xcomplex<f32>>, tensor<500xcomplex<f32>>, tensor<7x9x33xf64>, tensor<500xf64>, tensor<500xf64>, tensor<7x9x33xi8>, tensor<500xi8>, tensor<500xi8>) {
  %f32_product = stablehlo.dot_general %f32_a, %f32_b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<9x8x33xf32>, tensor<8x7x33xf32>) -> tensor<33x9x7xf32>
  %f32_last = stablehlo.transpose %f32_product, dims = [2, 1, 0] : (tensor<33x9x7xf32>) -> tensor<7x9x33xf32>
  %f32_sums = stablehlo.dot_general %f32_columns, %f32_columns, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<500x33xf32>, tensor<500x33xf32>) -> tensor<500xf32>
  %f32_inner = stablehlo.dot_general %f32_rows, %f32_columns, contracting_dims = [1] x [1] : (tensor<40x33xf32>, tensor<500x33xf32>) -> tensor<40x500xf32>
  %f32_forms = stablehlo.dot_general %f32_inner, %f32_inner, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<40x500xf32>, tensor<40x500xf32>) -> tensor<500xf32>
  %bf16_product = stablehlo.dot_general %bf16_a, %bf16_b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<9x8x33xbf16>, tensor<8x7x33xbf16>) -> tensor<33x9x7xbf16>
  %bf16_last = stablehlo.transpose %bf16_product, dims = [2, 1, 0] : (tensor<33x9x7xbf16>) -> tensor<7x9x33xbf16>
  %bf16_sums = stablehlo.dot_general %bf16_columns, %bf16_columns, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<500x33xbf16>, tensor<500x33xbf16>) -> tensor<500xbf16>
  %bf16_inner = stablehlo.dot_general %bf16_rows, %bf16_columns, contracting_dims = [1] x [1] : (tensor<40x33xbf16>, tensor<500x33xbf16>) -> tensor<40x500xbf16>
  %bf16_forms = stablehlo.dot_general %bf16_inner, %bf16_inner, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<40x500xbf16>, tensor<40x500xbf16>) -> tensor<500xbf16>
  %i32_product = stablehlo.dot_general %i32_a, %i32_b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<9x8x33xi32>, tensor<8x7x33xi32>) -> tensor<33x9x7xi32>
  %i32_last = stablehlo.transpose %i32_product, dims = [2, 1, 0] : (tensor<33x9x7xi32>) -> tensor<7x9x33xi32>
  %i32_sums = stablehlo.dot_general %i32_columns, %i32_columns, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<500x33xi32>, tensor<500x33xi32>) -> tensor<500xi32>
  %i32_inner = stablehlo.dot_general %i32_rows, %i32_columns, contracting_dims = [1] x [1] : (tensor<40x33xi32>, tensor<500x33xi32>) -> tensor<40x500xi32>
  %i32_forms = stablehlo.dot_general %i32_inner, %i32_inner, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<40x500xi32>, tensor<40x500xi32>) -> tensor<500xi32>
  %c_product = stablehlo.dot_general %c_a, %c_b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<9x8x33xcomplex<f32>>, tensor<8x7x33xcomplex<f32>>) -> tensor<33x9x7xcomplex<f32>>
  %c_last = stablehlo.transpose %c_product, dims = [2, 1, 0] : (tensor<33x9x7xcomplex<f32>>) -> tensor<7x9x33xcomplex<f32>>
  %c_sums = stablehlo.dot_general %c_columns, %c_columns, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<500x33xcomplex<f32>>, tensor<500x33xcomplex<f32>>) -> tensor<500xcomplex<f32>>
  %c_inner = stablehlo.dot_general %c_rows, %c_columns, contracting_dims = [1] x [1] : (tensor<40x33xcomplex<f32>>, tensor<500x33xcomplex<f32>>) -> tensor<40x500xcomplex<f32>>
  %c_forms = stablehlo.dot_general %c_inner, %c_inner, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<40x500xcomplex<f32>>, tensor<40x500xcomplex<f32>>) -> tensor<500xcomplex<f32>>
  %f64_product = stablehlo.dot_general %f64_a, %f64_b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<9x8x33xf64>, tensor<8x7x33xf64>) -> tensor<33x9x7xf64>
  %f64_last = stablehlo.transpose %f64_product, dims = [2, 1, 0] : (tensor<33x9x7xf64>) -> tensor<7x9x33xf64>
  %f64_sums = stablehlo.dot_general %f64_columns, %f64_columns, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<500x33xf64>, tensor<500x33xf64>) -> tensor<500xf64>
  %f64_inner = stablehlo.dot_general %f64_rows, %f64_columns, contracting_dims = [1] x [1] : (tensor<40x33xf64>, tensor<500x33xf64>) -> tensor<40x500xf64>
  %f64_forms = stablehlo.dot_general %f64_inner, %f64_inner, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<40x500xf64>, tensor<40x500xf64>) -> tensor<500xf64>
  %i8_product = stablehlo.dot_general %i8_a, %i8_b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<9x8x33xi8>, tensor<8x7x33xi8>) -> tensor<33x9x7xi8>
  %i8_last = stablehlo.transpose %i8_product, dims = [2, 1, 0] : (tensor<33x9x7xi8>) -> tensor<7x9x33xi8>
  %i8_sums = stablehlo.dot_general %i8_columns, %i8_columns, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<500x33xi8>, tensor<500x33xi8>) -> tensor<500xi8>
  %i8_inner = stablehlo.dot_general %i8_rows, %i8_columns, contracting_dims = [1] x [1] : (tensor<40x33xi8>, tensor<500x33xi8>) -> tensor<40x500xi8>
  %i8_forms = stablehlo.dot_general %i8_inner, %i8_inner, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<40x500xi8>, tensor<40x500xi8>) -> tensor<500xi8>
  return %f32_last, %f32_sums, %f32_forms, %bf16_last, %bf16_sums, %bf16_forms, %i32_last, %i32_sums, %i32_forms, %c_last, %c_sums, %c_forms, %f64_last, %f64_sums, %f64_forms, %i8_last, %i8_sums, %i8_forms : tensor<7x9x33xf32>, tensor<500xf32>, tensor<500xf32>, tensor<7x9x33xbf16>, tensor<500xbf16>, tensor<500xbf16>, tensor<7x9x33xi32>, tensor<500xi32>, tensor<500xi32>, tensor<7x9x33xcomplex<f32>>, tensor<500xcomplex<f32>>, tensor<500xcomplex<f32>>, tensor<7x9x33xf64>, tensor<500xf64>, tensor<500xf64>, tensor<7x9x33xi8>, tensor<500xi8>, tensor<500xi8>
}

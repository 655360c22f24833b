// The older form, which has a result; attributes as JAX's calls have them; quantized values, by their storage.
module @verdicts {
  func.func public @main() -> (tensor<i1>, tensor<i1>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %1 = stablehlo.constant dense<[1.00005, 1.9999]> : tensor<2xf64>
    %2 = stablehlo.custom_call @check.eq(%0, %1) : (tensor<2xf64>, tensor<2xf64>) -> tensor<i1>
    %3 = stablehlo.custom_call @check.expect_almost_eq(%0, %1) {api_version = 4 : i32, backend_config = {tolerance = 2.000000e-04 : f64}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<2xf64>, tensor<2xf64>) -> tensor<i1>
    stablehlo.custom_call @check.expect_close(%0, %1) {mhlo.backend_config = {max_ulp_difference = 900000000000 : ui64, min_ulp_difference = 1 : i32}} : (tensor<2xf64>, tensor<2xf64>) -> ()
    %4 = stablehlo.uniform_quantize %0 : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>
    %5 = stablehlo.uniform_quantize %1 : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>
    stablehlo.custom_call @check.expect_eq(%4, %5) {has_side_effect = true} : (tensor<2x!quant.uniform<i8:f64, 0.5>>, tensor<2x!quant.uniform<i8:f64, 0.5>>) -> ()
    return %2, %3 : tensor<i1>, tensor<i1>
  }
}

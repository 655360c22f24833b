// The terms on both sides of zero make up for each other near a half. Values of mpmath.
func.func @main() {
  %s = stablehlo.constant dense<[33.0, 33.0, 3.0, 5.0, 4.0, 3.0, 2.0, 7.0]> : tensor<8xf64>
  %q = stablehlo.constant dense<[-2.5, -2.5000000000000004, -2.5000000000000004, -1.0e-05, -1000000.25, -1000000.5,
      -7.75, -7.75]> : tensor<8xf64>
  %expected = stablehlo.constant dense<[1.1113818876303040344e-18, 0.00050354003906250114158, 0.054102025820906944217,
      -9.9999999999999959098e+24, 259.75757609067316596, 4.999990000013749985e-13, 19.618144334352289465,
      16376.701057794014651]> : tensor<8xf64>
  %zeta = chlo.zeta %s, %q : tensor<8xf64>, tensor<8xf64> -> tensor<8xf64>
  stablehlo.custom_call @check.expect_close(%zeta, %expected) {has_side_effect = true, max_ulp_difference = 16 : i64} : (tensor<8xf64>, tensor<8xf64>) -> ()
  %n = stablehlo.constant dense<32.0> : tensor<f32>
  %x = stablehlo.constant dense<-2.5> : tensor<f32>
  %derivative = stablehlo.constant dense<-292438846245110037.5> : tensor<f32>
  %polygamma = chlo.polygamma %n, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  stablehlo.custom_call @check.expect_close(%polygamma, %derivative) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<f32>, tensor<f32>) -> ()
  return
}

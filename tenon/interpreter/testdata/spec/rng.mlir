// The worked example of `rng` in the StableHLO specification shows random values: only their range can be checked.

func.func @rng_line_4304() -> (tensor<3x3xi1>, tensor<3x3xi1>) {
  %a = stablehlo.constant dense<0> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %shape = stablehlo.constant dense<[3, 3]> : tensor<2xi64>
  %result = "stablehlo.rng"(%a, %b, %shape) {
    rng_distribution = #stablehlo<rng_distribution UNIFORM>
  } : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<3x3xi32>
  %low = stablehlo.constant dense<0> : tensor<3x3xi32>
  %high = stablehlo.constant dense<2> : tensor<3x3xi32>
  %above = stablehlo.compare GE, %result, %low : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %below = stablehlo.compare LT, %result, %high : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  return %above, %below : tensor<3x3xi1>, tensor<3x3xi1>
}
// EXPECT: dense<true> : tensor<3x3xi1>
// EXPECT: dense<true> : tensor<3x3xi1>

// The worked examples of `rng_bit_generator` in the StableHLO specification.

func.func @rng_bit_generator_line_4361() -> (tensor<2xui64>, tensor<2x2xui64>) {
  %initial_state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %output_state, %output = "stablehlo.rng_bit_generator"(%initial_state) {
    rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>
  } : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  return %output_state, %output : tensor<2xui64>, tensor<2x2xui64>
}
// EXPECT: dense<[1, 6]> : tensor<2xui64>
// EXPECT: dense<[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]> : tensor<2x2xui64>

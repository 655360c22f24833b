// Every way that rng_bit_generator spreads counters over elements.
func.func @main(%two: tensor<2xui64>, %three: tensor<3xui64>) -> (tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3x4xui32>, tensor<2xui64>, tensor<7xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<3xui64>, tensor<3x3xui32>, tensor<2xui64>, tensor<5xi64>, tensor<2xui64>, tensor<ui64>, tensor<3xui64>, tensor<6xi16>) {
  %0:2 = stablehlo.rng_bit_generator %two, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  %1:2 = stablehlo.rng_bit_generator %0#0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  %2:2 = stablehlo.rng_bit_generator %1#0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui64>)
  %3:2 = stablehlo.rng_bit_generator %2#0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
  %4:2 = stablehlo.rng_bit_generator %three, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui32>)
  %5:2 = stablehlo.rng_bit_generator %3#0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xi64>)
  %6:2 = stablehlo.rng_bit_generator %5#0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  %all = stablehlo.constant dense<[7, 18446744073709551615, 3]> : tensor<3xui64>
  %7:2 = stablehlo.rng_bit_generator %all, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<6xi16>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4#0, %4#1, %5#0, %5#1, %6#0, %6#1, %7#0, %7#1 : tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<3x4xui32>, tensor<2xui64>, tensor<7xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<3xui64>, tensor<3x3xui32>, tensor<2xui64>, tensor<5xi64>, tensor<2xui64>, tensor<ui64>, tensor<3xui64>, tensor<6xi16>
}

// A size that only the run knows: elements beyond it do not count.
module attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %0:2 = call @inputs() : () -> (tensor<6xf32>, tensor<i32>)
    %1 = stablehlo.set_dimension_size %0#0, %0#1, dim = 0 : (tensor<6xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<6>>
    %2 = stablehlo.sqrt %1 : tensor<?xf32, #stablehlo.bounds<6>>
    %3:2 = call @expected() : () -> (tensor<4xf32>, tensor<6xf32>)
    %4 = stablehlo.set_dimension_size %3#1, %0#1, dim = 0 : (tensor<6xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<6>>
    stablehlo.custom_call @check.expect_close(%2, %4) {has_side_effect = true} : (tensor<?xf32, #stablehlo.bounds<6>>, tensor<?xf32, #stablehlo.bounds<6>>) -> ()
    stablehlo.custom_call @check.expect_close(%2, %3#0) {has_side_effect = true} : (tensor<?xf32, #stablehlo.bounds<6>>, tensor<4xf32>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<6xf32>, tensor<i32>) {
    %x = stablehlo.constant dense<[1.0, 4.0, 9.0, 16.0, 25.0, 36.0]> : tensor<6xf32>
    %n = stablehlo.constant dense<4> : tensor<i32>
    return %x, %n : tensor<6xf32>, tensor<i32>
  }
  func.func private @expected() -> (tensor<4xf32>, tensor<6xf32>) {
    %a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 7.0, 7.0]> : tensor<6xf32>
    return %a, %b : tensor<4xf32>, tensor<6xf32>
  }
}

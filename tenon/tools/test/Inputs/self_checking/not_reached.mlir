// Checks that would fail, where the program does not come.
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      stablehlo.return %false : tensor<i1>
    } do {
      stablehlo.custom_call @check.expect_eq(%zero, %one) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
      stablehlo.return %i : tensor<i32>
    }
    %1 = "stablehlo.case"(%one) ({
      func.call @fail() : () -> ()
      stablehlo.return %zero : tensor<i32>
    }, {
      stablehlo.custom_call @check.expect_eq(%0, %zero) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
      stablehlo.return %0 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @fail() {
    %a = stablehlo.constant dense<[0x7F80, 1.0]> : tensor<2xbf16>
    %b = stablehlo.constant dense<[0x7F7F, 1.0]> : tensor<2xbf16>
    stablehlo.custom_call @check.expect_close(%a, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> ()
    return
  }
}

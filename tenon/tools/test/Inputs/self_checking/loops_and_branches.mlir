// Checks in the bodies of loops and branches, and in a function called from them.
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<i32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %start = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xbf16>
    %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<2xbf16>
    cond {
      %more = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %double = stablehlo.add %x, %x : tensor<2xbf16>
      %is_first = stablehlo.compare EQ, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %1 = "stablehlo.if"(%is_first) ({
        func.call @is_start(%x) : (tensor<2xbf16>) -> ()
        stablehlo.return %next : tensor<i32>
      }, {
        %half = stablehlo.subtract %double, %x : tensor<2xbf16>
        stablehlo.custom_call @check.expect_eq(%half, %x) {has_side_effect = true} : (tensor<2xbf16>, tensor<2xbf16>) -> ()
        stablehlo.return %next : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      stablehlo.return %1, %double : tensor<i32>, tensor<2xbf16>
    }
    %expected = stablehlo.constant dense<[32.0, -64.0]> : tensor<2xbf16>
    stablehlo.custom_call @check.expect_close(%0#1, %expected) {max_ulp_difference = 0 : i64} : (tensor<2xbf16>, tensor<2xbf16>) -> ()
    stablehlo.custom_call @check.expect_eq(%0#0, %five) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return %0#0 : tensor<i32>
  }
  func.func private @is_start(%x: tensor<2xbf16>) {
    %start = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xbf16>
    stablehlo.custom_call @check.expect_eq(%x, %start) {has_side_effect = true} : (tensor<2xbf16>, tensor<2xbf16>) -> ()
    return
  }
}

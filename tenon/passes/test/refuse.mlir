// RUN: not %opt %s --tenon-decompose 2>&1 | %check %s
// CHECK: refuse.mlir:5:10: error: infeed is not supported: pass the data as an argument
func.func @main() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

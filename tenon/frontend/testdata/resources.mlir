// artifact versions:
func.func @resources() -> (tensor<2xf32>, tensor<3xi1>) {
  %0 = stablehlo.constant dense_resource<floats> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<flags> : tensor<3xi1>
  return %0, %1 : tensor<2xf32>, tensor<3xi1>
}
{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F00000040",
      flags: "0x01000000010001"
    }
  }
#-}

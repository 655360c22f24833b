// artifact versions:
// An array of which devices have summands.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

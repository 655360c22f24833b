// An array of which devices have what its maximum is of. The binary program is made of that of unreduced.mlir.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

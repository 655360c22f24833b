// Products that do not depend on each other, of arguments and of what is in the arena, and a sum of all.
func.func @main(%x: tensor<48x80xf32>, %w0: tensor<80x80xf32>, %w1: tensor<80x80xf32>, %w2: tensor<80x80xf32>, %w3: tensor<80x80xf32>) -> (tensor<48x80xf32>, tensor<48x80xf32>) {
  %h0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %h1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %h2 = stablehlo.dot_general %x, %w2, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %h3 = stablehlo.dot_general %x, %w3, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %t0 = stablehlo.tanh %h0 : tensor<48x80xf32>
  %t1 = stablehlo.tanh %h1 : tensor<48x80xf32>
  %t2 = stablehlo.tanh %h2 : tensor<48x80xf32>
  %t3 = stablehlo.tanh %h3 : tensor<48x80xf32>
  %g0 = stablehlo.dot_general %t0, %w1, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %g1 = stablehlo.dot_general %t1, %w2, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %g2 = stablehlo.dot_general %t2, %w3, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %g3 = stablehlo.dot_general %t3, %w0, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %k0 = stablehlo.dot_general %t1, %w0, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %k1 = stablehlo.dot_general %t2, %w1, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %k2 = stablehlo.dot_general %t3, %w2, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %k3 = stablehlo.dot_general %t0, %w3, contracting_dims = [1] x [0] : (tensor<48x80xf32>, tensor<80x80xf32>) -> tensor<48x80xf32>
  %s0 = stablehlo.add %g0, %k0 : tensor<48x80xf32>
  %m1 = stablehlo.multiply %g1, %k1 : tensor<48x80xf32>
  %s1 = stablehlo.add %s0, %m1 : tensor<48x80xf32>
  %m2 = stablehlo.multiply %g2, %k2 : tensor<48x80xf32>
  %s2 = stablehlo.add %s1, %m2 : tensor<48x80xf32>
  %m3 = stablehlo.multiply %g3, %k3 : tensor<48x80xf32>
  %s3 = stablehlo.add %s2, %m3 : tensor<48x80xf32>
  return %s3, %g1 : tensor<48x80xf32>, tensor<48x80xf32>
}

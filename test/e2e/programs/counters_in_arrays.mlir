// Loops that count in arrays of two integers, of every width and sign, up to a limit from outside, and wrap around.
module {
  func.func @main(%limit: tensor<i32>) -> (tensor<2xi8>, tensor<2xui8>, tensor<2xi16>, tensor<2xui32>, tensor<2xi64>, tensor<2xui64>) {
    %mask = stablehlo.constant dense<15> : tensor<i32>
    %trips = stablehlo.and %limit, %mask : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<1xi32>
    %a = stablehlo.constant dense<[120, -3]> : tensor<2xi8>
    %b = stablehlo.constant dense<[250, 7]> : tensor<2xui8>
    %c = stablehlo.constant dense<[32760, -32768]> : tensor<2xi16>
    %d = stablehlo.constant dense<[4294967290, 1]> : tensor<2xui32>
    %e = stablehlo.constant dense<[9223372036854775800, -1]> : tensor<2xi64>
    %f = stablehlo.constant dense<[18446744073709551610, 3]> : tensor<2xui64>
    %0:7 = stablehlo.while(%i = %zero, %a0 = %a, %b0 = %b, %c0 = %c, %d0 = %d, %e0 = %e, %f0 = %f)
        : tensor<1xi32>, tensor<2xi8>, tensor<2xui8>, tensor<2xi16>, tensor<2xui32>, tensor<2xi64>, tensor<2xui64>
    cond {
      %count = stablehlo.reshape %i : (tensor<1xi32>) -> tensor<i32>
      %p = stablehlo.compare LT, %count, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %next = stablehlo.add %i, %one : tensor<1xi32>
      %a1 = stablehlo.constant dense<[1, -2]> : tensor<2xi8>
      %a2 = stablehlo.add %a0, %a1 : tensor<2xi8>
      %b1 = stablehlo.reverse %b0, dims = [0] : tensor<2xui8>
      %b2 = stablehlo.multiply %b0, %b1 : tensor<2xui8>
      %c1 = stablehlo.convert %a2 : (tensor<2xi8>) -> tensor<2xi16>
      %c2 = stablehlo.subtract %c0, %c1 : tensor<2xi16>
      %d1 = stablehlo.constant dense<[3, 5]> : tensor<2xui32>
      %d2 = stablehlo.divide %d0, %d1 : tensor<2xui32>
      %d3 = stablehlo.subtract %d1, %d2 : tensor<2xui32>
      %e1 = stablehlo.constant dense<[7, -7]> : tensor<2xi64>
      %e2 = stablehlo.add %e0, %e1 : tensor<2xi64>
      %e3 = stablehlo.remainder %e2, %e1 : tensor<2xi64>
      %e4 = stablehlo.subtract %e2, %e3 : tensor<2xi64>
      %f1 = stablehlo.slice %f0 [1:2] : (tensor<2xui64>) -> tensor<1xui64>
      %f2 = stablehlo.slice %f0 [0:1] : (tensor<2xui64>) -> tensor<1xui64>
      %f3 = stablehlo.add %f1, %f2 : tensor<1xui64>
      %f4 = stablehlo.concatenate %f3, %f2, dim = 0 : (tensor<1xui64>, tensor<1xui64>) -> tensor<2xui64>
      stablehlo.return %next, %a2, %b2, %c2, %d3, %e4, %f4
          : tensor<1xi32>, tensor<2xi8>, tensor<2xui8>, tensor<2xi16>, tensor<2xui32>, tensor<2xi64>, tensor<2xui64>
    }
    return %0#1, %0#2, %0#3, %0#4, %0#5, %0#6
        : tensor<2xi8>, tensor<2xui8>, tensor<2xi16>, tensor<2xui32>, tensor<2xi64>, tensor<2xui64>
  }
}

// rng numbers its draws by how many ran before: in the body and the condition of a loop, and in one of two branches.
module @stateful_rng {
  func.func @main(%a: tensor<f32>, %n: tensor<i32>)
      -> (tensor<5xf32>, tensor<3x3xf32>, tensor<4x2xi32>, tensor<7xui8>, tensor<9xbf16>, tensor<6xf64>, tensor<3xi1>,
          tensor<f16>, tensor<0x2xf32>, tensor<8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %s5 = stablehlo.constant dense<5> : tensor<1xi64>
    %0 = stablehlo.rng %a, %one, %s5, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<5xf32>
    %s3 = stablehlo.constant dense<3> : tensor<2xi64>
    %1 = stablehlo.rng %a, %one, %s3, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>

    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %low = stablehlo.constant dense<-5> : tensor<i32>
    %high = stablehlo.constant dense<1000> : tensor<i32>
    %s42 = stablehlo.constant dense<[4, 2]> : tensor<2xi64>
    %start = stablehlo.constant dense<0> : tensor<4x2xi32>
    %loop:2 = stablehlo.while(%i = %i0, %sum = %start) : tensor<i32>, tensor<4x2xi32>
    cond {
      %s0 = stablehlo.constant dense<> : tensor<0xi64>
      %step = stablehlo.rng %zero, %one, %s0, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
      %limit = stablehlo.constant dense<0.9> : tensor<f32>
      %go = stablehlo.compare LT, %step, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c9 = stablehlo.constant dense<9> : tensor<i32>
      %few = stablehlo.compare LT, %i, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %both = stablehlo.and %go, %few : tensor<i1>
      stablehlo.return %both : tensor<i1>
    } do {
      %odd = stablehlo.constant dense<2> : tensor<i32>
      %half = stablehlo.remainder %i, %odd : tensor<i32>
      %drawn = "stablehlo.case"(%half) ({
        %x = stablehlo.rng %low, %high, %s42, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<4x2xi32>
        %y = stablehlo.rng %low, %i0, %s42, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<4x2xi32>
        %xy = stablehlo.multiply %x, %y : tensor<4x2xi32>
        stablehlo.return %xy : tensor<4x2xi32>
      }, {
        stablehlo.return %start : tensor<4x2xi32>
      }) : (tensor<i32>) -> tensor<4x2xi32>
      %three = stablehlo.constant dense<3> : tensor<4x2xi32>
      %scaled = stablehlo.multiply %sum, %three : tensor<4x2xi32>
      %next = stablehlo.add %scaled, %drawn : tensor<4x2xi32>
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<4x2xi32>
    }

    %u0 = stablehlo.constant dense<250> : tensor<ui8>
    %u1 = stablehlo.constant dense<255> : tensor<ui8>
    %s7 = stablehlo.constant dense<7> : tensor<1xi64>
    %2 = stablehlo.rng %u0, %u1, %s7, distribution = UNIFORM : (tensor<ui8>, tensor<ui8>, tensor<1xi64>) -> tensor<7xui8>
    // Rounding to bf16 would often give the excluded end.
    %b0 = stablehlo.constant dense<1.0> : tensor<bf16>
    %b1 = stablehlo.constant dense<1.0078125> : tensor<bf16>
    %s9 = stablehlo.constant dense<9> : tensor<1xi64>
    %3 = stablehlo.rng %b0, %b1, %s9, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<9xbf16>
    %d0 = stablehlo.constant dense<-1.0e3> : tensor<f64>
    %d1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %s6 = stablehlo.constant dense<6> : tensor<1xi64>
    %4 = stablehlo.rng %d0, %d1, %s6, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<6xf64>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %s3v = stablehlo.constant dense<3> : tensor<1xi64>
    %5 = stablehlo.rng %false, %true, %s3v, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<3xi1>
    %h0 = stablehlo.constant dense<-2.0> : tensor<f16>
    %h1 = stablehlo.constant dense<-3.0> : tensor<f16>
    %s0 = stablehlo.constant dense<> : tensor<0xi64>
    %6 = stablehlo.rng %h0, %h1, %s0, distribution = NORMAL : (tensor<f16>, tensor<f16>, tensor<0xi64>) -> tensor<f16>
    %s02 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
    %7 = stablehlo.rng %zero, %one, %s02, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<0x2xf32>
    %s8 = stablehlo.constant dense<8> : tensor<1xi64>
    %8 = stablehlo.rng %zero, %one, %s8, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
    return %0, %1, %loop#1, %2, %3, %4, %5, %6, %7, %8 : tensor<5xf32>, tensor<3x3xf32>, tensor<4x2xi32>, tensor<7xui8>,
        tensor<9xbf16>, tensor<6xf64>, tensor<3xi1>, tensor<f16>, tensor<0x2xf32>, tensor<8xf32>
  }
}

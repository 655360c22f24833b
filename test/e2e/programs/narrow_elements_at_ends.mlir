// Elements of fewer than 32 bits beside the ends of their array and of its rows, where masks of loads are lane by lane on
// some chips: windows that reach over either end, and a part of two joined arrays.
func.func @main(%x0_0: tensor<33xi1>, %x0_1: tensor<40xi1>, %x0_2: tensor<64xi1>, %x0_3: tensor<7x70xi1>, %x0_4: tensor<2x32xi1>, %x0_5: tensor<16xi1>, %x1_0: tensor<33xui8>, %x1_1: tensor<40xui8>, %x1_2: tensor<64xui8>, %x1_3: tensor<7x70xui8>, %x1_4: tensor<2x32xui8>, %x1_5: tensor<16xui8>, %x2_0: tensor<33xbf16>, %x2_1: tensor<40xbf16>, %x2_2: tensor<64xbf16>, %x2_3: tensor<7x70xbf16>, %x2_4: tensor<2x32xbf16>, %x2_5: tensor<16xbf16>, %x3_0: tensor<33xf16>, %x3_1: tensor<40xf16>, %x3_2: tensor<64xf16>, %x3_3: tensor<7x70xf16>, %x3_4: tensor<2x32xf16>, %x3_5: tensor<16xf16>, %x4_0: tensor<33xi16>, %x4_1: tensor<40xi16>, %x4_2: tensor<64xi16>, %x4_3: tensor<7x70xi16>, %x4_4: tensor<2x32xi16>, %x4_5: tensor<16xi16>, %at: tensor<i32>, %u0: tensor<100xi1>, %v0: tensor<50xi1>, %u1: tensor<100xui8>, %v1: tensor<50xui8>, %u2: tensor<100xbf16>, %v2: tensor<50xbf16>, %u3: tensor<100xf16>, %v3: tensor<50xf16>, %u4: tensor<100xi16>, %v4: tensor<50xi16>) -> (tensor<33xi1>, tensor<40xi1>, tensor<64xi1>, tensor<7x70xi1>, tensor<2x32xi1>, tensor<16xi1>, tensor<33xui8>, tensor<40xui8>, tensor<64xui8>, tensor<7x70xui8>, tensor<2x32xui8>, tensor<16xui8>, tensor<33xbf16>, tensor<40xbf16>, tensor<64xbf16>, tensor<7x70xbf16>, tensor<2x32xbf16>, tensor<16xbf16>, tensor<33xf16>, tensor<40xf16>, tensor<64xf16>, tensor<7x70xf16>, tensor<2x32xf16>, tensor<16xf16>, tensor<33xi16>, tensor<40xi16>, tensor<64xi16>, tensor<7x70xi16>, tensor<2x32xi16>, tensor<16xi16>, tensor<70xi1>, tensor<70xui8>, tensor<70xbf16>, tensor<70xf16>, tensor<70xi16>) {
  %z0 = stablehlo.constant dense<false> : tensor<i1>
  %r0_0 = "stablehlo.reduce_window"(%x0_0, %z0) <{window_dimensions = array<i64: 5>, padding = dense<[[2, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.or %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<33xi1>, tensor<i1>) -> tensor<33xi1>
  %r0_1 = "stablehlo.reduce_window"(%x0_1, %z0) <{window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.or %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<40xi1>, tensor<i1>) -> tensor<40xi1>
  %r0_2 = "stablehlo.reduce_window"(%x0_2, %z0) <{window_dimensions = array<i64: 9>, padding = dense<[[4, 4]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.or %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<64xi1>, tensor<i1>) -> tensor<64xi1>
  %r0_3 = "stablehlo.reduce_window"(%x0_3, %z0) <{window_dimensions = array<i64: 3, 3>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.or %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<7x70xi1>, tensor<i1>) -> tensor<7x70xi1>
  %r0_4 = "stablehlo.reduce_window"(%x0_4, %z0) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.or %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x32xi1>, tensor<i1>) -> tensor<2x32xi1>
  %r0_5 = "stablehlo.reduce_window"(%x0_5, %z0) <{window_dimensions = array<i64: 31>, padding = dense<[[15, 15]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.or %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<16xi1>, tensor<i1>) -> tensor<16xi1>
  %z1 = stablehlo.constant dense<0> : tensor<ui8>
  %r1_0 = "stablehlo.reduce_window"(%x1_0, %z1) <{window_dimensions = array<i64: 5>, padding = dense<[[2, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    %s = stablehlo.maximum %p, %q : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<33xui8>, tensor<ui8>) -> tensor<33xui8>
  %r1_1 = "stablehlo.reduce_window"(%x1_1, %z1) <{window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    %s = stablehlo.maximum %p, %q : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<40xui8>, tensor<ui8>) -> tensor<40xui8>
  %r1_2 = "stablehlo.reduce_window"(%x1_2, %z1) <{window_dimensions = array<i64: 9>, padding = dense<[[4, 4]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    %s = stablehlo.maximum %p, %q : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<64xui8>, tensor<ui8>) -> tensor<64xui8>
  %r1_3 = "stablehlo.reduce_window"(%x1_3, %z1) <{window_dimensions = array<i64: 3, 3>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    %s = stablehlo.maximum %p, %q : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<7x70xui8>, tensor<ui8>) -> tensor<7x70xui8>
  %r1_4 = "stablehlo.reduce_window"(%x1_4, %z1) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    %s = stablehlo.maximum %p, %q : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<2x32xui8>, tensor<ui8>) -> tensor<2x32xui8>
  %r1_5 = "stablehlo.reduce_window"(%x1_5, %z1) <{window_dimensions = array<i64: 31>, padding = dense<[[15, 15]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    %s = stablehlo.maximum %p, %q : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<16xui8>, tensor<ui8>) -> tensor<16xui8>
  %z2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %r2_0 = "stablehlo.reduce_window"(%x2_0, %z2) <{window_dimensions = array<i64: 5>, padding = dense<[[2, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.maximum %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<33xbf16>, tensor<bf16>) -> tensor<33xbf16>
  %r2_1 = "stablehlo.reduce_window"(%x2_1, %z2) <{window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.maximum %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<40xbf16>, tensor<bf16>) -> tensor<40xbf16>
  %r2_2 = "stablehlo.reduce_window"(%x2_2, %z2) <{window_dimensions = array<i64: 9>, padding = dense<[[4, 4]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.maximum %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<64xbf16>, tensor<bf16>) -> tensor<64xbf16>
  %r2_3 = "stablehlo.reduce_window"(%x2_3, %z2) <{window_dimensions = array<i64: 3, 3>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.maximum %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<7x70xbf16>, tensor<bf16>) -> tensor<7x70xbf16>
  %r2_4 = "stablehlo.reduce_window"(%x2_4, %z2) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.maximum %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<2x32xbf16>, tensor<bf16>) -> tensor<2x32xbf16>
  %r2_5 = "stablehlo.reduce_window"(%x2_5, %z2) <{window_dimensions = array<i64: 31>, padding = dense<[[15, 15]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.maximum %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<16xbf16>, tensor<bf16>) -> tensor<16xbf16>
  %z3 = stablehlo.constant dense<0x7C00> : tensor<f16>
  %r3_0 = "stablehlo.reduce_window"(%x3_0, %z3) <{window_dimensions = array<i64: 5>, padding = dense<[[2, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %s = stablehlo.minimum %p, %q : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<33xf16>, tensor<f16>) -> tensor<33xf16>
  %r3_1 = "stablehlo.reduce_window"(%x3_1, %z3) <{window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %s = stablehlo.minimum %p, %q : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<40xf16>, tensor<f16>) -> tensor<40xf16>
  %r3_2 = "stablehlo.reduce_window"(%x3_2, %z3) <{window_dimensions = array<i64: 9>, padding = dense<[[4, 4]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %s = stablehlo.minimum %p, %q : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<64xf16>, tensor<f16>) -> tensor<64xf16>
  %r3_3 = "stablehlo.reduce_window"(%x3_3, %z3) <{window_dimensions = array<i64: 3, 3>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %s = stablehlo.minimum %p, %q : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<7x70xf16>, tensor<f16>) -> tensor<7x70xf16>
  %r3_4 = "stablehlo.reduce_window"(%x3_4, %z3) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %s = stablehlo.minimum %p, %q : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<2x32xf16>, tensor<f16>) -> tensor<2x32xf16>
  %r3_5 = "stablehlo.reduce_window"(%x3_5, %z3) <{window_dimensions = array<i64: 31>, padding = dense<[[15, 15]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %s = stablehlo.minimum %p, %q : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<16xf16>, tensor<f16>) -> tensor<16xf16>
  %z4 = stablehlo.constant dense<0> : tensor<i16>
  %r4_0 = "stablehlo.reduce_window"(%x4_0, %z4) <{window_dimensions = array<i64: 5>, padding = dense<[[2, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    %s = stablehlo.add %p, %q : tensor<i16>
    stablehlo.return %s : tensor<i16>
  }) : (tensor<33xi16>, tensor<i16>) -> tensor<33xi16>
  %r4_1 = "stablehlo.reduce_window"(%x4_1, %z4) <{window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    %s = stablehlo.add %p, %q : tensor<i16>
    stablehlo.return %s : tensor<i16>
  }) : (tensor<40xi16>, tensor<i16>) -> tensor<40xi16>
  %r4_2 = "stablehlo.reduce_window"(%x4_2, %z4) <{window_dimensions = array<i64: 9>, padding = dense<[[4, 4]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    %s = stablehlo.add %p, %q : tensor<i16>
    stablehlo.return %s : tensor<i16>
  }) : (tensor<64xi16>, tensor<i16>) -> tensor<64xi16>
  %r4_3 = "stablehlo.reduce_window"(%x4_3, %z4) <{window_dimensions = array<i64: 3, 3>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    %s = stablehlo.add %p, %q : tensor<i16>
    stablehlo.return %s : tensor<i16>
  }) : (tensor<7x70xi16>, tensor<i16>) -> tensor<7x70xi16>
  %r4_4 = "stablehlo.reduce_window"(%x4_4, %z4) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    %s = stablehlo.add %p, %q : tensor<i16>
    stablehlo.return %s : tensor<i16>
  }) : (tensor<2x32xi16>, tensor<i16>) -> tensor<2x32xi16>
  %r4_5 = "stablehlo.reduce_window"(%x4_5, %z4) <{window_dimensions = array<i64: 31>, padding = dense<[[15, 15]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    %s = stablehlo.add %p, %q : tensor<i16>
    stablehlo.return %s : tensor<i16>
  }) : (tensor<16xi16>, tensor<i16>) -> tensor<16xi16>
  %j0 = stablehlo.concatenate %u0, %v0, dim = 0 : (tensor<100xi1>, tensor<50xi1>) -> tensor<150xi1>
  %d0 = stablehlo.dynamic_slice %j0, %at, sizes = [70] : (tensor<150xi1>, tensor<i32>) -> tensor<70xi1>
  %j1 = stablehlo.concatenate %u1, %v1, dim = 0 : (tensor<100xui8>, tensor<50xui8>) -> tensor<150xui8>
  %d1 = stablehlo.dynamic_slice %j1, %at, sizes = [70] : (tensor<150xui8>, tensor<i32>) -> tensor<70xui8>
  %j2 = stablehlo.concatenate %u2, %v2, dim = 0 : (tensor<100xbf16>, tensor<50xbf16>) -> tensor<150xbf16>
  %d2 = stablehlo.dynamic_slice %j2, %at, sizes = [70] : (tensor<150xbf16>, tensor<i32>) -> tensor<70xbf16>
  %j3 = stablehlo.concatenate %u3, %v3, dim = 0 : (tensor<100xf16>, tensor<50xf16>) -> tensor<150xf16>
  %d3 = stablehlo.dynamic_slice %j3, %at, sizes = [70] : (tensor<150xf16>, tensor<i32>) -> tensor<70xf16>
  %j4 = stablehlo.concatenate %u4, %v4, dim = 0 : (tensor<100xi16>, tensor<50xi16>) -> tensor<150xi16>
  %d4 = stablehlo.dynamic_slice %j4, %at, sizes = [70] : (tensor<150xi16>, tensor<i32>) -> tensor<70xi16>
  return %r0_0, %r0_1, %r0_2, %r0_3, %r0_4, %r0_5, %r1_0, %r1_1, %r1_2, %r1_3, %r1_4, %r1_5, %r2_0, %r2_1, %r2_2, %r2_3, %r2_4, %r2_5, %r3_0, %r3_1, %r3_2, %r3_3, %r3_4, %r3_5, %r4_0, %r4_1, %r4_2, %r4_3, %r4_4, %r4_5, %d0, %d1, %d2, %d3, %d4 : tensor<33xi1>, tensor<40xi1>, tensor<64xi1>, tensor<7x70xi1>, tensor<2x32xi1>, tensor<16xi1>, tensor<33xui8>, tensor<40xui8>, tensor<64xui8>, tensor<7x70xui8>, tensor<2x32xui8>, tensor<16xui8>, tensor<33xbf16>, tensor<40xbf16>, tensor<64xbf16>, tensor<7x70xbf16>, tensor<2x32xbf16>, tensor<16xbf16>, tensor<33xf16>, tensor<40xf16>, tensor<64xf16>, tensor<7x70xf16>, tensor<2x32xf16>, tensor<16xf16>, tensor<33xi16>, tensor<40xi16>, tensor<64xi16>, tensor<7x70xi16>, tensor<2x32xi16>, tensor<16xi16>, tensor<70xi1>, tensor<70xui8>, tensor<70xbf16>, tensor<70xf16>, tensor<70xi16>
}

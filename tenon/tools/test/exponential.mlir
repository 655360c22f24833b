// The power of two of an exponential is multiplied in as two factors, the second by a multiply-add of zero where the chip
// has one: a multiplication whose product is subnormal takes AMD's processors several times as long. AVX-512 scales in one
// instruction; without fused instructions both are multiplications; and where a product may be -0 it keeps its sign.
// RUN: %tenon compile %s --entry exponential --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=FUSED
// RUN: %tenon compile %s --entry exponential --cpu x86-64-v4 --dump-after llvm | %check %s --check-prefix=SCALED
// RUN: %tenon compile %s --entry exponential --cpu x86-64-v2 --dump-after llvm | %check %s --check-prefix=PRODUCTS
// RUN: %tenon compile %s --entry exponential_minus_one --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=SIGNED

// FUSED: define void @loop_exponential
// FUSED: %[[NEAR:[0-9]+]] = fmul <32 x float>
// FUSED-NOT: fmul
// FUSED: call <32 x float> @llvm.fma.v32f32(<32 x float> %[[NEAR]], <32 x float> %{{[0-9]+}}, <32 x float> zeroinitializer)
// SCALED: define void @loop_exponential
// SCALED-NOT: fmul
// SCALED: scalef
// PRODUCTS: define void @loop_exponential
// PRODUCTS-NOT: @llvm.fma{{.*}}zeroinitializer
// PRODUCTS: ret void
func.func @exponential(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.exponential %x : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// SIGNED: define void @loop_exponential
// SIGNED-NOT: @llvm.fma{{.*}}zeroinitializer)
// SIGNED: ret void
func.func @exponential_minus_one(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.exponential_minus_one %x : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

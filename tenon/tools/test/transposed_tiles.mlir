// Blocks of a transposed read are turned around in registers: within 128 bits by unpacking, which needs no table of
// lanes, then by moving halves of 128 bits. LLVM is kept from merging chains of four shuffles.
// RUN: %tenon compile %s --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=V3
// V3: shufflevector <8 x i32> {{.*}} <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
// V3: shufflevector <8 x i32> {{.*}} <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
// V3: shufflevector <8 x i32> {{.*}} <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
// V3-NOT: asm

// RUN: %tenon compile %s --cpu x86-64-v4 --dump-after llvm | %check %s --check-prefix=V4
// V4: call <16 x i32> asm "", "=v,0"
func.func @main(%x: tensor<512x256xf32>) -> tensor<256x512xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

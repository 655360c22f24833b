// An extremum of bf16 is one of the elements, so it is not rounded to their type.
// RUN: %tenon compile %s --entry columns --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=COLUMNS
// COLUMNS: @llvm.umin.v{{.*}}i16
// COLUMNS-NOT: 32767
// COLUMNS: define i32 @tenon_entry
func.func @columns(%x: tensor<12x1500xbf16>) -> tensor<1500xbf16> {
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<12x1500xbf16>, tensor<bf16>) -> tensor<1500xbf16>
  return %0 : tensor<1500xbf16>
}

// Sums are.
// RUN: %tenon compile %s --entry sums --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=SUMS
// SUMS: splat (i32 32767)
func.func @sums(%x: tensor<12x1500xbf16>) -> tensor<1500xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12x1500xbf16>, tensor<bf16>) -> tensor<1500xbf16>
  return %0 : tensor<1500xbf16>
}

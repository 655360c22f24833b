// What a comment expects is of interest to --verify-diagnostics alone.
// RUN: %tenon opt %s 2>&1 | %check %s
// RUN: not %tenon opt %s --verify-diagnostics 2>&1 | %check %s --check-prefix=VERIFIED
// CHECK-NOT: was not produced
// VERIFIED: expected error "nothing" was not produced

// Booleans of a byte each are read, and a list is written.
// CHECK: dense<[true, false, true, true]> : tensor<4xi1>
func.func @main() -> tensor<4xi1> {
  // expected-error@+1 {{nothing}}
  %0 = stablehlo.constant dense<"0x01000101"> : tensor<4xi1>
  return %0 : tensor<4xi1>
}

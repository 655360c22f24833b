// In a program that computes whole arrays, a callback on the parts of devices is called for each device.
// RUN: %opt %s --split-input-file --verify-diagnostics --tenon-import-shardings --tenon-inline | %check %s

// CHECK-LABEL: func.func @main
// CHECK: %[[X0:.*]] = stablehlo.slice %[[X:.*]] [0:4, 0:2]
// CHECK: custom_call @xla_ffi_partitioned_python_cpu_callback(%[[X0]], %{{.*}})
// CHECK: %[[X1:.*]] = stablehlo.slice %[[X]] [4:8, 0:2]
// CHECK: custom_call @xla_ffi_partitioned_python_cpu_callback(%[[X1]], %{{.*}})
// CHECK: stablehlo.slice %{{.*}} [0:4, 2:4]
// CHECK: stablehlo.slice %{{.*}} [4:8, 2:4]
// CHECK: stablehlo.while
// CHECK-COUNT-4: custom_call @xla_ffi_partitioned_python_cpu_callback({{.*}}) {{.*}} : (tensor<i32>, tensor<8xf32>)
// CHECK: custom_call @xla_ffi_python_cpu_callback
// CHECK-NOT: custom_call
module attributes {mhlo.num_partitions = 4 : i32, tenon.unpartitioned} {
  sdy.mesh @mesh = <["y"=2, "x"=2], device_ids=[0, 1, 2, 3]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %s: tensor<3xf32>) {
    stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%x, %s) {has_side_effect = true} : (tensor<8x4xf32>, tensor<3xf32>) -> ()
    %flat = stablehlo.slice %x [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %r = sdy.sharding_constraint %flat <@mesh, [{"x", "y"}, {}]> : tensor<8x2xf32>
    %long = stablehlo.reshape %r : (tensor<8x2xf32>) -> tensor<16xf32>
    %whole = sdy.sharding_constraint %long <@mesh, [{"x":(1)2}]> : tensor<16xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %end:2 = stablehlo.while(%i = %zero, %c = %whole) : tensor<i32>, tensor<16xf32>
    cond {
      %less = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%i, %c) {has_side_effect = true} : (tensor<i32>, tensor<16xf32>) -> ()
      %next = stablehlo.add %i, %three : tensor<i32>
      stablehlo.return %next, %c : tensor<i32>, tensor<16xf32>
    }
    stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {has_side_effect = true} : (tensor<8x4xf32>) -> ()
    return
  }
}

// -----

// In XLA's notation, too.
// CHECK-LABEL: func.func @main
// CHECK: %[[X0:.*]] = stablehlo.slice %{{.*}} [0:4]
// CHECK: custom_call @xla_ffi_partitioned_python_cpu_callback(%[[X0]])
// CHECK: %[[X1:.*]] = stablehlo.slice %{{.*}} [4:8]
// CHECK: custom_call @xla_ffi_partitioned_python_cpu_callback(%[[X1]])
module attributes {mhlo.num_partitions = 2 : i32, tenon.unpartitioned} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%x) {has_side_effect = true} : (tensor<8xf32>) -> ()
    return
  }
}

// -----

// A process of a grid has its own part.
// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>)
// CHECK-NEXT: custom_call @xla_ffi_partitioned_python_cpu_callback(%arg0)
// CHECK-NEXT: return
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) {
    stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
    return
  }
}

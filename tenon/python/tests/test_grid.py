"""Programs for several processes, as JAX hands them over: each device runs one."""

import jax
import numpy as np
import pytest
from jax._src import compiler
from jax._src.lib import xla_client


def run(program, replicas, partitions, arguments):
    devices = jax.devices()[: replicas * partitions]
    places = np.array([device.id for device in devices]).reshape(replicas, partitions)
    options = compiler.get_compile_options(replicas, partitions, device_assignment=places)
    options.executable_build_options.use_spmd_partitioning = False
    options.parameter_is_tupled_arguments = False
    executable = devices[0].client.compile_and_load(program.encode(), xla_client.DeviceList(tuple(devices)), options)
    parts = [jax.device_put(argument, device) for argument, device in zip(arguments, devices)]
    mesh = jax.sharding.Mesh(np.array(devices), ("process",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("process"))
    whole = jax.make_array_from_single_device_arrays((len(devices) * len(parts[0]),), sharding, parts)
    results = executable.execute_sharded([whole]).disassemble_into_single_device_arrays()
    return [[np.asarray(part).tolist() for part in parts] for parts in results]


ADD = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })"""


def test_replicas_and_partitions():
    program = f"""func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {{
      %0 = "stablehlo.all_reduce"(%x) {ADD} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
          : (tensor<2xf32>) -> tensor<2xf32>
      %1 = stablehlo.replica_id : tensor<ui32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %ten = stablehlo.constant dense<10> : tensor<ui32>
      %3 = stablehlo.multiply %1, %ten : tensor<ui32>
      %4 = stablehlo.add %3, %2 : tensor<ui32>
      return %0, %4 : tensor<2xf32>, tensor<ui32>
    }}"""
    sums, places = run(program, 2, 2, np.arange(8, dtype=np.float32).reshape(4, 2))
    assert sums == [[4, 6], [8, 10], [4, 6], [8, 10]]
    assert places == [0, 1, 10, 11]


def test_many_runs():
    program = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = "stablehlo.all_reduce"(%x) {ADD} {{replica_groups = dense<[[3, 1, 2, 0]]> : tensor<1x4xi64>}}
          : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    for turn in range(20):
        assert run(program, 4, 1, np.full((4, 2), turn, np.float32)) == [[[4 * turn, 4 * turn]] * 4]


def test_a_failure_ends_all():
    program = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
      stablehlo.custom_call @check.expect_eq(%x, %zero) {{has_side_effect = true}} : (tensor<2xf32>, tensor<2xf32>) -> ()
      %0 = "stablehlo.all_reduce"(%x) {ADD} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
          : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    with pytest.raises(jax.errors.JaxRuntimeError, match="failed: |check.expect_eq"):
        run(program, 2, 1, np.array([[0, 0], [0, 1]], np.float32))


def test_groups_that_do_not_fit():
    program = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = "stablehlo.all_reduce"(%x) {ADD} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
          : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    with pytest.raises(jax.errors.JaxRuntimeError, match="replica_groups must have 4 ids in this module, got 2"):
        run(program, 4, 1, np.zeros((4, 2), np.float32))

"""Programs that MPI starts (docs/processes.md)."""

import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

SHIM = pathlib.Path(__file__).resolve().parents[2] / "runtime" / "control" / "tenon_mpi.c"

PROGRAM = """
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((6,), ("d",), axis_types=(AxisType.Auto,))
values = np.arange(600000, dtype=np.float32)
x = jax.make_array_from_callback(values.shape, NamedSharding(mesh, PartitionSpec("d")), lambda i: values[i])
total, rolled = jax.jit(lambda x: (x.sum(), jnp.roll(x, 250000)))(x)
expected = np.roll(values, 250000)
is_right = all((np.asarray(shard.data) == expected[shard.index]).all() for shard in rolled.addressable_shards)
gathered = multihost_utils.process_allgather(np.array([jax.process_index()]))
# One write each, which launchers keep whole.
print("\\n" + " ".join(map(str, (jax.process_index(), jax.process_count(), len(jax.local_devices()), float(total), is_right,
                               gathered.ravel().tolist()))) + "\\n", end="", flush=True)
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        pytest.skip("there is no MPI with its compiler (mpicc, mpirun)")
    library = tmp_path_factory.mktemp("mpi") / "tenon_mpi.so"
    subprocess.run(["mpicc", "-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-o", library, SHIM], check=True)
    return library


def launch(program, environment, shim, count=3, shares_memory="0"):
    # As root in containers, and with more processes than processors, Open MPI starts only if it is told to.
    environment = dict(
        environment,
        TENON_MPI_SHIM=str(shim),
        TENON_SHARED_MEMORY=shares_memory,
        TENON_NUM_DEVICES="2",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_hwloc_base_binding_policy="none",
        OMPI_MCA_mpi_yield_when_idle="1",
    )
    command = ["mpirun", "-n", str(count), sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("shares_memory", "01")
def test_mpirun_starts_a_job_of_several_processes(shares_memory, shim, subprocess_environment):
    result = launch(PROGRAM, subprocess_environment, shim, shares_memory=shares_memory)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = sorted(filter(None, result.stdout.splitlines()))
    total = 179999700000.0
    assert [line.split()[:3] + line.split()[4:] for line in lines] == [
        f"{process} 3 2 True [0, 1, 2]".split() for process in range(3)
    ], result.stdout
    assert all(abs(float(line.split()[3]) / total - 1) < 1e-6 for line in lines)
    assert len({line.split()[3] for line in lines}) == 1


def test_who_counts_otherwise_than_mpi_is_told(shim, subprocess_environment):
    environment = dict(
        subprocess_environment,
        TENON_COORDINATOR="127.0.0.1:1",
        TENON_JOB_TOKEN="0123456789abcdef",
        TENON_PROCESS="0",
        TENON_PROCESSES="5",
    )
    result = launch("import jax; jax.devices()", environment, shim, count=1)
    assert result.returncode != 0
    assert "this is process 0 of 5, but MPI started it as 0 of 1" in result.stderr + result.stdout

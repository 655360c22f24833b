"""What users of other partitioners complain of is better here (docs/partitioning.md lists the complaints, each with its
test). One process runs all cases, cut for 8 devices; it says of each how far its numbers are from NumPy's, and the report
of the partitioner has what a device received."""

import json
import math
import pathlib
import re
import subprocess
import sys

import pytest

PROGRAM = """
import contextlib

import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard

devices = np.array(jax.devices()).reshape(2, 4)
mesh = jax.sharding.Mesh(devices, ("x", "y"))
explicit = jax.sharding.Mesh(devices, ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
random = np.random.default_rng(0)
spmd = {"partition": "required"}


def array(shape, *spec, over=mesh, dtype=np.float32):
    values = random.integers(-8, 9, shape).astype(dtype)
    return jax.device_put(values, NamedSharding(over, P(*spec)))


def check(function, expected, *arguments, name=None, over=None):
    name = name or function.__name__
    function.__name__ = name
    with jax.set_mesh(over) if over else contextlib.nullcontext():
        results = jax.jit(function, compiler_options=spmd)(*arguments)
    wanted = expected if isinstance(expected, (tuple, list)) else [expected]
    worst = max(np.abs(np.asarray(a) - b).max() for a, b in zip(jax.tree.leaves(results), wanted, strict=True))
    print(f"result {name} {float(worst)}")


# --- Sums ---
a, b = array((16, 8), None, "x", over=explicit), array((8, 32), "x", None, over=explicit)
product = np.asarray(a) @ np.asarray(b)
for name, spec in [("unreduced_to_other_axis", P("y", None)), ("unreduced_to_own_axis", P("x", None)),
                   ("unreduced_to_both_axes", P(("y", "x"), None)), ("unreduced_to_two_dimensions", P("y", "x"))]:
    def unreduced(a, b, spec=spec):
        parts = jnp.einsum("ab,bc->ac", a, b, out_sharding=P(None, None, unreduced={"x"}))
        return reshard(parts, spec)
    check(unreduced, product, a, b, name=name, over=explicit)

table, indices, up = array((32, 8), "y"), array((24,), "x", dtype=np.int32), array((24, 8), "x")
indices = jax.device_put(np.abs(np.asarray(indices)) * 3, indices.sharding)
gradient = np.zeros((32, 8), np.float32)
np.add.at(gradient, np.asarray(indices), np.asarray(up))


def scatter_add_backward(table, indices, up):
    return jax.grad(lambda table: (table[indices] * up).sum())(table)


check(scatter_add_backward, gradient, table, indices, up)

whole = array((64, 512), ("x", "y"), dtype=np.int32)
host = np.asarray(whole)


def cumsum_along_cut(x):
    return jnp.cumsum(x, 0)


def roll_along_cut(x):
    return jnp.roll(x, 3, 0)


def far_roll_along_cut(x):
    return jnp.roll(x, -21, 0)


check(cumsum_along_cut, np.cumsum(host, 0), whole)
check(roll_along_cut, np.roll(host, 3, 0), whole)
check(far_roll_along_cut, np.roll(host, -21, 0), whole)

# --- What is along other dimensions than the cut one ---
real = whole.astype(np.float32) / 8
host = np.asarray(real)
order = np.argsort(-host, 1, kind="stable")[:, :5]


def fft_of_rows(x):
    return jnp.fft.fft(x).real


def fft_of_both(x):
    return jnp.fft.fft2(x)


def cumsum_of_rows(x):
    return jnp.cumsum(x, 1)


def scan_of_rows(x):
    return jax.lax.scan(lambda c, t: (c * 0.5 + t, c), jnp.zeros(x.shape[0]), x.T)[0]


def associative_scan_of_rows(x):
    return jax.lax.associative_scan(jnp.maximum, x, axis=1)


def top_k_of_rows(x):
    return jax.lax.top_k(x, 5)


def sort_of_rows(x):
    return jnp.sort(x, 1)


decayed = np.zeros(64, np.float32)
for t in host.T:
    decayed = decayed * np.float32(0.5) + t


# A blur, the maxima of squares of it, and how far these are from those above them.
def image_filters(x):
    around = jax.lax.conv_general_dilated(x[None, :, :, None], jnp.ones((3, 3, 1, 1)), (1, 1), "SAME",
                                          dimension_numbers=("NHWC", "HWIO", "NHWC"))[0, :, :, 0]
    pooled = jax.lax.reduce_window(around, -jnp.inf, jax.lax.max, (2, 2), (2, 2), "VALID")
    return pooled - jnp.pad(pooled[:-1], ((1, 0), (0, 0)))


padded = np.pad(host, 1)
around = sum(padded[i : i + 64, j : j + 512] for i in range(3) for j in range(3))
pooled = around.reshape(32, 2, 256, 2).max((1, 3))
check(image_filters, pooled - np.pad(pooled[:-1], ((1, 0), (0, 0))), real)

check(fft_of_rows, np.fft.fft(host).real, real)
check(fft_of_both, np.fft.fft2(host), real)
check(cumsum_of_rows, np.cumsum(host, 1), real)
check(scan_of_rows, decayed, real)
check(associative_scan_of_rows, np.maximum.accumulate(host, 1), real)
check(top_k_of_rows, [np.take_along_axis(host, order, 1), order], real)
check(sort_of_rows, np.sort(host, 1), real)


def sort_of_one_dimension(x):
    return jnp.sort(x)


line = array((1024,), ("x", "y"))
check(sort_of_one_dimension, np.sort(np.asarray(line)), line)


def sort_of_a_long_line(x):
    return jax.lax.with_sharding_constraint(jnp.sort(x), NamedSharding(mesh, P(("x", "y"))))


long_line = array((1 << 17,), ("x", "y")) + jnp.sin(jnp.arange(1 << 17))
check(sort_of_a_long_line, np.sort(np.asarray(long_line)), long_line)


# --- Changes of sharding ---
def constrained(x, spec):
    return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, spec))


for name, source, target in [("rows_to_columns", P(("x", "y"), None), P(None, ("x", "y"))),
                             ("axes_exchanged", P("x", "y"), P("y", "x")),
                             ("order_reversed", P(("x", "y"), None), P(("y", "x"), None)),
                             ("one_axis_moved", P(("x", "y"), None), P("x", "y"))]:
    def moved(x, target=target):
        return constrained(x, target)
    check(moved, host * 2, jax.device_put(host, NamedSharding(mesh, source)), name=name)


# --- Random numbers ---
def noise(key):
    return jax.random.normal(key, (8, 16))


for implementation in ("threefry2x32", "rbg"):
    key = jax.random.key(7, impl=implementation)
    expected = np.asarray(jax.jit(noise, compiler_options={"partition": "whole"})(key))
    for axes in ({"x": 8}, {"x": 2, "y": 4}, {"x": 4}):
        over = jax.make_mesh(tuple(axes.values()), tuple(axes), devices=jax.devices()[:int(np.prod(list(axes.values())))])
        placed = jax.device_put(key, NamedSharding(over, P()))
        spread = jax.jit(noise, out_shardings=NamedSharding(over, P(tuple(axes))), compiler_options=spmd)(placed)
        print(f"same random_{implementation} {np.array_equal(spread, expected)}")


# --- Runs again ---
def step(x, w):
    return jax.value_and_grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2) / 7)(w)


x, w = array((64, 96), ("x", "y")), array((96, 48))
x, w = x / 9, w / 9
compiled = jax.jit(step, compiler_options=spmd).lower(x, w).compile()
runs = [b"".join(np.asarray(part).tobytes() for part in compiled(x, w)) for _ in range(25)]
print(f"same runs {len(set(runs)) == 1}")


# --- ragged_all_to_all ---
line = jax.sharding.Mesh(np.array(jax.devices()[:4]), "p")
counts = np.array([[1, 2, 0, 1], [0, 1, 3, 0], [2, 0, 1, 1], [1, 1, 1, 1]])  # from, to
rows = np.zeros((4, 4), np.float32)
begins, places = np.zeros((4, 4), np.int32), np.zeros((4, 4), np.int32)
expected = np.zeros((4, 8), np.float32)
for i in range(4):
    rows[i, :counts[i].sum()] = 10 * i + np.arange(counts[i].sum())
    begins[i] = np.concatenate([[0], np.cumsum(counts[i])[:-1]])
    for j in range(4):
        places[i, j] = counts[:i, j].sum()
        expected[j, places[i, j]:places[i, j] + counts[i, j]] = rows[i, begins[i, j]:begins[i, j] + counts[i, j]]


def ragged(rows, begins, sizes, places, received):
    def body(rows, begins, sizes, places, received):
        return jax.lax.ragged_all_to_all(rows[0], jnp.zeros(8, jnp.float32), begins[0], sizes[0], places[0], received[0],
                                         axis_name="p")[None]
    return jax.shard_map(body, mesh=line, in_specs=P("p"), out_specs=P("p"), check_vma=False)(
        rows, begins, sizes, places, received)


arguments = [jax.device_put(value, NamedSharding(line, P("p")))
             for value in (rows, begins, counts.astype(np.int32), places, counts.T.astype(np.int32))]
check(ragged, expected, *arguments)
"""

LINES = {text.strip(): number for number, text in enumerate(PROGRAM.splitlines(), start=1)}


@pytest.fixture(scope="module")
def cases(tmp_path_factory, subprocess_environment):
    """What the process printed, and the report of each program by its function's name."""
    report = tmp_path_factory.mktemp("peers") / "report.jsonl"
    environment = dict(subprocess_environment, TENON_PARTITION_REPORT=str(report), JAX_ENABLE_X64="0")
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    printed = [line.split() for line in run.stdout.splitlines()]
    reports = {}
    for line in report.read_text().splitlines():
        one = json.loads(line)
        assert "not_partitioned" not in one, one
        reports[one["program"].removeprefix("jit_")] = one
    return {
        "error": {name: float(worst) for kind, name, worst in printed if kind == "result"},
        "same": [(name, text == "True") for kind, name, text in printed if kind == "same"],
        "reports": reports,
    }


def received(report):
    return sum(collective["received_bytes"] * collective["times"] for collective in report["collectives"])


@pytest.mark.parametrize("where", ["other_axis", "own_axis", "both_axes", "two_dimensions"])
def test_parts_of_a_sum_become_partly_sharded(cases, where):
    assert cases["error"][f"unreduced_to_{where}"] == 0


def test_gradients_of_lookups_are_summed(cases):
    assert cases["error"]["scatter_add_backward"] == 0


def test_cumulative_sums_along_a_cut_dimension_are_right_and_local(cases):
    """Exchanges of a part, there and back, are at most what is received."""
    assert cases["error"]["cumsum_along_cut"] == 0
    report = cases["reports"]["cumsum_along_cut"]
    argument = next(value for value in report["values"] if value["name"] == "argument 0")
    assert not report["fallbacks"] and received(report) <= 2 * argument["local_bytes"]


@pytest.mark.parametrize("how, parts", [("roll", 3 / 8), ("far_roll", 1)])
def test_rolls_along_a_cut_dimension_pass_parts_on(cases, how, parts):
    """By 3 rows, of which a device has 8, and by 21."""
    assert cases["error"][f"{how}_along_cut"] == 0
    report = cases["reports"][f"{how}_along_cut"]
    (argument,) = (value for value in report["values"] if value["name"] == "argument 0")
    assert not report["fallbacks"] and received(report) == parts * argument["local_bytes"]


def test_filters_of_images_move_halos_only(cases):
    """A row above and one below for the blur, and one of half the width for the difference."""
    assert cases["error"]["image_filters"] == 0
    report = cases["reports"]["image_filters"]
    assert not report["fallbacks"] and {each["kind"] for each in report["collectives"]} == {"halo"}
    assert received(report) == 2 * 512 * 4 + 256 * 4


@pytest.mark.parametrize("what", ["fft", "cumsum", "scan", "associative_scan", "top_k", "sort"])
def test_what_goes_along_other_dimensions_moves_nothing(cases, what):
    tolerance = {"fft": 1e-3, "scan": 1e-5, "cumsum": 1e-3}.get(what, 0)
    assert cases["error"][f"{what}_of_rows"] <= tolerance
    report = cases["reports"][f"{what}_of_rows"]
    assert not report["fallbacks"] and report["collectives"] == []


def test_transforms_along_cut_dimensions_exchange_parts(cases):
    """To columns and back, of complex numbers, which are twice as large."""
    assert cases["error"]["fft_of_both"] <= 1e-2
    report = cases["reports"]["fft_of_both"]
    (argument,) = (value for value in report["values"] if value["name"] == "argument 0")
    assert not report["fallbacks"] and {each["op"] for each in report["collectives"]} == {"all_to_all"}
    assert received(report) == 2 * 2 * argument["local_bytes"] * 7 / 8


def test_a_long_line_is_sorted_in_parts(cases):
    assert cases["error"]["sort_of_a_long_line"] == 0
    report = cases["reports"]["sort_of_a_long_line"]
    (argument,) = (value for value in report["values"] if value["name"] == "argument 0")
    assert not report["fallbacks"] and received(report) <= 2.5 * argument["local_bytes"]


def test_what_is_computed_whole_is_said_with_its_line(cases):
    assert cases["error"]["sort_of_one_dimension"] == 0
    (fallback,) = cases["reports"]["sort_of_one_dimension"]["fallbacks"]
    assert fallback["op"] == "stablehlo.sort"
    assert fallback["source"].split(":")[-2] == str(LINES["return jnp.sort(x)"])


@pytest.mark.parametrize("how", ["rows_to_columns", "axes_exchanged", "order_reversed", "one_axis_moved"])
def test_changes_of_sharding_never_gather_the_array(cases, how):
    """XLA's "involuntary full rematerialization": here a device receives no more than it has afterwards."""
    assert cases["error"][how] == 0
    report = cases["reports"][how]
    result = next(value for value in report["values"] if value["name"] == "result 0")
    assert 0 < received(report) <= result["local_bytes"]
    for collective in report["collectives"]:
        assert collective["op"] != "all_gather" and collective["kind"] in ("required", "redistribution")
        line = "return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, spec))"
        assert collective["source"].split(":")[-2] == str(LINES[line])


def test_random_numbers_do_not_depend_on_the_mesh(cases):
    same = [is_same for name, is_same in cases["same"] if name.startswith("random_")]
    assert len(same) == 6 and all(same), cases["same"]


def test_runs_have_the_same_bits(cases):
    assert ("runs", True) in cases["same"]


def test_ragged_all_to_all(cases):
    assert cases["error"]["ragged"] == 0


def test_the_page_names_tests_that_are_there():
    root = pathlib.Path(__file__).resolve().parents[3]
    table = (root / "docs/partitioning.md").read_text(encoding="utf-8").split("| complaint |")[1].split("\n\n")[0]
    named = re.findall(r"`([\w/]+/\w+\.\w+)` (\w+)", table)
    assert len(named) > 15
    for file, test in named:
        assert re.search(rf"\b{test}\b", (root / file).read_text(encoding="utf-8")), (file, test)


def test_every_case_ran(cases):
    assert len(cases["error"]) == 23 and not any(math.isnan(error) for error in cases["error"].values())

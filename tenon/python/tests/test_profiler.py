"""What jax.profiler shows of Tenon."""

import gzip
import inspect
import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

_FILE = os.path.basename(__file__)


def layer(x, w):
    with jax.named_scope("layer"):
        product = x @ w
        return jnp.tanh(product)


def model(w, x):
    for _ in range(2):
        x = layer(x, w)
    return jnp.sort(x, axis=0)


def line_of(text):
    """file:line of the one line of the functions above that has this text."""
    for function in (layer, model):
        lines, start = inspect.getsourcelines(function)
        for i, line in enumerate(lines):
            if text in line:
                return f"{_FILE}:{start + i}"
    raise KeyError(text)


def traced(directory):
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0  # every Python call: slow, and not ours
    return jax.profiler.trace(str(directory), profiler_options=options)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    directory = tmp_path_factory.mktemp("profile")
    warm = jax.jit(model)
    w = np.ones((256, 256), np.float32) / 256
    x = np.arange(256 * 256, dtype=np.float32).reshape(256, 256)
    warm(w, x).block_until_ready()
    with traced(directory):
        warm(w, x).block_until_ready()  # compiled before
        jax.jit(lambda x: model(w, x) + jnp.linalg.cholesky(jnp.eye(256, dtype=x.dtype)))(x).block_until_ready()
    return directory


@pytest.fixture(scope="module")
def events(profile):
    """(thread, name, stats) of all events of the host."""
    data = jax.profiler.ProfileData.from_file(str(next(profile.rglob("*.xplane.pb"))))
    found = []
    for plane in data.planes:
        for line in plane.lines:
            found += [(line.name, event.name, dict(event.stats), event.start_ns, event.end_ns) for event in line.events]
    return found


def test_kernels_have_the_names_of_source_lines(events):
    sources = {stats["source"].rsplit("/", 1)[-1] for _, _, stats, _, _ in events if "source" in stats}
    assert {line_of("x @ w"), line_of("jnp.tanh"), line_of("jnp.sort")} & sources
    names = {name for _, name, _, _, _ in events}
    assert f"sort ({line_of('jnp.sort')})" in names
    layers = [stats for _, _, stats, _, _ in events if "/layer/" in stats.get("tf_op", "")]
    assert layers
    places = " ".join(stats["source"] + " " + stats.get("other_sources", "") for stats in layers).split()
    assert {line_of("x @ w"), line_of("jnp.tanh")} <= {place.rsplit("/", 1)[-1] for place in places}


def test_every_run_and_stage(events):
    names = [name for _, name, _, _, _ in events]
    assert names.count("run jit_model") == 1
    for stage in ("compile", "import", "inline", "fuse", "codegen", "load"):
        assert stage in names
    transfers = [stats for _, name, stats, _, _ in events if name.startswith("host to device")]
    assert 256 * 256 * 4 in [stats.get("bytes") for stats in transfers]
    assert any("cholesky" in name or "potrf" in name for name in names)  # a service


def test_kernels_lie_inside_their_run(events):
    [(_, _, _, begin, end)] = [event for event in events if event[1] == "run jit_model"]
    kernels = [event for event in events if event[2].get("hlo_module") == "jit_model" and "hlo_op" in event[2]]
    assert kernels
    for _, _, stats, start, stop in kernels:
        assert begin <= start <= stop <= end
        assert stats["flops"] >= 0 and stats["bytes_accessed"] > 0


def test_kernels_say_what_they_reach(events):
    kernels = [event for event in events if "bytes_per_second" in event[2]]
    assert any(event[2].get("flops_per_second") for event in kernels)
    for _, _, stats, begin, end in kernels:
        # The call may last longer than this thread's part of it.
        assert stats["bytes_per_second"] <= stats["bytes_accessed"] * 1e9 / max(end - begin, 1) * 1.001
        assert stats["share_of_limit"] > 0 and stats["phases"] == 1
        if "flops_per_second" in stats:
            rate = stats["flops_per_second"] / stats["bytes_per_second"]
            assert rate == pytest.approx(stats["flops"] / stats["bytes_accessed"])
    assert "f32" in {event[2]["arithmetic"] for event in kernels}


def test_trace_viewer(profile):
    with gzip.open(next(profile.rglob("*.trace.json.gz"))) as file:
        trace = json.load(file)
    names = {event.get("name") for event in trace["traceEvents"]}
    assert f"sort ({line_of('jnp.sort')})" in names
    assert "run jit_model" in names


WORKERS = """
import sys
import jax, jax.numpy as jnp, numpy as np
f = jax.jit(lambda x: jnp.sin(x).sum(axis=1))
x = jnp.ones((4096, 2048), np.float32)
f(x).block_until_ready()
options = jax.profiler.ProfileOptions()
options.python_tracer_level = 0
with jax.profiler.trace(sys.argv[1], profiler_options=options):
    for _ in range(20):
        f(x).block_until_ready()
"""


def test_every_worker(tmp_path, subprocess_environment):
    environment = dict(subprocess_environment, TENON_NUM_THREADS="2")
    subprocess.run([sys.executable, "-c", WORKERS, str(tmp_path)], env=environment, check=True)
    data = jax.profiler.ProfileData.from_file(str(next(tmp_path.rglob("*.xplane.pb"))))
    lines = {line.name: list(line.events) for plane in data.planes for line in plane.lines}
    with_kernels = [name for name, events in lines.items() if any("hlo_op" in dict(event.stats) for event in events)]
    assert len(with_kernels) == 2
    assert any(name.startswith("tenon-worker") for name in with_kernels)


def test_twice(tmp_path):
    for name in ("first", "second"):
        with traced(tmp_path / name):
            jax.jit(lambda x: x + 1)(1.0).block_until_ready()
        assert list((tmp_path / name).rglob("*.xplane.pb"))


def test_kernels_in_loops(tmp_path):
    step = jax.jit(lambda x: jax.lax.fori_loop(0, 7, lambda i, x: jnp.tanh(x @ x), x))
    x = np.eye(64, dtype=np.float32)
    step(x).block_until_ready()
    with traced(tmp_path):
        step(x).block_until_ready()
    data = jax.profiler.ProfileData.from_file(str(next(tmp_path.rglob("*.xplane.pb"))))
    names = [event.name for plane in data.planes for line in plane.lines for event in line.events]
    assert len([name for name in names if name.startswith("tanh (")]) == 7

"""JAX's persistent compilation cache, and executables stored by hand."""

import json
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest

PROGRAM = """
import json, sys, warnings
import jax, jax.numpy as jnp
counts = {}
jax.monitoring.register_event_listener(lambda name, **kw: counts.update({name: counts.get(name, 0) + 1}))
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
options = jax.profiler.ProfileOptions()
options.python_tracer_level = 0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with jax.profiler.trace(sys.argv[2], profiler_options=options):
        result = jax.jit(lambda x: jnp.sin(x) @ x.T)(jnp.arange(6.0).reshape(2, 3))
        sums = jax.jit(lambda x: jax.lax.scan(lambda c, v: (c + v, c), 0.0, x))(jnp.arange(6.0))[0]
        total = float(jnp.sum(result) + sums)
    print(json.dumps({
        "sum": total,
        "hits": counts.get("/jax/compilation_cache/cache_hits", 0),
        "misses": counts.get("/jax/compilation_cache/cache_misses", 0),
        "warnings": [str(w.message) for w in caught],
    }))
"""


@pytest.fixture
def start(tmp_path, subprocess_environment):
    """Runs the program in a process of its own, with a cache that is kept; says what happened."""
    runs = []

    def run(**environment):
        profile = tmp_path / f"profile{len(runs)}"
        result = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path / "cache"), str(profile)],
            env=dict(subprocess_environment, **environment), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        outcome = json.loads(result.stdout.splitlines()[-1])
        data = jax.profiler.ProfileData.from_file(str(next(profile.rglob("*.xplane.pb"))))
        names = [event.name for plane in data.planes for line in plane.lines for event in line.events]
        outcome["compiled"], outcome["loaded"] = names.count("compile"), names.count("load")
        runs.append(outcome)
        return outcome

    return run


def entries(tmp_path):
    return sorted(path for path in (tmp_path / "cache").iterdir() if path.name.endswith("-cache"))


def change(path, edit):
    """Edits the executable inside an entry."""
    from jax._src import compilation_cache as cache

    executable, seconds = cache.extract_executable_and_time(cache.decompress_executable(path.read_bytes()))
    edited = edit(executable)
    assert edited != executable
    path.write_bytes(cache.compress_executable(cache.combine_executable_and_time(edited, seconds)))


def test_a_second_process_compiles_nothing(start):
    first, second = start(), start()
    assert first["compiled"] == first["loaded"] == first["misses"] > 0
    assert second["compiled"] == second["misses"] == 0
    assert second["loaded"] == second["hits"] == first["misses"]
    assert second["sum"] == first["sum"]


def is_compiled_again(first, again):
    return again["compiled"] == first["compiled"] and again["sum"] == first["sum"]


def test_an_entry_of_another_build_is_refused(start, tmp_path):
    first = start()
    version = jax.devices()[0].client.platform_version
    build = version.split("build ")[1].split(",")[0].encode()
    for path in entries(tmp_path):
        change(path, lambda executable: executable.replace(build, b"0" * len(build), 1))
    again = start()
    assert is_compiled_again(first, again)
    assert any("serialized by 'tenon" in warning for warning in again["warnings"])


@pytest.mark.parametrize("position", [0.2, 0.5, 0.95])
def test_a_damaged_entry_is_refused(start, tmp_path, position):
    first = start()

    def flip(executable):
        at = int(len(executable) * position)
        return executable[:at] + bytes([executable[at] ^ 16]) + executable[at + 1 :]

    for path in entries(tmp_path):
        change(path, flip)
    assert is_compiled_again(first, start())


def test_a_cut_entry_is_refused(start, tmp_path):
    first = start()
    for path in entries(tmp_path):
        change(path, lambda executable: executable[: len(executable) // 2])
    assert is_compiled_again(first, start())
    for path in entries(tmp_path):
        path.write_bytes(path.read_bytes()[:100])
    assert is_compiled_again(first, start())


def test_other_processors_have_entries_of_their_own(start, tmp_path):
    first = start()
    number = len(entries(tmp_path))
    other = start(TENON_MAX_VECTOR_BITS="128")
    assert other["hits"] == 0
    assert len(entries(tmp_path)) == 2 * number
    assert other["sum"] == pytest.approx(first["sum"])


def test_other_ways_to_compile_have_entries_of_their_own(start, tmp_path):
    first = start()
    number = len(entries(tmp_path))
    for environment in ({"TENON_PARTITION": "spmd"}, {"TENON_PARTITION": "required"}, {"TENON_OVERLAP": "1"}):
        assert start(**environment)["hits"] == 0
    assert len(entries(tmp_path)) == 4 * number
    again = start(TENON_PARTITION="whole")  # as without it
    assert again["misses"] == 0
    assert again["sum"] == first["sum"]


def test_the_version_names_library_and_processor():
    version = jax.devices()[0].client.platform_version
    assert "tenon " in version and "build " in version and ", for " in version


def test_other_options_and_programs_have_other_fingerprints():
    def fingerprint(f, *args):
        return jax.jit(f).lower(*args).compile().runtime_executable().fingerprint

    increment = lambda x: x + 1  # noqa: E731
    one = fingerprint(increment, jnp.ones(3))
    assert one
    assert fingerprint(increment, jnp.ones(3)) == one
    assert len({one, fingerprint(lambda x: x + 2, jnp.ones(3)), fingerprint(increment, jnp.ones(4))}) == 3


def test_serialized_executables(tmp_path, subprocess_environment):
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda p, x: {"y": p["w"] @ x}).lower({"w": jnp.ones((2, 3))}, jnp.arange(3.0)).compile()
    payload, in_tree, out_tree = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(payload, in_tree, out_tree, execution_devices=jax.devices()[:1])
    assert loaded({"w": jnp.ones((2, 3))}, jnp.arange(3.0))["y"].tolist() == [3, 3]
    assert loaded.as_text() == compiled.as_text() != ""
    with pytest.raises(Exception, match="damaged|not made by tenon|UNPICKL|pickle|unpickl|truncated|ran out"):
        serialize_executable.deserialize_and_load(payload[: len(payload) // 2], in_tree, out_tree)
    path = pathlib.Path(tmp_path) / "executable"
    path.write_bytes(payload)
    program = (
        "import sys, jax, jax.numpy as jnp\n"
        "from jax.experimental import serialize_executable as s\n"
        "trees = [jax.tree.structure((({'w': 0}, 0), {})), jax.tree.structure({'y': 0})]\n"
        "f = s.deserialize_and_load(open(sys.argv[1], 'rb').read(), *trees, execution_devices=jax.devices()[:1])\n"
        "print(f({'w': jnp.ones((2, 3))}, jnp.arange(3.0))['y'].tolist())\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    result = subprocess.run(command, env=subprocess_environment, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "[3.0, 3.0]", result.stderr


def kernels(folder):
    return {path.name: path.read_bytes() for path in folder.glob("llvmcache-*")}


def test_kernels_are_kept_for_other_processes(start, tmp_path):
    """Without JAX's cache each process compiles the programs, but only the first their kernels."""
    folder = tmp_path / "kernels"
    first = start(TENON_KERNEL_CACHE=str(folder))
    kept = kernels(folder)
    assert kept
    for path in entries(tmp_path):
        path.unlink()
    second = start(TENON_KERNEL_CACHE=str(folder))
    assert is_compiled_again(first, second) and kernels(folder) == kept


def test_processes_share_the_kernels_cache(tmp_path, subprocess_environment):
    """All begin with an empty folder; in the end it has what one of them alone would have left."""
    program = "import jax, jax.numpy as jnp; print(jax.jit(lambda x: jnp.sin(x) @ x.T + jnp.cumsum(x[0]))(jnp.ones((40, 40))).sum())"

    def begin(folder):
        environment = dict(subprocess_environment, TENON_KERNEL_CACHE=str(tmp_path / folder))
        return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)

    alone, *together = [process.communicate()[0] for process in [begin("one"), *(begin("many") for _ in range(3))]]
    assert alone and together == [alone] * 3
    assert kernels(tmp_path / "one") == kernels(tmp_path / "many") != {}

"""Programs that are compiled ahead of time give the bits that the same programs give just in time."""

import os
import re
import shutil
import subprocess

import harness
import models
import pytest

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
# What a binary may have to bring beside the model's object.
LIBC = {"memcpy", "memmove", "memset", "memcmp"}


class Model:
    def __init__(self, name, folder):
        self.program = folder / f"{name}.mlirbc"
        self.arguments = models.save(getattr(models, name), self.program)
        self.expected = harness.just_in_time(self.program, self.arguments, folder / f"{name}_jit")


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    made = {}

    def get(name):
        if name not in made:
            made[name] = Model(name, folder)
        return made[name]

    return get


def undefined(path):
    return set(re.findall(r" U (\S+)", harness.run("nm", "-u", path)))


def check(folder, models_, **options):
    results = harness.build_and_run(
        folder, list(models_), {name: m.arguments for name, m in models_.items()}, **options
    )
    for name, m in models_.items():
        assert results[name] == m.expected, name


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", ["digits", "lstm"])
def test_same_bits(model, tmp_path, name, compiler):
    harness.compile_model(model(name).program, tmp_path)
    assert undefined(tmp_path / f"{name}.o") <= LIBC
    check(tmp_path, {name: model(name)}, compiler=(compiler,))


def test_minilm_with_weights_in_a_file(model, tmp_path):
    harness.compile_model(model("minilm").program, tmp_path, "--weights", "external")
    assert undefined(tmp_path / "minilm.o") <= LIBC
    assert (tmp_path / "minilm.o").stat().st_size < 200_000
    check(tmp_path, {"minilm": model("minilm")}, weights=True)
    check(tmp_path, {"minilm": model("minilm")}, weights=True, threads=3)


def test_weights_of_another_model_are_refused(model, tmp_path):
    harness.compile_model(model("lstm").program, tmp_path, "--weights", "external")
    weights = bytearray((tmp_path / "lstm.weights").read_bytes())
    weights[12] ^= 1  # in the fingerprint
    (tmp_path / "lstm.weights").write_bytes(weights)
    with pytest.raises(AssertionError, match="3: "):
        check(tmp_path, {"lstm": model("lstm")}, weights=True)


def test_two_models_in_one_binary(model, tmp_path):
    both = {name: model(name) for name in ("digits", "lstm")}
    for m in both.values():
        harness.compile_model(m.program, tmp_path)
    # The same program twice, too: no symbol but the model's own may be visible.
    harness.compile_model(model("digits").program, tmp_path, "--name", "again")
    check(tmp_path, {**both, "again": model("digits")})
    check(tmp_path, {**both, "again": model("digits")}, threads=2)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_the_bits(model, tmp_path, threads):
    harness.compile_model(model("digits").program, tmp_path)
    check(tmp_path, {"digits": model("digits")}, threads=threads)


def test_header_is_for_cpp_too(model, tmp_path):
    harness.compile_model(model("digits").program, tmp_path)
    (tmp_path / "main.cpp").write_text(
        '#include "digits.h"\nint main() { digits_arguments a = {}; digits_results r = {}; return digits_run(&a, &r, 0); }'
    )
    harness.run("g++", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.cpp", "digits.o", "-o", "main", cwd=tmp_path)
    assert subprocess.run(tmp_path / "main", check=False).returncode == 2  # there is no arena


def test_mobilenet_is_small(model, tmp_path):
    path = tmp_path / "mobilenet.mlirbc"
    models.save(models.mobilenet, path)
    for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
        harness.compile_model(path, tmp_path, "--weights", "external", "--cpu", cpu)
        sizes = harness.run("size", tmp_path / "mobilenet.o").splitlines()[1].split()
        assert int(sizes[0]) + int(sizes[1]) < 100_000, cpu


def test_cpu_levels_run_here(model, tmp_path):
    """Other levels give other roundings; that they run and agree closely is what can be asked."""
    import numpy as np

    logits = np.frombuffer(model("digits").expected[1], np.float32)
    for cpu in ("x86-64", "x86-64-v2", "x86-64-v3"):
        folder = tmp_path / cpu
        harness.compile_model(model("digits").program, folder, "--cpu", cpu)
        m = model("digits")
        results = harness.build_and_run(folder, ["digits"], {"digits": m.arguments})["digits"]
        assert results[0] == m.expected[0]
        np.testing.assert_allclose(np.frombuffer(results[1], np.float32), logits, rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    raise SystemExit(pytest.main([os.path.abspath(__file__), "-v"]))

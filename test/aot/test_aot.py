"""Programs that are compiled ahead of time give the bits that the same programs give just in time."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import harness
import jax
import jax.numpy as jnp
import models
import numpy as np
import pytest
from programs import WHOLE, Programs

ROOT = pathlib.Path(__file__).resolve().parents[2]

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
# What a binary may have to bring beside the model's object.
LIBC = {"memcpy", "memmove", "memset", "memcmp"}


class Model:
    def __init__(self, name, folder):
        self.program = folder / f"{name}.mlirbc"
        self.arguments = models.save(getattr(models, name), self.program)
        self.expected = harness.just_in_time(self.program, self.arguments, folder / f"{name}_jit")


def bounded(folder):
    """The file of a program with a result of bounded size, and an assertion that may fail."""
    program = folder / "bounded.mlir"
    program.write_text(
        """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
          %y = stablehlo.set_dimension_size %x, %n, dim = 0
              : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
          return %y : tensor<?xf32, #stablehlo.bounds<4>>
        }"""
    )
    return program


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


def test_minilm_is_one_object(model, tmp_path):
    harness.compile_model(model("minilm").program, tmp_path)
    assert undefined(tmp_path / "minilm.o") <= LIBC
    check(tmp_path, {"minilm": model("minilm")})


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


def test_one_file_of_weights_for_all_processors(model, tmp_path):
    for cpu in ("x86-64", "x86-64-v3"):
        harness.compile_model(model("lstm").program, tmp_path / cpu, "--weights", "external", "--cpu", cpu)
    targets = [("aarch64-linux-gnu", "generic"), ("riscv64-linux-gnu", "generic")]
    for triple, cpu in targets:
        options = ("--weights", "external", "--target-triple", triple, "--cpu", cpu)
        harness.compile_model(model("lstm").program, tmp_path / triple, *options)
    weights = {(folder / "lstm.weights").read_bytes() for folder in tmp_path.iterdir()}
    assert len(weights) == 1
    digest = re.search(r'LSTM_WEIGHTS_DIGEST "(\w{32})"', (tmp_path / "x86-64" / "lstm.h").read_text()).group(1)
    assert weights.pop()[8:40] == digest.encode()
    shutil.copy(tmp_path / "x86-64-v3" / "lstm.weights", tmp_path / "x86-64")
    m = model("lstm")
    results = harness.build_and_run(tmp_path / "x86-64", ["lstm"], {"lstm": m.arguments}, weights=True)["lstm"]
    for actual, expected in zip(results, m.expected, strict=True):
        np.testing.assert_allclose(np.frombuffer(actual, np.float32), np.frombuffer(expected, np.float32), rtol=1e-4)


def test_two_models_in_one_binary(model, tmp_path):
    both = {name: model(name) for name in ("digits", "lstm")}
    for m in both.values():
        harness.compile_model(m.program, tmp_path)
    # The same program twice, too: no symbol but the model's own may be visible.
    harness.compile_model(model("digits").program, tmp_path, "--name", "again")
    check(tmp_path, {**both, "again": model("digits")})
    check(tmp_path, {**both, "again": model("digits")}, threads=2)


def test_calls_from_several_threads_at_once(model, tmp_path):
    """Two objects with the same three models each: their names do not clash, and runs at the same time do not meet."""
    programs = [model(name).program for name in ("digits", "lstm")] + [bounded(tmp_path)]
    for name in ("nets", "others"):
        harness.compile_model(programs[0], tmp_path, *programs[1:], "--name", name)
    (digit, logits), (state, cell) = (model(name).expected for name in ("digits", "lstm"))
    images, sequence = (np.ascontiguousarray(model(name).arguments[0]).tobytes() for name in ("digits", "lstm"))
    files = {"images": images, "digit": digit, "logits": logits, "sequence": sequence, "state": state, "cell": cell}
    for name, contents in files.items():
        (tmp_path / name).write_bytes(contents)
    source = ROOT / "test" / "aot" / "callers.cpp"
    library = harness.LIBRARIES / "libtenon_threads.a"
    harness.run("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-I", harness.THREADS_HEADER, "-I", ".", source,
                "nets.o", "others.o", library, "-pthread", "-lm", "-o", "main", cwd=tmp_path)  # fmt: skip
    harness.run("./main", cwd=tmp_path, timeout=600)


def test_several_sets_of_shapes_in_one_object(tmp_path):
    """They share their weights and the kernels that are equal."""
    rng = np.random.default_rng(11)
    weights = rng.random((64, 512), np.float32)

    def layer(x):
        return jnp.tanh(x @ weights)

    (rows,) = jax.export.symbolic_shape("rows")
    exported = jax.export.export(jax.jit(layer))(jax.ShapeDtypeStruct((rows, 64), np.float32))
    program = tmp_path / "layer.mlirbc"
    program.write_bytes(exported.serialize())
    harness.compile_model(program, tmp_path, "--shapes", "2x64;7x64")
    harness.compile_model(program, tmp_path, "--shapes", "2x64", "--name", "one")
    sizes = {name: (tmp_path / f"{name}.o").stat().st_size for name in ("layer", "one")}
    assert sizes["layer"] < sizes["one"] + weights.nbytes / 4
    header = (tmp_path / "layer.h").read_text()
    arguments = {rows: rng.random((rows, 64), np.float32) for rows in (2, 7)}
    calls = ""
    for rows, x in arguments.items():
        (tmp_path / f"layer_{rows}x64.arg0").write_bytes(x.tobytes())
        part = header[header.index(f"#define LAYER_{rows}X64_FINGERPRINT") :]
        calls += harness.call_code(f"layer_{rows}x64", part, False, 0).replace(f'"layer_{rows}x64.h"', '"layer.h"')
    main = harness.FILES.replace("read_file_as", "read_file") + calls
    (tmp_path / "main.c").write_text(main + "int main(void) { return layer_2x64_main() || layer_7x64_main(); }\n")
    harness.run("cc", "-Wall", "-Werror", "main.c", "layer.o", "-lm", "-o", "main", cwd=tmp_path)
    harness.run("./main", cwd=tmp_path)
    for rows, x in arguments.items():
        result = np.frombuffer((tmp_path / f"layer_{rows}x64.res0").read_bytes(), np.float32).reshape(rows, 512)
        np.testing.assert_allclose(result, np.tanh(x @ weights), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["digits", "branches"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_the_bits(model, tmp_path, name, threads):
    harness.compile_model(model(name).program, tmp_path)
    check(tmp_path, {name: model(name)}, threads=threads)


def test_threads_run_each_task_once(tmp_path):
    source = ROOT / "test" / "aot" / "threads_stress.c"
    library = harness.LIBRARIES / "libtenon_threads.a"
    harness.run("cc", "-O1", "-I", harness.THREADS_HEADER, source, library, "-pthread", "-o", tmp_path / "stress")
    harness.run(tmp_path / "stress", timeout=600)


def test_header_is_for_cpp_too(model, tmp_path):
    harness.compile_model(model("digits").program, tmp_path)
    (tmp_path / "main.cpp").write_text(
        '#include "digits.h"\nint main() { digits_arguments a = {}; digits_results r = {}; return digits_run(&a, &r, 0); }'
    )
    harness.run("g++", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.cpp", "digits.o", "-o", "main", cwd=tmp_path)
    assert subprocess.run(tmp_path / "main", check=False).returncode == 2  # there is no arena


def test_class_of_cpp(model, tmp_path):
    harness.compile_model(model("digits").program, tmp_path)
    (tmp_path / "images").write_bytes(np.ascontiguousarray(model("digits").arguments[0]).tobytes())
    (tmp_path / "main.cpp").write_text(
        """#include "digits.h"
        #include "tenon_threads.h"
        #include <cstdio>
        static digits_model<3> global;
        static int check(digits_model<3> &model) {
          static float images[DIGITS_ARGUMENT_IMAGES_COUNT], logits[DIGITS_RESULT_LOGITS_COUNT];
          static int32_t digit[DIGITS_RESULT_DIGIT_COUNT];
          if (std::fseek(stdin, 0, SEEK_SET) || std::fread(images, sizeof images, 1, stdin) != 1)
            return 1;
          model.arguments.images = images;
          model.results.logits = logits;
          model.results.digit = digit;
          TenonThreads *three = tenon_threads_create(3), *four = tenon_threads_create(4);
          if (model.run() != DIGITS_OK || model.error()[0] != 0 || model.run(four) != DIGITS_BAD_ARENA)
            return 2;
          std::fwrite(logits, sizeof logits, 1, stdout);
          if (model.run(three) != DIGITS_OK)
            return 3;
          std::fwrite(logits, sizeof logits, 1, stdout);
          tenon_threads_destroy(three);
          tenon_threads_destroy(four);
          return 0;
        }
        int main() { // memory of new has less alignment
          return check(global) || check(*new digits_model<3>) || check(*new digits_model<3>);
        }"""
    )
    library = harness.LIBRARIES / "libtenon_threads.a"
    harness.run("g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", harness.THREADS_HEADER, "main.cpp",
                "digits.o", library, "-pthread", "-o", "main", cwd=tmp_path)  # fmt: skip
    with open(tmp_path / "images", "rb") as images:
        printed = subprocess.run(tmp_path / "main", stdin=images, capture_output=True, check=True).stdout
    assert printed == 6 * model("digits").expected[1]


@pytest.mark.parametrize("name", ["digits", "lstm"])
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
def test_stack_bound(model, tmp_path, name, cpu):
    harness.compile_model(model(name).program, tmp_path, "--cpu", cpu)
    source = ROOT / "test" / "aot" / "stack.c"
    harness.run("cc", f"-DNAME={name}", f"-DUPPER={name.upper()}", "-I", tmp_path, source, f"{name}.o", "-pthread", "-lm",
                "-Wl,-z,now", "-o", "main", cwd=tmp_path)  # fmt: skip
    used, bound = (int(word) for word in harness.run(tmp_path / "main").split())
    system = 512  # the caller's own frame, and functions of libc
    assert bound / 4 < used <= bound + system


def names_of_c(int, NULL, _Bool, static_assert, wchar_t, linux, xor_eq, thread_local, typeof, x, X):
    return int + NULL * _Bool - static_assert + wchar_t + linux + xor_eq + thread_local + typeof + x - X


@pytest.mark.parametrize("language", ["-std=c99", "-std=gnu99", "-std=c11", "-std=c++11", "-std=gnu++20"])
def test_names_that_c_has_itself(tmp_path, language):
    arguments = [np.arange(3, dtype=np.float32)] * 11
    exported = jax.export.export(jax.jit(names_of_c), platforms=["cpu"])(*arguments)
    (tmp_path / "names.mlirbc").write_bytes(exported.mlir_module_serialized)
    harness.compile_model(tmp_path / "names.mlirbc", tmp_path)
    assert "const float *NULL_;" in (tmp_path / "names.h").read_text()
    kind = "c++" if "++" in language else "c"
    harness.run("gcc", "-Wall", "-Werror", "-fsyntax-only", language, "-x", kind, tmp_path / "names.h")


def test_mobilenet_is_small(model, tmp_path):
    path = tmp_path / "mobilenet.mlirbc"
    models.save(models.mobilenet, path)
    for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
        harness.compile_model(path, tmp_path, "--weights", "external", "--cpu", cpu)
        sizes = harness.run("size", tmp_path / "mobilenet.o").splitlines()[1].split()
        assert int(sizes[0]) + int(sizes[1]) < 100_000, cpu


def test_cpu_levels_run_here(model, tmp_path):
    """Other levels give other roundings; that they run and agree closely is what can be asked."""
    logits = np.frombuffer(model("digits").expected[1], np.float32)
    for cpu in ("x86-64", "x86-64-v2", "x86-64-v3"):
        folder = tmp_path / cpu
        harness.compile_model(model("digits").program, folder, "--cpu", cpu)
        m = model("digits")
        results = harness.build_and_run(folder, ["digits"], {"digits": m.arguments})["digits"]
        assert results[0] == m.expected[0]
        np.testing.assert_allclose(np.frombuffer(results[1], np.float32), logits, rtol=1e-5, atol=1e-6)


def test_tiles(tmp_path):
    """Code for a processor with AMX asks the system for its registers, and does not run where there are none."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-8, 9, shape).astype(jnp.bfloat16) for shape in ((128, 256), (256, 96)))

    def tiles(a, b):
        return jnp.matmul(a, b, preferred_element_type=jnp.float32)

    program = tmp_path / "tiles.mlirbc"
    program.write_bytes(jax.export.export(jax.jit(tiles), platforms=["cpu"])(a, b).mlir_module_serialized)
    harness.compile_model(program, tmp_path, "--cpu", "sapphirerapids", "--shared")
    library = ctypes.CDLL(tmp_path / "tiles.so")
    library.tiles_arena_bytes.restype = ctypes.c_size_t
    library.tiles_error.restype = ctypes.c_char_p
    result = np.empty((128, 96), np.float32)
    space = np.empty(library.tiles_arena_bytes(1) + 64, np.uint8)
    arena = ctypes.c_void_p(space.ctypes.data + -space.ctypes.data % 64)
    arguments, results = (ctypes.c_void_p * 2)(a.ctypes.data, b.ctypes.data), (ctypes.c_void_p * 1)(result.ctypes.data)
    code = library.tiles_run(arguments, results, arena)
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    if {"amx_tile", "amx_bf16", "avx512_fp16"} <= set(flags):
        assert code == 0
        np.testing.assert_array_equal(result, a.astype(np.float32) @ b.astype(np.float32))
    else:
        assert code == 1
        assert library.tiles_error(arena) == b"the system does not let this process use AMX's registers"


def test_shared_library(model, tmp_path):
    harness.compile_model(model("digits").program, tmp_path, "--shared")
    library = ctypes.CDLL(tmp_path / "digits.so")
    library.digits_arena_bytes.restype = ctypes.c_size_t
    images = np.ascontiguousarray(model("digits").arguments[0])
    results = [np.empty(len(expected), np.uint8) for expected in model("digits").expected]
    space = np.empty(library.digits_arena_bytes(1) + 64, np.uint8)
    arena = ctypes.c_void_p(space.ctypes.data + -space.ctypes.data % 64)
    arguments = (ctypes.c_void_p * 1)(images.ctypes.data)
    pointers = (ctypes.c_void_p * 2)(*(result.ctypes.data for result in results))
    assert library.digits_run(arguments, pointers, arena) == 0
    assert [result.tobytes() for result in results] == model("digits").expected


def test_custom_calls(tmp_path):
    inputs = ROOT / "tenon" / "tools" / "test" / "Inputs"
    harness.compile_model(inputs / "custom_calls.mlir", tmp_path)
    assert undefined(tmp_path / "custom_calls.o") - LIBC == {"my_function", "my_other"}
    (tmp_path / "calls.c").write_text(
        """#include "custom_calls.h"
        void my_function(void *out, const void **in) {
          for (int i = 0; i < 2; ++i)
            ((float *)out)[i] = 2 * ((const float *)in[0])[i];
        }
        void my_other(void *out, const void **in) {
          for (int i = 0; i < 2; ++i)
            ((float **)out)[0][i] = ((const float *)in[0])[i] - ((const float *)in[1])[i];
          *((int32_t **)out)[1] = 17;
        }
        """
    )
    x = np.array([1, 4], np.float32)
    results = harness.build_and_run(tmp_path, ["custom_calls"], {"custom_calls": [x]}, sources=["calls.c"])
    assert results["custom_calls"] == [(2 * x).tobytes(), x.tobytes(), np.int32(17).tobytes()]


def linear_algebra(a):
    symmetric = a @ a.T
    q, r = jnp.linalg.qr(a)
    values, vectors = jnp.linalg.eigh(symmetric)
    return q, r, values, vectors, jnp.linalg.svd(a, compute_uv=False), jnp.linalg.solve(symmetric, a)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_lapack(tmp_path, dtype):
    """QR, eigenvalues, singular values, LU: the header says what to link, and the results are those just in time."""
    rng = np.random.default_rng(7)
    a = rng.random((6, 6)) + (1j * rng.random((6, 6)) if dtype.startswith("complex") else 0)
    with jax.enable_x64(True):
        arguments = [a.astype(dtype)]
        exported = jax.export.export(jax.jit(linear_algebra), platforms=["cpu"])(*arguments)
    program = tmp_path / "algebra.mlirbc"
    program.write_bytes(exported.mlir_module_serialized)
    expected = harness.just_in_time(program, arguments, tmp_path / "jit")
    note = harness.compile_model(program, tmp_path)
    assert re.search(r"note: lapack_\wgeqrf_ffi.* needs LAPACK", note)
    header = (tmp_path / "algebra.h").read_text()
    assert "libtenon_lapack.a" in header and "#define ALGEBRA_NEEDS_LAPACK 1" in header
    assert "tenon_lapack_call" in undefined(tmp_path / "algebra.o")
    libraries = [harness.LIBRARIES / "libtenon_lapack.a", "-lstdc++", "-ldl", "-pthread"]
    results = harness.build_and_run(tmp_path, ["algebra"], {"algebra": arguments}, libraries=libraries)
    for i, (actual, reference) in enumerate(zip(results["algebra"], expected, strict=True)):
        kind = np.dtype(dtype) if i not in (2, 4) else np.zeros(1, dtype).real.dtype
        np.testing.assert_allclose(np.frombuffer(actual, kind), np.frombuffer(reference, kind), rtol=1e-3, atol=1e-4)


def test_lapack_that_is_not_there(tmp_path, monkeypatch):
    program = tmp_path / "algebra.mlirbc"
    a = np.eye(3, dtype=np.float32)
    program.write_bytes(jax.export.export(jax.jit(jnp.linalg.qr), platforms=["cpu"])(a).mlir_module_serialized)
    harness.compile_model(program, tmp_path)
    libraries = [harness.LIBRARIES / "libtenon_lapack.a", "-lstdc++", "-ldl", "-pthread"]
    monkeypatch.setenv("TENON_LAPACK_LIBRARY", "/no/such/lapack.so")
    with pytest.raises(AssertionError, match=r"1: .*no LAPACK library was found"):
        harness.build_and_run(tmp_path, ["algebra"], {"algebra": [a]}, libraries=libraries)


def test_sizes_that_data_says(tmp_path):
    """A result of bounded size, and an assertion that fails."""
    program = bounded(tmp_path)
    harness.compile_model(program, tmp_path)
    assert undefined(tmp_path / "bounded.o") <= LIBC
    x = np.array([1, 2, 3, 4], np.float32)
    data, size = harness.build_and_run(tmp_path, ["bounded"], {"bounded": [x, np.int32(3)]})["bounded"]
    assert np.frombuffer(size, np.int32) == 3
    assert data[:12] == x[:3].tobytes()
    for size in (5, -2147483648):
        with pytest.raises(AssertionError, match=rf"1: .*bounded.mlir:2:16: .*set_dimension_size.*(?<!\d){size}\b"):
            harness.build_and_run(tmp_path, ["bounded"], {"bounded": [x, np.int32(size)]})


def test_cmake_function(tmp_path):
    options = [
        f"-DTENON_MODULE={ROOT / 'cmake' / 'TenonAot.cmake'}",
        f"-DTENON_COMMAND={harness.TENON}",
        f"-DTENON_THREADS_LIBRARY={harness.LIBRARIES / 'libtenon_threads.a'}",
        f"-DTENON_THREADS_INCLUDE={harness.THREADS_HEADER}",
    ]
    harness.run("cmake", "-S", ROOT / "test" / "aot" / "cmake_project", "-B", tmp_path, *options)
    harness.run("cmake", "--build", tmp_path)
    assert harness.run(tmp_path / "app") == "3 6 9\n"


def test_all_programs_in_one_binary(tmp_path):
    programs = Programs(tmp_path, sample=1 if WHOLE else 3)
    programs.compile()
    for threads in (0, 3):
        results = harness.build_and_run(tmp_path, list(programs.arguments), programs.arguments, threads=threads)
        if not threads:
            expected = {name: programs.expected(name) for name in programs.arguments}
        for name in programs.arguments:
            assert results[name] == expected[name], (name, threads)


if __name__ == "__main__":
    raise SystemExit(pytest.main([os.path.abspath(__file__), "-v"]))

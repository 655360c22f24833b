"""Compiles models ahead of time, builds C programs around them, and runs those."""

import os
import pathlib
import re
import subprocess

import numpy as np

TENON = os.environ["TENON_COMMAND"]
LIBRARIES = pathlib.Path(os.environ["TENON_LIBRARIES"])  # of the build: libtenon_threads.a
THREADS_HEADER = pathlib.Path(__file__).resolve().parents[2] / "tenon" / "aot" / "threads"


def run(*command, **options):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    assert result.returncode == 0, f"{' '.join(str(c) for c in command)}\n{result.stdout}{result.stderr}"
    return result.stdout


def just_in_time(program, arguments, folder, target="cpu"):
    """The bytes of each result of `tenon run`."""
    folder.mkdir(parents=True)
    paths = []
    for i, argument in enumerate(arguments):
        paths.append(folder / f"argument_{i}.npy")
        np.save(paths[-1], argument)
    given = ["--args", ",".join(str(path) for path in paths)] if paths else []
    run(TENON, "run", program, *given, "--target", target, "--out", folder)
    results = sorted(folder.glob("result_*.npy"), key=lambda path: int(path.stem.split("_")[1]))
    return [np.load(path).tobytes() for path in results]


def compile_model(program, folder, *options):
    """What the compiler says."""
    command = [TENON, "compile", program, "--aot", folder, *options]
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stderr


def fields(header, kind):
    """Names of the members of a model's struct."""
    body = re.search(r"typedef struct \w+_%s \{(.*?)\} " % kind, header, re.S).group(1)
    return [name for name in re.findall(r"^  (?:const )?\w+ \*(\w+);", body, re.M) if name != "none"]


def call_code(name, header, weights, threads):
    """C code of a function `int NAME_main(void)` that runs the model on files NAME.arg0, ... and writes NAME.res0, ..."""
    upper = name.upper()
    lines = [f'#include "{name}.h"', f"static int {name}_main(void) {{"]
    lines += [f"  {name}_arguments arguments = {{0}};", f"  {name}_results results = {{0}};"]
    for i, field in enumerate(fields(header, "arguments")):
        size = f"{upper}_ARGUMENT_{field.upper()}_BYTES"
        lines.append(f'  arguments.{field} = read_file("{name}.arg{i}", {size}, 1);')
    for field in fields(header, "results"):
        lines.append(f"  results.{field} = allocate({upper}_RESULT_{field.upper()}_BYTES, 1);")
    size = f"{upper}_ARENA_BYTES" + (f" + {threads - 1} * {upper}_ARENA_BYTES_PER_THREAD" if threads else "")
    lines.append(f"  void *arena = allocate({size}, {upper}_ALIGNMENT);")
    given = "&arguments, &results, "
    if weights:
        lines.append(f'  const void *weights = read_file("{name}.weights", {upper}_WEIGHTS_BYTES, {upper}_ALIGNMENT);')
        given += "weights, "
    if threads:
        lines.append(f"  TenonThreads *threads = tenon_threads_create({threads});")
        lines.append(f"  int code = {name}_run_parallel({given}arena, threads);")
        lines.append("  tenon_threads_destroy(threads);")
    else:
        lines.append(f"  int code = {name}_run({given}arena);")
    lines.append(f'  if (code != {upper}_OK) {{ fprintf(stderr, "%d: %s\\n", code, {name}_error(arena)); return code; }}')
    for i, field in enumerate(fields(header, "results")):
        lines.append(f'  write_file("{name}.res{i}", results.{field}, {upper}_RESULT_{field.upper()}_BYTES);')
    return "\n".join(lines + ["  return 0;", "}", ""])


FILES = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static void *allocate(size_t bytes, size_t alignment) {
  char *memory = (char *)malloc(bytes + alignment);
  memory += (alignment - (uintptr_t)memory % alignment) % alignment;
  for (size_t i = 0; i < bytes; ++i)
    memory[i] = (char)0xA5; /* nobody may rely on zeros */
  return memory;
}
static void *read_file_as(const char *name, size_t bytes, size_t alignment) {
  void *memory = allocate(bytes, alignment);
  FILE *file = fopen(name, "rb");
  if (!file || fread(memory, 1, bytes, file) != bytes) {
    perror(name);
    exit(100);
  }
  fclose(file);
  return memory;
}
static void write_file(const char *name, const void *data, size_t bytes) {
  FILE *file = fopen(name, "wb");
  fwrite(data, 1, bytes, file);
  fclose(file);
}
"""


def main_code(models, weights=False, threads=0):
    """A C99 program that runs each of the models ({name: header text})."""
    text = FILES.replace("read_file_as", "read_file")
    if threads:
        text += '#include "tenon_threads.h"\n'
    text += "".join(call_code(name, header, weights, threads) for name, header in models.items())
    calls = " || ".join(f"{name}_main()" for name in models)
    return text + f"int main(void) {{ return {calls}; }}\n"


def build_and_run(folder, models, arguments, compiler=("cc",), weights=False, threads=0, runner=(), sources=(),
                  libraries=()):  # fmt: skip
    """Results of each model, as bytes: {name: [...]}"""
    headers = {name: (folder / f"{name}.h").read_text() for name in models}
    (folder / "main.c").write_text(main_code(headers, weights, threads))
    for name in models:
        for i, argument in enumerate(arguments[name]):
            (folder / f"{name}.arg{i}").write_bytes(np.ascontiguousarray(argument).tobytes())
    link = [LIBRARIES / "libtenon_threads.a", "-pthread"] if threads else []
    run(*compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-I", THREADS_HEADER, "main.c",
        *sources, *(f"{name}.o" for name in models), *link, *libraries, "-lm", "-o", "main", cwd=folder)  # fmt: skip
    run(*runner, "./main", cwd=folder)
    results = {}
    for name, header in headers.items():
        count = len(fields(header, "results"))
        results[name] = [(folder / f"{name}.res{i}").read_bytes() for i in range(count)]
    return results


NUMPY_TYPES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16",
    "ui32": "uint32", "ui64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "complex<f32>": "complex64", "complex<f64>": "complex128", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
}  # fmt: skip


def make_array(shape, rng):
    """Of a shape as `tenon compile --report=json` describes it; None for types that NumPy cannot say."""
    import ml_dtypes

    name = NUMPY_TYPES.get(shape["type"])
    if name is None:
        return None
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    dims = shape["dimensions"]
    if dtype.kind == "b":
        return rng.integers(0, 2, dims).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0, 8, dims).astype(dtype)
    values = rng.uniform(-1, 1, dims)
    return (values + 1j * rng.uniform(-1, 1, dims)).astype(dtype) if dtype.kind == "c" else values.astype(dtype)


def from_bytes(data, shape):
    import ml_dtypes

    name = NUMPY_TYPES.get(shape["type"], "uint8")
    return np.frombuffer(data, np.dtype(getattr(ml_dtypes, name, name)))

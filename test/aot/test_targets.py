"""Programs compiled ahead of time for other processors and systems, run where something plays those."""

import pathlib
import re
import shutil

import harness
import models
import numpy as np
import pytest
from programs import ROOT, WHOLE, Programs, close

FREESTANDING = ROOT / "test" / "aot" / "freestanding"
AARCH64_COMPILER = ("clang-22", "--target=aarch64-linux-gnu", "-fuse-ld=lld")
AARCH64_RUNNER = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")


# Without a C library: freestanding/ has the little that is needed.
RISCV64_COMPILER = ("clang-22", "--target=riscv64-linux-gnu", "-fuse-ld=lld", "-ffreestanding", "-nostdlibinc", "-nostdlib", "-static",
                    "-I", FREESTANDING, FREESTANDING / "freestanding.c")  # fmt: skip


@pytest.mark.skipif(not shutil.which("qemu-riscv64"), reason="needs qemu-user")
def test_riscv64(tmp_path):
    programs = Programs(tmp_path, sample=1 if WHOLE else 6)
    programs.compile("--target-triple", "riscv64-linux-gnu")
    harness.run("llvm-ar-22", "rc", tmp_path / "libm.a")
    results = harness.build_and_run(
        tmp_path, list(programs.arguments), programs.arguments, compiler=(*RISCV64_COMPILER, "-L", tmp_path),
        runner=("qemu-riscv64",)
    )  # fmt: skip
    for name in programs.arguments:
        close(results[name], programs.expected(name, "reference"), programs.reports[name])


@pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="needs qemu-user, libc6-dev-arm64-cross")
@pytest.mark.parametrize("cpu", ["generic", "cortex-a76"])
def test_aarch64(tmp_path, cpu):
    programs = Programs(tmp_path, sample=1 if WHOLE else 4)
    programs.compile("--target-triple", "aarch64-linux-gnu", "--cpu", cpu)
    results = harness.build_and_run(
        tmp_path, list(programs.arguments), programs.arguments, compiler=AARCH64_COMPILER, runner=AARCH64_RUNNER
    )
    for name in programs.arguments:
        close(results[name], programs.expected(name, "reference"), programs.reports[name])


def check(programs, results):
    for name in programs.arguments:
        close(results[name], programs.expected(name, "reference"), programs.reports[name])


# glibc and libgcc of Debian's armhf. The code for microcontrollers is a part of what its processors run.
ARM_COMPILER = ("clang-22", "--target=arm-linux-gnueabihf", "-mfpu=vfpv3-d16", "-fuse-ld=lld", "-static")


needs_arm = pytest.mark.skipif(
    not shutil.which("qemu-arm") or not pathlib.Path("/usr/arm-linux-gnueabihf").exists(),
    reason="needs qemu-user, libc6-dev-armhf-cross, libgcc-12-dev-armhf-cross",
)


@needs_arm
@pytest.mark.parametrize(
    ("triple", "cpu"),
    [("arm-linux-gnueabihf", "generic"), ("thumbv7em-none-eabihf", "cortex-m4"), ("thumbv7em-none-eabihf", "cortex-m7")],
)
def test_arm(tmp_path, triple, cpu):
    programs = Programs(tmp_path, sample=1 if WHOLE else 6)
    programs.compile("--target-triple", triple, "--cpu", cpu)
    results = harness.build_and_run(
        tmp_path, list(programs.arguments), programs.arguments, compiler=ARM_COMPILER, runner=("qemu-arm",)
    )
    check(programs, results)


@needs_arm
def test_arm_has_subnormal_numbers(tmp_path):
    """Of a processor with NEON, too, which has none."""
    inputs = ROOT / "tenon" / "tools" / "test" / "Inputs"
    harness.compile_model(inputs / "add.mlir", tmp_path, "--target-triple", "arm-linux-gnueabihf", "--cpu", "cortex-a15")
    a, b = np.full((2, 3), 1e-40, np.float32), np.array([1e-40, -2e-40, 3e-45], np.float32)
    results = harness.build_and_run(tmp_path, ["add"], {"add": [a, b]}, compiler=ARM_COMPILER, runner=("qemu-arm",))
    assert results["add"] == [(a + b).tobytes()]


# What a model may want of a system for WebAssembly.
WASM_SYSTEM = """
#include <stddef.h>
void *memmove(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    size_t at = (size_t)to <= (size_t)from ? i : bytes - 1 - i;
    ((char *)to)[at] = ((const char *)from)[at];
  }
  return to;
}
void *memcpy(void *to, const void *from, size_t bytes) { return memmove(to, from, bytes); }
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((char *)to)[i] = (char)value;
  return to;
}
typedef unsigned long long u64;
__int128 __multi3(__int128 a, __int128 b) {
  u64 x = (u64)a, y = (u64)b, low = (unsigned)x, high = x >> 32, left = (unsigned)y, right = y >> 32;
  u64 first = low * left, second = high * left + (first >> 32), third = low * right + (unsigned)second;
  u64 top = high * right + (second >> 32) + (third >> 32) + (u64)(a >> 64) * y + x * (u64)(b >> 64);
  return (__int128)(((unsigned __int128)top << 64) | (u64)((third << 32) | (unsigned)first));
}
static __int128 join(u64 high, u64 low) { return (__int128)(((unsigned __int128)high << 64) | low); }
__int128 __ashlti3(__int128 a, int bits) {
  u64 high = (u64)(a >> 64), low = (u64)a;
  return bits == 0 ? a : bits >= 64 ? join(low << (bits - 64), 0) : join(high << bits | low >> (64 - bits), low << bits);
}
__int128 __lshrti3(__int128 a, int bits) {
  u64 high = (u64)(a >> 64), low = (u64)a;
  return bits == 0 ? a : bits >= 64 ? join(0, high >> (bits - 64)) : join(high >> bits, low >> bits | high << (64 - bits));
}
double round(double x) {
  double whole = __builtin_trunc(x);
  return __builtin_fabs(x - whole) >= 0.5 ? whole + __builtin_copysign(1.0, x) : __builtin_copysign(whole, x);
}
float roundf(float x) { return (float)round(x); }
static double error_of_sum(double a, double b) {
  double sum = a + b, part = sum - a;
  return (a - (sum - part)) + (b - part);
}
/* Rounded to odd as a double, and so once as a float. */
float fmaf(float a, float b, float c) {
  double product = (double)a * b, sum = product + c, error = error_of_sum(product, c);
  long long bits = __builtin_bit_cast(long long, sum);
  if (__builtin_isfinite(sum) && error != 0 && !(bits & 1))
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return (float)__builtin_bit_cast(double, bits);
}
/* Right to a bit or two. */
double fma(double a, double b, double c) {
  double product = a * b, sum = product + c, wide = 134217729.0;
  double ha = wide * a - (wide * a - a), la = a - ha, hb = wide * b - (wide * b - b), lb = b - hb;
  double error = ((ha * hb - product) + ha * lb + la * hb) + la * lb;
  return __builtin_isfinite(error) ? sum + (error_of_sum(product, c) + error) : sum;
}
"""


class WasmModel:
    """Models in a module of WebAssembly, called as their headers say."""

    def __init__(self, path):
        import wasmtime

        self.store = wasmtime.Store()
        linker = wasmtime.Linker(self.store.engine)
        module = wasmtime.Module.from_file(self.store.engine, str(path))
        number = wasmtime.ValType.f32()
        linker.define_func("env", "fmodf", wasmtime.FuncType([number] * 2, [number]), np.fmod)
        number = wasmtime.ValType.f64()
        linker.define_func("env", "fmod", wasmtime.FuncType([number] * 2, [number]), np.fmod)
        self.exports = linker.instantiate(self.store, module).exports(self.store)
        self.memory = self.exports["memory"]
        self.next = self.exports["__heap_base"].value(self.store)

    def allocate(self, contents):
        at = -(-self.next // 64) * 64
        self.next = at + len(contents)
        missing = self.next - self.memory.data_len(self.store)
        if missing > 0:
            self.memory.grow(self.store, -(-missing // 65536))
        self.memory.write(self.store, contents, at)
        return at

    def run(self, name, header, arguments):
        pointers = [self.allocate(np.ascontiguousarray(argument).tobytes()) for argument in arguments]
        sizes = [
            int(re.search(rf"#define {name.upper()}_RESULT_{field.upper()}_BYTES (\d+)", header).group(1))
            for field in harness.fields(header, "results")
        ]
        results = [self.allocate(b"\xa5" * size) for size in sizes]
        arena = self.allocate(b"\xa5" * self.exports[f"{name}_arena_bytes"](self.store, 1))
        structs = [self.allocate(np.array([*list_, 0], np.uint32).tobytes()) for list_ in (pointers, results)]
        assert self.exports[f"{name}_run"](self.store, *structs, arena) == 0
        return [bytes(self.memory.read(self.store, at, at + size)) for at, size in zip(results, sizes, strict=True)]


@pytest.mark.parametrize("cpu", ["generic", "bleeding-edge"])
def test_wasm32(tmp_path, cpu):
    """Without vectors and with them."""
    programs = Programs(tmp_path, sample=1 if WHOLE else 6)
    programs.compile("--target-triple", "wasm32-unknown-unknown", "--cpu", cpu)
    (tmp_path / "system.c").write_text(WASM_SYSTEM)
    clang = ("clang-22", "--target=wasm32", "-O1", "-nostdlib")
    harness.run(*clang, "-fno-builtin", "-c", "system.c", cwd=tmp_path)
    objects = [f"{name}.o" for name in programs.arguments]
    harness.run("wasm-ld-22", "--no-entry", "--export-all", "--allow-undefined", "system.o", *objects, "-o", "all.wasm",
                cwd=tmp_path)  # fmt: skip
    wasm = WasmModel(tmp_path / "all.wasm")
    results = {}
    for name, arguments in programs.arguments.items():
        results[name] = wasm.run(name, (tmp_path / f"{name}.h").read_text(), arguments)
    check(programs, results)


# The system's triple and its object's format, the public symbol, and all that may be undefined.
SYSTEMS = {
    "arm64-apple-macos": ("Mach-O arm64", "_digits_run", {"_memcpy", "_memset", "_memmove", "_bzero"}),
    "x86_64-apple-macos": ("Mach-O 64-bit x86-64", "_digits_run", {"_memcpy", "_memset", "_memmove", "_bzero"}),
    "x86_64-pc-windows-msvc": ("COFF-x86-64", "digits_run", {"memcpy", "memset", "memmove", "_fltused", "__chkstk"}),
}


@pytest.mark.parametrize("triple", SYSTEMS)
def test_objects_of_other_systems(tmp_path, triple):
    kind, symbol, allowed = SYSTEMS[triple]
    program = tmp_path / "digits.mlirbc"
    models.save(models.digits, program)
    harness.compile_model(program, tmp_path, "--target-triple", triple)
    printed = harness.run("llvm-readobj-22", "--file-headers", tmp_path / "digits.o")
    assert f"Format: {kind}" in printed
    table = harness.run("llvm-nm-22", tmp_path / "digits.o")
    names = {kind_: set(re.findall(rf" {kind_} (\S+)", table)) for kind_ in "TU"}
    prefix = symbol.removesuffix("digits_run")
    public = {"run", "run_parallel", "error", "arena_bytes"}
    assert names["T"] == {f"{prefix}digits_{name}" for name in public}
    assert names["U"] <= allowed


TRIPLES = [
    "x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "arm-linux-gnueabihf", "thumbv7em-none-eabihf",
    "thumbv7em-none-eabi", "wasm32-unknown-unknown", *SYSTEMS,
]  # fmt: skip
PERCEPTRON = """func.func @main(%x: tensor<1x64xf32>, %a: tensor<64x32xf32>, %b: tensor<32x10xf32>) -> tensor<1x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x32xf32>
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<1x32xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x10xf32>) -> tensor<1x10xf32>
  %3 = stablehlo.tanh %2 : tensor<1x10xf32>
  return %3 : tensor<1x10xf32>
}"""


@pytest.mark.parametrize("triple", TRIPLES)
def test_objects_are_small(tmp_path, triple):
    """Of an addition, whose code is nearly all what is around the kernels, and of two layers of a network."""
    (tmp_path / "perceptron.mlir").write_text(PERCEPTRON)
    inputs = ROOT / "tenon" / "tools" / "test" / "Inputs"
    sizes = {}
    for program in (inputs / "add.mlir", tmp_path / "perceptron.mlir"):
        cpu = "x86-64" if triple.startswith("x86_64") else "generic"
        harness.compile_model(program, tmp_path, "--target-triple", triple, "--cpu", cpu)
        sizes[program.stem] = (tmp_path / f"{program.stem}.o").stat().st_size
    print(sizes)
    assert sizes["add"] < 3 << 10
    assert sizes["perceptron"] < 12 << 10

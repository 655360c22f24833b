"""Models compiled ahead of time for GPUs: what is in them, and that they run, on a GPU that the host plays."""

import os
import pathlib
import re
import subprocess

import harness
import numpy as np
import pytest

ARCHIVE = harness.LIBRARIES / "libtenon_cuda.a"
DRIVER = harness.LIBRARIES / "emulated"  # a folder that has libcuda.so.1

# A loop whose arrays exchange places, a branch, and a constant.
PROGRAM = """
func.func @main(%a: tensor<40xf32>, %n: tensor<i32>) -> (tensor<40xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %steps = stablehlo.iota dim = 0 : tensor<40xf32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %steps) : tensor<i32>, tensor<40xf32>, tensor<40xf32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %s = stablehlo.add %x, %y : tensor<40xf32>
         %t = stablehlo.tanh %s : tensor<40xf32>
         %r = stablehlo.reverse %t, dims = [0] : tensor<40xf32>
         %o = stablehlo.add %i, %one : tensor<i32>
         stablehlo.return %o, %y, %r : tensor<i32>, tensor<40xf32>, tensor<40xf32> }
  return %0#1, %0#0 : tensor<40xf32>, tensor<i32>
}
"""

# Runs the model on files, with the driver's own functions around it; three runs in a row, none waited for.
MAIN = r"""
#include "net.h"
typedef int Any;
extern int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status);
static void *look_up(const char *name) {
  void *function = NULL;
  if (cuGetProcAddress_v2(name, &function, 12000, 0, NULL) != 0) { fprintf(stderr, "no %s\n", name); exit(99); }
  return function;
}
#define CALL(name, types, ...) do { Any (*f) types; *(void **)&f = look_up(name); \
  if (f(__VA_ARGS__) != 0) { fprintf(stderr, "%s fails\n", name); exit(98); } } while (0)
static uint64_t memory(size_t bytes, const void *contents, void *stream) {
  uint64_t address = 0;
  CALL("cuMemAlloc", (uint64_t *, size_t), &address, bytes);
  if (contents) CALL("cuMemcpyHtoDAsync", (uint64_t, const void *, size_t, void *), address, contents, bytes, stream);
  return address;
}
int main(void) {
  void *context = NULL, *stream = NULL;
  net_model *model = NULL;
  CALL("cuInit", (unsigned), 0);
  if (net_load(&model) != NET_FAILED || model) return 1;
  puts(net_error());
  CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
  CALL("cuCtxSetCurrent", (void *), context);
  CALL("cuStreamCreate", (void **, unsigned), &stream, 0);
  if (net_load(&model) != NET_OK) { puts(net_error()); return 2; }
  for (int run = 0; run < 3; ++run) {
    int32_t n = 0;
    net_arguments arguments = {0};
    net_results results = {0};
    float *host = read_file_as("net.arg0", NET_ARGUMENT_A_BYTES, 1);
    int32_t *count = (int32_t *)allocate(sizeof n, 4);
    *count = run * 2;
    arguments.a = (const float *)memory(NET_ARGUMENT_A_BYTES, host, stream);
    arguments.n = (const int32_t *)memory(sizeof n, count, stream);
    results.result0 = (float *)memory(NET_RESULT_RESULT0_BYTES, NULL, stream);
    results.result1 = (int32_t *)memory(sizeof n, NULL, stream);
    if (net_run(model, stream, &arguments, &results) != NET_OK) { puts(net_error()); return 3; }
    results_[run][0] = (uint64_t)results.result0;
    results_[run][1] = (uint64_t)results.result1;
  }
  for (int run = 0; run < 3; ++run) {
    float out[40];
    int32_t n = 0;
    char name[] = "net.res0_0";
    name[9] = (char)('0' + run);
    CALL("cuMemcpyDtoHAsync", (void *, uint64_t, size_t, void *), out, results_[run][0], sizeof out, stream);
    CALL("cuMemcpyDtoHAsync", (void *, uint64_t, size_t, void *), &n, results_[run][1], sizeof n, stream);
    CALL("cuStreamSynchronize", (void *), stream);
    if (n != run * 2) return 4;
    write_file(name, out, sizeof out);
  }
  if (net_unload(model) != NET_OK) return 5;
  CALL("cuStreamDestroy", (void *), stream);
  puts(net_fingerprint);
  return 0;
}
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "net.mlir"
    path.write_text(PROGRAM)
    return path


def build(folder, *libraries):
    main = harness.FILES + "static uint64_t results_[3][2];\n" + MAIN
    (folder / "main.c").write_text(main)
    harness.run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-c", "main.c", cwd=folder)
    harness.run("c++", "main.o", "net.o", ARCHIVE, *libraries, "-ldl", "-pthread", "-lm", "-o", "main", cwd=folder)


def test_runs_that_do_not_wait(program, tmp_path):
    out = tmp_path / "out"
    harness.compile_model(program, out, "--target", "emulated:sm_90a")
    build(out, DRIVER / "libcuda.so.1")
    values = np.linspace(-2, 2, 40, dtype=np.float32)
    (out / "net.arg0").write_bytes(values.tobytes())
    said = harness.run("./main", cwd=out, env={**os.environ, "LD_LIBRARY_PATH": str(DRIVER)}).splitlines()
    assert said[0].startswith("the thread has no CUDA context")
    assert f'NET_FINGERPRINT "{said[1]}"' in (out / "net.h").read_text()
    for run in range(3):
        arguments = [values, np.array(2 * run, np.int32)]
        expected = harness.just_in_time(program, arguments, tmp_path / f"jit{run}", "emulated")
        assert (out / f"net.res0_{run}").read_bytes() == expected[0]


def test_has_ptx_and_machine_code(program, tmp_path):
    out = tmp_path / "out"
    harness.compile_model(program, out, "--target", "cuda:sm_90a")
    data = (out / "net.o").read_bytes()
    assert b".target sm_90a" in data and b".visible .entry tenon_bind" in data
    # Machine code is an ELF file for EM_CUDA, 190.
    assert any(data[at.start() + 18 : at.start() + 20] == b"\xbe\x00" for at in re.finditer(b"\x7fELF", data))
    used = set(re.findall(r" U (\S+)", harness.run("nm", "-u", out / "net.o")))
    assert used == {"tenon_cuda_load", "tenon_cuda_run", "tenon_cuda_unload", "tenon_cuda_error"}


def test_left_to_the_driver(program, tmp_path):
    environment = {**os.environ, "TENON_CUDA_ASSEMBLER": "driver"}
    command = [harness.TENON, "compile", program, "--aot", tmp_path / "out", "--target", "cuda:sm_80"]
    harness.run(*command, env=environment)
    data = (tmp_path / "out" / "net.o").read_bytes()
    assert b".target sm_80" in data and data.count(b"\x7fELF") == 1


def test_says_where_there_is_no_driver(program, tmp_path):
    out = tmp_path / "out"
    harness.compile_model(program, out, "--target", "emulated:sm_90a")
    (out / "main.c").write_text(
        '#include "net.h"\n#include <stdio.h>\n'
        "int main(void) { net_model *model; int code = net_load(&model); puts(net_error()); return code != NET_FAILED; }"
    )
    harness.run("cc", "-std=c99", "-pedantic", "-Wall", "-Werror", "-c", "main.c", cwd=out)
    harness.run("c++", "main.o", "net.o", ARCHIVE, "-ldl", "-pthread", "-lm", "-o", "main", cwd=out)
    listed = harness.run("ldd", "main", cwd=out)
    assert not re.search("cuda|nvidia|cublas", listed)
    if pathlib.Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a driver")
    assert "there is no driver of NVIDIA's" in harness.run("./main", cwd=out)


def refused(program, folder, *options):
    path = folder / "refused.mlir"
    path.write_text(program)
    command = [harness.TENON, "compile", path, "--aot", folder / "out", "--target", "cuda:sm_90a", *options]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    return result.stderr


def test_refuses_what_the_host_is_called_for(tmp_path):
    said = refused(
        """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @mine(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}""",
        tmp_path,
    )
    assert "refused.mlir:2" in said and "'mine' is called by the host" in said
    assert "weights in a file" in refused(PROGRAM, tmp_path, "--weights", "external")
    assert "not written as a shared library" in refused(PROGRAM, tmp_path, "--shared")

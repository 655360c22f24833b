"""Portable libraries (cmake/portable): what they are linked with, and the functions that older C libraries do not have."""

import ctypes
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORTABLE = ROOT / "cmake" / "portable"
sys.path.insert(0, str(ROOT / "scripts"))

import check_portable  # noqa: E402

# Uses what has come or changed since: bits of 0: files, 1: a wait that ends, 2: numbers, 3: memory, 4: an exception.
PROBE = r"""
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <malloc.h>
#include <random>
#include <stdexcept>
#include <thread>
#ifdef NO_NEWER
extern "C" __attribute__((visibility("hidden"))) void *no_newer(void *, const char *) { return nullptr; }
#endif
extern "C" uint32_t arc4random(void) noexcept;
extern "C" __attribute__((visibility("default"))) int probe(const char *path, double x) {
  int wrong = std::filesystem::file_size(path) == 3 && !std::filesystem::exists(std::string(path) + "x") ? 0 : 1;
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  bool ends = false;
  std::thread waker([&] {
    std::lock_guard guard(mutex);
    ends = true;
    condition.notify_all();
  });
  wrong |= condition.wait_for(lock, std::chrono::hours(1000000), [&] { return ends; }) ? 0 : 2;
  wrong |= condition.wait_for(lock, std::chrono::nanoseconds(1)) == std::cv_status::timeout ? 0 : 2;
  lock.unlock();
  waker.join();
  wrong |= std::exp(x) == 1 && arc4random() != arc4random() ? 0 : 4;
  void *memory = std::malloc(1000);
  wrong |= mallinfo2().uordblks >= 1000 ? 0 : 8;
  std::free(memory);
  try {
    wrong |= 16;
    throw std::runtime_error(path);
  } catch (const std::exception &) {
    wrong &= ~16;
  }
  return wrong;
}
"""


# Its initializers run once, before main, and get the arguments; what is registered to be done at the end is done.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <string>
static std::string text = "a";
static int grown = (text += "b", 1), seen;
static const char *first;
__attribute__((constructor)) static void construct(int count, char **arguments, char **) {
  seen += count;
  first = arguments[1];
}
struct AtExit {
  ~AtExit() { std::puts("destroyed"); }
} atExit;
int main(int count, char **arguments) {
  std::printf("%s %d %s %d %s\n", text.c_str(), seen, first, count, std::getenv("PROBE"));
  return 7;
}
"""


def run(*command):
    subprocess.run(command, check=True)


def link(folder, name, code, *options, shim_options=(), target=(), compiler=("clang++-22", "-std=c++20", "-static-libstdc++"), suffix="cpp"):
    """What is made of the code, linked as what is portable is; `shim_options` for the functions that it brings along."""
    shims, source, linked = folder / "libshims.a", folder / f"source.{suffix}", folder / name
    source.write_text(code)
    for part in ("newer_functions", "older_start"):
        run("clang-22", *target, "-c", "-O1", "-fPIC", "-Wall", "-Werror", *shim_options, PORTABLE / f"{part}.c", "-o", folder / f"{part}.o")
    run("llvm-ar-22", "rcs", shims, folder / "newer_functions.o", folder / "older_start.o")
    run(sys.executable, PORTABLE / "libraries.py", "--shims", shims, "--output", folder / "link", "--compiler", "clang-22", *target)
    run(*compiler, *target, *options, source, "-o", linked, "-fuse-ld=lld",
        f"-L{folder / 'link'}", "-Wl,--exclude-libs,ALL")  # fmt: skip
    return linked


@pytest.mark.parametrize("options", [(), ("-DNO_NEWER", "-Ddlsym=no_newer")], ids=["newer", "older"])
def test_libraries_need_an_older_c_library_and_work(tmp_path, options):
    library = link(tmp_path, "probe.so", PROBE, "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-z,defs", *options, shim_options=options)
    assert list(check_portable.problems(library)) == []
    file = tmp_path / "three"
    file.write_text("abc")
    probe = ctypes.CDLL(str(library)).probe
    probe.argtypes = [ctypes.c_char_p, ctypes.c_double]
    assert probe(os.fsencode(file), 0.0) == 0


@pytest.mark.parametrize("options", [("-fPIE", "-pie"), ("-fno-pie", "-no-pie")], ids=["pie", "fixed"])
def test_programs_start_with_an_older_c_library(tmp_path, options):
    program = link(tmp_path, "program", PROGRAM, *options, "-Wl,--wrap=__libc_start_main", "-Wl,--allow-shlib-undefined")
    assert list(check_portable.problems(program)) == []
    done = subprocess.run([program, "x"], capture_output=True, text=True, env={"PROBE": "set"})
    assert (done.returncode, done.stdout) == (7, "ab 2 x 2 set\ndestroyed\n")


# Through functions that it brings along, and ones that have moved between libraries since.
PROGRAM_IN_C = r"""
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <pthread.h>
static int seen;
__attribute__((constructor)) static void construct(void) { ++seen; }
static void *half(void *argument) { *(double *)argument = exp(-log(2)); return 0; }
int main(int count, char **arguments) {
  struct stat found;
  pthread_t thread;
  double result = 0;
  if (stat(arguments[0], &found) || pthread_create(&thread, 0, half, &result) || pthread_join(thread, 0))
    return 1;
  printf("%d %d %.3f\n", seen, found.st_size > 0, result);
  return 7;
}
"""


def test_programs_for_another_architecture(tmp_path):
    program = link(tmp_path, "program", PROGRAM_IN_C, "-Wl,--wrap=__libc_start_main", "-Wl,--allow-shlib-undefined", "-lm",
                   target=["--target=aarch64-linux-gnu"], compiler=["clang-22"], suffix="c")  # fmt: skip
    assert list(check_portable.problems(program)) == []
    done = subprocess.run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (7, "1 1 0.500\n")


def test_what_older_systems_do_not_have_is_found(tmp_path):
    source, library = tmp_path / "plain.cpp", tmp_path / "plain.so"
    source.write_text('#include <string>\n#include <dlfcn.h>\nstd::string name() { return dlerror(); }\nint x, *p = &x;')
    run("clang++-22", "-shared", "-fPIC", "-fuse-ld=lld", "-Wl,-z,pack-relative-relocs", source, "-o", library)
    found = list(check_portable.problems(library))
    assert "needs libstdc++.so.6" in found
    assert "needs GLIBC_2.34" in found
    assert "has relocations in RELR form" in found

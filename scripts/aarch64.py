#!/usr/bin/env python3
"""Builds the portable wheels `jax-tenon` and `tenon-compiler` for Linux on AArch64, on any machine, and tries them under QEMU.

    scripts/aarch64.py [sysroot] [build] [wheel] [try] [--folder build/aarch64] [--output DIR] [--jobs N]

All four parts, where none is named:
  sysroot  Debian's libraries for arm64, in the versions of cmake/aarch64/packages.txt, unpacked into FOLDER/sysroot. Nothing
           of the system changes: apt works on a state of its own there.
  build    what goes into the wheels, and the accuracy record, compiled by Clang in FOLDER/build (cmake/aarch64/toolchain.cmake)
  wheel    scripts/build_wheel.py, into FOLDER/dist or another --output
  try      programs against the interpreter, jobs of processes, a model that is served, elementary functions against MPFR, and
           JAX and Python with the wheels, under qemu-aarch64
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from test_versions import PACKAGE_PROGRAM, PROGRAM

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("sysroot", "build", "wheel", "try")
MACHINE = "aarch64"
WHEELS = ("jax-tenon", "tenon-compiler")
TARGETS = ("pjrt_tenon_portable", "tenon_processes_portable", "tenon_python_portable_package", "tenon_portable", "tenon_accuracy")
# What has to start on older systems, by the place in the build.
PORTABLE = ("lib/libpjrt_tenon.so", "lib/libtenon_processes.so", "python/tenon/_tenon.abi3.so", "bin/tenon")
# Functions that are computed by tables, by pieces, by exponents and by halves: what has instructions of its own here.
FUNCTIONS = r"\.(exponential|log|tanh|sine|cbrt|power) (f32|f16|bf16)$"


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


class Apt:
    """apt for arm64, with lists, archives and a database of installed packages in a folder."""

    def __init__(self, folder):
        for part in ("lists/partial", "archives/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        settings = {
            "APT::Architecture": "arm64",
            "APT::Architectures::": "arm64",
            "APT::Sandbox::User": "",
            "Debug::NoLocking": "1",
            "Dir::State": folder,
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder,
        }
        self._command = ["apt-get", "-qq", *(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))]

    def __call__(self, *arguments, **options):
        run(*self._command, *arguments, **options)

    def versions(self, name):
        """What the archive has of a package, the newest first."""
        command = ["apt-cache", *self._command[2:], "madison", name]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return [fields[1].strip() for line in lines if (fields := line.split("|"))[0].strip() == name]


def packages():
    lines = (ROOT / "cmake" / "aarch64" / "packages.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def available(apt):
    """The packages in their versions, or in the newest where the archive has one no more: a fix took its place."""
    found = []
    for package in packages():
        name, version = package.split("=")
        versions = apt.versions(name)
        if not versions:
            raise SystemExit(f"aarch64.py: the archive has no {name} for arm64 ({ROOT / 'cmake' / 'aarch64' / 'packages.txt'})")
        if version not in versions:
            print(f"{name} {version} is not to be had any more: taking {versions[0]}")
            version = versions[0]
        found.append((name, version))
    return found


def enter(archive, database):
    """Has dpkg-query know the package: notices.py asks it for versions, and which package a file is of."""
    control = subprocess.run(["dpkg-deb", "--field", archive], capture_output=True, text=True, check=True).stdout
    fields = dict(re.findall(r"^(Package|Multi-Arch): (.*)$", control, re.MULTILINE))
    with (database / "status").open("a") as status:
        status.write(control.replace("\n", "\nStatus: install ok installed\n", 1) + "\n")
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "--list"], input=tar, capture_output=True, check=True).stdout.decode().splitlines()
    suffix = ":arm64" if fields.get("Multi-Arch") == "same" else ""
    listed = "".join(f"/{name.removeprefix('./').rstrip('/')}\n" for name in names if name != "./")
    (database / "info" / f"{fields['Package']}{suffix}.list").write_text(listed)


def make_links_relative(root):
    """Absolute ones would lead out of the sysroot."""
    for path in root.rglob("*"):
        if path.is_symlink() and os.path.isabs(target := os.readlink(path)):
            path.unlink()
            path.symlink_to(os.path.relpath(root / target.lstrip("/"), path.parent))


def make_sysroot(options):
    root, made = options.folder / "sysroot", options.folder / "sysroot.packages"
    wanted = "\n".join(packages()) + "\n"
    if made.is_file() and made.read_text() == wanted:
        return
    apt, archives = Apt(options.folder / "apt"), options.folder / "apt" / "archives"
    apt("update")
    found = available(apt)
    apt("download", *(f"{name}={version}" for name, version in found), cwd=archives)
    shutil.rmtree(root, ignore_errors=True)
    database = root / "var" / "lib" / "dpkg"
    (database / "info").mkdir(parents=True)
    (database / "info" / "format").write_text("1\n")  # whose lists have the architecture in their names
    (database / "updates").mkdir()
    for name, version in found:
        [archive] = archives.glob(f"{name}_{version.replace(':', '%3a')}_*.deb")
        run("dpkg-deb", "--extract", archive, root)
        enter(archive, database)
    make_links_relative(root)
    made.write_text(wanted)


def pinned(*names):
    lines = (ROOT / "requirements-demo.txt").read_text().splitlines()
    return [line for line in lines if line.split("==")[0] in names]


def install(site, *packages):
    """As pip takes them for such a machine, with Debian's Python."""
    shutil.rmtree(site, ignore_errors=True)
    platforms = [part for tag in ("2014", "_2_27", "_2_28") for part in ("--platform", f"manylinux{tag}_{MACHINE}")]
    run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", site, "--only-binary=:all:",
        "--python-version", "3.11", *platforms, *packages)  # fmt: skip


def build(options):
    folder, site = options.folder / "build", options.folder / "build-packages"
    if not site.is_dir():
        install(site, *pinned("nanobind-backend", "numpy"))  # what the package imports while its stub is made
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'aarch64' / 'toolchain.cmake'}",
        f"-DTENON_SYSROOT={options.folder / 'sysroot'}", f"-DTENON_SITE_PACKAGES={site}")  # fmt: skip
    run("ninja", "-C", folder, "-j", options.jobs, *TARGETS)
    run(sys.executable, ROOT / "scripts" / "check_portable.py", *(folder / "portable" / file for file in PORTABLE))


def make_wheels(options):
    run(sys.executable, ROOT / "scripts" / "build_wheel.py", *WHEELS, "--portable", "--no-build", "--machine", MACHINE,
        "--sysroot", options.folder / "sysroot", "--build", options.folder / "build", "--output", options.output)  # fmt: skip


def emulated(options, *command, **further):
    run("qemu-aarch64", "-L", options.folder / "sysroot", *command, **further)


def try_command(options):
    command, inputs = options.folder / "build" / "portable" / "bin" / "tenon", ROOT / "tenon" / "tools" / "test" / "Inputs"
    emulated(options, command, "version")
    emulated(options, command, "test-target", "cpu")
    for program in ("fft.mlir", "rng.mlir"):
        emulated(options, command, "check", inputs / program)


SERVED = """func.func @main(%x: tensor<?xf32> loc("x")) -> tensor<?xf32> {
  %y = stablehlo.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""
REQUEST = {"inputs": [{"name": "x", "shape": [3], "datatype": "FP32", "data": [1, 2.5, -3]}]}


def add_model(models):
    """As a deployment does it: whole folders appear under their names."""
    (models / ".twice" / "1").mkdir(parents=True)
    (models / ".twice" / "1" / "model.mlir").write_text(SERVED)
    (models / ".twice").rename(models / "twice")


def get(url, body=None):
    """What a server answers; None where it is not ready."""
    try:
        with urllib.request.urlopen(url, body) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        if error.code in (404, 503):
            return None
        raise


def emulated_command(options, path):
    """The command as a program of this machine."""
    command = options.folder / "build" / "portable" / "bin" / "tenon"
    path.write_text(f'#!/bin/sh\nexec qemu-aarch64 -L {options.folder / "sysroot"} {command} "$@"\n')
    path.chmod(0o755)
    return path


def try_jobs(options):
    """`tenon run` as several processes."""
    command = emulated_command(options, options.folder / "tenon")
    run(sys.executable, "-m", "pytest", "-q", ROOT / "tenon" / "tools" / "job", env=dict(os.environ, TENON_COMMAND=str(command)))


@contextlib.contextmanager
def server(options):
    """`tenon serve` with a folder of models: its port, the folder, and where it speaks HTTP."""
    folder = options.folder / "serving"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "models").mkdir(parents=True)
    copy = shutil.copy(options.folder / "build" / "portable" / "bin" / "tenon", folder)
    started = ["qemu-aarch64", "-L", options.folder / "sysroot", copy, "serve", "--print-port", "--listen=127.0.0.1:0",
               "--http=127.0.0.1:0", f"--models={folder / 'models'}", "--model-poll=0.1"]  # fmt: skip
    with subprocess.Popen([str(part) for part in started], stdout=subprocess.PIPE, text=True) as process:
        try:
            port, _, http_port = process.stdout.readline().split()
            # What an emulated process starts runs on this machine: the server's workers need an emulator, too.
            emulated_command(options, folder / "script").rename(copy)
            yield port, folder / "models", f"http://127.0.0.1:{http_port}/v2"
        finally:
            process.terminate()
    if process.returncode != 0:
        sys.exit(f"the server has ended with {process.returncode}")


def try_server(options):
    """A model, over HTTP."""
    with server(options) as (_port, models, url):
        add_model(models)
        while get(f"{url}/models/twice/ready") is None:
            time.sleep(0.1)
        answer = json.loads(get(f"{url}/models/twice/infer", json.dumps(REQUEST).encode()))
    if answer["outputs"][0]["data"] != [2, 5, -6]:
        sys.exit(f"the server has answered {answer}")


def try_functions(options):
    emulated(options, options.folder / "build" / "bin" / "tenon_accuracy", "--check", "--filter", FUNCTIONS)


CLIENT_PROGRAM = """
import os, numpy as np, tenon
client = tenon.Client.connect("127.0.0.1:" + os.environ["PORT"])
builder = tenon.ComputationBuilder("f", client)
builder.parameter(0, "f32[2]", "x") + 1
np.testing.assert_array_equal(tenon.compile(builder.build(), client=client)([1, 2]), [2, 3])
"""


# Of two processes with two devices each.
JOB_PROGRAM = """
import os, numpy as np, jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec
number = int(os.environ["NUMBER"])
jax.distributed.initialize("127.0.0.1:" + os.environ["PORT"], num_processes=2, process_id=number)
mesh = jax.make_mesh((4,), ("d",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, PartitionSpec("d")), np.arange(4, dtype=np.float32) + 4 * number)
total = jax.shard_map(lambda x: jax.lax.psum(jnp.sum(x), "d"), mesh=mesh, in_specs=PartitionSpec("d"), out_specs=PartitionSpec())
assert float(jax.jit(total)(x)) == 28
"""


def install_wheel(options, name, *packages):
    [wheel] = options.output.glob(f"{name.replace('-', '_')}-*_{MACHINE}.whl")
    install(options.folder / "site-packages", *pinned(*packages), wheel)


def run_python(options, program, *settings):
    """A process for each of the settings, which are variables of the environment, with what was installed last."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TENON_", "JAX_", "PYTHON"))}
    plain["PYTHONPATH"] = str(options.folder / "site-packages")
    command = ["qemu-aarch64", "-L", options.folder / "sysroot", options.folder / "sysroot/usr/bin/python3.11", "-c", program]
    processes = [subprocess.Popen([str(part) for part in command], env=dict(plain, **variables)) for variables in settings]
    if any([process.wait() for process in processes]):
        sys.exit("a program has failed")


def try_python(options):
    install_wheel(options, "jax-tenon", "jax", "jaxlib", "numpy", "scipy", "ml_dtypes")
    run_python(options, PROGRAM, {"JAX_PLATFORMS": "tenon"})
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        job = {"JAX_PLATFORMS": "tenon", "TENON_NUM_DEVICES": "2", "PORT": str(listener.getsockname()[1])}
    run_python(options, JOB_PROGRAM, dict(job, NUMBER="0"), dict(job, NUMBER="1"))
    install_wheel(options, "tenon-compiler", "nanobind-backend", "numpy")
    with server(options) as (port, _models, _url):
        run_python(options, PACKAGE_PROGRAM + CLIENT_PROGRAM, {"PORT": port})


def try_all(options):
    try_command(options)
    try_jobs(options)
    try_server(options)
    try_functions(options)
    try_python(options)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    arguments.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "aarch64")
    arguments.add_argument("--output", type=pathlib.Path)
    arguments.add_argument("--jobs", default=str(os.cpu_count()))
    options = arguments.parse_args()
    options.folder = options.folder.resolve()
    options.output = options.output or options.folder / "dist"
    options.folder.mkdir(parents=True, exist_ok=True)
    for part in options.parts:
        if part not in PARTS:
            arguments.error(f"there is no part {part} among {', '.join(PARTS)}")
    steps = dict(zip(PARTS, (make_sysroot, build, make_wheels, try_all), strict=True))
    for part in options.parts or PARTS:
        print(f"== {part}", flush=True)
        steps[part](options)


if __name__ == "__main__":
    main()

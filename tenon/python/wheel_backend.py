"""The build backend (PEP 517) of the wheels `jax-tenon` and `tenon-compiler`: puts compiled and Python files into a zip.

scripts/build_wheel.py calls it through pip; without its word, the plug-in is built first, as pip asks of the project or of
its source distribution. It needs nothing but Python's standard library. Which wheel, and what goes
in, is named by the environment: TENON_WHEEL_NAME and TENON_WHEEL_VERSION; of `jax-tenon` TENON_WHEEL_LIBRARY, the
plugin, TENON_WHEEL_PROCESSES, what it opens in jobs of several processes (optional), and TENON_WHEEL_COMMAND (optional); of `tenon-compiler` TENON_WHEEL_PACKAGE, the package as the build has it. TENON_WHEEL_NOTICES
is a file with the licences of other projects.
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
# What scripts/setup.sh fetches, and building needs: headers of C interfaces, and the library of `tenon view` with its notice.
FETCHED = ".setup"


def _version():
    version = os.environ.get("TENON_WHEEL_VERSION")
    return version or re.search(r"project\(Tenon VERSION ([\d.]+)", (PROJECT / "CMakeLists.txt").read_text())[1]


def _platform_tag():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _oldest_and_newest_jax():
    versions = {}
    exec((HERE / "jax_plugins" / "tenon" / "_versions.py").read_text(), versions)
    return versions["OLDEST"], versions["NEWEST"]


_OLDEST_JAX, _NEWEST_JAX = _oldest_and_newest_jax()


class _JaxTenon:
    name = "jax-tenon"
    summary = "Tenon, a compiler and runtime for StableHLO programs, as a platform of JAX"
    # What the plug-in refuses when it starts, pip need not take.
    requires = [f"jax>={_OLDEST_JAX},<={_NEWEST_JAX}"]
    extras = {}
    python = ">=3.11"
    readme = HERE / "README.md"
    tag = f"py3-none-{_platform_tag()}"
    further_files = {"entry_points.txt": "[jax_plugins]\ntenon = jax_plugins.tenon\n"}

    def add_to(self, wheel):
        package = HERE / "jax_plugins" / "tenon"
        for source in sorted(package.rglob("*.py")):
            wheel.add(f"jax_plugins/tenon/{source.relative_to(package).as_posix()}", source.read_bytes())
        library = pathlib.Path(os.environ["TENON_WHEEL_LIBRARY"])
        wheel.add("jax_plugins/tenon/libpjrt_tenon.so", library.read_bytes(), executable=True)
        processes = os.environ.get("TENON_WHEEL_PROCESSES")
        if processes:
            wheel.add("jax_plugins/tenon/libtenon_processes.so", pathlib.Path(processes).read_bytes(), executable=True)
            # Users compile it for their MPI.
            shim = HERE.parent / "runtime" / "control" / "tenon_mpi.c"
            wheel.add("jax_plugins/tenon/tenon_mpi.c", shim.read_bytes())
        serve = os.environ.get("TENON_WHEEL_SERVE")
        if serve:
            wheel.add("jax_plugins/tenon/libtenon_serve.so", pathlib.Path(serve).read_bytes(), executable=True)
        command = os.environ.get("TENON_WHEEL_COMMAND")
        if command:
            wheel.add(f"jax_tenon-{_version()}.data/scripts/tenon", pathlib.Path(command).read_bytes(), executable=True)


class _Tenon:
    # What is imported is `tenon`, which is somebody else's name on PyPI.
    name = "tenon-compiler"
    summary = "Tenon, a compiler and runtime for StableHLO programs"
    requires = ["nanobind-backend>=1.0", "numpy>=2.0"]
    # What importing models needs.
    extras = {
        "import": [f"jax>={_OLDEST_JAX}", "onnx>=1.19"],
        "import-torch": [f"jax>={_OLDEST_JAX}", "torch>=2.9", "torchax>=0.0.13"],
    }
    python = ">=3.11"
    readme = HERE / "package" / "README.md"
    # The extension module uses nothing that CPython does not keep for later versions.
    tag = f"cp311-abi3-{_platform_tag()}"
    further_files = {}

    def add_to(self, wheel):
        package = pathlib.Path(os.environ["TENON_WHEEL_PACKAGE"])
        for source in sorted(package.rglob("*")):
            if source.suffix in (".py", ".pyi", ".so", ".typed"):
                name = source.relative_to(package).as_posix()
                wheel.add(f"tenon/{name}", source.read_bytes(), executable=source.suffix == ".so")


def _package():
    name = os.environ.get("TENON_WHEEL_NAME", _JaxTenon.name)
    return {package.name: package for package in (_JaxTenon, _Tenon)}[name]()


def _metadata(package, licences=("LICENSE", "NOTICES")):
    lines = ["Metadata-Version: 2.4", f"Name: {package.name}", f"Version: {_version()}", f"Summary: {package.summary}"]
    lines += ["Author: The Tenon developers", "License-Expression: Apache-2.0 WITH LLVM-exception"]
    lines += [f"License-File: {file}" for file in licences] + [f"Requires-Python: {package.python}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in package.requires]
    for extra, requirements in package.extras.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {requirement}; extra == '{extra}'" for requirement in requirements]
    lines += ["Description-Content-Type: text/markdown", "", package.readme.read_text()]
    return "\n".join(lines)


def _dist_info_files(package):
    return {
        "METADATA": _metadata(package),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: tenon\nRoot-Is-Purelib: false\nTag: {package.tag}\n",
        "licenses/LICENSE": (HERE.parent.parent / "LICENSE").read_text(encoding="utf-8"),
        "licenses/NOTICES": pathlib.Path(os.environ["TENON_WHEEL_NOTICES"]).read_text(encoding="utf-8"),
        **package.further_files,
    }


class _Wheel:
    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w")  # auditwheel compresses it
        self._records = []

    def _write(self, name, data, executable=False):
        # A fixed date: the same files make the same wheel.
        info = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        self._zip.writestr(info, data)

    def add(self, name, data, executable=False):
        if isinstance(data, str):
            data = data.encode()
        self._write(name, data, executable)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._records.append(f"{name},sha256={digest},{len(data)}")

    def close(self, record_name):
        self._records.append(f"{record_name},,")
        self._write(record_name, "\n".join(self._records) + "\n")
        self._zip.close()


def _build_from_source(wheel_directory):
    """The plug-in alone."""
    build = PROJECT / "build" / "release"
    subprocess.run(["cmake", "--preset", "release", f"-DTENON_PYTHON={sys.executable}"], cwd=PROJECT, check=True)
    subprocess.run(
        [sys.executable, PROJECT / "scripts" / "build_wheel.py", "jax-tenon", "--without-command",
         "--build", build, "--output", wheel_directory],
        check=True,
    )  # fmt: skip
    [wheel] = pathlib.Path(wheel_directory).glob(f"jax_tenon-{_version()}-*.whl")
    return wheel.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if "TENON_WHEEL_NAME" not in os.environ:
        return _build_from_source(wheel_directory)
    package = _package()
    stem = f"{package.name.replace('-', '_')}-{_version()}"
    filename = f"{stem}-{package.tag}.whl"
    wheel = _Wheel(pathlib.Path(wheel_directory) / filename)
    package.add_to(wheel)
    for name, text in _dist_info_files(package).items():
        wheel.add(f"{stem}.dist-info/{name}", text)
    wheel.close(f"{stem}.dist-info/RECORD")
    return filename


def _sources():
    """The files of the project; of a distribution those that it has."""
    if not (PROJECT / ".git").exists():
        return sorted(path for path in PROJECT.rglob("*") if path.is_file() and PROJECT / "build" not in path.parents)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    fetched = [path for path in (PROJECT / FETCHED).rglob("*") if path.is_file()]
    if not fetched:
        raise RuntimeError(f"there is no {FETCHED}: run scripts/setup.sh")
    return sorted([*(PROJECT / name for name in listed.split("\0") if name), *fetched])


def _archived(info):
    """The same files make the same archive."""
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mtime = 1767225600  # as in the wheels
    return info


def build_sdist(sdist_directory, config_settings=None):
    stem = f"jax_tenon-{_version()}"
    filename = f"{stem}.tar.gz"
    with (
        gzip.GzipFile(pathlib.Path(sdist_directory) / filename, "wb", mtime=0) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in _sources():
            if path != PROJECT / "PKG-INFO":
                archive.add(path, f"{stem}/{path.relative_to(PROJECT).as_posix()}", filter=_archived)
        metadata = _metadata(_package(), ["LICENSE"]).encode()
        info = tarfile.TarInfo(f"{stem}/PKG-INFO")
        info.size = len(metadata)
        archive.addfile(_archived(info), io.BytesIO(metadata))
    return filename

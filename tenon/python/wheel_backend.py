"""The build backend (PEP 517) of the wheel `jax-tenon`: puts the plugin, the command and the Python files into a zip.

scripts/build_wheel.py calls it through pip. It needs nothing but Python's standard library. What goes in is named by
the environment: TENON_WHEEL_LIBRARY, TENON_WHEEL_COMMAND (optional), TENON_WHEEL_VERSION.
"""

import base64
import hashlib
import os
import pathlib
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "jax_tenon"
SUMMARY = "Tenon, a compiler and runtime for StableHLO programs, as a platform of JAX"
# The oldest jaxlib that speaks this plugin's PJRT API.
REQUIRES = ["jax>=0.10.2"]


def _version():
    return os.environ["TENON_WHEEL_VERSION"]


def _platform_tag():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: jax-tenon", f"Version: {_version()}", f"Summary: {SUMMARY}"]
    lines += ["License: Apache-2.0", "Requires-Python: >=3.11"]
    lines += [f"Requires-Dist: {requirement}" for requirement in REQUIRES]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text()]
    return "\n".join(lines)


def _dist_info_files():
    tag = f"py3-none-{_platform_tag()}"
    return {
        "METADATA": _metadata(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: tenon\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": "[jax_plugins]\ntenon = jax_plugins.tenon\n",
    }


class _Wheel:
    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self._records = []

    def _write(self, name, data, executable=False):
        # A fixed date: the same files make the same wheel.
        info = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    filename = f"{NAME}-{_version()}-py3-none-{_platform_tag()}.whl"
    wheel = _Wheel(pathlib.Path(wheel_directory) / filename)
    package = HERE / "jax_plugins" / "tenon"
    for source in sorted(package.rglob("*.py")):
        wheel.add(f"jax_plugins/tenon/{source.relative_to(package).as_posix()}", source.read_bytes())
    library = pathlib.Path(os.environ["TENON_WHEEL_LIBRARY"])
    wheel.add("jax_plugins/tenon/libpjrt_tenon.so", library.read_bytes(), executable=True)
    command = os.environ.get("TENON_WHEEL_COMMAND")
    if command:
        wheel.add(f"{NAME}-{_version()}.data/scripts/tenon", pathlib.Path(command).read_bytes(), executable=True)
    dist_info = f"{NAME}-{_version()}.dist-info"
    for name, text in _dist_info_files().items():
        wheel.add(f"{dist_info}/{name}", text)
    wheel.close(f"{dist_info}/RECORD")
    return filename


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("jax-tenon has no source distribution; build from Tenon's repository")

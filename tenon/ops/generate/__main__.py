"""Makes the builders' functions from the records of the operations.

    python tenon/ops/generate --tblgen llvm-tblgen --include DIR --output BUILD [--document docs/operations.md]

writes include/tenon/ops.h, include/tenon/c/ops.h, tenon/capi/ops.cpp and tenon/ops/ops.py below BUILD. With --check the
document is compared, not written.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import c, cpp, document, python, records

OPS = pathlib.Path(__file__).resolve().parents[1]


def dump(tblgen, includes, source, output):
    command = [tblgen, "--dump-json", *(f"-I{path}" for path in includes), source, "-o", output]
    if subprocess.run(command).returncode != 0:
        raise SystemExit(f"{tblgen} does not read {source}")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_text() == text:
        path.touch()  # for what compares times
    else:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tblgen", default="llvm-tblgen-22")
    parser.add_argument("--include", default="/usr/lib/llvm-22/include", help="the folder with MLIR's records")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    includes = [arguments.include, OPS.parents[1]]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in ("stablehlo", "chlo"):
            paths.append(pathlib.Path(folder) / f"{name}.json")
            dump(arguments.tblgen, includes, OPS / f"{name}.td", paths[-1])
        found = records.read(*paths)
    if arguments.output:
        write(arguments.output / "include/tenon/ops.h", cpp.header(*found))
        write(arguments.output / "include/tenon/c/ops.h", c.header(*found))
        write(arguments.output / "tenon/capi/ops.cpp", c.source(*found))
        write(arguments.output / "tenon/ops/ops.py", python.module(*found))
    if arguments.document and arguments.check:
        if arguments.document.read_text() != document.page(*found):
            sys.exit(f"{arguments.document} is not what the records say: run tenon/ops/generate with --document")
    elif arguments.document:
        write(arguments.document, document.page(*found))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks what docs/adding-an-op.md says of the sample ops: that the files they are added to are those of its steps, and as
few as it says, and that a table without its row for them does not compile."""

import argparse
import fnmatch
import json
import pathlib
import re
import shlex
import subprocess
import sys

import apply

HERE = pathlib.Path(__file__).resolve().parent
# A table, and what the compiler says of it when only the records know the ops.
TABLES = {
    "tenon/interpreter/dispatch.cpp": "has no evaluate()",
    "tenon/ir/factors.cpp": "has no factorsOf()",
    "tenon/codegen/llvm/element/table.cpp": "has no row in",
    "tenon/codegen/common/region/element_sources.cpp": "just if it moves elements",
}
# How many product files the document promises at most of an op of StableHLO. The samples are CHLO's, and their sizes are
# known: an op of StableHLO adds to the portable form's table, too, and one that moves elements to shape refinement.
MOST_FILES = {"softsign.txt": 7, "rotate.txt": 9}
OF_STABLEHLO = {"softsign.txt": 1, "rotate.txt": 2}


def check_files():
    page = (apply.ROOT / "docs/adding-an-op.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tenon/[\w./*-]+)`", page)
    for sample, most in MOST_FILES.items():
        files = apply.read(HERE / sample)
        count = len(files) + OF_STABLEHLO[sample]
        if count > most:
            yield f"{sample} would take {count} files in StableHLO, and {most} are promised"
        for name in files:
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in named):
                yield f"docs/adding-an-op.md does not name {name}, which {sample} adds to"


def without_precompiled(flags):
    """Without the precompiled header: it has the classes of the records alone."""
    text = " ".join(map(shlex.quote, flags))
    return shlex.split(re.sub(r"-Xclang -include(-pch)? -Xclang \S*cmake_pch\S*", "", text))


def check_tables(build, generated):
    """The product's own files, with the records that have the samples."""
    tables = dict(TABLES)
    for unit in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(unit["file"])
        name = str(path.relative_to(apply.ROOT)) if path.is_relative_to(apply.ROOT) else ""
        if name not in tables or str(generated) in unit["command"]:
            continue
        compiler, *flags = shlex.split(unit["command"])
        command = [compiler, "-I", str(generated), *without_precompiled(flags), "-fsyntax-only"]
        result = subprocess.run(command, cwd=unit["directory"], capture_output=True, text=True)
        if result.returncode == 0:
            yield f"{name} compiles without rows for the samples"
        elif tables[name] not in result.stderr:
            yield f"{name} does not compile, though not for want of rows:\n{result.stderr}"
        del tables[name]
    for name in tables:
        yield f"{name} is not compiled"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--generated", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    problems = [*check_files(), *check_tables(arguments.build, arguments.generated)]
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()

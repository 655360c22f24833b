#!/usr/bin/env python3
"""Checks what the documents say against the project: docs/environment.md names the environment variables that the code
reads, no more and no fewer; docs/adding-an-element-type.md the files that name an element type; links lead to files that
are there, and so do names of source files; what is said to be in a source file is there; docs/supported.md has the versions
of JAX that are tested; what goes into wheels has no links into the project."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Tests and measurements, and what only the project's own scripts set.
INTERNAL = re.compile(r"(_test|_benchmark|_testing)\.(cpp|h)$|/testing/|/tests/|/test_\w+\.py$|wheel_backend\.py$|^test/")
VARIABLE = re.compile(r'"(TENON_(?:[A-Z0-9]+_)*[A-Z0-9]+|XLA_FLAGS)"')
# A source file, by its name or the last parts of its path.
SOURCE = re.compile(r"`([\w./-]*\w\.(?:cpp|h|td|def|proto|py))`")
# Names in the code and the source file that has them: `planTasks` in `plan/loop_plan.cpp`.
PLACE = re.compile(r"((?:`[\w:]+`(?:,\s+|\s+and\s+)?)+)\s+in\s+" + SOURCE.pattern)
# Made when the project is built (tenon/ops/generate).
GENERATED = ["include/tenon/ops.h", "include/tenon/c/ops.h", "tenon/python/package/tenon/ops.py"]
# Of the past.
HISTORY = ("CHANGELOG.md", "docs/status.md")
# Shown where the repository is not.
IN_WHEELS = ("tenon/python/README.md", "tenon/python/package/README.md")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def variables_in_code():
    """The first place of each."""
    found = {}
    for name in tracked("tenon/*.cpp", "tenon/*.h", "tenon/*.py", "include/*.h"):
        if not INTERNAL.search(name):
            for variable in VARIABLE.findall((ROOT / name).read_text(encoding="utf-8")):
                found.setdefault(variable, name)
    return found


def check_environment():
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    read = variables_in_code()
    for variable in sorted(read.keys() - documented):
        yield f"{read[variable]}: {variable} is not in docs/environment.md"
    for variable in sorted(documented - read.keys()):
        yield f"docs/environment.md: nothing reads {variable}"


def check_versions():
    sys.path.insert(0, str(ROOT / "scripts"))
    from test_versions import VERSIONS

    limits = {}
    exec((ROOT / "tenon/python/jax_plugins/tenon/_versions.py").read_text(encoding="utf-8"), limits)
    if [limits["OLDEST"], limits["NEWEST"]] != [list(VERSIONS)[0], list(VERSIONS)[-1]]:
        yield "scripts/test_versions.py: VERSIONS do not go from the oldest to the newest of _versions.py"
    page = (ROOT / "docs/supported.md").read_text(encoding="utf-8")
    pythons = [tuple(map(int, text.split("."))) for text in re.findall(r"Python (3\.\d+) \|", re.search(r"^\| JAX \| Python.*$", page, re.MULTILINE)[0])]
    rows = dict(re.findall(r"^\| (\d+(?:\.\d+)+) \| (.*) \|$", page, re.MULTILINE))
    wanted = {version: " | ".join("yes" if python >= oldest else "JAX has none" for python in pythons) for version, oldest in VERSIONS.items()}
    for version in sorted(rows.keys() | wanted.keys()):
        if rows.get(version) != wanted.get(version):
            yield f"docs/supported.md: the table says of JAX {version} {rows.get(version)!r}, scripts/test_versions.py tries {wanted.get(version)!r}"


def check_links(name):
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if re.match(r"https?:|mailto:|#", target):
            continue
        if name in IN_WHEELS:
            yield f"{name}: {target} is not there where the wheel's page is shown"
        elif not (ROOT / name).parent.joinpath(target.split("#")[0]).exists():
            yield f"{name}: {target} is not there"


def check_sources(name, files):
    if name in HISTORY or name in IN_WHEELS:
        return
    for source in sorted(set(SOURCE.findall((ROOT / name).read_text(encoding="utf-8")))):
        if not any(f"/{file}".endswith(f"/{source}") for file in files):
            yield f"{name}: there is no {source}"


def check_places(name, files):
    text = (ROOT / name).read_text(encoding="utf-8") if name not in HISTORY else ""
    for names, source in PLACE.findall(text):
        texts = [(ROOT / file).read_text(encoding="utf-8") for file in files
                 if file not in GENERATED and f"/{file}".endswith(f"/{source}")]
        for called in re.findall(r"\w+(?=`)", names):
            if not any(re.search(rf"\b{called}\b", text) for text in texts):
                yield f"{name}: there is no {called} in {source}"


def check_element_type():
    """One type stands for all: no file treats it as something special."""
    page = (ROOT / "docs/adding-an-element-type.md").read_text(encoding="utf-8")
    documented = set(SOURCE.findall(page))
    for name in tracked("tenon/*", "include/*"):
        if INTERNAL.search(name) or re.search(r"/testdata/|/test/", name):
            continue
        if re.search("8_?E4M3_?B11_?FNUZ", (ROOT / name).read_bytes().decode(errors="ignore"), re.IGNORECASE):
            if not any(f"/{name}".endswith(f"/{source}") for source in documented):
                yield f"{name}: names element types, and is not in docs/adding-an-element-type.md"


def main():
    problems = [*check_environment(), *check_element_type(), *check_versions()]
    documents, files = tracked("*.md"), [*tracked(), *GENERATED]
    for name in documents:
        problems += check_links(name)
        problems += check_sources(name, files)
        problems += check_places(name, files)
    print("\n".join(problems) if problems else f"{len(documents)} documents fit the project")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks rules that the compiler does not: which folder includes which (tenon/layers.txt), that public headers need
nothing but each other, and the size of files."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_LINES = 700
# Tests hold data; tools may include anything and nothing includes them.
EXEMPT = re.compile(r"(_test|_bench|_benchmark|_testing|harness)\.(cpp|h)$|/testing/|/testdata/")


def read_layers():
    layers = {}
    for line in (ROOT / "tenon/layers.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            folder, _, allowed = line.partition(":")
            layers[folder] = set(allowed.split()) | {folder, "support"}
    return layers


def layer_of(path, layers):
    """The longest folder of layers.txt that holds `path` (relative to tenon/)."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        folder = "/".join(parts[:length])
        if folder in layers:
            return folder
    return None


def with_dependencies(folder, layers):
    """What a folder may include: its own line, and what those folders' headers bring."""
    seen, todo = set(), [folder]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(layers.get(current, ()))
    return seen


def is_public(target):
    """Whether users have what a public header includes: another one, a proto's header, or a standard header."""
    if target.startswith("<"):
        return re.fullmatch(r"<[a-z_]+>|<std(int|def|bool)\.h>", target) is not None
    path = ROOT / "include" / target.strip('"')
    return path.is_file() or path.with_name(path.name.replace(".pb.h", ".proto")).is_file()


def undocumented(text):
    """The lines of methods of ComputationBuilder without a comment of their own that names the document's section."""
    body = text.split("class TENON_API ComputationBuilder", 1)[1]
    offset = text.count("\n", 0, len(text) - len(body)) + 1
    public = body.split("\nprivate:", 1)[0].split("\npublic:", 1)
    comment, begins = "", True
    for number, line in enumerate(public[1].splitlines(), offset + public[0].count("\n") + 1):
        if line.startswith("  //"):
            comment += line
            continue
        section = re.search(r'"[^"]+"|Not in the documents', comment)
        if begins and re.match(r"  [\w~]", line) and "= delete" not in line and not section:
            yield number
        # What goes on over several lines, and bodies, are no beginnings.
        begins = not line or line.endswith((";", "}"))
        if begins and not line.startswith("  static constexpr"):
            comment = ""


def main():
    layers = read_layers()
    problems = []
    files = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    for name in files:
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > MAX_LINES and not EXEMPT.search(name):
            problems.append(f"{name}: {lines} lines; part it (limit {MAX_LINES})")
        for number, line in enumerate(text.splitlines(), 1) if name.startswith("include/") else ():
            match = re.match(r'#\s*include\s+(<[^>]+>|"[^"]+")', line)
            if match and not is_public(match.group(1)):
                problems.append(f"{name}:{number}: a public header may not include {match.group(1)}")
        if name == "include/tenon/computation_builder.h":
            problems += [f"{name}:{line}: a method's comment names its section" for line in undocumented(text)]
        if not name.startswith("tenon/") or EXEMPT.search(name):
            continue
        folder = layer_of(name.removeprefix("tenon/"), layers)
        if folder is None:
            problems.append(f"{name}: in no folder of tenon/layers.txt")
            continue
        allowed = with_dependencies(folder, layers)
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r'#include "tenon/([^"]+)"', line)
            target = match and layer_of(match.group(1), layers)
            if target and target not in allowed:
                problems.append(f"{name}:{number}: {folder} may not include {target} (tenon/layers.txt)")
    print("\n".join(problems) if problems else f"{len(files)} files keep the layers and sizes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

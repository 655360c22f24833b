#!/usr/bin/env python3
"""Checks rules that the compiler does not: which folder includes which (tenon/layers.txt), and the size of files."""

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

#!/usr/bin/env python3
"""Adds the sample ops to copies of the product's files.

A sample is a text: `--- FILE` names a file of the product, `@@ after PREFIX` or `@@ before PREFIX` the line that begins so,
of which there is one, and what follows is added there."""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read(sample):
    """For each file its additions: ("after" or "before", prefix, text)."""
    files = {}
    for part in re.split(r"^--- ", sample.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        for addition in re.split(r"^@@ ", body, flags=re.MULTILINE)[1:]:
            where, _, text = addition.partition("\n")
            side, _, prefix = where.partition(" ")
            files.setdefault(name, []).append((side, prefix, text.rstrip("\n").split("\n")))
    return files


def add(lines, side, prefix, text):
    places = [number for number, line in enumerate(lines) if line.startswith(prefix)]
    if side not in ("after", "before") or len(places) != 1:
        raise ValueError(f"{len(places)} lines begin with '{prefix}'; one has to, for what is added {side} it")
    at = places[0] + (side == "after")
    # Definitions of several lines stand apart from what follows.
    lines[at:at] = text + [""] if side == "before" else text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", nargs="+", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="only name the files, one a line")
    parser.add_argument("--output", type=pathlib.Path, help="folder of the copies")
    arguments = parser.parse_args()
    files = {}
    for sample in arguments.samples:
        for name, additions in read(sample).items():
            files.setdefault(name, []).extend(additions)
    if arguments.list:
        print("\n".join(files))
        return
    for name, additions in files.items():
        lines = (ROOT / name).read_text(encoding="utf-8").split("\n")
        for addition in additions:
            try:
                add(lines, *addition)
            except ValueError as error:
                sys.exit(f"{name}: {error}")
        copy = arguments.output / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text(encoding="utf-8") != "\n".join(lines):
            copy.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

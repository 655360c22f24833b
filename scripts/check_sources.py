#!/usr/bin/env python3
"""Checks rules that the compiler does not: which folder includes which (tenon/layers.txt), that public headers need
nothing but each other and document what they declare, that comments are no fragments, and the size of files."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_LINES = 600
# Tests hold data; tools may include anything and nothing includes them.
EXEMPT = re.compile(r"(_test|_benchmark|_testing)\.(cpp|h)$|/testing/|/testdata/")


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
    if path in (ROOT / "include/tenon/ops.h", ROOT / "include/tenon/c/ops.h"):  # made by tenon/ops/generate
        return True
    return path.is_file() or path.with_name(path.name.replace(".pb.h", ".proto")).is_file()


def code_and_comment(line, inside):
    """A line's code, its comment, and whether a comment goes on behind it; `inside`: whether one does before it."""
    code, comment = "", ""
    while line:
        if inside:
            text, end, line = line.partition("*/")
            comment, inside = comment + text, not end
            continue
        match = re.search(r'//|/\*|"(?:[^"\\]|\\.)*"', line)
        if match is None:
            return code + line, comment, False
        if match.group() == "//":
            return code + line[: match.start()], comment + line[match.end() :], False
        # Texts may hold what looks like code.
        code += line[: match.start()] + ('""' if match.group() != "/*" else "")
        inside, line = match.group() == "/*", line[match.end() :]
    return code, comment, inside


def declares(statement):
    """Whether a statement of a header is a class, an enumeration, a function or a method, rather than a variable."""
    statement = re.sub(r"^(template <.*?> )*", "", statement)
    if re.match(r"(using|friend class|static_assert|namespace|extern)\b|.*= (delete|default);$", statement):
        return False
    if re.match(r"(typedef )?(class|struct|enum)\b", statement):
        return "{" in statement or statement.startswith("typedef")
    return "(" in re.sub(r"operator\W+?(?=\()", "operator", statement).split(" = ", 1)[0]


def declarations(text):
    """What a header declares for its users: the line of each class, function and method, with its own comment."""
    # Of each brace that is open: whether declarations for users can follow in it.
    scopes, statement, comment, begin, inside = [], "", "", 0, False
    for number, line in enumerate(text.splitlines(), 1):
        code, words, inside = code_and_comment(line, inside)
        code = code.strip()
        if re.match(r"#|.*\\$", code):
            continue
        if not code and not statement:
            comment = comment + words if words and "===-" not in words else ""
            continue
        if re.fullmatch(r"(public|private|protected):", code):
            scopes[-1] = code == "public:"
            continue
        begin, comment = (begin if statement else number), comment + words
        statement = f"{statement} {code}".strip()
        if not re.search(r"[;{}]$", code) or statement.count("(") != statement.count(")"):
            continue
        if all(scopes) and declares(statement):
            yield begin, statement, comment
        for brace in re.findall(r"[{}]", statement):
            if brace == "}" and scopes:
                scopes.pop()
            elif brace == "{":
                holds = re.match(r'extern ""|namespace (?!.*internal\b)|(template <.*?> )*struct ', statement)
                scopes.append(holds is not None)
        statement, comment = "", ""


def undocumented(name, text):
    """The lines of a public header without a comment; comments of the builder of 2017 name the document's section, too."""
    for line, _, comment in declarations(text):
        if not comment.strip():
            yield f"{name}:{line}: a declaration for users has a comment of its own"
        elif name.endswith("builder.h") and "program_builder" not in name and not re.search(r'"[^"]+"|Not in the documents', comment):
            yield f"{name}:{line}: a builder's comment names its section"


def fragments(name, text):
    """The comments that begin with "Of": fragments, whose noun is elsewhere."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(//+|/\*\*?) Of ", line):
            yield f'{name}:{number}: a comment is a whole sentence; this one begins with "Of"'


def main():
    layers = read_layers()
    problems = []
    files = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    for name in files:
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > MAX_LINES:
            problems.append(f"{name}: {lines} lines; part it (limit {MAX_LINES})")
        problems += fragments(name, text)
        for number, line in enumerate(text.splitlines(), 1) if name.startswith("include/") else ():
            match = re.match(r'#\s*include\s+(<[^>]+>|"[^"]+")', line)
            if match and not is_public(match.group(1)):
                problems.append(f"{name}:{number}: a public header may not include {match.group(1)}")
        if name.startswith("include/"):
            problems += undocumented(name, text)
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

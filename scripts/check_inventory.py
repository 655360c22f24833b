#!/usr/bin/env python3
"""Checks docs/inventory.md: that every test it names exists, and that its rows of operations name all that there is.

Usage: check_inventory.py [--write]. With --write the columns that follow from the tests' data are written anew.

Columns of the operations: the examples, which are functions of tenon/interpreter/testdata/spec by the line of the
specification that they come from; the constraints, which are labels of tenon/ir/testdata/constraints.txt with a case in
constraints_*.cases. Other tests are named `test: case`, where the case is one of GoogleTest, a file of lit, a
function of pytest, or a function of an example's file.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/inventory.md"
EXAMPLES = ROOT / "tenon/interpreter/testdata"
CONSTRAINTS = ROOT / "tenon/ir/testdata"
NUM_OPERATIONS, NUM_CONSTRAINTS = 94, 314
# Lit suites and their folders; tests in Python and theirs.
LIT = {"tenon_tools_lit": "tenon/tools/test", "tenon_passes_lit": "tenon/passes/test"}
PYTHON = {"tenon_jax_test": "tenon/python/tests", "tenon_python_test": "tenon/python/package/tests",
          "tenon_portability_test": "tenon/tools/portability", "tenon_aot_programs_test": "test/aot",
          "tenon_aot_gpu_test": "test/aot", "tenon_debugging_test": "tenon/tools/debugging"}
# The rows of the documents of 2017: first and last number.
ROWS_OF_2017 = {"SYS-": (1, 56), "API-": (1, 84), "API-T": (1, 37), "API-K": (1, 8), "OP0-": (1, 57), "OP1-": (1, 3),
                "BC-": (1, 9), "E0-": (1, 50), "E1-": (1, 22), "X-": (1, 39), "A": (1, 5)}
ROW = re.compile(r"(^|, | to )(SYS-|API-T|API-K|API-|OP0-|OP1-|BC-|E0-|E1-|X-|A|LAY-)?[TK]?(\d+)")
OPERATION = re.compile(r"\| (OP2-\d+) \| `(\w+)` \| (\d+)-(\d+) \|")
REFERENCE = re.compile(r"`(\w+): ([\w.@/]+)`")


def read(path):
    return path.read_text(encoding="utf-8")


def examples():
    """The names of all functions in the interpreter's test data that have an expectation."""
    names = set()
    for path in EXAMPLES.rglob("*.mlir"):
        current = None
        for line in read(path).splitlines():
            if match := re.match(r" *func\.func (?:private )?@(\w+)", line):
                current = match[1]
            elif line.startswith("// EXPECT") and current:
                names.add(current)
    return names


def labels_with_cases():
    labels = set()
    for path in CONSTRAINTS.glob("*.cases"):
        for line in read(path).splitlines():
            if match := re.match(r"// ----- (\S+)(?: for op = ([\w ]+))?", line):
                operations = match[2].split() if match[2] else [""]
                labels.update(match[1].replace("{op}", op) for op in operations)
    return labels


def rules(file):
    return [line for line in read(CONSTRAINTS / file).splitlines() if line and not line.startswith("#")]


def google_tests():
    """The cases of each test program, in C++ or C, by what CMake says it is made of."""
    cases = collections.defaultdict(set)
    for path in [*ROOT.glob("tenon/**/CMakeLists.txt"), *ROOT.glob("test/**/CMakeLists.txt")]:
        for name, arguments in re.findall(r"tenon_(?:c_)?test\(\s*(\S+)\s+SOURCES([^)]*)\)", read(path)):
            for source in re.findall(r"[\w/${}]+\.(?:cpp|c)\b", arguments):
                # One entry may stand for several programs: tenon_pjrt_${name}_test.
                pattern = re.sub(r"\$\{\w+\}", "*", source)
                for file in path.parent.glob(pattern):
                    stem = re.sub(r"_test$", "", file.stem)
                    program = re.sub(r"\$\{\w+\}", stem, name)
                    found = re.findall(r"^TEST(?:_[FP])?\((\w+), *(\w+)\)", read(file), re.M)
                    cases[program].update(f"{suite}.{case}" for suite, case in found)
    return cases


def rows_named(cell):
    """The rows of a table's first cell: "API-010 to 012, 017, API-T3 to T5"."""
    prefix, last, rows = "", 0, set()
    for joined, named, digits in ROW.findall(cell):
        prefix, number = named or prefix, int(digits)
        rows.update((prefix, n) for n in range(last if joined == " to " else number, number + 1))
        last = number
    return rows


class Checker:
    def __init__(self, write):
        self.write = write
        self.problems = []
        self.examples = examples()
        self.cased = labels_with_cases()
        self.constraints = rules("constraints.txt")
        self.inputs = rules("inputs.txt")
        self.google = google_tests()
        self.operations = 0
        self.rows = set()

    def exists(self, test, case):
        if test in LIT:
            return (ROOT / LIT[test] / case).exists()
        if test in PYTHON:
            files = (ROOT / PYTHON[test]).glob("test_*.py")
            return any(re.search(rf"^ *def {re.escape(case)}\(", read(file), re.M) for file in files)
        if case.startswith("@"):
            return test == "tenon_interpreter_example_test" and case[1:] in self.examples
        return case in self.google.get(test, ())

    def operation(self, line, match):
        """The row of an operation as it should be."""
        row, name, first, last = match[1], match[2], int(match[3]), int(match[4])
        self.operations += 1
        lines = {example: re.fullmatch(rf"{name}_line_(\d+)\w*", example) for example in self.examples}
        shown = sorted(example for example, at in lines.items() if at and first <= int(at[1]) <= last)
        labels = [[l for l in all if re.fullmatch(rf"{name}_[ci]\d+", l)] for all in (self.constraints, self.inputs)]
        if not shown:
            self.problems.append(f"{row}: no example of {name} is tested")
        short = ", ".join(label.rsplit("_", 1)[1].upper() for group in labels for label in group)
        further = line.split("|")[6].strip()
        cells = [row, f"`{name}`", f"{first}-{last}", ", ".join(shown), short, further]
        return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"

    def check(self):
        text = read(DOCUMENT)
        lines = text.splitlines()
        for number, line in enumerate(lines):
            if match := OPERATION.match(line):
                lines[number] = self.operation(line, match)
                if lines[number] != line and not self.write:
                    self.problems.append(f"line {number + 1}: should be {lines[number]}")
            if line.startswith("| ") and REFERENCE.search(line):
                self.rows |= rows_named(line.split("|")[1].strip())
            for test, case in REFERENCE.findall(line):
                if not self.exists(test, case):
                    self.problems.append(f"line {number + 1}: there is no test {test}: {case}")
            if re.match(r"\| (SYS)-\d+", line) and not REFERENCE.search(line):
                self.problems.append(f"line {number + 1}: no test is named")
        all_rows = {(prefix, n) for prefix, (low, high) in ROWS_OF_2017.items() for n in range(low, high + 1)}
        for prefix, number in sorted(all_rows - self.rows):
            self.problems.append(f"row {prefix}{number} has no test")
        if self.write:
            DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if self.operations != NUM_OPERATIONS:
            self.problems.append(f"{self.operations} rows of operations, not {NUM_OPERATIONS}")
        if len(set(self.constraints)) != NUM_CONSTRAINTS:
            self.problems.append(f"{len(set(self.constraints))} constraints, not {NUM_CONSTRAINTS}")
        for label in self.constraints + self.inputs:
            if label not in self.cased:
                self.problems.append(f"constraint {label} has no case")
        return self.problems


def main():
    problems = Checker("--write" in sys.argv[1:]).check()
    for problem in problems:
        print(f"docs/inventory.md: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

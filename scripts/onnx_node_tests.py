#!/usr/bin/env python3
"""Runs ONNX's own tests of its operators (the package onnx has them) on Tenon, and says which pass and why others do not.

    scripts/onnx_node_tests.py [--filter REGEX] [--every N] [--table] [--failures]

A case is a model of one operator with inputs and outputs. It counts as one that must run if its element types are
numbers and the shapes of its results do not depend on data. Inputs that shapes depend on (a Reshape's shape, say) are
constants of the program, as tenon.compile takes them.
"""

import argparse
import collections
import os
import re
import sys
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np
import onnx
import onnx.numpy_helper

warnings.filterwarnings("ignore")

import tenon  # noqa: E402

# Operators whose results' sizes depend on data, and those of texts and files of pictures.
DATA_DEPENDENT = {"Compress", "NonMaxSuppression", "NonZero", "Unique"}
TEXTS = {"ImageDecoder", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"}
# Whose results are random: nothing to compare with.
RANDOM = {"Bernoulli"}


def cases():
    with np.errstate(all="ignore"):
        from onnx.backend.test.case.node import collect_testcases

        found = collect_testcases(None)
    return sorted(found, key=lambda case: case.name)


def array(value):
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if isinstance(value, list):
        return [array(element) for element in value]
    return value


def is_text(value):
    if isinstance(value, list):
        return any(map(is_text, value))
    return isinstance(value, np.ndarray) and value.dtype.kind in "OUS"


def excluded(case, inputs, outputs):
    """Why a case need not run, or None."""
    operators = {node.op_type for node in case.model.graph.node}
    if operators & TEXTS or is_text(list(inputs)) or is_text(list(outputs)):
        return "texts or files of pictures"
    if operators & DATA_DEPENDENT:
        return "sizes that depend on data"
    if operators & RANDOM or re.match(r"test_(training_dropout|bernoulli)", case.name):
        return "random results"
    return None


def flat(values):
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        elif value is not None:
            yield np.asarray(value)


def compare(found, expected, case):
    """What differs, or None."""
    found, expected = list(flat(found)), list(flat(expected))
    if len(found) != len(expected):
        return f"wrong: {len(found)} results instead of {len(expected)}"
    for i, (x, y) in enumerate(zip(found, expected)):
        if x.dtype != y.dtype or x.shape != y.shape:
            return f"wrong: result {i} is {x.dtype}{list(x.shape)} instead of {y.dtype}{list(y.shape)}"
        wide = np.float64 if y.dtype.kind not in "iubc" else y.dtype
        # Half precision rounds by more than the test's own bounds.
        narrow = y.dtype.itemsize == 2 and y.dtype.kind not in "iub"
        # Zeros that are sums of other numbers are as near as these allow.
        largest = float(np.max(np.abs(y.astype(np.float64)), initial=0, where=np.isfinite(y))) if y.dtype.kind == "f" else 0
        bounds = {"rtol": 1e-2, "atol": 1e-2} if narrow else {"rtol": case.rtol, "atol": max(case.atol, 1e-6 * max(largest, 1))}
        if not np.allclose(x.astype(wide), y.astype(wide), equal_nan=y.dtype.kind not in "iub", **bounds):
            return f"wrong: result {i} has other values"
    return None


def run(case):
    """(status, reason): passed, failed or excluded."""
    for inputs, outputs in case.data_sets:
        inputs, outputs = list(map(array, inputs)), list(map(array, outputs))
        reason = excluded(case, inputs, outputs)
        if reason is not None:
            return "excluded", reason
        try:
            found = tenon.compile(case.model)(*inputs)
        except tenon.Error as error:
            return "failed", re.sub(r"<model>: (node '[^']*' |node that gives '[^']*' )?", "", error.message).split("\n")[0]
        except Exception as error:
            return "failed", f"{type(error).__name__}: {error}".split("\n")[0]
        reason = compare(found if isinstance(found, tuple) else (found,), outputs, case)
        if reason is not None:
            return "failed", reason
    return "passed", ""


def operator_of(case):
    name = re.sub(r"_expanded.*", "", case.name)
    return case.model.graph.node[0].op_type if name == case.name and len(case.model.graph.node) == 1 else "(definitions)"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--filter", default="", metavar="REGEX", help="cases whose names match")
    arguments.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th case")
    arguments.add_argument("--table", action="store_true", help="print a row for each operator")
    arguments.add_argument("--progress", action="store_true", help="print each case as it ends")
    options = arguments.parse_args()
    chosen = [case for case in cases() if re.search(options.filter, case.name)][:: options.every]
    table, failures = collections.defaultdict(collections.Counter), []
    excluded_by = collections.Counter()
    for case in chosen:
        status, reason = run(case)
        table[operator_of(case)][status] += 1
        if status == "failed":
            failures.append((case.name, reason))
        elif status == "excluded":
            excluded_by[reason] += 1
        if options.progress:
            print(case.name, status, reason, flush=True)
    if options.table:
        for name, counts in sorted(table.items()):
            print(f"{name:30} passed {counts['passed']:4}  failed {counts['failed']:3}  excluded {counts['excluded']:3}")
    for name, reason in failures:
        print(f"{name}: {reason}")
    for reason, count in excluded_by.items():
        print(f"excluded: {count} ({reason})")
    passed = sum(counts["passed"] for counts in table.values())
    print(f"{passed} passed, {len(failures)} failed")
    total = passed + len(failures)
    if total:
        print(f"{100 * passed / total:.1f} % of {total}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes the tables of docs/accuracy.md, between their markers, from the results of tenon_accuracy.

    build/release/bin/tenon_accuracy --results results --exhaustive
    scripts/accuracy_table.py results

With --samples FOLDER (of tenon_accuracy --samples) XLA:CPU's errors on those arguments stand beside ours; this needs the
Python environment.
"""

import argparse
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/accuracy.md"


def load(folder):
    """{(op, type): result}"""
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return {(result["op"], result["type"]): result for result in results}


def short(op):
    return op.split(".")[1]


def ulp(value):
    return "0" if value == 0 else f"{value:.3f}" if value < 100 else f"{value:.2g}"


def error_cell(result):
    if result is None:
        return ""
    text = ulp(result["max_ulp"])
    if result["wrong"]:
        text += f", {result['wrong']} wrong"
    if result["goal"] >= 0 and (result["max_ulp"] > result["goal"] or result["wrong"]):
        text = f"**{text}**"
    return text


def arguments(result):
    return ", ".join(result["argument"]) if result["max_ulp"] > 0 else ""


def row(cells):
    return "| " + " | ".join(cells) + " |"


def ops_of(results, types):
    seen = {}
    for op, kind in results:
        if kind in types:
            seen.setdefault(op, None)
    return sorted(seen, key=short)


def real_table(results, xla):
    lines = [
        row(["function", "f32", "at", "mean", "XLA:CPU f32", "f64", "at", "f16", "bf16", "f8"]),
        row(["---"] * 10),
    ]
    for op in ops_of(results, {"f32"}):
        get = lambda kind: results.get((op, kind))
        f32, f64 = get("f32"), get("f64")
        small = [r for (name, kind), r in results.items() if name == op and kind.startswith("f8")]
        worst = max(small, key=lambda r: (r["wrong"], r["max_ulp"])) if small else None
        name = f"`{short(op)}`" + ("" if f32["exhaustive"] else " *")
        lines.append(
            row(
                [name, error_cell(f32), arguments(f32), f"{f32['mean_ulp']:.3f}", xla.get(op, ""), error_cell(f64)]
                + [arguments(f64) if f64 else "", error_cell(get("f16")), error_cell(get("bf16")), error_cell(worst)]
            )
        )
    return lines


def complex_table(results):
    types = ("complex<f32>", "complex<f64>")
    lines = [row(["function", "complex<f32>", "at", "parts", "complex<f64>", "at", "parts"]), row(["---"] * 7)]
    for op in ops_of(results, set(types)):
        cells = [f"`{short(op)}`"]
        for kind in types:
            result = results.get((op, kind))
            cells += [error_cell(result), arguments(result), ulp(result["max_part_ulp"])] if result else [""] * 3
        lines.append(row(cells))
    return lines


def wrong_list(results):
    lines = []
    for (op, kind), result in sorted(results.items()):
        if result["wrong"]:
            examples = "; ".join("(" + ", ".join(values) + ")" for values in result["wrong_arguments"])
            lines.append(f"* `{short(op)}` {kind}: {result['wrong']} of {result['count']}, as {examples}")
    return lines or ["None."]


def count_list(results):
    differing = sum(result["level_differences"] for result in results.values())
    total = sum(result["count"] for result in results.values())
    return [f"{total:,} results; {differing} of them have other bits on another level of x86-64."]


def xla_errors(folder):
    """{op: largest error of XLA:CPU's float functions}"""
    import os

    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpy as np
    from jax import lax

    functions = {
        "exponential": lax.exp,
        "exponential_minus_one": lax.expm1,
        "log_plus_one": lax.log1p,
        "sine": lax.sin,
        "cosine": lax.cos,
        "round_nearest_afz": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
        "round_nearest_even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
        "negate": lax.neg,
    }
    errors = {}
    for path in sorted(folder.glob("*.in")):
        op = path.name.removesuffix(".in")
        x = np.fromfile(path, np.float32)
        exact = np.fromfile(path.with_suffix(".out"), np.float64)
        function = functions.get(short(op)) or getattr(lax, short(op))
        errors[op] = describe(np, x, np.asarray(jax.jit(function)(x)), exact)
    return errors


def describe(np, x, got, exact):
    """The largest error in ULP, and how many results are of the wrong class. XLA takes subnormal numbers for zero: those
    are left out."""
    with np.errstate(all="ignore"):
        expected = exact.astype(np.float32)
        subnormal = lambda values: (np.abs(values) < 2.0**-126) & (values != 0)
        counted = ~subnormal(x) & ~subnormal(exact) & ~((np.abs(exact) > 3.4028e38) & np.isfinite(exact))
        classes = np.stack([np.isnan(expected), np.isinf(expected), (expected == 0) & np.signbit(expected)])
        found = np.stack([np.isnan(got), np.isinf(got), (got == 0) & np.signbit(got)])
        wrong = ((classes != found).any(axis=0) & counted).sum()
        finite = counted & np.isfinite(expected) & np.isfinite(got) & (exact != 0)
        _, exponent = np.frexp(exact)
        error = np.abs(got.astype(np.float64) - exact) / np.ldexp(1.0, exponent - 24)
    return ulp(float(error[finite].max())) + (f", {wrong} wrong" if wrong else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path)
    options = parser.parse_args()
    results = load(options.results)
    xla = xla_errors(options.samples) if options.samples else {}
    tables = {
        "real": real_table(results, xla),
        "complex": complex_table(results),
        "wrong": wrong_list(results),
        "count": count_list(results),
    }
    text = PAGE.read_text()
    for name, lines in tables.items():
        block = f"<!-- {name}: generated -->\n" + "\n".join(lines) + f"\n<!-- {name}: end -->"
        pattern = rf"<!-- {name}: generated -->.*?<!-- {name}: end -->"
        text = re.sub(pattern, lambda match: block, text, flags=re.S)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()

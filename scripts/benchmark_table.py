#!/usr/bin/env python3
"""Writes docs/benchmarks.md, and the summary in README.md, from a comparison's results.

    python ../shared/bench/bench.py limits --out limits.json
    python ../shared/bench/bench.py compare tenon cpu --out results.jsonl
    scripts/benchmark_table.py results.jsonl limits.json [--beside "AVX2, one thread=other.jsonl" ...]

With --beside, the ratios of other runs, of another level of x86-64 or with fewer threads, stand beside. --jaxlib is for results
that come from another environment than this Python's. What scripts/peers/compare.py has written into docs/benchmarks.md stays.
"""

import argparse
import collections
import importlib.metadata
import json
import math
import os
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT.parent / "shared/bench"))

import bench  # noqa: E402

PEERS = "## Peers\n"
HEAD = """# Benchmarks

Tenon against XLA:CPU (jaxlib {jaxlib}), measured in turns on one machine ({machine}), and against other peers
[below](#peers). Ratios are Tenon's time over XLA's: below 1 Tenon is faster. Written by `scripts/benchmark_table.py` from

    python ../shared/bench/bench.py limits --out limits.json
    python ../shared/bench/bench.py compare tenon cpu --out results.jsonl

Every workload gives the right result on both. Timings on shared machines are noisy: ratios between 0.8 and 1.25 are ties.
"Limit" is the share of what the machine can do: the time that the arithmetic takes at the measured peak of multiply-adds of
the type, or that reading the arguments and writing the results once takes at the measured bandwidth of memory or of the
cache that holds them, whichever is longer, over Tenon's time. Elementary functions count as 16 to 24 operations each.
Workloads that keep intermediate results in memory, or read in no order, cannot come near it.
Peak memory is that of the whole process, most of which is Python, JAX and the arguments: the mean would be {floor:.2f} if compiling
and running took nothing but the results.

"""
BESIDE = """The same workloads otherwise, in means of the ratios to XLA. "AVX2" is what both make for `x86-64-v3` (`TENON_MAX_CPU=x86-64-v3`,
`XLA_FLAGS=--xla_cpu_max_isa=AVX2`) on the same machine. XLA's library of products does not heed that flag: it computes products of
bf16 and of 8-bit integers with the instructions of the machine, which a machine with AVX2 does not have.

"""
OVER_RUN, OVER_COMPILE = 1.0, 1.2  # what is named as slower


MEASURED = ("run_s", "compile_s", "rss_mb")


def load(path):
    """{workload: {platform: record of medians}}"""
    runs = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in path.read_text().splitlines():
        record = json.loads(line)
        platform = "cpu" if record["spec"].startswith("cpu") else "tenon"
        if record["status"] != "ok":
            raise SystemExit(f"{record['workload']} on {platform}: {record['status']}")
        runs[record["workload"]][platform].append(record)
    return {
        name: {
            platform: records[0] | {key: statistics.median(r[key] for r in records) for key in MEASURED}
            for platform, records in platforms.items()
        }
        for name, platforms in runs.items()
        if len(platforms) == 2
    }


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio(entry, key):
    return entry["tenon"][key] / entry["cpu"][key]


def summary(results):
    groups = collections.defaultdict(list)
    for name, entry in results.items():
        groups[name.split("/")[0]].append(entry)
    rows = ["| group | workloads | run time | compile time | peak memory |", "|---|---|---|---|---|"]
    for group, entries in [*groups.items(), ("**all**", list(results.values()))]:
        cells = [f"{geomean(ratio(e, key) for e in entries):.2f}" for key in MEASURED]
        rows.append(f"| {group} | {len(entries)} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def slower(results, key, limit):
    names = [(ratio(entry, key), name.split("/")[1]) for name, entry in results.items()]
    return ", ".join(f"`{name}` {value:.2f}" for value, name in sorted(names, reverse=True) if value >= limit + 0.005) or "none"


def summary_of_all(runs):
    rows = [
        f"| | run time | compile time | peak memory | run time over {OVER_RUN} | compile time over {OVER_COMPILE} |",
        "|---|---|---|---|---|---|",
    ]
    for name, results in runs.items():
        means = " | ".join(f"{geomean(ratio(e, key) for e in results.values()):.2f}" for key in MEASURED)
        over = f"{slower(results, 'run_s', OVER_RUN)} | {slower(results, 'compile_s', OVER_COMPILE)}"
        rows.append(f"| {name} | {means} | {over} |")
    return BESIDE + "\n".join(rows) + "\n\n"


def memory_floor(results):
    """The mean ratio of peak memory if Tenon added nothing but results to the process that is there before."""
    def least(record):
        return min(record["rss_mb"], record["rss0_mb"] + record["out_bytes"] / 2**20)

    return geomean(least(entry["tenon"]) / entry["cpu"]["rss_mb"] for entry in results.values())


def table(results, limits):
    rows = ["| workload | Tenon | XLA | ratio | limit | compile Tenon | XLA | ratio |", "|---|---|---|---|---|---|---|---|"]
    for name, entry in results.items():
        cells = [name]
        for key in ("run_s", "compile_s"):
            cells += [duration(entry["tenon"][key]), duration(entry["cpu"][key]), f"{ratio(entry, key):.2f}"]
        record = entry["tenon"]
        least = bench.roofline_s(record, limits, len(os.sched_getaffinity(0)))
        cells.insert(4, f"{least / record['run_s']:.0%}")
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def machine():
    """Cores and instruction sets: what matters of a machine, whichever it is."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = set(re.search(r"^flags\s*: (.*)$", text, re.MULTILINE).group(1).split())
    sets = [name for flag, name in (("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_bf16", "BF16"),
                                    ("avx512_vnni", "VNNI"), ("amx_tile", "AMX")) if flag in flags]
    return f"{text.count('processor')} cores, {', '.join(sets)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("limits", type=pathlib.Path)
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--jaxlib", default=importlib.metadata.version("jaxlib"))
    options = parser.parse_args()
    results = load(options.results)
    head = HEAD.format(machine=machine(), jaxlib=options.jaxlib, floor=memory_floor(results))
    runs = {"all of the machine": results}
    for beside in options.beside:
        name, _, path = beside.partition("=")
        runs[name] = load(pathlib.Path(path))
    others = summary_of_all(runs) if options.beside else ""
    page = ROOT / "docs/benchmarks.md"
    peers = page.read_text().partition(PEERS)
    text = head + summary(results) + "\n" + others + table(results, json.loads(options.limits.read_text())) + "\n"
    page.write_text(text + peers[1] + peers[2])
    readme = ROOT / "README.md"
    start, end = "<!-- benchmark-summary -->", "<!-- /benchmark-summary -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    readme.write_text(pattern.sub(f"{start}\n{summary(results)}{end}", readme.read_text()))


if __name__ == "__main__":
    main()

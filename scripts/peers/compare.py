#!/usr/bin/env python3
"""Measures Tenon beside its peers on the same workloads, in turns, each measurement in a process of its own.

    PYTHON scripts/peers/compare.py [--threads 1 2] [--rounds 2] [--only REGEX] [--peers tenon,xla,torch] --out F
    PYTHON scripts/peers/compare.py --table F ...   # writes the section "Peers" of docs/benchmarks.md from such files

PYTHON has what requirements.txt beside this file lists, and jax-tenon, whose library is taken from build/release.
Threads are given by the processors that a process may use. A result that differs from XLA's by more than 1e-3 of the
largest magnitude is an error.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import runners
import workloads

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY = ROOT / "build/release/lib/libpjrt_tenon.so"
START, END = "<!-- peers -->\n", "<!-- end of peers -->\n"


def environment(peer):
    settings = dict(os.environ, PYTHONWARNINGS="ignore")
    if peer == "tenon":
        settings |= {"TENON_PJRT_LIBRARY": str(LIBRARY), "JAX_PLATFORMS": "tenon", "TENON_KERNEL_CACHE": "off"}
    else:
        settings["JAX_PLATFORMS"] = "cpu"
    if peer == "inductor":
        settings["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    return settings


def measure(peer, name, threads, result):
    processors = sorted(os.sched_getaffinity(0))[:threads]
    try:
        outcome = subprocess.run(
            [sys.executable, HERE / "runners.py", peer, name, result],
            env=environment(peer), capture_output=True, text=True, timeout=600,
            preexec_fn=lambda: os.sched_setaffinity(0, processors),
        )
    except subprocess.TimeoutExpired:
        return {"peer": peer, "workload": name, "failed": "not done in 600 s"}
    lines = [line for line in outcome.stdout.splitlines() if line.startswith('{"peer"')]
    if outcome.returncode != 0 or not lines:
        reasons = [line for line in outcome.stderr.splitlines() if line.strip()] or ["no output"]
        return {"peer": peer, "workload": name, "failed": reasons[-1][:300]}
    return json.loads(lines[-1])


def check(record, result, reference):
    if "failed" in record or not reference.exists():
        return
    got, want = np.load(result), np.load(reference)
    difference = np.abs(got.reshape(want.shape) - want).max() / np.abs(want).max()
    if not difference <= 1e-3:
        record["failed"] = f"differs from XLA by {difference:.2g} of the largest magnitude"


def measure_all(options):
    names = [make().name for make in workloads.WORKLOADS]
    names = [name for name in names if re.search(options.only, name)]
    peers = options.peers.split(",")
    with tempfile.TemporaryDirectory() as folder, open(options.out, "a") as out:
        for name in names:
            reference = pathlib.Path(folder) / f"{name.replace('/', '_')}.npy"
            measure("xla", name, 2, reference)
            for threads in options.threads:
                for _ in range(options.rounds):
                    for peer in peers:
                        result = pathlib.Path(folder) / "result.npy"
                        record = measure(peer, name, threads, result)
                        check(record, result, reference)
                        record["threads"] = threads
                        print(json.dumps(record), file=out, flush=True)
                        print(f"{name} {threads} {peer}: {record.get('failed') or record['run_s']}", file=sys.stderr)


def load(files):
    """{(workload, threads): {peer: median run_s, or None where it failed}}"""
    records = collections.defaultdict(lambda: collections.defaultdict(list))
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            record = json.loads(line)
            records[record["workload"], record["threads"]][record["peer"]].append(record)
    table = {}
    for key, peers in records.items():
        table[key] = {}
        for peer, runs in peers.items():
            times = [run["run_s"] for run in runs if "failed" not in run]
            table[key][peer] = statistics.median(times) if times else None
    return table


def duration(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def section(table):
    peers = [peer for peer in runners.PEERS if peer != "tenon"]
    lines = [START, "\n", f"| workload | threads | Tenon | {' | '.join(peers)} |\n", "|---" * (3 + len(peers)) + "|\n"]
    ratios = collections.defaultdict(list)
    for (name, threads), row in table.items():
        ours = row.get("tenon")
        if not ours:
            continue
        cells = []
        for peer in peers:
            theirs = row.get(peer)
            cells.append(f"{ours / theirs:.2f}" if theirs else "-")
            if theirs:
                ratios[peer, threads].append(ours / theirs)
        best = [row[peer] for peer in peers if row.get(peer)]
        ratios["best", threads].append(ours / min(best))
        lines.append(f"| {name} | {threads} | {duration(ours)} | " + " | ".join(cells) + " |\n")
    for threads in sorted({threads for _, threads in table}):
        means = []
        for peer in peers + ["best"]:
            values = ratios[peer, threads]
            if values:
                means.append(f"{statistics.geometric_mean(values):.2f} of {peer} ({len(values)})")
        lines.append(f"\nGeometric means with {threads} thread{'s' if threads > 1 else ''}: {', '.join(means)}.\n")
    return "".join(lines) + "\n" + END


def write_table(files):
    path = ROOT / "docs/benchmarks.md"
    text = path.read_text()
    begin, end = text.index(START), text.index(END) + len(END)
    path.write_text(text[:begin] + section(load(files)) + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default=",".join(runners.PEERS))
    parser.add_argument("--out")
    parser.add_argument("--table", nargs="+")
    options = parser.parse_args()
    if options.table:
        write_table(options.table)
    elif options.out:
        measure_all(options)
    else:
        parser.error("either --table or --out")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times real models of ONNX on Tenon and on ONNX Runtime, in turns, in one process.

    scripts/onnx_models.py [--only REGEX] [--rounds N] [--threads N | --processor-time]

The models are those of test/frameworks/onnx_models.py, whose packages `./dev test-frameworks` installs. Both get NumPy arrays and give
NumPy arrays, with the same number of threads, each round with one call of each. What is printed is the median and the least of the
rounds, the ratio of the medians (above 1: Tenon is faster), and how far the results are apart, of the largest. With
--processor-time both have one thread, whose processor time is taken: what else the machine does counts less.
"""

import argparse
import os
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/frameworks"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import tenon  # noqa: E402
from onnx_models import MODELS  # noqa: E402


def runtime_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model.file), options, providers=["CPUExecutionProvider"])


def difference(found, expected):
    found = found if isinstance(found, tuple) else (found,)
    return max(float(np.max(np.abs(x.astype(np.float64) - y)) / np.max(np.abs(y))) for x, y in zip(found, expected))


def timed(clock, call):
    start = clock()
    call()
    return clock() - start


def measure(model, rounds, threads, clock):
    inputs = model.inputs(np.random.default_rng(1))
    session = runtime_session(model, threads)
    feed = {value.name: np.asarray(array) for value, array in zip(session.get_inputs(), inputs)}
    start = time.perf_counter()
    function = tenon.compile(model.file)
    found = function(*inputs)
    compiled = time.perf_counter() - start
    apart = difference(found, session.run(None, feed))
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(timed(clock, lambda: function(*inputs)))
        theirs.append(timed(clock, lambda: session.run(None, feed)))
    return compiled, apart, np.asarray(ours) * 1e3, np.asarray(theirs) * 1e3


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", metavar="REGEX", help="models whose names match")
    arguments.add_argument("--rounds", type=int, default=30)
    arguments.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments.add_argument("--processor-time", action="store_true", help="of one thread each")
    options = arguments.parse_args()
    clock = time.thread_time if options.processor_time else time.perf_counter
    threads = 1 if options.processor_time else options.threads
    os.environ["TENON_NUM_THREADS"] = str(threads)  # read at the first run
    print(f"ONNX Runtime {onnxruntime.__version__}, {threads} threads, {options.rounds} rounds")
    print("| model | import and compile, s | Tenon, ms (least) | ONNX Runtime, ms (least) | ratio | apart |\n|---|---|---|---|---|---|")
    ratios, least = [], []
    for model in MODELS:
        if not re.search(options.only, model.name):
            continue
        compiled, apart, ours, theirs = measure(model, options.rounds, threads, clock)
        ratios.append(np.median(theirs) / np.median(ours))
        least.append(theirs.min() / ours.min())
        print(f"| {model.name} | {compiled:.1f} | {np.median(ours):.2f} ({ours.min():.2f}) | {np.median(theirs):.2f} ({theirs.min():.2f}) | "
              f"{ratios[-1]:.2f} | {apart:.0e} |", flush=True)  # fmt: skip
    print(f"geometric mean of {len(ratios)} models: {np.exp(np.mean(np.log(ratios))):.2f} of the medians, "
          f"{np.exp(np.mean(np.log(least))):.2f} of the least")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""All that has to be asked of a GPU, in one run of under 30 minutes, into one page: docs/benchmarks-gpu.md.

    scripts/gpu.py [--build FOLDER] [--output FILE] [--emulated] [--sample N] [PART ...]

Parts, in this order; without any, all of them:
    conformance  operations that GPUs alone have: the same bits there and in the emulation, on which all tests stand
    correctness  programs: twice the same bits; the bits or numbers of the CPU; NVIDIA's sanitizer finds nothing
    libraries    products, linear algebra and transforms by NVIDIA's libraries and without them: errors and times
    open         what only hardware can say: rates, costs of nodes and of starting
    workloads    thirty-two workloads against XLA and PyTorch, which calls cuBLASLt for products, one after the other in this run
    counters     hardware counters of the five workloads that are worst against XLA

With --emulated the host plays the GPU, with small sizes: what can go wrong without hardware goes wrong there. Its times are
no one's, and the page says of every row that it was not measured.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import math
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ["conformance", "correctness", "libraries", "open", "workloads", "counters"]
# Seconds of a part, together under 30 minutes.
LIMITS = {"conformance": 90, "correctness": 300, "libraries": 300, "open": 60, "loops": 90, "workloads": 740, "counters": 220}
FRAMEWORKS = ["tenon", "xla", "torch"]
NOT_MEASURED = "not measured"
# Seconds in which a workload says something, or hangs.
SILENCE = 60
# Of one run of a program.
PROGRAM_LIMIT = 60
# What loops are computed by, whatever it takes (TENON_CUDA_LOOPS).
LOOP_FORMS = ["nodes", "block", "cluster2", "cluster4", "cluster8", "grid"]
# How much longer all that may take where the host plays the GPU: it is no measurement, and the host may be busy.
PATIENCE = 5
# How far results of two right programs lie from each other, of the mean magnitude: sums of bf16 in other orders.
CLOSE = 0.05
# Errors of linear algebra, in units of what sums of random rounding errors may be.
MOST_ERROR = 100
METRICS = ["gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed"]  # fmt: skip


@dataclasses.dataclass
class Row:
    what: str
    verdict: str  # "holds", "fails", "measured" or NOT_MEASURED
    value: str = ""


@dataclasses.dataclass
class Run:
    """What the parts share."""

    build: pathlib.Path
    emulated: bool
    sample: int  # of programs and workloads, each how many-th is taken
    workloads: dict = dataclasses.field(default_factory=dict)  # by framework and name

    def environment(self, **more):
        own = {"TENON_PJRT_LIBRARY": str(self.build / "lib/libpjrt_tenon.so"), "PYTHONPATH": str(ROOT / "tenon/python")}
        if self.emulated:
            own["TENON_GPU"] = "emulated"
        return {**os.environ, **own, **more}

    def limit(self, seconds):
        return seconds * PATIENCE if self.emulated else seconds

    @property
    def target(self):
        return "emulated" if self.emulated else "cuda"


def call(command, seconds, environment=None):
    """What a program prints, and an error or None. What it has printed counts if it takes too long, too."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=max(seconds, 1), env=environment, check=False)  # fmt: skip
    except subprocess.TimeoutExpired as expired:
        printed = expired.stdout or b""
        return printed.decode() if isinstance(printed, bytes) else printed, f"not done in {seconds:.0f} s"
    except OSError as error:
        return "", str(error)
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return done.stdout, None if done.returncode == 0 else f"exit code {done.returncode}: {last}"


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


# --- Conformance and open points: by build/*/bin/tenon_gpu_hardware ---


def ask(run, question):
    command = [run.build / "bin/tenon_gpu_hardware", *(["--emulated"] if run.emulated else []), question]
    printed, error = call(command, run.limit(LIMITS[question]), run.environment())
    answers = json_lines(printed)
    failed = any(answer["verdict"] in ("failed", "other bits") for answer in answers)
    return answers, error if error and not failed else None


def conformance(run):
    answers, error = ask(run, "conformance")
    rows = []
    for answer in answers:
        is_same = answer["verdict"] == "the same"
        value = answer["value"] or answer["verdict"]
        if is_same and run.emulated:
            rows.append(Row(answer["what"], NOT_MEASURED, "in the emulation, the same bits in two orders of threads"))
        else:
            rows.append(Row(answer["what"], "holds" if is_same else "fails", value))
    return rows + ([Row("all operations", "fails", error)] if error else [])


def open_points(run):
    answers, error = ask(run, "open")
    timed, slow = ask(run, "loops")
    answers, error = answers + timed, error or slow
    rows = []
    for answer in answers:
        verdict = {"measured": "measured", "failed": "fails"}.get(answer["verdict"], NOT_MEASURED)
        if verdict == "measured" and run.emulated:
            rows.append(Row(answer["what"], NOT_MEASURED, "tried in the emulation"))
        else:
            rows.append(Row(answer["what"], verdict, answer["value"]))
    return rows + ([Row("all points", "fails", error)] if error else [])


# --- Correctness ---


def results_of(run, program, target, folder, seconds, **environment):
    command = [run.build / "bin/tenon", "run", program, "--random", "--target", target, "--out", folder]
    error = call(command, seconds, run.environment(**environment))[1]
    if error:
        return None, error
    return [np.load(path) for path in sorted(folder.glob("result_*.npy"))], None


def compare(first, again, reference):
    """What is wrong; or "bits" or "close", by how near the CPU's results are."""
    for a, b in zip(first, again, strict=True):
        if a.tobytes() != b.tobytes():
            return "two runs have other bits"
    verdict = "bits"
    for a, c in zip(first, reference, strict=True):
        same = a.tobytes() == c.tobytes() or (a.dtype.kind in "fc" and np.array_equal(a, c, equal_nan=True))
        if same:
            continue
        verdict = "close"
        if a.dtype.kind not in "fcV":
            return f"other {a.dtype}s than the CPU's"
        if a.dtype.kind == "V":
            continue  # a small float as NumPy stores it
        scale = np.nanmean(np.abs(np.where(np.isfinite(c), c, 0))) or 1
        both = np.isfinite(a) & np.isfinite(c)
        if (np.isfinite(a) != np.isfinite(c)).any() or np.abs(np.where(both, a - c, 0)).max(initial=0) > CLOSE * scale:
            return "far from the CPU's results"
    return verdict


def programs_of(run):
    return sorted((ROOT / "test/e2e/programs").glob("*.mlir"))[:: run.sample]


def judge(run, program, scratch):
    """ "bits" or "close", or what is wrong with a program that the device runs twice and the CPU once."""
    found = []
    for i, target in enumerate([run.target, run.target, "cpu"]):
        folder = scratch / f"{program.stem}_{i}"
        folder.mkdir()
        results, error = results_of(run, program, target, folder, run.limit(PROGRAM_LIMIT))
        if error:
            return f"{program.stem} on {target}: {error}"
        found.append(results)
    verdict = compare(*found)
    return verdict if verdict in ("bits", "close") else f"{program.stem}: {verdict}"


def judge_loops(run, program, scratch):
    """What is wrong with a program of loops that the device runs in each form and the CPU once, by form; empty: nothing."""
    folders = {form: scratch / f"{program.stem}_{form}" for form in ["cpu", *LOOP_FORMS]}
    for folder in folders.values():
        folder.mkdir()
    reference, error = results_of(run, program, "cpu", folders["cpu"], run.limit(PROGRAM_LIMIT))
    wrong = {}
    for form in LOOP_FORMS:
        if not error:
            results, failed = results_of(run, program, run.target, folders[form], run.limit(PROGRAM_LIMIT), TENON_CUDA_LOOPS=form)
            verdict = failed or compare(results, results, reference)
        wrong[form] = error or ("" if verdict in ("bits", "close") else verdict)
    return wrong


def loops(run, programs):
    programs = [program for program in programs if "stablehlo.while" in program.read_text(encoding="utf-8")]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        found = list(pool.map(lambda program: judge_loops(run, program, pathlib.Path(scratch)), programs))
    rows = []
    for form in LOOP_FORMS:
        wrong = [f"{program.stem}: {each[form]}" for program, each in zip(programs, found, strict=True) if each[form]]
        told = f"{len(programs) - len(wrong)} of {len(programs)} programs have the CPU's bits or numbers"
        verdict = "fails" if wrong else NOT_MEASURED if run.emulated else "holds"
        rows.append(Row(f"programs with loops, each by {form}", verdict, "; ".join([told, *wrong])))
    return rows


def correctness(run):
    rows = []
    programs = programs_of(run)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        verdicts = list(pool.map(lambda program: judge(run, program, pathlib.Path(scratch)), programs))
    counts = {verdict: verdicts.count(verdict) for verdict in ("bits", "close")}
    wrong = [verdict for verdict in verdicts if verdict not in counts]
    told = f"{counts['bits']} of {len(programs)} programs have the CPU's bits, {counts['close']} its numbers"
    verdict = "fails" if wrong else NOT_MEASURED if run.emulated else "holds"
    rows.append(Row("programs of the tests, each twice", verdict, "; ".join([told, *wrong])))
    rows += loops(run, programs)
    suite = call([run.build / "bin/tenon", "test-target", run.target], run.limit(2 * PROGRAM_LIMIT), run.environment())
    last = (suite[0].strip().splitlines() or [""])[-1]
    verdict = "fails" if suite[1] else NOT_MEASURED if run.emulated else "holds"
    rows.append(Row("programs that every target is held to", verdict, suite[1] or last))
    return rows + [sanitize(run, tool, programs) for tool in ("memcheck", "racecheck")]


def find_tool(name):
    toolkit = os.environ.get("TENON_CUDA_PATH", "/usr/local/cuda")
    return shutil.which(name) or shutil.which(name, path=f"{toolkit}/bin")


def sanitize(run, tool, programs):
    what = f"compute-sanitizer {tool}, ten programs"
    sanitizer = find_tool("compute-sanitizer")
    if run.emulated or not sanitizer:
        return Row(what, NOT_MEASURED, "there is no compute-sanitizer" if not sanitizer else "there is no GPU")

    def check(program):
        command = [sanitizer, "--tool", tool, "--error-exitcode", "9", run.build / "bin/tenon", "run", program, "--random", "--target", "cuda"]  # fmt: skip
        error = call(command, 100, run.environment())[1]
        return f"{program.stem}: {error}" if error else None

    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        wrong = [error for error in pool.map(check, programs[:: max(1, len(programs) // 10)][:10]) if error]
    return Row(what, "fails" if wrong else "holds", "; ".join(wrong))


# --- NVIDIA's libraries ---


def library_row(run, name, ways):
    """`ways`: what was found by the libraries and without them."""
    wrong = [f"{way}: {found.get('failed', 'not done')}" for way, found in ways.items() if "error" not in found]
    wrong += [f"{way}: the error is {found['error']:.0f} times what it may be" for way, found in ways.items() if found.get("error", 0) > MOST_ERROR]  # fmt: skip
    wrong += [f"{way}: two runs have other bits" for way, found in ways.items() if not found.get("same", True)]
    told = [f"{way} {milliseconds(found)} ms, error {found['error']:.2g}" for way, found in ways.items() if "error" in found]
    return Row(name, "fails" if wrong else NOT_MEASURED if run.emulated else "measured", "; ".join([*wrong, *told]))


def libraries(run):
    command = [sys.executable, ROOT / "scripts/gpu_libraries.py", *(["--small"] if run.emulated else [])]
    found, errors = {}, []
    ways = {"with": {}, "without": {"TENON_CUDA_LIBRARIES": "off"}}
    if run.emulated:  # where there are none
        del ways["with"]
    for way, wanted in ways.items():
        printed, error = call(command, run.limit(LIMITS["libraries"] / 2), run.environment(JAX_PLATFORMS="tenon_gpu", **wanted))
        for line in json_lines(printed):
            found.setdefault(line["name"], {})[way] = line
        errors += [Row(f"{way} libraries", "fails", error)] if error else []
    return [library_row(run, name, ways) for name, ways in found.items()] + errors


# --- Workloads ---


def work_command(framework, *more):
    return [sys.executable, ROOT / "scripts/gpu_workloads.py", framework, *more]


def all_workloads():
    import gpu_workloads  # which wants JAX

    return gpu_workloads.jax_workloads()


def run_framework(run, framework, names):
    platforms = {"tenon": "tenon_gpu", "xla": "cpu" if run.emulated else "cuda", "torch": "cpu"}
    environment = run.environment(JAX_PLATFORMS=platforms[framework])
    if framework != "tenon":
        del environment["PYTHONPATH"]  # by which JAX finds the plug-in
    found, error, end = {}, None, time.monotonic() + run.limit(LIMITS["workloads"] / len(FRAMEWORKS))
    left = list(names)
    while left and time.monotonic() < end:
        more = ["--only", ";".join(left), *(["--small"] if run.emulated else [])]
        lines, error = call_until_silent(work_command(framework, *more), run.limit(SILENCE), end - time.monotonic(), environment)
        found.update({line["name"]: line for line in lines})
        left = [name for name in left if name not in found]
        if error and left:  # the others are still to be measured
            found[left[0]] = {"name": left.pop(0), "error": error}
    return found, error


def call_until_silent(command, silence, seconds, environment):
    """The objects that a program prints, a line each, and an error or None. One that says nothing for so long is ended."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)  # fmt: skip
    printed, end, error = b"", time.monotonic() + seconds, None
    while error is None:
        wait = min(silence, end - time.monotonic())
        if not select.select([process.stdout], [], [], max(wait, 0))[0]:
            error = f"not done in {silence} s" if wait == silence else "no time"
        elif text := os.read(process.stdout.fileno(), 1 << 16):
            printed += text
        else:
            break
    if error:
        process.kill()
    code = process.wait()
    whole = printed[: printed.rfind(b"\n") + 1].decode()
    return json_lines(whole), error or (None if code == 0 else f"exit code {code}")


def agree(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        scale = max(abs(other[2]), 1e-30)
        if mine[0] != other[0] or any(not abs(a - b) <= CLOSE * scale for a, b in zip(mine[1:], other[1:], strict=True)):
            return False
    return True


def target_of(work, copy_rate):
    """The time that is aimed at for a workload, in seconds, or None: of memory's 90 % of the rate of copies."""
    if work.kind == "memory" and work.bytes and copy_rate:
        return work.bytes / (0.9 * copy_rate * 1e9)
    return None


def milliseconds(entry):
    return f"{entry['time'] * 1e3:.3f}" if entry and "time" in entry else "-"


def rate(work, entry):
    if not entry or "time" not in entry:
        return "-"
    if work.flops:
        return f"{work.flops / entry['time'] / 1e12:.0f} TFLOP/s"
    return f"{work.bytes / entry['time'] / 1e9:.0f} GB/s" if work.bytes else "-"


def workloads(run, copy_rate):
    works = all_workloads()
    names = [work.name for work in works][:: run.sample]
    errors = {}
    for framework in FRAMEWORKS:
        if framework == "torch" and run.emulated:
            run.workloads[framework] = {}
            continue
        run.workloads[framework], errors[framework] = run_framework(run, framework, names)
    rows = []
    for work in works:
        entries = {framework: run.workloads[framework].get(work.name) for framework in FRAMEWORKS}
        rows.append(workload_row(run, work, entries, work.name in names, errors, copy_rate))
    return rows


def workload_row(run, work, entries, was_chosen, errors, copy_rate):
    ours, xla = entries["tenon"], entries["xla"]
    cells = [milliseconds(ours), milliseconds(xla), milliseconds(entries["torch"])]
    cells = cells if not run.emulated else ["-"] * 3
    ratio = f"{ours['time'] / xla['time']:.2f}" if not run.emulated and ours and xla and "time" in ours and "time" in xla else "-"  # fmt: skip
    speed = rate(work, None if run.emulated else ours)
    value = " | ".join([*cells, ratio, speed])
    if not was_chosen:
        return Row(work.name, NOT_MEASURED, value)
    if not ours or "error" in ours:
        return Row(work.name, f"fails: {(ours or {}).get('error') or errors.get('tenon') or 'nothing said'}", value)
    if xla and "result" in xla and not agree(ours["result"], xla["result"]):
        return Row(work.name, "fails: another result than XLA's", value)
    if run.emulated:
        return Row(work.name, f"{NOT_MEASURED}; XLA:CPU's result in the emulation", value)
    target = target_of(work, copy_rate)
    if target is None:
        return Row(work.name, "measured" if xla and "time" in xla else "measured, without XLA", value)
    return Row(work.name, "at the rate of copies" if ours["time"] <= target else f"{target / ours['time']:.0%} of the aim", value)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def summaries(run):
    """Against XLA, over all workloads: of run times at most 0.8 is aimed at, of compile times 0.5."""
    rows = []
    for key, aim in (("time", 0.8), ("compile", 0.5)):
        pairs = [(ours, run.workloads["xla"].get(name)) for name, ours in run.workloads["tenon"].items()]
        ratios = [ours[key] / xla[key] for ours, xla in pairs if xla and ours.get(key) and xla.get(key)]
        mean = None if run.emulated else geometric_mean(ratios)
        what = {"time": "run time over XLA's, geometric mean", "compile": "compile time over XLA's, geometric mean"}[key]
        verdict = NOT_MEASURED if mean is None else "holds" if mean <= aim else "fails"
        rows.append(Row(what, verdict, f"at most {aim} is aimed at" + (f"; {mean:.2f} of {len(ratios)}" if mean else "")))
    return rows


# --- Counters ---


def counters(run):
    def ratio(name):
        ours, xla = run.workloads["tenon"].get(name, {}), run.workloads["xla"].get(name, {})
        return ours["time"] / xla["time"] if "time" in ours and "time" in xla else 0

    worst = sorted(run.workloads.get("tenon", {}), key=ratio, reverse=True)[:5]
    profiler = find_tool("ncu")
    if run.emulated or not profiler:
        reason = "there is no GPU" if run.emulated else "there is no ncu"
        return [Row("counters of the five worst workloads", NOT_MEASURED, reason)]
    rows = []
    for name in worst:
        command = [profiler, "--csv", "--metrics", ",".join(METRICS), "--launch-count", "40", *work_command("tenon", "--once", "--only", name)]  # fmt: skip
        printed, error = call(command, LIMITS["counters"] / 5, run.environment(JAX_PLATFORMS="tenon_gpu"))
        lines = [line for line in printed.splitlines() if any(metric in line for metric in METRICS)]
        rows.append(Row(name, "measured" if lines else "fails", "; ".join(lines[:6]) or error or "no kernel was seen"))
    return rows


# --- The page ---

TITLES = {
    "conformance": "The emulation against hardware",
    "correctness": "Results",
    "libraries": "NVIDIA's libraries",
    "open": "What only hardware says",
    "workloads": "Workloads",
    "summary": "Against XLA",
    "counters": "Counters",
}


def machine_text(run):
    if run.emulated:
        return "**Without a GPU**: the script has run on the emulation, from end to end; no row is measured."
    printed, error = call(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 30)
    return f"On {printed.strip() or error}, {datetime.date.today()}; JAX {version_of('jax')}, PyTorch {version_of('torch')}."


def version_of(package):
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def page(run, tables):
    parts = [
        "# Benchmarks on GPUs\n",
        "Written by `./dev gpu` (`scripts/gpu.py`), which asks of a GPU all that tests without one leave open"
        " ([gpu.md](gpu.md)), in under 30 minutes.\n",
        machine_text(run) + "\n",
    ]
    for part, rows in tables:
        parts.append(f"## {TITLES[part]}\n")
        if part == "workloads":
            parts.append("Medians, in milliseconds, of random numbers, several sets in turn; PyTorch calls cuBLASLt for products. XLA rounds f32 to tf32 in products and convolutions; so does Tenon where the compile option `tf32` allows it (`TENON_TF32=1`).\n")
            parts.append("| | | Tenon | XLA | PyTorch | Tenon over XLA | rate |\n|---|---|---|---|---|---|---|")
        else:
            parts.append("| | | |\n|---|---|---|")
        parts += [f"| {row.what} | {row.verdict} | {row.value} |" for row in rows]
        parts.append("")
    return re.sub(r"[ ]+\n", "\n", "\n".join(parts))


def copy_rate_of(rows):
    for row in rows:
        if row.verdict == "measured" and (found := re.match(r"(\d+) GB/s", row.value)):
            return float(found.group(1))
    return None


def measure(run, parts):
    tables, copy_rate = [], None
    for part in PARTS:
        if part not in parts:
            continue
        print(f"== {part}", flush=True)
        if part == "workloads":
            rows = workloads(run, copy_rate)
        else:
            own = {"conformance": conformance, "correctness": correctness, "libraries": libraries, "open": open_points, "counters": counters}
            rows = own[part](run)
        copy_rate = copy_rate_of(rows) if part == "open" else copy_rate
        tables.append((part, rows))
        if part == "workloads":
            tables.append(("summary", summaries(run)))
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/benchmarks-gpu.md")
    parser.add_argument("--emulated", action="store_true")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="take every Nth program and workload")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    run = Run(options.build, options.emulated, options.sample)
    tables = measure(run, options.parts or PARTS)
    options.output.write_text(page(run, tables))
    failed = [row for _, rows in tables for row in rows if row.verdict.startswith("fails")]
    for row in failed:
        print(f"{row.what}: {row.verdict} {row.value}")
    print(f"{options.output}: {len(failed)} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

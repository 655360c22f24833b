#!/usr/bin/env python3
"""The long checks of programs over many devices and processes, with progress (docs/processes.md).

    scripts/grid.py [PART ...] [--sample] [--seed S] [--rounds N] [--network auto|namespaces|loopback]

splits        all ways of spreading 8 devices over processes, in blocks, give the same bits on each device
failures      1,000 times one of several processes is killed or stopped, at any moment: the others end with its name
propagation   10,000 random programs get the shardings that Shardy gives them
programs      1,000 random programs of each kind, cut for devices, give what runs on whole arrays give
volumes       what a device receives in a training step (data parallel, fully sharded, tensor parallel) is what formulas say
speed         steps that are cut, meetings, sums and messages take no longer than so many times what they are compared with

Without a PART, all of them but speed, which wants a machine that is otherwise idle. With --sample: a few cases of splits and failures, as every run of the tests has them; the
other parts have tests of their own. The processes of every second case get a network namespace and an address each, where
that can be (root, and Debian's iproute2), and send each other data by gRPC; those of the others, or all, which is said,
are on loopback and share memory.

A failed round of `failures` is repeated by its seed: scripts/grid.py failures --seed S --rounds 1. The exit status is 1
if anything has failed.
"""

import argparse
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import grid_jobs
import grid_programs
import grid_speed
from progress import Progress

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEVICES = 8
PEER_TIMEOUT = 3  # seconds


def environment(cache, part):
    # Where nobody is stopped, a machine that is busy with other work must not look as if somebody were.
    timeout = PEER_TIMEOUT if part == "failures" else 60
    return {"TENON_KERNEL_CACHE": cache, "TENON_PARTITION": "required", "TENON_PEER_TIMEOUT": str(timeout)}


# --------------------------------------------------------------------------
# Splits
# --------------------------------------------------------------------------


def all_splits():
    """Numbers of devices of process 0, 1, ..., which are DEVICES together."""
    for cuts in itertools.product([False, True], repeat=DEVICES - 1):
        split = [1]
        for cut in cuts:
            if cut:
                split.append(1)
            else:
                split[-1] += 1
        yield tuple(split)


def digests_of(split, context, network, settings):
    with grid_jobs.Job(context, network, grid_programs.once, split, settings) as job:
        digests = {}
        for process in range(len(split)):
            said = job.said(process)
            if not said or said[0] != "digests":
                raise AssertionError(f"process {process} has said {said}:\n{job.log(process)}")
            digests.update(said[1])
    return digests


def check_splits(options, context, networks, settings):
    splits = list(all_splits())
    alone = splits.pop(splits.index((DEVICES,)))
    if options.sample:
        splits = random.Random(options.seed).sample([split for split in splits if 1 < len(split) <= 3], 1)
    expected = digests_of(alone, context, networks[0], settings)
    progress, failed = Progress("splits", len(splits)), 0
    for split, network in zip(splits, itertools.cycle(networks)):
        digests = digests_of(split, context, network, settings)
        apart = sorted(device for device in expected if digests.get(device) != expected[device])
        if apart:
            failed += 1
            print(f"splits: devices {apart} have other bits as {split} than in one process")
        progress.step(f"{split} ({network.name}): {'other' if apart else 'the same'} bits")
    return failed


# --------------------------------------------------------------------------
# Failures
# --------------------------------------------------------------------------


def round_of_failure(seed, context, networks, settings):
    """What was done, its kind, and how long it took until all others had named the victim: on standard error, and by an
    exception in the program (None: JAX has ended them before); AssertionError where one does not."""
    chance = random.Random(seed)
    count = chance.randint(2, 3)
    devices = [chance.randint(1, 3) for _ in range(count)]
    victim, number = chance.randrange(count), chance.choice([signal.SIGKILL, signal.SIGSTOP])
    is_early = chance.random() < 0.3  # while the program is compiled
    network = chance.choice(networks)
    when = "at the start" if is_early else "in a step"
    what = f"{number.name} of process {victim} of {devices} {when} ({network.name})"
    with grid_jobs.Job(context, network, grid_programs.without_end, devices, settings) as job:
        try:
            for word in ["starts"] if is_early else ["starts", "round"]:
                for process in range(count):
                    said = job.said(process)
                    assert said == (word,), f"process {process} has said {said} before"
            time.sleep(chance.random() / 2)  # the moment is what is drawn
            start = time.monotonic()
            job.signal(victim, number)
            others = set(range(count)) - {victim}
            said = await_names(job, others, victim) - start
            raised = [check_survivor(job, process, victim) for process in others]
            raised = [moment for moment in raised if moment]
            return what, (number, when), (said, max(raised) - start) if raised else None
        except (AssertionError, TimeoutError) as error:
            logs = "".join(f"\n  --- process {i}:\n{job.log(i)}" for i in range(count))
            raise AssertionError(f"{what}: {error}{logs}") from None


def await_names(job, others, victim):
    """The moment at which all of them have named the victim on standard error."""
    words, end = f"pid {job.pid(victim)}) has ", time.monotonic() + grid_jobs.PATIENCE
    while missing := [process for process in others if words not in job.log(process) and job.is_running(process)]:
        assert time.monotonic() < end, f"processes {missing} say nothing of process {victim}"
        time.sleep(0.01)
    return time.monotonic()


# Process 0 has the service of jax.distributed, without which JAX ends a process at once, whatever it does.
ENDED_BY_JAX = "JAX distributed service detected fatal errors"


def check_survivor(job, process, victim):
    """The moment at which a process has raised an error that names the victim; None where JAX has ended it."""
    while (said := job.said(process)) == ("round",):
        pass
    if said is None and victim == 0 and ENDED_BY_JAX in job.log(process):
        return
    assert said and said[0] == "error", f"process {process} has said {said}, not what has failed"
    for words in (f"process {victim} (", f"pid {job.pid(victim)})"):
        assert words in said[1], f"process {process} does not name process {victim}: {said[1]}"
    moment = said[2]
    own = job.said(process)
    if own is None and victim == 0 and ENDED_BY_JAX in job.log(process):
        return moment
    assert own == ("own", 3), f"programs on the devices of process {process} alone do not go on: {own}"
    return moment


def check_failures(options, context, networks, settings):
    rounds = options.rounds or (2 if options.sample else 1000)
    progress, failed = Progress("failures", rounds), 0
    kinds = list(itertools.product([signal.SIGKILL, signal.SIGSTOP], ["in a step", "at the start"]))
    times = {kind: [] for kind in kinds}
    for seed in range(options.seed, options.seed + rounds):
        try:
            what, kind, seconds = round_of_failure(seed, context, networks, settings)
            outcome = "JAX has ended all others"
            if seconds is not None:
                times[kind].append(seconds)
                outcome = f"all others named it after {seconds[0]:.2f} s, and raised an error after {seconds[1]:.2f} s"
            progress.step(f"{what}: {outcome}")
        except AssertionError as error:
            failed += 1
            print(f"failures: seed {seed}: {error}")
            progress.step("failed")
    for (number, when), seconds in times.items():
        if seconds:
            said, raised = (sorted(moments) for moments in zip(*seconds))
            print(
                f"failures: {number.name} {when}: {len(seconds)} times, named by all after "
                f"{said[len(said) // 2]:.2f} s (median), {said[-1]:.2f} s at most, and by errors after "
                f"{raised[len(raised) // 2]:.2f} s, {raised[-1]:.2f} s at most"
                + (f"; the limit is {PEER_TIMEOUT} s" if number == signal.SIGSTOP else "")
            )
    return failed


# --------------------------------------------------------------------------
# Checks of one process
# --------------------------------------------------------------------------


def run(part, command, **variables):
    print(f"{part}: {' '.join(map(str, command))}", flush=True)
    return subprocess.run(command, env={**os.environ, **variables}, check=False).returncode != 0


def check_propagation(options):
    count = options.rounds or 10_000
    script = ROOT / "scripts/compare_with_shardy.py"
    command = [sys.executable, script, "--tenon", options.build / "bin/tenon", "propagation"]
    return run("propagation", [*command, "--random", str(count), "--seed", str(options.seed)])


def check_programs(options):
    kinds = [
        "RandomProgramsOfIntegersEqualWholeRuns",
        "RandomProgramsOfFloatsAreWithinTheBoundOfWholeRuns",
        "ScansEqualWholeRuns",
        "OpsThatMoveElementsToNeighboursEqualWholeRuns",
    ]
    test, count = options.build / "bin/tenon_partition_test", options.rounds or 1000
    return sum(
        run("programs", [test, f"--gtest_filter=Partition.{kind}"], TENON_TEST_PROGRAMS=str(count)) for kind in kinds
    )


# What a device receives in a step, but for scalars, on m devices along "data" and n along "model": of the weights, which
# are P bytes, and activations of A bytes. Data parallel: one sum of all gradients. Fully sharded: the weights once, kept
# for the gradients, which are scattered. Tensor parallel: a sum of activations in each layer, forward and backward, but
# not of the gradient of x.
def sum_of(count, size):
    return 2 * (count - 1) / count * size


VOLUMES = (
    ("data", {"data": 8}, (), (), ("data",), lambda P, A, layers: sum_of(8, P)),
    ("sharded", {"data": 8}, ("data",), ("data",), ("data",), lambda P, A, layers: 2 * 7 / 8 * P),
    ("tensor", {"model": 8}, (None, "model"), ("model",), (), lambda P, A, layers: (2 * layers - 1) * sum_of(8, A)),
    (
        "both",
        {"data": 2, "model": 4},
        (None, "model"),
        ("model",),
        ("data",),
        lambda P, A, layers: (2 * layers - 1) * sum_of(4, A / 2) + sum_of(2, P / 4),
    ),
)


def check_volumes(options):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.jsonl"
        os.environ.update(TENON_PARTITION="spmd", TENON_PARTITION_REPORT=str(report), TENON_NUM_DEVICES=str(DEVICES))
        sys.path.insert(0, str(ROOT / "tenon/python"))
        expected = grid_programs.volumes(VOLUMES)
        programs = [json.loads(line) for line in report.read_text().splitlines()]
    received = {
        program["program"]: sum(each["received_bytes"] * each["times"] for each in program["collectives"])
        for program in programs
    }
    failed = 0
    for name, bytes in expected.items():
        is_right = abs(received[name] - bytes) <= 64
        failed += not is_right
        verdict = "" if is_right else ": wrong"
        print(f"volumes: {name}: a device receives {received[name]} bytes, the formula says {bytes:.0f}{verdict}")
    return failed


def check_speed(options):
    return grid_speed.check(options.build, options.rounds or 9)


PARTS = {
    "splits": check_splits,
    "failures": check_failures,
    "propagation": check_propagation,
    "programs": check_programs,
    "volumes": check_volumes,
    "speed": check_speed,
}
OF_SEVERAL_PROCESSES = ("splits", "failures")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of: " + ", ".join(PARTS))
    parser.add_argument("--sample", action="store_true", help="a few cases, in seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, help="how many random cases each part has")
    parser.add_argument("--network", choices=("auto", "namespaces", "loopback"), default="auto")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="the build folder")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    parts = options.parts or (OF_SEVERAL_PROCESSES if options.sample else tuple(part for part in PARTS if part != "speed"))
    os.environ.setdefault("TENON_PJRT_LIBRARY", str(options.build / "lib/libpjrt_tenon.so"))
    os.environ["JAX_PLATFORMS"] = "tenon"
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "tenon/python"), os.environ.get("PYTHONPATH")]))
    sys.path.insert(0, str(ROOT / "tenon/python"))  # which processes take over: the project's, whatever is installed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("grid: ended"))  # networks are taken down, as with Ctrl-C
    failed = 0
    if any(part in OF_SEVERAL_PROCESSES for part in parts):
        networks, why = grid_jobs.make_networks(DEVICES, options.network)
        names = " and on ".join(network.name for network in networks)
        print(f"grid: processes run on {names}" + (f" ({why})" if why else ""), flush=True)
        context = grid_jobs.start_server(["jax", "numpy", "grid_programs"])
        with tempfile.TemporaryDirectory(prefix="tenon-grid-") as cache:
            try:
                for part in OF_SEVERAL_PROCESSES:
                    if part in parts:
                        failed += PARTS[part](options, context, networks, environment(cache, part))
            finally:
                for network in networks:
                    network.close()
    for part in parts:
        if part not in OF_SEVERAL_PROCESSES:
            failed += PARTS[part](options)
    print("grid: " + (f"{failed} failed" if failed else "all as it should be"))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

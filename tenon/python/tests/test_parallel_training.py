"""examples/parallel: four ways to train on eight devices, of one OS process and of two."""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "examples" / "parallel" / "transformer.py"


@pytest.mark.parametrize("processes, ways", [(1, ["data", "tensor", "sharded", "pipeline"]), (2, ["tensor", "pipeline"])])
def test_losses_are_those_of_one_device(processes, ways, subprocess_environment):
    environment = dict(subprocess_environment, TENON_PARTITION="spmd", JAX_ENABLE_X64="0")
    command = [sys.executable, SCRIPT, "--steps=3", f"--processes={processes}", *[f"--way={way}" for way in ways]]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert [line.split(":")[0].strip() for line in lines] == ["one device", *ways], run.stdout + run.stderr
    losses = {line.split("loss ")[1].split(" -> ")[0] for line in lines}
    assert len(losses) == 1 and all(" -> nan" not in line for line in lines), run.stdout


def report_of(way, tmp_path, environment):
    """The report of a step, what its parameters take in bytes, and what a device receives."""
    report = tmp_path / f"{way}.jsonl"
    environment = dict(environment, TENON_PARTITION="spmd", JAX_ENABLE_X64="0", TENON_PARTITION_REPORT=str(report))
    subprocess.run([sys.executable, SCRIPT, "--steps=1", f"--way={way}"], env=environment, capture_output=True, check=True, timeout=600)
    steps = [json.loads(line) for line in report.read_text().splitlines()]
    step = next(step for step in steps if step["program"] == "jit_step")
    arguments = [value["bytes"] for value in step["values"] if value["name"].startswith("argument")]
    parameters = sum(arguments[:-1]) // 2  # the others are their momenta, and the last argument is the tokens
    return step, parameters, sum(collective["received_bytes"] * collective["times"] for collective in step["collectives"])


def test_data_parallel_steps_move_what_the_formula_says(tmp_path, subprocess_environment):
    """One sum of the gradients, 2 (m - 1)/m P."""
    step, parameters, received = report_of("data", tmp_path, subprocess_environment)
    assert {collective["op"] for collective in step["collectives"]} == {"all_reduce"} and not step["fallbacks"]
    assert abs(received - parameters * 2 * 7 / 8) <= 64  # the loss apart
    assert sum(collective["times"] for collective in step["collectives"]) == 1  # after the loop over layers


def test_fully_sharded_steps_move_what_the_formula_says(tmp_path, subprocess_environment):
    """Weights are gathered forward and backward, and gradients scattered: 3 (m - 1)/m P. But for those of the ends, which
    one gather is enough for."""
    step, parameters, received = report_of("sharded", tmp_path, subprocess_environment)
    assert not step["fallbacks"]
    assert 0.99 * parameters * 3 * 7 / 8 <= received <= parameters * 3 * 7 / 8

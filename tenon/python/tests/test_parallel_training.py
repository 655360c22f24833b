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


def test_report_has_the_volumes_of_the_formulas(tmp_path, subprocess_environment):
    """Bytes that a device receives in a step: data parallel one sum of the gradients, 2 (m - 1)/m P."""
    report = tmp_path / "report.jsonl"
    environment = dict(subprocess_environment, TENON_PARTITION="spmd", JAX_ENABLE_X64="0", TENON_PARTITION_REPORT=str(report))
    subprocess.run([sys.executable, SCRIPT, "--steps=1", "--way=data"], env=environment, capture_output=True, check=True, timeout=600)
    steps = [json.loads(line) for line in report.read_text().splitlines()]
    step = next(step for step in steps if step["program"] == "jit_step")
    weights = sum(value["bytes"] for value in step["values"] if value["name"].startswith("argument"))
    tokens = next(value["bytes"] for value in step["values"] if value["local_bytes"] < value["bytes"])
    parameters = (weights - tokens) // 2  # the others are their momenta
    received = sum(collective["received_bytes"] * collective["times"] for collective in step["collectives"])
    assert {collective["op"] for collective in step["collectives"]} == {"all_reduce"} and not step["fallbacks"]
    assert abs(received - parameters * 2 * 7 / 8) <= 64  # the loss apart
    # Of the loss and the last gradients one, one in each of four layers, and one of both embeddings' gradients.
    assert sum(collective["times"] for collective in step["collectives"]) == 6

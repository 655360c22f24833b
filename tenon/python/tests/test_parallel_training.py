"""examples/parallel: four ways to train on eight devices, of one OS process and of two."""

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

"""What scripts/gpu.py asks of a GPU, asked of one that the host plays: it goes through from end to end."""

import os
import pathlib
import subprocess
import sys

import numpy as np

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SCRIPTS))

import gpu  # noqa: E402


def test_all_parts_go_through_without_a_gpu(tmp_path):
    page = tmp_path / "page.md"
    command = [sys.executable, SCRIPTS / "gpu.py", "--emulated", "--sample", "30", "--build", os.environ["TENON_BUILD"]]
    done = subprocess.run([*command, "--output", page], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text()
    for title in gpu.TITLES.values():
        assert f"## {title}\n" in text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    assert len(rows) > 45
    for row in rows:
        assert row[1].startswith(gpu.NOT_MEASURED), row
    # What was taken has been run, what was not says so.
    assert "| add | not measured; XLA:CPU's result in the emulation |" in text
    assert "| softmax | not measured | - |" in text


def test_unknown_parts_are_refused(tmp_path):
    done = subprocess.run([sys.executable, SCRIPTS / "gpu.py", "speed"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no part is called speed; there are conformance" in done.stderr


def test_results_are_told_apart():
    a = [np.array([1, 2, np.nan], np.float32)]
    near = [np.array([1, 2.0001, np.nan], np.float32)]
    far = [np.array([1, 3, np.nan], np.float32)]
    infinite = [np.array([1, np.inf, np.nan], np.float32)]
    assert gpu.compare(a, a, a) == "bits"
    assert gpu.compare(a, a, near) == "close"
    assert gpu.compare(a, near, a) == "two runs have other bits"
    assert gpu.compare(a, a, far) == gpu.compare(a, a, infinite) == "far from the CPU's results"
    whole = [np.array([1, 2])]
    assert "other int64s" in gpu.compare(whole, whole, [np.array([1, 3])])


def test_numbers_of_workloads_are_compared():
    right = [[100, 0.0, 0.5, 1.0, -1.0]]
    assert gpu.agree(right, [[100, 0.001, 0.5, 1.001, -1.0]])
    assert not gpu.agree(right, [[100, 0.0, 0.5, 1.2, -1.0]])
    assert not gpu.agree([[100, float("nan"), 0.5, 1.0, -1.0]], right)
    assert not gpu.agree(right, [[10, 0.0, 0.5, 1.0, -1.0]])


def test_what_libraries_find_is_judged():
    run = gpu.Run(pathlib.Path(), False, 1)
    right = {"error": 0.5, "time": 0.001, "same": True}
    assert gpu.library_row(run, "fft", {"with": right, "without": right}).verdict == "measured"
    for wrong in ({**right, "error": 1e4}, {**right, "same": False}, {"failed": "INTERNAL: cublasLtMatmul fails: error 7"}):
        row = gpu.library_row(run, "fft", {"with": wrong, "without": right})
        assert row.verdict == "fails" and row.value.startswith("with: ")
    assert "error 7" in row.value and "without 1.000 ms" in row.value


def test_the_mean_of_ratios_is_geometric():
    assert gpu.geometric_mean([0.5, 2.0]) == 1.0
    assert gpu.geometric_mean([]) is None


def test_a_program_that_takes_too_long_keeps_what_it_said():
    command = [sys.executable, "-c", "import time; print('{\"name\": 1}', flush=True); time.sleep(60)"]
    printed, error = gpu.call(command, 2)
    assert gpu.json_lines(printed) == [{"name": 1}] and error == "not done in 2 s"

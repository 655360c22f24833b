"""`tenon run` as processes of a job (docs/processes.md)."""

import os
import pathlib
import socket
import subprocess

import numpy as np

COMMAND = os.environ["TENON_COMMAND"]
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "test" / "Inputs"

SUM = """
module @sum attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2xf32>, %zero: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
    stablehlo.custom_call @check.expect_eq(%zero, %zero2) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.replica_id : tensor<ui32>
    return %0, %1 : tensor<2xf32>, tensor<ui32>
  }
}
""".replace("    stablehlo.custom_call", "    %zero2 = stablehlo.constant dense<0.0> : tensor<2xf32>\n    stablehlo.custom_call")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run_job(program, arguments, *options):
    """(exit status, output, errors) of each process, which has these arguments."""
    environment = dict(
        os.environ,
        TENON_COORDINATOR=f"127.0.0.1:{free_port()}",
        TENON_JOB_TOKEN="a token of the test's",
        TENON_PROCESSES=str(len(arguments)),
    )
    processes = []
    for number, files in enumerate(arguments):
        command = [COMMAND, "run", program, *options]
        if files:
            command.append("--args=" + ",".join(map(str, files)))
        processes.append(
            subprocess.Popen(
                command,
                env=dict(environment, TENON_PROCESS=str(number)),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    outputs = [process.communicate(timeout=240) for process in processes]
    return [(process.returncode, *output) for process, output in zip(processes, outputs, strict=True)]


def save(folder, name, array):
    np.save(folder / f"{name}.npy", array)
    return folder / f"{name}.npy"


def test_each_process_runs_its_device(tmp_path):
    (tmp_path / "sum.mlir").write_text(SUM)
    zero = save(tmp_path, "zero", np.zeros(2, np.float32))
    arguments = [[save(tmp_path, f"x{i}", np.array([1 + i, 10.0], np.float32)), zero] for i in range(2)]
    for number, (status, output, errors) in enumerate(run_job(tmp_path / "sum.mlir", arguments, "--repeat=3")):
        assert status == 0, errors
        lines = [line for line in output.splitlines() if line]
        assert lines[0] == f"device {number}, result 0: f32[2]" and lines[1].strip("[]").split() == ["3.", "20."]
        assert lines[2] == f"device {number}, result 1: ui32[]" and lines[3] == str(number)


def test_a_failure_is_named_by_all(tmp_path):
    (tmp_path / "sum.mlir").write_text(SUM)
    x = save(tmp_path, "x", np.ones(2, np.float32))
    zero, other = save(tmp_path, "zero", np.zeros(2, np.float32)), save(tmp_path, "other", np.ones(2, np.float32))
    for status, _, errors in run_job(tmp_path / "sum.mlir", [[x, zero], [x, other]]):
        assert status == 1
        assert "process 1 (" in errors and "process (1, 0)" in errors and "check.expect_eq" in errors, errors


def test_a_program_on_whole_arrays_is_cut(tmp_path):
    random = np.random.default_rng(0)
    whole = [random.integers(-4, 5, shape).astype(np.float32) / 8 for shape in ((64, 32), (32, 128), (128, 32))]
    x, up, down = whole
    parts = []  # of device (data, model), as the shardings say
    for device in range(8):
        data, model = divmod(device, 4)
        arrays = x[32 * data : 32 * data + 32], up[:, 32 * model : 32 * model + 32], down[32 * model : 32 * model + 32]
        parts.append([save(tmp_path, f"{name}{device}", array) for name, array in zip("abc", arrays, strict=True)])
    program = INPUTS / "tensor_parallel.mlir"
    halves = [sum(parts[:4], []), sum(parts[4:], [])]
    for status, _, errors in run_job(program, halves, f"--out={tmp_path}/results"):
        assert status == 0, errors
    arguments = ",".join(str(save(tmp_path, f"whole{i}", array)) for i, array in enumerate(whole))
    subprocess.run([COMMAND, "run", program, f"--args={arguments}", f"--out={tmp_path}/expected"], check=True)
    expected = [np.load(tmp_path / f"expected/result_{i}.npy") for i in range(2)]
    for device in range(8):
        own = [np.load(tmp_path / f"results/device_{device}_result_{i}.npy") for i in range(2)]
        data = device // 4
        np.testing.assert_allclose(own[0], expected[0][32 * data : 32 * data + 32], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(own[1], expected[1], rtol=1e-5, atol=1e-6)


def test_what_does_not_fit_is_said(tmp_path):
    (tmp_path / "sum.mlir").write_text(SUM)
    x = save(tmp_path, "x", np.ones(2, np.float32))
    for status, _, errors in run_job(tmp_path / "sum.mlir", [[x], [x], [x]]):
        assert status == 1 and "2 devices (2 replicas of 1 partitions) cannot be spread over 3 processes" in errors
    for number, (status, _, errors) in enumerate(run_job(tmp_path / "sum.mlir", [[x], [x]])):
        assert status == 1 and f"this process has devices {number} to {number}" in errors
        assert "takes 2 arguments: --args needs 2 files, got 1" in errors
    for status, _, errors in run_job(tmp_path / "sum.mlir", [[], []], "--random"):
        assert status == 1 and "--random is for programs of one process" in errors

"""`tenon run` as processes of a job (docs/processes.md)."""

import os
import pathlib
import socket
import subprocess

import numpy as np
import pytest

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


def test_the_environment_says_whether_programs_overlap(tmp_path, monkeypatch):
    elements = 8192  # whose sum goes on beside the product
    product, total = (f"%{n} = stablehlo.{op} : tensor<8192xf32>\n" for n, op in ((2, "multiply %x, %x"), (3, "add %0, %2")))
    program = SUM.replace("tensor<2xf32>", f"tensor<{elements}xf32>")
    program = program.replace("    %1 =", f"    {product}    %1 =").replace("    return %0,", f"    {total}    return %3,")
    (tmp_path / "sum.mlir").write_text(program)
    zero = save(tmp_path, "zero", np.zeros(elements, np.float32))
    xs = [np.arange(elements, dtype=np.float32) * (1 + i) for i in range(2)]
    arguments = [[save(tmp_path, f"x{i}", x), zero] for i, x in enumerate(xs)]
    for overlap in "01":
        monkeypatch.setenv("TENON_OVERLAP", overlap)
        for status, _, errors in run_job(tmp_path / "sum.mlir", arguments, f"--out={tmp_path}/{overlap}"):
            assert status == 0, errors
        for number, x in enumerate(xs):
            result = np.load(tmp_path / overlap / f"device_{number}_result_0.npy")
            np.testing.assert_array_equal(result, xs[0] + xs[1] + x * x)
    monkeypatch.setenv("TENON_OVERLAP", "yes")
    for status, _, errors in run_job(tmp_path / "sum.mlir", arguments):
        assert status == 1 and "TENON_OVERLAP is 'yes'; it can be '0' or '1'" in errors, errors


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


REPLICAS = """
module @replicas attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %total = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %total : tensor<4xf32>, tensor<f32>
  }
}
"""


def test_replicas_of_whole_arrays(tmp_path):
    """Each replica of a program on whole arrays is cut by itself, and they meet."""
    (tmp_path / "replicas.mlir").write_text(REPLICAS)
    whole = np.arange(8, dtype=np.float32).reshape(2, 4)
    parts = [save(tmp_path, f"x{i}", part) for i, part in enumerate(whole.reshape(4, 2))]
    for status, _, errors in run_job(tmp_path / "replicas.mlir", [parts[:2], parts[2:]], f"--out={tmp_path}/results"):
        assert status == 0, errors
    for place in range(4):
        sums, total = (np.load(tmp_path / f"results/device_{place}_result_{i}.npy") for i in range(2))
        np.testing.assert_array_equal(sums, whole.sum(0).reshape(2, 2)[place % 2])
        assert total == whole[place // 2].sum()


# A ring, in which one also sends what nobody receives.
RING = """
module @ring attributes {mhlo.num_replicas = 3 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t0 = stablehlo.create_token : !stablehlo.token
    %t1 = "stablehlo.send"(%x, %t0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %y, %t2 = "stablehlo.recv"(%t1) {channel_handle = #stablehlo.channel_handle<handle = RECEIVED, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %t3 = "stablehlo.send"(%y, %t2) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>,
      source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<2xf32>
  }
}
"""


def test_messages_between_processes(tmp_path):
    (tmp_path / "ring.mlir").write_text(RING.replace("RECEIVED", "1"))
    arguments = [[save(tmp_path, f"x{i}", np.array([i, -i], np.float32))] for i in range(3)]
    options = f"--out={tmp_path}/results", "--repeat=3"
    for status, _, errors in run_job(tmp_path / "ring.mlir", arguments, *options):
        assert status == 0, errors
    for place in range(3):
        result = np.load(tmp_path / f"results/device_{place}_result_0.npy")
        np.testing.assert_array_equal(result, [(place + 2) % 3, -((place + 2) % 3)])


def test_a_message_that_is_never_sent(tmp_path):
    program = RING.replace("RECEIVED", "2").replace("[0, 1], [1, 2], [2, 0]", "[0, 1]").replace("3x2", "1x2")
    (tmp_path / "ring.mlir").write_text(program)
    arguments = [[save(tmp_path, f"x{i}", np.ones(2, np.float32))] for i in range(3)]
    status, _, errors = run_job(tmp_path / "ring.mlir", arguments)[1]  # the others may have ended before
    assert status == 1
    assert "receives f32[2] on channel 2 from process (0, 0) to process (1, 0)" in errors, errors
    assert "program has ended without sending it" in errors, errors


CIRCLE = """
module @circle attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t0 = stablehlo.create_token : !stablehlo.token
    %y, %t1 = "stablehlo.recv"(%t0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %t2 = "stablehlo.send"(%x, %t1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<2xf32>
  }
}
"""


def test_devices_that_wait_for_each_others_messages(tmp_path):
    """Two in each process: half of the waits are for a device of the same one."""
    (tmp_path / "circle.mlir").write_text(CIRCLE)
    x = save(tmp_path, "x", np.ones(2, np.float32))
    for status, _, errors in run_job(tmp_path / "circle.mlir", [[x, x], [x, x]]):
        assert status == 1 and "deadlock: each of these waits for the next one's later call" in errors, errors
        for device in range(4):
            assert f"device {device} waits for device {(device + 3) % 4}" in errors, errors
        assert "receives from channel 1" in errors, errors


def test_what_does_not_fit_is_said(tmp_path):
    (tmp_path / "sum.mlir").write_text(SUM)
    x = save(tmp_path, "x", np.ones(2, np.float32))
    for status, _, errors in run_job(tmp_path / "sum.mlir", [[x], [x], [x]]):
        assert status == 1 and "2 devices (2 replicas of 1 partitions) cannot be spread over 3 processes" in errors
    for number, (status, _, errors) in enumerate(run_job(tmp_path / "sum.mlir", [[x], [x]])):
        assert status == 1 and f"this process has devices {number} to {number}" in errors
        assert "takes 2 arguments: --args needs 2 files, got 1" in errors
    for status, _, errors in run_job(tmp_path / "sum.mlir", [[], []], "--random", "--time"):
        assert status == 1 and "--time is for programs of one device, and the environment names a job" in errors
    for options, error in (
        (["--png=x.png"], "--png is for programs of one device, and --grid asks for several"),
        ([f"--args={x}"], "this process has devices 0 to 1, and the program of each takes 2 arguments: --args needs 4"),
    ):
        command = [COMMAND, "run", tmp_path / "sum.mlir", "--grid", *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 1 and error in result.stderr, result.stderr


def results_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("target", ["cpu", "reference", "cuda"])
def test_all_devices_of_a_grid_are_in_one_process(tmp_path, monkeypatch, target):
    """Read, or made up as those of a job are."""
    monkeypatch.setenv("TENON_GPU", "emulated:4")
    (tmp_path / "sum.mlir").write_text(SUM)
    zero = save(tmp_path, "zero", np.zeros(2, np.float32))
    files = [save(tmp_path, "a", np.array([1, 10], np.float32)), zero, save(tmp_path, "b", np.array([2, 30], np.float32)), zero]
    command = [COMMAND, "run", tmp_path / "sum.mlir", "--grid", f"--target={target}", f"--args={','.join(map(str, files))}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line for line in output.splitlines() if line]
    assert [line for line in lines if line.startswith("device")] == [
        f"device {device}, result {result}" + (": f32[2]" if result == 0 else ": ui32[]") for device in range(2) for result in range(2)
    ]
    assert [line.strip("[]").split() for line in lines if not line.startswith("device")] == [["3.", "40."], ["0"], ["3.", "40."], ["1"]]


def test_made_up_arguments_are_those_of_the_place(tmp_path):
    (tmp_path / "replicas.mlir").write_text(REPLICAS)
    options = "--random", "--seed=7", "--repeat=2"
    for status, _, errors in run_job(tmp_path / "replicas.mlir", [[], []], *options, f"--out={tmp_path}/job"):
        assert status == 0, errors
    subprocess.run([COMMAND, "run", tmp_path / "replicas.mlir", "--grid", *options, f"--out={tmp_path}/alone"], check=True)
    assert results_of(tmp_path / "job") == results_of(tmp_path / "alone")
    totals = [np.load(tmp_path / f"alone/device_{place}_result_1.npy") for place in (0, 2)]
    assert totals[0] != totals[1]


@pytest.mark.parametrize("gpus", [1, 4])
def test_processes_of_a_job_have_gpus_of_their_own(tmp_path, monkeypatch, gpus):
    """Each sees one GPU and has one device of the grid; or each sees all four, and has two of a grid of four."""
    monkeypatch.setenv("TENON_GPU", f"emulated:{gpus}")
    devices = 2 if gpus == 1 else 4
    program = SUM.replace("num_replicas = 2", f"num_replicas = {devices}")
    program = program.replace("[[0, 1]]> : tensor<1x2xi64>", f"[{list(range(devices))}]> : tensor<1x{devices}xi64>")
    (tmp_path / "sum.mlir").write_text(program)
    zero = save(tmp_path, "zero", np.zeros(2, np.float32))
    own = [[save(tmp_path, f"x{i}", np.array([i, 1], np.float32)), zero] for i in range(devices)]
    halves = [sum(own[: devices // 2], []), sum(own[devices // 2 :], [])]
    for status, _, errors in run_job(tmp_path / "sum.mlir", halves, "--target=cuda", f"--out={tmp_path}/results"):
        assert status == 0, errors
    for device in range(devices):
        total, place = (np.load(tmp_path / f"results/device_{device}_result_{i}.npy") for i in range(2))
        np.testing.assert_array_equal(total, [sum(range(devices)), devices])
        assert place == device


def test_a_program_on_whole_arrays_is_cut_for_gpus(tmp_path, monkeypatch):
    """All in one process, and in two that see all GPUs: the bits of the CPU's devices."""
    (tmp_path / "replicas.mlir").write_text(REPLICAS)
    subprocess.run([COMMAND, "run", tmp_path / "replicas.mlir", "--grid", "--random", f"--out={tmp_path}/cpu"], check=True)
    monkeypatch.setenv("TENON_GPU", "emulated:4")
    options = "--random", "--target=cuda"
    subprocess.run([COMMAND, "run", tmp_path / "replicas.mlir", "--grid", *options, f"--out={tmp_path}/gpus"], check=True)
    for status, _, errors in run_job(tmp_path / "replicas.mlir", [[], []], *options, f"--out={tmp_path}/job"):
        assert status == 0, errors
    assert results_of(tmp_path / "cpu") == results_of(tmp_path / "gpus") == results_of(tmp_path / "job")


def test_a_process_with_too_few_gpus_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("TENON_GPU", "emulated:1")
    (tmp_path / "replicas.mlir").write_text(REPLICAS)
    for status, _, errors in run_job(tmp_path / "replicas.mlir", [[], []], "--random", "--target=cuda"):
        assert status == 1 and "this process has 2 of the program's devices, and 1 to run them on" in errors, errors

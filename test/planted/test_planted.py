"""Faults that plant.py has put into the command, and what its tools say of them."""

import json
import os
import subprocess

import pytest

# Lines are counted from the empty first one.
HEAD = "\nfunc.func @main(%x: tensor<64x128xf32>, %w: tensor<128x32xf32>) -> tensor<64x32xf32> {\n"
FOLD = HEAD + """  %zero = stablehlo.constant dense<0.0> : tensor<64x128xf32>
  %0 = stablehlo.tanh %x : tensor<64x128xf32>
  %1 = stablehlo.subtract %0, %zero : tensor<64x128xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %3 = stablehlo.exponential %2 : tensor<64x32xf32>
  return %3 : tensor<64x32xf32>
}
"""
KERNEL = """
func.func @main(%x: tensor<64x128xf32>, %i: tensor<64xi32>, %j: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.maximum %i, %j : tensor<64xi32>
  %2 = stablehlo.cosine %0 : tensor<64xf32>
  return %1, %2 : tensor<64xi32>, tensor<64xf32>
}
"""
SLOW = """
func.func @main(%x: tensor<256x256xf32>, %i: tensor<65536xi32>, %j: tensor<65536xi32>) -> (tensor<256x256xf32>, tensor<65536xi32>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = stablehlo.minimum %i, %j : tensor<65536xi32>
  return %0, %1 : tensor<256x256xf32>, tensor<65536xi32>
}
"""


def long_program():
    """Forty layers, with a square in one of them."""
    lines = [f"  %v0 = stablehlo.tanh %x : tensor<8x16xf32>"]
    for i in range(1, 40):
        operation = f"multiply %v{i - 1}, %v{i - 1}" if i == 23 else f"add %v{i - 1}, %x" if i % 2 else f"sine %v{i - 1}"
        lines.append(f"  %v{i} = stablehlo.{operation} : tensor<8x16xf32>")
    return "func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {\n" + "\n".join(lines) + "\n  return %v39 : tensor<8x16xf32>\n}\n"


@pytest.fixture
def tenon(tmp_path):
    """tenon(fault, program, words ...): in a folder that holds the program as program.mlir."""

    def run(fault, program, *words, status=0):
        (tmp_path / "program.mlir").write_text(program)
        done = subprocess.run([os.environ["TENON_COMMAND"], *words], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "TENON_PLANTED": fault, "TENON_KERNEL_CACHE": "off"})
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


@pytest.mark.parametrize("program", [FOLD, KERNEL], ids=["fold", "kernel"])
def test_without_a_fault_all_is_right(tenon, program):
    assert "right" in tenon("", program, "check", "program.mlir")


def test_check_names_a_wrong_fold(tenon):
    said = tenon("fold", FOLD, "check", "program.mlir", status=2)
    assert "after stage simplify, the first to change it: result 0, element 0 is " in said
    assert "SubtractPattern of stablehlo.subtract at program.mlir:5:8\n" in said


def test_reduce_leaves_a_wrong_fold(tenon):
    tenon("fold", FOLD, "reduce", "program.mlir", "--keep", "WRONG", "-o", "smaller.mlir")
    smaller = (tenon.folder / "smaller.mlir").read_text()
    assert "stablehlo.subtract" in smaller
    for gone in ("tanh", "dot_general", "exponential", "64", "128"):
        assert gone not in smaller, smaller
    assert "SubtractPattern of stablehlo.subtract" in tenon("fold", smaller, "check", "program.mlir", status=2)


def test_check_names_a_wrong_kernel(tenon):
    said = tenon("kernel", KERNEL, "check", "program.mlir", "--out", "wrong", status=2)
    assert "the program gives what it should after each stage\nthe first kernel that is wrong by itself: " in said
    assert " at program.mlir:5:8\n  result 0, element " in said
    kernel = (tenon.folder / "wrong/kernel.mlir").read_text()
    assert "stablehlo.maximum" in kernel and "cosine" not in kernel and "reduce" not in kernel
    (command,) = [line.removeprefix("by itself: tenon ") for line in said.splitlines() if line.startswith("by itself: ")]
    assert "is wrong by itself" in tenon("kernel", KERNEL, *command.split(), status=2)
    assert "right" in tenon("", KERNEL, *command.split())


def test_reduce_leaves_a_crash(tenon):
    tenon("crash", long_program(), "reduce", "program.mlir", "--keep", "CRASH", "-o", "smaller.mlir")
    smaller = (tenon.folder / "smaller.mlir").read_text()
    assert smaller.count("stablehlo.") <= 2 and "stablehlo.multiply" in smaller, smaller
    tenon("crash", smaller, "run", "program.mlir", "--random", status=-6)
    tenon("", smaller, "run", "program.mlir", "--random")


def profiled(tenon, fault, file):
    (tenon.folder / file).write_text(tenon(fault, SLOW, "profile", "program.mlir", "--repeat", "20", "--json"))
    return json.loads((tenon.folder / file).read_text())["kernels"]


def of_line(kernels, line):
    (found,) = [kernel for kernel in kernels if (kernel["source"] or "").endswith(f"program.mlir:{line}")]
    return found


def test_profile_shows_a_slow_kernel(tenon):
    right, slow = of_line(profiled(tenon, "", "right.json"), 4), profiled(tenon, "slow", "slow.json")
    assert slow[0]["source"].endswith("program.mlir:4"), "the slowest comes first"
    assert slow[0]["total_ns"] > 0.9 * sum(kernel["total_ns"] for kernel in slow)
    assert slow[0]["share_of_limit"] < 0.1 * right["share_of_limit"], "it is far from what the machine can do"
    said = tenon("", SLOW, "diff", "right.json", "slow.json", status=2)
    assert "minimum" in said

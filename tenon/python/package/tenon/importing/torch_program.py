"""Programs of torch.export, by torchax, which runs their graphs of PyTorch's operators on JAX."""

import os
from typing import Any

import numpy as np
import torch
import torch.export
import torchax.export
from torchax.ops import mappings

from tenon._errors import Error, StatusCode
from tenon.importing.model import ImportedModel
from tenon.importing.tracing import Given, Input, artifact


def _load(source: Any):
    if not isinstance(source, (str, os.PathLike)):
        return "<program>", source
    path = os.fspath(source)
    try:
        return path, torch.export.load(path)
    except FileNotFoundError:
        raise
    except Exception as error:  # of many kinds: it may be no archive, or of another version of PyTorch's
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        text = f"{path}: torch.export cannot read this as one of its programs: {reason}"
        raise Error(StatusCode.INVALID_ARGUMENT, text) from error


def _input(name: str, value: Any) -> Input:
    if not isinstance(value, torch.Tensor):
        raise Error(StatusCode.UNIMPLEMENTED, f"the input '{name}' is a {type(value).__name__}, and no tensor")
    dims: list[int | str] = [size if isinstance(size, int) else str(size) for size in value.shape]
    return Input(name, np.dtype(mappings.t2j_dtype(value.dtype)), dims)


class TorchImporter:
    """Of the path of a .pt2 file, or of a torch.export.ExportedProgram."""

    def __init__(self, source: Any):
        self.path, self._exported = _load(source)
        wanted = list(self._exported.graph_signature.user_inputs)
        metas = {node.name: node.meta.get("val") for node in self._exported.graph.nodes if node.op == "placeholder"}
        self.inputs = [_input(name, metas[name]) for name in wanted]

    def program(self, shapes: dict[str, Any], sizes: dict[str, int], values: dict[str, Any]) -> ImportedModel:
        given = Given(self.path, self.inputs, shapes, sizes, values)
        weights, function = torchax.export.exported_program_to_jax(self._exported)

        def main(*arguments):
            by_name = dict(zip((value.name for value in given.free), arguments)) | given.constants
            return function(weights, tuple(by_name[value.name] for value in self.inputs))

        program = artifact(self.path, main, given)
        outputs = tuple(str(name) for name in self._exported.graph_signature.user_outputs)
        return ImportedModel(program, tuple(value.name for value in given.free), outputs)

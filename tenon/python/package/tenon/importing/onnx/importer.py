"""From a model of ONNX to StableHLO: its graph is evaluated in a trace of JAX's, which makes the program."""

import os
import pathlib
from typing import Any

import jax.numpy as jnp
import numpy as np
import onnx
import onnx.checker
import onnx.helper

from tenon._errors import Error, StatusCode
from tenon.importing.model import ImportedModel
from tenon.importing.onnx import operators  # noqa: F401
from tenon.importing.onnx.evaluator import Model, Scope, add_initializers
from tenon.importing.onnx.node import NeedsValue
from tenon.importing.tracing import Given, Input, NeedsValues, artifact


def _load(model: Any) -> Model:
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        data = pathlib.Path(path).read_bytes()
    elif isinstance(model, (bytes, bytearray, memoryview)):
        path, data = "<model>", bytes(model)
    else:
        return Model(model, "<model>")
    try:
        proto = onnx.load_from_string(data)
    except Exception as error:
        raise Error(StatusCode.INVALID_ARGUMENT, f"{path}: this is no model of ONNX ({error})") from error
    if not proto.graph.node and not proto.graph.output:
        raise Error(StatusCode.INVALID_ARGUMENT, f"{path}: this is no model of ONNX, or one without a graph")
    if path != "<model>":
        try:
            onnx.load_external_data_for_model(proto, str(pathlib.Path(path).parent))
        except (OSError, ValueError, onnx.checker.ValidationError) as error:
            text = f"{path}: its weights are in another file, which cannot be read: {error}"
            raise Error(StatusCode.NOT_FOUND, text) from error
    return Model(proto, path)


def _dims(tensor: onnx.TypeProto.Tensor):
    if not tensor.HasField("shape"):
        return None
    # Some exporters write -1 for a size that is open.
    return [dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else dim.dim_param for dim in tensor.shape.dim]


def _input(path: str, value: onnx.ValueInfoProto) -> Input:
    kind = value.type
    while kind.HasField("optional_type"):
        kind = kind.optional_type.elem_type
    is_sequence = kind.HasField("sequence_type")
    tensor = kind.sequence_type.elem_type.tensor_type if is_sequence else kind.tensor_type
    if not (is_sequence or kind.HasField("tensor_type")):
        raise Error(StatusCode.UNIMPLEMENTED, f"{path}: input '{value.name}' is no array")
    if tensor.elem_type == onnx.TensorProto.STRING:
        raise Error(StatusCode.UNIMPLEMENTED, f"{path}: input '{value.name}' is text, which is not computed")
    dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    return Input(value.name, dtype, None if is_sequence else _dims(tensor), is_sequence, kind is not value.type)


def _flat(names: list[str], values: list[Any]):
    """Sequences are results of their own, and optional values that are not there none."""
    for name, value in zip(names, values):
        if isinstance(value, list):
            yield from _flat([f"{name}[{i}]" for i in range(len(value))], value)
        elif value is not None:
            yield name, jnp.asarray(value)


class OnnxImporter:
    """Of a path, bytes or an onnx.ModelProto."""

    def __init__(self, source: Any):
        self._model = _load(source)
        self.path = self._model.path
        initialized = {tensor.name for tensor in self._model.proto.graph.initializer}
        self.inputs = [_input(self.path, value) for value in self._model.proto.graph.input if value.name not in initialized]

    def program(self, shapes: dict[str, Any], sizes: dict[str, int], values: dict[str, Any]) -> ImportedModel:
        return _import(self._model, Given(self.path, self.inputs, shapes, sizes, values))


def _import(model: Model, given: Given) -> ImportedModel:
    graph = model.proto.graph
    names: list[str] = []

    def main(*arguments):
        scope = Scope(model, model.opsets)
        add_initializers(scope, graph)
        scope.values.update(given.constants)
        scope.values.update((value.name, argument) for value, argument in zip(given.free, arguments))
        wanted = [output.name for output in graph.output]
        results = list(_flat(wanted, scope.run(model.nodes, wanted)))
        names[:] = [name for name, _ in results]
        return [result for _, result in results]

    try:
        program = artifact(model.path, main, given)
    except NeedsValue as needed:
        listed = " and ".join(f"'{name}'" for name in needed.names)
        if not needed.names:
            raise Error(StatusCode.UNIMPLEMENTED, f"{needed}") from None
        text = f"{needed}, and follows from the input {listed}, whose value must be given (--value, values={{...}})"
        raise NeedsValues(text, needed.names) from None
    return ImportedModel(program, tuple(value.name for value in given.free), tuple(names))

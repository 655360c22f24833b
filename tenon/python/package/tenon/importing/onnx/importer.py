"""From a model of ONNX to StableHLO: its graph is evaluated in a trace of JAX's, which makes the program."""

import dataclasses
import inspect
import os
import pathlib
import re
from typing import Any

import jax
import jax.export
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


class NeedsValues(Error):
    """What shapes depend on is not known; `names` are the inputs that it follows from."""

    def __init__(self, message: str, names: list[str]):
        super().__init__(StatusCode.INVALID_ARGUMENT, message)
        self.names = names


@dataclasses.dataclass
class Input:
    """An input of a graph that has no initializer. A size that is open has the model's name for it, or ''; of a sequence,
    or where the model says nothing about the shape, `dims` is None."""

    name: str
    dtype: np.dtype
    dims: list[int | str] | None
    is_sequence: bool = False
    is_optional: bool = False

    @property
    def is_open(self) -> bool:
        return self.is_optional or self.dims is None or any(isinstance(size, str) for size in self.dims)

    def __str__(self) -> str:
        dims = "..." if self.dims is None else ",".join(str(size) or "?" for size in self.dims)
        return f"{self.name}: {self.dtype}[{dims}]"


def load(model: Any) -> Model:
    """A path, bytes, or an onnx.ModelProto."""
    if isinstance(model, Model):
        return model
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


def inputs(model: Model) -> list[Input]:
    graph = model.proto.graph
    initialized = {tensor.name for tensor in graph.initializer}
    return [_input(model.path, value) for value in graph.input if value.name not in initialized]


def _specification(model: Model, value: Input, shapes: dict[str, Any], sizes: dict[str, int]):
    """What the input is traced with."""
    given = shapes.get(value.name)
    if value.is_sequence:
        if given is None:
            raise Error(StatusCode.INVALID_ARGUMENT, f"{model.path}: the shapes of the sequence '{value.name}' must be given")
        return [jax.ShapeDtypeStruct(tuple(shape), value.dtype) for shape in given]
    dims = value.dims if value.dims is not None else [""] * len(given or [])
    if given is not None:
        if len(dims) != len(given):
            text = f"{model.path}: input '{value.name}' has {len(dims)} dimensions, and {len(given)} sizes are given"
            raise Error(StatusCode.INVALID_ARGUMENT, text)
        for size, wanted in zip(given, dims):
            if isinstance(wanted, int) and wanted != size:
                raise Error(StatusCode.INVALID_ARGUMENT, f"{model.path}: {value} cannot have the shape {list(given)}")
        dims = list(given)
    dims = [sizes.get(size, size) if isinstance(size, str) else size for size in dims]
    if (value.dims is None and given is None) or any(isinstance(size, str) for size in dims):
        raise Error(StatusCode.INVALID_ARGUMENT, f"{model.path}: sizes are open: {value}; its shape must be given "
                    f"(--shape {value.name}=..., shapes={{'{value.name}': [...]}})")  # fmt: skip
    return jax.ShapeDtypeStruct(tuple(dims), value.dtype)


def _check_names(model: Model, found: list[Input], *given: dict[str, Any]) -> None:
    names = [value.name for value in found]
    for name in (name for names_given in given for name in names_given):
        if name not in names:
            text = f"{model.path}: there is no input '{name}'; there are: {', '.join(names)}"
            raise Error(StatusCode.INVALID_ARGUMENT, text)


def _check_sizes(model: Model, found: list[Input], sizes: dict[str, int]) -> None:
    known = sorted({size for value in found for size in value.dims or [] if isinstance(size, str) and size})
    for name in sizes:
        if name not in known:
            text = f"{model.path}: there is no open size '{name}'" + (f"; there are: {', '.join(known)}" if known else "")
            raise Error(StatusCode.INVALID_ARGUMENT, text)


def _flat(names: list[str], values: list[Any]):
    """Sequences are results of their own, and optional values that are not there none."""
    for name, value in zip(names, values):
        if isinstance(value, list):
            yield from _flat([f"{name}[{i}]" for i in range(len(value))], value)
        elif value is not None:
            yield name, jnp.asarray(value)


def _signature(names: list[str]) -> inspect.Signature:
    """By which the program's parameters are called as the model's inputs, as far as Python has such names."""
    seen: set[str] = set()
    parameters = []
    for i, name in enumerate(names):
        word = re.sub(r"\W", "_", name)
        word = word if word.isidentifier() and word not in seen else f"input_{i}"
        seen.add(word)
        parameters.append(inspect.Parameter(word, inspect.Parameter.POSITIONAL_ONLY))
    return inspect.Signature(parameters)


def import_model(model: Model, shapes: dict[str, Any], sizes: dict[str, int], values: dict[str, Any]) -> ImportedModel:
    graph = model.proto.graph
    found = inputs(model)
    _check_names(model, found, shapes, values)
    _check_sizes(model, found, sizes)
    free = [value for value in found if value.name not in values]
    specifications = [_specification(model, value, shapes, sizes) for value in free]
    constants = {value.name: _constant(value, values[value.name]) for value in found if value.name in values}
    names: list[str] = []

    def main(*arguments):
        scope = Scope(model, model.opsets)
        add_initializers(scope, graph)
        scope.values.update(constants)
        scope.values.update((value.name, argument) for value, argument in zip(free, arguments))
        wanted = [output.name for output in graph.output]
        results = list(_flat(wanted, scope.run(model.nodes, wanted)))
        names[:] = [name for name, _ in results]
        return [result for _, result in results]

    # By which profiles and errors call the program.
    main.__name__ = re.sub(r"\W", "_", pathlib.Path(model.path).stem)
    main.__signature__ = _signature([value.name for value in free])  # type: ignore[attr-defined]
    try:
        with jax.enable_x64(True):
            exported = jax.export.export(jax.jit(main, keep_unused=True), platforms=["cpu"])(*specifications)
            artifact = exported.mlir_module_serialized
    except NeedsValue as needed:
        listed = " and ".join(f"'{name}'" for name in needed.names)
        if not needed.names:
            raise Error(StatusCode.UNIMPLEMENTED, f"{needed}") from None
        text = f"{needed}, and follows from the input {listed}, whose value must be given (--value, values={{...}})"
        raise NeedsValues(text, needed.names) from None
    return ImportedModel(bytes(artifact), tuple(value.name for value in free), tuple(names))


def _constant(value: Input, given: Any):
    if given is None:
        return None
    if value.is_sequence:
        return [np.asarray(element, value.dtype) for element in given]
    array = np.asarray(given)
    return array if array.dtype == value.dtype else np.asarray(given).astype(value.dtype)

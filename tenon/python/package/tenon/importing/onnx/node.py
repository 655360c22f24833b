"""An operator where it is used: its attributes, version and place, for the function that lowers it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import onnx.defs
import onnx.helper
import onnx.numpy_helper



class NotLowered(Exception):
    """What a lowering cannot do; the evaluator adds the node and the file."""


class NeedsValue(Exception):
    """A value must be known at import, and is only known at run time."""

    def __init__(self, node_inputs: list[str], what: str):
        super().__init__(what)
        self.names = node_inputs
        # The innermost node, as errors name it.
        self.place = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.args[0]}" if self.place else str(self.args[0])


def is_known(value: Any) -> bool:
    """Whether it is known at import: an array of NumPy's, or a sequence or an optional of such."""
    if isinstance(value, (list, tuple)):
        return all(is_known(element) for element in value)
    return value is None or isinstance(value, np.ndarray)


def numpy_for(*values: Any) -> Any:
    """NumPy for what is known, so that nothing is compiled to compute it, and jax.numpy for what is not."""
    return np if all(map(is_known, values)) else jnp


def known(value: Any) -> Any:
    """What was computed at import, in the form of `is_known`."""
    if isinstance(value, (list, tuple)):
        return type(value)(known(element) for element in value)
    if value is None or isinstance(value, jax.core.Tracer):
        return value
    return np.asarray(value)


def attribute_value(attribute: onnx.AttributeProto) -> Any:
    """As Python has it: text as str, tensors as arrays."""
    value = onnx.helper.get_attribute_value(attribute)
    if attribute.type == onnx.AttributeProto.STRING:
        return value.decode("utf-8", "surrogateescape")
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [element.decode("utf-8", "surrogateescape") for element in value]
    if attribute.type == onnx.AttributeProto.TENSOR:
        return onnx.numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)) or hasattr(value, "append"):
        return list(value)
    return value


def schema_of(domain: str, name: str, version: int):
    """The operator's definition, or None for what is not ONNX's own."""
    try:
        return onnx.defs.get_schema(name, version, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None


class Node:
    """`node["axis"]` is an attribute, its default in this version of the operator set, or None."""

    def __init__(self, proto: onnx.NodeProto, version: int, attributes: dict[str, onnx.AttributeProto], scope: Any):
        self.proto = proto
        self.version = version
        self.attributes = attributes
        # The evaluator of the graph around, for operators with graphs of their own.
        self.scope = scope
        self.schema = schema_of(proto.domain, proto.op_type, version)

    def __getitem__(self, name: str) -> Any:
        if name in self.attributes:
            return attribute_value(self.attributes[name])
        if self.schema is not None and name in self.schema.attributes:
            default = self.schema.attributes[name].default_value
            if default.type != onnx.AttributeProto.UNDEFINED:
                return attribute_value(default)
        return None

    def has(self, name: str) -> bool:
        """Whether the attribute is given, and not only has a default."""
        return name in self.attributes

    @property
    def kind(self) -> str:
        return self.proto.op_type

    @property
    def output_count(self) -> int:
        return len(self.proto.output)

    def wants(self, index: int) -> bool:
        """Whether the output is used."""
        return index < len(self.proto.output) and bool(self.proto.output[index])

    def known(self, value: Any, index: int, what: str) -> np.ndarray:
        """Input `index`, whose value decides shapes or what is computed, as an array of NumPy's."""
        if not is_known(value):
            raise NeedsValue([self.proto.input[index]], f"its {what} (input {index}, '{self.proto.input[index]}') must be known")
        return value

    def integers(self, value: Any, index: int, what: str) -> list[int]:
        return [int(element) for element in np.ravel(self.known(value, index, what))]

    def axes(self, value: Any, index: int) -> list[int] | None:
        """Given as an attribute in older versions, as an input in newer ones; None if neither is there."""
        if value is not None:
            return self.integers(value, index, "axes")
        return self["axes"]


def place(node: onnx.NodeProto, version: int, path: str) -> str:
    """How errors name a node."""
    name = f"'{node.name}'" if node.name else f"that gives '{next(iter(node.output), '')}'"
    domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
    return f"{path}: node {name} ({domain}{node.op_type}, operator set {version})"


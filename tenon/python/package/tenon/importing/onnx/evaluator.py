"""Evaluates a graph of ONNX, node by node, on arrays of jax.numpy: within a trace this makes the program.

What is known at import (weights, and what is computed of them and of shapes) is an array of NumPy's and is computed at
once, so that shapes can depend on it.
"""

import math
import pathlib
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
from jax.extend import source_info_util

from tenon._errors import Error, StatusCode
from tenon.importing.onnx import registry
from tenon.importing.onnx.node import NeedsValue, Node, NotLowered, is_known, known, place, schema_of

# Larger arrays are computed at import only by operators that move elements: the result takes the place of the weights.
_FOLDED_ELEMENTS = 1 << 16
_MOVES = {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Split", "Concat", "Identity", "Cast", "Constant"}


# So that places in programs are those of models.
source_info_util.register_exclusion(str(pathlib.Path(__file__).parents[2]))


def _called(function): return function()  # noqa: E704 (on one line, which then is a node's)


class Model:
    """A model and what its nodes refer to."""

    def __init__(self, proto: onnx.ModelProto, path: str):
        self.proto = proto
        self.path = path
        self.opsets = {opset.domain: opset.version for opset in proto.opset_import}
        self.functions = {(function.domain, function.name): function for function in proto.functions}
        # The numbers of the graph's nodes, which stand for lines where a place in a file is wanted. The nodes of graphs
        # inside have that of the node around.
        self.nodes = list(proto.graph.node)  # the objects, which protobuf would make anew
        self._lines = {id(node): i for i, node in enumerate(self.nodes, 1)}

    def at(self, node: onnx.NodeProto, call: Callable[[], Any]) -> Any:
        """Calls it so that what is traced has the node for its place: the innermost call outside of this package is one of a
        function that seems to be there."""
        if id(node) not in self._lines:
            return call()
        code = _called.__code__.replace(co_filename=self.path, co_firstlineno=self._lines[id(node)],
                                      co_name=node.name or node.op_type)  # fmt: skip
        return types.FunctionType(code, {})(call)


def _elements(value) -> int:
    if isinstance(value, (list, tuple)):
        return sum(map(_elements, value))
    return 0 if value is None else int(np.size(value))


def _tuple(results) -> tuple:
    return results if isinstance(results, tuple) else (results,)


def _of_dtype_it_has(value):
    """Of strings and other objects no array of JAX's can be made; they stay known."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "OUS"


def _type_text(value) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_type_text, value)) + "]"
    return "none" if value is None else f"{value.dtype}[{','.join(map(str, value.shape))}]"


def _element_type(value) -> int:
    return onnx.helper.np_dtype_to_tensor_dtype(np.dtype(value.dtype))


def _type_proto(value) -> onnx.TypeProto:
    if value is None:
        return onnx.TypeProto()
    if isinstance(value, list):
        element = _type_proto(value[0]) if value else onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None)
        return onnx.helper.make_sequence_type_proto(element)
    return onnx.helper.make_tensor_type_proto(_element_type(value), value.shape)


class Scope:
    """The values of a graph or of a function's body, and the evaluation of its nodes."""

    def __init__(self, model: Model, opsets: dict[str, int], parent: "Scope | None" = None,
                 attributes: dict[str, onnx.AttributeProto] | None = None):  # fmt: skip
        self.model = model
        self.opsets = opsets
        self.parent = parent
        # Of the function that this is the body of.
        self.attributes = attributes if attributes is not None else (parent.attributes if parent else {})
        self.values: dict[str, Any] = {}

    def value(self, name: str) -> Any:
        if not name:
            return None
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        raise Error(StatusCode.INVALID_ARGUMENT, f"{self.model.path}: no node gives the value '{name}' before it is used")

    def version(self, domain: str) -> int:
        if domain in ("", "ai.onnx"):
            return self.opsets.get("", self.opsets.get("ai.onnx", 1))
        return self.opsets.get(domain, 1)

    def run(self, nodes, outputs: list[str]) -> list[Any]:
        """The values with these names, once the nodes are evaluated."""
        for position, node in enumerate(nodes):
            try:
                self._evaluate(node)
            except NeedsValue as needed:
                needed.names = self._sources(nodes[: position + 1], needed.names)
                raise
        return [self.value(name) for name in outputs]

    def graph(self, graph: onnx.GraphProto, arguments: list[Any]) -> list[Any]:
        """The outputs of a graph inside this one, whose values it sees."""
        inner = Scope(self.model, self.opsets, self)
        add_initializers(inner, graph)
        inner.values.update(zip((value.name for value in graph.input), arguments))
        return inner.run(graph.node, [value.name for value in graph.output])

    def _sources(self, nodes, names: list[str]) -> list[str]:
        """Of values computed here: the names from outside that they are computed of."""
        producers = {output: node for node in nodes for output in node.output if output}
        found, pending, seen = [], list(names), set()
        while pending:
            name = pending.pop()
            if not name or name in seen:
                continue
            seen.add(name)
            # What the shape is, is known.
            if name in producers and producers[name].op_type not in ("Shape", "Size"):
                pending += producers[name].input
                pending += [inner for attribute in producers[name].attribute for node in attribute.g.node for inner in node.input]
            elif name not in producers and not (name in self.values and is_known(self.values[name])):
                found.append(name)
        return found

    def _evaluate(self, proto: onnx.NodeProto):
        version = self.version(proto.domain)
        inputs = [self.value(name) for name in proto.input]
        try:
            with jax.named_scope(proto.name or proto.op_type):
                results = self.model.at(proto, lambda: self._results(proto, version, inputs))
        except Error:
            raise
        except NeedsValue as needed:
            if not needed.place:
                needed.place = place(proto, version, self.model.path)
            raise
        except NotLowered as reason:
            raise Error(StatusCode.UNIMPLEMENTED, f"{place(proto, version, self.model.path)}: {reason}") from None
        except Exception as error:  # JAX's own, about shapes and types that do not go together
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            given = ", ".join(map(_type_text, inputs))
            raise Error(StatusCode.INVALID_ARGUMENT,
                        f"{place(proto, version, self.model.path)}: {reason} (inputs: {given})") from error  # fmt: skip
        for name, result in zip(proto.output, results):
            if name:
                self.values[name] = result

    def _results(self, proto: onnx.NodeProto, version: int, inputs: list[Any]) -> tuple:
        attributes = self._attributes(proto)
        function = self.model.functions.get((proto.domain, proto.op_type))
        lowering = registry.lowering(proto.domain, proto.op_type) if function is None else None
        if lowering is None:
            function = function or self._definition(proto, version, inputs, attributes)
            return self._call(function, proto, version, inputs, attributes)
        node = Node(proto, version, attributes, self)
        if registry.has_effects(proto.domain, proto.op_type) or not all(map(is_known, inputs)):
            return _tuple(lowering(node, *inputs))
        if any(map(_of_dtype_it_has, inputs)):
            return known(_tuple(lowering(node, *inputs)))
        size = _elements(inputs)
        if size > _FOLDED_ELEMENTS and proto.op_type not in _MOVES:
            return _tuple(lowering(node, *inputs))
        with jax.ensure_compile_time_eval(), np.errstate(all="ignore"):
            results = known(_tuple(lowering(node, *inputs)))
        if _elements(results) > max(size, _FOLDED_ELEMENTS):
            # Cheaper to compute than to keep.
            return _tuple(lowering(node, *inputs))
        return results

    def _attributes(self, proto: onnx.NodeProto) -> dict[str, onnx.AttributeProto]:
        """With those in place that a function's body takes from its call."""
        found = {}
        for attribute in proto.attribute:
            if not attribute.ref_attr_name:
                found[attribute.name] = attribute
            elif attribute.ref_attr_name in self.attributes:
                found[attribute.name] = self.attributes[attribute.ref_attr_name]
        return found

    def _definition(self, proto, version, inputs, attributes) -> onnx.FunctionProto:
        """What ONNX defines the operator by, if it does."""
        schema = schema_of(proto.domain, proto.op_type, version)
        if schema is None:
            domain = proto.domain or "ONNX"
            raise NotLowered(f"there is no such operator in {domain}" if proto.domain in ("", "ai.onnx") else
                             f"operators of the domain '{domain}' are not known")  # fmt: skip
        text = None
        if schema.context_dependent_function_opset_versions:
            call = onnx.NodeProto()
            call.CopyFrom(proto)
            del call.attribute[:]
            call.attribute.extend(attributes.values())
            types = [_type_proto(value).SerializeToString() for value in inputs]
            fitting = _fitting(schema.context_dependent_function_opset_versions, version)
            text = schema.get_context_dependent_function_with_opset_version(fitting, call.SerializeToString(), types)
        elif schema.function_opset_versions:
            text = schema.get_function_with_opset_version(_fitting(schema.function_opset_versions, version))
        if not text:
            raise NotLowered("the operator is not supported")
        function = onnx.FunctionProto()
        function.ParseFromString(text)
        return function

    def _call(self, function: onnx.FunctionProto, proto, version, inputs, attributes) -> tuple:
        given = dict(attributes)
        schema = schema_of(proto.domain, proto.op_type, version)
        if schema is not None:
            for name, attribute in schema.attributes.items():
                if name not in given and attribute.default_value.type != onnx.AttributeProto.UNDEFINED:
                    given[name] = attribute.default_value
        for attribute in function.attribute_proto:
            given.setdefault(attribute.name, attribute)
        opsets = {opset.domain: opset.version for opset in function.opset_import} or self.opsets
        body = Scope(self.model, opsets, None, given)
        names = list(function.input)
        body.values.update(zip(names, inputs + [None] * (len(names) - len(inputs))))
        try:
            body.run(function.node, [])
            # A definition for inputs that are left out may leave out outputs.
            return tuple(body.values.get(name) for name in function.output)
        except NeedsValue as needed:
            needed.names = [proto.input[names.index(name)] for name in needed.names if name in names]
            raise


def _fitting(versions: list[int], version: int) -> int:
    """The newest that is not newer than the version."""
    return max((candidate for candidate in versions if candidate <= version), default=min(versions))


def add_initializers(scope: Scope, graph: onnx.GraphProto):
    for tensor in graph.initializer:
        scope.values[tensor.name] = onnx.numpy_helper.to_array(tensor)
    for sparse in graph.sparse_initializer:
        scope.values[sparse.values.name] = dense(sparse)


def dense(sparse: onnx.SparseTensorProto) -> np.ndarray:
    values, indices = onnx.numpy_helper.to_array(sparse.values), onnx.numpy_helper.to_array(sparse.indices)
    flat = np.zeros(math.prod(sparse.dims), values.dtype)
    if indices.ndim == 2:
        indices = np.ravel_multi_index(tuple(indices.T), tuple(sparse.dims))
    flat[indices] = values
    return flat.reshape(tuple(sparse.dims))

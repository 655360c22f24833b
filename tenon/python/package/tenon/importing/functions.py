"""Models as functions of NumPy arrays."""

from typing import Any

import numpy as np

from tenon._compile import Function, in_order
from tenon._errors import Error, StatusCode
from tenon._tenon import Computation
from tenon.importing.model import Importer
from tenon.importing.tracing import NeedsValues

# An array of integers with more elements, or of floats, is data, and no list of sizes.
_MOST_INTEGERS, _MOST_FLOATS = 64, 16


class ImportedFunction:
    """A model that leaves sizes open, or whose shapes depend on the values of inputs: imported and compiled at the
    first call for each set of them. Any number of threads may call it."""

    def __init__(self, importer: Importer, client: Any):
        self.client = client
        self._importer = importer
        self._inputs = importer.inputs
        # Inputs whose values decide shapes, as far as they have been found.
        self._deciding: set[str] = set()
        self._functions: dict[Any, Function] = {}

    @property
    def parameter_names(self) -> list[str]:
        return [value.name for value in self._inputs]

    def specialize(self, *arguments: Any, **named: Any) -> Function:
        """The function for arguments of these shapes, without those whose values decide shapes: compiled now, if there is
        none yet."""
        return self._specialized(self._arrays(arguments, named))

    def __call__(self, *arguments: Any, timeout: float | None = None, seed: int | None = None, **named: Any) -> Any:
        arrays = self._arrays(arguments, named)
        function = self._specialized(arrays)
        free = [array for name, array in zip(self.parameter_names, arrays) if name not in self._deciding and array is not None]
        flat = [element for array in free for element in (array if isinstance(array, list) else [array])]
        return function(*flat, timeout=timeout, seed=seed)

    def _arrays(self, arguments, named):
        ordered = in_order(self._importer.path, self.parameter_names, arguments, named)
        return [_as_input(value, argument) for value, argument in zip(self._inputs, ordered)]

    def _specialized(self, arrays) -> Function:
        while True:
            by_name = dict(zip(self.parameter_names, arrays))
            # An optional input that is not there is known.
            values = {name: array for name, array in by_name.items() if name in self._deciding or array is None}
            shapes = {name: _shape(array) for name, array in by_name.items() if name not in values}
            key = (str(shapes), *((name, _content(array)) for name, array in values.items()))
            if key in self._functions:
                return self._functions[key]
            try:
                model = self._importer.program(shapes, {}, values)
            except NeedsValues as needed:
                self._deciding |= _deciding(needed, by_name)
                continue
            function = Function(Computation.from_stablehlo(model.artifact, self._importer.path), self.client)
            return self._functions.setdefault(key, function)

    def __repr__(self) -> str:
        return f"<ImportedFunction '{self._importer.path}' ({', '.join(map(str, self._inputs))})>"


def _deciding(needed, arrays) -> set[str]:
    found = set()
    for name in needed.names:
        array = arrays[name]
        most = _MOST_INTEGERS if not isinstance(array, list) and array.dtype.kind in "iub" else _MOST_FLOATS
        if isinstance(array, list) or array.size > most:
            raise Error(StatusCode.UNIMPLEMENTED, f"{needed.message}, and is data")
        found.add(name)
    return found


def _shape(array):
    return [list(element.shape) for element in array] if isinstance(array, list) else list(array.shape)


def _content(array):
    return None if array is None else (array.tobytes(), array.shape)


def _as_input(value, argument):
    if argument is None and value.is_optional:
        return None
    if value.is_sequence:
        return [np.asarray(element, value.dtype) for element in argument]
    array = np.asarray(argument)
    if array.dtype != value.dtype and not isinstance(argument, np.ndarray):
        array = np.asarray(argument, value.dtype)  # numbers and lists
    return array


def compile_imported(importer: Importer, client: Any) -> Function | ImportedFunction:
    if any(value.is_open for value in importer.inputs):
        return ImportedFunction(importer, client)
    try:
        imported = importer.program({}, {}, {})
    except NeedsValues:
        return ImportedFunction(importer, client)
    return Function(Computation.from_stablehlo(imported.artifact, importer.path), client)

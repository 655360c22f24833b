"""What the importers have in common: inputs, which may leave sizes open, and the StableHLO program of a function of JAX's."""

import dataclasses
import inspect
import pathlib
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.export
import numpy as np

from tenon._errors import Error, StatusCode


class NeedsValues(Error):
    """What shapes depend on is not known; `names` are the inputs that it follows from."""

    def __init__(self, message: str, names: list[str]):
        super().__init__(StatusCode.INVALID_ARGUMENT, message)
        self.names = names


@dataclasses.dataclass
class Input:
    """An input of a model. A size that is open has the model's name for it, or ''; of a sequence, or where the model says
    nothing about the shape, `dims` is None."""

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


class Given:
    """What is said about the inputs of a model, checked against them."""

    def __init__(self, path: str, inputs: list[Input], shapes: dict[str, Any], sizes: dict[str, int], values: dict[str, Any]):
        self._path, self._shapes, self._sizes = path, shapes, sizes
        names = [value.name for value in inputs]
        for name in (*shapes, *values):
            if name not in names:
                raise self._invalid(f"there is no input '{name}'; there are: {', '.join(names)}")
        known = sorted({size for value in inputs for size in value.dims or [] if isinstance(size, str) and size})
        for name in sizes:
            if name not in known:
                raise self._invalid(f"there is no open size '{name}'" + (f"; there are: {', '.join(known)}" if known else ""))
        self.free = [value for value in inputs if value.name not in values]
        self.constants = {value.name: _constant(value, values[value.name]) for value in inputs if value.name in values}

    def _invalid(self, text: str) -> Error:
        return Error(StatusCode.INVALID_ARGUMENT, f"{self._path}: {text}")

    def specifications(self) -> list[Any]:
        """What a function of the free inputs is traced with."""
        return [self._specification(value) for value in self.free]

    def _specification(self, value: Input):
        given = self._shapes.get(value.name)
        if value.is_sequence:
            if given is None:
                raise self._invalid(f"the shapes of the sequence '{value.name}' must be given")
            return [jax.ShapeDtypeStruct(tuple(shape), value.dtype) for shape in given]
        dims = value.dims if value.dims is not None else [""] * len(given or [])
        if given is not None:
            if len(dims) != len(given):
                raise self._invalid(f"input '{value.name}' has {len(dims)} dimensions, and {len(given)} sizes are given")
            if any(isinstance(wanted, int) and wanted != size for size, wanted in zip(given, dims)):
                raise self._invalid(f"{value} cannot have the shape {list(given)}")
            dims = list(given)
        dims = [self._sizes.get(size, size) if isinstance(size, str) else size for size in dims]
        if (value.dims is None and given is None) or any(isinstance(size, str) for size in dims):
            raise self._invalid(f"sizes are open: {value}; its shape must be given (--shape {value.name}=..., "
                                f"shapes={{'{value.name}': [...]}})")  # fmt: skip
        return jax.ShapeDtypeStruct(tuple(dims), value.dtype)


def _constant(value: Input, given: Any):
    if given is None:
        return None
    if value.is_sequence:
        return [np.asarray(element, value.dtype) for element in given]
    return np.asarray(given).astype(value.dtype)


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


def artifact(path: str, function: Callable[..., Any], given: Given) -> bytes:
    """The program of a function of the free inputs, as a portable artifact. It is called as the model's file is."""

    def main(*arguments):
        return function(*arguments)

    main.__name__ = re.sub(r"\W", "_", pathlib.Path(path).stem)
    main.__signature__ = _signature([value.name for value in given.free])  # type: ignore[attr-defined]
    with jax.enable_x64(True):
        traced = jax.jit(main, keep_unused=True)
        return bytes(jax.export.export(traced, platforms=["cpu"])(*given.specifications()).mlir_module_serialized)

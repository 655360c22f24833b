"""Signatures of the extension module's functions, for `inspect`, help() and whatever completes names.

nanobind keeps them as texts, `__nb_signature__`, which its stubs are made of, and `inspect` knows nothing of. Its functions take no attributes
and their types are immutable, so each is called by one of Python's, which has what `inspect` asks for."""

import ast
import functools
import inspect
import re
import sys
import types
from typing import Any


class _Text:
    """A default value that is shown as its source, where that is all that is known."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _default(node: ast.expr, values: tuple[Any, ...] | None) -> Any:
    if isinstance(node, ast.Name) and (place := re.fullmatch(r"_default_(\d+)", node.id)):
        return values[int(place[1])] if values else _Text("...")
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _Text(ast.unparse(node))


def _short(annotation: str) -> str:
    """Types of the package as its users know them."""
    return re.sub(r"\btenon\._tenon\.", "tenon.", annotation)


def _annotation(node: ast.expr | None) -> Any:
    return inspect.Parameter.empty if node is None else _short(ast.unparse(node))


def _signature(text: str, values: tuple[Any, ...] | None) -> inspect.Signature:
    text = re.sub(r"\\(\d+)", r"_default_\1", text)
    (function,) = ast.parse(text + ": ...").body
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    kinds = [inspect.Parameter.POSITIONAL_ONLY] * len(given.posonlyargs) + [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(given.args)
    parameters = []

    def add(argument: ast.arg, kind: Any, default: ast.expr | None = None) -> None:
        value = inspect.Parameter.empty if default is None else _default(default, values)
        parameters.append(inspect.Parameter(argument.arg, kind, default=value, annotation=_annotation(argument.annotation)))

    for argument, kind, default in zip(positional, kinds, defaults):
        add(argument, kind, default)
    if given.vararg:
        add(given.vararg, inspect.Parameter.VAR_POSITIONAL)
    for argument, default in zip(given.kwonlyargs, given.kw_defaults):
        add(argument, inspect.Parameter.KEYWORD_ONLY, default)
    if given.kwarg:
        add(given.kwarg, inspect.Parameter.VAR_KEYWORD)
    return inspect.Signature(parameters, return_annotation=_annotation(function.returns))


def _any_of(signatures: list[inspect.Signature]) -> inspect.Signature:
    """Of a function with overloads: what all of them begin with alike, and then anything."""
    first = signatures[0]
    if len(signatures) == 1:
        return first
    alike = []
    for parameters in zip(*(signature.parameters.values() for signature in signatures)):
        if len({parameter.name for parameter in parameters}) > 1:
            break
        alike.append(parameters[0] if len({str(parameter) for parameter in parameters}) == 1 else
                     inspect.Parameter(parameters[0].name, parameters[0].kind, default=parameters[0].default))  # fmt: skip
    if all(len(signature.parameters) == len(alike) for signature in signatures):
        return first.replace(parameters=alike)
    alike = [parameter for parameter in alike if parameter.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD]
    rest = [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL), inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)]
    return first.replace(parameters=[*alike, *rest])


def _described(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    overloads = function.__nb_signature__
    functools.update_wrapper(call, function)
    del call.__wrapped__  # type: ignore[attr-defined]
    call.__doc__ = next((text for _, text, _ in overloads if text), None)
    call.__signature__ = _any_of([_signature(text, values) for text, _, values in overloads])  # type: ignore[attr-defined]
    return call


class _OfClass:
    """A class's `__signature__`: that of its `__init__`, unless a class derived from it makes its objects in its own way."""

    def __init__(self, owner: type) -> None:
        function = vars(owner)["__init__"]
        parameters = list(function.__signature__.parameters.values())[1:]
        self._function, self._signature = function, inspect.Signature(parameters)

    def __get__(self, instance: Any, owner: type) -> inspect.Signature:
        if getattr(owner, "__init__", None) is not self._function:
            raise AttributeError("__signature__")
        return self._signature


def describe(module: types.ModuleType) -> None:
    """Replaces the functions of a module and its classes' methods, but for the private ones, which the package itself calls."""
    if hasattr(sys.modules["__main__"], "StubGen"):  # nanobind's own, which reads what is replaced here
        return
    for name, value in vars(module).copy().items():
        if hasattr(value, "__nb_signature__") and not isinstance(value, type) and not name.startswith("_"):
            setattr(module, name, _described(value))
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for method, function in vars(value).copy().items():
                if hasattr(function, "__nb_signature__") and (method == "__init__" or not method.startswith("_")):
                    is_bound = hasattr(type(function), "__get__")
                    setattr(value, method, _described(function) if is_bound else staticmethod(_described(function)))
            if hasattr(vars(value).get("__init__"), "__signature__"):
                setattr(value, "__signature__", _OfClass(value))

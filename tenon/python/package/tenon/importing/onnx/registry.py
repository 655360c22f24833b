"""What lowers each operator of ONNX: functions that compute an operator's results with jax.numpy."""

from collections.abc import Callable
from typing import Any

_LOWERINGS: dict[tuple[str, str], Callable[..., Any]] = {}
# Operators that give another value at each run, which must not be computed at import.
_EFFECTS: set[tuple[str, str]] = set()
# The default domain has two names.
_DEFAULT = ("", "ai.onnx")


def _key(domain: str, name: str):
    return ("" if domain in _DEFAULT else domain, name)


def operator(*names: str, domain: str = "", effects: bool = False):
    """Makes the function the lowering of these operators. It is called with a Node and the inputs (None for those that
    are left out), and returns the output, or a tuple of the outputs. What versions of the operator set differ in, it
    asks the node."""

    def register(function):
        for name in names:
            key = _key(domain, name)
            assert key not in _LOWERINGS, f"{name} has two lowerings"
            _LOWERINGS[key] = function
            if effects:
                _EFFECTS.add(key)
        return function

    return register


def lowering(domain: str, name: str) -> Callable[..., Any] | None:
    return _LOWERINGS.get(_key(domain, name))


def has_effects(domain: str, name: str) -> bool:
    return _key(domain, name) in _EFFECTS


def names() -> list[str]:
    """Of all operators with a lowering, with their domains: 'Conv', 'ai.onnx.ml.Binarizer'."""
    return sorted(f"{domain}.{name}" if domain else name for domain, name in _LOWERINGS)

"""The packages that models are imported with."""

import importlib.util

from tenon._errors import Error, StatusCode


def check(extra: str, *names: str) -> None:
    """`extra` is that of Tenon's wheel which has them."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        text = f"importing this model needs {' and '.join(missing)}, which is not installed: pip install 'tenon-compiler[{extra}]'"
        raise Error(StatusCode.FAILED_PRECONDITION, text)

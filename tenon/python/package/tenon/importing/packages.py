"""The packages that models are imported with."""

import importlib.util

from tenon._errors import Error, StatusCode


def check(*names: str) -> None:
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        text = f"importing this model needs {' and '.join(missing)}, which is not installed: pip install 'tenon[import]'"
        raise Error(StatusCode.FAILED_PRECONDITION, text)

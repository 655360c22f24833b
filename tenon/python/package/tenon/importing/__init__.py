"""Models of other frameworks as StableHLO. It needs the packages of `tenon[import]`, which are imported when a model is."""

import os
import pathlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenon.importing.model import ImportedModel


def import_onnx(model: Any, *, shapes: dict[str, Any] | None = None, sizes: dict[str, int] | None = None,
                values: dict[str, Any] | None = None) -> "ImportedModel":  # fmt: skip
    """A model of ONNX (a path, bytes or an onnx.ModelProto) as a StableHLO program.

    Sizes that the model leaves open are given by input (`shapes={"x": [1, 3, 224, 224]}`) or by the name that the model has
    for them (`sizes={"batch": 1}`). `values` makes constants of inputs (`values={"sr": 16000}`): those that shapes depend on,
    and any others.
    """
    from tenon.importing import packages

    packages.check("onnx", "jax")
    from tenon.importing.onnx import importer

    return importer.import_model(importer.load(model), shapes or {}, sizes or {}, values or {})


def kind(program: Any) -> str | None:
    """'onnx' for a model of ONNX, by its type or its file's name; None for what is not imported."""
    if isinstance(program, os.PathLike):
        return "onnx" if pathlib.Path(program).suffix.lower() == ".onnx" else None
    if type(program).__name__ == "ModelProto" and hasattr(program, "opset_import"):
        return "onnx"
    return None


def compile_model(program: Any, client: Any) -> Any:
    """What tenon.compile makes of a model: a function, or one that is compiled when it is called where the model leaves
    sizes open."""
    from tenon.importing import packages

    packages.check("onnx", "jax")
    from tenon.importing import functions

    return functions.compile_onnx(program, client)

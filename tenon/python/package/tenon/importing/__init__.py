"""Models of other frameworks as StableHLO. It needs the packages of `tenon-compiler[import]`, which are imported when a model is."""

import os
import pathlib
from typing import TYPE_CHECKING, Any

from tenon._errors import Error, StatusCode

if TYPE_CHECKING:
    from tenon.importing.model import ImportedModel, Importer

_BY_SUFFIX = {".onnx": "onnx", ".pt2": "torch"}


def import_onnx(model: Any, *, shapes: dict[str, Any] | None = None, sizes: dict[str, int] | None = None,
                values: dict[str, Any] | None = None) -> "ImportedModel":  # fmt: skip
    """A model of ONNX (a path, bytes or an onnx.ModelProto) as a StableHLO program.

    Sizes that the model leaves open are given by input (`shapes={"x": [1, 3, 224, 224]}`) or by the name that the model has
    for them (`sizes={"batch": 1}`). `values` makes constants of inputs (`values={"sr": 16000}`): those that shapes depend on,
    and any others.
    """
    return _importer("onnx", model).program(shapes or {}, sizes or {}, values or {})


def import_torch(program: Any, *, shapes: dict[str, Any] | None = None, sizes: dict[str, int] | None = None,
                 values: dict[str, Any] | None = None) -> "ImportedModel":  # fmt: skip
    """A program of torch.export (the path of a .pt2 file, or an ExportedProgram) as a StableHLO program, with its weights as
    constants. The rest is as with import_onnx; names of inputs are those of the arguments."""
    return _importer("torch", program).program(shapes or {}, sizes or {}, values or {})


def import_file(path: os.PathLike, **given: Any) -> "ImportedModel":
    """A model's file, by its suffix."""
    found = kind(pathlib.Path(path))
    if found is None:
        suffixes = " and ".join(_BY_SUFFIX)
        raise Error(StatusCode.INVALID_ARGUMENT, f"{path}: models are imported from files of {suffixes}")
    return (import_onnx if found == "onnx" else import_torch)(path, **given)


def kind(program: Any) -> str | None:
    """'onnx' or 'torch', by the type or the file's name; None for what is not imported."""
    if isinstance(program, os.PathLike):
        return _BY_SUFFIX.get(pathlib.Path(program).suffix.lower())
    if type(program).__name__ == "ModelProto" and hasattr(program, "opset_import"):
        return "onnx"
    if type(program).__name__ == "ExportedProgram" and hasattr(program, "graph_signature"):
        return "torch"
    return None


def compile_model(program: Any, client: Any) -> Any:
    """What tenon.compile makes of a model: a function, or one that is compiled when it is called where the model leaves
    sizes open."""
    found = kind(program)
    assert found is not None
    importer = _importer(found, program)
    from tenon.importing import functions

    return functions.compile_imported(importer, client)


def _importer(kind: str, source: Any) -> "Importer":
    from tenon.importing import packages

    if kind == "onnx":
        packages.check("import", "onnx", "jax")
        from tenon.importing.onnx.importer import OnnxImporter

        return OnnxImporter(source)
    packages.check("import-torch", "torch", "torchax", "jax")
    from tenon.importing.torch_program import TorchImporter

    return TorchImporter(source)

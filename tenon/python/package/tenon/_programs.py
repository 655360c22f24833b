"""StableHLO programs in whatever form Python has them, as text or bytes. Nothing of JAX is imported for it."""

import io
import os
import pathlib

_ACCEPTED = ("StableHLO as a str, as bytes, bytearray or memoryview, a file's pathlib.Path, a jax.stages.Lowered, a "
             "jax.export.Exported, a module of MLIR's Python bindings, or a Computation")  # fmt: skip


def _looks_like_path(text):
    """A program has brackets somewhere."""
    return "\n" not in text and not set(text) & set("({\"") and ("/" in text or "\\" in text or "." in text)


def _bytecode(module):
    file = io.BytesIO()
    module.operation.write_bytecode(file)
    return file.getvalue()


def _exported(program):
    # With several platforms the program wants to know its own one, which is in the file only.
    return bytes(program.serialize() if len(program.platforms) > 1 else program.mlir_module_serialized)


def _buffer(program):
    try:
        view = memoryview(program)
    except TypeError:
        return None
    return view.tobytes() if view.format in ("B", "b", "c") else None


def source(program) -> str | bytes:
    """The program itself. Raises TypeError for what is none, and ValueError for a path as text."""
    if isinstance(program, bytes):
        return program
    if isinstance(program, str):
        if _looks_like_path(program):
            raise ValueError(f"a str is the text of a program, and {program[:200]!r} looks like a path: give "
                             "pathlib.Path(...)")  # fmt: skip
        return program
    if isinstance(program, os.PathLike):
        return pathlib.Path(program).read_bytes()
    if hasattr(program, "mlir_module_serialized"):
        return _exported(program)
    if callable(getattr(program, "compiler_ir", None)):
        return _bytecode(program.compiler_ir("stablehlo"))
    if hasattr(getattr(program, "operation", None), "write_bytecode"):
        return _bytecode(program)
    data = _buffer(program)
    if data is not None:
        return data
    if callable(getattr(program, "lower", None)):
        raise TypeError(f"a program is needed, and not a {type(program).__name__}, which is not lowered yet: give "
                        "f.lower(...), with arguments or their shapes")  # fmt: skip
    raise TypeError(f"a program is needed ({_ACCEPTED}), and not a {type(program).__name__}")


def name(program) -> str:
    """What errors call it."""
    return os.fsdecode(program).encode(errors="replace").decode() if isinstance(program, os.PathLike) else "<program>"

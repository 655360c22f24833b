#!/usr/bin/env python3
"""Writes the binary programs of this folder: a portable artifact for each version that a .mlir file names in its first
line, and plain bytecode of the StableHLO dialect.

They come from JAX's copy of StableHLO (pip install jax), so that the importer is tested against bytes that
somebody else wrote. Usage: generate.py [name ...]

The files *.exported are what jax.export writes: of one platform, of several, and of an open shape with a derivative.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import export
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

HERE = pathlib.Path(__file__).parent
PREFIX = "// artifact versions:"


def main(names):
    for path in sorted(HERE.glob("*.mlir")):
        text = path.read_text()
        first = text.splitlines()[0]
        if not first.startswith(PREFIX) or (names and path.stem not in names):
            continue
        for version in first[len(PREFIX) :].split():
            with jax_mlir.make_ir_context() as context:
                context.allow_unregistered_dialects = True
                module = ir.Module.parse(text)
                artifact = stablehlo.serialize_portable_artifact(module, version, "sdy." in text)
            (HERE / f"{path.stem}.{version}.mlirbc").write_bytes(artifact)
            print(f"{path.stem}.{version}.mlirbc: {len(artifact)} bytes")
        with jax_mlir.make_ir_context() as context:
            context.allow_unregistered_dialects = True
            with open(HERE / f"{path.stem}.plain.mlirbc", "wb") as file:
                ir.Module.parse(text).operation.write_bytecode(file)


def write_kind_of_reduction():
    """Shardy newer than that of JAX 0.10 knows kinds of unreduced axes: the attribute has the number 17 instead of 15,
    and a kind behind the axes. Here that takes the place of the second of two axes."""
    program = (HERE / "unreduced.plain.mlirbc").read_bytes()
    varint = lambda number: bytes([number << 1 | 1])
    at = next(i for i in range(len(program)) if program[i : i + 1] == varint(15) and program[i + 5 : i + 6] == varint(2))
    before, axis = program[at + 1 : at + 5], program[at + 6 : at + 7]
    attribute = varint(17) + before + varint(1) + axis + varint(1 << 1)
    (HERE / "unreduced_max.plain.mlirbc").write_bytes(program[:at] + attribute + program[at + len(attribute) :])


def write_exported():
    jax.config.update("jax_traceback_in_locations_limit", 0)  # no paths of this machine
    function = jax.jit(lambda a, b: jnp.tanh(a @ b))
    matrix = jax.ShapeDtypeStruct((2, 2), jnp.float32)
    rows = jax.ShapeDtypeStruct(export.symbolic_shape("rows, 2"), jnp.float32)
    for name, left, options, order in (
        ("one", matrix, {}, 0),
        ("several", matrix, {"platforms": ("cuda", "cpu")}, 0),
        ("others", matrix, {"platforms": ("cuda", "tpu")}, 0),
        ("open", rows, {}, 1),
    ):
        exported = export.export(function, **options)(left, matrix)
        (HERE / f"{name}.exported").write_bytes(exported.serialize(vjp_order=order))


if __name__ == "__main__":
    main(sys.argv[1:])
    write_kind_of_reduction()
    write_exported()

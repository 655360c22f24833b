#!/usr/bin/env python3
"""Turns an ONNX model into StableHLO, by torch-mlir.

    onnx_to_stablehlo.py model.onnx --shape x=1x3x48x192 -o model.mlirbc
    tenon run model.mlirbc --random

Every size must be known: --shape gives an input's, once for each input that leaves some open. Needs the packages
torch-mlir and onnx (docs/frameworks.md names the versions that are tested).
"""

import argparse
import io
import pathlib

import onnx
import onnx.shape_inference
import onnx.version_converter
from torch_mlir import ir, passmanager
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras import onnx_importer

# torch-mlir knows the operators of this version, those of older ones only in part.
OPSET = 17
PIPELINE = ("builtin.module(func.func(convert-torch-onnx-to-torch),torch-lower-to-backend-contract,canonicalize,"
            "torch-backend-to-stablehlo-backend-pipeline)")  # fmt: skip


def with_shapes(model: onnx.ModelProto, shapes: dict) -> onnx.ModelProto:
    """The model for inputs of these shapes, with the types of everything inside."""
    inputs = {value.name: value for value in model.graph.input}
    for name, sizes in shapes.items():
        if name not in inputs:
            raise ValueError(f"the model has no input {name!r}; there are: {', '.join(inputs)}")
        dims = inputs[name].type.tensor_type.shape.dim
        if len(dims) != len(sizes):
            raise ValueError(f"input {name!r} has {len(dims)} dimensions, and {len(sizes)} sizes are given")
        for dim, size in zip(dims, sizes):
            dim.dim_value = size
    del model.graph.value_info[:]  # what was known of other shapes
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    converted = onnx.version_converter.convert_version(model, OPSET)
    return onnx.shape_inference.infer_shapes(converted, data_prop=True)


def to_stablehlo(model: onnx.ModelProto, shapes: dict) -> bytes:
    """MLIR bytecode; tenon.compile, `tenon run` and others read it."""
    context = ir.Context()
    torch_dialect.register_dialect(context)
    info = onnx_importer.ModelInfo(with_shapes(model, shapes), config=onnx_importer.Config())
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with context:
        passmanager.PassManager.parse(PIPELINE).run(module)
    file = io.BytesIO()
    module.write_bytecode(file)
    return file.getvalue()


def shape(text: str):
    name, _, sizes = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=2x3")
    return name, [int(size) for size in sizes.split("x")]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", type=pathlib.Path)
    arguments.add_argument("--shape", type=shape, action="append", default=[], metavar="NAME=2x3")
    arguments.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = arguments.parse_args()
    options.output.write_bytes(to_stablehlo(onnx.load(options.model), dict(options.shape)))


if __name__ == "__main__":
    main()

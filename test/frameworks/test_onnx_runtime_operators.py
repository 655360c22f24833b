"""ONNX Runtime's own operators (com.microsoft) against itself."""

import numpy as np
import onnx
import onnxruntime
import pytest
import tenon
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info, np_dtype_to_tensor_dtype

RANDOM = np.random.default_rng(1)


def numbers(*shape, scale=1.0):
    return (RANDOM.normal(size=shape) * scale).astype(np.float32)


def whole(dtype, *shape):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def scale(value):
    return np.float32(value)


X, U, S = numbers(2, 3, 8), whole(np.uint8, 2, 3, 8, 8), whole(np.int8, 16, 8)
ZERO, OTHER = np.uint8(120), np.uint8(3)
# Operator, inputs (None: left out), attributes.
CASES = [
    ("FusedMatMul", [X, numbers(2, 5, 8)], {"transB": 1, "alpha": 0.5}),
    ("Gelu", [X], {}),
    ("BiasGelu", [X, numbers(8)], {}),
    ("FastGelu", [X, numbers(8)], {}),
    ("QuickGelu", [X], {"alpha": 1.5}),
    ("SkipLayerNormalization", [X, numbers(2, 3, 8), numbers(8), numbers(8), numbers(8)], {"epsilon": 1e-5}),
    ("SkipLayerNormalization", [X, numbers(2, 3, 8), numbers(8)], {}),
    ("SkipSimplifiedLayerNormalization", [X, numbers(2, 3, 8), numbers(8)], {"epsilon": 1e-5}),
    ("FusedConv", [numbers(1, 2, 6, 6), numbers(4, 2, 3, 3), numbers(4)], {"activation": "Relu", "pads": [1, 1, 1, 1]}),
    ("FusedConv", [numbers(1, 2, 6, 6), numbers(4, 2, 3, 3)], {"activation": "LeakyRelu", "activation_params": [0.2]}),
    ("MatMulIntegerToFloat", [whole(np.uint8, 4, 16), S, scale(0.1), numbers(8, scale=0.1), ZERO, np.int8(0), numbers(8)], {}),
    ("DynamicQuantizeMatMul", [numbers(4, 16), S, scale(0.02), np.int8(0), numbers(8)], {}),
    ("QLinearAdd", [U, scale(0.1), ZERO, whole(np.uint8, 8), scale(0.2), OTHER, scale(0.3), ZERO], {}),
    ("QLinearMul", [U, scale(0.1), ZERO, whole(np.uint8, 8), scale(0.2), OTHER, scale(3), ZERO], {}),
    ("QLinearSigmoid", [U, scale(0.05), ZERO, scale(1 / 256), np.uint8(0)], {}),
    ("QLinearLeakyRelu", [U, scale(0.05), ZERO, scale(0.05), ZERO], {"alpha": 0.1}),
    ("QLinearGlobalAveragePool", [U, scale(0.1), ZERO, scale(0.05), OTHER], {}),
    ("QLinearAveragePool", [U, scale(0.1), ZERO, scale(0.1), OTHER], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("QLinearConcat", [scale(0.2), ZERO, U, scale(0.1), OTHER, U, scale(0.2), ZERO], {"axis": 1}),
    ("QGemm", [whole(np.uint8, 4, 16), scale(0.1), ZERO, S, scale(0.2), np.int8(3), whole(np.int32, 8) >> 20, scale(50), ZERO], {}),
    ("MatMulNBits", [numbers(4, 64), whole(np.uint8, 8, 2, 16), numbers(16)], {"K": 64, "N": 8, "bits": 4, "block_size": 32}),
    ("MatMulNBits", [numbers(4, 64), whole(np.uint8, 8, 2, 16), numbers(16), whole(np.uint8, 8)],
     {"K": 64, "N": 8, "bits": 4, "block_size": 32}),
]  # fmt: skip


@pytest.mark.parametrize("operator, inputs, attributes", CASES, ids=[f"{case[0]}{i}" for i, case in enumerate(CASES)])
def test_operator(operator, inputs, attributes):
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    arrays = {name: np.asarray(value) for name, value in zip(names, inputs) if name}
    # Weights are known, as in models: all but the first array of more than one dimension.
    data = next(name for name, value in arrays.items() if value.ndim > 1)
    node = make_node(operator, names, ["y"], domain="com.microsoft", **attributes)
    graph = make_graph(
        [node], "g",
        [make_tensor_value_info(data, np_dtype_to_tensor_dtype(arrays[data].dtype), arrays[data].shape)],
        [onnx.ValueInfoProto(name="y")],
        [onnx.numpy_helper.from_array(value, name) for name, value in arrays.items() if name != data],
    )  # fmt: skip
    model = make_model(graph, opset_imports=[make_opsetid("", 17), make_opsetid("com.microsoft", 1)], ir_version=10)
    (expected,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {data: arrays[data]})
    found = tenon.compile(model)(arrays[data])
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if expected.dtype.kind in "iu":  # halves, which averages of four often are, may be rounded either way
        assert np.max(np.abs(found.astype(int) - expected.astype(int))) <= 1
        assert np.mean(found != expected) < 0.1
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 if operator == "MatMulNBits" else 1e-5)

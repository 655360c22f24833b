"""tenon.ops and ProgramBuilder: every operation can be built, and some are run."""

import inspect
import math

import numpy as np
import pytest
import tenon
from tenon import ops
from tenon.ops import (ComparisonDirection, ConvDimensionNumbers, DotDimensionNumbers, FftType, GatherDimensionNumbers,
                       RngAlgorithm, RngDistribution, ScatterDimensionNumbers, Transpose)


@pytest.fixture
def b():
    return tenon.ProgramBuilder("test")


def line():
    return inspect.currentframe().f_back.f_lineno


def run(value, *arguments):
    return tenon.compile(value.builder.build(value))(*arguments)


class Values:
    """Parameters of the types that the rows below name."""

    def __init__(self, builder):
        self.builder = builder

    def __getattr__(self, name):
        types = {"x": "2x3xf32", "y": "2x3xf32", "m": "2x2xf32", "i": "2x3xi32", "p": "2x3xi1", "s": "f32", "k": "i32",
                 "b": "i1", "v": "3xf32", "c": "2x3xcomplex<f32>", "w": "4xi64", "d": "2xi64", "t": "!stablehlo.token",
                 "q": "2x3x!quant.uniform<i8:f32, 0.5>", "state": "2xui64", "image": "1x4x4x2xf32",
                 "kernel": "3x3x2x5xf32", "pads": "2x2xi64", "groups": "2xi32"}
        return self.builder.parameter(types[name])


GROUPS = [[0, 1]]
CONV = ConvDimensionNumbers(0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2])
BINARY_OF_INTEGERS = ("and_", "or_", "xor_", "shift_left", "shift_right_arithmetic", "shift_right_logical", "mulhi")
ROWS = {
    "after_all": lambda b, a: ops.after_all(b, [a.t, a.t]),
    "all_gather": lambda b, a: ops.all_gather(a.x, 0, GROUPS, use_global_device_ids=True, channel_handle=ops.ChannelHandle(1, 1)),
    "all_reduce": lambda b, a: ops.all_reduce(a.x, GROUPS, ops.add),
    "all_to_all": lambda b, a: ops.all_to_all(a.x, 0, 1, 2, GROUPS),
    "async_start": lambda b, a: ops.async_start(a.x, lambda x: ops.all_reduce(x, GROUPS, ops.add)),
    "async_done": lambda b, a: ops.async_done(ops.async_start(a.x, lambda x: ops.all_reduce(x, GROUPS, ops.add))),
    "batch_norm_grad": lambda b, a: ops.batch_norm_grad(a.x, a.v, a.v, a.v, a.y, 1e-5, 1),
    "batch_norm_inference": lambda b, a: ops.batch_norm_inference(a.x, a.v, a.v, a.v, a.v, 1e-5, 1),
    "batch_norm_training": lambda b, a: ops.batch_norm_training(a.x, a.v, a.v, 1e-5, 1),
    "bitcast_convert": lambda b, a: ops.bitcast_convert(a.x, "2x3xi32"),
    "broadcast": lambda b, a: ops.broadcast(a.x, [4]),
    "broadcast_in_dim": lambda b, a: ops.broadcast_in_dim(a.v, [1], "4x3xf32"),
    "case_": lambda b, a: ops.case_(a.k, [lambda s=s: s * 2 for s in (a.s, a.s)]),
    "cholesky": lambda b, a: ops.cholesky(a.m, lower=True),
    "clamp": lambda b, a: ops.clamp(a.s, a.x, a.s),
    "collective_broadcast": lambda b, a: ops.collective_broadcast(a.x, GROUPS),
    "collective_permute": lambda b, a: ops.collective_permute(a.x, [[0, 1], [1, 0]]),
    "collective_reduce": lambda b, a: ops.collective_reduce(a.x, GROUPS, ops.add),
    "compare": lambda b, a: ops.compare(a.x, a.y, ComparisonDirection.EQ, compare_type=ops.ComparisonType.TOTALORDER),
    "composite": lambda b, a: (b.function("f", ["2x3xf32"], ops.negate),
                               ops.composite(b, a.x, "my.op", "f", ["2x3xf32"], composite_attributes="{n = 1 : i32}"))[1],
    "concatenate": lambda b, a: ops.concatenate([a.x, a.y], 1),
    "constant": lambda b, a: ops.constant(b, [1.5, 2], "f32"),
    "convert": lambda b, a: ops.convert(a.x, np.float16),
    "convolution": lambda b, a: ops.convolution(
        a.image, a.kernel, CONV, 1, 1, window_strides=[1, 1], padding=[[1, 1], [0, 0]], rhs_dilation=[1, 1],
        window_reversal=[True, False], precision_config=[ops.Precision.HIGHEST, ops.Precision.DEFAULT]),
    "create_token": lambda b, a: ops.create_token(b),
    "cross_replica_sum": lambda b, a: ops.cross_replica_sum(a.x, GROUPS),
    "custom_call": lambda b, a: ops.custom_call(b, a.x, 'a "name"\n', ["2x3xf32", "i32"], has_side_effect=True,
                                                backend_config='"text"', api_version=2),
    "dot": lambda b, a: ops.dot(a.m, a.x),
    "dot_general": lambda b, a: ops.dot_general(a.x, a.y, DotDimensionNumbers([0], [0], [1], [1]), "f64",
                                                precision_config=[ops.Precision.HIGH] * 2),
    "dynamic_broadcast_in_dim": lambda b, a: ops.dynamic_broadcast_in_dim(a.v, a.d, [1], "?x3xf32"),
    "dynamic_conv": lambda b, a: ops.dynamic_conv(a.image, a.kernel, a.pads, CONV, 1, 1, "1x?x?x5xf32"),
    "dynamic_gather": lambda b, a: ops.dynamic_gather(a.x, a.k, a.d, GatherDimensionNumbers([0], [0], [], [], [0]), "?xf32"),
    "dynamic_iota": lambda b, a: ops.dynamic_iota(a.d, 0, "?x?xf32"),
    "dynamic_pad": lambda b, a: ops.dynamic_pad(a.x, a.s, a.d, a.d, a.d, "?x?xf32"),
    "dynamic_reshape": lambda b, a: ops.dynamic_reshape(a.x, a.d, "?x?xf32"),
    "dynamic_slice": lambda b, a: ops.dynamic_slice(a.x, [a.k, a.k], [1, 2]),
    "dynamic_update_slice": lambda b, a: ops.dynamic_update_slice(a.x, a.m, [a.k, a.k]),
    "einsum": lambda b, a: ops.einsum(a.x, a.y, "ij,kj->ik", "2x2xf32"),
    "fft": lambda b, a: ops.fft(a.c, FftType.IFFT, [3]),
    "gather": lambda b, a: ops.gather(a.x, a.w, GatherDimensionNumbers([1], [0], [], [], [0], 1), [1, 3], indices_are_sorted=True),
    "get_dimension_size": lambda b, a: ops.get_dimension_size(a.x, 1),
    "get_tuple_element": lambda b, a: ops.get_tuple_element(ops.tuple(b, [a.x, a.k]), 1),
    "if_": lambda b, a: (lambda x: ops.if_(a.b, lambda: [x, x], lambda: [x + 1, x]))(a.x),
    "infeed": lambda b, a: ops.infeed(a.t, ["3xf32", "!stablehlo.token"], infeed_config="c"),
    "iota": lambda b, a: ops.iota(b, 1, "2x3xi32"),
    "map": lambda b, a: ops.map([a.x, a.y], [0, 1], ops.add),
    "optimization_barrier": lambda b, a: ops.optimization_barrier([a.x, a.k]),
    "outfeed": lambda b, a: ops.outfeed([a.x], a.t),
    "pad": lambda b, a: ops.pad(a.x, 0, [1, 0], [0, -1], [0, 2]),
    "partition_id": lambda b, a: ops.partition_id(b),
    "ragged_dot": lambda b, a: ops.ragged_dot(
        a.x, b.parameter("2x3x5xf32"), a.groups, ops.RaggedDotDimensionNumbers([], [], [1], [1], [0], [0]), "2x5xf32"),
    "real_dynamic_slice": lambda b, a: ops.real_dynamic_slice(a.x, a.d, a.d, a.d, "?x?xf32"),
    "recv": lambda b, a: ops.recv(a.t, ops.ChannelHandle(1, 3), ["f32", "!stablehlo.token"], is_host_transfer=True),
    "reduce": lambda b, a: ops.reduce([a.x, a.i], [0.0, b.constant(0, "s32")], [0],
                                      lambda x, i, y, j: [x + y, ops.maximum(i, j)]),
    "reduce_precision": lambda b, a: ops.reduce_precision(a.x, 5, 10),
    "reduce_scatter": lambda b, a: ops.reduce_scatter(a.x, 0, GROUPS, ops.add),
    "reduce_window": lambda b, a: ops.reduce_window(a.x, -math.inf, [1, 2], ops.maximum, window_strides=[1, 1],
                                                    padding=[[0, 0], [1, 0]]),
    "replica_id": lambda b, a: ops.replica_id(b),
    "reshape": lambda b, a: ops.reshape(a.x, "f32[6]"),
    "reverse": lambda b, a: ops.reverse(a.x, [1]),
    "rng": lambda b, a: ops.rng(a.s, a.s, a.d, RngDistribution.NORMAL),
    "rng_bit_generator": lambda b, a: ops.rng_bit_generator(a.state, RngAlgorithm.THREE_FRY, "4xui32"),
    "scatter": lambda b, a: ops.scatter(a.x, a.w, b.parameter("4x3xf32"), ScatterDimensionNumbers([1], [0], [], [], [0], 1),
                                        ops.add, unique_indices=True),
    "select": lambda b, a: ops.select(a.p, a.x, a.y),
    "select_and_scatter": lambda b, a: ops.select_and_scatter(a.x, a.x, 0, lambda x, y: x >= y, ops.add,
                                                              window_dimensions=[1, 1]),
    "send": lambda b, a: ops.send([a.x], a.t, ops.ChannelHandle(1, 2), is_host_transfer=True),
    "set_dimension_size": lambda b, a: ops.set_dimension_size(a.x, a.k, 0),
    "slice": lambda b, a: ops.slice(a.x, [0, 1], [2, 3], [1, 2]),
    "sort": lambda b, a: ops.sort([a.x, a.i], lambda x, y, i, j: x < y, dimension=0, is_stable=True),
    "top_k": lambda b, a: ops.top_k(a.x, 2),
    "torch_index_select": lambda b, a: ops.torch_index_select(a.x, a.w, 0, 0, "4x3xf32"),
    "transpose": lambda b, a: ops.transpose(a.x, [1, 0]),
    "triangular_solve": lambda b, a: ops.triangular_solve(a.m, a.x, True, True, False, Transpose.NO_TRANSPOSE),
    "tuple": lambda b, a: ops.tuple(b, [a.x, a.t]),
    "unary_einsum": lambda b, a: ops.unary_einsum(a.x, "ij->ji", "3x2xf32"),
    "uniform_dequantize": lambda b, a: ops.uniform_dequantize(a.q),
    "uniform_quantize": lambda b, a: ops.uniform_quantize(a.x, "!quant.uniform<i8:f32, 0.25>"),
    "while_": lambda b, a: ops.while_([a.k, a.s], lambda k, s: k < 3, lambda k, s: [k + 1, s * 2]),
    "complex": lambda b, a: ops.complex(a.x, a.y),
    "not_": lambda b, a: ops.not_(a.p), "popcnt": lambda b, a: ops.popcnt(a.i),
    "count_leading_zeros": lambda b, a: ops.count_leading_zeros(a.i),
} | {name: lambda b, a, name=name: getattr(ops, name)(a.i, a.i) for name in BINARY_OF_INTEGERS}

FUNCTIONS = {name: function for name, function in vars(ops).items()
             if inspect.isfunction(function) and not name.startswith("_")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_operation_can_be_built(b, name):
    values = Values(b)
    operands = [p for p in inspect.signature(FUNCTIONS[name]).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD]
    row = ROWS.get(name, lambda b, a: FUNCTIONS[name](*(a.x for _ in operands)))
    made = row(b, values)
    text = b.text(made if isinstance(made, tuple) else [made])
    assert name.strip("_").replace("cross_replica_sum", "cross-replica-sum") in text
    assert FUNCTIONS[name].__doc__


def test_rows_are_of_functions():
    assert set(ROWS) <= set(FUNCTIONS)


def test_softmax(b):
    x = b.parameter("f32[2,3]", "x")
    e = ops.exponential(x - ops.reduce(x, -math.inf, [1], ops.maximum).broadcast_to(x.shape, [0]))
    given = np.array([[1, 2, 3], [-np.inf, 0, 1]], np.float32)
    result = run(e / ops.reduce(e, 0.0, [1], ops.add).broadcast_to(x.shape, [0]), given)
    expected = np.exp(given - given.max(1, keepdims=True))
    np.testing.assert_allclose(result, expected / expected.sum(1, keepdims=True), rtol=1e-6)


def test_operators_and_arrays(b):
    x = b.parameter(np.zeros((2, 1), np.float32))
    given = np.array([[1], [2]], np.float32)
    np.testing.assert_array_equal(run(np.array([10, 20, 30], np.float32) * x - 1, given), [[9, 19, 29], [19, 39, 59]])
    np.testing.assert_array_equal(run(ops.maximum(x, 1.5), given), [[1.5], [2]])
    np.testing.assert_array_equal(run(-(1 / x) < -0.75, given), [[True], [False]])
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x)


def test_functions_are_called(b):
    b.function("square", ["3xf32"], lambda x: x * x)
    (y,) = b.call("square", b.parameter("3xf32"))
    np.testing.assert_array_equal(run(y, np.array([1, -2, 3], np.float32)), [1, 4, 9])


def test_errors_name_operand_rule_and_line(b, raises):
    x, y = b.parameter("3xf32"), b.parameter("4xf32")
    with raises(tenon.StatusCode.INVALID_ARGUMENT, f"test: add at {__file__}:{line() + 1}: ", "add_c1"):
        ops.add(x, y)
    with raises(tenon.StatusCode.INVALID_ARGUMENT, "test: add at"):
        b.build(x)
    other = tenon.ProgramBuilder("other")
    v = other.parameter("3xf32")
    with raises(tenon.StatusCode.INVALID_ARGUMENT, f"{__file__}:{line() + 1}: ", "pred must be select_i1"):
        ops.select(v, v, v)


def test_errors_of_callables_are_raised(b):
    x = b.parameter("3xf32")
    with pytest.raises(ZeroDivisionError):
        ops.reduce(x, 0, [0], lambda a, c: 1 / 0)
    np.testing.assert_array_equal(run(ops.reduce(x, 0, [0], ops.add), np.array([1, 2, 3], np.float32)), 6)
    with pytest.raises(TypeError, match="returns a value"):
        ops.reduce(x, 0, [0], lambda a, c: 3)


def test_what_is_no_operand(b):
    with pytest.raises(TypeError, match="add: no operand is a value of a ProgramBuilder"):
        ops.add(1, 2)

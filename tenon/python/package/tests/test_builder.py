"""ComputationBuilder and Client."""

import ctypes
import inspect
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
import tenon
from tenon import Computation, ComputationBuilder, Literal, Padding, StatusCode

ROOT = pathlib.Path(__file__).resolve().parents[4]


def line():
    return inspect.currentframe().f_back.f_lineno


def value_of(value):
    """What the value is; its builder's result from now on."""
    value.builder.set_return_value(value)
    return tenon.compile(value.builder.build())()


@pytest.fixture
def b():
    return ComputationBuilder("test")


@pytest.fixture
def x(b):
    return b.constant(np.array([1, 2, 3], np.float32))


def of_two(method, shape="f32[]"):
    builder = ComputationBuilder("of_two")
    getattr(builder, method)(builder.parameter(0, shape, "a"), builder.parameter(1, shape, "b"))
    return builder.build()


def test_axpy():
    builder = ComputationBuilder("axpy")
    x, y = builder.parameter(0, "f32[3]", "x"), builder.parameter(1, np.zeros(3, np.float32), "y")
    assert repr(2 * x + y) == "<Value f32[3]>"
    axpy = tenon.compile(builder.build())
    np.testing.assert_array_equal(axpy([1, 2, 3], [10, 20, 30]), [12, 24, 36])
    assert axpy.computation.parameter_names == ["x", "y"] and axpy.computation.name == "axpy"


def test_errors_name_the_line(b, x, raises):
    y = b.constant(np.zeros(4, np.float32))
    with raises(StatusCode.INVALID_ARGUMENT, f"test: Add at {__file__}:{line() + 1}: ", "f32[3] and f32[4]"):
        b.add(x, y)
    # The first is kept.
    with raises(StatusCode.INVALID_ARGUMENT, "test: Add at"):
        b.mul(x, x)
    with raises(StatusCode.INVALID_ARGUMENT, "test: Add at"):
        b.build()
    assert b.first_error().code == StatusCode.INVALID_ARGUMENT


def test_operators_name_the_line(b, x, raises):
    y = b.constant(np.zeros(4, np.float32))
    with raises(StatusCode.INVALID_ARGUMENT, f"test: Sub at {__file__}:{line() + 1}: "):
        x - y


def test_values_belong_to_their_builder(b, x, raises):
    with raises(StatusCode.INVALID_ARGUMENT, "not a value of this builder"):
        ComputationBuilder("other").neg(x)


def test_operators(b, x):
    for value, expected in [
        (x + 1, [2, 3, 4]), (1 + x, [2, 3, 4]), (x - 1, [0, 1, 2]), (1 - x, [0, -1, -2]), (x * x, [1, 4, 9]),
        (2 * x, [2, 4, 6]), (x / 2, [0.5, 1, 1.5]), (6 / x, [6, 3, 2]), (x**2, [1, 4, 9]), (2**x, [2, 4, 8]),
        (-x, [-1, -2, -3]), (x @ x, 14), (x < 2, [True, False, False]), (x <= 2, [True, True, False]),
        (x > 2, [False, False, True]), (x >= 2, [False, True, True]), (2 < x, [False, False, True]),
    ]:  # fmt: skip
        np.testing.assert_array_equal(value_of(value), expected)


@pytest.mark.parametrize("name,expected", [
    ("eq", [0, 1, 0]), ("ne", [1, 0, 1]), ("ge", [0, 1, 1]), ("gt", [0, 0, 1]), ("le", [1, 1, 0]), ("lt", [1, 0, 0]),
    ("add", [3, 4, 5]), ("sub", [-1, 0, 1]), ("mul", [2, 4, 6]), ("div", [0.5, 1, 1.5]), ("rem", [1, 0, 1]),
    ("max", [2, 2, 3]), ("min", [1, 2, 2]), ("pow", [1, 4, 9]),
])  # fmt: skip
def test_binary(b, x, name, expected):
    np.testing.assert_array_equal(value_of(getattr(b, name)(x, b.constant(2, np.float32))), expected)


@pytest.mark.parametrize("name,function", [
    ("exp", np.exp), ("floor", np.floor), ("ceil", np.ceil), ("log", np.log), ("tanh", np.tanh), ("sqrt_f32", np.sqrt),
    ("square_f32", np.square), ("reciprocal_f32", np.reciprocal), ("neg", np.negative),
])  # fmt: skip
def test_unary(b, name, function):
    values = np.array([0.25, 1.5, 2], np.float32)
    np.testing.assert_allclose(value_of(getattr(b, name)(b.constant(values))), function(values), rtol=1e-6)


def test_places(b, x):
    column = b.reshape(x, [3, 1])
    one = b.constant(np.array([1], np.int32))
    for value, expected in [
        (b.broadcast(x, [2]), [[1, 2, 3]] * 2), (b.pad(x, b.constant(0, "f32"), [(1, 0, 1)]), [0, 1, 0, 2, 0, 3]),
        (column, [[1], [2], [3]]), (b.reshape(column, [1, 0], [3]), [1, 2, 3]), (b.collapse(column, [0, 1]), [1, 2, 3]),
        (b.slice(x, [1], [3]), [2, 3]), (b.dynamic_slice(x, one, [2]), [2, 3]),
        (b.dynamic_update_slice(x, b.slice(x, [0], [1]), one), [1, 1, 3]),
        (b.concat_in_dim([x, x], 0), [1, 2, 3, 1, 2, 3]), (b.trans(column), [[1, 2, 3]]),
        (b.transpose(column, [1, 0]), [[1, 2, 3]]), (b.rev(x, [0]), [3, 2, 1]), (b.select(x > 2, x, -x), [-1, -2, 3]),
        (b.get_tuple_element(b.tuple_([x, column]), 1), [[1], [2], [3]]), (b.sort(-x), [-3, -2, -1]),
        (b.clamp(b.constant(2, "f32"), x, b.constant(2.5, "f32")), [2, 2, 2.5]),
        (b.convert_element_type(x, np.int8), [1, 2, 3]), (b.constant_r1_filled(2, 7, "s32"), [7, 7]),
        (b.constant_literal(Literal([5])), [5]), (b.add(column, x, [1]), [[2, 3, 4], [3, 4, 5], [4, 5, 6]]),
    ]:  # fmt: skip
        np.testing.assert_array_equal(value_of(value), expected)
    np.testing.assert_array_equal(value_of(b.reduce_precision(b.constant(1.1, "f32"), 5, 2)), 1)
    first, second = value_of(b.tuple_([x, column]))
    assert first.shape == (3,) and second.shape == (3, 1)


def test_sums_and_windows(b, x):
    add, ge, zero = of_two("add"), of_two("ge"), b.constant(0, "f32")
    for value, expected in [
        (b.dot(x, x), 14), (b.map([x, x], add), [2, 4, 6]), (b.reduce(x, zero, add, [0]), 6),
        (b.reduce_window(x, zero, add, [2], [1], Padding.VALID), [3, 5]),
        (b.reduce_window_with_general_padding(x, zero, add, [2], [1], [(0, 1)]), [3, 5, 3]),
        (b.select_and_scatter(x, ge, [2], [1], Padding.SAME, x, zero, add), [0, 1, 5]),
        (b.select_and_scatter_with_general_padding(x, ge, [2], [1], [(0, 1)], x, zero, add), [0, 1, 5]),
    ]:  # fmt: skip
        np.testing.assert_array_equal(value_of(value), expected)


def test_convolutions(b, x, raises):
    image, kernel = b.reshape(x, [1, 1, 1, 3]), b.constant(np.array([[[[1, 10]]]], np.float32))
    numbers = ComputationBuilder.create_conv_dimension_numbers(0, 1, 2, 3, 0, 1, 2, 3)
    assert repr(numbers) == repr(ComputationBuilder.create_default_conv_dimension_numbers())
    for value, expected in [
        (b.conv(image, kernel, [1, 1], Padding.VALID), [21, 32]),
        (b.conv_with_general_padding(image, kernel, [1, 1], [(0, 0), (0, 1)]), [21, 32, 3]),
        (b.conv_with_general_dimensions(image, kernel, [1, 1], Padding.VALID, numbers), [21, 32]),
        (b.conv_general(image, kernel, [1, 1], [(0, 0), (0, 1)], numbers), [21, 32, 3]),
    ]:  # fmt: skip
        np.testing.assert_array_equal(value_of(value), [[[expected]]])
    with raises(StatusCode.INVALID_ARGUMENT):
        ComputationBuilder.create_conv_dimension_numbers(0, 0, 2, 3, 0, 1, 2, 3)


def test_random_numbers(b):
    zero, one = b.constant(0, "f32"), b.constant(1, "f32")
    assert value_of(b.rng_normal(zero, one, "f32[5]")).shape == (5,)
    assert value_of(b.rng_uniform(zero, one, "f32[5]")).max() < 1
    np.testing.assert_array_equal(value_of(b.rng_bernoulli(one, "u32[5]")), np.ones(5))


def test_random_numbers_by_seed(b):
    b.rng_uniform(b.constant(0, "f32"), b.constant(1, "f32"), "f32[5]")
    random = tenon.compile(b.build())
    np.testing.assert_array_equal(random(seed=7), random(seed=7))
    assert (random(seed=7) != random(seed=8)).any()


def test_targets_that_are_not_there(raises):
    with raises(StatusCode.NOT_FOUND, "/nowhere/target.so"):
        tenon.load_target("/nowhere/target.so")


def test_sub_builders_and_loops(b, raises):
    def sub(name, function):
        builder = b.create_sub_builder(name)
        function(builder.parameter(0, "f32[]", "x"))
        return builder.build_and_note_error()

    condition, body = sub("condition", lambda x: x < 10), sub("body", lambda x: x * 2)
    assert value_of(b.while_(condition, body, b.constant(3, "f32"))) == 12
    builder = ComputationBuilder("broken", parent=b)
    with raises(StatusCode.INVALID_ARGUMENT, "broken: Parameter at"):
        builder.parameter(-1, "f32[]", "x")
    assert builder.build_and_note_error().is_null
    with raises(StatusCode.INVALID_ARGUMENT, "broken: Parameter at"):
        b.build()


def test_checks_and_constants(b, x, raises):
    assert b.get_shape(x) == x.shape == tenon.Shape("f32[3]")
    b.check_same_shape(b.check_shape(x, "f32[3]"), x)
    with raises(StatusCode.INVALID_ARGUMENT, "CheckShape", f":{line() + 1}", "f32[4]"):
        b.check_shape(x, "f32[4]")
    np.testing.assert_array_equal(b.compute_constant(x + x).numpy(), [2, 4, 6])
    parameter = b.parameter(0, "f32[]", "p")
    with raises(StatusCode.INVALID_ARGUMENT, "depends on a parameter"):
        b.compute_constant(parameter)


def test_streams_and_traces(b, x):
    traced = []
    tenon.set_trace_sink(lambda tag, value: traced.append((tag, value)))
    b.trace("here", x)
    client = tenon.Client()
    client.transfer_to_infeed(np.float32(6))
    assert value_of(b.infeed("f32[]")) == 6
    tenon.set_trace_sink(None)
    assert traced == [("here", Literal(np.array([1, 2, 3], np.float32)))]
    with pytest.raises(tenon.Error, match="DEADLINE_EXCEEDED"):
        client.transfer_from_outfeed("f32[]", timeout=0.01)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.POINTER(ctypes.c_float)))
def triple(out, operands):
    for i in range(3):
        out[i] = 3 * operands[0][i]


def test_custom_calls(b, x, raises):
    tenon.register_custom_call("tenon_python_triple", triple)
    np.testing.assert_array_equal(value_of(b.custom_call_op("tenon_python_triple", [x], "f32[3]")), [3, 6, 9])
    with raises(StatusCode.INVALID_ARGUMENT, "NULL"):
        tenon.register_custom_call("tenon_python_none", 0)


def test_unknown_custom_calls(b, x, raises):
    b.custom_call_op("no_such_function", [x], "f32[3]")
    computation = b.build()
    with raises(StatusCode.NOT_FOUND, "no_such_function"):
        tenon.compile(computation)()


def test_clients(raises):
    client = tenon.Client("cpu")
    assert client.platform_name == "cpu" and client.device_count >= 1 and client.in_process
    assert "cpu" in tenon.platform_names()
    builder = ComputationBuilder("f", client)
    builder.parameter(0, "f32[2,2]", "x") + 1
    computation = builder.build()
    array = np.arange(4, dtype=np.float32).reshape(2, 2)
    data = client.transfer_to_server(array)
    result = client.execute(computation, [data], result_shape="f32[2,2]{0,1}")
    assert result.shape.minor_to_major == (0, 1) and result.compute_time >= 0 and data.compute_time is None
    np.testing.assert_array_equal(result, array + 1)
    assert client.execute_and_transfer(computation, [data]) == Literal(array + 1)
    assert client.transfer(data, (0, 1)).shape.minor_to_major == (0, 1)
    client.compile(computation, ["f32[2,2]{0,1}"])
    assert client.statistics().compilations >= 2
    with raises(StatusCode.INVALID_ARGUMENT, "0 arguments"):
        client.execute(computation)
    with raises(StatusCode.NOT_FOUND, "abacus"):
        tenon.Client("abacus")


def test_grids(raises):
    client = tenon.Client()
    gather = tenon.Computation.from_stablehlo("""func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
          : (tensor<2xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }""")
    data = [client.transfer_to_server(np.array(values, np.float32)) for values in ([1, 2], [3, 4])]
    results = client.execute_parallel(2, 1, [(gather, [each]) for each in data], timeout=600)
    assert len(results) == 2 and results[0].compute_time > 0
    for result in results:
        np.testing.assert_array_equal(result, [3, 4, 1, 2])
    with raises(StatusCode.INVALID_ARGUMENT, "a grid of 2 x 2 cannot have 1 processes"):
        client.execute_parallel(2, 2, [(gather, data)])


def test_executable(raises):
    client = tenon.Client()
    builder = ComputationBuilder("f", client)
    x = builder.parameter(0, "f32[2,2]", "x")
    builder.exp(x) + x
    executable = client.compile(builder.build())
    data = client.transfer_to_server(np.zeros((2, 2), np.float32))
    np.testing.assert_array_equal(executable.execute([data]), np.ones((2, 2)))
    assert executable.execute_and_transfer([data]) == Literal(np.ones((2, 2), np.float32))
    assert executable.name == "f" and repr(executable) == "<Executable 'f'>"
    with raises(StatusCode.INVALID_ARGUMENT, "0 arguments"):
        executable.execute()
    analysis = executable.analyze()
    assert analysis["argument_bytes"] == analysis["result_bytes"] == 16 and analysis["arena_bytes"] == 0
    assert analysis["transcendentals"] == 4 and analysis["code_bytes"] > 0
    (kernel,) = analysis["kernels"]
    assert kernel["kind"] == "loop" and "add" in kernel["ops"] and kernel["flops"] == analysis["flops"]
    buffers = {buffer["name"]: buffer for buffer in analysis["buffers"]}
    assert buffers["argument 0 (x)"]["kind"] == "argument" and buffers["argument 0 (x)"]["size"] == 16
    assert buffers["result 0"]["values"][0]["type"] and buffers["result 0"]["offset"] is None
    assert buffers["result 0"]["lifetimes"][0][0] == 0 and analysis["steps"][0]["name"] == kernel["name"]


@pytest.fixture
def server():
    command = os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon")
    process = subprocess.Popen([command, "serve", "--print-port", "--listen=127.0.0.1:0"], stderr=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    yield f"127.0.0.1:{process.stdout.readline().split()[0]}"
    process.terminate()
    process.wait()
    process.stdout.close()


def test_remote_clients(server, raises):
    client = tenon.Client.connect(server)
    assert not client.in_process
    builder = ComputationBuilder("f", client)
    builder.parameter(0, "f32[3]", "x") + 1
    f = tenon.compile(builder.build(), client=client)
    result = f([1, 2, 3])
    np.testing.assert_array_equal(result, [2, 3, 4])
    result += 1
    with raises(StatusCode.INVALID_ARGUMENT, "another service"):
        tenon.Client().execute(f.computation, [client.transfer_to_server(result)])
    data = client.transfer_to_server((np.float32(1), np.arange(2)))
    np.testing.assert_array_equal(data.numpy()[1], [0, 1])
    with raises(StatusCode.FAILED_PRECONDITION, "same process"):
        client.transfer_in_process(np.ones(3))


def test_nobody_answers(raises):
    with raises(StatusCode.UNAVAILABLE):
        tenon.Client.connect("unix:/nowhere/tenon", connect_timeout=0.2)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def builder_methods():
    text = (ROOT / "include/tenon/computation_builder.h").read_text()
    body = text[text.index("class TENON_API ComputationBuilder") : text.index("private:\n  friend class internal::BuilderState;\n\n")]
    names = re.findall(r"^  (?:template <typename NativeT> )?(?:static |void |Status |Handle |StatusOr<[^;{]*>\s+|"
                       r"std::unique_ptr<\w+> |Client \*|const string &)(\w+)\(", body, re.M)  # fmt: skip
    assert len(set(names)) > 70
    return {snake(name) for name in names}


# What has another name, in either interface: words of Python's, and one function for several forms of C++.
IN_PYTHON = {
    "while": "while_", "tuple": "tuple_", "client": "__init__", "constant_r0": "constant", "constant_r1": "constant",
    "constant_r2": "constant", "constant_r2_from_array2_d": "constant", "constant_r3_from_array3_d": "constant",
    "constant_r4_from_array4_d": "constant",
}  # fmt: skip
IN_C = {
    "client": "create", "constant_r2_from_array2_d": "constant_r2", "constant_r3_from_array3_d": "constant_r3",
    "constant_r4_from_array4_d": "constant_r4", "create_default_conv_dimension_numbers": "numbers_default",
    "create_conv_dimension_numbers": "numbers_check",
}  # fmt: skip


def test_every_method_is_there():
    there = set(dir(ComputationBuilder))
    assert not [name for name in builder_methods() if IN_PYTHON.get(name, name) not in there]


def test_every_method_is_in_the_c_interface():
    header = (ROOT / "include/tenon/c/builder.h").read_text()
    there = set(re.findall(r"tenon_(?:builder|conv_dimension)_(\w+)\(", header))
    assert not [name for name in builder_methods() if IN_C.get(name, name) not in there]


def test_computations():
    computation = Computation.from_stablehlo("func.func @main() -> tensor<f32> {\n %0 = stablehlo.constant dense<1.0> : "
                                             "tensor<f32>\n return %0 : tensor<f32>\n}")  # fmt: skip
    assert computation.parameter_shapes == [] and computation.result_shape == tenon.Shape("f32[]")
    assert "stablehlo.constant" in computation.to_text() and not computation.is_null
    with pytest.raises(tenon.Error, match="'one'"):
        computation.to_portable_artifact("one")


def test_ahead_of_time(tmp_path, b, x, raises):
    parameter = b.parameter(0, "f32[3]", "x")
    parameter + x
    computation = b.build()
    result = tenon.compile_ahead_of_time(computation, name="addition", cpu="x86-64-v3")
    assert result.object.startswith(b"\x7fELF") and "addition_run" in result.header and result.weights == b""
    result.write_to(str(tmp_path / "out"))
    assert (tmp_path / "out/addition.o").read_bytes() == result.object
    with raises(StatusCode.INVALID_ARGUMENT, "no identifier"):
        tenon.compile_ahead_of_time(computation, name="no identifier")


def test_layouts_ahead_of_time(b, raises):
    x = b.parameter(0, "f32[2,3]{0,1}", "x")
    x + x
    computation = b.build()
    assert computation.parameter_shapes == [tenon.Shape("f32[2,3]{0,1}")]
    assert "argument 0: f32[2,3]{0,1}, x" in tenon.compile_ahead_of_time(computation).header
    turned = tenon.compile_ahead_of_time(computation, argument_shapes=["f32[2,3]"], result_shape="f32[2,3]{0,1}")
    assert "argument 0: f32[2,3], x" in turned.header and "result 0: f32[2,3]{0,1}" in turned.header
    with raises(StatusCode.INVALID_ARGUMENT, "must be f32[2,3], and is f32[3,2]"):
        tenon.compile_ahead_of_time(computation, argument_shapes=["f32[3,2]"])
    # Just in time it is the array's own layout that counts.
    function = tenon.compile(computation)
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert function.parameter_shapes == [tenon.Shape("f32[2,3]")]
    np.testing.assert_array_equal(function(values), 2 * values)
    np.testing.assert_array_equal(function(np.asfortranarray(values)), 2 * values)


def test_values_are_no_truths(b, x):
    with pytest.raises(TypeError, match="neither true nor false"):
        if x < 1:
            pass
    assert {x: 1}[x] == 1
    y = x == [1, 5, 3]
    z = x != 1
    b.tuple_([y, z])
    equal, different = tenon.compile(b.build())()
    np.testing.assert_array_equal(equal, [True, False, True])
    np.testing.assert_array_equal(different, [False, True, True])


def test_arrays_on_the_left(b, x):
    left = np.array([10, 20, 30], np.float32)
    b.tuple_([left - x, left @ x, left > x])
    difference, product, greater = tenon.compile(b.build())()
    np.testing.assert_array_equal(difference, [9, 18, 27])
    assert product == 140 and greater.all()


def test_what_objects_are_called(b):
    client = tenon.Client()
    assert repr(client) == "<Client of 'cpu'>" and repr(b).startswith("<ComputationBuilder '")
    assert "executions; " in repr(client.statistics())

"""Models of ONNX, small ones that are written here, and a sample of ONNX's own tests of operators."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
import onnx.parser
import onnx.reference
import pytest
import tenon

ROOT = pathlib.Path(__file__).resolve().parents[4]


def model(text, opset=21):
    """Of a graph in ONNX's own text."""
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]>\n{text}')


PRODUCT = "g (float[N, 3] x) => (float[N, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}> { y = MatMul(x, w) }"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "product.onnx"
    onnx.save(model(PRODUCT), path)
    return path


def test_a_file_with_open_sizes_is_compiled_for_each_shape(file):
    product = tenon.compile(file)
    assert product.parameter_names == ["x"]
    weights = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    for rows in (1, 4, 1):
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(product(x), x @ weights)
        np.testing.assert_array_equal(product(x=x), x @ weights)
    assert product.specialize(np.ones((1, 3), np.float32)) is product.specialize(np.zeros((1, 3), np.float32))


def test_an_import_is_an_artifact_with_names(file, tmp_path):
    imported = tenon.import_onnx(file, sizes={"N": 2})
    assert (imported.inputs, imported.outputs) == (("x",), ("y",))
    imported.save(tmp_path / "product.mlirbc")
    function = tenon.compile(tmp_path / "product.mlirbc")
    assert function.parameter_names == ["x"]
    np.testing.assert_array_equal(function(np.ones((2, 3), np.float32)), [[9, 12], [9, 12]])


def test_places_are_those_of_nodes(tmp_path):
    proto = model("g (float[2] x) => (float[2] y) { a = Exp(x) y = Sin(a) }")
    for node, name in zip(proto.graph.node, ("first", "second")):
        node.name = name
    onnx.save(proto, tmp_path / "two.onnx")
    function = tenon.compile(tmp_path / "two.onnx")
    with tenon.profile() as taken:
        function([0, 0])
    assert "two.onnx:2" in str(taken)


@pytest.mark.parametrize("types", [(np.uint8, np.int8), (np.int8, np.uint8), (np.uint8, np.uint8)])
@pytest.mark.parametrize("zeros", ["scalars", "known", "rows and columns", "none"])
def test_integer_products(types, zeros):
    """At the ends of the types, by their zero points."""
    names = ["uint8" if dtype == np.uint8 else "int8" for dtype in types]
    random = np.random.default_rng(1)
    a, b = (random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
            for dtype, shape in zip(types, [(2, 3, 40), (40, 5)]))  # fmt: skip
    p, q = np.iinfo(types[0]).max, np.iinfo(types[1]).min
    expected = (a.astype(np.int64) - (0 if zeros == "none" else p)) @ (b.astype(np.int64) - (0 if zeros == "none" else q))
    inputs = f"{names[0]}[2, 3, 40] a, {names[1]}[40, 5] b"
    if zeros == "none":
        found = tenon.compile(model(f"g ({inputs}) => (int32[2, 3, 5] y) {{ y = MatMulInteger(a, b) }}"))(a, b)
    elif zeros == "known":
        constants = f"<{names[0]} p = {{{p}}}, {names[1]} q = {{{q}}}>"
        found = tenon.compile(model(f"g ({inputs}) => (int32[2, 3, 5] y) {constants} {{ y = MatMulInteger(a, b, p, q) }}"))(a, b)
    else:
        shapes = ("", "") if zeros == "scalars" else ("[3]", "[5]")
        further = f"{names[0]}{shapes[0]} p, {names[1]}{shapes[1]} q"
        function = tenon.compile(model(f"g ({inputs}, {further}) => (int32[2, 3, 5] y) {{ y = MatMulInteger(a, b, p, q) }}"))
        found = function(a, b, *(np.full(() if zeros == "scalars" else n, zero, dtype)
                                 for zero, n, dtype in zip((p, q), (3, 5), types)))  # fmt: skip
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("attributes", ["group = 1", "pads = [1, 2, 0, 3]", "strides = [2, 3], pads = [2, 0, 2, 0]", "dilations = [2, 1]",
                                        'auto_pad = "SAME_UPPER", strides = [2, 2]', "group = 2"])  # fmt: skip
@pytest.mark.parametrize("kernel", [(1, 1), (3, 2)])
def test_integer_convolutions(attributes, kernel):
    """Padding is zero points. Against the same sums in f32, where they are exact."""
    groups = 2 if attributes == "group = 2" else 1
    random = np.random.default_rng(1)
    x = random.integers(0, 255, (2, 4, 9, 8), np.uint8, endpoint=True)
    w = random.integers(-128, 127, (6, 4 // groups, *kernel), np.int8, endpoint=True)
    text = f"""g (uint8[2, 4, 9, 8] x, int8[6, {4 // groups}, {kernel[0]}, {kernel[1]}] w) => (int32[A, B, C, D] y)
               <uint8 p = {{250}}, int8 q = {{-3}}> {{ y = ConvInteger <{attributes}> (x, w, p, q) }}"""
    found = tenon.compile(model(text))(x, w)
    plain = model(f"""g (float[2, 4, 9, 8] x, float[6, {4 // groups}, {kernel[0]}, {kernel[1]}] w) => (float[A, B, C, D] y)
                      {{ y = Conv <{attributes}> (x, w) }}""")
    expected = tenon.compile(plain)(x.astype(np.float32) - 250, w.astype(np.float32) + 3)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:invalid value")  # ONNX's interpreter pads with NaN
def test_quantized_convolutions_one_after_another():
    random = np.random.default_rng(1)
    x = random.integers(0, 255, (1, 3, 9, 8), np.uint8, endpoint=True)
    w, v = (random.integers(-20, 20, shape, np.int8) for shape in [(8, 3, 3, 3), (5, 8, 1, 1)])
    chain = model("""g (uint8[1, 3, 9, 8] x, int8[8, 3, 3, 3] w, int8[5, 8, 1, 1] v, float[8] s, int8[8] z) => (uint8[A, B, C, D] y)
      <float one = {0.1}, float other = {4.0}, uint8 p = {7}, int8 q = {0}> {
      a = QLinearConv <pads = [1, 1, 1, 1]> (x, one, p, w, s, z, other, p)
      b = MaxPool <kernel_shape = [2, 2]> (a)
      y = QLinearConv (b, one, p, v, one, q, one, p)
    }""")
    scales = np.linspace(0.5, 2, 8, dtype=np.float32)
    expected = onnx.reference.ReferenceEvaluator(chain).run(None, {"x": x, "w": w, "v": v, "s": scales, "z": np.zeros(8, np.int8)})[0]
    found = tenon.compile(chain)(x, w, v, scales, np.zeros(8, np.int8))
    assert found.shape == expected.shape and np.ptp(found) > 100
    assert np.mean(found != expected) < 0.02 and np.max(np.abs(found.astype(int) - expected)) <= 2  # halves


def test_inputs_that_decide_shapes_are_constants():
    reshaped = model("g (float[2, 3] x, int64[2] shape) => (float[A, B] y) { y = Reshape(x, shape) }")
    function = tenon.compile(reshaped)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(function(x, [3, 2]), x.reshape(3, 2))
    np.testing.assert_array_equal(function(x, [6, -1]), x.reshape(6, 1))
    imported = tenon.import_onnx(reshaped, values={"shape": [3, 2]})
    assert imported.inputs == ("x",)


def test_what_follows_from_data_is_an_error(raises):
    places = model("g (float[100] x) => (int64[1, N] y) { y = NonZero(x) }")
    with raises(tenon.StatusCode.UNIMPLEMENTED, "(NonZero, operator set 21): its elements", "'x'", "must be known", "is data"):
        tenon.compile(places)(np.ones(100, np.float32))


def test_shapes_are_computed_at_import():
    flat = model("""g (float[2, 3, 4] x) => (float[A, B] y) {
      shape = Shape <start = 0, end = 1> (x)
      rest = Constant <value_ints = [-1]> ()
      both = Concat <axis = 0> (shape, rest)
      y = Reshape(x, both)
    }""")
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(tenon.compile(flat)(x), x.reshape(2, 12))


@pytest.mark.parametrize("condition, expected", [(True, 3.0), (False, -1.0)])
def test_if(condition, expected):
    chosen = model("""g (bool condition, float[1] x) => (float[1] y) {
      y = If (condition) <
        then_branch = then () => (float[1] a) { two = Constant <value_floats = [2.0]> () a = Add(x, two) },
        else_branch = other () => (float[1] b) { two = Constant <value_floats = [2.0]> () b = Sub(x, two) }
      >
    }""")
    assert tenon.compile(chosen)(condition, [1.0]) == [expected]


def loop(going):
    return model(f"""g (int64 count, float[1] x) => (float[1] y) {{
      yes = Constant <value = bool {{1}}> ()
      y = Loop (count, yes, x) <
        body = step (int64 i, bool c, float[1] a) => (bool d, float[1] b) {{ b = Add(a, a) {going} }}
      >
    }}""")


@pytest.mark.parametrize("count", [0, 3, 40])
def test_loop(count):
    function = tenon.compile(loop("d = Identity(c)"))
    assert function(np.int64(count), [1.0]) == [2.0**count]


def test_loop_that_ends_by_a_value():
    ended = loop("ten = Constant <value_float = 10.0> () flat = Squeeze(b) d = Less(flat, ten)")
    assert tenon.compile(ended)(np.int64(100), [1.0]) == [16.0]


def test_scan():
    sums = model("""g (float[2] initial, float[3, 2] x) => (float[2] last, float[3, 2] all) {
      last, all = Scan (initial, x) <
        num_scan_inputs = 1,
        body = step (float[2] a, float[2] b) => (float[2] s, float[2] t) { s = Add(a, b) t = Identity(s) }
      >
    }""")
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    last, steps = tenon.compile(sums)([0, 0], x)
    np.testing.assert_array_equal(steps, np.cumsum(x, 0))
    np.testing.assert_array_equal(last, x.sum(0))


def test_the_models_own_functions():
    proto = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21, "mine" : 1]>
    g (float[2] x) => (float[2] y) { y = mine.scaled <by = 3.0> (x) }
    <opset_import: ["" : 21], domain: "mine">
    scaled <by> (a) => (b) { factor = Constant <value_float: float = @by> () b = Mul(a, factor) }""")
    np.testing.assert_array_equal(tenon.compile(proto)([1, 2]), [3, 6])


def test_edges_of_elementwise_operators():
    """Not a number, infinities, negative zero, and integers that overflow."""
    text = "g (float[5] x) => (float[5] y) { y = %s }"
    x = np.asarray([np.nan, np.inf, -np.inf, -0.0, 1e-40], np.float32)
    for expression, expected in [("Relu(x)", [np.nan, np.inf, 0, 0, 1e-40]), ("Abs(x)", np.abs(x)),
                                 ("Round(x)", np.round(x)), ("Max(x, x)", x)]:  # fmt: skip
        np.testing.assert_array_equal(tenon.compile(model(text % expression))(x), np.asarray(expected, np.float32))
    quotient = tenon.compile(model("g (int32[3] x, int32[3] y) => (int32[3] z) { z = Div(x, y) }"))
    np.testing.assert_array_equal(quotient([-7, 7, -8], [2, -2, 2]), [-3, -3, -4])


# What goes on with the result of a convolution, whose channels are last in memory, by each operator that knows of it.
AFTER_CONVOLUTIONS = [
    "y = Relu(c)",
    "low = Constant <value_float = -0.5> () y = Clip(c, low)",
    "y = Add(c, channels)",
    "y = Mul(row, c)",
    "half = Constant <value_float = 0.5> () y = Pow(c, half)",
    "t = Constant <value_float = 0.1> () m = Greater(c, t) y = Where(m, c, row)",
    "y = PRelu(c, channels)",
    "y = BatchNormalization(c, flat, flat, flat, positive)",
    "y = MaxPool <kernel_shape = [2, 3], pads = [1, 0, 0, 1]> (c)",
    "y, i = MaxPool <kernel_shape = [2, 3]> (c)",
    "y = AveragePool <kernel_shape = [3, 2], pads = [1, 1, 1, 1], strides = [2, 1]> (c)",
    "y = LpPool <kernel_shape = [2, 2]> (c)",
    "y = GlobalAveragePool(c)",
    "y = GlobalMaxPool(c)",
    "y = Concat <axis = -3> (c, c)",
    "y = Concat <axis = 2> (c, x)",
    "a, y = Split <axis = 1, num_outputs = 2> (c)",
    "y = ReduceMean <keepdims = 0> (c, spatial)",
    "y = ReduceMax <keepdims = 1> (c, first)",
    "y = ReduceSum <keepdims = 0> (c, first)",
    "pads = Constant <value_ints = [0, 1, 2, 0, 0, 0, 0, 3]> () y = Pad(c, pads)",
    "s = Constant <value_ints = [1, 3]> () e = Constant <value_ints = [9, 0]> () d = Constant <value_ints = [1, -1]> () "
    "y = Slice(c, s, e, first_and_last, d)",
    "y = Transpose <perm = [0, 2, 3, 1]> (c)",
    "y = Transpose(c)",
    "s = Shape(c) y = Cast <to = 1> (s)",
    'r = Constant <value_floats = [1.0, 1.0, 2.0, 1.5]> () y = Resize <mode = "linear"> (c, , r)',
    "y = Softmax <axis = 1> (c)",
    "y = Flatten(c)",
    "n = Sigmoid(c) y = Mul(c, n)",
    "y = Conv(c, w)",
    "y = InstanceNormalization(c, flat, flat)",
]  # fmt: skip


@pytest.mark.parametrize("text", AFTER_CONVOLUTIONS, ids=lambda text: text[-50:])
def test_after_convolutions(text):
    """The convolution is by the identity, so that the results are those without it, to the bit."""
    graph = f"""g (float[2, 16, 5, 6] x, float[16, 16, 1, 1] w, float[16, 1, 1] channels, float[5, 1] row, float[16] flat,
                float[16] positive) => (float[N] y) <int64[2] spatial = {{2, 3}}, int64[1] first = {{1}},
                int64[2] first_and_last = {{1, 3}}> {{ %s {text} }}"""
    random = np.random.default_rng(1)
    x = random.uniform(0, 1, (2, 16, 5, 6)).astype(np.float32)
    flat = random.normal(size=16).astype(np.float32)
    arrays = [x, np.eye(16, dtype=np.float32).reshape(16, 16, 1, 1), flat.reshape(16, 1, 1),
              random.normal(size=(5, 1)).astype(np.float32), flat, np.abs(flat) + 1]  # fmt: skip
    results = []
    for before in ("c = Identity(x)", "c = Conv(x, w)"):
        proto = model(graph % before)
        proto.graph.output[0].type.tensor_type.ClearField("shape")
        results.append(tenon.compile(proto)(*arrays))
    # Sums of another order.
    np.testing.assert_allclose(results[1], results[0], rtol=1e-6, atol=1e-6)


RANDOM = [("RandomUniform <shape = [4000], low = -1.0, high = 3.0> ()", 1.0, 2 / 3**0.5),
          ("RandomNormal <shape = [4000], mean = 2.0, scale = 0.5> ()", 2.0, 0.5),
          ("Bernoulli(p)", 0.25, 0.1875**0.5),
          ("Dropout(p, ratio, yes)", 0.25, 0.25)]  # fmt: skip


@pytest.mark.parametrize("expression, mean, deviation", RANDOM, ids=lambda value: str(value)[:12])
def test_random_numbers(expression, mean, deviation):
    """Others at each call, unless the call or the model has a seed; of six standard errors at most another mean."""
    constants = "<bool yes = {1}, float ratio = {0.5}>"
    function = tenon.compile(model(f"g (float[4000] p) => (float[4000] y) {constants} {{ y = {expression} }}"))
    p = np.full(4000, 0.25, np.float32)
    numbers = function(p, seed=1)
    assert abs(numbers.mean() - mean) < 6 * deviation / 4000**0.5
    assert numbers.std() == pytest.approx(deviation, rel=0.1)
    np.testing.assert_array_equal(function(p, seed=1), numbers)
    assert np.any(function(p, seed=2) != numbers)


def test_samples_of_classes():
    function = tenon.compile(model("g (float[1, 2] x) => (int32[1, 4000] y) { y = Multinomial <sample_size = 4000> (x) }"))
    found = function(np.log([[1, 3]]).astype(np.float32), seed=1)
    assert found.dtype == np.int32 and found.shape == (1, 4000)
    assert abs(found.mean() - 0.75) < 6 * 0.1875**0.5 / 4000**0.5


def test_a_models_seed():
    function = tenon.compile(model("g (float[1] x) => (float[9] y) { y = RandomNormal <shape = [9], seed = 3.0> () }"))
    np.testing.assert_array_equal(function([0], seed=1), function([0], seed=2))


def test_an_old_operator_set():
    """Operands that are aligned by an axis, types by their names."""
    old = model("""g (float[2, 3, 4] x, float[3] b) => (int32[2, 3, 4] y) {
      s = Add <broadcast = 1, axis = 1> (x, b) y = Cast <to = "INT32"> (s) }""", opset=5)  # fmt: skip
    x, b = np.full((2, 3, 4), 1.75, np.float32), np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(tenon.compile(old)(x, b), (x + b[:, None]).astype(np.int32))


def test_empty_arrays():
    empty = tenon.compile(model("g (float[0, 2] x) => (float[1, 2] y) { axes = Constant <value_ints = [0]> () y = ReduceMax(x, axes) }"))
    np.testing.assert_array_equal(empty(np.zeros((0, 2), np.float32)), [[-np.inf, -np.inf]])


def test_errors_name_the_node_the_operator_and_the_file(tmp_path, raises):
    wrong = model("g (float[2, 3] x, float[2, 3] y) => (float[2, 2] z) { z = MatMul(x, y) }")
    onnx.save(wrong, tmp_path / "wrong.onnx")
    with raises(tenon.StatusCode.INVALID_ARGUMENT, f"{tmp_path}/wrong.onnx: node that gives 'z' (MatMul, operator set 21)",
                "float32[2,3], float32[2,3]"):  # fmt: skip
        tenon.compile(tmp_path / "wrong.onnx")
    unknown = onnx.helper.make_node("Mystery", ["x"], ["y"], name="odd", domain="com.example")
    graph = onnx.helper.make_graph([unknown], "g", [onnx.helper.make_tensor_value_info("x", 1, [2])],
                                   [onnx.helper.make_tensor_value_info("y", 1, [2])])  # fmt: skip
    with raises(tenon.StatusCode.UNIMPLEMENTED, "node 'odd' (com.example.Mystery", "the domain 'com.example'"):
        tenon.compile(onnx.helper.make_model(graph))


def test_what_is_given_is_checked(file, tmp_path, raises):
    invalid = tenon.StatusCode.INVALID_ARGUMENT
    with raises(invalid, "product.onnx: sizes are open: x: float32[N,3]", "--shape x="):
        tenon.import_onnx(file)
    with raises(invalid, "no input 'y'; there are: x"):
        tenon.import_onnx(file, shapes={"y": [1]})
    with raises(invalid, "'x' has 2 dimensions, and 1 sizes are given"):
        tenon.import_onnx(file, shapes={"x": [1]})
    with raises(invalid, "cannot have the shape [1, 4]"):
        tenon.import_onnx(file, shapes={"x": [1, 4]})
    with raises(invalid, "no open size 'M'; there are: N"):
        tenon.import_onnx(file, sizes={"M": 1})
    (tmp_path / "text.onnx").write_text("a text")
    with raises(invalid, "text.onnx: this is no model of ONNX"):
        tenon.compile(tmp_path / "text.onnx")


def test_weights_in_another_file(tmp_path, raises):
    proto = model(PRODUCT)
    weights = proto.graph.initializer[0]
    weights.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weights), "w"))  # as bytes
    onnx.save(proto, tmp_path / "big.onnx", save_as_external_data=True, location="big.data", size_threshold=0)
    np.testing.assert_array_equal(tenon.compile(tmp_path / "big.onnx")(np.ones((1, 3), np.float32)), [[9, 12]])
    (tmp_path / "big.data").unlink()
    with raises(tenon.StatusCode.NOT_FOUND, "big.onnx: its weights are in another file"):
        tenon.compile(tmp_path / "big.onnx")


def command(*words):
    return subprocess.run([sys.executable, "-m", "tenon.importing", *map(str, words)], capture_output=True, text=True)


def test_the_command(file, tmp_path):
    done = command(file, "--shape", "x=2x3", "-o", tmp_path / "product.mlirbc")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert tenon.compile(tmp_path / "product.mlirbc").parameter_shapes[0].dimensions == (2, 3)
    done = command(file, "-o", tmp_path / "other.mlirbc")
    assert done.returncode == 1 and re.search(r"^error: .*product.onnx: sizes are open", done.stderr)
    done = command(file, "--shape", "x", "-o", tmp_path / "other.mlirbc")
    assert done.returncode == 1 and "'x' is not of the form NAME=..." in done.stderr


def test_a_sample_of_onnxs_own_tests():
    spec = importlib.util.spec_from_file_location("onnx_node_tests", ROOT / "scripts/onnx_node_tests.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    failed = []
    for case in script.cases()[::120]:
        status, reason = script.run(case)
        if status == "failed":
            failed.append(f"{case.name}: {reason}")
    assert not failed

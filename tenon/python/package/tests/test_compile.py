"""StableHLO programs as functions of NumPy arrays."""

import pathlib
import subprocess
import sys
import threading

import jax
import jax.export
import ml_dtypes
import numpy as np
import pytest
import tenon
from tenon import StatusCode


def test_runs_text(add):
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    result = add(a, b)
    assert isinstance(result, np.ndarray) and result.dtype == np.float32
    np.testing.assert_array_equal(result, a + b)


_ROWS = """
func.func @main(%x: tensor<?x2xf32> loc("x"), %n: tensor<i64>) -> tensor<?x?x2xf32> {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %0 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.convert %n : (tensor<i64>) -> tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %2, %0, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %4 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1, 2] : (tensor<?x2xf32>, tensor<3xi32>) -> tensor<?x?x2xf32>
  return %4 : tensor<?x?x2xf32>
}"""


def test_sizes_that_are_open_or_arguments():
    client = tenon.Client()
    repeat = tenon.compile(_ROWS, client=client)
    assert isinstance(repeat, tenon.DynamicFunction)
    assert repr(repeat) == "<DynamicFunction (x: f32[?,2], n: s64[])>"
    for rows, times in [(3, 2), (1, 1), (0, 4), (3, 0), (3, 2)]:
        x = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)
        np.testing.assert_array_equal(repeat(x, times), np.repeat(x[None], times, axis=0))
    # Each set of sizes is compiled once.
    before = client.statistics().compilations
    one = repeat.specialize([[1, 2]], 1)
    repeat.specialize(np.array([[5, 6]], np.float32), np.int64(1))
    repeat([[3, 4]], 1)
    assert client.statistics().compilations == before
    repeat.specialize([[1, 2]], 2)
    assert client.statistics().compilations == before + 1
    np.testing.assert_array_equal(one([[1, 2]], 1), [[[1, 2]]])
    with pytest.raises(tenon.Error, match="argument 1 must be 1, for which the program was compiled, got 2"):
        one([[1, 2]], 2)
    with pytest.raises(tenon.Error, match="negative size -3"):
        repeat([[1, 2]], -3)
    with pytest.raises(tenon.Error, match=r"must be F32\[\?,2\], and is f32\[1,3\]"):
        repeat([[1, 2, 3]], 1)
    with pytest.raises(TypeError, match="has 2 parameters, and 1 arguments"):
        repeat([[1, 2]])


def test_the_entry_that_is_named():
    functions = """
      func.func @half(%x: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.constant dense<0.5> : tensor<2xf32>
        %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
        return %1 : tensor<2xf32>
      }
      func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
        return %x : tensor<?xf32>
      }"""
    np.testing.assert_array_equal(tenon.compile(functions, entry="half")([2, 3]), [1, 1.5])
    np.testing.assert_array_equal(tenon.compile(functions, entry="open")([2, 3, 4]), [2, 3, 4])
    assert len(tenon.Computation.from_stablehlo(functions, entry="half").parameter_names) == 1
    with pytest.raises(tenon.Error, match="no function 'whole'; there are: half, open"):
        tenon.compile(functions, entry="whole")
    with pytest.raises(tenon.Error, match="entry chooses one"):
        tenon.compile(functions)
    with pytest.raises(TypeError, match="entry is for programs"):
        tenon.compile(tenon.Computation.from_stablehlo(functions, entry="half"), entry="half")


def test_tuples_and_futures_of_programs():
    function = tenon.compile("""
      func.func @main(%t: tuple<tensor<2xf32>, tuple<tensor<i32>>>, %f: !stablehlo.future<tensor<2xf32>>)
          -> (!stablehlo.future<tensor<2xf32>>, tuple<tuple<tensor<i32>>>) {
        %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
        %1 = stablehlo.tuple %0 : tuple<tuple<tensor<i32>>>
        return %f, %1 : !stablehlo.future<tensor<2xf32>>, tuple<tuple<tensor<i32>>>
      }""")
    future, tuples = function((np.ones(2, np.float32), (np.int32(-3),)), np.array([1, np.nan], np.float32))
    np.testing.assert_array_equal(future, np.array([1, np.nan], np.float32))
    assert tuples == ((-3,),)


def test_results_belong_to_the_caller(add):
    a = np.ones((2, 3), np.float32)
    first = add(a, a)
    first += 1
    np.testing.assert_array_equal(add(a, a), np.full((2, 3), 2, np.float32))
    np.testing.assert_array_equal(first, np.full((2, 3), 3, np.float32))


def test_results_live_on():
    array = tenon.compile("func.func @main() -> tensor<3xf32> {\n %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : "
                          "tensor<3xf32>\n return %0 : tensor<3xf32>\n}")()  # fmt: skip
    np.testing.assert_array_equal(array, [1, 2, 3])


def test_arguments_in_any_form(add):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(add(np.asfortranarray(a), a[:, ::-1]), a + a[:, ::-1])
    np.testing.assert_array_equal(add([[1, 2, 3], [4, 5, 6]], a), a + [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(add(a.astype(">f4"), a), a + a)
    unaligned = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3)
    np.testing.assert_array_equal(add(unaligned, a), a + a)
    data = tenon.Client().transfer_to_server(a)
    np.testing.assert_array_equal(add(data, data), a + a)


def test_wrong_arguments(add, raises):
    a = np.ones((2, 3), np.float32)
    with pytest.raises(TypeError, match="2 parameters"):
        add(a)
    with raises(StatusCode.INVALID_ARGUMENT, "argument 1 (b) must be f32[2,3], and is f64[2,3]"):
        add(a, a.astype(np.float64))
    with raises(StatusCode.INVALID_ARGUMENT, "f32[3]"):
        add(a, a[0])
    with raises(StatusCode.INVALID_ARGUMENT, "no element type"):
        add(a, np.array(["x"]))
    with raises(StatusCode.INVALID_ARGUMENT, "None is not made of numbers"):
        add(a, None)


def test_errors_name_the_place(raises):
    text = "func.func @main() -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
    with raises(StatusCode.INVALID_ARGUMENT, "<program>:2"):
        tenon.compile(text)
    with raises(StatusCode.INVALID_ARGUMENT, "model.mlir:2"):
        tenon.compile(text, file_name="model.mlir")
    error = pytest.raises(tenon.Error, tenon.compile, text).value
    assert str(error).startswith("INVALID_ARGUMENT: ")


def test_files_and_artifacts(add, tmp_path):
    a = np.ones((2, 3), np.float32)
    artifact = add.computation.to_portable_artifact("1.9.0")
    np.testing.assert_array_equal(tenon.compile(artifact)(a, a), a + a)
    path = pathlib.Path(tmp_path) / "add.mlir"
    path.write_text(add.computation.to_text())
    np.testing.assert_array_equal(tenon.compile(path)(a, a), a + a)
    assert repr(tenon.compile(path)) == "<Function 'main' (f32[2,3], f32[2,3]) -> f32[2,3]>"


def test_bytes_of_any_kind(add):
    a = np.ones((2, 3), np.float32)
    artifact = add.computation.to_portable_artifact("1.9.0")
    view = memoryview(b"".join(bytes([byte, 0]) for byte in artifact))[::2]  # with gaps
    for program in (bytearray(artifact), memoryview(artifact), view, np.frombuffer(artifact, np.uint8)):
        np.testing.assert_array_equal(tenon.compile(program)(a, a), a + a)
        assert tenon.Computation.from_stablehlo(program).parameter_names == ["a", "b"]


def test_what_jax_has():
    function, a = jax.jit(lambda x, y: x @ y + 1), np.arange(4, dtype=np.float32).reshape(2, 2)
    exported = jax.export.export(function)(a, a)
    several = jax.export.export(function, platforms=("cuda", "cpu"))(a, a)
    lowered = function.lower(a, a)
    for program in (lowered, exported, several, exported.serialize(), several.serialize(), lowered.compiler_ir()):
        np.testing.assert_array_equal(tenon.compile(program)(a, a), a @ a + 1)


def test_what_is_no_program(raises):
    for program in (3, None, [], np.zeros(3, np.float32), object()):
        with pytest.raises(TypeError, match="a program is needed .StableHLO as a str, .*pathlib.Path"):
            tenon.compile(program)
    with pytest.raises(TypeError, match="not lowered yet: give f.lower"):
        tenon.compile(jax.jit(lambda x: x))
    for text in ("/tmp/program.mlir", "model.mlirbc", "..\\x"):
        with pytest.raises(ValueError, match="looks like a path: give pathlib.Path"):
            tenon.compile(text)
    with pytest.raises(FileNotFoundError):
        tenon.compile(pathlib.Path("/nowhere/program.mlir"))
    with raises(StatusCode.INVALID_ARGUMENT, "<program>:1:1: error: not a StableHLO program"):
        tenon.compile("hello")


def test_what_is_cast_has_messages():
    class Odd:
        shape, dtype = None, np.dtype("float32")

        def __dlpack_device__(self):
            return ("cpu", 0)

    with pytest.raises(TypeError, match="a shape of integers is needed"):
        tenon.ComputationBuilder("f").parameter(0, Odd(), "x")
    with pytest.raises(TypeError, match="the number of a device's kind"):
        tenon.from_dlpack(Odd())
    for call in (tenon.compile, lambda text: tenon.ComputationBuilder("f").parameter(0, text, "x")):
        with pytest.raises(UnicodeEncodeError):
            call("module { \ud800 }")


def test_errors_quote_the_line(raises):
    text = "func.func @main(%a: tensor<f32>) {\n  %0 = stablehlo.add %a, %x : tensor<f32>\n  return\n}\n"
    with raises(StatusCode.INVALID_ARGUMENT, "<program>:2:26: error: use of undeclared SSA value name '%x'\n"
                                             "  %0 = stablehlo.add %a, %x : tensor<f32>\n" + 25 * " " + "^"):
        tenon.compile(text)


def test_several_results():
    program = tenon.compile("""
        func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xbf16>) {
          %0 = stablehlo.add %x, %x : tensor<2xi32>
          %1 = stablehlo.convert %x : (tensor<2xi32>) -> tensor<2xbf16>
          return %0, %1 : tensor<2xi32>, tensor<2xbf16>
        }""")
    doubled, rounded = program(np.array([1, 2], np.int32))
    np.testing.assert_array_equal(doubled, [2, 4])
    assert rounded.dtype == ml_dtypes.bfloat16
    doubled[0] = 7
    assert [str(shape) for shape in program.parameter_shapes] == ["s32[2]"]
    assert str(program.result_shape) == "(s32[2], bf16[2])"


LOOP = """
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i64>, tensor<i64>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %t = stablehlo.xor %s, %i : tensor<i64>
      stablehlo.return %j, %t : tensor<i64>, tensor<i64>
    }
  return %r#1 : tensor<i64>
}"""


def test_timeouts(raises):
    with raises(StatusCode.DEADLINE_EXCEEDED):
        tenon.compile(LOOP)(2**62, timeout=0.05)
    with raises(StatusCode.INVALID_ARGUMENT, "timeout"):
        tenon.compile(LOOP)(1, timeout=-1)
    with raises(StatusCode.INVALID_ARGUMENT, "timeout"):
        tenon.compile(LOOP)(1, timeout=float("nan"))
    assert tenon.compile(LOOP)(3, timeout=float("inf")) == 3


def test_arguments_by_name():
    builder = tenon.ComputationBuilder("difference")
    x, y = builder.parameter(0, "f32[2]", "x"), builder.parameter(1, "f32[2]", "y")
    x - y
    difference = tenon.compile(builder.build())
    a, b = np.float32([1, 2]), np.float32([5, 7])
    assert difference.parameter_names == ["x", "y"]
    for result in (difference(a, y=b), difference(y=b, x=a), difference(a, b)):
        np.testing.assert_array_equal(result, a - b)
    for arguments, named, message in [
        ((a,), {}, "difference has 2 parameters, and 1 arguments are given"),
        ((), {"y": b}, "difference: there is no argument for the parameter 'x'"),
        ((a,), {"y": b, "z": b}, "difference has no parameter 'z'; its parameters are x, y"),
        ((a, b), {"x": b}, "difference: the parameter 'x' is given twice"),
        ((a, b, b), {"x": b}, "difference: the parameter 'x' is given twice"),
    ]:
        with pytest.raises(TypeError, match=message):
            difference(*arguments, **named)


def test_arguments_of_open_sizes_by_name():
    function = tenon.compile("""func.func @main(%x: tensor<?xf32> loc("x"), %y: tensor<f32> loc("y")) -> tensor<f32> {
      return %y : tensor<f32>
    }""")
    assert function.parameter_names == ["x", "y"]
    assert function(y=np.float32(3), x=np.ones(5, np.float32)) == 3
    assert function.specialize(np.ones(4, np.float32), y=np.float32(3))(np.ones(4, np.float32), np.float32(1)) == 1
    with pytest.raises(TypeError, match="the program: there is no argument for the parameter 'x'"):
        function(y=np.float32(3))


def test_the_lock_is_free_while_a_program_runs():
    client = tenon.Client()
    wait = tenon.compile("""func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %t = stablehlo.create_token : !stablehlo.token
      %s = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
      %y, %u = "stablehlo.infeed"(%s) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
      %z = stablehlo.add %x, %y : tensor<f32>
      return %z : tensor<f32>
    }""")
    results = []
    thread = threading.Thread(target=lambda: results.append(wait(np.float32(1), timeout=600)))
    thread.start()
    client.transfer_from_outfeed("f32[]")  # the program runs
    client.transfer_to_infeed(np.float32(6))
    thread.join()
    assert results == [7]


def test_many_threads(add):
    def run(n):
        a = np.full((2, 3), n, np.float32)
        for _ in range(50):
            np.testing.assert_array_equal(add(a, a), a + a)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_needs_nothing_but_numpy():
    code = "import sys, tenon; sys.exit(any(m in sys.modules for m in ('jax', 'ml_dtypes', 'torch')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

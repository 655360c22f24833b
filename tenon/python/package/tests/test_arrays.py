"""Arrays in and out: NumPy's, ml_dtypes', DLPack's."""

import ml_dtypes
import numpy as np
import pytest
import tenon
from tenon import ElementType, Literal, Shape, StatusCode

DTYPES = [np.dtype(name) for name in (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)] + [np.dtype(getattr(ml_dtypes, name)) for name in (
    "bfloat16 int2 int4 uint2 uint4 float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3fn "
    "float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu".split()
)]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type(dtype):
    array = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    literal = Literal(array)
    assert literal.shape.dimensions == (2, 3)
    back = literal.numpy()
    assert back.dtype == dtype
    np.testing.assert_array_equal(back.view(np.uint8), array.view(np.uint8))
    client = tenon.Client()
    assert client.transfer(client.transfer_to_server(array)) == literal
    np.testing.assert_array_equal(client.transfer_to_server(array).numpy().view(np.uint8), array.view(np.uint8))


def test_element_types_have_all_forms():
    assert ElementType.F32.itemsize == 4
    assert Shape.array(np.float32, (2,)) == Shape("f32[2]") == Shape.array("f32", (2,))
    assert Shape.array(ml_dtypes.bfloat16, ()) == Shape.array("bfloat16", ()) == Shape.array(ElementType.BF16, ())
    assert Shape(np.zeros((2, 3), np.int8)) == Shape("s8[2,3]")
    with pytest.raises(tenon.Error, match="no element type"):
        Shape.array("float33", ())
    with pytest.raises(TypeError):
        Shape(3)


def test_shapes():
    shape = Shape.array("f32", (2, 3), (0, 1))
    assert repr(shape) == "Shape('f32[2,3]{0,1}')" and str(shape) == "f32[2,3]"
    assert shape.minor_to_major == (0, 1) and Shape("f32[2,3]").minor_to_major == (1, 0)
    assert shape != Shape("f32[2,3]") and shape.compatible("f32[2,3]") and shape != "f32[2,3]"
    pair = Shape.make_tuple([shape, Shape("s32[]")])
    assert pair.is_tuple and pair.tuple_shapes == (shape, Shape("s32[]")) and pair.byte_size == 28
    assert len({Shape("f32[2]"), Shape("f32[2]"), shape}) == 2
    with pytest.raises(tenon.Error, match="INVALID_ARGUMENT"):
        Shape("f32[")
    with pytest.raises(tenon.Error, match="INVALID_ARGUMENT"):
        Shape.array("f32", (-1,))


def address(array):
    return array.ctypes.data


def test_memory_is_shared():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    literal = Literal(array)
    assert address(literal.numpy()) == address(array)
    columns = np.asfortranarray(array)
    assert Literal(columns).shape == Shape("f32[2,3]{0,1}")
    assert address(Literal(columns).numpy()) == address(columns)
    assert not literal.numpy().flags.writeable
    assert address(Literal(array, copy=True).numpy()) != address(array)
    gap = array[:, ::2]
    np.testing.assert_array_equal(Literal(gap).numpy(), gap)
    with pytest.raises(tenon.Error, match="a copy is needed"):
        Literal(gap, copy=False)
    with pytest.raises(tenon.Error, match="INVALID_ARGUMENT"):
        Literal([1, 2], copy=False)
    data = tenon.Client().transfer_in_process(array)
    assert address(data.numpy()) == address(array)


def test_memory_is_kept():
    for make in (Literal, tenon.Client().transfer_in_process, lambda a: Literal(a).numpy()):
        kept = [make(np.full(1000, n, np.float64)) for n in range(100)]
        for n, value in enumerate(kept):
            np.testing.assert_array_equal(np.asarray(value), np.full(1000, n, np.float64))


def test_bytes_that_a_type_lacks_are_mended():
    truth = np.array([0, 2, 255], np.uint8).view(bool)
    np.testing.assert_array_equal(Literal(truth).numpy().view(np.uint8), [0, 1, 1])
    nibbles = np.array([0x17, 0x0F], np.uint8)
    np.testing.assert_array_equal(Literal(nibbles.view(ml_dtypes.int4)).numpy().astype(int), [7, -1])
    np.testing.assert_array_equal(Literal(nibbles.view(ml_dtypes.uint4)).numpy().astype(int), [7, 15])
    assert int(Literal(nibbles[0:1].view(ml_dtypes.int2)[0]).numpy()) == -1
    assert int(Literal(nibbles[0:1].view(ml_dtypes.uint2).reshape(())).numpy()) == 3


def test_empty_and_scalars():
    assert Literal(np.zeros((0, 3), np.int32)).numpy().shape == (0, 3)
    assert Literal(2.5).shape == Shape("f64[]")
    assert Literal(2.5, "bf16") == Literal(ml_dtypes.bfloat16(2.5))
    assert Literal(np.float32(1)).numpy() == 1
    assert np.asarray(Literal([1, 2], np.int16), dtype=np.int64).dtype == np.int64


@pytest.mark.parametrize("value", [[1.0, None], "1.5", ["x"], {}, object()])
def test_what_is_not_numbers(value):
    for type in (None, np.float32):
        with pytest.raises(tenon.Error, match="is not made of numbers"):
            Literal(value, type)


def test_tuples():
    value = Literal((np.arange(2), (np.float32(3),)))
    assert value.shape == Shape("(s64[2], (f32[]))") and len(value) == 2
    first, (second,) = value.numpy()
    np.testing.assert_array_equal(first, [0, 1])
    assert second == 3 and str(value[1]) == "(f32[] 3)"
    with pytest.raises(IndexError):
        value[2]
    with pytest.raises(tenon.Error, match="is a tuple"):
        np.asarray(value)
    client = tenon.Client()
    data = client.transfer_to_server(value)
    assert data.literal() == value and [str(e.shape) for e in data.elements()] == ["s64[2]", "(f32[])"]
    assert data.numpy()[1][0] == 3


def test_literals_change_form(tmp_path):
    literal = Literal(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert literal.relayout((0, 1)) == literal and literal.relayout((0, 1)).shape != literal.shape
    np.testing.assert_array_equal(literal.relayout((0, 1)).numpy(), literal.numpy())
    assert literal.convert(np.int8).shape == Shape("s8[2,3]")
    assert literal.reshape((6,)).shape == Shape("f32[6]")
    with pytest.raises(tenon.Error, match="INVALID_ARGUMENT"):
        literal.reshape((5,))
    path = str(tmp_path / "x.npy")
    literal.write_npy(path)
    assert Literal.read_npy(path) == literal
    np.testing.assert_array_equal(np.load(path), literal.numpy())
    with pytest.raises(tenon.Error, match="NOT_FOUND"):
        Literal.read_npy(str(tmp_path / "none.npy"))


@pytest.mark.parametrize("dtype", DTYPES[:14], ids=str)
def test_dlpack_with_numpy(dtype):
    array = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    literal = tenon.from_dlpack(array)
    assert address(literal.numpy()) == address(array)
    back = np.from_dlpack(literal)
    assert address(back) == address(array) and back.dtype == dtype
    np.testing.assert_array_equal(back, array)
    assert literal.__dlpack_device__() == (1, 0)


def test_dlpack_of_layouts_and_data():
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    literal = tenon.from_dlpack(array)
    assert literal.shape.minor_to_major == (0, 1)
    np.testing.assert_array_equal(np.from_dlpack(literal), array)
    gap = np.arange(6, dtype=np.float32)[::2]
    np.testing.assert_array_equal(tenon.from_dlpack(gap).numpy(), gap)
    data = tenon.Client().transfer_to_server(array)
    np.testing.assert_array_equal(np.from_dlpack(data), array)
    copy = np.from_dlpack(data, copy=True)
    shared = np.from_dlpack(data, copy=False)
    np.testing.assert_array_equal(copy, array)
    assert not np.shares_memory(copy, data.numpy()) and np.shares_memory(shared, data.numpy())
    with pytest.raises(BufferError, match="s4"):
        Literal([1], "s4").__dlpack__()
    with pytest.raises(tenon.Error, match="not an array"):
        Literal((1, 2)).__dlpack__()


def test_dlpack_with_jax():
    jax = pytest.importorskip("jax")
    array = jax.numpy.arange(6, dtype=jax.numpy.bfloat16).reshape(2, 3)
    literal = Literal(array)
    assert literal.shape == Shape("bf16[2,3]")
    np.testing.assert_array_equal(literal.numpy(), np.asarray(array))
    np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(literal)), np.asarray(array))
    fourbit = jax.numpy.arange(3, dtype=jax.numpy.int4)
    assert Literal(fourbit).shape == Shape("s4[3]")


class Elsewhere:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise BufferError("not here")


def test_dlpack_of_types_that_numpy_does_not_export():
    array = np.array([1, 2], ml_dtypes.float8_e5m2)
    with pytest.raises(BufferError):
        tenon.from_dlpack(array)
    with pytest.raises((RuntimeError, BufferError), match="Unsupported dtype"):  # the latter of NumPy's newer versions
        np.from_dlpack(Literal(array))


def test_dlpack_of_another_device(raises):
    with raises(StatusCode.INVALID_ARGUMENT, "device of DLPack's kind 2"):
        tenon.from_dlpack(Elsewhere())

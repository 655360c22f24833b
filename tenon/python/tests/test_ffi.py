"""jax.ffi with handlers of the user's own (ffi_handlers.cc), compiled against the headers that come with jaxlib."""

import ctypes
import pathlib
import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

_SOURCE = pathlib.Path(__file__).with_name("ffi_handlers.cc")
_HANDLERS = {
    "tenon_test_add_scaled": "AddScaled",
    "tenon_test_describe": "Describe",
    "tenon_test_attributes": "Attributes",
    "tenon_test_fail": "Fail",
    "tenon_test_fail_later": "FailLater",
    "tenon_test_double_later": "DoubleLater",
    "tenon_test_effect": "Effect",
    "tenon_test_tokens": "Tokens",
    "tenon_test_in_place": "InPlace",
    "tenon_test_context": "Context",
}


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory):
    compiler = shutil.which("c++") or shutil.which("clang++-22")
    path = tmp_path_factory.mktemp("ffi") / "handlers.so"
    options = ["-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-I", jax.ffi.include_dir()]
    subprocess.run([compiler, *options, _SOURCE, "-o", path], check=True)
    library = ctypes.CDLL(str(path))
    library.countOfEffects.restype = library.countOfCounters.restype = ctypes.c_int64
    library.typeOf.restype = ctypes.c_void_p

    def capsule(name):
        return jax.ffi.pycapsule(getattr(library, name))

    def type_capsule(name):
        return jax.ffi.pycapsule(ctypes.c_void_p(library.typeOf(name.encode())))

    jax.devices()  # JAX keeps what is registered earlier, and hands out handlers before the types that they need
    for target, symbol in _HANDLERS.items():
        jax.ffi.register_ffi_target(target, capsule(symbol), platform="cpu")
    jax.ffi.register_ffi_target("tenon_test_of_tenon", capsule("AddScaled"), platform="tenon")
    for name in ("Counter", "Note"):
        types = {"type_id": type_capsule(name), "type_info": type_capsule(name + "Info")}
        jax.ffi.register_ffi_type(f"tenon_test_{name}", types, platform="cpu")
    stages = ("Instantiate", "Prepare", "Initialize", "Execute")
    jax.ffi.register_ffi_target("tenon_test_counter", {s.lower(): capsule("Counter" + s) for s in stages})
    return library


def _floats(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


def _integers(*shape):
    return jax.ShapeDtypeStruct(shape, np.int64)


@pytest.mark.parametrize("target", ["tenon_test_add_scaled", "tenon_test_of_tenon"])
def test_call(target):
    def f(a, b):
        return jax.ffi.ffi_call(target, _floats(*a.shape))(a, b, scale=np.float32(3)) * 2

    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(f(a, b), (a + 3) * 2)
    np.testing.assert_array_equal(jax.jit(f)(a, b), (a + 3) * 2)


def test_shapes_and_types():
    arguments = (
        np.ones((2, 3), np.float32),
        np.int32(7),
        np.array([True, False, True]),
        np.array([[1 + 2j, 3j]], np.complex64),
        np.zeros((0, 4), np.float32),
    )
    results = (_integers(12), jax.ShapeDtypeStruct((5,), np.float64))
    shapes, sums = jax.jit(lambda *args: jax.ffi.ffi_call("tenon_test_describe", results)(*args))(*arguments)
    assert shapes.tolist() == [2, 2, 3, 0, 1, 3, 2, 1, 2, 2, 0, 4]
    assert sums.tolist() == [6, 7, 2, 5, 0]


def test_elements_below_a_byte_take_one_each():
    # As size_bytes() of the interface counts them; XLA:CPU packs two of four bits into a byte.
    results = (_integers(4), jax.ShapeDtypeStruct((2,), np.float64))
    f = lambda x, y: jax.ffi.ffi_call("tenon_test_describe", results)(x + x, -y)  # noqa: E731
    shapes, sums = jax.jit(f)(jnp.array([1, 2, 7], jnp.uint4), jnp.array([0.5, 6], jnp.float4_e2m1fn))
    assert shapes.tolist() == [1, 3, 1, 2]
    assert sums.tolist() == [2 + 4 + 14, 0b1001 + 0b1111]


def test_every_kind_of_attribute():
    text = 'a "quoted\\" \ttext'
    out = jax.jit(
        lambda: jax.ffi.ffi_call("tenon_test_attributes", jax.ShapeDtypeStruct((20,), np.float64))(
            b=True,
            i8=np.int8(-8), i16=np.int16(-16), i32=np.int32(-32), i64=np.int64(-(2**40)),
            u8=np.uint8(200), u16=np.uint16(60000), u32=np.uint32(2**31), u64=np.uint64(2**40),
            f32=np.float32(0.5), f64=0.1,
            text=text,
            ints=np.array([1, -2, 3], np.int32), doubles=np.array([0.25, -1e300]),
            dict={"inner": np.int64(5), "name": "four"},
        )  # fmt: skip
    )()
    integers = [1, -8, -16, -32, -(2**40), 200, 60000, 2**31, 2**40]
    assert out.tolist() == integers + [0.5, 0.1, len(text), ord("t"), 1, -2, 3, 0.25, -1e300, 5, 4]


def test_wrong_attributes():
    call = jax.ffi.ffi_call("tenon_test_add_scaled", _floats(2))
    x = jnp.ones(2, np.float32)
    with pytest.raises(jax.errors.JaxRuntimeError, match="scale"):
        jax.block_until_ready(call(x, x, factor=np.float32(1)))
    with pytest.raises(jax.errors.JaxRuntimeError, match="scalar data type"):
        jax.block_until_ready(call(x, x, scale=np.float64(1)))
    with pytest.raises(jax.errors.JaxRuntimeError, match="a and b differ in size"):
        jax.block_until_ready(call(x, jnp.ones(3, np.float32), scale=np.float32(2)))


@pytest.mark.parametrize(
    "code, name", [(3, "INVALID_ARGUMENT"), (5, "NOT_FOUND"), (8, "RESOURCE_EXHAUSTED"), (13, "INTERNAL")]
)
def test_errors(code, name):
    call = jax.ffi.ffi_call("tenon_test_fail", _floats(1))
    with pytest.raises(jax.errors.JaxRuntimeError, match=f"{name}.*what went wrong"):
        jax.jit(lambda: call(code=np.int32(code), message="what went wrong"))().block_until_ready()


def test_futures():
    x = jnp.arange(100, dtype=np.float32)
    np.testing.assert_array_equal(jax.ffi.ffi_call("tenon_test_double_later", _floats(100))(x), 2 * np.arange(100))
    with pytest.raises(jax.errors.JaxRuntimeError, match="later"):
        jax.ffi.ffi_call("tenon_test_fail_later", _floats(1))().block_until_ready()


@pytest.mark.parametrize("method", ["sequential", "sequential_unrolled", "broadcast_all", "legacy_vectorized"])
def test_vmap(method):
    def f(a, b):
        call = jax.ffi.ffi_call("tenon_test_add_scaled", _floats(*a.shape), vmap_method=method)
        return call(a, b, scale=np.float32(2))

    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(jax.jit(jax.vmap(f))(a, a), 3 * a)
    if method != "legacy_vectorized":
        np.testing.assert_array_equal(jax.vmap(f, in_axes=(0, None))(a, np.ones(4, np.float32)), a + 2)
    np.testing.assert_array_equal(jax.vmap(jax.vmap(f))(a[None], a[None]), 3 * a[None])


def test_expand_dims():
    results = (_integers(6), jax.ShapeDtypeStruct((2,), np.float64))

    def f(a, b):
        return jax.ffi.ffi_call("tenon_test_describe", results, vmap_method="expand_dims")(a, b)

    shapes, _ = jax.vmap(f, in_axes=(0, None))(np.ones((3, 4), np.float32), np.ones(4, np.float32))
    assert shapes.shape == (3, 6)
    assert shapes.ravel()[:6].tolist() == [2, 3, 4, 2, 1, 4]


def test_side_effects(library):
    x = jnp.ones(3, np.float32)

    def f(x, has_side_effect):
        jax.ffi.ffi_call("tenon_test_effect", _floats(3), has_side_effect=has_side_effect)(x)  # the result is not used
        return x + 1

    for has_side_effect, expected in ((False, 0), (True, 1)):
        before = library.countOfEffects()
        jax.jit(f, static_argnums=1)(x, has_side_effect).block_until_ready()
        jax.effects_barrier()
        assert library.countOfEffects() - before == expected
    before = library.countOfEffects()
    jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda i, x: f(x, True), x))(x).block_until_ready()
    jax.effects_barrier()
    assert library.countOfEffects() - before == 5


def test_tokens():
    def f(x):
        token = jax.lax.create_token()
        call = jax.ffi.ffi_call("tenon_test_tokens", (jax.typeof(token), _floats(3)))
        for _ in range(3):
            token, x = call(token, x)
        return x

    assert jax.jit(f)(jnp.zeros(3, np.float32)).tolist() == [3, 3, 3]


def test_aliases():
    call = jax.ffi.ffi_call("tenon_test_in_place", (_floats(4), _integers(1)), input_output_aliases={0: 0})
    x = jnp.arange(4, dtype=np.float32)
    out, shared = jax.jit(call)(x)
    assert out.tolist() == [1, 2, 3, 4]
    assert shared.tolist() == [1]
    assert x.tolist() == [0, 1, 2, 3]  # not donated
    out, shared = jax.jit(lambda x: call(call(x * 2)[0]))(x)
    assert out.tolist() == [2, 4, 6, 8] and shared.tolist() == [1]


def test_layouts():
    def f(x):
        results = (_integers(3), jax.ShapeDtypeStruct((1,), np.float64))
        return jax.ffi.ffi_call("tenon_test_describe", results, input_layouts=[(1, 0)])(x)

    shapes, _ = jax.jit(f)(np.ones((2, 3), np.float32))
    assert shapes.tolist() == [2, 2, 3]

    def transposed(x, y):
        def call(first, second, result):
            layouts = {"input_layouts": [first, second], "output_layouts": result}
            return jax.ffi.ffi_call("tenon_test_add_scaled", _floats(2, 3), **layouts)

        same = call((1, 0), (1, 0), (1, 0))(x, y, scale=np.float32(1))
        return same, call((1, 0), (0, 1), (0, 1))(x, y, scale=np.float32(0))

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    same, reordered = jax.jit(transposed)(x, x)
    np.testing.assert_array_equal(same, 2 * x)
    # The elements in the order of columns, read as rows.
    np.testing.assert_array_equal(reordered, x.T.reshape(2, 3))


def test_stages(library):
    call = lambda start: jax.ffi.ffi_call("tenon_test_counter", _integers(3))(start=np.int64(start))  # noqa: E731
    f = jax.jit(lambda: call(5))
    assert f().tolist() == [5, 550, 5]
    assert f().tolist() == [6, 660, 5]  # the state belongs to the executable
    both = jax.jit(lambda: (call(1), call(20)))
    both()
    first, second = both()
    assert (first[0], second[0]) == (2, 21)  # one for each call
    with pytest.raises(jax.errors.JaxRuntimeError, match="negative start"):
        jax.jit(lambda: call(-1))().block_until_ready()
    alive = library.countOfCounters()
    assert alive >= 3
    del f, both
    jax.clear_caches()
    assert library.countOfCounters() < alive


def test_context():
    f = jax.jit(lambda x: jax.ffi.ffi_call("tenon_test_context", _integers(4))() + x)
    runs = set()
    for device in jax.devices()[:2]:
        aligned, threads, run, ordinal = f(jax.device_put(np.int64(0), device)).tolist()
        assert (aligned, threads, ordinal) == (1, 1, device.id)
        runs.add(run)
    assert len(runs) == len(jax.devices()[:2])


def test_inside_control_flow():
    def step(x):
        return jax.ffi.ffi_call("tenon_test_add_scaled", _floats(2))(x, x, scale=np.float32(1))

    x = jnp.ones(2, np.float32)
    assert jax.jit(lambda x: jax.lax.scan(lambda c, _: (step(c), c[0]), x, None, length=4))(x)[0].tolist() == [16, 16]
    assert jax.jit(lambda p, x: jax.lax.cond(p, step, lambda x: x, x))(True, x).tolist() == [2, 2]


def test_derivatives():
    @jax.custom_vjp
    def f(x):
        return jax.ffi.ffi_call("tenon_test_add_scaled", _floats(2))(x, x, scale=np.float32(1))

    f.defvjp(lambda x: (f(x), None), lambda _, g: (2 * g,))
    assert jax.grad(lambda x: f(x).sum())(jnp.ones(2, np.float32)).tolist() == [2, 2]
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(lambda x: jax.ffi.ffi_call("tenon_test_effect", _floats(2))(x).sum())(jnp.ones(2, np.float32))

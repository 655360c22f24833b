"""Python functions called from compiled programs."""

import os
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding, PartitionSpec


def test_pure_callback():
    def host(x, y):
        assert isinstance(x, (np.ndarray, jax.Array))
        return np.asarray(x) * 2 + np.asarray(y)

    shape = jax.ShapeDtypeStruct((2, 3), np.float32)
    f = jax.jit(lambda x, y: jax.pure_callback(host, shape, x, y) + 1)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(np.asarray(f(x, np.float32(10))), x * 2 + 11)


def test_results_that_are_not_contiguous():
    shape = jax.ShapeDtypeStruct((3, 2), np.float32)
    f = jax.jit(lambda x: jax.pure_callback(lambda x: np.asarray(x).T, shape, x))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(np.asarray(f(x)), x.T)


@pytest.mark.parametrize("dtype", ["int4", "bool", "bfloat16", "complex64", "float8_e4m3fn"])
def test_element_types(dtype):
    dtype = jnp.dtype(dtype)
    shape = jax.ShapeDtypeStruct((4,), dtype)
    x = jnp.array([1, 0, 1, 1], dtype)
    seen = []

    def host(x):
        seen.append(np.asarray(x))
        return np.asarray(x)

    result = jax.jit(lambda x: jax.pure_callback(host, shape, x))(x).block_until_ready()
    assert seen[0].dtype == dtype
    assert result.dtype == dtype
    assert np.asarray(result).tobytes() == np.asarray(x).tobytes()


def test_io_callback_in_order():
    seen = []

    def f(x):
        for i in range(3):
            jax.experimental.io_callback(lambda x, i=i: seen.append((i, int(x))), None, x + i, ordered=True)
        return x

    jax.jit(f)(5).block_until_ready()
    jax.effects_barrier()
    assert seen == [(0, 5), (1, 6), (2, 7)]


def test_arguments_may_be_kept():
    """What a callback is given stays as it is when the program's memory serves for other things."""
    kept = []
    f = jax.jit(lambda x: (jax.experimental.io_callback(kept.append, None, x * 2, ordered=True), (x * 3 + 1).sum())[1])
    for i in range(20):
        f(jnp.full((1000,), i, jnp.float32)).block_until_ready()
    jax.effects_barrier()
    assert [float(np.asarray(x)[-1]) for x in kept] == [2.0 * i for i in range(20)]
    assert [float(np.asarray(x)[0]) for x in kept] == [2.0 * i for i in range(20)]


def test_debug_print(capsys):
    jax.jit(lambda x: jax.debug.print("x is {}", x))(3)
    jax.effects_barrier()
    assert capsys.readouterr().out == "x is 3\n"


def parts_seen(f, *args):
    """What callbacks of f(callback, ...) are given."""
    seen = []
    jax.block_until_ready(jax.jit(lambda *args: f(lambda *parts: seen.append([np.asarray(p).tolist() for p in parts]), *args))(*args))
    jax.effects_barrier()
    return sorted(seen)


def test_debug_callback_on_the_parts_of_devices():
    mesh = jax.make_mesh((4, 2), ("x", "y"))

    def put(array, *axes):
        return jax.device_put(array, NamedSharding(mesh, PartitionSpec(*axes)))

    def calls(callback, *args):
        jax.debug.callback(callback, *args, partitioned=True)
        return args

    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    both = [[x[i : i + 1, j : j + 2].tolist()] for i in range(4) for j in (0, 2)]
    assert parts_seen(calls, put(x, "x", "y")) == both
    assert parts_seen(calls, put(x, "x")) == [[x[i : i + 1].tolist()] for i in range(4) for _ in range(2)]
    columns = put(x.reshape(2, 8), None, ("y", "x"))
    assert parts_seen(calls, columns) == sorted([x.reshape(2, 8)[:, i : i + 1].tolist()] for i in range(8))
    # A copy that all devices have, and one device alone.
    assert parts_seen(calls, put(x)) == [[x.tolist()]] * 8
    assert parts_seen(calls, x) == [[x.tolist()]]
    # What is computed is where its operands are, also in a loop.
    assert parts_seen(lambda call, x: calls(call, x * 2 + 1), put(x, "x", "y")) == [[(np.array(p[0]) * 2 + 1).tolist()] for p in both]
    loop = lambda call, x: jax.lax.fori_loop(0, 2, lambda i, x: calls(call, i, x)[1] + 16, x)
    assert parts_seen(loop, put(x, "x", "y")) == sorted([i, (np.array(p[0]) + 16 * i).tolist()] for p in both for i in range(2))
    assert len(parts_seen(lambda call, x: (calls(call), x), put(x, "x"))) == 8


def test_debug_callback_on_the_whole():
    x = jax.device_put(np.arange(8.0), NamedSharding(jax.make_mesh((8,), ("x",)), PartitionSpec("x")))
    assert parts_seen(lambda call, x: jax.debug.callback(call, x), x) == [[list(range(8))]]


def test_errors_come_back():
    def host(x):
        raise ValueError("not today")

    f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((), np.float32), x))
    with pytest.raises(Exception, match="not today"):
        f(np.float32(1)).block_until_ready()
    assert jax.jit(lambda x: x + 1)(1) == 2  # still alive


def caught(host, shape):
    f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct(shape, np.float32), x @ x))
    with pytest.raises(Exception) as error:
        f(np.ones((300, 300), np.float32)).block_until_ready()
    return str(error.value)


def test_errors_show_frames_of_the_user_s_alone():
    def host(x):
        raise ValueError("not today")

    text = caught(host, ())
    assert "ValueError: not today" in text and "in host" in text
    assert "_ffi.py" not in text


def test_results_of_another_kind_are_refused():
    wrong = lambda value, text: text in caught(lambda x: value, (3,))
    assert wrong(np.zeros(4, np.float32), "Incorrect output shape for return value #0: Expected: (3,), Actual: (4,)")
    assert wrong(np.zeros(3, np.int8), "Incorrect output dtype for return value #0: Expected: float32, Actual: int8")
    assert wrong((np.zeros(3, np.float32),) * 2, "Mismatched number of outputs from callback. Expected: 1, Actual: 2")


def alone(environment, code, num_devices=1):
    """The exit status and output of a program that ends without waiting for anything."""
    environment = dict(environment, TENON_NUM_DEVICES=str(num_devices))
    code = "import jax, jax.numpy as jnp, numpy as np\n" + code
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


PRINTS = """
f = jax.jit(lambda i, x: (jax.debug.print("{i}", i=i), (x @ x).sum())[1])
x = jnp.ones((200, 200))
for i in range(60): f(i, x if i % 3 else x @ x)
"""
SHARDED_PRINTS = """
from jax.sharding import PartitionSpec as P
mesh = jax.make_mesh((4,), ("x",))
f = jax.jit(jax.shard_map(lambda i, x: (jax.debug.print("{i}", i=i), jax.lax.psum(x @ x.T, "x"))[1],
                          mesh=mesh, in_specs=(P(), P("x")), out_specs=P(), check_vma=False))
x = jax.device_put(np.ones((800, 200), np.float32), jax.NamedSharding(mesh, P("x")))
for i in range(10): f(i, x)
"""
CAUGHT = """
def fail(x): raise ValueError("not today")
f = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), np.float32), x @ x))
try: f(jnp.ones((300, 300))).block_until_ready()
except Exception as error: print("caught", "not today" in str(error))
"""


def test_effects_keep_their_order_and_the_end_waits_for_them(subprocess_environment):
    assert alone(subprocess_environment, PRINTS) == (0, "".join(f"{i}\n" for i in range(60)), "")
    assert alone(subprocess_environment, PRINTS + "jax.effects_barrier(); print('all')") == (0, "".join(f"{i}\n" for i in range(60)) + "all\n", "")


def test_effects_of_several_devices_keep_their_order(subprocess_environment):
    assert alone(subprocess_environment, SHARDED_PRINTS, 4) == (0, "".join(f"{i}\n" * 4 for i in range(10)), "")


def test_an_error_that_was_caught_is_not_told_again(subprocess_environment):
    status, out, err = alone(subprocess_environment, CAUGHT)
    assert (status, out) == (0, "caught True\n")
    assert err.count("Traceback") == err.count("jax.pure_callback failed")  # JAX's own log of it


def test_the_end_waits_for_programs_without_effects(subprocess_environment):
    assert alone(subprocess_environment, "f = jax.jit(lambda x: x @ x @ x)\nx = jnp.ones((700, 700))\nfor _ in range(20): x = f(x) / 7e5") == (0, "", "")


def test_callbacks_may_compute():
    def host(x):
        return np.asarray(jax.jit(lambda x: jnp.cumsum(x) * 2)(x))

    shape = jax.ShapeDtypeStruct((4,), np.float32)
    f = jax.jit(lambda x: jax.pure_callback(host, shape, x) + 1)
    assert f(np.ones(4, np.float32)).tolist() == [3, 5, 7, 9]


def test_callbacks_may_wait_for_threads_that_compute():
    """A long program in another thread is queued on the device whose program waits for it."""
    inner = jax.jit(lambda x: (x @ x @ x).sum())

    def host(x):
        results = []
        thread = threading.Thread(target=lambda: results.append(np.asarray(inner(np.asarray(x)))))
        thread.start()
        thread.join(30)
        return results[0] if results else np.float32(-1)

    shape = jax.ShapeDtypeStruct((), np.float32)
    x = np.ones((600, 600), np.float32)
    f = jax.jit(lambda x: jax.pure_callback(host, shape, x @ x / 600) * 2)
    assert float(f(x)) == 2 * float(inner(x))


def test_gradient_through_a_callback():
    @jax.custom_jvp
    def sine(x):
        return jax.pure_callback(lambda x: np.sin(np.asarray(x)), jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    sine.defjvp(lambda primals, tangents: (sine(*primals), jnp.cos(primals[0]) * tangents[0]))
    assert float(jax.jit(jax.grad(sine))(0.0)) == 1.0


def test_buffer_callbacks_have_no_stream():
    from jax.experimental import buffer_callback

    errors = []

    def host(context, out, x):
        try:
            context.stream
        except Exception as error:
            errors.append(str(error))
        np.asarray(out)[...] = np.asarray(x) + 1

    f = jax.jit(buffer_callback.buffer_callback(host, jax.ShapeDtypeStruct((4,), np.float32)))
    np.testing.assert_array_equal(f(np.arange(4, dtype=np.float32)), [1, 2, 3, 4])
    assert len(errors) == 1 and "UNIMPLEMENTED" in errors[0]


ALONE = """
import sys
sys.modules["jax_plugins.tenon"] = None  # an installed package must not help
import jax, numpy as np, jax.numpy as jnp
shape = jax.ShapeDtypeStruct((3,), np.float32)
print(jax.jit(lambda x: jax.pure_callback(lambda v: np.asarray(v) * 2, shape, x) + 1)(np.ones(3, np.float32)).tolist())
print(jnp.linalg.inv(jnp.eye(2) * 2).tolist())
"""


@pytest.mark.parametrize("platforms", ["tenon,cpu", "tenon"])
def test_the_library_alone_has_callbacks_too(platforms):
    environment = dict(os.environ, JAX_PLATFORMS=platforms)
    environment["PJRT_NAMES_AND_LIBRARY_PATHS"] = "tenon:" + environment["TENON_PJRT_LIBRARY"]
    result = subprocess.run([sys.executable, "-c", ALONE], env=environment, capture_output=True, text=True, check=False)
    assert result.stdout == "[3.0, 3.0, 3.0]\n[[0.5, 0.0], [0.0, 0.5]]\n", result.stderr

"""What compiled programs say of themselves: compiled.as_text(), written by JAX from what the plugin returns."""

import inspect
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

X = np.ones((3, 3), np.float32)


def text_of(function, *arguments, **options):
    return jax.jit(function).lower(*arguments).compile(compiler_options=options).as_text()


FUNCTIONS = {
    "erf": jax.scipy.special.erf, "erfc": jax.scipy.special.erfc, "lgamma": lax.lgamma, "digamma": lax.digamma,
    "asin": lax.asin, "acos": lax.acos, "atan": lax.atan, "sinh": lax.sinh, "cosh": lax.cosh, "asinh": lax.asinh,
    "atanh": lax.atanh, "tan": lax.tan, "bessel_i1e": lax.bessel_i1e, "erf_inv": lax.erf_inv,
    "nextafter": lambda x: jnp.nextafter(x, 2 * x), "polygamma": lambda x: lax.polygamma(x, x),
    "zeta": lambda x: lax.zeta(x + 1, x), "igamma": lambda x: lax.igamma(x, x), "top_k": lambda x: lax.top_k(x, 2),
    "approx_max_k": lambda x: lax.approx_max_k(x, 2), "complex acosh": lambda x: jnp.arccosh(x + 1j),
    "complex exp": lambda x: jnp.exp(x + 1j), "erf of bf16": lambda x: lax.erf(x.astype(jnp.bfloat16)),
    "sort": jnp.sort, "svd": jnp.linalg.svd, "eigh": jnp.linalg.eigh, "lu": jax.scipy.linalg.lu, "fft": jnp.fft.fft,
    "rbg": lambda x: jax.random.normal(jax.random.key(0, impl="rbg"), (3,)),
    "random bits of the run": lambda x: lax.rng_uniform(0.0, 1.0, (3,)),
    "callback": lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((3, 3), np.float32), x),
    "print": lambda x: jax.debug.print("{}", x), "scan": lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x),
    "cond": lambda x: lax.cond(x.sum() > 1, jnp.sin, jnp.cos, x), "f8": lambda x: x.astype(jnp.float8_e4m3fn),
    "int4": lambda x: x.astype(jnp.int4), "composite": lax.composite(lambda x: x + 1, "my.op"),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_program_has_a_text(name):
    text = text_of(FUNCTIONS[name], X)
    assert text.startswith("HloModule jit_") and "ENTRY" in text


def test_functions_of_their_own():
    assert re.search(r" erf\(", text_of(lax.erf, X))
    assert re.search(r" topk\(.*k=2, largest=true", text_of(lambda x: lax.top_k(x, 2), X))
    assert 'custom_call_target="chlo.lgamma"' in text_of(lax.lgamma, X)


@pytest.mark.parametrize("size", [1, 100, 101, 128, 129])
def test_truth_values(size):
    mask = np.arange(size) % 3 == 0
    text = text_of(lambda x: jnp.where(mask, x, 0), np.ones(size, np.float32))
    assert f"pred[{size}]" in text or size == 1


def test_names_and_places():
    def f(weights, x):
        return jnp.sin(x) + weights  # the line

    text = text_of(f, X, X)
    assert re.search(r"weights\.\d+: f32\[3,3\], x\.\d+: f32\[3,3\]", text)
    assert 'op_name="jit(f)/add"' in text and 'op_name="jit(f)/sin"' in text
    line = f.__code__.co_firstlineno + 1
    assert "test_text.py" in text and re.search(rf"line={line}\b", text)


def test_calls_for_their_effects():
    if "prevent_mlir_dce" in inspect.signature(getattr(lax, "dce_sink", int)).parameters:
        text = text_of(lambda x: (lax.dce_sink(x + 1, prevent_mlir_dce=True), x)[1], X)
        assert 'custom_call_target="dce_sink"' in text and "custom_call_has_side_effect=true" in text


def test_bodies_for_single_devices():
    mesh = jax.make_mesh((8,), ("x",))
    x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("x")))
    f = jax.shard_map(lambda v: lax.psum(v, "x") + lax.erf(v), mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    text = text_of(f, x, partition="whole")
    call = re.search(r'custom-call\(.*custom_call_target="tenon.manual_computation".*called_computations=\{%?([\w.]+)\}', text)
    assert call, text
    body = text[re.search(rf"^%?{re.escape(call[1])}\b", text, re.M).start() :].split("\n}")[0]
    assert "f64[1]" in body and " erf(" in body
    mapped = jax.pmap(lambda v: v - lax.pmean(v, "i"), axis_name="i")
    whole = mapped.lower(jnp.ones((8, 3))).compile(compiler_options={"partition": "whole"}).as_text()
    assert "manual_computation" in whole
    assert "f64[8]" in text_of(lambda x: x.sum(), x, partition="whole")


def test_programs_that_are_cut():
    mesh = jax.make_mesh((8,), ("x",))
    x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("x")))
    f = jax.shard_map(lambda v: lax.psum(v, "x") + lax.erf(v), mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    text = text_of(f, x, partition="spmd")
    assert "all-reduce(" in text and " erf(" in text and "manual_computation" not in text
    assert "f64[1]" in text and "f64[8]" not in text


def test_layouts_are_those_of_the_program():
    from jax.experimental.layout import Format, Layout

    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    columns = jax.device_put(np.ones((3, 4), np.float32), Format(Layout((1, 0)), sharding))

    def entry(*arguments, **options):
        text = jax.jit(lambda x, y: (x * 2, y), **options).lower(*arguments).compile().as_text()
        return re.search(r"entry_computation_layout=\{(.*)\}\n", text)[1].replace(" ", "")

    rows, order = (np.ones((3, 4), np.float32), np.float32(1)), Format(Layout((1, 0)), sharding)
    assert entry(*rows) == "(f32[3,4]{1,0},f32[])->(f32[3,4]{1,0},f32[])"
    assert entry(columns, rows[1]).startswith("(f32[3,4]{0,1},f32[])")
    assert entry(*rows, out_shardings=(order, sharding)) == "(f32[3,4]{1,0},f32[])->(f32[3,4]{0,1},f32[])"

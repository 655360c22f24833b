"""Programs exported with symbolic shapes (jax.export): called through JAX, which refines them itself, and as files that
the command compiles for the shapes of its arguments."""

import os
import pathlib
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

COMMAND = pathlib.Path(os.environ["TENON_PJRT_LIBRARY"]).resolve().parents[1] / "bin" / "tenon"


def normalize(x, y):
    joined = jnp.concatenate([x, y])
    return (joined - joined.mean(0)) / (joined.std(0) + 1), joined.reshape(-1)


def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w) ** 2) / x.shape[0]


def loop(x):
    def step(i, carry):
        return carry + x[i % x.shape[0]] * jnp.arange(x.shape[0], dtype=x.dtype)

    return lax.fori_loop(0, x.shape[0] * 2, step, jnp.zeros_like(x))


def until_small(x):
    return lax.while_loop(lambda c: jnp.max(jnp.abs(c)) > 0.1, lambda c: c * 0.5, x)


def scan_rows(x):
    return lax.scan(lambda c, row: (c * 0.5 + row, c.sum()), jnp.zeros(x.shape[1], x.dtype), x)


def pieces(x, i):
    half = x.shape[0] // 2
    window = lax.dynamic_slice(x, (i, jnp.zeros_like(i)), (half, x.shape[1]))
    padded = jnp.pad(x, ((1, half), (0, x.shape[1])), constant_values=3)
    return window, padded, x[::-1], x[: half + 1 : 2], jnp.tile(x, (2, 1)), jnp.flip(x.T)


def gathers(x, indices):
    return x[indices], jnp.take_along_axis(x, jnp.argsort(x, axis=0), axis=0), x.at[indices].add(1.0)


def chosen(x):
    larger = lax.cond(x.sum() > 0, lambda v: jnp.cumsum(v, axis=0), lambda v: -v, x)
    return larger, jnp.where(jnp.asarray(x.shape[0]) > 3, 1, 2).astype(x.dtype) * x


def largest(x):
    return lax.top_k(x, x.shape[0] // 2)


def approximately_largest(x):
    return lax.approx_max_k(x, x.shape[1] // 2, reduction_dimension=1), lax.approx_max_k(x, 2, reduction_dimension=1)


def images(x, kernel):
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME"), lax.reduce_window(
        x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"
    )


def solve(a, b):
    return jnp.linalg.solve(a @ a.T + 9 * jnp.eye(a.shape[0], dtype=a.dtype), b)


def factorisations(a):
    symmetric = a @ a.swapaxes(1, 2) + 4 * jnp.eye(a.shape[1], dtype=a.dtype)
    q, r = jnp.linalg.qr(a)
    u, s, v = jnp.linalg.svd(a, full_matrices=False)
    return (
        (jnp.linalg.cholesky(symmetric), jnp.linalg.eigvalsh(symmetric), lax.linalg.lu(symmetric)[0]),
        (q @ r, (u * s[:, None]) @ v),
    )


def transforms(x):
    return jnp.abs(jnp.fft.rfft(x)), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.abs(jnp.fft.fft2(x.reshape(-1, 2, 4)))


def draws(x):
    key = jax.random.key(3)
    rbg = jax.random.key(3, impl="rbg")
    return jax.random.normal(key, x.shape), jax.random.randint(rbg, x.shape, 0, 9), jax.random.gumbel(key, x.shape[::-1])


def orders(x):
    i = jnp.floor(3 * x).astype(np.int32)
    return lax.sort((i, x), num_keys=2), jnp.median(x), jnp.argsort(-x), jnp.where(x > 0, jnp.arange(x.shape[0]), -1)


def spread(x, y, z):
    return z * z.shape[0] + x.sum(0) + y.sum(0)


# Function, symbolic shapes of its arguments, constraints, and values of the symbols.
CASES = {
    "two symbols": (normalize, ["a, 3", "b, 3"], (), [dict(a=4, b=2), dict(a=1, b=1), dict(a=5, b=3)]),
    "expressions": (normalize, ["2*n + 1, m", "n, m"], (), [dict(n=1, m=2), dict(n=3, m=5)]),
    "constraints": (normalize, ["a, 3", "b, 3"], ("a >= 2*b", "b >= 1"), [dict(a=4, b=2), dict(a=9, b=3)]),
    "gradient": (jax.grad(loss), ["d, 2", "n, d"], (), [dict(n=4, d=3), dict(n=1, d=1), dict(n=7, d=2)]),
    "vmap": (jax.vmap(loop), ["b, n"], (), [dict(b=2, n=3), dict(b=1, n=1), dict(b=4, n=7)]),
    "fori_loop": (loop, ["n"], (), [dict(n=1), dict(n=5)]),
    "while_loop": (until_small, ["n, m"], (), [dict(n=2, m=3), dict(n=1, m=1)]),
    "scan": (scan_rows, ["n, m"], (), [dict(n=1, m=4), dict(n=6, m=1)]),
    "slices": (pieces, ["2*n, m", "i"], (), [dict(n=1, m=3), dict(n=4, m=2)]),
    "gathers": (gathers, ["n, 3", "i"], (), [dict(n=4, i=2), dict(n=1, i=6), dict(n=7, i=1)]),
    "branches": (chosen, ["n, m"], (), [dict(n=2, m=3), dict(n=4, m=1)]),
    "top_k": (largest, ["2*n"], (), [dict(n=1), dict(n=4)]),
    "approx_max_k": (approximately_largest, ["n, 2*k"], ("k >= 2",), [dict(n=1, k=2), dict(n=3, k=5)]),
    "windows": (images, ["n, 2, 2*h, 2*w", "3, 2, 3, 3"], (), [dict(n=1, h=1, w=2), dict(n=3, h=4, w=3)]),
    "factorisations": (factorisations, ["b, 4, 3"], (), [dict(b=2)]),
    "transforms": (transforms, ["b, 8"], (), [dict(b=3)]),
    "draws": (draws, ["b, 2*b + 1"], (), [dict(b=3)]),
    "orders": (orders, ["b + 2"], (), [dict(b=4)]),
    "derived sizes": (spread, ["a, 3", "b, 3", "max(a, b) + mod(a, 3), 3"], (), [dict(a=4, b=2), dict(a=2, b=5)]),
    "solve": (solve, ["n, n", "n, k"], (), [dict(n=2, k=1), dict(n=5, k=3)]),
}


def make_exported(name):
    function, shapes, constraints, _ = CASES[name]
    if name == "slices":  # the index is a scalar
        shapes = [shapes[0], ""]
    scope = export.SymbolicScope(constraints)
    types = [np.int32 if shape in ("", "i") else np.float32 for shape in shapes]
    arguments = [
        jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope) if shape else (), dtype)
        for shape, dtype in zip(shapes, types)
    ]
    return export.export(jax.jit(function), platforms=["cpu"])(*arguments)


def make_arguments(exported, sizes):
    random = np.random.default_rng(7)
    for aval in exported.in_avals:
        names = dict(sizes, mod=lambda a, b: a % b)
        shape = tuple(int(eval(str(size), {}, names)) for size in aval.shape)
        integer = np.issubdtype(aval.dtype, np.integer)
        yield (random.integers(0, 2, shape) if integer else random.uniform(-1, 1, shape)).astype(aval.dtype)


def check(actual, expected):
    actual, expected = jax.tree.leaves(actual), jax.tree.leaves(expected)
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=2e-5, strict=True)


@pytest.mark.parametrize("name", CASES)
def test_exported_functions(name, tmp_path):
    function, exported = CASES[name][0], make_exported(name)
    (tmp_path / "program.mlirbc").write_bytes(exported.mlir_module_serialized)
    for sizes in CASES[name][3]:
        arguments = list(make_arguments(exported, sizes))
        expected = jax.jit(function)(*arguments)  # of static shapes
        check(exported.call(*arguments), expected)
        check(run_command(tmp_path, arguments), expected)


def run_command(folder, arguments):
    paths = []
    for number, argument in enumerate(arguments):
        paths.append(str(folder / f"argument_{number}.npy"))
        np.save(paths[-1], argument)
    result = subprocess.run(
        [COMMAND, "run", folder / "program.mlirbc", "--args", ",".join(paths), "--out", folder / "out"],
        capture_output=True,
        text=True,
    )
    if result.returncode:
        raise ValueError(result.stderr)
    outputs = sorted((folder / "out").iterdir(), key=lambda path: int(path.stem.split("_")[1]))
    return [np.load(path) for path in outputs]


def test_shapes_that_do_not_fit(tmp_path):
    exported = make_exported("constraints")
    (tmp_path / "program.mlirbc").write_bytes(exported.mlir_module_serialized)
    arguments = [np.ones((3, 3), np.float32), np.ones((2, 3), np.float32)]
    with pytest.raises(ValueError, match=r"a - 2\*b >= 0|a >= 2\*b"):
        run_command(tmp_path, arguments)
    with pytest.raises(ValueError, match="given with size 4 in dimension 1|expected f32"):
        run_command(tmp_path, [np.ones((4, 4), np.float32), arguments[1]])


def test_nested_exports():
    inner = make_exported("two symbols")
    n, m = export.symbolic_shape("n, m")

    def outer(x, y):
        return inner.call(x + 1, jnp.concatenate([y, y]))[0].sum(0) * y.shape[0]

    types = [jax.ShapeDtypeStruct((size, 3), np.float32) for size in (n, m)]
    exported = export.export(jax.jit(outer), platforms=["cpu"])(*types)
    for rows in ((2, 1), (1, 4)):
        x, y = (np.arange(3.0 * size, dtype=np.float32).reshape(size, 3) for size in rows)
        expected = normalize(x + 1, np.concatenate([y, y]))[0].sum(0) * y.shape[0]
        check(exported.call(x, y), expected)


def test_serialized_exports():
    pytest.importorskip("flatbuffers")
    exported = export.deserialize(make_exported("gradient").serialize(vjp_order=1))
    for sizes in (dict(n=4, d=3), dict(n=2, d=5)):
        w, x = make_arguments(exported, sizes)
        check(exported.call(w, x), jax.grad(loss)(w, x))
        # A derivative of what was read back.
        derivative = jax.grad(lambda w: exported.call(w, x).sum())(w)
        check(derivative, jax.grad(lambda w: jax.grad(loss)(w, x).sum())(w))


def test_artifacts_are_read_by_jax(tmp_path):
    """JAX's version of CHLO, which has no versions of its own, knows nothing of the stability of top_k."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir.dialects import stablehlo

    program, artifact = tmp_path / "program.mlir", tmp_path / "program.artifact"
    program.write_text("""
      func.func @main(%x: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
        %t = stablehlo.tan %x : tensor<3x5xf32>
        %0:2 = chlo.top_k(%t, k = 2) : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
        return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
      }""")
    version = stablehlo.get_current_version()
    subprocess.run([COMMAND, "export", program, "--as", "artifact", "--version", version, "-o", artifact], check=True)
    with mlir.make_ir_context() as context:
        text = str(stablehlo.deserialize_portable_artifact(context, artifact.read_bytes()))
    assert "chlo.top_k(%0, k = 2)" in text


def test_results_whose_size_depends_on_data():
    """No JAX program has them, but PJRT does, and JAX's arrays show what counts."""
    from jax._src import compiler, xla_bridge
    from jax._src.lib import xla_client

    backend = xla_bridge.get_backend()
    program = """
      func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) -> (tensor<?xf32, #stablehlo.bounds<5>>, tensor<f32>) {
        %a = stablehlo.set_dimension_size %x, %n, dim = 0
            : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
            : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<f32>) -> tensor<f32>
        return %a, %sum : tensor<?xf32, #stablehlo.bounds<5>>, tensor<f32>
      }"""
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    executable = backend.compile_and_load(program.encode(), devices, options)
    x = np.arange(5, dtype=np.float32)
    for count in (3, 5, 0):
        first, total = executable.execute([jax.device_put(x), jax.device_put(np.int32(count))])
        np.testing.assert_array_equal(np.asarray(first), x[:count])
        assert float(total) == x[:count].sum()


@pytest.mark.parametrize("platforms", [None, ["cpu"], ["cpu", "tenon"], ["cuda", "cpu", "tpu"], ["tenon"]])
def test_platforms_of_exports(platforms):
    def f(x):
        branch = jax.lax.platform_dependent(x, cpu=jnp.sin, cuda=jnp.cos, default=jnp.tan)
        return (branch @ x.T).sum()

    checks = [export.DisabledSafetyCheck.platform()] if platforms == ["tenon"] else []
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    shape = jax.ShapeDtypeStruct((2, 3), np.float32)
    exported = export.export(jax.jit(f), platforms=platforms, disabled_checks=checks)(shape)
    loaded = export.deserialize(exported.serialize(vjp_order=2))
    assert loaded.platforms == tuple(platforms or ["cpu"])
    branch = np.tan if platforms == ["tenon"] else np.sin
    np.testing.assert_allclose(jax.jit(loaded.call)(x), (branch(x) @ x.T).sum(), rtol=1e-5)
    if branch is np.sin:
        np.testing.assert_allclose(jax.grad(loaded.call)(x), jax.grad(f)(x), rtol=1e-5)
        twice = [jax.grad(lambda y, g=g: jax.grad(g)(y).sum())(x) for g in (loaded.call, f)]
        np.testing.assert_allclose(*twice, rtol=1e-4)


def test_decompositions_of_exports_for_several_platforms():
    # Branches of other platforms call what only those have.
    def f(x):
        return jnp.abs(jnp.linalg.qr(x)[1]), jnp.linalg.inv(x), jnp.linalg.svd(x, compute_uv=False), jnp.linalg.eigvalsh(x)

    x = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], np.float32)
    loaded = export.deserialize(export.export(jax.jit(f), platforms=["tpu", "cuda", "cpu"])(x).serialize())
    for result, expected in zip(jax.jit(loaded.call)(x), f(x)):
        np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_exports_for_other_platforms_are_refused():
    for platform in ("cuda", "tenon"):
        exported = export.export(jax.jit(lambda x: x + 1), platforms=[platform])(jax.ShapeDtypeStruct((2,), np.float32))
        with pytest.raises(ValueError, match=f"exported for platforms '\\('{platform}',\\)'"):
            export.deserialize(exported.serialize()).call(np.ones(2, np.float32))

"""jax.nn.dot_product_attention and attention written by hand against NumPy's doubles."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

LARGE_NEGATIVE = float(-0.7 * np.finfo(np.float32).max)


def reference(q, k, v, bias=None, mask=None):
    """Of arrays (batch, length, heads, features), in double."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    groups = q.shape[2] // k.shape[2]
    k, v = (np.repeat(x, groups, axis=2) for x in (k, v))
    scores = np.einsum("bthd,bshd->bhts", q, k) / np.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + np.asarray(bias, np.float64)
    if mask is not None:
        scores = np.where(mask, scores, LARGE_NEGATIVE)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhts,bshd->bthd", weights, v)


def arrays(batch, length, keys, heads, kv_heads, features, dtype=np.float32):
    rng = np.random.default_rng(length + keys)

    def draw(*shape):
        return jnp.asarray(rng.standard_normal(shape), dtype)

    return (
        draw(batch, length, heads, features),
        draw(batch, keys, kv_heads, features),
        draw(batch, keys, kv_heads, features),
        rng,
    )


def attention(q, k, v, **options):
    return jax.jit(lambda q, k, v, options: jax.nn.dot_product_attention(q, k, v, **options))(q, k, v, options)


SIZES = [(2, 16, 1, 3, 8), (1, 17, 17, 2, 5), (2, 64, 100, 4, 64), (1, 130, 77, 2, 40), (1, 1, 90, 2, 16), (0, 32, 32, 2, 8)]


@pytest.mark.parametrize("batch, length, keys, heads, features", SIZES)
def test_forms(batch, length, keys, heads, features):
    q, k, v, rng = arrays(batch, length, keys, heads, heads, features)
    causal = np.tril(np.ones((length, keys), bool))
    mask = rng.random((batch, 1, length, keys)) > 0.3
    mask[:, :, length // 2] = False  # a row that is masked as a whole is the average of the values
    bias = rng.standard_normal((1, heads, length, keys)).astype(np.float32)
    np.testing.assert_allclose(attention(q, k, v), reference(q, k, v), atol=2e-6)
    actual = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_allclose(actual, reference(q, k, v, mask=causal), atol=2e-6)
    np.testing.assert_allclose(attention(q, k, v, mask=mask), reference(q, k, v, mask=mask), atol=2e-6)
    np.testing.assert_allclose(attention(q, k, v, bias=bias), reference(q, k, v, bias=bias), atol=4e-6)


def test_grouped_heads():
    q, k, v, _ = arrays(2, 48, 33, 6, 2, 16)
    np.testing.assert_allclose(attention(q, k, v), reference(q, k, v), atol=2e-6)
    causal = np.tril(np.ones((48, 33), bool))
    actual = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_allclose(actual, reference(q, k, v, mask=causal), atol=2e-6)


def test_bfloat16():
    q, k, v, _ = arrays(2, 40, 50, 3, 3, 32, jnp.bfloat16)
    np.testing.assert_allclose(np.asarray(attention(q, k, v), np.float64), reference(q, k, v), atol=2e-2)


def test_float16():
    def attend(q, k, v):  # the other function has no such product
        scores = jnp.einsum("bthd,bshd->bhts", q, k).astype(jnp.float32) / np.sqrt(32)
        return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, axis=-1).astype(jnp.float16), v)

    q, k, v, _ = arrays(2, 40, 50, 3, 3, 32, jnp.float16)
    np.testing.assert_allclose(np.asarray(jax.jit(attend)(q, k, v), np.float64), reference(q, k, v), atol=4e-3)


def by_hand(q, k, v, mask):
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k) / 4
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
    return jnp.einsum("bhts,bhsd->bhtd", weights, v), weights


def test_same_bits_as_with_weights():
    # Who wants the weights gets them from kernels of their own: what is not finite is in the same places.
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((2, 3, 50, 16)).astype(np.float32) for _ in range(3))
    mask = np.tril(np.ones((50, 50), bool))
    mask[7] = False  # all are -inf: NaN
    q[0, 0, 3, 2], k[0, 1, 5, 1], v[1, 0, 20, 3], v[1, 1, 4, 4] = np.nan, np.inf, np.inf, np.nan
    alone = jax.jit(lambda *x: by_hand(*x)[0])(q, k, v, mask)
    both = jax.jit(by_hand)(q, k, v, mask)[0]
    np.testing.assert_array_equal(alone, both)
    assert np.isnan(alone[0, 0, 3]).all() and np.isnan(alone[:, :, 7]).all() and np.isnan(alone[1, 1, 0, 4])


def test_gradient():
    q, k, v, _ = arrays(1, 40, 40, 2, 2, 16)

    def loss(attend):
        return lambda q, k, v: (attend(q, k, v) ** 2).sum()

    def plain(q, k, v):
        weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / 4, axis=-1)
        return jnp.einsum("bhts,bshd->bthd", weights, v)

    ours = jax.jit(jax.grad(loss(jax.nn.dot_product_attention), (0, 1, 2)))(q, k, v)
    theirs = jax.grad(loss(plain), (0, 1, 2))(q, k, v)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def spelled_bthd(q, k, v, mask):
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / 4
    scores = scores if mask is None else jnp.where(mask, scores, LARGE_NEGATIVE)
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, axis=-1), v)


def spelled_bhtd(q, k, v, mask):
    q, k, v = (x.transpose(0, 2, 1, 3) for x in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / 4
    scores = scores if mask is None else jnp.where(mask, scores, LARGE_NEGATIVE)
    weights = jnp.exp(scores - jax.lax.stop_gradient(scores.max(-1, keepdims=True)))
    return (weights / weights.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)


def spelled_by_jax(q, k, v, mask):
    return jax.nn.dot_product_attention(q, k, v, mask=mask)


def gradients(q, k, v, mask):
    """Of the sum of squares, in double."""
    q, k, v = (np.asarray(x, np.float64).transpose(0, 2, 1, 3) for x in (q, k, v))
    scores = q @ k.swapaxes(2, 3) / 4
    if mask is not None:
        scores = np.where(mask, scores, LARGE_NEGATIVE)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    of_result = 2 * (weights @ v)
    of_weights = of_result @ v.swapaxes(2, 3)
    of_scores = weights * (of_weights - (weights * of_weights).sum(-1, keepdims=True)) / 4
    if mask is not None:
        of_scores = np.where(mask, of_scores, 0)
    results = of_scores @ k, of_scores.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ of_result
    return [x.transpose(0, 2, 1, 3) for x in results]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("attend", [spelled_bthd, spelled_bhtd, spelled_by_jax])
def test_gradient_in_one_kernel(attend, masked):
    q, k, v, _ = arrays(2, 430, 430, 4, 4, 16)
    mask = np.tril(np.ones((430, 430), bool)) if masked else None
    gradient = jax.jit(jax.grad(lambda *x: (attend(*x, mask) ** 2).sum(), (0, 1, 2)))
    compiled = gradient.lower(q, k, v).compile()
    # One array like the scores has 5.9 MB.
    assert compiled.memory_analysis().temp_size_in_bytes < 2 << 20
    for ours, theirs in zip(compiled(q, k, v), gradients(q, k, v, mask), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-6 * np.abs(theirs).max())


def grouped_by_hand(q, k, v, mask):
    batch, length, heads, features = q.shape
    q = q.reshape(batch, length, k.shape[2], -1, features)
    scores = jnp.einsum("btkgd,bskd->bkgts", q, k) / 4
    scores = scores if mask is None else jnp.where(mask, scores, LARGE_NEGATIVE)
    mixed = jnp.einsum("bkgts,bskd->btkgd", jax.nn.softmax(scores, axis=-1), v)
    return mixed.reshape(batch, length, heads, features)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("attend", [grouped_by_hand, spelled_by_jax])
def test_gradient_of_grouped_heads(attend, masked):
    q, k, v, _ = arrays(2, 330, 330, 8, 4, 16)
    mask = np.tril(np.ones((330, 330), bool)) if masked else None
    compiled = jax.jit(lambda *x: attend(*x, mask)).lower(q, k, v).compile()
    # One array like the scores has 7 MB.
    assert compiled.memory_analysis().temp_size_in_bytes < 1 << 20
    compiled = jax.jit(jax.grad(lambda *x: (attend(*x, mask) ** 2).sum(), (0, 1, 2))).lower(q, k, v).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 3 << 20
    dq, dk, dv = gradients(q, *(np.repeat(x, 2, axis=2) for x in (k, v)), mask)
    sums = (x.reshape(2, 330, 4, 2, 16).sum(3) for x in (dk, dv))
    for ours, theirs in zip(compiled(q, k, v), (dq, *sums), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 3e-6), (jnp.bfloat16, 2e-2)])
@pytest.mark.parametrize("length, heads, kv_heads", [(1200, 1, 1), (630, 4, 1), (650, 4, 2)])
def test_gradient_of_few_heads(length, heads, kv_heads, dtype, tolerance):
    """The rows of a batch are shared among tasks."""
    q, k, v, _ = arrays(1, length, length, heads, kv_heads, 16, dtype)

    def loss(q, k, v):
        return (spelled_by_jax(q, k, v, None).astype(jnp.float32) ** 2).sum()

    compiled = jax.jit(jax.grad(loss, (0, 1, 2))).lower(q, k, v).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 3 << 20
    groups = heads // kv_heads
    dq, dk, dv = gradients(q, *(np.repeat(np.asarray(x, np.float64), groups, axis=2) for x in (k, v)), None)
    sums = (x.reshape(1, length, kv_heads, groups, 16).sum(3) for x in (dk, dv))
    for ours, theirs in zip(compiled(q, k, v), (dq, *sums), strict=True):
        np.testing.assert_allclose(np.asarray(ours, np.float64), theirs, atol=tolerance * np.abs(theirs).max())


@pytest.mark.parametrize("length, heads", [(480, 8), (912, 2)])
def test_gradient_of_what_a_mask_hides(length, heads):
    """Columns of zeros are left out, but not where a row sees nothing, whose weights are all the same."""
    q, k, v, _ = arrays(1, length, length, heads, heads, 16)
    causal = np.tril(np.ones((length, length), bool))
    padded = causal & (np.arange(length) >= 100) & (np.arange(length) != length - 8)
    for mask in (causal, np.tril(causal, -1), padded, causal[::-1], np.triu(causal, -40)):
        gradient = jax.jit(jax.grad(lambda *x, mask=mask: (spelled_by_jax(*x, mask) ** 2).sum(), (0, 1, 2)))
        for ours, theirs in zip(gradient(q, k, v), gradients(q, k, v, mask), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=3e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("number, place", [(0, 10), (0, 479), (1, 10), (1, 470), (2, 470)])
def test_gradient_of_a_causal_mask_has_the_same_nans(number, place):
    """Zero times infinity is NaN, where nothing is visible, too."""
    inputs = list(arrays(1, 480, 480, 8, 8, 16)[:3])
    inputs[number] = inputs[number].at[0, place, 3, 5].set(np.inf)

    def loss(q, k, v):
        scores = jnp.where(jnp.tri(480, dtype=bool), jnp.einsum("bthd,bshd->bhts", q, k) / 4, LARGE_NEGATIVE)
        weights = jax.nn.softmax(scores, axis=-1)
        return (jnp.einsum("bhts,bshd->bthd", weights, v) ** 2).sum(), weights

    alone = jax.jit(jax.grad(lambda *x: loss(*x)[0], (0, 1, 2)))(*inputs)
    apart, _ = jax.jit(jax.grad(loss, (0, 1, 2), has_aux=True))(*inputs)
    assert any(np.isnan(x).any() for x in apart)
    for a, b in zip(alone, apart, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_gradient_of_a_checkpoint():
    """The weights are computed again, and divided behind what reads the exponentials."""
    q, k, v, _ = arrays(2, 430, 430, 4, 4, 16)
    attend = jax.checkpoint(lambda *x: spelled_by_jax(*x, None))
    compiled = jax.jit(jax.grad(lambda *x: (attend(*x) ** 2).sum(), (0, 1, 2))).lower(q, k, v).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 3 << 20
    for ours, theirs in zip(compiled(q, k, v), gradients(q, k, v, None), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-6 * np.abs(theirs).max())


def soft_cap(scores, _):
    return 20 * jnp.tanh(scores / 20)


def drop(scores, kept):
    return jnp.where(kept > -1, scores, LARGE_NEGATIVE)


def add_bias(scores, bias):
    return scores + bias


def loss_of(change, q, k, v, other):
    weights = jax.nn.softmax(change(jnp.einsum("bthd,bshd->bhts", q, k) / 4, other), axis=-1)
    return (jnp.einsum("bhts,bshd->bthd", weights, v) ** 2).sum(), weights


def test_gradient_of_dropped_weights():
    """Dropout: some of the weights are zero, the others divided by the share of those that are kept."""
    q, k, v, rng = arrays(2, 430, 430, 4, 4, 16)
    kept = rng.random((2, 4, 430, 430)) < 0.9

    def loss(q, k, v, kept):
        weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / 4, axis=-1)
        dropped = jnp.where(kept, weights / 0.9, 0)
        return (jnp.einsum("bhts,bshd->bthd", dropped, v) ** 2).sum(), dropped

    compiled = jax.jit(jax.grad(lambda *x: loss(*x)[0], (0, 1, 2))).lower(q, k, v, kept).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 2 << 20
    apart, _ = jax.jit(jax.grad(loss, (0, 1, 2), has_aux=True))(q, k, v, kept)
    for ours, theirs in zip(compiled(q, k, v, kept), apart, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-6 * np.abs(theirs).max())


# One array like the scores has 5.9 MB. A bias of all batches has a gradient of that size, of which others are sums.
@pytest.mark.parametrize(
    "change, shape, most",
    [(soft_cap, (1,), 2), (drop, (2, 4, 430, 430), 2), (add_bias, (1, 4, 430, 430), 8), (add_bias, (2, 4, 430, 430), 2), (add_bias, (2, 1, 1, 430), 8)],
)
def test_gradient_of_changed_scores(change, shape, most):
    q, k, v, rng = arrays(2, 430, 430, 4, 4, 16)
    inputs = (q, k, v, rng.standard_normal(shape).astype(np.float32))
    numbers = (0, 1, 2, 3) if change is add_bias else (0, 1, 2)
    compiled = jax.jit(jax.grad(lambda *x: loss_of(change, *x)[0], numbers)).lower(*inputs).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < most << 20
    apart, _ = jax.jit(jax.grad(lambda *x: loss_of(change, *x), numbers, has_aux=True))(*inputs)
    for ours, theirs in zip(compiled(*inputs), apart, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-6 * np.abs(theirs).max())


def test_gradient_has_the_same_nans():
    q, k, v, _ = arrays(2, 430, 430, 4, 4, 16)
    q, k, v = q.at[0, 30, 1, 2].set(np.nan), k.at[0, 50, 2, 1].set(np.inf), v.at[1, 20, 0, 3].set(np.inf)

    def loss(q, k, v):
        weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / 4, axis=-1)
        return (jnp.einsum("bhts,bshd->bthd", weights, v) ** 2).sum(), weights

    alone = jax.jit(jax.grad(lambda *x: loss(*x)[0], (0, 1, 2)))(q, k, v)
    apart, _ = jax.jit(jax.grad(loss, (0, 1, 2), has_aux=True))(q, k, v)
    for a, b in zip(alone, apart, strict=True):
        assert np.isnan(a).any() and not np.isnan(a).all()
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_values_nobody_sees():
    """Rows do not see the last value, but zero times infinity or NaN is NaN."""
    q, k, v, _ = arrays(2, 160, 160, 2, 2, 32)
    for value in (np.inf, -np.inf, np.nan):
        for place in (20, 159):
            values = v.at[1, place, 1, 7].set(value)
            actual = np.asarray(jax.nn.dot_product_attention(q, k, values, is_causal=True))
            hidden = reference(q, k, values, mask=np.tril(np.ones((160, 160), bool)))
            np.testing.assert_allclose(actual, hidden, atol=2e-6)
            assert np.isnan(actual[1, :place, 1, 7]).all()
            assert np.isfinite(actual[0]).all()
            plain = jax.nn.dot_product_attention(q, k, v, is_causal=True)
            np.testing.assert_array_equal(actual[0], np.asarray(plain)[0])

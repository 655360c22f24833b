"""Workloads that every framework can run, each written once over a small set of operations.

A workload is `function(ops, inputs, weights)`, where `ops` is the NumPy-like interface below, given for JAX and for
PyTorch by the runners. `inputs` are what a caller passes at each call, `weights` what a deployed model holds.
"""

import dataclasses
import itertools
import math
from typing import Callable

import numpy as np


@dataclasses.dataclass
class Workload:
    name: str
    function: Callable
    inputs: list
    weights: dict = dataclasses.field(default_factory=dict)


def random(shape, seed, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def matmul(name, left, right):
    return Workload(
        f"matmul/{name}", lambda ops, inputs, weights: ops.matmul(*inputs), [random(left, 1), random(right, 2)]
    )


def conv(name, batch, size, channels, features, kernel, stride=1, groups=1):
    def function(ops, inputs, weights):
        return ops.conv2d(inputs[0], weights["w"], stride=stride, padding=kernel // 2, groups=groups)

    filters = random((features, channels // groups, kernel, kernel), 2, 1 / math.sqrt(channels // groups * kernel**2))
    return Workload(f"conv/{name}", function, [random((batch, channels, size, size), 1)], {"w": filters})


def attend(ops, q, k, v, mask=None):
    scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) * (1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = scores + mask
    return ops.matmul(ops.softmax(scores), v)


def attention(name, batch, heads, length, width, causal):
    mask = np.triu(np.full((length, length), -1e9, np.float32), 1)

    def function(ops, inputs, weights):
        return attend(ops, *inputs, weights["mask"] if causal else None)

    inputs = [random((batch, heads, length, width), i) for i in range(3)]
    return Workload(f"attention/{name}", function, inputs, {"mask": mask} if causal else {})


def mlp():
    sizes = (784, 1024, 1024, 10)

    def function(ops, inputs, weights):
        x = inputs[0]
        for i in range(3):
            x = ops.matmul(x, weights[f"w{i}"]) + weights[f"b{i}"]
            x = ops.relu(x) if i < 2 else ops.softmax(x)
        return x

    weights = {f"w{i}": random((sizes[i], sizes[i + 1]), i, 1 / math.sqrt(sizes[i])) for i in range(3)}
    weights |= {f"b{i}": random((sizes[i + 1],), 9 + i, 0.1) for i in range(3)}
    return Workload("model/mlp_784_1024_1024_10_b128", function, [random((128, 784), 1)], weights)


def resnet50():
    """Bottleneck residual network (He et al. 2015, arXiv:1512.03385), normalisations folded into the convolutions."""
    weights = {}
    count = itertools.count()

    def declare(channels, features, kernel):
        index = next(count)
        weights[f"w{index}"] = random((features, channels, kernel, kernel), index, 1 / math.sqrt(channels * kernel**2))
        weights[f"b{index}"] = random((features,), 1000 + index, 0.1)

    stages = [(64, 256, 3, 1), (128, 512, 4, 2), (256, 1024, 6, 2), (512, 2048, 3, 2)]
    declare(3, 64, 7)
    channels = 64
    for narrow, wide, blocks, stride in stages:
        for block in range(blocks):
            declare(channels, narrow, 1)
            declare(narrow, narrow, 3)
            declare(narrow, wide, 1)
            if block == 0:
                declare(channels, wide, 1)
            channels = wide
    weights["w"] = random((2048, 1000), 7, 1 / math.sqrt(2048))

    def function(ops, inputs, weights):
        steps = itertools.count()

        def layer(x, features, kernel, stride):
            index = next(steps)
            y = ops.conv2d(x, weights[f"w{index}"], stride=stride, padding=kernel // 2, groups=1)
            return y + ops.reshape(weights[f"b{index}"], (1, features, 1, 1))

        x = ops.relu(layer(inputs[0], 64, 7, 2))
        x = ops.max_pool(x, 3, 2, 1)
        for narrow, wide, blocks, stride in stages:
            for block in range(blocks):
                step = stride if block == 0 else 1
                y = ops.relu(layer(x, narrow, 1, 1))
                y = ops.relu(layer(y, narrow, 3, step))
                y = layer(y, wide, 1, 1)
                if block == 0:
                    x = layer(x, wide, 1, step)
                x = ops.relu(x + y)
        return ops.matmul(ops.mean(x, (2, 3)), weights["w"])

    return Workload("model/resnet50_b1", function, [random((1, 3, 224, 224), 1)], weights)


def encoder(layers, width, heads, batch, length):
    """Pre-normalised transformer blocks with GELU (tanh form), as GPT-2 has them."""
    weights = {}
    for i in range(layers):
        for name, rows, columns in (("qkv", 1, 3), ("out", 1, 1), ("up", 1, 4), ("down", 4, 1)):
            shape = (rows * width, columns * width)
            weights[f"{name}{i}"] = random(shape, 10 * i + len(name), 0.5 / math.sqrt(shape[0]))
            weights[f"{name}_bias{i}"] = random(shape[1:], 10 * i + len(name) + 5, 0.1)
    weights["mask"] = np.triu(np.full((length, length), -1e9, np.float32), 1)

    def function(ops, inputs, weights):
        def dense(x, name, layer):
            return ops.matmul(x, weights[f"{name}{layer}"]) + weights[f"{name}_bias{layer}"]

        def heads_first(x):
            return ops.transpose(ops.reshape(x, (batch, length, heads, width // heads)), (0, 2, 1, 3))

        x = inputs[0]
        for i in range(layers):
            qkv = dense(ops.layer_norm(x), "qkv", i)
            q, k, v = (heads_first(qkv[:, :, j * width : (j + 1) * width]) for j in range(3))
            y = ops.transpose(attend(ops, q, k, v, weights["mask"]), (0, 2, 1, 3))
            x = x + dense(ops.reshape(y, (batch, length, width)), "out", i)
            x = x + dense(ops.gelu(dense(ops.layer_norm(x), "up", i)), "down", i)
        return ops.layer_norm(x)

    name = f"model/transformer_{layers}L_d{width}_b{batch}x{length}"
    return Workload(name, function, [random((batch, length, width), 1)], weights)


WORKLOADS = [
    lambda: matmul("64", (64, 64), (64, 64)),
    lambda: matmul("256", (256, 256), (256, 256)),
    lambda: matmul("1024", (1024, 1024), (1024, 1024)),
    lambda: matmul("2048", (2048, 2048), (2048, 2048)),
    lambda: matmul("8x4096x4096", (8, 4096), (4096, 4096)),
    lambda: matmul("65536x64x64", (65536, 64), (64, 64)),
    lambda: matmul("96x128x64x128", (96, 128, 64), (96, 64, 128)),
    lambda: conv("7x7s2_1x224x3_64", 1, 224, 3, 64, 7, stride=2),
    lambda: conv("3x3_4x56x64_64", 4, 56, 64, 64, 3),
    lambda: conv("3x3_4x14x256_256", 4, 14, 256, 256, 3),
    lambda: conv("1x1_4x14x1024_256", 4, 14, 1024, 256, 1),
    lambda: conv("dw3x3_4x56x144", 4, 56, 144, 144, 3, groups=144),
    lambda: attention("8x12x128x64", 8, 12, 128, 64, causal=False),
    lambda: attention("1x8x1024x64_causal", 1, 8, 1024, 64, causal=True),
    lambda: attention("1x8x2048x64", 1, 8, 2048, 64, causal=False),
    mlp,
    resnet50,
    lambda: encoder(12, 768, 12, 1, 128),
    lambda: encoder(4, 256, 8, 4, 128),
]

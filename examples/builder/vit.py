#!/usr/bin/env python3
"""A block of a vision transformer, built operation by operation with tenon.ops, run, and compared with NumPy.

    python examples/builder/vit.py [--patches 64] [--width 96] [--heads 4] [--blocks 2]

The block is a function of the program, which calls it once for each block with that block's weights.
"""

import argparse
import math

import numpy as np
import tenon
from tenon import ops


def mean(x):
    """The mean along the last dimension, which stays with size 1."""
    *outer, last = x.shape
    total = ops.reduce(x, 0.0, [len(outer)], lambda a, b: a + b)
    return ops.reshape(total / last, "x".join(map(str, [*outer, 1, x.element_type])))


def layer_norm(x, scale, offset):
    centred = x - mean(x)
    return centred * ops.rsqrt(mean(centred * centred) + 1e-6) * scale + offset


def matmul(x, y, contracted, batch=()):
    return ops.dot_general(x, y, ops.DotDimensionNumbers(batch, batch, [contracted[0]], [contracted[1]]))


def attention(x, qkv, projection, heads):
    patches, width = x.shape
    size = width // heads
    all_heads = ops.reshape(matmul(x, qkv, (1, 0)), f"{patches}x3x{heads}x{size}xf32")
    q, k, v = (
        ops.transpose(ops.reshape(ops.slice(all_heads, [0, i, 0, 0], [patches, i + 1, heads, size], [1, 1, 1, 1]),
                                  f"{patches}x{heads}x{size}xf32"), [1, 0, 2])
        for i in range(3))
    scores = matmul(q, k, (2, 2), [0]) / math.sqrt(size)
    top = ops.reduce(scores, -math.inf, [2], ops.maximum)
    weights = ops.exponential(scores - top.broadcast_to(scores.shape, [0, 1]))
    total = ops.reduce(weights, 0.0, [2], ops.add)
    mixed = matmul(weights / total.broadcast_to(weights.shape, [0, 1]), v, (2, 1), [0])
    return matmul(ops.reshape(ops.transpose(mixed, [1, 0, 2]), f"{patches}x{width}xf32"), projection, (1, 0))


def gelu(x):
    return x * (ops.erf(x / math.sqrt(2)) + 1) / 2


def block(x, scale1, offset1, qkv, projection, scale2, offset2, up, down, heads):
    x = x + attention(layer_norm(x, scale1, offset1), qkv, projection, heads)
    return x + matmul(gelu(matmul(layer_norm(x, scale2, offset2), up, (1, 0))), down, (1, 0))


def build(patches, width, heads, blocks):
    builder = tenon.ProgramBuilder("vit")
    shapes = [[width], [width], [width, 3 * width], [width, width], [width], [width], [width, 4 * width],
              [4 * width, width]]
    types = ["x".join(map(str, [*shape, "f32"])) for shape in shapes]
    x = builder.parameter(f"{patches}x{width}xf32", "x")
    builder.function("block", [x, *types], lambda *values: block(*values, heads=heads))
    for i in range(blocks):
        (x,) = builder.call("block", x, *[builder.parameter(type, f"block{i}_{j}") for j, type in enumerate(types)])
    return builder.build(x), shapes


def in_numpy(x, weights, heads):
    def norm(x, scale, offset):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-6) * scale + offset

    erf = np.vectorize(math.erf)
    for scale1, offset1, qkv, projection, scale2, offset2, up, down in weights:
        q, k, v = (norm(x, scale1, offset1) @ qkv).reshape(len(x), 3, heads, -1).transpose(1, 2, 0, 3)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = scores / scores.sum(-1, keepdims=True) @ v
        x = x + mixed.transpose(1, 0, 2).reshape(x.shape) @ projection
        hidden = norm(x, scale2, offset2) @ up
        x = x + hidden * (erf(hidden / math.sqrt(2)) + 1) / 2 @ down
    return x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patches", type=int, default=64)
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--blocks", type=int, default=2)
    arguments = parser.parse_args()
    computation, shapes = build(arguments.patches, arguments.width, arguments.heads, arguments.blocks)
    random = np.random.default_rng(0)
    x = random.normal(size=(arguments.patches, arguments.width)).astype(np.float32)
    weights = [[(random.normal(size=shape) * 0.1).astype(np.float32) for shape in shapes]
               for _ in range(arguments.blocks)]
    result = tenon.compile(computation)(x, *[weight for each in weights for weight in each])
    expected = in_numpy(x.astype(np.float64), weights, arguments.heads)
    difference = np.abs(result - expected).max() / np.abs(expected).max()
    print(f"{arguments.blocks} blocks of {arguments.patches} patches: largest difference {difference:.1e}")
    raise SystemExit(int(difference > 1e-5))


if __name__ == "__main__":
    main()

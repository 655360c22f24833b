"""Convolutions."""

import itertools

import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.node import numpy_for
from tenon.importing.onnx.operators.linear import integer_product, quantized_product
from tenon.importing.onnx.operators.windows import windows
from tenon.importing.onnx.registry import operator


def _dimensions(rank):
    spatial = "".join(chr(ord("a") + i) for i in range(rank - 2))
    return ("NC" + spatial, "OI" + spatial, "NC" + spatial)


def convolve(node, x, weights, **options):
    placed = windows(node, x.shape[2:], weights.shape[2:])
    return lax.conv_general_dilated(
        x, weights, placed.strides, placed.pads, rhs_dilation=placed.dilations,
        dimension_numbers=_dimensions(x.ndim), feature_group_count=node["group"] or 1, **options,
    )  # fmt: skip


def with_bias(y, bias):
    return y if bias is None else y + jnp.reshape(bias, (1, -1) + (1,) * (y.ndim - 2))


@operator("Conv")
def convolution(node, x, weights, bias=None):
    return with_bias(convolve(node, x, weights), bias)


@operator("ConvInteger")
def integer_convolution(node, x, weights, x_zero=None, w_zero=None):
    return convolve_integers(node, x, x_zero, weights, w_zero)


def _byte_convolution(node, x, x_zero, weights, w_zero):
    """As a product of 8-bit matrices, which has instructions of its own: of all windows' elements, side by side, and the
    weights."""
    placed = windows(node, x.shape[2:], weights.shape[2:])
    x = jnp.transpose(x, (0, 2, 3, 1))
    zero = jnp.zeros((), x.dtype) if x_zero is None else jnp.reshape(x_zero, ())
    padded = lax.pad(x, zero, [(0, 0, 0), *((before, after, 0) for before, after in placed.padding), (0, 0, 0)])
    taps = []
    for offsets in itertools.product(*map(range, placed.sizes)):
        starts, ends = placed.tap(offsets)
        taps.append(lax.slice(padded, (0, *starts, 0), (x.shape[0], *ends, x.shape[3]), (1, *placed.strides, 1)))
    matrix = numpy_for(weights).transpose(weights, (2, 3, 1, 0)).reshape(-1, weights.shape[0])
    y = quantized_product(taps[0] if len(taps) == 1 else jnp.concatenate(taps, -1), zero, matrix, w_zero)
    return jnp.transpose(y, (0, 3, 1, 2))


def convolve_integers(node, x, x_zero, weights, w_zero):
    """Padding is zero points, which are nothing without them."""
    if x.ndim == 4 and node["group"] in (None, 1):
        return _byte_convolution(node, x, x_zero, weights, w_zero)
    if w_zero is not None and w_zero.ndim == 1 and w_zero.shape[0] > 1:
        w_zero = jnp.reshape(w_zero, (-1,) + (1,) * (weights.ndim - 1))

    def product(a, b):
        return convolve(node, a, b, preferred_element_type=np.int32)

    return integer_product(product, x, x_zero, weights, w_zero)


def _transposed_pads(node, spatial, strides, extents, further):
    """And what is added behind, where sizes of the output are asked for."""
    rank = len(spatial)
    mode = node["auto_pad"] or "NOTSET"
    wanted = node["output_shape"]
    if wanted:
        wanted = wanted[-rank:]
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * stride for size, stride in zip(spatial, strides)]
    if not wanted:
        pads = node["pads"] or [0] * (2 * rank)
        return list(zip(pads[:rank], pads[rank:])) if mode != "VALID" else [(0, 0)] * rank
    pads = []
    for size, stride, extent, more, output in zip(spatial, strides, extents, further, wanted):
        total = stride * (size - 1) + more + extent - output
        half = total // 2
        pads.append((half, total - half) if mode == "SAME_UPPER" else (total - half, half))
    return pads


@operator("ConvTranspose")
def transposed_convolution(node, x, weights, bias=None):
    rank = x.ndim - 2
    groups = node["group"]
    strides, dilations = node["strides"] or [1] * rank, node["dilations"] or [1] * rank
    further = node["output_padding"] or [0] * rank
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(weights.shape[2:], dilations)]
    pads = _transposed_pads(node, x.shape[2:], strides, extents, further)
    padding = [(extent - 1 - before, extent - 1 - after + more)
               for extent, (before, after), more in zip(extents, pads, further)]  # fmt: skip
    # A convolution of the strided-apart input with the kernel turned round.
    inputs, outputs, *kernel = weights.shape
    turned = jnp.flip(weights, tuple(range(2, rank + 2)))
    parts = jnp.swapaxes(jnp.reshape(turned, (groups, inputs // groups, outputs, *kernel)), 1, 2)
    y = lax.conv_general_dilated(
        x, jnp.reshape(parts, (groups * outputs, inputs // groups, *kernel)), [1] * rank, padding, lhs_dilation=strides,
        rhs_dilation=dilations, dimension_numbers=_dimensions(x.ndim), feature_group_count=groups,
    )  # fmt: skip
    return with_bias(y, bias)


@operator("CausalConvWithState")
def causal_convolution(node, x, weights, bias=None, state=None):
    """Along the last axis of (batch, channels, time), each channel alone; what came before is the state."""
    width = weights.shape[-1]
    if state is None:
        state = jnp.zeros((*x.shape[:2], width - 1), x.dtype)
    whole = jnp.concatenate([state.astype(x.dtype), x], axis=-1)
    y = lax.conv_general_dilated(whole, weights, [1], [(0, 0)], dimension_numbers=_dimensions(3),
                                 feature_group_count=x.shape[1])  # fmt: skip
    y = with_bias(y, bias)
    if node["activation"] in ("silu", "swish"):
        y = y * lax.logistic(y)
    return (y, whole[..., whole.shape[-1] - (width - 1) :])[: node.output_count]

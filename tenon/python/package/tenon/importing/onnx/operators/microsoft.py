"""Operators of ONNX Runtime's own (com.microsoft), which its optimizer and its quantizer put into models."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.node import NotLowered
from tenon.importing.onnx.operators.convolution import convolution
from tenon.importing.onnx.operators.linear import quantized_product
from tenon.importing.onnx.operators.pooling import average_pool
from tenon.importing.onnx.operators.quantization import dynamic_quantize, rounded
from tenon.importing.onnx.registry import operator

_DOMAIN = "com.microsoft"


def _attribute(node, name, default):
    """ONNX does not know these operators, nor what attributes are by default."""
    return default if node[name] is None else node[name]


@operator("FusedMatMul", domain=_DOMAIN)
def fused_matmul(node, a, b):
    if node["transBatchA"] or node["transBatchB"]:
        raise NotLowered("transBatchA and transBatchB are not supported")
    a = jnp.swapaxes(a, -1, -2) if node["transA"] and a.ndim > 1 else a
    b = jnp.swapaxes(b, -1, -2) if node["transB"] and b.ndim > 1 else b
    product = jnp.matmul(a, b)
    return product * jnp.asarray(_attribute(node, "alpha", 1.0), product.dtype)


@operator("Gelu", "BiasGelu", "FastGelu", domain=_DOMAIN)
def gelu(node, x, bias=None):
    return jax.nn.gelu(x if bias is None else x + bias, approximate=node.kind == "FastGelu")


@operator("QuickGelu", domain=_DOMAIN)
def quick_gelu(node, x):
    return x * jax.nn.sigmoid(_attribute(node, "alpha", 1.702) * x)


def _standardized(x, epsilon, about_mean):
    """Along the last axis, in f32; the mean and the inverse of the deviation, too."""
    wide = jnp.asarray(x).astype(np.float32)
    mean = jnp.mean(wide, -1, keepdims=True) if about_mean else jnp.zeros((*x.shape[:-1], 1), np.float32)
    inverse = lax.rsqrt(jnp.mean(jnp.square(wide - mean), -1, keepdims=True) + epsilon)
    return ((wide - mean) * inverse).astype(x.dtype), mean, inverse


@operator("SkipLayerNormalization", domain=_DOMAIN)
def skip_layer_normalization(node, x, skip, scale, offset=None, bias=None):
    total = x + skip if bias is None else x + skip + bias
    y, mean, inverse = _standardized(total, _attribute(node, "epsilon", 1e-12), True)
    y = y * scale
    return (y if offset is None else y + offset, mean, inverse, total)[: node.output_count]


@operator("SkipSimplifiedLayerNormalization", domain=_DOMAIN)
def skip_simplified_layer_normalization(node, x, skip, scale, bias=None):
    total = x + skip if bias is None else x + skip + bias
    y, mean, inverse = _standardized(total, _attribute(node, "epsilon", 1e-12), False)
    return (y * scale, mean, inverse, total)[: node.output_count]


@operator("SimplifiedLayerNormalization")
def simplified_layer_normalization(node, x, scale):
    """In ONNX's own domain, though ONNX does not have it."""
    if _attribute(node, "axis", -1) % x.ndim != x.ndim - 1:
        raise NotLowered("only the last axis is supported")
    y, _, inverse = _standardized(x, _attribute(node, "epsilon", 1e-5), False)
    return (y * scale, inverse)[: node.output_count]


@operator("FusedConv", domain=_DOMAIN)
def fused_convolution(node, x, weights, bias=None, added=None):
    y = convolution(node, x, weights, bias)
    y = y if added is None else y + added
    numbers = node["activation_params"] or []
    functions = {
        "": lambda: y,
        "Relu": lambda: jnp.maximum(y, 0),
        "Tanh": lambda: jnp.tanh(y),
        "Sigmoid": lambda: jax.nn.sigmoid(y),
        "LeakyRelu": lambda: jnp.where(y >= 0, y, numbers[0] * y),
        "Clip": lambda: jnp.clip(y, numbers[0], numbers[1]),
        "HardSigmoid": lambda: jnp.clip(numbers[0] * y + numbers[1], 0, 1),
    }
    name = _attribute(node, "activation", "")
    if name not in functions:
        raise NotLowered(f"an activation '{name}' is not known")
    return functions[name]()


@operator("MatMulIntegerToFloat", domain=_DOMAIN)
def matmul_integer_to_float(_node, a, b, a_scale, b_scale, a_zero=None, b_zero=None, bias=None):
    y = quantized_product(a, a_zero, b, b_zero).astype(np.float32) * (a_scale * b_scale)
    return y if bias is None else y + bias


@operator("DynamicQuantizeMatMul", domain=_DOMAIN)
def dynamic_quantize_matmul(node, a, b, b_scale, b_zero=None, bias=None):
    quantized, scale, zero = dynamic_quantize(node, a)
    return matmul_integer_to_float(node, quantized, b, scale, b_scale, zero, b_zero, bias)


def _number(x, scale, zero):
    """What a quantized array stands for."""
    value = jnp.asarray(x).astype(np.int32)
    return (value if zero is None else value - jnp.asarray(zero).astype(np.int32)).astype(np.float32) * scale


def _quantized(value, scale, zero, dtype):
    return rounded(value / scale, zero, dtype)


@operator("QLinearAdd", "QLinearMul", domain=_DOMAIN)
def quantized_binary(node, a, a_scale, a_zero, b, b_scale, b_zero, scale, zero=None):
    x, y = _number(a, a_scale, a_zero), _number(b, b_scale, b_zero)
    return _quantized(x + y if node.kind == "QLinearAdd" else x * y, scale, zero, a.dtype)


@operator("QLinearSigmoid", "QLinearLeakyRelu", domain=_DOMAIN)
def quantized_unary(node, x, x_scale, x_zero, scale, zero=None):
    value = _number(x, x_scale, x_zero)
    if node.kind == "QLinearSigmoid":
        return _quantized(jax.nn.sigmoid(value), scale, zero, x.dtype)
    return _quantized(jnp.where(value >= 0, value, _attribute(node, "alpha", 0.01) * value), scale, zero, x.dtype)


@operator("QLinearGlobalAveragePool", "QLinearAveragePool", domain=_DOMAIN)
def quantized_average(node, x, x_scale, x_zero, scale, zero=None):
    if node["channels_last"]:
        raise NotLowered("channels_last is not supported")
    value = _number(x, x_scale, x_zero)
    if node.kind == "QLinearAveragePool":
        return _quantized(average_pool(node, value), scale, zero, x.dtype)
    return _quantized(jnp.mean(value, tuple(range(2, x.ndim)), keepdims=True), scale, zero, x.dtype)


@operator("QLinearConcat", domain=_DOMAIN)
def quantized_concat(node, scale, zero, *parts):
    values = [_number(*parts[i : i + 3]) for i in range(0, len(parts), 3)]
    return _quantized(jnp.concatenate(values, node["axis"]), scale, zero, zero.dtype)


@operator("QGemm", domain=_DOMAIN)
def quantized_gemm(node, a, a_scale, a_zero, b, b_scale, b_zero, c=None, scale=None, zero=None):
    a, b = a.T if node["transA"] else a, b.T if node["transB"] else b
    total = quantized_product(a, a_zero, b, b_zero)
    total = total if c is None else total + c  # in units of both scales
    value = total.astype(np.float32) * (a_scale * b_scale * np.float32(_attribute(node, "alpha", 1.0)))
    return value if scale is None else _quantized(value, scale, zero, zero.dtype)


@operator("MatMulNBits", domain=_DOMAIN)
def matmul_few_bits(node, a, packed, scales, zeros=None, groups=None, bias=None):
    """By weights of 4 or 8 bits, in blocks along k with a scale each: (n, blocks, bytes)."""
    bits, block, k, n = (node[name] for name in ("bits", "block_size", "K", "N"))
    if groups is not None or bits not in (4, 8):
        raise NotLowered("only weights of 4 or 8 bits in their order are supported")
    blocks = -(-k // block)
    weights = _unpacked(packed, bits).reshape(n, blocks, block)
    if zeros is None:
        points = jnp.asarray(1 << (bits - 1), a.dtype)
    elif jnp.issubdtype(zeros.dtype, jnp.inexact):
        points = jnp.reshape(zeros, (n, blocks, 1))
    else:
        points = _unpacked(jnp.reshape(zeros, (n, -1)), bits)[:, :blocks, None].astype(a.dtype)
    values = (weights.astype(a.dtype) - points) * jnp.reshape(scales, (n, blocks, 1)).astype(a.dtype)
    y = jnp.matmul(a, jnp.reshape(values, (n, blocks * block))[:, :k].T)
    return y if bias is None else y + bias


def _unpacked(packed, bits):
    """Along the last axis, the lower half of a byte first."""
    if bits == 8:
        return packed
    both = jnp.stack([packed & 15, packed >> 4], -1)
    return jnp.reshape(both, (*packed.shape[:-1], packed.shape[-1] * 2))

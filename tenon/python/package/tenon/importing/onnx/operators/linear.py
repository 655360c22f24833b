"""Products of matrices."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.node import is_known
from tenon.importing.onnx.registry import operator


@operator("MatMul")
def matmul(_node, a, b):
    return jnp.matmul(a, b)


@operator("Gemm")
def gemm(node, a, b, c=None):
    if node["transA"]:
        a = jnp.transpose(a)
    if node["transB"]:
        b = jnp.transpose(b)
    product = jnp.matmul(a, b)
    if node["alpha"] != 1:
        product = product * jnp.asarray(node["alpha"], product.dtype)
    if c is None:
        return product
    return product + (c if node["beta"] == 1 else c * jnp.asarray(node["beta"], c.dtype))


@operator("Einsum")
def einsum(node, *values):
    return jnp.einsum(node["equation"].replace(" ", ""), *values)


@operator("Det")
def determinant(_node, x):
    return jnp.linalg.det(x)


def integer_product(product, a, a_zero, b, b_zero):
    """Of quantized numbers: the exact product of what is left without the zero points, in i32.

    `product` multiplies arrays of i32 and is linear in both.
    """
    a, b = jnp.asarray(a).astype(np.int32), jnp.asarray(b).astype(np.int32)
    if a_zero is not None:
        a = a - jnp.asarray(a_zero).astype(np.int32)
    if b_zero is not None:
        b = b - jnp.asarray(b_zero).astype(np.int32)
    return product(a, b)


def _is_zero(zero):
    return zero is None or (is_known(zero) and not np.any(zero))


def quantized_product(a, a_zero, b, b_zero):
    """Of matrices. The product of the 8-bit numbers themselves, which has instructions of its own, and what their zero points
    add to it: (a - p)(b - q) = ab - p sum(b) - q sum(a) + kpq."""
    row = row_zero(a_zero, a.ndim)
    if a.ndim < 2 or b.ndim != 2:
        return integer_product(jnp.matmul, a, row, b, b_zero)
    total = lax.dot_general(a, b, (((a.ndim - 1,), (0,)), ((), ())), preferred_element_type=np.int32)
    p, q = (jnp.asarray(np.int32(0) if zero is None else zero).astype(np.int32) for zero in (row, b_zero))
    if not _is_zero(a_zero):
        total = total - p * jnp.sum(b, 0, dtype=np.int32)
    if not _is_zero(b_zero):
        total = total - q * jnp.sum(a, -1, keepdims=True, dtype=np.int32)
    if not _is_zero(a_zero) and not _is_zero(b_zero):
        total = total + a.shape[-1] * p * q
    return total


def row_zero(zero, rank):
    """A zero point of each row of the first operand."""
    return zero if zero is None or zero.ndim != 1 or zero.shape[0] == 1 or rank < 2 else zero[:, None]


@operator("MatMulInteger")
def matmul_integer(_node, a, b, a_zero=None, b_zero=None):
    return quantized_product(a, a_zero, b, b_zero)

"""Products of matrices."""

import jax.numpy as jnp
import numpy as np

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


def row_zero(zero, rank):
    """A zero point of each row of the first operand."""
    return zero if zero is None or zero.ndim != 1 or zero.shape[0] == 1 or rank < 2 else zero[:, None]


@operator("MatMulInteger")
def matmul_integer(_node, a, b, a_zero=None, b_zero=None):
    return integer_product(jnp.matmul, a, row_zero(a_zero, a.ndim), b, b_zero)

"""Fourier transforms."""

import jax.numpy as jnp
import numpy as np

from tenon.importing.onnx.operators.types import dtype_of
from tenon.importing.onnx.registry import operator


def _complex(x):
    return x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1]


def _pairs(x, dtype):
    return jnp.stack([jnp.real(x), jnp.imag(x)], -1).astype(dtype)


def _computed(x):
    """The type that transforms are computed in."""
    return jnp.asarray(x).astype(np.float64 if x.dtype == np.float64 else np.float32)


@operator("DFT")
def fourier(node, x, length=None, axis=None):
    if node.version < 20:
        axis = node["axis"]
    else:
        axis = -2 if axis is None else node.integers(axis, 2, "axis")[0]
    axis %= x.ndim
    size = None if length is None else node.integers(length, 1, "length")[0]
    values = _complex(_computed(x))
    if node["inverse"] and node["onesided"]:
        return jnp.fft.irfft(values, size, axis)[..., None].astype(x.dtype)
    if node["inverse"]:
        return _pairs(jnp.fft.ifft(values, size, axis), x.dtype)
    if node["onesided"] and not jnp.iscomplexobj(values):
        return _pairs(jnp.fft.rfft(values, size, axis), x.dtype)
    full = jnp.fft.fft(values, size, axis)
    if node["onesided"]:
        full = jnp.take(full, np.arange(full.shape[axis] // 2 + 1), axis, mode="clip")
    return _pairs(full, x.dtype)


@operator("STFT")
def short_time_fourier(node, x, step, window=None, length=None):
    step = node.integers(step, 1, "frame step")[0]
    if length is not None:
        size = node.integers(length, 3, "frame length")[0]
    else:
        size = x.shape[1] if window is None else window.shape[0]
    signal = _complex(_computed(x)) if x.ndim == 3 else _computed(x)
    frames = 1 + (signal.shape[1] - size) // step
    taps = np.arange(frames)[:, None] * step + np.arange(size)
    cut = signal[:, taps]
    if window is not None:
        cut = cut * window.astype(cut.real.dtype)
    if node["onesided"] and not jnp.iscomplexobj(cut):
        return _pairs(jnp.fft.rfft(cut), x.dtype)
    full = jnp.fft.fft(cut)
    return _pairs(full[..., : size // 2 + 1] if node["onesided"] else full, x.dtype)


@operator("MelWeightMatrix")
def mel_weights(node, bins, length, rate, low, high):
    names = ("number of bins", "length", "rate", "lower edge", "upper edge")
    bins, length, rate, low, high = (node.known(value, i, names[i]).item()
                                     for i, value in enumerate((bins, length, rate, low, high)))  # fmt: skip
    edges = 2595 * np.log10(1 + np.asarray([low, high]) / 700)
    points = np.arange(bins + 2, dtype=np.float64) * ((edges[1] - edges[0]) / (bins + 2)) + edges[0]
    hertz = 700 * (10 ** (points / 2595) - 1)
    places = ((length + 1) * hertz // rate).astype(np.int64)
    weights = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        lower, centre, upper = places[i : i + 3]
        if centre == lower:
            weights[centre, i] = 1
        for j in range(lower, centre + 1 if centre > lower else lower):
            weights[j, i] = (j - lower) / (centre - lower)
        for j in range(centre, upper if upper > centre else centre):
            weights[j, i] = (upper - j) / (upper - centre)
    return weights.astype(dtype_of(node["output_datatype"]))

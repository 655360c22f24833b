"""Losses of classifiers."""

import jax
import jax.numpy as jnp

from tenon.importing.onnx.registry import operator


def _loss(node, log_probabilities, labels, weights):
    """Of scores with classes along axis 1."""
    ignored = node["ignore_index"]
    counted = jnp.ones(labels.shape, bool) if ignored is None else labels != ignored
    safe = jnp.where(counted, labels, 0)
    picked = jnp.take_along_axis(log_probabilities, jnp.expand_dims(safe, 1), axis=1, mode="clip")
    weight = jnp.ones(labels.shape, log_probabilities.dtype) if weights is None else jnp.take(weights, safe, mode="clip")
    weight = jnp.where(counted, weight, 0)
    losses = jnp.where(counted, -jnp.squeeze(picked, 1) * weight, 0)
    if node["reduction"] == "none":
        return losses
    total = jnp.sum(losses)
    return total if node["reduction"] == "sum" else total / jnp.sum(weight)


@operator("NegativeLogLikelihoodLoss")
def negative_log_likelihood(node, log_probabilities, labels, weights=None):
    return _loss(node, log_probabilities, labels, weights)


@operator("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(node, scores, labels, weights=None):
    log_probabilities = jax.nn.log_softmax(scores, axis=1)
    return (_loss(node, log_probabilities, labels, weights), log_probabilities)[: node.output_count]

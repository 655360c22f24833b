#!/usr/bin/env python3
"""Trains a small convolutional network on scikit-learn's handwritten digits, on Tenon and on XLA:CPU.

    python examples/digits/digits.py [--epochs N] [--steps N] [--seed N] [--platforms tenon,cpu]

Flax defines the network and Optax the optimiser; nothing in the model knows of Tenon. Each platform trains in a process
of its own with JAX_PLATFORMS set to it, from the same seed. Prints the test accuracy, the steps per second of both, and
how far the two loss curves are apart over the first 50 steps. With --steps it ends after so many of them, and the curves
are all that is judged: on a GPU that the host plays (TENON_GPU=emulated, --platforms tenon_gpu,cpu) a step takes some seconds.
"""

import argparse
import json
import os
import subprocess
import sys
import time

CURVE_STEPS = 50
BATCH = 64


def train(seed, epochs, most_steps):
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    class Network(nn.Module):
        @nn.compact
        def __call__(self, images):
            x = nn.relu(nn.Conv(32, (3, 3))(images))
            x = nn.relu(nn.Conv(64, (3, 3))(x))
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
            x = x.reshape(x.shape[0], -1)
            x = nn.relu(nn.Dense(128)(x))
            return nn.Dense(10)(x)

    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[..., None]
    train_x, test_x, train_y, test_y = train_test_split(
        images, digits.target.astype(np.int32), test_size=0.25, random_state=seed, stratify=digits.target
    )
    network = Network()
    parameters = network.init(jax.random.key(seed), train_x[:1])
    optimizer = optax.adam(1e-3)
    state = optimizer.init(parameters)

    def loss_of(parameters, x, y):
        return optax.softmax_cross_entropy_with_integer_labels(network.apply(parameters, x), y).mean()

    @jax.jit
    def step(parameters, state, x, y):
        loss, gradient = jax.value_and_grad(loss_of)(parameters, x, y)
        updates, state = optimizer.update(gradient, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    @jax.jit
    def accuracy(parameters, x, y):
        return (network.apply(parameters, x).argmax(-1) == y).mean()

    order = np.random.default_rng(seed)
    losses, seconds, timed = [], 0.0, 0
    for epoch in range(epochs):
        shuffled = order.permutation(len(train_x))
        start = time.perf_counter()
        steps = min(len(shuffled) // BATCH, most_steps - len(losses)) if most_steps else len(shuffled) // BATCH
        for i in range(steps):
            batch = shuffled[i * BATCH : (i + 1) * BATCH]
            parameters, state, loss = step(parameters, state, train_x[batch], train_y[batch])
            losses.append(loss)
        loss.block_until_ready()
        if epoch > 0:  # the first epoch compiles
            seconds += time.perf_counter() - start
            timed += steps
        print(f"  epoch {epoch + 1:2d}/{epochs}  loss {float(loss):.4f}", file=sys.stderr, flush=True)
        if len(losses) == most_steps:
            break
    return {
        "accuracy": float(accuracy(parameters, test_x, test_y)),
        "losses": [float(loss) for loss in losses[:CURVE_STEPS]],
        "steps_per_second": timed / seconds if seconds else 0.0,
        "version": jax.devices()[0].client.platform_version,
    }


def run_on(platform, arguments):
    """Trains in a fresh process whose only platform is `platform`."""
    print(f"Training on {platform}", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, "--child", "--seed", str(arguments.seed), "--epochs", str(arguments.epochs)]
    command += ["--steps", str(arguments.steps)]
    child = subprocess.run(command, env={**os.environ, "JAX_PLATFORMS": platform}, stdout=subprocess.PIPE, check=False)
    if child.returncode:
        sys.exit(f"training on {platform} failed (exit status {child.returncode})")
    return json.loads(child.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many; 0: all of the epochs' (default)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--platforms", default="tenon,cpu", help="the first is the one judged (default: %(default)s)")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(train(arguments.seed, arguments.epochs, arguments.steps)))
        return 0

    platforms = arguments.platforms.split(",")
    results = {platform: run_on(platform, arguments) for platform in platforms}
    for platform, result in results.items():
        print(f"{platform}: {result['steps_per_second']:.0f} steps/s ({result['version'].splitlines()[-1]})")
    first = results[platforms[0]]
    failed = arguments.steps == 0 and first["accuracy"] <= 0.97
    if len(platforms) > 1:
        apart = max(abs(a - b) for a, b in zip(first["losses"], results[platforms[1]]["losses"]))
        print(f"loss curves apart by at most {apart:.2e} in the first {len(first['losses'])} steps")
        failed |= apart > 1e-4
    print(f"test accuracy: {first['accuracy']:.4f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the processes of grid.py's jobs run: a program over all devices of the job, in parts of all kinds."""

import hashlib
import time


def make_step():
    """A step over all devices: reductions, halos, gathers, a sort, a scan, a training step, collectives of shard_map,
    messages, collectives that go on while something is computed, and copies from the first device to the last one and back. Each call gives, by number of the devices here, a digest of their parts of all results."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import AxisType, NamedSharding, PartitionSpec, SingleDeviceSharding

    count = len(jax.devices())
    mesh = jax.make_mesh((count,), ("d",), axis_types=(AxisType.Auto,))
    rows, whole = PartitionSpec("d"), PartitionSpec()

    def array(values, spec):
        return jax.make_array_from_callback(values.shape, NamedSharding(mesh, spec), lambda index: values[index])

    def loss(weights, batch):
        return jnp.mean((jnp.tanh(batch @ weights["w"]) @ weights["v"]) ** 2)

    @jax.jit
    def train(weights, batch):
        value, gradients = jax.value_and_grad(loss)(weights, batch)
        return value, jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients)

    @jax.jit
    def mixed(x):
        scanned = jax.lax.scan(lambda carry, row: (carry * 0.5 + row.sum(), carry), 0.0, x)[1]
        return x * 2 - jnp.roll(x, 7, axis=0), x.sum(0), jnp.sort(x, axis=0), jnp.cumsum(x, axis=0), scanned

    def collectives(v):
        shifted = jax.lax.ppermute(v, "d", [(i, (i + 1) % count) for i in range(count)])
        return jax.lax.psum(v, "d"), jax.lax.all_gather(v, "d"), shifted, jax.lax.psum_scatter(v, "d", tiled=True)

    def messages(v):
        pairs = [(i, count - 1 - i) for i in range(count)]
        received = jax.lax.precv(jax.lax.psend(v, "d", pairs), jax.ShapeDtypeStruct(v.shape, v.dtype), "d", pairs)
        return received, jnp.tanh(jax.lax.psum(received, "d")) + jnp.sort(v, axis=0)

    mapped = jax.jit(jax.shard_map(collectives, mesh=mesh, in_specs=rows, out_specs=(rows, rows, rows, rows)))
    sent = jax.jit(
        jax.shard_map(messages, mesh=mesh, in_specs=rows, out_specs=(rows, rows), check_vma=False),
        compiler_options={"overlap": True},
    )
    numbers = np.sin(np.arange(count * count * 40 * 6, dtype=np.float32)).reshape(-1, 6)
    x = array(numbers, rows)
    batch = array(np.cos(np.arange(count * 8 * 4, dtype=np.float32)).reshape(-1, 4), rows)
    weights = {
        "w": array(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8), whole),
        "v": array(np.ones((8, 1), np.float32), whole),
    }

    first, last = (SingleDeviceSharding(device) for device in (jax.devices()[0], jax.devices()[-1]))
    double = jax.jit(lambda v: v * 2)

    def copies():
        if first.is_fully_addressable:
            here = double(jax.device_put(numbers, first))
        else:  # known here as an array without parts
            here = jax.make_array_from_single_device_arrays(numbers.shape, first, [], dtype=numbers.dtype)
        there = jax.device_put(here, last)
        return there, jax.device_put(there, first)

    def step():
        results = jax.tree.leaves([train(weights, batch), mixed(x), mapped(x), sent(x), copies()])
        digests = {device.id: hashlib.sha256() for device in jax.local_devices()}
        for result in results:
            for shard in result.addressable_shards:
                digests[shard.device.id].update(np.asarray(shard.data).tobytes())
        return {device: digest.hexdigest() for device, digest in digests.items()}

    return step


def once(say):
    say("digests", make_step()())


def without_end(say):
    """Says what happens until something fails; that, and whether programs on the process's own devices go on."""
    import jax
    import jax.numpy as jnp

    # The processes have found each other. JAX's own client for the CPU, which starts as well, waits for all for minutes.
    jax.devices()
    say("starts")
    first = None
    try:
        step = make_step()
        while True:
            digests = step()
            if first is None:
                first = digests
                say("round")
            if digests != first:
                say("wrong")
    except Exception as error:  # whatever it is, it must name who is to blame
        say("error", str(error), time.monotonic())
    say("own", int(jnp.arange(3).sum()))


def volumes(formulas, rows=1024, width=64, hidden=256, layers=3):
    """Compiles steps of training, which say in their report what a device receives; {program: what the formula says}.

    Each layer has two products, as of an MLP; P bytes are those of all weights, A those of a layer's activations."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    expected = {}
    for name, axes, up, down, activations, formula in formulas:
        mesh = jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))

        def place(spec, mesh=mesh):
            return NamedSharding(mesh, PartitionSpec(*spec))

        def loss(weights, x, held=place(activations)):
            for w in weights:
                x = jax.lax.with_sharding_constraint(x + jax.nn.relu(x @ w["up"]) @ w["down"], held)
            return (x**2).mean()

        def step(weights, x, loss=loss):
            value, gradients = jax.value_and_grad(loss)(weights, x)
            return value, jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients)

        step.__name__ = name
        layer = {
            "up": jax.ShapeDtypeStruct((width, hidden), jnp.float32, sharding=place(up)),
            "down": jax.ShapeDtypeStruct((hidden, width), jnp.float32, sharding=place(down)),
        }
        x = jax.ShapeDtypeStruct((rows, width), jnp.float32, sharding=place(activations))
        kept = jax.tree.map(lambda weight: weight.sharding, [layer] * layers)
        jax.jit(step, out_shardings=(None, kept)).lower([layer] * layers, x).compile()
        expected[f"jit_{name}"] = formula(P=4 * layers * 2 * width * hidden, A=4 * rows * width, layers=layers)
    return expected

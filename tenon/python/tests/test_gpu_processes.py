"""GPUs of several OS processes, which the host plays."""

from job import run

_PROGRAM = """
from jax.sharding import NamedSharding, PartitionSpec as P

say([device.id for device in jax.devices()], [device.process_index for device in jax.devices()])
say([device.id for device in jax.local_devices()], [device.local_hardware_id for device in jax.local_devices()])
here = jax.local_devices()[1]
double = jax.jit(lambda x: x * 2, device=here)
say(jax.device_put(np.arange(3.0), here).devices() == {here}, double(jnp.arange(3)).tolist())

mesh = jax.make_mesh((4,), ("x",), devices=jax.devices())
rows, whole = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
host = np.random.default_rng(4).standard_normal((8, 40_000), np.float32)
x = jax.make_array_from_callback(host.shape, rows, lambda index: host[index])
say(len(x.addressable_shards), {s.device for s in x.addressable_shards} == set(jax.local_devices()))

totals = jax.jit(lambda x: (x.sum(0), jnp.abs(x).max()), out_shardings=whole)(x)
say(np.allclose(totals[0], host.sum(0), rtol=1e-5, atol=1e-5), float(totals[1]) == np.abs(host).max())

def moves(x):
    return (jax.lax.psum(x, "x"), jax.lax.all_gather(x[:, :2], "x"), jax.lax.ppermute(x, "x", [(0, 3), (3, 0), (1, 2)]),
            jax.lax.psum_scatter(x[:, :8], "x", scatter_dimension=1, tiled=True))

specs = (P(), P(), P("x"), P(None, "x"))
summed, gathered, permuted, scattered = jax.jit(
    jax.shard_map(moves, mesh=mesh, in_specs=P("x"), out_specs=specs, check_vma=False))(x)
blocks = host.reshape(4, 2, -1)
tree = (blocks[0] + blocks[1]) + (blocks[2] + blocks[3])
say(np.array_equal(summed, tree), np.array_equal(gathered, blocks[:, :, :2]))
for shard in permuted.addressable_shards:
    source = {3: 0, 0: 3, 2: 1}.get(shard.index[0].start // 2)
    say(np.array_equal(shard.data, blocks[source] if source is not None else np.zeros_like(blocks[0])))
for shard in scattered.addressable_shards:
    say(np.array_equal(shard.data, tree[:, shard.index[1]]))

# From the GPUs of one process to those of the other.
turned = jax.device_put(x, NamedSharding(mesh.__class__(mesh.devices[::-1], ("x",)), P("x")))
for shard in turned.addressable_shards:
    say(np.array_equal(shard.data, host[shard.index]))
leave()
"""


def test_gpus_of_two_processes(subprocess_environment):
    environment = dict(subprocess_environment, JAX_PLATFORMS="tenon_gpu", TENON_GPU="emulated:2", JAX_ENABLE_X64="0")
    for process, lines in enumerate(run(environment, _PROGRAM)):
        own = [2 * process, 2 * process + 1]
        assert lines == [
            "[0, 1, 2, 3] [0, 0, 1, 1]",
            f"{own} [0, 1]",
            "True [0, 2, 4]",
            "2 True",
            "True True",
            "True True",
            *["True"] * 6,
        ]

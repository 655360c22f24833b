"""Programs of several OS processes (docs/processes.md)."""

from job import run

ALONE = """
say([device.id for device in jax.devices()], [device.process_index for device in jax.devices()])
say([device.id for device in jax.local_devices()], jax.process_index(), jax.process_count())
say([device.local_hardware_id for device in jax.local_devices()], len(jax.devices()[0].client.local_devices()))
here = jax.local_devices()[1]
say(jnp.dot(jnp.arange(3.0), jnp.ones(3)), jax.jit(lambda x: x * 2, device=here)(jnp.arange(3)).tolist())
say(jax.device_put(1.0, here).devices() == {here}, jnp.ones(2).devices() == {jax.local_devices()[0]})
"""


def test_each_process_sees_all_devices_and_runs_on_its_own(subprocess_environment):
    for process, lines in enumerate(run(subprocess_environment, ALONE)):
        own = list(range(4 * process, 4 * process + 4))
        assert lines == [
            f"{list(range(8))} {[0] * 4 + [1] * 4}",
            f"{own} {process} 2",
            f"{list(range(4))} 4",
            "3.0 [0, 2, 4]",
            "True True",
        ]

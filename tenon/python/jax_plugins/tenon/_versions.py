"""Which versions of JAX this plugin works with. Imports nothing of JAX, so that any version can be told."""

# The oldest that works, and the newest that the tests have passed on (./dev test-versions). Newer ones most likely work,
# but the plugin uses parts of JAX that may change with any release.
OLDEST = "0.10.1"
NEWEST = "0.12.0.1"


def _numbers(version):
    """(0, 10, 2) of "0.10.2.dev20260101"."""
    numbers = []
    for part in version.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def problem(version):
    """What is to be said of JAX of this version, and whether the plugin cannot work with it: ("", False) of good ones."""
    supported = f"this jax-tenon works with JAX {OLDEST} and newer, and was tested up to {NEWEST}"
    if _numbers(version) < _numbers(OLDEST):
        return f"JAX {version} is too old for Tenon: {supported}", True
    if _numbers(version) > _numbers(NEWEST):
        return f"Tenon was not tested with JAX {version}: {supported}", False
    return "", False

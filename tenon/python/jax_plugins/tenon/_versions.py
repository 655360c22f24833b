"""Which versions of JAX this plugin works with. Imports nothing of JAX, so that any version can be told."""

# The oldest and the newest that the tests have passed on (./dev test-versions). The plugin uses parts of JAX that may change
# with any release, so others are refused: with a JAX that it was not made for it might give wrong results.
OLDEST = "0.9.1"
NEWEST = "0.12.0.1"

# Set to 1, it has the plugin start with others, too.
ANY = "TENON_ANY_JAX"


def _numbers(version):
    """(0, 10, 2) of "0.10.2.dev20260101"."""
    numbers = []
    for part in version.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def problem(version):
    """Why the plugin does not work with JAX of this version; "" where it does."""
    if _numbers(OLDEST) <= _numbers(version) <= _numbers(NEWEST):
        return ""
    how = "old" if _numbers(version) < _numbers(OLDEST) else "new"
    return (
        f"JAX {version} is too {how} for Tenon: this jax-tenon works with JAX {OLDEST} to {NEWEST} "
        f"(pip install 'jax>={OLDEST},<={NEWEST}'; {ANY}=1 tries other versions)"
    )

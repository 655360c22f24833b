#!/usr/bin/env python3
"""The conformance programs of one device, on arrays that eight devices have parts of, each program cut for these.

    scripts/cut_conformance.py CONFORMANCE.PY [--group GROUPS] [--only REGEX] [-j N] ...

CONFORMANCE.PY runs the programs and judges the results, with the tolerances of its cases; the arguments are those of its
`run`. Here, each array that a program takes is placed on a mesh of 2 by 4 devices, along dimensions that its name draws,
where they divide evenly. Programs of several devices are cut as they are. Cases that are no single program (their arrays
are on devices that they name) run as they are, too.

Prints how many programs were cut, and of how many an op is computed whole. The exit status is 1 if a case fails, if a
program is not cut, for reasons that are printed, or if none was.
"""

import collections
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import zlib

DEVICES = 8
# Where a worker, which this script is as well, finds what it is run with.
RUNNER = "TENON_CONFORMANCE"


def load_runner(path):
    """The module, whose workers are this script."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("conformance", path)
    runner = importlib.util.module_from_spec(spec)
    sys.modules["conformance"] = runner
    spec.loader.exec_module(runner)
    runner.__file__ = __file__
    return runner


# --------------------------------------------------------------------------
# In a worker
# --------------------------------------------------------------------------


def spec_of(shape, mesh, draw):
    """Gives each axis of the mesh to a dimension that it divides, from a drawn one on."""
    from jax.sharding import PartitionSpec

    axes = [[] for _ in shape]
    left = list(shape)
    for turn, (axis, size) in enumerate(mesh.shape.items()):
        for i in range(len(shape)):
            at = (draw + turn + i) % len(shape)
            if left[at] and left[at] % size == 0:
                axes[at].append(axis)
                left[at] //= size
                break
    return PartitionSpec(*(tuple(each) or None for each in axes))


def placed(tree, name, mesh):
    import jax
    import numpy as np
    from jax.sharding import NamedSharding

    def place(number, leaf):
        is_key = isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        if is_key or not isinstance(leaf, (np.ndarray, jax.Array)):
            return leaf
        draw = zlib.crc32(f"{name} {number}".encode())
        return jax.device_put(leaf, NamedSharding(mesh, spec_of(leaf.shape, mesh, draw)))

    leaves, structure = jax.tree.flatten(tree)
    return jax.tree.unflatten(structure, [place(number, leaf) for number, leaf in enumerate(leaves)])


def cut_inputs(case_type):
    """Lets programs of one device find cut arrays."""
    own = case_type.inputs

    def inputs(case):
        import jax
        import numpy as np
        from jax.sharding import Mesh

        if case.kind != "program" or case.devices != 1 or not case.jit:
            return own(case)
        mesh = Mesh(np.array(jax.devices()[:DEVICES]).reshape(2, DEVICES // 2), ("x", "y"))
        return placed(own(case), case.name, mesh)

    case_type.inputs = inputs


# --------------------------------------------------------------------------
# In the other process
# --------------------------------------------------------------------------


def tell(report):
    """Prints what was cut; how much is not as it should be."""
    programs = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    whole = collections.Counter(each["not_partitioned"] for each in programs if "not_partitioned" in each)
    fallbacks = collections.Counter(
        op for each in programs for op in {fallback["op"] for fallback in each.get("fallbacks", ())}
    )
    cut = len(programs) - whole.total()
    print(f"{cut} programs cut for {DEVICES} devices, {whole.total()} not")
    for reason, count in whole.most_common():
        print(f"  {count} not: {reason}")
    for op, count in fallbacks.most_common():
        print(f"  {count} with {op} computed whole")
    return whole.total() + (not cut)


def main():
    if sys.argv[1] == "worker":
        runner = load_runner(pathlib.Path(os.environ[RUNNER]))
        if "--reference" not in sys.argv:
            cut_inputs(runner.Case)
        return runner.main()
    path = pathlib.Path(sys.argv[1]).resolve()
    os.environ[RUNNER] = str(path)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.jsonl"
        settings = ["--platform", "tenon", "--devices-env", f"TENON_NUM_DEVICES={DEVICES}"]
        for variable in ("TENON_PARTITION=spmd", f"TENON_PARTITION_REPORT={report}"):
            settings += ["--env", variable]
        runner = load_runner(path)
        sys.argv = [str(path), "run", *settings, *sys.argv[2:]]
        failed = runner.main()
        sys.stdout.flush()
        return 1 if tell(report) or failed else 0


if __name__ == "__main__":
    sys.exit(main())

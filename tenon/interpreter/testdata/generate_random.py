"""Writes random.mlir: the bits of rng_bit_generator as XLA's CPU backend gives them.

Needs jax. Run it in this folder after changing it; the file it writes is committed.
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)

CASES = [("THREE_FRY", [1, 2]), ("PHILOX", [1, 2]), ("PHILOX", [1, 2, 3]), ("DEFAULT", [7, 0xFFFFFFFFFFFFFFFF]),
         ("PHILOX", [5, 0xFFFFFFFFFFFFFFFF, 9]), ("THREE_FRY", [0xDEADBEEF12345678, 0xFFFFFFFF])]  # fmt: skip
SHAPES = [(), (5,), (2, 3), (3, 5), (3, 4), (0, 2), (1, 1)]
TYPES = {"ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "i32": np.int32}


def run(algorithm, state, shape, name):
    n = len(state)
    result = "tensor<" + "".join(f"{d}x" for d in shape) + name + ">"
    body = f"""  %0 = stablehlo.constant dense<{state}> : tensor<{n}xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}}
      : (tensor<{n}xui64>) -> (tensor<{n}xui64>, {result})
  return %1#0, %1#1 : tensor<{n}xui64>, {result}"""
    module = f"func.func public @main() -> (tensor<{n}xui64>, {result}) {{\n{body}\n}}"
    backend = jax.devices("cpu")[0].client
    from jaxlib import _jax

    devices = _jax.DeviceList(tuple(backend.devices()[:1]))
    executable = backend.compile_and_load(module, devices, _jax.CompileOptions())
    state, bits = (np.asarray(r[0]) for r in executable.execute_sharded([]).disassemble_into_single_device_arrays())
    return n, result, body, state.tolist(), bits.tolist()


def main():
    with open("random.mlir", "w") as out:
        out.write("// Written by generate_random.py with XLA's CPU backend. Do not edit.\n")
        for i, (algorithm, state) in enumerate(CASES):
            for shape in SHAPES:
                for name in TYPES:
                    if i > 2 and (name not in ("ui32", "ui64") or shape not in ((5,), (3, 5))):
                        continue
                    n, result, body, next_state, bits = run(algorithm, state, shape, name)
                    label = "x".join(map(str, shape)) or "scalar"
                    literal = "" if 0 in shape else bits
                    out.write(f"""
func.func @{algorithm.lower()}_{i}_{label}_{name}() -> (tensor<{n}xui64>, {result}) {{
{body}
}}
// EXPECT: dense<{next_state}> : tensor<{n}xui64>
// EXPECT: dense<{literal}> : {result}
""")


if __name__ == "__main__":
    main()

"""Writes formats.mlir: every code of the small float formats, and rounding into them, as ml_dtypes has it.

Needs numpy and ml_dtypes. Run it in this folder after changing it; the file it writes is committed.
"""

import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")

FORMATS = {  # MLIR's name: (ml_dtypes' type, bits)
    "f4E2M1FN": (ml_dtypes.float4_e2m1fn, 4),
    "f6E2M3FN": (ml_dtypes.float6_e2m3fn, 6),
    "f6E3M2FN": (ml_dtypes.float6_e3m2fn, 6),
    "f8E3M4": (ml_dtypes.float8_e3m4, 8),
    "f8E4M3": (ml_dtypes.float8_e4m3, 8),
    "f8E4M3FN": (ml_dtypes.float8_e4m3fn, 8),
    "f8E4M3FNUZ": (ml_dtypes.float8_e4m3fnuz, 8),
    "f8E4M3B11FNUZ": (ml_dtypes.float8_e4m3b11fnuz, 8),
    "f8E5M2": (ml_dtypes.float8_e5m2, 8),
    "f8E5M2FNUZ": (ml_dtypes.float8_e5m2fnuz, 8),
    "f8E8M0FNU": (ml_dtypes.float8_e8m0fnu, 8),
}


def hex64(values):
    return ", ".join(f"0x{int(v):016X}" for v in np.asarray(values).astype(np.float64).view(np.uint64))


def probes(values):
    """Halfway points between neighbours, their surroundings, and what lies beyond the ends.

    All are f32: ml_dtypes converts an f64 through f32, which rounds twice.
    """
    finite = np.unique(np.abs(values[np.isfinite(values)]))
    middle = ((finite[1:] + finite[:-1]) / 2).astype(np.float32)
    points = np.concatenate([middle, np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(0))])
    top = finite[-1]
    ends = np.array([top, top * 1.01, top * 1.0625, top * 1.125, top * 1.25, top * 2, finite[0], finite[1] / 3, 1e38], np.float32)
    points = np.concatenate([points, ends])
    specials = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    return np.concatenate([points, -points, specials])


def decode(name, dtype, bits):
    codes = np.arange(1 << bits, dtype=np.uint8)
    values = codes.view(dtype).astype(np.float64)
    n = len(codes)
    return values, f"""
func.func @decode_{name}() -> tensor<{n}xf64> {{
  %0 = stablehlo.iota dim = 0 : tensor<{n}xui{bits}>
  %1 = stablehlo.bitcast_convert %0 : (tensor<{n}xui{bits}>) -> tensor<{n}x{name}>
  %2 = stablehlo.convert %1 : (tensor<{n}x{name}>) -> tensor<{n}xf64>
  return %2 : tensor<{n}xf64>
}}
// EXPECT: dense<[{hex64(values)}]> : tensor<{n}xf64>
"""


def encode(name, dtype, points):
    rounded = points.astype(dtype).astype(np.float64)
    n = len(points)
    return f"""
func.func @encode_{name}() -> tensor<{n}xf64> {{
  %0 = stablehlo.constant dense<[{hex64(points)}]> : tensor<{n}xf64>
  %1 = stablehlo.convert %0 : (tensor<{n}xf64>) -> tensor<{n}x{name}>
  %2 = stablehlo.convert %1 : (tensor<{n}x{name}>) -> tensor<{n}xf64>
  return %2 : tensor<{n}xf64>
}}
// EXPECT: dense<[{hex64(rounded)}]> : tensor<{n}xf64>
"""


def main():
    functions = []
    for name, (dtype, bits) in FORMATS.items():
        values, function = decode(name, dtype, bits)
        if bits != 6:  # there is no 6-bit integer to make codes of
            functions.append(function)
        points = probes(values)
        if name == "f8E8M0FNU":  # of subnormal f32 ml_dtypes rounds most up
            points = points[~(np.abs(points) < 2.0**-126) | (points == 0)]
        # ml_dtypes gives the formats without NaN a zero for it; the sign of that is left open.
        if not np.isnan(values).any():
            points = points[~np.isnan(points)]
        functions.append(encode(name, dtype, points))
    with open("formats.mlir", "w") as out:
        out.write("// Written by generate_formats.py with ml_dtypes. Do not edit.\n")
        out.write("".join(functions))


if __name__ == "__main__":
    main()

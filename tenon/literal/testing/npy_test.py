"""npy_test.py NPY_COPY: what Tenon makes of NumPy's files is read by NumPy again."""

import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "from.npy"), pathlib.Path(folder, "to.npy")

        def copy(array, *element_type):
            np.save(source, array)
            subprocess.run([sys.argv[1], source, target, *element_type], check=True)
            return np.load(target)

        values = np.arange(24).reshape(2, 3, 4) - 5
        for name in "? b h i q B H I Q e f d F D".split():
            array = values.astype(name)
            for variant in (array, np.asfortranarray(array), array.astype(array.dtype.newbyteorder(">")), array[:0]):
                result = copy(variant)
                assert result.dtype == array.dtype and result.flags.c_contiguous, name
                np.testing.assert_array_equal(result, variant)
        np.testing.assert_array_equal(copy(np.float64(1.5)), np.float64(1.5))
        for name in ("bfloat16", "float8_e4m3fn", "float4_e2m1fn"):
            dtype = np.dtype(getattr(ml_dtypes, name))
            array = values.astype(dtype)
            short = {"bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn", "float4_e2m1fn": "f4e2m1fn"}[name]
            np.testing.assert_array_equal(copy(array, short).view(dtype), array)
        np.testing.assert_array_equal(copy(values[0].astype(np.int8) % 8, "s4"), values[0] % 8)


main()

"""The end-to-end tests' programs as models, and how far their results may differ from the interpreter's."""

import json
import os
import pathlib
import subprocess

import harness
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHOLE = bool(os.environ.get("TENON_TEST_WHOLE"))


class Programs:
    """The end-to-end tests' programs, as models of one binary each."""

    def __init__(self, folder, sample=1):
        self.folder, self.arguments, self.sources, self.reports = folder, {}, {}, {}
        for path in sorted((ROOT / "test" / "e2e" / "programs").glob("*.mlir"))[::sample]:
            for number, text in enumerate(path.read_text().split("// -----")):
                name = f"{path.stem}_{number}"
                self.sources[name] = folder / f"{name}.mlir"
                self.sources[name].write_text(text)

    def compile(self, *options):
        """Those that need nothing of ours at run time, with arguments for them."""
        for name in list(self.sources):
            command = [harness.TENON, "compile", self.sources[name], "--aot", self.folder, "--report=json", *options]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if "needs Tenon's runtime library" not in result.stderr and "needs LAPACK" not in result.stderr:
                assert result.returncode == 0, result.stderr
                self.reports[name] = json.loads(result.stdout)
                rng = np.random.default_rng(len(name))
                arguments = [harness.make_array(shape, rng) for shape in self.reports[name]["arguments"]]
                if all(argument is not None for argument in arguments):
                    self.arguments[name] = arguments
        assert len(self.arguments) > 0.6 * len(self.sources)

    def expected(self, name, target="cpu"):
        folder = self.folder / f"{name}_{target}"
        return harness.just_in_time(self.sources[name], self.arguments[name], folder, target)


def close(actual, expected, report):
    """Whether the arrays agree as well as two orders of summation do."""
    for a, b, shape in zip(actual, expected, report["results"], strict=True):
        x, y = (harness.from_bytes(data, shape) for data in (a, b))
        if x.dtype.kind in "biu":
            np.testing.assert_array_equal(x, y)
        else:
            eps = {1: 0.15, 2: 2e-2 if "bf16" in shape["type"] else 4e-3, 4: 2e-5, 8: 2e-5}.get(x.dtype.itemsize, 1e-10)
            x, y = (numbers.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for numbers in (x, y))
            magnitudes = np.abs(y[np.isfinite(y)])  # terms of a sum that comes to little are as large as others' sums
            np.testing.assert_allclose(x, y, rtol=eps, atol=eps * max(1, magnitudes.mean() if magnitudes.size else 0))

"""tenon.profile."""

import json

import numpy as np
import pytest

import tenon

PROGRAM = """
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""


@pytest.fixture(scope="module")
def taken():
    square = tenon.compile(PROGRAM)
    x = np.eye(64, dtype=np.float32)
    square(x)
    with tenon.profile() as profile:
        for _ in range(4):
            square(x)
    square(x)
    return profile


def test_counts_what_ran_inside(taken):
    assert taken.data["runs"] == 4 and taken.machine["threads"] >= 1
    (kernel,) = taken.kernels
    assert kernel["calls"] == 4 and kernel["flops"] == 2 * 64**3 and kernel["arithmetic"] == "f32"
    assert kernel["program"] == "main" or kernel["program"] == "program"
    assert 0 < kernel["total_ns"] <= taken.data["run_ns"]
    assert kernel["share_of_limit"] == pytest.approx(kernel["limit_ns"] * 4 / kernel["total_ns"])


def test_forms(taken, tmp_path):
    assert str(taken).startswith("4 runs, ")
    assert json.loads(taken.to_json()) == taken.data
    for name, part in {"p.html": "</html>", "p.trace.json": "traceEvents", "p.json": '"runs": 4', "p.txt": "4 runs, "}.items():
        taken.save(tmp_path / name)
        assert part in (tmp_path / name).read_text()


def test_one_at_a_time():
    profile = tenon.profile()
    with pytest.raises(RuntimeError, match="has not been taken yet"):
        profile.kernels
    with profile:
        with pytest.raises(tenon.Error, match="another profiler"):
            with tenon.profile():
                pass
    assert profile.data["runs"] == 0 and profile.kernels == []
    with pytest.raises(RuntimeError, match="taken once"):
        profile.__enter__()


def test_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError):
        with tenon.profile():
            1 / 0
    with tenon.profile():
        pass

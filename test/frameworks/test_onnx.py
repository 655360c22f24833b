"""Models of ONNX against ONNX Runtime, and what docs/import.md says, line by line."""

import pathlib
import re
import shutil
import subprocess

import numpy as np
import onnxruntime
import pytest
import tenon
from onnx_models import MODELS

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/import.md"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_model(model):
    inputs = model.inputs(np.random.default_rng(1))
    session = onnxruntime.InferenceSession(str(model.file))
    names = [value.name for value in session.get_inputs()]
    expected = session.run(None, {name: np.asarray(value) for name, value in zip(names, inputs)})
    found = tenon.compile(model.file)(*inputs)
    found = found if isinstance(found, tuple) else (found,)
    assert len(found) == len(expected)
    for x, y in zip(found, expected):
        assert x.dtype == y.dtype and x.shape == y.shape
        assert y.size == 1 or np.ptp(y) > 0, "the results would not tell"
        np.testing.assert_allclose(x, y, rtol=0, atol=model.bound * np.max(np.abs(y)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """With the files that the page names."""
    model = next(model for model in MODELS if model.name == "PP-OCRv4 recognition")
    shutil.copy(model.file, tmp_path)
    np.save(tmp_path / "picture.npy", model.inputs(np.random.default_rng(1))[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page(folder, command):
    page = PAGE.read_text()
    (python,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    values = {}
    exec(python, values)
    assert values["text"].shape[:2] == (1, 40)
    lines = re.findall(r"^    (tenon .*)$", page, re.MULTILINE)
    assert [line.split()[1] for line in lines] == ["import", "run", "profile", "compile"]
    for line in lines:
        done = subprocess.run([command, *line.split()[1:]], capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    assert (folder / "out/recognition.o").stat().st_size > 1000

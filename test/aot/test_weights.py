"""Weights that models take from files: safetensors as they are, and the checks of such files and our own."""

import ctypes
import shutil
import subprocess

import harness
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import save_file


def layer(params, x):
    return jnp.tanh(x @ params["layer"]["w"] + params["layer"]["b"]) * params["scale"]


@pytest.fixture
def model(tmp_path):
    """A program whose parameters are in a file: layer.mlirbc, layer.safetensors and the argument that is left."""
    rng = np.random.default_rng(5)
    params = {"layer": {"w": rng.random((8, 4), np.float32), "b": rng.random(4, np.float32)}, "scale": np.float32(3)}
    x = rng.random((2, 8), np.float32)
    exported = jax.export.export(jax.jit(layer), platforms=["cpu"])(params, x)
    (tmp_path / "layer.mlirbc").write_bytes(exported.serialize())
    tensors = {"layer.w": params["layer"]["w"], "layer.b": params["layer"]["b"], "params.scale": params["scale"]}
    tensors["unused"] = np.arange(3, dtype=np.int8)
    save_file({name: np.array(tensor) for name, tensor in tensors.items()}, tmp_path / "layer.safetensors")
    expected = harness.just_in_time(
        tmp_path / "layer.mlirbc", [params["layer"]["b"], params["layer"]["w"], params["scale"], x], tmp_path / "jit"
    )
    return tmp_path, x, expected


def with_file(folder, options=(), **build):
    """Compiles layer.mlirbc with the file of weights. The results of a run."""
    path = folder / "layer.safetensors"
    harness.compile_model(folder / "layer.mlirbc", folder, "--weights", path, *options)
    shutil.copy(path, folder / "layer.weights")
    x = np.fromfile(folder / "x", np.float32)
    return harness.build_and_run(folder, ["layer"], {"layer": [x]}, weights=True, **build)["layer"]


@pytest.mark.parametrize("threads", [0, 2])
def test_safetensors(model, threads):
    folder, x, expected = model
    x.tofile(folder / "x")
    assert with_file(folder, threads=threads) == expected
    header = (folder / "layer.h").read_text()
    assert harness.fields(header, "arguments") == ["x"]
    assert "/* Arguments that they have: 0 (params['layer']['b']), 1 (params['layer']['w']), 2 (params['scale']). */" in header
    size = (folder / "layer.safetensors").stat().st_size
    assert f"#define LAYER_WEIGHTS_BYTES {size}\n" in header


@pytest.mark.skipif(not shutil.which("qemu-arm"), reason="needs qemu-user, libc6-dev-armhf-cross, libgcc-12-dev-armhf-cross")
def test_safetensors_with_addresses_of_32_bits(model):
    folder, x, expected = model
    x.tofile(folder / "x")
    compiler = ("clang-22", "--target=arm-linux-gnueabihf", "-mfpu=vfpv3-d16", "-fuse-ld=lld", "-static")
    options = ("--target-triple", "arm-linux-gnueabihf")
    results = with_file(folder, options, compiler=compiler, runner=("qemu-arm",))
    actual, reference = (np.frombuffer(data[0], np.float32) for data in (results, expected))
    np.testing.assert_allclose(actual, reference, rtol=1e-5)


def load(folder, *options):
    """The model as a shared library, and what it says of a file."""
    harness.compile_model(folder / "layer.mlirbc", folder, "--shared", *options)
    library = ctypes.CDLL(folder / "layer.so")
    library.layer_check_weights.restype = ctypes.c_char_p

    def check(contents, offset=0):
        space = np.empty(len(contents) + 128, np.uint8)
        start = -space.ctypes.data % 64 + offset
        space[start : start + len(contents)] = np.frombuffer(contents, np.uint8)
        return library.layer_check_weights(ctypes.c_void_p(space.ctypes.data + start), ctypes.c_size_t(len(contents)))

    return library, check


def damaged(contents, at):
    return contents[:at] + bytes([contents[at] ^ 1]) + contents[at + 1 :]


def test_wrong_safetensors(model):
    folder, x, _ = model
    path = folder / "layer.safetensors"
    library, check = load(folder, "--weights", path)
    right = path.read_bytes()
    assert check(right) is None
    assert check(right, offset=8) == b"the weights are not there, or not at a multiple of 64"
    assert library.layer_check_weights(None, ctypes.c_size_t(len(right))) == check(right, offset=8)
    size = str(len(right)).encode()
    for length in (len(right) - 1, 70, 20):
        assert check(right[:length]) == b"the weights are truncated: layer.safetensors has " + size + b" bytes"
    assert check(right + b"\0") == b"there are more bytes than the " + size + b" of layer.safetensors"
    for foreign in (b"", right[:8], b"no safetensors, but any text that is longer than a header"):
        assert check(foreign) == b"this is no safetensors file"
    save_file({"w": np.zeros(100, np.float32)}, folder / "other.safetensors")
    other = (folder / "other.safetensors").read_bytes()
    assert check(other) == b"these are not the weights that the model was compiled with, layer.safetensors"
    space = np.empty(library.layer_arena_bytes(1) + 64, np.uint8)
    arena = ctypes.c_void_p(space.ctypes.data + -space.ctypes.data % 64)
    assert library.layer_run(None, None, None, arena) == 3
    for at in (64, len(right) // 2, len(right) - 3, len(right) - 1):
        assert check(damaged(right, at)).startswith(b"the weights are damaged, or another version of layer.safetensors")


def test_wrong_weights_of_our_own(model):
    folder, *_ = model
    numbers = ", ".join(f"{i}.5" for i in range(100))
    program = f"""func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {{
      %0 = stablehlo.constant dense<[{numbers}]> : tensor<100xf32>
      %1 = stablehlo.add %x, %0 : tensor<100xf32>
      return %1 : tensor<100xf32>
    }}"""
    (folder / "layer.mlirbc").write_text(program)
    _, check = load(folder, "--weights", "external")
    right = (folder / "layer.weights").read_bytes()
    assert check(right) is None
    assert check(right[:-64]) == b"the weights are truncated: layer.weights has 512 bytes"
    assert check(b"x" * 512) == b"these are no weights of Tenon's"
    assert check(damaged(right, 20)) == b"these are not the weights that the model was compiled with, layer.weights"
    assert check(damaged(right, 70)).startswith(b"the weights are damaged")


def refused(folder, path, *options):
    command = [harness.TENON, "compile", folder / "layer.mlirbc", "--aot", folder / "refused", "--weights", path, *options]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert result.returncode != 0 and not (folder / "refused").exists()
    return result.stderr


def test_files_that_are_refused(model):
    folder, *_ = model
    path = folder / "layer.safetensors"
    right = path.read_bytes()
    damaged_path = folder / "damaged.safetensors"
    length = 8 + int.from_bytes(right[:8], "little")
    for contents, message in (
        (b"", "damaged.safetensors is no safetensors file"),
        (b"text, and no safetensors", "damaged.safetensors is no safetensors file"),
        (right[: length - 1], f"is truncated: its header takes {length} bytes, and there are {length - 1}"),
        (right[:-1], f"ends at byte {len(right)}, and there are {len(right) - 1}"),
        (right[:9] + b"}" + right[10:], "damaged.safetensors has a header that is no JSON"),
        (right.replace(b'"shape":[8,4]', b'"shape":[8,5]'), "of tensor 'layer.w': its shape takes 160 bytes, its place 128"),
        (right.replace(b'"dtype"', b'"dtyp3"', 1), "says nothing that makes sense of tensor '"),
    ):
        damaged_path.write_bytes(contents)
        assert message in refused(folder, damaged_path)
    save_file({"layer.w": np.zeros((4, 8), np.float32)}, damaged_path)
    message = "tensor 'layer.w' of damaged.safetensors is F32[4,8], and argument 'params['layer']['w']' f32[8,4]"
    assert message in refused(folder, damaged_path)
    save_file({"a": np.zeros(3, np.float32)}, damaged_path)
    message = "no argument of the program has the name of a tensor of damaged.safetensors, as 'a'"
    assert message in refused(folder, damaged_path)
    assert "No such file" in refused(folder, folder / "none.safetensors")
    assert "has no tensor 'none' for argument 'x'" in refused(folder, path, "--bind", "x=none")
    assert "no argument 'y' for tensor 'layer.w'" in refused(folder, path, "--bind", "y=layer.w")
    assert "'x' is not ARGUMENT=TENSOR" in refused(folder, path, "--bind", "x")
    assert "--bind is for --weights FILE.safetensors" in refused(folder, "external", "--bind", "x=y")
    assert "is not embedded, external or a file" in refused(folder, "elsewhere")


def test_tensors_by_other_names(model):
    folder, x, _ = model
    x.tofile(folder / "x")
    path = folder / "layer.safetensors"
    save_file({"b": np.zeros(4, np.float32), "w": np.zeros((8, 4), np.float32)}, path)
    harness.compile_model(folder / "layer.mlirbc", folder, "--weights", path, "--bind", "params['layer']['w']=w")
    assert harness.fields((folder / "layer.h").read_text(), "arguments") == ["params_layer_b", "params_scale", "x"]

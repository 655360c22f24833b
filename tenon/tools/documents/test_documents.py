"""The commands `tenon ...` of the documents, followed literally: each page's in its order, in a folder with the files that
the page speaks of, each ending with the status that docs/command.md promises."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import onnx
import onnx.parser
import pytest
import safetensors.numpy

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = pathlib.Path(os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon"))
PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))]

# Commands that other tests follow, or that need what not every machine has.
ELSEWHERE = {
    "docs/frameworks.md": "",  # test/frameworks
    "docs/import.md": "",
    "docs/server.md": r"\btenon serve\b",  # tenon/server
    "docs/command.md": r"\btenon serve\b|completions/tenon\.fish",
    "docs/gpu.md": r"--target cuda --random\s*$",
}

# The status of a command that does not end with 0, and what it says.
OUTCOMES = [
    (r"tenon reduce ", 1, "there is nothing to keep"),  # the program has no fault
    (r"tenon diff a\.(mlir|json|tenon) ", 2, ""),
    (r"tenon diff compiled reference", (0, 2), ""),
    (r"tenon test-target \./libmine\.so", 1, "add"),  # a target of one operation
    (r"tenon lsp", 1, ""),  # its editor has gone
]

HEAD = "%x: tensor<8x3xf32>, %y: tensor<8x3xf32>"
PLAIN = f"""
func.func @main({HEAD}) -> tensor<8x3xf32> {{
  %0 = stablehlo.add %x, %y : tensor<8x3xf32>
  %1 = stablehlo.tanh %0 : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}}
"""
OPEN_SIZES = PLAIN.replace(HEAD, "%open: tensor<?x3xf32>, %y: tensor<8x3xf32>").replace(
    "  %0", "  %x = stablehlo.convert %open : (tensor<?x3xf32>) -> tensor<8x3xf32>\n  %0")  # fmt: skip
SIZE_AS_ARGUMENT = """
func.func @main(%n: tensor<i64>, %x: tensor<8xf32>) -> tensor<?x8xf32> {
  %rows = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %columns = stablehlo.constant dense<8> : tensor<1xi64>
  %sizes = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %sizes, dims = [1] : (tensor<8xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""
SEVERAL_FUNCTIONS = "".join(PLAIN.replace("@main", f"@{name}") for name in ("predict", "embed", "score"))
ONE_ARGUMENT = PLAIN.replace(HEAD, "%x: tensor<8x3xf32>").replace("%x, %y", "%x, %x")
SUM_OVER_PROCESSES = """
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""
# The program that a command is meant for: the first whose pattern is in it, otherwise PLAIN.
PROGRAMS = [
    (r"--shapes 8x3,-", OPEN_SIZES),
    (r"--constant 0=3", SIZE_AS_ARGUMENT),
    (r"--entry ", SEVERAL_FUNCTIONS),
    (r"--args x\.npy( |$)", ONE_ARGUMENT),
    (r"libmine\.so", PLAIN.replace("tanh %0", "add %0, %0")),
    (r"--partition", (ROOT / "docs/programs/layer_on_a_mesh.mlir").read_text()),
    (r"--weights model\.safetensors", PLAIN),
]
MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
model (float[batch, 3, 224, 224] x, int64 sr) => (float[batch, 3, 224, 224] y) {
  rate = Cast<to = 1>(sr)
  y = Mul(x, rate)
}
"""


def commands(page):
    """Those of the blocks of code, a loop of the shell as one; variables that a block exports are set for what follows in it."""
    fenced, exported, loop = None, [], []
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if fence := re.match(r"```(\w*)", line):
            fenced = (fence[1] or "text") if fenced is None else None
            exported = []
            continue
        if not (fenced in ("text", "sh") or (fenced is None and line.startswith("    "))):
            continue
        text = re.sub(r"(^|\s+)#\s.*$", "", line.strip().removeprefix("$ "))
        if loop or re.match(r"for \w+ in ", text):
            loop.append(text)
            if text == "done":
                yield "\n".join(loop)
                loop = []
        elif text.startswith("export "):
            exported.append(text)
        elif re.match(r"(\w+=\S+ )*tenon ", text):
            yield "\n".join([*exported, text])


@pytest.fixture(scope="module")
def tenon():
    def run(command, folder):
        environment = dict(os.environ, PATH=f"{COMMAND.parent}:{os.environ['PATH']}", TENON_PYTHON=str(ROOT / ".venv/bin/python"))
        environment.setdefault("VIRTUAL_ENV", str(ROOT / ".venv"))  # where NVIDIA's assembler is
        environment["PYTHONPATH"] = str(COMMAND.parent.parent / "python")
        return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    return run


def write_export(path, function, *arguments):
    path.write_bytes(jax.export.export(jax.jit(function))(*arguments).serialize())


@pytest.fixture(scope="module")
def files(tmp_path_factory, tenon):
    """What several pages take for granted."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("a", "b", "x", "y"):
        np.save(folder / f"{name}.npy", np.ones((8, 3), np.float32))
    for name in ("x0", "x1"):
        np.save(folder / f"{name}.npy", np.ones(4, np.float32))
    (folder / "sum.mlir").write_text(SUM_OVER_PROCESSES)
    (folder / "a.mlir").write_text(PLAIN)
    (folder / "b.mlir").write_text(PLAIN.replace("tanh", "sine"))
    shutil.copy(os.environ["TENON_SAMPLE_TARGET"], folder / "libmine.so")
    onnx.save(onnx.parser.parse_model(MODEL), folder / "model.onnx")
    row, weights = jax.ShapeDtypeStruct((1, 64), jnp.float32), {"w": jax.ShapeDtypeStruct((64, 10), jnp.float32)}
    write_export(folder / "digits.exported", lambda images: {"logits": images, "digit": jnp.argmax(images, axis=-1)}, row)
    write_export(folder / "net.exported", jnp.tanh, jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 64"), jnp.float32))
    write_export(folder / "model.exported", lambda params, x: x @ params["w"], weights, row)
    safetensors.numpy.save_file({"w": np.ones((64, 10), np.float32), "y": np.ones((8, 3), np.float32)}, folder / "model.safetensors")
    for name, function in {"encoder": jnp.sin, "decoder": jnp.cos, "qr": jnp.linalg.qr}.items():
        program = jax.export.export(jax.jit(function), platforms=["cpu"])(jax.ShapeDtypeStruct((8, 4), jnp.float32))
        (folder / f"{name}.mlirbc").write_bytes(program.mlir_module_serialized)
    for name in ("a", "b"):
        done = tenon(f"tenon compile {name}.mlir --report=json > {name}.json && tenon compile {name}.mlir -o {name}.tenon", folder)
        assert done.returncode == 0, done.stderr
        json.loads((folder / f"{name}.json").read_text())
    done = tenon("tenon run a.mlir --random --out compiled && tenon run a.mlir --random --target reference --out reference && "
                 "tenon export a.mlir --as bytecode -o program.mlirbc", folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def program_for(page, command):
    if page == "docs/wrong-results.md":
        return (ROOT / "docs/programs/softmax_dense.mlir").read_text()  # as the page says
    return next((program for pattern, program in PROGRAMS if re.search(pattern, command)), PLAIN)


@pytest.mark.parametrize("page", [page for page in PAGES if ELSEWHERE.get(page, "x") and list(commands(page))])
def test_commands(page, tmp_path, files, tenon):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    for name in ("docs", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    if page == "docs/wrong-results.md":
        for name, shape in {"x": (64, 128), "w": (128, 32), "b": (32,)}.items():
            np.save(tmp_path / f"{name}.npy", np.ones(shape, np.float32))
    for command in commands(page):
        if page in ELSEWHERE and re.search(ELSEWHERE[page], command):
            continue
        for name in ("program", "net"):
            (tmp_path / f"{name}.mlir").write_text(program_for(page, command))
        done = tenon(command, tmp_path)
        _, status, text = next((outcome for outcome in OUTCOMES if re.search(outcome[0], command)), (None, 0, ""))
        assert done.returncode in (status if isinstance(status, tuple) else (status,)), f"{page}: {command}\n{done.stdout}{done.stderr}"
        assert text in done.stdout + done.stderr, f"{page}: {command}"


def test_no_page_is_left_out_by_its_form():
    assert sum(len(list(commands(page))) for page in PAGES) > 90

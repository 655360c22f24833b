"""The Python, C and C++ of the documents, as it stands there: each block is run, or, where it is a part of something, compiled."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

import jax
import jax.export
import jax.numpy as jnp
import onnx
import onnx.parser
import pytest

from code_blocks import CPP, ELSEWHERE, PLUGIN, PYTHON, ROOT, blocks, is_code

COMMAND = pathlib.Path(os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon"))
BUILD = COMMAND.parent.parent
PAGES = ["README.md", "tenon/python/README.md", "tenon/python/package/README.md",
         *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))]  # fmt: skip
NET = "func.func @main(%x: tensor<8x3xf32>) -> (tensor<8x3xf32> {jax.result_info = \"y\"}) {\n" \
      "  %0 = stablehlo.tanh %x : tensor<8x3xf32>\n  return %0 : tensor<8x3xf32>\n}\n"  # fmt: skip
MODEL = '<ir_version: 8, opset_import: ["" : 17]>\nmodel (float[1, 3, 224, 224] x) => (float[1, 3, 224, 224] y) { y = Tanh(x) }\n'


def name(block):
    return f"{pathlib.Path(block.page).name}: {block.first[:40]}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "net.mlir").write_text(NET)
    onnx.save(onnx.parser.parse_model(MODEL), tmp_path / "model.onnx")
    images = jax.ShapeDtypeStruct((1, 64), jnp.float32)
    digits = jax.jit(lambda images: {"logits": images[:, :10], "digit": jnp.argmax(images[:, :10], axis=-1).astype(jnp.int32)})
    (tmp_path / "digits.exported").write_bytes(jax.export.export(digits)(images).serialize())
    return tmp_path


def run(command, folder, **environment):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", **environment})
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def text_of(block):
    """From the page, which may have it once."""
    found = [text for _, text in blocks(block.page) if text.split("\n")[0] == block.first]
    assert len(found) == 1, f"{block.page} has {len(found)} blocks that begin with {block.first!r}"
    text = found[0]
    for old, new in block.edits.items():
        assert old in text, f"{block.page}: no {old!r}"
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("block", PYTHON, ids=name)
def test_python(block, folder):
    if block.setup:
        run(["bash", "-c", block.setup], folder)
    (folder / "block.py").write_text(f"{block.before}\n{text_of(block)}\n{block.after}")
    run([sys.executable, "block.py"], folder, PYTHONPATH=str(BUILD / "python"))


@pytest.mark.parametrize("block", PLUGIN, ids=name)
def test_with_the_plugin(block, folder):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    text = text_of(block).replace(":4711", f":{port}")
    (folder / "block.py").write_text(f"{block.before}\n{text}\n{block.after}")
    several = "process_id" in text
    environment = {**os.environ, "JAX_PLATFORMS": "tenon", "TENON_PJRT_LIBRARY": str(BUILD / "lib/libpjrt_tenon.so"),
                   "TENON_NUM_DEVICES": "2" if several else "8", "PYTHONPATH": str(ROOT / "tenon/python")}
    processes = [subprocess.Popen([sys.executable, "block.py", str(i)], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT) for i in range(2 if several else 1)]  # fmt: skip
    for process in processes:
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output


@pytest.fixture
def server():
    process = subprocess.Popen([COMMAND, "serve", "--print-port", "--log-level=warning", "--listen=127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().split()[0]
    process.terminate()
    process.wait(60)


def source(block, text):
    if block.top == "whole":
        return text
    top, inside = block.top, text
    if top == "first":  # what the block includes
        lines = text.split("\n")
        last = max(i for i, line in enumerate(lines) if line.startswith(("#include", "namespace")))
        top, inside = block.before + "\n".join(lines[: last + 1]), "\n".join(lines[last + 1 :])
        return f"{top}\nint main() {{\n{inside}\n{block.after}\nreturn 0;\n}}\n"
    if "TENON_RETURN_IF_ERROR" in text:  # inside the runtime
        return f"{top}\nnamespace tenon::runtime {{\n{block.before}\n{inside}\n{block.after}\n}}\n}}\n"
    return f"{top}\nint main({'void' if block.language == 'c' else ''}) {{\n{block.before}\n{inside}\n{block.after}\nreturn 0;\n}}\n"


@pytest.mark.parametrize("block", CPP, ids=name)
def test_c_and_cpp(block, folder, request):
    text = text_of(block)
    if block.setup == "SERVE":
        text = text.replace(":8470", f":{request.getfixturevalue('server')}")
    elif block.setup:
        run(["bash", "-c", block.setup], folder)
    file = folder / f"block.{block.language}"
    file.write_text(source(block, text))
    compiler = ["cc", "-std=c11"] if block.language == "c" else ["c++", "-std=c++20"]
    includes = [f"-I{ROOT / 'include'}", f"-I{BUILD / 'include'}", f"-I{ROOT}"]
    if not block.run:
        run([*compiler, "-fsyntax-only", *includes, *block.options, file], folder)
        return
    library = [f"-L{BUILD / 'lib'}", f"-Wl,-rpath,{BUILD / 'lib'}", "-ltenon", "-lprotobuf"]
    run([*compiler, *includes, file, *block.options, *library, "-o", "block"], folder)
    run(["./block"], folder)


def test_no_block_is_left_out():
    known = {(block.page, block.first) for block in [*PYTHON, *PLUGIN, *CPP]}
    left_out = []
    for page in PAGES:
        for language, text in blocks(page):
            first = text.split("\n")[0]
            elsewhere = page in ELSEWHERE and language in ("python", "py")
            if is_code(language, text) and (page, first) not in known and not elsewhere:
                left_out.append(f"{page}: {first}")
    assert not left_out, "\n".join(left_out)

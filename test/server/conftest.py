"""A `tenon serve` with models, and a public client. `./dev test-server` installs what they need."""

import os
import pathlib
import subprocess
import time

import pytest

# Rows that do not depend on each other: products, exponentials, and sums along the row.
CLASSIFIER = """
func.func @main(%image: tensor<?x48xf32> loc("image")) -> (tensor<?x10xf32> {jax.result_info = "scores"}) {
  %w = stablehlo.iota dim = 0 : tensor<48x10xf32>
  %v = stablehlo.iota dim = 1 : tensor<48x10xf32>
  %p = stablehlo.multiply %w, %v : tensor<48x10xf32>
  %weights = stablehlo.sine %p : tensor<48x10xf32>
  %logits = stablehlo.dot_general %image, %weights, contracting_dims = [1] x [0] : (tensor<?x48xf32>, tensor<48x10xf32>) -> tensor<?x10xf32>
  %e = stablehlo.exponential %logits : tensor<?x10xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x10xf32>, tensor<f32>) -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %image, dim = 0 : (tensor<?x48xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %ten = stablehlo.constant dense<10> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %ten, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x10xf32>
  %scores = stablehlo.divide %e, %b : tensor<?x10xf32>
  return %scores : tensor<?x10xf32>
}
"""

# Every datatype of the protocol, each given back.
TYPES = {"BOOL": "i1", "UINT8": "ui8", "UINT16": "ui16", "UINT32": "ui32", "UINT64": "ui64", "INT8": "i8", "INT16": "i16",
         "INT32": "i32", "INT64": "i64", "FP16": "f16", "BF16": "bf16", "FP32": "f32", "FP64": "f64"}


def echo_program():
    arguments = ", ".join(f'%{name.lower()}: tensor<?x3x{type}> loc("{name.lower()}")' for name, type in TYPES.items())
    results = ", ".join(f'tensor<?x3x{type}> {{jax.result_info = "{name.lower()}_out"}}' for name, type in TYPES.items())
    values = ", ".join(f"%{name.lower()}" for name in TYPES)
    types = ", ".join(f"tensor<?x3x{type}>" for type in TYPES.values())
    return f"func.func @main({arguments}) -> ({results}) {{\n  return {values} : {types}\n}}\n"


def add_version(folder, model, version, program, config=None):
    """As a deployment does it: whole folders appear under their names."""
    (folder / model).mkdir(exist_ok=True)
    if config is not None:
        (folder / model / "config.json").write_text(config)
    made = folder / model / f".{version}"
    made.mkdir()
    (made / "model.mlir").write_text(program)
    made.rename(folder / model / str(version))


class Server:
    def __init__(self, folder, *options):
        self.process = subprocess.Popen(
            [os.environ["TENON_COMMAND"], "serve", "--print-port", "--log-level=warning", "--listen=127.0.0.1:0",
             "--http=127.0.0.1:0", f"--models={folder}", *options], stdout=subprocess.PIPE, text=True)
        port, _, http_port = self.process.stdout.readline().split()
        self.grpc, self.http = f"127.0.0.1:{port}", f"127.0.0.1:{http_port}"

    def end(self):
        self.process.terminate()
        return self.process.wait(60)


def wait_until(holds):
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it has not come about in a minute")


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """A server that looks at its folder only when it is asked to; folder and server."""
    folder = tmp_path_factory.mktemp("models")
    add_version(folder, "classifier", 1, CLASSIFIER,
                '{"max_batch_size": 8, "dynamic_batching": {"max_queue_delay_microseconds": 20000}}')
    add_version(folder, "echo", 1, echo_program())
    server = Server(folder, "--model-poll=0")
    yield folder, server
    assert server.end() == 0

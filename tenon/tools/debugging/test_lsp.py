"""`tenon lsp`, driven as an editor does: over its standard input and output."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon")
HANG = 600  # seconds, far above what a busy machine may take
URI = "file:///program.mlir"
PROGRAM = """func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @double(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %s = stablehlo.multiply %r, %a : tensor<4xf32>
  return %s : tensor<4xf32>
}
"""


class Server:
    def __init__(self):
        self.process = subprocess.Popen(
            [TENON, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.number = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            key, _, value = line.partition(b":")
            if key.lower() == b"content-length":
                length = int(value)
        assert length, self.process.stderr.read().decode()
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        answer = self.receive()
        assert answer["id"] == self.number
        return answer

    def ask(self, method, line, character, **more):
        params = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}, **more}
        return self.request(f"textDocument/{method}", params)["result"]

    def open(self, text):
        """Opens a document; its diagnostics."""
        document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        return self.diagnostics()

    def change(self, text):
        params = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": text}]}
        self.send({"method": "textDocument/didChange", "params": params})
        return self.diagnostics()

    def diagnostics(self):
        message = self.receive()
        assert message["method"] == "textDocument/publishDiagnostics"
        return message["params"]["diagnostics"]

    def end(self):
        """Ends in order; what was written to stderr."""
        assert self.request("shutdown", None)["result"] is None
        self.send({"method": "exit"})
        assert self.process.wait(timeout=HANG) == 0
        return self.process.stderr.read().decode()


@pytest.fixture
def server():
    server = Server()
    capabilities = server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["result"]
    assert capabilities["capabilities"]["hoverProvider"]
    yield server
    server.process.kill()
    server.process.wait()


def test_diagnostics_name_the_rule(server):
    broken = PROGRAM.replace("call @double(%a) :", "stablehlo.transpose %a, dims = [1] :")
    (diagnostic,) = server.open(broken)
    assert "transpose_c2" in diagnostic["message"]
    assert diagnostic["range"]["start"]["line"] == 5
    assert server.change(PROGRAM) == []
    (diagnostic,) = server.change(PROGRAM.replace("%r, %a", "%unknown, %a"))
    assert "undeclared SSA value" in diagnostic["message"]
    assert server.end() == ""


def test_hover_definition_references(server):
    assert server.open(PROGRAM) == []
    hover = server.ask("hover", 6, 10)["contents"]["value"]
    assert "stablehlo.multiply" in hover and "tensor<4xf32>" in hover
    (definition,) = server.ask("definition", 6, 28)
    assert definition["uri"] == URI and definition["range"]["start"] == {"line": 5, "character": 2}
    (function,) = server.ask("definition", 5, 13)
    assert function["range"]["start"]["line"] == 0
    references = server.ask("references", 4, 16, context={"includeDeclaration": True})
    assert [r["range"]["start"]["line"] for r in references] == [4, 5, 6]
    server.end()


def test_completion(server):
    server.open(PROGRAM.replace("stablehlo.multiply %r, %a : tensor<4xf32>", "stablehlo."))
    items = server.ask("completion", 6, 17)["items"]
    assert {"dot_general", "multiply"} <= {item["label"].removeprefix("stablehlo.") for item in items}
    server.end()


def test_every_dialect_and_older_texts(server):
    assert server.open("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  %0 = chlo.erf %x : tensor<f32> -> tensor<f32>\n"
                       "  return %0 : tensor<f32>\n}\nsdy.mesh @mesh = <[\"x\"=2]>\n") == []
    # The StableHLO specification's spelling, which MLIR's parser does not know.
    assert server.change("stablehlo.func @main(%x: tensor<2xsi32>) -> tensor<2xsi32> {\n"
                         "  stablehlo.return %x : tensor<2xsi32>\n}\n") == []
    server.end()


def test_places_that_are_not_there(server):
    server.open(PROGRAM)
    for line, character in [(10**9, 0), (0, 10**9), (2**31 - 1, 2**31 - 1), (-1, -1)]:
        for method in ["hover", "definition", "completion"]:
            server.ask(method, line, character)
    assert server.request("textDocument/hover", {"textDocument": 3})["error"]["code"] == -32602
    assert server.request("textDocument/nothing", {})["error"]["code"] == -32601
    server.end()


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100000, b"3", b"null", b'{"jsonrpc":"1.0","id":1}',
                                  b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","method":7}'])
def test_bad_messages_are_dropped(server, body):
    server.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert server.open(PROGRAM) == []
    assert "tenon lsp: error: a message" in server.end()


def test_deep_programs_are_dropped(server):
    params = {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": "tuple<" * 100000}}
    server.send({"method": "textDocument/didOpen", "params": params})
    assert server.open(PROGRAM) == []
    assert "nest too deep" in server.end()


@pytest.mark.parametrize("input", [b"hello\r\n\r\n", b"Content-Length: -3\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n",
                                   b"Content-Length: 10\r\n\r\n{}", b"\r\n", b"Content-Length", b"x" * 100000])
def test_bad_framing_ends_it(input):
    run = subprocess.run([TENON, "lsp"], input=input, capture_output=True, timeout=HANG)
    assert run.returncode == 1
    assert b"tenon lsp: error: " in run.stderr


def test_end_of_input():
    run = subprocess.run([TENON, "lsp"], input=b"", capture_output=True, timeout=HANG)
    assert run.returncode == 1  # nobody said shutdown

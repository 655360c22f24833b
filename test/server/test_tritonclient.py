"""The public client tritonclient against `tenon serve`, over HTTP and over gRPC."""

import concurrent.futures

import ml_dtypes
import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from conftest import CLASSIFIER, TYPES, add_version, wait_until

VALUES = {
    "BOOL": np.array([[True, False, True]]),
    **{name: np.array([[np.iinfo(name.lower()).min, 1, np.iinfo(name.lower()).max]], name.lower())
       for name in TYPES if "INT" in name},
    "FP16": np.array([[-0.0, 6e-8, 65504]], np.float16),
    "BF16": np.array([[-0.0, 1.5, 3e38]], ml_dtypes.bfloat16),
    "FP32": np.array([[-0.0, 1e-45, 3.4e38]], np.float32),
    "FP64": np.array([[-0.0, 5e-324, 1.7e308]], np.float64),
}


@pytest.fixture(params=["http", "grpc"])
def kind(request):
    return getattr(tritonclient, request.param)


@pytest.fixture
def client(kind, served):
    server = served[1]
    client = kind.InferenceServerClient(getattr(server, kind.__name__.split(".")[-1]), **(
        {"concurrency": 8} if kind is tritonclient.http else {}))
    wait_until(client.is_server_ready)
    yield client
    client.close()


def tensor(kind, name, values, datatype="FP32", **binary):
    given = kind.InferInput(name, list(values.shape), datatype)
    given.set_data_from_numpy(values, **binary)
    return given


def as_dict(kind, message):
    """Both clients give dictionaries, this one if it is asked."""
    return {"as_json": True} if kind is tritonclient.grpc else {}


def images(rows, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, 48)).astype(np.float32)


def scores(kind, client, values, **options):
    return client.infer("classifier", [tensor(kind, "image", values)], **options).as_numpy("scores")


def expected_scores(values):
    weights = np.sin(np.arange(48, dtype=np.float32)[:, None] * np.arange(10, dtype=np.float32))
    e = np.exp(values.astype(np.float64) @ weights)
    return e / e.sum(axis=1, keepdims=True)


def test_health_and_metadata(kind, client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("classifier") and client.is_model_ready("classifier", "1")
    options = as_dict(kind, None)
    server = client.get_server_metadata(**options)
    assert server["name"] == "tenon" and {"model_repository", "statistics"} <= set(server["extensions"])
    model = client.get_model_metadata("classifier", **options)
    assert model["versions"] == ["1"] and model["platform"] == "stablehlo"
    assert [(t["name"], t["datatype"], [int(s) for s in t["shape"]]) for t in model["inputs"] + model["outputs"]] == [
        ("image", "FP32", [-1, 48]), ("scores", "FP32", [-1, 10])]


def test_infer(kind, client):
    values = images(3)
    result = client.infer("classifier", [tensor(kind, "image", values)], request_id="mine")
    np.testing.assert_allclose(result.as_numpy("scores"), expected_scores(values), rtol=1e-4)
    response = result.get_response() if kind is tritonclient.http else result.get_response(as_json=True)
    assert (response["id"], response["model_name"], response["model_version"]) == ("mine", "classifier", "1")


@pytest.mark.parametrize("sends", [True, False])
@pytest.mark.parametrize("takes", [True, False])
def test_every_datatype_over_http(served, sends, takes):
    with tritonclient.http.InferenceServerClient(served[1].http) as client:
        wait_until(lambda: client.is_model_ready("echo"))
        # The client sends these two as binary data alone.
        inputs = [tensor(tritonclient.http, name.lower(), VALUES[name], name, binary_data=sends or name in ("FP16", "BF16"))
                  for name in TYPES]
        outputs = [tritonclient.http.InferRequestedOutput(f"{name.lower()}_out", binary_data=takes) for name in TYPES]
        result = client.infer("echo", inputs, outputs=outputs)
        for name in TYPES:
            found = np.asarray(result.as_numpy(f"{name.lower()}_out"), VALUES[name].dtype)
            assert found.tobytes() == VALUES[name].tobytes(), name


def test_every_datatype_over_grpc(served):
    with tritonclient.grpc.InferenceServerClient(served[1].grpc) as client:
        wait_until(lambda: client.is_model_ready("echo"))
        result = client.infer("echo", [tensor(tritonclient.grpc, name.lower(), VALUES[name], name) for name in TYPES])
        for name in TYPES:
            assert result.as_numpy(f"{name.lower()}_out").tobytes() == VALUES[name].tobytes(), name


def test_compressed_bodies(served):
    with tritonclient.http.InferenceServerClient(served[1].http) as client:
        result = client.infer("classifier", [tensor(tritonclient.http, "image", images(2))],
                              request_compression_algorithm="gzip", response_compression_algorithm="gzip")
        np.testing.assert_allclose(result.as_numpy("scores"), expected_scores(images(2)), rtol=1e-4)


# Bits of a row do not depend on who else is in the batch.
def test_batches_give_the_bits_of_single_requests(kind, client, served):
    values = images(40, seed=1)
    alone = [scores(kind, client, row[None]) for row in values]
    before = statistics(kind, client)

    def ask(row):
        with kind.InferenceServerClient(getattr(served[1], kind.__name__.split(".")[-1])) as own:
            return scores(kind, own, row[None])

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        together = list(pool.map(ask, values))
    for one, other in zip(alone, together):
        assert one.tobytes() == other.tobytes()
    after = statistics(kind, client)
    assert int(after["inference_count"]) - int(before["inference_count"]) == 40
    assert int(after["execution_count"]) - int(before["execution_count"]) < 40, "some ran together"
    assert b"".join(scores(kind, client, values[i:i + 8]).tobytes() for i in range(0, 40, 8)) == b"".join(
        one.tobytes() for one in alone)


def statistics(kind, client):
    found = client.get_inference_statistics("classifier", "1", **as_dict(kind, None))
    return found["model_stats"][0]


def test_statistics(kind, client):
    scores(kind, client, images(2))
    found = statistics(kind, client)
    assert int(found["inference_count"]) >= 2 and int(found["inference_stats"]["success"]["count"]) >= 1
    assert any(int(batch["batch_size"]) == 2 for batch in found["batch_stats"])


@pytest.mark.parametrize("model,inputs,message", [
    ("nothing", [("image", images(1), "FP32")], "there is no model 'nothing'"),
    ("../classifier", [("image", images(1), "FP32")], ""),
    ("classifier", [("picture", images(1), "FP32")], "the request has no input 'image'"),
    ("classifier", [], "the request has no input 'image', which must be FP32[-1,48]"),
    ("classifier", [("image", images(1), "FP32"), ("more", images(1), "FP32")], "the model has no input 'more'"),
    ("classifier", [("image", images(1).astype(np.float64), "FP64")], "must be FP32[-1,48], and is FP64[1,48]"),
    ("classifier", [("image", images(1)[:, :47], "FP32")], "must be FP32[-1,48], and is FP32[1,47]"),
    ("classifier", [("image", images(1)[0], "FP32")], "and is FP32[48]"),
    ("classifier", [("image", images(9), "FP32")], "a request may have 1 to 8"),
    ("classifier", [("image", np.array([b"text"], object), "BYTES")], "BYTES"),
])
def test_requests_that_are_wrong(kind, client, model, inputs, message):
    with pytest.raises(InferenceServerException) as error:
        client.infer(model, [tensor(kind, *given) for given in inputs])
    assert message in str(error.value)
    assert client.is_server_live()


def test_outputs_that_there_are_not(kind, client):
    with pytest.raises(InferenceServerException, match="the model has no output 'else'"):
        client.infer("classifier", [tensor(kind, "image", images(1))], outputs=[kind.InferRequestedOutput("else")])
    with pytest.raises(InferenceServerException, match="does not know: 'sequence_id'|does not know: 'sequence"):
        client.infer("classifier", [tensor(kind, "image", images(1))], sequence_id=3)


def test_versions_and_the_repository(kind, client, served):
    folder, name = served[0], f"versions_{kind.__name__.split('.')[-1]}"

    def program(number):
        return (f"func.func @main(%x: tensor<2xf32> loc(\"x\")) -> tensor<2xf32> {{\n  %c = stablehlo.constant dense<{number}.0> : "
                "tensor<2xf32>\n  %y = stablehlo.multiply %x, %c : tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n")

    def run(version=""):
        x = tensor(kind, "x", np.array([1, 2], np.float32))
        return client.infer(name, [x], model_version=version).as_numpy("output_0").tolist()

    def state():
        index = client.get_model_repository_index(**as_dict(kind, None))
        return {(m["name"], m["version"]): m["state"] for m in (index if isinstance(index, list) else index["models"])
                if m["name"] == name}

    add_version(folder, name, 1, program(1))
    with pytest.raises(InferenceServerException, match="there is no model"):
        run()
    client.load_model(name)
    assert run() == [1, 2] and state() == {(name, "1"): "READY"}
    # A version that cannot be served leaves the one before it serving.
    add_version(folder, name, 2, "func.func @main( {")
    with pytest.raises(InferenceServerException):
        client.load_model(name)
    assert run() == [1, 2] and state() == {(name, "1"): "READY", (name, "2"): "UNAVAILABLE"}
    (folder / name / "2" / "model.mlir").write_text(program(2))
    client.load_model(name)
    assert run() == [2, 4] and state() == {(name, "2"): "READY"}
    with pytest.raises(InferenceServerException, match="serves no version 1"):
        run("1")
    (folder / name / "config.json").write_text('{"version_policy": {"all": {}}}')
    client.load_model(name)
    assert run("1") == [1, 2] and run("2") == [2, 4] and run() == [2, 4]
    client.unload_model(name)
    assert not client.is_model_ready(name)
    with pytest.raises(InferenceServerException, match="it is unloaded"):
        run()
    client.load_model(name)
    assert run() == [2, 4]
    with pytest.raises(InferenceServerException):
        client.load_model("not_there")
    with pytest.raises(InferenceServerException, match="folder alone|does not know|at most"):
        client.load_model(name, config="{}")


def test_new_versions_are_taken_when_they_appear(tmp_path):
    from conftest import Server
    add_version(tmp_path, "classifier", 1, CLASSIFIER, '{"max_batch_size": 2}')
    server = Server(tmp_path, "--model-poll=0.05")
    with tritonclient.http.InferenceServerClient(server.http) as client:
        wait_until(lambda: client.is_model_ready("classifier", "1"))
        add_version(tmp_path, "classifier", 3, CLASSIFIER)
        wait_until(lambda: client.is_model_ready("classifier", "3"))
        assert client.infer("classifier", [tensor(tritonclient.http, "image", images(1))]).get_response()["model_version"] == "3"
    assert server.end() == 0

"""The memory plan that `tenon compile --memory` reports: what is alive together lies apart, and adds up."""

import json
import os
import pathlib
import subprocess
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon")
PROGRAMS = ["attention", "branches_in_scan", "cache_update_loop", "gather_scatter", "lstm_scan", "mlp_gradient",
            "nested_loops", "optimizer_step"]


def memory(program, output):
    run = subprocess.run([TENON, "compile", program, "--memory", output], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return output.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_hold_together(name, tmp_path):
    plan = json.loads(memory(ROOT / f"test/e2e/programs/{name}.mlir", tmp_path / "plan.json"))
    arena = [buffer for buffer in plan["buffers"] if buffer["offset"] is not None]
    live = [0] * (2 * len(plan["steps"]))
    for i, buffer in enumerate(arena):
        assert buffer["kind"] in ("temporary", "workspace") and (buffer["values"] or buffer["kind"] == "workspace")
        assert 0 <= buffer["offset"] and buffer["offset"] + buffer["size"] <= plan["arena_bytes"]
        for begin, end in buffer["live"]:
            assert 2 * buffer["first_step"] <= begin <= end <= 2 * buffer["last_step"] + 1
            for half in range(begin, end + 1):
                live[half] += buffer["size"]
            for other in arena[:i]:
                if any(begin <= last and first <= end for first, last in other["live"]):
                    assert (buffer["offset"] + buffer["size"] <= other["offset"]
                            or other["offset"] + other["size"] <= buffer["offset"]), (buffer, other)
    assert [step["live_bytes"] for step in plan["steps"]] == [max(pair) for pair in zip(live[::2], live[1::2])]
    assert plan["peak_bytes"] == max(live) <= plan["arena_bytes"]
    assert plan["steps"][plan["peak_step"]]["live_bytes"] == plan["peak_bytes"]
    assert sum(buffer["size"] for buffer in arena if buffer["alive_at_peak"]) == plan["peak_bytes"]
    # Whatever a kernel's place in the program, its results are somewhere.
    assert {"kernel", "return"} <= {step["kind"] for step in plan["steps"]}
    assert all(value["location"] for buffer in arena for value in buffer["values"])


def test_arguments_and_results(tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text("""func.func @main(%x: tensor<8xf32> loc("x"), %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  %0 = stablehlo.add %x, %c : tensor<8xf32>
  return %0, %y : tensor<8xf32>, tensor<8xf32>
}""")
    plan = json.loads(memory(program, tmp_path / "plan.json"))
    assert (plan["argument_bytes"], plan["result_bytes"], plan["arena_bytes"]) == (64, 64, 0)
    names = [buffer["name"] for buffer in plan["buffers"] if buffer["kind"] != "constant"]
    assert names == ["argument 0 (x)", "argument 1 (y)", "result 0"]


def test_nothing_at_all(tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text("func.func @main() { return }")
    plan = json.loads(memory(program, tmp_path / "plan.json"))
    assert plan["peak_step"] == -1 and plan["peak_bytes"] == 0 and plan["buffers"] == []
    xml.etree.ElementTree.fromstring(memory(program, tmp_path / "plan.svg"))
    assert "memory: arena 0 B" in memory(program, tmp_path / "plan.txt")


def test_pictures_are_xml_whatever_programs_say(tmp_path):
    program = tmp_path / "program.mlir"
    name = '</title><script>x</script>&amp;]]>\\01\\FE\\00'
    program.write_text(f"""func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    loc("{name}":1:2)
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}}""")
    root = xml.etree.ElementTree.fromstring(memory(program, tmp_path / "plan.svg"))
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any("</title><script>x</script>&amp;]]>" in title for title in titles)
    assert not list(root.iter("script"))
    json.loads(memory(program, tmp_path / "plan.json"))

"""`tenon profile`: the numbers, the trace, and the page in Chromium."""

import json
import os
import pathlib
import subprocess

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from test_view import LSTM, ROOT, TENON, Page, browser  # noqa: F401 (a fixture)

LOOP = """
func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64x64xf32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %d = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
         %j = stablehlo.add %i, %one : tensor<i32>
         stablehlo.return %j, %d : tensor<i32>, tensor<64x64xf32> }
  return %0#1 : tensor<64x64xf32>
}
"""


def profile(program, *options, environment=None):
    run = subprocess.run([TENON, "profile", program, *options], capture_output=True, text=True,
                         env={**os.environ, **(environment or {})})
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("threads", ["1", "2"])
def test_numbers_add_up(tmp_path, threads):
    data = json.loads(profile(LSTM, "--repeat", "5", "--json", environment={"TENON_NUM_THREADS": threads}))
    assert data["runs"] == 5 and data["machine"]["threads"] == int(threads)
    assert data["kernels"]
    for kernel in data["kernels"]:
        assert kernel["calls"] % 5 == 0, kernel
        assert kernel["calls"] * kernel["shortest_ns"] <= kernel["total_ns"] <= data["run_ns"]
        assert kernel["total_ns"] <= kernel["busy_ns"] * kernel["threads"]
        assert 1 <= kernel["threads"] <= int(threads) and 0 <= kernel["waiting"] <= 1
        if kernel["flops"]:
            rate = kernel["flops"] * kernel["calls"] / kernel["total_ns"] * 1e9
            assert kernel["flops_per_second"] == pytest.approx(rate)
        share = kernel["limit_ns"] * kernel["calls"] / kernel["total_ns"]
        assert kernel["share_of_limit"] == pytest.approx(share)
    together = sum(kernel["total_ns"] for kernel in data["kernels"])
    assert data["run_ns"] - data["between_ns"] == together  # one after the other
    assert [kernel["total_ns"] for kernel in data["kernels"]] == sorted(
        (kernel["total_ns"] for kernel in data["kernels"]), reverse=True)


def test_kernels_of_a_loop_are_called_at_each_turn(tmp_path):
    program = tmp_path / "loop.mlir"
    program.write_text(LOOP)
    data = json.loads(profile(program, "--constant", "1=7", "--repeat", "2", "--json"))
    [product] = [kernel for kernel in data["kernels"] if kernel["flops"] == 2 * 64**3]
    assert product["calls"] == 2 * 7
    assert product["source"].endswith("loop.mlir:8") and product["arithmetic"] == "f32"
    assert product["bytes_accessed"] == 3 * 64 * 64 * 4


def test_types_of_arithmetic(tmp_path):
    program = tmp_path / "types.mlir"
    program.write_text("""
func.func @main(%a: tensor<64x64xbf16>, %b: tensor<64xbf16>, %c: tensor<64xf64>, %d: tensor<64xf32>)
    -> (tensor<64x64xbf16>, tensor<64xbf16>, tensor<64xi1>, tensor<64xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = stablehlo.add %b, %b : tensor<64xbf16>
  %2 = stablehlo.compare LT, %c, %c : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xi1>
  %3 = stablehlo.exponential %d : tensor<64xf32>
  return %0, %1, %2, %3 : tensor<64x64xbf16>, tensor<64xbf16>, tensor<64xi1>, tensor<64xf32>
}
""")
    report = json.loads(subprocess.run([TENON, "compile", program, "--report=json"], capture_output=True, check=True).stdout)
    found = {kernel["location"].rsplit(":", 2)[1]: kernel for kernel in report["kernels"]}
    assert [found[line]["arithmetic"] for line in "4567"] == ["bf16", "f32", "f64", "invalid"]
    assert found["7"]["transcendentals"] == 64 and found["7"]["flops"] == 0


def test_trace(tmp_path):
    path = tmp_path / "lstm.trace.json"
    profile(LSTM, "--repeat", "2", "--trace", path)
    events = json.loads(path.read_text())["traceEvents"]
    runs = [event for event in events if event["name"].startswith("run ")]
    assert len(runs) == 2
    kernels = [event for event in events if event.get("cat") == "kernel"]
    assert kernels
    for event in kernels:
        assert event["args"]["kernel"] and event["dur"] >= 0
        assert any(run["ts"] <= event["ts"] and event["ts"] + event["dur"] <= run["ts"] + run["dur"] + 0.001 for run in runs)


@pytest.fixture
def page(browser, tmp_path):  # noqa: F811
    path = tmp_path / "lstm.html"
    profile(LSTM, "--repeat", "3", "--html", path)
    shown = Page(browser, path)
    yield shown
    shown.check_log()


def table(page):
    return page.browser.execute_script(
        "return [...document.querySelectorAll('#kernels tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")


def test_page_shows_every_kernel(page):
    data = json.loads(page.browser.execute_script("return document.getElementById('data').textContent"))
    rows = table(page)
    assert [row[8] for row in rows] == [kernel["name"] for kernel in data["kernels"]]
    moving = [kernel for kernel in data["kernels"] if kernel["bytes_accessed"]]
    assert len(page.all("#roofline circle")) == len(moving) > 0
    for circle in page.all("#roofline circle"):
        assert 0 <= float(circle.get_attribute("cx")) <= 1000 and 0 <= float(circle.get_attribute("cy")) <= 460
    assert "3 runs in" in page.one("#summary").text
    assert len(page.all("#machine tr")) == len(data["machine"]["throughputs"]) + len(data["machine"]["bandwidths"])


def test_page_sorts_and_chooses(page):
    page.click("#kernels th:nth-child(9)")
    names = [row[8] for row in table(page)]
    assert names == sorted(names)
    page.click("#kernels th:nth-child(9)")
    assert [row[8] for row in table(page)] == sorted(names, reverse=True)
    page.click("#roofline circle")
    assert len(page.all("#kernels tr.chosen")) == 1


def test_page_timeline(page):
    canvas = page.one("#timeline")
    pixels = """
        const canvas = document.getElementById('timeline');
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return data.filter((value, i) => i % 4 === 3 && value > 0).length"""
    before = page.browser.execute_script(pixels)
    assert before > 0
    page.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    ActionChains(page.browser).move_to_element_with_offset(canvas, 100, -20).perform()
    page.browser.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -800, clientX: box.left + 700, clientY: box.top + 10, cancelable: true}))",
        canvas)
    assert page.browser.execute_script("return to - from < end")
    page.browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('dblclick'))", canvas)
    assert page.browser.execute_script("return from === 0 && to === end")

"""The pages of `tenon view`, opened in Chromium: what is shown, found, folded and zoomed."""

import json
import os
import pathlib
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon")
LSTM = ROOT / "test/e2e/programs/lstm_scan.mlir"
INPUTS = ROOT / "tenon/tools/test/Inputs"

# Seconds, far above what a busy machine may take: what runs that long hangs.
HANG = 600


def view(program, output, *options):
    return subprocess.run([TENON, "view", program, "-o", output, *options], capture_output=True, text=True)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1500,950"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.command_executor.client_config.timeout = HANG
    driver.set_page_load_timeout(HANG)
    yield driver
    driver.quit()


class Page:
    def __init__(self, browser, path):
        self.browser = browser
        browser.get(path.as_uri())

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.browser.execute_script(
            "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1}))", self.one(selector))

    def names(self):
        """The first lines of the nodes that are drawn."""
        return self.browser.execute_script(
            "return [...document.querySelectorAll('.node > text.name')].map(text => text.textContent)")

    def find(self, text):
        self.one("#search").send_keys(Keys.CONTROL, "a")
        self.one("#search").send_keys(text)

    def scale(self):
        return float(self.one("#world").get_attribute("transform").split("scale(")[1].rstrip(")"))

    def stage(self, name):
        Select(self.one("#stage")).select_by_visible_text(name)

    def check_log(self):
        assert [entry for entry in self.browser.get_log("browser") if entry["level"] != "DEBUG"] == []


@pytest.fixture
def lstm(browser, tmp_path):
    path = tmp_path / "lstm.html"
    run = view(LSTM, path)
    assert run.returncode == 0, run.stderr
    page = Page(browser, path)
    yield page
    page.check_log()


def test_shows_the_last_stage(lstm):
    assert Select(lstm.one("#stage")).first_selected_option.text == "fuse"
    names = lstm.names()
    assert any(name.startswith("while") for name in names)
    assert lstm.all(".node.open") and lstm.all(".node.folded") and lstm.all(".edge")
    assert "kernels" in lstm.one("#panel").text and "products" in lstm.one("#legend").text
    lstm.stage("import")
    assert lstm.names() != names


def test_folds(lstm):
    before = len(lstm.names())
    toggle = lstm.one(".node.folded").get_attribute("data-id")
    lstm.click(f'[data-toggle="{toggle}"]')
    assert "open" in lstm.one(f'[data-id="{toggle}"]').get_attribute("class")
    assert len(lstm.names()) > before
    lstm.click(f'[data-toggle="{toggle}"]')
    assert len(lstm.names()) == before
    ActionChains(lstm.browser).double_click(lstm.one(f'[data-id="{toggle}"] > text')).perform()
    assert len(lstm.names()) > before
    lstm.click("#fold")
    assert len(lstm.all(".node.open")) <= 1
    lstm.click("#unfold")
    assert lstm.all(".node.open")


def test_searches(lstm):
    lstm.click("#fold")
    lstm.find("tanh")
    assert "found" in lstm.one("#count").text and lstm.one("#count").text != "0 found"
    assert not any(name.startswith("tanh") for name in lstm.names())
    assert lstm.all(".node.holds-match")
    lstm.one("#search").send_keys(Keys.ENTER)
    assert lstm.one("#count").text.startswith("1 of ")
    assert "match" in lstm.one(".node.selected").get_attribute("class")
    assert any(name.startswith("tanh") for name in lstm.names())
    titles = [title.text for title in lstm.all("#panel h2")]  # what was found, then the list
    assert titles[0].startswith("stablehlo.tanh") and titles[1].endswith("found")
    lstm.find("no such thing")
    assert lstm.one("#count").text == "0 found" and not lstm.all(".node.match")
    lstm.one("#search").send_keys(Keys.ESCAPE)
    assert lstm.one("#count").text == ""


def test_zooms_and_pans(lstm):
    before = lstm.scale()
    lstm.click("#in")
    assert lstm.scale() > before
    lstm.browser.execute_script(
        "document.getElementById('canvas').dispatchEvent(new WheelEvent('wheel', {deltaY: 500, cancelable: true}))")
    assert lstm.scale() < before
    lstm.click("#fit")
    assert lstm.scale() == pytest.approx(before)
    place = lstm.one("#world").get_attribute("transform")
    ActionChains(lstm.browser).move_to_element_with_offset(lstm.one("#canvas"), -300, 0).click_and_hold() \
        .move_by_offset(50, 30).release().perform()
    assert lstm.one("#world").get_attribute("transform") != place


def test_describes_what_is_clicked(lstm):
    lstm.click(".node[data-id] .node.folded")  # a part of an array, which needs no kernel
    panel = lstm.one("#panel").text
    assert "Reads" in panel and "Kernel" not in panel
    lstm.click(".node[data-id] .node.folded ~ .node.folded")
    panel = lstm.one("#panel").text
    assert "Reads" in panel and "Kernel" in panel and "flops" in panel
    assert lstm.all(".flow")
    lstm.one("#panel a").click()
    assert lstm.one(".node.selected")


def test_memory_and_themes(lstm):
    lstm.click("#show-memory")
    assert lstm.all("#memory .buffer") and not lstm.one("#graph").is_displayed()
    assert "temporary" in lstm.one("#memory .buffer title").get_attribute("textContent")
    lstm.click("#memory .buffer")
    assert lstm.one("#graph").is_displayed()
    lstm.click("#theme")
    assert lstm.one("html").get_attribute("data-theme") == "dark"
    lstm.click("#theme")
    assert lstm.one("html").get_attribute("data-theme") == "light"


def devices(browser, program, path):
    run = view(program, path, "--partition")
    assert run.returncode == 0, run.stderr
    page = Page(browser, path)
    page.click("#show-devices")
    assert page.one("#devices").is_displayed() and not page.one("#graph").is_displayed()
    return page


def facts(page):
    return {fact.find_element(By.TAG_NAME, "span").text: fact.find_element(By.TAG_NAME, "b").text
            for fact in page.all("#cut .fact")}


def rows(page):
    return [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in page.all("#cut tr")[1:]]


def test_how_a_program_is_cut(browser, tmp_path):
    page = devices(browser, INPUTS / "tensor_parallel.mlir", tmp_path / "cut.html")
    assert facts(page) == {"devices": "8", "received by a device in a run": "10.0 KiB", "collectives in a run": "2",
                           "computed whole": "0", "arguments of a device": "12.0 KiB", "results of a device": "12.0 KiB",
                           "temporary on a device": facts(page)["temporary on a device"]}
    assert [row[:9] for row in rows(page)] == [
        ["all_reduce", "partial sum", "model", "4", "4.0 KiB", "6.0 KiB", "1", "6.0 KiB", "tensor_parallel.mlir:10:10"],
        ["all_gather", "required", "data", "2", "4.0 KiB", "4.0 KiB", "1", "4.0 KiB", "tensor_parallel.mlir:12:5"]]
    # A bar shows what it is made of alone, until it is clicked again.
    page.click("#cut .bar[title^=required]")
    assert [row[0] for row in rows(page)] == ["all_gather"] and len(page.all("#cut .bar.on")) == 1
    page.click("#cut .bar.on")
    assert len(rows(page)) == 2
    # Each array's tiles, and each device in the colour of what it has.
    cards = page.all("#arrays svg > g")
    assert len(cards) == 5
    colors = [[{part.get_attribute("fill") for part in card.find_elements(By.CSS_SELECTOR, f"{kind}.tile")}
               for kind in ("rect", "path")] for card in cards]
    assert [len(tiles) for tiles, _ in colors] == [2, 4, 4, 2, 0] and all(tiles == places for tiles, places in colors)
    # Lines lead into the graph.
    page.click("#cut td a")
    assert page.one("#graph").is_displayed()
    assert "dot_general" in page.one("#panel").text and "tensor_parallel.mlir:10" in page.one("#search").get_attribute("value")
    page.check_log()


def test_what_is_computed_whole(browser, tmp_path):
    page = devices(browser, INPUTS / "cut_loop.mlir", tmp_path / "loop.html")
    assert facts(page)["computed whole"] == "1" and page.all("#cut .fact.bad")
    (warning,) = page.all("#cut .warning")
    assert "sort" in warning.text and "cut_loop.mlir:20" in warning.text
    in_all = [row[7] for row in rows(page)]
    page.click("#cut th button")
    assert sorted(in_all) == sorted(row[7] for row in rows(page)) and rows(page)[0][6] == "1"
    page.check_log()


def test_programs_that_are_not_cut(browser, tmp_path):
    assert "for one device" in view(LSTM, tmp_path / "a.html", "--partition").stderr
    text = (INPUTS / "tensor_parallel.mlir").read_text()
    program = tmp_path / "maximum.mlir"
    sharding = '%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]'
    assert sharding in text
    program.write_text(text.replace(sharding, sharding + ', unreduced=max{"model"}'))
    page = devices(browser, program, tmp_path / "maximum.html")
    assert "a part of its array's max" in page.one("#cut .warning").text and not rows(page)
    path = tmp_path / "whole.html"
    assert view(INPUTS / "tensor_parallel.mlir", path).returncode == 0  # without --partition
    page = Page(browser, path)
    assert not page.one("#show-devices").is_displayed()
    page.check_log()


def test_every_stage(browser, tmp_path):
    path = tmp_path / "all.html"
    assert view(LSTM, path, "--after", "all").returncode == 0
    page = Page(browser, path)
    stages = [option.text for option in Select(page.one("#stage")).options]
    assert stages[0] == "import" and stages[-1] == "fuse" and len(stages) > 5
    for stage in stages:
        page.stage(stage)
        assert page.names()
    page.check_log()


HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">{{data}}&amp;\u2028'


def test_hostile_text(browser, tmp_path):
    program = tmp_path / "<b>&{{title}}.mlir"
    quoted = json.dumps(HOSTILE, ensure_ascii=False)
    program.write_text(f"""func.func @main(%x: tensor<4xf32> loc({quoted})) -> tensor<4xf32> {{
  %0 = stablehlo.custom_call @{quoted}(%x) {{backend_config = {quoted}}} : (tensor<4xf32>) -> tensor<4xf32> loc({quoted})
  %1 = stablehlo.add %0, %x : tensor<4xf32> loc("{"a" * 5000}")
  %2 = stablehlo.multiply %1, %0 : tensor<4xf32> loc("\\01\\FF\\00bytes")
  return %2 : tensor<4xf32>
}}""")
    path = tmp_path / "hostile.html"
    run = view(program, path)
    assert run.returncode == 0, run.stderr
    page = Page(browser, path)
    assert page.browser.execute_script("return window.hacked") is None
    assert page.all("img") == []
    assert page.one("#title").text.endswith("<b>&{{title}}.mlir")
    page.find("onerror")
    page.one("#search").send_keys(Keys.ENTER)
    page.one("#search").send_keys(Keys.ESCAPE)
    assert HOSTILE.strip("\u2028") in page.one("#panel").get_attribute("textContent")
    page.click("#show-memory")
    assert page.browser.execute_script("return window.hacked") is None
    page.check_log()


def test_thousands_of_ops(browser, tmp_path):
    """Folded, so that it is on the screen soon; the last op is found inside of its groups."""
    lines = ["  %c = stablehlo.constant dense<2.0> : tensor<8xf32>", "  %0 = stablehlo.add %x, %c : tensor<8xf32>"]
    for i in range(1, 20000):
        op = ["add", "multiply", "maximum"][i % 3]
        lines.append(f'  %{i} = stablehlo.{op} %{i - 1}, %{max(0, i - 7)} : tensor<8xf32> loc("net/block{i // 500}/{op}")')
    program = tmp_path / "long.mlir"
    program.write_text("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n" + "\n".join(lines)
                       + "\n  return %19999 : tensor<8xf32>\n}\n")
    path = tmp_path / "long.html"
    assert view(program, path, "--after", "import").returncode == 0
    page = Page(browser, path)
    assert 10 <= len(page.names()) <= 100
    assert any(name.startswith("block39") for name in page.names())
    page.find("%19999")
    page.one("#search").send_keys(Keys.ENTER)
    WebDriverWait(browser, HANG).until(lambda _: page.all(".node.selected"))
    assert "stablehlo.multiply" in page.one("#panel h2").text and "%19999" in page.one("#panel").text
    page.check_log()


def layers():
    """Twelve layers of five operations, and what comes behind them. All of them read the weights."""
    lines, value = ["  %s = stablehlo.add %x, %x : tensor<8x8xf32>"], "%s"
    for i in range(12):
        for j, op in enumerate(["dot_general", "add", "tanh", "maximum", "multiply"]):
            types, other = "tensor<8x8xf32>", "%w"
            if op == "dot_general":
                text = f'"stablehlo.dot_general"({value}, %w) {{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}} : ({types}, {types}) -> {types}'  # fmt: skip
            else:
                text = f"stablehlo.{op} {value}" + ("" if op == "tanh" else f", {other}") + f" : {types}"
            value = f"%v{i}_{j}"
            lines.append(f'  {value} = {text} loc("jit(f)/{"jit(relu)" if op == "maximum" else "jit(dense)"}/{op}")')
    for i, other in enumerate(["%w", "%w", "%w", "%w", "%t3", "%w"]):
        lines.append(f"  %t{i} = stablehlo.add {value}, {other} : tensor<8x8xf32>")
        value = f"%t{i}"
    return ("func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {\n" + "\n".join(lines)
            + f"\n  return {value} : tensor<8x8xf32>\n}}\n")


def test_finds_layers(tmp_path):
    """Equal stretches are groups, also where names of functions come again in each."""
    program = tmp_path / "layers.mlir"
    program.write_text(layers())
    path = tmp_path / "layers.json"
    run = view(program, path, "--after", "import")
    assert run.returncode == 0, run.stderr
    nodes = json.loads(path.read_text())["stages"][0]["nodes"]
    runs = [i for i, node in enumerate(nodes) if node["kind"] == "run"]
    assert [nodes[i]["name"].split(":")[0] for i in runs] == [f"{i + 1} of 12" for i in range(12)]
    assert all(sum(node["parent"] == i for node in nodes) == 5 for i in runs)


def test_arrows_stay_in_their_boxes(browser, tmp_path):
    program, path = tmp_path / "layers.mlir", tmp_path / "layers.html"
    program.write_text(layers())
    assert view(program, path, "--after", "import").returncode == 0
    page = Page(browser, path)
    arrows, outside = browser.execute_script("""
        const arrows = [...document.querySelectorAll('.node.open')].flatMap(node => {
          const box = node.querySelector(':scope > rect').getBBox();
          return [...node.querySelectorAll(':scope > .edge')].map(edge => [edge.getBBox(), box]);
        });
        return [arrows.length, arrows.filter(([edge, box]) => edge.x < box.x || edge.x + edge.width > box.x + box.width).length];
        """)
    assert arrows > 20 and outside == 0
    page.check_log()


def test_runs_of_kernels_are_named_after_products(tmp_path):
    types = "tensor<8x8xf32>"
    dot = '"stablehlo.dot_general"({}, %w) {{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}} : ({}, {}) -> {}'  # fmt: skip
    lines = [f"  %d{i} = {dot.format(f'%v{i}', types, types, types)}\n  %v{i + 1} = stablehlo.maximum %d{i}, %w : {types}" for i in range(60)]
    program, path = tmp_path / "products.mlir", tmp_path / "products.json"
    program.write_text(f"func.func @main(%v0: {types}, %w: {types}) -> {types} {{\n" + "\n".join(lines)
                       + f"\n  return %v60 : {types}\n}}\n")
    assert view(program, path, "--after", "fuse").returncode == 0
    runs = [node["name"] for node in json.loads(path.read_text())["stages"][0]["nodes"] if node["kind"] == "run"]
    assert len(runs) > 3 and all(name.startswith("dot_general (") for name in runs)


def test_fits_what_is_very_long(browser, tmp_path):
    lines = [f"  %{i + 1} = stablehlo.add %{i}, %{i} : tensor<8xf32>" for i in range(1500)]
    program = tmp_path / "chain.mlir"
    program.write_text("func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {\n" + "\n".join(lines)
                       + "\n  return %1500 : tensor<8xf32>\n}\n")
    path = tmp_path / "chain.html"
    assert view(program, path, "--after", "import").returncode == 0
    page = Page(browser, path)
    browser.execute_script("stage.nodes.forEach((node, id) => stage.unfolded.add(id)); stage.boxes.clear(); draw();")
    page.click("#fit")
    height, window = browser.execute_script(
        "return [world.getBoundingClientRect().height, canvas.getBoundingClientRect().height]")
    assert len(page.names()) > 1500 and 0 < height <= window
    page.check_log()


def test_json(tmp_path):
    path = tmp_path / "lstm.json"
    assert view(LSTM, path).returncode == 0
    stages = json.loads(path.read_text())["stages"]
    assert [stage["name"] for stage in stages] == ["import", "fuse"]
    nodes = stages[1]["nodes"]
    assert all(node["parent"] < index for index, node in enumerate(nodes))
    kernels = [node for node in nodes if "kernel" in node]
    assert kernels and all(node["kind"] == "op" for node in kernels)
    for node in kernels:  # each is on the op that it is of
        if node["name"] == "tenon.fusion":
            kind = dict(node["attributes"])["kind"].removeprefix("#tenon<fusion_kind ").removesuffix(">")
            assert node["kernel"]["name"].startswith(kind + "_"), node
        else:
            assert node["name"].split(".")[1] in node["kernel"]["name"], node


def test_times(browser, tmp_path):
    path = tmp_path / "lstm.json"
    run = view(LSTM, path, "--time=3", "--seed", "5")
    assert run.returncode == 0, run.stderr
    first, last = json.loads(path.read_text())["stages"]
    assert not any("kernel" in node and "time" in node["kernel"] for node in first["nodes"])
    times = [node["kernel"]["time"] for node in last["nodes"] if "time" in node.get("kernel", {})]
    assert times and all(time["ns"] > 0 and time["calls"] > 0 for time in times)
    assert sum(time["share"] for time in times) == pytest.approx(1)
    page = tmp_path / "lstm.html"
    assert view(LSTM, page, "--time").returncode == 0
    page = Page(browser, page)
    assert "Most time" in page.one("#panel").text and "share of the time" in page.one("#legend").text
    widest = max(float(bar.get_attribute("width")) for bar in page.all("rect.heat"))
    assert widest > 2
    kernel = browser.execute_script("return stage.nodes.findIndex(({kernel}) => kernel && kernel.time)")
    browser.execute_script("select(arguments[0], true)", kernel)
    assert " of a run" in page.one("#panel").text
    page.check_log()


def test_times_of_given_arguments(tmp_path):
    numpy = pytest.importorskip("numpy")
    program, x = tmp_path / "open.mlir", tmp_path / "x.npy"
    program.write_text("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}""")
    numpy.save(x, numpy.ones(77, numpy.float32))
    path = tmp_path / "open.json"
    assert view(program, path, "--time", "--args", x).returncode == 0
    kernel = next(node["kernel"] for node in json.loads(path.read_text())["stages"][1]["nodes"] if "kernel" in node)
    assert kernel["bytes"] == 2 * 77 * 4 and kernel["time"]["calls"] == 1
    assert "requires" in view(program, path, "--args", x).stderr
    assert "dynamic shape" in view(program, path, "--time").stderr


def test_programs_that_cannot_be_compiled(tmp_path):
    program = tmp_path / "bad.mlir"
    program.write_text("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}""")
    path = tmp_path / "bad.json"
    run = view(program, path)
    assert run.returncode == 1 and "error" in run.stderr
    assert [stage["name"] for stage in json.loads(path.read_text())["stages"]] == ["import"]


def test_errors(tmp_path):
    assert "no stage is named 'x'" in view(LSTM, tmp_path / "a.html", "--after", "x").stderr
    assert "writes .html or .json" in view(LSTM, tmp_path / "a.png").stderr
    assert view(tmp_path / "none.mlir", tmp_path / "a.html").returncode == 1
    assert not (tmp_path / "a.html").exists()

"""The documentation's site: every link leads somewhere, the reference has what the headers declare, and the search finds it."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", ROOT / "build/release"))
sys.path.insert(0, str(ROOT / "scripts"))

from site_mlir import MlirLexer  # noqa: E402
from site_reference import header_page, python_page  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    subprocess.run([sys.executable, ROOT / "scripts/build_site.py", "--output", folder, "--build", BUILD], check=True)
    return folder


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,900"]:
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options)
    yield driver
    driver.quit()


def test_every_link_leads_somewhere(site):
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', path.read_text())) for path in site.rglob("*.html")}
    assert len(anchors) > 60
    for path in anchors:
        for link in re.findall(r'\b(?:href|src)="([^"]+)"', path.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            file = (path.parent / target).resolve() if target else path
            assert file.is_file(), f"{path}: {link}"
            assert not anchor or anchor in anchors[file], f"{path}: {link}"


def test_the_reference_has_every_function_of_c(site):
    for header in (ROOT / "include/tenon/c").glob("*.h"):
        functions = re.findall(r"^TENON_API [^;]*?\b(tenon_\w+)\(", header.read_text(), re.MULTILINE)
        page = (site / f"reference/c/{header.stem}.html").read_text()
        for function in functions:
            assert f'id="{function}"' in page, f"{header.name}: {function}"


def test_search_finds_sections(site, browser):
    browser.get((site / "index.html").as_uri())
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    browser.switch_to.active_element.send_keys("tenon_client_connect")
    links = WebDriverWait(browser, 20).until(lambda b: b.find_elements(By.CSS_SELECTOR, "#found a"))
    assert links[0].get_attribute("href").endswith("reference/c/client.html#tenon_client_connect")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(browser, 20).until(lambda b: b.current_url.endswith("#tenon_client_connect"))
    assert browser.find_element(By.ID, "tenon_client_connect").is_displayed()
    browser.find_element(By.ID, "search").send_keys("nothing_that_is_there")
    WebDriverWait(browser, 20).until(lambda b: "Nothing has all" in b.find_element(By.ID, "found").text)


def test_the_list_of_pages_is_closed_in_narrow_windows(site, browser):
    for width, is_open in (500, False), (1400, True):
        browser.set_window_size(width, 900)
        browser.get((site / "index.html").as_uri())
        assert browser.find_element(By.CSS_SELECTOR, "#pages li a").is_displayed() == is_open
        scrolled = "return document.querySelector('nav').scrollWidth - document.querySelector('nav').clientWidth"
        assert browser.execute_script(scrolled) <= 0


def test_programs_have_colours():
    programs = sorted((ROOT / "docs").rglob("*.mlir")) + sorted((ROOT / "test/e2e/programs").glob("*.mlir"))[:50]
    assert len(programs) > 10
    for program in programs:
        wrong = [text for kind, text in MlirLexer().get_tokens(program.read_text()) if kind is Error]
        assert not wrong, f"{program}: {wrong[:5]}"
    tokens = {text: kind for kind, text in MlirLexer().get_tokens("%0 = stablehlo.add %x, 0xFF80 : tensor<2x?xf32> // why")}
    assert tokens["stablehlo.add"] is Name.Builtin and tokens["%0"] is Name.Variable and tokens["f32"] is Keyword.Type
    assert tokens["0xFF80"] is Number.Hex and tokens["2x?x"] is Number.Integer and tokens["// why"] is Comment.Single


HEADER = """// What it is about.
#pragma once

#include "other.h"

namespace tenon {

class Known; // elsewhere

// A pair.
//   Pair p(1);
class TENON_API Pair {
public:
  // Makes one.
  explicit Pair(int x) : x_(x) {
    go();
  }
  // The first, of `x`.
  int first() const;

private:
  // Nobody's business.
  int x_;
};

// Adds them.
template <typename T>
int add(const Pair &pair, T other = {});

// How many.
#define PAIRS 3

// Two of them.
typedef struct two {
  int a, b;
} two;

} // namespace tenon
"""


def test_headers_become_sections():
    page = header_page("pair.h", HEADER, "cpp")
    assert re.findall(r"^#+ .*$", page, re.MULTILINE) == ["# pair.h", "## Pair", "### Pair::Pair", "### Pair::first", "## add", "## PAIRS", "## two"]
    assert "What it is about." in page and "    Pair p(1);" in page and "The first, of `x`." in page
    assert "class Pair\n" in page and "typedef struct two {\n  int a, b;\n} two;\n" in page
    assert "explicit Pair(int x);" in page and "go();" not in page
    assert "Nobody" not in page and "x_" not in page


def test_stubs_become_sections():
    stub = 'class A:\n    """An A."""\n    @property\n    def b(self) -> int:\n        """Its b."""\n    def _c(self): ...\n'
    page = python_page(stub, ['def f(x: int = 1, *, y) -> A:\n    """Makes an A."""\n'], ["A", "f"])
    assert re.findall(r"^#+ .*$", page, re.MULTILINE) == ["# The Python package tenon", "## A", "### A.b", "## f"]
    assert "def f(x: int=1, *, y) -> A" in page and "@property\ndef b(self) -> int" in page and "Makes an A." in page
    with pytest.raises(SystemExit, match="nothing describes tenon.g"):
        python_page(stub, [], ["A", "g"])

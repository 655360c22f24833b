#!/usr/bin/env python3
"""Builds the documentation as a site of static pages: the documents, the reference of the C++, C and Python interfaces
from headers and stubs, and a search that needs no server.

    scripts/build_site.py [--output build/site] [--build build/release]

Links between documents become links between pages, those to other files of the project pages that show them. What leads
nowhere is an error. The stubs of Python are those of the build folder.
"""

import argparse
import ast
import html
import json
import pathlib
import re
import shutil
import sys

import pygments
from markdown_it import MarkdownIt
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound
from site_mlir import MlirLexer
from site_reference import header_page, python_page

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ROOT / "scripts/site"

# The documents, in the order of the navigation. Each document of docs/ is in one of these (checked).
GROUPS = {
    "Start": ["README.md", "docs/command.md", "tenon/python/README.md", "docs/python.md", "docs/cpp.md", "docs/c.md", "docs/builder.md", "docs/operations.md", "docs/aot.md",
              "docs/server.md", "docs/import.md", "docs/frameworks.md", "docs/environment.md", "docs/supported.md", "docs/versions.md"],
    "Evidence": ["docs/accuracy.md", "docs/fuzzing.md", "docs/benchmarks.md", "docs/benchmarks-gpu.md", "docs/status.md", "docs/inventory.md", "docs/semantics.md"],
    "Looking inside": ["docs/debugging.md", "docs/wrong-results.md", "docs/profiling.md", "docs/memory.md", "docs/compile-time.md",
                       "docs/kernel-cache.md"],
    "Several devices": ["docs/partitioning.md", "docs/layer-on-a-mesh.md", "docs/processes.md", "docs/gpu.md"],
    "The compiler": ["docs/architecture.md", "docs/worked-example.md", "docs/fusion.md", "docs/kernel-plan.md", "docs/glossary.md",
                     "docs/adding-an-op.md", "docs/adding-an-element-type.md", "docs/adding-a-pass.md", "docs/adding-a-target.md"],
    "The project": ["CHANGELOG.md", "CONTRIBUTING.md", "docs/conventions.md", "SECURITY.md"],
}  # fmt: skip


def highlighted_by(find, key, code):
    """The code as HTML in the colours of the lexer that `find` has for the key, without any where it has none."""
    try:
        lexer = find(key)
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return pygments.highlight(code, lexer, HtmlFormatter(nowrap=True))


def highlighted(code, language):
    return highlighted_by(lambda name: MlirLexer() if name == "mlir" else get_lexer_by_name(name), language or "text", code)


def highlighted_file(path, text):
    return highlighted_by(lambda name: MlirLexer() if name.endswith(".mlir") else get_lexer_for_filename(name), path, text)


def slug(heading, taken):
    """As GitHub names headings, so that links in the documents hold in both places."""
    name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    number = taken.get(name, 0)
    taken[name] = number + 1
    return f"{name}-{number}" if number else name


class Page:
    """A document or a part of the reference: Markdown, and where its page is."""

    def __init__(self, source, url, text, group):
        self.source, self.url, self.text, self.group = source, url, text, group
        self.title, self.anchors, self.sections, self.body = source, set(), [], ""

    @property
    def root(self):
        return "../" * self.url.count("/")


class Site:
    def __init__(self, output, build):
        self.output, self.build = output, build
        self.pages = {}  # by source
        self.shown = {}  # other files that documents link to: url by path
        self.wrong = []
        self.markdown = MarkdownIt("commonmark", {"html": True, "highlight": lambda code, language, _: highlighted(code, language)})
        self.markdown.enable("table")

    def collect(self):
        documents = [name for names in GROUPS.values() for name in names]
        for path in sorted((ROOT / "docs").glob("*.md")):
            if f"docs/{path.name}" not in documents:
                self.wrong.append(f"docs/{path.name} is in no group of scripts/build_site.py")
        for group, names in GROUPS.items():
            for name in names:
                if not (ROOT / name).is_file():
                    self.wrong.append(f"scripts/build_site.py: there is no {name}")
                    continue
                url = "index.html" if name == "README.md" else name.removesuffix(".md").lower() + ".html"
                self.pages[name] = Page(name, url, (ROOT / name).read_text(encoding="utf-8"), group)
        self.collect_reference()

    def collect_reference(self):
        for folder, group, language in [("include/tenon", "C++ reference", "cpp"), ("include/tenon/c", "C reference", "c")]:
            for path in sorted((ROOT / folder).glob("*.h")):
                name = str(path.relative_to(ROOT))
                text = header_page(name.removeprefix("include/"), path.read_text(encoding="utf-8"), language)
                self.pages[name] = Page(name, f"reference/{name.removeprefix('include/tenon/').removesuffix('.h')}.html", text, group)
        package = ROOT / "tenon/python/package/tenon"
        stub = self.build / "python/tenon/_tenon.pyi"
        if not stub.is_file():
            self.wrong.append(f"{stub} is not there: build the target tenon_python_package")
            return
        public = next(ast.literal_eval(node.value) for node in ast.parse((package / "__init__.py").read_text()).body
                      if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")  # fmt: skip
        files = [*sorted(package.glob("_*.py")), package / "importing/__init__.py"]
        sources = [path.read_text(encoding="utf-8") for path in files]
        modules = [name for name in public if (stub.parent / f"{name}.py").is_file()]
        for name in modules:
            self.collect_module(name, stub.parent / f"{name}.py")
        text = python_page(stub.read_text(encoding="utf-8"), sources, [name for name in public if name not in modules])
        self.pages["tenon.pyi"] = Page("tenon.pyi", "reference/python.html", text, "Python reference")

    def collect_module(self, name, path):
        text = path.read_text(encoding="utf-8")
        public = [node.name for node in ast.parse(text).body
                  if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")]  # fmt: skip
        page = f"tenon.{name}.pyi"
        url = f"reference/python.{name}.html"
        self.pages[page] = Page(page, url, python_page(text, [], public, f"The Python module tenon.{name}"), "Python reference")

    def target(self, page, link):
        """Where a link of a document leads on the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        source = (ROOT / page.source).parent / path if path else ROOT / page.source
        name = str(source.resolve().relative_to(ROOT)) if source.resolve().is_relative_to(ROOT) else ""
        if not source.exists() or not name:
            self.wrong.append(f"{page.source}: {link} is not there")
            return link
        if name in self.pages:
            self.links.append((page, name, anchor))
            return page.root + self.pages[name].url + (f"#{anchor}" if anchor else "")
        if source.is_dir():
            return self.folder(page, name)
        if source.suffix in (".png", ".svg", ".jpg"):
            self.shown[name] = name
            return page.root + name
        self.shown[name] = f"source/{name}.html"
        return page.root + self.shown[name]

    def folder(self, page, name):
        """A folder is its README, else the list of its files."""
        readme = f"{name}/README.md"
        if (ROOT / readme).is_file():
            self.shown[readme] = f"source/{readme}.html"
            return page.root + self.shown[readme]
        self.shown[name] = f"source/{name}/index.html"
        return page.root + self.shown[name]

    def render(self, page):
        tokens = self.markdown.parse(page.text)
        taken = {}
        heading, anchor, words = page.title, "", []
        page.sections = []
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                content = "".join(child.content for child in tokens[i + 1].children)
                name = slug(content, taken)
                token.attrSet("id", name)
                if words or page.sections:
                    page.sections.append((heading, anchor, " ".join(words)))
                if token.tag == "h1" and not page.anchors:
                    page.title = content
                heading, anchor, words = content, name, []
                page.anchors.add(name)
            for child in token.children or []:
                self.redirect(page, child)
                if child.type in ("text", "code_inline"):
                    words.append(child.content)
            if token.type in ("fence", "code_block"):
                words.append(token.content)
        page.sections.append((heading, anchor, " ".join(words)))
        page.body = self.markdown.renderer.render(tokens, self.markdown.options, {})

    def redirect(self, page, token):
        for attribute in ("href", "src"):
            if link := token.attrGet(attribute):
                token.attrSet(attribute, self.target(page, link))

    def navigation(self, current):
        parts = []
        for group in dict.fromkeys(page.group for page in self.pages.values()):
            parts.append(f"<h2>{html.escape(group)}</h2>\n<ul>")
            for page in self.pages.values():
                if page.group == group:
                    here = ' class="here"' if page is current else ""
                    parts.append(f'<li><a{here} href="{current.root}{page.url}">{html.escape(page.title)}</a></li>')
            parts.append("</ul>")
        return "\n".join(parts)

    def write_page(self, page):
        template = (PARTS / "page.html").read_text(encoding="utf-8")
        version = re.search(r"project\(Tenon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        values = {"title": html.escape(page.title), "root": page.root, "version": version,
                  "navigation": self.navigation(page), "body": page.body}  # fmt: skip
        text = re.sub(r"@(\w+)@", lambda match: values[match.group(1)] if match.group(1) in values else match.group(0), template)
        path = self.output / page.url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_shown(self):
        for name, url in sorted(self.shown.items()):
            path = self.output / url
            path.parent.mkdir(parents=True, exist_ok=True)
            if url == name:
                shutil.copy(ROOT / name, path)
                continue
            page = Page(name, url, "", "")
            page.title = name
            if (ROOT / name).is_dir():
                files = sorted(file.name for file in (ROOT / name).iterdir())
                page.body = f"<h1>{html.escape(name)}</h1>\n<ul>" + "".join(f"<li>{html.escape(file)}</li>" for file in files) + "</ul>"
            else:
                code = highlighted_file(name, (ROOT / name).read_text(encoding="utf-8", errors="replace"))
                page.body = f"<h1>{html.escape(name)}</h1>\n<pre><code>{code}</code></pre>"
            self.write_page(page)

    def write_index(self):
        sections = [{"page": page.title, "heading": heading, "url": page.url + (f"#{anchor}" if anchor else ""), "text": text}
                    for page in self.pages.values() for heading, anchor, text in page.sections]  # fmt: skip
        (self.output / "index.js").write_text("const siteIndex = " + json.dumps(sections) + ";\n", encoding="utf-8")

    def check_anchors(self):
        for page, name, anchor in self.links:
            if anchor and anchor not in self.pages[name].anchors:
                self.wrong.append(f"{page.source}: {name} has no heading #{anchor}")

    def write(self):
        self.links = []
        self.collect()
        for page in self.pages.values():
            self.render(page)
        self.check_anchors()
        if self.wrong:
            sys.exit("\n".join(self.wrong))
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir(parents=True)
        for page in self.pages.values():
            self.write_page(page)
        self.write_shown()
        self.write_index()
        style = "\n".join([(PARTS / "site.css").read_text(), *self.code_styles()])
        (self.output / "site.css").write_text(style, encoding="utf-8")
        shutil.copy(PARTS / "search.js", self.output / "search.js")

    @staticmethod
    def code_styles():
        light = HtmlFormatter(style="default").get_style_defs("pre")
        dark = HtmlFormatter(style="github-dark").get_style_defs("pre")
        # The paper of code is the page's, and a word that a lexer does not know is no error of the document's.
        left_out = re.compile(r"^pre (\{|\.err).*$", re.MULTILINE)
        return [left_out.sub("", light), "@media (prefers-color-scheme: dark) {\n" + left_out.sub("", dark) + "\n}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/site")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    site = Site(options.output, options.build)
    site.write()
    print(f"{len(site.pages)} pages: {options.output}/index.html")


if __name__ == "__main__":
    main()

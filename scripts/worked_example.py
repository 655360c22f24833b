#!/usr/bin/env python3
"""Writes what the compiler prints into the documents: in those of PAGES, the block after each

    <!-- shown: WHAT of PROGRAM -->

up to <!-- /shown -->. WHAT is `source`, `stages` (which of them change the program), the name of a stage (the program
after it), `report`, `memory`, `cut` (how it is cut for its devices, but for the list of arrays), or `llvm KERNEL: BLOCK ...`
(some blocks of a kernel). Pictures that the compiler draws are written, too. Code is for x86-64-v3, whatever the machine is.

    scripts/worked_example.py            # with build/release/bin/tenon
    scripts/worked_example.py --check    # changes nothing; fails where a page is not what would be written
"""

import argparse
import difflib
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("docs/worked-example.md", "docs/fusion.md", "docs/kernel-plan.md", "docs/layer-on-a-mesh.md")
# The program, and the option that draws it.
PICTURES = {"docs/layer-on-a-mesh.svg": ("docs/programs/layer_on_a_mesh.mlir", "--partition-picture")}
SHOWN = re.compile(r"(<!-- shown: (.+?) of (\S+) -->\n)(.*?)(<!-- /shown -->)", re.DOTALL)


class Compiler:
    def __init__(self, command):
        self.command = str(pathlib.Path(command).resolve())
        # Nothing of what someone has set may show.
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("TENON_")}
        self.environment["TENON_KERNEL_CACHE"] = "off"

    def compile(self, program, *options):
        return subprocess.run([self.command, "compile", program, "--cpu", "x86-64-v3", *options], cwd=ROOT,
                              env=self.environment, capture_output=True, text=True, check=True).stdout

    @functools.cache
    def dumps(self, program):
        """[(stage, text)]; LLVM's modules come in any order."""
        parts = re.split(r"^// after (\S+)\n", self.compile(program, "--dump-after", "all"), flags=re.MULTILINE)
        return [(stage, text.strip("\n")) for stage, text in zip(parts[1::2], parts[2::2])]

    def stages(self, program):
        lines, before = [], None
        for stage, text in self.dumps(program):
            if stage not in ("plan", "llvm"):
                lines.append(stage if before in (None, text) else f"{stage:24}changes the program")
                before = text
        return "\n".join(lines)

    def stage(self, program, name):
        found = [text for stage, text in self.dumps(program) if stage == name]
        if not found:
            sys.exit(f"{program}: there is no stage '{name}'")
        return found[0]

    def llvm(self, program, kernel, blocks):
        """The kernel's head, those of its blocks, and a comment where some are left out."""
        function = next((match.group(0) for stage, text in self.dumps(program) if stage == "llvm"
                         for match in re.finditer(r"^define [^\n]*@(\S+?)\(.*?^}", text, re.MULTILINE | re.DOTALL)
                         if match.group(1) == kernel), None)
        if not function:
            sys.exit(f"{program}: there is no kernel '{kernel}'")
        head, _, body = function.removesuffix("}").partition("\n")
        parts = re.split(r"^([\w.]+):", body, flags=re.MULTILINE)[1:]
        result, left_out = [head], False
        for name, text in zip(parts[::2], parts[1::2]):
            if name in blocks:
                result.append(f"{name}:{text.rstrip()}")
            elif not left_out:
                result.append("  ; ...")
            left_out = name not in blocks
        missing = set(blocks) - set(parts[::2])
        if missing:
            sys.exit(f"{program}: {kernel} has no block {', '.join(sorted(missing))}, but {', '.join(parts[::2])}")
        return "\n".join([*result, "}"])

    def report(self, program):
        """The signature and the kernels; the memory plan is shown by itself, and times are others each time."""
        return self.compile(program, "--report").partition("\nmemory:")[0]

    def cut(self, program):
        """From the collectives on."""
        return "collectives" + self.compile(program, "--partition-report").partition("\ncollectives")[2]

    def memory(self, program):
        return self.file(program, "--memory", "plan.txt")

    def file(self, program, option, name):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            self.compile(program, option, str(path))
            return path.read_text(encoding="utf-8")

    def show(self, what, program):
        """The text, and the language that it is in."""
        if what == "source":
            return (ROOT / program).read_text(encoding="utf-8"), "mlir"
        if match := re.fullmatch(r"llvm (\S+): (.+)", what):
            return self.llvm(program, match.group(1), match.group(2).split()), "llvm"
        if what in ("stages", "report", "memory", "cut"):
            return getattr(self, what)(program), ""
        return self.stage(program, what), "" if what == "plan" else "mlir"


def written(page, compiler):
    def block(match):
        text, language = compiler.show(match.group(2), match.group(3))
        text = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
        return f"{match.group(1)}```{language}\n{text}\n```\n{match.group(5)}"

    return SHOWN.sub(block, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default=ROOT / "build/release/bin/tenon", help="the command to ask")
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    compiler, stale = Compiler(options.tenon), False
    for name in PAGES:
        path = ROOT / name
        page = path.read_text(encoding="utf-8")
        if page.count("<!-- shown:") != len(SHOWN.findall(page)) or not SHOWN.search(page):
            sys.exit(f"{name}: a block '<!-- shown: WHAT of PROGRAM -->' is missing, or has no end '<!-- /shown -->'")
        new = written(page, compiler)
        if not options.check:
            path.write_text(new, encoding="utf-8")
        elif new != page:
            stale = True
            sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), new.splitlines(True), name, "as compiled now"))
    for name, (program, option) in PICTURES.items():
        path, new = ROOT / name, compiler.file(program, option, "picture.svg")
        if not options.check:
            path.write_text(new, encoding="utf-8")
        elif not path.exists() or new != path.read_text(encoding="utf-8"):
            stale = True
            print(f"{name} is not what the compiler draws now")
    if stale:
        sys.exit("The pages show what the compiler no longer prints. Write them anew with scripts/worked_example.py, read "
                 "whether the text around still holds, and commit the change with what caused it.")


if __name__ == "__main__":
    main()

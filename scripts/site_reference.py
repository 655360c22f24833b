"""The reference of the interfaces, as Markdown: of C and C++ from the public headers, of Python from the package's
stubs. Each declaration has its comment above it there (scripts/check_sources.py); here it becomes a section."""

import ast
import re
import textwrap

COMMENT = re.compile(r"^\s*(//|/\*|\*)")
# What a declaration is called: a type, a macro, an alias, or what stands before the first parenthesis or the end.
NAMES = [
    re.compile(r"^\s*(?:template\s*<[^>]*>\s*)?(?:typedef\s+)?(?:class|struct|enum(?:\s+class)?|union)\s+(?:[A-Z_]+_API\s+)?(\w+)"),
    re.compile(r"^\s*#\s*define\s+(\w+)"),
    re.compile(r"^\s*using\s+(\w+)\s*="),
    re.compile(r"\b(operator\s*(?:\W{1,3}|\w+)|~?\w+)\s*\("),
    re.compile(r"\b(\w+)\s*(?:=[^;]*|\[[^\]]*\])?;"),
    re.compile(r"^\s*(\w+)\s*(?:=[^,]*)?,"),
]
TYPE = re.compile(r"\s*(template\s*<[^>]*>\s*)?(typedef\s+)?(class|struct|enum|union)\b")
SKIPPED = re.compile(r'^\s*(#\s*(include|pragma|if|ifdef|ifndef|endif|else|undef)\b|extern "C"|namespace\b|}|public:|private:|protected:|friend\b|$)')


def comment_text(lines):
    """The words of a comment, of whichever form."""
    text = "\n".join(lines)
    text = re.sub(r"^\s*/\*+|\*+/\s*$", "", text)
    lines = [re.sub(r"^\s*(///?|\*)\s?", "", line) if COMMENT.match(line) else line.strip() for line in text.split("\n")]
    # Examples are indented by two; Markdown wants four.
    lines = [("  " + line if line.startswith("  ") else line).rstrip() for line in lines]
    return "\n".join(lines).strip("\n")


def declared_name(code):
    joined = " ".join(line.strip() for line in code)
    for pattern in NAMES:
        if match := pattern.search(joined):
            return match.group(1)
    return ""


class Header:
    """Reads a header line by line: comments, and the code behind them up to the next blank line or comment."""

    def __init__(self, text):
        self.introduction = ""
        self.entries = []  # (comment, code, indentation)
        self.comment, self.code = [], []
        self.private = None  # the indentation of the class whose members nobody may use here
        self.body = None  # the indentation of the function whose body this is
        self.in_comment = False
        for line in text.split("\n"):
            self.read(line)
        self.flush()

    def flush(self):
        comment = comment_text(self.comment)
        if self.code:
            indentation = len(self.code[0]) - len(self.code[0].lstrip())
            self.entries.append((comment, self.code, indentation))
        elif comment and not self.entries and not self.introduction:
            self.introduction = comment
        self.comment, self.code = [], []

    def is_left_out(self, line, indentation):
        """Whether the line is of a body, or of what is private."""
        if self.body is not None:
            if line.strip().startswith("}") and indentation <= self.body:
                self.body = None
            return True
        if self.private is not None and line.strip() and indentation <= self.private:
            self.private = None
        if re.match(r"\s*(private|protected):", line):
            self.private = indentation
        return self.private is not None

    def read(self, line):
        indentation = len(line) - len(line.lstrip())
        if self.in_comment or (self.body is None and self.private is None and COMMENT.match(line)):
            if self.code:
                self.flush()
            self.comment.append(line)
            starts = line.lstrip().startswith("/*") or self.in_comment
            self.in_comment = starts and "*/" not in line
        elif self.is_left_out(line, indentation) or SKIPPED.match(line):
            self.flush()
        elif line.rstrip().endswith("{") and "(" in "".join([*self.code, line]) and not TYPE.match((self.code or [line])[0]):
            self.code.append(re.sub(r"(\s:\s.*)?\s*\{$", ";", line.rstrip()))
            self.body = len(self.code[0]) - len(self.code[0].lstrip())
            self.flush()
        else:
            self.code.append(line)


def closed(code, name):
    """A type's declaration with the end that the reader leaves out where its members have no comments of their own."""
    if not any("{" in line for line in code):
        return code
    return [*code, f"}} {name};" if code[0].lstrip().startswith("typedef") else "};"]


def header_page(name, text, language):
    """Markdown of a public header."""
    header = Header(text)
    parts = [f"# {name}", header.introduction]
    owner = ""
    for comment, code, indentation in header.entries:
        named = declared_name(code)
        if "===-" in comment:  # what parts a file's topics
            comment = ""
        is_forward = not comment and len(code) == 1 and TYPE.match(code[0]) and "{" not in code[0]
        if not named or is_forward or re.match(r"#define \w+_H$", code[0]):
            continue
        if TYPE.match(code[0]):
            code = closed([*code[:-1], re.sub(r"\s*\{$", "", code[-1])], named)
        if indentation == 0:
            owner = named if TYPE.match(code[0]) else ""
        qualified = f"{owner}::{named}" if indentation and owner and named else named
        level = "###" if indentation and owner else "##"
        parts.append(f"{level} {qualified.replace('_', chr(92) + '_')}")
        parts.append(f"```{language}\n" + textwrap.dedent("\n".join(code)).replace("TENON_API ", "") + "\n```")
        if comment:
            parts.append(comment)
    return "\n\n".join(part for part in parts if part) + "\n"


def signature(function):
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"def {function.name}({ast.unparse(function.args)}){returns}"


def prose(node):
    return textwrap.dedent(ast.get_docstring(node) or "")


def escaped(name):
    return name.replace("_", "\\_")


def class_sections(node):
    yield f"## {escaped(node.name)}"
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    yield f"```python\nclass {node.name}" + (f"({bases})" if bases else "") + "\n```"
    yield prose(node)
    values = [target.id for entry in node.body if isinstance(entry, ast.Assign) for target in entry.targets if isinstance(target, ast.Name)]
    if values:
        yield "Values: " + ", ".join(f"`{value}`" for value in values)
    seen = set()
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or (member.name.startswith("_") and member.name not in ("__init__", "__call__")):
            continue
        decorators = [ast.unparse(decorator) for decorator in member.decorator_list]
        if any(decorator.endswith(".setter") for decorator in decorators):
            continue
        if member.name not in seen:
            yield f"### {escaped(node.name)}.{escaped(member.name)}"
        seen.add(member.name)
        shown = [decorator for decorator in decorators if decorator in ("property", "staticmethod", "classmethod")]
        yield "```python\n" + "".join(f"@{decorator}\n" for decorator in shown) + signature(member) + "\n```"
        yield prose(member)


def python_page(stub, sources, public, title="The Python package tenon"):
    """Markdown of a package or module: what `public` lists, from the extension's stub and the package's own files."""
    nodes = {}
    for text in [stub, *sources]:
        for node in ast.parse(text).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                nodes.setdefault(node.name, []).append(node)
    parts = [f"# {title}"]
    missing = [name for name in public if name not in nodes and name != "__version__"]
    if missing:
        raise SystemExit(f"nothing describes tenon.{missing[0]}")
    for name in sorted(public, key=str.lower):
        for node in nodes.get(name, [])[:1]:
            if isinstance(node, ast.ClassDef):
                parts += class_sections(node)
            else:
                parts.append(f"## {escaped(name)}")
                parts += [part for form in nodes[name] for part in ("```python\n" + signature(form) + "\n```", prose(form))]
    return "\n\n".join(part for part in parts if part) + "\n"

"""docs/operations.md: what each operation does, and its parameters in each language."""

import python

HEAD = """\
# Operations of the builder

Made from the compiler's records (`tenon/ops`) by `tenon/ops/generate`; [builder.md](builder.md) says how programs are built with them. In C++ they
are functions of `tenon::ops` (`tenon/ops.h`), in C `tenon_op_NAME` (`tenon/c/ops.h`), in Python functions of `tenon.ops`. Parameters are
those of Python, whose optional attributes are given by name; in C++ they follow in this order, or are fields of a structure.
Rules are the [specification's](https://openxla.org/stablehlo/spec).

| operation | what it does | type of the result |
|---|---|---|
"""


def cell(text):
    return text.replace("|", "\\|")


def row(op):
    names = [p.name for p in op.operands] + [a.name for a in op.required] + [r.name for r in op.regions]
    names += {"result": ["result"], "state and result": ["output"], "results": ["results"], "element": ["element_type"],
              "optional element": ["element_type=None"]}.get(op.rule, [])
    names += [f"{a.name}={python.default(a).split('.')[-1]}" for a in op.optional]
    if op.needs_builder:
        names.insert(0, "builder")
    return f"| `{op.function}({', '.join(names)})` | {cell(op.text)} | {cell(op.result)} |\n"


def page(ops, enums, structs):
    tables = "".join(f"| `{item.name}` | {item.text} | {', '.join(name for name, _ in item.cases)} |\n"
                     for item in enums.values())
    fields = "".join(f"| `{item.name}` | {', '.join(name for name, _ in item.fields)} |\n" for item in structs.values())
    return (HEAD + "".join(map(row, ops)) + "\n## Enumerations\n\n| | | |\n|---|---|---|\n" + tables +
            "\n## Structures\n\n| | fields |\n|---|---|\n" + fields)

"""tenon/ops.py: a function for each operation."""

from text import comment, wrap_call

HEAD = '''\
"""The operations of StableHLO, and functions of CHLO, for a tenon.ProgramBuilder: made from the compiler's records by
tenon/ops/generate. Operands and attributes have StableHLO's names and rules (https://openxla.org/stablehlo/spec); an
attribute that is None or empty is absent. Operands are values of a builder; where another operand is one, numbers and
arrays will do, too.
"""

import dataclasses as _dataclasses
import enum as _enum
import typing as _typing
from collections.abc import Callable as _Callable, Sequence as _Sequence

from tenon import _attributes
from tenon._program import ProgramBuilder as _ProgramBuilder, enqueue as _enqueue
from tenon._tenon import ProgramValue as _Value

_Operand = _typing.Any  # a value, a number or an array
_Values = tuple[_Value, ...]
_Body = _Callable[..., _typing.Any]  # takes values, and returns one or several
'''

KINDS = {"i64": "int", "i32": "int", "bool": "bool", "unit": "bool", "f32": "float", "string": "str", "symbol": "str",
         "text": "str", "i64s": "_Sequence[int]", "bools": "_Sequence[bool]", "matrix": "_Sequence[_Sequence[int]]",
         "literal": "_typing.Any"}


def enum(item):
    rows = "".join(f"    {name} = {number}\n" for name, number in item.cases)
    return f'\n\nclass {item.name}(_enum.Enum):\n    """{item.text[0].upper() + item.text[1:]}."""\n\n{rows}\n' \
           f'    def _text(self):\n        return f"#{item.mnemonic}{{self.name}}>"\n'


def struct(item):
    rows = "".join(f"    {name}: {'_Sequence[int]' if listed else 'int'} = {'()' if listed else '0'}\n"
                   for name, listed in item.fields)
    about = item.text or "Which dimensions of the operands and of the result an operation means"
    raw = "raw " if item.raw else ""
    return f'\n\n@_dataclasses.dataclass\nclass {item.name}:\n    """{about[0].upper() + about[1:]}."""\n\n{rows}\n' \
           f'    def _text(self):\n        return _attributes.fields("{item.mnemonic}{raw}", self, {item.whole})\n'


def annotation(attribute):
    if attribute.kind == "enums":
        return f"_Sequence[{attribute.type}]"
    return KINDS.get(attribute.kind, attribute.type)


def default(attribute):
    if attribute.kind == "enum":
        return f"{attribute.type}.{attribute.default}"
    if attribute.default:
        return {"true": "True", "false": "False"}.get(attribute.default, attribute.default)
    return "None"


def text(attribute):
    kind = {"enum": "made", "struct": "made", "enums": "several", "bool": "boolean", "bools": "booleans"}.get(
        attribute.kind, attribute.kind)
    columns = f", {0 if attribute.name == 'replica_groups' else 2}" if kind == "matrix" else ""
    optional = ", optional=True" if attribute.optional and attribute.kind not in (
        "i64", "i32", "bool", "unit", "enum") else ""
    return f'_attributes.{kind}({attribute.name}{columns}{optional})'


def parameters(op):
    made = ["builder: _ProgramBuilder"] if op.needs_builder else []
    made += [f"{p.name}: {'_Sequence[_Operand] | _Operand' if p.kind == 'values' else '_Operand'}" for p in op.operands]
    made += [f"{a.name}: {annotation(a)}" for a in op.required]
    made += [f"{r.name}: {'_Sequence[_Body]' if r.kind == 'regions' else '_Body'}" for r in op.regions]
    made += {"result": ["result: _typing.Any"], "state and result": ["output: _typing.Any"],
             "results": ["results: _Sequence[_typing.Any]"], "element": ["element_type: _typing.Any"],
             "optional element": ["element_type: _typing.Any = None"]}.get(op.rule, [])
    if op.optional:
        made += ["*"] + [f"{a.name}: {annotation(a)}{' | None' if default(a) == 'None' else ''} = {default(a)}"
                         for a in op.optional]
    return made


def function(op):
    kept = "_Value" if op.single else "_Value | _Values" if len(op.results) == 1 else "_Values"
    operands = ", ".join(f'("{p.name}", {p.name}, {p.kind == "values"})' for p in op.operands)
    texts = ", ".join(f'("{a.name}", {text(a)})' for a in op.attributes)
    regions = op.regions[0].name if op.regions and op.regions[0].kind == "regions" else \
        "[" + ", ".join(r.name for r in op.regions) + "]"
    results = {"result": "[result]", "results": "results", "state and result": "[initial_state, output]"}.get(op.rule, "[]")
    element = "element_type" if "element" in op.rule else "None"
    builder = "builder" if op.needs_builder else "None"
    about = f"{op.text} Type: {op.result}." + (f" The results: {', '.join(op.results)}." if len(op.results) > 1 else "")
    about = comment(about + f" ({op.name})", "    ", 112).rstrip()[4:]
    head = wrap_call(f"def {op.function}(", parameters(op), f") -> {kept}:", 116)
    if op.name == "stablehlo.constant":
        head = "def constant(builder: _ProgramBuilder, value: _typing.Any, element_type: _typing.Any = None) -> _Value:"
        body = "builder.constant(value, element_type)"
    else:
        body = (f'_enqueue({builder}, "{op.name}", [{operands}], [{texts}],\n                    {regions}, {results}, '
                f'{element}, {op.elementwise})')
    return f'\n\n{head}\n    """{about}"""\n    return {body}\n'


def module(ops, enums, structs):
    return HEAD + "".join(map(enum, enums.values())) + "".join(map(struct, structs.values())) + \
        "".join(map(function, ops))

"""tenon/ops.h: an inline function for each operation."""

from text import comment, wrap_call

HEAD = """\
// The operations of StableHLO, and functions of CHLO, one function each: made from the compiler's records by
// tenon/ops/generate. Operands and attributes have StableHLO's names and rules; the specification is at
// https://openxla.org/stablehlo/spec. Optional attributes are absent where they are empty. tenon/program_builder.h says
// how programs are built, and how errors are told.
#pragma once

#include "tenon/program_builder.h"

namespace tenon::ops {
"""

LISTS = {"i64s": "std::vector<std::int64_t>", "bools": "std::vector<bool>",
         "matrix": "std::vector<std::vector<std::int64_t>>"}
SCALARS = {"i64": "std::int64_t", "i32": "std::int32_t", "bool": "bool", "unit": "bool", "f32": "float"}


def field_type(attribute):
    """The type of an attribute that is kept."""
    if attribute.kind in LISTS:
        return LISTS[attribute.kind]
    if attribute.kind in SCALARS:
        return SCALARS[attribute.kind]
    if attribute.kind == "enums":
        return f"std::vector<{attribute.type}>"
    return attribute.type if attribute.kind in ("enum", "struct") else "std::string"


def parameter(attribute):
    """The type of a function's parameter."""
    if attribute.kind == "literal":
        return "const xla_2017::Literal &"
    if attribute.kind == "i64s":
        return "Span<std::int64_t> "
    if attribute.kind in SCALARS or attribute.kind == "enum":
        return field_type(attribute) + " "
    if attribute.kind in ("string", "symbol", "text"):
        return "std::string_view "
    return f"const {field_type(attribute)} &"


def default(attribute):
    if attribute.kind == "enum":
        return f"{attribute.type}::{attribute.default}"
    return attribute.default or "{}"


def text(attribute, value):
    """The expression for the attribute's text."""
    simple = {"i64": "i64", "i32": "i32", "bool": "boolean", "unit": "unit", "f32": "f32", "string": "string",
              "symbol": "symbol", "i64s": "i64s", "bools": "booleans"}
    if attribute.kind == "text":
        return f"std::string({value})"
    if attribute.kind in simple:
        made = f"attributes::{simple[attribute.kind]}({value})"
    elif attribute.kind == "matrix":
        made = f"attributes::matrix({value}, {0 if attribute.name == 'replica_groups' else 2})"
    else:
        made = f"text({value})"
    if attribute.optional and attribute.kind in ("i64s", "bools", "matrix", "enums", "string"):
        return f"{value}.empty() ? std::string() : {made}"
    if attribute.optional and attribute.kind == "struct":
        return f"{value} == {attribute.type}() ? std::string() : {made}"
    if attribute.optional and attribute.kind == "enum":
        return f"{value} == {default(attribute)} ? std::string() : {made}"
    return made


def enum(item):
    cases = ", ".join(f"{name} = {number}" for name, number in item.cases)
    rows = "".join(f'  case {item.name}::{name}:\n    return "#{item.mnemonic}{name}>";\n' for name, _ in item.cases)
    return f"""
// {item.text[0].upper() + item.text[1:]}.
enum class {item.name} {{ {cases} }};
// In StableHLO's syntax.
inline std::string text({item.name} value) {{
  switch (value) {{
{rows}  }}
  return "";
}}
// The same of several.
inline std::string text(const std::vector<{item.name}> &values) {{
  std::string list;
  for ({item.name} value : values)
    list += (list.empty() ? "" : ", ") + text(value);
  return "[" + list + "]";
}}
"""


def struct(item):
    fields = "".join(f"  {'std::vector<std::int64_t>' if listed else 'std::int64_t'} {name}{'' if listed else ' = 0'};\n"
                     for name, listed in item.fields)
    if item.whole:
        texts = " + \", \" + ".join(f'"{name} = " + std::to_string(value.{name})' for name, _ in item.fields)
        body = f'  return std::string("{item.mnemonic}") + {texts} + ">";\n'
    else:
        texts = " +\n                             ".join(f'attributes::field("{name}", value.{name})' for name, _ in item.fields)
        head = item.mnemonic + ("raw " if item.raw else "")
        body = f'  return attributes::fields("{head}", {texts});\n'
    equal = " && ".join(f"a.{name} == b.{name}" for name, _ in item.fields)
    about = item.text or "Which dimensions of the operands and of the result an operation means"
    return f"""
// {about[0].upper() + about[1:]}.
struct {item.name} {{
{fields}}};
// Whether all fields are equal.
inline bool operator==(const {item.name} &a, const {item.name} &b) {{
  return {equal};
}}
// In StableHLO's syntax.
inline std::string text(const {item.name} &value) {{
{body}}}
"""


def options(op):
    fields = "".join(f"  {field_type(a)} {a.name}{' = ' + default(a) if default(a) != '{}' else ''};\n" for a in op.optional)
    return f"""
// The optional attributes of {op.function}.
struct {op.options_name} {{
{fields}}};
"""


def parameters(op):
    """[(declaration, default)]"""
    made = [("ProgramBuilder &builder", "")] if op.needs_builder else []
    made += [(f"const {'Values' if p.kind == 'values' else 'Value'} &{p.name}", "") for p in op.operands]
    made += [(parameter(a) + a.name, "") for a in op.required]
    made += [(f"const {'std::vector<Region>' if r.kind == 'regions' else 'Region'} &{r.name}", "") for r in op.regions]
    made += {"result": [("const Type &result", "")], "state and result": [("const Type &output", "")],
             "results": [("const std::vector<Type> &results", "")], "element": [("std::string_view element_type", "")],
             "optional element": [("std::string_view element_type", "{}")]}.get(op.rule, [])
    if op.options:
        made.append((f"const {op.options_name} &options", "{}"))
    else:
        made += [(parameter(a) + a.name, default(a)) for a in op.optional]
    return made + [("SourceLocation at", "SourceLocation::current()")]


def results(op):
    return {"result": "{result}", "results": "results",
            "state and result": "{initial_state.type(), output}"}.get(op.rule, "{}")


def function(op):
    kept = "Value" if op.single else "Values" if len(op.results) == 1 else f"std::array<Value, {len(op.results)}>"
    operands = ", ".join(f'{{"{p.name}", {p.name}}}' for p in op.operands)
    prefix = "options." if op.options else ""
    texts = ", ".join(f'{{"{a.name}", {text(a, (prefix if a.optional else "") + a.name)}}}' for a in op.attributes)
    if op.regions and op.regions[0].kind == "regions":
        regions = op.regions[0].name
    else:
        regions = "{" + ", ".join(r.name for r in op.regions) + "}"
    element = "std::string(element_type)" if "element" in op.rule else "{}"
    described = f'{{"{op.name}", {{{operands}}}, {{{texts}}}, {regions}, {results(op)}, {element}}}'
    if op.name == "stablehlo.constant":
        call = "builder.constant(value, at)"
    elif op.needs_builder:
        call = f"builder.enqueue({described}, at)"
    else:
        call = f"internal::enqueue({described}, at)"
    if kept.startswith("std::array"):
        call = f"internal::several<{len(op.results)}>({call})"
    names = f" The results: {', '.join(op.results)}." if len(op.results) > 1 else ""
    about = comment(f"{op.text} Type: {op.result}.{names} ({op.name})", "// ")
    arguments = [d + (f" = {v}" if v else "") for d, v in parameters(op)]
    return f"\n{about}{wrap_call(f'inline {kept} {op.function}(', arguments, ') {')}\n  return {call};\n}}\n"


def header(ops, enums, structs):
    parts = [HEAD] + [enum(item) for item in enums.values()] + [struct(item) for item in structs.values()]
    for op in ops:
        parts += [options(op)] if op.options else []
        parts.append(function(op))
    return "".join(parts) + "\n} // namespace tenon::ops\n"

"""tenon/c/ops.h and its source: a function for each operation, over those of tenon/ops.h."""

import re


from text import comment, wrap_call

HEAD = """\
/* The operations of StableHLO, and functions of CHLO, one function each: made from the compiler's records by
 * tenon/ops/generate. tenon/c/program_builder.h says how programs are built, and how errors are told.
 *
 * An attribute that is an array is a pointer and a number; rows and columns where it is a matrix. Those that end in
 * _or_none, and the fields of options, may be 0 or NULL. Functions that give several values write the first `capacity` of
 * them to `values`, and return their number, which is 0 after an error. */
#ifndef TENON_C_OPS_H
#define TENON_C_OPS_H

#include "tenon/c/program_builder.h"

#ifdef __cplusplus
extern "C" {
#endif
"""

SOURCE = """\
// Made by tenon/ops/generate.
#include "tenon/c/ops.h"
#include "tenon/capi/program_builder.h"
#include "tenon/ops.h"

using namespace tenon::capi;
namespace ops = tenon::ops;
"""

TAIL = """
#ifdef __cplusplus
}
#endif
#endif
"""

SCALARS = {"i64": "int64_t", "i32": "int32_t", "bool": "bool", "unit": "bool", "f32": "float"}


def lower(name):
    return "tenon_stablehlo_" + re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def stem(op):
    return op.name.split(".")[1].replace("-", "_")


def enum(item):
    cases = ",\n".join(f"  {lower(item.name).upper()}_{name} = {number}" for name, number in item.cases)
    return (f"\n/* {item.text[0].upper() + item.text[1:]}. */\n"
            f"typedef enum {lower(item.name)} TENON_ANY_INT {{\n{cases}\n}} {lower(item.name)};\n")


def struct(item):
    fields = "".join(f"  const int64_t *{name};\n  size_t {name}_count;\n" if listed else f"  int64_t {name};\n"
                     for name, listed in item.fields)
    about = item.text or "Which dimensions of the operands and of the result an operation means"
    return f"\n/* {about[0].upper() + about[1:]}. */\ntypedef struct {lower(item.name)} {{\n{fields}}} {lower(item.name)};\n"


def declared(attribute, optional=False):
    """The declarations of an attribute's parameters, or fields."""
    name = attribute.name
    if attribute.kind in SCALARS:
        return [f"{SCALARS[attribute.kind]} {name}"]
    if attribute.kind == "enum":
        return [f"{lower(attribute.type)} {name}"]
    if attribute.kind == "struct":
        return [f"const {lower(attribute.type)} *{name}"]
    if attribute.kind == "literal":
        return [f"const tenon_literal *{name}"]
    if attribute.kind == "matrix":
        return [f"const int64_t *{name}", f"size_t {name}_rows", f"size_t {name}_columns"]
    element = {"i64s": "int64_t", "bools": "bool"}.get(attribute.kind)
    if attribute.kind == "enums":
        element = lower(attribute.type)
    return [f"const {element} *{name}", f"size_t {name}_count"] if element else [f"const char *{name}"]


def converted(attribute, prefix=""):
    """The C++ value of an attribute's parameters, or fields."""
    name = prefix + attribute.name
    if attribute.kind in SCALARS:
        return name
    if attribute.kind == "enum":
        return f"static_cast<ops::{attribute.type}>(static_cast<int>({name}))"
    if attribute.kind == "struct":
        return f"convert({name})"
    if attribute.kind == "literal":
        return f"literalOf({name})"
    if attribute.kind == "matrix":
        return f"matrixOf({name}, {name}_rows, {name}_columns)"
    if attribute.kind == "enums":
        return f"enumsOf<ops::{attribute.type}>({name}, {name}_count)"
    if attribute.kind == "bools":
        return f"std::vector<bool>({name}, {name} + {name}_count)"
    if attribute.kind == "i64s":
        return f"listOf({name}, {name}_count)"
    return f"textOf({name})"


def options(op):
    fields = "".join(f"  {line};\n" for a in op.optional for line in declared(a))
    name = f"tenon_op_{stem(op)}_options"
    return f"\n/* The optional attributes of tenon_op_{stem(op)}. */\ntypedef struct {name} {{\n{fields}}} {name};\n"


def parameters(op):
    """[(the declarations, the argument of the C++ function)]"""
    made = []
    for p in op.operands:
        if p.kind == "values":
            made.append(([f"const tenon_op_value *{p.name}", f"size_t {p.name}_count"],
                         f"call.values({p.name}, {p.name}_count)"))
        else:
            made.append(([f"tenon_op_value {p.name}"], f"call.value({p.name})"))
    made += [(declared(a), converted(a)) for a in op.required]
    for r in op.regions:
        if r.kind == "regions":
            made.append(([f"const tenon_region *{r.name}", f"size_t {r.name}_count"],
                         f"call.regions({r.name}, {r.name}_count)"))
        else:
            made.append(([f"tenon_region {r.name}"], f"call.region({r.name})"))
    made += {"result": [(["const char *result_type"], "typeOf(result_type)")],
             "state and result": [(["const char *output_type"], "typeOf(output_type)")],
             "results": [(["const char *const *result_types", "size_t result_types_count"],
                          "typesOf(result_types, result_types_count)")],
             "element": [(["const char *element_type"], "textOf(element_type)")],
             "optional element": [(["const char *element_type_or_none"], "textOf(element_type_or_none)")],
             }.get(op.rule, [])
    if op.options:
        made.append(([f"const tenon_op_{stem(op)}_options *options"], "given"))
    else:
        made += [(declared(a), converted(a)) for a in op.optional]
    return made


def signature(op):
    declarations = ["tenon_program_builder *builder"] + [line for lines, _ in parameters(op) for line in lines]
    if not op.single:
        declarations += ["tenon_op_value *values", "size_t capacity"]
    return declarations


def declaration(op):
    about = comment(f"{op.text} Type: {op.result}. ({op.name})", " * ", 117)
    kept = "tenon_op_value" if op.single else "size_t"
    return (f"\n/*{about[2:].rstrip()} */\n" +
            wrap_call(f"TENON_API {kept} tenon_op_{stem(op)}(", signature(op), ");") + "\n")


def pointers(op):
    """What may not be null: (name, count or None)."""
    found = []
    for p in op.operands + op.regions:
        if p.kind in ("values", "regions"):
            found.append(f"array({p.name}, {p.name}_count, \"{p.name}\")")
    for a in op.required + ([] if op.options else op.optional):
        if a.kind in ("i64s", "bools", "enums"):
            found.append(f"array({a.name}, {a.name}_count, \"{a.name}\")")
        elif a.kind == "matrix":
            found.append(f"array({a.name}, {a.name}_rows * {a.name}_columns, \"{a.name}\")")
        elif a.kind in ("struct", "literal", "string", "symbol", "text") and not a.optional:
            found.append(f"{{{a.name}, \"{a.name}\"}}")
    named = {"result": "result_type", "state and result": "output_type", "element": "element_type"}.get(op.rule)
    if named:
        found.append(f"{{{named}, \"{named}\"}}")
    if op.rule == "results":
        found.append('array(result_types, result_types_count, "result_types")')
    if not op.single:
        found.append('array(values, capacity, "values")')
    return found


def definition(op):
    kept = "tenon_op_value" if op.single else "size_t"
    head = wrap_call(f"{kept} tenon_op_{stem(op)}(", signature(op), ") {")
    lines = []
    if op.options:
        lines.append(f"    ops::{op.options_name} given;")
        lines.append("    if (options) {")
        lines += [f"      given.{a.name} = {converted(a, 'options->')};" for a in op.optional]
        lines.append("    }")
    arguments = (["call.builder"] if op.needs_builder else []) + [value for _, value in parameters(op)] + ["call.at"]
    called = f"ops::{op.function}({', '.join(arguments)})"
    made = f"called(builder, \"{stem(op)}\", {{{', '.join(pointers(op))}}}, [&](const OpCall &call) -> tenon::Values {{\n" + \
        "".join(line + "\n" for line in lines) + f"    return {called};\n  }}"
    return f"\n{head}\n  return {'oneOf' if op.single else 'allOf'}({made}){'' if op.single else ', values, capacity'});\n}}\n"


def conversions(structs):
    made = []
    for item in structs.values():
        lines = "".join(f"  result.{name} = " + (f"listOf(given->{name}, given->{name}_count);\n" if listed
                                                   else f"given->{name};\n") for name, listed in item.fields)
        made.append(f"\nstatic ops::{item.name} convert(const {lower(item.name)} *given) {{\n"
                    f"  ops::{item.name} result;\n  if (!given)\n    return result;\n{lines}  return result;\n}}\n")
    return "".join(made)


def header(ops, enums, structs):
    parts = [HEAD] + [enum(item) for item in enums.values()] + [struct(item) for item in structs.values()]
    for op in ops:
        parts += [options(op)] if op.options else []
        parts.append(declaration(op))
    return "".join(parts) + TAIL


def source(ops, enums, structs):
    return SOURCE + conversions(structs) + "".join(definition(op) for op in ops)

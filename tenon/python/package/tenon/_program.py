"""What the generated functions of tenon.ops call: operations from operands that may be numbers, arrays or lists."""

import re
from collections.abc import Sequence

from tenon._tenon import ProgramBuilder, ProgramValue, Shape

_STABLEHLO_ELEMENT = re.compile(r"u?i\d+|b?f\d+(E\w+)?|complex<f\d+>|!quant\..*")


def _listed(operand, several):
    if not several:
        return [operand]
    return list(operand) if isinstance(operand, Sequence) else [operand]


def _element_of_shape(text):
    """StableHLO's spelling of the element type of "s32[2,3]"."""
    name = text.partition("[")[0]
    if name[0] in "su":
        return ("i" if name[0] == "s" else "ui") + name[1:]
    if name in ("pred", "c64", "c128"):
        return {"pred": "i1", "c64": "complex<f32>", "c128": "complex<f64>"}[name]
    return name[:2] + name[2:].upper() if name[1] in "468" else name


def element_text(given):
    """An element type as StableHLO spells it, from that or from what Shape.array takes; nothing of None."""
    if given is None:
        return ""
    if isinstance(given, str) and _STABLEHLO_ELEMENT.fullmatch(given):
        return given
    return _element_of_shape(str(Shape.array(given, [])))


def type_text(given):
    """A type as StableHLO spells it, from that ("2x3xf32"), from a value, or from what Shape takes ("f32[2,3]")."""
    if isinstance(given, ProgramValue):
        return given.type
    if isinstance(given, str) and "[" not in given:
        return given
    shape = Shape(given)
    return "x".join([*map(str, shape.dimensions), _element_of_shape(str(shape))])


def enqueue(builder, name, operands, attributes, regions, results, element_type, elementwise):
    """One value, or several as a tuple where the operation gives another number of them. Numbers are of the first value's
    element type: scalars, or arrays of its shape for an operation that is elementwise."""
    operands = [(operand, _listed(given, several)) for operand, given, several in operands]
    like = next((value for _, given in operands for value in given if isinstance(value, ProgramValue)), None)
    if builder is None:
        if like is None:
            raise TypeError(f"{name.split('.')[1]}: no operand is a value of a ProgramBuilder")
        builder = like.builder

    def value_of(given):
        if isinstance(given, ProgramValue):
            return given
        return builder.constant(given) if like is None else like._operand(given, elementwise)

    operands = [(operand, [value_of(value) for value in given]) for operand, given in operands]
    values = builder.enqueue(name, operands, attributes, list(regions), [type_text(result) for result in results],
                             element_text(element_type))
    return values[0] if len(values) == 1 else tuple(values)

"""Attributes in StableHLO's syntax, for the generated functions of tenon.ops. Without a text they are left out."""

import dataclasses
import json
import struct


def _numbers(values):
    return ", ".join(str(int(value)) for value in values)


def _absent(value, optional):
    return optional and (value is None or (hasattr(value, "__len__") and len(value) == 0))


def i64(value):
    return f"{int(value)} : i64"


def i32(value):
    return f"{int(value)} : i32"


def f32(value):
    """By its bits, so that every value is itself."""
    return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08X} : f32"


def boolean(value):
    return "true" if value else "false"


def unit(value):
    return "unit" if value else ""


def string(value, optional=False):
    if _absent(value, optional):
        return ""
    escaped = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in value.encode())
    return f'"{escaped}"'


def symbol(value):
    return f"@{string(value)}"


def text(value, optional=False):
    return "" if _absent(value, optional) else str(value)


def i64s(values, optional=False):
    if _absent(values, optional):
        return ""
    return f"array<i64: {_numbers(values)}>" if len(values) else "array<i64>"


def booleans(values, optional=False):
    if _absent(values, optional):
        return ""
    return f"array<i1: {', '.join(map(boolean, values))}>" if len(values) else "array<i1>"


def matrix(rows, columns, optional=False):
    if _absent(rows, optional):
        return ""
    rows = [[int(value) for value in row] for row in rows]
    columns = len(rows[0]) if rows else columns
    return f"dense<{json.dumps(rows) if rows and columns else ''}> : tensor<{len(rows)}x{columns}xi64>"


def made(value, optional=False):
    return "" if _absent(value, optional) else value._text()


def several(values, optional=False):
    return "" if _absent(values, optional) else f"[{', '.join(value._text() for value in values)}]"


def fields(mnemonic, value, whole):
    """A structure's fields; those that are empty or zero are left out, unless it is written whole."""
    texts = []
    for field in dataclasses.fields(value):
        given = getattr(value, field.name)
        if isinstance(given, int):
            texts += [f"{field.name} = {given}"] if given or whole else []
        elif len(given):
            texts.append(f"{field.name} = [{_numbers(given)}]")
    return f"{mnemonic}{', '.join(texts)}>"

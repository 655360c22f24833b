"""The command `tenon import`, which Tenon's command starts."""

import argparse
import pathlib
import sys

import numpy as np

from tenon import importing
from tenon._errors import Error


def _named(text: str) -> tuple[str, str]:
    name, separator, rest = text.rpartition("=")
    if not separator or not name or not rest:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=...")
    return name, rest


def _shape(text: str):
    name, sizes = _named(text)
    try:
        return name, [] if sizes == "scalar" else [int(size) for size in sizes.split("x")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{sizes}' is no shape, as 1x3x224x224 is one, or 'scalar'") from None


def _size(text: str):
    name, size = _named(text)
    if not size.isdecimal():
        raise argparse.ArgumentTypeError(f"'{size}' is no size")
    return name, int(size)


def _value(text: str):
    name, value = _named(text)
    if pathlib.Path(value).suffix == ".npy":
        try:
            return name, np.load(value)
        except (OSError, ValueError) as error:
            raise argparse.ArgumentTypeError(f"'{value}' cannot be read: {error}") from None
    words = {"true": True, "false": False}
    try:
        numbers = [words[number] if number in words else float(number) if set(number) & set(".eni") else int(number)
                   for number in value.split(",")]  # fmt: skip
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{value}' is no number, no list of numbers and no .npy file") from None
    return name, np.asarray(numbers if "," in value else numbers[0])


class _Parser(argparse.ArgumentParser):
    """Whose errors look as those of the other commands, and have their status."""

    def error(self, message):
        print(f"error: {message} (tenon help import)", file=sys.stderr)
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tenon import", description="Makes a StableHLO program of a model of ONNX or PyTorch.")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--shape", type=_shape, action="append", default=[], metavar="NAME=1x3")
    parser.add_argument("--size", type=_size, action="append", default=[], metavar="NAME=1")
    parser.add_argument("--value", type=_value, action="append", default=[], metavar="NAME=16000")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    return parser


def main(words: list[str]) -> int:
    """The exit status: 0, or 1 after an error."""
    options = _parser().parse_args(words)
    try:
        model = importing.import_file(options.model, shapes=dict(options.shape), sizes=dict(options.size),
                                      values=dict(options.value))  # fmt: skip
        model.save(options.output)
    except (Error, OSError) as error:
        print(f"error: {error.message if isinstance(error, Error) else error}", file=sys.stderr)
        return 1
    return 0

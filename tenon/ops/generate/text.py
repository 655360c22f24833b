"""Lines of generated code."""

import textwrap


def comment(text, mark, width=118):
    return "".join(f"{line}\n" for line in textwrap.wrap(text, width, initial_indent=mark, subsequent_indent=mark,
                                                         break_long_words=False, break_on_hyphens=False))


def wrap_call(head, arguments, tail, width=118):
    """A call or declaration whose arguments are aligned behind the bracket."""
    lines, indent = [head], " " * len(head)
    for i, argument in enumerate(arguments):
        piece = argument + (", " if i + 1 < len(arguments) else tail)
        if len(lines[-1]) + len(piece.rstrip()) > width and lines[-1].strip() and lines[-1] != head:
            lines.append(indent)
        lines[-1] += piece
    if not arguments:
        lines[-1] += tail
    return "\n".join(line.rstrip() for line in lines)

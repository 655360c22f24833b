"""Colours for programs in MLIR's text, which Pygments has no lexer for."""

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class MlirLexer(RegexLexer):
    """MLIR's lexical rules (https://mlir.llvm.org/docs/LangRef), with operations and built-in types told apart."""

    name = "MLIR"
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"//[^\n]*", Comment.Single),
            (r'"(?:[^"\\\n]|\\.)*"', String),
            (r"%[\w$.-]+(?:[:#]\d+)?", Name.Variable),
            (r'@(?:[\w$.]+|"[^"\n]*")', Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[#!][\w$.]+", Name.Decorator),
            (r"0x[0-9A-F]+\b", Number.Hex),
            # Shapes: 8x?x512xf32 of a tensor.
            (r"(?:(?:\d+|\?)x)+", Number.Integer),
            (r"-?\d+\.\d*(?:[eE][-+]?\d+)?", Number.Float),
            (r"-?\d+", Number.Integer),
            (r"(?:tensor|memref|vector|tuple|complex|index|none|token|[su]?i\d+|bf16|tf32|f\d+(?:E\d+M\d+\w*)?)\b", Keyword.Type),
            (r"(?:module|attributes|return|private|public|loc|dense|array|true|false|unit|applies|across|reducer|init|cond|do)\b", Keyword),
            (r"[A-Za-z_]\w*(?:\.[\w$]+)+", Name.Builtin),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|::|[-+=:*/?]", Operator),
            (r"[][(){}<>,;|.]", Punctuation),
        ]
    }

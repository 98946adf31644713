"""Lexers for Pygments: of MLIR's text, of which it has none, and of commands with their output."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pygments.lexer import Lexer, RegexLexer, bygroups
from pygments.lexers import BashLexer
from pygments.lexers._mapping import LEXERS
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["ConsoleLexer", "MlirLexer"]


class MlirLexer(RegexLexer):
    """Values, symbols, attributes, types and operations of any dialect, by their form."""

    name = "MLIR"
    aliases = ["mlir"]
    filenames = ["*.mlir"]
    url = "https://mlir.llvm.org/docs/LangRef"

    tokens = {
        "root": [
            (r"\s+", Text),
            (r"//.*?$", Comment.Single),
            (r'"(\\.|[^"\\])*"', String),
            (r"%[\w$.-]+(:\d+)?(#\d+)?", Name.Variable),
            (r"@([\w$.-]+|\"[^\"]*\")", Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[#!][A-Za-z][\w$.]*", Name.Decorator),
            # Before numbers and words: the extents of a shape are joined to each other and to the type.
            (r"(?<=[<x])(\?|\d+)(x)", bygroups(Number.Integer, Operator)),
            (r"[A-Za-z_]\w*(\.\w+)+", Name.Builtin),
            (r"\b(tensor|memref|vector|complex|tuple|none|index)\b", Keyword.Type),
            (r"(\b|(?<=\dx)|(?<=\?x))([su]?i\d+|bf16|tf32|f\d+[A-Z0-9]*)\b", Keyword.Type),
            (r"\b(affine_map|affine_set|dense|dense_resource|array|loc|opaque|sparse|strided)\b", Keyword.Constant),
            (r"\b(true|false|unit)\b", Keyword.Constant),
            (r"\b(floordiv|ceildiv|mod)\b", Operator.Word),
            (r"\b(to|step|iter_args|ins|outs|attributes|into|by|from|private|public|nested)\b", Keyword),
            (r"\b(module|func|return|yield)\b(?!\.)", Keyword.Declaration),
            (r"-?\b0x[0-9A-Fa-f]+\b", Number.Hex),
            (r"-?\b\d+\.\d*([eE][+-]?\d+)?", Number.Float),
            (r"-?\b\d+\b", Number.Integer),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|==|>=|<=|[=+*/|&-]", Operator),
            (r"[][(){}<>:,;?.]", Punctuation),
            (r".", Text),
        ]
    }


MLIR_OUTPUT = re.compile(r"^ *(%|module|func\.func|[#!]\w+ = |sdscbundle\.|spyre\.|scf\.)", re.MULTILINE)
"""The first characters of a line that only MLIR has."""


class ConsoleLexer(Lexer):
    """Commands after `$ `, and their output, which may be MLIR. The lexer of Pygments takes `%` for a prompt."""

    name = "Commands"
    aliases = ["console"]
    filenames: list[str] = []
    url = "https://en.wikipedia.org/wiki/Command-line_interface"

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, object, str]]:
        """Returns the tokens with their places."""
        command = r"^\$ (?:.*\\\n)*.*\n"
        for part in re.finditer(rf"(?P<command>{command})|(?P<output>(?:^(?!\$ ).*\n)+)", text, re.MULTILINE):
            if part["command"]:
                yield part.start(), Generic.Prompt, "$ "
                yield from self._inner(BashLexer(), part["command"][2:], part.start() + 2)
            elif MLIR_OUTPUT.search(part["output"]):
                yield from self._inner(MlirLexer(), part["output"], part.start())
            else:
                yield part.start(), Generic.Output, part["output"]

    @staticmethod
    def _inner(lexer: Lexer, text: str, start: int) -> Iterator[tuple[int, object, str]]:
        for at, token, piece in lexer.get_tokens_unprocessed(text):
            yield start + at, token, piece


for lexer in [ConsoleLexer, MlirLexer]:
    LEXERS[lexer.__name__] = (__name__, lexer.name, tuple(lexer.aliases), tuple(lexer.filenames), ())
# Its alias would be found first.
del LEXERS["BashSessionLexer"]

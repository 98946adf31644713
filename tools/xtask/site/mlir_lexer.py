"""The lexer of MLIR's text for Pygments, which has one of LLVM IR alone."""

from pygments.lexer import RegexLexer, bygroups
from pygments.lexers._mapping import LEXERS
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["MlirLexer"]


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
            (r"\b(tensor|memref|vector|complex|tuple|none|index)\b", Keyword.Type),
            (r"\b([su]?i\d+|bf16|tf32|f\d+[A-Z0-9]*)\b", Keyword.Type),
            (r"\b(affine_map|affine_set|dense|dense_resource|array|loc|opaque|sparse|strided)\b", Keyword.Constant),
            (r"\b(true|false|unit)\b", Keyword.Constant),
            (r"\b(floordiv|ceildiv|mod)\b", Operator.Word),
            (r"\b(to|step|iter_args|ins|outs|attributes|into|by|from|private|public|nested)\b", Keyword),
            (r"\b(module|func|return|yield)\b(?!\.)", Keyword.Declaration),
            (r"[A-Za-z_]\w*(\.\w+)+", Name.Builtin),
            (r"-?\b0x[0-9A-Fa-f]+\b", Number.Hex),
            (r"-?\b\d+\.\d*([eE][+-]?\d+)?", Number.Float),
            (r"-?\b\d+\b", Number.Integer),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|==|>=|<=|[=+*/|&-]", Operator),
            (r"[][(){}<>:,;?.]", Punctuation),
            (r".", Text),
        ]
    }


LEXERS["MlirLexer"] = (__name__, MlirLexer.name, tuple(MlirLexer.aliases), tuple(MlirLexer.filenames), ())

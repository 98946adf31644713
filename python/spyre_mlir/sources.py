"""Programs as bytes with a name: text or bytecode of MLIR, or a graph of a front end in JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

SUFFIXES = (".mlir", ".mlirbc", ".json")
"""The names of files that the compiler reads itself."""

_BYTECODE = b"ML\xefR"


@runtime_checkable
class MlirModule(Protocol):
    """A module of MLIR's Python bindings, of whichever package: its text has the locations."""

    @property
    def operation(self) -> Any:
        """The operation `builtin.module` of the bindings, whose `get_asm` returns the text."""
        ...


@dataclasses.dataclass(frozen=True)
class Source:
    """A program, and the name that messages have for it."""

    data: bytes
    name: str

    @property
    def suffix(self) -> str:
        """The suffix of a file with this program.

        >>> Source(b'{"format": "uop-graph-1"}', "graph").suffix
        '.json'
        """
        if self.data.startswith(_BYTECODE):
            return ".mlirbc"
        return ".json" if self.data.lstrip()[:1] == b"{" else ".mlir"

    @property
    def text(self) -> str | None:
        """The text, or None for bytecode."""
        return None if self.suffix == ".mlirbc" else self.data.decode("utf-8", "replace")

    def line(self, number: int) -> str | None:
        """Returns a line by its number, which counts from 1, or None."""
        lines = (self.text or "").splitlines()
        return lines[number - 1] if 0 < number <= len(lines) else None

    @property
    def graph(self) -> dict[str, Any] | None:
        """The object of a graph in JSON, or None for a module or for text that is no JSON."""
        if self.suffix != ".json":
            return None
        try:
            value: Any = json.loads(self.data)
        except ValueError:
            return None
        return value


def read_source(program: object, name: str | None = None) -> Source:
    """Returns the source of a program: a path, text, bytes, or a module of MLIR's Python bindings.

    A string is a path if it has the suffix of a program and no line break, and otherwise the text of a module.

    >>> read_source("func.func private @f()").name
    '<text>'
    """
    if isinstance(program, Source):
        return program if name is None else dataclasses.replace(program, name=name)
    if isinstance(program, (bytes, bytearray, memoryview)):
        return Source(bytes(cast("bytes", program)), name or "<bytes>")
    if isinstance(program, os.PathLike) or (isinstance(program, str) and _is_program_path(program)):
        path = Path(os.fspath(program))  # pyright: ignore[reportUnknownArgumentType]
        if path.suffix not in SUFFIXES:
            raise ValueError(f"{path}: a program has one of the suffixes {', '.join(SUFFIXES)}, or pass its bytes")
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise FileNotFoundError(f"{path}: no such file: pass the path of a program, or its text") from error
        return Source(data, name or str(path))
    if isinstance(program, str):
        return Source(program.encode("utf-8"), name or "<text>")
    if isinstance(program, MlirModule):
        text: str = program.operation.get_asm(enable_debug_info=True, assume_verified=True)
        return Source(text.encode("utf-8"), name or "<module>")
    raise TypeError(
        f"the program is a {type(program).__name__}: pass a path, the text or bytes of a module, or a module of MLIR"
    )


def is_path(text: str) -> bool:
    """Returns whether a string can be a path: text of a module has line breaks, or braces."""
    return "\n" not in text and "{" not in text and len(text) < 4096


def _is_program_path(text: str) -> bool:
    return is_path(text) and text.lower().endswith((*SUFFIXES, ".onnx", ".tflite"))


def argument_names(source: Source, entry: str | None) -> list[str | None]:
    """Returns the names of the arguments of a function, as far as the text has them.

    MLIR drops the names of values when it parses, so they are read from the text of the function's head.

    >>> argument_names(Source(b"func.func @f(%x: tensor<2xf16>, %scale: tensor<f32>) {", "f"), None)
    ['x', 'scale']
    """
    text = source.text
    if text is None or source.suffix == ".json":
        return []
    for head in re.finditer(r"func\.func\s+(?:public\s+)?@(?:\"([^\"]*)\"|([\w$.-]+))\(", text):
        if entry is None or entry in head.groups():
            names = [re.match(r"\s*%([\w$.-]+)\s*:", argument) for argument in _split_arguments(text, head.end())]
            return [name[1] if name is not None else None for name in names]
    return []


def _split_arguments(text: str, start: int) -> list[str]:
    """Returns the parts between commas up to the parenthesis that closes, commas in brackets left alone."""
    parts, depth, first = list[str](), 0, start
    for place in range(start, len(text)):
        character = text[place]
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[place - 1] != "-"):
            if depth == 0:
                return [part for part in [*parts, text[first:place]] if part.strip()]
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[first:place])
            first = place + 1
    return []

"""Examples in pages of Markdown: blocks of Python with `>>>`, and blocks of commands with `$`.

    ```python requires=torch      a doctest; skipped without the package
    ```console exit=1             commands, each in a new shell in the root of the repository, and their outputs

A line `...` of an output matches any lines. With `SPYRE_BLESS=1` the outputs in the page are replaced.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

FENCE = re.compile(r"^```(python|console)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of a page."""

    language: str
    options: dict[str, str]
    text: str
    line: int
    span: tuple[int, int]
    """The place of the text in the page, in characters."""


def blocks(path: Path, language: str) -> list[Block]:
    """Returns the blocks of a language that are examples."""
    page = path.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(page):
        options = dict(part.split("=", 1) for part in match[2].split())
        example = ">>> " if language == "python" else "$ "
        if match[1] == language and match[3].startswith(example):
            found.append(Block(language, options, match[3], page.count("\n", 0, match.start(3)), match.span(3)))
    return found


def commands(text: str) -> list[tuple[str, str]]:
    """Returns the commands of a block with their outputs."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def same(expected: str, got: str) -> bool:
    """Returns whether an output is the expected one, `...` being any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) for line in expected.splitlines(keepends=True)
    )
    pattern = re.sub(r"\\\.\\\.\\\.", ".*?", pattern)
    return re.fullmatch(pattern, got) is not None


def replaced(path: Path, texts: dict[tuple[int, int], str]) -> None:
    """Writes a page with other texts of blocks."""
    page = path.read_text(encoding="utf-8")
    for (start, end), text in sorted(texts.items(), reverse=True):
        page = page[:start] + text + page[end:]
    path.write_text(page, encoding="utf-8")

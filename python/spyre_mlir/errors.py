"""Diagnostics of the compiler as values and as exceptions.

A diagnostic has a place, a message and notes, and prints as the tools print it: the place, the severity and the
message, the line of the program, a caret, then the notes. An exception holds all diagnostics of the step that failed;
the first error is the one that its attributes are of. Messages of the compiler end with the way out where there is
one, and `fix` is that part.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

WIDTH = 120
"""The number of columns of a program's line that are printed, around the caret."""

# A clause with the way out begins with an option or with a verb in the imperative.
_VERBS = (
    "add|align|allocate|assign|call|cast|change|choose|compile|convert|cut|declare|divide|drop|export|fix|give|import|install|lay|"
    "leave|make|mark|merge|move|name|pad|pass|put|read|remove|rename|replace|reshape|run|select|set|shorten|split|swap|try|"
    "upgrade|use|write"
)
_WAY_OUT = re.compile(rf"[;:,.] (?:or |so |to \w+, )?((?:--[\w-]+|(?:{_VERBS}) (?!of )).*)$", re.DOTALL)
_INSTRUCTION = re.compile(rf"(?:--[\w-]+|(?:{_VERBS}) (?!of )).*$", re.DOTALL | re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """A message at a place of a program.

    >>> text = "  %0 = spyre.foo %x : tensor<4xf16>"
    >>> print(Diagnostic("error", "custom op 'spyre.foo' is unknown", "f.mlir:2:8", "f.mlir", 2, 8, source_line=text))
    f.mlir:2:8: error: custom op 'spyre.foo' is unknown
      %0 = spyre.foo %x : tensor<4xf16>
           ^
    """

    severity: str
    """`error`, `warning`, `remark` or `note`."""
    message: str
    location: str = ""
    """`file:line:column`, the name of a part of a file, or nothing."""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    notes: tuple[Diagnostic, ...] = ()
    source_line: str | None = None
    """The line of the program, where it is known."""

    @property
    def fix(self) -> str | None:
        """The way out: the last part of the message that is an instruction, or else the first such note.

        >>> Diagnostic("error", "3 tiles do not divide 16 rows; use 4 tiles").fix
        'use 4 tiles'
        >>> Diagnostic("error", "custom op 'spyre.foo' is unknown").fix is None
        True
        """
        found = _WAY_OUT.search(self.message)
        if found is not None:
            return found[1]
        for note in self.notes:
            found = _INSTRUCTION.match(note.message)
            fix = found[0] if found is not None else note.fix
            if fix is not None:
                return fix
        return None

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        lines = [f"{place}{self.severity}: {self.message}"]
        if self.source_line is not None and self.column is not None:
            lines += _excerpt(self.source_line, self.column)
        return "\n".join([*lines, *map(str, self.notes)])


def _excerpt(line: str, column: int) -> list[str]:
    """Returns the part of a line around a column, which counts from 1, and a line with a caret below it."""
    place = max(column - 1, 0)
    if len(line) <= WIDTH:
        # Tabs before the caret are as wide as in the line above.
        indent = re.sub(r"[^\t]", " ", line[:place].ljust(place))
        return [line, f"{indent}^"]
    first = min(max(place - WIDTH // 2, 0), len(line) - WIDTH)
    window = list(line[first : first + WIDTH])
    if first > 0:
        window[:3] = "..."
    if first + WIDTH < len(line):
        window[-3:] = "..."
    indent = re.sub(r"[^\t]", " ", "".join(window[: place - first]))
    return ["".join(window), f"{indent}^"]


class SpyreError(Exception):
    """Something that was asked of the compiler was not done. `args` are a message and the diagnostics."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, tuple(diagnostics))
        self.message = message
        self.diagnostics = tuple(diagnostics)

    @property
    def first(self) -> Diagnostic:
        """The first error, or else the first diagnostic, or else the message without a place."""
        errors = [diagnostic for diagnostic in self.diagnostics if diagnostic.severity == "error"]
        return (errors or list(self.diagnostics) or [Diagnostic("error", self.message)])[0]

    @property
    def location(self) -> str:
        """The place of the first error as `file:line:column`; empty if it is unknown."""
        return self.first.location

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """The notes of the first error."""
        return self.first.notes

    @property
    def fix(self) -> str | None:
        """The way out, where the diagnostics have one."""
        ways = (diagnostic.fix for diagnostic in self.diagnostics if diagnostic.severity == "error")
        return next(filter(None, ways), None) or self.first.fix

    def __str__(self) -> str:
        shown = [diagnostic for diagnostic in self.diagnostics if diagnostic.severity in ("error", "warning")]
        return "\n".join(map(str, shown)) or self.message


class CompileError(SpyreError):
    """The program was not compiled."""


class RunError(SpyreError):
    """The program did not run on these inputs."""


class PlanError(SpyreError):
    """The program has no plan, since it is not one function of device operations."""

    def __str__(self) -> str:
        return "\n".join([self.message, *map(str, self.diagnostics)])


class NativeMissingError(ImportError):
    """The native module, which holds the compiler, is not installed; the bridges of front ends work without it."""

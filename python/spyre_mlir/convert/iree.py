"""Programs in IREE's compiler: reading, passes, and errors with locations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .errors import ConvertError

LONGEST_MESSAGE = 400
"""The number of characters after which messages of MLIR are cut."""

Module = Any  # iree.compiler.ir.Module, which has no type annotations


def read_module(path: str) -> Module:
    """Read a program, text or bytecode, in a new context.

    The locations of errors have the path of the file.
    """
    from iree.compiler import ir

    if not Path(path).is_file():
        raise ConvertError(f"{path}: no such file")
    with ir.Context() as context, _located_errors(path):
        return ir.Module.parseFile(path, context)


def parse_module(text: str, name: str) -> Module:
    """Parse the text of a program, in a new context; errors have `name` and a line."""
    from iree.compiler import ir

    with ir.Context() as context, _located_errors(name):
        return ir.Module.parse(text, context)


def run_passes(module: Module, pipeline: str, name: str) -> None:
    """Run a pass pipeline, written as `builtin.module(...)`, on a program."""
    from iree.compiler import passmanager

    with module.context, _located_errors(name):
        passmanager.PassManager.parse(pipeline).run(module.operation)


def module_text(module: Module) -> str:
    """Return the program as text, with large constants in hexadecimal, which upstream's tools read."""
    return f"{module.operation.get_asm(assume_verified=True)}\n"


class _located_errors:  # noqa: N801  (used as a statement)
    """Make a `ConvertError` of each error of MLIR, with the locations of its diagnostics."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        from iree.compiler import ir

        if isinstance(error, ir.MLIRError):
            raise ConvertError(diagnostics_text(error.error_diagnostics, self.name, str(error))) from error
        if isinstance(error, ValueError):  # a pipeline that this release of IREE does not have
            raise ConvertError(f"{self.name}: {error}") from error


def diagnostics_text(diagnostics: list[Any], name: str, otherwise: str) -> str:
    """Return the diagnostics as lines `FILE:LINE:COLUMN: message`, or the text of the error if there are none."""
    lines = []
    for diagnostic in diagnostics:
        message = diagnostic.message.replace(" that was explicitly marked illegal", "")
        # MLIR appends the operation, with its constants.
        if len(message) > LONGEST_MESSAGE:
            message = message[:LONGEST_MESSAGE] + " ..."
        lines.append(f"{location_text(str(diagnostic.location), name)}: {message}")
    return "\n".join(lines) if lines else f"{name}: {otherwise}"


def location_text(location: str, name: str) -> str:
    """Return `loc("f.mlir":3:5)` as `f.mlir:3:5`, and `name` for a location that has no file.

    Of an inlined operation (`callsite`) it is the place in the called function, and of a merged one the first.
    """
    match = re.search(r'"([^"]*)":(\d+):(\d+)', location)
    if match is None:
        return name
    file = name if match[1] == "-" else match[1]
    return f"{file}:{match[2]}:{match[3]}"

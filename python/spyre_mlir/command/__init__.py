"""The command `spyre`: runs, compiles, explains and compares programs from files.

Exit codes: 0; 1 for a difference, a fault or a program that is refused; 2 for a wrong command line; 130 after Ctrl-C.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import warnings
from collections.abc import Sequence

from ..errors import PlanError, SpyreError
from ..native import LOG
from .actions import Answer, perform
from .parser import command_parser


def main(command_line: Sequence[str] | None = None) -> int:
    """Runs the command, and returns the exit code.

    >>> main(["doctor", "--json"])  # doctest: +ELLIPSIS
    {...}
    0
    """
    arguments = command_parser().parse_args(command_line)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOG.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            answer = perform(arguments)
    except KeyboardInterrupt:
        return _interrupted()
    except (SpyreError, ImportError, OSError, TypeError, ValueError) as error:
        answer = _refusal(error)
    finally:
        LOG.removeHandler(handler)
    try:
        _print(answer, arguments.json)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has enough. Python would flush again at its end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return answer.code


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Prints a warning of a conversion in a line, without the place in this package."""
    print(f"warning: {_with_command_options(str(message))}", file=sys.stderr)


def _with_command_options(text: str) -> str:
    """Returns a message of a conversion or a compilation with the names that this command has for the options."""
    shapes = r"shapes=\[\.\.\.\] with the shape of each input"
    text = re.sub(rf"pass sizes={{'([^']+)': N}}, or {shapes}", r"add --size \1=N", text)
    text = re.sub(rf"pass its extent in sizes={{\.\.\.}}, or {shapes}", "add --size NAME=EXTENT", text)
    return text.replace("--dim NAME", "--size NAME").replace("spyre-run takes", "this command takes")


def _refusal(error: Exception) -> Answer:
    text = _with_command_options(_text_of(error))
    if not isinstance(error, SpyreError) or isinstance(error, PlanError):
        text = f"error: {text}"  # a diagnostic has the word after its place
    diagnostics = [str(diagnostic) for diagnostic in error.diagnostics] if isinstance(error, SpyreError) else []
    value = {"error": _text_of(error), "kind": type(error).__name__, "diagnostics": diagnostics}
    return Answer(text, value, 1, is_error=True)


def _text_of(error: Exception) -> str:
    """Returns the text of an error; that of an operating system begins with the file, as every other one."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        name = error.filename if isinstance(error.filename, str) else os.fsdecode(error.filename)
        return f"{name}: {error.strerror[:1].lower()}{error.strerror[1:]}"
    return str(error)


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer.value, indent=2))
    elif answer.text:
        print(answer.text, file=sys.stderr if answer.is_error else sys.stdout)


def _interrupted() -> int:
    """Ends after Ctrl-C. A native call may still run in its thread, which must not meet the interpreter's end."""
    print("interrupted", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(130)

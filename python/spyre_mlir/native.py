"""The native module, with its failures as exceptions of this package and its warnings in the log.

The other modules call these functions, not `_native` itself: so each failure has the lines of the program that it is
about, each warning reaches the logger `spyre_mlir`, and a missing native module is an error with the line to type.
"""

from __future__ import annotations

import contextlib
import dataclasses
import linecache
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from .errors import CompileError, Diagnostic, NativeMissingError, RunError, SpyreError
from .progress import call_interruptibly
from .sources import Source

if TYPE_CHECKING:
    from . import _native
    from .arrays import Bytes

Result = TypeVar("Result")

LOG = logging.getLogger("spyre_mlir")
# Without a handler Python prints warnings to standard error, and a library does not print.
LOG.addHandler(logging.NullHandler())


_NATIVE = f"{__package__}._native"
_LOADING = threading.Lock()
"""Held during the load of the native module, which changes a setting of the whole process."""


def native_module():  # noqa: ANN201  (the type of a module)
    """Returns the native module. Raises `NativeMissingError` with the line to type where it is not installed."""
    try:
        with _LOADING:
            # Two threads that save and restore the flags at the same time would leave those of the load.
            with contextlib.nullcontext() if sys.modules.get(_NATIVE) is not None else _libraries_first():
                from . import _native
    except ImportError as error:
        raise NativeMissingError(
            f"the compiler of spyre_mlir, its native module, cannot be loaded ({error}): run pip install spyre-mlir, or "
            "pip install ./python in a checkout; the bridges of front ends (spyre_mlir.capture, spyre_mlir.convert) work without it"
        ) from error
    return _native


@contextlib.contextmanager
def _libraries_first() -> Generator[None]:
    """Lets a module that is loaded within take symbols from its libraries before those of the process."""
    # TensorFlow exports its LLVM and MLIR to the whole process (RTLD_GLOBAL). Bound to these, of another version, the
    # compiler refuses correct programs: "could not convert to LLVM IR".
    deep = getattr(os, "RTLD_DEEPBIND", None)  # of glibc alone
    if deep is None:
        yield
        return
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_NOW | deep)
    try:
        yield
    finally:
        sys.setdlopenflags(flags)


def has_native() -> bool:
    """Returns whether the native module can be loaded."""
    try:
        native_module()
    except NativeMissingError:
        return False
    return True


def diagnostic_of(native: _native.Diagnostic, source: Source | None) -> Diagnostic:
    """Returns a diagnostic with the line of the program: of the source, or of a file on disk, as one of Python."""
    line = None
    if native.line is not None and native.file is not None:
        if source is not None and native.file == source.name:
            line = source.line(native.line)
        else:
            line = linecache.getline(native.file, native.line).rstrip("\n") or None
    notes = tuple(diagnostic_of(note, source) for note in native.notes)
    return Diagnostic(
        native.severity, native.message, native.location, native.file, native.line, native.column, notes, line
    )


def log_warnings(diagnostics: Iterable[Diagnostic]) -> None:
    """Sends warnings to the log as the tools print them, and remarks at the level of debugging."""
    for diagnostic in diagnostics:
        level = logging.WARNING if diagnostic.severity == "warning" else logging.DEBUG
        LOG.log(level, "%s", diagnostic)


def call_native(
    call: Callable[[], Result],
    source: Source | None,
    label: str,
    progress: bool | None = None,
    error_type: type[SpyreError] = CompileError,
) -> Result:
    """Returns the result of a call of the native module; its failure is an exception of `error_type`."""
    failure = native_module().Failure
    try:
        return call_interruptibly(call, label, progress)
    except failure as error:
        message, natives = error.args
        diagnostics = [diagnostic_of(diagnostic, source) for diagnostic in natives]
        log_warnings(diagnostic for diagnostic in diagnostics if diagnostic.severity != "error")
        raise error_type(message, diagnostics) from None


def compile_program(
    source: Source,
    *,
    entry: str | None,
    card: bool,
    floats: str,
    sizes: Mapping[str, int],
    shapes: Sequence[Sequence[int]],
    progress: bool | None,
) -> tuple[_native.Program, list[Diagnostic]]:
    """Returns the compiled program, and its warnings and remarks, after sending them to the log."""
    compiler = native_module().Program
    try:
        program = call_native(
            lambda: compiler.compile(
                source.data, source.name, entry=entry, card=card, floats=floats, sizes=sizes, shapes=shapes
            ),
            source,
            f"compiling {source.name}",
            progress,
        )
    except CompileError as error:
        raise CompileError(error.message, [_with_extent_note(found) for found in error.diagnostics]) from None
    diagnostics = [diagnostic_of(diagnostic, source) for diagnostic in program.diagnostics]
    log_warnings(diagnostics)
    return program, diagnostics


def _with_extent_note(diagnostic: Diagnostic) -> Diagnostic:
    """Returns an error about a dynamic extent with a note about the arguments of Python that give it; others as they are.

    The messages of the compiler are those of all programs, so they name no arguments of `spyre_mlir.compile`.
    """
    shapes = "shapes=[...] with the shape of each input"
    open_name = re.search(r'no extent is given for "([^"]+)"', diagnostic.message)
    if open_name is not None:
        text = f"pass sizes={{'{open_name[1]}': N}}, or {shapes}"
    elif "has a dynamic extent" in diagnostic.message and diagnostic.severity == "error":
        text = (
            "give the dimension a name in 'spyre.dims' of the argument and bounds in 'spyre.dim_sizes' of the function; "
            f"then pass its extent in sizes={{...}}, or {shapes}"
        )
    else:
        return diagnostic
    return dataclasses.replace(diagnostic, notes=(*diagnostic.notes, Diagnostic("note", text)))


def bundle_files(source: Source, *, floats: str, strict: bool, progress: bool | None = None) -> dict[str, bytes]:
    """Returns the files of the bundles of a program, by relative path."""
    call = native_module().bundle_files
    files, natives = call_native(
        lambda: call(source.data, source.name, floats=floats, strict=strict),
        source,
        f"writing {source.name}",
        progress,
    )
    log_warnings(diagnostic_of(diagnostic, source) for diagnostic in natives)
    return files


def transform(source: Source, pipeline: str) -> str:
    """Returns the text of a module after a pipeline of passes.

    `pipeline` is `builtin.module(...)`, or options of `spyre-opt` without dashes, separated by commas.
    """
    call = native_module().transform
    text, natives = call_native(
        lambda: call(source.data, source.name, pipeline), source, f"transforming {source.name}"
    )
    log_warnings(diagnostic_of(diagnostic, source) for diagnostic in natives)
    return text


def plan_json(source: Source) -> str:
    """Returns the plan of one function of device operations, as JSON."""
    call = native_module().plan_json
    return call_native(lambda: call(source.data, source.name), source, f"planning {source.name}")[0]


def plan_page(source: Source) -> str:
    """Returns the page of the plan of one function of device operations, as HTML."""
    call = native_module().plan_page
    return call_native(lambda: call(source.data, source.name), source, f"planning {source.name}")[0]


def run_bundle(
    directory: str,
    arguments: Mapping[int, Bytes],
    *,
    bytes: Mapping[int, int],
    sizes: Mapping[str, int],
    seed: int | None,
) -> tuple[list[tuple[int, str, Bytes]], _native.Launch, list[str]]:
    """Runs a bundle without its program on bytes of device memory.

    Returns the number, a text and the bytes of each kernel argument that it writes, the statistics, and warnings. Raises
    `RunError` where it does not run, or has faults.
    """
    call = native_module().run_bundle
    return call_native(
        lambda: call(directory, list(arguments.items()), bytes=bytes, sizes=sizes, seed=seed),
        None,
        f"running {directory}",
        error_type=RunError,
    )


def compare_bundles(
    first: str,
    second: str,
    arguments: Mapping[int, Bytes],
    *,
    bytes: Mapping[int, int],
    sizes: Mapping[str, int],
    seed: int | None,
) -> tuple[list[tuple[int, bool, str]], list[list[str]]]:
    """Runs two bundles without their programs on the same bytes of device memory.

    Returns the number of each kernel argument that they write, whether its memory agrees, and the differences as text; and
    the warnings of each run. Raises `RunError` where one does not run, has faults, or writes other arguments.
    """
    call = native_module().compare_bundles
    return call_native(
        lambda: call(first, second, list(arguments.items()), bytes=bytes, sizes=sizes, seed=seed),
        None,
        f"comparing {first} with {second}",
        error_type=RunError,
    )


def plan_trace(source: Source) -> str:
    """Returns the timeline of the plan of one function of device operations, as a Chrome trace."""
    call = native_module().plan_trace
    return call_native(lambda: call(source.data, source.name), source, f"planning {source.name}")[0]


def verify_bundle(directory: str) -> tuple[bool, str]:
    """Returns whether the files of a directory are a bundle that is right, and the list of the findings."""
    call = native_module().verify_bundle
    return call_interruptibly(lambda: call(directory), f"checking {directory}")


def language_server(options: Sequence[str]) -> int:
    """Runs the language server on standard input and output until an editor ends it, and returns the exit code.

    `options` are those of MLIR's server. The server runs MLIR's in a second process, which is this command again.
    """
    # Without the working directory on the path: it is the editor's, and its files are no modules of Python.
    program = [sys.executable, "-P", "-m", "spyre_mlir.command", "lsp"]
    return native_module().language_server(program, list(options))

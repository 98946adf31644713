"""The command line of conversions: `python -m spyre_mlir.convert FRONT-END PROGRAM -o FILE`.

The exit code is 0 when the program is written, 1 when it cannot be converted, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence

from .arguments import parse_argument, parse_extent, parse_shape, parse_value
from .errors import ConvertError
from .from_onnx import OpenDimensions, UnreadOperations
from .output import write_program
from .versions import TESTED, UntestedVersion


_GUARD = "SPYRE_CONVERT_GUARDED"  # set in the process that converts
_OWN_WARNINGS = (UntestedVersion, OpenDimensions, UnreadOperations)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    tested = ", ".join(f"{package} {version}" for package, version in TESTED.items())
    top = argparse.ArgumentParser(
        prog="python -m spyre_mlir.convert",
        description="Converts a program of a front end to linalg on tensors, for spyre-opt and spyre-run.",
        epilog=f"Tested with {tested}.",
    )
    commands = top.add_subparsers(dest="front_end", required=True, metavar="FRONT-END")

    jax = commands.add_parser("jax", help="a function of JAX", description="Converts a function of JAX for known shapes.")
    jax.add_argument("program", metavar="MODULE:FUNCTION", help="models.py:mlp, or package.models:mlp")
    given = jax.add_mutually_exclusive_group()
    given.add_argument(
        "--shapes", nargs="+", default=[], metavar="TYPE", help="the type of each argument: 'f16[96,384]' or 96x384xf16"
    )
    given.add_argument(
        "--arguments", metavar="NAME", help="a tuple of arguments in the module, or a function that returns one; for trees"
    )
    jax.add_argument("--x64", action="store_true", help="let JAX have types of 64 bits (jax_enable_x64)")

    commands.add_parser("stablehlo", help="a file of StableHLO", description="Converts a file of StableHLO.")

    onnx = commands.add_parser("onnx", help="a file of ONNX", description="Converts a file of ONNX.")
    onnx.add_argument("--opset-version", type=int, metavar="N", help="convert an older model to this operator set first")
    onnx.add_argument("--dim", action="append", default=[], metavar="NAME=EXTENT", help="the extent of a named open dimension")
    onnx.add_argument(
        "--value",
        action="append",
        default=[],
        metavar="INPUT=NUMBERS",
        help="the value that an input always has, as rate=16000: what follows from it is computed, and the input stays",
    )

    tflite = commands.add_parser("tflite", help="a file of LiteRT", description="Converts a file of LiteRT (TensorFlow Lite).")
    for command in (onnx, tflite):
        command.add_argument(
            "--shape", action="append", default=[], metavar="INPUT=SHAPE", help="the shape of an input: images=1x3x224x224"
        )

    for name in ("stablehlo", "onnx", "tflite"):
        commands.choices[name].add_argument("program", metavar="FILE", help="the program")
    for command in commands.choices.values():
        command.add_argument(
            "-o", dest="output", default="-", metavar="FILE", help="where to write; without it, to the standard output"
        )
    return top


def convert(arguments: argparse.Namespace) -> str:
    """Return the linalg of the program that the command line names."""
    # Modules of front ends are imported here, so `--help` needs none of their packages.
    if arguments.front_end == "jax":
        from .from_jax import convert_jax_named

        types = [parse_argument(text) for text in arguments.shapes]
        return convert_jax_named(arguments.program, types, arguments.arguments, arguments.x64)
    if arguments.front_end == "onnx":
        from .from_onnx import convert_onnx

        extents = dict(map(parse_extent, arguments.dim))
        shapes = dict(map(parse_shape, arguments.shape))
        values = dict(map(parse_value, arguments.value))
        return convert_onnx(arguments.program, arguments.opset_version, extents, shapes, values)
    if arguments.front_end == "tflite":
        from .from_tflite import convert_tflite

        return convert_tflite(arguments.program, dict(map(parse_shape, arguments.shape)))
    from .from_stablehlo import convert_stablehlo

    return convert_stablehlo(arguments.program)


def main(command_line: Sequence[str] | None = None) -> int:
    """Convert a program, and return the exit code."""
    arguments = parser().parse_args(command_line)
    error = None
    with warnings.catch_warnings(record=True) as caught:
        for category in _OWN_WARNINGS:
            warnings.simplefilter("always", category)
        try:
            write_program(convert(arguments), arguments.output)
        except ConvertError as reason:
            error = reason
    # Behind the block: inside of it, a warning that is shown is recorded again.
    _print_warnings(caught)
    if error is not None:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _print_warnings(caught: Sequence[warnings.WarningMessage]) -> None:
    """Print each warning of this package in a line, and others as Python does."""
    for message in dict.fromkeys(str(warning.message) for warning in caught if warning.category in _OWN_WARNINGS):
        print(f"warning: {message}", file=sys.stderr)
    for warning in caught:
        if warning.category not in _OWN_WARNINGS:
            warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)


def guarded_main() -> int:
    """Convert a program in a separate process, and return the exit code.

    IREE's passes are native code, and a crash in them would end the process without a message.
    """
    if _GUARD in os.environ:
        return main()
    command = [sys.executable, "-m", "spyre_mlir.convert", *sys.argv[1:]]
    code = subprocess.run(command, env={**os.environ, _GUARD: "1"}).returncode
    if code < 0:
        name = signal.Signals(-code).name
        print(f"error: a pass or an importer ended with {name}, for: {' '.join(sys.argv[1:])}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(guarded_main())

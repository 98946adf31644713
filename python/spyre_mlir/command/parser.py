"""The command line of `spyre`. Completions and manual pages are made from this parser."""

from __future__ import annotations

import argparse
import math
import re
from typing import Any

from ..convert.arguments import parse_extent, parse_shape, parse_value
from ..convert.errors import ConvertError
from ..options import FLOATS


class _Version(argparse.Action):
    """Prints the version, which needs the native module: so it is read when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        from ..native import native_module

        print(f"spyre {native_module().VERSION}")
        parser.exit()


class _AppendNamed(argparse._AppendAction):  # pyright: ignore[reportPrivateUsage, reportMissingTypeArgument, reportUntypedBaseClass]
    """Appends NAME=... to a list; a name that the list has is a wrong command line, as one of the two would be lost."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if values[0] in (name for name, _ in getattr(namespace, self.dest)):
            raise argparse.ArgumentError(self, f"'{values[0]}' is given twice: use one of them")
        super().__call__(parser, namespace, values, option)


def command_parser() -> argparse.ArgumentParser:
    """Returns the parser."""
    top = argparse.ArgumentParser(
        prog="spyre",
        description="Compiles programs of tensors for the Spyre accelerator, and runs them on a simulated card.",
        epilog="FILE is a program: .mlir, .mlirbc, .onnx, .tflite, or a graph of PyTorch or tinygrad in .json. "
        "Exit codes: 0; 1 for a difference, a fault or a refused program; 2 for a wrong command line.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the versions of the package and of LLVM")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    _add_run(commands)

    compile_ = _command(commands, "compile", "write the files for the backend compiler")
    _program(compile_)
    compile_.add_argument(
        "-o", dest="directory", required=True, metavar="DIR",
        help="the directory to write; complete or not at all, and a saved program that is there is replaced",
    )  # fmt: skip

    explain = _command(commands, "explain", "show what runs on the card and what on the host, why, and the costs")
    _program(explain)
    explain.add_argument(
        "--random-seed", type=int, metavar="N", help="run on arguments of this seed, for the costs of a run"
    )

    view = _command(commands, "view", "write or open the page of a plan, or write its timeline")
    _program(view)
    view.add_argument(
        "-o", dest="page", metavar="FILE", help="the file to write; without it, the browser opens the page"
    )
    view.add_argument(
        "--trace",
        metavar="FILE",
        help="also write the plan over the modelled time, for https://ui.perfetto.dev; without -o, no page is opened",
    )

    check = _command(commands, "check", "verify the files of a bundle, and run a saved program against the CPU")
    check.add_argument("directory", metavar="DIR", help="a bundle, or a directory that 'spyre compile' wrote")
    check.add_argument(
        "--random-seed", type=int, default=0, metavar="N", help="the seed of the arguments; 0 by default"
    )
    _tolerance(check)

    diff = _command(commands, "diff", "show what two bundles do differently, in words")
    diff.add_argument("first", metavar="DIR1", help="a bundle")
    diff.add_argument("second", metavar="DIR2", help="another bundle")

    _command(commands, "doctor", "show versions, what is missing, and the line to type")

    lsp = _command(commands, "lsp", "run the language server, which an editor starts")
    lsp.add_argument(
        "--log", choices=("error", "info", "verbose"), help="the messages on standard error; info by default"
    )
    # For the second process, which the server starts itself.
    lsp.add_argument("--upstream-server", action="store_true", help=argparse.SUPPRESS)

    suite = _command(commands, "run-suite", "run all programs of a directory on the card and on the CPU, and compare")
    suite.add_argument("directory", metavar="DIR", help="programs, in folders as well")
    suite.add_argument(
        "--scheduler", metavar="ADDRESS", help="a scheduler of dask, as tcp://host:8786; without it, processes here"
    )
    suite.add_argument("--workers", type=int, metavar="N", help="the number of processes without a scheduler")
    suite.add_argument(
        "--random-seed", type=int, default=0, metavar="N", help="the seed of the arguments; 0 by default"
    )
    _tolerance(suite)
    return top


def _add_run(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],  # pyright: ignore[reportPrivateUsage]
) -> None:
    run = _command(commands, "run", "run a program on the simulated card and the CPU")
    _program(run, "FILE", "the program, a directory that 'spyre compile' wrote, or a bundle alone")
    run.add_argument(
        "-i",
        "--input",
        action="append",
        default=[],
        metavar="FILE",
        help="an argument, as .npy; once for each, in order, or NAME=FILE for single ones",
    )
    run.add_argument(
        "--output", action="append", default=[], metavar="FILE", help="where to write a result, as .npy; in order"
    )
    run.add_argument("--random-seed", type=int, metavar="N", help="make the other arguments up from this seed")
    run.add_argument(
        "--range",
        action=_AppendNamed,
        default=[],
        type=_range,
        metavar="NAME=LOW:HIGH",
        help="the numbers of a random argument, as bytes=0:257; by default -0.25:0.25 for floats and 0:8 for integers",
    )
    run.add_argument(
        "--argument",
        action=_AppendNamed,
        default=[],
        type=_argument,
        metavar="N=FILE",
        help="of a bundle alone, the bytes of a kernel argument in device memory: .npy of uint8, or any file as it is; "
        "--output writes bytes as well",
    )
    run.add_argument(
        "--argument-bytes",
        action=_AppendNamed,
        default=[],
        type=_argument_bytes,
        metavar="N=BYTES",
        help="of a bundle alone, the size of a kernel argument where it is larger than the part that operations reach",
    )
    run.add_argument(
        "--launch-params",
        metavar="FILE",
        help="of a bundle alone, the sizes of kernel arguments in a list that 'spyre-translate bundle --launch-params' "
        "wrote",
    )
    run.add_argument(
        "--compare-bundle",
        metavar="DIR",
        help="of a bundle alone, run another bundle on the same device memory, and fail where arguments differ",
    )
    run.add_argument("--cpu", action="store_true", help="run all on the CPU, without the card")
    run.add_argument(
        "--compare",
        choices=("onnxruntime",),
        help="compute the .onnx file by ONNX Runtime as well, on the same arguments, and fail where results differ",
    )
    run.add_argument(
        "--tolerance", type=float, metavar="X",
        help="with --compare, floats may differ by X times (1 + the magnitude of the runtime's number), times the "
        "largest magnitude of a result where it is below 1; by default 1e-6 for f64, 1e-4 for f32, 0.01 for f16, 0.05 "
        "for bf16 and for --floats dl16",
    )  # fmt: skip


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],  # pyright: ignore[reportPrivateUsage]
    name: str,
    text: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
    return command


def _program(command: argparse.ArgumentParser, metavar: str = "FILE", text: str = "the program") -> None:
    command.add_argument("program", metavar=metavar, help=text)
    command.add_argument("--entry", metavar="NAME", help="the function; without it, the only public one")
    command.add_argument("--floats", choices=FLOATS, help="how the card computes floats of 32 bits; auto by default")
    command.add_argument(
        "--size",
        action=_AppendNamed,
        default=[],
        type=_extent,
        metavar="NAME=EXTENT",
        help="the extent of a dynamic dimension",
    )
    command.add_argument(
        "--shape",
        action=_AppendNamed,
        default=[],
        type=_shape,
        metavar="INPUT=SHAPE",
        help="the shape of an input of an .onnx or .tflite file that leaves it open, as images=1x3x224x224",
    )
    command.add_argument(
        "--value",
        action=_AppendNamed,
        default=[],
        type=_value,
        metavar="INPUT=NUMBERS",
        help="the numbers that an input of an .onnx file always has, as sr=16000: conditions of it are decided",
    )


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    try:
        return parse_shape(text)
    except ConvertError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _argument(text: str) -> tuple[int, str]:
    number, equals, path = text.partition("=")
    if not (number.isdecimal() and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not N=FILE, as 0=a.bin")
    return int(number), path


def _argument_bytes(text: str) -> tuple[int, int]:
    number, equals, size = text.partition("=")
    if not (number.isdecimal() and equals and size.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not N=BYTES, as 0=8192")
    return int(number), int(size)


def _value(text: str) -> tuple[str, tuple[float, ...]]:
    try:
        return parse_value(text)
    except ConvertError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _range(text: str) -> tuple[str, tuple[float, float]]:
    name, equals, bounds = text.rpartition("=")
    numbers = re.fullmatch(r"([-+.\deE]+):([-+.\deE]+)", bounds)
    try:
        low, high = (float(number) for number in numbers.groups()) if numbers is not None else (0.0, 0.0)
    except ValueError:
        low, high = 0.0, 0.0
    # The width too: -1e308:1e308 has none among the floats.
    if not name or not equals or low >= high or not math.isfinite(high - low):
        raise argparse.ArgumentTypeError(f"'{text}' is no range of an input: write NAME=LOW:HIGH, as bytes=0:257")
    return name, (low, high)


def _tolerance(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tolerance", type=float, default=2e-2, metavar="X",
        help="floats may differ by X times (1 + the magnitude of the CPU's); 0.02 by default",
    )  # fmt: skip


def _extent(text: str) -> tuple[str, int]:
    try:
        return parse_extent(text)
    except ConvertError as error:
        raise argparse.ArgumentTypeError(str(error)) from error

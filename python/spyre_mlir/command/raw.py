"""A bundle without its program, run on the bytes of device memory.

The files of a bundle have no types: an argument is its bytes in device memory, and so is a result.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import native
from ..arrays import npy_bytes
from ..output_files import write_file
from ..saved import is_saved


def is_bundle_alone(path: str) -> bool:
    """Returns whether a directory has a bundle and no program."""
    return (Path(path) / "bundle.mlir").is_file() and not is_saved(path)


def run_raw(arguments: argparse.Namespace) -> tuple[str, Any, int]:
    """Runs a bundle without its program, and writes or describes the memory of the arguments that it writes; with
    `--compare-bundle`, runs the other bundle on the same memory, and describes the differences.

    Returns the text, the value for JSON and the exit code. Raises `ValueError` for options about tensors, and `RunError`
    where a bundle does not run on these bytes.
    """
    path: str = arguments.program
    tensor_options = {
        "--input": arguments.input, "--entry": arguments.entry, "--shape": arguments.shape, "--cpu": arguments.cpu,
        "--floats": arguments.floats, "--range": arguments.range, "--value": arguments.value,
        "--tolerance": arguments.tolerance is not None,
    }  # fmt: skip
    given = [name for name, value in tensor_options.items() if value]
    if given:
        raise ValueError(
            f"{path}: is a bundle without its program, and {' and '.join(given)} needs one: give the bytes of device "
            "memory, --argument N=FILE or --random-seed N, or run a directory that 'spyre compile' wrote"
        )
    contents = {number: read_bytes(file) for number, file in arguments.argument}
    sizes = dict(arguments.argument_bytes)
    twice = sorted(contents.keys() & sizes.keys())
    if twice:
        raise ValueError(
            f"kernel argument {twice[0]} has a file and a size: drop --argument-bytes, since a file has its size"
        )
    if arguments.launch_params is not None:
        launched = launch_sizes(arguments.launch_params)
        sizes = {number: size for number, size in launched.items() if number not in contents} | sizes
    call: dict[str, Any] = {"bytes": sizes, "sizes": dict(arguments.size), "seed": arguments.random_seed}
    if arguments.compare_bundle is not None:
        return _compare(arguments, contents, call)
    results, launch, warnings = native.run_bundle(path, contents, **call)
    _warn(path, warnings)
    if arguments.output and len(arguments.output) != len(results):
        numbers = ", ".join(str(number) for number, _, _ in results)
        raise ValueError(
            f"{len(arguments.output)} files by --output, and the bundle writes the kernel arguments {numbers}: give one for "
            "each, in this order"
        )
    for file, (_, _, data) in zip(arguments.output, results, strict=False):
        write_bytes(file, data)
    texts: Sequence[str] = [] if arguments.output else [f"argument {number}: {text}" for number, text, _ in results]
    value = {
        "arguments": [{"number": number, "bytes": len(data)} for number, _, data in results],
        "outputs": arguments.output,
        "statistics": launch.stats,
    }
    return "\n".join(texts), value, 0


def _compare(arguments: argparse.Namespace, contents: dict[int, Any], call: dict[str, Any]) -> tuple[str, Any, int]:
    if arguments.output:
        raise ValueError("--output is for the results of one bundle, and --compare-bundle prints differences: drop one")
    other: str = arguments.compare_bundle
    if not (Path(other) / "bundle.mlir").is_file():
        raise ValueError(f"--compare-bundle {other}: has no bundle.mlir, so it is no bundle")
    differences, warnings = native.compare_bundles(arguments.program, other, contents, **call)
    for path, texts in zip((arguments.program, other), warnings, strict=True):
        _warn(path, texts)
    agree = all(agrees for _, agrees, _ in differences)
    value = {
        "agree": agree,
        "arguments": [{"number": number, "agree": agrees, "text": text} for number, agrees, text in differences],
    }
    return "\n".join(f"argument {number}: {text}" for number, _, text in differences), value, 0 if agree else 1


def _warn(path: str, warnings: Sequence[str]) -> None:
    for warning in warnings:
        native.LOG.warning("%s: %s", path, warning)


def launch_sizes(path: str) -> dict[int, int]:
    """Returns the bytes of kernel arguments, by number, in a list of launch parameters.

    The list is that of `spyre-translate bundle --launch-params`: a parameter with a `tensor` has its `bytes`, one without
    is an address of a pool or a runtime size. Raises `ValueError` for another file.
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        parameters: Any = json.loads(text)
        if not isinstance(parameters, list):
            raise TypeError("not a list")
        tensors = [(parameter["arg_index"], parameter["tensor"]) for parameter in parameters if parameter.get("tensor")]
        sizes = {int(number): int(tensor["bytes"]) for number, tensor in tensors if number >= 0}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"--launch-params {path}: is no list of launch parameters ({type(error).__name__}: {error}): give the file that "
            "'spyre-translate bundle --launch-params FILE' writes"
        ) from error
    return sizes


def read_bytes(path: str) -> Any:
    """Returns the bytes of a .npy file of bytes, or of any other file."""
    if Path(path).suffix != ".npy":
        return np.frombuffer(Path(path).read_bytes(), np.uint8)
    array = np.load(path, allow_pickle=False)
    if array.dtype not in (np.uint8, np.int8):
        raise ValueError(f"{path}: has elements of {array.dtype}, and --argument takes bytes, uint8")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def write_bytes(path: str, data: Any) -> None:
    """Writes bytes as a .npy file, or as they are to a file of another suffix."""
    write_file(path, npy_bytes(data) if Path(path).suffix == ".npy" else data.tobytes())

"""A bundle without its program, run on the bytes of device memory.

The files of a bundle have no types: an argument is its bytes in device memory, and so is a result.
"""

from __future__ import annotations

import argparse
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


def run_raw(arguments: argparse.Namespace) -> tuple[str, Any]:
    """Runs a bundle without its program, and writes or describes the memory of the arguments that it writes.

    Returns the text and the value for JSON. Raises `ValueError` for options about tensors, and `RunError` where the
    bundle does not run on these bytes.
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
    results, launch, warnings = native.run_bundle(
        path,
        contents,
        bytes=dict(arguments.argument_bytes),
        sizes=dict(arguments.size),
        seed=arguments.random_seed,
    )
    for warning in warnings:
        native.LOG.warning("%s: %s", path, warning)
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
    return "\n".join(texts), value


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

"""The compiler, the CPU and the simulated card, in process. Private: the modules of the package use it, its users do not.

Long calls release the GIL. Arrays pass as bytes in row-major order, in one-dimensional arrays of `numpy.uint8`, since NumPy has no
elements of bf16 and f8; an element of `i1` is one byte, 0 or 1.
"""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

VERSION: str
"""The version of the package, the commit that was built, and the version of LLVM."""

@final
class Diagnostic:
    """A message at a place of a program."""

    severity: str
    """`error`, `warning`, `remark` or `note`."""
    message: str
    location: str
    """The place as compilers write it: `file:line:column`, or the name of a part of a file; empty if it is unknown."""
    file: str | None
    line: int | None
    column: int | None
    notes: list[Diagnostic]

class Failure(Exception):
    """What was asked was not done. `args` are the message and the diagnostics, in the order in which they were reported."""

    args: tuple[str, list[Diagnostic]]

@final
class TensorType:
    """The type of an input or of a result."""

    shape: tuple[int, ...]
    """The extents, in elements."""
    dtype: str
    """`f16`, `bf16`, `f32`, `f64`, `f8E4M3FN`, `f8E5M2`, `i1`, `i8` to `i64`, `ui8` to `ui64`, as in MLIR."""

@final
class DeviceFunction:
    """A function of the program that runs on the card."""

    name: str
    work: int
    """The elements that its operations compute, or the terms of sums and products."""

@final
class Launch:
    """A run of a function of the device."""

    function: str
    stats: dict[str, float]
    """`executions`, `iterations`; in bytes `hbm_read`, `hbm_written`, `hbm_read_distinct`, `lx_read`, `lx_written`, `lx_peak` (the
    largest of a core); `modelled_time` in microseconds."""
    range_losses: list[str]
    """A message for each operation or argument some of whose elements the card has no number for."""

@final
class Program:
    """A compiled function of a module."""

    @staticmethod
    def compile(
        source: bytes,
        name: str,
        *,
        entry: str | None = None,
        card: bool = True,
        floats: str = "auto",
        sizes: Mapping[str, int] = ...,
        shapes: Sequence[Sequence[int]] = (),
    ) -> Program:
        """Compiles the function `entry`, or the only public one, of a module of MLIR (text or bytecode) or of a graph in the JSON of a
        front end. `name` is the name of the file in messages. With `card`, the operations that the card computes are functions
        of the device, with a bundle each; without, all runs on the CPU. `floats`: `auto`, `exact` or `dl16`. `sizes` are
        extents of dynamic dimensions or symbols by name; `shapes` are those of all inputs, from which the others follow."""

    entry: str
    diagnostics: list[Diagnostic]
    """Warnings and remarks of the compilation."""
    inputs: list[TensorType]
    outputs: list[TensorType]
    constants: list[bool]
    """Whether the program holds the value of each input."""
    functions: list[DeviceFunction]
    host_work: int
    """The elements that the structured operations of the host compute."""

    def to_bytes(self) -> bytes:
        """Returns the program with its compiled code, for `from_bytes` of the same version on a machine with the same processor."""

    @staticmethod
    def from_bytes(content: bytes) -> Program:
        """Returns the program of such bytes, whose code is run as it is. Raises `Failure` where they are of another version or
        processor, or damaged."""

    def run(self, inputs: Sequence[Bytes]) -> tuple[list[Bytes], list[Launch]]:
        """Runs the program on the inputs that are no constants. May be called from several threads, which then wait for each other."""

def transform(source: bytes, name: str, pipeline: str) -> tuple[str, list[Diagnostic]]:
    """Runs a pipeline (`builtin.module(...)`, or the options of `spyre-opt` without dashes, separated by commas) and returns the
    module as text."""

def bundle_files(
    source: bytes, name: str, *, floats: str = "auto", strict: bool = False
) -> tuple[dict[str, bytes], list[Diagnostic]]:
    """Returns the files by relative path: of one bundle (`bundle.mlir`, `sdsc_0.json`, ...) if the module is one function of device
    operations or `strict` is set, and otherwise those of a program of host and device (`launch.json`, `host.mlir`, `NAME/bundle.mlir`,
    ...)."""

def plan_json(source: bytes, name: str) -> tuple[str, list[Diagnostic]]:
    """Returns the plan of one function of device operations (`spyre-plan-1`)."""

def plan_page(source: bytes, name: str) -> tuple[str, list[Diagnostic]]:
    """Returns the page of the plan, in HTML."""

def run_bundle(
    directory: str,
    arguments: Sequence[tuple[int, Bytes]],
    *,
    bytes: Mapping[int, int],
    sizes: Mapping[str, int],
    seed: int | None,
) -> tuple[list[tuple[int, str, Bytes]], Launch, list[str]]:
    """Runs a bundle without its program on the bytes of kernel arguments, by number; `bytes` has the sizes of others, and `sizes`
    the runtime sizes by name. Arguments that are read and not given are random, from the seed. Returns the number, a text and
    the bytes of each argument that the bundle writes, the statistics of the run, and its warnings."""

def compare_bundles(
    first: str,
    second: str,
    arguments: Sequence[tuple[int, Bytes]],
    *,
    bytes: Mapping[int, int],
    sizes: Mapping[str, int],
    seed: int | None,
) -> tuple[list[tuple[int, bool, str]], list[list[str]]]:
    """Runs two bundles on the same device memory, as `run_bundle` runs one. Returns the number of each argument that they write,
    whether its memory agrees, and the differences as text; and the warnings of each run."""

def plan_trace(source: bytes, name: str) -> tuple[str, list[Diagnostic]]:
    """Returns the timeline of the plan, in the Chrome trace event format."""

def verify_bundle(directory: str) -> tuple[bool, str]:
    """Checks the files of a bundle, or of all bundles of a program of host and device. Returns whether they are right, and the list of
    the findings."""

def language_server(program: Sequence[str], options: Sequence[str]) -> int:
    """Runs the language server on the standard input and output of the process, and returns the exit code. `program` is the command
    line that calls this function again, in a second process: options follow it."""

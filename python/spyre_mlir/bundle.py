"""A compiled program: it runs on the CPU and the simulated card, and has the files for the real one."""

from __future__ import annotations

import functools
import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import native
from .arrays import Bytes, array_of_bytes, row_major_bytes
from .device_source import device_source, host_structured_operations
from .element_types import type_text
from .errors import CompileError, Diagnostic, PlanError, RunError
from .explanation import Explanation, HostOperation, host_operations
from .options import Options
from .output_files import write_directory, write_file
from .page import Page
from .program import Extent, Input, Program, leaves
from .saved import saved_files
from .sources import Source
from .statistics import FunctionWork, LaunchStatistics, Statistics


class Bundle:
    """A compiled program, from `spyre_mlir.compile`.

    >>> bundle = spyre_mlir.compile("examples/mlp.mlir")
    >>> bundle.inputs[0]
    Input(name='x', shape=(96, 384), dtype='f16')
    >>> arrays = [numpy.full(input.shape, 0.125, numpy.float16) for input in bundle.inputs]
    >>> (y,) = bundle.run(*arrays)
    >>> y.shape, y.dtype
    ((96, 128), dtype('float16'))
    >>> bundle.stats().device_share
    1.0
    """

    def __init__(self, program: Program, options: Options, progress: bool | None = None) -> None:
        start = time.perf_counter()
        self.program = program
        """The program, with its source."""
        self.options = options
        self._progress = progress
        self._native, self.diagnostics = native.compile_program(
            program.bytes,
            entry=options.entry,
            card=options.card,
            floats=options.floats,
            sizes=dict(options.sizes),
            shapes=options.shapes,
            progress=progress,
        )
        self._compile_seconds = time.perf_counter() - start
        self._last_run: tuple[float, tuple[LaunchStatistics, ...]] | None = None
        self._lock = threading.Lock()
        self._called = program.with_inputs(len(self._native.inputs))
        names = self._called.input_names(self._native.entry, len(self._native.inputs))
        self._inputs = [
            Input(name, tuple(tensor.shape), tensor.dtype)
            for name, tensor in zip(names, self._native.inputs, strict=True)
        ]

        self._check_shapes()

    def _check_shapes(self) -> None:
        """Refuses shapes that the compiled program does not have: the compiler reads them for dynamic extents alone."""
        shapes = self.options.shapes
        if shapes and len(shapes) != len(self._inputs):
            names = ", ".join(map(str, self._inputs))
            raise ValueError(
                f"{self.name}: {len(shapes)} shapes for {len(self._inputs)} inputs: give one for each of {names}"
            )
        for shape, input in zip(shapes, self._inputs, strict=False):
            if shape != input.shape:
                raise ValueError(
                    f"{self.name}: the shape of {input.name} is {input.shape} in the program, not {shape}: "
                    "give other extents for dynamic dimensions alone"
                )

    @property
    def name(self) -> str:
        """The name of the program in messages."""
        return self.program.name

    @property
    def entry(self) -> str:
        """The name of the compiled function."""
        return self._native.entry

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that `run` takes: all but constants of the program and values that the front end knows."""
        return tuple(self._inputs[position] for position in self._free)

    @property
    def outputs(self) -> tuple[tuple[tuple[int, ...], str], ...]:
        """The shape and the element type of each result."""
        return tuple((tuple(tensor.shape), tensor.dtype) for tensor in self._native.outputs)

    @functools.cached_property
    def _variable(self) -> list[int]:
        """The positions of the inputs that the program does not hold the values of."""
        return [position for position, constant in enumerate(self._native.constants) if not constant]

    @functools.cached_property
    def _free(self) -> list[int]:
        return [position for position in self._variable if position not in self._called.values]

    def run(self, *arrays: object) -> tuple[Any, ...]:
        """Runs the program and returns its results, always as a tuple.

        Arrays are of NumPy, have `__dlpack__` as tensors of PyTorch, or are buffers. They are passed without a copy
        where they are contiguous in row-major order. Raises `TypeError` for another count or element type,
        `ValueError` for another shape, and `RunError` where the program does not run on these values.
        """
        values = self._input_bytes(self._leaves(arrays))
        start = time.perf_counter()
        results, launches = native.call_native(
            lambda: self._native.run(values), self.program.bytes, f"running {self.name}", self._progress, RunError
        )
        seconds = time.perf_counter() - start
        statistics = tuple(LaunchStatistics.of(run.function, run.stats, run.range_losses) for run in launches)
        for launch in statistics:
            for message in launch.range_losses:
                native.LOG.warning("%s: @%s: %s", self.name, launch.function, message)
        with self._lock:
            self._last_run = seconds, statistics
        return tuple(
            array_of_bytes(np.asarray(data), tensor.shape, tensor.dtype)
            for data, tensor in zip(results, self._native.outputs, strict=True)
        )

    def __call__(self, *arrays: object) -> Any:
        """Runs the program; returns the result, or a tuple of several."""
        results = self.run(*arrays)
        return results[0] if len(results) == 1 else results

    def _leaves(self, arrays: Sequence[object]) -> list[object]:
        """Returns the arrays of nested lists, tuples and dictionaries.

        Raises `TypeError` for a list of numbers in the place of an array: as a tree it is an array for each number.
        """
        found = list(leaves(arrays))
        counts = {len(self._variable), len(self._free), len(self._called.arguments or self._free)}
        if len(found) not in counts and len(arrays) in counts:
            for position, array in enumerate(arrays):
                kind = type(array).__name__
                if all(isinstance(leaf, (int, float)) for leaf in leaves([array])) and isinstance(array, (list, tuple)):
                    raise TypeError(
                        f"{self.name}: argument {position} is a {kind} of numbers, each of which would be an array: pass "
                        "numpy.array(x, dtype) of it"
                    )
        return found

    def _input_bytes(self, arrays: list[object]) -> list[Bytes]:
        """Returns the bytes of all inputs but constants, in order."""
        given: dict[int, object] = {**self._called.values, **self._given(arrays)}
        for position, value in given.items():
            if isinstance(value, Extent):
                other: Any = given[value.input]
                given[position] = int(other.shape[value.dimension])
        return [
            row_major_bytes(
                given[position], self._inputs[position].shape, self._inputs[position].dtype, self._label(position)
            )
            for position in self._variable
        ]

    def _given(self, arrays: list[object]) -> dict[int, object]:
        """Returns the arrays of a call by the positions of their inputs."""
        arguments = self._called.arguments
        if arguments is not None and len(arrays) == len(arguments):
            return {
                position: array for position, array in zip(arguments, arrays, strict=True) if position is not None
            }
        # With values for some inputs, a call may give arrays for the others, or for all.
        positions = self._variable if len(arrays) == len(self._variable) else self._free
        if len(arrays) != len(positions):
            expected = ", ".join(str(self._inputs[position]) for position in positions) or "none"
            raise TypeError(
                f"{self.name} takes {_count(len(positions), 'array')} and got {len(arrays)}: pass {expected}"
            )
        return dict(zip(positions, arrays, strict=True))

    def _label(self, position: int) -> str:
        name = self._inputs[position].name
        default = f"argument {position}"
        return f"{self.name}: {default}" if name == default else f"{self.name}: {default} ({name})"

    def stats(self) -> Statistics:
        """Returns facts of the compilation, and the traffic and times of the last run."""
        seconds, launches = self._last_run or (None, ())
        functions = tuple(FunctionWork(function.name, function.work) for function in self._native.functions)
        return Statistics(self.name, self._compile_seconds, functions, self._native.host_work, seconds, launches)

    @functools.cached_property
    def files(self) -> Mapping[str, bytes]:
        """The files for the backend compiler by relative path: one bundle, or `launch.json` and a bundle per device
        function.

        >>> sorted(spyre_mlir.compile("examples/add_mul.mlir").files)
        ['bundle.mlir', 'sdsc_0.json', 'sdsc_1.json']
        """
        return native.bundle_files(
            self.program.bytes, floats=self.options.floats, strict=False, progress=self._progress
        )

    @functools.cached_property
    def _device_source(self) -> Source:
        """The program as one function of device operations. Raises `PlanError` where it is none."""
        if self.options.card and self._native.host_work:
            raise self._plan_error(())
        try:
            return device_source(self.program.bytes, self.options.floats, self.options.sizes)
        except CompileError as error:
            raise self._plan_error(error.diagnostics) from error

    def _plan_error(self, diagnostics: Sequence[Diagnostic]) -> PlanError:
        host = ", ".join(dict.fromkeys(operation.operation for operation in self.host_operations))
        reason = f"the host computes {host}" if host else "it is not one function of device operations"
        return PlanError(
            f"{self.name} has no plan, since {reason}: use explain() for the two sides, and files for the bundles",
            diagnostics,
        )

    @functools.cached_property
    def host_operations(self) -> tuple[HostOperation, ...]:
        """The operations that run on the host, with the reasons.

        The compiler leaves them there without a message. An import for the card alone refuses each of them, so its
        errors are the reasons.
        """
        reported = host_operations(self.diagnostics)
        if reported or not self.options.card or self._native.host_work == 0:
            return reported
        arguments = (self.program.bytes, self.options.floats, self.options.sizes)
        try:
            device_source(*arguments)
        except CompileError as error:
            return host_operations(error.diagnostics)
        # The contract has no such operation, though the import for the card alone, which serves other targets too, has.
        reason = "the contract of the card has no such operation of these types (docs/Contract.md)"
        reason += "" if self.options.floats == "dl16" else "; floats='dl16' computes floats of 32 bits in 16"
        return tuple(HostOperation(name, "", reason) for name in host_structured_operations(*arguments))

    @functools.cached_property
    def plan(self) -> dict[str, Any]:
        """The plan (`spyre-plan-1`): places of values, traffic and modelled times.

        Raises `PlanError` where the program is not one function of device operations.

        >>> plan = spyre_mlir.compile("examples/add_mul.mlir").plan
        >>> [operation["name"] for operation in plan["functions"][0]["operations"]]
        ['spyre.add', 'spyre.mul']
        """
        try:
            return json.loads(native.plan_json(self._device_source))
        except CompileError as error:
            raise self._plan_error(error.diagnostics) from error

    def view(self, path: str | os.PathLike[str] | None = None) -> Page:
        """Returns the page of the plan, and writes it to a file if there is a path.

        A notebook shows the page, `open` shows it in a browser. Raises `PlanError` as `plan` does.
        """
        try:
            page = Page(native.plan_page(self._device_source))
        except CompileError as error:
            raise self._plan_error(error.diagnostics) from error
        if path is not None:
            page.save(path)
        return page

    def plan_trace(self, path: str | os.PathLike[str] | None = None) -> str:
        """Returns the plan over the modelled time, for https://ui.perfetto.dev, and writes it to a file if there is a path.

        It is JSON in the Chrome trace event format. Raises `PlanError` as `plan` does.

        >>> trace = json.loads(spyre_mlir.compile("examples/add_mul.mlir").plan_trace())
        >>> [event["name"] for event in trace if event["ph"] == "X" and event["pid"] == 0][:3]
        ['spyre.add', 'spyre.mul', 'spyre.add']
        """
        try:
            trace = native.plan_trace(self._device_source)
        except CompileError as error:
            raise self._plan_error(error.diagnostics) from error
        if path is not None:
            write_file(path, trace.encode("utf-8"))
        return trace

    def explain(self) -> Explanation:
        """Returns the division between card and host with the reasons, and the costs: of the last run, or else of the plan.

        >>> print(spyre_mlir.compile("examples/host.mlir").explain())  # doctest: +ELLIPSIS
        examples/host.mlir
          card  66.7% of the work
          card  @angle_device_0: 98,304 elements
          host  49,152 elements
          host  linalg.generic at examples/host.mlir:14:8: no device operation computes 'arith.ori' of i64
          cost  unknown until the program has run
        """
        totals = None
        if self._last_run is None and self._native.host_work == 0 and self._native.functions:
            try:
                totals = self.plan["functions"][0]["totals"]
            except PlanError:
                pass  # several functions, or operations that are not counted as work
        warnings = tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.severity == "warning")
        return Explanation(self.stats(), self.host_operations, warnings, totals)

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Writes the files, the source and the options to a directory, complete or not at all, and returns its path.

        `spyre_mlir.load` compiles the source again: the directory has no compiled code.
        """
        write_directory(directory, saved_files(self.program, self.options, self.files))
        return Path(directory)

    def __repr__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        outputs = ", ".join(type_text(shape, dtype) for shape, dtype in self.outputs)
        return f"<spyre_mlir.Bundle {self.name!r}: @{self.entry}({inputs}) -> ({outputs})>"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()  # pyright: ignore[reportPrivateUsage]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

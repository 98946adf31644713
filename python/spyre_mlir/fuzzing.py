"""Random programs of linalg, compared on the card and on the CPU.

A program is a chain of structured operations on random shapes: functions of elements, rows that are broadcast, matrix
products, reductions and a softmax. It is text, drawn from a seed alone, so the seed of a failure reproduces it.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

from .many import ATTEMPTS, ExecutorSource, Outcome, ProgramTask, compile_task, died_outcome, run_tasks
from .options import Options

_UNARY = ("math.exp", "math.tanh", "math.absf", "arith.negf")
_BINARY = ("arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf")
_EXTENTS = (1, 3, 17, 32, 64, 96, 100, 128, 200)
_ELEMENTS = ("f16", "f16", "f32", "bf16")
# Results of the card and of the CPU are rounded in different places, by the bits of the fraction.
_TOLERANCES = {"f16": 2e-2, "f32": 2e-2, "bf16": 8e-2}

_IDENTITY = "affine_map<(d0, d1) -> (d0, d1)>"
_COLUMNS = "affine_map<(d0, d1) -> (d1)>"
_ROWS = "affine_map<(d0, d1) -> (d0)>"


def fuzz(
    count: int,
    executor: ExecutorSource,
    *,
    seed: int = 0,
    attempts: int = ATTEMPTS,
    progress: bool | None = None,
) -> list[Outcome]:
    """Compares `count` random programs on the card with the CPU, over an executor, and returns one `Outcome` for each.

    Program number `i` is `random_program(seed + i)`; outcomes have the name `fuzz-SEED`.

    >>> with concurrent.futures.ThreadPoolExecutor(1) as executor:
    ...     [outcome.status for outcome in fuzz(2, executor, seed=1)]
    ['same', 'same']
    """
    tasks = list[ProgramTask]()
    for number in range(seed, seed + count):
        program = random_program(number)
        options = Options(floats="dl16" if program.element == "f32" else "auto")
        name = f"fuzz-{number}"
        tasks.append(ProgramTask(name, program.text.encode("utf-8"), options, number, _TOLERANCES[program.element]))
    return run_tasks(compile_task, tasks, executor, died_outcome, attempts, progress)


@dataclasses.dataclass(frozen=True)
class RandomProgram:
    """A drawn program."""

    text: str
    element: str
    """The element type of all its tensors."""


def random_program(seed: int) -> RandomProgram:
    """Returns the program of a seed.

    >>> random_program(7) == random_program(7)
    True
    """
    return _Writer(random.Random(seed)).program()


class _Writer:
    """The text of a program of matrices, a chain of operations on the current value."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._element = draw.choice(_ELEMENTS)
        self._arguments = list[str]()
        self._lines = list[str]()
        self._count = 0
        self._shape: tuple[int, int] = (draw.choice(_EXTENTS), draw.choice(_EXTENTS))
        self._value = self._argument(self._shape)

    def program(self) -> RandomProgram:
        steps: list[Callable[[], None]] = [self._unary, self._binary, self._row, self._product, self._softmax]
        for _ in range(self._draw.randint(1, 5)):
            self._draw.choice(steps)()
        result = self._type(self._shape)
        if self._draw.random() < 0.4:
            result = self._reduction()
        head = f"func.func @main({', '.join(self._arguments)}) -> {result} {{"
        body = [f"  {line}" for line in self._lines]
        return RandomProgram(
            "\n".join([head, *body, f"  return {self._value} : {result}", "}"]) + "\n", self._element
        )

    def _type(self, shape: tuple[int, ...]) -> str:
        return f"tensor<{''.join(f'{extent}x' for extent in shape)}{self._element}>"

    def _argument(self, shape: tuple[int, ...]) -> str:
        name = f"%arg{len(self._arguments)}"
        self._arguments.append(f"{name}: {self._type(shape)}")
        return name

    def _assign(self, operation: str) -> str:
        name = f"%{self._count}"
        self._count += 1
        self._lines.append(f"{name} = {operation}")
        return name

    def _generic(self, operands: list[tuple[str, str, str]], body: list[str], result: str) -> None:
        """Appends an operation on each element; an operand is its value, its type and its map."""
        empty = self._assign(f"tensor.empty() : {self._type(self._shape)}")
        maps = ", ".join([*(map for _, _, map in operands), _IDENTITY])
        block = ", ".join(f"%in{number}: {self._element}" for number in range(len(operands)))
        values, types = ", ".join(value for value, _, _ in operands), ", ".join(type for _, type, _ in operands)
        self._value = self._assign(
            f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} '
            f"ins({values} : {types}) outs({empty} : {self._type(self._shape)}) {{"
        )
        self._lines += [f"^bb0({block}, %out: {self._element}):", *(f"  {line}" for line in body)]
        self._lines += [f"  linalg.yield {result} : {self._element}", f"}} -> {self._type(self._shape)}"]

    def _unary(self) -> None:
        operation = self._draw.choice(_UNARY)
        operand = (self._value, self._type(self._shape), _IDENTITY)
        self._generic([operand], [f"%r = {operation} %in0 : {self._element}"], "%r")

    def _binary(self) -> None:
        other = self._value if self._draw.random() < 0.2 else self._argument(self._shape)
        self._binary_with(other, self._type(self._shape), _IDENTITY)

    def _row(self) -> None:
        extent, map = self._draw.choice([(self._shape[1], _COLUMNS), (self._shape[0], _ROWS)])
        self._binary_with(self._argument((extent,)), self._type((extent,)), map)

    def _binary_with(self, other: str, type: str, map: str) -> None:
        operation = self._draw.choice(_BINARY)
        operands = [(self._value, self._type(self._shape), _IDENTITY), (other, type, map)]
        self._generic(operands, [f"%r = {operation} %in0, %in1 : {self._element}"], "%r")

    def _filled(self, shape: tuple[int, ...], literal: str) -> str:
        constant = self._assign(f"arith.constant {literal} : {self._element}")
        empty = self._assign(f"tensor.empty() : {self._type(shape)}")
        type = self._type(shape)
        return self._assign(f"linalg.fill ins({constant} : {self._element}) outs({empty} : {type}) -> {type}")

    def _product(self) -> None:
        rows, inner = self._shape
        columns = self._draw.choice(_EXTENTS)
        right = self._argument((inner, columns))
        accumulator = self._filled((rows, columns), "0.0")
        result = self._type((rows, columns))
        self._value = self._assign(
            f"linalg.matmul ins({self._value}, {right} : {self._type(self._shape)}, {self._type((inner, columns))}) "
            f"outs({accumulator} : {result}) -> {result}"
        )
        self._shape = (rows, columns)

    def _softmax(self) -> None:
        type = self._type(self._shape)
        empty = self._assign(f"tensor.empty() : {type}")
        self._value = self._assign(
            f"linalg.softmax dimension(1) ins({self._value} : {type}) outs({empty} : {type}) -> {type}"
        )

    def _reduction(self) -> str:
        """Appends a reduction, the last operation, and returns the type of its result."""
        dimension = self._draw.choice([0, 1])
        operation, start = self._draw.choice([("arith.addf", "0.0"), ("arith.maximumf", "-60000.0")])
        shape = (self._shape[1 - dimension],)
        accumulator = self._filled(shape, start)
        self._value = self._assign(
            f"linalg.reduce {{ {operation} }} ins({self._value} : {self._type(self._shape)}) "
            f"outs({accumulator} : {self._type(shape)}) dimensions = [{dimension}]"
        )
        return self._type(shape)

"""Record graphs of small programs of tinygrad, with the content of their buffers and the results that tinygrad computes.

    python python/record_tinygrad.py OUTPUT [PROGRAM ...]

OUTPUT/NAME has program.json, which also has the inputs and results, and in_0.npy, out_0.npy and so on.  tinygrad compiles for
the CPU, so a compiler is needed: clang, or the one that CC names.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tinygrad import Context, Tensor, TinyJit, Variable, dtypes, nn
from tinygrad.function import function

from spyre_mlir.tinygrad import Program, capture, export

PROGRAMS: dict[str, Callable[[], Program]] = {}


def program(make: Callable[[], Program]) -> Callable[[], Program]:
    """Adds a program under the name of its function."""
    PROGRAMS[make.__name__] = make
    return make


def numbers(*shape: int) -> Tensor:
    """Returns a tensor of eighths, of both signs, with exact sums."""
    size = 1
    for extent in shape:
        size *= extent
    return Tensor([(i * 7 % 23 - 11) / 8 for i in range(size)]).reshape(*shape)


@program
def softmax() -> Program:
    """Reductions drop axes, and constants have no width."""
    return export(numbers(3, 4).softmax(), values=True)


@program
def gradient() -> Program:
    """A function and its gradient."""
    x, w = numbers(2, 3), numbers(3, 4)
    loss = (x @ w).tanh().square().mean()
    loss.backward()
    return export(loss, w.grad, values=True)


@program
def cache() -> Program:
    """A bound variable is its value, and writes to views of a buffer follow each other."""
    rows = numbers(6, 4).contiguous().realize()
    position = Variable("position", 0, 5).bind(2)
    rows[position : position + 1].assign(numbers(1, 4) * 2)
    rows[4:5].assign(rows[2:3] + 1)
    return export(rows[: position + 1].sum(0), rows, values=True)


@program
def count() -> Program:
    """Two results read an assignment that is no longer the same when it is executed twice."""
    state = numbers(2, 3).contiguous().realize()
    state.assign(state * 2 + 1)
    return export(state, state.sum(), values=True)


@program
def functions() -> Program:
    """A function that is called twice has a separate body each time, with separate parameters."""

    @function
    def both(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return a * b, (a + b).relu()

    first, second = both(numbers(2, 3), numbers(2, 3) + 1)
    return export(*both(first, second), values=True)


@program
def search() -> Program:
    """Positions, in integers."""
    x = numbers(3, 5)
    return export(x.argmax(1), x.gather(1, Tensor([[0, 4], [2, 2], [1, 3]])), x[:, Tensor([3, 0])], values=True)


@program
def integers() -> Program:
    """Quotients toward the smaller integer, shifts, and conversions that cut."""
    a, b = Tensor([7, -7, 20, -1]), Tensor([2, 2, 3, 5])
    return export(a // b, a % b, (a << 2) ^ b, (numbers(4) * 100).cast(dtypes.int16), values=True)


@program
def shards() -> Program:
    """One part of a tensor is on each of two devices."""
    return export(numbers(2, 4).shard(("CPU", "CPU:1"), axis=1).realize() * 2 + 1, values=True)


@program
def random() -> Program:
    """A counter and a key are buffers."""
    Tensor.manual_seed(3)
    return export(Tensor.rand(6), values=True)


@program
def step() -> Program:
    """The state of an optimizer is written in place."""
    w = numbers(2, 2).contiguous().realize()
    optimizer = nn.optim.SGD([w], lr=0.5, momentum=0.5)
    with Context(TRAINING=1):
        (numbers(3, 2) @ w).square().sum().backward()
        optimizer.schedule_step()
    return export(w, values=True)


@program
def jit() -> Program:
    """The function of a TinyJit, with its arguments as the first buffers in their order."""

    @TinyJit
    def dense(weight: Tensor, x: Tensor) -> Tensor:
        return (x @ weight).relu().realize()

    return capture(dense, numbers(4, 2), numbers(3, 4), values=True)


def main() -> None:
    """Records the programs that are named on the command line."""
    parser = argparse.ArgumentParser(description="Record graphs of small programs of tinygrad.")
    parser.add_argument("output", type=Path)
    parser.add_argument("programs", nargs="*", metavar="program", help=", ".join(PROGRAMS))
    arguments = parser.parse_args()
    for name in arguments.programs or PROGRAMS:
        recorded = PROGRAMS[name]()
        recorded.graph["name"] = name
        recorded.write(arguments.output / name)
        print(name, flush=True)


if __name__ == "__main__":
    main()

"""Record graphs of small programs, with operands and results, under the PyTorch that runs this script.

    python python/record.py OUTPUT [PROGRAM ...]

Programs are in `programs.py`; without PROGRAM all are recorded.  OUTPUT/NAME has a program of one graph, OUTPUT/NAME_0 and
NAME_1 have one of two, such as a function and its gradient:

* `graph.json`: the graph, without the later decisions of PyTorch's scheduler,
* `in_0.npy` and so on: the operands that are tensors, in the order of the inputs of the graph,
* `out_0.npy` and so on: the results, computed by PyTorch operation by operation, and then the new values of inputs that the
  graph writes.

Compiling takes a C++ compiler.  `versions.py` runs this script under each version that the bridge reads.
"""

from __future__ import annotations

import argparse
import copy
import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from programs import PROGRAMS
from torch._inductor.compile_fx import compile_fx, compile_fx_inner

import spyre_mlir

Json = Any  # what json.dump accepts

DECISIONS = ("pre", "post", "post_changed", "fusion", "removed_ops", "layout_decisions")


class Operands:
    """Compiles graphs with Inductor, and notes the operands and the results of each run."""

    def __init__(self) -> None:
        self.runs: list[tuple[list[Any], list[Any], list[Any]]] = []  # operands before and after, results

    def compile(self, function: Any) -> Any:
        """Returns the compiled function."""
        return torch.compile(function, backend=functools.partial(compile_fx, inner_compile=self.inner))

    def inner(self, graph: torch.fx.GraphModule, examples: Any, **options: Any) -> Any:
        """Compiles one graph, and runs it operation by operation instead: the results come from PyTorch alone."""
        by_operations = torch.fx.Interpreter(copy.deepcopy(graph))
        compile_fx_inner(graph, examples, **options)

        def run(operands: list[Any]) -> Any:
            after = list(operands)
            before = [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in after]
            operands.clear()
            results = by_operations.run(*after)
            self.runs.append((before, after, list(results) if isinstance(results, (list, tuple)) else [results]))
            return results

        run._boxed_call = True  # type: ignore[attr-defined]  # AOTAutograd gives a list that may be emptied
        return run


def _save(path: Path, tensor: torch.Tensor) -> None:
    """Writes a tensor as NumPy's file; bfloat16 as its bits."""
    dense = tensor.detach().contiguous()
    np.save(path, dense.view(torch.uint16).numpy() if dense.dtype == torch.bfloat16 else dense.numpy())


def write(directory: Path, graph: Json, run: tuple[list[Any], list[Any], list[Any]]) -> None:
    """Writes one graph with the operands and the results of a run."""
    before, after, results = run
    directory.mkdir(parents=True, exist_ok=True)
    kept = {key: value for key, value in graph.items() if key not in DECISIONS}
    (directory / "graph.json").write_text(json.dumps(kept, allow_nan=False, separators=(",", ":")) + "\n")
    for i, tensor in enumerate(x for x in before if isinstance(x, torch.Tensor)):
        _save(directory / f"in_{i}.npy", tensor)
    names = [item["name"] for item in graph["inputs"]]
    written = dict.fromkeys(name for op in graph["ops"] for name in op.get("mutates", ()) if name in names)
    values = [x if isinstance(x, torch.Tensor) else torch.tensor(int(x)) for x in results if x is not None]
    for i, tensor in enumerate([*values, *(after[names.index(name)] for name in written)]):
        _save(directory / f"out_{i}.npy", tensor)


def record(name: str, output: Path) -> int:
    """Records a program and returns the number of its graphs."""
    torch.compiler.reset()
    torch.manual_seed(0)
    operands = Operands()
    with spyre_mlir.capture() as graphs:
        PROGRAMS[name](operands.compile)
    if len(graphs) != len(operands.runs):
        raise RuntimeError(f"{name}: {len(graphs)} graphs were captured, and {len(operands.runs)} were run")
    for i, (graph, run) in enumerate(zip(graphs, operands.runs)):
        write(output / (name if len(graphs) == 1 else f"{name}_{i}"), graph, run)
    return len(graphs)


def main() -> None:
    """Records the programs that are named on the command line."""
    parser = argparse.ArgumentParser(description="Record graphs of small programs of PyTorch.")
    parser.add_argument("output", type=Path)
    parser.add_argument("programs", nargs="*", metavar="program", help=", ".join(PROGRAMS))
    arguments = parser.parse_args()
    for name in arguments.programs or PROGRAMS:
        print(f"{name}: {record(name, arguments.output)}", flush=True)


if __name__ == "__main__":
    main()

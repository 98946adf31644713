"""The graphs of a capture, with the values of their inputs, and their directories.

A graph is written as a saved program (`spyre_mlir.saved`), which `spyre run` takes: `graph.json`, a file of NumPy for
each input with a value, and `program.json`, which lists the names, the files and the element types.

NumPy is imported when a graph is written: a capture needs PyTorch alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

if TYPE_CHECKING:
    from .program import Program

Json = dict[str, Any]

NO_GRAPHS = (
    "spyre_mlir.capture: no graph was compiled in the block: call torch.compiler.reset(), and then what torch.compile "
    "returns inside of `with spyre_mlir.capture() as graphs:`"
)


class Graphs(list[Json]):
    """The graphs of a capture, in the order in which they were compiled: objects for `json.dump`."""

    def __init__(self) -> None:
        super().__init__()
        # By identity, since an object of JSON has no hash: the list may be sorted and cut without another order of the
        # values. The graph is kept too, so that no later object has its identity.
        self._values: dict[int, tuple[Json, Sequence[Any]]] = {}

    def add(self, graph: Json, values: Sequence[Any]) -> None:
        """Adds a graph, with a value or None for each of its inputs."""
        self.append(graph)
        self._values[id(graph)] = graph, values

    def values_of(self, graph: Json) -> Sequence[Any]:
        """Returns the tensors and numbers that a graph was called with, in the order of its inputs: None where they are
        not known, as for a graph that no capture added."""
        added, values = self._values.get(id(graph), (None, ()))
        # A copy of the list in another process has other identities.
        return values if added is graph else [None] * len(graph["inputs"])

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Json: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Json]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> Json | list[Json]:
        """Returns a graph; raises `IndexError`, with the line to type where the capture has none."""
        if not self and not isinstance(index, slice):
            raise IndexError(NO_GRAPHS)
        return super().__getitem__(index)

    def save(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Writes each graph with the values of its inputs, and returns the directories, for `spyre run DIR`.

        One graph is written to `directory`, several to `graph0`, `graph1` and so on in it. Files of values have the names
        of parameters, buffers and arguments, as `layers.0.weight.npy`. Values are those at this moment: a tensor that was
        written since the capture has its new elements. Raises `ValueError` where there is no graph.
        """
        if not self:
            raise ValueError(NO_GRAPHS)
        from .options import Options
        from .output_files import write_directory
        from .saved import saved_files

        target = Path(directory)
        paths = [target] if len(self) == 1 else [target / f"graph{number}" for number in range(len(self))]
        for path, graph in zip(paths, self, strict=True):
            write_directory(path, saved_files(captured_program(graph, self.values_of(graph)), Options(), {}))
        return paths


def captured_program(graph: Json, values: Sequence[Any]) -> Program:
    """Returns the program of a captured graph, whose inputs have the values that are known."""
    from .program import Program
    from .sources import Source
    from .torch_graph import array_of_tensor, extent_of

    traced = {symbol["name"]: symbol["hint"] for symbol in graph["symbols"]}
    known = dict[int, Any]()
    for position, (entry, value) in enumerate(zip(graph["inputs"], values, strict=True)):
        if entry["kind"] == "scalar":
            expression = entry["expr"]
            number = traced.get(expression) if isinstance(expression, str) else expression
            extent = extent_of(expression, graph["inputs"]) or number
            if extent is not None:
                known[position] = extent
        elif value is not None:
            known[position] = array_of_tensor(value)
    names = [entry.get("source", entry["name"]) for entry in graph["inputs"]]
    name = f"graph{graph['graph']}"
    data = json.dumps(graph, allow_nan=False).encode("utf-8")
    return Program(Source(data, f"<{name}>"), names=names, values=known, front_end="torch", name=name)

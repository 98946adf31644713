"""Compare the bridge's captures with recorded ones.

    python python/compare.py DATA [CASE ...]

DATA holds one directory per case; without CASE all are compared.  Read from a case:

* `fx_graph_readable.py`: the program, as TORCH_COMPILE_DEBUG=1 writes it,
* `meta.json`: the settings of Inductor, whether shapes are dynamic, the shapes of the inputs,
* `loopir.json`: the capture of the program by the bridge, with the scheduler for the CPU.

Every program is compiled once more for two CPU threads, which takes a C++ compiler, and captured with
`spyre_mlir.capture()`, which turns caches off.  Inputs are zeros.  One line is printed per case:
`equal`, `different: <first JSON path and both values>` or `skipped: <reason>`.  The last line counts
them.  The exit code is 1 if fewer than 20 cases are equal, or not all when fewer are compared.

Names do not count: inputs, symbols, operations and buffers are numbered in the order of their first
use, loop variables likewise in every nest, and the FX nodes an operation computes as it names them,
sorted (`mul_3` before `mul_17`).  Also ignored:

* `torch` (the version) and `graph` (the number of the graph),
* `text` of an index, which prints `e` once more,
* the order of the operands of add, mul, max and min,
* the order of symbols, origins, ancestors and dependencies, which the bridge sorts by name.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch._inductor import config

import spyre_mlir

Json = Any  # what json.load returns

REQUIRED = 20  # equal cases
THREADS = 2  # of the recording; with one thread a scatter-add becomes a loop instead of a library call

_DTYPES = {
    "i1": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
}  # fmt: skip

_IGNORED = {"torch", "graph", "text"}
_COMMUTATIVE = {"add", "mul", "max", "min"}
_SORTED = {"symbols", "ancestors", "reads", "writes", "unmet"}
# Fields that may name loop variables; elsewhere "i1" is a type.
_WITH_VARIABLES = {"vars", "rvars", "indirect", "var", "index", "e", "size", "stride", "offset", "subscript"}


class _Renaming:
    """Gives the names of one graph new names that do not depend on how they were chosen."""

    def __init__(self, graph: Json) -> None:
        self.names: dict[str, str] = {}
        self.nodes: dict[str, str] = {}  # FX nodes have separate names, which may equal names of operations
        self.declare(graph)
        alternatives = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        self.pattern = re.compile(f"(?<![A-Za-z0-9])({alternatives})(?![A-Za-z0-9])")  # a fused node is "op0_op1"

    def declare(self, graph: Json) -> None:
        """Number all names in the order of their first use."""
        declared: dict[str, list[str]] = {
            "in": [item["name"] for item in graph["inputs"]],
            "const": [item["name"] for item in graph["constants"]],
            "op": [op["name"] for op in graph["ops"]],
            "buf": [name for op in graph["ops"] for name in op["buffers"]],
            "unbacked": [name for op in graph["ops"] for name in op.get("extern", {}).get("unbacked", ())],
        }
        symbols = {item["name"] for item in graph["symbols"]}
        declared["sym"] = [s for s in dict.fromkeys(_strings(graph["inputs"])) if s in symbols]
        for kind, names in declared.items():
            self.names |= {name: f"{kind}#{i}" for i, name in enumerate(names)}
        for op in graph["ops"]:
            for name in sorted(filter(None, (op["origin"], *op["origins"])), key=_number):
                self.nodes.setdefault(name, f"node#{len(self.nodes)}")

    def rename(self, x: Json, key: str = "", scope: dict[str, str] | None = None) -> Json:
        """Rewrite a value of the field `key`; `scope` renames loop variables."""
        if isinstance(x, str):
            if key in ("origin", "origins"):
                return self.nodes[x]
            if scope and key in _WITH_VARIABLES and x in scope:
                return scope[x]
            return self.pattern.sub(lambda match: self.names[match[0]], x)
        if isinstance(x, list):
            items = [self.rename(item, key, scope) for item in x]
            if key in _SORTED or key == "origins":
                return sorted(items, key=json.dumps)
            if items and isinstance(items[0], str) and items[0] in _COMMUTATIVE:
                return [items[0], *sorted(items[1:], key=json.dumps)]
            return items
        if isinstance(x, dict):
            if "vars" in x:
                variables = [name for name, _ in (*x["vars"], *x.get("rvars", ()))]
                scope = {name: f"v#{i}" for i, name in enumerate((*variables, *x.get("indirect", ())))}
            fields: dict[str, Json] = {}
            for name, value in x.items():
                if name not in _IGNORED:
                    fields[self.rename(name, key, scope)] = self.rename(value, name, scope)
            return fields
        return x


def _strings(x: Json) -> Iterator[str]:
    """List all strings in a value, in order."""
    if isinstance(x, str):
        yield x
    elif isinstance(x, (list, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _strings(item)


def _number(name: str) -> tuple[str, list[int]]:
    """Split the name of an FX node into its stem and its numbers."""
    stem = re.sub(r"(_\d+)+$", "", name)
    return stem, [int(part) for part in name[len(stem) :].split("_") if part]


def first_difference(recorded: Json, found: Json, path: str = "$") -> str | None:
    """Describe the first place where two values differ."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        for key in dict.fromkeys((*recorded, *found)):
            if key not in recorded or key not in found:
                values = (json.dumps(x[key]) if key in x else "nothing" for x in (recorded, found))
                return _describe(f"{path}.{key}", *values)
            if difference := first_difference(recorded[key], found[key], f"{path}.{key}"):
                return difference
        return None
    if isinstance(recorded, list) and isinstance(found, list):
        for i, pair in enumerate(zip(recorded, found)):
            if difference := first_difference(*pair, f"{path}[{i}]"):
                return difference
        if len(recorded) == len(found):
            return None
        return _describe(f"{path}.length", str(len(recorded)), str(len(found)))
    if type(recorded) is type(found) and recorded == found:
        return None
    return _describe(path, json.dumps(recorded), json.dumps(found))


def _describe(path: str, recorded: str, found: str) -> str:
    """Write a difference on one line."""
    shorten = (text if len(text) <= 160 else text[:157] + "..." for text in (recorded, found))
    return f"{path}: recorded {next(shorten)}, found {next(shorten)}"


def load_program(path: Path) -> Any:
    """Load the function `forward(self, ...)` of a printed FX graph."""
    source = re.sub(r"^class \S+\(", "class Program(", path.read_text(), flags=re.MULTILINE)  # "class <lambda>(...)"
    namespace = {"torch": torch, "device": torch.device, "inf": float("inf"), "nan": float("nan")}
    exec(compile(source, str(path), "exec"), namespace)
    return namespace["Program"].forward


def make_inputs(meta: Json, recorded: Json) -> tuple[list[torch.Tensor], list[tuple[int, int] | None]]:
    """Make the tensors, and for each scalar argument the tensor and the dimension that it is the size of."""
    tensors: list[torch.Tensor] = []
    dimension_of: dict[str, tuple[int, int]] = {}
    for item, declared in zip(meta["inputs"], recorded["inputs"]):
        if "scalar" in item:
            continue
        tensor = torch.empty_strided(item["shape"], item["stride"], dtype=_DTYPES[item["dtype"]]).zero_()
        for dim, size in enumerate(declared["layout"]["size"]):
            if isinstance(size, int):
                torch._dynamo.mark_static(tensor, dim)
            elif isinstance(size, str):
                dimension_of.setdefault(size, (len(tensors), dim))
        tensors.append(tensor)
    scalars = [None if i["kind"] == "tensor" else dimension_of[i["expr"]] for i in recorded["inputs"]]
    return tensors, scalars


def capture_case(case: Path, meta: Json, recorded: Json) -> list[Json]:
    """Compile the program of a case and return the capture of the bridge."""
    forward = load_program(case / "fx_graph_readable.py")
    tensors, scalars = make_inputs(meta, recorded)

    def program(*tensors: torch.Tensor) -> Any:
        shapes = [t.shape for t in tensors]  # also makes the tensors inputs in this order
        rest = iter(tensors)
        return forward(None, *(next(rest) if s is None else shapes[s[0]][s[1]] for s in scalars))

    torch.compiler.reset()
    settings = meta["config"] | {"cpp.threads": THREADS}
    with config.patch(settings), spyre_mlir.capture() as graphs:
        torch.compile(program, dynamic=meta["dynamic"])(*tensors)
    return json.loads(json.dumps(graphs))


def compare_case(case: Path) -> str:
    """Compare one case and return the text for it."""
    if not (case / "fx_graph_readable.py").exists():
        return "skipped: no fx_graph_readable.py"
    meta, recorded = (json.loads((case / name).read_text()) for name in ("meta.json", "loopir.json"))
    graphs: list[Json] = []
    try:
        graphs = capture_case(case, meta, recorded)
    except Exception as error:
        return f"different: $: recorded a graph, found {type(error).__name__}: {str(error).splitlines()[0]}"
    if len(graphs) != 1:
        return f"different: $: recorded 1 graph, found {len(graphs)}"
    difference = first_difference(*(_Renaming(graph).rename(graph) for graph in (recorded, graphs[0])))
    return "equal" if difference is None else f"different: {difference}"


def main() -> int:
    """Compare the cases that are named on the command line."""
    parser = argparse.ArgumentParser(description="Compare the bridge's captures with recorded ones.")
    parser.add_argument("data", type=Path)
    parser.add_argument("cases", nargs="*", metavar="case")
    arguments = parser.parse_args()
    cases = arguments.cases or sorted(path.parent.name for path in arguments.data.glob("*/meta.json"))
    count = {"equal": 0, "different": 0, "skipped": 0}
    for name in cases:
        result = compare_case(arguments.data / name)
        count[result.split(":")[0]] += 1
        print(f"{name}: {result}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in count.items()), f"of {len(cases)}")
    return 0 if count["equal"] >= min(REQUIRED, len(cases)) else 1


if __name__ == "__main__":
    sys.exit(main())

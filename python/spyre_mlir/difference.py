"""The differences of two bundles, in words.

Operations are matched by their names in the order of execution, so that an operation that one bundle lacks does not
shift the others. Of two matched operations, the parts that decide the work of the card are compared: extents, the
division over cores, the loops, and for each tensor its memory, address, format and order of dimensions. Any other
difference of the files is named by its place in the JSON, so two bundles without a line have the same files.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .output_files import read_directory

Json = Any
Files = Mapping[str, bytes]

_PLACES = 3  # of differences without words, for each operation


@dataclasses.dataclass(frozen=True)
class Operation:
    """An execution of an operation in a bundle."""

    file: str
    """The name of the file without its suffix."""
    name: str
    """The OpFunc."""
    loops: tuple[str, ...]
    """The number of iterations of each loop around it, the outermost first, or the name of a dynamic size."""
    content: Json

    @property
    def label(self) -> str:
        """The file and the OpFunc."""
        return f"{self.file} {self.name}"


def differences(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> list[str]:
    """Returns a line for each difference of two bundles, or of two programs of host and device.

    Raises `FileNotFoundError` for a directory that is neither, and `ValueError` for files that are no JSON.
    """
    before, after = _read(first), _read(second)
    lines = list[str]()
    names_before, names_after = _bundles(before), _bundles(after)
    for name in names_before:
        if name not in names_after:
            lines.append(f"{name}: only in {first}")
    for name in names_after:
        if name not in names_before:
            lines.append(f"{name}: only in {second}")
        else:
            prefix = f"{name}/" if name else ""
            label = f"{name}: " if name else ""
            lines += [label + line for line in _bundle_differences(_below(before, prefix), _below(after, prefix))]
    return lines + _other_files(before, after)


def _read(path: str | os.PathLike[str]) -> Files:
    directory = Path(path)
    if not any((directory / name).is_file() for name in ("bundle.mlir", "launch.json")):
        raise FileNotFoundError(f"{directory}: has neither bundle.mlir nor launch.json, so it is no bundle")
    return read_directory(directory)


def _bundles(files: Files) -> list[str]:
    """Returns the folders of the bundles; the empty name is the directory itself."""
    return [name.rpartition("/")[0] for name in files if name.rpartition("/")[2] == "bundle.mlir"]


def _below(files: Files, prefix: str) -> Files:
    return {
        name.removeprefix(prefix): data
        for name, data in files.items()
        if name.startswith(prefix) and "/" not in name.removeprefix(prefix)
    }


def _other_files(before: Files, after: Files) -> list[str]:
    """Returns a line for each file outside of bundles that differs: the module of the host, and the description of
    arguments."""
    lines = list[str]()
    for name in ("host.mlir", "launch.json"):
        one, other = (files.get(name, b"").decode("utf-8", "replace").splitlines() for files in (before, after))
        changed = sum(line[0] in "+-" for line in difflib.ndiff(one, other))
        if changed:
            lines.append(f"{name}: {changed} lines differ")
    return lines


def _bundle_differences(before: Files, after: Files) -> list[str]:
    first, second = operations(before), operations(after)
    matcher = difflib.SequenceMatcher(
        None, [operation.name for operation in first], [operation.name for operation in second], autojunk=False
    )
    lines = list[str]()
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            pairs = zip(first[start:end], second[other_start:other_end], strict=True)
            lines += [line for pair in pairs for line in _operation_differences(*pair)]
            continue
        if kind == "replace" and end - start == other_end - other_start:
            pairs = zip(first[start:end], second[other_start:other_end], strict=True)
            lines += [f"{one.file}: {one.name} -> {other.name}" for one, other in pairs]
            continue
        lines += [f"{operation.label}: removed" for operation in first[start:end]]
        lines += [f"{operation.label}: added" for operation in second[other_start:other_end]]
    parameters = [
        len(re.findall(r"_base_addr: !sdscbundle", files["bundle.mlir"].decode())) for files in (before, after)
    ]
    if parameters[0] != parameters[1]:
        lines.append(f"parameters: {parameters[0]} -> {parameters[1]} addresses")
    if not lines and before["bundle.mlir"] != after["bundle.mlir"]:
        lines.append("bundle.mlir: addresses of tensors in HBM differ")
    return lines


def operations(files: Files) -> list[Operation]:
    """Returns the operations of a bundle in the order of their execution."""
    found = list[Operation]()
    for file, loops in _executions(files["bundle.mlir"].decode("utf-8", "replace")):
        if file not in files:
            raise ValueError(f"bundle.mlir executes {file}, which the bundle lacks: check it with 'spyre check'")
        content = json.loads(files[file])
        root = next(iter(content.values()))
        (name,) = root["dscs_"][0]
        found.append(Operation(file.removesuffix(".json"), name, loops, root))
    return found


def _executions(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each executed file with the loops around it."""
    constants = dict(re.findall(r"(%[\w.$-]+) = arith\.constant (\d+) : index", text))
    loops = list[str]()
    for line in text.splitlines():
        loop = re.search(r"scf\.for \S+ = \S+ to (\S+) step (\S+)", line)
        if loop is not None:
            bound, step = constants.get(loop[1], loop[1]), constants.get(loop[2], "1")
            loops.append(str(int(bound) // int(step)) if bound.isdigit() and step != "0" else bound.removeprefix("%"))
        elif line.strip() == "}" and loops:
            loops.pop()
        execution = re.search(r'sdsc_filename"?\s*=\s*"([^"]+)"', line)
        if execution is not None:
            yield execution[1], tuple(loops)


def _operation_differences(before: Operation, after: Operation) -> list[str]:
    label = before.label if before.file == after.file else f"{before.label} ({after.file})"
    lines = list[str]()
    if before.loops != after.loops:
        lines.append(f"loops {_loops_text(before.loops)} -> {_loops_text(after.loops)}")
    first, second = before.content, after.content
    lines += _table_differences("cores along {}", first["numWkSlicesPerDim_"], second["numWkSlicesPerDim_"])
    (first_dsc,), (second_dsc,) = (content["dscs_"][0].values() for content in (first, second))
    extents = [
        {key.removesuffix("_"): value for key, value in dsc["N_"].items() if key != "name_"}
        for dsc in (first_dsc, second_dsc)
    ]
    lines += _table_differences("extent of {}", *extents)
    lines += _tensor_differences(first_dsc, second_dsc)
    if first["numCoresUsed_"] != second["numCoresUsed_"] and not lines:
        lines.append(f"cores {first['numCoresUsed_']} -> {second['numCoresUsed_']}")
    if not lines:
        lines = list(_places(_without_symbols(first), _without_symbols(second)))
        lines = lines[:_PLACES] + ([f"{len(lines) - _PLACES} more fields"] if len(lines) > _PLACES else [])
    return [f"{label}: {line}" for line in lines]


def _loops_text(loops: tuple[str, ...]) -> str:
    return " x ".join(loops) if loops else "none"


def _table_differences(form: str, before: Mapping[str, Json], after: Mapping[str, Json]) -> list[str]:
    keys = dict.fromkeys((*before, *after))
    return [
        f"{form.format(key)} {before.get(key, 'none')} -> {after.get(key, 'none')}"
        for key in keys
        if before.get(key) != after.get(key)
    ]


def _tensor_differences(before: Json, after: Json) -> list[str]:
    """Returns the differences of the places and the forms of tensors."""
    lines = list[str]()
    facts = [_tensor_facts(dsc) for dsc in (before, after)]
    for name in dict.fromkeys((*facts[0], *facts[1])):
        one, other = facts[0].get(name), facts[1].get(name)
        if one is None or other is None:
            lines.append(f"{name} {'added' if one is None else 'removed'}")
            continue
        lines += [f"{name} {key} {one[key]} -> {other[key]}" for key in one if one[key] != other[key]]
    return lines


def _tensor_facts(dsc: Json) -> dict[str, dict[str, str]]:
    formats = {entry["ldsIdx_"]: entry["dataFormat_"] for entry in dsc["labeledDs_"]}
    facts = dict[str, dict[str, str]]()
    for node in dsc["scheduleTree_"]:
        if node.get("nodeType_") != "allocate":
            continue
        addresses = list(node["startAddressCoreCorelet_"]["data_"].values())
        # An address of HBM is a symbol that the function of the bundle binds.
        in_lx = node["component_"] == "lx"
        facts[f"Tensor{node['ldsIdx_']}"] = {
            "in": f"lx at {addresses[0]}" if in_lx and addresses else node["component_"],
            "of": formats.get(node["ldsIdx_"], "none"),
            "order": " ".join(node["layoutDimOrder_"]),
        }
    return facts


def _without_symbols(value: Json) -> Json:
    """Returns a description without the numbers of symbols, which count all operations of the bundle."""
    if isinstance(value, dict):
        node: dict[str, Json] = value  # pyright: ignore[reportUnknownVariableType]
        dropped = ("startAddressCoreCorelet_",) if node.get("isStartAddrSymbolic_") else ()
        return {key: _without_symbols(inner) for key, inner in node.items() if key not in (*dropped, "debug_handle_")}
    if isinstance(value, list):
        entries: list[Json] = value  # pyright: ignore[reportUnknownVariableType]
        return [_without_symbols(inner) for inner in entries]
    return value


def _places(before: Json, after: Json, path: str = "") -> Iterator[str]:
    """Yields the place of each difference of two values of JSON."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys: dict[str, None] = dict.fromkeys((*before, *after))  # pyright: ignore
        for key in keys:
            yield from _places(before.get(key), after.get(key), f"{path}/{key}")  # pyright: ignore
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):  # pyright: ignore
        for number, (one, other) in enumerate(zip(before, after, strict=True)):  # pyright: ignore
            yield from _places(one, other, f"{path}/{number}")
    elif before != after:
        short: Callable[[Json], str] = lambda value: json.dumps(value)[:40]  # noqa: E731
        yield f"{path} {short(before)} -> {short(after)}"

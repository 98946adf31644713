"""Saved programs: the files of the bundles, with the source and the options to compile it again.

    program.json     the options, the names of inputs, and the name of the source in this directory
    program.mlir     the source; program.mlirbc or graph.json for bytecode and graphs
    weight.npy, ...  the values of inputs, where the front end knows them, by their names; bits for types that NumPy lacks
    bundle.mlir, ... the files for the backend compiler

Compiled code is not saved: it belongs to a processor and to a version of LLVM.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Array, npy_bytes
from .element_types import element_type, element_type_of_dtype
from .input_names import file_names
from .options import Options
from .program import Extent, Program
from .sources import Source

if TYPE_CHECKING:
    from .bundle import Bundle

FORMAT = "spyre-program-1"
_SOURCES = {".mlir": "program.mlir", ".mlirbc": "program.mlirbc", ".json": "graph.json"}


def saved_files(program: Program, options: Options, bundle_files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files of a saved program by relative path."""
    files = dict(bundle_files)
    source = program.bytes
    files[_SOURCES[source.suffix]] = source.data
    values = dict[str, Any]()
    names = program.saved_names
    labels = [name or f"value_{position}" for position, name in enumerate(names)]
    labels += [f"value_{position}" for position in range(len(names), max(program.values, default=-1) + 1)]
    value_files = file_names(labels)
    for position, value in program.values.items():
        if isinstance(value, Extent):
            values[str(position)] = {"input": value.input, "dimension": value.dimension}
            continue
        if isinstance(value, (int, float)):
            values[str(position)] = {"number": value}
            continue
        dtype, data = _value_file(value)
        name = value_files[position]
        values[str(position)] = {"file": name, "dtype": dtype}
        files[name] = data
    description = {
        "format": FORMAT,
        "source": _SOURCES[source.suffix],
        "name": program.name,
        "source_name": source.name,
        "front_end": program.front_end,
        "options": options.to_json(),
        "names": names,
        "values": values,
        "arguments": program.arguments,
    }
    files["program.json"] = (json.dumps(description, indent=2) + "\n").encode("utf-8")
    return files


def _value_file(value: Any) -> tuple[str, bytes]:
    """Returns the element type of a value and a file of NumPy with its bits."""
    if isinstance(value, Array):
        element = element_type(value.dtype)
        bits = value.view(element.bits)
    else:
        array = np.asarray(value)
        found = element_type_of_dtype(array.dtype)
        if found is None:
            raise TypeError(
                f"a value of {array.dtype} has no element type of the compiler: convert it before the export"
            )
        element, bits = found, array if found.numpy is not None else array.view(found.bits)
    return element.name, npy_bytes(bits)


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Returns whether a directory is a saved program."""
    return (Path(path) / "program.json").is_file()


def saved_names(path: str | os.PathLike[str]) -> set[str]:
    """Returns the names of the files of a saved program that are no part of a bundle: the description, the source and
    the values."""
    description = json.loads((Path(path) / "program.json").read_text("utf-8"))
    values = (value.get("file") for value in description.get("values", {}).values())
    return {"program.json", *(name for name in (description.get("source"), *values) if name is not None)}


def load_program(path: str | os.PathLike[str]) -> Program:
    """Returns the program of a directory that `Bundle.save` wrote, with its options."""
    directory = Path(path)
    if not is_saved(directory):
        advice = (
            "it is a bundle without its program"
            if (directory / "bundle.mlir").is_file()
            else "write it with Bundle.save"
        )
        raise FileNotFoundError(f"{directory}: has no program.json, so it is no saved program: {advice}")
    description = json.loads((directory / "program.json").read_text("utf-8"))
    if description.get("format") != FORMAT:
        raise ValueError(
            f"{directory}/program.json: has the format {description.get('format')!r}, and this version reads {FORMAT!r}"
        )
    values = dict[int, Any]()
    for position, value in description["values"].items():
        if "number" in value:
            values[int(position)] = value["number"]
            continue
        if "file" not in value:
            values[int(position)] = Extent(value["input"], value["dimension"])
            continue
        element = element_type(value["dtype"])
        bits = np.load(directory / value["file"], allow_pickle=False)
        known = element.dtype()
        values[int(position)] = Array(bits, element.name) if known is None else bits.view(known)
    source = Source((directory / description["source"]).read_bytes(), description["source_name"])
    return Program(
        source,
        names=description["names"],
        values=values,
        arguments=description["arguments"],
        options=Options.from_json(description["options"]),
        front_end=description["front_end"],
        name=description["name"],
    )


def load(path: str | os.PathLike[str], *, progress: bool | None = None) -> Bundle:
    """Compiles a saved program again, and returns it: `Bundle.save` writes the source and the options, and no
    compiled code.

    >>> directory = pathlib.Path(tempfile.mkdtemp()) / "mlp"
    >>> spyre_mlir.compile("examples/mlp.mlir").save(directory)  # doctest: +ELLIPSIS
    PosixPath('.../mlp')
    >>> spyre_mlir.load(directory).entry
    'mlp'
    """
    return load_program(path).compile(progress=progress)

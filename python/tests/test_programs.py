"""Tests of compiling, running, explaining and saving programs, with the native module."""

from __future__ import annotations

import concurrent.futures
import json
import logging
import os
import pickle
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import spyre_mlir
from native import HAS_NATIVE, PYTHON, ROOT, environment, needs_native, needs_numpy, needs_package

if HAS_NATIVE:
    import numpy as np
    from spyre_mlir import native as native_calls
    from spyre_mlir.arrays import comparable
    from spyre_mlir.many import random_inputs

SUM = """func.func @sum(%x: tensor<4x64x{t}>, %y: tensor<4x64x{t}>) -> tensor<4x64x{t}> {{
  %0 = spyre.add %x, %y : tensor<4x64x{t}>
  return %0 : tensor<4x64x{t}>
}}
"""


@needs_native
class Load(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "RTLD_DEEPBIND"), "the flag is of glibc")
    def test_the_flags_of_the_process_are_those_from_before_the_load(self) -> None:
        flags = [1]
        taken = list[int]()

        def read() -> int:
            value = flags[-1]
            time.sleep(0.01)  # the other threads are here by then, if they may be
            return value

        def write(value: int) -> None:
            flags.append(value)
            taken.append(value)

        with (
            mock.patch.object(sys, "getdlopenflags", read),
            mock.patch.object(sys, "setdlopenflags", write),
            concurrent.futures.ThreadPoolExecutor(4) as executor,
        ):
            loaded = sys.modules.pop("spyre_mlir._native")
            try:
                list(executor.map(lambda _: native_calls.native_module(), range(4)))
            finally:
                sys.modules["spyre_mlir._native"] = loaded
            self.assertEqual(taken, [os.RTLD_NOW | os.RTLD_DEEPBIND, 1] * 4)
            native_calls.native_module()
        self.assertEqual(len(taken), 8, "a loaded module leaves the flags alone")


@needs_native
class Compile(unittest.TestCase):
    def test_paths_text_and_bytes_are_the_same_program(self) -> None:
        path = ROOT / "examples" / "mlp.mlir"
        for program in (path, str(path), path.read_text(), path.read_bytes(), spyre_mlir.read_program(path)):
            bundle = spyre_mlir.compile(program)
            self.assertEqual([input.name for input in bundle.inputs], ["x", "w", "b", "v"])

    def test_a_module_of_bindings_is_its_text(self) -> None:
        class Module:
            operation = mock.Mock()

        Module.operation.get_asm.return_value = SUM.format(t="f16")
        self.assertEqual(spyre_mlir.compile(Module()).entry, "sum")

    @needs_package("iree")
    def test_a_module_of_iree(self) -> None:
        from iree.compiler import ir

        with ir.Context():
            module = ir.Module.parse(
                "func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> {\n"
                "  %0 = arith.addf %x, %x : tensor<2xf16>\n  return %0 : tensor<2xf16>\n}"
            )
            bundle = spyre_mlir.compile(module)
        self.assertEqual(bundle(np.ones(2, np.float16)).tolist(), [2, 2])

    def test_other_objects_and_files_are_refused_with_the_way_out(self) -> None:
        with self.assertRaisesRegex(TypeError, "the program is a int: pass a path, the text or bytes of a module"):
            spyre_mlir.compile(7)
        with self.assertRaisesRegex(FileNotFoundError, "^none.mlir: no such file: pass the path of a program"):
            spyre_mlir.compile("none.mlir")
        with self.assertRaisesRegex(ValueError, "floats='f8': choose one of auto, exact, dl16"):
            spyre_mlir.compile(SUM.format(t="f16"), floats="f8")
        with self.assertRaisesRegex(TypeError, "shapes has the shapes of all inputs in order"):
            spyre_mlir.compile(SUM.format(t="f16"), shapes={"x": (4, 64)})

    def test_a_dynamic_extent_says_what_to_pass(self) -> None:
        text = SUM.format(t="f16").replace("4x64", "?x64")
        with self.assertRaisesRegex(spyre_mlir.CompileError, "has a dynamic extent") as caught:
            spyre_mlir.compile(text)
        self.assertRegex(str(caught.exception.fix), r"give the dimension a name .* then pass its extent in sizes={...}")
        text = text.replace("?x64xf16>,", '?x64xf16> {spyre.dims = ["S", "D"]},').replace("-> (tensor", "-> tensor")
        text = text.replace(") -> tensor<?x64xf16> {", ' {spyre.dims = ["S", "D"]}) -> (tensor<?x64xf16> {spyre.dims = '
            '["S", "D"]}) attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {')
        with self.assertRaises(spyre_mlir.CompileError) as caught:
            spyre_mlir.compile(text)
        self.assertEqual(caught.exception.fix, "pass sizes={'S': N}, or shapes=[...] with the shape of each input")
        for options in ({"sizes": {"S": 64}}, {"shapes": [(64, 64), (64, 64)]}):
            self.assertEqual(spyre_mlir.compile(text, **options).inputs[0].shape, (64, 64))

    def test_an_entry_is_selected(self) -> None:
        text = "func.func @a(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }\n"
        bundle = spyre_mlir.compile(
            text + text.replace("@a(%x", "@b(%y").replace("return %x", "return %y"), entry="b"
        )
        self.assertEqual((bundle.entry, bundle.inputs[0].name), ("b", "y"))
        with self.assertRaises(spyre_mlir.CompileError):
            spyre_mlir.compile(text, entry="c")

    def test_shapes_are_those_of_the_program(self) -> None:
        program = spyre_mlir.read_program(SUM.format(t="f16"), name="sum")
        self.assertEqual(program.compile(shapes=[(4, 64), (4, 64)]).entry, "sum")
        with self.assertRaisesRegex(
            ValueError, r"sum: the shape of y is \(4, 64\) in the program, not \(4, 65\): give other"
        ):
            program.compile(shapes=[(4, 64), (4, 65)])
        with self.assertRaisesRegex(
            ValueError, r"sum: 1 shapes for 2 inputs: give one for each of x: f16\[4, 64\], y"
        ):
            program.compile(shapes=[(4, 64)])

    def test_errors_have_the_lines_of_the_program(self) -> None:
        text = SUM.format(t="f16").replace("spyre.add %x, %y", "spyre.addd %x, %y")
        with self.assertRaises(spyre_mlir.CompileError) as caught:
            spyre_mlir.compile(text, name="sum.mlir")
        self.assertEqual(caught.exception.location, "sum.mlir:2:8")
        self.assertEqual(
            str(caught.exception),
            "sum.mlir:2:8: error: custom op 'spyre.addd' is unknown\n  %0 = spyre.addd %x, %y : tensor<4x64xf16>\n       ^",
        )

    def test_a_program_is_compiled_once_for_the_same_options(self) -> None:
        program = spyre_mlir.read_program(SUM.format(t="f16"))
        self.assertIs(program.compile(), program.compile(card=True))
        self.assertIsNot(program.compile(), program.compile(card=False))
        copy = pickle.loads(pickle.dumps(program))
        self.assertEqual(copy.source, program.source)


@needs_native
class Run(unittest.TestCase):
    def test_a_list_of_numbers_is_no_array(self) -> None:
        bundle = spyre_mlir.compile(SUM.format(t="f16"), name="sum")
        x = np.ones((4, 64), np.float16)
        with self.assertRaisesRegex(TypeError, r"^sum: argument 1 is a list of numbers, .*: pass numpy.array\(x, dtype"):
            bundle.run(x, x.tolist())
        # Trees of arrays are taken apart.
        self.assertEqual(bundle.run([x, (x,)])[0].shape, (4, 64))

    def test_the_card_and_the_cpu_agree_on_all_floats(self) -> None:
        for dtype in ("f16", "bf16", "f32"):
            program = spyre_mlir.read_program(SUM.format(t=dtype))
            arrays = random_inputs(program.inputs, 1)
            on_card, on_cpu = program(*arrays), program.compile(card=False)(*arrays)
            self.assertTrue(
                np.array_equal(comparable(on_card), comparable(on_cpu), equal_nan=True), dtype
            )

    def test_bf16_without_ml_dtypes_is_an_array_of_bits(self) -> None:
        bundle = spyre_mlir.compile(SUM.format(t="bf16"))
        ones = spyre_mlir.Array(np.full((4, 64), 0x3F80, np.uint16), "bf16")
        with mock.patch.dict(sys.modules, {"ml_dtypes": None}):
            (result,) = bundle.run(ones, ones)
        self.assertIsInstance(result, spyre_mlir.Array)
        self.assertEqual((result.dtype, set(result.float32().ravel().tolist())), ("bf16", {2.0}))

    def test_counts_and_names_of_arguments(self) -> None:
        bundle = spyre_mlir.compile(SUM.format(t="f16"), name="sum")
        x = np.ones((4, 64), np.float16)
        with self.assertRaisesRegex(
            TypeError, r"sum takes 2 arrays and got 1: pass x: f16\[4, 64\], y: f16\[4, 64\]"
        ):
            bundle.run(x)
        with self.assertRaisesRegex(
            ValueError, r"sum: argument 1 \(y\) is f16\[64, 4\], but the program takes f16\[4, 64\]"
        ):
            bundle.run(x, x.T)
        self.assertEqual(bundle([x, {"y": x}]).tolist(), (x + x).tolist())

    def test_several_results_and_none_are_tuples(self) -> None:
        text = "func.func @f(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>) { return %x, %x : tensor<2xi64>, tensor<2xi64> }"
        first, second = spyre_mlir.compile(text)(np.array([1, 2]))
        self.assertEqual((first.tolist(), second.tolist()), ([1, 2], [1, 2]))

    def test_the_package_prints_nothing(self) -> None:
        code = (
            "import spyre_mlir, numpy; b = spyre_mlir.compile('examples/host.mlir');"
            "x = numpy.ones((96, 512), numpy.float16); b(x, x, 3); b.explain(); b.files"
        )
        result = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


@needs_native
class Facts(unittest.TestCase):
    def test_statistics_before_and_after_a_run(self) -> None:
        bundle = spyre_mlir.compile(ROOT / "examples" / "host.mlir")
        self.assertIsNone(bundle.stats().run_seconds)
        bundle.run(*random_inputs(bundle.inputs, 0))
        statistics = bundle.stats()
        (launch,) = statistics.launches
        self.assertEqual((launch.hbm_read, launch.hbm_written, launch.executions), (196608, 98304, 2))
        self.assertAlmostEqual(statistics.device_share, 2 / 3)
        self.assertEqual(json.loads(json.dumps(statistics.to_json()))["hbm_bytes"], 294912)
        self.assertIn("66.7% of the work", str(statistics))
        self.assertIn("98,304 elements in 1 function, 66.7% of the work</td>", statistics._repr_html_())

    def test_an_explanation_has_the_reasons_of_the_host(self) -> None:
        explanation = spyre_mlir.compile(ROOT / "examples" / "host.mlir").explain()
        (operation,) = explanation.host
        self.assertEqual(operation.operation, "linalg.generic")
        self.assertEqual(operation.reason, "no device operation computes 'arith.ori' of i64")
        self.assertIn("examples/host.mlir:14:8", operation.location)
        json.dumps(explanation.to_json())

    def test_operations_that_the_contract_lacks_are_named(self) -> None:
        explanation = spyre_mlir.compile(ROOT / "examples" / "inductor" / "scores.json").explain()
        self.assertEqual([operation.operation for operation in explanation.host], ["spyre.batchmatmul of f32"])

    def test_the_plan_of_one_function_and_the_error_of_another(self) -> None:
        bundle = spyre_mlir.compile(ROOT / "examples" / "add_mul.mlir")
        self.assertEqual(bundle.plan["format"], "spyre-plan-1")
        self.assertIn("unavoidable", str(bundle.explain()))
        with self.assertRaisesRegex(
            spyre_mlir.PlanError, "has no plan, since the host computes linalg.generic: use explain"
        ):
            _ = spyre_mlir.compile(ROOT / "examples" / "host.mlir").plan

    def test_the_page_of_a_plan(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            page = spyre_mlir.compile(ROOT / "examples" / "add_mul.mlir").view(Path(directory, "plan.html"))
            self.assertEqual(Path(directory, "plan.html").read_text(), page)
            self.assertTrue(page.lstrip().lower().startswith("<!doctype html>"))
            self.assertIn("srcdoc=", page._repr_html_())
            with mock.patch("webbrowser.open") as opened:
                self.assertTrue(page.open().is_file())
            opened.assert_called_once()

    def test_warnings_go_to_the_log(self) -> None:
        from spyre_mlir.errors import Diagnostic
        from spyre_mlir.native import LOG, log_warnings

        with self.assertLogs("spyre_mlir", logging.WARNING) as logs:
            log_warnings([Diagnostic("warning", "hm", "f:1:1"), Diagnostic("remark", "well", "f:1:1")])
        self.assertEqual(logs.output, ["WARNING:spyre_mlir:f:1:1: warning: hm"])
        self.assertTrue(any(isinstance(handler, logging.NullHandler) for handler in LOG.handlers))


@needs_native
class Saved(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def test_a_loaded_program_computes_the_same(self) -> None:
        for name, floats in (("host.mlir", "auto"), ("inductor/scores.json", "dl16"), ("add_mul.mlir", "auto")):
            bundle = spyre_mlir.compile(ROOT / "examples" / name, floats=floats)
            target = self.root / Path(name).stem
            self.assertEqual(bundle.save(target), target)
            loaded = spyre_mlir.load(target)
            self.assertEqual(
                (loaded.options, loaded.name, loaded.inputs), (bundle.options, bundle.name, bundle.inputs)
            )
            arrays = random_inputs(bundle.inputs, 3)
            self.assertEqual(loaded(*arrays).tobytes(), bundle(*arrays).tobytes(), name)
            self.assertEqual(spyre_mlir.compile(target).entry, bundle.entry)
            for file, data in bundle.files.items():
                self.assertEqual((target / file).read_bytes(), data)

    def test_values_of_a_front_end_are_saved(self) -> None:
        bits = spyre_mlir.Array(np.full((4, 64), 0x3F80, np.uint16), "bf16")
        source = spyre_mlir.read_program(SUM.format(t="bf16")).bytes
        program = spyre_mlir.Program(source, names=["x", "y"], values={1: bits})
        program.compile().save(self.root / "sum")
        loaded = spyre_mlir.load(self.root / "sum")
        self.assertEqual([input.name for input in loaded.inputs], ["x"])
        self.assertEqual(np.asarray(loaded(bits).view(np.uint16)).ravel()[0], 0x4000)

    def test_a_directory_without_a_program(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "has no program.json, so it is no saved program"):
            spyre_mlir.load(self.root)
        (self.root / "program.json").write_text('{"format": "x"}')
        with self.assertRaisesRegex(ValueError, "has the format 'x', and this version reads 'spyre-program-1'"):
            spyre_mlir.load(self.root)

    def test_a_program_saves_its_source(self) -> None:
        program = spyre_mlir.read_program(SUM.format(t="f16"))
        self.assertEqual(program.save(self.root / "sum").read_text(), program.source)
        self.assertEqual(os.listdir(self.root), ["sum.mlir"])


@needs_numpy
class WithoutNative(unittest.TestCase):
    def test_the_error_is_the_line_to_type(self) -> None:
        code = (
            "import sys; sys.modules['spyre_mlir._native'] = None\n"
            "import spyre_mlir\n"
            "try: spyre_mlir.compile('module {}')\n"
            "except spyre_mlir.NativeMissingError as error: print(error)"
        )
        output = subprocess.run(
            [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
        ).stdout
        self.assertRegex(output, r"cannot be loaded .*: run pip install spyre-mlir")

    def test_the_package_imports_nothing_until_a_name_is_used(self) -> None:
        code = "import sys, spyre_mlir; dir(spyre_mlir); print(sorted({'numpy', 'torch', 'spyre_mlir._native'} & set(sys.modules)))"
        output = subprocess.run(
            [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(output, "[]\n")

    def test_the_project_has_the_command_and_the_backend(self) -> None:
        import tomllib

        project = tomllib.loads((PYTHON / "pyproject.toml").read_text())
        self.assertEqual(project["project"]["scripts"]["spyre"], "spyre_mlir.command:main")
        self.assertEqual(
            project["project"]["entry-points"]["torch_dynamo_backends"]["spyre"], "spyre_mlir.torch.backend:spyre"
        )
        extras = project["project"]["optional-dependencies"]
        front_ends = {"torch", "tinygrad", "stablehlo", "jax", "onnx", "tflite"}
        self.assertLessEqual(front_ends, set(extras))
        self.assertEqual(extras["all"], ["spyre-mlir[torch,tinygrad,stablehlo,jax,onnx,tflite,dask]"])


if __name__ == "__main__":
    unittest.main()

"""Tests of the command `spyre`: texts, JSON, files and exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from native import HAS_NUMPY, ROOT, environment, needs_native, needs_numpy, needs_package

if HAS_NUMPY:
    import numpy as np
    from spyre_mlir.command import main

HOST = str(ROOT / "examples" / "host.mlir")
ADD_MUL = str(ROOT / "examples" / "add_mul.mlir")


class Case(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def spyre(self, *arguments: object) -> tuple[int, str, str]:
        """Returns the exit code, the output and the errors of a command."""
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as end:
                code = int(str(end.code))
        return code, output.getvalue(), errors.getvalue()

    def value(self, *arguments: object, code: int = 0):
        got, output, _ = self.spyre(*arguments, "--json")
        self.assertEqual(got, code, output)
        return json.loads(output)


@needs_native
class Programs(Case):
    def test_run_reads_and_writes_arrays(self) -> None:
        x = np.full((96, 512), 0.25, np.float16)
        np.save(self.root / "x.npy", x)
        np.save(self.root / "n.npy", np.array(7))
        inputs = [word for name in ("x", "x", "n") for word in ("--input", self.root / f"{name}.npy")]
        value = self.value("run", HOST, *inputs, "--output", self.root / "y.npy")
        self.assertEqual(value["results"], ["f16[96, 512]"])
        on_card = np.load(self.root / "y.npy")
        self.assertEqual(self.spyre("run", HOST, "--cpu", *inputs, "--output", self.root / "z.npy")[0], 0)
        self.assertEqual(on_card.tobytes(), np.load(self.root / "z.npy").tobytes())

    def test_bf16_is_read_and_written_as_bits(self) -> None:
        program = self.root / "f.mlir"
        program.write_text(
            "func.func @f(%x: tensor<2x64xbf16>) -> tensor<2x64xbf16> {\n"
            "  %0 = spyre.add %x, %x : tensor<2x64xbf16>\n  return %0 : tensor<2x64xbf16>\n}"
        )
        np.save(self.root / "x.npy", np.full((2, 64), 0x3F80, np.uint16))
        self.assertEqual(
            self.spyre("run", program, "--input", self.root / "x.npy", "--output", self.root / "y.npy")[0], 0
        )
        self.assertEqual(set(np.load(self.root / "y.npy").ravel().tolist()), {0x4000})

    def test_wrong_inputs_are_refused(self) -> None:
        code, output, errors = self.spyre("run", HOST)
        self.assertEqual((code, output), (1, ""))
        self.assertRegex(
            errors,
            r"error: 0 arguments by --input, and the program takes 3: x: f16.*add --input FILE for each, or --random",
        )
        self.assertIn("use one of them", self.spyre("run", HOST, "--input", "x.npy", "--random-seed", 1)[2])

    def test_options_without_an_effect_are_refused(self) -> None:
        np.save(self.root / "n.npy", np.array(7))
        file = self.root / "n.npy"
        for options, message in (
            (("--input", "x.npy", "--range", "x=0:1"), "--input x.npy and --range both give the arguments: use one"),
            (("--input", "x.npy", "--range", "q=0:1"), "--range: no input is named 'q': there are x, y, n"),
            (("--input", f"n={file}", "--range", "n=0:8", "--random-seed", 1), "--input and --range both give 'n'"),
            (("--input", f"n={file}", "--input", "n=m.npy"), f"--input n={file} and --input n=m.npy both give 'n'"),
            (("--input", f"q={file}"), f"no input is named 'q': there are x, y, n; write ./q={file} for a file"),
            (("--random-seed", 1, "--tolerance", 1), "--tolerance is for a comparison: add --compare onnxruntime"),
            (("--random-seed", 1, "--range", "x=0:1e6"), "--range x=0:1e+06 is no range of f16: at most 65504"),
        ):
            code, _, errors = self.spyre("run", HOST, *options)
            self.assertEqual(code, 1, options)
            self.assertIn(message, errors)

    def test_a_file_may_have_an_equals_sign(self) -> None:
        program = self.root / "f.mlir"
        program.write_text(
            "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
            "  %0 = spyre.add %x, %x : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}"
        )
        np.save(self.root / "q=1.npy", np.array([1, 2], np.int32))
        with contextlib.chdir(self.root):
            self.assertEqual(self.spyre("run", program, "--input", "./q=1.npy", "--output", "y.npy")[0], 0)
            self.assertEqual(self.spyre("run", program, "--input", "q=1.npy")[0], 1)
        self.assertEqual(np.load(self.root / "y.npy").tolist(), [2, 4])

    def test_shapes_are_for_files_that_leave_them_open(self) -> None:
        code, _, errors = self.spyre("run", HOST, "--shape", "x=96x512", "--random-seed", 1)
        self.assertEqual(code, 1)
        self.assertIn("--shape is for .onnx and .tflite", errors)
        self.assertEqual(self.spyre("run", HOST, "--shape", "x")[0], 2)

    def test_the_version_has_that_of_llvm(self) -> None:
        code, output, _ = self.spyre("--version")
        self.assertEqual(code, 0)
        self.assertIn("LLVM 22.1", output)

    def test_a_refused_program_prints_as_the_tools_print(self) -> None:
        program = self.root / "f.mlir"
        program.write_text("func.func @f(\n")
        code, _, errors = self.spyre("compile", program, "-o", self.root / "out")
        self.assertEqual(code, 1)
        self.assertTrue(errors.startswith(f"{program}:1:14: error: "), errors)
        self.assertFalse((self.root / "out").exists())
        value = self.value("compile", program, "-o", self.root / "out", code=1)
        self.assertEqual((value["kind"], len(value["diagnostics"])), ("CompileError", 1))

    def test_compile_check_and_run_a_directory(self) -> None:
        out = self.root / "out"
        value = self.value("compile", ADD_MUL, "-o", out)
        self.assertEqual(value["files"], ["bundle.mlir", "sdsc_0.json", "sdsc_1.json"])
        value = self.value("check", out)
        self.assertEqual(value["comparison"]["same"], True)
        # The files of the saved program are no findings.
        self.assertEqual(value["findings"], [f"{out}: 2 files, 2 operations, 2 loops, 4 parameters, 0 warnings"])
        self.assertEqual(self.value("run", out, "--random-seed", 1)["results"], ["f16[1024, 4096]"])
        damaged = (out / "sdsc_1.json").read_text().replace('"sfp"', '"pt"')
        (out / "sdsc_1.json").write_text(damaged)
        value = self.value("check", out, code=1)
        self.assertFalse(value["verified"])
        self.assertTrue(any("'mul' runs on 'sfp', not on 'pt'" in line for line in value["findings"]))

    def test_a_bundle_alone_runs_on_bytes(self) -> None:
        program = self.root / "f.mlir"
        program.write_text(
            "!t = tensor<32x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>\n"
            "func.func @f(%a: !t, %b: !t) -> !t {\n  %0 = spyre.add %a, %b : !t\n  return %0 : !t\n}\n"
        )
        self.assertEqual(self.spyre("compile", program, "-o", self.root / "out")[0], 0)
        for name in ("program.json", "program.mlir"):
            (self.root / "out" / name).unlink()
        bits = np.full(2048, 0x3E00, np.uint16)  # 1.0 in the card's format: 6 bits of exponent with the bias 31
        bits.tofile(self.root / "a.bin")
        np.save(self.root / "b.npy", bits.view(np.uint8))
        files = ["--argument", f"0={self.root}/a.bin", "--argument", f"1={self.root}/b.npy"]
        value = self.value("run", self.root / "out", *files, "--output", self.root / "c.bin")
        self.assertEqual(value["arguments"], [{"number": 2, "bytes": 4096}])
        self.assertEqual(value["statistics"]["hbm_written"], 4096)
        result = np.fromfile(self.root / "c.bin", np.uint16)
        self.assertEqual((result.size, set(result.tolist())), (2048, {0x4000}))
        code, output, _ = self.spyre("run", self.root / "out", "--random-seed", 1)
        self.assertEqual(code, 0)
        self.assertRegex(output, r"^argument 2: 4096 bytes of SEN169_FP16 \[.*, \.\.\.\]$")
        for options, message in (
            ([], "kernel argument 0 is read (4096 bytes of SEN169_FP16), and has no contents"),
            (["--argument", f"5={self.root}/a.bin"], "has no kernel argument 5; its arguments are 0, 1, 2"),
            (["--random-seed", 1, "--size", "S=64"], 'has no runtime size "S"; its sizes are none'),
            (["--input", "x.npy"], "--input needs one: give the bytes of device memory"),
            (["--range", "x=0:1", "--tolerance", 0], "--range and --tolerance needs one: give the bytes of device"),
            (["--value", "x=1"], "--value needs one: give the bytes of device memory"),
        ):
            code, _, errors = self.spyre("run", self.root / "out", *options)
            self.assertEqual(code, 1)
            self.assertIn(message, errors)
        parameters = [
            {"arg_index": -1, "tensor": None},
            *({"arg_index": number, "tensor": {"bytes": 8192}} for number in (0, 1, 2)),
        ]
        (self.root / "launch.json").write_text(json.dumps(parameters))
        launch = ["--launch-params", self.root / "launch.json"]
        value = self.value("run", self.root / "out", *files, *launch, "--output", self.root / "c.bin")
        self.assertEqual(value["arguments"], [{"number": 2, "bytes": 8192}])
        (self.root / "launch.json").write_text("{}")
        for options, message in (
            (launch, "is no list of launch parameters"),
            (["--argument-bytes", "0=8192"], "kernel argument 0 has a file and a size"),
        ):
            code, _, errors = self.spyre("run", self.root / "out", *files, *options)
            self.assertEqual(code, 1)
            self.assertIn(message, errors)
        self.assertEqual(self.spyre("run", self.root / "out", "--argument", "a.bin")[0], 2)
        self.assertIn("use --input FILE", self.spyre("run", ADD_MUL, *files)[2])

    def test_two_bundles_run_on_the_same_bytes(self) -> None:
        for name, operation in (("one", "add"), ("same", "add"), ("other", "mul")):
            program = self.root / f"{name}.mlir"
            program.write_text(
                "!t = tensor<32x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>\n"
                f"func.func @f(%a: !t, %b: !t) -> !t {{\n  %0 = spyre.{operation} %a, %b : !t\n  return %0 : !t\n}}\n"
            )
            self.assertEqual(self.spyre("compile", program, "-o", self.root / name)[0], 0)
            for file in ("program.json", "program.mlir"):
                (self.root / name / file).unlink()
        compare = ["run", self.root / "one", "--random-seed", 1, "--compare-bundle"]
        code, output, _ = self.spyre(*compare, self.root / "same")
        self.assertEqual((code, output.strip()), (0, "argument 2: 0 of 2048 elements differ"))
        value = self.value(*compare, self.root / "other", code=1)
        self.assertFalse(value["agree"])
        [argument] = value["arguments"]
        self.assertEqual((argument["number"], argument["agree"]), (2, False))
        self.assertRegex(argument["text"], r"^\d+ of 2048 elements differ; first at element 0, byte 0: \S+ against \S+$")
        for options, message in (
            ([*compare, self.root / "one", "--output", "c.bin"], "--compare-bundle prints differences: drop one"),
            ([*compare, self.root], "has no bundle.mlir"),
            (["run", ADD_MUL, "--compare-bundle", self.root / "one"], "is for a bundle without its program"),
        ):
            code, _, errors = self.spyre(*options)
            self.assertEqual(code, 1)
            self.assertIn(message, errors)

    def test_a_file_in_the_way_of_a_saved_program_is_a_finding(self) -> None:
        out = self.root / "out"
        self.assertEqual(self.spyre("compile", ADD_MUL, "-o", out)[0], 0)
        (out / "notes.txt").write_text("")
        self.assertIn(f"{out}: warning: 'notes.txt' is no part of a bundle [VB4]", self.value("check", out)["findings"])

    def test_a_missing_argument_is_named(self) -> None:
        code, _, errors = self.spyre("run", HOST, *["--input", "none.npy"] * 3)
        self.assertEqual((code, errors), (1, "error: none.npy: no such file or directory\n"))

    def test_a_dynamic_extent_says_what_to_type(self) -> None:
        program = self.root / "f.mlir"
        program.write_text(
            'func.func @f(%x: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> (tensor<?x64xf16> {spyre.dims = ["S", "D"]})\n'
            "    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {\n"
            "  %0 = spyre.add %x, %x : tensor<?x64xf16>\n  return %0 : tensor<?x64xf16>\n}"
        )
        self.assertIn("note: add --size S=N\n", self.spyre("run", program, "--random-seed", 1)[2])
        self.assertEqual(self.spyre("run", program, "--random-seed", 1, "--size", "S=64")[0], 0)

    def test_explain_and_view(self) -> None:
        self.assertIn("no device operation computes 'arith.ori' of i64", self.spyre("explain", HOST)[1])
        value = self.value("explain", HOST, "--random-seed", 1)
        self.assertEqual(value["statistics"]["launches"][0]["hbm_written"], 98304)
        self.assertEqual(self.spyre("view", ADD_MUL, "-o", self.root / "p.html")[0], 0)
        self.assertIn("<html", (self.root / "p.html").read_text())
        code, _, errors = self.spyre("view", HOST)
        self.assertEqual(code, 1)
        self.assertRegex(errors, "^error: .*host.mlir has no plan, since the host computes linalg.generic")

    def test_the_timeline_of_a_plan(self) -> None:
        with mock.patch("webbrowser.open") as browser:
            value = self.value("view", ADD_MUL, "--trace", self.root / "t.json")
        browser.assert_not_called()
        self.assertEqual(value, {"trace": str(self.root / "t.json")})
        value = self.value("view", ADD_MUL, "-o", self.root / "p.html", "--trace", self.root / "t.json")
        self.assertEqual(sorted(value), ["page", "trace"])
        trace = json.loads((self.root / "t.json").read_text())
        slices = [event for event in trace if event["ph"] == "X"]
        self.assertEqual(len([event for event in slices if event["pid"] == 0]), 16)
        # A viewer drops a slice that begins in another one of its row and ends after it.
        for row in {(event["pid"], event["tid"]) for event in slices}:
            ends: list[int] = []
            for event in (event for event in slices if (event["pid"], event["tid"]) == row):
                start = round(1000 * event["ts"])
                while ends and ends[-1] <= start:
                    ends.pop()
                end = start + round(1000 * event["dur"])
                self.assertLessEqual(end, min(ends, default=end), event)
                ends.append(end)
        # The page has the same timeline, where it is short.
        self.assertIn('<a download="plan.trace.json"', (self.root / "p.html").read_text())
        self.assertRegex(self.spyre("view", HOST, "--trace", self.root / "t.json")[2], "has no plan, since the host")

    def test_diff_has_the_exit_code_of_diff(self) -> None:
        changed = self.root / "changed.mlir"
        changed.write_text(Path(ADD_MUL).read_text().replace('"B" in 4', '"B" in 8'))
        for name, program in (("a", ADD_MUL), ("b", changed)):
            self.assertEqual(self.spyre("compile", program, "-o", self.root / name)[0], 0)
        self.assertEqual(self.spyre("diff", self.root / "a", self.root / "a")[:2], (0, "no difference\n"))
        self.assertIn(
            "sdsc_0 add: loops 2 x 4 -> 2 x 8",
            self.value("diff", self.root / "a", self.root / "b", code=1)["differences"],
        )

    def test_a_suite_over_processes(self) -> None:
        (self.root / "a.mlir").write_text(Path(HOST).read_text())
        (self.root / "model.onnx").write_text("no model")
        (self.root / "notes.txt").write_text("")
        self.assertEqual(self.spyre("compile", ADD_MUL, "-o", self.root / "saved")[0], 0)
        outcomes = self.value("run-suite", self.root, "--workers", 1, code=1)["outcomes"]
        self.assertEqual([outcome["status"] for outcome in outcomes], ["same", "refused"])
        self.assertIn("has no program", self.spyre("run-suite", self.root / "saved")[2])


@needs_numpy
class Anywhere(Case):
    def test_a_wrong_command_line_exits_with_2(self) -> None:
        for arguments in (
            (), ("fly",), ("run",), ("compile", "f.mlir"), ("run", "f.mlir", "--size", "n=x"),
            ("run", "f.mlir", "--range", "x=0:1e999"), ("run", "f.mlir", "--range", "x=-1e308:1e308"),
        ):  # fmt: skip
            code, _, errors = self.spyre(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("usage: spyre", errors)

    def test_a_name_that_is_given_twice_is_a_wrong_command_line(self) -> None:
        for option, first, second in (
            ("--argument", "0=a", "0=b"), ("--argument-bytes", "0=1", "0=2"), ("--size", "n=1", "n=2"),
            ("--shape", "x=1", "x=2"), ("--value", "x=1", "x=2"), ("--range", "x=0:1", "x=0:2"),
        ):  # fmt: skip
            code, _, errors = self.spyre("run", "f.mlir", option, first, option, second)
            self.assertEqual(code, 2, option)
            self.assertIn(f"argument {option}: '{first[0]}' is given twice: use one of them", errors)

    def test_a_missing_file_exits_with_1(self) -> None:
        self.assertRegex(self.spyre("run", "none.mlir")[2], r"^error: none\.mlir: no such file")
        self.assertEqual(self.spyre("diff", "none", "none")[0], 1)

    def test_doctor_has_a_line_to_type_for_each_gap(self) -> None:
        with mock.patch.dict(os.environ, {"PATH": ""}):
            _, output, _ = self.spyre("doctor", "--json")
        found = {finding["name"]: finding for finding in json.loads(output)["findings"]}
        self.assertEqual(found["python"]["state"], "good")
        for finding in found.values():
            self.assertEqual(bool(finding["fix"]), finding["state"] != "good", finding)
        self.assertEqual(found["spyre-opt"]["state"], "missing")
        with mock.patch.dict(os.environ, {"PATH": ""}), mock.patch("spyre_mlir.doctor._is_checkout", lambda: False):
            _, output, _ = self.spyre("doctor")
        self.assertNotIn("spyre-opt", output, "the wheel has no tools")
        self.assertLessEqual({"torch", "jax", "iree-base-compiler", "onnx", "tinygrad", "tensorflow"}, set(found))

    @needs_native
    def test_lsp_is_the_language_server(self) -> None:
        program = Path(ADD_MUL).read_text().replace('"A" in 2', '"C" in 2')
        document = {"uri": "file:///a.mlir", "languageId": "mlir", "version": 1, "text": program}
        messages = [
            {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
            {"method": "textDocument/didOpen", "params": {"textDocument": document}},
            {"id": 2, "method": "shutdown"},
            {"method": "exit"},
        ]
        texts = [json.dumps({"jsonrpc": "2.0"} | message) for message in messages]
        stream = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)
        command = [sys.executable, "-m", "spyre_mlir.command", "lsp", "--log=error"]
        end = subprocess.run(command, input=stream.encode(), capture_output=True, timeout=120, env=environment())
        self.assertEqual(end.returncode, 0, end.stderr)
        output = end.stdout.decode()
        self.assertIn('"name":"spyre-lsp-server"', output)
        self.assertIn("no operation of this group has a dimension named", output)

    @needs_package("shtab")
    @needs_package("argparse_manpage")
    def test_completions_and_manual_pages(self) -> None:
        from spyre_mlir.command import pages

        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(pages.main([str(self.root)]), 0)
        share = self.root / "share"
        for completion in (
            "bash-completion/completions/spyre",
            "zsh/site-functions/_spyre",
            "fish/vendor_completions.d/spyre.fish",
            "spyre-mlir/completions/spyre.csh",
        ):
            text = (share / completion).read_text()
            self.assertIn("run-suite", text)
            for hidden in ("--upstream-server", "upstream_server", "==SUPPRESS=="):
                self.assertNotIn(hidden, text, completion)
        manual = (share / "man" / "man1" / "spyre.1").read_text()
        self.assertIn(".SH NAME\nspyre \\- compiles and runs programs", manual)
        self.assertIn("for https://ui.perfetto.dev", manual)

    def test_fish_completes_options_and_their_values(self) -> None:
        from spyre_mlir.command.pages import fish
        from spyre_mlir.command.parser import command_parser

        lines = fish(command_parser()).splitlines()
        self.assertIn(
            "complete -c spyre -n '__fish_seen_subcommand_from run' -l floats -r -f -a 'auto exact dl16' "
            "-d 'how the card computes floats of 32 bits; auto by default'",
            lines,
        )
        self.assertIn(
            "complete -c spyre -n '__fish_seen_subcommand_from view' -s o -r "
            "-d 'the file to write; without it, the browser opens the page'",
            lines,
        )
        self.assertEqual([line for line in lines if "upstream" in line or "SUPPRESS" in line], [])


if __name__ == "__main__":
    unittest.main()

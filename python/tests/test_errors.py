"""Tests of diagnostics as text and as exceptions; no native module is needed."""

from __future__ import annotations

import pickle
import unittest

from native import PYTHON  # noqa: F401  (the package is in the folder above, and not installed)
from spyre_mlir.errors import WIDTH, CompileError, Diagnostic, PlanError


class Text(unittest.TestCase):
    def test_a_caret_is_below_its_column_after_tabs(self) -> None:
        text = str(Diagnostic("error", "no", "f.mlir:1:4", "f.mlir", 1, 4, source_line="\t\tx = y"))
        self.assertEqual(text.splitlines()[1:], ["\t\tx = y", "\t\t ^"])

    def test_a_long_line_is_cut_around_the_caret(self) -> None:
        line = "".join(f"%{number:05d}, " for number in range(100))
        for column in (1, 60, 61, 400, len(line) - 3, len(line)):
            _, window, caret = str(Diagnostic("error", "no", "f:1:1", "f", 1, column, source_line=line)).splitlines()
            self.assertEqual(len(window), WIDTH)
            place = caret.index("^")
            self.assertEqual(window[place], line[column - 1])
        self.assertTrue(window.startswith("..."))

    def test_notes_follow_with_their_lines(self) -> None:
        note = Diagnostic(
            "note", "the group starts here", "f.mlir:4:8", "f.mlir", 4, 8, source_line="  %y = spyre.add %a, %b"
        )
        text = str(
            Diagnostic("error", "scope 0 differs", "f.mlir:5:8", "f.mlir", 5, 8, (note,), "  %z = spyre.mul %y, %c")
        )
        self.assertEqual(
            text,
            "f.mlir:5:8: error: scope 0 differs\n  %z = spyre.mul %y, %c\n       ^\n"
            "f.mlir:4:8: note: the group starts here\n  %y = spyre.add %a, %b\n       ^",
        )


class WayOut(unittest.TestCase):
    def test_the_last_part_of_a_message_that_is_an_instruction(self) -> None:
        for message, fix in (
            (
                "there is no bundle; --spyre-import-linalg makes them of linalg",
                "--spyre-import-linalg makes them of linalg",
            ),
            ("symbol 's0' has no extent: add --size s0=N", "add --size s0=N"),
            ("3 tiles do not divide 16, use 4", "use 4"),
            ("custom op 'spyre.use' is unknown", None),
            ("the result addresses 3 elements", None),
            ("use of undeclared SSA value name", None),
            ("convert-linalg-to-spyre: no device operation computes 'arith.ori' of i64", None),
            ("coarse-tile: cut-loops: no", None),
        ):
            self.assertEqual(Diagnostic("error", message).fix, fix, message)

    def test_a_note_has_it_where_the_message_has_not(self) -> None:
        error = Diagnostic("error", "no function", notes=(Diagnostic("note", "name one: pass entry='f'"),))
        self.assertEqual(CompileError("no", [error]).fix, "name one: pass entry='f'")
        error = Diagnostic("error", "no function", notes=(Diagnostic("note", "there are two: pass entry='f'"),))
        self.assertEqual(error.fix, "pass entry='f'")


class Exceptions(unittest.TestCase):
    def test_attributes_are_of_the_first_error(self) -> None:
        diagnostics = [Diagnostic("warning", "hm", "f:1:1"), Diagnostic("error", "no; use x", "f:2:3", "f", 2, 3)]
        error = CompileError("no", diagnostics)
        self.assertEqual((error.location, error.fix, error.notes), ("f:2:3", "use x", ()))
        self.assertEqual(str(error), "f:1:1: warning: hm\nf:2:3: error: no; use x")

    def test_an_error_without_diagnostics_has_its_message(self) -> None:
        self.assertEqual(str(CompileError("no such entry")), "no such entry")
        self.assertEqual(CompileError("no such entry").location, "")

    def test_errors_can_be_pickled(self) -> None:
        error = PlanError("no plan", [Diagnostic("error", "why", "f:1:1")])
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(copy), copy.diagnostics, str(copy)), (PlanError, error.diagnostics, str(error)))


if __name__ == "__main__":
    unittest.main()

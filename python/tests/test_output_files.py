"""Tests of directories that are complete or absent."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from native import PYTHON  # noqa: F401  (the package is in the folder above, and not installed)
from spyre_mlir.output_files import read_directory, write_directory, write_file


class Directories(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def test_folders_are_made_and_a_program_is_replaced(self) -> None:
        target = self.root / "deep" / "program"
        write_directory(target, {"bundle.mlir": b"1", "old": b"", "f/sdsc_0.json": b"{}"})
        write_directory(target, {"bundle.mlir": b"2"})
        self.assertEqual(read_directory(target), {"bundle.mlir": b"2"})
        self.assertEqual(os.listdir(target.parent), ["program"])

    def test_a_failure_leaves_the_old_program_and_nothing_else(self) -> None:
        target = self.root / "program"
        write_directory(target, {"bundle.mlir": b"1"})
        write = Path.write_bytes
        for failure in (OSError("disk full"), KeyboardInterrupt()):

            def fail(path: Path, data: bytes, failure: BaseException = failure) -> int:
                if path.name == "second":
                    raise failure
                return write(path, data)

            with mock.patch.object(Path, "write_bytes", fail), self.assertRaises(type(failure)):
                write_directory(target, {"bundle.mlir": b"2", "second": b""})
            with mock.patch.object(Path, "rename", side_effect=failure), self.assertRaises(type(failure)):
                write_directory(target, {"bundle.mlir": b"2"})
        self.assertEqual(read_directory(self.root), {"program/bundle.mlir": b"1"})

    def test_a_directory_with_other_files_stays(self) -> None:
        (self.root / "thesis.tex").write_text("")
        with self.assertRaisesRegex(FileExistsError, "no saved program: remove it, or choose another directory"):
            write_directory(self.root, {"bundle.mlir": b""})
        with self.assertRaisesRegex(ValueError, r"'\.\./f': leaves the directory"):
            write_directory(self.root / "program", {"../f": b""})
        self.assertEqual(os.listdir(self.root), ["thesis.tex"])

    def test_a_file_is_replaced_or_stays(self) -> None:
        path = self.root / "y.npy"
        write_file(path, b"1")
        with mock.patch("os.replace", side_effect=OSError("no")), self.assertRaises(OSError):
            write_file(path, b"2")
        self.assertEqual(read_directory(self.root), {"y.npy": b"1"})


if __name__ == "__main__":
    unittest.main()

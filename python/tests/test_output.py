"""Files are whole or absent."""

import os
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from spyre_mlir.convert.errors import ConvertError
from spyre_mlir.convert.output import write_program


class WriteProgram(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "f.mlir"

    def test_writes_and_replaces(self) -> None:
        for text in ("module {}\n", "other\n"):
            write_program(text, str(self.path))
            self.assertEqual(self.path.read_text(), text)
        self.assertEqual(os.listdir(self.path.parent), ["f.mlir"])

    def test_others_may_read_as_umask_says(self) -> None:
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        write_program("x", str(self.path))
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o644)

    def test_a_failure_keeps_the_old_file_and_leaves_no_other(self) -> None:
        self.path.write_text("old")
        with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
            with self.assertRaisesRegex(ConvertError, "f.mlir: cannot be written: No space left on device"):
                write_program("new", str(self.path))
        self.assertEqual(self.path.read_text(), "old")
        self.assertEqual(os.listdir(self.path.parent), ["f.mlir"])

    def test_a_missing_directory_is_an_error(self) -> None:
        with self.assertRaisesRegex(ConvertError, "nowhere/f.mlir: cannot be written: No such file or directory"):
            write_program("new", str(self.path.parent / "nowhere" / "f.mlir"))


if __name__ == "__main__":
    unittest.main()

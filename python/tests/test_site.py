"""Tests of the page of the Python package on the site of the documentation: `tools/xtask/site/python_reference.py`."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "xtask" / "site"))

import python_reference  # noqa: E402


class Reference(unittest.TestCase):
    """The page has the names of each `__all__`, by the module that defines them."""

    def test_the_package(self) -> None:
        page = python_reference.page(ROOT / "python")
        for name in [
            "spyre_mlir.inductor.capture",
            "spyre_mlir.convert.from_jax.convert_jax",
            "spyre_mlir.tinygrad.export",
        ]:
            self.assertEqual(page.count(f"::: {name}\n"), 1, name)

    def test_a_name_that_no_module_defines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "spyre_mlir"
            package.mkdir()
            (package / "__init__.py").write_text('from .parts import there\n__all__ = ["there"]\n')
            (package / "parts.pyi").write_text("def there() -> None: ...\n")
            self.assertIn("::: spyre_mlir.parts.there\n", python_reference.page(Path(folder)))
            # A module before it in the folder has the same name.
            (package / "others.py").write_text("def there() -> None: ...\n")
            (package / "__init__.py").write_text(
                'if False:\n    from .parts import there\n_NAMES = {"there": 1}\n__all__ = [*_NAMES]\n'
            )
            self.assertIn("::: spyre_mlir.parts.there\n", python_reference.page(Path(folder)))
            (package / "others.py").unlink()
            (package / "parts.pyi").write_text("def elsewhere() -> None: ...\n")
            with self.assertRaisesRegex(LookupError, "no module of spyre_mlir defines 'there'"):
                python_reference.page(Path(folder))


if __name__ == "__main__":
    unittest.main()

"""The notebooks of docs/notebooks run from the first cell to the last, and are kept without outputs."""

from __future__ import annotations

import importlib.util
import json
import os
import unittest
from unittest import mock

from native import ROOT, environment, needs_native, needs_package

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
REQUIRED = {"llama_block": "torch"}


class Notebooks(unittest.TestCase):
    def test_outputs_are_stripped(self) -> None:
        self.assertEqual([path.stem for path in NOTEBOOKS], ["flash_attention", "llama_block", "mlp", "softmax"])
        for path in NOTEBOOKS:
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path.name)

    @needs_native
    @needs_package("nbclient")
    @needs_package("ipykernel")
    def test_all_cells_run(self) -> None:
        import nbformat
        from nbclient import NotebookClient

        for path in NOTEBOOKS:
            package = REQUIRED.get(path.stem)
            if package is not None and importlib.util.find_spec(package) is None:
                continue
            notebook = nbformat.read(path, as_version=4)
            # The kernel is another process, which inherits the environment.
            with self.subTest(path.stem), mock.patch.dict(os.environ, environment()):
                NotebookClient(
                    notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
                ).execute()


if __name__ == "__main__":
    unittest.main()

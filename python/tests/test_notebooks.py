"""The notebooks of docs/notebooks run from the first cell to the last, are kept without outputs, and show their outputs in
a browser."""

from __future__ import annotations

import functools
import importlib.util
import json
import unittest
from pathlib import Path

import browser
import notebooks
from native import needs_native, needs_package

NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
REQUIRED = {"llama_block": "torch"}
TABLES = {"softmax": ["softmax", "softmax"]}
"""The captions of tables: of the bundle, and of the statistics of its run."""

SCRIPT = """
const tables = [...document.querySelectorAll("table")].filter((table) => table.offsetHeight > 0);
const pages = [...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument.querySelector("h1"));
console.log(JSON.stringify({
  captions: tables.filter((table) => table.caption).map((table) => table.caption.textContent),
  pages: pages.filter((heading) => heading.offsetHeight > 0).map((heading) => heading.textContent),
}));
"""


executed = functools.cache(notebooks.executed)  # two tests use each notebook


def runnable() -> list[Path]:
    """Returns the notebooks with packages that are installed."""
    packages = [(path, REQUIRED.get(path.stem)) for path in NOTEBOOKS]
    return [path for path, package in packages if package is None or importlib.util.find_spec(package) is not None]


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
        for path in runnable():
            with self.subTest(path.stem):
                executed(path)

    @needs_native
    @needs_package("nbclient")
    @needs_package("ipykernel")
    @needs_package("nbconvert")
    @browser.needs_browser
    def test_a_browser_shows_the_bundle_and_the_page_of_its_plan(self) -> None:
        for path in runnable():
            with self.subTest(path.stem):
                page = notebooks.page_of(executed(path))
                messages = browser.messages(page, SCRIPT)
                # An error of the page would be another message.
                self.assertEqual(len(messages), 1, messages)
                shown = json.loads(messages[0])
                self.assertEqual(shown["captions"], TABLES.get(path.stem, shown["captions"]))
                self.assertEqual(shown["pages"], ["Plan"] * page.count("<iframe srcdoc="))

    @browser.needs_browser
    def test_errors_of_a_page_are_messages(self) -> None:
        frame = "<iframe srcdoc='<script>absent()</script>'></iframe>"
        page = f'<html><head></head><body><img src="absent.png"><script>missing()</script>{frame}</body></html>'
        messages = "\n".join(browser.messages(page, "console.log('loaded')"))
        for part in ("absent.png does not load", "missing is not defined", "absent is not defined", "loaded"):
            self.assertIn(part, messages)


if __name__ == "__main__":
    unittest.main()

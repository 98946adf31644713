"""Notebooks with the outputs of their cells, and as pages, for tests and for the screenshots of docs/images."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from unittest import mock

from native import ROOT, environment

FOLDER = ROOT / "docs" / "notebooks"


def executed(path: Path) -> Any:
    """Returns a notebook with the outputs of its cells, which run in the root of the repository."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    # The kernel is another process, which inherits the environment.
    with mock.patch.dict(os.environ, environment()):
        NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
        ).execute()
    return notebook


def page_of(notebook: Any) -> str:
    """Returns a notebook as a page of HTML that needs no network."""
    from nbconvert import HTMLExporter

    page, _ = HTMLExporter(mathjax_url="", require_js_url="", mermaid_js_url="").from_notebook_node(notebook)
    # Scripts for formulas and widgets are from other hosts, and the notebooks have none.
    return re.sub(r'<script src="">\s*</script>', "", page)

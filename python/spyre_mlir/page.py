"""The page of a plan."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from pathlib import Path

from .output_files import write_file


class Page(str):
    """A page of HTML: a string that notebooks show, and that can be saved or opened in a browser."""

    __slots__ = ()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file and returns its path."""
        write_file(path, self.encode("utf-8"))
        return Path(path)

    def open(self) -> Path:
        """Writes the page to a temporary file, opens it in the browser, and returns the path."""
        directory = Path(tempfile.mkdtemp(prefix="spyre-plan-"))
        path = self.save(directory / "plan.html")
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        # The page has styles and scripts for a document of its own, so a notebook shows it in a frame.
        return f'<iframe srcdoc="{html.escape(self)}" style="width:100%;height:640px;border:1px solid #ccc"></iframe>'

"""Takes the screenshots of docs/images, in a browser without a window.

    python take.py SITE BROWSER --largest BYTES [--out DIR]

SITE is the site of `cargo xtask site`. The plans and the notebook are those of the repository, so `spyre_mlir` has to
be importable. A picture is a PNG with a palette, without the empty ground at its end; one that is too large is an error.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import spyre_mlir
from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python" / "tests"))

import browser  # noqa: E402  (of the tests)
import notebooks  # noqa: E402

COLOURS = 64
"""The colours of a palette: pages have flat colours, and the rest are edges of letters."""
MARGIN = 16
"""Pixels of ground that stay at the end."""

OPTIONS = [
    *browser.OPTIONS,
    "--hide-scrollbars",
    # Pages of the site search in the background, and read files for it.
    "--allow-file-access-from-files",
    # Scripts and pictures of a page have loaded by this time.
    "--virtual-time-budget=4000",
]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture of docs/images."""

    name: str
    page: Callable[[Path], Path]
    """Returns the page: of a folder for the files, or of the site."""
    width: int
    height: int
    """Pixels; a page that is shorter has a smaller picture."""
    style: str = ""
    """Rules for this picture, such as the parts that it leaves out."""


def plan_page(program: str, *, is_graph: bool = False) -> Callable[[Path], Path]:
    """Returns the function that writes the page of a plan, with its last graph open if it is the subject."""

    def write(folder: Path) -> Path:
        text = str(spyre_mlir.compile(program).view())
        graph = '<details class="level">'
        if is_graph:
            before, _, after = text.rpartition(graph)
            text = f'{before}<details class="level" open="">{after}'
        return written(folder, text)

    return write


def notebook_page(name: str) -> Callable[[Path], Path]:
    """Returns the function that executes a notebook and writes it as a page."""

    def write(folder: Path) -> Path:
        return written(folder, notebooks.page_of(notebooks.executed(notebooks.FOLDER / f"{name}.ipynb")))

    return write


def written(folder: Path, text: str) -> Path:
    """Writes a page to a folder and returns its path."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


def pictures(site: Path) -> list[Picture]:
    """Returns the pictures."""
    # The drawings, without the tables and the layouts after them.
    tables = ".spilled,.operations,.layout,h2:last-of-type:not(section h2),h3:has(+.spilled),h3:has(+.operations)"
    tables = f"{tables},h3:has(+p),h3+p{{display:none}}"
    graph_alone = "h1,p.trace,section,h2,details.layout,details.level:not([open]){display:none}.chart{max-height:none}"
    return [
        Picture(
            "plan-graph.png",
            plan_page("examples/plans/transformer_block.mlir", is_graph=True),
            640,
            1500,
            graph_alone,
        ),
        Picture("plan-transformer-block.png", plan_page("examples/plans/transformer_block.mlir"), 1100, 1000, tables),
        Picture("plan-residuals.png", plan_page("examples/plans/residuals_hints.mlir"), 1100, 1000, tables),
        # Narrower pages have no tabs.
        Picture("site-start.png", lambda _: site / "index.html", 1300, 890),
        Picture("notebook-softmax.png", notebook_page("softmax"), 1120, 1485),
    ]


def taken(picture: Picture, program: str) -> bytes:
    """Returns the picture as PNG."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        page = picture.page(folder)
        if picture.style:
            text = page.read_text(encoding="utf-8")
            page = written(folder, text.replace("</head>", f"<style>{picture.style}</style></head>", 1))
        file = folder / "page.png"
        command = [program, *OPTIONS, f"--user-data-dir={folder / 'profile'}", f"--screenshot={file}"]
        command += [f"--window-size={picture.width},{picture.height}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=browser.LIMIT)
        return compressed(Image.open(file).convert("RGB"))


def compressed(image: Image.Image) -> bytes:
    """Returns a picture as PNG, with a palette and without the ground at its end."""
    ground = Image.new("RGB", image.size, image.getpixel((0, image.height - 1)))
    box = ImageChops.difference(image, ground).getbbox()
    if box is not None:
        image = image.crop((0, 0, image.width, min(box[3] + MARGIN, image.height)))
    file = io.BytesIO()
    # Dots of two colours in the place of a third one would make flat ground rough, and the file large.
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def main(command_line: list[str] | None = None) -> int:
    """Writes the pictures, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="take.py", description=__doc__.partition("\n")[0])
    parser.add_argument("site", metavar="SITE", type=Path, help="the folder of the site")
    parser.add_argument("browser", metavar="BROWSER", help="the program of the browser")
    parser.add_argument("--largest", metavar="BYTES", type=int, required=True, help="the bytes of the largest picture")
    parser.add_argument("--out", metavar="DIR", type=Path, default=ROOT / "docs" / "images", help="the folder to write")
    arguments = parser.parse_args(command_line)
    out: Path = arguments.out.resolve()
    os.chdir(ROOT)
    code = 0
    for picture in pictures(arguments.site.resolve()):
        data = taken(picture, arguments.browser)
        (out / picture.name).write_bytes(data)
        print(f"screenshots: {picture.name}: {len(data) / 1024:.0f} KiB")
        if len(data) > arguments.largest:
            print(f"screenshots: {picture.name} is larger than {arguments.largest / 1024:.0f} KiB: make it show less")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())

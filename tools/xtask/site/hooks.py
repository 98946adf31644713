"""What the pages of docs/ need to become a site: pages of other folders, links, and Markdown as GitHub reads it."""

from __future__ import annotations

import logging
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown import Extension, Markdown
from markdown.blockprocessors import CodeBlockProcessor
from markdown.preprocessors import Preprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

sys.path.insert(0, os.path.dirname(__file__))

import lexers  # noqa: E402, F401  (adds the lexers to those of Pygments)
import python_reference  # noqa: E402
import same_text  # noqa: E402

log = logging.getLogger("mkdocs.hooks.site")
"""Its warnings count: `--strict` fails after them."""

ROOT = Path(__file__).parents[3]

ROOT_PAGES = {
    "README.md": "Overview.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
}
"""Pages at the root of the repository, and their places on the site."""

SOURCES = "Sources"
"""The folder of the site with a page for each source that pages link to."""

LANGUAGES = {".mlir": "mlir", ".py": "python", ".rs": "rust", ".patch": "diff", ".json": "json", ".cfg": "ini"}

BRACKETS = re.compile(r"`[^`]*`|\]\[")
"""Code, and what the Python reference takes for a link to a name: no page has links of this form."""

LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> None:
    """Sets the anchors of headings to the ones of GitHub, and its rules of lists."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    config.markdown_extensions.extend([Lists(), Sessions()])


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the pages that are not below docs/."""
    for source, place in ROOT_PAGES.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    reference = python_reference.page(ROOT / "python")
    files.append(File.generated(config, "PythonReference.md", content=reference))
    for asset in ["iframe-worker.js", "site.css"]:
        path = str(Path(__file__).parent / asset)
        files.append(File.generated(config, f"assets/{asset}", abs_src_path=path))
    pages = [page for page in files.documentation_pages() if page.src_uri != "PythonReference.md"]
    linked = {target for page in pages for target in targets(page.content_string, repository_path(page.src_uri))}
    for path in sorted(linked):
        add_source(path, files, config, entries=True)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrites the links of a page that leave docs/, and the names of files in code blocks."""
    if page.file.src_uri == "PythonReference.md" or page.file.src_uri.startswith(SOURCES):
        return markdown
    here = repository_path(page.file.src_uri)
    if page.is_homepage:
        # The page lists all others.
        page.meta["hide"] = ["navigation"]

    def rewrite(match: re.Match[str]) -> str:
        target = normal(here, match[1])
        place = site_path(target)
        relative = posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".")
        return f"]({relative}{match[2] or ''})"

    lines = []
    for line, is_code in lines_of(markdown):
        if line == "[TOC]":
            # Every page has a table of its headings on the right.
            continue
        if is_code:
            line = re.sub(r"^(\s*```\w+) file=(\S+)$", r'\1 title="\2"', line)
            line = re.sub(r"^(\s*```\w+)(?: (?:exit|requires)=\w+)+$", r"\1", line)
        else:
            line = LINK.sub(rewrite, line)
            line = BRACKETS.sub(lambda match: match[0] if match[0][0] == "`" else r"]\[", line)
        lines.append(line)
    return "\n".join(lines)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Warns of a page with another text on the site than on GitHub."""
    if page.file.src_uri == "PythonReference.md" or page.file.src_uri.startswith(SOURCES):
        return
    difference = same_text.difference(page.file.content_string, html)
    if difference is not None:
        log.warning("%s is read differently on the site: %s", repository_path(page.file.src_uri), difference)


def repository_path(place: str) -> str:
    """Returns the path of a page in the repository."""
    for source, other in ROOT_PAGES.items():
        if place == other:
            return source
    return f"docs/{place}"


def site_path(path: str) -> str:
    """Returns the path on the site of a file or folder of the repository."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{SOURCES}/{path}.md"


def normal(here: str, link: str) -> str:
    """Returns the path in the repository that a link of a page leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(here), link))


def targets(markdown: str, here: str) -> Iterator[str]:
    """Returns the files and folders without a page that a page links to. Missing ones are left out: the build then
    fails at the link, with its page."""
    for line, is_code in lines_of(markdown):
        if is_code:
            continue
        for match in LINK.finditer(line):
            path = normal(here, match[1])
            if site_path(path).startswith(SOURCES) and (ROOT / path).exists():
                yield path


def add_source(path: str, files: Files, config: MkDocsConfig, entries: bool) -> None:
    """Adds a page with a file, or with the entries of a folder, and with `entries` the pages of the files in it."""
    place = site_path(path)
    if files.get_file_from_path(place) is not None:
        return
    if (ROOT / path).is_dir():
        lines = []
        for entry in sorted((ROOT / path).iterdir()):
            if entry.is_dir():
                lines.append(f"* `{entry.name}/`")
            elif entry.suffix in LANGUAGES and entries:
                add_source(f"{path}/{entry.name}", files, config, entries=False)
                lines.append(f"* [`{entry.name}`]({posixpath.basename(path)}/{entry.name}.md)")
            else:
                lines.append(f"* `{entry.name}`")
        text = "\n".join(lines)
    else:
        language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
        text = f"~~~~~~{language}\n{(ROOT / path).read_text().rstrip()}\n~~~~~~"
    # The search finds pages about a source, not the source.
    content = f"---\ntitle: {path}\nsearch:\n  exclude: true\nhide: [toc]\n---\n\n# `{path}`\n\n{text}\n"
    file = File.generated(config, place, content=content)
    file.inclusion = InclusionLevel.NOT_IN_NAV
    files.append(file)


def lines_of(markdown: str) -> Iterator[tuple[str, bool]]:
    """Returns the lines of a page, and whether each is in a code block, with its first and last line."""
    fence = None
    for line in markdown.split("\n"):
        match = re.match(r"\s*(```+|~~~+)", line)
        if fence is not None:
            yield line, True
            if match and match[1].startswith(fence):
                fence = None
        else:
            fence = match[1] if match else None
            yield line, fence is not None


def slug(heading: str, separator: str) -> str:
    """Returns the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", separator)


class Lists(Extension):
    """Lists as in CommonMark: one may follow a paragraph without an empty line, and its inner lines have two blanks
    before them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  (a method of the package)
        md.tab_length = 2
        # Indented code, as in the docstrings of Python, still has four.
        code = CodeBlockProcessor(md.parser)
        code.tab_length = 4
        md.parser.blockprocessors.register(code, "code", 80)
        # After the fences have become placeholders.
        md.preprocessors.register(EmptyLines(md), "empty_lines", 15)


class EmptyLines(Preprocessor):
    """Adds an empty line before a list that follows a paragraph."""

    def run(self, lines: list[str]) -> list[str]:
        result: list[str] = []
        paragraph = False
        for line in lines:
            item = re.match(r"([*+-]|1\.) +\S", line)
            if item and paragraph:
                result.append("")
            result.append(line)
            if item or not line.strip():
                paragraph = False
            elif not paragraph:
                paragraph = not line.startswith(" ") and (len(result) < 2 or not result[-2].strip())
        return result


class Sessions(Extension):
    """Sessions of Python in docstrings, from `>>> ` to an empty line, as code."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  (a method of the package)
        # Before the fences become placeholders.
        md.preprocessors.register(FencedSessions(md), "fenced_sessions", 28)


class FencedSessions(Preprocessor):
    """Puts sessions between fences."""

    def run(self, lines: list[str]) -> list[str]:
        result: list[str] = []
        session = False
        for line, is_code in lines_of("\n".join(lines)):
            if not session and not is_code and line.startswith(">>> "):
                session = True
                result += ["", "```pycon"]
            elif session and not line.strip():
                session = False
                result.append("```")
            result.append(line)
        return [*result, "```"] if session else result

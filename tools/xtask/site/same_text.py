"""Compares a page of the site with the page as CommonMark reads it, which GitHub follows.

Python-Markdown differs: in lists, in headings without a blank after `#`, in code of several lines. Such a place loses
its form without an error, so the text and the number of elements of both are compared.
"""

from __future__ import annotations

import collections
from html.parser import HTMLParser

from markdown_it import MarkdownIt

COUNTED = {"blockquote", "code", "em", "h1", "h2", "h3", "h4", "h5", "img", "li", "strong", "table", "td", "th", "tr"}
"""The elements that both have in the same number."""

_COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable("table")


def difference(markdown: str, html: str) -> str | None:
    """Returns a description of the first difference of a page in Markdown and in HTML; `None` if there is none."""
    # The site has a table of headings on every page instead.
    expected, actual = Text(_COMMONMARK.render(markdown.replace("\n[TOC]\n", "\n"))), Text(html)
    if expected.text != actual.text:
        pairs = enumerate(zip(expected.text, actual.text, strict=False))
        at = next((index for index, (one, other) in pairs if one != other), min(len(expected.text), len(actual.text)))
        wanted, found = (text.text[max(at - 20, 0) : at + 40] for text in (expected, actual))
        return f"'{wanted}' is '{found}'"
    for name in sorted(COUNTED):
        if expected.elements[name] != actual.elements[name]:
            return f"{expected.elements[name]} elements <{name}> are {actual.elements[name]}"
    return None


class Text(HTMLParser):
    """The text of a page without blanks, and the number of its elements, without the parts that the site adds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: collections.Counter[str] = collections.Counter()
        self._parts: list[str] = []
        # The element with the text that the site adds: the link of a heading, or the name of a file.
        self._added = ""
        self.feed(html)
        # The number of blanks is free, in code between backquotes as well.
        self.text = "".join("".join(self._parts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Counts an element."""
        if dict(attrs).get("class") in ("headerlink", "filename"):
            self._added = tag
        self.elements[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        """Ends a part that the site adds."""
        if tag == self._added:
            self._added = ""

    def handle_data(self, data: str) -> None:
        """Keeps a text."""
        if not self._added:
            self._parts.append(data)

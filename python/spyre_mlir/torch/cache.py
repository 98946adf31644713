"""A directory of bytes by key, bounded in size, for processes that read and write it at the same time.

An entry is one file with the key as its name. It is written to a temporary file and renamed, so a reader finds a whole entry or
none. The time of modification is the time of the last use: file systems do not keep times of access in general. Every write
checks the size of the directory, and removes entries from the least recently used one on. The cache holds no result that
cannot be computed again, so an error of the file system is logged and is a miss.

This module imports no framework.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from pathlib import Path

_LOG = logging.getLogger(__name__)

LIMIT = 1 << 30
"""The bytes of a directory without `$SPYRE_CACHE_BYTES`."""

_SUFFIX = ".spyre"


def content_key(*parts: bytes) -> str:
    """Returns a key for the parts in order. Parts are counted, so that no two lists of parts are one text."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


class Cache:
    """The entries of a directory, which is created by the first write."""

    def __init__(self, directory: Path, limit: int | None = None) -> None:
        """Takes the directory, and the largest number of bytes in it."""
        self.directory = directory
        self.limit = limit if limit is not None else _limit()

    def read(self, key: str) -> bytes | None:
        """Returns an entry, which is the most recently used one then; `None` where there is none."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _LOG.warning("cannot read %s: %s", path, error)
            return None
        with contextlib.suppress(OSError):
            # Another process may have removed it by now, or the directory may be read-only.
            os.utime(path)
        return content

    def write(self, key: str, content: bytes) -> None:
        """Writes an entry, and removes the least recently used ones above the limit."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
            self._shrink()
        except OSError as error:
            _LOG.warning("cannot write %s: %s", path, error)

    def _path(self, key: str) -> Path:
        """Returns the file of a key."""
        return self.directory / key[:2] / (key + _SUFFIX)

    def _shrink(self) -> None:
        """Removes the least recently used entries above the limit."""
        entries: list[tuple[float, int, Path]] = []
        for path in self.directory.glob(f"??/*{_SUFFIX}"):
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                return
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            total -= size


def _limit() -> int:
    """Returns the limit of the environment, in bytes. Raises ValueError where it is no number."""
    text = os.environ.get("SPYRE_CACHE_BYTES", "")
    if not text:
        return LIMIT
    if not text.isdigit():
        raise ValueError(f"SPYRE_CACHE_BYTES={text!r}: it is a number of bytes")
    return int(text)

"""Files that are whole or absent."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from .errors import ConvertError


def write_program(text: str, path: str) -> None:
    """Write a program to a file, or to standard output if the path is `-`.

    The file appears when all of it is on disk: a temporary file in its directory is renamed.  An existing file stays as it was
    when writing fails, which is a `ConvertError`.
    """
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    target = Path(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            temporary = file.name
            file.write(text)
        # NamedTemporaryFile allows only the owner to read; a program is a file as any other.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise ConvertError(f"{path}: cannot be written: {error.strerror or error}") from error

"""Pages in a browser without a window, for tests and for the screenshots of docs/images."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

# The names of `cargo xtask pages`.
_NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), None)

needs_browser = unittest.skipUnless(BROWSER, f"there is no browser: {', '.join(_NAMES)}")

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""A browser without a window that calls no servers of its own."""
LIMIT = 120
"""Seconds that a page may take."""

_RECORDING = (
    # A page that takes something from the network has an error, on every machine.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
)
# A message of a page or of one of its frames: `[...:INFO:CONSOLE:7] "text", source: file:///... (7)`.
_MESSAGE = re.compile(r"CONSOLE[:(]\d+\)?\] \"(.*?)\", source: ", re.DOTALL)
# The console that the browser prints has no parts that do not load.
_RECORDER = """<script>
addEventListener("error", (e) => {
  if (e.target !== window) console.error(`${e.target.src || e.target.href} does not load`);
}, true);
</script>"""


def messages(page: str, script: str) -> list[str]:
    """Opens a page of HTML, runs a script after it has loaded, and returns the messages of the console: of the script, and
    the errors of the page and of its frames."""
    assert BROWSER is not None, "a test without a browser is skipped"
    last = f"<script>addEventListener('load', () => {{ {script} }});</script>"
    page = page.replace("<head>", f"<head>{_RECORDER}", 1).replace("</body>", f"{last}</body>")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder, "page.html")
        file.write_text(page, encoding="utf-8")
        result = subprocess.run(
            [BROWSER, *OPTIONS, *_RECORDING, f"--user-data-dir={folder}/profile", "--dump-dom", file.as_uri()],
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
    return _MESSAGE.findall(result.stderr)

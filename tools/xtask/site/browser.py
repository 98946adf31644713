"""Opens every page of the site in a browser without a window, and searches in it.

    python browser.py SITE BROWSER

A page fails when a script or a file of it fails, when it has no heading, or when it takes a file from another host. The
first run is over HTTP, where one page loads the others in a frame. The second one opens the first page as a file, as a
reader without a server does.
"""

from __future__ import annotations

import http.server
import json
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

LIMIT = 300.0
"""The longest time in seconds that a run may take."""

QUERIES = {"stick": "", "coarse-tile": "", "spyre.batchmatmul": "Dialects/spyre", "capture": "Python"}
"""Words to search for, and a part of the address of a page that has to be among the results."""

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Keeps the browser open until it is ended.
    "--remote-debugging-port=0",
    # A page that takes something from the network fails.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

RECORDER = """<script>
window.faults = [];
addEventListener("error", (e) => faults.push(e.message || `${e.target.src || e.target.href} does not load`), true);
addEventListener("unhandledrejection", (e) => faults.push(`rejected: ${e.reason}`));
console.error = (...words) => faults.push(words.join(" "));
</script>"""
"""The first script of every page: it keeps the errors of the page."""

SEARCH = """
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
async function results(page, query) {
  const input = page.querySelector("[data-md-component=search-query]");
  input.focus();
  input.value = query;
  input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  input.dispatchEvent(new Event("input", { bubbles: true }));
  for (let time = 0; time < 20000; time += 100) {
    const links = [...page.querySelectorAll(".md-search-result__item a")].map((link) => link.href);
    // The results of the query before are marked with its words.
    if (links.length > 0 && links[0].includes("h=")) {
      input.value = "";
      input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
      await pause(300);
      return links;
    }
    await pause(100);
  }
  return [];
}
async function search(page, faults) {
  for (const [query, place] of Object.entries(QUERIES)) {
    const links = await results(page, query);
    if (!links.some((link) => link.includes(place)))
      faults.push(`the search for ${query} finds ${links.length} places, none of them in ${place || "a page"}`);
  }
}
"""

HARNESS = """<!DOCTYPE html><body><script>
const QUERIES = __QUERIES__, PAGES = __PAGES__;
__SEARCH__
async function load(path) {
  const frame = document.createElement("iframe");
  frame.width = 1200;
  frame.height = 800;
  frame.src = path;
  document.body.append(frame);
  await new Promise((resolve) => (frame.onload = resolve));
  return frame;
}
async function look(path) {
  const frame = await load("/" + path), page = frame.contentDocument, inner = frame.contentWindow;
  // Scripts of the page run after it has loaded.
  await pause(50);
  const faults = inner.faults ?? ["it is no page"];
  if (!page.querySelector("article h1")) faults.push("it has no heading");
  for (const image of page.images) if (image.naturalWidth === 0) faults.push(`${image.src} is no picture`);
  for (const entry of inner.performance.getEntriesByType("resource"))
    if (new URL(entry.name).origin !== location.origin) faults.push(`${entry.name} is on another host`);
  if (path === "index.html") {
    await search(page, faults);
    const color = () => inner.getComputedStyle(page.body).backgroundColor, light = color();
    page.querySelector("[data-md-color-scheme=slate][name=__palette]").click();
    await pause(500);
    if (color() === light) faults.push(`the dark palette has the light ground ${light}`);
  }
  frame.remove();
  return faults.map((fault) => `${path}: ${fault}`);
}
async function check() {
  const wrong = [], left = [...PAGES];
  const some = async () => {
    while (left.length > 0) wrong.push(...(await look(left.shift())));
  };
  await Promise.all([some(), some(), some(), some()]);
  return wrong;
}
check()
  .catch((error) => [String(error)])
  .then((wrong) => fetch("/result", { method: "POST", body: JSON.stringify(wrong) }));
</script></body>"""

ALONE = """<script>
const QUERIES = __QUERIES__;
__SEARCH__
addEventListener("load", async () => {
  await search(document, faults);
  fetch("__SERVER__/result", { method: "POST", mode: "no-cors", body: JSON.stringify(faults) });
});
</script>"""


def main(site: Path, browser: str) -> int:
    """Checks the site, prints the faults, and returns the exit code."""
    pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")
    answers: queue.Queue[list[str]] = queue.Queue()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *words: Handler(*words, site, pages, answers))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        wrong = visit(browser, f"{address}/check", answers)
        with alone(site, address) as page:
            wrong += [f"as a file: {fault}" for fault in visit(browser, Path(page.name).as_uri(), answers)]
    except queue.Empty:
        wrong = [f"the browser does not answer within {LIMIT:.0f} s"]
    finally:
        server.shutdown()
    for fault in wrong:
        print(f"site: {fault}")
    print(f"site: {len(pages)} pages in a browser, {len(wrong)} faults")
    return 1 if wrong else 0


def visit(browser: str, address: str, answers: queue.Queue[list[str]]) -> list[str]:
    """Opens an address, and returns the faults that its script reports.

    Raises `queue.Empty` if there is no report in time.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *OPTIONS, f"--user-data-dir={profile}", address]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return answers.get(timeout=LIMIT)
        finally:
            process.terminate()
            process.wait()


def alone(site: Path, address: str) -> tempfile._TemporaryFileWrapper[str]:
    """Returns a copy of the first page, next to it, with the script of the search. It is removed when it is closed."""
    text = (site / "index.html").read_text()
    script = filled(ALONE).replace("__SERVER__", address)
    file = tempfile.NamedTemporaryFile("w", dir=site, suffix=".html")
    file.write(text.replace("<head>", f"<head>{RECORDER}", 1).replace("</body>", f"{script}</body>"))
    file.flush()
    return file


def filled(script: str) -> str:
    """Returns a script with the functions of the search and its queries."""
    return script.replace("__SEARCH__", SEARCH).replace("__QUERIES__", json.dumps(QUERIES))


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site, each page with the recorder, and the page of the check, and takes its report."""

    def __init__(self, *words: object, **keywords: object) -> None:
        *words, site, self.pages, self.answers = words
        self.site = site
        super().__init__(*words, directory=str(site), **keywords)

    def do_GET(self) -> None:  # noqa: N802  (a method of the class)
        path = self.path.partition("?")[0]
        page = self.site / path.lstrip("/")
        if path == "/check":
            self._send(filled(HARNESS).replace("__PAGES__", json.dumps(self.pages)))
        elif path.endswith(".html") and page.is_file():
            self._send(page.read_text().replace("<head>", f"<head>{RECORDER}", 1))
        else:
            super().do_GET()

    def do_POST(self) -> None:  # noqa: N802  (a method of the class)
        length = int(self.headers["Content-Length"])
        self.answers.put(json.loads(self.rfile.read(length)))
        self._send("")

    def log_message(self, *words: object) -> None:
        """Prints nothing: requests are not the result."""

    def _send(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))

//! `cargo xtask pages`: checks the pages of plans in a headless browser.
//!
//! A script that is added to a copy of each page measures the layout of the browser: charts have a size, no shape
//! is outside of its chart, and values of a scratchpad overlap only where one is written over another, for one
//! step.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::setup;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The programs of the pages.
const PAGES: [&str; 3] = [
    "examples/plans/transformer_block.mlir",
    "examples/plans/residuals_hints.mlir",
    "test/Tools/spyre-translate-plan/loops.mlir",
];
/// The names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// The longest time that the browser may take for a page.
const LIMIT: Duration = Duration::from_secs(60);
/// The text that the script writes when all checks pass.
const RIGHT: &str = "right<";

const SCRIPT: &str = r#"<script>
const wrong = [];
// The page has been read and laid out by now.
document.body.getBoundingClientRect();
const opened = performance.now();
if (opened > 2000) wrong.push('the page takes ' + opened + ' ms to open');
// What is shown on a click is measured as well.
for (const details of document.querySelectorAll('details')) {
  details.open = true;
  if (!details.querySelector('summary') || details.children.length < 2) wrong.push('a part that opens is empty');
}
if (document.querySelectorAll('details.level').length < 1) wrong.push('there is no level');
const trace = document.querySelector('p.trace a[download]');
try {
  const events = JSON.parse(decodeURIComponent(trace.href.slice(trace.href.indexOf(',') + 1)));
  if (!events.some((event) => event.ph === 'X')) wrong.push('the timeline has no executions');
} catch (error) {
  wrong.push('the timeline cannot be read: ' + error);
}
for (const link of document.querySelectorAll('svg a')) {
  if (!document.getElementById(link.getAttribute('href').slice(1))) wrong.push('a link of a graph leads nowhere');
}
for (const drawing of document.querySelectorAll('div.chart > svg[class]')) {
  if (!drawing.getAttribute('aria-label')) wrong.push('a drawing has no name');
}
for (const image of document.querySelectorAll('img')) {
  if (!image.alt) wrong.push('an image has no text');
}
const box = (element) => element.getBoundingClientRect();
for (const chart of document.querySelectorAll('svg')) {
  const outer = box(chart);
  if (outer.width < 1 || outer.height < 1) wrong.push('a chart has no size');
  for (const shape of chart.querySelectorAll('rect, path, line')) {
    const inner = box(shape);
    if (inner.left < outer.left - 2 || inner.right > outer.right + 2 || inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2)
      wrong.push('a shape is outside of its chart: ' + shape.outerHTML);
  }
}
const pads = [...document.querySelectorAll('svg.scratchpad')];
if (pads.length === 0) wrong.push('there is no scratchpad');
for (const pad of pads) {
  const values = [...pad.querySelectorAll('.value')].map(box);
  if (values.length === 0) wrong.push('a scratchpad has no values');
  const steps = [...document.querySelectorAll('svg.loops .bar')].map(box);
  const step = steps.length > 1 ? steps[1].left - steps[0].left : 26;
  let over = 0;
  values.forEach((a, i) => values.slice(i + 1).forEach((b) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 1.5) {
      over += 1;
      if (wide > step + 1) wrong.push('two values overlap in ' + wide + ' pixels, and a step has ' + step);
    }
  }));
  const edges = pad.querySelectorAll('.in-place').length;
  if ((over > 0) !== (edges > 0)) wrong.push(over + ' values overlap, and ' + edges + ' are written over others');
}
if (document.querySelectorAll('table.operations tr').length < 2) wrong.push('there are no operations');
const told = document.createElement('pre');
told.textContent = 'meas' + 'ured: ' + (wrong.length ? wrong.join('; ') : 'right');
document.body.append(told);
</script>
"#;

/// Writes the pages and checks them. Without a browser, and where `install` is not set or fails, it prints that it
/// skips them.
///
/// # Errors
/// When a page cannot be written, or has an error.
pub(crate) fn pages(project: &Project, install: bool) -> Result<(), Error> {
    let Some(browser) = browser(install) else {
        println!("pages: skipped, there is no {}", BROWSERS.join(", "));
        return Ok(());
    };
    let directory = project.target.join("pages");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    for (number, program) in PAGES.iter().enumerate() {
        let page = directory.join(format!("{number}.html"));
        let mut translate = project.tool(Profile::Debug, "spyre-translate");
        translate.arg("--emit-plan-html").arg(program);
        process::output(translate.arg("-o").arg(&page))?;
        let text = fs::read_to_string(&page).map_err(Error::io(&page))?;
        let measured = directory.join(format!("{number}.measured.html"));
        let script = text.replace("</body>", &format!("{SCRIPT}</body>"));
        fs::write(&measured, script).map_err(Error::io(&measured))?;
        let shown = look(&browser, &directory, &measured)?;
        // The script, which is shown as well, has this word in two parts.
        match shown.split_once("measured: ") {
            Some((_, told)) if told.starts_with(RIGHT) => println!("pages: {program}: right"),
            Some((_, wrong)) => {
                let wrong = wrong.lines().next().unwrap_or_default();
                return Err(Error::Verdict(format!("the page of {program}: {wrong}")));
            }
            None => {
                let message = format!("the browser does not show the page of {program}: {shown}");
                return Err(Error::Verdict(message));
            }
        }
    }
    Ok(())
}

/// Returns the browser; installs it first if that is requested and possible.
pub(crate) fn browser(install: bool) -> Option<PathBuf> {
    let browser = || {
        let path = std::env::var_os("PATH")?;
        let mut files = std::env::split_paths(&path)
            .flat_map(|directory| BROWSERS.map(|name| directory.join(name)));
        files.find(|file| file.is_file())
    };
    browser().or_else(|| {
        if install && setup::install_package("chromium").is_err() {
            println!("pages: the package chromium cannot be installed");
        }
        browser()
    })
}

/// Opens a page in the browser, and returns its elements after its scripts ran.
fn look(browser: &Path, directory: &Path, page: &Path) -> Result<String, Error> {
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--dump-dom",
    ]);
    let profile = directory.join("browser");
    command.arg(format!("--user-data-dir={}", profile.display()));
    command.arg(format!("file://{}", page.display()));
    let shown = process::limited(&mut command, None, LIMIT)?;
    if !shown.success() {
        let message = format!("the browser fails: {}", shown.stderr());
        return Err(Error::Verdict(message));
    }
    Ok(String::from_utf8_lossy(&shown.stdout).into_owned())
}

//! `cargo xtask demo`: one program through every level.

use std::fs;
use std::path::{Path, PathBuf};

use crate::python;
use crate::setup;
use crate::shorten::shorten;
use spyre_checkout::error::Error;
use spyre_checkout::plan::{self, Plan};
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

const PROGRAM: &str = "examples/add_mul.mlir";

/// The tools that the demo runs: it builds no others.
pub(crate) const TOOLS: [&str; 3] = ["spyre-opt", "spyre-translate", "spyre-run"];

/// The features of its build: the check against schemas, which the demo does not run, needs forty more crates.
pub(crate) const FEATURES: &str = "--no-default-features";

/// The extents of the program, and larger ones, of which an untiled intermediate does not fit in the scratchpads.
const EXTENTS: [&str; 2] = ["1024x4096", "8192x8192"];

/// Builds the tools, prints the example program at each level, runs its bundle on the simulated card, and compares
/// plans with and without tiles.
///
/// # Errors
/// When set-up, the build or one of the tools fails.
pub(crate) fn demo(project: &Project) -> Result<(), Error> {
    setup::setup(project)?;
    let packages = TOOLS.iter().flat_map(|tool| ["--package", tool]);
    process::run(project.cargo().args(["build", FEATURES]).args(packages))?;
    let directory = directory(project)?;

    heading("The program", PROGRAM);
    print!("{}", read(&project.root.join(PROGRAM))?);
    level(
        project,
        "Tiled: loops over windows, intermediates used inside only",
        &["--coarse-tile"],
    )?;
    level(
        project,
        "Planned: work split over the cores, a place for every value",
        &[
            "--coarse-tile",
            "--spyre-work-division",
            "--spyre-scratchpad-planning",
        ],
    )?;
    let bundle = bundle(project, &directory)?;
    same_results(project, &directory, &bundle)?;
    let page = page(project, &directory)?;
    gain(project, &directory)?;
    println!("\nThe plan as a page, for a browser: {}", page.display());
    println!(
        "Next: docs/Tutorial.md, or your program: {} --coarse-tile FILE",
        project.bin_dir(Profile::Debug).join(TOOLS[0]).display()
    );
    Ok(())
}

/// Returns the directory of the files that the demo writes, empty.
fn directory(project: &Project) -> Result<PathBuf, Error> {
    python::empty_folder(project.target.join("demo"))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::io(path))
}

fn level(project: &Project, title: &str, passes: &[&str]) -> Result<(), Error> {
    let mut command = project.tool(Profile::Debug, "spyre-opt");
    command.arg(PROGRAM).args(passes);
    heading(title, &process::line(&command));
    print!("{}", shorten(&process::output(&mut command)?));
    Ok(())
}

/// Writes the bundle, and prints its function and its files.
fn bundle(project: &Project, directory: &Path) -> Result<PathBuf, Error> {
    let bundle = directory.join("add_mul");
    let mut translate = project.tool(Profile::Debug, "spyre-translate");
    translate
        .args(["--spyre-to-bundle", PROGRAM, "-o"])
        .arg(&bundle);
    heading(
        "The bundle for the backend compiler",
        &process::line(&translate),
    );
    print!("{}", process::output(&mut translate)?);
    let code = bundle.join("bundle.mlir");
    println!("--- {}", code.display());
    print!("{}", shorten(&read(&code)?));
    println!("--- files in {}", bundle.display());
    list(&bundle)?;
    Ok(bundle)
}

/// Compares the results of the program on the CPU with those of the tiled program, and of the bundle on the simulated
/// card.
fn same_results(project: &Project, directory: &Path, bundle: &Path) -> Result<(), Error> {
    let tiled = directory.join("tiled.mlir");
    let mut opt = project.tool(Profile::Debug, "spyre-opt");
    process::output(opt.args([PROGRAM, "--coarse-tile", "-o"]).arg(&tiled))?;
    let mut on_cpu = project.tool(Profile::Debug, "spyre-run");
    on_cpu.args([PROGRAM, "--random-seed", "1", "--compare"]);
    on_cpu.arg(&tiled);
    let mut on_card = project.tool(Profile::Debug, "spyre-run");
    on_card.args([PROGRAM, "--random-seed", "1", "--compare", PROGRAM]);
    on_card.arg("--bundle").arg(bundle);
    for (title, mut command) in [
        ("Tiled and untiled on the CPU", on_cpu),
        ("The bundle on the simulated card, and the CPU", on_card),
    ] {
        heading(title, &process::line(&command));
        // `spyre-run` fails when an element differs.
        print!("{}", process::output(&mut command)?);
    }
    Ok(())
}

/// Writes the page that shows the plan.
fn page(project: &Project, directory: &Path) -> Result<PathBuf, Error> {
    let page = directory.join("plan.html");
    let mut translate = project.tool(Profile::Debug, "spyre-translate");
    translate.args(["--emit-plan-html", PROGRAM, "-o"]);
    process::output(translate.arg(&page))?;
    Ok(page)
}

/// Prints the traffic and the modelled time of the program on larger tensors, untiled and tiled.
fn gain(project: &Project, directory: &Path) -> Result<(), Error> {
    let [small, large] = EXTENTS;
    let program = read(&project.root.join(PROGRAM))?.replace(small, large);
    let file = directory.join("large.mlir");
    fs::write(&file, &program).map_err(Error::io(&file))?;
    heading(
        &format!("What tiles gain on tensors of {large}"),
        &format!("{}, with and without its hints", file.display()),
    );
    let untiled = directory.join("large-untiled.mlir");
    fs::write(&untiled, without_hints(&program)).map_err(Error::io(&untiled))?;
    for (name, file) in [("untiled", &untiled), ("tiled", &file)] {
        let plan = plan::planned(project, file, &format!("demo-{name}"), "plan=false")?;
        println!("{name:>8}: {}", costs(&plan));
    }
    Ok(())
}

/// Returns a program without the tiles that its operations ask for.
fn without_hints(program: &str) -> String {
    let mut text = String::new();
    let mut rest = program;
    while let Some((before, hints)) = rest.split_once(" tile [") {
        text.push_str(before);
        rest = hints.split_once(']').map_or("", |(_, after)| after);
    }
    text + rest
}

/// Returns the bytes that a plan moves between device memory and the cores, each once, and its modelled time.
fn costs(plan: &Plan) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a few digits are printed")]
    let [bytes, picoseconds] = [plan.distinct, plan.picoseconds].map(|number| number as f64);
    format!(
        "{:.0} MiB to and from device memory, {:.0} us by the model of the card",
        bytes / f64::from(1 << 20),
        picoseconds / 1e6
    )
}

fn heading(title: &str, source: &str) {
    println!("\n=== {title} ===\n    {source}\n");
}

fn list(directory: &Path) -> Result<(), Error> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(Error::io(directory))? {
        let entry = entry.map_err(Error::io(directory))?;
        let size = entry.metadata().map_err(Error::io(&entry.path()))?.len();
        files.push((entry.file_name().to_string_lossy().into_owned(), size));
    }
    files.sort();
    for (name, size) in files {
        println!("{size:>10} bytes  {name}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_left_out() {
        let program =
            "%y = spyre.add %a, %b tile [0: \"A\" in 2, 1: \"B\" in 4] : !t\nreturn %y : !t\n";
        let untiled = "%y = spyre.add %a, %b : !t\nreturn %y : !t\n";
        assert_eq!(without_hints(program), untiled);
        assert_eq!(without_hints(untiled), untiled);
    }
}

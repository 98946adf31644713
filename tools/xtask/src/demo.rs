//! `cargo xtask demo`: one program through every level.

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::process;
use crate::project::{Profile, Project};
use crate::setup;
use crate::shorten::shorten;

const PROGRAM: &str = "examples/add_mul.mlir";

/// Builds the tools and prints the example program at each level.
///
/// # Errors
/// When set-up, the build or one of the tools fails.
pub(crate) fn demo(project: &Project) -> Result<(), Error> {
    setup::setup(project)?;
    process::run(project.cargo().arg("build"))?;

    heading("The program", PROGRAM);
    let program = project.root.join(PROGRAM);
    print!(
        "{}",
        fs::read_to_string(&program).map_err(Error::io(&program))?
    );

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

    let bundle = project.target.join("demo/add_mul");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).map_err(Error::io(&bundle))?;
    }
    if let Some(parent) = bundle.parent() {
        fs::create_dir_all(parent).map_err(Error::io(parent))?;
    }
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
    print!(
        "{}",
        shorten(&fs::read_to_string(&code).map_err(Error::io(&code))?)
    );
    println!("--- files in {}", bundle.display());
    list(&bundle)
}

fn level(project: &Project, title: &str, passes: &[&str]) -> Result<(), Error> {
    let mut command = project.tool(Profile::Debug, "spyre-opt");
    command.arg(PROGRAM).args(passes);
    heading(title, &process::line(&command));
    print!("{}", shorten(&process::output(&mut command)?));
    Ok(())
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

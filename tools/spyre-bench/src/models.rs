//! `cargo xtask models`: compiles and runs the models of `examples/models`, and writes the table of docs/Testing.md.
//!
//! Each program becomes a bundle. The bundle's files are checked and then run on the simulated card, on random inputs.
//! The results are compared with the results of the program without tiles, compiled for the CPU. A row of the table has
//! the costs of the program, and whether both agree.

mod row;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use row::{Check, Row, Traffic};
use spyre_checkout::table::between;

/// The directory of the programs.
const DIRECTORY: &str = "examples/models";
/// The page with the table.
const PAGE: &str = "docs/Testing.md";
/// The line before the table, and the line after it.
const MARKS: [&str; 2] = [
    "<!-- The table is written by `cargo xtask models --write`. -->",
    "<!-- The end of the table of models. -->",
];
/// The suffix of a program in tiles. The same program without tiles has no suffix.
const TILED: &str = "_tiled";
/// The most that compiling, or running and comparing, may take.
const LIMIT: Duration = Duration::from_secs(600);

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// Whether the table goes into the page, instead of standard output only.
    pub write: bool,
    /// Whether the tools come from `cargo build`, instead of the release build.
    pub debug: bool,
    /// The programs, without `.mlir`; empty for all.
    pub names: Vec<String>,
}

/// Builds the tools, compiles and runs the programs, and prints the table.
///
/// # Errors
/// When the build fails, a program is not there, or a program is refused, has a fault, or has other results on the
/// card.
pub(crate) fn models(project: &Project, options: &Options) -> Result<(), Error> {
    let available = programs(&project.root.join(DIRECTORY))?;
    let names = chosen(&available, &options.names)?;
    if options.write && names.len() != available.len() {
        return Err(Error::Usage(
            "--write writes the whole table: it takes no names".into(),
        ));
    }
    let profile = if options.debug {
        Profile::Debug
    } else {
        Profile::Release
    };
    let mut build = project.cargo();
    build.args(["build", "--package", "spyre-translate"]);
    build.args(["--package", "spyre-run"]);
    if profile == Profile::Release {
        build.arg("--release");
    }
    process::run(&mut build)?;

    let mut rows = Vec::with_capacity(names.len());
    for name in names {
        let row = measure(project, profile, &name)?;
        eprintln!("{}: {}", row.name, row.check);
        rows.push(row);
    }
    let table = row::table(profile, &rows);
    print!("{table}");
    if options.write {
        let page = project.root.join(PAGE);
        let text = fs::read_to_string(&page).map_err(Error::io(&page))?;
        let text = between(&text, MARKS, &table).ok_or_else(|| {
            let [first, last] = MARKS;
            Error::Verdict(format!("{PAGE} lacks the line `{first}` or `{last}`"))
        })?;
        fs::write(&page, text).map_err(Error::io(&page))?;
    }
    let wrong = rows.iter().filter(|row| row.check != Check::Same).count();
    if wrong == 0 {
        Ok(())
    } else {
        Err(Error::Verdict(format!(
            "{wrong} of {} programs are refused or wrong",
            rows.len()
        )))
    }
}

/// Returns the programs of a directory, in order. A program in tiles comes right after the one without.
fn programs(directory: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(Error::io(directory))? {
        let name = entry.map_err(Error::io(directory))?.file_name();
        names.extend(
            name.to_str()
                .and_then(|name| name.strip_suffix(".mlir"))
                .map(str::to_owned),
        );
    }
    names.sort();
    Ok(names)
}

/// Returns the names on the command line, or all names.
fn chosen(available: &[String], names: &[String]) -> Result<Vec<String>, Error> {
    if names.is_empty() {
        return Ok(available.to_vec());
    }
    match names.iter().find(|name| !available.contains(name)) {
        Some(name) => Err(Error::Usage(format!(
            "no {DIRECTORY}/{name}.mlir; there are {}",
            available.join(", ")
        ))),
        None => Ok(names.to_vec()),
    }
}

/// Compiles and runs one program.
fn measure(project: &Project, profile: Profile, name: &str) -> Result<Row, Error> {
    let program = PathBuf::from(DIRECTORY).join(format!("{name}.mlir"));
    let plain = name.strip_suffix(TILED).unwrap_or(name);
    let reference = PathBuf::from(DIRECTORY).join(format!("{plain}.mlir"));
    let bundle = project.target.join("models").join(name);
    if let Some(parent) = bundle.parent() {
        fs::create_dir_all(parent).map_err(Error::io(parent))?;
    }
    let mut row = Row {
        name: name.to_owned(),
        compile: None,
        traffic: None,
        check: Check::Same,
    };

    let mut translate = project.tool(profile, "spyre-translate");
    translate.args(["--spyre-to-bundle", "--verify-written"]);
    translate.arg(&program).arg("-o").arg(&bundle);
    let start = Instant::now();
    let compiled = process::limited(&mut translate, None, LIMIT)?;
    let time = start.elapsed();
    if !compiled.success() {
        row.check = Check::Refused(row::first_error(&compiled.stderr()));
        return Ok(row);
    }
    row.compile = Some(time);

    let mut run = project.tool(profile, "spyre-run");
    run.arg(&program).arg("--bundle").arg(&bundle);
    run.arg("--compare").arg(&reference);
    run.args([
        "--random-seed",
        "1",
        "--largest",
        "0.25",
        "--poison",
        "--stats",
    ]);
    let source = project.root.join(&program);
    let text = fs::read_to_string(&source).map_err(Error::io(&source))?;
    run.args(["--max-ulps", row::tolerance(&text)]);
    let ran = process::limited(&mut run, None, LIMIT)?;
    row.traffic = Traffic::parse(&ran.stderr());
    if !ran.success() {
        let report = String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr();
        row.check = Check::Differs(row::first_difference(&report));
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn names_are_known_or_refused() {
        let available = ["a".to_owned(), "a_tiled".to_owned()];
        assert_eq!(chosen(&available, &[]).unwrap(), available);
        assert_eq!(chosen(&available, &available[1..]).unwrap(), ["a_tiled"]);
        let error = chosen(&available, &["b".to_owned()])
            .unwrap_err()
            .to_string();
        assert!(error.contains("there are a, a_tiled"), "{error}");
    }
}

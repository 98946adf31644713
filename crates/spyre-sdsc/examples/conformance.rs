//! Runs every case folder below a directory and prints a table.
//!
//! `cargo run -p spyre-sdsc --example conformance -- DIRECTORY [NAME_PART]`; fails if any case does.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use spyre_sdsc::conformance::{Outcome, run_case};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let directory = PathBuf::from(
        args.next()
            .ok_or("usage: conformance DIRECTORY [NAME_PART]")?,
    );
    let part = args.next().unwrap_or_default();
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(&directory)? {
        let path = entry?.path();
        if path.join("case.json").is_file() && path.to_string_lossy().contains(&part) {
            folders.push(path);
        }
    }
    folders.sort();

    let (mut matched, mut failed) = (0, 0);
    let mut excepted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut excluded: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in &folders {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match run_case(folder)? {
            Outcome::Matched => matched += 1,
            Outcome::MatchedExcept { exception } => {
                matched += 1;
                excepted.entry(exception).or_default().push(name);
            }
            Outcome::Excluded { reason } => excluded.entry(reason).or_default().push(name),
            Outcome::Mismatch { difference } => {
                failed += 1;
                println!("FAILED {name}: {difference}");
            }
        }
    }
    let excluded_count: usize = excluded.values().map(Vec::len).sum();
    println!("{:>5} cases", folders.len());
    println!("{matched:>5} matched");
    list(&excepted, "but for ");
    println!("{excluded_count:>5} excluded");
    list(&excluded, "");
    println!("{failed:>5} failed");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints the names of cases by their messages.
fn list(cases: &BTreeMap<String, Vec<String>>, heading: &str) {
    for (what, names) in cases {
        println!("      {:>5} {heading}{what}", names.len());
        for name in names {
            println!("            {name}");
        }
    }
}

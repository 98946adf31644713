//! Writes the bundle of a tree, without MLIR.
//!
//! `cargo run -p spyre-sdsc --example compile -- TREE.json DIRECTORY`, or with a kernel in Python source,
//! `KERNEL.py DIRECTORY [NAME]`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use spyre_sdsc::compile_bundle;
use spyre_sdsc::source::{json, python};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let usage = "usage: compile TREE.json|KERNEL.py DIRECTORY [NAME]";
    let mut args = std::env::args().skip(1);
    let input = PathBuf::from(args.next().ok_or(usage)?);
    let directory = PathBuf::from(args.next().ok_or(usage)?);
    let kernel = args.next();
    let text = fs::read_to_string(&input)?;
    let source = if input.extension().is_some_and(|extension| extension == "py") {
        python::read(&text, kernel.as_deref())
            .map_err(|err| format!("{}:{}: {err}", err.position.line, err.position.column))?
    } else {
        json::read(&text)?
    };
    let bundle = compile_bundle(&source.nodes, &source.options.bundle_options(&source.nodes))?;
    fs::create_dir_all(&directory)?;
    bundle.write_to_dir(&directory)?;
    Ok(())
}

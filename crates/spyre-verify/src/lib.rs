//! Checks the files of a bundle, on disk or in memory.
//!
//! The crate reads the format (SDSC bundle specification) a second time, and shares nothing with the crate that writes it. Every
//! rule has a number; `docs/VerifyBundle.md` lists them.
//!
//! [`verify`] returns its findings as data. `text` checks the text of `bundle.mlir`, `function` its IR, `sdsc` each JSON
//! file, and `binding` both together. Each reports all faults that it finds and goes on. Time is linear in the files.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
mod binding;
mod files;
mod fill;
mod function;
mod geometry;
mod json;
mod reader;
mod report;
mod rules;
mod sdsc;
mod text;

#[cfg(test)]
mod damage;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source;
use spyre_plan::Target;

pub use files::{Directory, Files, InMemory, Unreadable};
pub use report::{Finding, Report, Size};
pub use rules::{Rule, Severity};
pub use sdsc::op_funcs;

use binding::Checker;
use files::Listing;
use fill::Fill;
use function::Program;
use reader::Reader;
use report::{Lines, Problem};
use rules::{DIRECTORY, FILE, FOREIGN, JSON, MLIR, NUMBERING, STRAY};
use sdsc::Sdsc;

/// Checks the files of a bundle. The context needs the dialects of `bundle.mlir`.
#[must_use]
pub fn verify(context: &Context, files: &dyn Files) -> Report {
    let mut findings = Findings::default();
    let size = check(context, files, &mut findings);
    Report {
        findings: findings.found,
        size,
    }
}

/// The collector of findings, in order.
#[derive(Debug, Default)]
struct Findings {
    found: Vec<Finding>,
    /// The path and the lines of `bundle.mlir`.
    mlir: Option<(String, Lines)>,
}

impl Findings {
    /// Reports a broken rule at an operation of `bundle.mlir`.
    fn at(&mut self, rule: Rule, op: Op<'_>, message: impl Into<String>) {
        let found = match (&self.mlir, diagnostic::line_and_column(op.location())) {
            (Some((path, lines)), Some(at)) => Finding {
                excerpt: lines.excerpt(at),
                ..Finding::in_text(rule, path, at, message)
            },
            _ => Finding::of_file(rule, &diagnostic::place(op.location()), message),
        };
        self.found.push(found);
    }

    /// Reports a broken rule of the directory.
    fn path(&mut self, rule: Rule, path: &Path, message: impl Into<String>) {
        let path = path.display().to_string();
        self.found.push(Finding::of_file(rule, &path, message));
    }

    /// Reports problems of a text.
    fn text(
        &mut self,
        path: &Path,
        text: &str,
        root: Option<&json::Json<'_>>,
        problems: &[Problem],
    ) {
        if !problems.is_empty() {
            let path = path.display().to_string();
            self.found
                .extend(report::located(&path, text, root, problems));
        }
    }
}

fn check(context: &Context, files: &dyn Files, findings: &mut Findings) -> Size {
    let root = files.root();
    let listing = match files.names() {
        Ok(names) => Listing::of(names),
        Err(why) => {
            findings.path(DIRECTORY, root, format!("cannot be read: {why}"));
            return Size::default();
        }
    };
    for name in &listing.foreign {
        let message = format!("'{}' is no part of a bundle", name.escape_default());
        findings.path(FOREIGN, root, message);
    }
    let file = root.join(files::MLIR_FILE);
    let text = match files.text(files::MLIR_FILE) {
        Ok(text) => text,
        Err(why) => {
            findings.path(DIRECTORY, &file, why.to_string());
            return alone(files, &listing, findings);
        }
    };
    if let Some(problem) = text::too_deep(&text) {
        findings.text(&file, &text, None, &[problem]);
        return alone(files, &listing, findings);
    }
    let name = file.display().to_string();
    findings.mlir = Some((name.clone(), Lines::of(&text)));
    let (checked, said) = source::with_source_text(context, &name, &text, |module| {
        bundle(module, files, &text, &listing, findings)
    });
    checked.unwrap_or_else(|| {
        let message = "is not a bundle, for the reason above";
        findings.found.push(Finding {
            parser: Some(said),
            ..Finding::of_file(MLIR, &name, message)
        });
        alone(files, &listing, findings)
    })
}

/// Checks the files that look like files of a bundle, each for itself.
fn alone(files: &dyn Files, listing: &Listing, findings: &mut Findings) -> Size {
    for (name, number) in &listing.files {
        if let Some(number) = number {
            let path = files.root().join(name);
            match files.text(name) {
                Ok(text) => {
                    sdsc_file(&path, &text, *number, findings);
                }
                Err(why) => findings.path(FILE, &path, why.to_string()),
            }
        }
    }
    Size::default()
}

/// Checks a JSON file and returns the parts that the other checks need.
fn sdsc_file(path: &Path, text: &str, number: u64, findings: &mut Findings) -> Option<Sdsc> {
    let root = match json::parse(text) {
        Ok(root) => root,
        Err(why) => {
            let problem = Problem {
                rule: JSON,
                offset: why.offset,
                message: why.to_string(),
            };
            findings.text(path, text, None, &[problem]);
            return None;
        }
    };
    let mut reader = Reader::default();
    let sdsc = sdsc::read(&mut reader, &root, number, &Target::default());
    findings.text(path, text, Some(&root), &reader.problems);
    sdsc
}

/// Checks a bundle whose `bundle.mlir` can be read.
fn bundle<'p>(
    module: Op<'p>,
    directory: &dyn Files,
    text: &str,
    listing: &Listing,
    findings: &mut Findings,
) -> Size {
    let program = function::read(module, findings);
    let file = directory.root().join(files::MLIR_FILE);
    findings.text(&file, text, None, &text::check_maps(text));
    let names = text::params(text).unwrap_or_default();
    let files = executed(&program, directory, &text::known(&names), findings);
    let is_r2 = files.values().flatten().all(|sdsc| sdsc.is_r2);
    findings.text(&file, text, None, &text::check_params(&names, is_r2));
    let known: HashSet<&str> = program
        .executes
        .iter()
        .map(|execute| execute.file.as_str())
        .collect();
    for (name, _) in listing
        .files
        .iter()
        .filter(|(name, _)| !known.contains(name.as_str()))
    {
        findings.path(STRAY, &directory.root().join(name), "is not executed");
    }
    Size {
        files: files.len(),
        operations: program.executes.len(),
        loops: program.loops.len(),
        params: program.params.len(),
    }
}

/// Checks each execution with its file. A file is read once.
fn executed<'p>(
    program: &Program<'p>,
    directory: &dyn Files,
    names: &[Option<text::Param<'_>>],
    findings: &mut Findings,
) -> HashMap<String, Option<Sdsc>> {
    let mut read: HashMap<String, Option<Sdsc>> = HashMap::new();
    for execute in &program.executes {
        if read.contains_key(&execute.file) {
            continue;
        }
        let expected = read.len() as u64;
        let number = files::number(&execute.file);
        if number != Some(expected) {
            let message = format!(
                "'{}' must be 'sdsc_{expected}.json'",
                execute.file.escape_default()
            );
            findings.at(NUMBERING, execute.op, message);
        }
        let file = directory.root().join(&execute.file);
        let sdsc = match directory.text(&execute.file) {
            Ok(text) => sdsc_file(&file, &text, number.unwrap_or(expected), findings),
            Err(why) => {
                let message = format!("'{}' {why}", execute.file.escape_default());
                findings.at(FILE, execute.op, message);
                None
            }
        };
        read.insert(execute.file.clone(), sdsc);
    }
    let mut fill = Fill::default();
    for execute in &program.executes {
        if let Some(Some(sdsc)) = read.get(&execute.file) {
            fill.execute(execute, sdsc, findings);
        }
    }
    let mut checker = Checker::new(program, names, findings);
    let mut seen = HashSet::new();
    for execute in &program.executes {
        if let Some(Some(sdsc)) = read.get(&execute.file) {
            if seen.insert(&execute.file) {
                checker.numbers(execute, sdsc);
            }
            checker.execute(execute, sdsc);
        }
    }
    read
}

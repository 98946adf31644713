//! Checks the files of a bundle: `spyre-translate --verify-bundle DIR`.
//!
//! A second reading of the format (SDSC bundle specification), which shares nothing with the crate that writes it.
//! Every rule has a number; `docs/VerifyBundle.md` lists them.
//!
//! [`text`] looks at the text of `bundle.mlir`, [`function`] at its IR, [`sdsc`] at each JSON file, and [`binding`] at
//! both together. Each reports all it finds and goes on. Time is linear in the files.

mod address;
mod binding;
mod directory;
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
use spyre_mlir_rt::diagnostic::{Diagnostic, shortened};
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source;
use spyre_plan::Target;

use binding::Checker;
use directory::Listing;
use fill::Fill;
use function::Program;
use reader::Reader;
use report::{Count, Problem, render};
use rules::{DIRECTORY, FILE, FOREIGN, JSON, MLIR, NUMBERING, Rule, STRAY, Severity};
use sdsc::Sdsc;

/// Prints what is found, and counts it.
#[derive(Debug, Default)]
pub struct Findings {
    count: Count,
}

impl Findings {
    /// Reports a broken rule at an operation of `bundle.mlir`.
    fn at(&mut self, rule: Rule, op: Op<'_>, message: impl Into<String>) {
        self.count.add(rule);
        let message = format!("{} [{rule}]", message.into());
        match rule.severity {
            Severity::Error => Diagnostic::error(op.location(), message).emit(),
            Severity::Warning => Diagnostic::warning(op.location(), message).emit(),
        }
    }

    /// Reports a broken rule of the directory.
    fn path(&mut self, rule: Rule, path: &Path, message: impl Into<String>) {
        self.count.add(rule);
        let severity = report::name(rule.severity);
        eprintln!(
            "{}: {severity}: {} [{rule}]",
            path.display(),
            shortened(&message.into())
        );
    }

    /// Reports problems of a text.
    fn text(
        &mut self,
        path: &Path,
        text: &str,
        root: Option<&json::Json<'_>>,
        problems: &[Problem],
    ) {
        for problem in problems {
            self.count.add(problem.rule);
        }
        if !problems.is_empty() {
            eprint!(
                "{}",
                render(&path.display().to_string(), text, root, problems)
            );
        }
    }
}

/// What a bundle has, for the summary.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    files: usize,
    operations: usize,
    loops: usize,
    params: usize,
}

/// Checks a bundle and prints what is wrong, then a line with its size. Returns whether there is no error.
pub fn directory(context: &Context, path: &Path) -> bool {
    let mut findings = Findings::default();
    let size = check(context, path, &mut findings);
    if !passes(path, findings.count) {
        return false;
    }
    let what = [
        of(size.files, "file"),
        of(size.operations, "operation"),
        of(size.loops, "loop"),
        of(size.params, "parameter"),
        of(findings.count.warnings, "warning"),
    ];
    let summary = format!("{}: {}\n", path.display(), what.join(", "));
    match spyre_files::print(&summary) {
        Ok(()) => true,
        Err(why) => {
            eprintln!("error: standard output: {why}");
            false
        }
    }
}

/// Checks a bundle that this process has written, and prints what is wrong. Returns whether there is no error.
pub fn written(context: &Context, path: &Path) -> bool {
    let mut findings = Findings::default();
    check(context, path, &mut findings);
    passes(path, findings.count)
}

/// Whether there is no error; otherwise says how many there are.
fn passes(path: &Path, Count { errors, warnings }: Count) -> bool {
    if errors > 0 {
        let (errors, warnings) = (of(errors, "error"), of(warnings, "warning"));
        eprintln!("{}: {errors}, {warnings}", path.display());
    }
    errors == 0
}

/// A number of things.
fn of(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn check(context: &Context, path: &Path, findings: &mut Findings) -> Size {
    let listing = match Listing::read(path) {
        Ok(listing) => listing,
        Err(why) => {
            findings.path(DIRECTORY, path, format!("cannot be read: {why}"));
            return Size::default();
        }
    };
    for name in &listing.foreign {
        let message = format!("'{}' is no part of a bundle", name.escape_default());
        findings.path(FOREIGN, path, message);
    }
    let file = path.join(directory::MLIR_FILE);
    let text = match directory::text(&file) {
        Ok(text) => text,
        Err(why) => {
            findings.path(DIRECTORY, &file, why.to_string());
            return alone(path, &listing, findings);
        }
    };
    if let Some(problem) = text::too_deep(&text) {
        findings.text(&file, &text, None, &[problem]);
        return alone(path, &listing, findings);
    }
    let Some(name) = file.to_str() else {
        findings.path(MLIR, &file, "the path is not UTF-8");
        return alone(path, &listing, findings);
    };
    let checked = source::with_source_file(context, name, |module| {
        bundle(module, path, &text, &listing, findings)
    });
    checked.unwrap_or_else(|| {
        findings.path(MLIR, &file, "is not a bundle, for the reason above");
        alone(path, &listing, findings)
    })
}

/// Checks the files that look like files of a bundle, each for itself.
fn alone(path: &Path, listing: &Listing, findings: &mut Findings) -> Size {
    for (name, number) in &listing.files {
        if let Some(number) = number {
            match directory::text(&path.join(name)) {
                Ok(text) => {
                    sdsc_file(&path.join(name), &text, *number, findings);
                }
                Err(why) => findings.path(FILE, &path.join(name), why.to_string()),
            }
        }
    }
    Size::default()
}

/// Checks a JSON file and returns what the rest needs of it.
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
    path: &Path,
    text: &str,
    listing: &Listing,
    findings: &mut Findings,
) -> Size {
    let program = function::read(module, findings);
    let file = path.join(directory::MLIR_FILE);
    findings.text(&file, text, None, &text::check_maps(text));
    let names = text::params(text).unwrap_or_default();
    let files = executed(&program, path, &text::known(&names), findings);
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
        findings.path(STRAY, &path.join(name), "is not executed");
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
    path: &Path,
    names: &[Option<text::Param<'_>>],
    findings: &mut Findings,
) -> HashMap<String, Option<Sdsc>> {
    let mut files: HashMap<String, Option<Sdsc>> = HashMap::new();
    for execute in &program.executes {
        if files.contains_key(&execute.file) {
            continue;
        }
        let expected = files.len() as u64;
        let number = directory::number(&execute.file);
        if number != Some(expected) {
            let message = format!(
                "'{}' must be 'sdsc_{expected}.json'",
                execute.file.escape_default()
            );
            findings.at(NUMBERING, execute.op, message);
        }
        let file = path.join(&execute.file);
        let sdsc = match directory::text(&file) {
            Ok(text) => sdsc_file(&file, &text, number.unwrap_or(expected), findings),
            Err(why) => {
                let message = format!("'{}' {why}", execute.file.escape_default());
                findings.at(FILE, execute.op, message);
                None
            }
        };
        files.insert(execute.file.clone(), sdsc);
    }
    let mut fill = Fill::default();
    for execute in &program.executes {
        if let Some(Some(sdsc)) = files.get(&execute.file) {
            fill.execute(execute, sdsc, findings);
        }
    }
    let mut checker = Checker::new(program, names, findings);
    let mut seen = HashSet::new();
    for execute in &program.executes {
        if let Some(Some(sdsc)) = files.get(&execute.file) {
            if seen.insert(&execute.file) {
                checker.numbers(execute, sdsc);
            }
            checker.execute(execute, sdsc);
        }
    }
    files
}

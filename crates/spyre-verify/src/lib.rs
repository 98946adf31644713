//! Checks the files of a bundle, on disk or in memory.
//!
//! `spyre-bundle-files` reads the format (SDSC bundle specification) and shares no code with the crate that writes it.
//! This crate checks the parts that it has read. Every rule has a number; `docs/Contract.md` lists them.
//!
//! [`verify`] returns its findings as data. `dialect` checks whether `bundle.mlir` is a bundle at all, `function` evaluates its
//! addresses, `spelling` checks its names, `sdsc` each JSON file, and `binding` both together. Each reports all faults
//! that it finds and continues. Time is linear in the files.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
mod binding;
mod chain;
mod dialect;
mod fill;
mod function;
mod geometry;
mod listing;
mod options;
mod reader;
mod report;
mod rules;
mod schema;
mod sdsc;
mod serialized;
mod spelling;

#[cfg(test)]
mod damage;

use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

use spyre_bundle_files::{Files, MLIR_FILE, Module, Place, TextError, check_limits, json, parse};
use spyre_plan::Target;

pub use options::{OptionError, Options, Revision};
pub use report::{Finding, ParserMessage, Report, Size};
pub use rules::{Rule, Severity};
pub use schema::{Violation, Violations, schema_findings, verify_by_schema};
pub use sdsc::op_funcs;

use binding::Checker;
use chain::Chain;
use fill::Fill;
use function::Program;
use listing::Listing;
use reader::Reader;
use report::Lines;
use rules::{DIRECTORY, FILE, FOREIGN, JSON, MAPS, MLIR, NUMBERING, PARAM_NAMES, STRAY};
use sdsc::Sdsc;

/// Checks the files of a bundle against the published contract.
#[must_use]
pub fn verify(files: &dyn Files) -> Report {
    verify_with(files, &Options::default())
}

/// Checks the files of a bundle against the rules of a revision.
#[must_use]
pub fn verify_with(files: &dyn Files, options: &Options) -> Report {
    let mut findings = Findings {
        options: options.clone(),
        findings: Vec::new(),
        path: files.root().join(MLIR_FILE).display().to_string(),
        lines: Lines::default(),
    };
    let size = check(files, &mut findings);
    if !options.revision.is_contract() {
        for finding in &mut findings.findings {
            finding.rule = finding.rule.in_recordings();
        }
    }
    Report {
        findings: findings.findings,
        size,
    }
}

/// The collector of findings, in order.
#[derive(Debug)]
struct Findings {
    /// The options of the check.
    options: Options,
    findings: Vec<Finding>,
    /// The path and the lines of `bundle.mlir`.
    path: String,
    lines: Lines,
}

impl Findings {
    /// Reports a broken rule at an operation of `bundle.mlir`, with its line.
    fn at(&mut self, rule: Rule, place: Place, message: impl Into<String>) {
        self.findings.push(Finding {
            excerpt: self.lines.excerpt(place),
            ..Finding::in_text(rule, &self.path, place, message)
        });
    }

    /// Reports broken rules at names in `bundle.mlir`.
    fn names(&mut self, rule: Rule, faults: Vec<spelling::Fault>) {
        for (place, message) in faults {
            let finding = Finding::in_text(rule, &self.path, place, message);
            self.findings.push(finding);
        }
    }

    /// Reports a broken rule of a file, or of the directory.
    fn path(&mut self, rule: Rule, path: &Path, message: impl Into<String>) {
        let path = path.display().to_string();
        self.findings.push(Finding::of_file(rule, &path, message));
    }

    /// Returns whether the rules of the published contract hold.
    const fn is_contract(&self) -> bool {
        self.options.revision.is_contract()
    }

    /// Reports that `bundle.mlir` cannot be read as one, because it breaks a rule.
    fn unreadable(&mut self, rule: Rule, err: &TextError) {
        let parser = ParserMessage {
            at: err.place,
            message: err.message.clone(),
            excerpt: self.lines.excerpt(err.place),
        };
        let message = "is not a bundle, for the reason above";
        self.findings.push(Finding {
            parser: Some(parser),
            ..Finding::of_file(rule, &self.path, message)
        });
    }
}

fn check(files: &dyn Files, findings: &mut Findings) -> Size {
    let root = files.root();
    let listing = match files.names() {
        Ok(names) => Listing::from_names(names),
        Err(err) => {
            findings.path(DIRECTORY, root, format!("cannot be read: {err}"));
            return Size::default();
        }
    };
    for name in &listing.foreign {
        let message = format!("'{}' is no part of a bundle", name.escape_default());
        findings.path(FOREIGN, root, message);
    }
    let text = match files.text(MLIR_FILE) {
        Ok(text) => text,
        Err(err) => {
            findings.path(DIRECTORY, &root.join(MLIR_FILE), err.to_string());
            return alone(files, &listing, findings);
        }
    };
    if let Err(err) = check_limits(&text) {
        findings.names(MLIR, vec![(err.place, err.message)]);
        return alone(files, &listing, findings);
    }
    findings.lines = Lines::from_text(&text);
    let module = parse(&text)
        .map_err(|err| (dialect::rule_of(&err), err))
        .and_then(|module| {
            module.function.as_ref().map_or(Ok(()), dialect::check)?;
            Ok(module)
        });
    match module {
        Ok(module) => bundle(&module, files, &listing, findings),
        Err((rule, err)) => {
            findings.unreadable(rule, &err);
            alone(files, &listing, findings)
        }
    }
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
                Err(err) => findings.path(FILE, &path, err.to_string()),
            }
        }
    }
    Size::default()
}

/// Checks a JSON file and returns the parts that the other checks need.
fn sdsc_file(path: &Path, text: &str, number: u64, findings: &mut Findings) -> Option<Sdsc> {
    let path = path.display().to_string();
    let root = match json::parse(text) {
        Ok(root) => root,
        Err(err) => {
            let finding = Finding::in_text(JSON, &path, err.place, err.message);
            findings.findings.push(finding);
            return None;
        }
    };
    let mut reader = Reader::new(&findings.options);
    let sdsc = sdsc::read(&mut reader, &root, number, &Target::default());
    let located = report::located(&path, text, &root, &reader.problems);
    findings.findings.extend(located);
    sdsc
}

/// Checks a bundle with a readable `bundle.mlir`.
fn bundle(module: &Module, files: &dyn Files, listing: &Listing, findings: &mut Findings) -> Size {
    let program = function::read(module, findings);
    findings.names(MAPS, spelling::check_maps(&module.maps));
    let read = executed(&program, files, findings);
    if let Some(function) = &module.function {
        let is_r2 = read.values().flatten().all(|sdsc| sdsc.is_r2);
        findings.names(PARAM_NAMES, spelling::check_params(function, is_r2));
    }
    let strays = listing
        .files
        .iter()
        .filter(|(name, _)| !read.contains_key(name));
    for (name, _) in strays {
        findings.path(STRAY, &files.root().join(name), "is not executed");
    }
    Size {
        files: read.len(),
        operations: program.executes.len(),
        loops: program.loops.len(),
        params: program.params.len(),
    }
}

/// Checks each execution with its file. A file is read once.
fn executed(
    program: &Program<'_>,
    directory: &dyn Files,
    findings: &mut Findings,
) -> FxHashMap<String, Option<Sdsc>> {
    let mut read: FxHashMap<String, Option<Sdsc>> = FxHashMap::default();
    for execute in &program.executes {
        if read.contains_key(&execute.file) {
            continue;
        }
        let expected = read.len() as u64;
        let number = listing::number(&execute.file);
        if number != Some(expected) {
            let message = format!(
                "'{}' must be 'sdsc_{expected}.json'",
                execute.file.escape_default()
            );
            findings.at(NUMBERING, execute.place, message);
        }
        let file = directory.root().join(&execute.file);
        let sdsc = match directory.text(&execute.file) {
            Ok(text) => sdsc_file(&file, &text, number.unwrap_or(expected), findings),
            Err(err) => {
                let message = format!("'{}' {err}", execute.file.escape_default());
                findings.at(FILE, execute.place, message);
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
    if findings.is_contract() {
        let mut chain = Chain::default();
        for execute in &program.executes {
            if let Some(Some(sdsc)) = read.get(&execute.file) {
                chain.execute(execute, sdsc, findings);
            }
        }
    }
    let mut checker = Checker::new(program, findings);
    let mut seen = FxHashSet::default();
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

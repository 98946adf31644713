//! Checks bundles of programs by the rules of the contract.
//!
//! A [`Checker`] takes a program in any form that the tools read, compiles its bundles in every way, and checks each by
//! the rules of its target (`spyre-verify`). A function of device operations or of linalg becomes a bundle by
//! `--spyre-pipeline`, with and without `--spyre-plan`, and by the pipelines that `RUN` lines of its file name
//! ([`pipelines()`]). A program of linalg is split between host and device as well, with floats as they are and in 16
//! bits, and each function of the device is a bundle. A tree of OpSpecs is one bundle.
//!
//! A program that a pass refuses has no bundle, which is counted and is no finding. Findings that an exception of the
//! target allows are listed separately, as are known warnings.

mod known_warnings;
mod pipelines;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use spyre_bundle::import::{self, TreeOptions, TreeText};
use spyre_bundle::{Addresses, bundle_function};
use spyre_bundle_files::InMemory;
use spyre_exec::bundle::{Planned, rules};
use spyre_exec::card::{has_device_functions, parts};
use spyre_exec::{Program, sizes};
use spyre_front_ends::{FRONT_ENDS, inductor_dump};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_schema::Schema;
use spyre_verify::{Finding, Options, verify_with};

use crate::messages::Messages;

pub use pipelines::{Pipelines, pipelines};
pub use table::Table;

/// A program in a form that the tools read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Modules in MLIR, with `// -----` between them.
    Mlir(String),
    /// A tree of OpSpecs in neutral JSON.
    Tree(String),
    /// A kernel of OpSpecs in Python.
    PythonTree(String),
    /// A program in the JSON of a front end.
    Program(String),
    /// A dump of PyTorch Inductor's scheduler.
    InductorDump(String),
}

impl Source {
    /// Returns the program in a file, by the end of the file's name and the words in its text; `None` for a file with no program.
    #[must_use]
    pub fn of_file(extension: &str, text: String) -> Option<Self> {
        let has = |word: &str| text.contains(word);
        match extension {
            "mlir" => Some(Self::Mlir(text)),
            "py" if has("OpSpec(") => Some(Self::PythonTree(text)),
            "json" if FRONT_ENDS.iter().any(|it| has(it.format)) => Some(Self::Program(text)),
            "json" if has("\"op\"") && has("\"args\"") => Some(Self::Tree(text)),
            "txt" if has("ComputedBuffer") || has("SchedulerNode") => {
                Some(Self::InductorDump(text))
            }
            _ => None,
        }
    }
}

/// A finding in a bundle.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The finding.
    pub finding: Finding,
    /// The name of the exception of the target that allows it.
    pub exception: Option<&'static str>,
}

/// A bundle that was checked.
#[derive(Debug, Clone)]
pub struct CheckedBundle {
    /// The pipeline that built it, and its function.
    pub name: String,
    /// The number of files of operations.
    pub files: usize,
    /// The findings.
    pub findings: Vec<Checked>,
}

/// The outcome of a program.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The bundles.
    pub bundles: Vec<CheckedBundle>,
    /// The number of times that a pass refused it, or a part of it.
    pub refused: usize,
    /// Failures of the compiler: a panic, or files that cannot be written.
    pub failures: Vec<String>,
}

/// Compiles the bundles of programs and checks them.
#[derive(Debug, Default)]
pub struct Checker {
    /// The schema that files are checked against as well.
    pub schema: Option<Schema>,
}

impl Checker {
    /// Compiles the bundles of a program and checks them, without printing.
    #[must_use]
    pub fn check(&self, source: &Source) -> Outcome {
        let context = spyre_exec::context();
        // Importers build operations of dialects that no text of a module has loaded.
        context.load_all_available_dialects();
        let messages = Messages::new(&context);
        let mut run = Run {
            checker: self,
            context: &context,
            messages: &messages,
            outcome: Outcome::default(),
        };
        let done = catch_unwind(AssertUnwindSafe(|| run.source(source)));
        if let Err(panic) = done {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("without a text");
            run.outcome.failures.push(format!("panic: {text}"));
        }
        run.outcome
    }
}

/// The passes of a linalg program before `--spyre-pipeline`.
const IMPORT: &str = "spyre-import-linalg";

/// The compilation and the checks of one program.
struct Run<'r> {
    checker: &'r Checker,
    context: &'r Context,
    messages: &'r Messages,
    outcome: Outcome,
}

impl Run<'_> {
    fn source(&mut self, source: &Source) {
        let imported = match source {
            Source::Mlir(text) => {
                let pipelines = pipelines(text);
                for part in text.split("// -----") {
                    // A part that a test expects to be refused is no module.
                    match Module::parse(self.context, part) {
                        Some(module) => self.module(&module, &pipelines),
                        None => self.outcome.refused += 1,
                    }
                }
                return;
            }
            Source::Tree(text) => return self.tree(text, TreeText::Json),
            Source::PythonTree(text) => return self.tree(text, TreeText::Python(None)),
            Source::Program(text) => {
                spyre_front_ends::import(self.context, "program", text.as_bytes())
            }
            Source::InductorDump(text) => inductor_dump(self.context, "program", text.as_bytes()),
        };
        match imported {
            Ok(module) => self.module(&module, &Pipelines::default()),
            Err(_) => self.outcome.refused += 1,
        }
    }

    /// Compiles the bundle of a tree of OpSpecs.
    fn tree(&mut self, text: &str, form: TreeText<'_>) {
        let (options, addresses) = (TreeOptions::default(), Addresses::Symbolic);
        let bundle = import::read("tree", text.as_bytes(), form)
            .and_then(|source| import::bundle(self.context, "tree", &source, options, addresses));
        match bundle {
            Ok(bundle) => self.files("tree", &bundle, &Options::default()),
            Err(_) => self.outcome.refused += 1,
        }
    }

    /// Compiles the bundles of a module.
    fn module(&mut self, module: &Module<'_>, pipelines: &Pipelines) {
        let root = module.as_operation();
        for front_end in FRONT_ENDS {
            if front_end.has_program(root) && !self.passes(root, front_end.pass) {
                return;
            }
        }
        if bundle_function(root).is_some() {
            return self.bundle("bundle", root);
        }
        if has_device_functions(root) {
            return self.device(root, "of the device");
        }
        let is_linalg = root.to_string().contains("linalg.");
        for name in names(root) {
            let largest = sizes::largest(root);
            let program = Program::select_sized(self.context, root, Some(&name), &largest);
            match program {
                Ok(program) => self.function(&program, pipelines, is_linalg),
                Err(_) => self.outcome.refused += 1,
            }
        }
    }

    /// Compiles the bundles of a function.
    fn function(&mut self, program: &Program<'_>, pipelines: &Pipelines, is_linalg: bool) {
        let name = program.entry();
        for pipeline in pipelines.to_bundles(is_linalg.then_some(IMPORT)) {
            let Some(module) = self.after(program, &pipeline) else {
                continue;
            };
            // A pipeline that ends at a plan has no bundle, and neither has a program that depends on no input.
            if bundle_function(module.as_operation()).is_some() {
                self.bundle(&format!("@{name} by {pipeline}"), module.as_operation());
            }
        }
        if !is_linalg && !pipelines.splits {
            return;
        }
        for options in pipelines.to_parts() {
            let pipeline = format!("{IMPORT}{{{options}}}");
            if let Some(module) = self.after(program, &pipeline) {
                self.device(module.as_operation(), &format!("of @{name} by {pipeline}"));
            }
        }
    }

    /// Returns a copy of a program on which a pipeline has run; `None` if the pipeline refuses it.
    fn after<'c>(&mut self, program: &Program<'c>, pipeline: &str) -> Option<Module<'c>> {
        let copy = Module::from_operation((*program.general_module()).clone());
        let copy = copy.expect("a copy of a module is one");
        self.passes(copy.as_operation(), pipeline).then_some(copy)
    }

    /// Runs passes on a module. Returns whether none refuses it.
    fn passes(&mut self, module: Op<'_>, passes: &str) -> bool {
        let pipeline = format!("builtin.module({passes})");
        let is_done = run_pipeline(self.context, module, &pipeline).is_ok();
        self.outcome.refused += usize::from(!is_done);
        self.messages.take();
        is_done
    }

    /// Compiles the bundles of the functions of the device in a module.
    fn device(&mut self, module: Op<'_>, subject: &str) {
        let parts = match parts(self.context, module, &sizes::largest(module)) {
            Ok(parts) => parts,
            Err(_) => {
                self.outcome.refused += 1;
                return;
            }
        };
        for part in parts {
            let planned = Planned::new(self.context, &part.program)
                .ok()
                .and_then(|planned| planned.bundle(self.context).ok());
            match planned {
                Some(module) => {
                    self.bundle(&format!("@{} {subject}", part.name), module.as_operation());
                }
                None => self.outcome.refused += 1,
            }
        }
        self.messages.take();
    }

    /// Checks the bundle that a module has.
    fn bundle(&mut self, name: &str, module: Op<'_>) {
        let addresses = Addresses::Symbolic;
        let bundle = spyre_bundle::compile(self.context, module, addresses);
        match (bundle, rules(module, addresses)) {
            (Ok(bundle), Ok(rules)) => self.files(name, &bundle, &rules),
            // The messages are dropped without printing.
            _ => self.outcome.refused += 1,
        }
    }

    /// Checks the files of a bundle, by the rules of its target.
    fn files(&mut self, name: &str, bundle: &spyre_sdsc::Bundle, rules: &Options) {
        let files = match InMemory::collect("", bundle.files()) {
            Ok(files) => files,
            Err(err) => {
                let failure = format!("{name}: no files: {err}");
                self.outcome.failures.push(failure);
                return;
            }
        };
        let report = verify_with(&files, rules);
        let mut findings: Vec<Checked> = report.findings.iter().cloned().map(open).collect();
        // An exception allows the findings that only a check without it reports.
        for exception in rules.exceptions() {
            let others = rules.exceptions().iter().filter(|name| *name != exception);
            let without = Options::of_revision(rules.revision);
            let without = others.fold(without, |rules, name| {
                rules.allowing(name).expect("it is a name of an exception")
            });
            let strict = verify_with(&files, &without);
            let allowed = strict.findings.into_iter();
            let allowed = allowed.filter(|finding| !report.findings.contains(finding));
            findings.extend(allowed.map(|finding| Checked {
                finding,
                exception: Some(exception),
            }));
        }
        if let Some(schema) = &self.checker.schema {
            findings.extend(schema.check(&files).findings.into_iter().map(open));
        }
        self.outcome.bundles.push(CheckedBundle {
            name: name.to_owned(),
            files: report.size.files,
            findings,
        });
    }
}

/// Returns a finding that no exception allows.
fn open(finding: Finding) -> Checked {
    Checked {
        finding,
        exception: None,
    }
}

/// Returns the names of the public functions of a module that have a body.
fn names(module: Op<'_>) -> Vec<String> {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let public = functions.filter(|op| {
        let is_private =
            ir::attribute(*op, "sym_visibility").and_then(spyre_dialects::attr::string);
        ir::name(*op) == "func.func"
            && is_private.as_deref() != Some("private")
            && ir::function_body(*op).is_some()
    });
    let names = public.filter_map(|op| {
        let name = op.attribute("sym_name").ok()?;
        spyre_dialects::attr::string(name)
    });
    names.collect()
}

#[cfg(test)]
mod tests;

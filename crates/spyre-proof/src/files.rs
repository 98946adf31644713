//! P5: the addresses that the files of a bundle compute are those of the program.
//!
//! A bundle has the addresses of a program in two parts: the function in `bundle.mlir` computes where tensors start,
//! for each iteration and core, and `sdsc_N.json` has the order and the extents from which the distances of elements
//! follow. Both sides are index expressions over the counters of loops, the core and the point, and the claim is that
//! their difference is zero on all instances of the operation. Most differences vanish in the normal form; the others
//! are decided by the solver. Tables of cores are sums over the digits of the core, with each entry compared; a core at
//! a time where they are not.
//!
//! Redundant keys (folds, extents of one core, numbers of cores) repeat what others have. Starts are whole sticks, and
//! nothing that the file addresses is outside of the tensor's buffer (P4). The order of elements in pairs of sticks,
//! which casts between 16 and 32 bits leave, is the same function of the byte on both sides.

mod compare;
mod constants;
mod decide;
mod formats;
mod function;
mod json;
mod kinds;
mod located;
mod matching;
mod operation;
mod padding;
mod redundant;
mod sizes;
mod tensor;
mod witness;

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_bundle_files::{Files, Function, MLIR_FILE as MLIR, TextError, Unreadable, parse};
use spyre_isl::Context;

use crate::claim::{Assumption, Report, Verdict};
use crate::expr::{Expr, Var};
use crate::memory::Memory;
use crate::program::{Extent, Program, Site, Statement};

use compare::{Comparison, verdict_of};
use decide::Decider;
use function::{Execution, Walk};
use json::Sdsc;
use operation::{Fault, Operation, operation, wrong};

/// The reason why the files of a bundle are not compared: they are no files of a bundle.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A file has no text.
    #[error("{file}: {error}")]
    Unreadable {
        /// The name.
        file: String,
        /// The reason.
        error: Unreadable,
    },
    /// The text of a file is not that of its kind.
    #[error("{file}:{error}")]
    Text {
        /// The name.
        file: String,
        /// The reason, with its place.
        error: TextError,
    },
}

/// Proves that the files of a bundle address what a planned program addresses.
///
/// # Errors
/// A file is missing, or is malformed.
pub fn prove_files(
    context: &Context,
    program: &Program,
    files: &impl Files,
) -> Result<Report, FilesError> {
    let text = text_of(files, MLIR)?;
    let module = parse(&text).and_then(spyre_bundle_files::Module::into_function);
    let function = module.map_err(|error| FilesError::Text {
        file: MLIR.to_owned(),
        error,
    })?;
    let mut walk = Walk::new(program, &function);
    // A difference is reported. What comes before it is compared.
    let end = last_site(program);
    let is_complete = walk.body(&program.body, &function.body, end).is_ok();
    let Walk {
        executions,
        mut report,
        pool,
        ..
    } = walk;
    report.operations = if is_complete {
        program.statements.len()
    } else {
        executions.len()
    };
    report.assumptions.insert(Assumption::Sequential);
    let mut proof = Proof {
        program,
        function: &function,
        memory: Memory::new(program),
        names: program
            .statements
            .iter()
            .map(|statement| &statement.key.name[..])
            .collect(),
        decider: Decider::new(context),
        pool,
        report,
        read: FxHashMap::default(),
    };
    for execution in &executions {
        let file = proof.read(files, &execution.file)?;
        proof.execution(execution, &file);
    }
    Ok(proof.report)
}

fn text_of<'f>(files: &'f impl Files, name: &str) -> Result<Cow<'f, str>, FilesError> {
    let text = files.text(name);
    text.map_err(|error| FilesError::Unreadable {
        file: name.to_owned(),
        error,
    })
}

/// Returns where a report about the end of the program is.
fn last_site(program: &Program) -> Site {
    let last = program.statements.last().map(|statement| statement.site);
    last.unwrap_or_else(|| Site::new(0))
}

/// Returns an operation without the second moment of each row: files have one element for both, and the arrangement has
/// the second one next to the first.
fn with_one_moment(statement: &Statement) -> Cow<'_, Statement> {
    let mut of = Cow::Borrowed(statement);
    let pair = match &statement.key.name[..] {
        "exx2" => {
            let last = statement
                .results
                .first()
                .and_then(|result| result.index.last());
            if let Some(Var::Point(dim)) = last.and_then(Expr::as_var) {
                of.to_mut().space[dim as usize] = Extent::Fixed(1);
            }
            return of;
        }
        "layernormscale" => 0,
        "layernormnorm" => 1,
        _ => return of,
    };
    // The operations that read moments have them as two operands.
    if let Some([first, second]) = statement.operands.get(pair..pair + 2)
        && first.value == second.value
        && second.index.last().and_then(Expr::as_constant) == Some(1)
    {
        of.to_mut().operands.remove(pair + 1);
    }
    of
}

/// What a file has.
struct Read {
    /// The operation, or why there is none.
    operation: Result<Operation, Fault>,
    /// The keys, if some dimension has a runtime size.
    sized: Option<Sdsc>,
}

struct Proof<'p, 'c> {
    program: &'p Program,
    function: &'p Function,
    memory: Memory<'p>,
    /// The names of all operations.
    names: FxHashSet<&'p str>,
    decider: Decider<'c>,
    pool: Option<u64>,
    report: Report,
    /// Files by name: a function can execute one several times.
    read: FxHashMap<String, Rc<Read>>,
}

impl Proof<'_, '_> {
    fn read(&mut self, files: &impl Files, name: &str) -> Result<Rc<Read>, FilesError> {
        if let Some(read) = self.read.get(name) {
            return Ok(read.clone());
        }
        let text = text_of(files, name)?;
        let mut root: json::Object<Sdsc> =
            spyre_bundle_files::json::from_str(&text).map_err(|error| FilesError::Text {
                file: name.to_owned(),
                error,
            })?;
        let operation = match root.only() {
            Some((_, sdsc)) => operation(sdsc)
                .and_then(|operation| redundant::check(sdsc, &operation).map(|()| operation)),
            None => wrong("", "the file must have one operation"),
        };
        let sized = root.0.pop().map(|(_, sdsc)| sdsc);
        let sized = sized.filter(sizes::has_sizes);
        let read = Rc::new(Read { operation, sized });
        self.read.insert(name.to_owned(), read.clone());
        Ok(read)
    }

    fn execution(&mut self, execution: &Execution, file: &Read) {
        let statement = with_one_moment(self.program.statement(execution.statement));
        let statement = &*statement;
        let comparison = |operation| Comparison {
            program: self.program,
            statement,
            memory: &self.memory,
            execution,
            operation,
            pool: self.pool,
        };
        let sizes = file.sized.iter();
        let sizes = sizes.map(|sdsc| sizes::check(sdsc, execution, self.function));
        let matched = match (sizes.collect::<Result<(), Fault>>(), &file.operation) {
            (Err(fault), _) => Err(fault),
            (Ok(()), Err(fault)) => Err(fault.clone()),
            (Ok(()), Ok(operation)) => self
                .kind(statement, operation)
                .and_then(|()| matching::matchings(self.program, statement, operation))
                .map(|matchings| (operation, matchings)),
        };
        let findings = match matched {
            Err(fault) => {
                let subject = execution.file.clone();
                self.report.add(
                    crate::claim::Claim::Files,
                    statement.site,
                    subject,
                    verdict_of(fault),
                );
                return;
            }
            Ok((operation, matchings)) => {
                let comparison = comparison(operation);
                let mut all = matchings
                    .iter()
                    .map(|matching| comparison.findings(&mut self.decider, matching));
                let first = all.next().expect("one bijection at least");
                let is_refuted = |findings: &[crate::claim::Finding]| {
                    findings
                        .iter()
                        .any(|finding| matches!(finding.verdict, Verdict::Refuted(_)))
                };
                // Dimensions that are alike can be exchanged.
                let other = if is_refuted(&first) {
                    all.find(|findings| !is_refuted(findings))
                } else {
                    None
                };
                other.unwrap_or(first)
            }
        };
        self.report.findings.extend(findings);
        self.assume(statement);
    }

    fn assume(&mut self, statement: &Statement) {
        let is_gather = |var: &Var| matches!(var, Var::Gathered(_));
        let mut indices = statement.operands.iter().flat_map(|operand| &operand.index);
        if indices.any(|expr| expr.vars().iter().any(is_gather)) {
            self.report.assumptions.insert(Assumption::IndicesInside);
        }
        let split = statement.split.iter().flatten().skip(statement.kept());
        if split.into_iter().any(|parts| *parts > 1) {
            self.report.assumptions.insert(Assumption::PartsOfCores);
        }
    }

    /// Checks that the file is one of the operation's kind: the function, and the number of tensors.
    fn kind(&self, statement: &Statement, operation: &Operation) -> Result<(), Fault> {
        let name = &statement.key.name[..];
        let function = &operation.function[..];
        let is_same = match name {
            "bitcast" | "copy" | "gather" => function == "identity",
            "restickify" => function == "ReStickifyOpHBM",
            _ => function.strip_suffix("nonstick").unwrap_or(function) == name,
        };
        if !is_same {
            let plain = function.strip_suffix("nonstick").unwrap_or(function);
            let is_comparable = operation.inputs.len() == statement.operands.len();
            let numbers = is_comparable
                .then(|| kinds::difference(self.program, statement, plain))
                .flatten();
            // Another operation of the program is not this one. A name that is none of its operations may be a new one.
            let is_other =
                self.names.contains(plain) || matches!(function, "identity" | "ReStickifyOpHBM");
            if is_other || numbers.is_some() {
                let numbers = numbers.map_or_else(String::new, |numbers| format!(": {numbers}"));
                let message = format!(
                    "the file computes '{function}', and the operation is '{name}'{numbers}"
                );
                return wrong("computeOp_/0/opFuncName", message);
            }
            return Err(Fault::Unmodelled(format!("'{function}' for '{name}'")));
        }
        let (inputs, operands) = (operation.inputs.len(), statement.operands.len());
        if inputs != operands || statement.results.len() != 1 {
            let message = format!("{inputs} tensors for {operands} operands");
            return wrong("computeOp_/0/inputLabeledDs", message);
        }
        Ok(())
    }
}

//! Running a pipeline pass by pass, and the program after each pass.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, RegionLike};
use spyre_mlir_rt::execution::DIALECTS;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use thiserror::Error;

use crate::array::Array;
use crate::compare::{Comparison, TypeMismatch, compare};
use crate::program::{Options, Program, ProgramError, RunError};

/// What a pass did to a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The program has the same text as before, so it was not run again.
    Unchanged,
    /// The program is another one that computes the same.
    Same,
    /// The program does not compute the same any more: the results that differ, by position.
    Differs(Vec<(usize, Comparison)>),
    /// The program is no longer one on tensors, and why. What it computes was not compared.
    LeftTensors(String),
}

/// What a check has found.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// All passes ran, and no result changed.
    Same,
    /// A pass took the program to a level that does not run here. The passes after it did not run.
    LeftTensors {
        /// The pass, as a pipeline of its own.
        pass: String,
        /// Why it does not run.
        why: String,
    },
    /// A pass changed results. The passes after it did not run.
    Differs {
        /// The pass, as a pipeline of its own.
        pass: String,
        /// The results that differ, by position.
        results: Vec<(usize, Comparison)>,
        /// The module before the pass, as text.
        before: String,
    },
}

/// Why a check came to no end.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The program does not run before any pass.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The inputs are not those of the program.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A pass failed; it has said why.
    #[error("{pass} failed")]
    Failed {
        /// The pass, as a pipeline of its own.
        pass: String,
        /// The module before the pass, as text.
        before: String,
    },
    /// The program runs before a pass and not after it.
    #[error("the program does not run after {pass}: {why}")]
    Broken {
        /// The pass, as a pipeline of its own.
        pass: String,
        /// Why not.
        why: Box<BrokenBy>,
        /// The module before the pass, as text.
        before: String,
    },
}

/// Why a program does not run after a pass.
#[derive(Debug, Error)]
pub enum BrokenBy {
    /// It cannot be compiled.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// It takes other inputs.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It has other results.
    #[error(transparent)]
    Results(#[from] TypeMismatch),
    /// It has another number of results.
    #[error("it has {found} results, and had {expected}")]
    Count {
        /// Results before the pass.
        expected: usize,
        /// Results after it.
        found: usize,
    },
}

/// What a check runs.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// The function; without a name, the only one.
    pub entry: Option<&'a str>,
    /// The passes in order, each as a pipeline of its own: see [`spyre_mlir_rt::source::split_pipeline`].
    pub passes: &'a [String],
    /// The arguments of the function.
    pub inputs: &'a [Array],
    /// Units in the last place by which a pass may change an element.
    pub allowed_ulps: u64,
    /// How the programs are compiled. Poison finds tiles that are not written.
    pub options: Options,
}

impl Check<'_> {
    /// Runs the passes on a copy of a module, one by one, and the function before and after each of them on the same inputs.
    /// Stops at the first one that changes a result. `observe` is told after each pass.
    ///
    /// # Errors
    /// [`CheckError`]; what went wrong in MLIR has been reported as a diagnostic.
    pub fn run<'c>(
        &self,
        context: &'c Context,
        module: Op<'_>,
        mut observe: impl FnMut(&str, &Step),
    ) -> Result<Outcome, CheckError> {
        let program = Program::select(context, module, self.entry)?;
        let entry = program.entry().to_owned();
        let mut results = program.compile(context, self.options)?.run(self.inputs)?;
        let module: Module<'c> = Module::from_operation((*module).clone())
            .ok_or_else(|| ProgramError::NotAModule(entry.clone()))?;
        let mut before = module.as_operation().to_string();
        for pass in self.passes {
            if run_pipeline(context, module.as_operation(), pass).is_err() {
                let pass = pass.clone();
                return Err(CheckError::Failed { pass, before });
            }
            let after = module.as_operation().to_string();
            let step = if after == before {
                Step::Unchanged
            } else if let Some(why) = below_tensors(module.as_operation(), &entry) {
                Step::LeftTensors(why)
            } else {
                match self.compare(context, module.as_operation(), &entry, &results) {
                    Ok((_, differing)) if !differing.is_empty() => Step::Differs(differing),
                    Ok((found, _)) => {
                        results = found;
                        Step::Same
                    }
                    Err(why) => {
                        return Err(CheckError::Broken {
                            pass: pass.clone(),
                            why: Box::new(why),
                            before,
                        });
                    }
                }
            };
            observe(pass, &step);
            let pass = pass.clone();
            match step {
                Step::Unchanged | Step::Same => before = after,
                Step::LeftTensors(why) => return Ok(Outcome::LeftTensors { pass, why }),
                Step::Differs(results) => {
                    return Ok(Outcome::Differs {
                        pass,
                        results,
                        before,
                    });
                }
            }
        }
        Ok(Outcome::Same)
    }

    /// The results of a program, and which of them differ from those before.
    #[expect(
        clippy::type_complexity,
        reason = "the parts have no name outside of this function"
    )]
    fn compare(
        &self,
        context: &Context,
        module: Op<'_>,
        entry: &str,
        expected: &[Array],
    ) -> Result<(Vec<Array>, Vec<(usize, Comparison)>), BrokenBy> {
        let program = Program::select(context, module, Some(entry))?;
        let found = program.compile(context, self.options)?.run(self.inputs)?;
        if found.len() != expected.len() {
            return Err(BrokenBy::Count {
                expected: expected.len(),
                found: found.len(),
            });
        }
        let mut differing = Vec::new();
        for (result, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let comparison = compare(expected, found, self.allowed_ulps)?;
            if !comparison.agrees() {
                differing.push((result, comparison));
            }
        }
        Ok((found, differing))
    }
}

/// Why a module has no function `entry` of operations on tensors any more.
fn below_tensors(module: Op<'_>, entry: &str) -> Option<String> {
    let symbol = format!("\"{entry}\"");
    let has_entry = ir::operations(ir::body(module)?).any(|op| {
        let name = op.attribute("sym_name").ok();
        op.name().as_string_ref().as_str() == Ok("func.func")
            && name.is_some_and(|name| name.to_string() == symbol)
    });
    if has_entry {
        foreign(module).map(|name| format!("the module has '{name}'"))
    } else {
        Some(format!("the module has no function @{entry}"))
    }
}

/// The name of an operation that is neither a device operation nor one around them.
fn foreign(op: Op<'_>) -> Option<String> {
    let name = op.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    let dialect = name.split('.').next().unwrap_or_default();
    let is_known = dialect == "spyre" || DIALECTS.contains(&dialect);
    if !is_known || name == "spyre.op_spec" {
        return Some(name.to_owned());
    }
    for region in op.regions() {
        let mut next = region.first_block();
        while let Some(block) = next {
            if let Some(found) = ir::operations(block).find_map(foreign) {
                return Some(found);
            }
            next = block.next_in_region();
        }
    }
    None
}

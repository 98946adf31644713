//! Runs a pipeline pass by pass, and the program after each pass.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Module, ShapedTypeLike, ValueLike};
use spyre_bundle::Addresses;
use spyre_mlir_rt::execution::DIALECTS;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_proof_mlir::prove;
use spyre_sim::Report;
use thiserror::Error;

use crate::array::{Array, ArrayError};
use crate::bundle::{
    self, Interface, InterfaceError, ModuleError, SimulateError, SimulationOptions,
};
use crate::compare::{Comparison, Tolerance, TypeMismatch, compare};
use crate::program::{Options, Program, ProgramError, RunError, function_named};
use crate::prove::{Proof, ProofError, Proofs};
use crate::sizes::Sizes;
use crate::{Signature, interpret};

/// The effect of one pass on a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The program has the same text as before, so it was not run again.
    Unchanged,
    /// The program has changed and has the same results.
    Same,
    /// The results that differ, by position.
    Differs(Vec<(usize, Comparison)>),
    /// The program has become a bundle, with the same results on the simulated card.
    SameBundle,
    /// The program has become a bundle, with faults on the simulated card.
    Faulty(Report),
    /// The program is no longer on tensors and is no bundle; the text has the reason. Its results were not compared.
    LeftTensors(String),
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// All passes ran, and no result changed.
    Same,
    /// A pass took the program to a level that does not run here. The passes after it did not run.
    LeftTensors {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The reason why it does not run here.
        reason: String,
    },
    /// A pass built a faulty bundle. The passes after it did not run.
    Faulty {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The report of the simulated card, with the faults.
        report: Report,
        /// The module before the pass, as text.
        before: String,
    },
    /// A pass changed results. The passes after it did not run.
    Differs {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The results that differ, by position.
        results: Vec<(usize, Comparison)>,
        /// The module before the pass, as text.
        before: String,
    },
    /// A claim about a pass does not hold, and the results are the same. The passes after it did not run.
    Refuted {
        /// The pass, as a separate pipeline; [`NO_PASS`] for a claim about the program itself.
        pass: String,
        /// The module before the pass, as text.
        before: String,
    },
}

/// The reason why a check did not come to its end.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The program does not run before any pass.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The inputs do not match the program.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A pass failed, with a diagnostic.
    #[error("{pass} failed")]
    Failed {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The module before the pass, as text.
        before: String,
    },
    /// A pass has no proof.
    #[error("{pass} is not proved: {reason}")]
    NotProved {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The reason.
        reason: Box<ProofError>,
    },
    /// The program runs before a pass and not after it.
    #[error("the program does not run after {pass}: {reason}")]
    Broken {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The reason why it does not run.
        reason: Box<BrokenBy>,
        /// The module before the pass, as text.
        before: String,
    },
}

/// The reason why a program does not run after a pass.
#[derive(Debug, Error)]
pub enum BrokenBy {
    /// The program cannot be compiled.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The program takes other inputs.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The program's bundle cannot be built.
    #[error(transparent)]
    Bundle(#[from] ModuleError),
    /// The program's bundle cannot be called.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// The results have other types.
    #[error(transparent)]
    Results(#[from] TypeMismatch),
    /// The program's tensors do not fit into memory.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// The program has another number of results.
    #[error("it has {actual} results, but had {expected} before the pass")]
    Count {
        /// Results before the pass.
        expected: usize,
        /// Results after it.
        actual: usize,
    },
}

/// The name in place of a pass in reports about the input program.
pub const NO_PASS: &str = "no pass";

/// A check: the function, the passes that it is run after, and the inputs of each run.
#[derive(Debug, Clone)]
pub struct Check<'a> {
    /// The function; without a name, the only one.
    pub entry: Option<&'a str>,
    /// The passes in order, each as a separate pipeline: see [`spyre_mlir_rt::source::split_pipeline`].
    pub passes: &'a [String],
    /// The arguments of the function.
    pub inputs: &'a [Array],
    /// Extents of the dynamic dimensions of the function.
    pub sizes: &'a Sizes,
    /// The allowed change of an element by a pass.
    pub tolerance: Tolerance,
    /// The expected results of every run; `None` to expect the results before each pass.
    pub recorded: Option<&'a [Array]>,
    /// The options with which the programs are compiled. Poison detects tiles that are not written.
    pub options: Options,
    /// The way in which each pass is proved as well; `None` to prove nothing.
    pub prove: Option<prove::Options<'a>>,
}

impl Check<'_> {
    /// Runs the passes one by one on a copy of the function and of the operations of the module that it refers to. Runs
    /// the function before and after each pass on the same inputs. Stops at the first pass that changes a result, or with
    /// a claim that does not hold. `observe` is called after each pass, with its proof.
    ///
    /// # Errors
    /// [`CheckError`]; errors of MLIR have been reported as diagnostics.
    pub fn run<'c>(
        &self,
        context: &'c Context,
        module: Op<'_>,
        mut observe: impl FnMut(&str, &Step, Option<Proof>),
    ) -> Result<Outcome, CheckError> {
        let program = Program::select_sized(context, module, self.entry, self.sizes)?;
        let entry = program.entry().to_owned();
        // Only the function and the operations that it needs are run: a bundle has one function, and other functions
        // are not compared.
        let module: Module<'c> = Module::from_operation((*program.general_module()).clone())
            .ok_or_else(|| ProgramError::NotAModule(entry.clone()))?;
        let mut run = RunningCheck {
            check: self,
            context,
            interface: Err(InterfaceError::Reported("it has no function".to_owned())),
            program: None,
            signature: program.signature().clone(),
            expected: program.compile(context, self.options)?.run(self.inputs)?,
            entry: &entry,
        };
        let mut before = module.as_operation().to_string();
        if let Some(results) = run.unexpected(&before)? {
            let pass = NO_PASS.to_owned();
            return Ok(Outcome::Differs {
                pass,
                results,
                before,
            });
        }
        run.remember(module.as_operation())?;
        let proofs = self.prove.clone();
        let mut proofs = proofs.map(|options| Proofs::new(module.as_operation(), options));
        if let Some(proofs) = &proofs
            && proofs.before(context, module.as_operation()).is_refuted()
        {
            let pass = NO_PASS.to_owned();
            return Ok(Outcome::Refuted { pass, before });
        }
        for pass in self.passes {
            if run_pipeline(context, module.as_operation(), pass).is_err() {
                let pass = pass.clone();
                return Err(CheckError::Failed { pass, before });
            }
            let after = module.as_operation().to_string();
            let step = if after == before {
                Step::Unchanged
            } else {
                match run.step(module.as_operation()) {
                    Ok(step) => step,
                    Err(reason) => {
                        return Err(CheckError::Broken {
                            pass: pass.clone(),
                            reason: Box::new(reason),
                            before,
                        });
                    }
                }
            };
            let proof = proofs
                .as_mut()
                .map(|proofs| proof(proofs, context, module.as_operation(), pass))
                .transpose()?;
            observe(pass, &step, proof);
            let pass = pass.clone();
            match step {
                Step::Unchanged | Step::Same | Step::SameBundle
                    if proof.is_some_and(Proof::is_refuted) =>
                {
                    return Ok(Outcome::Refuted { pass, before });
                }
                Step::Unchanged | Step::Same | Step::SameBundle => before = after,
                Step::LeftTensors(reason) => return Ok(Outcome::LeftTensors { pass, reason }),
                Step::Faulty(report) => {
                    return Ok(Outcome::Faulty {
                        pass,
                        report,
                        before,
                    });
                }
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
}

/// Proves a pass that has run on a module.
fn proof(
    proofs: &mut Proofs<'_>,
    context: &Context,
    module: Op<'_>,
    pass: &str,
) -> Result<Proof, CheckError> {
    let proof = proofs.after(context, module, pass);
    proof.map_err(|reason| CheckError::NotProved {
        pass: pass.to_owned(),
        reason: Box::new(reason),
    })
}

/// The state of a check while it runs.
struct RunningCheck<'a, 'c> {
    check: &'a Check<'a>,
    context: &'c Context,
    entry: &'a str,
    /// The results of the last run of the program.
    expected: Vec<Array>,
    /// The interface of the program's bundle, read before the program becomes one; or why it can have none.
    interface: Result<Interface, InterfaceError>,
    /// The program before it became a bundle.
    program: Option<Program<'c>>,
    /// The types of the program's inputs and results, for the given extents.
    signature: Signature,
}

impl<'c> RunningCheck<'_, 'c> {
    /// Compares the results of the program itself with the recorded ones, if there are some. Returns those that differ; if none
    /// does, the recorded ones are expected from now on.
    fn unexpected(&mut self, before: &str) -> Result<Option<Vec<(usize, Comparison)>>, CheckError> {
        let Some(recorded) = self.check.recorded else {
            return Ok(None);
        };
        let results = differing(recorded, &self.expected, self.check.tolerance);
        let results = results.map_err(|reason| CheckError::Broken {
            pass: NO_PASS.to_owned(),
            reason: Box::new(reason),
            before: before.to_owned(),
        })?;
        if results.is_empty() {
            self.expected = recorded.to_vec();
            return Ok(None);
        }
        Ok(Some(results))
    }

    /// Stores the program and its interface, because a bundle of the program does not have them.
    fn remember(&mut self, module: Op<'_>) -> Result<(), ProgramError> {
        let Some(function) = function_named(module, self.entry) else {
            return Ok(());
        };
        let (entry, sizes) = (Some(self.entry), self.check.sizes);
        self.program = Some(Program::select_sized(self.context, module, entry, sizes)?);
        // A tensor of dynamic extent has no room in device memory yet.
        if !has_dynamic_argument(function) {
            self.interface = Interface::of_function(function)
                .and_then(|interface| interface.called_as(&self.signature, sizes));
        }
        Ok(())
    }

    /// Returns the inputs for a run of the program. Constants that have become arguments are added, and inputs with
    /// dynamic dimensions get the shapes of `signature`, which may be larger.
    fn inputs(&self, signature: &Signature) -> Result<Vec<Array>, ArrayError> {
        let inputs = match &self.interface {
            Ok(interface) => interface.with_constants(self.check.inputs),
            Err(_) => self.check.inputs.to_vec(),
        };
        if self.check.sizes.is_empty() {
            return Ok(inputs);
        }
        let inputs = inputs.iter().zip(&signature.inputs);
        inputs.map(|(input, ty)| input.resized(&ty.shape)).collect()
    }

    /// Returns the results, each cut to the shape for the given extents.
    fn results(&self, results: Vec<Array>) -> Result<Vec<Array>, ArrayError> {
        if self.check.sizes.is_empty() {
            return Ok(results);
        }
        let results = results.iter().zip(&self.signature.outputs);
        results
            .map(|(result, ty)| result.resized(&ty.shape))
            .collect()
    }

    /// Runs the program or the bundle that is the result of a pass.
    fn step(&mut self, module: Op<'_>) -> Result<Step, BrokenBy> {
        if spyre_bundle::bundle_function(module).is_some() {
            let interface = match &self.interface {
                Ok(interface) => interface,
                Err(err) => return Ok(Step::LeftTensors(err.to_string())),
            };
            let bundle = bundle::of_module(self.context, module, Addresses::Symbolic)?;
            let options = SimulationOptions::default();
            let run = bundle::simulate(&bundle, interface, self.check.inputs, options)?;
            if run.report.errors().next().is_some() {
                return Ok(Step::Faulty(run.report));
            }
            // The card and the reference round alike, in one order.
            if self.check.recorded.is_none()
                && let Some(program) = &self.program
                && let Some(function) = function_named(program.module(), self.entry)
                && let Ok(expected) = interpret::run(function, &self.inputs(program.signature())?)
            {
                self.expected = self.results(expected)?;
            }
            let differing = self.differing(&run.results)?;
            return Ok(if differing.is_empty() {
                Step::SameBundle
            } else if run.report.is_clean() {
                Step::Differs(differing)
            } else {
                // A warning may be the reason for different results.
                Step::Faulty(run.report)
            });
        }
        if let Some(reason) = below_tensors(module, self.entry) {
            return Ok(Step::LeftTensors(reason));
        }
        self.remember(module)?;
        let (entry, sizes) = (Some(self.entry), self.check.sizes);
        let program = Program::select_sized(self.context, module, entry, sizes)?;
        let inputs = self.inputs(program.signature())?;
        let results = program
            .compile(self.context, self.check.options)?
            .run(&inputs)?;
        let results = self.results(results)?;
        let differing = self.differing(&results)?;
        if !differing.is_empty() {
            return Ok(Step::Differs(differing));
        }
        if self.check.recorded.is_none() {
            self.expected = results;
        }
        Ok(Step::Same)
    }

    /// Returns the results that have changed, by position.
    fn differing(&self, results: &[Array]) -> Result<Vec<(usize, Comparison)>, BrokenBy> {
        differing(&self.expected, results, self.check.tolerance)
    }
}

/// Returns the results that differ from the expected ones by more than the tolerance, by position.
fn differing(
    expected: &[Array],
    results: &[Array],
    tolerance: Tolerance,
) -> Result<Vec<(usize, Comparison)>, BrokenBy> {
    if results.len() != expected.len() {
        return Err(BrokenBy::Count {
            expected: expected.len(),
            actual: results.len(),
        });
    }
    let mut differing = Vec::new();
    for (result, (expected, result_array)) in expected.iter().zip(results).enumerate() {
        let comparison = compare(expected, result_array, tolerance)?;
        if !comparison.agrees() {
            differing.push((result, comparison));
        }
    }
    Ok(differing)
}

/// Returns whether an argument has a dynamic extent.
fn has_dynamic_argument(function: Op<'_>) -> bool {
    let arguments = ir::function_body(function).into_iter().flat_map(|body| {
        (0..body.argument_count()).filter_map(move |index| body.argument(index).ok())
    });
    arguments.into_iter().any(|argument| {
        RankedTensorType::try_from(argument.r#type()).is_ok_and(|ty| {
            (0..ty.rank()).any(|dim| matches!(ty.dim_size(dim), Ok(DimSize::Dynamic)))
        })
    })
}

/// Returns why a module no longer has a function `entry` of operations on tensors; `None` if it has.
fn below_tensors(module: Op<'_>, entry: &str) -> Option<String> {
    if function_named(module, entry).is_some() {
        foreign(module).map(|name| format!("the module has '{name}'"))
    } else {
        Some(format!("the module has no function @{entry}"))
    }
}

/// Returns the name of the first operation that is no device operation and cannot contain one; `None` if there is none.
fn foreign(op: Op<'_>) -> Option<String> {
    let name = op.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    let dialect = name.split('.').next().unwrap_or_default();
    if dialect != "spyre" && !DIALECTS.contains(&dialect) {
        return Some(name.to_owned());
    }
    for block in ir::blocks(op) {
        if let Some(foreign_op) = ir::operations(block).find_map(foreign) {
            return Some(foreign_op);
        }
    }
    None
}

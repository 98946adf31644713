//! Programs on the CPU, on the simulated card, and as kernels in KTIR.
//!
//! [`Kernels::run`] takes a program through all levels of [`Runner`], converts its plan to KTIR, and runs the kernel in
//! both orders of cores. All results agree bit for bit: inputs are such that sums are exact in any order. The card and
//! the kernel share the plan, and nothing after it.
//!
//! [`Kernels::run_on`] runs the kernel on another [`Machine`] instead, such as an [`Interpreter`] by others, which also
//! reads the layouts of the plan by separate code.

mod interpreter;

use melior::Context;
use melior::ir::Module;
use melior::ir::operation::{OperationLike as _, OperationPrintingFlags};
use spyre_exec::bundle::Interface;
use spyre_exec::ktir::{Call, CoreOrder, Options};
use spyre_exec::{Array, compare, interpret};
use spyre_mlir_rt::source::run_pipeline;
use spyre_ods::func;

pub use interpreter::{Agreement, Interpreter, Machine, write};

use crate::case::{Checks, Failure, Phase, Runner, Verdict, inputs};
use crate::messages::Messages;
use crate::program::{Element, Program};
use crate::recipe::Size;
use crate::shrink::{Minimal, minimize_by};

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The program has no plan: the pipeline refuses it, with this message.
    NoPlan(String),
    /// The conversion to KTIR refuses the plan.
    Refused(String),
    /// The kernel has an element type that interpreters of KTIR do not load.
    WithoutInterpreter(Element),
    /// All levels agree.
    Same {
        /// The number of functions that are launched.
        launches: usize,
    },
    /// A level failed, or differs.
    Failed(Failure),
}

/// A program as a kernel in KTIR, with all that a machine needs to run it and to compare its results.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The planned program, of which the signature has the layouts. Maps are in place, without aliases.
    pub planned: String,
    /// The launches of the kernel, in order. Maps and sets are in place, without aliases.
    pub text: String,
    /// The inputs of the program.
    pub inputs: Vec<Array>,
    /// The expected results of the program.
    pub results: Vec<Array>,
}

/// A program that agrees at every level and on a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// The results of the machine.
    pub agreement: Agreement,
    /// Whether the simulated card ran the program as well: some plans have no bundle.
    pub is_on_card: bool,
}

/// A kernel as a module, with its plan.
struct Converted<'c> {
    module: Module<'c>,
    interface: Interface,
    planned: String,
    expected: Vec<Array>,
}

/// A context in which programs run, one after the other.
pub struct Kernels {
    runner: Runner,
    context: Context,
    messages: Messages,
}

impl Default for Kernels {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the element type of a program that interpreters of KTIR do not load: `bf16`, or truth values as arguments and
/// results; `None` if they load all.
#[must_use]
pub fn type_without_interpreter(program: &Program) -> Option<Element> {
    let of_operations = program.operations.iter().map(|it| it.tensor.element);
    let mut of_inputs = program.inputs.iter().map(|it| it.tensor.element);
    let mut all = of_inputs.clone().chain(of_operations);
    let bf16 = all.find(|element| *element == Element::Bf16);
    bf16.or_else(|| of_inputs.find(|element| *element == Element::Bool))
}

/// Returns a message without its numbers and names, so that refusals with one reason have one text.
#[must_use]
pub fn reason(message: &str) -> String {
    let message = message.split_once(": ").map_or(message, |(_, rest)| rest);
    let first = message.lines().next().unwrap_or_default();
    let mut reason = String::new();
    for char in first.chars() {
        match char.is_ascii_digit() {
            true if reason.ends_with('N') => {}
            true => reason.push('N'),
            false => reason.push(char),
        }
    }
    reason
}

fn failed(kind: &str, message: String) -> Outcome {
    Outcome::Failed(Failure {
        phase: Phase::Kernel,
        kind: kind.to_owned(),
        message,
    })
}

impl Kernels {
    /// Returns a context.
    #[must_use]
    pub fn new() -> Self {
        let context = spyre_exec::context();
        let messages = Messages::new(&context);
        Self {
            runner: Runner::new(),
            context,
            messages,
        }
    }

    /// Runs a program at every level, on inputs from a seed.
    #[must_use]
    pub fn run(&self, program: &Program, seed: u64) -> Outcome {
        let outcome = self.levels(program, seed, false);
        let outcome = outcome.and_then(|_| {
            let inputs = inputs(program, seed);
            let kernel = self.converted(program, &inputs)?;
            self.in_both_orders(&kernel, &inputs)
        });
        outcome.unwrap_or_else(|outcome| outcome)
    }

    /// Runs a program on the CPU and on the card, and its kernel on a machine. `compile` is whether the program is also
    /// compiled for the CPU.
    ///
    /// # Errors
    /// Every outcome but an agreement.
    pub fn run_on(
        &self,
        machine: &dyn Machine,
        program: &Program,
        seed: u64,
        compile: bool,
    ) -> Result<Run, Outcome> {
        let is_on_card = self.levels(program, seed, compile)?;
        let kernel = self.kernel(program, seed)?;
        if let Some(element) = type_without_interpreter(program) {
            return Err(Outcome::WithoutInterpreter(element));
        }
        let agreement = machine.run(&kernel).map_err(Outcome::Failed)?;
        Ok(Run {
            agreement,
            is_on_card,
        })
    }

    /// Returns the kernel of a program, with inputs from a seed and the results of the CPU.
    ///
    /// # Errors
    /// A program that has no plan, or is not converted.
    pub fn kernel(&self, program: &Program, seed: u64) -> Result<Kernel, Outcome> {
        let inputs = inputs(program, seed);
        let converted = self.converted(program, &inputs)?;
        Ok(Kernel {
            text: local(&converted.module),
            planned: converted.planned,
            results: converted.expected,
            inputs,
        })
    }

    /// Reduces a failing program as long as it fails in the same way; `None` if it does not fail.
    #[must_use]
    pub fn minimize(&self, size: Size, seed: u64, number: u64) -> Option<Minimal> {
        minimize_by(size, seed, number, |program| {
            match self.run(program, number) {
                Outcome::Failed(failure) => Some(failure),
                _ => None,
            }
        })
    }

    /// Reduces a program that fails on a machine as long as it fails in the same way; `None` if it does not fail.
    #[must_use]
    pub fn minimize_on(
        &self,
        machine: &dyn Machine,
        size: Size,
        seed: u64,
        number: u64,
    ) -> Option<Minimal> {
        minimize_by(size, seed, number, |program| {
            match self.run_on(machine, program, number, true) {
                Err(Outcome::Failed(failure)) => Some(failure),
                _ => None,
            }
        })
    }

    /// Runs a program at every level above kernels. Returns whether the card runs it: a kernel may be of a plan that has no
    /// bundle.
    fn levels(&self, program: &Program, seed: u64, compile: bool) -> Result<bool, Outcome> {
        let checks = Checks {
            plan: true,
            compile,
            ..Checks::default()
        };
        match self.runner.run(program, seed, checks) {
            Verdict::Passed { .. } => Ok(true),
            Verdict::Refused {
                phase: Phase::Bundle,
                ..
            } => Ok(false),
            Verdict::Refused { message, .. } => Err(Outcome::NoPlan(message)),
            Verdict::Failed(failure) => Err(Outcome::Failed(failure)),
        }
    }

    /// Plans and converts a program.
    fn converted(&self, program: &Program, inputs: &[Array]) -> Result<Converted<'_>, Outcome> {
        let parse = |text: &str| {
            let module = Module::parse(&self.context, text);
            module.ok_or_else(|| failed("not parsed", text.to_owned()))
        };
        let untiled = parse(&program.to_mlir(false))?;
        let function = interpret::function(untiled.as_operation(), "f");
        let function = function.ok_or_else(|| failed("no function", String::new()))?;
        let expected = interpret::run(function, inputs);
        let expected = expected.map_err(|err| failed("not interpreted", err.to_string()))?;
        let module = parse(&program.to_mlir(true))?;
        let run = |pipeline: &str| run_pipeline(&self.context, module.as_operation(), pipeline);
        self.messages.take();
        if run("builtin.module(spyre-pipeline{bundle=false})").is_err() {
            return Err(Outcome::NoPlan(self.messages.take_first()));
        }
        let function = interpret::function(module.as_operation(), "f");
        let function = function.ok_or_else(|| failed("no function", String::new()))?;
        let interface = Interface::of_function(function);
        let interface = interface.map_err(|err| failed("interface", err.to_string()))?;
        let planned = local(&module);
        self.messages.take();
        if run("builtin.module(convert-spyre-to-ktir)").is_err() {
            return Err(Outcome::Refused(self.messages.take_first()));
        }
        Ok(Converted {
            module,
            interface,
            planned,
            expected,
        })
    }

    /// Runs a kernel in both orders of cores.
    fn in_both_orders(&self, kernel: &Converted<'_>, inputs: &[Array]) -> Result<Outcome, Outcome> {
        let module = kernel.module.as_operation();
        let results = [CoreOrder::Forward, CoreOrder::Reverse].map(|order| {
            let options = Options {
                order,
                ..Options::default()
            };
            let call = Call::compile(
                &self.context,
                module,
                (kernel.interface.clone(), None),
                &options,
            );
            let call = call.map_err(|err| {
                let messages = self.messages.take().join("; ");
                failed("not compiled", format!("{err}: {messages}"))
            })?;
            call.run(inputs)
                .map_err(|err| failed("does not run", err.to_string()))
        });
        let [forward, reverse] = results;
        let (forward, reverse) = (forward?, reverse?);
        same("differs", &kernel.expected, &forward)?;
        same("order of cores", &forward, &reverse)?;
        let launches = module.to_string().matches(func::FUNC).count();
        Ok(Outcome::Same { launches })
    }
}

/// Returns the text of a module with maps and sets in place.
fn local(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new().use_local_scope();
    let text = module.as_operation().to_string_with_flags(flags);
    text.expect("a module has a text in UTF-8")
}

/// Checks that results are the expected ones, bit for bit.
fn same(kind: &str, expected: &[Array], actual: &[Array]) -> Result<(), Outcome> {
    for (result, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        match compare(expected, actual, 0) {
            Ok(comparison) if comparison.agrees() => {}
            Ok(comparison) => return Err(failed(kind, format!("result {result}: {comparison}"))),
            Err(err) => return Err(failed("type", err.to_string())),
        }
    }
    match expected.len() == actual.len() {
        true => Ok(()),
        false => Err(failed(
            "results",
            format!("{} results, not {}", actual.len(), expected.len()),
        )),
    }
}

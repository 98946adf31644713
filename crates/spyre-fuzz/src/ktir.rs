//! Programs on the CPU, on the simulated card, and as kernels in KTIR.
//!
//! [`Kernels::run`] takes a program through all levels of [`Runner`], converts its plan to KTIR, and runs the kernel in
//! both orders of cores. All results agree bit for bit: inputs are such that sums are exact in any order. The card and
//! the kernel share the plan, and nothing after it.

use melior::Context;
use melior::ir::Module;
use spyre_exec::bundle::Interface;
use spyre_exec::ktir::{Call, CoreOrder, Options};
use spyre_exec::{Array, compare, interpret};
use spyre_mlir_rt::source::run_pipeline;
use spyre_ods::func;

use crate::case::{Checks, Failure, Phase, Runner, Verdict, inputs};
use crate::messages::Messages;
use crate::program::{Element, Program};
use crate::recipe::Size;
use crate::shrink::{Minimal, minimize_by};

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The program has no plan: the pipeline refuses it.
    NoPlan,
    /// The conversion to KTIR refuses the plan.
    Refused(String),
    /// All levels agree.
    Same {
        /// The number of functions that are launched.
        launches: usize,
    },
    /// A level failed, or differs.
    Failed(Failure),
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

/// Returns whether a program has values that interpreters of KTIR do not load: `bf16`, or truth values as arguments and
/// results.
#[must_use]
pub fn is_without_interpreter(program: &Program) -> bool {
    let of_operations = program.operations.iter().map(|it| it.tensor.element);
    let of_inputs = program.inputs.iter().map(|it| it.tensor.element);
    let has_bool_input = of_inputs.clone().any(|element| element == Element::Bool);
    of_inputs
        .chain(of_operations)
        .any(|element| element == Element::Bf16)
        || has_bool_input
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
        let checks = Checks {
            plan: true,
            ..Checks::default()
        };
        match self.runner.run(program, seed, checks) {
            Verdict::Passed { .. } => {}
            Verdict::Refused { .. } => return Outcome::NoPlan,
            Verdict::Failed(failure) => return Outcome::Failed(failure),
        }
        self.kernel(program, &inputs(program, seed))
            .unwrap_or_else(|outcome| outcome)
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

    fn kernel(&self, program: &Program, inputs: &[Array]) -> Result<Outcome, Outcome> {
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
        if run("builtin.module(spyre-pipeline{bundle=false})").is_err() {
            return Err(Outcome::NoPlan);
        }
        let function = interpret::function(module.as_operation(), "f");
        let function = function.ok_or_else(|| failed("no function", String::new()))?;
        let interface = Interface::of_function(function);
        let interface = interface.map_err(|err| failed("interface", err.to_string()))?;
        self.messages.take();
        if run("builtin.module(convert-spyre-to-ktir)").is_err() {
            return Err(Outcome::Refused(self.messages.take_first()));
        }
        let results = [CoreOrder::Forward, CoreOrder::Reverse].map(|order| {
            let options = Options {
                order,
                ..Options::default()
            };
            let call = Call::compile(
                &self.context,
                module.as_operation(),
                (interface.clone(), None),
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
        same("differs", &expected, &forward)?;
        same("order of cores", &forward, &reverse)?;
        let launches = module
            .as_operation()
            .to_string()
            .matches(func::FUNC)
            .count();
        Ok(Outcome::Same { launches })
    }
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

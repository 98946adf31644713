//! Random programs of structured operations: on the CPU by upstream's lowering, and on the
//! simulated card.
//!
//! The two share only the text of the program. All numbers are small integers, so that results are
//! equal bit for bit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::Module;
use spyre_bundle::Addresses;
use spyre_exec::bundle::{self, Interface, SimulationOptions};
use spyre_exec::card::{CardError, OnCard};
use spyre_exec::random::Distribution;
use spyre_exec::{Array, Optimization, Options, Program, Signature, Sizes, compare};
use spyre_generate::linalg;
use spyre_mlir_rt::source::{Anchor, run_pipeline, split_pipeline};

use crate::messages::Messages;

/// The passes to a bundle.
const PIPELINE: &str = "builtin.module(spyre-import-linalg,spyre-pipeline)";

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran wholly on the card, with the results of the CPU.
    Same,
    /// The host ran a part of it, with the results of the CPU: why the card did not.
    Shared(String),
    /// It depends on no input, so the card has no work. The program with the constants has the results of the CPU.
    Constant,
    /// A pass refused it: the message.
    Refused(String),
    /// The results differ, or a level failed, with the reason.
    Failed(String),
}

/// A context in which programs are run.
pub struct Runner {
    context: Context,
    messages: Messages,
    passes: Vec<String>,
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

impl Runner {
    /// Returns a runner.
    ///
    /// # Panics
    /// The pipeline cannot be split into passes.
    #[must_use]
    pub fn new() -> Self {
        let context = spyre_exec::context();
        spyre_all::register_all_passes();
        let messages = Messages::new(&context);
        let passes =
            split_pipeline(PIPELINE, Anchor::Explicit).expect("the pipeline is registered");
        Self {
            context,
            messages,
            passes,
        }
    }

    /// Runs a program on inputs from a seed.
    #[must_use]
    pub fn run(&self, program: &linalg::Program, seed: u64) -> Outcome {
        self.messages.take_first();
        let run = || self.levels(program, seed);
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Outcome::Failed(format!("panic: {}", text.unwrap_or("without a text")))
        })
    }

    fn levels(&self, program: &linalg::Program, seed: u64) -> Outcome {
        let failed = |what: &str, message: &dyn std::fmt::Display| {
            Outcome::Failed(format!("{what}: {message}"))
        };
        let Some(module) = Module::parse(&self.context, &program.text) else {
            return failed("not parsed", &self.messages.take_first());
        };
        let sizes: Sizes = program.sizes.iter().cloned().collect();
        let selected =
            Program::select_sized(&self.context, module.as_operation(), Some("f"), &sizes);
        let selected = match selected {
            Ok(selected) => selected,
            Err(err) => return failed("not selected", &err),
        };
        let inputs =
            match selected.random_inputs(Distribution::Integers(linalg::INPUT as u32), seed) {
                Ok(inputs) => inputs,
                Err(ty) => return failed("too large", &ty),
            };
        let signature = selected.signature().clone();
        let options = Options {
            optimization: Some(Optimization::None),
            ..Options::default()
        };
        let expected = match selected.compile(&self.context, options) {
            Ok(executable) => executable.run(&inputs),
            Err(err) => return failed("not compiled", &err),
        };
        let expected = match expected {
            Ok(expected) => expected,
            Err(err) => return failed("not run", &err),
        };
        // The passes to a bundle change the module.
        let copy = Module::parse(&self.context, &program.text).expect("it was parsed before");
        let with_host = || match self.with_host(&module, &sizes, &inputs) {
            Ok(results) => {
                different(&expected, &results).map_or(Ok(()), |how| Err(Outcome::Failed(how)))
            }
            Err(outcome) => Err(outcome),
        };
        let outcome = match self.on_card(copy, (&signature, &sizes), &inputs) {
            Ok(Some(results)) => {
                different(&expected, &results).map_or(Outcome::Same, Outcome::Failed)
            }
            Ok(None) => with_host().err().unwrap_or(Outcome::Constant),
            Err(Outcome::Refused(reason)) => match with_host() {
                Ok(()) => Outcome::Shared(reason),
                Err(outcome) => outcome,
            },
            Err(outcome) => outcome,
        };
        // A program that runs wholly on the card may be split as well, with dynamic dimensions.
        if outcome == Outcome::Same && !sizes.is_empty() {
            return with_host().err().unwrap_or(outcome);
        }
        outcome
    }

    /// Compiles a program to a bundle and runs it. `None` if the card has no work.
    fn on_card(
        &self,
        module: Module<'_>,
        (signature, sizes): (&Signature, &Sizes),
        inputs: &[Array],
    ) -> Result<Option<Vec<Array>>, Outcome> {
        let failed = |what: &str, message: &dyn std::fmt::Display| {
            Outcome::Failed(format!("{what}: {message}"))
        };
        let (last, others) = self.passes.split_last().expect("the pipeline has passes");
        for pass in others {
            run_pipeline(&self.context, module.as_operation(), pass)
                .map_err(|_| Outcome::Refused(self.messages.take_first()))?;
        }
        let function = spyre_exec::interpret::function(module.as_operation(), "f")
            .ok_or_else(|| Outcome::Failed("no function".to_owned()))?;
        let interface = Interface::of_function(function)
            .and_then(|interface| interface.called_as(signature, sizes))
            .map_err(|err| Outcome::Refused(format!("no interface: {err}")))?;
        run_pipeline(&self.context, module.as_operation(), last)
            .map_err(|_| Outcome::Refused(self.messages.take_first()))?;
        if spyre_bundle::bundle_function(module.as_operation()).is_none() {
            return Ok(None);
        }
        let bundle = bundle::of_module(&self.context, module.as_operation(), Addresses::Symbolic)
            .map_err(|err| failed("no files", &err))?;
        let run = bundle::simulate(&bundle, &interface, inputs, SimulationOptions::default())
            .map_err(|err| failed("not simulated", &err))?;
        match run.report.errors().next() {
            Some(error) => Err(failed("the card", error)),
            None => Ok(Some(run.results)),
        }
    }

    /// Runs a program with functions of the device on the card, and the rest on the CPU.
    fn with_host(
        &self,
        module: &Module<'_>,
        sizes: &Sizes,
        inputs: &[Array],
    ) -> Result<Vec<Array>, Outcome> {
        let module = module.as_operation();
        let options = Options {
            optimization: Some(Optimization::None),
            ..Options::default()
        };
        let simulation = SimulationOptions::default();
        let compiled =
            OnCard::compile(&self.context, module, Some("f"), sizes, options, simulation);
        let compiled = compiled.map_err(|err| match err {
            CardError::Bundle {
                reason: bundle::ModuleError::Faulty(err),
                ..
            } => Outcome::Failed(format!("a faulty bundle: {err}")),
            _ => Outcome::Refused(self.messages.take_first()),
        })?;
        match compiled.run(inputs) {
            Ok(outcome) => Ok(outcome.results),
            Err(err) => Err(Outcome::Failed(format!("on the card: {err}"))),
        }
    }
}

/// Returns how results differ; `None` if they do not.
fn different(expected: &[Array], actual: &[Array]) -> Option<String> {
    if expected.len() != actual.len() {
        return Some(format!("{} results for {}", actual.len(), expected.len()));
    }
    let mut pairs = expected.iter().zip(actual).enumerate();
    pairs.find_map(
        |(result, (expected, actual))| match compare(expected, actual, 0) {
            // +0 and -0 count as equal.
            Ok(comparison) if comparison.max_absolute_error == 0.0 => None,
            Ok(comparison) => Some(format!("result {result}: {comparison}")),
            Err(err) => Some(format!("result {result}: {err}")),
        },
    )
}

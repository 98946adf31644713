//! Programs on the CPU, and the same split between host and simulated card. A program that runs on the CPU runs with
//! the card: the host runs the operations that the card lacks.
//!
//! [`run`] runs a function of a module both ways. [`Generator`] has the programs of all generators as modules.

use melior::Context;
use melior::ir::Module;
use spyre_exec::bundle::SimulationOptions;
use spyre_exec::card::OnCard;
use spyre_exec::random::{Distribution, PowerOfTwo};
use spyre_exec::saved::{from_bytes, to_bytes};
use spyre_exec::sizes::largest;
use spyre_exec::{Array, Options, Program, Sizes, Tolerance, compare};
use spyre_generate::{inductor, linalg};
use spyre_uop::schema::{self, File};

use crate::recipe::Size;
use crate::shrink;
use crate::uop::Case;

/// The allowed distance of results: on the card, chains of 16 bits that the CPU computes in `f32` are rounded after
/// each operation.
const ALLOWED: Tolerance = Tolerance {
    ulps: 8,
    relative: 2e-2,
};

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It does not run on the CPU, has a tensor of too many elements, or reads unwritten memory.
    Skipped,
    /// Both have the same numbers.
    Same {
        /// Whether the card computes a part.
        on_card: bool,
    },
    /// It does not run with the card, or has other numbers.
    Failed(String),
}

/// Runs a function of a module on the CPU and with the card, on inputs of small magnitude that are drawn from the
/// name's program alone. Dynamic extents have their largest size. No tensor of it has more than `most_elements`
/// elements.
#[must_use]
pub fn run(context: &Context, module: &Module<'_>, name: &str, most_elements: usize) -> Outcome {
    let sizes = largest(module.as_operation());
    let select = || Program::select_sized(context, module.as_operation(), Some(name), &sizes).ok();
    let Some(program) = select() else {
        return Outcome::Skipped;
    };
    let signature = program.signature();
    let mut tensors = signature.inputs.iter().chain(&signature.outputs);
    if tensors.any(|ty| ty.element_count().is_none_or(|count| count > most_elements)) {
        return Outcome::Skipped;
    }
    let quarter = PowerOfTwo::new(0.25).expect("a power of two");
    let Ok(inputs) = program.random_inputs(Distribution::Within(quarter), 1) else {
        return Outcome::Skipped;
    };
    let on_cpu = |poison| -> Option<Vec<Array>> {
        let options = Options {
            poison,
            ..Options::default()
        };
        select()?.compile(context, options).ok()?.run(&inputs).ok()
    };
    let (Some(expected), Some(poisoned)) = (on_cpu(false), on_cpu(true)) else {
        return Outcome::Skipped;
    };
    // A program that reads unwritten memory may have any result.
    if format!("{expected:?}") != format!("{poisoned:?}") {
        return Outcome::Skipped;
    }
    match with_card(context, module, &program, &inputs) {
        Err(reason) => Outcome::Failed(reason),
        Ok((actual, on_card)) => match differences(&expected, &actual) {
            Some(reason) => Outcome::Failed(reason),
            None => Outcome::Same { on_card },
        },
    }
}

/// Runs a program with the card, after it was saved and loaded. Returns its results, and whether the card computes a part.
fn with_card(
    context: &Context,
    module: &Module<'_>,
    program: &Program<'_>,
    inputs: &[Array],
) -> Result<(Vec<Array>, bool), String> {
    let compiled = OnCard::compile(
        context,
        module.as_operation(),
        Some(program.entry()),
        program.sizes(),
        Options::default(),
        SimulationOptions::default(),
    );
    let compiled = compiled.map_err(|err| err.to_string())?;
    let bytes = to_bytes(&compiled.save().map_err(|err| err.to_string())?);
    let compiled = from_bytes(&bytes).map_err(|err| err.to_string())?;
    let compiled = OnCard::load(compiled).map_err(|err| err.to_string())?;
    let outcome = compiled.run(inputs).map_err(|err| err.to_string())?;
    Ok((outcome.results, !compiled.functions().is_empty()))
}

/// Returns the comparison of the first result that differs from the expected one by more than the tolerance.
fn differences(expected: &[Array], actual: &[Array]) -> Option<String> {
    let mut pairs = expected.iter().zip(actual);
    pairs.find_map(
        |(expected, actual)| match compare(expected, actual, ALLOWED) {
            Ok(comparison) if comparison.agrees() => None,
            Ok(comparison) => Some(comparison.to_string()),
            Err(err) => Some(err.to_string()),
        },
    )
}

/// A generator of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// Programs of device operations.
    Spyre,
    /// Structured operations, as front ends print them.
    Linalg,
    /// Graphs of PyTorch Inductor.
    Inductor,
    /// Graphs of tinyspec.
    Uop,
}

impl Generator {
    /// All generators.
    pub const ALL: [Self; 4] = [Self::Spyre, Self::Linalg, Self::Inductor, Self::Uop];

    /// Returns the text of the module of a number, in the sequence of a seed.
    ///
    /// # Panics
    /// The generator draws an invalid graph.
    #[must_use]
    pub fn draw(self, seed: u64, number: u64) -> String {
        match self {
            Self::Spyre => shrink::program(Size::default(), seed, number).to_mlir(true),
            Self::Linalg => linalg::program(seed, number).text,
            Self::Inductor => inductor::graph(seed, number),
            Self::Uop => uop_module(&Case::new(seed, number).file),
        }
    }

    /// Returns the name of the function that its programs run.
    #[must_use]
    pub const fn entry(self) -> &'static str {
        match self {
            Self::Spyre | Self::Linalg | Self::Inductor => "f",
            Self::Uop => "main",
        }
    }

    /// Runs the program of a number both ways.
    #[must_use]
    pub fn run(self, seed: u64, number: u64, most_elements: usize) -> Outcome {
        let context = spyre_exec::context();
        // Warnings list the parts that stay on the host.
        context.attach_diagnostic_handler(|_| true);
        let Some(module) = Module::parse(&context, &self.draw(seed, number)) else {
            return Outcome::Failed("it is not parsed".to_owned());
        };
        if let Err(err) =
            spyre_front_ends::convert(&context, module.as_operation(), &Sizes::new(), &[])
        {
            return Outcome::Failed(format!("it is not converted: {err}"));
        }
        run(&context, &module, self.entry(), most_elements)
    }
}

/// Returns the module of a tensor program.
fn uop_module(file: &File) -> String {
    let context = spyre_exec::context();
    context.load_all_available_dialects();
    let text = schema::write(file);
    let module = spyre_front_ends::import(&context, "drawn", text.as_bytes());
    let module = module.expect("the generator draws graphs");
    module.as_operation().to_string()
}

//! Programs of all generators, run and proved: no claim is refuted about a program that has the same results at every
//! level, and no program has other results.
//!
//! Programs of device operations are proved while they run ([`case`](crate::case)). Programs of front ends run with their parts for the
//! card, and [`Prover`] compiles and proves the same text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::ir::Module;
use spyre_exec::Sizes;
use spyre_generate::{Program, draw, inductor, linalg};
use spyre_mlir_rt::source::run_pipeline;

use crate::case::{Checks, Runner as Levels, Verdict};
use crate::kind::normalized;
use crate::proofs::{self, Answers, Prover};
use crate::recipe::Size;
use crate::shapes::Class;
use crate::{VOCABULARY, linalg as structured, real, shapes, shrink, with_card};

/// Most elements of a tensor of a program of a front end.
const MOST_ELEMENTS: usize = 1 << 16;

/// A generator of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generator {
    /// Programs of device operations from recipes; those with hints once more with a dynamic dimension.
    Recipes,
    /// Programs of device operations from shapes.
    Shapes,
    /// Programs of real numbers from shapes.
    Real,
    /// Structured operations, as front ends print them.
    Linalg,
    /// Graphs of PyTorch Inductor.
    Inductor,
    /// Graphs of PyTorch Inductor with a dynamic size.
    Open,
    /// Graphs of tinyspec.
    Uop,
}

impl Generator {
    /// All generators.
    pub const ALL: [Self; 7] = [
        Self::Recipes,
        Self::Shapes,
        Self::Real,
        Self::Linalg,
        Self::Inductor,
        Self::Open,
        Self::Uop,
    ];

    /// Returns the name, as options and tables have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recipes => "recipes",
            Self::Shapes => "shapes",
            Self::Real => "real",
            Self::Linalg => "linalg",
            Self::Inductor => "inductor",
            Self::Open => "open",
            Self::Uop => "uop",
        }
    }

    /// Returns the text of the program of a number, in the sequence of a seed: of a front end, as structured operations.
    #[must_use]
    pub fn program(self, seed: u64, number: u64) -> String {
        match self {
            Self::Recipes => shrink::program(Size::default(), seed, number).to_string(),
            Self::Shapes | Self::Real => {
                let program = drawn(self, seed, number);
                program.to_mlir(program.has_hints())
            }
            _ => text(self, seed, number),
        }
    }
}

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The program has the same results at every level, and no claim is refuted.
    Agrees,
    /// Results were not compared: a pass refused the program, or it does not run; with the reason.
    NotRun(String),
    /// The results are the same and a claim is refuted, or the program has other results.
    Disagrees {
        /// The kind, without names and numbers.
        kind: String,
        /// The details, with the answers of the proofs.
        message: String,
    },
}

/// Runs and proves programs, one after the other.
pub struct Runner {
    levels: Levels,
    structured: structured::Runner,
    prover: Prover,
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
    /// The pipelines are not registered.
    #[must_use]
    pub fn new() -> Self {
        Self {
            levels: Levels::new(),
            structured: structured::Runner::new(),
            prover: Prover::new(),
        }
    }

    /// Runs and proves the program of a number, in the sequence of a seed.
    #[must_use]
    pub fn run(&self, generator: Generator, seed: u64, number: u64) -> (Outcome, Answers) {
        drop(self.levels.take_answers());
        let checks = checks(generator, number);
        let verdict = match generator {
            Generator::Recipes => {
                let program = shrink::program(Size::default(), seed, number);
                self.levels.run(&program, number, checks)
            }
            Generator::Shapes | Generator::Real => {
                self.of_shapes(generator, &drawn(generator, seed, number), number)
            }
            _ => return self.of_front_end(generator, seed, number),
        };
        let outcome = match verdict {
            Verdict::Passed { .. } => Outcome::Agrees,
            Verdict::Refused { message, .. } => Outcome::NotRun(message),
            Verdict::Failed(failure) => Outcome::Disagrees {
                kind: format!("{:?}: {}", failure.phase, failure.kind),
                message: failure.message,
            },
        };
        (outcome, self.levels.take_answers())
    }

    fn of_shapes(&self, generator: Generator, program: &Program, number: u64) -> Verdict {
        let checks = checks(generator, number);
        match generator {
            Generator::Real => real::run(&self.levels, program, number, checks).verdict,
            _ => shapes::run(&self.levels, program, number, checks),
        }
    }

    /// Runs a program of a front end, and proves its bundles.
    fn of_front_end(&self, generator: Generator, seed: u64, number: u64) -> (Outcome, Answers) {
        let run = || {
            let text = text(generator, seed, number);
            (
                self.results(generator, seed, number, &text),
                self.prover.prove(&text),
            )
        };
        // A pass reports its panics as diagnostics, so this is one of a proof.
        let Ok((results, proved)) = catch_unwind(AssertUnwindSafe(run)) else {
            let kind = "panic".to_owned();
            let message = format!("number {number}");
            return (Outcome::Disagrees { kind, message }, Answers::default());
        };
        let outcome = match (results, proved.refuted) {
            (Outcome::Disagrees { kind, message }, refuted) => {
                let answer = refuted.map(|(message, _)| message);
                let answer = answer.unwrap_or_else(|| "no claim is refuted".to_owned());
                let message = format!("{message}\nproofs: {answer}");
                Outcome::Disagrees { kind, message }
            }
            (_, Some((message, program))) => Outcome::Disagrees {
                kind: proofs::kind(&message),
                message: format!("{message}\n{program}"),
            },
            (outcome, None) => outcome,
        };
        (outcome, proved.answers)
    }

    /// Compares the results of a program of a front end on the CPU and with the card.
    fn results(&self, generator: Generator, seed: u64, number: u64, text: &str) -> Outcome {
        let failed = |message: String| Outcome::Disagrees {
            kind: normalized(&message),
            message,
        };
        if generator == Generator::Linalg {
            let program = linalg::program(seed, number);
            return match self.structured.run(&program, number) {
                structured::Outcome::Same | structured::Outcome::Shared(_) => Outcome::Agrees,
                structured::Outcome::Constant => Outcome::NotRun("no input".to_owned()),
                structured::Outcome::Refused(message) => Outcome::NotRun(message),
                structured::Outcome::Failed(message) => failed(message),
            };
        }
        let context = self.prover.context();
        let Some(module) = Module::parse(context, text) else {
            return failed("the module of the front end is not parsed".to_owned());
        };
        let entry = match generator {
            Generator::Uop => "main",
            _ => "f",
        };
        match with_card::run(context, &module, entry, MOST_ELEMENTS) {
            with_card::Outcome::Same { .. } => Outcome::Agrees,
            with_card::Outcome::Skipped => Outcome::NotRun("not on the CPU".to_owned()),
            with_card::Outcome::Failed(message) => failed(message),
        }
    }

    /// Returns the text of a program that disagrees, made smaller where its generator can make it so.
    #[must_use]
    pub fn minimal(&self, generator: Generator, seed: u64, number: u64) -> String {
        let checks = checks(generator, number);
        match generator {
            Generator::Recipes => {
                let size = Size::default();
                let minimal = shrink::minimize(&self.levels, size, seed, number, checks);
                let drawn = || shrink::program(size, seed, number);
                minimal
                    .map_or_else(drawn, |minimal| minimal.program)
                    .to_string()
            }
            Generator::Shapes | Generator::Real => {
                let program = drawn(generator, seed, number);
                let run = |program: &Program| self.of_shapes(generator, program, number);
                let class: Class = shapes::class(&run(&program));
                let minimal = shapes::minimize(&program, &class, run);
                minimal.to_mlir(minimal.has_hints())
            }
            _ => {
                let text = text(generator, seed, number);
                match self.prover.prove(&text).refuted {
                    Some((message, program)) => self.prover.reduced(&program, &message),
                    None => text,
                }
            }
        }
    }
}

/// Returns the checks of the program of a number: plans of both kinds, and numbers of even and odd programs differ.
fn checks(generator: Generator, number: u64) -> Checks {
    Checks {
        open: generator == Generator::Recipes,
        plan: (number / 2).is_multiple_of(2),
        strict: generator != Generator::Recipes,
        prove: true,
        ..Checks::default()
    }
}

/// Returns the program of a number that is drawn from shapes.
fn drawn(generator: Generator, seed: u64, number: u64) -> Program {
    let draw = match generator {
        Generator::Real => draw::real_program,
        _ => draw::program,
    };
    draw(&VOCABULARY, draw::Size::default(), seed, number)
}

/// Returns the program of a number of a front end, as structured operations.
fn text(generator: Generator, seed: u64, number: u64) -> String {
    let context = spyre_exec::context();
    context.load_all_available_dialects();
    context.attach_diagnostic_handler(|_| true);
    let parse = |text: &str| Module::parse(&context, text).expect("the generator draws modules");
    let module = match generator {
        Generator::Open => {
            let module = parse(&inductor::open_graph(seed, number));
            let [least, most] = inductor::OPEN_SIZES;
            let sizes = format!("sizes=s77={least}:{most}");
            let pipeline = format!("builtin.module(convert-inductor-to-linalg{{{sizes}}})");
            let converted = run_pipeline(&context, module.as_operation(), &pipeline);
            converted.expect("a drawn graph is converted");
            module
        }
        Generator::Inductor => converted(&context, parse(&inductor::graph(seed, number))),
        Generator::Uop => {
            let drawn = with_card::Generator::Uop.draw(seed, number);
            converted(&context, parse(&drawn))
        }
        _ => parse(&linalg::program(seed, number).text),
    };
    module.as_operation().to_string()
}

/// Returns a module whose graphs have become functions.
fn converted<'c>(context: &'c melior::Context, module: Module<'c>) -> Module<'c> {
    let done = spyre_front_ends::convert(context, module.as_operation(), &Sizes::new(), &[]);
    done.expect("a drawn graph is converted");
    module
}

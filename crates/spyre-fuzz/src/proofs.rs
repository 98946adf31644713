//! Proofs of the programs that are run: what is proved has to have the same results, and what has the same results must
//! not be refuted.
//!
//! `Proving` proves the passes of one program, in three [stages](Stage): each pass against the program before it, the
//! tiled and the planned program against its source in one step, and the files of the bundle against the plan.
//! [`Prover`] takes programs of structured operations to bundles, whole and in parts for the card, and proves these.
//! [`Answers`] counts the claims.

mod reduce;

use std::collections::BTreeMap;
use std::fmt;

use melior::Context;
use melior::ir::Module;
use spyre_exec::card::parts;
use spyre_exec::prove::{Proof, Proofs};
use spyre_exec::sizes::largest;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source::{Anchor, run_pipeline, split_pipeline};
use spyre_proof_mlir::chain::ModuleCopy;
use spyre_proof_mlir::prove::Options;
use spyre_proof_mlir::report::Counts;

use crate::case::{Failure, Phase, Verdict, failed};
use crate::kind::normalized;
use crate::messages::Messages;

/// The programs that a proof is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The programs before and after one pass.
    Pass,
    /// The source, and the tiled or planned program.
    Source,
    /// The planned program, and the files of its bundle.
    Files,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Source, Self::Files];

    /// Returns the name, as tables have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass by pass",
            Self::Source => "source to plan",
            Self::Files => "files",
        }
    }
}

/// The answers to the claims about some programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    counts: [Counts; Stage::ALL.len()],
    undecided: BTreeMap<(Stage, String), usize>,
}

impl Answers {
    /// Returns the numbers of claims of a stage.
    #[must_use]
    pub fn counts(&self, stage: Stage) -> Counts {
        self.counts[stage as usize]
    }

    /// Returns the number of all claims.
    #[must_use]
    pub fn claims(&self) -> usize {
        let counts = self.counts.iter();
        counts
            .map(|counts| counts.proved + counts.refuted + counts.undecided)
            .sum()
    }

    /// Returns how many claims are not decided.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.counts.iter().map(|counts| counts.undecided).sum()
    }

    /// Adds the answers about other programs.
    pub fn add(&mut self, other: Self) {
        for (sum, counts) in self.counts.iter_mut().zip(other.counts) {
            sum.add(counts);
        }
        for (reason, count) in other.undecided {
            *self.undecided.entry(reason).or_default() += count;
        }
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in Stage::ALL {
            let Counts {
                proved,
                refuted,
                undecided,
            } = self.counts(stage);
            let name = stage.name();
            writeln!(
                f,
                "  {name}: {proved} proved, {refuted} refuted, {undecided} not decided"
            )?;
            let reasons = self.undecided.iter();
            let mut reasons: Vec<_> = reasons.filter(|((of, _), _)| *of == stage).collect();
            reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for ((_, reason), count) in reasons {
                writeln!(f, "  {count:>8}  {reason}")?;
            }
        }
        Ok(())
    }
}

/// The proofs of one program, while passes run on it.
pub(crate) struct Proving<'r> {
    context: &'r Context,
    messages: &'r Messages,
    proofs: Proofs<'static>,
    source: ModuleCopy,
    answers: Answers,
    refuted: Option<String>,
}

impl<'r> Proving<'r> {
    /// Begins with a program of device operations, before the first pass.
    pub(crate) fn new(context: &'r Context, messages: &'r Messages, module: Op<'_>) -> Self {
        Self {
            context,
            messages,
            proofs: Proofs::new(module, how("prove")),
            source: ModuleCopy::of(module),
            answers: Answers::default(),
            refuted: None,
        }
    }

    /// Proves a pass that has run on the program.
    pub(crate) fn pass(&mut self, module: Op<'_>, pass: &str) {
        let errors = self.messages.take();
        match self.proofs.after(self.context, module, pass) {
            Ok(Proof::Bundle(counts)) => self.add(Stage::Files, counts),
            Ok(proof) => self.add(Stage::Pass, proof.counts()),
            Err(err) => {
                self.refuted.get_or_insert(format!("no proof: {err}"));
            }
        }
        // Those of the passes go on to the report of a refusal.
        self.messages.keep(errors);
    }

    /// Proves the program against its source.
    pub(crate) fn source(&mut self, module: Op<'_>) {
        let errors = self.messages.take();
        let options = how("prove: source");
        match self.source.prove(self.context, module, &options) {
            Ok(counts) => self.add(Stage::Source, counts),
            Err(_) => {
                self.refuted.get_or_insert("no proof: no copy".to_owned());
            }
        }
        self.messages.keep(errors);
    }

    fn add(&mut self, stage: Stage, counts: Counts) {
        self.answers.counts[stage as usize].add(counts);
        for reason in self.messages.take_undecided() {
            // Tensors that follow from an undecided one are no reasons.
            let reason = (stage, normalized(&reason));
            *self.answers.undecided.entry(reason).or_default() += 1;
        }
        let mut errors = self.messages.take().into_iter();
        if let Some(error) = errors.next() {
            self.refuted.get_or_insert(error);
        }
    }

    /// Returns the first claim that does not hold.
    pub(crate) fn refuted(&self) -> Option<&str> {
        self.refuted.as_deref()
    }

    /// Returns the answers.
    pub(crate) fn into_answers(self) -> Answers {
        self.answers
    }
}

/// Returns the outcome of a run, if no claim about the program is refuted. What differs has the answers of the proofs in its
/// message, since a proof of it is wrong.
pub(crate) fn agreed<T>(
    phase: Phase,
    run: Result<T, Verdict>,
    proving: Option<&Proving<'_>>,
) -> Result<T, Verdict> {
    let Some(proving) = proving else {
        return run;
    };
    match (run, proving.refuted()) {
        (Ok(results), None) => Ok(results),
        (Ok(_), Some(message)) => Err(failed(phase, &kind(message), message.to_owned())),
        (Err(Verdict::Failed(failure)), refuted) => {
            let answer = refuted.unwrap_or("no claim is refuted");
            let message = format!("{}\nproofs: {answer}", failure.message);
            Err(Verdict::Failed(Failure { message, ..failure }))
        }
        (Err(verdict), _) => Err(verdict),
    }
}

/// Returns how programs are proved.
fn how(name: &'static str) -> Options<'static> {
    Options {
        name,
        has_summary: false,
        ..Options::default()
    }
}

/// Returns the kind of a claim that does not hold: its message without names and numbers.
pub(crate) fn kind(message: &str) -> String {
    format!("refuted: {}", normalized(message))
}

/// The passes of structured operations before `--spyre-pipeline`.
const IMPORT: &str = "spyre-import-linalg";

/// The ways in which a program is split between host and device.
const SPLITS: [&str; 2] = ["host=true", "host=true float=dl16"];

/// The answers about a program of structured operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proved {
    /// The answers.
    pub answers: Answers,
    /// The first claim that does not hold, and the program of device operations that it is about.
    pub refuted: Option<(String, String)>,
}

/// A context in which programs of structured operations are compiled and proved, one after the other.
pub struct Prover {
    context: Context,
    messages: Messages,
    passes: Vec<String>,
}

impl Default for Prover {
    fn default() -> Self {
        Self::new()
    }
}

impl Prover {
    /// Returns a prover.
    ///
    /// # Panics
    /// The pipeline is not registered.
    #[must_use]
    pub fn new() -> Self {
        let context = spyre_exec::context();
        context.load_all_available_dialects();
        let messages = Messages::new(&context);
        let passes = split_pipeline("builtin.module(spyre-pipeline)", Anchor::Explicit);
        Self {
            context,
            messages,
            passes: passes.expect("the pipeline is registered"),
        }
    }

    /// Returns the context, in which messages are not printed.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Compiles a module of structured operations to a bundle, and to bundles of its parts for the card, and proves
    /// all. What a pass refuses has the answers up to this pass.
    #[must_use]
    pub fn prove(&self, text: &str) -> Proved {
        let mut proved = Proved::default();
        if let Some(module) = self.after(text, IMPORT) {
            self.bundle(&module, &mut proved);
        }
        for options in SPLITS {
            let Some(module) = self.after(text, &format!("{IMPORT}{{{options}}}")) else {
                continue;
            };
            let module = module.as_operation();
            let Ok(parts) = parts(&self.context, module, &largest(module)) else {
                continue;
            };
            for part in parts {
                let copy = Module::from_operation((*part.program.general_module()).clone());
                self.bundle(&copy.expect("a copy of a module is one"), &mut proved);
            }
        }
        self.messages.take();
        proved
    }

    /// Returns a smaller program of device operations with a claim of the same kind that does not hold.
    #[must_use]
    pub fn reduced(&self, program: &str, message: &str) -> String {
        let expected = kind(message);
        reduce::reduced(program, |text| {
            let Some(module) = Module::parse(&self.context, text) else {
                return false;
            };
            let mut proved = Proved::default();
            self.bundle(&module, &mut proved);
            self.messages.take();
            proved
                .refuted
                .is_some_and(|(message, _)| kind(&message) == expected)
        })
    }

    /// Returns the module of a text after a pass; `None` if the pass refuses it.
    fn after(&self, text: &str, pass: &str) -> Option<Module<'_>> {
        let module = Module::parse(&self.context, text)?;
        let pipeline = format!("builtin.module({pass})");
        run_pipeline(&self.context, module.as_operation(), &pipeline).ok()?;
        Some(module)
    }

    /// Compiles a program of device operations to a bundle, pass by pass, and proves it.
    fn bundle(&self, module: &Module<'_>, proved: &mut Proved) {
        let module = module.as_operation();
        let source = module.to_string();
        let mut proving = Proving::new(&self.context, &self.messages, module);
        for pass in &self.passes {
            if run_pipeline(&self.context, module, pass).is_err() {
                break;
            }
            proving.pass(module, pass);
            if pass.contains("spyre-verify-plan") {
                proving.source(module);
            }
        }
        if let (Some(message), None) = (proving.refuted(), &proved.refuted) {
            proved.refuted = Some((message.to_owned(), source));
        }
        proved.answers.add(proving.into_answers());
    }
}

//! Runs of one program at every level of the pipeline.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::Module;
use spyre_bundle::Addresses;
use spyre_exec::bundle::{Interface, ModuleError, SimulationOptions, simulate, verified};
use spyre_exec::random::{self, Distribution};
use spyre_exec::sizes::open_dims;
use spyre_exec::{Array, DType, Options, Sizes, TensorType, compare, interpret};
use spyre_mlir_rt::source::{Anchor, run_pipeline, split_pipeline};
use spyre_ods::{scf, spyre};
use spyre_sim::{Bundle, Rounding};

use crate::messages::Messages;
use crate::open::{closed, opened};
use crate::program::{Element, Program};
use crate::proofs::{Answers, Proving, agreed};

/// The check of plans, as a separate pipeline.
const VERIFY_PLAN: &str = "builtin.module(func.func(spyre-verify-plan))";

/// The conversion of a plan to a bundle, as a separate pipeline.
const CONVERT: &str = "builtin.module(convert-spyre-to-sdscbundle)";

/// The step of the pipeline that a program is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The program is read.
    Parse,
    /// The untiled program is interpreted. The results of all other phases are compared with its results.
    Interpret,
    /// The untiled program is compiled for the CPU.
    Compile,
    /// Layouts are set and the program is tiled; the result is interpreted.
    Tile,
    /// The program is planned; the result is interpreted.
    Plan,
    /// The program becomes a bundle, which runs on the simulated card.
    Bundle,
    /// The program becomes a bundle with unrolled loops and fixed addresses, which runs on the simulated card.
    Unroll,
    /// One dimension of the program is dynamic; its bundle runs on the simulated card with several extents.
    Open,
    /// The plan becomes a kernel in KTIR, which runs on the CPU.
    Kernel,
}

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The program computes the same at every level.
    Passed {
        /// Whether the program has loops.
        tiled: bool,
        /// Number of extents of the dynamic dimension that the bundle ran with.
        open: usize,
        /// Number of relayouts, by which slices of values move from scratchpad to scratchpad.
        relayouts: usize,
    },
    /// A pass refused the program.
    Refused {
        /// The phase of the pass.
        phase: Phase,
        /// The first error message.
        message: String,
    },
    /// The program does not compute the same at every level, or a level failed.
    Failed(Failure),
}

/// A program that does not compute the same at every level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The phase in which the failure shows.
    pub phase: Phase,
    /// The kind of the failure, without the parts that differ from program to program. Failures of one phase and kind are assumed
    /// to have one cause.
    pub kind: String,
    /// The details of the failure.
    pub message: String,
}

/// The checks of a program in addition to the pipeline.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checks {
    /// Whether the untiled program is also compiled for the CPU.
    pub compile: bool,
    /// Whether the unrolled bundle also runs.
    pub unroll: bool,
    /// Whether the program also runs with a dynamic dimension.
    pub open: bool,
    /// Whether `--spyre-plan` makes the decisions of planning, instead of single passes.
    pub plan: bool,
    /// Whether warnings of the simulated card are faults.
    pub strict: bool,
    /// Whether each pass, the plan and the files are proved as well: a claim that is refuted is a failure.
    pub prove: bool,
}

/// A program as it runs: its text and its inputs.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The program without names and hints.
    pub untiled: String,
    /// The program with names and hints.
    pub hinted: String,
    /// The inputs of the program.
    pub inputs: Vec<Array>,
    /// Whether the results of the compiled program may differ.
    pub is_approximate: bool,
    /// Whether the first revision of the files has a form for the program.
    pub has_first_revision: bool,
}

/// The passes of a pipeline up to a bundle: the passes up to coarse tiling, and the passes of planning.
type Passes = [Vec<String>; 2];

/// Returns the passes of `--spyre-pipeline` with options.
fn passes(options: &str) -> Passes {
    let pipeline = format!("builtin.module(spyre-pipeline{options})");
    let passes = split_pipeline(&pipeline, Anchor::Explicit);
    let mut tiling = passes.expect("the pipeline is registered");
    tiling.retain(|pass| !pass.contains("convert-spyre-to-sdscbundle"));
    let is_planning = |pass: &String| pass.contains("spyre-work-division");
    let planned = tiling.iter().position(is_planning);
    let planning = tiling.split_off(planned.unwrap_or(tiling.len()));
    [tiling, planning]
}

/// A context in which programs run, one after the other.
pub struct Runner {
    context: Context,
    messages: Messages,
    /// The passes where single passes decide.
    passes: Passes,
    /// The passes with `--spyre-plan`.
    planned: Passes,
    /// The phase that runs now.
    phase: Cell<Phase>,
    /// The answers of proofs since they were taken.
    answers: RefCell<Answers>,
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
    /// The pipeline is not registered.
    #[must_use]
    pub fn new() -> Self {
        let context = spyre_exec::context();
        let messages = Messages::new(&context);
        Self {
            context,
            messages,
            // The options have no effect on arguments that are read once, and on values that cores read in the slices
            // that they have written.
            passes: passes("{cache-arguments=true relayouts=true}"),
            planned: passes(""),
            phase: Cell::new(Phase::Parse),
            answers: RefCell::default(),
        }
    }

    /// Returns the answers of the proofs since the last call.
    #[must_use]
    pub fn take_answers(&self) -> Answers {
        self.answers.take()
    }

    /// Returns a runner that runs one more pass after tiling, given as a separate pipeline.
    ///
    /// # Panics
    /// Like [`new`](Self::new).
    #[must_use]
    pub fn with_pass(pass: &str) -> Self {
        let mut runner = Self::new();
        for [tiling, _] in [&mut runner.passes, &mut runner.planned] {
            tiling.push(pass.to_owned());
        }
        runner
    }

    /// Runs a program at every level, on inputs from a seed.
    #[must_use]
    pub fn run(&self, program: &Program, seed: u64, checks: Checks) -> Verdict {
        let subject = Subject {
            untiled: program.to_mlir(false),
            hinted: program.to_mlir(true),
            inputs: inputs(program, seed),
            is_approximate: program.is_approximate(),
            has_first_revision: program.has_first_revision(),
        };
        self.caught(|| match self.levels(&subject, checks)? {
            Verdict::Passed {
                tiled, relayouts, ..
            } if checks.open => Ok(Verdict::Passed {
                tiled,
                open: self.open(program, seed, checks)?,
                relayouts,
            }),
            verdict => Ok(verdict),
        })
    }

    /// Runs a program at every level.
    #[must_use]
    pub fn run_subject(&self, subject: &Subject, checks: Checks) -> Verdict {
        self.caught(|| self.levels(subject, checks))
    }

    /// Returns the verdict of a run; a panic is a failure.
    pub(crate) fn caught(&self, run: impl FnOnce() -> Result<Verdict, Verdict>) -> Verdict {
        let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("a panic without a text").to_owned();
            Err(failed(self.phase.get(), "panic", text))
        });
        outcome.unwrap_or_else(|verdict| verdict)
    }

    fn levels(&self, subject: &Subject, checks: Checks) -> Result<Verdict, Verdict> {
        let inputs = subject.inputs.as_slice();
        self.messages.take();
        self.phase.set(Phase::Parse);
        let untiled = self.parse(&subject.untiled)?;
        let function = interpret::function(untiled.as_operation(), "f");
        let function =
            function.ok_or_else(|| failed(Phase::Parse, "no function", String::new()))?;
        self.phase.set(Phase::Interpret);
        let expected = interpret::run(function, inputs)
            .map_err(|err| failed(Phase::Interpret, "refused", err.to_string()))?;
        if checks.compile && !subject.is_approximate {
            self.phase.set(Phase::Compile);
            self.compiled(&untiled, inputs, &expected)?;
        }
        let module = self.parse(&subject.hinted)?;
        let mut proving = self.proving(&module, checks);
        let [tiling, planning] = self.passes_for(checks);
        self.carry_out(Phase::Tile, tiling, &module, proving.as_mut())?;
        let tiled = module.as_operation().to_string().contains(scf::FOR);
        let run = self.interpreted(Phase::Tile, &module, inputs, &expected);
        agreed(Phase::Tile, run, proving.as_ref())?;
        self.carry_out(Phase::Plan, planning, &module, proving.as_mut())?;
        self.verified(&module)?;
        let relayouts = relayouts(&module);
        let run = self.interpreted(Phase::Plan, &module, inputs, &expected);
        agreed(Phase::Plan, run, proving.as_ref())?;
        let function = interpret::function(module.as_operation(), "f");
        let function = function.ok_or_else(|| failed(Phase::Plan, "no function", String::new()))?;
        let interface = Interface::of_function(function)
            .map_err(|err| failed(Phase::Bundle, "interface", err.to_string()))?;
        // Fixed addresses are in segments, and the table has a fixed number of segments (SDSC bundle specification,
        // section 7.2).
        if checks.unroll
            && subject.has_first_revision
            && interface.arguments().len() < interface.target().segments as usize
        {
            let copy = Module::from_operation((*module.as_operation()).clone());
            let copy = copy.ok_or_else(|| failed(Phase::Unroll, "no module", String::new()))?;
            self.bundle(
                (Phase::Unroll, checks),
                &copy,
                &interface,
                inputs,
                &expected,
            )?;
        }
        let run = self.bundle(
            (Phase::Bundle, checks),
            &module,
            &interface,
            inputs,
            &expected,
        );
        if let (Some(proving), Ok(())) = (&mut proving, &run) {
            proving.pass(module.as_operation(), CONVERT);
        }
        agreed(Phase::Bundle, run, proving.as_ref())?;
        self.answered(proving);
        Ok(Verdict::Passed {
            tiled,
            open: 0,
            relayouts,
        })
    }

    /// Compiles a program to a bundle and runs it on the simulated card with the numbers of the card. Returns the
    /// results, and the verdict for the case that they are right.
    pub(crate) fn on_card(
        &self,
        text: &str,
        inputs: &[Array],
        checks: Checks,
    ) -> Result<(Vec<Array>, Verdict), Verdict> {
        self.messages.take();
        self.phase.set(Phase::Parse);
        let module = self.parse(text)?;
        let mut proving = self.proving(&module, checks);
        let [tiling, planning] = self.passes_for(checks);
        self.carry_out(Phase::Tile, tiling, &module, proving.as_mut())?;
        let tiled = module.as_operation().to_string().contains(scf::FOR);
        self.carry_out(Phase::Plan, planning, &module, proving.as_mut())?;
        self.verified(&module)?;
        let passed = Verdict::Passed {
            tiled,
            open: 0,
            relayouts: relayouts(&module),
        };
        let phase = Phase::Bundle;
        self.phase.set(phase);
        let function = interpret::function(module.as_operation(), "f");
        let function = function.ok_or_else(|| failed(phase, "no function", String::new()))?;
        let interface = Interface::of_function(function)
            .map_err(|err| failed(phase, "interface", err.to_string()))?;
        let bundle = self.converted(phase, &module, Addresses::Symbolic)?;
        let options = SimulationOptions {
            rounding: Some(Rounding::Dl16),
            ..SimulationOptions::default()
        };
        if let Some(proving) = &mut proving {
            proving.pass(module.as_operation(), CONVERT);
        }
        let run = run_on_card((phase, checks), &bundle, &interface, inputs, options);
        let results = agreed(phase, run, proving.as_ref())?;
        self.answered(proving);
        Ok((results, passed))
    }

    /// Leaves a dimension open and runs the bundle with the smallest, the largest and a middle extent. Returns the number of
    /// extents; 0 if the program has no such form, or a pass refuses it.
    fn open(&self, program: &Program, seed: u64, checks: Checks) -> Result<usize, Verdict> {
        let phase = Phase::Open;
        let Some(program) = opened(program, seed) else {
            return Ok(0);
        };
        self.messages.take();
        self.phase.set(phase);
        let module = self.parse(&program.to_mlir(true))?;
        let mut proving = self.proving(&module, checks);
        for passes in self.passes_for(checks) {
            match self.carry_out(phase, passes, &module, proving.as_mut()) {
                Err(Verdict::Refused { .. }) => return Ok(0),
                done => done?,
            }
        }
        let function = interpret::function(module.as_operation(), "f");
        let function = function.ok_or_else(|| failed(phase, "no function", String::new()))?;
        // Tiles may have restricted the extents.
        let Some((name, extent)) = open_dims(function).pop() else {
            return Err(failed(phase, "no open dimension", String::new()));
        };
        let largest = Interface::of_function(function)
            .map_err(|err| failed(phase, "interface", err.to_string()))?;
        let bundle = match self.converted(phase, &module, Addresses::Symbolic) {
            Ok(bundle) => bundle,
            Err(Verdict::Refused { .. }) => return Ok(0),
            Err(failed) => return Err(failed),
        };
        if let Some(proving) = &mut proving {
            proving.pass(module.as_operation(), CONVERT);
        }
        let mut extents: Vec<u64> = extent.admitted().collect();
        if let [first, .., last] = *extents.as_slice() {
            extents = vec![first, extents[extents.len() / 2], last];
            extents.dedup();
        }
        for extent in &extents {
            let closed = closed(&program, *extent);
            let inputs = inputs(&closed, seed);
            let untiled = self.parse(&closed.to_mlir(false))?;
            let untiled =
                spyre_exec::Program::select(&self.context, untiled.as_operation(), Some("f"))
                    .map_err(|err| failed(phase, "no program", err.to_string()))?;
            let function = interpret::function(untiled.module(), "f");
            let function = function.ok_or_else(|| failed(phase, "no function", String::new()))?;
            let expected = interpret::run(function, &inputs)
                .map_err(|err| failed(phase, "not interpreted", err.to_string()))?;
            let sizes = Sizes::from([(name.clone(), *extent)]);
            let interface = largest
                .clone()
                .called_as(untiled.signature(), &sizes)
                .map_err(|err| failed(phase, "interface", err.to_string()))?;
            let checks = Checks::default();
            let run = simulated((phase, checks), &bundle, &interface, &inputs, &expected);
            agreed(phase, run, proving.as_ref())?;
        }
        self.answered(proving);
        Ok(extents.len())
    }

    pub(crate) fn parse(&self, text: &str) -> Result<Module<'_>, Verdict> {
        Module::parse(&self.context, text).ok_or_else(|| {
            // The generator writes only programs that the verifiers accept.
            failed(Phase::Parse, "refused", self.messages.take().join("; "))
        })
    }

    fn passes_for(&self, checks: Checks) -> &Passes {
        match checks.plan {
            true => &self.planned,
            false => &self.passes,
        }
    }

    fn carry_out(
        &self,
        phase: Phase,
        passes: &[String],
        module: &Module<'_>,
        mut proving: Option<&mut Proving<'_>>,
    ) -> Result<(), Verdict> {
        self.phase.set(phase);
        for pass in passes {
            if run_pipeline(&self.context, module.as_operation(), pass).is_err() {
                return Err(self.refused(phase));
            }
            if let Some(proving) = &mut proving {
                proving.pass(module.as_operation(), pass);
            }
        }
        if let Some(proving) = proving {
            proving.source(module.as_operation());
        }
        Ok(())
    }

    /// Begins the proofs of a program, if it is proved.
    fn proving(&self, module: &Module<'_>, checks: Checks) -> Option<Proving<'_>> {
        let module = module.as_operation();
        checks
            .prove
            .then(|| Proving::new(&self.context, &self.messages, module))
    }

    /// Counts the answers of proofs.
    fn answered(&self, proving: Option<Proving<'_>>) {
        if let Some(proving) = proving {
            self.answers.borrow_mut().add(proving.into_answers());
        }
    }

    /// Checks the plan by rules that do not depend on planning.
    fn verified(&self, module: &Module<'_>) -> Result<(), Verdict> {
        if run_pipeline(&self.context, module.as_operation(), VERIFY_PLAN).is_ok() {
            return Ok(());
        }
        let message = self.messages.take().join("; ");
        Err(failed(Phase::Plan, "broken plan", message))
    }

    /// Returns the verdict after a pass has failed: a refusal if the first message is about the pass's input, otherwise a
    /// failure.
    fn refused(&self, phase: Phase) -> Verdict {
        match self.messages.take().into_iter().next() {
            Some(message) if is_refusal(&message) => Verdict::Refused { phase, message },
            Some(message) => failed(phase, "a pass made invalid IR", message),
            None => failed(phase, "a pass failed without a message", String::new()),
        }
    }

    fn compiled(
        &self,
        module: &Module<'_>,
        inputs: &[Array],
        expected: &[Array],
    ) -> Result<(), Verdict> {
        let wrong = |reason: String| failed(Phase::Compile, "refused", reason);
        let program = spyre_exec::Program::select(&self.context, module.as_operation(), Some("f"));
        let program = program.map_err(|err| wrong(err.to_string()))?;
        let options = Options {
            poison: true,
            ..Options::default()
        };
        let executable = program.compile(&self.context, options);
        let actual = executable
            .map_err(|err| wrong(err.to_string()))?
            .run(inputs);
        same(
            Phase::Compile,
            expected,
            &actual.map_err(|err| wrong(err.to_string()))?,
        )
    }

    fn interpreted(
        &self,
        phase: Phase,
        module: &Module<'_>,
        inputs: &[Array],
        expected: &[Array],
    ) -> Result<(), Verdict> {
        let function = interpret::function(module.as_operation(), "f");
        let function = function.ok_or_else(|| failed(phase, "no function", String::new()))?;
        let interface = Interface::of_function(function)
            .map_err(|err| failed(phase, "interface", err.to_string()))?;
        let actual = interpret::run(function, &interface.with_constants(inputs))
            .map_err(|err| failed(phase, "not interpreted", err.to_string()))?;
        same(phase, expected, &actual)
    }

    fn bundle(
        &self,
        (phase, checks): (Phase, Checks),
        module: &Module<'_>,
        interface: &Interface,
        inputs: &[Array],
        expected: &[Array],
    ) -> Result<(), Verdict> {
        self.phase.set(phase);
        let addresses = match phase {
            Phase::Unroll => Addresses::Concrete,
            _ => Addresses::Symbolic,
        };
        let bundle = self.converted(phase, module, addresses)?;
        simulated((phase, checks), &bundle, interface, inputs, expected)
    }

    /// Returns the bundle of a plan.
    fn converted(
        &self,
        phase: Phase,
        module: &Module<'_>,
        addresses: Addresses,
    ) -> Result<Bundle, Verdict> {
        // A plan is only converted: the passes before the conversion do not change it.
        if run_pipeline(&self.context, module.as_operation(), CONVERT).is_err() {
            return Err(self.refused(phase));
        }
        match verified(&self.context, module.as_operation(), addresses) {
            Ok(bundle) => Ok(bundle),
            // The first revision has fewer forms than the pipeline makes.
            Err(ModuleError::Reported(message)) if phase == Phase::Unroll => {
                Err(Verdict::Refused { phase, message })
            }
            Err(err) => Err(failed(phase, "files", err.to_string())),
        }
    }
}

/// Returns the number of relayouts of a plan.
fn relayouts(plan: &Module<'_>) -> usize {
    let text = plan.as_operation().to_string();
    let copies = text.lines().filter(|line| line.contains(spyre::COPY));
    copies.filter(|copy| copy.contains(" from [")).count()
}

/// Runs a bundle on the simulated card, and compares its results.
fn simulated(
    (phase, checks): (Phase, Checks),
    bundle: &Bundle,
    interface: &Interface,
    inputs: &[Array],
    expected: &[Array],
) -> Result<(), Verdict> {
    let options = SimulationOptions::default();
    let results = run_on_card((phase, checks), bundle, interface, inputs, options)?;
    same(phase, expected, &results)
}

/// Runs a bundle on the simulated card, and returns its results. Faults of the card are failures.
fn run_on_card(
    (phase, checks): (Phase, Checks),
    bundle: &Bundle,
    interface: &Interface,
    inputs: &[Array],
    options: SimulationOptions,
) -> Result<Vec<Array>, Verdict> {
    let run = simulate(bundle, interface, inputs, options)
        .map_err(|err| failed(phase, "not simulated", err.to_string()))?;
    if let Some(fault) = run.report.errors().next() {
        let kind = format!("{:?}", fault.kind);
        return Err(failed(phase, &kind, run.report.to_string()));
    }
    if checks.strict && !run.report.is_clean() {
        return Err(failed(
            phase,
            "a warning of the card",
            run.report.to_string(),
        ));
    }
    Ok(run.results)
}

/// Returns whether a message is that of a pass about its input. Verifiers do not name a pass.
fn is_refusal(message: &str) -> bool {
    let pass = message.split_once(": ").map(|(pass, _)| pass);
    pass.is_some_and(|pass| {
        spyre_all::PASSES
            .iter()
            .any(|rust_pass| rust_pass.argument == pass)
    })
}

pub(crate) fn failed(phase: Phase, kind: &str, message: String) -> Verdict {
    Verdict::Failed(Failure {
        phase,
        kind: kind.to_owned(),
        message,
    })
}

/// Checks that results are the expected ones, bit for bit.
fn same(phase: Phase, expected: &[Array], actual: &[Array]) -> Result<(), Verdict> {
    if expected.len() != actual.len() {
        let message = format!("{} results, not {}", actual.len(), expected.len());
        return Err(failed(phase, "results", message));
    }
    for (result, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        match compare(expected, actual, 0) {
            Ok(comparison) if comparison.agrees() => {}
            Ok(comparison) => {
                let message = format!("result {result}: {comparison}");
                return Err(failed(phase, "differs", message));
            }
            Err(err) => return Err(failed(phase, "type", err.to_string())),
        }
    }
    Ok(())
}

/// Returns the inputs of a program for a seed.
#[must_use]
pub fn inputs(program: &Program, seed: u64) -> Vec<Array> {
    let make = |(stream, input): (u64, &crate::program::Input)| {
        let element = match input.tensor.element {
            Element::F16 => DType::F16,
            Element::Bf16 => DType::Bf16,
            Element::F32 => DType::F32,
            Element::I32 => DType::I32,
            Element::Bool => DType::Bool,
        };
        let shape = program.shape(&input.tensor);
        let ty = TensorType {
            element,
            shape: shape.iter().map(|extent| *extent as usize).collect(),
        };
        let limit = |bound: u64| u32::try_from(bound).unwrap_or(u32::MAX);
        let distribution = match input.bound {
            _ if let Some(rows) = input.indices => Distribution::Indices(limit(rows)),
            Some(bound) => Distribution::Integers(limit(bound)),
            None if program.special_values => Distribution::WithSpecialValues,
            None => Distribution::Plain,
        };
        random::tensor(&ty, distribution, seed, stream).expect("small tensors fit into memory")
    };
    (0..).zip(&program.inputs).map(make).collect()
}

//! `--spyre-prove`: decides for all iterations, cores and extents that no address of a function is wrong.

use std::fs;
use std::sync::{Mutex, PoisonError};

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use spyre_bundle_files::Files;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_isl::Context as Solver;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::source;
use spyre_ods::{builtin, func};
use spyre_proof::claim::Claim;
use spyre_proof::files::FilesError;
use spyre_proof::program::Program;

use crate::chain::ModuleCopy;
use crate::claims;
use crate::extents::narrowing::{Narrowing, narrowing};
use crate::extents::params;
use crate::reader::{
    Sites, Unmodelled, device_operation_inside, misplaced, program, program_with_params,
};
use crate::report::{Counts, Reporter, Undecided, narrowed, refused, symbol, unmodelled};
use crate::target::limits;

const NAME: &str = "spyre-prove";

/// The operations of the solver that one claim may take by default: the slowest claims of the programs of this project
/// take a tenth.
pub const BUDGET: u64 = 200_000;

/// `--spyre-prove`
pub static PROVE: RustPass = RustPass {
    argument: NAME,
    summary: "Prove that no address of a function is wrong, for all iterations, cores and extents",
    description: include_str!("prove.md"),
    anchor: builtin::MODULE,
    options: &[
        PassOption {
            name: "before",
            description: "a file with the module before the passes; functions are compared by their names (P2)",
            kind: OptionKind::Str(""),
        },
        PassOption {
            name: "claims",
            description: "the claims: P1, P2, P3, P4; without, all that the module and the other options allow",
            kind: OptionKind::List,
        },
        PassOption {
            name: "budget",
            description: "the operations of the solver that one claim may take; 0 for any number",
            kind: OptionKind::Int(BUDGET.cast_signed()),
        },
        PassOption {
            name: "unknown",
            description: "what a claim that is not decided is: error, remark, or ignore",
            kind: OptionKind::Str("remark"),
        },
        PassOption {
            name: "chain",
            description: "for the passes between: `first` keeps a copy of the module, `next` compares with the copy and \
                          keeps another one, `last` compares and keeps none",
            kind: OptionKind::Str(""),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "proved",
            description: "Claims that hold",
        },
        PassStatistic {
            name: "refuted",
            description: "Claims that do not hold",
        },
        PassStatistic {
            name: "undecided",
            description: "Claims that are not decided",
        },
    ],
    // The file of `before` may have the dialects of any stage.
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::func(),
            DialectHandle::linalg(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
            spyre_dialects::spyre_dialect(),
            spyre_dialects::sdscbundle_dialect(),
        ]
    },
    run,
};

/// What is proved, and how it is reported.
#[derive(Debug, Clone)]
pub struct Options<'o> {
    /// The name of the pass or tool, at the beginning of each message.
    pub name: &'o str,
    /// The claims; `None` for all that are possible.
    pub claims: Option<Vec<Claim>>,
    /// The operations of the solver that one claim may take; 0 for any number.
    pub budget: u64,
    /// What is done about claims that are not decided.
    pub undecided: Undecided,
    /// Whether remarks have the assumptions and the numbers of claims.
    pub has_summary: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            name: NAME,
            claims: None,
            budget: BUDGET,
            undecided: Undecided::default(),
            has_summary: true,
        }
    }
}

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    run.preserve_analyses();
    let error =
        |message: String| Diagnostic::error(module.location(), format!("{NAME}: {message}"));
    let options = options(run).map_err(error)?;
    let context = run.context();
    let file = run.text("before");
    let counts = match (&file[..], &run.text("chain")[..]) {
        ("", "") => prove_module(context, module, None, &options),
        ("", step) => chained(context, module, step, &options)?,
        (path, "") => {
            let bytes =
                fs::read(path).map_err(|err| error(format!("cannot read {path}: {err}")))?;
            let before = source::parse(context, path, &bytes)
                .ok_or_else(|| error(format!("{path} has no module")))?;
            prove_module(context, module, Some(before.as_operation()), &options)
        }
        _ => return Err(error("'before' and 'chain' exclude each other".to_owned()).into()),
    };
    run.count("proved", counts.proved);
    run.count("refuted", counts.refuted);
    run.count("undecided", counts.undecided);
    match counts.is_failure(options.undecided) {
        true => Err(Failed),
        false => Ok(()),
    }
}

/// Reads the options of a run.
fn options(run: &PassRun<'_>) -> Result<Options<'static>, String> {
    let claims = run.list("claims").into_iter().map(|name| {
        let claim = Claim::ALL.into_iter().find(|claim| claim.number() == name);
        match claim {
            Some(Claim::Files) => Err(
                "P5 is about the files of a bundle: spyre-translate prove DIR FILE proves it"
                    .to_owned(),
            ),
            Some(claim) => Ok(claim),
            None => Err(format!(
                "'{name}' is no claim; the claims are P1, P2, P3 and P4"
            )),
        }
    });
    let claims = claims.collect::<Result<Vec<_>, _>>()?;
    if claims.contains(&Claim::Correspondence)
        && run.text("before").is_empty()
        && run.text("chain").is_empty()
    {
        return Err(
            "P2 is about two programs: 'before' names the file with the first one".to_owned(),
        );
    }
    let budget = run.int("budget");
    let budget = u64::try_from(budget).map_err(|_| format!("the budget is {budget}, below 0"))?;
    Ok(Options {
        claims: (!claims.is_empty()).then_some(claims),
        budget,
        undecided: run
            .text("unknown")
            .parse()
            .map_err(|err| format!("'unknown': {err}"))?,
        has_summary: run.text("chain").is_empty(),
        ..Options::default()
    })
}

/// Proves the claims about the functions of device operations of a module; with a module before, those of the same
/// names in it are compared.
pub fn prove_module(
    context: &Context,
    module: Op<'_>,
    before: Option<Op<'_>>,
    options: &Options<'_>,
) -> Counts {
    let mut counts = Counts::default();
    let of_before = before.map(all_functions).unwrap_or_default();
    // The host runs the other functions.
    let functions = device_functions(module);
    if functions.is_empty() && options.has_summary {
        let message = format!(
            "{}: no function has device operations, so nothing is proved",
            options.name
        );
        Diagnostic::remark(module.location(), message).emit();
    }
    for function in functions {
        let name = symbol(function);
        let mut same = of_before.iter().copied();
        let same = same.find(|other| symbol(*other) == name);
        if before.is_some() && same.is_none() {
            let reason = Unmodelled {
                op: function,
                message: "the module before has no function of this name".to_owned(),
            };
            counts.add(unmodelled(
                options.name,
                &[Claim::Correspondence],
                &reason,
                options.undecided,
            ));
        }
        counts.add(prove_function(context, function, same, options));
    }
    counts.add(prove_emptied(context, module, &of_before, options));
    counts
}

/// Proves P2 of the functions that have device operations in the module before and none in the module: they are missing, or lost
/// them.
fn prove_emptied(
    context: &Context,
    module: Op<'_>,
    of_before: &[Op<'_>],
    options: &Options<'_>,
) -> Counts {
    let mut counts = Counts::default();
    let is_asked = |claims: &Vec<Claim>| claims.contains(&Claim::Correspondence);
    if !options.claims.as_ref().is_none_or(is_asked) {
        return counts;
    }
    let functions = all_functions(module);
    let options = Options {
        claims: Some(vec![Claim::Correspondence]),
        ..options.clone()
    };
    for before in of_before {
        if device_operation_inside(*before).is_none() {
            continue; // The host runs it.
        }
        let name = symbol(*before);
        let mut same = functions.iter().copied();
        match same.find(|function| symbol(*function) == name) {
            Some(function) if device_operation_inside(function).is_some() => {}
            Some(function) => {
                counts.add(prove_function(context, function, Some(*before), &options));
            }
            None => {
                let reason = Unmodelled {
                    op: *before,
                    message: "the module has no function of this name".to_owned(),
                };
                let claims = [Claim::Correspondence];
                counts.add(unmodelled(
                    options.name,
                    &claims,
                    &reason,
                    options.undecided,
                ));
            }
        }
    }
    counts
}

/// Proves the claims about a function of device operations; with the function before passes, that both compute the
/// same.
pub fn prove_function(
    context: &Context,
    function: Op<'_>,
    before: Option<Op<'_>>,
    options: &Options<'_>,
) -> Counts {
    let is_possible = |claim: &Claim| match claim {
        Claim::Coverage => true,
        Claim::Correspondence => before.is_some(),
        Claim::Order | Claim::Place => is_planned(function),
        Claim::Files => false,
    };
    let claims = match &options.claims {
        Some(claims) => claims.clone(),
        None => Claim::ALL.into_iter().filter(is_possible).collect(),
    };
    let (possible, impossible): (Vec<Claim>, Vec<Claim>) =
        claims.into_iter().partition(is_possible);
    let mut counts = Counts::default();
    let undecided = |claims: &[Claim], reason: &Unmodelled<'_>| {
        unmodelled(options.name, claims, reason, options.undecided)
    };
    // P2 without a function before has been reported: no function has its name.
    let unplanned: Vec<_> = impossible
        .into_iter()
        .filter(|claim| *claim != Claim::Correspondence)
        .collect();
    if !unplanned.is_empty() {
        let message =
            "no operation has a place; --spyre-scratchpad-planning gives it one".to_owned();
        counts.add(undecided(
            &unplanned,
            &Unmodelled {
                op: function,
                message,
            },
        ));
    }
    if let Some(fault) = misplaced(function) {
        counts.add(refused(options.name, Claim::Place, &fault));
        return counts;
    }
    let (after, sites) = match program(function) {
        Ok(read) => read,
        Err(reason) => {
            counts.add(undecided(&possible, &reason));
            return counts;
        }
    };
    let before = before.filter(|_| possible.contains(&Claim::Correspondence));
    let narrowing = before.map(|before| narrowing(function, &params(before), &after.params));
    let narrowing = match narrowing.transpose() {
        Ok(narrowing) => narrowing.flatten(),
        Err(ranges) => {
            let message =
                format!("the program takes extents that the one before does not: {ranges}");
            let op = function;
            let fault = Unmodelled { op, message };
            counts.add(refused(options.name, Claim::Correspondence, &fault));
            return counts;
        }
    };
    if let Some(narrowing) = &narrowing {
        narrowed(options.name, function, &narrowing.ranges);
    }
    let before = match before.map(|before| program_before(before, narrowing.as_ref())) {
        Some(Err(reason)) => {
            counts.add(undecided(&[Claim::Correspondence], &reason));
            None
        }
        Some(Ok(read)) => Some(read),
        None => None,
    };
    let solver = Solver::new(options.budget);
    let limits = limits(context, function);
    let (before, sites_before) = before.unzip();
    let report = claims::findings(&solver, &possible, &after, before.as_ref(), Some(&limits));
    let reporter = Reporter {
        name: options.name,
        sites: &sites,
        before: sites_before.as_ref(),
        undecided: options.undecided,
        has_summary: options.has_summary,
    };
    counts.add(reporter.report(function, &report));
    counts
}

/// Proves that the files of a bundle address what a planned function addresses (P5), and the claims about its places.
///
/// # Errors
/// A file is missing, or is malformed.
pub fn prove_bundle(
    context: &Context,
    function: Op<'_>,
    files: &impl Files,
    options: &Options<'_>,
) -> Result<Counts, FilesError> {
    if let Some(fault) = misplaced(function) {
        return Ok(refused(options.name, Claim::Place, &fault));
    }
    let (program, sites) = match program(function) {
        Ok(read) => read,
        Err(reason) => {
            let claims = [Claim::Order, Claim::Place, Claim::Files];
            return Ok(unmodelled(
                options.name,
                &claims,
                &reason,
                options.undecided,
            ));
        }
    };
    let solver = Solver::new(options.budget);
    let report = claims::findings_of_files(&solver, &program, files, &limits(context, function))?;
    let reporter = Reporter {
        name: options.name,
        sites: &sites,
        before: None,
        undecided: options.undecided,
        has_summary: options.has_summary,
    };
    Ok(reporter.report(function, &report))
}

/// Returns the program of a function before passes, for the extents that the later program takes, which passes may have
/// narrowed.
fn program_before<'p>(
    function: Op<'p>,
    narrowing: Option<&Narrowing>,
) -> Result<(Program, Sites<'p>), Unmodelled<'p>> {
    let Some(narrowing) = narrowing else {
        return program(function);
    };
    let (mut program, sites) = program_with_params(function, narrowing.params.clone())?;
    narrowing.apply(&mut program);
    Ok((program, sites))
}

/// Returns the functions of a module, and of the modules in it, that have device operations.
#[must_use]
pub fn device_functions(module: Op<'_>) -> Vec<Op<'_>> {
    let mut all = all_functions(module);
    all.retain(|function| device_operation_inside(*function).is_some());
    all
}

/// Returns the functions of a module, and of the modules in it.
fn all_functions<'p>(module: Op<'p>) -> Vec<Op<'p>> {
    let mut all = Vec::new();
    for op in ir::blocks(module).flat_map(ir::operations) {
        match ir::name(op) {
            func::FUNC => all.push(op),
            builtin::MODULE => all.extend(all_functions(op)),
            _ => {}
        }
    }
    all
}

/// Returns whether an operation in a function has a place.
pub fn is_planned(op: Op<'_>) -> bool {
    ir::blocks(op).flat_map(ir::operations).any(|inner| {
        let place = DeviceOp::cast(inner).and_then(DeviceOp::place);
        let place = place.or_else(|| EmptyOp::cast(inner).and_then(EmptyOp::place));
        place.is_some() || is_planned(inner)
    })
}

/// The copies of modules between the passes of a pipeline.
///
/// A pass has no state of its own from one run to the next, since MLIR makes a copy of it for each thread. The first
/// step of each chain replaces what a failed pipeline has left.
static COPIES: Mutex<Vec<(ir::OpKey, ModuleCopy)>> = Mutex::new(Vec::new());

/// Compares a module with its copy, and keeps another one.
fn chained(
    context: &Context,
    module: Op<'_>,
    step: &str,
    options: &Options<'_>,
) -> Result<Counts, Failed> {
    let key = ir::op_key(module);
    let exchange = |copy: Option<ModuleCopy>| {
        let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
        let at = copies.iter().position(|(of, _)| *of == key);
        let former = at.map(|at| copies.swap_remove(at).1);
        copies.extend(copy.map(|copy| (key, copy)));
        former
    };
    let (is_compared, is_kept) = match step {
        "first" => (false, true),
        "next" => (true, true),
        "last" => (true, false),
        _ => {
            let message = format!("{NAME}: 'chain': '{step}' is none of first, next and last");
            return Err(Diagnostic::error(module.location(), message).into());
        }
    };
    let copy = is_kept.then(|| ModuleCopy::of(module));
    let former = exchange(copy);
    if !is_compared {
        return Ok(Counts::default());
    }
    let former = former.ok_or_else(|| {
        let message = format!(
            "{NAME}: 'chain={step}' has no module to compare with: 'chain=first' comes before it"
        );
        Diagnostic::error(module.location(), message)
    })?;
    former.prove(context, module, options)
}

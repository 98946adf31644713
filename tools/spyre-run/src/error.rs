//! The errors that stop the tool.

use std::io;
use std::path::PathBuf;

use spyre_bundle_files::LaunchError;
use spyre_exec::bundle::raw::RawError;
use spyre_exec::bundle::{InterfaceError, SimulateError};
use spyre_exec::card::CardError;
use spyre_exec::check::CheckError;
use spyre_exec::compare::TypeMismatch;
use spyre_exec::graphs::SelectError;
use spyre_exec::ktir::{KernelError, KernelRunError};
use spyre_exec::npy::NpyError;
use spyre_exec::program::{ProgramError, RunError};
use spyre_exec::prove::PipelineProofError;
use spyre_exec::{Signature, TensorType};
use spyre_mlir_rt::source::PipelineError;
use spyre_sim::ReadError;
use thiserror::Error;

/// The reason why the tool stops.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// An error that a diagnostic has reported.
    #[error("see above")]
    Reported,
    /// A program that does not run on the card.
    #[error(transparent)]
    Card(#[from] CardError),
    /// A kernel that is not compiled.
    #[error(transparent)]
    Kernel(KernelError),
    /// A kernel that does not run to its end.
    #[error(transparent)]
    KernelRun(#[from] KernelRunError),
    /// Results that depend on the order of cores.
    #[error(
        "argument {argument} depends on the order of cores: {reason}; a core reads or writes elements that another one writes in the same launch"
    )]
    Race {
        /// The argument.
        argument: usize,
        /// The differences.
        reason: String,
    },
    /// A size of no extent of a kernel.
    #[error(
        "the kernel has no extent \"{name}\"{}; --size N=VALUE gives argument N a value, as in --size 2=192",
        choices(extents)
    )]
    KernelSize {
        /// The name.
        name: String,
        /// The names of the extents of the kernel.
        extents: Vec<String>,
    },
    /// Several kernels in a module that runs as the program.
    #[error("the module has the kernels {}; choose one with --entry", names(.0))]
    Entry(Vec<String>),
    /// Several kernels for one program.
    #[error(
        "the file of --ktir has the kernels {}, and none is @{program}, the function that runs; --ktir-entry NAME chooses \
         one, and --entry chooses the function of the program",
        names(kernels)
    )]
    Kernels {
        /// The kernels.
        kernels: Vec<String>,
        /// The function of the program.
        program: String,
    },
    /// The format of floats of a card that there is not.
    #[error("--device-floats is for a simulated card: with --bundle or --on=card")]
    NoCard,
    /// A module before a failed pass, without passes.
    #[error("--save-ir is for a pipeline: with --check-pipeline or --passes")]
    NoPasses,
    /// A trace without a bundle.
    #[error("--trace is for one bundle: with --bundle")]
    NoTrace,
    /// A bundle with neither a program nor bytes.
    #[error(
        "--bundle needs arguments. Either the program that the bundle was compiled from defines them, as in spyre-run PROGRAM --bundle DIR (`-` is standard input), or --argument N=FILE and --random-seed N give the bytes of device memory, without options about tensors"
    )]
    NoProgram,
    /// Bytes of device memory for a program, or without a bundle.
    #[error(
        "--argument, --argument-bytes, --launch-params and --compare-bundle are for a bundle without its program: with --bundle alone"
    )]
    BytesOfProgram,
    /// Contents or sizes of one kernel argument.
    #[error("kernel argument {0} is given twice, by --argument or --argument-bytes")]
    ArgumentTwice(u32),
    /// A file of bytes that cannot be read.
    #[error("{}: {reason}", path.display())]
    Argument {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// A file that is no list of launch parameters.
    #[error("{}: no list of launch parameters: {reason}", path.display())]
    LaunchParams {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: serde_json::Error,
    },
    /// Files for the wrong number of kernel arguments.
    #[error(
        "the bundle writes {} kernel arguments, {numbers:?}, but there are {actual} --output files; give one for each, or none to print them", .numbers.len()
    )]
    RawOutputs {
        /// The numbers of the arguments.
        numbers: Vec<u32>,
        /// Files on the command line.
        actual: usize,
    },
    /// A bundle that cannot be called with bytes.
    #[error(transparent)]
    Raw(#[from] RawError),
    /// Two programs of one input.
    #[error("standard input is one program; --compare needs the other one in a file")]
    InputTwice,
    /// Tolerances that are not one for each result.
    #[error(
        "--tolerance is given {given} times, for {results} result(s); give it once, or once for each result of a run"
    )]
    Tolerances {
        /// The number of tolerances.
        given: usize,
        /// The number of results.
        results: usize,
    },
    /// Two extents of one dimension.
    #[error("--size gives \"{name}\" two extents, {first} and {second}")]
    SizeTwice {
        /// The dimension.
        name: String,
        /// The extent that is given first.
        first: u64,
        /// The extent that is given after it.
        second: u64,
    },
    /// The inputs do not match the function.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file of numbers.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// A program of which no function is selected.
    #[error(transparent)]
    Select(SelectError),
    /// An extent of a dimension by a further name.
    #[error(
        "\"{name}\" is another name of \"{holder}\": --size {holder}=EXTENT chooses the extent of both"
    )]
    FurtherSize {
        /// The further name.
        name: String,
        /// The name that has the extent.
        holder: String,
    },
    /// Results that cannot be compared.
    #[error("result {result}: {reason}")]
    Types {
        /// Position of the result.
        result: usize,
        /// The types.
        reason: TypeMismatch,
    },
    /// Two programs with other inputs or results.
    #[error("the programs cannot be compared: one is {first}, the other {second}")]
    Signatures {
        /// The signature of the first program.
        first: Signature,
        /// The signature of the second program.
        second: Signature,
    },
    /// Files for the wrong number of arguments.
    #[error(
        "@{entry} takes {expected} inputs, got {actual}; give one --input for each, or --random-seed: {signature}"
    )]
    Inputs {
        /// The function.
        entry: String,
        /// The number of its arguments.
        expected: usize,
        /// Files on the command line.
        actual: usize,
        /// The signature.
        signature: Signature,
    },
    /// Files for the wrong number of results.
    #[error(
        "@{entry} has {expected} results, but there are {actual} --output files; give one for each, or none to print them"
    )]
    Outputs {
        /// The function.
        entry: String,
        /// The number of its results.
        expected: usize,
        /// Files on the command line.
        actual: usize,
    },
    /// Files for the wrong number of expected results.
    #[error(
        "@{entry} has {expected} results, but there are {actual} --expect files; give one for each"
    )]
    Expected {
        /// The function.
        entry: String,
        /// The number of its results.
        expected: usize,
        /// Files on the command line.
        actual: usize,
    },
    /// A random input that does not fit into memory.
    #[error("{0} does not fit into memory")]
    TooLarge(TensorType),
    /// A directory or a file that cannot be written.
    #[error("{}: {reason}", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// Standard output that cannot be written, so the results were not shown.
    #[error("standard output: {0}")]
    Stdout(io::Error),
    /// A text that is no pipeline.
    #[error("not a pipeline: {0}")]
    Pipeline(PipelineError),
    /// A directory with an unreadable list of bundles.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A bundle that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A program from which the parameters of a bundle cannot be known.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// A bundle that cannot be called.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A pass that failed, or after which the program does not run.
    #[error(transparent)]
    Check(CheckError),
    /// The proofs of a pipeline that did not come to their end.
    #[error(transparent)]
    Proofs(#[from] PipelineProofError),
}

/// Returns the names of functions as text.
fn names(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
    names.join(", ")
}

/// Returns the part of a message with the names of the extents of a kernel.
fn choices(extents: &[String]) -> String {
    let quoted: Vec<String> = extents.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.is_empty() {
        true => " and no names of extents".to_owned(),
        false => format!(", but {}", quoted.join(", ")),
    }
}

impl From<ProgramError> for Error {
    fn from(_: ProgramError) -> Self {
        Self::Reported
    }
}

impl From<KernelError> for Error {
    fn from(err: KernelError) -> Self {
        match err {
            KernelError::Attributes(_) | KernelError::Lowering(_) => Self::Reported,
            KernelError::Several(kernels) => Self::Entry(kernels),
            err => Self::Kernel(err),
        }
    }
}

impl From<SelectError> for Error {
    fn from(err: SelectError) -> Self {
        match err {
            SelectError::Program(_) => Self::Reported,
            SelectError::FurtherSize { name, holder } => Self::FurtherSize { name, holder },
            err => Self::Select(err),
        }
    }
}

impl From<CheckError> for Error {
    fn from(err: CheckError) -> Self {
        match err {
            CheckError::Program(_) => Self::Reported,
            CheckError::Run(err) => Self::Run(err),
            err => Self::Check(err),
        }
    }
}

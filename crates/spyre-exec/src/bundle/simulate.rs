//! Runs a bundle on the simulated card.

use std::borrow::Cow;
use std::collections::BTreeMap;

use spyre_bundle_files::{Role as ParamRole, Statement, StatementKind};
use spyre_layout::Bytes;
use spyre_plan::Target;
use spyre_sim::read::{MemoryKind, Start};
use spyre_sim::{
    ArgumentId, BindError, Bundle, Limits, Machine, Report, Rounding, RunError, SegmentId, Stats,
    Trace,
};
use thiserror::Error;

use super::infinite::without_infinities;
use super::interface::{Argument, Interface, Role, repeated};
use crate::TensorType;
use crate::array::{Array, ArrayError};
use crate::sizes::Sizes;

/// The options of a run.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct SimulationOptions {
    /// The card; without it, that of the program.
    pub target: Option<Target>,
    /// The format in which 16-bit floats are stored; without it, that of the program.
    pub rounding: Option<Rounding>,
    /// The format in which the card computes `f32` of linalg programs.
    pub wide: WideFloats,
    /// Whether to keep an event for each core and execution.
    pub trace: bool,
    /// The limits of a run, so that damaged bundles end.
    pub limits: Limits,
}

/// The format in which the card computes floats of 32 bits, as in the option `float` of `--spyre-import-linalg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum WideFloats {
    /// In 16 bits where a chain of operations starts and ends in 16 bits.
    #[default]
    Auto,
    /// As the program does.
    Exact,
    /// In 16 bits; the host rounds the arguments.
    Dl16,
}

/// The outcome of a run.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The results. Elements that were never written are zero, and a fault in the report.
    pub results: Vec<Array>,
    /// The faults of the run.
    pub report: Report,
    /// The bytes that were moved.
    pub stats: Stats,
    /// The events of the run, if requested.
    pub trace: Option<Trace>,
}

/// A bundle that cannot be called with these tensors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The card stores 16-bit floats in one way at a time.
    #[error("the program has both f16 and bf16, which a simulated card cannot tell apart")]
    TwoFloats,
    /// A tensor that does not fit into memory.
    #[error("{0} does not fit into memory")]
    TooLarge(TensorType),
    /// The wrong number of inputs.
    #[error("the program takes {expected} inputs, got {actual}")]
    Count {
        /// The number of inputs that the program takes.
        expected: usize,
        /// The number of inputs that it got.
        actual: usize,
    },
    /// An input of another type.
    #[error("input {input} is {expected}, got {actual}")]
    Type {
        /// Position of the input.
        input: usize,
        /// The type of the argument of the program.
        expected: TensorType,
        /// The type of the input.
        actual: TensorType,
    },
    /// A parameter that is not one of the program's kernel arguments.
    #[error(
        "parameter %{name} of the bundle is kernel argument {number}, but the program has {arguments}: was the bundle compiled from this program?"
    )]
    Parameter {
        /// The name of the parameter.
        name: String,
        /// The argument that it is.
        number: u32,
        /// Kernel arguments of the program.
        arguments: usize,
    },
    /// A result without a parameter, which the bundle cannot write.
    #[error(
        "no parameter of the bundle is kernel argument {number}, which is result {result} of the program: was the bundle compiled from this program?"
    )]
    NoParameter {
        /// Position of the result.
        result: usize,
        /// The argument that it is.
        number: usize,
    },
    /// A parameter with a name of neither form.
    #[error("parameter %{0} of the bundle is neither 'arg_N_base_addr' nor 'pool_base_addr'")]
    Name(String),
    /// A runtime size without a value, because the program has no such dynamic dimension.
    #[error("parameter %{0} of the bundle is a runtime size, which the program does not have")]
    Size(String),
    /// A tensor that cannot be bound.
    #[error("kernel argument {number}: {reason}")]
    Bind {
        /// The argument.
        number: usize,
        /// The reason.
        reason: BindError,
    },
    /// The bundle does not run to its end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A result with bytes that are no elements of its type.
    #[error("result {result}: {reason}")]
    Result {
        /// Position of the result.
        result: usize,
        /// The reason.
        reason: ArrayError,
    },
}

/// The place of a kernel argument in the machine: a parameter or a segment.
enum Home {
    Argument(ArgumentId),
    Segment(SegmentId),
}

/// Runs a bundle on tensors.
///
/// # Errors
/// [`SimulateError`]. Faults in memory are in the report, and not errors.
pub fn simulate(
    bundle: &Bundle,
    interface: &Interface,
    inputs: &[Array],
    options: SimulationOptions,
) -> Result<Simulation, SimulateError> {
    check(interface, inputs)?;
    let rounding = options.rounding.or(interface.rounding());
    let rounding = rounding.ok_or(SimulateError::TwoFloats)?;
    let mut machine = Machine::new(options.target.unwrap_or(interface.target()))
        .with_rounding(rounding)
        .with_limits(options.limits);
    if options.trace {
        machine = machine.with_trace();
    }
    let contents = |argument| initial(argument, inputs, rounding);
    let homes = if bundle.function().params.is_empty() {
        bind_segments(&mut machine, bundle, interface, contents)?
    } else {
        bind_parameters(&mut machine, bundle, interface, contents)?
    };
    machine.run(bundle)?;
    let results = results(&mut machine, interface, &homes)?;
    Ok(Simulation {
        results,
        report: machine.report().clone(),
        stats: machine.stats().clone(),
        trace: machine.trace().cloned(),
    })
}

fn check(interface: &Interface, inputs: &[Array]) -> Result<(), SimulateError> {
    let expected = &interface.signature().inputs;
    if inputs.len() != expected.len() {
        return Err(SimulateError::Count {
            expected: expected.len(),
            actual: inputs.len(),
        });
    }
    for (input, (array, expected)) in inputs.iter().zip(expected).enumerate() {
        if array.ty() != expected {
            return Err(SimulateError::Type {
                input,
                expected: expected.clone(),
                actual: array.ty().clone(),
            });
        }
    }
    Ok(())
}

/// Returns the bytes that a kernel argument holds before the first run, on a card that stores 16-bit floats in the
/// format `rounding`; `None` for a result. With the floats of the program, constants keep their infinities, so that
/// results equal the program's bit for bit.
fn initial<'a>(
    argument: &'a Argument,
    inputs: &'a [Array],
    rounding: Rounding,
) -> Option<Cow<'a, [u8]>> {
    match &argument.role {
        Role::Input(position) => Some(Cow::Borrowed(inputs.get(*position)?.bytes())),
        Role::Constant(value) => {
            let elements = Cow::Borrowed(value.bytes());
            let elements = match rounding {
                Rounding::Dl16 => without_infinities(value.ty(), elements),
                Rounding::F16 | Rounding::Bf16 => elements,
            };
            // All elements have the same value, and so has written padding.
            let written = usize::try_from(argument.host.bytes().get()).ok()?;
            let bytes = elements.iter().copied().cycle().take(written);
            Some(Cow::Owned(bytes.collect()))
        }
        Role::Output(_) => None,
    }
}

/// Binds every parameter of the function, in order. `contents` returns the initial contents of an argument.
fn bind_parameters<'i>(
    machine: &mut Machine,
    bundle: &Bundle,
    interface: &'i Interface,
    contents: impl Fn(&'i Argument) -> Option<Cow<'i, [u8]>>,
) -> Result<BTreeMap<usize, Home>, SimulateError> {
    let function = bundle.function();
    let mut homes = BTreeMap::new();
    for param in &function.params {
        let name = || function.name(param.value).to_owned();
        let number = match function.role(param) {
            Some(ParamRole::Argument(number)) => number,
            Some(ParamRole::Pool) => {
                machine.add_output(interface.target().segment_bytes);
                continue;
            }
            Some(ParamRole::Size) => {
                let name = name();
                let size = size_name(&name).and_then(|size| interface.sizes().get(size));
                let size = size.and_then(|size| i64::try_from(*size).ok());
                machine.add_size(size.ok_or(SimulateError::Size(name))?);
                continue;
            }
            None => return Err(SimulateError::Name(name())),
        };
        let arguments = interface.arguments();
        let Some((position, argument)) = usize::try_from(number)
            .ok()
            .and_then(|position| Some((position, arguments.get(position)?)))
        else {
            return Err(SimulateError::Parameter {
                name: name(),
                number,
                arguments: arguments.len(),
            });
        };
        let bound = match contents(argument) {
            Some(bytes) => machine.add_input(&argument.host, &argument.device, &bytes),
            None => Ok(machine.add_output(argument.device.bytes())),
        };
        let bound = bound.map_err(|err| SimulateError::Bind {
            number: position,
            reason: err,
        })?;
        homes.insert(position, Home::Argument(bound));
    }
    Ok(homes)
}

/// Returns the name of a runtime size that a bundle does not admit, such as one that is no multiple of its tiles; `None` if it admits all.
pub(crate) fn refused_size<'b>(bundle: &'b Bundle, sizes: &Sizes) -> Option<&'b str> {
    let function = bundle.function();
    let mut params = function.params.iter();
    params.find_map(|param| {
        let name = size_name(function.name(param.value))?;
        let size = i64::try_from(*sizes.get(name)?).ok()?;
        (!param.bounds.admit(size)).then_some(name)
    })
}

/// Returns the name of the runtime size that a parameter holds (SDSC bundle specification, section 2.3); `None` for other names.
fn size_name(parameter: &str) -> Option<&str> {
    parameter.strip_prefix("dim_")?.strip_suffix("_base")
}

/// Places every kernel argument in a separate segment, as a bundle with fixed addresses expects. The pool, if there is
/// one, has the first segment.
fn bind_segments<'i>(
    machine: &mut Machine,
    bundle: &Bundle,
    interface: &'i Interface,
    contents: impl Fn(&'i Argument) -> Option<Cow<'i, [u8]>>,
) -> Result<BTreeMap<usize, Home>, SimulateError> {
    let arguments = interface.arguments();
    let segment = i64::try_from(interface.target().segment_bytes.get()).unwrap_or(i64::MAX);
    let last = last_segment(bundle, &bundle.function().body, segment);
    // The last argument is a result, which is written: one segment more than arguments is a pool.
    let pool = usize::from(last.is_some_and(|last| last >= arguments.len()));
    if pool == 1 {
        let added = machine.add_segment("the pool", 0, Bytes(segment.unsigned_abs()));
        added.map_err(|err| SimulateError::Bind {
            number: 0,
            reason: err,
        })?;
    }
    let mut homes = BTreeMap::new();
    for (number, argument) in arguments.iter().enumerate() {
        let wrong = |err| SimulateError::Bind {
            number,
            reason: err,
        };
        let base = i64::try_from(number + pool).unwrap_or(i64::MAX);
        let base = base.saturating_mul(segment);
        let name = format!("argument {number}");
        let placed = machine
            .add_segment(&name, base, argument.device.bytes())
            .map_err(wrong)?;
        if let Some(bytes) = contents(argument) {
            machine
                .fill_segment_from(placed, &argument.host, &argument.device, &bytes)
                .map_err(wrong)?;
        }
        homes.insert(number, Home::Segment(placed));
    }
    Ok(homes)
}

/// Returns the number of the last segment of device memory that holds a tensor of these statements; `None` if none has an
/// address.
fn last_segment(bundle: &Bundle, statements: &[Statement], segment: i64) -> Option<usize> {
    let position_of = |statement: &Statement| match &statement.kind {
        StatementKind::For { body, .. } => last_segment(bundle, body, segment),
        StatementKind::Execute { file, .. } => {
            let op = bundle.operation(file)?;
            let tensors = op.inputs.iter().chain([&op.output]);
            let addresses = tensors
                .filter(|tensor| tensor.memory == MemoryKind::Hbm)
                .flat_map(|tensor| &tensor.starts)
                .filter_map(|start| match start {
                    Start::Address(address) => usize::try_from(address / segment.max(1)).ok(),
                    Start::Symbol(_) => None,
                });
            addresses.max()
        }
        _ => None,
    };
    statements.iter().filter_map(position_of).max()
}

fn results(
    machine: &mut Machine,
    interface: &Interface,
    homes: &BTreeMap<usize, Home>,
) -> Result<Vec<Array>, SimulateError> {
    let mut results = Vec::new();
    for (number, argument) in interface.arguments().iter().enumerate() {
        let Role::Output(result) = argument.role else {
            continue;
        };
        let ty = &argument.ty;
        let bytes = ty.byte_count().and_then(|count| repeated(0, count));
        let mut bytes = bytes.ok_or_else(|| SimulateError::TooLarge(ty.clone()))?;
        let fetched = match homes.get(&number) {
            Some(Home::Argument(id)) => {
                machine.fetch(*id, &argument.host, &argument.device, &mut bytes)
            }
            Some(Home::Segment(id)) => {
                machine.fetch_segment(*id, &argument.host, &argument.device, &mut bytes)
            }
            None if bytes.is_empty() => Ok(()),
            None => return Err(SimulateError::NoParameter { result, number }),
        };
        fetched.map_err(|err| SimulateError::Bind {
            number,
            reason: err,
        })?;
        let array = Array::new(ty.element, &ty.shape, bytes);
        results.push(array.map_err(|err| SimulateError::Result {
            result,
            reason: err,
        })?);
    }
    Ok(results)
}

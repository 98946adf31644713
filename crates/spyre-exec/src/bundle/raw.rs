//! A bundle without its program: called with the bytes of device memory, one array for each kernel argument.
//!
//! The files have no types and no layouts, so no element is converted: the contents that a launcher would copy into
//! device memory are given, and the memory of every argument that the bundle writes is returned. The size of an
//! argument is that of its bytes, or the part that operations reach ([`ArgumentUse`]). Random bytes are numbers of the
//! format that the operations compute in, so that results are numbers as well.

mod pair;
mod results;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use spyre_bundle_files::{Param, ParamName, Role};
use spyre_layout::{Bytes, DeviceFormat, Dl16};
use spyre_plan::Target;
use spyre_sim::{
    ArgumentId, ArgumentUse, BindError, Bundle, Machine, Report, Rounding, RunError, Stats, Trace,
    UseError,
};
use thiserror::Error;

use super::SimulationOptions;
use super::interface::repeated;
use crate::random::{Distribution, tensor};
use crate::sizes::Sizes;
use crate::{DType, TensorType};

pub use pair::{RawPair, differences, for_both};
pub use results::{FirstDifference, RawDifference, RawResult};

/// The arguments of a call with bytes of device memory.
#[derive(Debug, Clone, Default)]
pub struct RawArguments {
    /// The contents of arguments, by number. All bytes count as written.
    pub contents: BTreeMap<u32, Vec<u8>>,
    /// The sizes of arguments without contents, by number; of the others, the part that operations reach.
    pub bytes: BTreeMap<u32, Bytes>,
    /// The runtime sizes, by name.
    pub sizes: Sizes,
    /// The seed of the contents of arguments that are read and have none.
    pub seed: Option<u64>,
}

/// A kernel argument that operations use, as a call binds it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RawArgument {
    /// The use by the operations.
    used: ArgumentUse,
    /// The size of the argument in device memory.
    bytes: Bytes,
}

/// The most bytes of an argument: device memory has no larger allocation than a segment.
const MAX_BYTES: Bytes = Target::CARD.segment_bytes;

/// The outcome of a run.
#[derive(Debug, Clone)]
pub struct RawSimulation {
    /// The memory of each argument that the bundle writes, by number.
    pub results: Vec<RawResult>,
    /// The faults of the run.
    pub report: Report,
    /// The bytes that were moved.
    pub stats: Stats,
    /// The events of the run, if requested.
    pub trace: Option<Trace>,
}

/// A bundle that cannot be called with these bytes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RawError {
    /// A bundle with numbers as addresses, which has no parameters.
    #[error(
        "the bundle has addresses as numbers and no parameters: name the program that it was compiled from, which defines its arguments"
    )]
    Concrete,
    /// A parameter with a name of neither form.
    #[error("parameter %{0} of the bundle is neither 'arg_N_base_addr' nor 'pool_base_addr'")]
    Name(String),
    /// A kernel argument that the bundle does not have.
    #[error("the bundle has no kernel argument {number}; {}", with_list("its arguments are", .numbers))]
    Number {
        /// The number.
        number: u32,
        /// The numbers that the bundle has.
        numbers: Vec<u32>,
    },
    /// A runtime size that the bundle does not have.
    #[error("the bundle has no runtime size \"{name}\"; {}", with_list("its sizes are", .names))]
    Size {
        /// The name.
        name: String,
        /// The names that the bundle has.
        names: Vec<String>,
    },
    /// A runtime size without a value.
    #[error(
        "the runtime size \"{name}\" has no value; give a positive multiple of {granularity} up to {max_value}"
    )]
    NoSize {
        /// The name.
        name: String,
        /// The number that divides it.
        granularity: i64,
        /// The largest value.
        max_value: i64,
    },
    /// The use of the arguments is not determined.
    #[error(transparent)]
    Use(#[from] UseError),
    /// An argument that is read and has no contents.
    #[error(
        "kernel argument {number} is read ({}), and has no contents: give its bytes, or a seed for random ones", size_text(.used)
    )]
    NoContents {
        /// The number.
        number: u32,
        /// The use of it.
        used: ArgumentUse,
    },
    /// An argument of unknown size.
    #[error(
        "the files do not have the size of kernel argument {0}, a table that indices select from: give its bytes or its size"
    )]
    NoBytes(u32),
    /// An argument that device memory cannot have.
    #[error(
        "kernel argument {number} of {bytes} does not fit into a segment of the card, of {segment}",
        segment = MAX_BYTES
    )]
    BeyondSegment {
        /// The number.
        number: u32,
        /// The size.
        bytes: Bytes,
    },
    /// An argument that does not fit into memory.
    #[error("kernel argument {number} of {bytes} does not fit into memory")]
    TooLarge {
        /// The number.
        number: u32,
        /// The size.
        bytes: Bytes,
    },
    /// Two bundles with other kernel arguments.
    #[error(
        "the bundles have other kernel arguments: {}, {}",
        with_list("the first has", .first),
        with_list("the second", .second)
    )]
    Arguments {
        /// The numbers of the first bundle.
        first: Vec<u32>,
        /// The numbers of the second bundle.
        second: Vec<u32>,
    },
    /// Two bundles that write other arguments.
    #[error("the first bundle writes the kernel arguments {first:?}, the second {second:?}")]
    Written {
        /// The numbers of the first bundle.
        first: Vec<u32>,
        /// The numbers of the second bundle.
        second: Vec<u32>,
    },
    /// A runtime size that neither of two bundles has.
    #[error(
        "neither bundle has a runtime size \"{name}\": {}, {}",
        with_list("the sizes of the first are", .first),
        with_list("of the second", .second)
    )]
    SizeOfNeither {
        /// The name.
        name: String,
        /// The names that the first bundle has.
        first: Vec<String>,
        /// The names that the second bundle has.
        second: Vec<String>,
    },
    /// One of two bundles cannot be called.
    #[error("the {bundle} bundle: {reason}")]
    OfPair {
        /// `first` or `second`.
        bundle: &'static str,
        /// The reason.
        reason: Box<RawError>,
    },
    /// An argument that cannot be read back.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The bundle does not run to its end.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Returns a list after its subject: `its sizes are S and T`.
fn with_list(subject: &str, list: &[impl ToString]) -> String {
    match list {
        [] => format!("{subject} none"),
        _ => {
            let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
            format!("{subject} {}", texts.join(", "))
        }
    }
}

fn size_text(used: &ArgumentUse) -> String {
    let format = used.format.name();
    match used.bytes {
        Some(bytes) => format!("{} bytes of {format}", bytes.get()),
        None => format!("of {format}"),
    }
}

/// Returns the kernel arguments that operations use, by number, as a call binds them.
///
/// # Errors
/// [`RawError`]: an argument or a size that the bundle does not have, one that it lacks, or one that is too large.
fn call_arguments(
    bundle: &Bundle,
    given: &RawArguments,
) -> Result<BTreeMap<u32, RawArgument>, RawError> {
    if bundle.function().params.is_empty() {
        return Err(RawError::Concrete);
    }
    let uses = bundle.argument_uses(&size_values(bundle, &given.sizes)?)?;
    // A parameter that no operation uses is an argument as well: a launcher passes all.
    let numbers = argument_numbers(bundle);
    let mut named = given.contents.keys().chain(given.bytes.keys());
    if let Some(number) = named.find(|number| !numbers.contains(number)) {
        return Err(RawError::Number {
            number: *number,
            numbers: numbers.into_iter().collect(),
        });
    }
    let mut arguments = BTreeMap::new();
    for (number, used) in uses {
        let contents = given.contents.get(&number);
        let bytes = contents.map(|contents| Bytes(contents.len() as u64));
        let bytes = bytes.or_else(|| given.bytes.get(&number).copied());
        let bytes = bytes.or(used.bytes).ok_or(RawError::NoBytes(number))?;
        // Before any memory is allocated: the size may be a slip of the command line.
        if bytes > MAX_BYTES {
            return Err(RawError::BeyondSegment { number, bytes });
        }
        arguments.insert(number, RawArgument { used, bytes });
    }
    Ok(arguments)
}

/// Returns the numbers of the kernel arguments that a bundle declares.
fn argument_numbers(bundle: &Bundle) -> BTreeSet<u32> {
    let function = bundle.function();
    let roles = function.params.iter().map(|param| function.role(param));
    let numbers = roles.filter_map(|role| match role {
        Some(Role::Argument(number)) => Some(number),
        _ => None,
    });
    numbers.collect()
}

/// Returns the numbers of the kernel arguments that the operations of a bundle write, in order.
///
/// # Errors
/// [`RawError`]: an argument or a size that the bundle does not have, or one that it lacks.
pub fn written_arguments(bundle: &Bundle, given: &RawArguments) -> Result<Vec<u32>, RawError> {
    let arguments = call_arguments(bundle, given)?.into_iter();
    let written = arguments.filter(|(_, argument)| argument.used.is_written);
    Ok(written.map(|(number, _)| number).collect())
}

/// Fills the contents of arguments that are read, from the seed, and the sizes of the others, so that the same call of
/// another bundle has the same memory.
///
/// # Errors
/// [`RawError::NoContents`] without a seed, and the errors of [`written_arguments`].
pub fn with_contents(
    bundle: &Bundle,
    mut given: RawArguments,
    rounding: Rounding,
) -> Result<RawArguments, RawError> {
    for (number, RawArgument { used, bytes }) in call_arguments(bundle, &given)? {
        if given.contents.contains_key(&number) {
            continue;
        }
        given.bytes.insert(number, bytes);
        if used.is_read {
            let seed = given.seed;
            let seed = seed.ok_or_else(|| RawError::NoContents {
                number,
                used: used.clone(),
            })?;
            let contents = random(&used, bytes, rounding, seed, number);
            let contents = contents.ok_or(RawError::TooLarge { number, bytes })?;
            given.contents.insert(number, contents);
        }
    }
    Ok(given)
}

/// Runs a bundle on bytes of device memory.
///
/// # Errors
/// [`RawError`]. Faults in memory are in the report, and not errors.
pub fn simulate_raw(
    bundle: &Bundle,
    given: &RawArguments,
    options: SimulationOptions,
) -> Result<RawSimulation, RawError> {
    let arguments = call_arguments(bundle, given)?;
    check_results(&arguments)?;
    let target = options.target.unwrap_or(Target::CARD);
    let rounding = options.rounding.unwrap_or(Rounding::Dl16);
    let mut machine = Machine::new(target)
        .with_rounding(rounding)
        .with_limits(options.limits);
    if options.trace {
        machine = machine.with_trace();
    }
    let argument_ids = bind(&mut machine, bundle, &arguments, given, target)?;
    machine.run(bundle)?;
    let mut results = Vec::new();
    for (number, argument) in &arguments {
        if argument.used.is_written {
            let id = argument_ids.get(number);
            let id = id.expect("an argument is a parameter");
            let (bytes, written) = machine.bytes(*id)?;
            results.push(RawResult {
                number: *number,
                format: rounding.stored(argument.used.format),
                bytes,
                written,
            });
        }
    }
    Ok(RawSimulation {
        results,
        report: machine.report().clone(),
        stats: machine.stats().clone(),
        trace: machine.trace().cloned(),
    })
}

/// Checks that the written arguments fit into memory, with a mark for each byte. They are copied after the run, and a
/// run may be long.
fn check_results(arguments: &BTreeMap<u32, RawArgument>) -> Result<(), RawError> {
    let written = arguments.iter();
    let mut written = written.filter(|(_, argument)| argument.used.is_written);
    written.try_for_each(|(number, RawArgument { bytes, .. })| {
        let length = bytes.get().checked_mul(2);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let fits = length.map(|length| Vec::<u8>::new().try_reserve_exact(length));
        match fits {
            Some(Ok(())) => Ok(()),
            _ => Err(RawError::TooLarge {
                number: *number,
                bytes: *bytes,
            }),
        }
    })
}

/// Binds every parameter of the function, in order, and returns the id of each kernel argument, by number.
fn bind(
    machine: &mut Machine,
    bundle: &Bundle,
    arguments: &BTreeMap<u32, RawArgument>,
    given: &RawArguments,
    target: Target,
) -> Result<BTreeMap<u32, ArgumentId>, RawError> {
    let function = bundle.function();
    let sizes = size_values(bundle, &given.sizes)?;
    let mut argument_ids = BTreeMap::new();
    for (position, param) in function.params.iter().enumerate() {
        match function.role(param) {
            Some(Role::Pool) => drop(machine.add_output(target.segment_bytes)),
            Some(Role::Size) => drop(machine.add_size(sizes[&position])),
            Some(Role::Argument(number)) => {
                let contents = given.contents.get(&number);
                let id = match (contents, arguments.get(&number)) {
                    (Some(contents), _) => machine.add_bytes(contents),
                    (None, Some(argument)) => machine.add_output(argument.bytes),
                    // No operation uses it.
                    (None, None) => machine.add_output(Bytes(0)),
                };
                argument_ids.insert(number, id);
            }
            None => return Err(RawError::Name(function.name(param.value).to_owned())),
        }
    }
    Ok(argument_ids)
}

/// Returns the names of the runtime sizes of a bundle.
fn size_names(bundle: &Bundle) -> BTreeSet<String> {
    let function = bundle.function();
    let sizes = function.params.iter();
    let sizes = sizes.filter(|param| param.bounds.is_size());
    let names = sizes.map(|param| size_name(function.name(param.value)).to_owned());
    names.collect()
}

/// Returns the value of each parameter that is a runtime size, by position.
fn size_values(bundle: &Bundle, given: &Sizes) -> Result<FxHashMap<usize, i64>, RawError> {
    let function = bundle.function();
    let params = function.params.iter().enumerate();
    let sizes = params.filter(|(_, param)| param.bounds.is_size());
    let name = |param: &Param| size_name(function.name(param.value)).to_owned();
    let names = size_names(bundle);
    // A name that is unknown comes first: the missing one is likely the same, misspelt.
    if let Some(name) = given.keys().find(|name| !names.contains(*name)) {
        return Err(RawError::Size {
            name: name.clone(),
            names: names.into_iter().collect(),
        });
    }
    let value = |(position, param): (usize, &Param)| {
        let name = name(param);
        let granularity = param.bounds.granularity.unwrap_or(1);
        let max_value = param.bounds.max_value.unwrap_or(i64::MAX);
        let Some(given) = given.get(&name) else {
            return Err(RawError::NoSize {
                name,
                granularity,
                max_value,
            });
        };
        let value = i64::try_from(*given).unwrap_or(i64::MAX);
        match param.bounds.admit(value) {
            true => Ok((position, value)),
            // Before memory is made for it.
            false => Err(RawError::Run(RunError::Size {
                param: position,
                name,
                value,
                granularity,
                max_value,
            })),
        }
    };
    sizes.map(value).collect()
}

/// Returns the name of a runtime size: that of the dimension if it bounds loops, else the name of the parameter,
/// without its suffix.
fn size_name(parameter: &str) -> &str {
    match ParamName::parse(parameter) {
        Some(ParamName::LoopSize(name)) => name,
        _ => parameter.strip_suffix("_base").unwrap_or(parameter),
    }
}

/// Returns random contents of an argument: numbers of the stored format, and zeros for indices, which every table has.
/// `None` if they do not fit into memory.
fn random(
    used: &ArgumentUse,
    bytes: Bytes,
    rounding: Rounding,
    seed: u64,
    number: u32,
) -> Option<Vec<u8>> {
    let format = rounding.stored(used.format);
    let width = usize::try_from(format.bytes_per_element().get()).ok()?;
    let length = usize::try_from(bytes.get()).ok()?;
    if used.is_indices {
        return repeated(0, length);
    }
    let element = match format {
        DeviceFormat::Sen169Fp16 | DeviceFormat::IeeeFp32 => DType::F32,
        DeviceFormat::IeeeFp16 => DType::F16,
        DeviceFormat::Bfloat16 => DType::Bf16,
        DeviceFormat::SenInt16 => DType::I16,
        DeviceFormat::IeeeInt32 | DeviceFormat::SenUint32 => DType::I32,
        DeviceFormat::SenInt8 | DeviceFormat::Sen143Fp8 | DeviceFormat::Sen152Fp8 => DType::I8,
    };
    let ty = TensorType {
        element,
        shape: vec![length.div_ceil(width)],
    };
    let distribution = match format {
        // The bits of small numbers: these formats are only moved.
        DeviceFormat::Sen143Fp8 | DeviceFormat::Sen152Fp8 | DeviceFormat::SenUint32 => {
            Distribution::Indices(32)
        }
        _ => Distribution::Plain,
    };
    let mut contents = tensor(&ty, distribution, seed, number.into())?.into_bytes();
    if format == DeviceFormat::Sen169Fp16 {
        let elements = contents.as_chunks::<4>().0.iter();
        let elements = elements.map(|element| Dl16::from_f32(f32::from_ne_bytes(*element)));
        contents = elements
            .flat_map(|element| element.to_bits().to_le_bytes())
            .collect();
    }
    contents.truncate(length);
    Some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_contents_are_numbers_of_the_format() {
        let used = |format, is_indices| ArgumentUse {
            is_read: true,
            is_written: false,
            is_indices,
            bytes: None,
            format,
        };
        for format in DeviceFormat::ALL {
            let contents = random(&used(format, false), Bytes(256), Rounding::Dl16, 1, 0);
            let contents = contents.expect("room");
            assert_eq!(contents.len(), 256, "{format:?}");
            assert!(contents.iter().any(|byte| *byte != 0), "{format:?}");
            let indices = random(&used(format, true), Bytes(128), Rounding::Dl16, 1, 0);
            assert_eq!(indices.expect("room"), [0; 128], "{format:?}");
        }
        let contents = random(
            &used(DeviceFormat::Sen169Fp16, false),
            Bytes(128),
            Rounding::Dl16,
            1,
            0,
        );
        let contents = contents.expect("room");
        let elements = contents.as_chunks::<2>().0.iter();
        let mut numbers = elements.map(|bits| Dl16::from_bits(u16::from_le_bytes(*bits)).to_f32());
        assert!(numbers.all(|number| number.abs() <= 2.0));
    }

    #[test]
    fn sizes_are_called_by_the_names_of_their_dimensions() {
        assert_eq!(size_name("dim_rows_base"), "rows");
        assert_eq!(size_name("sym_0_1_base"), "sym_0_1");
    }
}

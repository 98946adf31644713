//! Runs a bundle without its program, on the bytes of device memory, and compares two of them.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use spyre_bundle_files::Bundles;
use spyre_exec::bundle::SimulationOptions;
use spyre_exec::bundle::raw::{
    RawArguments, RawResult, RawSimulation, differences, for_both, simulate_raw, with_contents,
    written_arguments,
};
use spyre_exec::{DType, TensorType, npy};
use spyre_layout::Bytes;
use spyre_sim::{Bundle, Rounding};

use crate::error::Error;
use crate::options::Options;
use crate::{inputs, output, stats, subject};

/// The number of elements of an argument that are printed.
const PRINTED: usize = 16;

/// The most bytes of a list of launch parameters.
const MAX_PARAMS: u64 = 1 << 24;

/// Runs the bundle in a directory, and writes or prints the memory of the arguments that it writes. With
/// `--compare-bundle`, runs the other bundle on the same memory as well, and prints the differences. Returns `false`
/// for a faulty bundle, whose results are not written, and for a difference.
pub(crate) fn bundle(directory: &Path, options: &Options) -> Result<bool, Error> {
    let first = read(directory)?;
    // Without a program, memory has the card's floats.
    let rounding = options.device_floats.map_or(Rounding::Dl16, Into::into);
    let given = arguments(options)?;
    let Some(other) = &options.compare_bundle else {
        check_outputs(&first, &given, options)?;
        let given = with_contents(&first, given, rounding)?;
        let Some(simulation) = run(&first, &given, options)? else {
            return Ok(false);
        };
        write(&simulation.results, options)?;
        return Ok(true);
    };
    let second = read(other)?;
    let pair = for_both([&first, &second], given, rounding)?;
    let mut given = pair.arguments;
    let [first_sizes, second_sizes] = pair.sizes;
    given.sizes = first_sizes;
    let Some(one) = run(&first, &given, options)? else {
        return Ok(false);
    };
    given.sizes = second_sizes;
    let Some(two) = run(&second, &given, options)? else {
        return Ok(false);
    };
    compare(&one.results, &two.results)
}

/// Reads the one bundle of a directory.
fn read(directory: &Path) -> Result<Bundle, Error> {
    Bundles::check_is_one(directory)?;
    Ok(Bundle::read(directory)?)
}

/// Returns the arguments of the command line.
fn arguments(options: &Options) -> Result<RawArguments, Error> {
    let mut given = RawArguments {
        sizes: inputs::sizes(options)?,
        seed: options.random_seed,
        ..RawArguments::default()
    };
    for (number, path) in &options.arguments {
        let contents = contents(path)?;
        if given.contents.insert(*number, contents).is_some() {
            return Err(Error::ArgumentTwice(*number));
        }
    }
    for (number, bytes) in &options.argument_bytes {
        let is_given = given.contents.contains_key(number);
        if is_given || given.bytes.insert(*number, Bytes(*bytes)).is_some() {
            return Err(Error::ArgumentTwice(*number));
        }
    }
    if let Some(path) = &options.launch_params {
        for (number, bytes) in launch_sizes(path)? {
            if !given.contents.contains_key(&number) {
                given.bytes.entry(number).or_insert(bytes);
            }
        }
    }
    Ok(given)
}

/// A launch parameter, with the fields that are read here.
#[derive(Deserialize)]
struct LaunchParam {
    arg_index: i64,
    tensor: Option<LaunchTensor>,
}

/// The tensor of a parameter of the kind `kernel`.
#[derive(Deserialize)]
struct LaunchTensor {
    bytes: u64,
}

/// Returns the sizes of kernel arguments in a list of launch parameters, by number.
fn launch_sizes(path: &Path) -> Result<Vec<(u32, Bytes)>, Error> {
    let text = spyre_files::read_text(path, MAX_PARAMS).map_err(|reason| Error::Argument {
        path: path.to_owned(),
        reason,
    })?;
    let params: Vec<LaunchParam> =
        serde_json::from_str(&text).map_err(|reason| Error::LaunchParams {
            path: path.to_owned(),
            reason,
        })?;
    let sizes = params.into_iter().filter_map(|param| {
        let number = u32::try_from(param.arg_index).ok()?;
        Some((number, Bytes(param.tensor?.bytes)))
    });
    Ok(sizes.collect())
}

/// Returns the bytes of a file: the elements of a `.npy` file of bytes, or all of another file.
fn contents(path: &Path) -> Result<Vec<u8>, Error> {
    if path.extension().is_none_or(|extension| extension != "npy") {
        let io = |reason| Error::Argument {
            path: path.to_owned(),
            reason,
        };
        // A pipe waits for a writer, and a device never ends.
        drop(spyre_files::open(path).map_err(io)?);
        return fs::read(path).map_err(io);
    }
    let shape = npy::shape(path)?;
    let extents = shape
        .iter()
        .map(|extent| usize::try_from(*extent).unwrap_or(usize::MAX));
    let ty = TensorType {
        element: DType::I8,
        shape: extents.collect(),
    };
    Ok(npy::read(path, &ty)?.into_bytes())
}

/// Runs a bundle; `None` if it is faulty, which has been reported.
fn run(
    bundle: &Bundle,
    given: &RawArguments,
    options: &Options,
) -> Result<Option<RawSimulation>, Error> {
    let start = Instant::now();
    let simulation = SimulationOptions {
        rounding: options.device_floats.map(Into::into),
        trace: options.trace.is_some(),
        ..SimulationOptions::default()
    };
    let simulation = simulate_raw(bundle, given, simulation)?;
    stats::time(options, "simulate", None, start.elapsed());
    stats::traffic(options, None, &simulation.stats);
    if let (Some(path), Some(trace)) = (&options.trace, &simulation.trace) {
        subject::write_trace(path, trace)?;
    }
    output::faults(&simulation.report);
    output::range_losses(None, simulation.report.range_losses());
    let has_errors = simulation.report.errors().next().is_some();
    Ok((!has_errors).then_some(simulation))
}

/// Checks before the run that there is an `--output` file for each argument that the bundle writes, or none.
fn check_outputs(bundle: &Bundle, given: &RawArguments, options: &Options) -> Result<(), Error> {
    let numbers = written_arguments(bundle, given)?;
    let actual = options.outputs.len();
    match actual == 0 || actual == numbers.len() {
        true => Ok(()),
        false => Err(Error::RawOutputs { numbers, actual }),
    }
}

/// Writes the memory of arguments to the files of the command line, or prints its first elements.
fn write(results: &[RawResult], options: &Options) -> Result<(), Error> {
    if options.outputs.is_empty() {
        for result in results {
            let text = result.text(PRINTED);
            output::line(format_args!("argument {}: {text}", result.number))?;
        }
        return Ok(());
    }
    let mut files = output::Files::default();
    for (path, result) in options.outputs.iter().zip(results) {
        if path.extension().is_some_and(|extension| extension == "npy") {
            let ty = TensorType {
                element: DType::I8,
                shape: vec![result.bytes.len()],
            };
            files.add_tensor(path, &ty, &result.bytes)?;
        } else {
            files.add_bytes(path, &result.bytes)?;
        }
    }
    files.commit()
}

/// Prints the differences of the memory of arguments, and returns whether there are none.
fn compare(first: &[RawResult], second: &[RawResult]) -> Result<bool, Error> {
    let mut agree = true;
    for (number, difference) in differences(first, second)? {
        output::line(format_args!("argument {number}: {difference}"))?;
        agree &= difference.agrees();
    }
    Ok(agree)
}

//! Bundles without their programs, on the bytes of device memory.

use std::collections::BTreeMap;
use std::path::Path;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use spyre_bundle_files::Bundles;
use spyre_exec::bundle::SimulationOptions;
use spyre_exec::bundle::raw::{
    RawArguments, RawSimulation, differences, for_both, simulate_raw, with_contents,
};
use spyre_exec::card;
use spyre_layout::Bytes;
use spyre_sim::{Bundle, Rounding};

use crate::failure::{failure, in_context, text};
use crate::program::Launch;

/// The number of elements in the text of a result.
const PRINTED: usize = 16;

/// The memory of a kernel argument after a run: its number, a text with its first elements, and its bytes.
type RawResult<'py> = (u32, String, Bound<'py, PyArray1<u8>>);

/// A kernel argument after the runs of two bundles: its number, whether its memory agrees, and the differences as text.
type RawDifference = (u32, bool, String);

/// Runs the bundle in a directory. `arguments` has the bytes of kernel arguments by number, `bytes` the sizes of
/// others, and `sizes` the runtime sizes by name; an argument that operations read and `arguments` lacks is random,
/// from the seed.
///
/// Returns the memory of each argument that the bundle writes, the statistics, and the warnings of the run. An error of
/// the run is a failure with all of its faults.
#[pyfunction]
#[pyo3(signature = (directory, arguments, *, bytes, sizes, seed))]
pub(crate) fn run_bundle<'py>(
    py: Python<'py>,
    directory: &str,
    arguments: Vec<(u32, PyReadonlyArray1<'py, u8>)>,
    bytes: BTreeMap<u32, u64>,
    sizes: BTreeMap<String, u64>,
    seed: Option<u64>,
) -> PyResult<(Vec<RawResult<'py>>, Launch, Vec<String>)> {
    let call = raw_arguments(&arguments, bytes, sizes, seed)?;
    let simulation = in_context(py, |_| run(Path::new(directory), call))?.value;
    let warnings = warnings(&simulation);
    let results = simulation.results.into_iter().map(|result| {
        let preview = result.text(PRINTED);
        (result.number, preview, PyArray1::from_vec(py, result.bytes))
    });
    let launch = card::Launch {
        function: directory.to_owned(),
        stats: simulation.stats,
        range_losses: simulation.report.range_losses().to_vec(),
    };
    Ok((results.collect(), launch.into(), warnings))
}

/// Runs the bundles of two directories on the same device memory, as [`run_bundle`] runs one.
///
/// Returns the differences of each argument that the bundles write, and the warnings of the first run and of the second
/// one.
#[pyfunction]
#[pyo3(signature = (first, second, arguments, *, bytes, sizes, seed))]
pub(crate) fn compare_bundles<'py>(
    py: Python<'py>,
    first: &str,
    second: &str,
    arguments: Vec<(u32, PyReadonlyArray1<'py, u8>)>,
    bytes: BTreeMap<u32, u64>,
    sizes: BTreeMap<String, u64>,
    seed: Option<u64>,
) -> PyResult<(Vec<RawDifference>, [Vec<String>; 2])> {
    let call = raw_arguments(&arguments, bytes, sizes, seed)?;
    let directories = [first, second].map(Path::new);
    let simulations = in_context(py, |_| run_both(directories, call))?.value;
    let [one, other] = &simulations;
    let differences = differences(&one.results, &other.results);
    let differences = differences.map_err(text).map_err(failure)?.into_iter();
    let differences = differences.map(|(number, it)| (number, it.agrees(), it.to_string()));
    Ok((differences.collect(), simulations.each_ref().map(warnings)))
}

/// Returns the arguments of a call, with a copy of their contents: a run is without the lock of the interpreter, in
/// which arrays may change.
fn raw_arguments(
    arguments: &[(u32, PyReadonlyArray1<'_, u8>)],
    bytes: BTreeMap<u32, u64>,
    sizes: BTreeMap<String, u64>,
    seed: Option<u64>,
) -> PyResult<RawArguments> {
    let bytes = bytes.into_iter();
    let mut call = RawArguments {
        bytes: bytes.map(|(number, size)| (number, Bytes(size))).collect(),
        sizes,
        seed,
        ..RawArguments::default()
    };
    for (number, contents) in arguments {
        let contents = contents.as_slice().map_err(text).map_err(failure)?;
        call.contents.insert(*number, contents.to_vec());
    }
    Ok(call)
}

/// Returns the texts of the faults of a run that are no errors.
fn warnings(simulation: &RawSimulation) -> Vec<String> {
    let faults = simulation.report.faults().iter();
    faults.map(ToString::to_string).collect()
}

fn run(directory: &Path, call: RawArguments) -> Result<RawSimulation, String> {
    let bundle = read(directory)?;
    let call = with_contents(&bundle, call, Rounding::Dl16).map_err(text)?;
    simulate(&bundle, &call)
}

fn run_both(directories: [&Path; 2], call: RawArguments) -> Result<[RawSimulation; 2], String> {
    let [first, second] = directories.map(|directory| {
        read(directory).map_err(|reason| format!("{}: {reason}", directory.display()))
    });
    let bundles = [first?, second?];
    let pair = for_both(bundles.each_ref(), call, Rounding::Dl16).map_err(text)?;
    let mut call = pair.arguments;
    let mut simulations = Vec::with_capacity(bundles.len());
    for ((bundle, sizes), directory) in bundles.iter().zip(pair.sizes).zip(directories) {
        call.sizes = sizes;
        let simulation = simulate(bundle, &call);
        let simulation =
            simulation.map_err(|reason| format!("{}: {reason}", directory.display()))?;
        simulations.push(simulation);
    }
    Ok(simulations
        .try_into()
        .expect("each bundle has one simulation"))
}

/// Reads the one bundle of a directory.
fn read(directory: &Path) -> Result<Bundle, String> {
    Bundles::check_is_one(directory).map_err(text)?;
    Bundle::read(directory).map_err(text)
}

/// Runs a bundle; its errors are one text.
fn simulate(bundle: &Bundle, call: &RawArguments) -> Result<RawSimulation, String> {
    let simulation = simulate_raw(bundle, call, SimulationOptions::default()).map_err(text)?;
    let errors: Vec<String> = simulation
        .report
        .errors()
        .map(ToString::to_string)
        .collect();
    match errors.is_empty() {
        true => Ok(simulation),
        false => Err(errors.join("\n")),
    }
}

//! Bundles without their programs, on the bytes of device memory.

use std::collections::BTreeMap;
use std::path::Path;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use spyre_bundle_files::Bundles;
use spyre_exec::bundle::SimulationOptions;
use spyre_exec::bundle::raw::{RawArguments, RawSimulation, simulate_raw, with_contents};
use spyre_exec::card;
use spyre_layout::Bytes;
use spyre_sim::{Bundle, Rounding};

use crate::failure::{failure, in_context, text};
use crate::program::Launch;

/// The number of elements in the text of a result.
const PRINTED: usize = 16;

/// The memory of a kernel argument after a run: its number, a text with its first elements, and its bytes.
type RawResult<'py> = (u32, String, Bound<'py, PyArray1<u8>>);

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
    let mut given = RawArguments {
        bytes: bytes
            .into_iter()
            .map(|(number, size)| (number, Bytes(size)))
            .collect(),
        sizes,
        seed,
        ..RawArguments::default()
    };
    for (number, contents) in &arguments {
        let contents = contents.as_slice().map_err(text).map_err(failure)?;
        given.contents.insert(*number, contents.to_vec());
    }
    let simulation = in_context(py, |_| run(Path::new(directory), given))?.value;
    let faults = simulation.report.faults().iter();
    let warnings = faults.map(ToString::to_string).collect();
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

fn run(directory: &Path, given: RawArguments) -> Result<RawSimulation, String> {
    Bundles::check_is_one(directory).map_err(text)?;
    let bundle = Bundle::read(directory).map_err(text)?;
    let given = with_contents(&bundle, given, Rounding::Dl16).map_err(text)?;
    let simulation = simulate_raw(&bundle, &given, SimulationOptions::default()).map_err(text)?;
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

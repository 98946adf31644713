//! Compiled programs, and their runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use melior::Context;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use spyre_exec::bundle::{SimulationOptions, WideFloats};
use spyre_exec::card::{self, OnCard, SavedOnCard};
use spyre_exec::graphs::{module, select};
use spyre_exec::program::SavedExecutable;
use spyre_exec::saved::{from_bytes, to_bytes};
use spyre_exec::{Array, Executable, Options, Signature, Sizes};
use spyre_mlir_rt::diagnostic::shortened;

use crate::failure::{Diagnostic, failure, in_context, text};

/// The type of an argument or a result.
#[pyclass(frozen, get_all, module = "spyre_mlir._native")]
#[derive(Debug, Clone)]
pub(crate) struct TensorType {
    shape: Vec<usize>,
    dtype: &'static str,
}

impl TensorType {
    fn all(types: &[spyre_exec::TensorType]) -> Vec<Self> {
        let of = |ty: &spyre_exec::TensorType| Self {
            shape: ty.shape.clone(),
            dtype: ty.element.name(),
        };
        types.iter().map(of).collect()
    }
}

#[pymethods]
impl TensorType {
    fn __repr__(&self) -> String {
        let extents = self.shape.iter().map(|extent| format!("{extent}x"));
        format!("tensor<{}{}>", extents.collect::<String>(), self.dtype)
    }
}

/// A function of the program that runs on the card.
#[pyclass(frozen, get_all, module = "spyre_mlir._native")]
#[derive(Debug, Clone)]
pub(crate) struct DeviceFunction {
    name: String,
    work: u64,
}

/// A run of a function of the device.
#[pyclass(frozen, get_all, module = "spyre_mlir._native")]
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    function: String,
    stats: BTreeMap<&'static str, f64>,
    range_losses: Vec<String>,
}

impl From<card::Launch> for Launch {
    #[expect(clippy::cast_precision_loss, reason = "counts of a report")]
    fn from(launch: card::Launch) -> Self {
        let stats = &launch.stats;
        let peak = stats.lx_peak.values().map(|bytes| bytes.get()).max();
        let losses = launch.range_losses.iter();
        let losses = losses.map(|loss| shortened(&loss.to_string()).into_owned());
        Self {
            stats: BTreeMap::from([
                ("executions", stats.ops as f64),
                ("iterations", stats.iterations as f64),
                ("hbm_read", stats.hbm_read.get() as f64),
                ("hbm_written", stats.hbm_written.get() as f64),
                ("hbm_read_distinct", stats.hbm_read_distinct.get() as f64),
                ("lx_read", stats.lx_read.get() as f64),
                ("lx_written", stats.lx_written.get() as f64),
                ("lx_peak", peak.unwrap_or(0) as f64),
                ("modelled_time", stats.modelled_time.microseconds()),
            ]),
            range_losses: losses.collect(),
            function: launch.function,
        }
    }
}

/// The compiled form of a program.
enum Compiled {
    /// The host on the CPU, the functions of the device on the simulated card.
    Card(OnCard),
    /// All on the CPU.
    Cpu(Executable),
}

impl Compiled {
    fn run(&self, inputs: &[Array]) -> Result<(Vec<Array>, Vec<card::Launch>), String> {
        match self {
            Self::Card(program) => {
                let outcome = program.run(inputs).map_err(text)?;
                Ok((outcome.results, outcome.launches))
            }
            Self::Cpu(program) => Ok((program.run(inputs).map_err(text)?, Vec::new())),
        }
    }

    fn save(&self) -> Result<SavedCompiled, String> {
        Ok(match self {
            Self::Card(program) => SavedCompiled::Card(Box::new(program.save().map_err(text)?)),
            Self::Cpu(program) => SavedCompiled::Cpu(Box::new(program.save().map_err(text)?)),
        })
    }

    fn load(saved: SavedCompiled) -> Result<Self, String> {
        Ok(match saved {
            SavedCompiled::Card(saved) => Self::Card(OnCard::load(*saved).map_err(text)?),
            SavedCompiled::Cpu(saved) => {
                Self::Cpu(Executable::load(*saved, Vec::new()).map_err(text)?)
            }
        })
    }
}

/// A compiled program as data.
#[derive(Serialize, Deserialize)]
struct Saved {
    compiled: SavedCompiled,
    entry: String,
    signature: Signature,
    constants: Vec<Option<Array>>,
    diagnostics: Vec<Diagnostic>,
}

/// The compiled form of a program, as data.
#[derive(Serialize, Deserialize)]
enum SavedCompiled {
    Card(Box<SavedOnCard>),
    Cpu(Box<SavedExecutable>),
}

/// A compiled function of a module.
#[pyclass(frozen, module = "spyre_mlir._native")]
pub(crate) struct Program {
    compiled: Compiled,
    entry: String,
    signature: Signature,
    /// The values of the arguments that are constants.
    constants: Vec<Option<Array>>,
    diagnostics: Vec<Diagnostic>,
    /// Held by a run: runs in several threads would share the list of launches.
    running: Mutex<()>,
}

/// The bytes of results.
type Results<'py> = Vec<Bound<'py, PyArray1<u8>>>;

/// What is compiled, and how.
struct Request<'r> {
    source: &'r [u8],
    name: &'r str,
    entry: Option<&'r str>,
    card: bool,
    floats: WideFloats,
    sizes: Sizes,
    shapes: Vec<Vec<u64>>,
}

/// Returns the treatment of wide floats of a name.
pub(crate) fn wide_floats(name: &str) -> PyResult<WideFloats> {
    match name {
        "auto" => Ok(WideFloats::Auto),
        "exact" => Ok(WideFloats::Exact),
        "dl16" => Ok(WideFloats::Dl16),
        _ => {
            let message = format!("floats is 'auto', 'exact' or 'dl16', and not '{name}'");
            Err(pyo3::exceptions::PyValueError::new_err(message))
        }
    }
}

/// The parts of a compiled program.
type Parts = (Compiled, String, Signature, Vec<Option<Array>>);

fn compile(context: &Context, request: Request<'_>) -> Result<Parts, String> {
    let module = module(context, request.name, request.source).map_err(text)?;
    let module = module.as_operation();
    let (sizes, shapes) = (&request.sizes, &request.shapes);
    let program = select(context, module, request.entry, sizes, shapes).map_err(text)?;
    let (entry, signature) = (program.entry().to_owned(), program.signature().clone());
    let constants = program.constants();
    let compiled = if request.card {
        let simulation = SimulationOptions {
            wide: request.floats,
            ..SimulationOptions::default()
        };
        let (module, sizes) = (program.general_module(), program.sizes());
        let options = Options::default();
        let program = OnCard::compile(context, module, Some(&entry), sizes, options, simulation);
        Compiled::Card(program.map_err(text)?)
    } else {
        let program = program.compile(context, Options::default());
        Compiled::Cpu(program.map_err(text)?)
    };
    Ok((compiled, entry, signature, constants))
}

#[pymethods]
impl Program {
    #[staticmethod]
    #[pyo3(signature = (source, name, *, entry=None, card=true, floats="auto", sizes=Sizes::new(), shapes=Vec::new()))]
    #[pyo3(name = "compile")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        source: &[u8],
        name: &str,
        entry: Option<&str>,
        card: bool,
        floats: &str,
        sizes: Sizes,
        shapes: Vec<Vec<u64>>,
    ) -> PyResult<Self> {
        let request = Request {
            source,
            name,
            entry,
            card,
            floats: wide_floats(floats)?,
            sizes,
            shapes,
        };
        let outcome = in_context(py, |context| compile(context, request))?;
        let (compiled, entry, signature, constants) = outcome.value;
        Ok(Self {
            compiled,
            entry,
            signature,
            constants,
            diagnostics: outcome.diagnostics,
            running: Mutex::new(()),
        })
    }

    #[getter]
    fn entry(&self) -> &str {
        &self.entry
    }

    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.clone()
    }

    #[getter]
    fn inputs(&self) -> Vec<TensorType> {
        TensorType::all(&self.signature.inputs)
    }

    #[getter]
    fn outputs(&self) -> Vec<TensorType> {
        TensorType::all(&self.signature.outputs)
    }

    #[getter]
    fn constants(&self) -> Vec<bool> {
        self.constants.iter().map(Option::is_some).collect()
    }

    #[getter]
    fn functions(&self) -> Vec<DeviceFunction> {
        let Compiled::Card(program) = &self.compiled else {
            return Vec::new();
        };
        let functions = program.functions().iter();
        let of = |function: &card::DeviceFunction| DeviceFunction {
            name: function.name.clone(),
            work: function.work,
        };
        functions.map(of).collect()
    }

    #[getter]
    fn host_work(&self) -> u64 {
        match &self.compiled {
            Compiled::Card(program) => program.host_work(),
            Compiled::Cpu(_) => 0,
        }
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| {
            let saved = Saved {
                compiled: self.compiled.save()?,
                entry: self.entry.clone(),
                signature: self.signature.clone(),
                constants: self.constants.clone(),
                diagnostics: self.diagnostics.clone(),
            };
            Ok(to_bytes(&saved))
        });
        Ok(PyBytes::new(py, &bytes.map_err(failure)?))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let program = py.detach(|| {
            let saved: Saved = from_bytes(bytes).map_err(text)?;
            Ok(Self {
                compiled: Compiled::load(saved.compiled)?,
                entry: saved.entry,
                signature: saved.signature,
                constants: saved.constants,
                diagnostics: saved.diagnostics,
                running: Mutex::new(()),
            })
        });
        program.map_err(failure)
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: Vec<PyReadonlyArray1<'py, u8>>,
    ) -> PyResult<(Results<'py>, Vec<Launch>)> {
        let arrays = self.arrays(&inputs)?;
        let outcome = py.detach(|| {
            let _alone = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            self.compiled.run(&arrays)
        });
        let (results, launches) = outcome.map_err(failure)?;
        let results = results.into_iter();
        let results = results.map(|result| PyArray1::from_vec(py, result.into_bytes()));
        let launches = launches.into_iter().map(Launch::from);
        Ok((results.collect(), launches.collect()))
    }
}

impl Program {
    /// Returns the arguments of a run: constants, and the given inputs for the others.
    fn arrays(&self, inputs: &[PyReadonlyArray1<'_, u8>]) -> PyResult<Vec<Array>> {
        let expected = self.constants.iter().filter(|held| held.is_none()).count();
        if expected != inputs.len() {
            let (entry, actual) = (&self.entry, inputs.len());
            return Err(failure(format!(
                "@{entry} takes {expected} inputs, got {actual}"
            )));
        }
        let mut inputs = inputs.iter().enumerate();
        let arguments = self.constants.iter().zip(&self.signature.inputs);
        let arrays = arguments.map(|(held, ty)| {
            if let Some(held) = held {
                return Ok(held.clone());
            }
            let (number, input) = inputs.next().expect("there is an input for each");
            let bytes = input.as_slice().map_err(text)?;
            let array = Array::new(ty.element, &ty.shape, bytes.to_vec());
            array.map_err(|err| format!("input {number}: {err}"))
        });
        arrays.collect::<Result<_, String>>().map_err(failure)
    }
}

//! Programs with device functions on the simulated card, and host functions on the CPU.
//!
//! [`OnCard::compile`] converts a program from linalg, outlines the operations that the card computes into functions of
//! the device, and compiles a bundle of each. The host function is compiled; where it calls a function of the device,
//! the bundle runs on the simulated card. [`parts`] returns the functions of the device of such a module for
//! inspection.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use melior::Context;
use melior::diagnostic::DiagnosticSeverity;
use melior::dialect::func;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Identifier, Module, Region};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use spyre_analysis::walk::find;
use spyre_bundle::Addresses;
use spyre_bundle_files::InMemory;
use spyre_dialects::names::{CONSTANT, DEVICE, DIMS, TILE};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::execution::{External, LoadError};
use spyre_mlir_rt::ir::{self, At, Op};
use spyre_mlir_rt::source::{PipelineError, run_pipeline};
use spyre_sim::{Bundle, RangeLoss, ReadError, Rounding, Stats};
use thiserror::Error;

use crate::bundle::{
    Interface, InterfaceError, ModuleError, Planned, SimulateError, Simulation, SimulationOptions,
    WideFloats, refused_size, simulate, verified_files,
};
use crate::program::{ProgramError, RunError, SavedExecutable, functions};
use crate::sizes::open_dims;
use crate::{Array, Executable, Options, Program, Signature, Sizes, work};

/// From linalg to functions of the host and of the device.
const OUTLINE: &str = "builtin.module(spyre-import-linalg{host=true})";

/// The pipeline of [`OUTLINE`], without a change of float types.
const OUTLINE_EXACT: &str = "builtin.module(spyre-import-linalg{host=true float=exact})";

/// The pipeline of [`OUTLINE`], with floats narrowed to 16 bits.
const OUTLINE_NARROW: &str = "builtin.module(spyre-import-linalg{host=true float=dl16})";

/// The constants of a function of the device become its arguments.
const CONSTANTS: &str = "builtin.module(func.func(convert-linalg-to-spyre,canonicalize,cse))";

/// The same for a function with dynamic extents: `canonicalize` would fold its copies, which the loops over tiles need.
const CONSTANTS_OPEN: &str = "builtin.module(func.func(convert-linalg-to-spyre))";

/// The reason why a program does not run on the card.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CardError {
    /// A pass failed; a diagnostic has been reported.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// A function that cannot be compiled; a diagnostic has been reported.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A function of the device without a bundle.
    #[error("@{function}: {reason}")]
    Bundle {
        /// The function.
        function: String,
        /// The reason.
        reason: ModuleError,
    },
    /// A function of the device that no bundle can be called as.
    #[error("@{function}: {reason}")]
    Interface {
        /// The function.
        function: String,
        /// The reason.
        reason: InterfaceError,
    },
}

/// A function of the device.
#[derive(Debug)]
pub struct DeviceFunction {
    /// The name.
    pub name: String,
    /// The bundle.
    pub bundle: Bundle,
    /// The files of the bundle.
    pub files: InMemory,
    /// The interface of the bundle.
    pub interface: Interface,
    /// The number of elements that its operations compute, or of terms for sums and products.
    pub work: u64,
}

/// A run of a function of the device.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The function.
    pub function: String,
    /// The statistics of the run.
    pub stats: Stats,
    /// The elements that the card has no number for.
    pub range_losses: Vec<RangeLoss>,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The results of the program.
    pub results: Vec<Array>,
    /// The functions of the device that ran, in order.
    pub launches: Vec<Launch>,
}

/// A compiled program with functions of the device.
#[derive(Debug)]
pub struct OnCard {
    host: Executable,
    functions: Arc<Vec<DeviceFunction>>,
    launches: Launches,
    host_work: u64,
    simulation: SimulationOptions,
}

/// The runs of functions of the device in the current run of the program.
type Launches = Arc<Mutex<Vec<Launch>>>;

/// A compiled program with functions of the device, as data.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedOnCard {
    host: SavedExecutable,
    functions: Vec<SavedDeviceFunction>,
    host_work: u64,
    simulation: SimulationOptions,
}

/// A function of the device, as data.
#[derive(Debug, Serialize, Deserialize)]
struct SavedDeviceFunction {
    name: String,
    files: Vec<(String, ByteBuf)>,
    interface: Interface,
    work: u64,
}

/// The reason why a saved program is not loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadProgramError {
    /// The code of the host.
    #[error(transparent)]
    Host(#[from] LoadError),
    /// The files of a function of the device.
    #[error("@{function}: {reason}")]
    Bundle {
        /// The function.
        function: String,
        /// The reason.
        reason: ReadError,
    },
}

impl SavedDeviceFunction {
    fn new(function: &DeviceFunction) -> Self {
        let files = function.files.iter();
        let files = files.map(|(name, bytes)| (name.to_owned(), ByteBuf::from(bytes)));
        Self {
            name: function.name.clone(),
            files: files.collect(),
            interface: function.interface.clone(),
            work: function.work,
        }
    }

    fn load(self) -> Result<DeviceFunction, LoadProgramError> {
        let mut files = InMemory::new(&self.name);
        for (name, bytes) in self.files {
            files.insert(name, bytes.into_vec());
        }
        let bundle = Bundle::from_files(&files).map_err(|err| LoadProgramError::Bundle {
            function: self.name.clone(),
            reason: err,
        })?;
        Ok(DeviceFunction {
            name: self.name,
            bundle,
            files,
            interface: self.interface,
            work: self.work,
        })
    }
}

/// Returns the functions of the device as functions that the host calls. Each run is added to `launches`.
fn externals(
    functions: &Arc<Vec<DeviceFunction>>,
    launches: &Launches,
    simulation: SimulationOptions,
) -> Vec<External> {
    let external = |number: usize| {
        let (functions, launches) = (Arc::clone(functions), Arc::clone(launches));
        External {
            name: functions[number].name.clone(),
            run: Box::new(move |inputs| {
                launch(&functions[number], inputs, simulation, &launches).map_err(Into::into)
            }),
        }
    };
    (0..functions.len()).map(external).collect()
}

impl OnCard {
    /// Compiles the function `entry` of a module, or the only public one. The module does not change.
    ///
    /// # Errors
    /// [`CardError`]
    pub fn compile(
        context: &Context,
        module: Op<'_>,
        entry: Option<&str>,
        sizes: &Sizes,
        options: Options,
        simulation: SimulationOptions,
    ) -> Result<Self, CardError> {
        let outline = match simulation.wide {
            WideFloats::Auto => OUTLINE,
            WideFloats::Exact => OUTLINE_EXACT,
            WideFloats::Dl16 => OUTLINE_NARROW,
        };
        let rounding = simulation.rounding;
        let way = Way { outline, rounding };
        let program = Program::select_sized(context, module, entry, sizes)?;
        let Split {
            host: program,
            device,
        } = if has_device_functions(program.module()) {
            let device = device_or_host(context, program.general_module(), sizes, rounding)?;
            Split {
                host: program,
                device,
            }
        } else if let Some(split) = split_once(context, &program, way) {
            split
        } else {
            split_for_extents(context, program, way)?
        };
        let host_work = keep_host(context, program.module());
        let (functions, launches) = (Arc::new(device), Arc::default());
        let externals = externals(&functions, &launches, simulation);
        let host = program.compile_with(context, options, externals)?;
        Ok(Self {
            host,
            functions,
            launches,
            host_work,
            simulation,
        })
    }

    /// Returns the program as data.
    ///
    /// # Errors
    /// See [`Function::save`](spyre_mlir_rt::execution::Function::save).
    pub fn save(&self) -> Result<SavedOnCard, LoadError> {
        Ok(SavedOnCard {
            host: self.host.save()?,
            functions: self
                .functions
                .iter()
                .map(SavedDeviceFunction::new)
                .collect(),
            host_work: self.host_work,
            simulation: self.simulation,
        })
    }

    /// Links a saved program into this process. Its code is run as it is: a file is as trustworthy as whoever can write it.
    ///
    /// # Errors
    /// [`LoadProgramError`]
    pub fn load(saved: SavedOnCard) -> Result<Self, LoadProgramError> {
        let functions = saved.functions.into_iter();
        let functions: Result<Vec<_>, _> = functions.map(SavedDeviceFunction::load).collect();
        let (functions, launches) = (Arc::new(functions?), Arc::default());
        let externals = externals(&functions, &launches, saved.simulation);
        Ok(Self {
            host: Executable::load(saved.host, externals)?,
            functions,
            launches,
            host_work: saved.host_work,
            simulation: saved.simulation,
        })
    }

    /// Returns the functions of the device.
    #[must_use]
    pub fn functions(&self) -> &[DeviceFunction] {
        &self.functions
    }

    /// Returns how many elements the structured operations of the host compute.
    #[must_use]
    pub fn host_work(&self) -> u64 {
        self.host_work
    }

    /// Returns the types of the program's inputs and results.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        self.host.signature()
    }

    /// Runs the program. Concurrent runs, in several threads, may report each other's launches.
    ///
    /// # Errors
    /// [`RunError`]: the inputs do not match the signature, or a function of the device failed.
    pub fn run(&self, inputs: &[Array]) -> Result<Outcome, RunError> {
        let taken =
            || std::mem::take(&mut *self.launches.lock().unwrap_or_else(PoisonError::into_inner));
        taken();
        let results = self.host.run(inputs)?;
        Ok(Outcome {
            results,
            launches: taken(),
        })
    }
}

/// A function of the device, in a separate module.
pub struct Part<'c> {
    /// The name.
    pub name: String,
    /// The function. Its constants are arguments.
    pub program: Program<'c>,
    /// The number of elements that its operations compute, or of terms for sums and products.
    pub work: u64,
}

/// Returns whether a module has functions of the device: its program is split already.
#[must_use]
pub fn has_device_functions(module: Op<'_>) -> bool {
    functions(module).any(|function| function.op.attribute(DEVICE).is_ok())
}

/// Copies the functions of the device out of a module, in order. The module does not change. Dynamic dimensions of a
/// function have the extents `sizes`, in elements; in its general module they are dynamic.
///
/// # Errors
/// [`CardError`]
pub fn parts<'c>(
    context: &'c Context,
    module: Op<'_>,
    sizes: &Sizes,
) -> Result<Vec<Part<'c>>, CardError> {
    let names = device_names(module).into_iter();
    names
        .map(|name| Part::new(context, module, name, sizes))
        .collect()
}

/// Returns the names of the functions of the device of a module, in order.
pub(crate) fn device_names(module: Op<'_>) -> Vec<String> {
    let device = functions(module).filter(|function| function.op.attribute(DEVICE).is_ok());
    device.map(|function| function.name).collect()
}

impl<'c> Part<'c> {
    /// Copies a function of the device out of a module.
    pub(crate) fn new(
        context: &'c Context,
        module: Op<'_>,
        name: String,
        sizes: &Sizes,
    ) -> Result<Self, CardError> {
        let alone = Program::select_sized(context, module, Some(&name), sizes)?;
        let constants = match open_dims(alone.general_function()).is_empty() {
            true => CONSTANTS,
            false => CONSTANTS_OPEN,
        };
        run_pipeline(context, alone.general_module(), constants)?;
        // The conversion has replaced the constants of the function by arguments.
        let program = Program::select_sized(context, alone.general_module(), Some(&name), sizes)?;
        let work = work::elements(program.module());
        Ok(Self {
            name,
            program,
            work,
        })
    }
}

/// The pipeline and the format with which a program is split.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// The pipeline.
    outline: &'static str,
    /// The format in which the card stores floats of 16 bits; without it, that of each function.
    rounding: Option<Rounding>,
}

/// A program that is split between host and device.
struct Split<'c> {
    /// The program, with the functions of the device, for the given extents.
    host: Program<'c>,
    /// The functions of the device.
    device: Vec<DeviceFunction>,
}

/// Splits a program for the given extents. Tiles that are written for all extents of a dimension may be illegal for
/// these: then they are left out, and a warning gives the reason.
fn split_for_extents<'c>(
    context: &'c Context,
    program: Program<'c>,
    Way { outline, rounding }: Way,
) -> Result<Split<'c>, CardError> {
    let split = |host: &Program<'c>| {
        run_pipeline(context, host.module(), outline)?;
        device_or_host(context, host.module(), &Sizes::new(), rounding)
    };
    let has_tiles = tiled(program.module()).next().is_some();
    if program.sizes().is_empty() || !has_tiles {
        return Ok(Split {
            device: split(&program)?,
            host: program,
        });
    }
    // If the program fails with its tiles, they are left out below: the device may then have parts that stay on the
    // host with tiles.
    let whole = || {
        run_pipeline(context, program.module(), outline)?;
        device_functions(context, program.module(), &Sizes::new(), rounding)
    };
    let reason = match first_error(context, whole) {
        Ok(device) => {
            return Ok(Split {
                host: program,
                device,
            });
        }
        Err((_, reason)) => reason,
    };
    let message = format!("the tiles that hints ask for are left out for these extents: {reason}");
    Diagnostic::warning(program.general_function().location(), message).emit();
    let (module, entry) = (program.general_module(), Some(program.entry()));
    let host = Program::select_sized(context, module, entry, program.sizes())?;
    for op in tiled(host.module()) {
        for name in [TILE, DIMS] {
            ir::remove_discardable_attribute(op, name);
        }
    }
    let device = split(&host)?;
    Ok(Split { host, device })
}

/// Returns the operations of a module that hints tile.
fn tiled<'p>(module: Op<'p>) -> impl Iterator<Item = Op<'p>> {
    let functions = functions(module).filter_map(|function| ir::body(function.op));
    let is_tiled = |op: &Op<'p>| op.attribute(TILE).is_ok();
    functions.flat_map(move |body| find(body, |op| Some(op).filter(is_tiled)))
}

/// Calls `make`, and returns its error with the text of the first error diagnostic. No error is printed.
pub(crate) fn first_error<T, E: Display>(
    context: &Context,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, (E, String)> {
    let first = Arc::new(Mutex::new(None));
    let emitted = Arc::clone(&first);
    let errors = context.attach_diagnostic_handler(move |diagnostic| {
        let is_error = matches!(diagnostic.severity(), DiagnosticSeverity::Error);
        if is_error {
            let mut first = emitted.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| diagnostic.to_string());
        }
        is_error
    });
    let result = make();
    context.detach_diagnostic_handler(errors);
    result.map_err(|err| {
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        let text = first.take().unwrap_or_else(|| err.to_string());
        (err, text)
    })
}

/// Splits a program with dynamic dimensions, once for all of their extents. `None` for a program without such
/// dimensions, and, with a warning, for a program that a pass refuses with dynamic extents: it can be split for one
/// extent of each.
fn split_once<'c>(
    context: &'c Context,
    program: &Program<'c>,
    Way { outline, rounding }: Way,
) -> Option<Split<'c>> {
    if program.sizes().is_empty() {
        return None;
    }
    let module = Module::from_operation((*program.general_module()).clone());
    let module = module.expect("a copy of a module is one");
    let module = module.as_operation();
    let split = || -> Result<Split<'c>, CardError> {
        run_pipeline(context, module, outline)?;
        let device = device_functions(context, module, program.sizes(), rounding)?;
        let entry = Some(program.entry());
        let host = Program::select_sized(context, module, entry, program.sizes())?;
        Ok(Split { host, device })
    };
    let reason = match first_error(context, split) {
        Ok(split) => {
            let mut bundles = split.device.iter().map(|function| &function.bundle);
            match bundles.find_map(|bundle| refused_size(bundle, program.sizes())) {
                Some(name) => {
                    format!("the extent that was given for \"{name}\" is no multiple of its tiles")
                }
                None if split.device.is_empty() => {
                    "nothing of them is worth sending to the card".to_owned()
                }
                None => return Some(split),
            }
        }
        Err((_, reason)) => reason,
    };
    let message =
        format!("the bundles are for the given extents alone, not for dynamic extents: {reason}");
    Diagnostic::warning(program.general_function().location(), message).emit();
    None
}

/// Compiles the bundles of the functions of the device of a module, in order.
///
/// # Errors
/// A function cannot be laid out, planned or written.
fn device_functions(
    context: &Context,
    module: Op<'_>,
    sizes: &Sizes,
    rounding: Option<Rounding>,
) -> Result<Vec<DeviceFunction>, CardError> {
    let parts = parts(context, module, sizes)?.into_iter();
    parts
        .map(|part| DeviceFunction::new(context, part, rounding))
        .collect()
}

/// Compiles the bundles of the functions of the device of a module, in order. A function that cannot be laid out,
/// planned or written stays on the host, with a warning that gives the reason.
fn device_or_host(
    context: &Context,
    module: Op<'_>,
    sizes: &Sizes,
    rounding: Option<Rounding>,
) -> Result<Vec<DeviceFunction>, CardError> {
    // The host runs functions with given extents, so a function of the device with dynamic extents cannot move to it.
    if !sizes.is_empty() {
        return device_functions(context, module, sizes, rounding);
    }
    let mut functions = Vec::new();
    for name in device_names(module) {
        let make = || {
            let part = Part::new(context, module, name.clone(), sizes)?;
            DeviceFunction::new(context, part, rounding)
        };
        match first_error(context, make) {
            Ok(function) => functions.push(function),
            Err((_, reason)) => leave_to_host(module, &name, &reason),
        }
    }
    Ok(functions)
}

/// Moves a function of the device to the host, with a warning.
pub(crate) fn leave_to_host(module: Op<'_>, name: &str, reason: &str) {
    let function = functions(module).find(|function| function.name == name);
    let function = function.expect("the part is a function of the module").op;
    let message = format!("@{name} stays on the host: {reason}");
    Diagnostic::warning(function.location(), message).emit();
    ir::remove_discardable_attribute(function, DEVICE);
}

/// Leaves the declarations of the functions of the device in a module. Returns how many elements the structured operations of the
/// others compute.
pub fn keep_host(context: &Context, module: Op<'_>) -> u64 {
    let mut host_work = 0;
    for function in functions(module) {
        if function.op.attribute(DEVICE).is_ok() {
            declare(context, function.op, &function.name);
        } else {
            host_work += work::elements(function.op);
        }
    }
    host_work
}

impl DeviceFunction {
    /// Compiles the bundle of a function, which runs on a card that stores floats of 16 bits in a given format, or in
    /// the function's.
    fn new(
        context: &Context,
        part: Part<'_>,
        rounding: Option<Rounding>,
    ) -> Result<Self, CardError> {
        let Part {
            name,
            program,
            work,
        } = part;
        let no_interface = |err| CardError::Interface {
            function: name.clone(),
            reason: err,
        };
        let no_bundle = |err| CardError::Bundle {
            function: name.clone(),
            reason: err,
        };
        let planned = Planned::new(context, &program).map_err(no_interface)?;
        let interface = planned.interface(&operands(&program), program.sizes());
        let interface = interface.map_err(no_interface)?;
        if rounding.or(interface.rounding()).is_none() {
            return Err(no_interface(InterfaceError::TwoFloats));
        }
        let module = planned.bundle(context);
        let module = module.map_err(|err| no_bundle(ModuleError::Reported(err.to_string())))?;
        let files = verified_files(context, module.as_operation(), Addresses::default());
        let files = files.map_err(no_bundle)?;
        let bundle = Bundle::from_files(&files).map_err(|err| no_bundle(err.into()))?;
        Ok(Self {
            name,
            bundle,
            files,
            interface,
            work,
        })
    }
}

/// Returns the types of the operands of a call of a function of the device: its constants are no operands.
fn operands(program: &Program<'_>) -> Signature {
    let function = program.general_function();
    let Signature { inputs, outputs } = program.signature().clone();
    let inputs = inputs.into_iter().enumerate();
    let inputs = inputs.filter_map(|(number, ty)| {
        let held = ir::argument_attribute(function, number, CONSTANT);
        held.is_none().then_some(ty)
    });
    Signature {
        inputs: inputs.collect(),
        outputs,
    }
}

/// Replaces a function by its declaration.
fn declare<'c>(context: &'c Context, function: Op<'c>, name: &str) {
    let ty = function.attribute("function_type");
    let ty = ty.ok().and_then(|ty| TypeAttribute::try_from(ty).ok());
    let ty = ty.and_then(|ty| FunctionType::try_from(ty.value()).ok());
    let private = StringAttribute::new(context, "private").into();
    let declared = func::func(
        context,
        StringAttribute::new(context, name),
        TypeAttribute::new(ty.expect("a function has a type").into()),
        Region::new(),
        &[(Identifier::new(context, "sym_visibility"), private)],
        function.location(),
    );
    ir::insert(At::Before(function), declared).expect("the function is in a module");
    ir::erase(function);
}

/// Runs a function of the device.
fn launch(
    function: &DeviceFunction,
    inputs: &[&[u8]],
    options: SimulationOptions,
    launches: &Mutex<Vec<Launch>>,
) -> Result<Vec<Vec<u8>>, String> {
    let types = &function.interface.signature().inputs;
    let arrays = types
        .iter()
        .zip(inputs)
        .map(|(ty, bytes)| Array::new(ty.element, &ty.shape, bytes.to_vec()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|err| err.to_string())?;
    let done = simulate(&function.bundle, &function.interface, &arrays, options);
    let Simulation {
        results,
        report,
        stats,
        ..
    } = done.map_err(|err: SimulateError| err.to_string())?;
    if let Some(fault) = report.errors().next() {
        return Err(format!("the bundle is faulty: {fault}"));
    }
    launches
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(Launch {
            function: function.name.clone(),
            stats,
            range_losses: report.range_losses().to_vec(),
        });
    Ok(results
        .iter()
        .map(|result| result.bytes().to_vec())
        .collect())
}

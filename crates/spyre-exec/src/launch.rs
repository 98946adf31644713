//! Writes a program of host and device: a directory with a bundle for each function of the device, the module of the
//! host, and `launch.json`, which describes the call of each bundle.
//!
//! Every bundle is checked before the first file is written, and the directory is complete or does not exist.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use serde::Serialize;
use spyre_analysis::dynamic::DynamicDims;
use spyre_bundle::Addresses;
use spyre_bundle::directory::{self, HOST_FILE, WriteError};
use spyre_bundle_files::{InMemory, LAUNCH_FILE, constant_file};
use spyre_dialects::names::CONSTANT;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_verify::{OptionError, Report, verify_with};
use thiserror::Error;

use crate::bundle::{InterfaceError, Parameter, Planned, Role, rules, without_infinities};
use crate::card::{CardError, Part, device_names, first_error, keep_host, leave_to_host};
use crate::sizes::largest;
use crate::{TensorType, npy};

/// The file `launch.json`.
#[derive(Debug, Serialize)]
struct Launch {
    host: Host,
    functions: Vec<Function>,
}

/// The part of the program that runs on the host.
#[derive(Debug, Serialize)]
struct Host {
    /// The module, which declares the functions of the device and calls them.
    module: &'static str,
    /// The number of elements that its structured operations compute.
    work: u64,
}

/// A function of the device.
#[derive(Debug, Serialize)]
struct Function {
    name: String,
    /// The directory of its bundle.
    bundle: String,
    /// The number of elements that its operations compute, or of terms for sums and products.
    work: u64,
    /// The dynamic dimensions, by name. `work` and the types of the arguments are for the largest extents.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sizes: BTreeMap<String, Extents>,
    /// The kernel arguments, by number.
    arguments: Vec<KernelArgument>,
}

/// The allowed extents of a dimension, in elements: multiples of `granularity` up to `max`.
#[derive(Debug, Serialize)]
struct Extents {
    granularity: u64,
    max: u64,
}

/// The name of each dynamic dimension of a tensor, `null` for static ones; empty if all are static.
type Dims = Vec<Option<String>>;

/// A kernel argument.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum KernelArgument {
    /// An operand of the call.
    Input {
        position: usize,
        #[serde(rename = "type")]
        ty: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        dims: Dims,
    },
    /// A constant, written before the first run. Its elements repeat to the end of the tensor.
    Constant {
        file: String,
        #[serde(rename = "type")]
        ty: String,
    },
    /// A dynamic extent, a number of elements.
    Size { dim: String },
    /// A result of the call.
    Output {
        position: usize,
        #[serde(rename = "type")]
        ty: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        dims: Dims,
    },
}

/// The reason why a program was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A function of the device cannot be extracted from the module, or has no interface as a bundle.
    #[error(transparent)]
    Card(#[from] CardError),
    /// A function of the device has no bundle; a diagnostic may have more detail.
    #[error("@{function}: {reason}")]
    Refused {
        /// The function.
        function: String,
        /// The reason.
        reason: String,
    },
    /// The files of a bundle cannot be written.
    #[error("@{function}: cannot make the files of the bundle: {reason}")]
    Files {
        /// The function.
        function: String,
        /// The reason.
        reason: io::Error,
    },
    /// A bundle breaks rules of the format: see the last report that the caller has received.
    #[error("@{function}: the bundle breaks the rules above, so nothing is written")]
    Rules {
        /// The function.
        function: String,
    },
    /// An exception from the contract that is allowed in addition has an unknown name.
    #[error(transparent)]
    Exception(#[from] OptionError),
    /// `launch.json` cannot be serialized.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The directory cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The directory for the bundles of a program, and the allowed exceptions from the contract.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'d> {
    /// The directory, which is replaced if it has a program.
    pub directory: &'d Path,
    /// The form of the addresses of the bundles.
    pub addresses: Addresses,
    /// The names of exceptions from the contract that are allowed, in addition to the exceptions of the module's
    /// target.
    pub allowed: &'d [String],
}

/// Writes the program of a module with functions of the device into a directory. The module keeps the declarations of
/// these functions. A function that cannot be laid out, planned or written becomes a function of the host, with a
/// warning that gives the reason. `reported` receives the report of each bundle, in order, with the directory of the
/// bundle.
///
/// # Errors
/// [`LaunchError`]: no file was written.
pub fn write(
    context: &Context,
    module: Op<'_>,
    destination: Destination<'_>,
    mut reported: impl FnMut(&Path, &Report),
) -> Result<(), LaunchError> {
    // An upstream pass removes functions from the module.
    spyre_all::register_all_passes();
    let sizes = largest(module);
    let mut parts = Vec::new();
    for name in device_names(module) {
        let part = first_error(context, || -> Result<_, LaunchError> {
            Ok(Part::new(context, module, name.clone(), &sizes)?)
        });
        parts.extend(on_device(module, &name, part)?);
    }
    let mut plans = Vec::new();
    for part in &parts {
        let plan = first_error(context, || {
            let plan = Planned::new(context, &part.program);
            plan.map_err(|err| no_interface(&part.name, err))
        });
        plans.push(on_device(module, &part.name, plan)?);
    }
    let mut bundles = Vec::new();
    let mut functions = Vec::new();
    for (part, plan) in parts.iter().zip(&plans) {
        let (name, Some(plan)) = (&part.name, plan) else {
            continue; // It is the host's, and a warning has reported it.
        };
        let compiled = first_error(context, || {
            let arguments = plan.parameters();
            let arguments = arguments.map_err(|err| no_interface(name, err))?;
            let open = OpenDims::from_part(part).map_err(|err| refused(name, err.message()))?;
            let compiled = compiled(context, (name, plan), destination, &mut reported)?;
            Ok((arguments, open, compiled))
        });
        let Some((arguments, open, (files, sizes))) = on_device(module, name, compiled)? else {
            continue; // Likewise.
        };
        functions.push(described(part, &arguments, (sizes, open)));
        bundles.push(Written {
            name,
            files,
            constants: constants(arguments),
        });
    }
    let launch = Launch {
        host: Host {
            module: HOST_FILE,
            work: keep_host(context, module),
        },
        functions,
    };
    let json = serde_json::to_string_pretty(&launch)?;
    let host = module.to_string();
    let contents = |place: &Path| -> io::Result<()> {
        fs::write(place.join(LAUNCH_FILE), json + "\n")?;
        fs::write(place.join(HOST_FILE), host)?;
        for bundle in &bundles {
            let place_path = place.join(bundle.name);
            fs::create_dir(&place_path)?;
            directory::write_into(&bundle.files, &place_path)?;
            for (number, ty, bytes) in &bundle.constants {
                let path = place_path.join(constant_file(*number));
                npy::write_bytes(&path, ty, bytes).map_err(io::Error::other)?;
            }
        }
        Ok(())
    };
    Ok(directory::fill(destination.directory, contents)?)
}

/// Returns the part of a bundle of a function of the device; `None` if the card cannot run the function, which becomes
/// a function of the host.
///
/// # Errors
/// Errors other than limits of the card: a bundle that breaks rules, which is a bug of the compiler, and errors of
/// files.
fn on_device<T>(
    module: Op<'_>,
    name: &str,
    outcome: Result<T, (LaunchError, String)>,
) -> Result<Option<T>, LaunchError> {
    match outcome {
        Ok(part) => Ok(Some(part)),
        Err((LaunchError::Card(_) | LaunchError::Refused { .. }, reason)) => {
            leave_to_host(module, name, &reason);
            Ok(None)
        }
        Err((err, _)) => Err(err),
    }
}

fn no_interface(function: &str, err: InterfaceError) -> LaunchError {
    let function = function.to_owned();
    LaunchError::Card(CardError::Interface {
        function,
        reason: err,
    })
}

fn refused(function: &str, reason: impl Into<String>) -> LaunchError {
    LaunchError::Refused {
        function: function.to_owned(),
        reason: reason.into(),
    }
}

/// A bundle that is to be written.
struct Written<'p> {
    name: &'p str,
    files: InMemory,
    /// The constants among its arguments, with their numbers, types and elements.
    constants: Vec<(usize, TensorType, Cow<'p, [u8]>)>,
}

/// The allowed extents of dynamic dimensions, by name, in the order of the parameters of the bundle.
type Sizes = Vec<(String, Extents)>;

/// Compiles the bundle of a function and checks it. Returns its files, and the allowed extents of its dynamic
/// dimensions.
fn compiled(
    context: &Context,
    (name, plan): (&str, &Planned<'_>),
    destination: Destination<'_>,
    reported: &mut impl FnMut(&Path, &Report),
) -> Result<(InMemory, Sizes), LaunchError> {
    let addresses = destination.addresses;
    let module = plan.bundle(context);
    let module = module.map_err(|err| refused(name, err.to_string()))?;
    let bundle = spyre_bundle::compile(context, module.as_operation(), addresses);
    let bundle = bundle.map_err(|err| refused(name, err.emit()))?;
    let rules = rules(module.as_operation(), addresses);
    let rules = rules.map_err(|err| refused(name, err.message()))?;
    let mut allowed = destination.allowed.iter();
    let rules = allowed.try_fold(rules, |rules, name| rules.allowing(name))?;
    let place_path = destination.directory.join(name);
    let files =
        InMemory::collect(&place_path, bundle.files()).map_err(|err| LaunchError::Files {
            function: name.to_owned(),
            reason: err,
        })?;
    let report = verify_with(&files, &rules);
    reported(&place_path, &report);
    if !report.is_right() {
        let function = name.to_owned();
        return Err(LaunchError::Rules { function });
    }
    // In the order of the parameters of the bundle.
    let sizes = bundle.launch_params().into_iter().filter_map(|param| {
        let is_size = param.granularity > 0 && !param.pytorch_sym.is_empty();
        let extents = Extents {
            granularity: param.granularity,
            max: param.max_value,
        };
        is_size.then_some((param.pytorch_sym, extents))
    });
    Ok((files, sizes.collect()))
}

/// Returns the constants among the arguments of a bundle, with their numbers. They have no infinities, since the card
/// has none (contract, K1 and K8).
fn constants(arguments: Vec<Parameter<'_>>) -> Vec<(usize, TensorType, Cow<'_, [u8]>)> {
    let arguments = arguments.into_iter().enumerate();
    arguments
        .filter_map(|(number, Parameter { role, ty })| match role {
            Role::Constant(bytes) => {
                let bytes = without_infinities(&ty, bytes);
                Some((number, ty, bytes))
            }
            Role::Input(_) | Role::Output(_) => None,
        })
        .collect()
}

/// The dynamic dimensions of a function.
struct OpenDims {
    inputs: Vec<Dims>,
    outputs: Vec<Dims>,
}

impl OpenDims {
    /// Finds the dynamic dimensions of a function of the device.
    fn from_part<'c>(part: &'c Part<'_>) -> Result<Self, Diagnostic<'c>> {
        let function = part.program.general_function();
        let body = ir::function_body(function).expect("a function of the device has a body");
        let dims = DynamicDims::of_function(function, body)?;
        let dims_of = |value| -> Dims {
            let symbols = dims.of(value).iter();
            symbols
                .map(|symbol| Some(dims.symbol((*symbol)?).name.clone()))
                .collect()
        };
        let arguments = (0..body.argument_count()).filter(|number| {
            // Constants are no operands of the call.
            ir::argument_attribute(function, *number, CONSTANT).is_none()
        });
        let arguments = arguments.map(|number| body.argument(number).expect("it is counted"));
        let end = body.terminator().expect("a function ends with a return");
        Ok(Self {
            inputs: arguments.map(|argument| dims_of(argument.into())).collect(),
            outputs: end.operands().map(dims_of).collect(),
        })
    }
}

fn described(
    part: &Part<'_>,
    arguments: &[Parameter<'_>],
    (sizes, open): (Sizes, OpenDims),
) -> Function {
    let argument = |(number, Parameter { role, ty }): (usize, &Parameter<'_>)| {
        let ty = ty.to_string();
        match *role {
            Role::Input(position) => KernelArgument::Input {
                position,
                ty,
                dims: open.inputs[position].clone(),
            },
            Role::Output(position) => KernelArgument::Output {
                position,
                ty,
                dims: open.outputs[position].clone(),
            },
            Role::Constant(_) => KernelArgument::Constant {
                file: format!("{}/{}", part.name, constant_file(number)),
                ty,
            },
        }
    };
    let arguments = arguments.iter().enumerate().map(argument);
    // Sizes are the last parameters of a bundle.
    let dims = sizes.iter().map(|(dim, _)| dim.clone());
    let dims = dims.map(|dim| KernelArgument::Size { dim });
    let arguments = arguments.chain(dims).collect();
    Function {
        name: part.name.clone(),
        bundle: part.name.clone(),
        work: part.work,
        sizes: sizes.into_iter().collect(),
        arguments,
    }
}

//! `--spyre-to-bundle` of a program of which a part runs on the host: a directory with a bundle for each function of the device,
//! the module of the host, and `launch.json`, which says how each bundle is called.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use melior::Context;
use melior::ir::operation::OperationLike;
use serde::Serialize;
use spyre_bundle::Addresses;
use spyre_bundle_files::{InMemory, LAUNCH_FILE};
use spyre_exec::bundle::{Parameter, Planned, Role};
use spyre_exec::card::{Part, keep_host, parts};
use spyre_exec::{TensorType, npy};
use spyre_mlir_rt::ir::{self, Op};
use spyre_passes::outline::DEVICE;

use crate::verify;
use crate::write::{self, CONSTANT_PREFIX, CONSTANT_SUFFIX, HOST_FILE};

/// The file `launch.json`.
#[derive(Debug, Serialize)]
struct Launch {
    host: Host,
    functions: Vec<Function>,
}

/// What runs on the host.
#[derive(Debug, Serialize)]
struct Host {
    /// The module, which declares the functions of the device and calls them.
    module: &'static str,
    /// How many elements its structured operations compute.
    work: u64,
}

/// A function of the device.
#[derive(Debug, Serialize)]
struct Function {
    name: String,
    /// The directory of its bundle.
    bundle: String,
    /// How many elements its operations compute: of sums and products, how many terms.
    work: u64,
    /// The kernel arguments, by number.
    arguments: Vec<KernelArgument>,
}

/// A kernel argument.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum KernelArgument {
    /// An operand of the call.
    Input {
        position: usize,
        #[serde(rename = "type")]
        ty: String,
    },
    /// A constant, written before the first run. Its elements repeat to the end of the tensor.
    Constant {
        file: String,
        #[serde(rename = "type")]
        ty: String,
    },
    /// A result of the call.
    Output {
        position: usize,
        #[serde(rename = "type")]
        ty: String,
    },
}

/// Returns whether a module has functions of the device.
pub(crate) fn is_outlined(module: Op<'_>) -> bool {
    let body = ir::body(module).into_iter();
    let mut functions = body.flat_map(ir::operations);
    functions.any(|function| function.attribute(DEVICE).is_ok())
}

/// Writes the bundles of a module, and what calls them. Returns whether all bundles are right.
///
/// # Errors
/// The reason why nothing was written; a diagnostic may have said more.
pub(crate) fn translate(
    context: &Context,
    module: Op<'_>,
    output: &Path,
    addresses: Addresses,
    warnings: bool,
) -> Result<(), String> {
    // Functions are taken out of the module by a pass of upstream.
    spyre_all::register_all_passes();
    let parts = parts(context, module).map_err(|why| why.to_string())?;
    let mut bundles = Vec::new();
    let mut functions = Vec::new();
    let plans = parts.iter().map(|part| {
        let plan = Planned::of(context, &part.program);
        plan.map_err(|why| format!("@{}: {why}", part.name))
    });
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    for (part, plan) in parts.iter().zip(&plans) {
        let name = &part.name;
        let arguments = plan.parameters().map_err(|why| format!("@{name}: {why}"))?;
        functions.push(described(part, &arguments));
        bundles.push(Written {
            name,
            files: compiled(context, part, output, addresses, warnings)?,
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
    let json = serde_json::to_string_pretty(&launch).map_err(|why| why.to_string())?;
    let host = module.to_string();
    let fill = |directory: &Path| -> io::Result<()> {
        fs::write(directory.join(LAUNCH_FILE), json + "\n")?;
        fs::write(directory.join(HOST_FILE), host)?;
        for bundle in &bundles {
            let own = directory.join(bundle.name);
            fs::create_dir(&own)?;
            write::bundle_files(&bundle.files, &own)?;
            for (number, ty, bytes) in &bundle.constants {
                let path = own.join(constant_file(*number));
                npy::write_bytes(&path, ty, bytes).map_err(io::Error::other)?;
            }
        }
        Ok(())
    };
    write::filled(output, fill).map_err(|why| why.to_string())
}

/// A bundle that is to be written.
struct Written<'p> {
    name: &'p str,
    files: InMemory,
    /// The constants among its arguments, with their numbers, types and elements.
    constants: Vec<(usize, TensorType, Cow<'p, [u8]>)>,
}

/// Compiles the bundle of a function and checks it.
fn compiled(
    context: &Context,
    part: &Part<'_>,
    output: &Path,
    addresses: Addresses,
    warnings: bool,
) -> Result<InMemory, String> {
    let name = &part.name;
    let bundle = spyre_bundle::compile(context, part.program.module(), addresses);
    let bundle = bundle.map_err(|why| format!("@{name}: {}", why.emit()))?;
    let files = InMemory::collect(output.join(name), bundle.files());
    let files =
        files.map_err(|why| format!("@{name}: cannot make the files of the bundle: {why}"))?;
    if !verify::in_memory(&files, warnings) {
        return Err(format!(
            "@{name}: the bundle breaks the rules above, so nothing is written"
        ));
    }
    Ok(files)
}

/// Returns the constants among the arguments of a bundle, with their numbers.
fn constants(arguments: Vec<Parameter<'_>>) -> Vec<(usize, TensorType, Cow<'_, [u8]>)> {
    let arguments = arguments.into_iter().enumerate();
    arguments
        .filter_map(|(number, Parameter { role, ty })| match role {
            Role::Constant(bytes) => Some((number, ty, bytes)),
            Role::Input(_) | Role::Output(_) => None,
        })
        .collect()
}

fn described(part: &Part<'_>, arguments: &[Parameter<'_>]) -> Function {
    let argument = |(number, Parameter { role, ty }): (usize, &Parameter<'_>)| {
        let ty = ty.to_string();
        match *role {
            Role::Input(position) => KernelArgument::Input { position, ty },
            Role::Output(position) => KernelArgument::Output { position, ty },
            Role::Constant(_) => KernelArgument::Constant {
                file: format!("{}/{}", part.name, constant_file(number)),
                ty,
            },
        }
    };
    Function {
        name: part.name.clone(),
        bundle: part.name.clone(),
        work: part.work,
        arguments: arguments.iter().enumerate().map(argument).collect(),
    }
}

fn constant_file(number: usize) -> String {
    format!("{CONSTANT_PREFIX}{number}{CONSTANT_SUFFIX}")
}

//! Kernels in KTIR: on the contents of their arguments, or for the program that they were compiled from.

use std::time::Instant;

use melior::Context;
use spyre_exec::bundle::Interface;
use spyre_exec::graphs::with_program_file;
use spyre_exec::ktir::{
    BaseUnit, Call, CoreOrder, Kernel, KernelError, Options as KernelOptions, extent_names,
    kernel_names,
};
use spyre_exec::random::{self, Distribution};
use spyre_exec::{Array, Program, compare, npy};
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::{Cores, Options, Unit};
use crate::{differences, inputs, output, stats};

/// A compiled kernel, and the same with the other order of cores where both run.
pub(crate) struct Orders<T> {
    first: T,
    second: Option<T>,
}

/// Returns the orders of cores that the command line requests: the order of the run, and one to compare with.
fn orders(options: &Options) -> (CoreOrder, Option<CoreOrder>) {
    match options.core_order {
        Cores::Forward => (CoreOrder::Forward, None),
        Cores::Reverse => (CoreOrder::Reverse, None),
        Cores::Both => (CoreOrder::Forward, Some(CoreOrder::Reverse)),
    }
}

/// Compiles a kernel in each order.
fn compiled<T>(
    options: &Options,
    compile: impl Fn(&KernelOptions) -> Result<T, Error>,
) -> Result<Orders<T>, Error> {
    let start = Instant::now();
    let (first, second) = orders(options);
    let sizes = inputs::sizes(options)?;
    let (values, sizes) = inputs::arguments_and_names(sizes);
    let how = |order| KernelOptions {
        order,
        unit: match options.base_unit {
            Unit::Element => BaseUnit::Element,
            Unit::Byte => BaseUnit::Byte,
        },
        values: values.clone(),
        sizes: sizes.clone(),
        optimization: None,
    };
    let built = Orders {
        first: compile(&how(first))?,
        second: second.map(|order| compile(&how(order))).transpose()?,
    };
    stats::time(options, "compile", None, start.elapsed());
    Ok(built)
}

/// Returns the contents of the buffers after a run. With both orders of cores, an error where they differ.
fn stored(
    (first, second): (&Kernel, Option<&Kernel>),
    inputs: &[Array],
    options: &Options,
) -> Result<Vec<Array>, Error> {
    let start = Instant::now();
    let results = first.run(inputs)?;
    stats::time(
        options,
        "run",
        Some(&format!("@{}", first.entry())),
        start.elapsed(),
    );
    let Some(second) = second else {
        return Ok(results);
    };
    let others = second.run(inputs)?;
    for ((result, other), buffer) in results.iter().zip(&others).zip(first.stored()) {
        let comparison = compare(result, other, 0).expect("one kernel has one signature");
        if !comparison.agrees() {
            return Err(Error::Race {
                argument: buffer.number,
                reason: comparison.to_string(),
            });
        }
    }
    Ok(results)
}

/// Runs the kernel of a module on the contents of its arguments. Returns whether results are as expected.
pub(crate) fn alone(context: &Context, module: Op<'_>, options: &Options) -> Result<bool, Error> {
    let entry = options.entry.as_deref();
    check_names(module, entry, options)?;
    let kernels = compiled(options, |how| {
        Ok(Kernel::compile(context, module, entry, &[], how)?)
    })?;
    let kernel = &kernels.first;
    let signature = kernel.signature();
    let expected = signature.outputs.len();
    let files = [&options.outputs, &options.expected];
    for actual in files.map(Vec::len) {
        if actual != 0 && actual != expected {
            let entry = kernel.entry().to_owned();
            return Err(Error::Outputs {
                entry,
                expected,
                actual,
            });
        }
    }
    let inputs = contents(kernel, options)?;
    if let Some(directory) = &options.save_inputs {
        inputs::save(directory, &inputs)?;
    }
    let recorded = options.expected.iter().zip(&signature.outputs);
    let recorded: Vec<Array> = recorded
        .map(|(path, ty)| npy::read(path, ty))
        .collect::<Result<_, _>>()?;
    let results = stored((kernel, kernels.second.as_ref()), &inputs, options)?;
    let results = results.into_iter().zip(kernel.stored());
    let results = results.filter(|(_, buffer)| !buffer.is_pool);
    let results: Vec<Array> = results.map(|(result, _)| result).collect();
    if !options.expected.is_empty() {
        return differences::results(&recorded, &results, options);
    }
    output::results(&results, options)?;
    Ok(true)
}

/// Returns the contents of the arguments that the kernel only loads: from files, or from a seed. Indices are those of
/// elements of the views that they index, with any distribution.
fn contents(kernel: &Kernel, options: &Options) -> Result<Vec<Array>, Error> {
    if let Some(seed) = options.random_seed {
        let arrays = (0..).zip(kernel.inputs()).map(|(stream, buffer)| {
            let distribution = buffer.indices.map(Distribution::Indices);
            let distribution = distribution.unwrap_or_else(|| options.distribution());
            let tensor = random::tensor(&buffer.ty, distribution, seed, stream);
            tensor.ok_or_else(|| buffer.ty.clone())
        });
        return arrays.collect::<Result<_, _>>().map_err(Error::TooLarge);
    }
    let types = kernel.signature().inputs;
    if types.len() != options.inputs.len() {
        return Err(Error::Inputs {
            entry: kernel.entry().to_owned(),
            expected: types.len(),
            actual: options.inputs.len(),
            signature: kernel.signature(),
        });
    }
    let files = options.inputs.iter().zip(&types);
    let arrays = files.map(|(path, ty)| npy::read(path, ty));
    Ok(arrays.collect::<Result<_, _>>()?)
}

/// Compiles the kernel in a file for a program.
pub(crate) fn of_program(
    context: &Context,
    program: &Program<'_>,
    path: &str,
    options: &Options,
) -> Result<Orders<Call>, Error> {
    let interface = Interface::of_kernel(context, program)?;
    with_program_file(context, path, |module| {
        let entry = entry(module, program.entry(), options)?;
        compiled(options, |how| {
            let of_kernel = (interface.clone(), Some(&entry[..]));
            Ok(Call::compile(context, module, of_kernel, how)?)
        })
    })
    .ok_or(Error::Reported)?
}

/// Returns the name of the kernel for a program: of the command line, the only one, or the one with the name of the
/// program.
fn entry(module: Op<'_>, program: &str, options: &Options) -> Result<String, Error> {
    if let Some(name) = &options.ktir_entry {
        return Ok(name.clone());
    }
    let names = kernel_names(module);
    match &names[..] {
        [] => Err(KernelError::None.into()),
        [only] => Ok(only.clone()),
        names if names.iter().any(|name| name == program) => Ok(program.to_owned()),
        _ => Err(Error::Kernels {
            kernels: names,
            program: program.to_owned(),
        }),
    }
}

/// Checks that each name of a size is that of an extent of the kernel.
fn check_names(module: Op<'_>, entry: Option<&str>, options: &Options) -> Result<(), Error> {
    let (_, sizes) = inputs::arguments_and_names(inputs::sizes(options)?);
    let extents = extent_names(module, entry);
    match sizes.into_keys().find(|name| !extents.contains(name)) {
        Some(name) => Err(Error::KernelSize { name, extents }),
        None => Ok(()),
    }
}

impl Orders<Call> {
    /// Runs the kernel on the inputs of the program.
    pub(crate) fn run(&self, inputs: &[Array], options: &Options) -> Result<Vec<Array>, Error> {
        let contents = self.first.contents(inputs)?;
        let second = self.second.as_ref().map(Call::kernel);
        let stored = stored((self.first.kernel(), second), &contents, options)?;
        Ok(self.first.results(&stored)?)
    }
}

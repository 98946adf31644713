//! Kernels in KTIR: on the contents of their arguments, or for the program that they were compiled from.

use std::time::Instant;

use melior::Context;
use spyre_exec::bundle::Interface;
use spyre_exec::graphs::with_program_file;
use spyre_exec::ktir::{BaseUnit, Call, CoreOrder, Kernel, Options as KernelOptions};
use spyre_exec::{Array, Program, compare, npy, random};
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::{Cores, Options, Unit};
use crate::{compare as comparison, inputs, output, stats};

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
    let mut extents = Vec::new();
    for (name, value) in &options.sizes {
        let number = name.parse().map_err(|_| Error::KernelSize(name.clone()))?;
        extents.push((number, *value));
    }
    let how = |order| KernelOptions {
        order,
        unit: match options.base_unit {
            Unit::Element => BaseUnit::Element,
            Unit::Byte => BaseUnit::Byte,
        },
        extents: extents.clone(),
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
    let mut results = stored((kernel, kernels.second.as_ref()), &inputs, options)?;
    // Pools are the last arguments, and no results.
    results.truncate(expected);
    if !options.expected.is_empty() {
        return comparison::results(&recorded, &results, options);
    }
    output::results(&results, options)?;
    Ok(true)
}

/// Returns the contents of the arguments that the kernel only loads: from files, or from a seed.
fn contents(kernel: &Kernel, options: &Options) -> Result<Vec<Array>, Error> {
    let types = kernel.signature().inputs;
    if let Some(seed) = options.random_seed {
        let arrays = (0..).zip(&types).map(|(stream, ty)| {
            random::tensor(ty, options.distribution(), seed, stream).ok_or_else(|| ty.clone())
        });
        return arrays.collect::<Result<_, _>>().map_err(Error::TooLarge);
    }
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
    let interface = Interface::of_program(context, program)?;
    with_program_file(context, path, |module| {
        compiled(options, |how| {
            Ok(Call::compile(context, module, interface.clone(), how)?)
        })
    })
    .ok_or(Error::Reported)?
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

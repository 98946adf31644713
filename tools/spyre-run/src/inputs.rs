//! The arguments of the program.

use std::fs;
use std::path::Path;

use melior::Context;
use spyre_exec::graphs::select;
use spyre_exec::{Array, Program, Sizes, npy};
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::Options;

/// Selects the function that the command line names in a module; graphs become functions. Its extents come from the
/// command line or from the input files.
pub(crate) fn program<'c>(
    context: &'c Context,
    module: Op<'_>,
    options: &Options,
) -> Result<Program<'c>, Error> {
    let entry = options.entry.as_deref();
    let shapes = options.inputs.iter().map(|path| npy::shape(path));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let mut sizes = sizes(options)?;
    if options.ktir.is_some() {
        // Numbers are arguments of the kernel.
        sizes = arguments_and_names(sizes).1;
    }
    Ok(select(context, module, entry, &sizes, &shapes)?)
}

/// Returns the arguments of a kernel with their values, and the names of dimensions with their extents.
pub(crate) fn arguments_and_names(sizes: Sizes) -> (Vec<(usize, u64)>, Sizes) {
    let number = |(name, value): (&String, &u64)| Some((name.parse().ok()?, *value));
    let values = sizes.iter().filter_map(number).collect();
    let names = sizes.into_iter();
    let names = names.filter(|(name, _)| name.parse::<usize>().is_err());
    (values, names.collect())
}

/// Returns the extents that the command line gives.
pub(crate) fn sizes(options: &Options) -> Result<Sizes, Error> {
    let mut sizes = Sizes::new();
    for (name, extent) in &options.sizes {
        if let Some(first) = sizes.insert(name.clone(), *extent) {
            let (name, second) = (name.clone(), *extent);
            return Err(Error::SizeTwice {
                name,
                first,
                second,
            });
        }
    }
    Ok(sizes)
}

/// Returns the arguments that the command line requests: from files, or from a seed. Where it names neither, they are
/// drawn from `default_seed`.
pub(crate) fn make(
    program: &Program<'_>,
    options: &Options,
    default_seed: Option<u64>,
) -> Result<Vec<Array>, Error> {
    let types = &program.signature().inputs;
    let seed = options
        .random_seed
        .or(default_seed.filter(|_| options.inputs.is_empty() && options.expected.is_empty()));
    let arrays = if let Some(seed) = seed {
        program
            .random_inputs(options.distribution(), seed)
            .map_err(Error::TooLarge)?
    } else {
        // Files may be given for all arguments, or only for arguments that are no constants.
        let constants = match types.len() == options.inputs.len() {
            true => vec![None; types.len()],
            false => program.constants(),
        };
        let wanted = constants.iter().filter(|held| held.is_none()).count();
        if wanted != options.inputs.len() {
            return Err(Error::Inputs {
                entry: program.entry().to_owned(),
                expected: types.len(),
                actual: options.inputs.len(),
                signature: program.signature().clone(),
            });
        }
        let mut files = options.inputs.iter();
        let arguments = constants.into_iter().zip(types);
        arguments
            .map(|(held, ty)| match held {
                Some(held) => Ok(held),
                None => npy::read(files.next().expect("there is one for each"), ty),
            })
            .collect::<Result<Vec<_>, _>>()?
    };
    if let Some(directory) = &options.save_inputs {
        save(directory, &arrays)?;
    }
    Ok(arrays)
}

/// Reads the results that the command line expects; `None` if it expects none.
pub(crate) fn recorded(
    program: &Program<'_>,
    options: &Options,
) -> Result<Option<Vec<Array>>, Error> {
    if options.expected.is_empty() {
        return Ok(None);
    }
    let types = &program.signature().outputs;
    if types.len() != options.expected.len() {
        return Err(Error::Expected {
            entry: program.entry().to_owned(),
            expected: types.len(),
            actual: options.expected.len(),
        });
    }
    let files = options.expected.iter().zip(types);
    let arrays = files.map(|(path, ty)| npy::read(path, ty));
    Ok(Some(arrays.collect::<Result<_, _>>()?))
}

/// Writes arguments to files in a directory.
pub(crate) fn save(directory: &Path, arrays: &[Array]) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|err| Error::Write {
        path: directory.to_owned(),
        reason: err,
    })?;
    for (index, array) in arrays.iter().enumerate() {
        npy::write(&directory.join(format!("input_{index}.npy")), array)?;
    }
    Ok(())
}

//! The arguments of the program.

use std::fs;
use std::path::Path;

use spyre_exec::{Array, Program, npy, random};

use crate::error::Error;
use crate::options::Options;

/// The arguments that the command line asks for: from files, or from a seed. `default_seed` makes them up where it names
/// neither.
pub fn make(
    program: &Program<'_>,
    options: &Options,
    default_seed: Option<u64>,
) -> Result<Vec<Array>, Error> {
    let types = &program.signature().inputs;
    let seed = options
        .random_seed
        .or(default_seed.filter(|_| options.inputs.is_empty()));
    let arrays = if let Some(seed) = seed {
        types
            .iter()
            .zip(0..)
            .map(|(ty, stream)| {
                random::tensor(ty, options.distribution(), seed, stream)
                    .ok_or_else(|| Error::TooLarge(ty.clone()))
            })
            .collect::<Result<Vec<_>, _>>()?
    } else {
        if types.len() != options.inputs.len() {
            return Err(Error::Inputs {
                entry: program.entry().to_owned(),
                expected: types.len(),
                found: options.inputs.len(),
                signature: program.signature().clone(),
            });
        }
        let files = options.inputs.iter().zip(types);
        files
            .map(|(path, ty)| npy::read(path, ty))
            .collect::<Result<Vec<_>, _>>()?
    };
    if let Some(directory) = &options.save_inputs {
        save(directory, &arrays)?;
    }
    Ok(arrays)
}

fn save(directory: &Path, arrays: &[Array]) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|why| Error::Write {
        path: directory.to_owned(),
        why,
    })?;
    for (index, array) in arrays.iter().enumerate() {
        npy::write(&directory.join(format!("input_{index}.npy")), array)?;
    }
    Ok(())
}

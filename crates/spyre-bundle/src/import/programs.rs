//! Modules of the programs of PyTorch Inductor and of tinyspec.
//!
//! Each module is built at the first place of its file, and verified.

use std::fmt::Display;
use std::str;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_inductor::text;
use spyre_mlir_rt::ir::{At, Blk};
use spyre_passes::{inductor, uop};
use spyre_uop::schema;

use super::ImportError;

/// Makes the module of a graph that PyTorch Inductor has exported as JSON (`inductor-loop-ir`), in the file `name`. The dialects of
/// the context have been loaded.
///
/// # Errors
/// [`ImportError`]
pub fn inductor_graph<'c>(
    context: &'c Context,
    name: &str,
    file: &[u8],
) -> Result<Module<'c>, ImportError> {
    module_of(context, name, |(context, block, location): Place<'_>| {
        inductor::import::read(context, At::End(block), location, file)
    })
}

/// Makes the module of the loop nests in a dump of PyTorch Inductor's scheduler (`ir_pre_fusion.txt`), in the file `name`. The
/// dialects of the context have been loaded.
///
/// # Errors
/// [`ImportError`]
pub fn inductor_dump<'c>(
    context: &'c Context,
    name: &str,
    file: &[u8],
) -> Result<Module<'c>, ImportError> {
    let all = str::from_utf8(file).map_err(|why| ImportError::not_text(name, why))?;
    let graph = text::read(all).map_err(|why| ImportError::Dump {
        name: name.to_owned(),
        why,
    })?;
    let symbol = format!("graph{}", graph.graph);
    module_of(context, name, |(context, block, location): Place<'_>| {
        inductor::import::import(context, At::End(block), location, graph, &symbol)
    })
}

/// Makes the module of a tensor program of tinyspec in JSON (`uop-graph-1`), in the file `name`. The dialects of the context have
/// been loaded.
///
/// # Errors
/// [`ImportError`]
pub fn uop_program<'c>(
    context: &'c Context,
    name: &str,
    file: &[u8],
) -> Result<Module<'c>, ImportError> {
    let program = schema::read(file);
    let program = program.map_err(|why| ImportError::wrong(name, None, why.to_string()))?;
    module_of(context, name, |(context, block, location): Place<'_>| {
        uop::import::import(context, block, location, &program)
    })
}

/// Where a program is built: in a block, at a location.
type Place<'p> = (&'p Context, Blk<'p>, Location<'p>);

/// Builds the module of a file with `build`, and verifies it.
fn module_of<'c, E: Display>(
    context: &'c Context,
    name: &str,
    build: impl for<'p> FnOnce(Place<'p>) -> Result<(), E>,
) -> Result<Module<'c>, ImportError> {
    let location = Location::new(context, name, 1, 1);
    let module = Module::new(location);
    build((context, module.body(), location))
        .map_err(|why| ImportError::wrong(name, None, why.to_string()))?;
    match module.as_operation().verify() {
        true => Ok(module),
        false => Err(ImportError::Refused),
    }
}

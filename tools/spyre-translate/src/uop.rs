//! `--import-uop` and `--export-uop`: tensor programs of tinyspec, as modules and back.

use std::path::Path;

use clap::Args;
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_mlir_rt::diagnostic::{print_places, shortened};
use spyre_mlir_rt::ir::Op;
use spyre_passes::uop::{export, import};
use spyre_uop::schema;

use crate::module::{self, ModuleOptions, write};

/// Options of the translations of tensor programs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Programs of tinyspec")]
pub(crate) struct UopOptions {
    /// Print the module of a tensor program in JSON (`uop-graph-1`).
    #[arg(long, group = "translation")]
    import_uop: bool,

    /// Print the tensor program of a module as JSON.
    #[arg(long, group = "translation")]
    export_uop: bool,
}

impl UopOptions {
    /// Returns whether a program is to be imported.
    pub(crate) const fn imports(&self) -> bool {
        self.import_uop
    }

    /// Returns whether a program is to be exported.
    pub(crate) const fn exports(&self) -> bool {
        self.export_uop
    }
}

/// Imports a program and prints its module. Returns `false` if it cannot; the reason has been printed.
pub(crate) fn import(
    context: &Context,
    form: ModuleOptions,
    input: &str,
    output: Option<&Path>,
) -> bool {
    print_places(context);
    let name = module::name(input);
    let module = module::read(input)
        .and_then(|text| schema::read(&text).map_err(|why| format!("{name}: error: {why}")))
        .and_then(|file| module_of(context, form, &file, name));
    let written = module.and_then(|module| match module {
        Some(module) => write(&module, output).map(|()| true),
        None => Ok(false),
    });
    written.unwrap_or_else(|why| {
        eprintln!("{}", shortened(&why));
        false
    })
}

/// Returns the module of a program as it is written; `None` if it is refused, which its verifiers have explained.
fn module_of(
    context: &Context,
    form: ModuleOptions,
    file: &schema::File,
    name: &str,
) -> Result<Option<Vec<u8>>, String> {
    let location = Location::new(context, name, 1, 1);
    let module = Module::new(location);
    import::import(context, module.body(), location, file)
        .map_err(|why| format!("{name}: error: {why}"))?;
    let root = module.as_operation();
    Ok(root.verify().then(|| form.bytes(root)))
}

/// Exports the program of a module. Returns `false` if it cannot; the reason has been printed.
pub(crate) fn export(module: Op<'_>, output: Option<&Path>) -> bool {
    let file = match export::export(module) {
        Ok(file) => file,
        Err(why) => {
            why.emit();
            return false;
        }
    };
    let written = write(schema::write(&file), output);
    written.map_or_else(
        |why| {
            eprintln!("{}", shortened(&why));
            false
        },
        |()| true,
    )
}

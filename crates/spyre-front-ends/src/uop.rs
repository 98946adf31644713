//! The tensor programs of tinyspec.

use melior::Context;
use melior::ir::Module;
use spyre_analysis::sizes::Sizes;
use spyre_analysis::walk::find;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{PipelineError, run_pipeline};
use spyre_uop::schema;
use spyre_uop_mlir as uop;

use crate::{ExportError, FrontEnd, ImportError, Place, module_of};

/// The front end of tinyspec. Programs of tinygrad are converted to its format.
pub(crate) static UOP: FrontEnd = FrontEnd {
    dialect: "uop",
    producer: "tinyspec",
    format: schema::FORMAT,
    page: "Uop.md",
    import_flag: "import-uop",
    export_flag: "export-uop",
    pass: "convert-uop-to-linalg",
    import,
    export,
    has_program,
    convert,
};

fn import<'c>(context: &'c Context, name: &str, file: &[u8]) -> Result<Module<'c>, ImportError> {
    let program = schema::read(file);
    let program = program.map_err(|err| ImportError::wrong(name, err.to_string()))?;
    module_of(context, name, |(context, block, location): Place<'_>| {
        uop::import::import(context, block, location, &program)
    })
}

fn export<'p>(module: Op<'p>) -> Result<String, ExportError<'p>> {
    Ok(schema::write(&uop::export::export(module)?))
}

fn has_program(module: Op<'_>) -> bool {
    let is_uop = |op: Op<'_>| ir::name(op).starts_with("uop.").then_some(());
    let mut blocks = ir::blocks(module);
    blocks.any(|block| !find(block, is_uop).is_empty())
}

fn convert(
    context: &Context,
    module: Op<'_>,
    _: &mut Sizes,
    _: &[Vec<u64>],
) -> Result<(), PipelineError> {
    run_pipeline(context, module, &format!("builtin.module({})", UOP.pass))
}

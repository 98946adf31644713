//! Prints the program after coarse tiling.

use std::error::Error;

use new_crate::program;
use spyre_mlir_rt::source::run_pipeline;

fn main() -> Result<(), Box<dyn Error>> {
    let context = spyre_exec::context();
    let module = program(&context)?;
    let pipeline = "builtin.module(func.func(coarse-tile))";
    run_pipeline(&context, module.as_operation(), pipeline)?;
    println!("{}", module.as_operation());
    Ok(())
}

//! The program computes its formula, with and without a loop of tiles.

use std::error::Error;

use new_crate::program;
use spyre_exec::{Array, DType, Options, Program};
use spyre_mlir_rt::source::run_pipeline;

#[test]
fn tiles_change_no_number() -> Result<(), Box<dyn Error>> {
    let context = spyre_exec::context();
    let module = program(&context)?;
    let input = |value: f32| Array::from_f32s(DType::F16, &[4, 64], &[value; 256]);
    let inputs = [input(2.0)?, input(3.0)?];
    let run = || -> Result<Vec<Array>, Box<dyn Error>> {
        let program = Program::select(&context, module.as_operation(), None)?;
        let executable = program.compile(&context, Options::default())?;
        Ok(executable.run(&inputs)?)
    };
    let expected = [input(10.0)?];
    assert_eq!(run()?, expected);

    let pipeline = "builtin.module(func.func(coarse-tile))";
    run_pipeline(&context, module.as_operation(), pipeline)?;
    let text = module.as_operation().to_string();
    assert!(text.contains("scf.for"), "{text}");
    assert_eq!(run()?, expected);
    Ok(())
}

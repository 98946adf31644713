//! Programs of `examples/ktir` with their kernels.

use std::fs;

use melior::Context;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use spyre_exec::bundle::Interface;
use spyre_exec::ktir::{Call, CoreOrder, KernelError, KernelRunError, Options};
use spyre_exec::random::Distribution;
use spyre_exec::{Array, Optimization, Program, interpret};
use spyre_mlir_rt::source::run_pipeline;

/// Returns the folder of the project.
pub(crate) fn root() -> String {
    format!("{}/../..", env!("CARGO_MANIFEST_DIR"))
}

/// A planned program: its kernel as text, arguments, and the results of the plan on the CPU.
pub(crate) struct Planned {
    /// The text of the kernel.
    pub text: String,
    interface: Interface,
    /// The arguments.
    pub inputs: Vec<Array>,
    /// The results that the kernel should have.
    pub expected: Vec<Array>,
}

/// Why a program has no kernel.
pub(crate) type Refusal = String;

impl Planned {
    /// Plans a program of `examples/ktir` with options of `--spyre-pipeline`, and converts it.
    pub(crate) fn example(context: &Context, name: &str, options: &str) -> Result<Self, Refusal> {
        let text = fs::read_to_string(format!("{}/examples/ktir/{name}.mlir", root()));
        let text = text.expect("the example can be read");
        let integers = text.contains("--integers=200").then_some(200);
        let distribution = integers.map_or(Distribution::Plain, Distribution::Integers);
        Self::of_text(context, &text, options, distribution)
    }

    /// Plans a program and converts it.
    pub(crate) fn of_text(
        context: &Context,
        text: &str,
        options: &str,
        distribution: Distribution,
    ) -> Result<Self, Refusal> {
        let module = Module::parse(context, text).expect("the program parses");
        let program = Program::select(context, module.as_operation(), None).expect("a function");
        let inputs = program
            .random_inputs(distribution, 1)
            .expect("inputs fit into memory");
        let pipeline = format!("builtin.module(spyre-pipeline{{bundle=false {options}}})");
        run_pipeline(context, module.as_operation(), &pipeline).map_err(|err| err.to_string())?;
        // Tiles may have constants as arguments, so the interface is that of the plan.
        let function = interpret::function(module.as_operation(), program.entry());
        let interface = Interface::of_function(function.expect("the function is planned"));
        let interface = interface.map_err(|err| err.to_string())?;
        let planned = Program::select(context, module.as_operation(), None).expect("a function");
        let executable = planned.compile(context, spyre_exec::Options::default());
        let arguments = interface.with_constants(&inputs);
        let expected = executable
            .expect("the plan runs")
            .run(&arguments)
            .expect("the plan runs");
        let convert = "builtin.module(convert-spyre-to-ktir)";
        run_pipeline(context, module.as_operation(), convert).map_err(|err| err.to_string())?;
        Ok(Self {
            text: printed(&module),
            interface,
            inputs,
            expected,
        })
    }

    /// Plans a program with options of `--spyre-pipeline`, and returns the text of its kernel.
    pub(crate) fn convert(context: &Context, text: &str, options: &str) -> Result<String, Refusal> {
        let module = Module::parse(context, text).ok_or("it does not parse")?;
        let pipeline = format!(
            "builtin.module(spyre-pipeline{{bundle=false {options}}},convert-spyre-to-ktir)"
        );
        run_pipeline(context, module.as_operation(), &pipeline).map_err(|err| err.to_string())?;
        Ok(printed(&module))
    }

    /// Compiles a kernel for the program, and runs it with an order of cores.
    pub(crate) fn run_in(
        &self,
        context: &Context,
        module: &Module<'_>,
        order: CoreOrder,
    ) -> Result<Result<Vec<Array>, KernelRunError>, KernelError> {
        // Most of the time is that of the compiler.
        let options = Options {
            order,
            optimization: Some(Optimization::None),
            ..Options::default()
        };
        let interface = (self.interface.clone(), None);
        let call = Call::compile(context, module.as_operation(), interface, &options)?;
        Ok(call.run(&self.inputs))
    }

    /// Runs a kernel in both orders of cores.
    pub(crate) fn run(
        &self,
        context: &Context,
        module: &Module<'_>,
    ) -> Result<Result<[Vec<Array>; 2], KernelRunError>, KernelError> {
        let forward = self.run_in(context, module, CoreOrder::Forward)?;
        let reverse = self.run_in(context, module, CoreOrder::Reverse)?;
        Ok(forward.and_then(|first| Ok([first, reverse?])))
    }
}

fn printed(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new().use_local_scope();
    let text = module.as_operation().to_string_with_flags(flags);
    text.expect("a module is printed in UTF-8")
}

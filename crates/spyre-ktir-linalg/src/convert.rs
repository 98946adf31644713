//! The pass.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{
    DenseI64ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute, StringAttribute,
    TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Block, Region, RegionLike, Type, TypeLike as _, ValueLike as _};
use spyre_ktir_kernel::{Program as Launches, launch_errors, programs};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, OpBuilder, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{Arithmetic, builtin, func};

use crate::access::flat_type;
use crate::empties::define_empties;
use crate::fault::Faults;
use crate::program::{ARGUMENT, INDICES, Kernel, POOL, Program, STORED, VIEW};
use crate::rewrite::Rewrite;
use crate::{BaseUnit, CoreOrder, PASS, error};

/// `--convert-ktdp-to-linalg`
pub static CONVERT_KTDP_TO_LINALG: RustPass = RustPass {
    argument: PASS,
    summary: "Convert kernels in KTIR to functions on tensors, a loop over cores",
    description: DESCRIPTION,
    anchor: builtin::MODULE,
    options: &[
        PassOption {
            name: "core-order",
            description: "the order in which cores run, one after the other: forward or reverse",
            kind: OptionKind::Str("forward"),
        },
        PassOption {
            name: "base-unit",
            description: "the unit of base addresses and offsets of memory views: element or byte",
            kind: OptionKind::Str("element"),
        },
        PassOption {
            name: "extents",
            description: "values of arguments that are no addresses, such as 2=192",
            kind: OptionKind::List,
        },
    ],
    statistics: &[PassStatistic {
        name: "kernels",
        description: "Kernels that were converted",
    }],
    // `linalg` brings `arith`, `math` and `tensor`.
    dialects: || {
        vec![
            DialectHandle::func(),
            DialectHandle::linalg(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
            DialectHandle::affine(),
        ]
    },
    run,
};

const DESCRIPTION: &str = r#"
Converts kernels in KTIR to functions that the pipeline `--spyre-lower-to-llvm` takes. A loop over the cores of `grid` is
around the body. Each argument that is an address is a flat tensor, and the function returns those that it stores, in
order. Loads and stores are loops over the elements of their tiles, by the sets, orders and subscripts of the tiles.

* A coordinate outside of its view, or an element outside of its argument, is a fault: the function calls
  `@spyre_ktdp_fault` with numbers, and `spyre-run` ends with a message. Comparisons that ranges of cores and loops prove
  are left out.
* The bytes of an argument are its attribute `ktdp.bytes`, or `pool_bytes` of the function for pools, or else as much as
  its views reach.
* Kernels with one `program` are launches of it, in the order of `launch`: a function of its name calls them one after the
  other.
* The attributes `extents` of a kernel and the types of runtime arguments have bounds, and other values are errors.
* Cores run one after the other. `core-order=reverse` is another order: a kernel without races has the same results.

```mlir
// before
func.func @copy(%x: index, %y: index) attributes {grid = [4]} {
  %id = ktdp.get_compute_tile_id : index
  ...
  %rows = ktdp.load %from : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  ktdp.store %rows, %to : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
// after
func.func @copy(%x: tensor<8192xf16>, %y: tensor<8192xf16>) -> tensor<8192xf16> {
  %0 = scf.for %id = %c0 to %c4 step %c1 iter_args(%out = %y) -> (tensor<8192xf16>) {
    %rows = linalg.generic ... { %e = tensor.extract %x[%offset] : tensor<8192xf16> ... }
    %after = scf.for ... { tensor.insert ... } ...
    scf.yield %after : tensor<8192xf16>
  }
```

Refused: views of scratchpads, distributed views, communication between cores, tiles of dynamic extents, and arguments
with views of several element types.
"#;

/// The options of the pass.
struct Options {
    order: CoreOrder,
    unit: BaseUnit,
    extents: Vec<(usize, i64)>,
}

impl Options {
    fn read<'p>(run: &'p PassRun<'p>) -> Result<Self, Diagnostic<'p>> {
        let module = run.operation();
        let order = match run.text("core-order").as_str() {
            "forward" => CoreOrder::Forward,
            "reverse" => CoreOrder::Reverse,
            other => {
                let message = format!("core-order is forward or reverse, got \"{other}\"");
                return Err(error(module, message));
            }
        };
        let unit = match run.text("base-unit").as_str() {
            "element" => BaseUnit::Element,
            "byte" => BaseUnit::Byte,
            other => {
                let message = format!("base-unit is element or byte, got \"{other}\"");
                return Err(error(module, message));
            }
        };
        let mut extents = Vec::new();
        for text in run.list("extents") {
            let pair = text.split_once('=');
            let pair = pair.and_then(|(number, value)| {
                let value: i64 = value.parse().ok()?;
                Some((number.parse().ok()?, value))
            });
            let pair = pair.ok_or_else(|| {
                error(
                    module,
                    format!("an extent is an argument and its value, as in 2=192; got \"{text}\""),
                )
            });
            extents.push(pair?);
        }
        Ok(Self {
            order,
            unit,
            extents,
        })
    }
}

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let options = Options::read(run)?;
    let groups = programs(module);
    if groups.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    if let Some((kernel, err)) = launch_errors(&groups).into_iter().next() {
        return Err(error(kernel, err).into());
    }
    let mut programs = Vec::with_capacity(groups.len());
    for group in groups {
        check_name(module, &group)?;
        programs.push(Program::read(
            group.name,
            &group.launches,
            options.unit,
            &options.extents,
        )?);
    }
    let mut faults = Faults::new(run.context());
    for program in &programs {
        let convert = Convert {
            context: run.context(),
            program,
            options: &options,
        };
        convert.program(&mut faults)?;
        run.count("kernels", program.kernels.len());
    }
    faults.declare(run.context(), module);
    Ok(())
}

/// Checks that the function of a program may have the name of the program: no function has it but the only launch.
fn check_name<'p>(module: Op<'p>, program: &Launches<'p>) -> Result<(), Diagnostic<'p>> {
    let mut functions = ir::body(module).into_iter().flat_map(ir::operations);
    let same = functions.find(|op| name(*op).as_deref() == Some(&program.name));
    let Some(other) = same.filter(|op| program.launches != [*op]) else {
        return Ok(());
    };
    let message = format!(
        "the launches of program \"{}\" become a function of this name; rename this one",
        program.name
    );
    Err(error(other, message).note(program.launches[0].location(), "the first launch is here"))
}

/// Returns the name of a function; `None` of any other operation.
fn name(op: Op<'_>) -> Option<String> {
    ir::attribute(op, "sym_name").and_then(spyre_dialects::attr::string)
}

struct Convert<'a, 'p> {
    context: &'p Context,
    program: &'a Program<'p>,
    options: &'a Options,
}

impl<'p> Convert<'_, 'p> {
    fn program(&self, faults: &mut Faults<'p>) -> Result<(), Diagnostic<'p>> {
        let kernels = &self.program.kernels;
        let last = kernels.last().expect("a program has a kernel");
        let mut functions = Vec::with_capacity(kernels.len());
        for kernel in kernels {
            functions.push(self.kernel(kernel, faults)?);
        }
        match functions[..] {
            [function] if name(function).as_ref() == Some(&self.program.name) => {
                self.describe(function);
            }
            _ => {
                let driver = self.driver(last.op, &functions);
                self.describe(driver);
            }
        }
        for kernel in kernels {
            ir::erase(kernel.op);
        }
        Ok(())
    }

    fn types(&self, buffers: impl Iterator<Item = usize>) -> Vec<Type<'p>> {
        let buffers = buffers.map(|buffer| &self.program.buffers[buffer]);
        buffers
            .map(|buffer| flat_type(buffer.elements, buffer.element))
            .collect()
    }

    /// Builds a function of all buffers before an operation, without operations.
    fn function(&self, before: Op<'p>, name: &str, results: &[Type<'p>]) -> Op<'p> {
        let inputs = self.types(0..self.program.buffers.len());
        let arguments: Vec<_> = inputs.iter().map(|ty| (*ty, before.location())).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        let ty = TypeAttribute::new(FunctionType::new(self.context, &inputs, results).into());
        let name = StringAttribute::new(self.context, name);
        let parts = func::func(name.into(), ty.into());
        OpBuilder::before(self.context, before).insert(parts.region(region), &[])
    }

    /// Converts a kernel to a function of its name.
    fn kernel(
        &self,
        kernel: &Kernel<'p>,
        faults: &mut Faults<'p>,
    ) -> Result<Op<'p>, Diagnostic<'p>> {
        let name = name(kernel.op).expect("a function has a name");
        let results = self.types(kernel.stored.iter().copied());
        let function = self.function(kernel.op, &name, &results);
        if name != self.program.name {
            let private = StringAttribute::new(self.context, "private").into();
            ir::set_attribute(function, "sym_visibility", private);
        }
        let block = ir::body(function).expect("the function was built with a block");
        let location = kernel.op.location();
        let build = OpBuilder::at_end(self.context, block, location);
        let mut state: Vec<Val<'p>> = ir::arguments(block).collect();
        self.replace_arguments(build, kernel);
        let body = ir::function_body(kernel.op).expect("a kernel has a body");
        define_empties(self.context, body);
        let cores = kernel.ranges.cores();
        let [first, end, step] = [0, cores, 1].map(|number| build.index(number));
        let inits: Vec<_> = kernel.stored.iter().map(|buffer| state[*buffer]).collect();
        let loop_ = ir::build_for(At::End(block), location, first, end, step, &inits);
        let inside = OpBuilder::at_end(self.context, loop_.body, location);
        let core = match self.options.order {
            CoreOrder::Forward => loop_.induction_variable(),
            CoreOrder::Reverse => {
                let last = inside.index(cores - 1);
                inside.sub(last, loop_.induction_variable())
            }
        };
        for (place, buffer) in kernel.stored.iter().enumerate() {
            state[*buffer] = loop_.carried(place);
        }
        let mut rewrite = Rewrite::new(
            self.program,
            kernel,
            faults,
            self.options.unit,
            (self.context, core),
        );
        rewrite.body(loop_.body, &mut state)?;
        let after: Vec<_> = kernel.stored.iter().map(|buffer| state[*buffer]).collect();
        ir::build_yield(loop_.body, location, &after);
        let after: Vec<_> = (0..after.len()).map(|place| loop_.result(place)).collect();
        build.insert(func::return_(&after), &[]);
        rewrite.finish();
        Ok(function)
    }

    /// Replaces addresses by 0, since each has its own buffer, and the other arguments by their values.
    fn replace_arguments(&self, build: OpBuilder<'p>, kernel: &Kernel<'p>) {
        let body = ir::function_body(kernel.op).expect("a kernel has a body");
        for (argument, value) in ir::arguments(body).zip(&kernel.ranges.arguments) {
            if let Some(value) = value
                && argument.r#type().is_index()
            {
                ir::replace_all_uses(argument, build.index(*value));
            }
        }
    }

    /// Builds the function that calls launches one after the other.
    fn driver(&self, before: Op<'p>, functions: &[Op<'p>]) -> Op<'p> {
        let results = self.program.results();
        let types = self.types(results.iter().copied());
        let driver = self.function(before, &self.program.name, &types);
        let block = ir::body(driver).expect("the function was built with a block");
        let build = OpBuilder::at_end(self.context, block, before.location());
        let mut state: Vec<Val<'p>> = ir::arguments(block).collect();
        for (function, kernel) in functions.iter().zip(&self.program.kernels) {
            let name = name(*function).expect("a function has a name");
            let callee = FlatSymbolRefAttribute::new(self.context, &name).into();
            let types = self.types(kernel.stored.iter().copied());
            let call = build.insert(func::call(&state, callee), &types);
            for (buffer, value) in kernel.stored.iter().zip(ir::results(call)) {
                state[*buffer] = value;
            }
        }
        let after: Vec<_> = results.iter().map(|buffer| state[*buffer]).collect();
        build.insert(func::return_(&after), &[]);
        driver
    }

    /// States what the arguments of a function are.
    fn describe(&self, function: Op<'p>) {
        let i64 = IntegerType::new(self.context, 64).into();
        let unit = Attribute::unit(self.context);
        for (place, buffer) in self.program.buffers.iter().enumerate() {
            let set = |name, value| ir::set_argument_attribute(function, place, name, value);
            let number = i64::try_from(buffer.number).expect("arguments are few");
            set(ARGUMENT, IntegerAttribute::new(i64, number).into());
            let shape: Vec<i64> = buffer
                .shape
                .iter()
                .map(|extent| extent.cast_signed())
                .collect();
            set(
                VIEW,
                DenseI64ArrayAttribute::new(self.context, &shape).into(),
            );
            if buffer.is_stored {
                set(STORED, unit);
            }
            if buffer.is_pool {
                set(POOL, unit);
            }
            if let Some(extent) = buffer.indices {
                set(
                    INDICES,
                    IntegerAttribute::new(i64, extent.cast_signed()).into(),
                );
            }
        }
    }
}

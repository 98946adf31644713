//! The pass.

use std::rc::Rc;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{ArrayAttribute, IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Block, Region, RegionLike, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::check_decided;
use spyre_conversion::to_sdscbundle::kernel;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_ktir_kernel::{
    ARGUMENT_BYTES, EXTENT_NAMES, EXTENTS, GRID, LAUNCH, POOL_BYTES, POOL_TYPES, PROGRAM,
};
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpBuilder, OpKind};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{builtin, func};
use spyre_plan::Target;

use crate::division::Digit;
use crate::emit::Emitter;
use crate::fit;
use crate::pieces::{Built, Cuts, Demand};
use crate::plan::Plan;
use crate::texts::Texts;
use crate::walk::{Memory, Walk};
use crate::{BaseUnit, PASS, error};

/// `--convert-spyre-to-ktir`
pub static CONVERT_SPYRE_TO_KTIR: RustPass = RustPass {
    argument: PASS,
    summary: "Convert a planned function to KTIR",
    description: DESCRIPTION,
    anchor: builtin::MODULE,
    options: &[
        PassOption {
            name: "flavour",
            description: "the consumers of the kernel: portable, or upstream, the scheduler of the published compiler",
            kind: OptionKind::Str("portable"),
        },
        PassOption {
            name: "base-unit",
            description: "the unit of base addresses and offsets of memory views: element, or byte, which upstream has always",
            kind: OptionKind::Str(""),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "operations",
            description: "Device operations that were converted",
        },
        PassStatistic {
            name: "launches",
            description: "Functions that were built",
        },
    ],
    // `linalg` brings `arith`, `math` and `tensor`.
    dialects: || {
        vec![
            DialectHandle::func(),
            DialectHandle::linalg(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
            spyre_dialects::ktdp_dialect(),
            spyre_dialects::spyreop_dialect(),
        ]
    },
    run,
};

const DESCRIPTION: &str = r#"
Converts the planned function of a module, the input of `--convert-spyre-to-sdscbundle`, to KTIR: a function that all
cores run, with the number of cores in `grid`. Its arguments are the base addresses of the inputs and of the results, the
extents of dynamic dimensions, and the base address of the pool for each element type in it. The conversion is of the
portable flavour: operations that an interpreter of KTIR executes and the dialect's verifier takes.

* A value in device memory is a memory view in the device layout. Each operation loads the part of its core and stores the
  part of its result.
* A value in scratchpads is a tensor of the core's part, and loops carry it.
* A value that one core writes to device memory and another one reads begins a new function, `@name_1` after `@name_0`, to
  launch on the same arguments: no core of KTIR waits for another one.
* The first one of the cores that share a reduced dimension computes the whole sum, and stores it. A sum in scratchpads is
  computed by each of them.
* A loop over tiles of a dynamic dimension ends at its extent.

```mlir
// before
%y = spyre.exp %x split [4, 1] place arg 1 : tensor<64x256xf16, #stick>
// after
func.func @f(%arg0: index, %arg1: index) attributes {grid = [4]} {
  %id = ktdp.get_compute_tile_id : index
  %row = arith.muli %id, %c16 : index
  %view = ktdp.construct_memory_view %arg0, sizes: [4, 64, 64], strides: [4096, 64, 1] {...} : memref<4x64x64xf16>
  %tile = ktdp.construct_access_tile %view[%c0, %row, %c0] {...} : memref<4x64x64xf16> -> !ktdp.access_tile<4x16x64xindex>
  %x = ktdp.load %tile : !ktdp.access_tile<4x16x64xindex> -> tensor<4x16x64xf16>
  ...
  ktdp.store %y, %out : tensor<4x16x64xf16>, !ktdp.access_tile<4x16x64xindex>
```

With `flavour=upstream`, the kernel is what the scheduler of the published compiler reads: one stage for each
operation, no tensors across stages, and operations of `spyreop`. A refusal has a label, such as
`[ktir-upstream: matmul]`.

`docs/Ktir.md` has the operations that are converted. Everything else is refused, at the operation.
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let Some(kernel) = kernel(module, PASS)? else {
        if let Some(device) = nested(module) {
            let around = device.parent_operation().map_or("a region", ir::name);
            let message = format!(
                "'{}' is in '{around}'; device operations of a planned program are in functions and in scf.for",
                ir::name(device)
            );
            return Err(error(device, message).into());
        }
        let message = format!("{PASS}: the module has no device operations");
        Diagnostic::warning(module.location(), message).emit();
        run.preserve_analyses();
        return Ok(());
    };
    let Some(unit) = unit(run, module)? else {
        return upstream(run, kernel);
    };
    let body = ir::function_body(kernel).expect("a kernel has device operations in its body");
    check_decided(body, PASS)?;
    let types = TensorTypes::new(run.context());
    let plan = Plan::of(&types, kernel, body)?;
    let scratchpad = scratchpad(kernel)?;
    let texts = Rc::new(Texts::new(run.context()));
    let launches = launches(&plan, body);
    let mut built = Vec::with_capacity(launches.len());
    for (number, ops) in launches.iter().enumerate() {
        let number = (launches.len() > 1).then_some(number);
        let launch = Launch {
            program: name(kernel),
            context: run.context(),
            kernel,
            plan: &plan,
            types: &types,
            texts: &texts,
            unit,
            scratchpad,
        };
        match launch.fitted(number, ops) {
            Ok(function) => built.push(function),
            Err(refusal) => {
                built.into_iter().for_each(ir::erase);
                return Err(refusal.into());
            }
        }
    }
    run.count("operations", plan.operations());
    run.count("launches", built.len());
    ir::erase(kernel);
    Ok(())
}

/// Returns the number of a launch.
fn i64_number(number: usize) -> i64 {
    i64::try_from(number).expect("fewer launches than 2^63")
}

/// Returns the first device operation in an operation.
fn nested(op: Op<'_>) -> Option<Op<'_>> {
    let mut inside = ir::blocks(op).flat_map(ir::operations);
    inside.find_map(|op| match DeviceOp::cast(op) {
        Some(device) => Some(device.op()),
        None => nested(op),
    })
}

/// Returns the unit of base addresses in the portable flavour; `None` for the flavour upstream, which has one unit.
///
/// # Errors
/// An option has no such value.
fn unit<'p>(run: &'p PassRun<'p>, module: Op<'p>) -> Result<Option<BaseUnit>, Failed> {
    let (flavour, unit) = (run.text("flavour"), run.text("base-unit"));
    let message = match (flavour.as_str(), unit.as_str()) {
        ("portable", "" | "element") => return Ok(Some(BaseUnit::Element)),
        ("portable", "byte") => return Ok(Some(BaseUnit::Byte)),
        ("upstream", "" | "byte") => return Ok(None),
        ("upstream", "element") => {
            "flavour=upstream adds bytes to addresses in bytes; base-unit=byte is the one that it has"
                .to_owned()
        }
        ("portable" | "upstream", other) => {
            format!("base-unit is element or byte, got \"{other}\"")
        }
        (other, _) => format!("flavour is portable or upstream, got \"{other}\""),
    };
    Err(error(module, message).into())
}

/// Converts a kernel to the flavour upstream.
fn upstream<'p>(run: &'p PassRun<'p>, kernel: Op<'p>) -> Result<(), Failed> {
    let body = ir::function_body(kernel).expect("a kernel has device operations in its body");
    check_decided(body, PASS)?;
    let types = TensorTypes::new(run.context());
    let operations = crate::upstream::convert(run.context(), &types, kernel, body)?;
    run.count("operations", operations);
    run.count("launches", 1);
    ir::erase(kernel);
    Ok(())
}

/// Returns the bytes of the scratchpad of a core. Where a target has none for values, tensors of a kernel are in that of the
/// card.
fn scratchpad(kernel: Op<'_>) -> Result<u64, Diagnostic<'_>> {
    let target = target_of(kernel)?.target;
    let bytes = match target.lx_bytes {
        Bytes::ZERO => Target::default().lx_bytes,
        bytes => bytes,
    };
    Ok(bytes.get())
}

/// Returns the operations of each launch.
fn launches<'p>(plan: &Plan<'p>, body: Blk<'p>) -> Vec<Vec<Op<'p>>> {
    let firsts: FxHashSet<_> = plan.launches.iter().map(|op| ir::op_key(*op)).collect();
    let mut launches = vec![Vec::new()];
    for op in ir::operations(body) {
        if firsts.contains(&ir::op_key(op)) {
            launches.push(Vec::new());
        }
        launches.last_mut().expect("there is a launch").push(op);
    }
    launches
}

fn name(kernel: Op<'_>) -> String {
    let name = ir::attribute(kernel, "sym_name").and_then(attr::string);
    name.expect("a function has a name")
}

struct Launch<'a, 'p> {
    /// The name of the function that is converted.
    program: String,
    context: &'p Context,
    kernel: Op<'p>,
    plan: &'a Plan<'p>,
    types: &'a TensorTypes<'p>,
    texts: &'a Rc<Texts<'p>>,
    unit: BaseUnit,
    /// The bytes of the scratchpad of a core.
    scratchpad: u64,
}

impl<'p> Launch<'_, 'p> {
    /// Builds a function before the kernel, without a body. `number` is that of a launch, if there are several.
    fn function(&self, number: Option<usize>) -> Op<'p> {
        let context = self.context;
        let name = match number {
            Some(number) => format!("{}_{number}", self.program),
            None => self.program.clone(),
        };
        let index = Type::index(context);
        let extents = &self.plan.extents.all;
        let count = self.plan.arguments + extents.len() + self.plan.pools.len();
        let arguments = vec![index; count];
        let blocks: Vec<_> = arguments
            .iter()
            .map(|ty| (*ty, self.kernel.location()))
            .collect();
        let region = Region::new();
        region.append_block(Block::new(&blocks));
        let ty = TypeAttribute::new(FunctionType::new(context, &arguments, &[]).into());
        let parts = func::func(StringAttribute::new(context, &name).into(), ty.into());
        let i64 = IntegerType::new(context, 64).into();
        let cores = IntegerAttribute::new(i64, self.plan.cores.into()).into();
        let function = OpBuilder::before(context, self.kernel).insert(parts.region(region), &[]);
        // Interpreters read the grid as a plain list: `[4]`.
        let grid = ArrayAttribute::new(context, &[cores]).into();
        ir::set_discardable_attribute(function, GRID, grid);
        if let Some(number) = number {
            let program = StringAttribute::new(context, &self.program);
            ir::set_discardable_attribute(function, PROGRAM, program.into());
            let number = i64_number(number);
            let number = IntegerAttribute::new(i64, number);
            ir::set_discardable_attribute(function, LAUNCH, number.into());
        }
        let bytes = self.plan.bytes.iter();
        let bytes: Vec<Attribute<'p>> = bytes
            .map(|bytes| IntegerAttribute::new(i64, bytes.cast_signed()).into())
            .collect();
        let bytes = ArrayAttribute::new(context, &bytes).into();
        ir::set_discardable_attribute(function, ARGUMENT_BYTES, bytes);
        if !extents.is_empty() {
            ir::set_discardable_attribute(function, EXTENTS, self.extents());
            let names = extents.iter();
            let names: Vec<Attribute<'p>> = names
                .map(|extent| StringAttribute::new(context, &extent.name).into())
                .collect();
            let names = ArrayAttribute::new(context, &names).into();
            ir::set_discardable_attribute(function, EXTENT_NAMES, names);
        }
        if !self.plan.pools.is_empty() {
            let bytes = IntegerAttribute::new(i64, self.plan.pool_bytes.cast_signed());
            ir::set_discardable_attribute(function, POOL_BYTES, bytes.into());
            let types = self.plan.pools.iter();
            let types: Vec<Attribute<'p>> =
                types.map(|ty| TypeAttribute::new(*ty).into()).collect();
            let types = ArrayAttribute::new(context, &types);
            ir::set_discardable_attribute(function, POOL_TYPES, types.into());
        }
        function
    }

    /// Returns the dynamic dimensions as an attribute: the number of the argument, its granularity and its maximum.
    fn extents(&self) -> Attribute<'p> {
        let i64 = IntegerType::new(self.context, 64).into();
        let number = |value: u64| -> Attribute<'p> {
            IntegerAttribute::new(i64, value.cast_signed()).into()
        };
        let extents = self.plan.extents.all.iter().enumerate();
        let extents = extents.map(|(place, extent)| {
            let argument = (self.plan.arguments + place) as u64;
            let numbers = [argument, extent.granularity, extent.max].map(number);
            ArrayAttribute::new(self.context, &numbers).into()
        });
        ArrayAttribute::new(self.context, &extents.collect::<Vec<Attribute<'p>>>()).into()
    }

    /// Builds the function of a launch. Operations whose tensors do not fit into a scratchpad are converted in smaller
    /// pieces, until all fit, or there are no smaller ones.
    fn fitted(&self, number: Option<usize>, ops: &[Op<'p>]) -> Result<Op<'p>, Diagnostic<'p>> {
        let mut cuts = Cuts::default();
        loop {
            let function = self.function(number);
            let built = match self.convert(function, ops, &cuts) {
                Ok(built) => built,
                Err(refusal) => {
                    ir::erase(function);
                    return Err(refusal);
                }
            };
            let mut is_smaller = false;
            let above = built.above(function, self.scratchpad);
            for &(op, demand) in &above {
                let device = DeviceOp::cast(op).expect("device operations were converted");
                let before = cuts.get(&ir::op_key(op));
                let cut = fit::pieces(device, self.plan.step(op), before, demand, self.scratchpad);
                if let Some(cut) = cut {
                    cuts.insert(ir::op_key(op), cut);
                    is_smaller = true;
                }
            }
            if !is_smaller {
                self.warn_of(&above);
                return Ok(function);
            }
            ir::erase(function);
        }
    }

    /// Warns of operations that take more of a scratchpad than there is, though their pieces are the smallest ones.
    fn warn_of(&self, above: &[(Op<'p>, Demand)]) {
        for (op, demand) in above {
            let message = format!(
                "{PASS}: the tensors of a core take {} bytes of a scratchpad of {}, {} of them before the operation; plan with \
                 lx=false, which keeps no values in scratchpads, or tile the dimension that its pieces cannot cut",
                demand.most, self.scratchpad, demand.before
            );
            Diagnostic::warning(op.location(), message).emit();
        }
    }

    fn convert(
        &self,
        function: Op<'p>,
        ops: &[Op<'p>],
        cuts: &Cuts,
    ) -> Result<Built<'p>, Diagnostic<'p>> {
        let block = ir::body(function).expect("the function was built with a block");
        let location = self.kernel.location();
        let mut emit = Emitter::new(
            self.context,
            location,
            block,
            self.plan.cores,
            Rc::clone(self.texts),
        );
        let mut digits = Vec::new();
        self.collect(ops, &mut digits);
        emit.prepare_digits(&digits);
        let values: Vec<_> = ir::arguments(block).collect();
        let (arguments, others) = values.split_at(self.plan.arguments);
        let (sizes, pools) = others.split_at(self.plan.extents.all.len());
        let pools = self.plan.pools.iter().copied().zip(pools.iter().copied());
        let mut walk = Walk {
            emit,
            plan: self.plan,
            types: self.types,
            memory: Memory {
                arguments: arguments.to_vec(),
                sizes: sizes.to_vec(),
                pools: pools.collect(),
                unit: self.unit,
                iterations: Vec::new(),
                trips: Vec::new(),
            },
            // A tensor of another launch is no value here.
            tiles: FxHashMap::default(),
            loops: Vec::new(),
            cuts,
            built: Built::default(),
        };
        walk.operations(ops)?;
        walk.emit.build().insert(func::return_(&[]), &[]);
        Ok(walk.built)
    }

    /// Collects the digits of core numbers that operations use, each once.
    fn collect(&self, ops: &[Op<'p>], digits: &mut Vec<Digit>) {
        for &op in ops {
            if DeviceOp::cast(op).is_some() {
                let division = &self.plan.step(op).division;
                let parts = division.parts.iter().filter_map(|part| part.digit);
                for digit in parts.chain(division.summed.iter().copied()) {
                    if !digits.contains(&digit) {
                        digits.push(digit);
                    }
                }
            } else if ir::kind(op) == OpKind::For {
                let body = ir::body(op).expect("a loop has a body");
                let inside: Vec<_> = ir::operations(body).collect();
                self.collect(&inside, digits);
            }
        }
    }
}

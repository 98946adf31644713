//! `--convert-spyre-to-sdscbundle`: turns a planned function into a bundle.
//!
//! * `kernel` finds the function, and `function` describes it: its loops, their iteration arguments, and its
//!   operations.
//! * `operation` describes one operation as an OpSpec, and `conserved` counts them.
//! * `window` finds the buffer of every operand and the position of its window in each iteration, and `access` relates
//!   them to the dimensions of the operation.
//! * `units` leaves out dimensions of one element, `coordinates` computes the addresses of a tensor, and `ranks` gives
//!   the tensors of an operation the same number of dimensions.
//! * `sticks`, `spans`, `formats` and `overlaps` check for operations that a bundle cannot represent; `gathers` and
//!   `convolutions` have the special cases of these operations.
//! * [`Form`] has the attributes of a bundle that are not in its tree.
//! * [`build`](self::build()) turns a tree and the compiled bundle function into IR, also for trees of other front ends.

mod access;
mod build;
mod conserved;
mod convolutions;
mod coordinates;
mod form;
mod formats;
mod function;
mod gathers;
mod kernel;
mod operation;
mod overlaps;
mod ranks;
mod relayouts;
mod spans;
mod sticks;
mod units;
pub mod window;

use melior::dialect::DialectHandle;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::check_decided;
use spyre_dialects::attr;
use spyre_dialects::bundle::FUNCTION;
use spyre_dialects::names::CONSTANT;
use spyre_dialects::op_spec::OP_SPEC;
use spyre_layouts::integers;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{builtin, inductor};
use spyre_sdsc::bundle::ParamBinding;
use spyre_sdsc::{Bundle, compile_bundle};

pub use build::{Tree, build, op_specs};
pub use form::{Form, splits_k};
pub use kernel::kernel;

/// `--convert-spyre-to-sdscbundle`
pub static CONVERT_SPYRE_TO_SDSCBUNDLE: RustPass = RustPass {
    argument: "convert-spyre-to-sdscbundle",
    summary: "Convert a planned function to a bundle",
    description: r#"
Turns the function of device operations in a module into the input of the
backend: a function `@sdsc_bundle` of loops, addresses and
`sdscbundle.sdsc_execute`, and next to it one `sdscbundle.op_spec` symbol for
each device operation, named after its file.

Addresses follow the SDSC bundle specification, revision 3: every kernel
argument is a parameter; every core's start address is a separate symbol; a
window that moves with a loop has an `affine.apply` with the exact byte distance
between two windows; equal maps are shared; values in the scratchpad have fixed
addresses that stand in the OpSpec alone.

```mlir
// before: one planned loop level
%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
  %row = affine.apply affine_map<(d0) -> (d0 * 512)>(%i)
  %ta = tensor.extract_slice %a[%row, 0] [512, 4096] [1, 1] : !t to !tile
  %y = spyre.exp %ta split [1, 1] place window : !tile
  %n = tensor.insert_slice %y into %acc[%row, 0] [512, 4096] [1, 1] : !tile into !t
  scf.yield %n : !t
}
// after
scf.for %i_0 = %c0 to %loop_bound_0 step %c1 {
  %addr_0 = affine.apply affine_map<(d0)[s0] -> (s0 + 65536*d0)>(%i_0)[%arg_0]
  %addr_1 = affine.apply affine_map<(d0)[s0] -> (s0 + 65536*d0)>(%i_0)[%arg_1]
  sdscbundle.sdsc_execute (%addr_0, %addr_1) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
}
```

With `share-files`, operations with files that differ only in the symbols share
one, and their executions name the OpSpec that they run (SDSC bundle
specification, section 2.10).

Every value needs a place (`--spyre-scratchpad-planning`); an operation without
a split runs on one core. A module may hold one function with device
operations, since a bundle has one function.

A loop from 0 to a `spyre.dim_size` runs up to a parameter that has the granularity and
the maximum of the dimension, in the steps that it has; the launcher finds the extent in
the first argument with the dimension.

Refused, at the operation: values without a place; loops that do not count from
0 to a constant in constant steps, or to a `spyre.dim_size` in steps that divide the
granularity; operations on all of a dynamic dimension, outside of loops over it; windows that are not affine in the
loops, leave their tensor, move backwards (`--spyre-unroll-loops` before helps), or are not a whole number of sticks
apart; reshapes of a window, and of a dimension into several that do not follow each other; a change of layout of a
window that ends inside a stick of the other layout, or that less than a stick follows (`--spyre-scratchpad-planning`
copies it first), and a matrix product with a right operand that does not have all rows of the last stick of K
(`--spyre-pad-matmul`); a result that its layout stores several times; a core that spans more of a tensor than the
target's `span_limit_bytes`; places that overlap while both values are needed; an `i64` that may not fit into 32 bits;
an OpFunc in formats that the contract of the target does not have (`contract`, `exceptions` of `#spyre.target`); a
product with one element of K; a gather by a single index, from the scratchpad, or from a window along the indexed
dimension, which planning copies; operations that have no form in a bundle (`spyre.fill`, which
`--spyre-constants-to-arguments` turns into an argument).
"#,
    anchor: builtin::MODULE,
    options: &[PassOption {
        name: "share-files",
        description: "operations with files that differ in symbols only share one",
        kind: OptionKind::Bool(false),
    }],
    statistics: &[
        PassStatistic {
            name: "op-specs",
            description: "OpSpecs that were made",
        },
        PassStatistic {
            name: "maps",
            description: "Distinct affine maps",
        },
    ],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::func(),
            DialectHandle::scf(),
            spyre_dialects::sdscbundle_dialect(),
            spyre_dialects::spyre_dialect(),
        ]
    },
    run,
};

/// Returns an error of the pass at an operation.
fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(
        op.location(),
        format!("convert-spyre-to-sdscbundle: {message}"),
    )
}

/// Warns that a module has no operations for the card. A module that is a bundle already gets no warning. The location is
/// the first operation of linalg, the first graph of PyTorch, or the module.
fn warn_of_nothing(module: Op<'_>) {
    let mut functions = ir::body(module).into_iter().flat_map(ir::operations);
    if functions.any(|op| is_of_bundle(op)) {
        return;
    }
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let bodies = functions.filter_map(ir::function_body);
    let mut ops = bodies.flat_map(ir::operations);
    let structured = ops.find(|op| ir::name(*op).starts_with("linalg."));
    let mut message =
        "convert-spyre-to-sdscbundle: the module has no device operations, so there is no bundle"
            .to_owned();
    if structured.is_some() {
        message += "; --spyre-import-linalg converts linalg on tensors to them";
    }
    let mut top = ir::body(module).into_iter().flat_map(ir::operations);
    let graph = top.find(|op| ir::name(*op) == inductor::GRAPH);
    if graph.is_some() {
        message += "; --convert-inductor-to-linalg converts graphs to functions of linalg";
    }
    let location = structured.or(graph).unwrap_or(module).location();
    Diagnostic::warning(location, message).emit();
}

/// Returns whether an operation of a module belongs to a bundle: an `op_spec`, or the bundle's function.
fn is_of_bundle(op: Op<'_>) -> bool {
    let is_named = |name: Attribute<'_>| attr::string(name).as_deref() == Some(FUNCTION);
    ir::name(op) == OP_SPEC || op.attribute("sym_name").is_ok_and(is_named)
}

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let Some(kernel) = kernel(module, "convert-spyre-to-sdscbundle")? else {
        warn_of_nothing(module);
        run.preserve_analyses();
        return Ok(());
    };
    let body = ir::function_body(kernel).expect("a kernel has device operations in its body");
    check_decided(body, "convert-spyre-to-sdscbundle")?;
    integers::check(kernel, "convert-spyre-to-sdscbundle")?;
    let types = TensorTypes::new(run.context());
    // All refusals are before the first change of the module.
    let program = function::describe(&types, kernel, body)?;
    conserved::check_tree(kernel, body, &program)?;
    let form = Form {
        share_files: run.flag("share-files"),
        ..Form::default()
    };
    let options = form.options(&program.tree, &target_of(kernel)?.target);
    let bundle = compile_bundle(&program.tree, &options).map_err(|err| {
        let at = err
            .op()
            .and_then(|op| program.locations.get(op.index))
            .copied();
        Diagnostic::error(
            at.unwrap_or_else(|| kernel.location()),
            format!("convert-spyre-to-sdscbundle: {err}"),
        )
    })?;
    run.count("op-specs", program.locations.len());
    run.count("maps", bundle.function().maps.len());
    let tree = Tree {
        nodes: &program.tree,
        locations: &program.locations,
        form: &form,
    };
    build(
        run.context(),
        At::Before(kernel),
        kernel.location(),
        tree,
        &bundle,
    )?;
    carry_constants(kernel, &bundle)?;
    ir::erase(kernel);
    Ok(())
}

/// Copies the constants that the kernel's arguments hold to the parameters of the bundle, which was built right before the
/// kernel.
fn carry_constants<'p>(kernel: Op<'p>, bundle: &Bundle) -> Result<(), Diagnostic<'p>> {
    let block = kernel.block().into_iter().flat_map(ir::operations);
    let built = block.take_while(|op| *op != kernel).last();
    let built = built.expect("the bundle was built before the kernel");
    for (index, param) in bundle.function().params.iter().enumerate() {
        if let ParamBinding::Kernel(argument) = &param.binding
            && let Some(constant) =
                ir::argument_attribute(kernel, argument.get() as usize, CONSTANT)
        {
            ir::set_argument_attribute(built, index, CONSTANT, constant);
        }
    }
    conserved::check_constants(kernel, built, bundle)
}

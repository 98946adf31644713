//! `--spyre-constants-to-arguments`: turns constant tensors into arguments of the function.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::kinds::is_fill;
use spyre_analysis::walk::{check_reachable, device_ops};
use spyre_dialects::names::{CONSTANT, DIMS};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

const NAME: &str = "spyre-constants-to-arguments";

/// `--spyre-constants-to-arguments`
pub static CONSTANTS_TO_ARGUMENTS: RustPass = RustPass {
    argument: NAME,
    summary: "Make constant tensors arguments, which the launcher fills once",
    description: r#"
The device has no literals, so a tensor of one value has to be in device memory
before the kernel starts. Each `spyre.fill` becomes an argument of the function, after
the inputs and so before the results in the numbering of kernel arguments. Its
attribute `spyre.constant` has its value, in the bundle as well. Equal constants share
an argument.

```mlir
// before
func.func @f(%a: tensor<128x64xf16>) -> tensor<128x64xf16> {
  %one = spyre.fill dense<1.0> : tensor<128x64xf16>
  %y = spyre.add %a, %one : tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}
// after
func.func @f(%a: tensor<128x64xf16>,
             %one: tensor<128x64xf16> {spyre.constant = dense<1.0> : tensor<128x64xf16>}) -> tensor<128x64xf16> {
  %y = spyre.add %a, %one : tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}
```

Run it after the layouts are chosen, because a constant can have any layout and an argument keeps its layout, and
after `--coarse-tile`, since its accumulators start from constants. `spyre.dims` of a constant goes to the
argument. Callers of the function have to pass the constants. One in the arrangement that a cast leaves, with an
undocumented order, is filled in all its room.

Refused: a function with places on its operations, since places have the numbers of arguments.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "arguments",
        description: "Arguments that were added",
    }],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        return Ok(());
    };
    let mut fills = Vec::new();
    if !device_ops(body).is_empty() {
        collect(body, &mut fills);
    }
    if fills.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    if let Some(placed) = device_ops(body).into_iter().find(|op| op.place().is_some()) {
        let message = format!(
            "{NAME}: operation already has a place, but an additional argument changes the numbers of the results; \
             run the pass before --spyre-scratchpad-planning"
        );
        return Err(Diagnostic::error(placed.op().location(), message).into());
    }
    let mut arguments = FxHashMap::default();
    for fill in fills {
        let error =
            |message: String| Diagnostic::error(fill.location(), format!("{NAME}: {message}"));
        let value = fill
            .attribute("value")
            .map_err(|err| error(err.to_string()))?;
        let result = fill.result(0).map_err(|err| error(err.to_string()))?;
        let ty = result.r#type();
        // Equal constants with different names for their dimensions become different arguments.
        let names = fill.attribute(DIMS).ok().map(ir::attribute_key);
        let key = (ir::attribute_key(value), ir::type_key(ty), names);
        let argument = match arguments.get(&key) {
            Some(argument) => *argument,
            None => {
                run.count("arguments", 1);
                let count = body.argument_count();
                let argument = ir::add_argument(function, ty, CONSTANT, value, fill.location())
                    .ok_or_else(|| error("the function takes no more arguments".to_owned()))?;
                if let Ok(names) = fill.attribute(DIMS) {
                    ir::set_argument_attribute(function, count, DIMS, names);
                }
                argument
            }
        };
        arguments.insert(key, argument);
        ir::replace_all_uses(result.into(), argument);
        ir::erase(fill);
    }
    Ok(())
}

/// Collects the constants of a block and of the loops in it.
fn collect<'p>(block: Blk<'p>, fills: &mut Vec<Op<'p>>) {
    for op in ir::operations(block) {
        if is_fill(op) {
            fills.push(op);
        } else if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            collect(body, fills);
        }
    }
}

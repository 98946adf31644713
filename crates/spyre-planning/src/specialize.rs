//! `--spyre-specialize-dynamic-dims`: replaces dynamic extents by given numbers.

use melior::dialect::DialectHandle;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use spyre_analysis::dynamic::resize::resize;
use spyre_analysis::dynamic::{DynamicDims, SymbolId};
use spyre_analysis::names::set_dim_sizes;
use spyre_analysis::sizes::{Sizes, parse_size};
use spyre_construct::reshape;
use spyre_dialects::attr;
use spyre_dialects::dynamic::dynamic_extent;
use spyre_dialects::names::DIM_SIZES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, RustPass};
use spyre_ods::builtin;

const NAME: &str = "spyre-specialize-dynamic-dims";

/// `--spyre-specialize-dynamic-dims`
pub static SPECIALIZE_DYNAMIC_DIMS: RustPass = RustPass {
    argument: NAME,
    summary: "Choose the extents of dynamic dimensions",
    description: r#"
Specializes a program for one extent of each dynamic dimension: dynamic extents of
tensors and values of `tensor.dim` and `spyre.dim_size` become the given numbers.
`spyre-run` does this before it runs a program on the CPU.

```mlir
// before
func.func @double(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %z = spyre.add %a, %a : tensor<?x256xf16>
  return %z : tensor<?x256xf16>
}
// after --spyre-specialize-dynamic-dims="sizes=S=192"
func.func @double(%a: tensor<192x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<192x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = 192}} {
  %z = spyre.add %a, %a : tensor<192x256xf16>
  return %z : tensor<192x256xf16>
}
```

Tensors that `--spyre-bound-dynamic-dims` has given their largest extents keep them;
the loops iterate over the given extents.

Refused: no extent, or one that the declaration does not admit, for a dimension that
a function declares; an extent for a dimension that no function of the module
declares.
"#,
    anchor: builtin::MODULE,
    options: &[PassOption {
        name: "sizes",
        description: "the extent of each dynamic dimension, NAME=EXTENT",
        kind: OptionKind::List,
    }],
    statistics: &[],
    dialects: || vec![DialectHandle::arith(), spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let mut sizes = Sizes::new();
    for text in run.list("sizes") {
        let (name, extent) = parse_size(&text)
            .map_err(|err| Diagnostic::error(module.location(), format!("{NAME}: {err}")))?;
        sizes.insert(name, extent);
    }
    let functions: Vec<Op<'p>> = ir::body(module)
        .into_iter()
        .flat_map(ir::operations)
        .filter(|op| op.has_attribute(DIM_SIZES))
        .collect();
    let mut names = Vec::new();
    for function in functions {
        specialize(run, function, &sizes, &mut names)?;
    }
    if let Some(stray) = sizes.keys().find(|name| !names.contains(name)) {
        let message = format!(
            "{NAME}: no function declares \"{stray}\" to be #spyre.dynamic in '{DIM_SIZES}', so it has no extent to choose"
        );
        return Err(Diagnostic::error(module.location(), message).into());
    }
    Ok(())
}

fn specialize<'p, 's>(
    run: &'p PassRun<'p>,
    function: Op<'p>,
    sizes: &'s Sizes,
    names: &mut Vec<&'s String>,
) -> Result<(), Diagnostic<'p>> {
    let error =
        |message: String| Diagnostic::error(function.location(), format!("{NAME}: {message}"));
    let Some(body) = ir::function_body(function) else {
        return Ok(());
    };
    let dims = DynamicDims::of_function(function, body)?;
    let mut chosen = Vec::with_capacity(dims.symbols().len());
    for symbol in dims.symbols() {
        let Some((name, extent)) = sizes.get_key_value(&symbol.name) else {
            let message = format!(
                "no extent is given for \"{}\", which is a multiple of {} and at most {}",
                symbol.name,
                symbol.extent.granularity(),
                symbol.extent.max()
            );
            return Err(error(message));
        };
        symbol
            .extent
            .admit(*extent)
            .map_err(|err| error(format!("the extent of \"{name}\" {err}")))?;
        names.push(name);
        chosen.push(*extent);
    }
    if chosen.is_empty() {
        return Ok(());
    }
    let context = run.context();
    let size = |symbol: SymbolId| chosen.get(symbol.index()).copied().unwrap_or(1);
    resize(context, function, body, &dims, size, |at, symbol| {
        let value = size(symbol).cast_signed();
        Ok(ir::build_index_constant(at, function.location(), value))
    })?;
    reshape::by_groups(context, body);
    // Tensors that have room for the largest extent keep it.
    let declared = function
        .attribute(DIM_SIZES)
        .map_err(|err| error(err.to_string()))?;
    let i64 = IntegerType::new(context, 64).into();
    let entries = attr::entries(declared).into_iter().map(|(name, value)| {
        let extent = match (dynamic_extent(value), dims.named(&name)) {
            (Some(_), Some(symbol)) if !dims.is_empty() => size(symbol),
            (Some(extent), _) => extent.max(),
            (None, _) => return (name, value),
        };
        (
            name,
            IntegerAttribute::new(i64, extent.cast_signed()).into(),
        )
    });
    let entries: Vec<_> = entries.collect();
    set_dim_sizes(context, function, &entries);
    Ok(())
}

//! `--spyre-generalize-named-ops`: makes named structured operations generic, and keeps their attributes.

use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use spyre_analysis::walk;
use spyre_construct::build::{element_of, is_truth};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, RustPass};
use spyre_ods::func;

/// `--spyre-generalize-named-ops`
pub static GENERALIZE_NAMED_OPS: RustPass = RustPass {
    argument: "spyre-generalize-named-ops",
    summary: "Make named operations of linalg generic, with their attributes",
    description: r#"
As `--linalg-generalize-named-ops`, but `spyre.dims`, `spyre.tile` and all other
discardable attributes stay, and `linalg.softmax` becomes the structured operations that
define it, each with its hints. A warning reports a product that extends truth values as
signed integers: this is linalg's default for `cast`, and true is -1 then.

```mlir
// before
%0 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "rows" in 4>]} ins(%a, %b : ...) outs(%c : ...) -> ...
// after
%0 = linalg.generic {indexing_maps = [...], iterator_types = [...]} ins(%a, %b : ...) outs(%c : ...)
    attrs = {spyre.tile = [#spyre.tile_hint<0 : "rows" in 4>]} { ... } -> ...
```
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[],
    dialects: || {
        vec![
            DialectHandle::arith(),
            DialectHandle::linalg(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let body = ir::function_body(run.operation());
    for op in body
        .into_iter()
        .flat_map(|body| walk::find(body, with_signed_truth))
    {
        let name = ir::name(op);
        let message = format!(
            "'{name}' multiplies operands of i1 as signed integers, by which true is -1; 'cast = #linalg.type_fn<cast_unsigned>' makes \
             it 1, and so does a conversion to the type of the result before the product"
        );
        Diagnostic::warning(op.location(), message).emit();
    }
    ir::generalize_named_ops(run.operation());
    Ok(())
}

/// The parts of the names of products.
const PRODUCTS: [&str; 6] = ["matmul", "matvec", "vecmat", "dot", "conv", "mmt4d"];

/// Returns a named product with an operand of truth values that it extends as signed integers, which is the
/// default of linalg. Front ends mean 1.
fn with_signed_truth(op: Op<'_>) -> Option<Op<'_>> {
    let name = ir::name(op).strip_prefix("linalg.")?;
    let is_product = PRODUCTS.iter().any(|part| name.contains(part));
    let result = ir::result(op, 0).filter(|_| is_product)?;
    let is_unsigned =
        ir::attribute(op, "cast").is_some_and(|cast| cast.to_string().contains("unsigned"));
    let has_truth = op.operands().any(|operand| is_truth(element_of(operand)));
    (has_truth && !is_truth(element_of(result)) && !is_unsigned).then_some(op)
}

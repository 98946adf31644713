//! `--spyre-generalize-named-ops`: makes named structured operations generic, and keeps what was written on them.

use melior::dialect::DialectHandle;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun, RustPass};

/// `--spyre-generalize-named-ops`
pub(crate) static GENERALIZE_NAMED_OPS: RustPass = RustPass {
    argument: "spyre-generalize-named-ops",
    summary: "Make named operations of linalg generic, with their attributes",
    description: r#"
As `--linalg-generalize-named-ops`, but `spyre.dims`, `spyre.tile` and all other
discardable attributes stay, and `linalg.softmax` becomes the structured operations that
it stands for, each with its hints.

```mlir
// before
%0 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "rows" in 4>]} ins(%a, %b : ...) outs(%c : ...) -> ...
// after
%0 = linalg.generic {indexing_maps = [...], iterator_types = [...]} ins(%a, %b : ...) outs(%c : ...)
    attrs = {spyre.tile = [#spyre.tile_hint<0 : "rows" in 4>]} { ... } -> ...
```
"#,
    anchor: "func.func",
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
    ir::generalize_named_ops(run.operation());
    Ok(())
}

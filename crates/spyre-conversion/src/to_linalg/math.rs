//! `--spyre-convert-math`: lowers operations of `math` that the mathematical library has no function for.

use melior::dialect::DialectHandle;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun, RustPass};
use spyre_ods::func;

/// `--spyre-convert-math`
pub static CONVERT_MATH: RustPass = RustPass {
    argument: "spyre-convert-math",
    summary: "Lower operations of math that the mathematical library has no function for",
    description: r#"
`--convert-math-to-libm` fails on operations that the mathematical library has no
function for, and `--convert-math-to-llvm` lowers operations with a function as well,
some of them less exactly. This pass applies the patterns of the latter to `absi`,
`copysign`, `ctlz`, `ctpop`, `cttz`, `isfinite`, `isnan` and `sincos`, and lowers
`isinf` and `isnormal` in the same way. Others stay.

```mlir
// before
%0 = math.absi %a : i32
%1 = math.exp %b : f32
// after
%0 = "llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (i32) -> i32
%1 = math.exp %b : f32
```
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[],
    dialects: || vec![DialectHandle::llvm()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    if ir::convert_math(run.operation()) {
        Ok(())
    } else {
        Err(Failed)
    }
}

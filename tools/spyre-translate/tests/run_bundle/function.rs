//! What operations compute.

/// The meaning of an OpFunc.
pub struct Function {
    pub operands: usize,
    /// What one point adds to the output.
    pub compute: fn(&[f32]) -> f32,
    /// Two points of a reduction.
    pub combine: Option<fn(f32, f32) -> f32>,
}

const fn elementwise(operands: usize, compute: fn(&[f32]) -> f32) -> Function {
    Function {
        operands,
        compute,
        combine: None,
    }
}

const fn reduction(
    operands: usize,
    compute: fn(&[f32]) -> f32,
    combine: fn(f32, f32) -> f32,
) -> Function {
    Function {
        operands,
        compute,
        combine: Some(combine),
    }
}

impl Function {
    /// The function of a name. Reductions over other dimensions than the stick have a name of their own.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name.trim_end_matches("nonstick") {
            "add" => elementwise(2, |x| x[0] + x[1]),
            "sub" => elementwise(2, |x| x[0] - x[1]),
            "mul" => elementwise(2, |x| x[0] * x[1]),
            "realdiv" => elementwise(2, |x| x[0] / x[1]),
            "maximum" => elementwise(2, |x| maximum(x[0], x[1])),
            "minimum" => elementwise(2, |x| minimum(x[0], x[1])),
            "neg" => elementwise(1, |x| -x[0]),
            "abs" => elementwise(1, |x| x[0].abs()),
            "exp" => elementwise(1, |x| x[0].exp()),
            "relufwd" => elementwise(1, |x| maximum(x[0], 0.0)),
            "identity" | "ReStickifyOpHBM" => elementwise(1, |x| x[0]),
            "sum" => reduction(1, |x| x[0], |a, b| a + b),
            "prod" => reduction(1, |x| x[0], |a, b| a * b),
            "max" => reduction(1, |x| x[0], maximum),
            "min" => reduction(1, |x| x[0], minimum),
            // The hardware masks what lies beyond K in the left operand, and not in the right one.
            "batchmatmul" => reduction(
                2,
                |x| (if x[0].is_nan() { 0.0 } else { x[0] }) * x[1],
                |a, b| a + b,
            ),
            _ => return None,
        })
    }
}

/// The larger one. What is not a number stays.
fn maximum(a: f32, b: f32) -> f32 {
    if a.is_nan() {
        a
    } else if b > a || b.is_nan() {
        b
    } else {
        a
    }
}

/// The smaller one. What is not a number stays.
fn minimum(a: f32, b: f32) -> f32 {
    -maximum(-a, -b)
}

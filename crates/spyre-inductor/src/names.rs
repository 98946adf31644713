//! Expressions of the file: read into index expressions, and written in the order of PyTorch.

use spyre_index_expr::tree::{self, Tree};
use spyre_index_expr::{Expr, Function, Overflow, Var};

use crate::schema::{self, Text};

/// An expression of the file that is not supported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    /// A name is not bound to a variable.
    #[error("'{0}' is no loop, no indirect index and no symbol here")]
    Unknown(String),
    /// An unknown function, or one with another number of operands.
    #[error("'{function}' of {operands} operands is no function of index expressions")]
    Function {
        /// The name.
        function: String,
        /// The number of its operands.
        operands: usize,
    },
    /// An exponent is not a small number.
    #[error("the exponent of a power is a number from 0 to 16")]
    Exponent,
    /// A number is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// The largest exponent of a power.
const MOST_FACTORS: i64 = 16;

/// Reads an expression. `lookup` maps names to variables.
///
/// # Errors
/// [`ExprError`].
pub fn read(expr: &schema::Expr, lookup: &impl Fn(&str) -> Option<Var>) -> Result<Expr, ExprError> {
    let (function, operands) = match expr {
        schema::Expr::Number(value) => return Ok(Expr::constant(*value)),
        schema::Expr::Name(name) => {
            let var = lookup(name).ok_or_else(|| ExprError::Unknown(name.to_string()))?;
            return Ok(Expr::var(var));
        }
        schema::Expr::Apply(function, operands) => (function, operands),
    };
    let read: Vec<Expr> = operands
        .iter()
        .map(|operand| read(operand, lookup))
        .collect::<Result<_, _>>()?;
    Ok(match (function.as_str(), read.as_slice()) {
        ("add", [first, others @ ..]) => others
            .iter()
            .try_fold(first.clone(), |sum, operand| sum.add(operand))?,
        ("mul", [first, others @ ..]) => others
            .iter()
            .try_fold(first.clone(), |product, operand| product.mul(operand))?,
        ("pow", [base, exponent]) => {
            let exponent = exponent.as_constant();
            let exponent = exponent.filter(|exponent| (0..=MOST_FACTORS).contains(exponent));
            let exponent = exponent.ok_or(ExprError::Exponent)?;
            (0..exponent).try_fold(Expr::constant(1), |power, _| power.mul(base))?
        }
        (name, read) => {
            let applied = Function::named(name).and_then(|function| function.apply(read));
            applied.ok_or_else(|| ExprError::Function {
                function: function.to_string(),
                operands: operands.len(),
            })?
        }
    })
}

/// Writes an expression in the order of PyTorch. `name` has the names of variables.
#[must_use]
pub fn write(expr: &Expr, name: &impl Fn(Var) -> Text) -> schema::Expr {
    of_tree(&tree::tree(expr, name))
}

fn of_tree(tree: &Tree) -> schema::Expr {
    let apply = |function: &str, operands: &[Tree]| {
        schema::Expr::Apply(function.into(), operands.iter().map(of_tree).collect())
    };
    match tree {
        Tree::Number(value) => schema::Expr::Number(*value),
        Tree::Symbol(name) => schema::Expr::Name(name.clone()),
        Tree::Pow(base, exponent) => schema::Expr::Apply(
            "pow".into(),
            vec![of_tree(base), schema::Expr::Number(*exponent)],
        ),
        Tree::Mul(operands) => apply("mul", operands),
        Tree::Add(operands) => apply("add", operands),
        Tree::Function(function, operands) => apply(function.name(), operands),
    }
}

#[cfg(test)]
mod tests {
    use spyre_index_expr::tree::text;

    use super::*;

    fn name(var: Var) -> Text {
        match var {
            Var::Loop(number) => smol_str::format_smolstr!("i{number}"),
            Var::Indirect(number) => smol_str::format_smolstr!("indirect{number}"),
            Var::Symbol(number) => ["s16", "s50", "s98"][number as usize].into(),
        }
    }

    fn lookup(text: &str) -> Option<Var> {
        let number = |text: &str| text.parse().ok();
        if let Some(number) = text.strip_prefix("indirect").and_then(number) {
            return Some(Var::Indirect(number));
        }
        match text {
            "s16" => Some(Var::Symbol(0)),
            "s50" => Some(Var::Symbol(1)),
            "s98" => Some(Var::Symbol(2)),
            _ => text.strip_prefix('i').and_then(number).map(Var::Loop),
        }
    }

    #[track_caller]
    fn same(json: &str, expected: &str) {
        let parsed: schema::Expr = serde_json::from_str(json).expect("an expression");
        let expr = read(&parsed, &lookup).expect("a known expression");
        assert_eq!(write(&expr, &name), parsed, "the order of {json}");
        assert_eq!(text(&expr, &name), expected);
    }

    #[test]
    fn expressions_are_written_as_they_were_read() {
        same(r#"["add", "i1", ["mul", 3840, "i0"]]"#, "3840*i0 + i1");
        same(
            r#"["add", -13, "i1", ["mul", 12, "i0"]]"#,
            "12*i0 + i1 - 13",
        );
        same(
            r#"["add", "i1", ["mul", "i2", "s16"], ["mul", "i0", "s16", "s98"]]"#,
            "i0*s16*s98 + i1 + i2*s16",
        );
        same(
            r#"["add", "i3", ["mul", "i1", ["pow", "s50", 2]], ["mul", "i2", "s50"], ["mul", 4, "i0", ["pow", "s50", 2]]]"#,
            "4*i0*s50**2 + i1*s50**2 + i2*s50 + i3",
        );
        same(
            r#"["add", "indirect0", ["mul", 30, "i0"]]"#,
            "30*i0 + indirect0",
        );
        same(
            r#"["add", "i1", ["mul", 10, ["modidx", "i2", 1, 4]], ["mul", 40, ["modidx", "i0", 1, 3]], ["mul", 120, ["floordiv", "i2", 4]], ["mul", 480, ["floordiv", "i0", 3]]]"#,
            "i1 + 480*((i0//3)) + 120*((i2//4)) + 40*(ModularIndexing(i0, 1, 3)) + 10*(ModularIndexing(i2, 1, 4))",
        );
        same(r#"["add", 5, ["mul", -1, "i0"]]"#, "5 - i0");
        same(
            r#"["add", 63, ["mul", -1, ["abs", ["add", -7, ["abs", ["add", -2, "i3"]]]]], ["mul", 64, "i1"], ["mul", 192, "i0"]]"#,
            "192*i0 + 64*i1 - Abs(Abs(i3 - 2) - 7) + 63",
        );
        same(
            r#"["add", ["mul", 64, "i1"], ["min", 7, ["max", 0, ["add", -2, "i3"]]]]"#,
            "64*i1 + Min(7, Max(0, i3 - 2))",
        );
    }

    #[test]
    fn texts_are_those_of_pytorch() {
        let printed = |json: &str| {
            let parsed: schema::Expr = serde_json::from_str(json).expect("an expression");
            text(&read(&parsed, &lookup).expect("a known expression"), &name)
        };
        // Each was printed by PyTorch 2.12.
        let cases = [
            (r#"["floordiv", "i0", 3]"#, "(i0//3)"),
            (r#"["floordiv", ["add", 1, "i0"], 3]"#, "((i0 + 1)//3)"),
            (
                r#"["modidx", ["add", "i1", ["floordiv", "i0", 3]], 2, 4]"#,
                "ModularIndexing(i1 + ((i0//3)), 2, 4)",
            ),
            (
                r#"["floordiv", ["add", ["mul", 3, "i0"], ["modidx", "i1", 1, 4]], 7]"#,
                "((3*i0 + (ModularIndexing(i1, 1, 4)))//7)",
            ),
            (
                r#"["floordiv", ["modidx", "i1", 1, 5], 2]"#,
                "((ModularIndexing(i1, 1, 5))//2)",
            ),
            (
                r#"["add", ["mul", 2, ["mod", "i1", "i2"]], ["mod", "i0", "i1"]]"#,
                "(Mod(i0, i1)) + 2*(Mod(i1, i2))",
            ),
            (
                r#"["add", ["mul", 10, ["modidx", ["add", 4, "i0"], 1, 6]], ["modidx", ["add", 3, "i1"], 1, 10]]"#,
                "10*(ModularIndexing(i0 + 4, 1, 6)) + (ModularIndexing(i1 + 3, 1, 10))",
            ),
            (
                r#"["min", ["add", 4, "i0"], ["floordiv", "i1", 2]]"#,
                "Min(i0 + 4, (i1//2))",
            ),
            (
                r#"["add", 1, ["mul", 3, ["min", 7, ["max", 0, ["add", -2, "i1"]]]]]"#,
                "3*Min(7, Max(0, i1 - 2)) + 1",
            ),
            (
                r#"["add", ["mul", "i1", ["floordiv", "i0", 2]], ["mul", ["pow", "i0", 2], ["modidx", "i1", 1, 3]], ["modidx", "i0", 1, 2]]"#,
                "i0**2*(ModularIndexing(i1, 1, 3)) + i1*((i0//2)) + (ModularIndexing(i0, 1, 2))",
            ),
            (
                r#"["floordiv", ["mul", 2, "i0"], ["mul", 3, "i1"]]"#,
                "((2*i0)//(3*i1))",
            ),
            (r#"["floordiv", ["pow", "i0", 2], 5]"#, "((i0**2)//5)"),
            (
                r#"["floordiv", ["min", "i0", "i1"], 2]"#,
                "(Min(i0, i1)//2)",
            ),
            (
                r#"["add", ["mul", 2, ["abs", ["add", -3, "i0"]]], ["mul", -1, ["abs", ["add", "i0", ["mul", -1, "i1"]]]]]"#,
                "2*Abs(i0 - 3) - Abs(i0 - i1)",
            ),
            (
                r#"["add", ["modidx", ["add", "i1", "i2"], 1, 3], ["modidx", ["mul", 2, "i2"], 1, 3], ["modidx", "i2", 1, 5], ["floordiv", ["add", "i0", "i1"], 4]]"#,
                "(((i0 + i1)//4)) + (ModularIndexing(i2, 1, 5)) + (ModularIndexing(2*i2, 1, 3)) + (ModularIndexing(i1 + i2, 1, 3))",
            ),
            (
                r#"["add", ["modidx", "i1", 1, 4], ["modidx", "i0", 2, 4], ["mul", 4, ["modidx", "i0", 1, 8]]]"#,
                "4*(ModularIndexing(i0, 1, 8)) + (ModularIndexing(i0, 2, 4)) + (ModularIndexing(i1, 1, 4))",
            ),
        ];
        for (json, expected) in cases {
            assert_eq!(printed(json), expected, "{json}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let refused = |json: &str| {
            let parsed: schema::Expr = serde_json::from_str(json).expect("an expression");
            read(&parsed, &lookup)
                .expect_err("it is refused")
                .to_string()
        };
        assert_eq!(
            refused(r#"["add", "q0", 1]"#),
            "'q0' is no loop, no indirect index and no symbol here"
        );
        assert_eq!(
            refused(r#"["floordiv", "i0"]"#),
            "'floordiv' of 1 operands is no function of index expressions"
        );
        assert_eq!(
            refused(r#"["pow", "i0", 1000]"#),
            "the exponent of a power is a number from 0 to 16"
        );
        assert_eq!(
            refused(r#"["mul", 4611686018427387904, 4]"#),
            "a number of an index expression does not fit into 64 bits"
        );
    }
}

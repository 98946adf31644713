//! Expressions with names: read from the file, and written in the order and with the text of PyTorch.
//!
//! PyTorch keeps expressions in SymPy. The operands of its sums and products are ordered by `Basic.compare`, and a text
//! has the terms of a sum in the order of their monomials; this module implements both orders.

use std::cmp::Ordering;

use crate::expr::{Atom, Expr, Overflow, Var};
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
        /// Its name.
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
        ("floordiv", [base, divisor]) => base.clone().quotient(divisor.clone()),
        ("modidx", [base, divisor, modulus]) => {
            base.clone().digit(divisor.clone(), modulus.clone())
        }
        ("mod", [base, divisor]) => {
            Expr::atom(Atom::Remainder(Box::new([base.clone(), divisor.clone()])))
        }
        ("max", [_, _, ..]) => Expr::atom(Atom::Max(read.into())),
        ("min", [_, _, ..]) => Expr::atom(Atom::Min(read.into())),
        ("abs", [operand]) => Expr::atom(Atom::Abs(Box::new([operand.clone()]))),
        _ => {
            return Err(ExprError::Function {
                function: function.to_string(),
                operands: operands.len(),
            });
        }
    })
}

/// An expression as SymPy has it: sums of products of powers, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    Number(i64),
    Symbol(Text),
    Pow(Box<Tree>, i64),
    Mul(Vec<Tree>),
    Add(Vec<Tree>),
    /// A function by the name of its class.
    Function(&'static str, Vec<Tree>),
}

/// Writes an expression in the order of PyTorch. `name` has the names of variables.
#[must_use]
pub fn write(expr: &Expr, name: &impl Fn(Var) -> Text) -> schema::Expr {
    tree(expr, name).schema()
}

/// Returns the text of an expression as PyTorch prints it.
#[must_use]
pub fn text(expr: &Expr, name: &impl Fn(Var) -> Text) -> String {
    tree(expr, name).text()
}

fn tree(expr: &Expr, name: &impl Fn(Var) -> Text) -> Tree {
    let mut terms: Vec<Tree> = expr
        .terms()
        .map(|(atoms, factor)| product(atoms, factor, name))
        .collect();
    if expr.offset() != 0 || terms.is_empty() {
        terms.push(Tree::Number(expr.offset()));
    }
    if terms.len() == 1 {
        return terms.swap_remove(0);
    }
    terms.sort_by(Tree::compare);
    Tree::Add(terms)
}

fn product(atoms: &[Atom], factor: i64, name: &impl Fn(Var) -> Text) -> Tree {
    let mut factors = Vec::new();
    for same in atoms.chunk_by(|a, b| a == b) {
        let base = factor_of(&same[0], name);
        factors.push(match same.len() {
            1 => base,
            count => Tree::Pow(Box::new(base), i64::try_from(count).unwrap_or(i64::MAX)),
        });
    }
    factors.sort_by(Tree::compare);
    if factor != 1 {
        factors.insert(0, Tree::Number(factor));
    }
    if factors.len() == 1 {
        return factors.swap_remove(0);
    }
    Tree::Mul(factors)
}

fn factor_of(atom: &Atom, name: &impl Fn(Var) -> Text) -> Tree {
    let operands = || atom.operands().iter().map(|it| tree(it, name));
    match atom {
        Atom::Var(var) => Tree::Symbol(name(*var)),
        Atom::Quotient(..) => Tree::Function("FloorDiv", operands().collect()),
        Atom::Digit(..) => Tree::Function("ModularIndexing", operands().collect()),
        Atom::Remainder(..) => Tree::Function("Mod", operands().collect()),
        Atom::Max(_) => Tree::Function("Max", operands().collect()),
        Atom::Min(_) => Tree::Function("Min", operands().collect()),
        Atom::Abs(_) => Tree::Function("Abs", operands().collect()),
    }
}

impl Tree {
    /// Returns the rank of the class of a tree in SymPy's order of classes.
    fn class(&self) -> (usize, &'static str) {
        match self {
            Self::Number(0) => (0, ""),
            Self::Number(1) => (1, ""),
            Self::Number(-1) => (2, ""),
            Self::Number(_) => (3, ""),
            Self::Symbol(_) => (4, ""),
            Self::Pow(..) => (5, ""),
            Self::Mul(_) => (6, ""),
            Self::Add(_) => (7, ""),
            Self::Function(name, _) => (8, name),
        }
    }

    /// SymPy's `Basic.compare`: by class, by the number of operands, operand by operand.
    fn compare(&self, other: &Self) -> Ordering {
        let classes = self.class().cmp(&other.class());
        classes.then_with(|| match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Symbol(a), Self::Symbol(b)) => a.cmp(b),
            (Self::Pow(a, n), Self::Pow(b, m)) => {
                let exponents = || Self::Number(*n).compare(&Self::Number(*m));
                a.compare(b).then_with(exponents)
            }
            (Self::Mul(a), Self::Mul(b))
            | (Self::Add(a), Self::Add(b))
            | (Self::Function(_, a), Self::Function(_, b)) => {
                let by_operand = || {
                    let mut pairs = a.iter().zip(b).map(|(a, b)| a.compare(b));
                    pairs
                        .find(|ordering| ordering.is_ne())
                        .unwrap_or(Ordering::Equal)
                };
                a.len().cmp(&b.len()).then_with(by_operand)
            }
            _ => Ordering::Equal,
        })
    }

    fn schema(&self) -> schema::Expr {
        let apply = |function: &str, operands: &[Self]| {
            schema::Expr::Apply(function.into(), operands.iter().map(Self::schema).collect())
        };
        match self {
            Self::Number(value) => schema::Expr::Number(*value),
            Self::Symbol(name) => schema::Expr::Name(name.clone()),
            Self::Pow(base, exponent) => schema::Expr::Apply(
                "pow".into(),
                vec![base.schema(), schema::Expr::Number(*exponent)],
            ),
            Self::Mul(operands) => apply("mul", operands),
            Self::Add(operands) => apply("add", operands),
            Self::Function(name, operands) => apply(
                match *name {
                    "FloorDiv" => "floordiv",
                    "ModularIndexing" => "modidx",
                    "Mod" => "mod",
                    "Max" => "max",
                    "Abs" => "abs",
                    _ => "min",
                },
                operands,
            ),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Symbol(name) => name.to_string(),
            Self::Pow(base, exponent) => format!("{}**{exponent}", base.grouped()),
            Self::Mul(factors) => {
                let (sign, factors) = match factors.as_slice() {
                    [Self::Number(-1), rest @ ..] => ("-", rest.to_vec()),
                    [Self::Number(value), rest @ ..] if *value < 0 => {
                        let mut all = vec![Self::Number(value.wrapping_neg())];
                        all.extend_from_slice(rest);
                        ("-", all)
                    }
                    all => ("", all.to_vec()),
                };
                let texts: Vec<String> = factors.iter().map(Self::grouped).collect();
                format!("{sign}{}", texts.join("*"))
            }
            Self::Add(terms) => {
                let mut text = String::new();
                for (at, term) in ordered(terms).into_iter().enumerate() {
                    let term = term.part();
                    match (at, term.strip_prefix('-')) {
                        (0, _) => text.push_str(&term),
                        (_, Some(positive)) => {
                            text.push_str(" - ");
                            text.push_str(positive);
                        }
                        (_, None) => {
                            text.push_str(" + ");
                            text.push_str(&term);
                        }
                    }
                }
                text
            }
            Self::Function("FloorDiv", operands) => match operands.as_slice() {
                [base, divisor] => format!("({}//{})", base.operand(), divisor.operand()),
                _ => unreachable!("a quotient has two operands"),
            },
            Self::Function(name, operands) => {
                let operands: Vec<String> = operands.iter().map(Self::text).collect();
                format!("{name}({})", operands.join(", "))
            }
        }
    }

    /// Whether PyTorch's printer binds a function less than a sum does.
    fn is_loose(&self) -> bool {
        matches!(
            self,
            Self::Function("FloorDiv" | "ModularIndexing" | "Mod", _)
        )
    }

    /// The text as a term of a sum.
    fn part(&self) -> String {
        match self.is_loose() {
            true => format!("({})", self.text()),
            false => self.text(),
        }
    }

    /// The text as a factor of a product.
    fn grouped(&self) -> String {
        match self {
            Self::Add(_) => format!("({})", self.text()),
            _ => self.part(),
        }
    }

    /// The text as an operand of a quotient.
    fn operand(&self) -> String {
        match self {
            Self::Mul(_) | Self::Pow(..) => format!("({})", self.text()),
            Self::Number(value) if *value < 0 => format!("({value})"),
            _ => self.grouped(),
        }
    }

    /// SymPy's `default_sort_key`: by class, operands, exponent and number.
    fn order(&self, other: &Self) -> Ordering {
        let (left, exponent, number) = self.parts();
        let (others, other_exponent, other_number) = other.parts();
        let (own_operands, other_operands) = (left.sorted(), others.sorted());
        let by_operand = || {
            let mut pairs = own_operands.iter().zip(&other_operands);
            let differs = pairs.find_map(|(a, b)| Some(a.order(b)).filter(|order| order.is_ne()));
            differs.unwrap_or(Ordering::Equal)
        };
        let by_name = || match (&left, &others) {
            (Self::Symbol(a), Self::Symbol(b)) => a.cmp(b),
            _ => Ordering::Equal,
        };
        left.rank()
            .cmp(&others.rank())
            .then_with(|| own_operands.len().cmp(&other_operands.len()))
            .then_with(by_name)
            .then_with(by_operand)
            .then(exponent.cmp(&other_exponent))
            .then(number.cmp(&other_number))
    }

    /// Splits a tree into base, exponent and integer coefficient.
    fn parts(&self) -> (Self, i64, i64) {
        let (rest, number) = match self {
            Self::Number(value) => return (self.clone(), 1, *value),
            Self::Mul(factors) => match factors.as_slice() {
                [Self::Number(number), factor] => (factor.clone(), *number),
                [Self::Number(number), rest @ ..] => (Self::Mul(rest.to_vec()), *number),
                _ => (self.clone(), 1),
            },
            _ => (self.clone(), 1),
        };
        match rest {
            Self::Pow(base, exponent) => (*base, exponent, number),
            rest => (rest, 1, number),
        }
    }

    /// Returns the operands in the order of a text.
    fn sorted(&self) -> Vec<Self> {
        match self {
            Self::Number(_) | Self::Symbol(_) => Vec::new(),
            Self::Pow(base, exponent) => vec![(**base).clone(), Self::Number(*exponent)],
            Self::Add(terms) => ordered(terms).into_iter().cloned().collect(),
            Self::Mul(factors) => {
                let mut factors = factors.clone();
                factors.sort_by(Self::order);
                factors
            }
            Self::Function(_, operands) => operands.clone(),
        }
    }

    /// Returns the rank of the class of a tree in `default_sort_key`.
    fn rank(&self) -> (usize, usize, &'static str) {
        match self {
            Self::Number(_) => (1, 0, ""),
            Self::Symbol(_) => (2, 0, ""),
            Self::Pow(..) => (3, 2, ""),
            Self::Mul(_) => (3, 0, ""),
            Self::Add(_) => (3, 1, ""),
            Self::Function(name @ ("Max" | "Min"), _) => (5, 0, name),
            Self::Function(name, _) => (4, 0, name),
        }
    }

    /// Returns the powers of the factors of a term, and its coefficient.
    fn monomial(&self) -> (Vec<(&Self, i64)>, i64) {
        match self {
            Self::Number(value) => (Vec::new(), *value),
            Self::Pow(base, exponent) => (vec![(base, *exponent)], 1),
            Self::Mul(factors) => {
                let mut powers = Vec::new();
                let mut number = 1;
                for factor in factors {
                    let (more, coefficient) = factor.monomial();
                    powers.extend(more);
                    number *= coefficient;
                }
                (powers, number)
            }
            other => (vec![(other, 1)], 1),
        }
    }
}

/// Returns the terms of a sum in the order of a text: by the powers of its generators, the first generator first.
fn ordered(terms: &[Tree]) -> Vec<&Tree> {
    // A positive number minus a multiple of one factor keeps that order.
    if let [Tree::Number(number), Tree::Mul(factors)] = terms
        && *number > 0
        && let [Tree::Number(factor), _] = factors.as_slice()
        && *factor < 0
    {
        return terms.iter().collect();
    }
    let mut generators: Vec<&Tree> = Vec::new();
    for term in terms {
        for (generator, _) in term.monomial().0 {
            if !generators.contains(&generator) {
                generators.push(generator);
            }
        }
    }
    generators.sort_by(|a, b| a.order(b));
    let powers = |term: &Tree| -> Vec<i64> {
        let (powers, _) = term.monomial();
        generators
            .iter()
            .map(|generator| {
                let power = powers.iter().find(|(base, _)| base == generator);
                power.map_or(0, |(_, exponent)| *exponent)
            })
            .collect()
    };
    let mut ordered: Vec<&Tree> = terms.iter().collect();
    ordered.sort_by_key(|term| std::cmp::Reverse(powers(term)));
    ordered
}

#[cfg(test)]
mod tests {
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

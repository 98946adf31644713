//! The functions of index expressions, by their names.

use crate::expr::{Atom, Expr};

/// A function of index expressions that is no sum and no product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// The quotient of two expressions, rounded down.
    Quotient,
    /// `(base floordiv divisor) mod modulus`, of three expressions.
    Digit,
    /// The remainder of two expressions.
    Remainder,
    /// The largest of two or more expressions.
    Max,
    /// The smallest of two or more expressions.
    Min,
    /// The distance of an expression from 0.
    Abs,
}

/// The functions, with their names in files and the names of their classes in SymPy.
static FUNCTIONS: [(Function, &str, &str); 6] = [
    (Function::Quotient, "floordiv", "FloorDiv"),
    (Function::Digit, "modidx", "ModularIndexing"),
    (Function::Remainder, "mod", "Mod"),
    (Function::Max, "max", "Max"),
    (Function::Min, "min", "Min"),
    (Function::Abs, "abs", "Abs"),
];

impl Function {
    /// Returns the function with a name in files.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut functions = FUNCTIONS.iter();
        let (function, ..) = functions.find(|(_, other, _)| *other == name)?;
        Some(*function)
    }

    /// Returns the name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the name of the class in SymPy.
    #[must_use]
    pub fn class(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        // The rows are in the order of the functions: SymPy's order compares the names of many trees.
        &FUNCTIONS[self as usize]
    }

    /// Returns the function of some expressions; `None` if it takes another number of operands.
    #[must_use]
    pub fn apply(self, operands: &[Expr]) -> Option<Expr> {
        let operand = |number: usize| operands[number].clone();
        Some(match (self, operands.len()) {
            (Self::Quotient, 2) => operand(0).quotient(operand(1)),
            (Self::Digit, 3) => operand(0).digit(operand(1), operand(2)),
            (Self::Remainder, 2) => Expr::atom(Atom::Remainder(Box::new([operand(0), operand(1)]))),
            (Self::Max, 2..) => Expr::atom(Atom::Max(operands.into())),
            (Self::Min, 2..) => Expr::atom(Atom::Min(operands.into())),
            (Self::Abs, 1) => Expr::atom(Atom::Abs(Box::new([operand(0)]))),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Var;

    #[test]
    fn names_are_read_and_written() {
        for (function, name, class) in FUNCTIONS {
            assert_eq!(Function::named(name), Some(function));
            assert_eq!((function.name(), function.class()), (name, class));
        }
        assert_eq!(Function::named("add"), None);
    }

    #[test]
    fn an_atom_is_its_function_of_its_operands() {
        let operands = [0, 1, 2].map(|number| Expr::var(Var::Loop(number)));
        for (function, ..) in FUNCTIONS {
            let counts: Vec<usize> = (0..=3)
                .filter(|count| {
                    let Some(expr) = function.apply(&operands[..*count]) else {
                        return false;
                    };
                    let (atoms, _) = expr.terms().next().expect("it is an atom");
                    assert_eq!(atoms[0].function(), Some(function));
                    assert_eq!(atoms[0].operands(), &operands[..*count]);
                    true
                })
                .collect();
            let expected: &[usize] = match function {
                Function::Quotient | Function::Remainder => &[2],
                Function::Digit => &[3],
                Function::Max | Function::Min => &[2, 3],
                Function::Abs => &[1],
            };
            assert_eq!(counts, expected, "{function:?}");
        }
    }
}

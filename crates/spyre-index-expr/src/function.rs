//! The functions of index expressions, by their names.

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
    /// All functions.
    pub const ALL: [Self; 6] = [
        Self::Quotient,
        Self::Digit,
        Self::Remainder,
        Self::Max,
        Self::Min,
        Self::Abs,
    ];

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (function, name, class) in FUNCTIONS {
            assert_eq!(Function::named(name), Some(function));
            assert_eq!((function.name(), function.class()), (name, class));
        }
        assert_eq!(Function::named("add"), None);
    }
}

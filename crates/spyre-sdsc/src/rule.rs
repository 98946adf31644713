//! The rules of the published contract by name and number, and findings.

use std::fmt;

use thiserror::Error;

use crate::error::OpRef;

/// Declares the rules: a name, the number in the contract, and the sentence.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $number:literal;)*) => {
        /// A rule of the contract that an operation can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// Every rule, by number.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the number in the contract: 7 for K7.
            pub const fn number(self) -> u8 {
                match self {
                    $(Self::$name => $number,)*
                }
            }
        }
    };
}

rules! {
    /// Masked elements read as a number that changes no result (contract, K7).
    MaskValue = 7;
    /// Masked elements are at most 16 bits wide (contract, K10).
    MaskWidth = 10;
    /// Cores do not divide a masked dimension (contract, K11).
    MaskDivision = 11;
    /// The dimensions of a product have the roles that the backend supports (contract, K23).
    ProductRoles = 23;
    /// Tensors of an elementwise operation have the same stick (contract, K25).
    ElementwiseStick = 25;
    /// A search is not along the stick (contract, K26).
    SearchStick = 26;
    /// Positions are in the format of the searched tensor (contract, K27).
    SearchFormat = 27;
    /// A search finds few elements on a core (contract, K28).
    SearchSize = 28;
    /// A restickify changes the stick (contract, K35).
    RestickifySticks = 35;
    /// A core has whole sticks (contract, K36).
    WholeSticks = 36;
    /// A core addresses a limited span of a tensor (contract, K37).
    Span = 37;
    /// Cores divide one reduced dimension at most (contract, K38).
    OneReduction = 38;
    /// A loop has few trips (contract, K40).
    LoopTrips = 40;
    /// Dimensions that a core must see whole are not divided (contract, K41).
    WholeDimension = 41;
    /// Indices and their tables are in device memory (contract, K42).
    IndirectPlace = 42;
    /// A core has whole sticks of indices, or less than one (contract, K44).
    IndexSticks = 44;
    /// Loops move indices by whole sticks (contract, K46).
    IndexSteps = 46;
    /// Factors of folds are at least 1 (contract, K57).
    FoldFactor = 57;
    /// Parts that are separate tensors are contiguous, in device memory (contract, K62).
    SeparateParts = 62;
    /// A re-layout has a small and even fan (contract, K67).
    RelayoutFan = 67;
    /// An operation reads as many tensors as its function (contract, K78).
    Inputs = 78;
}

/// A rule that an operation breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{op}: {problem}")]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The operation.
    pub op: OpRef,
    /// The numbers that conflict, and the way out.
    pub problem: String,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "K{}", self.number())
    }
}

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSet(u64);

impl RuleSet {
    /// No rule.
    pub const NONE: Self = Self(0);

    /// Returns the set with one rule more.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u32)
    }

    /// Returns the set of every rule.
    #[must_use]
    pub fn all() -> Self {
        let all = Rule::ALL.iter();
        all.fold(Self::NONE, |rules, rule| rules.with(*rule))
    }

    /// Returns whether a rule is in the set.
    #[must_use]
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 & 1 << rule as u32 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let rules = RuleSet::NONE.with(Rule::MaskWidth);
        assert!(rules.contains(Rule::MaskWidth));
        assert!(!rules.contains(Rule::MaskValue));
        assert!(Rule::ALL.iter().all(|rule| RuleSet::all().contains(*rule)));
    }

    #[test]
    fn rules_are_in_the_order_of_their_numbers() {
        let numbers = Rule::ALL.iter().map(|rule| rule.number());
        assert!(numbers.is_sorted());
        assert_eq!(Rule::MaskWidth.to_string(), "K10");
    }
}

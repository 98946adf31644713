//! Operations that compute element by element.
//!
//! [`UNARY`] and [`BINARY`] have the operations with one and two operands that need no numbers, and [`Graph`] has a
//! method for each. The elements that an operation takes, and whether its result is a truth value, follow from its
//! meaning in the table of `spyre-ops`.

use spyre_mlir_rt::ir::Val;
use spyre_ods::{OpParts, spyre};
use spyre_ops::Meaning;

use crate::error::{GraphError, check_parameter};
use crate::graph::Graph;
use crate::infer;
use crate::tensor::{Element, Tensor, TensorType};

/// An operation with one operand.
#[derive(Clone, Copy)]
pub struct Unary {
    /// The name of the operation.
    pub name: &'static str,
    build: for<'p> fn(Val<'p>) -> OpParts<'p>,
}

/// An operation with two operands.
#[derive(Clone, Copy)]
pub struct Binary {
    /// The name of the operation.
    pub name: &'static str,
    build: for<'p> fn(Val<'p>, Val<'p>) -> OpParts<'p>,
}

/// Expands to a table and a method for each of its rows. A method has the name of the constructor in `spyre-ods`.
macro_rules! pointwise {
    (
        $(#[doc = $table_doc:literal])* $table:ident: $row:ident, $apply:ident $operands:tt;
        $($constant:ident $method:ident $definition:literal;)*
    ) => {
        $(#[doc = $table_doc])*
        pub static $table: &[$row] = &[$($row { name: spyre::$constant, build: spyre::$method }),*];

        impl Graph<'_> {
            $(pointwise!(@method $row $apply $operands $constant $method $definition);)*
        }
    };
    (
        @method $row:ident $apply:ident ($($operand:ident),+)
        $constant:ident $method:ident $definition:literal
    ) => {
        #[doc = concat!("Adds `spyre.", stringify!($method), "`: ", $definition, ", element by element.")]
        ///
        /// # Errors
        /// The operation does not take the elements, operands differ in them or do not broadcast, or one is of another
        /// graph.
        pub fn $method(&mut self, $($operand: Tensor),+) -> Result<Tensor, GraphError> {
            self.$apply(&$row { name: spyre::$constant, build: spyre::$method }, $($operand),+)
        }
    };
}

pointwise! {
    /// The operations with one operand and no numbers.
    UNARY: Unary, unary(x);
    ABS abs "|x|";
    ACOS acos "acos(x)";
    ACOSH acosh "acosh(x)";
    ASIN asin "asin(x)";
    ASINH asinh "asinh(x)";
    ATAN atan "atan(x)";
    ATANH atanh "atanh(x)";
    CBRT cbrt "the cubic root of x";
    CEIL ceil "the smallest integer not below x";
    COS cos "cos(x)";
    COSH cosh "cosh(x)";
    ERF erf "erf(x)";
    EXP exp "e^x";
    EXP2 exp2 "2^x";
    EXPM1 expm1 "e^x - 1";
    FASTEXP fastexp "e^x, which the card approximates";
    FASTSIGMOID fastsigmoid "1 / (1 + e^-x), which the card approximates";
    FLOOR floor "the largest integer not above x";
    GELUFWD gelufwd "x times the probability that a standard normal variable is at most x";
    LOG log "ln(x)";
    LOG1P log1p "ln(1 + x)";
    LOG2 log2 "log2(x)";
    MISH mish "x * tanh(ln(1 + e^x))";
    NEG neg "-x";
    RECIPROCAL reciprocal "1 / x";
    RELU6FWD relu6fwd "min(max(x, 0), 6)";
    RELUFWD relufwd "max(x, 0)";
    ROUND round "the integer nearest to x, the even one of two";
    ROUNDAWAY roundaway "the integer nearest to x, of two the one away from 0";
    RSQRT rsqrt "1 / sqrt(x)";
    SIGMOID sigmoid "1 / (1 + e^-x)";
    SILU silu "x / (1 + e^-x)";
    SIN sin "sin(x)";
    SINH sinh "sinh(x)";
    SQRT sqrt "sqrt(x)";
    TAN tan "tan(x)";
    TANH tanh "tanh(x)";
    TRUNC trunc "the integer nearest to x, and not beyond it";
}

pointwise! {
    /// The operations with two operands. Operands broadcast: their shapes are aligned at the last dimension, and an
    /// operand repeats along a dimension that it lacks, or where its extent is 1.
    BINARY: Binary, binary(a, b);
    ADD add "a + b";
    ATAN2 atan2 "the angle of (b, a)";
    BIASADD biasadd "a + b, by the OpFunc for biases";
    COPYSIGN copysign "the magnitude of a with the sign of b";
    EQUAL equal "a == b";
    FMOD fmod "the remainder of a by b, with the sign of a";
    GREATEREQUAL greaterequal "a >= b";
    GREATERTHAN greaterthan "a > b";
    LESSEREQUAL lesserequal "a <= b";
    LESSERTHAN lesserthan "a < b";
    MAXIMUM maximum "max(a, b)";
    MINIMUM minimum "min(a, b)";
    MUL mul "a * b";
    NOTEQUAL notequal "a != b";
    POW pow "a^b";
    REALDIV realdiv "a / b";
    REVSUB revsub "b - a";
    SUB sub "a - b";
}

impl Graph<'_> {
    /// Adds an operation of [`UNARY`].
    ///
    /// # Errors
    /// The operation does not take the elements, or the operand is of another graph.
    pub fn unary(&mut self, operation: &Unary, x: Tensor) -> Result<Tensor, GraphError> {
        let ty = self.pointwise(operation.name, &[x])?;
        let build = operation.build;
        Ok(self.add_operation(operation.name, [x], ty, move |_, [x]| build(x)))
    }

    /// Adds an operation of [`BINARY`].
    ///
    /// # Errors
    /// The operation does not take the elements, the operands differ in them or do not broadcast, or one is of another
    /// graph.
    pub fn binary(
        &mut self,
        operation: &Binary,
        a: Tensor,
        b: Tensor,
    ) -> Result<Tensor, GraphError> {
        let ty = self.pointwise(operation.name, &[a, b])?;
        let build = operation.build;
        Ok(self.add_operation(operation.name, [a, b], ty, move |_, [a, b]| build(a, b)))
    }

    /// Adds `spyre.clip`: `x` limited to `min` and `max`.
    ///
    /// # Errors
    /// The elements are no floats, a bound is NaN, `min` is above `max`, or the operand is of another graph.
    pub fn clip(&mut self, x: Tensor, min: f64, max: f64) -> Result<Tensor, GraphError> {
        let ty = self.pointwise(spyre::CLIP, &[x])?;
        check_parameter(!max.is_nan(), spyre::CLIP, "max", max, || {
            "a number".to_owned()
        })?;
        check_parameter(min <= max, spyre::CLIP, "min", min, || {
            format!("a number that is not above max, {max}")
        })?;
        Ok(
            self.add_operation(spyre::CLIP, [x], ty, move |attributes, [x]| {
                spyre::clip(x, attributes.f64(min), attributes.f64(max))
            }),
        )
    }

    /// Adds `spyre.softplus`: `ln(1 + e^(beta * x)) / beta`, and `x` where `beta * x` is above `threshold`.
    ///
    /// # Errors
    /// The elements are no floats, `beta` is not positive or not finite, `threshold` is no number, or the operand is of
    /// another graph.
    pub fn softplus(&mut self, x: Tensor, beta: f64, threshold: f64) -> Result<Tensor, GraphError> {
        let name = spyre::SOFTPLUS;
        let ty = self.pointwise(name, &[x])?;
        check_parameter(beta > 0.0 && beta.is_finite(), name, "beta", beta, || {
            "a finite number above 0".to_owned()
        })?;
        check_parameter(!threshold.is_nan(), name, "threshold", threshold, || {
            "a number".to_owned()
        })?;
        Ok(self.add_operation(name, [x], ty, move |attributes, [x]| {
            spyre::softplus(x, attributes.f64(beta), attributes.f64(threshold))
        }))
    }

    /// Adds `spyre.where3`: `on_true` where the truth value is true, and `on_false` elsewhere.
    ///
    /// # Errors
    /// The condition has no truth values, the others differ in their elements, operands do not broadcast, or one is of
    /// another graph.
    pub fn where3(
        &mut self,
        condition: Tensor,
        on_true: Tensor,
        on_false: Tensor,
    ) -> Result<Tensor, GraphError> {
        let operands = [condition, on_true, on_false];
        self.types(spyre::WHERE3, &operands)?;
        self.check_element(spyre::WHERE3, condition, &[Element::Bool])?;
        let ty = self.pointwise(spyre::WHERE3, &operands)?;
        Ok(self.add_operation(
            spyre::WHERE3,
            operands,
            ty,
            |_, [condition, on_true, on_false]| spyre::where3(condition, on_true, on_false),
        ))
    }

    /// Returns the type of the result of an operation, element by element.
    ///
    /// # Errors
    /// The operation does not take the elements, operands that hold values differ in them, operands do not broadcast,
    /// or one is of another graph.
    pub(crate) fn pointwise(
        &self,
        operation: &'static str,
        operands: &[Tensor],
    ) -> Result<TensorType, GraphError> {
        let types = self.types(operation, operands)?;
        let row = infer::row(operation);
        // Operands before the first value are conditions.
        let first = row.map_or(0, |row| row.first_value);
        let values = operands.split_at(first).1;
        let (lhs, others) = values.split_first().expect("an operation has a value");
        let allowed = infer::elements(operation);
        self.check_element(operation, *lhs, allowed)?;
        for rhs in others {
            self.check_same_elements(operation, *lhs, *rhs)?;
        }
        let is_comparison = matches!(row.and_then(|row| row.meaning), Some(Meaning::Compare(_)));
        let element = match is_comparison {
            true => Element::Bool,
            false => types[first].element,
        };
        self.broadcast(operation, operands, element)
    }
}

#[cfg(test)]
mod tests {
    use spyre_ops::{DECOMPOSED, Meaning, OP_FUNCS};

    use super::*;

    /// Returns the names of the operations of the dialect with `operands` operands, element by element, for which a
    /// table has to have a row.
    fn expected(operands: usize) -> Vec<String> {
        // These need numbers, or a pair of moments.
        let apart = [spyre::CLIP, spyre::SOFTPLUS, spyre::LAYERNORMSCALE];
        let casts = [spyre::DL16TOFP32, spyre::FP32TODL16];
        let rows = OP_FUNCS.iter().filter(|row| {
            let meaning = row.meaning;
            let is_elementwise = matches!(
                meaning,
                Some(Meaning::Float(_) | Meaning::Number(..) | Meaning::Compare(_))
            );
            is_elementwise && row.operands == operands
        });
        let decomposed = DECOMPOSED
            .iter()
            .filter(|row| row.operands == operands && !row.is_cast());
        let names = rows
            .filter_map(|row| row.mnemonic)
            .chain(decomposed.map(|row| row.mnemonic))
            .map(|mnemonic| format!("spyre.{mnemonic}"))
            .filter(|name| !apart.contains(&name.as_str()) && !casts.contains(&name.as_str()));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn the_tables_have_every_operation() {
        let sorted = |mut names: Vec<&'static str>| {
            names.sort_unstable();
            names
        };
        let unary = UNARY.iter().map(|row| row.name).collect();
        assert_eq!(sorted(unary), expected(1));
        let binary = BINARY.iter().map(|row| row.name).collect();
        assert_eq!(sorted(binary), expected(2));
    }
}

//! The elements after the end of a tensor's stick dimension, in its last stick.
//!
//! A value is followed from operation to operation, in order, with an interval of the numbers in its tail. Operations
//! compute over whole sticks, so the tail of a result depends on the tails of the operands. An operand that is
//! broadcast along the stick has a *datum* there, which is also an operand of the elements before the end: where such a
//! datum is NaN, the whole row is, tail or not, as long as no selection or comparison hides it. Intervals are closed
//! under the arithmetic of the card: a bound beyond its largest number is NaN, the only value that matters (contract,
//! K1).

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Dl16;
use spyre_mlir_rt::ir::{self, Blk, Offset, Op, OpKind, Val};
use spyre_ods::spyre;
use spyre_ops::OpClass;
use spyre_ops::contract::MASKED_EXP_STICKS;

/// The largest number of the card's 16-bit float.
const MOST: f64 = Dl16::MAX.to_f64();

/// The least magnitude of a number that is not zero, of which a quotient can be the inverse.
const LEAST: f64 = Dl16::MIN_POSITIVE.to_f64();

/// The largest result of a masked `exp`: the smallest number that it returns (contract, K13), and room for a card that
/// returns less.
const MASKED_EXP: Range = Range {
    least: 0.0,
    most: 5.960_464_477_539_063e-8,
    datum: false,
};

/// Numbers that a tail can hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    /// The least.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// Whether it is NaN where a datum of the whole row is.
    pub datum: bool,
}

impl Range {
    fn new(least: f64, most: f64, datum: bool) -> Self {
        Self { least, most, datum }
    }

    /// Returns the largest magnitude.
    fn magnitude(self) -> f64 {
        self.least.abs().max(self.most.abs())
    }
}

/// The contents of a tail.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tail {
    /// No tail: the tensor ends with a whole stick, or has one element in each stick.
    None,
    /// Numbers.
    Number(Range),
    /// Possibly NaN, for a reason.
    Unknown(String),
}

impl Tail {
    fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown(reason.into())
    }
}

/// An operand in the lanes of a tail.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lane {
    /// The tail of an operand.
    Tail(Range),
    /// An element that repeats along the stick.
    Datum,
}

/// The tails of the values of a function.
pub(super) struct Tails<'t, 'p> {
    types: &'t TensorTypes<'p>,
    of_result: FxHashMap<ir::ValueKey, Tail>,
}

impl<'t, 'p> Tails<'t, 'p> {
    /// Returns the tails of the values of a block and of the loops in it.
    pub(super) fn of_block(types: &'t TensorTypes<'p>, block: Blk<'p>) -> Self {
        let mut tails = Self {
            types,
            of_result: FxHashMap::default(),
        };
        tails.visit(block);
        tails
    }

    /// Returns the tail of a value.
    pub(super) fn of(&self, value: Val<'p>) -> Tail {
        let Ok(ty) = self.types.get(value.r#type()) else {
            return Tail::unknown("its extent is dynamic");
        };
        if !is_ragged(&ty) {
            return Tail::None;
        }
        let tail = self.of_result.get(&ir::value_key(value));
        tail.cloned()
            .unwrap_or_else(|| Tail::unknown("unwritten memory has the bytes of an earlier value"))
    }

    fn visit(&mut self, block: Blk<'p>) {
        for op in ir::operations(block) {
            for inner in ir::blocks(op) {
                self.visit(inner);
            }
            let Some(result) = ir::result(op, 0) else {
                continue;
            };
            let Ok(ty) = self.types.get(result.r#type()) else {
                continue;
            };
            if is_ragged(&ty) {
                let tail = self.tail_of_result(op, &ty);
                self.of_result.insert(ir::value_key(result), tail);
            }
        }
    }

    /// Returns the tail of the result of an operation, which has one.
    fn tail_of_result(&self, op: Op<'p>, ty: &TensorType<'p>) -> Tail {
        if let Some(device) = DeviceOp::cast(op) {
            return self.computed(device, ty);
        }
        match ir::kind(op) {
            OpKind::ExtractSlice => self.window(op, ty),
            OpKind::For => Tail::unknown("a loop carries it"),
            _ if ir::name(op) == spyre::PERMUTE => self.operand(op, 0),
            _ => Tail::unknown(format!("'{}' does not change the tail", ir::name(op))),
        }
    }

    fn operand(&self, op: Op<'p>, number: usize) -> Tail {
        self.of(ir::operand(op, number).expect("the operation has the operand"))
    }

    /// Returns the tail of a window: that of its tensor if it ends with it along the stick.
    fn window(&self, op: Op<'p>, ty: &TensorType<'p>) -> Tail {
        let source = ir::operand(op, 0).expect("a window has a tensor");
        let whole = self.types.get(source.r#type());
        let (Ok(whole), Some(window)) = (whole, ir::window(op)) else {
            return Tail::unknown("it is a window");
        };
        let stick = ty.device.layout().stick_dim();
        let same_rank = whole.shape().len() == ty.shape().len();
        let ends = stick.is_some_and(|dim| {
            same_rank
                && whole.device.layout().stick_dim() == stick
                && window.offsets[dim] == Offset::Static(0)
                && whole.shape()[dim] == ty.shape()[dim]
        });
        if ends {
            self.of(source)
        } else {
            Tail::unknown("it is a window, and other elements of its tensor follow")
        }
    }

    /// Returns the tail of the result of a device operation.
    fn computed(&self, op: DeviceOp<'p>, ty: &TensorType<'p>) -> Tail {
        let facts = op.facts();
        let name = facts.name;
        if name == "exp" && sticks(ty) <= MASKED_EXP_STICKS {
            return Tail::Number(MASKED_EXP);
        }
        let is_elementwise = facts.class == OpClass::Pointwise || facts.is_copy();
        if !is_elementwise || op.gathered_dim().is_some() {
            return Tail::unknown(format!(
                "'{name}' computes or moves the elements of the tail"
            ));
        }
        let mut lanes = Vec::new();
        for (number, operand) in op.op().operands().enumerate() {
            match self.of(operand) {
                Tail::None => lanes.push(Lane::Datum),
                Tail::Number(range) => lanes.push(Lane::Tail(range)),
                // The condition of a selection chooses a number in any case.
                Tail::Unknown(_) if facts.first_value > number => lanes.push(Lane::Datum),
                Tail::Unknown(reason) => return Tail::Unknown(reason),
            }
        }
        match range(name, &lanes) {
            Some(range) if range.magnitude() <= MOST => Tail::Number(range),
            _ => Tail::unknown(format!("'{name}' may leave NaN in the tail")),
        }
    }
}

/// Returns whether the last stick of a tensor is not full.
fn is_ragged(ty: &TensorType<'_>) -> bool {
    let Some(dim) = ty.device.layout().stick_dim() else {
        return false;
    };
    let extent = ty.shape().get(dim).copied();
    let extent = extent.expect("the stick dimension is one of the tensor");
    extent > 1 && !extent.is_multiple_of(ty.device.format().elements_per_stick().get())
}

/// Returns the number of sticks of a row.
fn sticks(ty: &TensorType<'_>) -> u64 {
    let dim = ty.device.layout().stick_dim();
    let dim = dim.expect("a ragged tensor has a dimension on its sticks");
    ty.shape()[dim].div_ceil(ty.device.format().elements_per_stick().get())
}

/// Returns the range of the results of an elementwise operation on its operands; `None` where they may be NaN.
fn range(name: &str, lanes: &[Lane]) -> Option<Range> {
    use Lane::{Datum, Tail};
    let of = Range::new;
    Some(match (name, lanes) {
        ("identity", [Tail(x)]) => *x,
        ("neg", [Tail(x)]) => of(-x.most, -x.least, x.datum),
        ("abs" | "relufwd", [Tail(x)]) => of(0.0, x.magnitude(), x.datum),
        // The minimum of `mish` is above -0.31.
        ("mish", [Tail(x)]) => of(-0.31, x.most.max(0.0), x.datum),
        ("relu6fwd", [Tail(x)]) => of(0.0, 6.0, x.datum),
        ("floor", [Tail(x)]) => of(x.least - 1.0, x.most, x.datum),
        ("sigmoid" | "fastsigmoid", [Tail(x)]) => of(0.0, 1.0, x.datum),
        ("tanh", [Tail(x)]) => of(-1.0, 1.0, x.datum),
        // The error of the card's approximation is not published; the bound leaves room below the largest number.
        ("exp" | "fastexp", [Tail(x)]) if x.most < 22.0 => of(0.0, x.most.exp(), x.datum),
        ("sqrt", [Tail(x)]) if x.least >= 0.0 => of(0.0, x.most.sqrt(), x.datum),
        ("add" | "biasadd", [Tail(x), Tail(y)]) => {
            of(x.least + y.least, x.most + y.most, x.datum || y.datum)
        }
        ("sub", [Tail(x), Tail(y)]) | ("revsub", [Tail(y), Tail(x)]) => {
            of(x.least - y.most, x.most - y.least, x.datum || y.datum)
        }
        ("mul", [Tail(x), Tail(y)]) => {
            let most = x.magnitude() * y.magnitude();
            of(-most, most, x.datum || y.datum)
        }
        // A factor from the row's data is a finite number, or the whole row is NaN.
        ("mul", [Tail(x), Datum] | [Datum, Tail(x)]) => {
            let most = x.magnitude() * MOST;
            of(-most, most, true)
        }
        ("realdiv", [Tail(x), Datum]) => {
            let most = x.magnitude() / LEAST;
            of(-most, most, true)
        }
        ("maximum" | "minimum", [Tail(x), Tail(y)]) => {
            of(x.least.min(y.least), x.most.max(y.most), x.datum || y.datum)
        }
        ("maximum" | "minimum", [Tail(_), Datum] | [Datum, Tail(_)]) => of(-MOST, MOST, true),
        // A selection can replace NaN in a row by a number, so the tail has to be known for both values.
        ("where3", [_, Tail(x), Tail(y)]) if !x.datum && !y.datum => {
            of(x.least.min(y.least), x.most.max(y.most), false)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Range = MASKED_EXP;

    #[test]
    fn a_masked_softmax_leaves_numbers() {
        // Divided by its sum, or multiplied by the inverse of it.
        for name in ["realdiv", "mul"] {
            let range = range(name, &[Lane::Tail(SMALL), Lane::Datum]).unwrap();
            assert!(range.magnitude() <= MOST && range.datum, "{name} {range:?}");
        }
        // A row of NaN must stay NaN.
        let quotient = range("realdiv", &[Lane::Tail(SMALL), Lane::Datum]).unwrap();
        assert_eq!(
            range(
                "where3",
                &[Lane::Datum, Lane::Tail(quotient), Lane::Tail(SMALL)]
            ),
            None
        );
    }

    #[test]
    fn what_may_be_no_number_is_none() {
        let zero = Range::new(0.0, 0.0, false);
        let large = Range::new(-1e6, 1e6, false);
        assert_eq!(range("reciprocal", &[Lane::Tail(zero)]), None);
        assert_eq!(range("log", &[Lane::Tail(zero)]), None);
        assert_eq!(range("exp", &[Lane::Tail(large)]), None);
        assert_eq!(range("sqrt", &[Lane::Tail(large)]), None);
        assert_eq!(range("add", &[Lane::Tail(large), Lane::Datum]), None);
        let square = range("mul", &[Lane::Tail(large), Lane::Tail(large)]).unwrap();
        assert!(square.magnitude() > MOST);
        assert_eq!(range("fastexp", &[Lane::Tail(large)]), None);
    }

    #[test]
    fn bounded_functions_leave_numbers() {
        let all = Range::new(-MOST, MOST, false);
        for (name, least, most) in [
            ("relu6fwd", 0.0, 6.0),
            ("fastsigmoid", 0.0, 1.0),
            ("mish", -0.31, MOST),
        ] {
            let expected = Some(Range::new(least, most, false));
            assert_eq!(range(name, &[Lane::Tail(all)]), expected, "{name}");
        }
        let small = Range::new(-1.0, 2.0, true);
        let positive = Range::new(3.0, 4.0, false);
        let difference = range("revsub", &[Lane::Tail(small), Lane::Tail(positive)]);
        assert_eq!(difference, Some(Range::new(1.0, 5.0, true)));
        let exponential = range("fastexp", &[Lane::Tail(small)]);
        assert_eq!(exponential, Some(Range::new(0.0, 2_f64.exp(), true)));
    }
}

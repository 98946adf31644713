//! `--spyre-widen-integers`: computes with integers of 8 and 16 bits in 32.
//!
//! Every value of `iN` becomes the `i32` of the same number. So its users stay as they are, except users that read its
//! bits as unsigned, and operations with results that may leave the range of `iN`.
//!
//! The rule for an operation depends on the types that it had, so the types of all operations are recorded before one
//! changes.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_analysis::walk;
use spyre_construct::build::{element_of, element_type, result_types, with_element};
use spyre_construct::structured;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpBuilder, OpParts, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{Arithmetic, arith, cf, func, linalg, math, tensor};

use super::index;

const NAME: &str = "spyre-widen-integers";

/// The bits that the device computes integers in.
const WORD: u32 = 32;

/// `--spyre-widen-integers`
pub static WIDEN_INTEGERS: RustPass = RustPass {
    argument: NAME,
    summary: "Lower linalg computations on integers of 8 and 16 bits to 32 bits",
    description: include_str!("widen.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "widened",
        description: "Values that have 32 bits now",
    }],
    dialects: || vec![DialectHandle::arith()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let blocks: Vec<Blk<'p>> = ir::blocks(function).collect();
    let narrow: Vec<Narrow<'p>> = blocks
        .iter()
        .flat_map(|block| walk::find(*block, Narrow::of))
        .collect();
    if !narrow.iter().any(Narrow::computes) || narrow.iter().any(Narrow::switches) {
        run.preserve_analyses();
        return Ok(());
    }
    let mut widen = Widen {
        context: run.context(),
        widened: 0,
    };
    for (number, block) in blocks.into_iter().enumerate() {
        if number == 0 {
            widen.entry(block);
        } else {
            widen.set_arguments(block);
        }
    }
    for operation in &narrow {
        for block in ir::blocks(operation.op) {
            widen.set_arguments(block);
        }
    }
    for operation in &narrow {
        widen.operation(operation)?;
    }
    run.count("widened", widen.widened);
    Ok(())
}

/// An operation on integers of 8 or 16 bits, as the program has it.
struct Narrow<'p> {
    op: Op<'p>,
    name: &'p str,
    /// The width of each operand that is such an integer or a tensor of them, in bits.
    operands: Vec<Option<u32>>,
    /// The width of each result, likewise.
    results: Vec<Option<u32>>,
}

impl<'p> Narrow<'p> {
    /// Returns the widths of an operation; `None` if no value of it, and no argument of its blocks, has integers of 8 or 16
    /// bits.
    fn of(op: Op<'p>) -> Option<Self> {
        let width = |value: Val<'p>| narrow_width(value.r#type());
        let narrow = Self {
            op,
            name: ir::name(op),
            operands: op.operands().map(width).collect(),
            results: ir::results(op).map(width).collect(),
        };
        let widths = narrow.operands.iter().chain(&narrow.results).flatten();
        let mut inner = ir::blocks(op).flat_map(ir::arguments).filter_map(width);
        (widths.count() > 0 || inner.next().is_some()).then_some(narrow)
    }

    /// Returns whether the card needs 32 bits for it: arithmetic, and gathers.
    fn computes(&self) -> bool {
        let is_arithmetic = self.name.starts_with("arith.") || self.name.starts_with("math.");
        let chooses = [tensor::EXTRACT, tensor::GATHER, tensor::SCATTER];
        (is_arithmetic && self.name != arith::CONSTANT) || chooses.contains(&self.name)
    }

    /// Returns whether it branches by cases of their type.
    fn switches(&self) -> bool {
        self.name == cf::SWITCH
    }

    /// Returns the width of the only result.
    fn result(&self) -> Option<u32> {
        self.results.first().copied().flatten()
    }

    /// Returns the width of the first operand.
    fn operand(&self) -> Option<u32> {
        self.operands.first().copied().flatten()
    }
}

/// Returns the width of the elements of a type, if they are integers of 8 or 16 bits.
fn narrow_width(ty: Type<'_>) -> Option<u32> {
    let element = IntegerType::try_from(element_type(ty)).ok()?;
    let is_narrow = element.is_signless() && matches!(element.width(), 8 | 16);
    is_narrow.then(|| element.width())
}

/// The form that an operation gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The operation is the same in 32 bits.
    Same,
    /// The operation is the same in 32 bits, but its result may leave the range of `iN`.
    Wraps,
    /// The same in 32 bits, with operands that are read without a sign; the result may leave the range of `iN`.
    Unsigned,
    /// The operation stays in `iN`, between casts.
    Kept,
}

impl Rule {
    fn of(name: &str) -> Self {
        match name {
            arith::ADDI
            | arith::SUBI
            | arith::MULI
            | arith::SHLI
            | arith::INDEX_CAST
            | math::ABSI
            | math::IPOWI => Self::Wraps,
            arith::DIVUI | arith::REMUI | arith::CEILDIVUI | arith::SHRUI | arith::INDEX_CASTUI => {
                Self::Unsigned
            }
            arith::ANDI
            | arith::ORI
            | arith::XORI
            | arith::SHRSI
            | arith::MAXSI
            | arith::MINSI
            | arith::MAXUI
            | arith::MINUI
            | arith::DIVSI
            | arith::REMSI
            | arith::FLOORDIVSI
            | arith::CEILDIVSI
            | arith::CMPI
            | arith::SELECT
            | arith::SITOFP
            | arith::FPTOSI => Self::Same,
            tensor::BITCAST => Self::Kept,
            // These operations move elements, or apply their regions to elements.
            _ if ["linalg.", "tensor.", "scf.", "cf."]
                .iter()
                .any(|dialect| name.starts_with(dialect)) =>
            {
                Self::Same
            }
            _ => Self::Kept,
        }
    }
}

/// Widens the values of a function.
struct Widen<'p> {
    context: &'p Context,
    widened: usize,
}

impl<'p> Widen<'p> {
    /// Casts the arguments of a function, which keep their types.
    fn entry(&mut self, entry: Blk<'p>) {
        let Some(first) = entry.first_operation() else {
            return;
        };
        for argument in ir::arguments(entry) {
            let Some(ty) = self.wide(argument.r#type()) else {
                continue; // It is no such integer.
            };
            let uses = ir::uses(argument);
            let Some(reader) = uses.last() else {
                continue; // Nothing needs a cast.
            };
            // The first operation of a function is often a constant, which has no location after it is merged with
            // others.
            let build = OpBuilder {
                location: reader.owner.location(),
                ..self.before(first)
            };
            let cast = build.op(arith::extsi(argument), ty);
            for user in uses {
                ir::set_operand(user.owner, user.operand, cast);
            }
            self.widened += 1;
        }
    }

    fn set_arguments(&mut self, block: Blk<'p>) {
        for argument in ir::arguments(block) {
            self.set(argument);
        }
    }

    /// Widens an operation.
    fn operation(&mut self, narrow: &Narrow<'p>) -> Result<(), Diagnostic<'p>> {
        let op = narrow.op;
        if narrow.computes() && is_open(op) {
            // A constant cannot have dynamic extents, so the operation keeps its types, between casts.
            self.kept(narrow);
            return Ok(());
        }
        match narrow.name {
            func::RETURN => self.returned(op),
            arith::CONSTANT => {
                let error = |reason| Diagnostic::error(op.location(), format!("{NAME}: {reason}"));
                self.constant(op).map_err(error)?;
            }
            arith::EXTSI | arith::EXTUI => self.extended(narrow),
            arith::TRUNCI => self.truncated(narrow),
            arith::UITOFP => {
                let width = narrow.operand().expect("the operand alone is an integer");
                let number = self.cleared(op, operand(op, 0), width);
                let float = self
                    .before(op)
                    .op(arith::sitofp(number), result(op).r#type());
                replace(op, float);
            }
            arith::FPTOUI => {
                self.set_results(op);
                let integer = self
                    .before(op)
                    .op(arith::fptosi(operand(op, 0)), result(op).r#type());
                self.finish(narrow, integer);
            }
            name => match Rule::of(name) {
                Rule::Same => self.set_results(op),
                Rule::Kept => self.kept(narrow),
                rule => {
                    if rule == Rule::Unsigned {
                        self.clear_operands(narrow);
                    }
                    self.set_results(op);
                    // The operation is rebuilt without its overflow flags, which hold for `iN` and may not hold for its
                    // extension to 32 bits.
                    let operands: Vec<Val<'p>> = op.operands().collect();
                    let parts = OpParts::named(name.to_owned(), &operands);
                    let value = self.before(op).op(parts, result(op).r#type());
                    self.finish(narrow, value);
                }
            },
        }
        Ok(())
    }

    /// Leaves an operation in `iN`, between casts.
    fn kept(&mut self, narrow: &Narrow<'p>) {
        let op = narrow.op;
        for (number, width) in narrow.operands.iter().enumerate() {
            if let Some(width) = width {
                let wide = operand(op, number);
                let ty = with_element(wide.r#type(), self.integer(*width));
                ir::set_operand(op, number, self.before(op).op(arith::trunci(wide), ty));
            }
        }
        for value in ir::results(op) {
            if let Some(ty) = self.wide(value.r#type()) {
                let behind = op.next_in_block();
                let behind = behind.expect("a block ends with an operation without results");
                let uses = ir::uses(value);
                let build = OpBuilder {
                    location: op.location(),
                    ..self.before(behind)
                };
                let cast = build.op(arith::extsi(value), ty);
                for user in uses {
                    ir::set_operand(user.owner, user.operand, cast);
                }
                self.widened += 1;
            }
        }
    }

    /// Widens an extension of an integer of 8 or 16 bits, or to one.
    fn extended(&mut self, narrow: &Narrow<'p>) {
        let op = narrow.op;
        let to = index::width(element_of(result(op))).expect("integers become integers");
        let Some(width) = narrow.operand() else {
            return self.set_results(op); // Of fewer bits, which 32 hold.
        };
        if narrow.result().is_none() && to < WORD {
            return self.kept(narrow);
        }
        let number = match narrow.name == arith::EXTUI {
            true => self.cleared(op, operand(op, 0), width),
            false => operand(op, 0),
        };
        let wide = match to > WORD {
            true => self
                .before(op)
                .op(arith::extsi(number), result(op).r#type()),
            false => number,
        };
        self.widened += 1;
        replace(op, wide);
    }

    /// Widens a truncation of an integer of 8 or 16 bits, or to one.
    fn truncated(&mut self, narrow: &Narrow<'p>) {
        let op = narrow.op;
        if narrow.result().is_none() {
            return; // To fewer bits of the same number.
        }
        let number = operand(op, 0);
        let from = index::width(element_of(number)).expect("integers become integers");
        if from < WORD {
            return self.kept(narrow);
        }
        self.set_results(op);
        let value = match from > WORD {
            true => self
                .before(op)
                .op(arith::trunci(number), result(op).r#type()),
            false => number,
        };
        self.finish(narrow, value);
    }

    /// Replaces an operation by a number of 32 bits, of which the bits of `iN` count. No shifts are built where the
    /// result is an index, or where the cast of a returned value drops the other bits.
    fn finish(&self, narrow: &Narrow<'p>, value: Val<'p>) {
        let op = narrow.op;
        let number = match narrow.result() {
            Some(width) if !is_only_returned(result(op)) => {
                self.shifted(op, value, width, arith::shrsi)
            }
            _ => value,
        };
        replace(op, number);
    }

    /// Clears the bits above `iN` of operands that are read without a sign.
    fn clear_operands(&self, narrow: &Narrow<'p>) {
        for (number, width) in narrow.operands.iter().enumerate() {
            if let Some(width) = width {
                let cleared = self.cleared(narrow.op, operand(narrow.op, number), *width);
                ir::set_operand(narrow.op, number, cleared);
            }
        }
    }

    /// Builds the unsigned value of the low `width` bits of a number.
    fn cleared(&self, op: Op<'p>, number: Val<'p>, width: u32) -> Val<'p> {
        self.shifted(op, number, width, arith::shrui)
    }

    /// Builds a shift up that drops the bits above the low `width`, and one down again by `down`.
    fn shifted(
        &self,
        op: Op<'p>,
        number: Val<'p>,
        width: u32,
        down: fn(Val<'p>, Val<'p>) -> OpParts<'p>,
    ) -> Val<'p> {
        let build = self.before(op);
        let bits = build.integer(i64::from(WORD - width), number.r#type());
        let up = build.same(arith::shli(number, bits));
        build.same(down(up, bits))
    }

    /// Widens the numbers of a constant.
    fn constant(&mut self, op: Op<'p>) -> Result<(), String> {
        let ty = result(op).r#type();
        let wide = self.wide(ty).expect("the result is such an integer");
        let value = op.attribute("value").map_err(|err| err.to_string())?;
        let one = |value| {
            let number = attr::integer(value).ok_or("a constant that is no number")?;
            Ok::<_, String>(IntegerAttribute::new(self.integer(WORD), number).into())
        };
        let widened: Attribute<'p> = if !ir::is_ranked_tensor(ty) {
            one(value)?
        } else if let Some(value) = attr::splat(value) {
            let dense = DenseElementsAttribute::new(wide, &[one(value)?]);
            dense.map_err(|err| err.to_string())?.into()
        } else {
            let bytes = attr::dense_bytes(value)
                .ok_or("a constant whose elements the module does not hold")?;
            let words = words(&bytes, narrow_width(ty).expect("it was widened"));
            if attr::is_resource(value) {
                attr::resource(wide, "wide", words.len(), |to| to.copy_from_slice(&words))
            } else {
                DenseElementsAttribute::raw_buffer(wide, &words).into()
            }
        };
        ir::set_attribute(op, "value", widened);
        self.set_results(op);
        Ok(())
    }

    fn set_results(&mut self, op: Op<'p>) {
        for value in ir::results(op) {
            self.set(value);
        }
    }

    /// Widens the type of a value.
    fn set(&mut self, value: Val<'p>) {
        if let Some(ty) = self.wide(value.r#type()) {
            value.set_type(ty);
            self.widened += 1;
        }
    }

    /// Returns the type of 32 bits for an integer of 8 or 16, and for a tensor of them.
    fn wide(&self, ty: Type<'p>) -> Option<Type<'p>> {
        narrow_width(ty).map(|_| with_element(ty, self.integer(WORD)))
    }

    /// Casts the returned values to the function's result types.
    fn returned(&self, op: Op<'p>) {
        let function = op.parent_operation().expect("a return is in a function");
        for (number, ty) in result_types(function).into_iter().enumerate() {
            let value = operand(op, number);
            if value.r#type() != ty {
                let cast = self.before(op).op(arith::trunci(value), ty);
                ir::set_operand(op, number, cast);
            }
        }
    }

    /// Returns the builder before an operation, at its location.
    fn before(&self, op: Op<'p>) -> OpBuilder<'p> {
        OpBuilder::before(self.context, op)
    }

    fn integer(&self, width: u32) -> Type<'p> {
        IntegerType::new(self.context, width).into()
    }
}

/// Returns whether an operation computes a whole tensor of extents that are not known.
fn is_open(op: Op<'_>) -> bool {
    ir::result(op, 0).is_some_and(|value| {
        let ty = RankedTensorType::try_from(value.r#type());
        ty.is_ok_and(|ty| !ty.has_static_shape())
    })
}

/// Returns whether all uses of a value return it, as it is or as an element of an operation's result.
fn is_only_returned(value: Val<'_>) -> bool {
    ir::uses(value)
        .into_iter()
        .all(|user| match ir::name(user.owner) {
            func::RETURN => true,
            linalg::YIELD => {
                let op = user.owner.parent_operation();
                let op = op.filter(|op| structured::is_elementwise(*op));
                let output = op.and_then(|op| ir::result(op, user.operand));
                output.is_some_and(is_only_returned)
            }
            _ => false,
        })
}

/// Returns numbers of 8 or 16 bits as numbers of 32 bits, both as bytes in native order.
fn words(bytes: &[u8], width: u32) -> Vec<u8> {
    let word = |number: i32| number.to_ne_bytes();
    match width {
        8 => bytes
            .iter()
            .flat_map(|byte| word(byte.cast_signed().into()))
            .collect(),
        _ => {
            let (halves, _) = bytes.as_chunks();
            halves
                .iter()
                .flat_map(|half| word(i16::from_ne_bytes(*half).into()))
                .collect()
        }
    }
}

fn operand(op: Op<'_>, number: usize) -> Val<'_> {
    ir::operand(op, number).expect("the operation has the operand")
}

fn result(op: Op<'_>) -> Val<'_> {
    ir::result(op, 0).expect("the operation has a result")
}

fn replace<'p>(op: Op<'p>, with: Val<'p>) {
    ir::replace_all_uses(result(op), with);
    ir::erase(op);
}

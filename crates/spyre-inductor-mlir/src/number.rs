//! The values that the body of a loop nest computes, each once.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::Layout;
use spyre_inductor::schedule::realize::Cost;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::{inductor, math};

use super::import::own_layout;
use super::program::{self, result};
use super::{index, types};

/// The parts that a value is computed from: values of equal ones are equal.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// A buffer or a loop, by its key.
    Outside(ir::ValueKey),
    /// The result of an operation: its name, its attributes, its type, and the numbers of its operands.
    Computed(
        String,
        Vec<(String, ir::AttributeKey)>,
        ir::TypeKey,
        Vec<u32>,
    ),
}

/// The values of a body by numbers. Equal values have the same number.
#[derive(Default)]
struct Numbers<'p> {
    keys: FxHashMap<Key, u32>,
    of_value: FxHashMap<ir::ValueKey, u32>,
    /// Values by their numbers, for each block around the present one.
    scopes: Vec<FxHashMap<u32, Val<'p>>>,
    /// The numbers that were counted.
    counted: FxHashSet<u32>,
    /// The numbers of indices that are read.
    indirect: FxHashMap<ir::ValueKey, u32>,
    cost: Cost,
}

/// Removes common subexpressions from the body of a nest. Returns the cost of the rest.
///
/// # Errors
/// An index is too large.
pub(super) fn unique<'p>(op: Op<'p>) -> Result<Cost, Diagnostic<'p>> {
    let mut numbers = Numbers::default();
    numbers.block(ir::body(op).expect("a nest has a block"))?;
    Ok(numbers.cost)
}

impl<'p> Numbers<'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        self.scopes.push(FxHashMap::default());
        let ops: Vec<Op<'p>> = ir::operations(block).collect();
        for op in ops {
            if op.result_count() == 1 {
                self.op(op)?;
            }
        }
        self.scopes.pop();
        Ok(())
    }

    fn op(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let name = ir::name(op);
        if name == inductor::CHECK_BOUNDS {
            return Ok(());
        }
        let value = result(op, 0);
        let mut operands: Vec<u32> = op.operands().map(|operand| self.of(operand)).collect();
        if let Some(inner) = ir::body(op) {
            self.block(inner)?;
            let end = ir::operations(inner).last().expect("IN22: a block yields");
            let yielded = ir::operand(end, 0).expect("IN22: a block yields a value");
            operands.push(self.of(yielded));
        }
        let attributes = op.attributes().map(|(name, attribute)| {
            let name = name.as_string_ref().as_str().expect("names are text");
            (name.to_owned(), ir::attribute_key(attribute))
        });
        let ty = ir::type_key(value.r#type());
        let key = Key::Computed(name.to_owned(), attributes.collect(), ty, operands);
        let number = self.number(key);
        self.of_value.insert(ir::value_key(value), number);
        if name == inductor::INDIRECT {
            let next = u32::try_from(self.indirect.len()).expect("indices are few");
            self.indirect.insert(ir::value_key(value), next);
        }
        if let Some(original) = self.scopes.iter().find_map(|block| block.get(&number)) {
            ir::replace_all_uses(value, *original);
            ir::erase(op);
            return Ok(());
        }
        let innermost = self.scopes.last_mut();
        let innermost = innermost.expect("the operation is in a block");
        innermost.insert(number, value);
        if self.counted.insert(number) {
            self.count(op, name)?;
        }
        Ok(())
    }

    /// Adds the cost of an operation.
    fn count(&mut self, op: Op<'p>, name: &str) -> Result<(), Diagnostic<'p>> {
        let text = |name: &str| ir::attribute(op, name).and_then(attr::string);
        match name {
            // An index and the rounding of a store are not counted as arithmetic of the body.
            inductor::INDIRECT | index::APPLY => return Ok(()),
            inductor::TO_DTYPE if rounds(op) => return Ok(()),
            inductor::LOAD => {
                let source = ir::operand(op, 0).expect("a load has a source");
                let at = program::subscript(op, 1, &self.indirect)?;
                let view = ir::attribute(op, "view");
                let view = view.and_then(Layout::read);
                let layout = view.or_else(|| own_layout(source.r#type()));
                let layout = layout.expect("a buffer has a layout");
                let place = program::place(op, &at, &layout)?;
                self.cost.loads += 1;
                self.cost.moving += usize::from(place.as_constant().is_none());
            }
            math::EXP => self.cost.is_slow = true,
            inductor::APPLY if text("name").as_deref() == Some("sigmoid") => {
                self.cost.is_slow = true;
            }
            _ => {}
        }
        self.cost.values += 1;
        Ok(())
    }

    fn of(&mut self, value: Val<'p>) -> u32 {
        let key = ir::value_key(value);
        match self.of_value.get(&key) {
            Some(number) => *number,
            None => self.number(Key::Outside(key)),
        }
    }

    fn number(&mut self, key: Key) -> u32 {
        let next = u32::try_from(self.keys.len()).expect("values are few");
        *self.keys.entry(key).or_insert(next)
    }
}

/// Returns whether a conversion rounds a number as a store does. PyTorch computes with no more bits than 8 in place of a float of 8.
pub(super) fn rounds(op: Op<'_>) -> bool {
    types::attribute_type(op, "dtype").is_some_and(|dtype| {
        types::float8(dtype).is_some() || types::is_half(dtype) && op.attribute("compute").is_err()
    })
}

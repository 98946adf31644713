//! The arguments of operations in files.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Located, Op, dtype};
use crate::op::{AddressSpace, AxisType, Combine, TensorType};
use crate::schema::{Arg, Datum, Node, Slot};
use crate::table::{Argument, Field};

/// The arguments of a node, which are consumed one by one.
pub(super) struct Fields<'a> {
    node: &'a Node,
    arg: Arg,
}

type Read<T> = Result<T, Located>;

/// Takes an argument that the operation needs, by its key in files.
macro_rules! take {
    ($fields:ident.$key:ident) => {{
        let value = $fields.arg.$key.take();
        value.ok_or_else(|| $fields.missing(stringify!($key)))?
    }};
}

impl<'a> Fields<'a> {
    pub(super) fn new(node: &'a Node) -> Self {
        let arg = node.arg.clone();
        Self { node, arg }
    }

    fn missing(&self, name: &str) -> Located {
        let reason = format!("{} has the argument {name:?}", self.node.op);
        Located::new(".arg", reason)
    }

    /// Returns the argument of a field, and removes it.
    pub(super) fn read(&mut self, field: Field) -> Read<Argument> {
        let name = field.name();
        let op = &self.node.op;
        let at_name = |reason: String| wrong(name, reason);
        Ok(match field {
            Field::Type => Argument::Type(self.ty()?),
            Field::ScalarType => Argument::ScalarType(dtype(".dtype", &self.node.dtype)?),
            Field::CastType => Argument::CastType(dtype(".arg.dtype", &take!(self.dtype))?),
            Field::BitcastType => Argument::BitcastType(dtype(".arg.dtype", &take!(self.dtype))?),
            Field::BufferSlot => match take!(self.slot) {
                Slot::Number(slot) => Argument::BufferSlot(slot),
                Slot::Name(_) => return Err(wrong(name, "a buffer has a number")),
            },
            Field::Slot => Argument::Slot(take!(self.slot)),
            Field::Bounds => Argument::Bounds(self.bounds()?),
            Field::Value => Argument::Value(take!(self.value)),
            Field::Data => Argument::Data(bytes(&take!(self.data))?),
            Field::Perm => Argument::Perm(list(name, take!(self.perm), position)?),
            Field::Flags => Argument::Flags(list(name, take!(self.axes), |flag| match flag {
                Datum::Bool(flag) => Ok(flag),
                _ => Err(format!("the flags of {op} are truth values")),
            })?),
            Field::Axes => Argument::Axes(list(name, take!(self.axes), |axis| match axis {
                Datum::Natural(axis) => position(axis),
                _ => Err(format!("the axes of {op} are natural numbers")),
            })?),
            Field::Shape => Argument::Shape(take!(self.shape)[..].into()),
            Field::Offset => Argument::Offset(take!(self.offset)[..].into()),
            Field::Combine => {
                let all = Combine::ALL.map(|combine| (combine, combine.elementwise().name()));
                Argument::Combine(keyword(name, &take!(self.op), all, "reduction")?)
            }
            Field::Device => Argument::Device(self.arg.device.take()),
            Field::Destination => Argument::Destination(take!(self.device)),
            Field::Space => Argument::Space(self.space(name)?.unwrap_or_default()),
            Field::NewSpace => Argument::NewSpace(self.space(name)?),
            Field::Axis => Argument::Axis(position(take!(self.axis)).map_err(at_name)?),
            Field::Index => Argument::Index(position(take!(self.index)).map_err(at_name)?),
            Field::Bound => Argument::Bound(take!(self.bound)),
            Field::AxisId => Argument::AxisId(below_2_63(name, take!(self.axis_id))?),
            Field::AxisType => {
                let kind = take!(self.axis_type);
                Argument::AxisType(keyword(name, &kind, AxisType::ALL, "kind of loop")?)
            }
        })
    }

    /// Returns the type of the result.
    fn ty(&self) -> Read<TensorType> {
        let node = self.node;
        let dtype = dtype(".dtype", &node.dtype)?;
        let shape = node.shape.as_deref();
        let without = || Located::new(".shape", format!("{} has a shape", node.op));
        let shape = shape.ok_or_else(without)?.into();
        Ok(TensorType { dtype, shape })
    }

    fn bounds(&mut self) -> Read<Option<[i64; 2]>> {
        match (self.arg.min.take(), self.arg.max.take()) {
            (None, None) => Ok(None),
            (Some(min), Some(max)) => Ok(Some([min, max])),
            (None, Some(_)) => Err(self.missing("min")),
            (Some(_), None) => Err(self.missing("max")),
        }
    }

    fn space(&mut self, field: &str) -> Read<Option<AddressSpace>> {
        let all = AddressSpace::ALL.map(|space| (space, space.name()));
        let space = self.arg.addrspace.take();
        let space = space.map(|space| keyword(field, &space, all, "kind of memory"));
        space.transpose()
    }

    /// Checks that every argument has been consumed.
    pub(super) fn finish(self) -> Read<()> {
        if self.arg == Arg::default() {
            return Ok(());
        }
        let left = serde_json::to_value(&self.arg).expect("the keys of an argument are texts");
        let left = left.as_object().and_then(|fields| fields.keys().next());
        let name = left.expect("an argument that is not empty has a field");
        Err(wrong(
            name,
            format!("{} has no such argument", self.node.op),
        ))
    }
}

/// Returns the error of an argument.
fn wrong(place: &str, reason: impl Into<String>) -> Located {
    Located::new(format!(".arg.{place}"), reason)
}

/// Returns the bytes of a text with two digits of base 16 each.
fn bytes(text: &str) -> Read<Arc<[u8]>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
    let error = || wrong("data", "bytes have two digits of base 16 each");
    bytes.map(Arc::from).ok_or_else(error)
}

/// Returns the keyword of a name.
fn keyword<T, const N: usize>(
    field: &str,
    name: &str,
    all: [(T, &'static str); N],
    kind: &str,
) -> Read<T> {
    let entry = all.into_iter().find(|(_, keyword)| *keyword == name);
    let error = || wrong(field, format!("{name:?} is no {kind}"));
    entry.map(|(keyword, _)| keyword).ok_or_else(error)
}

/// Checks that a number is below 2^63, since the dialect has signed integers.
fn below_2_63(place: &str, number: u64) -> Read<u64> {
    i64::try_from(number).map_err(|_| {
        let most = i64::MAX;
        wrong(
            place,
            format!("{number} is above {most}, the largest number of a loop"),
        )
    })?;
    Ok(number)
}

/// Returns the elements of a list in a file as `read` returns them, or its error at the first element that has one.
fn list<T, U, L: FromIterator<U>>(
    field: &str,
    list: Vec<T>,
    read: impl Fn(T) -> Result<U, String>,
) -> Read<L> {
    let list = list.into_iter().enumerate();
    list.map(|(at, element)| {
        read(element).map_err(|reason| wrong(&format!("{field}[{at}]"), reason))
    })
    .collect()
}

/// Returns a number as a position.
fn position(number: u64) -> Result<usize, String> {
    usize::try_from(number).map_err(|_| format!("{number} is no position"))
}

/// Returns the arguments of an operation.
pub(super) fn write(op: &Op) -> Arg {
    let mut arg = Arg::default();
    let number = |axis: usize| axis as u64;
    for argument in op.arguments() {
        match argument {
            Argument::Type(_) | Argument::ScalarType(_) => {} // The node has the type of the result.
            Argument::CastType(dtype) | Argument::BitcastType(dtype) => {
                arg.dtype = Some(dtype.name().into());
            }
            Argument::BufferSlot(slot) => arg.slot = Some(Slot::Number(slot)),
            Argument::Slot(slot) => arg.slot = Some(slot),
            Argument::Bounds(bounds) => {
                arg.min = bounds.map(|[min, _]| min);
                arg.max = bounds.map(|[_, max]| max);
            }
            Argument::Value(value) => arg.value = Some(value),
            Argument::Data(data) => {
                let mut text = String::with_capacity(2 * data.len());
                for byte in data.iter() {
                    write!(text, "{byte:02x}").expect("a text takes more");
                }
                arg.data = Some(text);
            }
            Argument::Perm(perm) => arg.perm = Some(perm.into_iter().map(number).collect()),
            Argument::Flags(flags) => {
                arg.axes = Some(flags.into_iter().map(Datum::Bool).collect());
            }
            Argument::Axes(axes) => {
                let axes = axes.into_iter().map(number);
                arg.axes = Some(axes.map(Datum::Natural).collect());
            }
            Argument::Shape(shape) => arg.shape = Some(shape.to_vec()),
            Argument::Offset(offset) => arg.offset = Some(offset.to_vec()),
            Argument::Combine(combine) => arg.op = Some(combine.elementwise().name().into()),
            Argument::Device(device) => arg.device = device,
            Argument::Destination(device) => arg.device = Some(device),
            // The space that a file does not name is the memory of the device.
            Argument::Space(AddressSpace::Global) => {}
            Argument::Space(space) => arg.addrspace = Some(space.name().into()),
            Argument::NewSpace(space) => arg.addrspace = space.map(|space| space.name().into()),
            Argument::Axis(axis) => arg.axis = Some(number(axis)),
            Argument::Index(index) => arg.index = Some(number(index)),
            Argument::Bound(bound) => arg.bound = Some(bound),
            Argument::AxisId(axis_id) => arg.axis_id = Some(axis_id),
            Argument::AxisType(axis_type) => arg.axis_type = Some(axis_type.name().into()),
        }
    }
    arg
}

//! The arguments of operations in files.

use std::fmt::Write as _;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{AddressSpace, AxisType, DType, Device, Located, Op, Slot, dtype};
use crate::op::{Axes, Combine};
use crate::schema::{Arg, Datum};
use crate::shape::Shape;

/// The arguments of a node, which are consumed one by one.
pub(super) struct Fields<'a> {
    op: &'a str,
    arg: Arg,
}

type Read<T> = Result<T, Located>;

impl<'a> Fields<'a> {
    pub(super) fn new(op: &'a str, arg: &Arg) -> Self {
        let arg = arg.clone();
        Self { op, arg }
    }

    fn missing(&self, name: &str) -> Located {
        Located::new(".arg", format!("{} has the argument {name:?}", self.op))
    }

    fn need<T>(&self, value: Option<T>, name: &str) -> Read<T> {
        value.ok_or_else(|| self.missing(name))
    }

    pub(super) fn slot(&mut self) -> Read<Slot> {
        let value = self.arg.slot.take();
        self.need(value, "slot")
    }

    pub(super) fn value(&mut self) -> Read<Datum> {
        let value = self.arg.value.take();
        self.need(value, "value")
    }

    pub(super) fn device(&mut self) -> Option<Device> {
        self.arg.device.take()
    }

    pub(super) fn destination(&mut self) -> Read<Device> {
        let value = self.arg.device.take();
        self.need(value, "device")
    }

    pub(super) fn bounds(&mut self) -> Read<Option<[i64; 2]>> {
        match (self.arg.min.take(), self.arg.max.take()) {
            (None, None) => Ok(None),
            (Some(min), Some(max)) => Ok(Some([min, max])),
            (None, Some(_)) => Err(self.missing("min")),
            (Some(_), None) => Err(self.missing("max")),
        }
    }

    pub(super) fn space(&mut self) -> Read<Option<AddressSpace>> {
        let Some(name) = self.arg.addrspace.take() else {
            return Ok(None);
        };
        let mut all = AddressSpace::ALL.into_iter();
        let space = all.find(|space| space.name() == name);
        let error = || Located::new(".arg.addrspace", format!("{name:?} is no kind of memory"));
        space.map(Some).ok_or_else(error)
    }

    pub(super) fn data(&mut self) -> Read<Arc<[u8]>> {
        let value = self.arg.data.take();
        let text = self.need(value, "data")?;
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        let pair = |pair: &[u8]| match pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
        let error = || Located::new(".arg.data", "bytes have two digits of base 16 each");
        bytes.map(Arc::from).ok_or_else(error)
    }

    pub(super) fn shape(&mut self) -> Read<Shape> {
        let value = self.arg.shape.take();
        Ok(Shape::from(&self.need(value, "shape")?[..]))
    }

    pub(super) fn offset(&mut self) -> Read<Shape> {
        let value = self.arg.offset.take();
        Ok(Shape::from(&self.need(value, "offset")?[..]))
    }

    pub(super) fn perm(&mut self) -> Read<Axes> {
        let value = self.arg.perm.take();
        let perm = self.need(value, "perm")?;
        perm.iter()
            .enumerate()
            .map(|(at, axis)| position("perm", Some(at), *axis))
            .collect()
    }

    pub(super) fn flags(&mut self) -> Read<SmallVec<[bool; 4]>> {
        let value = self.arg.axes.take();
        let axes = self.need(value, "axes")?;
        let flag = |(at, datum): (usize, &Datum)| match datum {
            Datum::Bool(flag) => Ok(*flag),
            _ => Err(Located::new(
                format!(".arg.axes[{at}]"),
                "Flip has truth values",
            )),
        };
        axes.iter().enumerate().map(flag).collect()
    }

    pub(super) fn axes(&mut self) -> Read<Axes> {
        let value = self.arg.axes.take();
        let axes = self.need(value, "axes")?;
        let axis = |(at, datum): (usize, &Datum)| match datum {
            Datum::Natural(axis) => position("axes", Some(at), *axis),
            _ => Err(Located::new(
                format!(".arg.axes[{at}]"),
                "Reduce has numbers of axes",
            )),
        };
        axes.iter().enumerate().map(axis).collect()
    }

    pub(super) fn dtype(&mut self) -> Read<DType> {
        let value = self.arg.dtype.take();
        dtype(".arg.dtype", &self.need(value, "dtype")?)
    }

    pub(super) fn combine(&mut self) -> Read<Combine> {
        let value = self.arg.op.take();
        let name = self.need(value, "op")?;
        let mut all = Combine::ALL.into_iter();
        let combine = all.find(|combine| combine.elementwise().name() == name);
        combine.ok_or_else(|| Located::new(".arg.op", format!("{name:?} is no reduction")))
    }

    pub(super) fn axis(&mut self) -> Read<usize> {
        let value = self.arg.axis.take();
        position("axis", None, self.need(value, "axis")?)
    }

    pub(super) fn index(&mut self) -> Read<usize> {
        let value = self.arg.index.take();
        position("index", None, self.need(value, "index")?)
    }

    pub(super) fn bound(&mut self) -> Read<u64> {
        let value = self.arg.bound.take();
        self.need(value, "bound")
    }

    pub(super) fn axis_id(&mut self) -> Read<u64> {
        let value = self.arg.axis_id.take();
        below_2_63(".arg.axis_id", self.need(value, "axis_id")?)
    }

    pub(super) fn axis_type(&mut self) -> Read<AxisType> {
        let value = self.arg.axis_type.take();
        let name = self.need(value, "axis_type")?;
        let mut all = AxisType::ALL.into_iter();
        let entry = all.find(|(_, type_name)| *type_name == name);
        let error = || Located::new(".arg.axis_type", format!("{name:?} is no kind of loop"));
        entry.map(|(axis_type, _)| axis_type).ok_or_else(error)
    }

    /// Checks that every argument has been consumed.
    pub(super) fn finish(self) -> Read<()> {
        if self.arg == Arg::default() {
            return Ok(());
        }
        let left = serde_json::to_value(&self.arg).expect("the keys of an argument are texts");
        let left = left.as_object().and_then(|fields| fields.keys().next());
        let name = left.expect("an argument that is not empty has a field");
        let reason = format!("{} has no such argument", self.op);
        Err(Located::new(format!(".arg.{name}"), reason))
    }
}

/// Checks that a number is below 2^63, since the dialect has signed integers.
fn below_2_63(place: &'static str, number: u64) -> Read<u64> {
    match i64::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(Located::new(
            place,
            format!(
                "{number} is above {}, the largest number of a loop",
                i64::MAX
            ),
        )),
    }
}

/// Returns a number as a position.
fn position(field: &str, at: Option<usize>, number: u64) -> Read<usize> {
    usize::try_from(number).map_err(|_| {
        let at = at.map(|at| format!("[{at}]"));
        let place = format!(".arg.{field}{}", at.as_deref().unwrap_or(""));
        Located::new(place, format!("{number} is no position"))
    })
}

/// Returns the arguments of an operation.
pub(super) fn write(op: &Op) -> Arg {
    let mut arg = Arg::default();
    let numbers = |axes: &Axes| axes.iter().map(|axis| *axis as u64).collect::<Vec<_>>();
    match op {
        Op::Buffer {
            slot,
            device,
            space,
            ..
        } => {
            arg.slot = Some(Slot::Number(*slot));
            arg.device.clone_from(device);
            // The space that a file does not name is the memory of the device.
            let space = (*space != AddressSpace::default()).then(|| space.name().into());
            arg.addrspace = space;
        }
        Op::Param { slot, bounds, .. } => {
            arg.slot = Some(slot.clone());
            arg.min = bounds.map(|[min, _]| min);
            arg.max = bounds.map(|[_, max]| max);
        }
        Op::Const { value, .. } => arg.value = Some(*value),
        Op::Binary(data) => {
            let mut text = String::with_capacity(2 * data.len());
            for byte in data.iter() {
                write!(text, "{byte:02x}").expect("a text takes more");
            }
            arg.data = Some(text);
        }
        Op::Permute(perm) => arg.perm = Some(numbers(perm)),
        Op::Flip(flags) => arg.axes = Some(flags.iter().map(|flag| Datum::Bool(*flag)).collect()),
        Op::Reshape(shape) | Op::Expand(shape) => arg.shape = Some(shape.to_vec()),
        Op::Pad { offset, shape } | Op::Shrink { offset, shape } => {
            arg.offset = Some(offset.to_vec());
            arg.shape = Some(shape.to_vec());
        }
        Op::Bitcast(dtype) | Op::Cast(dtype) => arg.dtype = Some(dtype.name().into()),
        Op::Reduce { combine, axes } => {
            arg.op = Some(combine.elementwise().name().into());
            arg.axes = Some(numbers(axes).into_iter().map(Datum::Natural).collect());
        }
        Op::Copy(device) => arg.device = Some(device.clone()),
        Op::Replicated(axis) => arg.axis = Some(*axis as u64),
        Op::GetTuple(index) => arg.index = Some(*index as u64),
        Op::Load { device, space } => {
            arg.device.clone_from(device);
            arg.addrspace = space.map(|space| space.name().into());
        }
        Op::Range {
            bound,
            axis_id,
            axis_type,
        } => {
            arg.bound = Some(*bound);
            arg.axis_id = Some(*axis_id);
            arg.axis_type = Some(axis_type.name().into());
        }
        Op::Index
        | Op::Stack
        | Op::Elementwise(_)
        | Op::Marker(_)
        | Op::Tuple
        | Op::Call(_)
        | Op::Store
        | Op::After
        | Op::End
        | Op::Collect(_) => {}
    }
    arg
}

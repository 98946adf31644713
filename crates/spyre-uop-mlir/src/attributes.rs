//! The arguments of operations as attributes of the dialect, both ways.
//!
//! The table of `spyre-uop` has the names of operations and of attributes. Constants of any shape and tuples are more
//! than one node each: `program` reads them.

use melior::Context;
use melior::ir::attribute::{
    DenseElementsAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, FloatAttribute,
    IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_dialects::attr;
use spyre_dialects::uop_attr::{self, Keyword};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::OpParts;
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::{self, AddressSpace, AxisType, Combine, TensorType};
use spyre_uop::schema::{Device, Slot};
use spyre_uop::shape::Shape;
use spyre_uop::table::{Argument, Field, Row};

use super::types;

// The numbers of keywords match the dialect.
const _: () = assert!(Combine::Add as usize == 0 && Combine::Max as usize == 1);
const _: () = assert!(AddressSpace::Register as usize == 2 && AxisType::Unroll as usize == 8);

/// The attributes of the dialect with the ends of a symbolic integer.
const BOUNDS: [&str; 2] = ["min", "max"];

/// The attribute of a constant.
pub(super) const VALUE: &str = "value";

type Read<'p, T> = Result<T, Diagnostic<'p>>;

/// Returns the parts of an operation of the dialect.
pub(super) fn parts<'p>(context: &'p Context, op: &op::Op, operands: &[Val<'p>]) -> OpParts<'p> {
    let name = op.row().operation;
    let name = name.expect("tuples and calls are no operations of the dialect");
    let attributes = write(context, op, operands.len()).into_iter();
    attributes.fold(OpParts::named(name, operands), |parts, (name, value)| {
        parts.with(name, value)
    })
}

/// Changes the sources of an operation to operands of the dialect, or operands to sources.
pub(super) fn swap<T>(op: &op::Op, sources: &mut [T]) {
    match (op, sources) {
        (op::Op::Load { .. }, [_, gate, alternative]) => std::mem::swap(gate, alternative),
        (op::Op::Store, [value, buffer, ..]) => std::mem::swap(value, buffer),
        _ => {}
    }
}

/// Returns the attributes of an operation of the dialect with some number of operands.
fn write<'c>(
    context: &'c Context,
    op: &op::Op,
    operands: usize,
) -> Vec<(&'static str, Attribute<'c>)> {
    let mut all = Vec::new();
    if let op::Op::Load { .. } = op {
        let gated = i32::from(operands > 1);
        let segments = DenseI32ArrayAttribute::new(context, &[1, gated, gated]);
        all.push(("operandSegmentSizes", segments.into()));
    }
    for (field, argument) in op.row().fields.iter().zip(op.arguments()) {
        if let Argument::Bounds(Some(bounds)) = argument {
            all.extend(BOUNDS.into_iter().zip(bounds.map(|end| i64(context, end))));
        }
        let attribute = match (op, &argument) {
            // A scalar has its element type as a second argument.
            (op::Op::Const { value, dtype }, Argument::Value(_)) => {
                let bits = element::constant(*dtype, *value);
                let shape = Shape::scalar();
                let ty = TensorType {
                    dtype: *dtype,
                    shape,
                };
                Some(elements(context, &ty, &[bits]))
            }
            _ => attribute(context, argument),
        };
        all.extend(field.attribute().zip(attribute));
    }
    all
}

/// Returns an argument as one attribute; none if it has no value, or is no attribute.
fn attribute(context: &Context, argument: Argument) -> Option<Attribute<'_>> {
    let natural = |number: u64| i64(context, number.cast_signed());
    let numbers = |numbers: &[u64]| {
        let numbers: Vec<i64> = numbers.iter().map(|number| number.cast_signed()).collect();
        DenseI64ArrayAttribute::new(context, &numbers).into()
    };
    let axes = |axes: op::Axes| {
        let axes: Vec<u64> = axes.into_iter().map(|axis| axis as u64).collect();
        numbers(&axes)
    };
    let space = |space| Keyword::AddressSpace.attribute(context, space as usize);
    Some(match argument {
        Argument::Type(_)
        | Argument::ScalarType(_)
        | Argument::CastType(_)
        | Argument::Value(_)
        | Argument::Bounds(_)
        | Argument::Index(_) => return None,
        Argument::BitcastType(dtype) => TypeAttribute::new(types::element(context, dtype)).into(),
        Argument::BufferSlot(slot) | Argument::Slot(Slot::Number(slot)) => natural(slot.into()),
        Argument::Slot(Slot::Name(name)) => StringAttribute::new(context, &name).into(),
        Argument::Data(bytes) => {
            let values: Vec<u64> = bytes.iter().map(|byte| (*byte).into()).collect();
            let ty = TensorType {
                dtype: DType::U8,
                shape: [values.len() as u64].as_slice().into(),
            };
            elements(context, &ty, &values)
        }
        Argument::Perm(list) | Argument::Axes(list) => axes(list),
        Argument::Flags(flags) => {
            let flags: Vec<_> = flags.iter().map(bool::to_string).collect();
            let list = match flags.as_slice() {
                [] => "array<i1>".to_owned(),
                flags => format!("array<i1: {}>", flags.join(", ")),
            };
            Attribute::parse(context, &list).expect("a list of truth values")
        }
        Argument::Shape(extents) | Argument::Offset(extents) => numbers(&extents),
        Argument::Combine(combine) => Keyword::ReduceKind.attribute(context, combine as usize),
        Argument::Device(place) => device(context, &place?),
        Argument::Destination(place) => device(context, &place),
        Argument::Space(kind) => space(kind),
        Argument::NewSpace(kind) => space(kind?),
        Argument::Axis(axis) => natural(axis as u64),
        Argument::Bound(number) | Argument::AxisId(number) => natural(number),
        Argument::AxisType(kind) => Keyword::AxisType.attribute(context, kind as usize),
    })
}

/// Returns a number of 64 bits.
pub(super) fn i64(context: &Context, value: i64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
}

/// Returns a device.
pub(super) fn device<'c>(context: &'c Context, device: &Device) -> Attribute<'c> {
    let text = |text: &str| StringAttribute::new(context, text).into();
    match device {
        Device::One(name) => text(name),
        Device::Many(names) => {
            let names: Vec<_> = names.iter().map(|name| text(name)).collect();
            attr::array(context, &names)
        }
    }
}

/// Returns a constant of some elements, or of one element everywhere.
pub(super) fn elements<'c>(context: &'c Context, ty: &TensorType, bits: &[u64]) -> Attribute<'c> {
    let element = types::element(context, ty.dtype);
    let value = |bits: &u64| -> Attribute<'c> {
        match ty.dtype.is_float() {
            true => FloatAttribute::new(context, element, element::float(ty.dtype, *bits)).into(),
            false => IntegerAttribute::new(element, bits.cast_signed()).into(),
        }
    };
    let values: Vec<Attribute<'c>> = bits.iter().map(value).collect();
    DenseElementsAttribute::new(types::tensor(context, ty), &values)
        .expect("elements of the type")
        .into()
}

/// Returns the operation of one of the dialect that is no constant.
///
/// # Errors
/// The result is no tensor of a program, or the number of a buffer is too large; at the operation.
pub(super) fn read<'p>(of: Op<'p>, row: &Row, result: Val<'p>) -> Read<'p, op::Op> {
    row.op(|field| argument(of, result, field))
}

/// Returns an argument of an operation, which the verifier has seen.
fn argument<'p>(of: Op<'p>, result: Val<'p>, field: Field) -> Read<'p, Argument> {
    let named = |name: &str| ir::attribute(of, name);
    let value = field.attribute().and_then(named);
    let given = || value.expect("the verifier has seen the attribute");
    let natural = || {
        let number = attr::integer(given()).expect("the verifier has seen the number");
        u64::try_from(number).expect("the verifier has seen its sign")
    };
    let position = |number| usize::try_from(number).expect("the verifier has seen the axis");
    let slot = || {
        u32::try_from(natural()).map_err(|_| {
            let message = format!("{} is too large for the number of a buffer", natural());
            Diagnostic::error(of.location(), message)
        })
    };
    let numbers =
        || -> Vec<u64> { attr::dense_integers(value).expect("the verifier has seen the numbers") };
    let axes = || numbers().into_iter().map(position).collect();
    let number = |keyword: Keyword, value| keyword.number(value).expect("a keyword of its kind");
    let space = |value| AddressSpace::ALL[number(Keyword::AddressSpace, value)];
    let ty = || tensor(of, result.r#type());
    Ok(match field {
        Field::Type => Argument::Type(ty()?),
        Field::CastType => Argument::CastType(ty()?.dtype),
        Field::BitcastType => Argument::BitcastType(ty()?.dtype),
        Field::BufferSlot => Argument::BufferSlot(slot()?),
        Field::Slot => Argument::Slot(match attr::string(given()) {
            Some(name) => Slot::Name(name.into()),
            None => Slot::Number(slot()?),
        }),
        Field::Bounds => {
            let [min, max] = BOUNDS.map(|name| named(name).and_then(attr::integer));
            Argument::Bounds(min.zip(max).map(|(min, max)| [min, max]))
        }
        Field::Perm => Argument::Perm(axes()),
        Field::Flags => Argument::Flags(uop_attr::flags(given()).into_iter().collect()),
        Field::Shape => Argument::Shape(numbers().as_slice().into()),
        Field::Offset => Argument::Offset(numbers().as_slice().into()),
        Field::Combine => Argument::Combine(Combine::ALL[number(Keyword::ReduceKind, given())]),
        Field::Axes => Argument::Axes(axes()),
        Field::Device => Argument::Device(value.map(device_of)),
        Field::Destination => Argument::Destination(device_of(given())),
        Field::Space => Argument::Space(space(given())),
        Field::NewSpace => Argument::NewSpace(value.map(space)),
        Field::Axis => Argument::Axis(position(natural())),
        Field::Bound => Argument::Bound(natural()),
        Field::AxisId => Argument::AxisId(natural()),
        Field::AxisType => Argument::AxisType(AxisType::ALL[number(Keyword::AxisType, given())].0),
        Field::ScalarType | Field::Value | Field::Data | Field::Index => {
            unreachable!("{field:?} is of constants and tuples")
        }
    })
}

/// Reads a device, which the verifier has seen.
pub(super) fn device_of(attribute: Attribute<'_>) -> Device {
    let text = |attribute| attr::string(attribute).unwrap_or_default().into();
    if let Some(name) = attr::string(attribute) {
        return Device::One(name.into());
    }
    Device::Many(attr::elements(attribute).into_iter().map(text).collect())
}

/// Returns the type of a tensor.
pub(super) fn tensor<'p>(of: Op<'p>, ty: Type<'p>) -> Read<'p, TensorType> {
    let wrong = || {
        let message = format!("{ty} is no tensor of known extents of a tensor program");
        Diagnostic::error(of.location(), message)
    };
    if !ir::is_ranked_tensor(ty) {
        return Err(wrong());
    }
    let tensor = RankedTensorType::try_from(ty).expect("it is a ranked tensor");
    let dims = 0..tensor.rank();
    let shape: Option<Vec<u64>> = dims
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => Some(extent),
            _ => None,
        })
        .collect();
    let (Some(shape), Some(dtype)) = (shape, types::dtype(tensor.element())) else {
        return Err(wrong());
    };
    Ok(TensorType {
        dtype,
        shape: shape.as_slice().into(),
    })
}

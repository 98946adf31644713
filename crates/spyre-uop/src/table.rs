//! The operations in one table: their names in files and in the dialect, their classes, sources and arguments.
//!
//! A row has the operation as a pattern, with a variable for each argument, so that one row builds an operation of
//! arguments, and takes the arguments of an operation. Readers and writers of files and of the dialect know kinds of
//! arguments only: they visit the arguments of a row, or of an operation, in their order.
//!
//! `Uop.td` is the other list of the operations of the dialect; a test of `spyre-uop-mlir` compares them.

use smallvec::{SmallVec, smallvec};

pub use crate::argument::{Argument, Field};
use crate::op::Domain::{self, All, Bits, Bool, Floats, Integers, Numbers, U64};
use crate::op::{CallKind, Collect, Elementwise as E, Marker, Op};

/// The class of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Elements that the program holds.
    Constant,
    /// A value from outside of the graph, or from a loop.
    Source,
    /// Moves the elements of one tensor, which its arguments place.
    Movement,
    /// Takes elements at positions, or of several tensors.
    Gather,
    /// Converts elements, or reads their bytes as another type.
    Conversion,
    /// Combines elements.
    Reduction,
    /// Computes each element independently, of such elements.
    Elementwise(Domain),
    /// Computes a truth value of each two elements.
    Comparison,
    /// An identity on data.
    Marker,
    /// Moves a value between devices.
    Device,
    /// A tuple of values, or an element of a tuple.
    Tuple,
    /// Computes a body.
    Call,
    /// Reads or writes buffers.
    Memory,
    /// Executes effects.
    Order,
}

/// The fewest and the most sources of an operation.
pub type Sources = (usize, usize);

const NONE: Sources = (0, 0);
const ONE: Sources = (1, 1);
const TWO: Sources = (2, 2);
const THREE: Sources = (3, 3);
const ANY: Sources = (0, usize::MAX);
const SOME: Sources = (1, usize::MAX);

/// The facts of an operation that its sources and the values of its arguments do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The name in files.
    pub name: &'static str,
    /// The name of the operation of the dialect; none of tuples, which are values there, and of calls, which are of
    /// another dialect.
    pub operation: Option<&'static str>,
    /// The class.
    pub class: Class,
    /// The sources.
    pub sources: Sources,
    /// The arguments that are no sources, in the order in which they are read.
    pub fields: &'static [Field],
}

macro_rules! row {
    ($name:literal, $($mnemonic:literal)?, $class:expr, $sources:expr, [$($field:ident),*]) => {
        Row {
            name: $name,
            operation: [$(Some(concat!("uop.", $mnemonic)),)? None][0],
            class: $class,
            sources: $sources,
            fields: &[$(Field::$field),*],
        }
    };
}

macro_rules! table {
    ($(
        $name:literal $(as $mnemonic:literal)?, $class:expr, $sources:expr,
        Op::$variant:ident $(($($inner:tt)*))? $({ $($named:ident),* })? $([$($argument:ident: $field:ident),*])?;
    )*) => {
        /// The rows, in the order of the classes.
        pub static TABLE: &[Row] = &[$(row!($name, $($mnemonic)?, $class, $sources, [$($($field),*)?])),*];

        impl Row {
            /// Builds the operation with the arguments that `read` returns for the fields of the row, in their order.
            ///
            /// # Errors
            /// The first error of `read`.
            ///
            /// # Panics
            /// `read` returns an argument for another field.
            pub fn op<Error>(
                &self,
                mut read: impl FnMut(Field) -> Result<Argument, Error>,
            ) -> Result<Op, Error> {
                Ok(match self.name {
                    $($name => {
                        $($(
                            let Argument::$field($argument) = read(Field::$field)? else {
                                panic!("no {:?} of {}", Field::$field, $name)
                            };
                        )*)?
                        Op::$variant $(($($inner)*))? $({ $($named),* })?
                    })*
                    name => unreachable!("{name} is in no row"),
                })
            }
        }

        impl Op {
            /// Returns the row of the operation.
            #[must_use]
            #[expect(unused_variables, reason = "the patterns of the rows name the arguments")]
            pub fn row(&self) -> &'static Row {
                match self {
                    $(Op::$variant $(($($inner)*))? $({ $($named),* })? =>
                        const { &row!($name, $($mnemonic)?, $class, $sources, [$($($field),*)?]) },)*
                }
            }

            /// Returns the arguments, in the order of the fields of the row.
            #[must_use]
            pub fn arguments(&self) -> SmallVec<[Argument; 4]> {
                match self {
                    $(Op::$variant $(($($inner)*))? $({ $($named),* })? =>
                        smallvec![$($(Argument::$field(Clone::clone($argument))),*)?],)*
                }
            }
        }
    };
}

table! {
    "Const" as "const", Class::Constant, NONE, Op::Const { value, dtype } [value: Value, dtype: ScalarType];
    "Binary" as "const", Class::Constant, NONE, Op::Binary(data) [data: Data];
    "Buffer" as "buffer", Class::Source, NONE,
        Op::Buffer { slot, ty, device, space } [slot: BufferSlot, ty: Type, device: Device, space: Space];
    "Param" as "variable", Class::Source, NONE,
        Op::Param { slot, ty, bounds } [slot: Slot, ty: Type, bounds: Bounds];
    "Range" as "range", Class::Source, NONE,
        Op::Range { bound, axis_id, axis_type } [bound: Bound, axis_id: AxisId, axis_type: AxisType];

    "Permute" as "permute", Class::Movement, ONE, Op::Permute(perm) [perm: Perm];
    "Flip" as "flip", Class::Movement, ONE, Op::Flip(flags) [flags: Flags];
    "Reshape" as "reshape", Class::Movement, ONE, Op::Reshape(shape) [shape: Shape];
    "Expand" as "expand", Class::Movement, ONE, Op::Expand(shape) [shape: Shape];
    "Pad" as "pad", Class::Movement, ONE, Op::Pad { offset, shape } [offset: Offset, shape: Shape];
    "Shrink" as "shrink", Class::Movement, ONE, Op::Shrink { offset, shape } [offset: Offset, shape: Shape];
    "Index" as "index", Class::Gather, SOME, Op::Index;
    "Stack" as "stack", Class::Gather, SOME, Op::Stack;
    "Bitcast" as "bitcast", Class::Conversion, ONE, Op::Bitcast(dtype) [dtype: BitcastType];
    "Cast" as "cast", Class::Conversion, ONE, Op::Cast(dtype) [dtype: CastType];
    "Reduce" as "reduce", Class::Reduction, SOME, Op::Reduce { combine, axes } [combine: Combine, axes: Axes];

    "Recip" as "recip", Class::Elementwise(Floats), ONE, Op::Elementwise(E::Recip);
    "Trunc" as "trunc", Class::Elementwise(Floats), ONE, Op::Elementwise(E::Trunc);
    "Neg" as "neg", Class::Elementwise(Numbers), ONE, Op::Elementwise(E::Neg);
    "Not" as "not", Class::Elementwise(Bool), ONE, Op::Elementwise(E::Not);
    "Exp2" as "exp2", Class::Elementwise(Floats), ONE, Op::Elementwise(E::Exp2);
    "Log2" as "log2", Class::Elementwise(Floats), ONE, Op::Elementwise(E::Log2);
    "Sin" as "sin", Class::Elementwise(Floats), ONE, Op::Elementwise(E::Sin);
    "Sqrt" as "sqrt", Class::Elementwise(Floats), ONE, Op::Elementwise(E::Sqrt);
    "Add" as "add", Class::Elementwise(All), TWO, Op::Elementwise(E::Add);
    "Mul" as "mul", Class::Elementwise(All), TWO, Op::Elementwise(E::Mul);
    "Max" as "max", Class::Elementwise(All), TWO, Op::Elementwise(E::Max);
    "Idiv" as "idiv", Class::Elementwise(Integers), TWO, Op::Elementwise(E::Idiv);
    "Mod" as "mod", Class::Elementwise(Integers), TWO, Op::Elementwise(E::Mod);
    "CDiv" as "cdiv", Class::Elementwise(Integers), TWO, Op::Elementwise(E::CDiv);
    "CMod" as "cmod", Class::Elementwise(Integers), TWO, Op::Elementwise(E::CMod);
    "Sub" as "sub", Class::Elementwise(Numbers), TWO, Op::Elementwise(E::Sub);
    "Div" as "div", Class::Elementwise(Floats), TWO, Op::Elementwise(E::Div);
    "Pow" as "pow", Class::Elementwise(Floats), TWO, Op::Elementwise(E::Pow);
    "CmpLt" as "cmplt", Class::Comparison, TWO, Op::Elementwise(E::CmpLt);
    "CmpNe" as "cmpne", Class::Comparison, TWO, Op::Elementwise(E::CmpNe);
    "CmpEq" as "cmpeq", Class::Comparison, TWO, Op::Elementwise(E::CmpEq);
    "CmpGt" as "cmpgt", Class::Comparison, TWO, Op::Elementwise(E::CmpGt);
    "CmpGe" as "cmpge", Class::Comparison, TWO, Op::Elementwise(E::CmpGe);
    "CmpLe" as "cmple", Class::Comparison, TWO, Op::Elementwise(E::CmpLe);
    "Xor" as "xor", Class::Elementwise(Bits), TWO, Op::Elementwise(E::Xor);
    "Or" as "or", Class::Elementwise(Bits), TWO, Op::Elementwise(E::Or);
    "And" as "and", Class::Elementwise(Bits), TWO, Op::Elementwise(E::And);
    "Shl" as "shl", Class::Elementwise(Integers), TWO, Op::Elementwise(E::Shl);
    "Shr" as "shr", Class::Elementwise(Integers), TWO, Op::Elementwise(E::Shr);
    "Threefry" as "threefry", Class::Elementwise(U64), TWO, Op::Elementwise(E::Threefry);
    "Where" as "where", Class::Elementwise(All), THREE, Op::Elementwise(E::Where);
    "Mulacc" as "mulacc", Class::Elementwise(All), THREE, Op::Elementwise(E::Mulacc);

    "Contiguous" as "contiguous", Class::Marker, ONE, Op::Marker(Marker::Contiguous);
    "ContiguousBackward" as "contiguous_backward", Class::Marker, ONE, Op::Marker(Marker::ContiguousBackward);
    "Detach" as "detach", Class::Marker, ONE, Op::Marker(Marker::Detach);
    "Copy" as "copy", Class::Device, ONE, Op::Copy(device) [device: Destination];
    "Replicated" as "replicated", Class::Device, ONE, Op::Replicated(axis) [axis: Axis];

    "Tuple", Class::Tuple, ANY, Op::Tuple;
    "GetTuple", Class::Tuple, ONE, Op::GetTuple(index) [index: Index];
    "Function", Class::Call, SOME, Op::Call(CallKind::Function);
    "Call", Class::Call, SOME, Op::Call(CallKind::Call);

    "Load" as "load", Class::Memory, (1, 3), Op::Load { device, space } [device: Device, space: NewSpace];
    "Store" as "store", Class::Memory, (2, 3), Op::Store;
    "After" as "after", Class::Memory, SOME, Op::After;
    "End" as "end", Class::Order, TWO, Op::End;
    "Group" as "group", Class::Order, ANY, Op::Collect(Collect::Group);
    "Sink" as "sink", Class::Order, ANY, Op::Collect(Collect::Sink);
    "Linear" as "linear", Class::Order, ANY, Op::Collect(Collect::Linear);
}

/// Operations of generated code, which programs do not have, by their names in files.
pub const OUT_OF_SCOPE: [&str; 11] = [
    "Barrier",
    "Special",
    "If",
    "Endif",
    "Wmma",
    "Custom",
    "CustomFunction",
    "AtomicAdd",
    "Ins",
    "Program",
    "Source",
];

impl Row {
    /// Returns the row of a name in files.
    #[must_use]
    pub fn of_name(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.name == name)
    }

    /// Returns the row of an operation of the dialect, such as `uop.add`. Every constant has the row of a scalar.
    #[must_use]
    pub fn of_operation(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.operation == Some(name))
    }

    /// Returns the elementwise operation; none of any other.
    #[must_use]
    pub fn elementwise(&self) -> Option<E> {
        match self.op(|_| Err(())) {
            Ok(Op::Elementwise(elementwise)) => Some(elementwise),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::dtype::DType;
    use crate::op::{AddressSpace, AxisType, Combine, TensorType};
    use crate::schema::{Datum, Device, Slot};
    use crate::shape::Shape;

    /// Returns some argument of a field.
    fn argument(field: Field) -> Argument {
        let device = || Device::One("d0".into());
        match field {
            Field::Type => Argument::Type(TensorType {
                dtype: DType::F32,
                shape: [2].into_iter().collect(),
            }),
            Field::ScalarType => Argument::ScalarType(DType::F32),
            Field::CastType => Argument::CastType(DType::F32),
            Field::BitcastType => Argument::BitcastType(DType::F32),
            Field::BufferSlot => Argument::BufferSlot(3),
            Field::Slot => Argument::Slot(Slot::Name("n".into())),
            Field::Bounds => Argument::Bounds(Some([1, 2])),
            Field::Value => Argument::Value(Datum::Natural(1)),
            Field::Data => Argument::Data([1, 2].into()),
            Field::Perm => Argument::Perm([1, 0].into_iter().collect()),
            Field::Flags => Argument::Flags([true].into_iter().collect()),
            Field::Shape => Argument::Shape([4].into_iter().collect()),
            Field::Offset => Argument::Offset(Shape::scalar()),
            Field::Combine => Argument::Combine(Combine::Max),
            Field::Axes => Argument::Axes([1].into_iter().collect()),
            Field::Device => Argument::Device(Some(device())),
            Field::Destination => Argument::Destination(device()),
            Field::Space => Argument::Space(AddressSpace::Local),
            Field::NewSpace => Argument::NewSpace(Some(AddressSpace::Local)),
            Field::Axis => Argument::Axis(1),
            Field::Index => Argument::Index(1),
            Field::Bound => Argument::Bound(4),
            Field::AxisId => Argument::AxisId(1),
            Field::AxisType => Argument::AxisType(AxisType::Loop),
        }
    }

    #[test]
    fn a_row_builds_an_operation_with_this_row() {
        for row in TABLE {
            let built = row.op(|field| Ok::<_, Infallible>(argument(field)));
            let op = built.unwrap_or_else(|err| match err {});
            assert_eq!(op.row(), row);
            assert_eq!(Row::of_name(row.name), Some(row), "names differ");
            let arguments: Vec<Argument> = row.fields.iter().copied().map(argument).collect();
            assert_eq!(op.arguments().to_vec(), arguments, "{}", row.name);
            assert_eq!(
                matches!(op, Op::Elementwise(_)),
                row.elementwise().is_some()
            );
        }
    }
}

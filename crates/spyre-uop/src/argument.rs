//! The arguments of operations that are no nodes: their types, and their names in files and in the dialect.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::op::{AddressSpace, Axes, AxisType, Combine, TensorType};
use crate::schema::{Datum, Device, Slot};
use crate::shape::Shape;

macro_rules! arguments {
    ($($(#[$doc:meta])* $field:ident($ty:ty) $(= $name:literal)? $(as $attribute:literal)?;)*) => {
        /// A field of an operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Field {
            $($(#[$doc])* $field,)*
        }

        /// A value of a field.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Argument {
            $($(#[$doc])* $field($ty),)*
        }

        impl Field {
            /// Returns the name of the argument in files; empty if it is no argument there, or several.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$field => concat!($($name)?),)*
                }
            }

            /// Returns the name of the attribute in the dialect; none if it is no attribute there, or several.
            #[must_use]
            pub fn attribute(self) -> Option<&'static str> {
                match self {
                    $(Self::$field => [$(Some($attribute),)? None][0],)*
                }
            }
        }
    };
}

arguments! {
    /// The type of the result.
    Type(TensorType);
    /// The element type of a scalar, which is the result.
    ScalarType(DType);
    /// The element type that a conversion has as a result.
    CastType(DType) = "dtype";
    /// The element type as which bytes are read.
    BitcastType(DType) = "dtype" as "dtype";
    /// The number of a buffer.
    BufferSlot(u32) = "slot" as "slot";
    /// The number of a parameter, or the name of a symbolic integer.
    Slot(Slot) = "slot" as "slot";
    /// The smallest and the largest value of a symbolic integer: `min` and `max`, in files and in the dialect.
    Bounds(Option<[i64; 2]>);
    /// A constant, which is not rounded.
    Value(Datum) = "value" as "value";
    /// Bytes.
    Data(Arc<[u8]>) = "data" as "value";
    /// The axis of the source for each axis of the result.
    Perm(Axes) = "perm" as "perm";
    /// Whether each axis is reversed.
    Flags(SmallVec<[bool; 4]>) = "axes" as "flags";
    /// The extents of the result, in elements.
    Shape(Shape) = "shape" as "shape";
    /// The offset of a tensor in a larger one, for each axis, in elements.
    Offset(Shape) = "offset" as "offset";
    /// The combination of two elements.
    Combine(Combine) = "op" as "kind";
    /// The axes of a reduction, ascending.
    Axes(Axes) = "axes" as "axes";
    /// The devices of a value, if the operation determines them.
    Device(Option<Device>) = "device" as "device";
    /// The devices that a value is copied to.
    Destination(Device) = "device" as "device";
    /// The kind of memory of a buffer.
    Space(AddressSpace) = "addrspace" as "space";
    /// The kind of memory of a new buffer, if the operation determines it.
    NewSpace(Option<AddressSpace>) = "addrspace" as "space";
    /// The axis that is no longer there.
    Axis(usize) = "axis" as "axis";
    /// The position in a tuple.
    Index(usize) = "index";
    /// The trip count of a loop.
    Bound(u64) = "bound" as "bound";
    /// The number of a loop.
    AxisId(u64) = "axis_id" as "axis";
    /// The purpose of a loop.
    AxisType(AxisType) = "axis_type" as "axis_type";
}

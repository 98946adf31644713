//! The attributes of the `inductor` dialect as Rust values.

use melior::Context;
use melior::ir::{AffineMap, Attribute, AttributeLike, Type};
use mlir_sys::{MlirAffineMap, MlirStringRef};

use crate::attr::text;
use crate::ffi;

/// The pass or operation that decides the layout of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutKind {
    /// None: the layout is final.
    Fixed,
    /// `--inductor-decide-layout`.
    Flexible,
    /// The concatenation that the buffer is a part of.
    NonOwning,
}

/// `#inductor.layout`: where the elements of a buffer are. All maps are expressions of the symbols of the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout<'c> {
    /// The pass or operation that decides the layout.
    pub kind: LayoutKind,
    /// The stride of each dimension, in elements.
    pub stride: AffineMap<'c>,
    /// The extent of each dimension, in elements, where one is symbolic.
    pub size: Option<AffineMap<'c>>,
    /// The place of the first element.
    pub offset: AffineMap<'c>,
    /// The offset of the buffer in the buffer that contains it.
    pub base_offset: AffineMap<'c>,
}

impl<'c> Layout<'c> {
    /// Reads an attribute; `None` for any other.
    #[must_use]
    pub fn read(attribute: Attribute<'c>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: a live attribute; the accessors match its kind, and the maps live as long as the context.
        unsafe {
            if !ffi::spyreInductorAttributeIsALayout(raw) {
                return None;
            }
            let size = ffi::spyreInductorLayoutGetSize(raw);
            Some(Self {
                kind: match ffi::spyreInductorLayoutGetKind(raw) {
                    0 => LayoutKind::Fixed,
                    1 => LayoutKind::Flexible,
                    _ => LayoutKind::NonOwning,
                },
                stride: AffineMap::from_raw(ffi::spyreInductorLayoutGetStride(raw)),
                size: (!size.ptr.is_null()).then(|| AffineMap::from_raw(size)),
                offset: AffineMap::from_raw(ffi::spyreInductorLayoutGetOffset(raw)),
                base_offset: AffineMap::from_raw(ffi::spyreInductorLayoutGetBaseOffset(raw)),
            })
        }
    }

    /// Builds the attribute; `None`, with a diagnostic, if it violates IN1 or IN2.
    #[must_use]
    pub fn attribute(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let none = MlirAffineMap {
            ptr: std::ptr::null(),
        };
        // SAFETY: the context and the maps are live; the null map represents absent sizes.
        unsafe {
            Attribute::from_option_raw(ffi::spyreInductorLayoutGet(
                context.to_raw(),
                self.kind as i32,
                self.stride.to_raw(),
                self.size.map_or(none, |size| size.to_raw()),
                self.offset.to_raw(),
                self.base_offset.to_raw(),
            ))
        }
    }
}

/// `#inductor.sym`: a symbolic size of a graph, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sym {
    /// The name in PyTorch.
    pub name: String,
    /// The size that the graph was traced with.
    pub hint: Option<i64>,
    /// The smallest size.
    pub min: Option<i64>,
    /// The largest size.
    pub max: Option<i64>,
}

impl Sym {
    /// Reads an attribute; `None` for any other.
    #[must_use]
    pub fn read(attribute: Attribute<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        let mut name = MlirStringRef {
            data: std::ptr::null(),
            length: 0,
        };
        let (mut hint, mut min, mut max) = (0, 0, 0);
        // SAFETY: a live attribute; the accessors match its kind, and write to live places.
        unsafe {
            ffi::spyreInductorSymGetName(raw, &raw mut name).then(|| Self {
                name: text(name),
                hint: ffi::spyreInductorSymGetHint(raw, &raw mut hint).then_some(hint),
                min: ffi::spyreInductorSymGetMin(raw, &raw mut min).then_some(min),
                max: ffi::spyreInductorSymGetMax(raw, &raw mut max).then_some(max),
            })
        }
    }

    /// Builds the attribute; `None`, with a diagnostic, if it violates IN3.
    #[must_use]
    pub fn attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let name = mlir_sys::MlirStringRef {
            data: self.name.as_ptr().cast(),
            length: self.name.len(),
        };
        // SAFETY: the context is live, and the name outlives the call, which copies it.
        unsafe {
            Attribute::from_option_raw(ffi::spyreInductorSymGet(
                context.to_raw(),
                name,
                self.hint.is_some(),
                self.hint.unwrap_or(0),
                self.min.is_some(),
                self.min.unwrap_or(0),
                self.max.is_some(),
                self.max.unwrap_or(0),
            ))
        }
    }
}

/// Builds `#inductor.operand`.
#[must_use]
pub fn operand_attribute(context: &Context, number: usize) -> Attribute<'_> {
    let number = i64::try_from(number).expect("operands are counted");
    // SAFETY: the context is live.
    unsafe { Attribute::from_raw(ffi::spyreInductorOperandGet(context.to_raw(), number)) }
}

/// Returns the number of an `#inductor.operand`; `None` for any other attribute.
#[must_use]
pub fn operand(attribute: Attribute<'_>) -> Option<usize> {
    let mut number = 0;
    // SAFETY: a live attribute, and a live place for the number.
    let is_operand =
        unsafe { ffi::spyreInductorOperandGetNumber(attribute.to_raw(), &raw mut number) };
    is_operand.then(|| usize::try_from(number).ok()).flatten()
}

/// Returns the type `!inductor.results`.
#[must_use]
pub fn results_type(context: &Context) -> Type<'_> {
    // SAFETY: the context is live.
    unsafe { Type::from_raw(ffi::spyreInductorResultsTypeGet(context.to_raw())) }
}

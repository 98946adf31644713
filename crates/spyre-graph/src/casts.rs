//! The table of casts between types of elements.

use spyre_mlir_rt::ir::Val;
use spyre_ods::{OpParts, spyre};

use crate::tensor::Element;

/// An operation that casts elements.
pub(crate) struct Cast {
    pub(crate) name: &'static str,
    pub(crate) from: &'static [Element],
    pub(crate) to: &'static [Element],
    pub(crate) build: for<'p> fn(Val<'p>) -> OpParts<'p>,
}

/// The 16-bit floats, which device memory has in one format.
pub(crate) const DL16: [Element; 2] = [Element::F16, Element::Bf16];
/// The 8-bit floats.
pub(crate) const F8: [Element; 2] = [Element::F8E4M3, Element::F8E5M2];

/// The casts. Quantizations to 8 bits are not among them: there is one for each side of a product.
pub(crate) static CASTS: [Cast; 6] = [
    // A copy of the bits leaves the low 32 of an integer. By way of `f32` it would lose all but 24.
    Cast {
        name: spyre::BITCAST,
        from: &[Element::I64],
        to: &[Element::I32],
        build: spyre::bitcast,
    },
    Cast {
        name: spyre::DL16TOFP32,
        from: &DL16,
        to: &[Element::F32],
        build: spyre::dl16tofp32,
    },
    Cast {
        name: spyre::FP32TODL16,
        from: &[Element::F32],
        to: &DL16,
        build: spyre::fp32todl16,
    },
    Cast {
        name: spyre::FP8TODL16,
        from: &F8,
        to: &DL16,
        build: spyre::fp8todl16,
    },
    Cast {
        name: spyre::FPTOSI,
        from: &[Element::F32],
        to: &[Element::I32],
        build: spyre::fptosi,
    },
    Cast {
        name: spyre::SITOFP,
        from: &[Element::I32, Element::I64],
        to: &[Element::F32],
        build: spyre::sitofp,
    },
];

/// Returns the operation that casts elements; `None` if none does.
pub(crate) fn cast_between(from: Element, to: Element) -> Option<&'static Cast> {
    CASTS
        .iter()
        .find(|cast| cast.from.contains(&from) && cast.to.contains(&to))
}

/// Returns the elements after each of the casts from one type to another: one cast, or two by way of `f32`. Empty for
/// the type itself, and `None` if no casts lead there.
///
/// `f32` has every 16-bit float. An integer of more than 24 bits is rounded to `f32` and then to 16 bits, as in
/// PyTorch; from an integer to an integer no cast goes by way of it.
pub(crate) fn cast_steps(from: Element, to: Element) -> Option<Vec<Element>> {
    if from == to {
        return Some(Vec::new());
    }
    if cast_between(from, to).is_some() {
        return Some(vec![to]);
    }
    let has_both =
        cast_between(from, Element::F32).is_some() && cast_between(Element::F32, to).is_some();
    has_both.then(|| vec![Element::F32, to])
}

/// Returns whether [`Graph::cast`](crate::Graph::cast) converts elements of one type to another type.
pub(crate) fn can_cast(from: Element, to: Element) -> bool {
    from != to && cast_steps(from, to).is_some()
}

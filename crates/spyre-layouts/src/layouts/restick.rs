//! Builds layouts: the default one with another dimension on the stick.

use std::rc::Rc;

use melior::ir::Type;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_layout::{
    Arrangement, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, LayoutError,
};

use super::analysis::Candidate;
use super::fit::OperandFit;

/// Returns the type of a shape with dimension `stick` on the stick, or with one element in each stick for `None`, otherwise laid
/// out by default (middle-end specification, section 2.2). `format` is the format in which the device stores the elements.
///
/// # Errors
/// The reason why there is no such layout.
pub(crate) fn default_with_stick<'p>(
    types: &TensorTypes<'p>,
    shape: &[u64],
    element: Type<'p>,
    format: DeviceFormat,
    stick: Option<usize>,
    arrangement: Arrangement,
) -> Result<Rc<TensorType<'p>>, String> {
    let order = DimOrder::for_shape(shape, stick).map_err(|err| err.to_string())?;
    let layout =
        Layout::default_for(&order, format.elements_per_stick()).map_err(|err| err.to_string())?;
    let layout = in_format(layout, element, format, arrangement)?;
    Ok(types.with_layout(shape, element, &layout)?)
}

/// Returns the type of a value with dimension `stick` on the stick instead, as [`default_with_stick`] does.
///
/// # Errors
/// The reason why there is no such layout.
pub(super) fn with_stick<'p>(
    types: &TensorTypes<'p>,
    ty: &TensorType<'p>,
    stick: Option<usize>,
    arrangement: Arrangement,
) -> Result<Rc<TensorType<'p>>, String> {
    let format = ty.device.format();
    default_with_stick(types, ty.shape(), ty.element, format, stick, arrangement)
}

/// Returns the layout with a format, which is written only where it does not follow from the element type.
///
/// # Errors
/// The layout cannot have the arrangement.
pub(super) fn in_format(
    layout: Layout,
    element: Type<'_>,
    format: DeviceFormat,
    arrangement: Arrangement,
) -> Result<Layout, String> {
    let layout = layout
        .with_arrangement(arrangement)
        .map_err(|err| err.to_string())?;
    match (
        spyre_dialects::attr::device_format(element) == Some(format),
        layout.format_override(),
    ) {
        (true, None) => Ok(layout),
        (true, Some(_)) => without_format(&layout).map_err(|err| err.to_string()),
        (false, _) => Ok(layout.with_format(format)),
    }
}

/// Returns a layout without an explicit format. A layout with the explicit format of its element type and a layout without a
/// format are different types, so a value would be copied from one to the other.
fn without_format(layout: &Layout) -> Result<Layout, LayoutError> {
    let mut plain = Layout::new(layout.rank(), layout.coords().to_vec())?;
    if let Some(size) = layout.explicit_device_size() {
        plain = plain.with_device_size(size.to_vec())?;
    }
    plain
        .with_arrangement(layout.arrangement())?
        .with_expanded(layout.expanded().to_vec())
}

/// The way in which a value is copied to another layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relayout {
    /// By a `spyre.copy`: the same dimension is on the stick, or one element is in each stick, on both sides.
    Copy,
    /// By a `spyre.restickify`: another dimension comes onto the stick.
    Restickify,
    /// Through an additional dimension: one element goes into each stick, where there were many.
    Spread,
    /// Through an additional dimension: elements come from separate sticks onto sticks that they share.
    Gather,
}

impl Relayout {
    /// Returns the way in which a tensor is copied to another layout of the same shape.
    ///
    /// # Errors
    /// The tensor cannot be copied: it is in another arrangement or format, or has too many dimensions for a spread or a gather, or
    /// the contract has no restickify of its format.
    pub(super) fn between(from: &Candidate<'_>, to: &Candidate<'_>) -> Result<Self, String> {
        let (have, want) = (&from.device, &to.device);
        for side in [have, want] {
            let arrangement = side.layout().arrangement();
            if arrangement != Arrangement::Standard {
                return Err(format!(
                    "has to change its layout, but spyre.restickify knows the standard arrangement only and not \
                     {arrangement}; a cast back restores the order"
                ));
            }
        }
        if have.format() != want.format() {
            return Err(format!(
                "is stored as {}, but has to be {}; spyre.restickify does not convert",
                have.format(),
                want.format()
            ));
        }
        let through_another = |relayout| match beside(have, None) {
            Ok(_) => Ok(relayout),
            Err(reason) => Err(format!(
                "needs a layout with one more dimension, which does not exist: {reason}"
            )),
        };
        let sticks = (full_stick(have), full_stick(want));
        if let (true, Some(reason)) = (sticks.0 != sticks.1, &from.keeps_stick) {
            return Err(format!(
                "has to change the dimension on its stick: {reason}; have the same dimension on the sticks of all operands, or \
                 compute in f16 or on the host"
            ));
        }
        match sticks {
            (from, to) if from == to => Ok(Self::Copy),
            (Some(_), Some(_)) => Ok(Self::Restickify),
            (Some(_), None) => through_another(Self::Spread),
            (None, _) => through_another(Self::Gather),
        }
    }

    /// Returns the number of device elements that are read in addition to the elements of the copied tensor.
    pub(super) fn extra(self, have: &DeviceTensor, want: &DeviceTensor) -> Elements {
        let elements = |tensor: &DeviceTensor| tensor.device_size().iter().product::<u64>();
        let stick = match self {
            Self::Copy | Self::Restickify => return Elements::ZERO,
            Self::Spread => have.layout().stick_dim(),
            Self::Gather => None,
        };
        let shape = [have.shape(), &[BESIDE]].concat();
        let repeated = beside(have, stick).map(|layout| layout.place(&shape, have.format()));
        let repeated =
            repeated.expect("what is spread or gathered has a layout of a dimension more");
        let repeated = repeated.expect("the layout is for that shape");
        Elements(elements(&repeated) + elements(want))
    }

    /// Checks that the copy is one `spyre.restickify`.
    ///
    /// # Errors
    /// It would have to spread a stick over several or gather several into one.
    pub(super) fn in_one_operation(
        self,
        have: &DeviceTensor,
        want: &DeviceTensor,
    ) -> Result<(), String> {
        match self {
            Self::Copy | Self::Restickify => Ok(()),
            Self::Spread => Err(format!(
                "has dimension {} on its stick, but must have one element in each stick; spyre.restickify can move \
                 another dimension there and not spread a stick over several",
                have.layout().stick_dim().expect("a stick is spread")
            )),
            Self::Gather => Err(format!(
                "has one element in each stick, but must have dimension {} on its stick; spyre.restickify can move \
                 another dimension there and not gather several sticks into one",
                want.layout()
                    .stick_dim()
                    .expect("sticks are gathered onto one")
            )),
        }
    }
}

/// Returns the dimension on the stick if it has several positions; `None` otherwise.
fn full_stick(tensor: &DeviceTensor) -> Option<usize> {
    let dim = tensor.layout().stick_dim();
    dim.filter(|dim| tensor.shape().get(*dim).is_some_and(|extent| *extent > 1))
}

/// The extent of the dimension that is added to change sticks: 2, the smallest extent of a dimension that can be on a stick.
pub(super) const BESIDE: u64 = 2;

/// Returns the layout of a tensor with one more, last dimension of [`BESIDE`] positions. It has dimension `stick` of the tensor
/// on its sticks, or the new one for `None`.
pub(super) fn beside(tensor: &DeviceTensor, stick: Option<usize>) -> Result<Layout, String> {
    let mut shape = tensor.shape().to_vec();
    let rank = shape.len();
    shape.push(BESIDE);
    let order = DimOrder::for_shape(&shape, Some(stick.unwrap_or(rank)));
    let order = order.map_err(|err| err.to_string())?;
    let layout = Layout::default_for(&order, tensor.format().elements_per_stick());
    layout.map_err(|err| err.to_string())
}

/// Returns the copy of a value to another layout, or the reason why it is impossible.
pub(super) fn copy_to<'p>(candidate: &Candidate<'p>, target: &Candidate<'p>) -> OperandFit<'p> {
    match Relayout::between(candidate, target) {
        Ok(_) => OperandFit::Restickify(Rc::clone(target)),
        Err(reason) => OperandFit::Never(reason),
    }
}

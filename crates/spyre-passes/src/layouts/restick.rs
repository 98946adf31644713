//! Making layouts: the default one with another dimension on the stick.

use std::rc::Rc;

use melior::ir::Type;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{
    Arrangement, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, LayoutError,
};

use super::analysis::Candidate;
use super::build::Fit;
use crate::tensor::{TensorType, TensorTypes};

/// The type of a shape with dimension `stick` on the stick, or with one element in each stick, otherwise laid
/// out by default (middle-end specification, section 2.2). `format` is what the device stores.
///
/// # Errors
/// Why there is no such layout.
pub fn default_with_stick<'p>(
    types: &TensorTypes<'p>,
    shape: &[u64],
    element: Type<'p>,
    format: DeviceFormat,
    stick: Option<usize>,
    arrangement: Arrangement,
) -> Result<Rc<TensorType<'p>>, String> {
    let order = DimOrder::for_shape(shape, stick).map_err(|why| why.to_string())?;
    let layout =
        Layout::default_for(&order, format.elements_per_stick()).map_err(|why| why.to_string())?;
    types.with_layout(
        shape,
        element,
        &in_format(layout, element, format, arrangement)?,
    )
}

/// The layout with a format, said only where it does not follow from the element type.
///
/// # Errors
/// The arrangement makes no sense for the layout.
pub fn in_format(
    layout: Layout,
    element: Type<'_>,
    format: DeviceFormat,
    arrangement: Arrangement,
) -> Result<Layout, String> {
    let layout = layout
        .with_arrangement(arrangement)
        .map_err(|why| why.to_string())?;
    match (
        spyre_dialects::attr::device_format(element) == Some(format),
        layout.format_override(),
    ) {
        (true, None) => Ok(layout),
        (true, Some(_)) => without_format(&layout).map_err(|why| why.to_string()),
        (false, _) => Ok(layout.with_format(format)),
    }
}

/// A layout that does not say its format. Two layouts of which only one says what follows from the element
/// type are different types, and a value would be copied from one to the other.
fn without_format(layout: &Layout) -> Result<Layout, LayoutError> {
    let mut plain = Layout::new(layout.rank(), layout.coords().to_vec())?;
    if let Some(size) = layout.explicit_device_size() {
        plain = plain.with_device_size(size.to_vec())?;
    }
    plain
        .with_arrangement(layout.arrangement())?
        .with_expanded(layout.expanded().to_vec())
}

/// How a value is copied to another layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relayout {
    /// By a `spyre.copy`: the same dimension is on the stick, or one element is in each stick, on both sides.
    Copy,
    /// By a `spyre.restickify`: another dimension comes onto the stick.
    Restickify,
    /// One element goes into each stick, where many were: through a dimension beside the others.
    Spread,
    /// Elements come from sticks of their own onto sticks that they share: through a dimension beside the others.
    Gather,
}

impl Relayout {
    /// How a tensor is copied to another layout of the same shape.
    ///
    /// # Errors
    /// It cannot be: it is in another arrangement or format, or has too many dimensions for a spread or a gather.
    pub fn between(have: &DeviceTensor, want: &DeviceTensor) -> Result<Self, String> {
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
            Err(why) => Err(format!(
                "would go through a layout of a dimension more, and there is none: {why}"
            )),
        };
        match (full_stick(have), full_stick(want)) {
            (from, to) if from == to => Ok(Self::Copy),
            (Some(_), Some(_)) => Ok(Self::Restickify),
            (Some(_), None) => through_another(Self::Spread),
            (None, _) => through_another(Self::Gather),
        }
    }

    /// Device elements that are read beside those of the tensor that is copied.
    pub fn extra(self, have: &DeviceTensor, want: &DeviceTensor) -> Elements {
        let elements = |tensor: &DeviceTensor| tensor.device_size().iter().product::<u64>();
        let own = match self {
            Self::Copy | Self::Restickify => return Elements::ZERO,
            Self::Spread => have.layout().stick_dim(),
            Self::Gather => None,
        };
        let shape = [have.shape(), &[BESIDE]].concat();
        let repeated = beside(have, own).map(|layout| layout.place(&shape, have.format()));
        let repeated =
            repeated.expect("what is spread or gathered has a layout of a dimension more");
        let repeated = repeated.expect("the layout is for that shape");
        Elements(elements(&repeated) + elements(want))
    }

    /// What one `spyre.restickify` does of it.
    ///
    /// # Errors
    /// It would have to spread a stick over several or gather several into one.
    pub fn in_one_operation(self, have: &DeviceTensor, want: &DeviceTensor) -> Result<(), String> {
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

/// The dimension on the stick, if it has several positions.
fn full_stick(tensor: &DeviceTensor) -> Option<usize> {
    let dim = tensor.layout().stick_dim();
    dim.filter(|dim| tensor.shape().get(*dim).is_some_and(|extent| *extent > 1))
}

/// How many positions the dimension has that is put beside the others to change sticks. Two are the fewest of a dimension
/// that can be on a stick.
pub const BESIDE: u64 = 2;

/// The layout of a tensor with a last dimension of [`BESIDE`] positions more, which has dimension `stick` of the tensor on
/// its sticks, or the new one.
pub fn beside(tensor: &DeviceTensor, stick: Option<usize>) -> Result<Layout, String> {
    let mut shape = tensor.shape().to_vec();
    let own = shape.len();
    shape.push(BESIDE);
    let order = DimOrder::for_shape(&shape, Some(stick.unwrap_or(own)));
    let order = order.map_err(|why| why.to_string())?;
    let layout = Layout::default_for(&order, tensor.format().elements_per_stick());
    layout.map_err(|why| why.to_string())
}

/// What it takes to copy a value to another layout.
pub fn copy_to<'p>(found: &Candidate<'p>, wanted: &Candidate<'p>) -> Fit<'p> {
    match Relayout::between(&found.device, &wanted.device) {
        Ok(_) => Fit::Restickify(Rc::clone(wanted)),
        Err(why) => Fit::Never(why),
    }
}

/// Whether an operation changes a layout.
#[must_use]
pub fn is_restickify(op: DeviceOp<'_>) -> bool {
    op.op_func() == "ReStickifyOpHBM"
}

/// A dimension that a change of layout brings onto the stick, in the tensor that has it elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// How much of it the operation runs over, in elements.
    pub extent: u64,
    /// The extent of the whole tensor, in elements.
    pub whole: u64,
    /// What the whole tensor has room for, in elements.
    pub held: u64,
    /// Elements per stick.
    pub per_stick: u64,
}

impl Rows {
    /// Whether a descriptor can say where they are. It runs over whole sticks of them, and has one number for a dimension,
    /// the gap, which is either how many elements of the last stick a whole tensor lacks or how many follow a window. Both at
    /// once have no descriptor, and a gap of less than a stick behind a window would be read as the former (SDSC bundle
    /// specification, sections 4.2 and 4.6).
    #[must_use]
    pub fn have_descriptor(self) -> bool {
        let Some(padded) = self.extent.checked_next_multiple_of(self.per_stick) else {
            return false;
        };
        if padded == self.extent {
            self.held.saturating_sub(self.extent) == 0 || self.held - self.extent >= self.per_stick
        } else {
            self.whole == self.extent && self.held < padded
        }
    }
}

//! Roles of the dimensions of a product, by the tensors that have them (K23).
//!
//! The card's compiler takes the roles from the three `layoutDimOrder_`, and refuses products with other roles. A dimension of
//! extent 1 counts like any other one.

use spyre_ops::contract::Category;

use super::super::super::reader::Reader;
use super::super::super::rules::PRODUCT_ROLES;
use super::super::descriptors::Descriptor;
use super::{Facts, listed};

/// The dimensions of a window, which only the weights of a convolution have.
const WINDOW_DIMS: [&str; 2] = ["ki", "kj"];

/// Dimensions by their roles.
#[derive(Default)]
struct Roles<'j> {
    /// In both inputs only.
    reduced: Vec<&'j str>,
    /// In the second input and the output.
    generated: Vec<&'j str>,
    /// In the first input and the output.
    preserved: Vec<&'j str>,
    /// In all three.
    without_reuse: Vec<&'j str>,
    /// In one tensor, or none.
    alone: Vec<&'j str>,
}

/// Returns the roles of the dimensions; `None` for an operation that has no three tensors.
fn roles<'j>(facts: &Facts<'_, 'j>) -> Option<Roles<'j>> {
    let [first, second, .., output] = facts.tensors else {
        return None;
    };
    let mut roles = Roles::default();
    for extent in facts.plan.extents {
        let dim = extent.dim;
        if facts.is(Category::Convolution) && WINDOW_DIMS.contains(&dim) {
            continue;
        }
        let members = [first, second, output].map(|tensor| tensor.layout.order.contains(&dim));
        let role = match members {
            [true, true, false] => &mut roles.reduced,
            [false, true, true] => &mut roles.generated,
            [true, false, true] => &mut roles.preserved,
            [true, true, true] => &mut roles.without_reuse,
            _ => &mut roles.alone,
        };
        role.push(dim);
    }
    Some(roles)
}

/// Returns the reduced and the generated dimension, if there is one of each.
pub(super) fn stick_dims<'j>(facts: &Facts<'_, 'j>) -> Option<(&'j str, &'j str)> {
    let roles = roles(facts)?;
    match (roles.reduced.as_slice(), roles.generated.as_slice()) {
        ([reduced], [generated]) => Some((reduced, generated)),
        _ => None,
    }
}

/// Checks the number of dimensions of each role. A convolution keeps the rows and columns of its image in addition to
/// the dimensions of a product.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let most = match facts.row.map(|row| row.category) {
        Some(Category::Product) => 2,
        Some(Category::Convolution) => 4,
        _ => return,
    };
    if facts.is(Category::Product) {
        for tensor in facts.tensors {
            whole(reader, facts, tensor);
        }
    }
    let Some(roles) = roles(facts) else {
        return;
    };
    let Roles {
        reduced,
        generated,
        preserved,
        without_reuse,
        alone,
    } = roles;
    for (what, dims, allowed) in [
        ("reduced dimensions (in both inputs)", reduced, 1..=1),
        (
            "generated dimensions (in input 2 and the output)",
            generated,
            1..=1,
        ),
        (
            "preserved dimensions (in input 1 and the output)",
            preserved,
            0..=most,
        ),
        (
            "dimensions without reuse (in all three tensors)",
            without_reuse,
            0..=2,
        ),
        ("dimensions in one tensor alone", alone, 0..=0),
    ] {
        if !allowed.contains(&dims.len()) {
            let (least, most) = (allowed.start(), allowed.end());
            let count = match least == most {
                true => least.to_string(),
                false => format!("{least} to {most}"),
            };
            let message = format!(
                "the {what} of '{}' are {}, and must be {count} in number; join dimensions, or add one of extent 1",
                facts.op,
                listed(dims)
            );
            reader.report(PRODUCT_ROLES, facts.offset, message);
        }
    }
}

/// Checks that a tensor of a product has all dimensions of its layout, from which their roles are taken.
fn whole(reader: &mut Reader, facts: &Facts<'_, '_>, tensor: &Descriptor<'_>) {
    let order = tensor.layout.order.iter();
    for dim in order.filter(|dim| !tensor.has(dim)) {
        let message = format!(
            "tensor {} of '{}' is repeated along '{dim}' (scale {}), and its layout gives '{dim}' the role of a dimension that the \
             tensor has; copy the tensor, or leave '{dim}' out of the layout",
            tensor.number,
            facts.op,
            tensor.scale(dim)
        );
        reader.report(PRODUCT_ROLES, tensor.scales_offset, message);
    }
}

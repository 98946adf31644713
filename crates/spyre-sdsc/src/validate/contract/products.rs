//! Matrix products.

use spyre_ops::OpClass;

use super::Planned;
use crate::codegen::Dim;

/// Checks the roles of the dimensions of a product, which the backend reads off the layouts: one that both inputs have and the
/// output lacks, one that only the second input and the output have, at most two that only the first input and the output
/// have, and at most two that all have (contract, K23).
pub(super) fn roles(planned: &Planned<'_>) -> Option<String> {
    if planned.class() != OpClass::Matmul {
        return None;
    }
    let [first, second, .., output] = planned.descriptor.tensors.as_slice() else {
        return None;
    };
    let having = |pattern: [bool; 3]| -> Vec<Dim> {
        let dims = planned.descriptor.dims.iter().map(|planned| planned.dim);
        let tensors = [first, second, output];
        let is = |dim: &Dim| tensors.map(|tensor| tensor.dim(*dim).is_some()) == pattern;
        dims.filter(is).collect()
    };
    let reduced = having([true, true, false]);
    let generated = having([false, true, true]);
    let preserved = having([true, false, true]);
    let shared = having([true, true, true]);
    let alone: Vec<Dim> = [
        [true, false, false],
        [false, true, false],
        [false, false, true],
    ]
    .into_iter()
    .flat_map(having)
    .collect();
    if let Some(dim) = alone.first() {
        return Some(format!(
            "only one tensor of the product has {dim}; leave it out, or give it to the output"
        ));
    }
    let limits = [
        (reduced, 1, 1, "both inputs have and the output lacks"),
        (generated, 1, 1, "only the second input and the output have"),
        (preserved, 0, 2, "only the first input and the output have"),
        (shared, 0, 2, "all tensors have"),
    ];
    limits.into_iter().find_map(|(dims, least, most, words)| {
        let count = dims.len();
        if (least..=most).contains(&count) {
            return None;
        }
        let names: Vec<String> = dims.iter().map(Dim::to_string).collect();
        let listed = match names.as_slice() {
            [] => String::new(),
            _ => format!(" ({})", names.join(", ")),
        };
        let allowed = match (least, most) {
            (1, 1) => "exactly 1 is possible".to_owned(),
            _ => format!("at most {most} are possible"),
        };
        Some(format!(
            "the product has {count} dimensions{listed} that {words}, {allowed}; collapse dimensions, or run the product \
             in a loop over them"
        ))
    })
}

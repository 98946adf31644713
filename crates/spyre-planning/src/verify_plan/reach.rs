//! How far apart in device memory the positions are that a core visits.

use spyre_layout::{Coord, DeviceTensor};

/// Returns the span in bytes of a part of `extents`, one for each dimension of a tensor, which starts at a whole digit: in the
/// outermost device dimension outside the stick with more than one position, the positions times the bytes from one to the next;
/// one element if there is none (middle-end specification, section 4.1).
pub(super) fn span(tensor: &DeviceTensor, extents: &[u64]) -> u64 {
    let element = tensor.format().bytes_per_element().get();
    let coords = tensor.layout().coords();
    let outside = coords.len() - tensor.layout().arrangement().stick_coords();
    for (at, coord) in coords.iter().take(outside).enumerate() {
        let Coord::Digit {
            dim,
            divisor,
            modulus,
        } = *coord
        else {
            continue; // One position.
        };
        // A tensor in device memory has no extent of 0.
        let last = (extents[dim] - 1) / divisor;
        let positions = modulus.map_or(last, |modulus| last.min(modulus - 1)) + 1;
        if positions > 1 {
            let inner: u64 = tensor.device_size()[at + 1..].iter().product();
            // A span that exceeds 64 bits exceeds every limit.
            return positions.saturating_mul(inner).saturating_mul(element);
        }
    }
    element
}

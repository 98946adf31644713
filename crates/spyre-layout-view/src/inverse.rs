//! The mapping from device memory to the host: the host coordinates of the element at an offset.

use spyre_layout::{Coord, DeviceTensor};

/// Returns the host coordinates of the element that is `offset` device elements after the start of the tensor; `None` where there
/// is padding, and past the end.
///
/// All positions of a repeated (expanded) coordinate lead back to the same element.
pub(crate) fn element_at(tensor: &DeviceTensor, offset: u64) -> Option<Vec<u64>> {
    let layout = tensor.layout();
    let mut point = vec![0u64; tensor.shape().len()];
    let outermost = tensor
        .device_size()
        .first()
        .zip(tensor.device_strides().first());
    let (size, stride) = outermost?;
    if offset / stride >= *size {
        return None;
    }
    let places = tensor.device_size().iter().zip(tensor.device_strides());
    for (at, (coord, (size, stride))) in layout.coords().iter().zip(places).enumerate() {
        let value = offset.checked_div(*stride)?.checked_rem(*size)?;
        match *coord {
            Coord::Zero if value == 0 || layout.expanded().contains(&at) => {}
            Coord::Zero => return None,
            Coord::Digit {
                modulus: Some(modulus),
                ..
            } if value >= modulus => return None,
            Coord::Digit { dim, divisor, .. } => {
                let position = point.get_mut(dim)?;
                *position = position.checked_add(value.checked_mul(divisor)?)?;
            }
        }
    }
    let inside = point
        .iter()
        .zip(tensor.shape())
        .all(|(position, extent)| position < extent);
    inside.then_some(point)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spyre_layout::{DeviceFormat, Elements, Layout};

    use super::super::samples;
    use super::*;

    #[test]
    fn padding_and_the_end_hold_nothing() {
        let format = DeviceFormat::Sen169Fp16;
        let layout = Layout::row_major_sticks(2, Elements(64)).expect("a layout");
        let tensor = layout.place(&[3, 70], format).expect("a tensor");
        assert_eq!(element_at(&tensor, 0), Some(vec![0, 0]));
        assert_eq!(element_at(&tensor, 64 + 5), Some(vec![0, 69]));
        assert_eq!(element_at(&tensor, 64 + 6), None);
        assert_eq!(element_at(&tensor, 128), Some(vec![1, 0]));
        assert_eq!(element_at(&tensor, 3 * 128), None);
        assert_eq!(element_at(&tensor, u64::MAX), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_is_the_inverse_of_the_address(subject in samples::small()) {
            let tensor = &subject.tensor;
            let each = tensor.format().bytes_per_element().get();
            let all = tensor.bytes().get() / each;
            let mut count = 0;
            for offset in 0..all {
                if let Some(point) = element_at(tensor, offset) {
                    count += 1;
                    let copies = subject.census().copies;
                    let address = tensor.device_offset(&point).expect("inside");
                    prop_assert!(copies > 1 || address == Elements(offset));
                }
            }
            let census = subject.census();
            prop_assert_eq!(count, census.data.get() * census.copies);
            prop_assert_eq!(all - count, census.padding.get());
        }
    }
}

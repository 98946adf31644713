//! Every small tensor in its default layout, in every order of its dimensions, dense and sparse.
//!
//! The format has 32 elements per stick. The dimension on the stick takes every extent up to 3 sticks
//! and 5 elements (rank 4: extents around whole sticks), all others take 1, 2 and 3.

use spyre_layout::{DeviceFormat, DimOrder, HostTensor, HostType, Layout, Transfer};

use crate::check::check;

const FORMAT: DeviceFormat = DeviceFormat::IeeeInt32;

fn permutations(rank: usize) -> Vec<Vec<i64>> {
    let Some(last) = rank.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let insert = |order: Vec<i64>| {
        (0..=last).map(move |at| {
            let mut order = order.clone();
            order.insert(at, i64::try_from(last).unwrap());
            order
        })
    };
    permutations(last).into_iter().flat_map(insert).collect()
}

/// Every shape in which dimension `stick` takes the given extents. Without a stick, all dimensions
/// take 1, 2 and 3.
fn shapes(rank: usize, stick: Option<usize>, extents: &[u64]) -> Vec<Vec<u64>> {
    let mut shapes = vec![Vec::new()];
    for dim in 0..rank {
        let extents = if stick == Some(dim) {
            extents
        } else {
            &[1, 2, 3]
        };
        shapes = shapes
            .iter()
            .flat_map(|shape| {
                extents
                    .iter()
                    .map(|&extent| [shape.as_slice(), &[extent]].concat())
            })
            .collect();
    }
    shapes
}

/// Checks every tensor of a rank and returns their number.
fn all_of_rank(rank: usize, extents: &[u64]) -> usize {
    let eps = FORMAT.elements_per_stick();
    let mut count = 0;
    for order in permutations(rank) {
        for sparse in [false, true] {
            let stick = order
                .last()
                .filter(|_| !sparse)
                .map(|&dim| usize::try_from(dim).unwrap());
            let marker: &[i64] = if sparse { &[-1] } else { &[] };
            let order = DimOrder::from_indices(&[order.as_slice(), marker].concat()).unwrap();
            let layout = Layout::default_for(&order, eps).unwrap();
            for shape in shapes(rank, stick, extents) {
                let host = HostTensor::contiguous(HostType::I32, shape.clone()).unwrap();
                let tensor = layout.place(&shape, FORMAT).unwrap();
                let mut next = 0u8;
                check(&host, &tensor, || {
                    next = next.wrapping_mul(5).wrapping_add(1);
                    next
                });
                // One level of tiles: 2^k nests for k ragged dimensions.
                let tiled = stick.map(|dim| shape[dim]);
                let ragged = tiled.is_some_and(|it| it > eps.get() && it % eps.get() != 0);
                let nests = Transfer::new(&host, &tensor).unwrap().nests().len();
                assert_eq!(nests, if ragged { 2 } else { 1 }, "{shape:?} in {order:?}");
                count += 1;
            }
        }
    }
    count
}

#[test]
fn ranks_up_to_three() {
    let extents: Vec<u64> = (1..=101).collect();
    assert_eq!(all_of_rank(0, &extents), 2);
    assert_eq!(all_of_rank(1, &extents), 101 + 3);
    assert_eq!(all_of_rank(2, &extents), 2 * (101 * 3 + 9));
    assert_eq!(all_of_rank(3, &extents), 6 * (101 * 9 + 27));
}

#[test]
fn rank_four() {
    let extents = [1, 2, 31, 32, 33, 63, 64, 67, 96, 97];
    assert_eq!(all_of_rank(4, &extents), 24 * (10 * 27 + 81));
}

//! Views, checked element by element against the addresses of the tensor viewed.

mod common;

use common::{contiguous, is_a_layout, points, small_tensor};
use proptest::prelude::*;
use spyre_layout::{
    Arrangement, Bytes, Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, View,
    ViewError, WindowError,
};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;
const EPS: Elements = Elements(64);

fn default(order: &[i64]) -> Layout {
    Layout::default_for(&DimOrder::from_indices(order).unwrap(), EPS).unwrap()
}

/// A view by definition: the address of each of its elements, row-major.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<u64>,
    addresses: Vec<u64>,
}

impl Model {
    fn from_tensor(tensor: &DeviceTensor) -> Self {
        let shape = tensor.shape().to_vec();
        let address = |point: Vec<u64>| tensor.address(&point).unwrap().get();
        let addresses = points(&shape).into_iter().map(address).collect();
        Self { shape, addresses }
    }

    /// The model of the given shape with this model's element at `source(point)` as its element at
    /// each point.
    fn gather(&self, shape: Vec<u64>, source: impl Fn(&[u64]) -> Vec<u64>) -> Self {
        let strides = contiguous(&self.shape);
        let addresses = points(&shape)
            .iter()
            .map(|point| {
                let point = source(point);
                let at: i64 = point
                    .iter()
                    .zip(&strides)
                    .map(|(&at, stride)| at as i64 * stride)
                    .sum();
                self.addresses[usize::try_from(at).unwrap()]
            })
            .collect();
        Self { shape, addresses }
    }

    fn permute(&self, permutation: &[usize]) -> Self {
        let shape = permutation.iter().map(|&dim| self.shape[dim]).collect();
        self.gather(shape, |point| {
            let mut source = vec![0; point.len()];
            for (&at, &dim) in point.iter().zip(permutation) {
                source[dim] = at;
            }
            source
        })
    }

    fn reshape(&self, shape: &[u64]) -> Self {
        Self {
            shape: shape.to_vec(),
            addresses: self.addresses.clone(),
        }
    }

    fn slice(&self, offsets: &[u64], sizes: &[u64], steps: &[u64]) -> Self {
        self.gather(sizes.to_vec(), |point| {
            (0..point.len())
                .map(|dim| offsets[dim] + point[dim] * steps[dim])
                .collect()
        })
    }

    fn broadcast(&self, dim: usize, extent: u64) -> Self {
        let mut shape = self.shape.clone();
        shape[dim] = extent;
        self.gather(shape, |point| {
            let mut source = point.to_vec();
            source[dim] = 0;
            source
        })
    }

    /// Whether a layout with sticks of the format of `tensor`, in its buffer, describes this.
    fn is_a_layout(&self, tensor: &DeviceTensor) -> bool {
        let each = tensor.format().bytes_per_element().get();
        let base = self.addresses[0];
        let Some(positions) = self
            .addresses
            .iter()
            .map(|&address| Some(address.checked_sub(base)? / each))
            .collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let total = tensor.bytes().get() / each;
        is_a_layout(
            &self.shape,
            &positions,
            total,
            tensor.format().elements_per_stick(),
        )
    }

    #[track_caller]
    fn check(&self, view: &View) {
        assert_eq!(view.shape(), self.shape);
        for (point, &address) in points(&self.shape).iter().zip(&self.addresses) {
            assert_eq!(
                view.address(point),
                Ok(Bytes(address)),
                "{point:?} of {}",
                view.layout()
            );
        }
    }
}

/// One random rearrangement; the numbers choose the kind and its arguments.
#[derive(Clone, Debug)]
struct Choice {
    kind: u8,
    numbers: Vec<u64>,
}

fn choices(kinds: std::ops::Range<u8>) -> impl Strategy<Value = Choice> {
    (kinds, prop::collection::vec(0u64..=10_000, 12))
        .prop_map(|(kind, numbers)| Choice { kind, numbers })
}

/// A permutation of `rank` dimensions.
fn permutation(rank: usize, numbers: &[u64]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rank).collect();
    (0..rank)
        .map(|nth| left.remove(numbers[nth % 12] as usize % left.len()))
        .collect()
}

/// Parts of each dimension, with the groups that list them.
fn parts(shape: &[u64], numbers: &[u64]) -> (Vec<Vec<usize>>, Vec<u64>) {
    let mut groups = Vec::new();
    let mut result = Vec::new();
    for (&extent, &number) in shape.iter().zip(numbers.iter().cycle()) {
        let divisors: Vec<u64> = (1..=extent).filter(|part| extent % part == 0).collect();
        let part = divisors[number as usize % divisors.len()];
        let extents = match number / 100 % 4 {
            0 => vec![extent],
            1 => vec![1, part, extent / part],
            _ => vec![part, extent / part],
        };
        groups.push((result.len()..result.len() + extents.len()).collect());
        result.extend(extents);
    }
    (groups, result)
}

/// Neighbouring dimensions taken as one.
fn groups(shape: &[u64], numbers: &[u64]) -> (Vec<Vec<usize>>, Vec<u64>) {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut result: Vec<u64> = Vec::new();
    for (dim, (&extent, number)) in shape.iter().zip(numbers.iter().cycle()).enumerate() {
        match groups.last_mut() {
            Some(group) if number % 3 != 0 => {
                group.push(dim);
                *result.last_mut().unwrap() *= extent;
            }
            _ => {
                groups.push(vec![dim]);
                result.push(extent);
            }
        }
    }
    (groups, result)
}

/// Returns the offsets, sizes and steps of a slice.
fn window(shape: &[u64], tensor: &DeviceTensor, numbers: &[u64]) -> [Vec<u64>; 3] {
    let mut offsets = Vec::new();
    let mut sizes = Vec::new();
    let mut steps = Vec::new();
    for (dim, &extent) in shape.iter().enumerate() {
        let stick = tensor.format().elements_per_stick().get();
        let (a, b, c) = (
            numbers[dim % 12],
            numbers[(dim + 4) % 12],
            numbers[(dim + 8) % 12],
        );
        let unit = if a % 2 == 0 { stick } else { 1 };
        let offset = a % extent / unit * unit;
        let step = [1, 1, 1, 2, 3, stick, 2 * stick][c as usize % 7];
        let most = (extent - offset).div_ceil(step);
        let size = if b % 2 == 0 { most } else { 1 + b % most };
        offsets.push(offset);
        sizes.push(size);
        steps.push(step);
    }
    [offsets, sizes, steps]
}

/// Applies a choice to the view and to the model. A refusal is right if no layout exists, and leaves
/// both as they were.
fn apply(choice: &Choice, tensor: &DeviceTensor, view: View, model: Model) -> (View, Model, bool) {
    let numbers = &choice.numbers;
    let shape = model.shape.clone();
    // Coordinates that repeat values are kept apart from padding.
    let repeats = view.repeated_dims().count() > 0 || !view.layout().expanded().is_empty();
    let (result, wanted) = match choice.kind {
        0 => {
            let permutation = permutation(shape.len(), numbers);
            (view.permute(&permutation), model.permute(&permutation))
        }
        1 => {
            let (groups, result) = parts(&shape, numbers);
            (view.expand_shape(&groups, &result), model.reshape(&result))
        }
        2 => {
            let (groups, result) = groups(&shape, numbers);
            (
                view.collapse_shape(&groups, &result),
                model.reshape(&result),
            )
        }
        3 => {
            let dims: Vec<usize> = (0..shape.len())
                .filter(|&dim| shape[dim] == 1 && numbers[dim % 12].is_multiple_of(2))
                .collect();
            let kept: Vec<u64> = (0..shape.len())
                .filter(|dim| !dims.contains(dim))
                .map(|dim| shape[dim])
                .collect();
            (view.drop_dims(&dims), model.reshape(&kept))
        }
        4 => {
            let Some(dim) = (0..shape.len()).find(|&dim| shape[dim] == 1) else {
                return (view, model, true);
            };
            let extent = 1 + numbers[0] % 4;
            (view.broadcast(dim, extent), model.broadcast(dim, extent))
        }
        _ => {
            let [offsets, sizes, steps] = window(&shape, tensor, numbers);
            let wanted = model.slice(&offsets, &sizes, &steps);
            let result = view.slice(&offsets, &sizes, &steps);
            let cuts = matches!(
                result,
                Err(ViewError::StartsInsideStick { .. }
                    | ViewError::Window(
                        WindowError::CutsSticks { .. } | WindowError::NotAffine { .. }
                    ))
            );
            // Steps that neither divide a block nor are whole blocks may hit a layout by chance.
            let stepped = steps.iter().any(|&step| step > 1);
            if cuts || (stepped && result.is_err()) {
                return (view, model, false);
            }
            (result, wanted)
        }
    };
    match result {
        Ok(view) => {
            wanted.check(&view);
            (view, wanted, true)
        }
        Err(error) => {
            assert!(
                repeats || !wanted.is_a_layout(tensor),
                "refused: {error}\n{} {:?} of {:?} to {:?}",
                view.layout(),
                view.device_size(),
                model.shape,
                wanted.shape
            );
            (view, model, false)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_view_has_the_addresses_of_its_elements_or_is_none(
        tensor in small_tensor(), choices in prop::collection::vec(choices(0..6), 1..=4),
    ) {
        let mut state = (tensor.view(), Model::from_tensor(&tensor), true);
        for choice in &choices {
            let (view, model, _) = state;
            state = apply(choice, &tensor, view, model);
        }
    }
}

#[test]
fn permuting_names_the_source_of_each_dimension() {
    let layout = default(&[0, 1, 2]);
    assert_eq!(
        layout.to_string(),
        "(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)"
    );
    // Dimension 0 of the result is dimension 2 of the source.
    let permuted = layout.permute(&[2, 0, 1]).unwrap();
    assert_eq!(
        permuted.to_string(),
        "(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)"
    );
    assert_eq!(permuted.stick_dim(), Some(0));
    // Back, and in two steps.
    assert_eq!(permuted.permute(&[1, 2, 0]).unwrap(), layout);
    let twice = layout
        .permute(&[1, 0, 2])
        .unwrap()
        .permute(&[2, 1, 0])
        .unwrap();
    assert_eq!(twice, layout.permute(&[2, 0, 1]).unwrap());
    for bad in [&[0, 1][..], &[0, 0, 1], &[0, 1, 3], &[0, 1, 2, 0]] {
        let error = layout.permute(bad).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{bad:?} is not a permutation of the 3 dimensions")
        );
    }
}

#[test]
fn permuting_keeps_padding_format_and_marks() {
    let coords = vec![
        Coord::Zero,
        Coord::floor_div(1, 64),
        Coord::dim(0),
        Coord::modulo(1, 64),
    ];
    let layout = Layout::new(2, coords)
        .unwrap()
        .with_device_size(vec![3, 8, 512, 64])
        .unwrap()
        .with_expanded(vec![0])
        .unwrap()
        .with_format(F16);
    let permuted = layout.permute(&[1, 0]).unwrap();
    assert_eq!(permuted.explicit_device_size(), Some(&[3, 8, 512, 64][..]));
    assert_eq!(
        (permuted.expanded(), permuted.format_override()),
        (&[0][..], Some(F16))
    );
    assert_eq!(
        permuted.to_string(),
        "(d0, d1) -> (0, d0 floordiv 64, d1, d0 mod 64)"
    );
}

#[test]
fn heads_are_split_off_and_put_back() {
    // [tokens, heads * 128] to [tokens, heads, 128].
    let layout = default(&[0, 1]);
    let split = layout
        .expand_shape(&[512, 4096], &[vec![0], vec![1, 2]], &[512, 32, 128], EPS)
        .unwrap();
    assert_eq!(
        split.to_string(),
        "(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)"
    );
    assert_eq!(
        split.device_size(&[512, 32, 128], EPS).unwrap(),
        [32, 2, 512, 64]
    );
    assert_eq!(split.explicit_device_size(), None);
    let back = split
        .collapse_shape(&[512, 32, 128], &[vec![0], vec![1, 2]], &[512, 4096], EPS)
        .unwrap();
    assert_eq!(back, layout);
}

#[test]
fn digits_stay_apart_where_memory_is_not_even() {
    // Section 2.4: the default layout of [2, 256, 4096] with the first two dimensions as one.
    let layout = default(&[0, 1, 2])
        .collapse_shape(&[2, 256, 4096], &[vec![0, 1], vec![2]], &[512, 4096], EPS)
        .unwrap();
    assert_eq!(
        layout.to_string(),
        "(d0, d1) -> (d0 mod 256, d1 floordiv 64, d0 floordiv 256, d1 mod 64)"
    );
    assert_eq!(
        layout.device_size(&[512, 4096], EPS).unwrap(),
        [256, 64, 2, 64]
    );
    assert_eq!(
        layout.stride_map(&[512, 4096], &[4096, 1]).unwrap(),
        [4096, 64, 1_048_576, 1]
    );
}

#[test]
fn a_ragged_stick_cannot_be_collapsed() {
    let layout = default(&[0, 1]);
    let error = layout
        .collapse_shape(&[4, 100], &[vec![0, 1]], &[400], EPS)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the layout cuts d1 into blocks of 64 elements, but d1 ends after 100 elements, inside a \
         block (remainder 36): the dimensions before it cannot be collapsed with it"
    );
    // A stick that is not full is one block, of 32.
    let layout = layout
        .collapse_shape(&[4, 32], &[vec![0, 1]], &[128], EPS)
        .unwrap();
    assert_eq!(layout.to_string(), "(d0) -> (0, d0 floordiv 32, d0 mod 32)");
    assert_eq!(layout.explicit_device_size(), Some(&[1, 4, 64][..]));
    // The first dimension on the stick.
    let error = default(&[1, 0])
        .collapse_shape(&[128, 4], &[vec![0, 1]], &[512], EPS)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the view has no layout: device coordinate 2 lies inside the stick but is a digit of d0 with \
         divisor 4; a stick holds consecutive positions"
    );
}

#[test]
fn cuts_that_no_layout_has() {
    let layout = default(&[0, 1]);
    let expand = |shape: &[u64], result: &[u64]| {
        layout
            .expand_shape(shape, &[vec![0], vec![1, 2]], result, EPS)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        expand(&[4, 64], &[4, 2, 32]),
        "the view cuts d1 every 32 elements, inside the stick of 64 elements: a stick holds one \
         dimension"
    );
    assert_eq!(
        expand(&[4, 192], &[4, 2, 96]),
        "the layout breaks d1 every 64 elements, and the view every 96 elements: neither is a whole \
         number of the other"
    );
    // Five rows of padding after 4, in pairs.
    let padded = default(&[0, 1]).with_device_size(vec![1, 5, 64]).unwrap();
    let error = padded
        .expand_shape(&[4, 64], &[vec![0, 1], vec![2]], &[2, 2, 64], EPS)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "device coordinate 1 of size 5 cannot be split in parts of 2: its padding is not a whole \
         number of them"
    );
    let padded = default(&[0, 1]).with_device_size(vec![1, 6, 64]).unwrap();
    let split = padded
        .expand_shape(&[4, 64], &[vec![0, 1], vec![2]], &[2, 2, 64], EPS)
        .unwrap();
    assert_eq!(split.explicit_device_size(), Some(&[1, 3, 2, 64][..]));
}

#[test]
fn a_stick_stays_a_stick() {
    let split = default(&[0])
        .expand_shape(&[128], &[vec![0, 1]], &[2, 64], EPS)
        .unwrap();
    assert_eq!(split.to_string(), "(d0, d1) -> (d0, d1 mod 64)");
    let layout = default(&[0, 1]);
    let split = layout
        .expand_shape(&[4, 40], &[vec![0], vec![1, 2]], &[4, 1, 40], EPS)
        .unwrap();
    assert_eq!(
        split.to_string(),
        "(d0, d1, d2) -> (d2 floordiv 64, d0, d2 mod 64)"
    );
}

#[test]
fn padding_outside_helps_to_split_unless_it_repeats_values() {
    let coords = vec![Coord::Zero, Coord::dim(0), Coord::modulo(1, 64)];
    let padded = Layout::new(2, coords)
        .unwrap()
        .with_device_size(vec![2, 5, 64])
        .unwrap();
    let split =
        |layout: &Layout| layout.expand_shape(&[4, 64], &[vec![0, 1], vec![2]], &[2, 2, 64], EPS);
    let split_layout = split(&padded).unwrap();
    assert_eq!(split_layout.explicit_device_size(), Some(&[5, 2, 64][..]));
    let repeating = padded.with_expanded(vec![0]).unwrap();
    let expected = ViewError::SplitsPadding {
        coord: 1,
        size: 5,
        part: 2,
    };
    assert_eq!(split(&repeating).unwrap_err(), expected);
}

#[test]
fn dimensions_of_extent_one_come_and_go() {
    let layout = default(&[0, 1]);
    let groups = [vec![0, 1], vec![2, 3, 4]];
    let ones = layout
        .expand_shape(&[8, 40], &groups, &[1, 8, 1, 40, 1], EPS)
        .unwrap();
    assert_eq!(
        ones.to_string(),
        "(d0, d1, d2, d3, d4) -> (d3 floordiv 64, d1, d3 mod 64)"
    );
    assert_eq!(
        ones.collapse_shape(&[1, 8, 1, 40, 1], &groups, &[8, 40], EPS)
            .unwrap(),
        layout
    );
    assert_eq!(
        ones.drop_dims(&[1, 8, 1, 40, 1], &[0, 4, 2], EPS).unwrap(),
        layout
    );
    // All of them, to rank 0 and back.
    let scalar = layout.collapse_shape(&[1, 1], &[], &[], EPS).unwrap();
    assert_eq!(scalar.to_string(), "() -> (0, 0, 0)");
    let back = scalar.expand_shape(&[], &[], &[1, 1], EPS).unwrap();
    assert_eq!(back.same_placement(&layout, &[1, 1], F16), Ok(true));
    // A stick of extent 1 keeps its dimension while there is one.
    let column = layout
        .expand_shape(&[8, 1], &[vec![0], vec![1, 2]], &[8, 1, 1], EPS)
        .unwrap();
    assert_eq!(column.stick_dim(), Some(2));
    assert_eq!(
        layout.drop_dims(&[8, 1], &[1], EPS).unwrap().to_string(),
        "(d0) -> (0, d0, 0)"
    );
}

#[test]
fn shapes_and_groups_have_to_match() {
    let layout = default(&[0, 1]);
    for (groups, result, message) in [
        (
            vec![vec![0], vec![1, 2]],
            vec![4, 5, 10],
            "extent 64 of d1 is not the product of the extents [5, 10]",
        ),
        (
            vec![vec![0], vec![2, 1]],
            vec![4, 8, 8],
            "the reassociation [[0], [2, 1]] does not list dimensions 0 to 3 (exclusive) in order",
        ),
        (
            vec![vec![0, 1, 2]],
            vec![4, 8, 8],
            "the reassociation has 1 groups for 2 dimensions",
        ),
        (
            vec![vec![0], vec![1, 2]],
            vec![4, u64::MAX, 2],
            "the extents [18446744073709551615, 2] have more than 2^64 - 1 positions",
        ),
    ] {
        let error = layout
            .expand_shape(&[4, 64], &groups, &result, EPS)
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let error = layout
        .collapse_shape(&[4, 64, 2], &[vec![0, 1, 2]], &[512], EPS)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the layout is for rank 2, the shape has 3 entries"
    );
    assert!(layout.drop_dims(&[4, 64], &[2], EPS).is_err());
}

#[test]
fn windows_keep_the_layout_of_the_buffer() {
    let tensor = default(&[0, 1]).place(&[1024, 4096], F16).unwrap();
    let window = tensor.slice(&[512, 1024], &[512, 1024], &[1, 1]).unwrap();
    assert_eq!(window.offset(), Bytes(65536 + 2_097_152));
    assert_eq!(window.device_size(), [64, 1024, 64]);
    assert_eq!(window.layout().coords(), tensor.layout().coords());
    assert_eq!(
        window.layout().explicit_device_size(),
        Some(&[64, 1024, 64][..])
    );
    // A window of a window, transposed.
    let inner = window
        .permute(&[1, 0])
        .unwrap()
        .slice(&[64, 1], &[64, 2], &[1, 1])
        .unwrap();
    assert_eq!(inner.offset(), Bytes(65536 + 2_097_152 + 1024 * 128 + 128));
    assert_eq!(
        inner.address(&[63, 1]).unwrap(),
        tensor.address(&[514, 1024 + 127]).unwrap()
    );
}

#[test]
fn slices_of_the_stick_are_whole_sticks() {
    let tensor = default(&[0, 1]).place(&[8, 200], F16).unwrap();
    let slice = |offset, size| tensor.slice(&[0, offset], &[8, size], &[1, 1]);
    for (offset, size) in [
        (0, 64),
        (64, 128),
        (64, 136),
        (192, 8),
        (64, 10),
        (64, 100),
        (192, 5),
    ] {
        assert_eq!(
            slice(offset, size).unwrap().offset(),
            Bytes(offset / 64 * 8 * 128)
        );
    }
    assert_eq!(
        slice(100, 64).unwrap_err().to_string(),
        "the view starts 100 elements into d1, inside a stick of 64 elements (remainder 36)"
    );
    assert!(matches!(
        slice(192, 9),
        Err(ViewError::Window(WindowError::Outside {
            dim: 1,
            offset: 192,
            extent: 9,
            shape: 200
        }))
    ));
    assert!(matches!(
        slice(0, 0),
        Err(ViewError::Window(WindowError::Empty { dim: 1 }))
    ));
    assert!(slice(u64::MAX, u64::MAX).is_err());
    assert!(tensor.slice(&[0], &[8, 64], &[1, 1]).is_err());
    // One column is one element of each stick, if it is the first one.
    let column = tensor.view().select(1, 64).unwrap();
    assert_eq!(column.layout().to_string(), "(d0) -> (0, d0, 0)");
    assert_eq!(column.address(&[7]), tensor.address(&[7, 64]));
    assert!(tensor.view().select(1, 65).is_err());
    let row = tensor.view().select(0, 5).unwrap();
    assert_eq!((row.shape(), row.offset()), (&[200][..], Bytes(5 * 128)));
}

#[test]
fn steps_are_whole_blocks() {
    let tensor = default(&[0, 1]).place(&[8, 256], F16).unwrap();
    let every = |steps: &[u64]| {
        let sizes: Vec<u64> = tensor
            .shape()
            .iter()
            .zip(steps)
            .map(|(extent, step)| extent.div_ceil(*step))
            .collect();
        tensor.slice(&[0, 0], &sizes, steps)
    };
    let rows = every(&[4, 1]).unwrap();
    assert_eq!(
        rows.layout().to_string(),
        "(d0, d1) -> (d1 floordiv 64, d0, 0, d1 mod 64)"
    );
    assert_eq!(rows.device_size(), [4, 2, 4, 64]);
    // Every stick, every second stick.
    let sticks = every(&[1, 64]).unwrap();
    assert_eq!(sticks.layout().to_string(), "(d0, d1) -> (d1, d0, 0)");
    let sticks = every(&[1, 128]).unwrap();
    assert_eq!(sticks.layout().to_string(), "(d0, d1) -> (d1, 0, d0, 0)");
    assert_eq!(
        every(&[1, 32]).unwrap_err().to_string(),
        "the view cuts d1 every 32 elements, inside the stick of 64 elements: a stick holds one \
         dimension"
    );
    assert_eq!(
        every(&[3, 1]).unwrap_err().to_string(),
        "device coordinate 1 of size 8 cannot be split in parts of 3: its padding is not a whole \
         number of them"
    );
    let error = tensor.slice(&[0, 0], &[8, 256], &[0, 1]).unwrap_err();
    assert_eq!(error.to_string(), "the slice has step 0 along d0");
}

#[test]
fn broadcast_dimensions_repeat_one_position() {
    let tensor = default(&[0, 1]).place(&[1, 128], F16).unwrap();
    let view = tensor.view().broadcast(0, 8).unwrap();
    assert_eq!(view.shape(), [8, 128]);
    assert_eq!(
        view.layout().to_string(),
        "(d0, d1) -> (d1 floordiv 64, 0, d1 mod 64)"
    );
    assert_eq!(view.layout().expanded(), [1]);
    assert_eq!(
        view.layout().stride_map(&[1, 128], &[0, 1]).unwrap(),
        [64, 0, 1]
    );
    assert_eq!(view.repeated_dims().collect::<Vec<_>>(), [0]);
    assert_eq!(view.address(&[7, 100]), tensor.address(&[0, 100]));
    assert!(view.address(&[8, 0]).is_err());
    // It can be cut and sliced, but not be taken as one with others.
    let cut = view
        .expand_shape(&[vec![0, 1], vec![2]], &[2, 4, 128])
        .unwrap();
    assert_eq!(cut.repeated_dims().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(
        cut.collapse_shape(&[vec![0, 1], vec![2]], &[8, 128])
            .unwrap(),
        view
    );
    assert_eq!(
        view.collapse_shape(&[vec![0, 1]], &[1024])
            .unwrap_err()
            .to_string(),
        "d0 repeats the same elements 8 times; it cannot be collapsed with another dimension"
    );
    let part = view.slice(&[6, 64], &[2, 64], &[1, 1]).unwrap();
    assert_eq!((part.shape(), part.offset()), (&[2, 64][..], Bytes(128)));
    assert_eq!(
        view.broadcast(1, 2).unwrap_err().to_string(),
        "d1 has extent 128; only a dimension of extent 1 can be broadcast"
    );
    assert!(view.drop_dims(&[0]).is_err());
    assert!(tensor.view().broadcast(0, 0).is_err());
    assert!(tensor.view().broadcast(2, 3).is_err());
    // As a separate layout it would give elements the same address.
    assert!(view.layout().place(&[8, 128], F16).is_err());
}

#[test]
fn sticks_that_are_half_full_are_whole() {
    // 4 rows of 32 in a stick each, as one dimension.
    let tensor = default(&[0, 1]).place(&[4, 32], F16).unwrap();
    let view = tensor.view().collapse_shape(&[vec![0, 1]], &[128]).unwrap();
    let part = view.slice(&[32], &[64], &[1]).unwrap();
    assert_eq!(part.offset(), Bytes(128));
    assert_eq!(part.address(&[63]), tensor.address(&[2, 31]));
    assert_eq!(
        view.slice(&[16], &[16], &[1]).unwrap_err().to_string(),
        "the view starts 16 elements into d0, inside a stick of 32 elements (remainder 16)"
    );
}

#[test]
fn the_stick_of_quantized_weights_stays_whole() {
    // Two device coordinates make the stick.
    let coords = vec![
        Coord::floor_div(2, 32),
        Coord::floor_div(1, 4),
        Coord::dim(0),
        Coord::modulo(2, 32),
        Coord::modulo(1, 4),
    ];
    let layout = Layout::new(3, coords)
        .unwrap()
        .with_arrangement(Arrangement::Qfp8Wt)
        .unwrap();
    let eps = Elements(128);
    let expand = |parts: &[u64]| {
        let result = [&[8][..], parts, &[64]].concat();
        layout.expand_shape(&[8, 16, 64], &[vec![0], vec![1, 2], vec![3]], &result, eps)
    };
    let split = expand(&[2, 8]).unwrap();
    assert_eq!(split.arrangement(), Arrangement::Qfp8Wt);
    assert_eq!(
        split.to_string(),
        "(d0, d1, d2, d3) -> (d3 floordiv 32, d1, d2 floordiv 4, d0, d3 mod 32, d2 mod 4)"
    );
    assert_eq!(
        split.device_size(&[8, 2, 8, 64], eps).unwrap(),
        [2, 2, 2, 8, 32, 4]
    );
    assert!(matches!(
        expand(&[8, 2]),
        Err(ViewError::SplitsStick { dim: 1, .. })
    ));
    let permuted = layout.permute(&[1, 2, 0]).unwrap();
    assert_eq!(
        permuted.device_size(&[16, 64, 8], eps).unwrap(),
        [2, 4, 8, 32, 4]
    );
}

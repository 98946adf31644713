//! Views, checked element by element against the addresses of the tensor viewed.

mod common;

use common::{contiguous, is_a_layout, points, small_tensor};
use proptest::prelude::*;
use spyre_layout::{
    Bytes, Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, View, ViewError,
    WindowError,
};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;
const EPS: Elements = Elements(64);

fn default(order: &[i64]) -> Layout {
    Layout::default_for(&DimOrder::from_indices(order).unwrap(), EPS).unwrap()
}

/// What a view is by definition: the address of each of its elements, row-major.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<u64>,
    addresses: Vec<u64>,
}

impl Model {
    fn of(tensor: &DeviceTensor) -> Self {
        let shape = tensor.shape().to_vec();
        let address = |point: Vec<u64>| tensor.address(&point).unwrap().get();
        let addresses = points(&shape).into_iter().map(address).collect();
        Self { shape, addresses }
    }

    /// The model of the given shape whose element at each point is this one's at `source(point)`.
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

/// One random rearrangement; the numbers choose what.
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

/// Applies a choice to the view and to the model. A refusal is right if no layout exists, and leaves
/// both as they were.
fn apply(choice: &Choice, tensor: &DeviceTensor, view: View, model: Model) -> (View, Model, bool) {
    let numbers = &choice.numbers;
    let shape = model.shape.clone();
    let repeats = view.repeated_dims().count() > 0;
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
            let unit: Vec<usize> = (0..shape.len()).filter(|&dim| shape[dim] == 1).collect();
            let dims: Vec<usize> = unit
                .into_iter()
                .filter(|&dim| numbers[dim % 12] % 2 == 0)
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
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60_000, ..ProptestConfig::default() })]

    #[test]
    fn a_view_has_the_addresses_of_its_elements_or_is_none(
        tensor in small_tensor(), choices in prop::collection::vec(choices(0..6), 1..=4),
    ) {
        let mut state = (tensor.view(), Model::of(&tensor), true);
        for choice in &choices {
            let (view, model, _) = state;
            state = apply(choice, &tensor, view, model);
        }
    }
}

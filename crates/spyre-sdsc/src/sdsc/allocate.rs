//! A planned tensor to its allocation node (SDSC bundle specification, section 5).

use super::address::{FoldIndex, StartAddress};
use super::build::{Addresses, Builder, component, names, node_name, object};
use super::folds::{Fold, FoldAttr, FoldFn, FoldMap};
use super::schedule::{Allocate, CoordInfo, Coordinates};
use super::{Named, Text, WorkSlices};
use crate::codegen::{
    Dim, FP8_BLOCK, FP8_PAIR, Layout, Packing, PlannedTensor, Role, Scale, TensorDim,
    slices_of_cores,
};
use crate::model::Allocation;
use crate::ordered::Object;

/// The name of the fold of element arrays number `number`, innermost 0 (SDSC bundle specification, section 5, `CI`).
fn elements_label(number: usize) -> Text {
    const LABELS: [&str; 4] = ["elem_arr_0", "elem_arr_1", "elem_arr_2", "elem_arr_3"];
    let label = LABELS.get(number).copied().map(Text::from);
    label.unwrap_or_else(|| format!("elem_arr_{number}").into())
}

impl Builder<'_> {
    /// The allocation of operand `index` (SDSC bundle specification, section 5, allocate node).
    pub(super) fn allocate(&self, index: usize, tensor: &PlannedTensor) -> Allocate {
        Allocate {
            node_type: "allocate".into(),
            name: node_name(index, tensor.allocation),
            prev: "".into(),
            lds_idx: index,
            component: component(tensor.allocation).into(),
            leading_padding: self.leading_padding(index),
            is_start_addr_symbolic: (matches!(self.addresses, Addresses::Symbols { .. })
                && !tensor.allocation.is_lx())
            .then_some(1),
            non_unified_alloc_in_hbm: tensor.separate_parts,
            layout_dim_order: names(self.shown(tensor).map(|d| d.dim)),
            max_dim_sizes: self.max_dim_sizes(tensor),
            indirect_alloc_type: match tensor.role {
                Role::Plain => "no_indirection",
                Role::Index { .. } => "index_tensor",
                Role::Value { .. } => "value_tensor",
            }
            .into(),
            related_indirect_access_alloc: match tensor.role {
                Role::Plain => None,
                Role::Index { value: other } | Role::Value { index: other } => {
                    let related = &self.descriptor.tensors[other];
                    Some(node_name(other, related.allocation))
                }
            },
            index_tensor_type: tensor.is_index().then(|| "index".into()),
            start_address: Fold {
                dim_prop_func: vec![FoldFn::Map {}, FoldFn::Const {}, FoldFn::Const {}],
                dim_prop_attr: self.core_folds(),
                data: self.start_addresses(index, tensor),
            },
            padding: self.trailing_padding(index),
            back_gap: self.back_gaps(tensor),
            coordinates: Coordinates {
                coord_info: self.coordinates(index, tensor),
                core_id_to_wk_slice: self.owned_slices(tensor),
            },
        }
    }

    /// 1 for gathered dimensions, otherwise -1 (SDSC bundle specification, sections 4.4 and 5).
    fn max_dim_sizes(&self, tensor: &PlannedTensor) -> Vec<i64> {
        let max = |d: &TensorDim| if d.gathered { 1 } else { -1 };
        if self.revision.orders_max_sizes_by_tensor() {
            return self.shown(tensor).map(max).collect();
        }
        let (_, dims) = self.in_layout_order(tensor);
        dims.into_iter().map(max).collect()
    }

    /// The folds of a table by core (SDSC bundle specification, section 5, allocate node).
    pub(super) fn core_folds(&self) -> Vec<FoldAttr> {
        vec![
            FoldAttr::new(self.cores.into(), "core"),
            FoldAttr::new(1, "corelet"),
            FoldAttr::new(1, "time"),
        ]
    }

    /// The start of every core, as an identifier or a number (SDSC bundle specification, sections 4.8 and 5).
    pub(super) fn start_addresses(
        &self,
        index: usize,
        tensor: &PlannedTensor,
    ) -> Object<StartAddress, FoldIndex> {
        let starts: Vec<StartAddress> = match (self.addresses, tensor.allocation) {
            (_, Allocation::Lx { address }) => {
                let cores = 0..self.cores;
                cores.map(|_| StartAddress::Number(address)).collect()
            }
            (Addresses::Symbols { symbols, base }, _) => {
                let positions = symbols.addresses(index).iter();
                let ids = positions.map(|position| base.id(*position));
                ids.map(StartAddress::Symbol).collect()
            }
            (Addresses::Numbers(segments), _) => {
                let cores = slices_of_cores(&self.descriptor.core_mapping);
                let start = |slices: Vec<u32>| segments.address(self.descriptor, tensor, &slices);
                cores.map(start).map(StartAddress::Number).collect()
            }
        };
        (0..).map(FoldIndex::core).zip(starts).collect()
    }

    /// The gaps, per core in the scratchpad (SDSC bundle specification, section 5, `backGapCore_`).
    fn back_gaps(&self, tensor: &PlannedTensor) -> Option<Named<Named<Text>>> {
        let gap = |d: &TensorDim| {
            let gap = Text::from(d.back_gap.get().to_string());
            if tensor.allocation.is_lx() {
                object((0..self.cores).map(|core| (core.to_string(), gap.clone())))
            } else {
                object([("-1", gap)])
            }
        };
        let gaps: Named<_> = object(
            self.shown(tensor)
                .filter(|d| d.back_gap.get() > 0)
                .map(|d| (d.dim.name(), gap(d))),
        );
        (!gaps.is_empty()).then_some(gaps)
    }

    /// The dimensions of a tensor that its layout has, in the tensor's order.
    fn shown<'t>(&self, tensor: &'t PlannedTensor) -> impl Iterator<Item = &'t TensorDim> {
        tensor
            .dims
            .iter()
            .filter(|d| !self.hides(tensor.label, d.dim))
    }

    /// The dimensions of a layout, but for windows that it leaves out.
    pub(super) fn shown_dims(&self, layout: &Layout) -> impl Iterator<Item = Dim> {
        let dims = layout.dim_order.iter().copied();
        dims.filter(|dim| !self.hides(layout.label, *dim))
    }

    /// The dimensions of a tensor in the order of its layout.
    pub(super) fn in_layout_order<'t>(
        &self,
        tensor: &'t PlannedTensor,
    ) -> (&Layout, Vec<&'t TensorDim>) {
        let layout = self.descriptor.layout(tensor);
        let layout = layout.expect("a tensor has one of the layouts");
        let tensor_dim = |dim| {
            tensor
                .dim(dim)
                .expect("a tensor has the dimensions of its layout")
        };
        (layout, self.shown_dims(layout).map(tensor_dim).collect())
    }

    /// In a shuffle, the slices of each core in the tensor's division; otherwise empty (SDSC bundle specification,
    /// section 5, allocate node).
    fn owned_slices(&self, tensor: &PlannedTensor) -> WorkSlices {
        let Some(ownership) = &tensor.ownership else {
            return WorkSlices::default();
        };
        let dims = ownership.slices.iter().map(|(dim, _)| dim.name());
        let of_core = |core: u32| {
            let mut owners = ownership.of_cores.iter();
            let (_, part) = owners.find(|(owner, _)| *owner == core)?;
            Some(part.iter().copied())
        };
        let owners = ownership.of_cores.iter().map(|(core, _)| *core);
        WorkSlices::new(dims.collect(), owners, of_core)
            .expect("every owner has a slice along every dimension")
    }

    /// The coordinates of a tensor, in the order of its layout (SDSC bundle specification, section 5, allocate node).
    fn coordinates(&self, index: usize, tensor: &PlannedTensor) -> Named<CoordInfo> {
        let (layout, dims) = self.in_layout_order(tensor);
        object(dims.into_iter().map(|d| {
            (
                d.dim.name(),
                self.coordinate(index, tensor, d, layout.is_stick(d.dim)),
            )
        }))
    }

    /// The folds of one dimension (SDSC bundle specification, section 5, `CI`).
    fn coordinate(
        &self,
        index: usize,
        tensor: &PlannedTensor,
        d: &TensorDim,
        is_stick: bool,
    ) -> CoordInfo {
        let (size, slices) = match d.scale {
            Scale::Full => {
                let planned = self.descriptor.dim(d.dim);
                let planned = planned.expect("a tensor has dimensions that are iterated over");
                let slices = match &tensor.ownership {
                    Some(ownership) => ownership.slices_of(d.dim),
                    None => planned.slices,
                };
                (planned.extent / slices, slices)
            }
            Scale::Reduced | Scale::StickReduced => (1, 1),
        };
        // (alpha, factor) of the element arrays, outermost first, after core, corelet and row.
        let window = self.window_span(index, d.dim);
        let (alpha, elements) = match (is_stick, window) {
            (false, Some((span, _))) => (span.step, vec![(1, span.size)]),
            (false, None) => (size, vec![(1, size)]),
            (true, _) => self.stick_elements(tensor, d, size),
        };
        let outer = [
            (alpha, slices, "core_fold"),
            (0, 1, "corelet_fold"),
            (0, 1, "row_fold"),
        ];
        let count = elements.len();
        let inner = elements.iter().enumerate().map(|(i, (alpha, factor))| {
            (
                *alpha,
                FoldAttr::new(*factor, elements_label(count - 1 - i)),
            )
        });
        let (alphas, attrs): (Vec<u64>, Vec<FoldAttr>) = outer
            .into_iter()
            .map(|(alpha, factor, label)| (alpha, FoldAttr::new(factor, label)))
            .chain(inner)
            .unzip();
        CoordInfo {
            spatial: 3,
            temporal: 0,
            elem_arr: count as u64,
            padding: window
                .map_or("nopad", |(_, padding)| padding.as_str())
                .into(),
            folds: FoldMap {
                dim_prop_func: alphas.into_iter().map(FoldFn::scale).collect(),
                dim_prop_attr: attrs,
            },
        }
    }

    /// The alpha of the cores along the stick dimension, and the alphas and factors of the element arrays.
    fn stick_elements(
        &self,
        tensor: &PlannedTensor,
        d: &TensorDim,
        size: u64,
    ) -> (u64, Vec<(u64, u64)>) {
        let per_stick = tensor.per_stick.get();
        match (d.scale, tensor.packing) {
            (Scale::StickReduced, _) => (per_stick, vec![(per_stick, 1), (0, per_stick)]),
            (_, Packing::Fp8Rows) => (
                size,
                vec![
                    (FP8_BLOCK, size / FP8_BLOCK),
                    (8, 8),
                    (FP8_BLOCK / 2, 2),
                    (1, 8),
                ],
            ),
            // A stick has half as many elements of the second dimension as one of the format, every other one of 8.
            (_, Packing::Fp8Weights) if tensor.stick == Some(d.dim) => (
                size,
                vec![(size / 8, per_stick / FP8_PAIR), (8, FP8_PAIR), (1, 1)],
            ),
            (_, Packing::Linear | Packing::Fp8Weights) => (
                size,
                // A tensor without the dimension has one element of it, which is not a whole stick.
                vec![
                    (per_stick, self.revision.sticks_of(size, per_stick)),
                    (1, per_stick),
                ],
            ),
        }
    }
}

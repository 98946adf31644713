//! A planned operation to its file.

use std::borrow::Cow;

use super::address::{FoldIndex, StartAddress};
use super::folds::{Fold, FoldAttr, FoldFn};
use super::{
    ComputeAttributes, ComputeOp, ConstantEntry, ConstantInfo, DataStage, DataStages, Dsc,
    LabeledDs, Named, PerCore, PrimaryDs, RuntimeSymbols, Sdsc, SdscBody, Sizes, StageDetails,
    SymbolRef, SymbolicDimInfo, Text, WorkSlices,
};
use crate::bundle::{OpSymbols, Segments, SymbolBase, SymbolId};
use crate::codegen::{Descriptor, Dim, PlannedTensor};
use crate::model::Allocation;
use crate::ordered::Object;
use crate::revision::Revision;

/// The schedule of every core: the one description (SDSC bundle specification, section 5, first list).
const SCHEDULE: [[i64; 4]; 1] = [[-1, 0, 0, 0]];

/// The form of the addresses of a file.
#[derive(Clone, Copy, Debug)]
pub enum Addresses<'a> {
    /// Symbols, with identifiers from `base` on.
    Symbols {
        /// The symbols.
        symbols: &'a OpSymbols,
        /// The first identifier.
        base: SymbolBase,
    },
    /// Numbers.
    Numbers(Segments),
}

/// The file number `number` of an operation (SDSC bundle specification, section 5).
pub fn build(
    descriptor: &Descriptor,
    number: usize,
    revision: Revision,
    addresses: Addresses<'_>,
) -> Sdsc {
    let builder = Builder {
        descriptor,
        revision,
        addresses,
        cores: descriptor.core_mapping.cores(),
    };
    Sdsc {
        root: object([(format!("{number}_{}", descriptor.opfunc), builder.body())]),
    }
}

/// Returns the identifiers of the runtime sizes in the file of an operation, and the start addresses of each operand.
pub(crate) fn declared(
    descriptor: &Descriptor,
    revision: Revision,
    addresses: Addresses<'_>,
) -> (Vec<SymbolId>, Vec<Object<StartAddress, FoldIndex>>) {
    let builder = Builder {
        descriptor,
        revision,
        addresses,
        cores: descriptor.core_mapping.cores(),
    };
    let sizes = descriptor.runtime_dims();
    let tensors = descriptor.tensors.iter().enumerate();
    (
        sizes.map(|(dim, _)| builder.dimension_id(dim)).collect(),
        tensors
            .map(|(index, tensor)| builder.start_addresses(index, tensor))
            .collect(),
    )
}

pub(super) struct Builder<'a> {
    pub(super) descriptor: &'a Descriptor,
    pub(super) revision: Revision,
    pub(super) addresses: Addresses<'a>,
    pub(super) cores: u32,
}

pub(super) fn object<K: Into<Text>, V>(entries: impl IntoIterator<Item = (K, V)>) -> Named<V> {
    entries
        .into_iter()
        .map(|(key, value)| (key.into(), value))
        .collect()
}

/// The memory a tensor is in; the pool is device memory too (SDSC bundle specification, section 5).
pub(super) fn component(place: Allocation) -> &'static str {
    if place.is_lx() { "lx" } else { "hbm" }
}

/// The name of the allocation of operand `index` (SDSC bundle specification, section 5).
pub(super) fn node_name(index: usize, place: Allocation) -> Text {
    format!("allocate-Tensor{index}_{}", component(place)).into()
}

pub(super) fn names(dims: impl IntoIterator<Item = Dim>) -> Vec<Text> {
    dims.into_iter().map(Dim::name).collect()
}

impl Builder<'_> {
    /// Returns the number of cores that the file schedules.
    fn scheduled(&self) -> u64 {
        self.descriptor.scheduled_cores().len() as u64
    }

    /// A value for each core that the file schedules (contract, K68).
    fn per_core<V>(&self, value: impl Fn(u32) -> V) -> PerCore<V> {
        let scheduled = self.descriptor.scheduled_cores().into_iter();
        scheduled.map(|core| (core, value(core))).collect()
    }

    /// Returns the entry under the root key (SDSC bundle specification, section 5, first list).
    fn body(&self) -> SdscBody {
        let dims = &self.descriptor.dims;
        SdscBody {
            debug_handle: self
                .revision
                .writes_provenance()
                .then(|| self.descriptor.debug_handle.clone()),
            sdsc_fold_props: vec![FoldAttr::new(1, "time")],
            sdsc_folds: Fold {
                dim_prop_func: vec![FoldFn::scale(1)],
                dim_prop_attr: vec![FoldAttr::new(1, "time")],
                data: object([("[0]", "0".into())]),
            },
            core_fold_prop: FoldAttr::new(self.cores.into(), "core"),
            corelet_fold_prop: FoldAttr::new(1, "corelet"),
            num_cores_used: self.scheduled(),
            core_id_to_dsc: self.per_core(|_| 0),
            num_wk_slices_per_dim: object(dims.iter().map(|dim| (dim.dim.name(), dim.slices))),
            core_id_to_wk_slice: self.work_slices(),
            core_id_to_dsc_schedule: self.per_core(|_| Cow::Borrowed(&SCHEDULE[..])),
            dscs: vec![object([(self.descriptor.opfunc.clone(), self.dsc())])],
            runtime_symbols: self.runtime_symbols(),
        }
    }

    /// The slices of every core, the fastest dimension first (SDSC bundle specification, section 4.7).
    fn work_slices(&self) -> WorkSlices {
        let Descriptor {
            dims, core_mapping, ..
        } = self.descriptor;
        let order = core_mapping.order().iter();
        let names = order.clone().map(|place| dims[*place].dim.name());
        let of_core = |core| {
            let slices = core_mapping.slices_of(core)?;
            Some(order.clone().map(move |place| u64::from(slices[*place])))
        };
        WorkSlices::new(names.collect(), 0..self.cores, of_core)
            .expect("a mapping has a slice of every core along every dimension")
    }

    /// The identifier of a runtime dimension's symbol.
    fn dimension_id(&self, dim: Dim) -> SymbolId {
        let Addresses::Symbols { symbols, base } = self.addresses else {
            unreachable!("files with numbers have no runtime sizes");
        };
        let position = symbols.dimension(dim);
        base.id(position.expect("a runtime size has a symbol"))
    }

    /// The keys that only operations with runtime sizes have (SDSC bundle specification, section 5, first list).
    fn runtime_symbols(&self) -> Option<RuntimeSymbols> {
        let mut tags = Object::new();
        for (dim, runtime) in self.descriptor.runtime_dims() {
            let id = self.dimension_id(dim).to_string();
            tags.insert(id.into(), runtime.symbol.to_string().into());
        }
        (!tags.is_empty()).then(|| RuntimeSymbols {
            data_dscs: Vec::new(),
            opcode_correction: Object::new(),
            input_symbols: tags,
            symbol_definitions: Object::new(),
        })
    }

    /// The description of the computation (SDSC bundle specification, section 5, `DSC`).
    fn dsc(&self) -> Dsc {
        let descriptor = self.descriptor;
        let runtime = descriptor.runtime_dims();
        let mapping: Named<Vec<SymbolRef>> = object(runtime.map(|(dim, _)| {
            let id = self.dimension_id(dim);
            let id = if self.revision.names_symbols_by_text() {
                SymbolRef::Text(id.to_string().into())
            } else {
                SymbolRef::Number(id.get())
            };
            (dim.to_string(), vec![id])
        }));
        let stage = self.data_stage();
        let tensors = || descriptor.tensors.iter().enumerate();
        Dsc {
            num_cores_used: self.scheduled(),
            num_corelets_used: 1,
            core_ids_used: {
                let scheduled = descriptor.scheduled_cores().into_iter();
                scheduled.map(u64::from).collect()
            },
            extents: Sizes {
                name: "n".into(),
                sizes: object(
                    descriptor
                        .dims
                        .iter()
                        .map(|dim| (dim.dim.size_key(), dim.extent)),
                ),
                padding_sizes: self.whole_padding(),
            },
            coordinate_masking: object(
                descriptor
                    .masks
                    .iter()
                    .map(|mask| (mask.dim.name(), vec![[mask.start, mask.len]])),
            ),
            masking_const_id: descriptor.mask_constant().map_or(-1, |position| {
                i64::try_from(position).expect("a list of constants fits into memory")
            }),
            dim_to_symbol_mapping: (!mapping.is_empty()).then_some(mapping),
            data_stage_param: object([(
                "0",
                DataStages {
                    ss: stage.clone(),
                    el: stage,
                },
            )]),
            primary_ds_info: object(descriptor.layouts.iter().map(|layout| {
                let info = PrimaryDs {
                    layout_dim_order: names(self.shown_dims(layout)),
                    stick_dim_order: names(layout.sticks.iter().map(|stick| stick.dim)),
                    stick_size: layout.sticks.iter().map(|stick| stick.size.get()).collect(),
                    stick_repl: self.stick_replication(),
                };
                (layout.label.as_str().to_owned(), info)
            })),
            pds_relation: self.pds_relation(),
            schedule_tree: tensors()
                .map(|(index, tensor)| self.allocate(index, tensor))
                .collect(),
            labeled_ds: tensors()
                .map(|(index, tensor)| self.labeled_ds(index, tensor))
                .collect(),
            constant_info: self.constants(),
            compute_op: vec![self.compute_op()],
        }
    }

    /// The part of one core (SDSC bundle specification, section 5, `dataStageParam_`).
    fn data_stage(&self) -> DataStage {
        let dims = &self.descriptor.dims;
        let runtime = dims.iter().filter_map(|dim| {
            let bounds = dim.runtime.as_ref()?.bounds;
            let slices = dim.slices;
            let info = SymbolicDimInfo {
                max_size: bounds.max / slices,
                granularity: (bounds.granularity / slices).max(1),
            };
            Some((dim.dim.name(), info))
        });
        DataStage {
            name: "core".into(),
            sizes: object(
                dims.iter()
                    .map(|dim| (dim.dim.size_key(), dim.extent / dim.slices)),
            ),
            details: self.revision.writes_stage_details().then(|| StageDetails {
                symbolic_dim_info: object(runtime),
                padding_sizes: self.core_padding(),
                ..StageDetails::default()
            }),
        }
    }

    /// The operand as the function sees it (SDSC bundle specification, section 5, labelled DS).
    fn labeled_ds(&self, index: usize, tensor: &PlannedTensor) -> LabeledDs {
        let (_, dims) = self.in_layout_order(tensor);
        let here = |memory: &'static str| (memory, self.presence(index, tensor, memory));
        LabeledDs {
            lds_idx: index,
            ds_name: format!("Tensor{index}").into(),
            ds_type: tensor.label.as_str().to_owned().into(),
            scale: dims.iter().map(|d| d.scale.code()).collect(),
            word_length: tensor.element_bytes.get(),
            data_format: tensor.format,
            mem_org: match tensor.allocation {
                Allocation::Lx { .. } => object([here("lx")]),
                _ if tensor.is_index() => object([here("hbm")]),
                _ => object([here("hbm"), here("lx")]),
            },
        }
    }

    /// The constants, or the text `{}` (SDSC bundle specification, section 5, `constantInfo_`).
    fn constants(&self) -> ConstantInfo {
        if self.descriptor.constants.is_empty() {
            return ConstantInfo::None("{}".into());
        }
        let entries = self
            .descriptor
            .constants
            .iter()
            .enumerate()
            .map(|(position, constant)| {
                let entry = ConstantEntry {
                    data_format: self.descriptor.data_format,
                    name: constant.name.clone().into(),
                    data: Fold {
                        dim_prop_func: vec![FoldFn::Const {}, FoldFn::Const {}, FoldFn::Map {}],
                        dim_prop_attr: self.core_folds(),
                        data: object([("[0, 0, 0]", vec![constant.code])]),
                    },
                };
                (position.to_string(), entry)
            });
        ConstantInfo::Some(object(entries))
    }

    /// The call (SDSC bundle specification, sections 4.9 and 5, `computeOp_`).
    fn compute_op(&self) -> ComputeOp {
        let descriptor = self.descriptor;
        let operand = |index: usize| Text::from(format!("Tensor{index}-idx{index}"));
        let inputs = |indices: bool| -> Vec<Text> {
            let read = descriptor
                .tensors
                .iter()
                .take(descriptor.input_count)
                .enumerate();
            read.filter(|(_, tensor)| tensor.is_index() == indices)
                .map(|(index, _)| operand(index))
                .collect()
        };
        ComputeOp {
            ex_unit: descriptor.unit.as_str().into(),
            op_func_name: descriptor.opfunc.clone().into(),
            attributes: ComputeAttributes {
                data_format: descriptor.data_format,
                fidelity: "regular".into(),
            },
            location: "Inner".into(),
            input_labeled_ds: inputs(false),
            output_labeled_ds: descriptor
                .tensors
                .len()
                .checked_sub(1)
                .map(operand)
                .into_iter()
                .collect(),
            index_labeled_ds: inputs(true),
        }
    }
}

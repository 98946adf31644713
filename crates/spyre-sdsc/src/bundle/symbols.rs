//! Symbols: the values that the files leave open and the function binds
//! (SDSC bundle specification, section 2.4).

use std::fmt;

use rustc_hash::FxHashMap;

use crate::codegen::{CoreOffset, Descriptor, Dim, PlannedTensor, SizeStep, fits, slices_of_cores};
use crate::expr::Symbol;
use crate::model::Allocation;
use crate::{ArgIndex, Bytes};

/// The identifier of a symbol in files and in `symbol_ids`: negative, unique in a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(i64);

impl SymbolId {
    /// The identifier with this number, if it is negative.
    pub const fn from_number(number: i64) -> Option<Self> {
        if number < 0 { Some(Self(number)) } else { None }
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Where the symbols of one operation start in the bundle's list: the number of symbols before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolBase(u32);

impl SymbolBase {
    /// A base after `count` symbols.
    pub const fn new(count: u32) -> Self {
        Self(count)
    }

    /// The identifier of the operation's symbol at `position`: the symbol at position p of the bundle's list has the
    /// identifier -(p+1) (SDSC bundle specification, section 2.4).
    pub fn id(self, position: usize) -> SymbolId {
        let position = i64::try_from(position).expect("a list of symbols fits into memory");
        SymbolId(-(i64::from(self.0) + position + 1))
    }

    /// The base after `count` more symbols; `None` if no identifier is left.
    pub fn after(self, count: usize) -> Option<Self> {
        self.0.checked_add(u32::try_from(count).ok()?).map(Self)
    }
}

/// The meaning of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A runtime size.
    Dimension(Symbol),
    /// The address of a kernel argument.
    Kernel(ArgIndex),
    /// A place inside a kernel argument.
    KernelSlice {
        /// The argument.
        arg: ArgIndex,
        /// Distance from its address.
        offset: Bytes,
    },
    /// The start of a core's part of a tensor.
    Core {
        /// The argument.
        arg: ArgIndex,
        /// The tensor's distance from the argument's address, if not zero.
        slice: Option<Bytes>,
        /// Distance of the core's part from the first core's.
        offset: Bytes,
    },
    /// An address in the pool.
    Pool {
        /// Distance from the pool's address.
        offset: Bytes,
    },
    /// The start of a core's part of a tensor that is divided along a runtime size.
    Sized {
        /// The part that does not depend on the size.
        start: Box<SymbolKind>,
        /// Bytes per element of each size, at least one.
        per_size: Box<[SizeStep]>,
    },
    /// A number.
    Literal(Bytes),
}

impl SymbolKind {
    /// True for addresses in the pool.
    pub fn is_in_pool(&self) -> bool {
        match self {
            Self::Pool { .. } => true,
            Self::Sized { start, .. } => start.is_in_pool(),
            _ => false,
        }
    }

    /// This address, moved by runtime sizes.
    fn at(self, per_size: Vec<SizeStep>) -> Self {
        if per_size.is_empty() {
            return self;
        }
        Self::Sized {
            start: Box::new(self),
            per_size: per_size.into(),
        }
    }
}

/// The symbols of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpSymbols {
    kinds: Vec<SymbolKind>,
    dimensions: Vec<(Dim, usize)>,
    /// Per tensor, the position of each core's symbol; empty for scratchpad tensors.
    addresses: Vec<Vec<usize>>,
}

impl OpSymbols {
    /// Gives symbols to the runtime sizes and addresses of an operation, in the order of their identifiers (SDSC bundle
    /// specification, section 2.4).
    pub fn from_descriptor(descriptor: &Descriptor) -> Self {
        Collector::default().collect(descriptor)
    }

    /// Symbols that are numbered already: the meaning of each; the positions of the symbols of runtime sizes; and, per
    /// tensor, the position of each core's symbol, none for scratchpad tensors.
    pub const fn new(
        kinds: Vec<SymbolKind>,
        dimensions: Vec<(Dim, usize)>,
        addresses: Vec<Vec<usize>>,
    ) -> Self {
        Self {
            kinds,
            dimensions,
            addresses,
        }
    }

    /// The symbols in the order of their identifiers.
    pub fn kinds(&self) -> &[SymbolKind] {
        &self.kinds
    }

    /// Replaces the kinds of the symbols for which `replace` returns a new kind.
    pub(super) fn replace(&mut self, replace: impl Fn(usize, &SymbolKind) -> Option<SymbolKind>) {
        for (position, kind) in self.kinds.iter_mut().enumerate() {
            if let Some(other) = replace(position, kind) {
                *kind = other;
            }
        }
    }

    /// The position of a runtime dimension's symbol.
    pub fn dimension(&self, dim: Dim) -> Option<usize> {
        self.dimensions
            .iter()
            .find(|(d, _)| *d == dim)
            .map(|(_, position)| *position)
    }

    /// The position of the symbol for a core's part of a tensor; `None` for scratchpad tensors.
    pub fn address(&self, tensor: usize, core: u32) -> Option<usize> {
        self.addresses(tensor).get(core as usize).copied()
    }

    /// The positions for all cores of a tensor; empty for scratchpad tensors, and where addresses are numbers.
    pub fn addresses(&self, tensor: usize) -> &[usize] {
        self.addresses.get(tensor).map_or(&[], Vec::as_slice)
    }

    /// Returns the positions of the symbols in the file, with repetitions, in the order of the file: runtime sizes, then
    /// addresses by tensor and core.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        let sizes = self.dimensions.iter().map(|(_, position)| position);
        sizes.chain(self.addresses.iter().flatten()).copied()
    }

    /// The positions of the symbols that the file mentions, in order of first mention: runtime sizes, then addresses by
    /// tensor and core (SDSC bundle specification, section 2.5).
    ///
    /// # Panics
    /// If a position is not one of [`kinds`](Self::kinds).
    pub fn mentioned(&self) -> Vec<usize> {
        let mut seen = vec![false; self.kinds.len()];
        self.positions()
            .filter(|position| !std::mem::replace(&mut seen[*position], true))
            .collect()
    }
}

/// The key of a symbol: its meaning, the core if every core has a separate symbol, and the first tensor that moves in
/// the same way. Uses of one key share a symbol. Tensors at one address that move differently need separate symbols.
type SymbolKey = (SymbolKind, Option<usize>, Option<usize>);

/// Gives symbols to one operation after the other, in the same memory.
#[derive(Default)]
pub(super) struct Collector {
    kinds: Vec<SymbolKind>,
    /// Positions of known symbols.
    positions: FxHashMap<SymbolKey, usize>,
}

impl Collector {
    /// See [`OpSymbols::from_descriptor`].
    pub(super) fn collect(&mut self, descriptor: &Descriptor) -> OpSymbols {
        self.positions.clear();
        let mut dimensions = Vec::new();
        for (dim, runtime) in descriptor.runtime_dims() {
            let size = SymbolKind::Dimension(runtime.symbol.clone());
            let symbol = self.add(size, None, None);
            dimensions.push((dim, symbol));
        }
        let slices: Vec<_> = slices_of_cores(&descriptor.core_mapping).collect();
        let mut addresses = Vec::with_capacity(descriptor.tensors.len());
        for tensor in &descriptor.tensors {
            let moves = |other: &PlannedTensor| other.steps == tensor.steps;
            let moves_as = descriptor.tensors.iter().position(moves);
            let offsets = slices
                .iter()
                .map(|core_slices| descriptor.core_offset(tensor, core_slices));
            let own_symbols = descriptor.is_split_at_run_time(tensor);
            let of_tensor = self.addresses(tensor, moves_as, offsets, own_symbols);
            addresses.push(of_tensor);
        }
        OpSymbols {
            // The vector is copied to its exact size, since the bundle keeps it.
            kinds: self.kinds.drain(..).collect(),
            dimensions,
            addresses,
        }
    }

    fn add(&mut self, kind: SymbolKind, core: Option<usize>, moves_as: Option<usize>) -> usize {
        let kinds = &mut self.kinds;
        let entry = self.positions.entry((kind, core, moves_as));
        *entry.or_insert_with_key(|(kind, _, _)| {
            kinds.push(kind.clone());
            kinds.len() - 1
        })
    }

    /// Adds the symbols of one tensor with cores that start at `offsets`; returns one position per core. With
    /// `own_symbols`, cores do not share the symbols of a kernel argument, which is the rule for tensors divided along
    /// a runtime size (SDSC bundle specification, section 2.4).
    fn addresses(
        &mut self,
        tensor: &PlannedTensor,
        moves_as: Option<usize>,
        offsets: impl Iterator<Item = CoreOffset>,
        own_symbols: bool,
    ) -> Vec<usize> {
        let sum = |a: Bytes, b: Bytes| fits(a.checked_add(b));
        let inside = fits(tensor.slice_offset().to_bytes(tensor.element_bytes));
        let core = |core: usize| own_symbols.then_some(core);
        match tensor.allocation {
            Allocation::Lx { .. } => Vec::new(),
            Allocation::HbmPool { offset } => {
                let start = sum(offset, inside);
                let mut positions = Vec::with_capacity(offsets.size_hint().0);
                for core_offset in offsets {
                    let pool = SymbolKind::Pool {
                        offset: sum(start, core_offset.bytes),
                    };
                    let symbol = self.add(pool.at(core_offset.per_size), None, moves_as);
                    positions.push(symbol);
                }
                positions
            }
            Allocation::Hbm { arg, offset } => {
                let start = sum(offset, inside);
                let kernel = self.add(SymbolKind::Kernel(arg), None, moves_as);
                let slice = (start > Bytes::ZERO).then_some(start);
                let whole = match slice {
                    Some(offset) => SymbolKind::KernelSlice { arg, offset },
                    None => SymbolKind::Kernel(arg),
                };
                let first = match slice {
                    Some(_) => self.add(whole.clone(), None, moves_as),
                    None => kernel,
                };
                let mut position = |(number, core_offset): (usize, CoreOffset)| {
                    let part = match core_offset.bytes {
                        Bytes::ZERO if core_offset.per_size.is_empty() => return first,
                        Bytes::ZERO => whole.clone(),
                        offset => SymbolKind::Core { arg, slice, offset },
                    };
                    self.add(part.at(core_offset.per_size), core(number), moves_as)
                };
                let mut positions = Vec::with_capacity(offsets.size_hint().0);
                for core_offset in offsets.enumerate() {
                    let symbol = position(core_offset);
                    positions.push(symbol);
                }
                positions
            }
        }
    }
}

//! `result.json`: the symbols and the steps of one compiled operation.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::case::Case;
use super::{CaseError, Outcome, compare, read};
use crate::bundle::{LaunchParam, ParamBinding, SdscFile, SymbolKind};
use crate::codegen::{Descriptor, RuntimeDim};
use crate::expr::{Expr, Symbol};
use crate::model::OpSpec;

/// The recorded meaning of a symbol: the launcher's form of a parameter, without the fields of loop sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedKind {
    pub(super) kind: String,
    pub(super) base_sym_idx: i64,
    pub(super) offset: i64,
    pub(super) arg_index: i64,
    #[serde(default)]
    pub(super) granularity: u64,
    #[serde(default)]
    pub(super) max_value: u64,
    #[serde(default)]
    pub(super) pytorch_sym: String,
    #[serde(default)]
    pub(super) core_idx: i64,
    #[serde(default)]
    pub(super) split_count: i64,
}

/// Bytes per iteration of a level symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedStep {
    pub(super) symbol: Symbol,
    pub(super) stride: u64,
}

/// The key of a symbol in the recorded generator: a tuple, or an address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Key {
    Address(u64),
    Kernel(String, u64),
    Slice(String, u64, u64),
    Size(String, String),
}

impl Key {
    /// The value of the symbol: an address counts from the index of its kernel argument, a size is not known.
    pub(super) const fn value(&self) -> u64 {
        match self {
            Self::Address(value) | Self::Kernel(_, value) => *value,
            Self::Slice(_, arg, offset) => arg.saturating_add(*offset),
            Self::Size(..) => 0,
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OpResult {
    symbol_values: Vec<Key>,
    symbols_after: Vec<i64>,
    affine_strides: Vec<Vec<Vec<RecordedStep>>>,
    symbol_kinds: Vec<RecordedKind>,
}

/// The level symbols of an operation, innermost loop first, and the advance of each operand, as advances name them.
#[derive(Debug, Default)]
pub(super) struct Levels {
    pub(super) symbols: Vec<Vec<Symbol>>,
    pub(super) advances: Vec<Option<Expr>>,
}

/// The levels of an operation. Iteration symbols go by the names of their dimensions.
pub(super) fn levels_of(op: &OpSpec, descriptor: &Descriptor) -> Levels {
    let name = |symbol: &Symbol| {
        let position = op
            .iteration_space
            .iter()
            .position(|dim| dim.symbol == *symbol);
        let dim = position.and_then(|position| descriptor.dims.get(position));
        dim.map_or_else(|| symbol.clone(), |dim| dim.dim.as_str().into())
    };
    let levels = op.tiled_levels.iter();
    Levels {
        symbols: levels
            .map(|level| level.iter().map(name).collect())
            .collect(),
        advances: op.args.iter().map(|arg| arg.advance.clone()).collect(),
    }
}

/// Compares a file and the result with the recorded ones.
pub(super) fn compare(
    file: &SdscFile,
    levels: &Levels,
    case: &Case,
    expected: &Path,
) -> Result<Outcome, CaseError> {
    let mut contents = Vec::new();
    file.write_to(&mut contents)
        .map_err(|source| CaseError::Io {
            path: file.name(),
            source,
        })?;
    let reference = read(&expected.join(file.name()))?;
    let outcome = compare::file(
        &file.name(),
        &reference,
        &String::from_utf8_lossy(&contents),
    );
    if !matches!(outcome, Outcome::Matched) {
        return Ok(outcome);
    }
    const RESULT: &str = "result.json";
    let recorded: OpResult = super::read_json(&expected.join(RESULT))?;
    let ours = op_result(file, levels, &case.options.symbols_before);
    Ok(if ours == recorded {
        Outcome::Matched
    } else {
        Outcome::mismatch(format!("{RESULT}: expected {recorded:?}, got {ours:?}"))
    })
}

fn op_result(file: &SdscFile, levels: &Levels, before: &[i64]) -> OpResult {
    let descriptor = file.descriptor();
    let kinds = file.symbols().map_or(&[][..], |symbols| symbols.kinds());
    let before_count = before.len();
    let mut result = OpResult {
        symbol_values: Vec::new(),
        symbols_after: before.to_vec(),
        affine_strides: strides(descriptor, levels),
        symbol_kinds: Vec::new(),
    };
    for kind in kinds {
        let (key, value) = key(kind);
        result.symbol_values.push(key);
        result
            .symbols_after
            .push(i64::try_from(value).unwrap_or(i64::MAX));
        result
            .symbol_kinds
            .push(recorded(kind, kinds, before_count, descriptor));
    }
    result
}

/// The key and the value of a symbol (SDSC bundle specification, section 2.4). Addresses start at the index of their
/// kernel argument.
fn key(kind: &SymbolKind) -> (Key, u64) {
    match kind {
        SymbolKind::Dimension(symbol) => (Key::Size("dimension".into(), symbol.to_string()), 0),
        SymbolKind::Kernel(arg) => {
            let arg = arg.get().into();
            (Key::Kernel("kernel".into(), arg), arg)
        }
        SymbolKind::KernelSlice { arg, offset } => {
            let arg = u64::from(arg.get());
            let key = Key::Slice("kernel_slice".into(), arg, offset.get());
            (key, arg.saturating_add(offset.get()))
        }
        SymbolKind::Core { arg, slice, offset } => {
            let start = slice.map_or(0, |slice| slice.get());
            let address = u64::from(arg.get())
                .saturating_add(start)
                .saturating_add(offset.get());
            (Key::Address(address), address)
        }
        SymbolKind::Pool { offset } => (Key::Kernel("pool".into(), offset.get()), offset.get()),
        SymbolKind::Sized { start, .. } => key(start),
        SymbolKind::Literal(value) => (Key::Address(value.get()), value.get()),
    }
}

fn recorded(
    kind: &SymbolKind,
    kinds: &[SymbolKind],
    before: usize,
    descriptor: &Descriptor,
) -> RecordedKind {
    let param = |binding| {
        let LaunchParam {
            kind,
            base_sym_idx,
            offset,
            arg_index,
            granularity,
            max_value,
            pytorch_sym,
            core_idx,
            split_count,
            ..
        } = LaunchParam::from_binding(&binding);
        RecordedKind {
            kind,
            base_sym_idx,
            offset,
            arg_index,
            granularity,
            max_value,
            pytorch_sym,
            core_idx,
            split_count,
        }
    };
    let bytes = |bytes: crate::Bytes| i64::try_from(bytes.get()).unwrap_or(i64::MAX);
    match kind {
        SymbolKind::Kernel(arg) => param(ParamBinding::Kernel(*arg)),
        SymbolKind::KernelSlice { arg, offset } => RecordedKind {
            kind: "kernel_slice".into(),
            offset: bytes(*offset),
            ..param(ParamBinding::Kernel(*arg))
        },
        SymbolKind::Core { arg, slice, offset } => {
            let base = match slice {
                Some(offset) => SymbolKind::KernelSlice {
                    arg: *arg,
                    offset: *offset,
                },
                None => SymbolKind::Kernel(*arg),
            };
            let base = kinds.iter().position(|kind| *kind == base);
            RecordedKind {
                kind: "kernel_derived".into(),
                base_sym_idx: base
                    .and_then(|base| i64::try_from(before + base).ok())
                    .unwrap_or(-1),
                offset: bytes(*offset),
                ..param(ParamBinding::Kernel(*arg))
            }
        }
        SymbolKind::Pool { .. } | SymbolKind::Literal(_) => param(ParamBinding::Pool),
        SymbolKind::Sized { start, .. } => recorded(start, kinds, before, descriptor),
        SymbolKind::Dimension(symbol) => {
            let runtime_dim = descriptor
                .runtime_dims()
                .find(|(_, RuntimeDim { symbol: s, .. })| s == symbol);
            match runtime_dim {
                Some((_, RuntimeDim { bounds, .. })) => param(ParamBinding::Dimension {
                    symbol: symbol.clone(),
                    bounds: *bounds,
                }),
                None => param(ParamBinding::Pool),
            }
        }
    }
}

/// Per tensor and loop, innermost first, how far each level symbol moves it.
fn strides(descriptor: &Descriptor, levels: &Levels) -> Vec<Vec<Vec<RecordedStep>>> {
    let count = levels.symbols.len();
    let tensors = descriptor.tensors.iter().enumerate();
    let of_tensor = |operand: usize, tensor: &crate::codegen::PlannedTensor| {
        let advance = levels.advances.get(operand).and_then(Option::as_ref);
        let of_level = |(inner, symbols): (usize, &Vec<Symbol>)| {
            let moving = symbols
                .iter()
                .filter(|s| advance.is_some_and(|advance| advance.mentions(s.as_str())));
            let steps = tensor
                .steps
                .iter()
                .filter(|step| step.level + inner + 1 == count);
            moving
                .zip(steps)
                .map(|(symbol, step)| RecordedStep {
                    symbol: symbol.clone(),
                    stride: step.bytes.get(),
                })
                .collect()
        };
        levels.symbols.iter().enumerate().map(of_level).collect()
    };
    tensors
        .map(|(operand, tensor)| of_tensor(operand, tensor))
        .collect()
}

//! Recorded operations that are compiled already: the leaves of stage `emit`.

use serde::Deserialize;

use super::result::{Key, RecordedKind, RecordedStep};
use crate::bundle::{AddressMode, CompiledNode, CompiledOp, OpSymbols, SymbolKind};
use crate::codegen::{Dim, LevelStep, RuntimeDim};
use crate::expr::{Expr, Symbol};
use crate::model::{DimBounds, DimSource, LoopSpec};
use crate::ordered::Object;
use crate::{ArgIndex, Bytes};

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum RecordedNode {
    Compiled(RecordedOp),
    Loop {
        count: Expr,
        body: Vec<RecordedNode>,
        #[serde(default)]
        count_symbol_bounds: Object<DimBounds, Symbol>,
        #[serde(default)]
        count_symbol_sources: Object<DimSource, Symbol>,
    },
}

#[derive(Deserialize)]
pub(super) struct RecordedOp {
    /// The parts of the file that the function depends on, and perhaps others.
    sdsc_json: Object<Body>,
    symbol_values: Vec<Key>,
    /// The values that the operation added to the list of all symbols: the values again, in recordings that went that far.
    #[serde(default)]
    appended_symbols: Vec<u64>,
    symbol_kinds: Vec<RecordedKind>,
    affine_strides: RecordedSteps,
}

/// How each tensor moves.
#[derive(Deserialize)]
#[serde(untagged)]
enum RecordedSteps {
    /// Per tensor and loop, outermost first: the printer is given them in this order (SDSC bundle specification,
    /// section 3.4), and `result.json` has them innermost first.
    ByLevel(Vec<Vec<Vec<RecordedStep>>>),
    /// Per tensor: the form of the first revision, which does not name the loops.
    Flat(#[allow(dead_code)] Vec<Vec<RecordedStep>>), // only distinguishes the forms
}

#[derive(Deserialize)]
struct Body {
    #[serde(default, rename = "dscs_")]
    dscs: Vec<Object<Computation>>,
}

#[derive(Deserialize)]
struct Computation {
    #[serde(default, rename = "dimToSymbolMapping_")]
    runtime_dims: Object<Vec<i64>>,
    #[serde(default, rename = "scheduleTree_")]
    tensors: Vec<Tensor>,
}

#[derive(Deserialize)]
struct Tensor {
    component_: String,
    #[serde(rename = "startAddressCoreCorelet_")]
    start: Start,
}

#[derive(Deserialize)]
struct Start {
    #[serde(rename = "data_")]
    data: Object<Identifier>,
}

/// An identifier, which some files hold as text.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Identifier {
    Number(i64),
    Text(String),
}

impl RecordedOp {
    /// The values of its symbols, in the order of their identifiers.
    fn values(&self) -> Result<Vec<u64>, String> {
        let values: Vec<u64> = self.symbol_values.iter().map(Key::value).collect();
        let appended = &self.appended_symbols;
        // Some recordings have only one of the two lists.
        let (short, long) = match values.len() <= appended.len() {
            true => (&values, appended),
            false => (appended, &values),
        };
        if long.starts_with(short) {
            Ok(long.clone())
        } else {
            Err(format!(
                "the values of the symbols are {values:?}, and {appended:?} are appended"
            ))
        }
    }

    /// The key of its file, for messages.
    fn name(&self) -> String {
        self.sdsc_json.keys().next().cloned().unwrap_or_default()
    }
}

/// Returns the tree for `link`, or the mistake in the recorded one.
pub(super) fn read(
    nodes: &[RecordedNode],
    addresses: AddressMode,
) -> Result<Vec<CompiledNode>, String> {
    // Operations with numbers as addresses have no symbols, and no operand moves.
    let mut kinds = (addresses == AddressMode::Symbolic).then(Vec::new);
    read_nodes(nodes, kinds.as_mut(), 0)
}

/// `kinds` has the kinds of all symbols so far: a derived address names its base by position.
fn read_nodes(
    nodes: &[RecordedNode],
    mut kinds: Option<&mut Vec<SymbolKind>>,
    depth: usize,
) -> Result<Vec<CompiledNode>, String> {
    let mut compiled = Vec::with_capacity(nodes.len());
    for node in nodes {
        compiled.push(match node {
            RecordedNode::Compiled(op) => CompiledNode::Op(match kinds.as_deref_mut() {
                Some(kinds) => read_op(op, kinds, depth)?,
                None => CompiledOp {
                    name: op.name(),
                    ..CompiledOp::default()
                },
            }),
            RecordedNode::Loop {
                count,
                body,
                count_symbol_bounds,
                count_symbol_sources,
            } => CompiledNode::Loop {
                heading: LoopSpec {
                    count: count.clone(),
                    body: Vec::new(),
                    count_symbol_bounds: count_symbol_bounds.clone(),
                    count_symbol_sources: count_symbol_sources.clone(),
                },
                body: read_nodes(body, kinds.as_deref_mut(), depth + 1)?,
            },
        });
    }
    Ok(compiled)
}

fn read_op(
    op: &RecordedOp,
    kinds: &mut Vec<SymbolKind>,
    depth: usize,
) -> Result<CompiledOp, String> {
    let base = kinds.len();
    let values = op.values()?;
    let mut runtime_dims = Vec::new();
    for (position, value) in values.iter().enumerate() {
        let kind = match op.symbol_kinds.get(position) {
            Some(recorded) => kind(recorded, *value, kinds)?,
            None => SymbolKind::Literal(Bytes(*value)),
        };
        if let (SymbolKind::Dimension(symbol), Some(recorded)) =
            (&kind, op.symbol_kinds.get(position))
        {
            runtime_dims.push(RuntimeDim {
                symbol: symbol.clone(),
                bounds: DimBounds {
                    max: recorded.max_value,
                    granularity: recorded.granularity,
                },
            });
        }
        kinds.push(kind);
    }
    let (mut dimensions, mut addresses) = (Vec::new(), Vec::new());
    let position = |id: i64| {
        usize::try_from(-(id + 1))
            .ok()
            .and_then(|position| position.checked_sub(base))
            .filter(|position| *position < values.len())
            .ok_or_else(|| format!("identifier {id} is not one of the operation's"))
    };
    let computations = op.sdsc_json.iter().flat_map(|(_, body)| &body.dscs);
    for (_, computation) in computations.flat_map(Object::iter) {
        for (dim, ids) in computation.runtime_dims.iter() {
            let dim = Dim::named(dim).ok_or_else(|| format!("dimension {dim}"))?;
            for id in ids {
                dimensions.push((dim, position(*id)?));
            }
        }
        for tensor in &computation.tensors {
            let cores = tensor.start.data.iter().map(|(_, id)| match id {
                Identifier::Number(id) => position(*id),
                Identifier::Text(id) => {
                    position(id.parse().map_err(|_| format!("identifier {id}"))?)
                }
            });
            addresses.push(match tensor.component_.as_str() {
                "hbm" => cores.collect::<Result<_, _>>()?,
                _ => Vec::new(),
            });
        }
    }
    Ok(CompiledOp {
        name: op.name(),
        steps: steps(op, depth)?,
        symbols: OpSymbols::new(kinds[base..].to_vec(), dimensions, addresses),
        runtime_dims,
    })
}

/// Returns the recorded steps of each tensor in loops of some depth.
fn steps(op: &RecordedOp, depth: usize) -> Result<Vec<Vec<LevelStep>>, String> {
    let RecordedSteps::ByLevel(recorded) = &op.affine_strides else {
        return Err("the steps do not name their loops".into());
    };
    let steps = recorded.iter().map(|levels| {
        if levels.len() > depth {
            return Err(format!("{} levels in {depth} loops", levels.len()));
        }
        let levels = levels.iter().enumerate();
        let steps = levels.flat_map(|(level, steps)| {
            steps.iter().map(move |step| LevelStep {
                level,
                bytes: Bytes(step.stride),
            })
        });
        Ok(steps.collect())
    });
    steps.collect()
}

/// Returns the meaning of a recorded symbol (SDSC bundle specification, section 2.4).
fn kind(recorded: &RecordedKind, value: u64, kinds: &[SymbolKind]) -> Result<SymbolKind, String> {
    let arg = || {
        u32::try_from(recorded.arg_index)
            .map(ArgIndex::new)
            .map_err(|_| {
                format!(
                    "the argument {} of a symbol of kind '{}' must be a number of 32 bits that is not negative",
                    recorded.arg_index, recorded.kind
                )
            })
    };
    let offset = || {
        u64::try_from(recorded.offset).map(Bytes).map_err(|_| {
            format!(
                "the offset {} of a symbol of kind '{}' must not be negative",
                recorded.offset, recorded.kind
            )
        })
    };
    Ok(match recorded.kind.as_str() {
        "kernel" => SymbolKind::Kernel(arg()?),
        "kernel_slice" => SymbolKind::KernelSlice {
            arg: arg()?,
            offset: offset()?,
        },
        "kernel_derived" => {
            let base = usize::try_from(recorded.base_sym_idx).ok();
            match base.and_then(|base| kinds.get(base)) {
                Some(SymbolKind::Kernel(arg)) => SymbolKind::Core {
                    arg: *arg,
                    slice: None,
                    offset: offset()?,
                },
                Some(SymbolKind::KernelSlice { arg, offset: slice }) => SymbolKind::Core {
                    arg: *arg,
                    slice: Some(*slice),
                    offset: offset()?,
                },
                // A base that cannot be resolved makes the address a number.
                _ => SymbolKind::Literal(Bytes(value)),
            }
        }
        "pool" => SymbolKind::Pool {
            offset: Bytes(value),
        },
        "dimension" => SymbolKind::Dimension(recorded.pytorch_sym.as_str().into()),
        _ => SymbolKind::Literal(Bytes(value)),
    })
}

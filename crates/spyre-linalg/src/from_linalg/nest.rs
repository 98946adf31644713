//! A structured operation as its loops, with the coordinates of each tensor at an iteration.
//!
//! Every named operation is a `linalg.generic` by now. [`Nest::read`] turns its maps into coordinates and puts
//! its loops into one order: first the loops of the first result, in the order of its dimensions, then the
//! reduced ones. A result is then built without a permutation.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::{self, Coordinate, LoopId};
use spyre_construct::build::Build;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_mlir_rt::rules::Refusal;

/// A tensor of a structured operation.
#[derive(Debug, Clone)]
pub(crate) struct Access<'p> {
    /// The tensor; an operand that is no tensor has no coordinates.
    pub value: Val<'p>,
    /// One coordinate per dimension.
    pub coordinates: Vec<Coordinate>,
    /// The element, as the body sees it.
    pub element: Val<'p>,
}

impl Access<'_> {
    /// Returns whether a loop moves the access.
    pub(crate) fn reads(&self, id: LoopId) -> bool {
        let terms = |at: &Coordinate| at.terms.iter().any(|(term, _)| *term == id);
        self.coordinates.iter().any(terms)
    }
}

/// The loops of a structured operation.
#[derive(Debug, Clone)]
pub(crate) struct Nest<'p> {
    /// The number of iterations of each loop.
    pub extents: Vec<Extent>,
    /// The number of leading loops that are not reduced.
    pub parallel: usize,
    /// The tensors with elements that the body reads.
    pub inputs: Vec<Access<'p>>,
    /// The initial values of the results.
    pub outputs: Vec<Access<'p>>,
    /// For each loop of the operation, its coordinate in the loops of the nest: the index of a loop, or a constant.
    pub loops: Vec<Coordinate>,
    /// The block that computes with one element of each.
    pub body: Blk<'p>,
}

impl<'p> Nest<'p> {
    /// Reads a `linalg.generic`.
    ///
    /// # Errors
    /// The reason why the device cannot run its loops.
    pub(crate) fn read(build: &Build<'p>, op: Op<'p>) -> Result<Self, Refusal<'p>> {
        let maps = attributes(op, "indexing_maps")?;
        let iterators = attributes(op, "iterator_types")?;
        let reduced: Vec<bool> = iterators
            .iter()
            .map(|kind| kind.to_string().contains("reduction"))
            .collect();
        let body = ir::body(op).ok_or("the operation has no body")?;
        let mut accesses = Vec::new();
        for (number, (value, map)) in op.operands().zip(&maps).enumerate() {
            let coordinates = access::read(*map)
                .ok_or_else(|| format!("the map of operand {number}, {map}, is not linear"))?;
            let element = body.argument(number).map_err(|err| err.to_string())?.into();
            accesses.push(Access {
                value,
                coordinates,
                element,
            });
        }
        let results = op.result_count();
        let outputs = accesses.split_off(accesses.len() - results);
        let mut nest = Self {
            extents: Vec::new(),
            parallel: 0,
            loops: (0..reduced.len())
                .map(|id| Coordinate::index(LoopId(id)))
                .collect(),
            inputs: accesses,
            outputs,
            body,
        };
        nest.extents = nest.measure(build, reduced.len())?;
        nest.reorder(build, &reduced)?;
        nest.inputs
            .retain(|input| !ir::uses(input.element).is_empty());
        Ok(nest)
    }

    /// Returns the loops that are reduced.
    pub(crate) fn reduced(&self) -> impl Iterator<Item = LoopId> + use<'p> {
        (self.parallel..self.extents.len()).map(LoopId)
    }

    /// Returns the extent of a loop.
    pub(crate) fn extent(&self, id: LoopId) -> Extent {
        self.extents[id.0]
    }

    /// Returns the nest in which a loop stays at one index; the loops after it move up.
    pub(crate) fn fixed(&self, id: LoopId, index: i64) -> Self {
        let mut nest = self.clone();
        nest.extents.remove(id.0);
        if id.0 < nest.parallel {
            nest.parallel -= 1;
        }
        let up = |other: LoopId| LoopId(other.0 - usize::from(other > id));
        nest.each_coordinate(|at| *at = at.fixed(id, index).renumbered(up));
        nest
    }

    /// Returns the extent of each loop: the common extent of the dimensions that it indexes.
    ///
    /// # Errors
    /// Two dimensions are not known to have the same extent, a loop is along a dynamic dimension and another one of an operand, or a
    /// loop has no iterations.
    fn measure(&self, build: &Build<'p>, loops: usize) -> Result<Vec<Extent>, Refusal<'p>> {
        let mut extents: Vec<Option<(Extent, usize, Val<'p>)>> = vec![None; loops];
        for (operand, access) in self.inputs.iter().chain(&self.outputs).enumerate() {
            let shape = match ir::is_ranked_tensor(access.value.r#type()) {
                true => build.shape_of(access.value)?,
                false => Vec::new(),
            };
            let mut dynamic: Vec<LoopId> = Vec::new();
            for (at, extent) in access.coordinates.iter().zip(shape) {
                let Some(id) = at.as_index() else {
                    continue; // No loop is along the dimension by itself.
                };
                let entry = (extent, operand, access.value);
                let first = *extents[id.0].get_or_insert(entry);
                if first.0 != extent {
                    return Err(apart(build, id, [first, entry]));
                }
                if extent.number().is_none() {
                    if dynamic.contains(&id) {
                        let message = format!(
                            "loop d{} is along two dimensions of operand #{operand}; the diagonal of {{}}, is not supported",
                            id.0
                        );
                        let refusal = Refusal::from(build.because(extent, &message));
                        return Err(refusal.note(access.value, "the operand comes from here"));
                    }
                    dynamic.push(id);
                }
            }
        }
        let extents = extents
            .into_iter()
            .enumerate()
            .map(|(id, entry)| match entry {
                Some((Extent::Static(extent), ..)) if extent < 1 => {
                    Err(format!("loop d{id} has {extent} iterations").into())
                }
                Some((extent, ..)) => Ok(extent),
                None => Err(format!("loop d{id} has 0 iterations").into()),
            });
        extents.collect()
    }

    /// Numbers the loops anew, see the module.
    fn reorder(&mut self, build: &Build<'p>, reduced: &[bool]) -> Result<(), String> {
        let mut order: Vec<LoopId> = Vec::new();
        for (number, output) in self.outputs.iter().enumerate() {
            let shape = build.shape_of(output.value)?;
            for (dim, (at, extent)) in output.coordinates.iter().zip(shape).enumerate() {
                match at.as_index() {
                    Some(id) if reduced[id.0] => {
                        return Err(format!(
                            "result #{number} moves along the reduced loop d{}",
                            id.0
                        ));
                    }
                    Some(id) if !order.contains(&id) => order.push(id),
                    Some(_) => {}
                    None if *at == Coordinate::constant(0) && extent.is_one() => {}
                    None if *at == Coordinate::constant(0) => {
                        let message = format!("result #{number} is written at one index of {{}}");
                        return Err(build.because(extent, &message));
                    }
                    None => {
                        return Err(format!(
                            "result #{number} is not written in the order of the loops along dimension {dim}"
                        ));
                    }
                }
            }
        }
        let lost = (0..reduced.len()).find(|id| !reduced[*id] && !order.contains(&LoopId(*id)));
        if let Some(id) = lost {
            return Err(format!("no result moves along the loop d{id}"));
        }
        self.parallel = order.len();
        order.extend((0..reduced.len()).filter(|id| reduced[*id]).map(LoopId));
        self.extents = order.iter().map(|id| self.extents[id.0]).collect();
        let place = |id: LoopId| {
            let place = order.iter().position(|other| *other == id);
            LoopId(place.expect("every loop has a place in the order"))
        };
        self.each_coordinate(|at| *at = at.renumbered(place));
        Ok(())
    }

    fn each_coordinate(&mut self, mut change: impl FnMut(&mut Coordinate)) {
        let accesses = self.inputs.iter_mut().chain(&mut self.outputs);
        let coordinates = accesses.flat_map(|access| &mut access.coordinates);
        coordinates.chain(&mut self.loops).for_each(&mut change);
    }
}

/// Returns the refusal of a loop along two dimensions that are not known to have the same extent. Each is with the number
/// of its operand, and the operand.
fn apart<'p>(build: &Build<'p>, id: LoopId, both: [(Extent, usize, Val<'p>); 2]) -> Refusal<'p> {
    let dynamic = both
        .into_iter()
        .find(|(extent, ..)| extent.number().is_none());
    let number = both
        .iter()
        .find_map(|(extent, operand, _)| Some((extent.number()?, *operand)));
    let (extent, ..) = dynamic.expect("the verifier has compared numbers");
    if let Some((number, operand)) = number {
        let message = format!(
            "loop d{} is along {{}}, but has {number} iterations in operand #{operand}",
            id.0
        );
        return build.because(extent, &message).into();
    }
    let both = both.map(|(extent, _, value)| (build.name(extent), value));
    let [(a, _), (b, _)] = &both;
    let message = format!(
        "loop d{} is along both {a} and {b}, whose extents are independent",
        id.0
    );
    both.iter()
        .fold(Refusal::from(message), |refusal, (name, value)| {
            refusal.note(*value, format!("{name} comes from here"))
        })
}

fn attributes<'p>(op: Op<'p>, name: &str) -> Result<Vec<Attribute<'p>>, String> {
    let array = op.attribute(name).map_err(|err| err.to_string())?;
    Ok(spyre_dialects::attr::elements(array))
}

//! Which pieces of a function are planned in the same way.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::names::{DimNames, Factors, Name, Names};
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::lines::Lines;
use super::{Piece, PieceId};

/// One way to name a dimension: for each factor the number of its name, and its extent.
type WayForm = Vec<(Option<usize>, u64)>;

/// For each dimension of a value, all ways to name it.
type NamesForm = Vec<Vec<WayForm>>;

/// The form that is common to pieces that are planned in the same way.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Form {
    /// Each value: the number of its producer, `None` for an input, and the operands of the
    /// producer.
    values: Vec<(Option<usize>, Vec<usize>)>,
    outputs: Vec<usize>,
    /// The names of the inputs, by number.
    names: Vec<NamesForm>,
    /// The texts of the names, where operations have names too.
    texts: Vec<String>,
}

/// Reads a piece.
pub(super) struct Reader<'l, 'o, 'p> {
    lines: &'l Lines<'o, 'p>,
    from: usize,
    end: usize,
    numbers: FxHashMap<ir::ValueKey, usize>,
    values: Vec<(Option<usize>, Vec<usize>)>,
    shared: Vec<Op<'p>>,
    inputs: Vec<Val<'p>>,
}

impl<'l, 'o, 'p> Reader<'l, 'o, 'p> {
    pub(super) fn new(lines: &'l Lines<'o, 'p>, from: usize, end: usize) -> Self {
        Self {
            lines,
            from,
            end,
            numbers: FxHashMap::default(),
            values: Vec::new(),
            shared: Vec::new(),
            inputs: Vec::new(),
        }
    }

    pub(super) fn read(mut self, names: &Names<'p>) -> (Piece<'p>, Form) {
        let lines = self.lines;
        let mut ops = Vec::with_capacity(self.end - self.from);
        let mut outputs = Vec::new();
        for position in self.from..self.end {
            let piece = self.from..self.end;
            let is_outside = |reader: usize| !piece.contains(&reader);
            if lines.is_free(position) && lines.readers(position).any(is_outside) {
                continue; // Each piece with a user clones it as a shared operation.
            }
            let op = lines.ops[position];
            let operands = op.operands().map(|operand| self.number(operand)).collect();
            self.make(position, operands);
            ops.push(op);
            for result in ir::results(op) {
                let users = ir::uses(result);
                let is_inside = |owner: Op<'p>| {
                    let reader = lines.positions.get(&ir::op_key(owner));
                    reader.is_some_and(|reader| piece.contains(reader))
                };
                if users.iter().any(|usage| !is_inside(usage.owner)) {
                    outputs.push(result);
                }
            }
        }
        let has_names = |op: &Op<'p>| op.has_attribute(DIMS);
        let mut list = NameList::default();
        let names_of_inputs = self.inputs.iter().map(|input| {
            let dims = names.of_value(*input);
            dims.map(|dims| list.add(dims)).unwrap_or_default()
        });
        let names_of_inputs = names_of_inputs.collect();
        let texts = match ops.iter().any(has_names) {
            true => {
                let texts = list.names.iter().map(|name| names.text(*name).to_owned());
                texts.collect()
            }
            false => Vec::new(),
        };
        let form = Form {
            outputs: outputs
                .iter()
                .map(|value| self.numbers[&ir::value_key(*value)])
                .collect(),
            values: self.values,
            names: names_of_inputs,
            texts,
        };
        let piece = Piece {
            first: PieceId(0),
            shared: self.shared,
            ops,
            inputs: self.inputs,
            outputs,
            names: list.names,
        };
        (piece, form)
    }

    /// Adds the results of an operation.
    fn make(&mut self, position: usize, operands: Vec<usize>) {
        for result in ir::results(self.lines.ops[position]) {
            self.numbers
                .insert(ir::value_key(result), self.values.len());
            self.values
                .push((Some(self.lines.alone[position]), operands.clone()));
        }
    }

    /// Returns the number of a value, which is an input or shared if the piece does not have it yet.
    fn number(&mut self, value: Val<'p>) -> usize {
        if let Some(number) = self.numbers.get(&ir::value_key(value)) {
            return *number;
        }
        let maker = ir::defining_op(value);
        let position = maker.and_then(|op| self.lines.positions.get(&ir::op_key(op)).copied());
        match position.filter(|position| self.lines.is_free(*position)) {
            Some(position) => {
                self.shared.push(self.lines.ops[position]);
                self.make(position, Vec::new());
            }
            None => {
                self.numbers.insert(ir::value_key(value), self.values.len());
                self.values.push((None, Vec::new()));
                self.inputs.push(value);
            }
        }
        self.numbers[&ir::value_key(value)]
    }
}

/// Names by number, in the order in which they come.
#[derive(Default)]
struct NameList {
    names: Vec<Name>,
    numbers: FxHashMap<Name, usize>,
}

impl NameList {
    fn add(&mut self, dims: &DimNames) -> NamesForm {
        let mut number = |name: Name| {
            *self.numbers.entry(name).or_insert_with(|| {
                self.names.push(name);
                self.names.len() - 1
            })
        };
        let mut of_ways = |factors: &Factors| {
            let factors = factors.iter();
            factors
                .map(|factor| (factor.name.map(&mut number), factor.extent))
                .collect()
        };
        dims.iter()
            .map(|ways| ways.iter().map(&mut of_ways).collect())
            .collect()
    }
}

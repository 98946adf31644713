//! Device operations as statements: iteration space, the elements of each point, and the division over cores.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::spyre;
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{
    Access, Def, Extent, Item, OpKey, Statement, StatementId, Value, ValueId,
};

use crate::keys;
use crate::reader::{Reader, Unmodelled};

/// The position of a dimension of extent 2 for the two moments of a row that `spyre.exx2` writes.
#[derive(Clone, Copy)]
struct Pair(Option<usize>);

impl Pair {
    /// Returns the number of a dimension of the interface in the space of the statement.
    fn moved(self, dim: usize) -> usize {
        match self.0 {
            Some(pair) if dim >= pair => dim + 1,
            _ => dim,
        }
    }

    /// Returns a list with one entry for each dimension of the interface, with an entry for the pair.
    fn with<T>(self, mut list: Vec<T>, entry: T) -> Vec<T> {
        if let Some(pair) = self.0 {
            list.insert(pair, entry);
        }
        list
    }
}

impl<'p> Reader<'p> {
    /// Reads a device operation.
    pub(crate) fn device(&mut self, device: DeviceOp<'p>) -> Result<Item, Unmodelled<'p>> {
        let op = device.op();
        let name = ir::name(op);
        let operands: Vec<Val<'p>> = op.operands().collect();
        let values: Vec<ValueId> = operands.iter().map(|value| self.value(*value)).collect();
        let extents = self.space(device, &values)?;
        let reduced = device.reduction_dims();
        let kept = extents.len() - reduced;
        // The interface has no coordinate for the moments of a row: an execution writes both.
        let pair = Pair((name == spyre::EXX2).then_some(kept));
        let space = pair.with(extents, Extent::Fixed(2));

        let mut accesses = Vec::new();
        for (number, value) in values.iter().enumerate() {
            accesses.extend(access(device, number, *value, pair));
        }
        let result = ir::result(op, 0).expect("a device operation has a result");
        let mut index = points(&device.tensor_dims(operands.len()), pair);
        if let (Pair(Some(at)), Some(last)) = (pair, index.last_mut()) {
            *last = point(at);
        }
        let (id, key) = self.result(device, result, &space, &index, reduced)?;
        let split = device.split().map(|split| {
            let split = split.into_iter().map(i64::from).collect();
            pair.with(split, 1)
        });
        let statement = Statement {
            key,
            is_move: matches!(name, spyre::COPY | spyre::RESTICKIFY),
            loops: self.loops.clone(),
            digits: relayout_digits(op).unwrap_or_else(|| digits(name, space.len())),
            space,
            reduced,
            operands: accesses,
            results: vec![Access { value: id, index }],
            split,
            site: self.sites.add(op),
        };
        let number = StatementId::new(self.program.statements.len());
        self.program.statements.push(statement);
        Ok(Item::Statement(number))
    }

    /// Adds the value of a device operation, and returns it with the key.
    fn result(
        &mut self,
        device: DeviceOp<'p>,
        result: Val<'p>,
        space: &[Extent],
        index: &[Expr],
        reduced: usize,
    ) -> Result<(ValueId, OpKey), Unmodelled<'p>> {
        let op = device.op();
        let tensor = self.tensor(op, result.r#type(), |dim| {
            match index.get(dim)?.as_var()? {
                Var::Point(at) => space.get(at as usize).copied(),
                _ => None,
            }
        })?;
        let values = op.operands().chain([result]);
        let elements = values.map(|value| self.tensor_element(value)).collect();
        let (_, reduced) = space.split_at(space.len() - reduced);
        let params = &self.program.params;
        let key = OpKey {
            name: mnemonic(op),
            attributes: keys::attributes(op, reduced, |extent| match extent {
                Extent::Fixed(extent) => extent.to_string(),
                Extent::Dynamic(param) => params[param.index()].name.clone(),
            }),
            elements,
        };
        let statement = StatementId::new(self.program.statements.len());
        let site = self.sites.add(op);
        let value = Value {
            place: device.place().map(crate::reader::place),
            ..tensor.value(Def::Result(statement), self.loops.clone(), site)
        };
        Ok((self.add(result, value), key))
    }

    /// Returns the extents of the iteration space of the interface. A dynamic one is that of the tensors that have it.
    fn space(
        &self,
        device: DeviceOp<'p>,
        values: &[ValueId],
    ) -> Result<Vec<Extent>, Unmodelled<'p>> {
        let space = device.iteration_space().into_iter().enumerate();
        let extent = |(dim, extent): (usize, i64)| {
            if extent >= 0 {
                return Ok(Extent::Fixed(extent));
            }
            let of_tensor = |(number, value): (usize, &ValueId)| {
                let dims = device.tensor_dims(number);
                let at = dims.iter().position(|of_space| *of_space == Some(dim))?;
                let extent = self.program.value(*value).shape[at];
                matches!(extent, Extent::Dynamic(_)).then_some(extent)
            };
            let mut tensors = values.iter().enumerate();
            tensors.find_map(of_tensor).ok_or_else(|| Unmodelled {
                op: device.op(),
                message: format!(
                    "dimension {dim} of the iteration space has a dynamic extent without a name"
                ),
            })
        };
        space.map(extent).collect()
    }
}

/// Returns the elements of an operand that each point reads. An operand that is a pair of moments is read twice.
fn access(device: DeviceOp<'_>, number: usize, value: ValueId, pair: Pair) -> Vec<Access> {
    let mut index = points(&device.tensor_dims(number), pair);
    if number == 0 {
        for walk in device.walked_dims() {
            let factor = |number: u64| i64::try_from(number).expect("a stride is below 2^63");
            let position = point(pair.moved(walk.position)).times(factor(walk.stride));
            let window = point(pair.moved(walk.window));
            index[walk.dim] = position.plus_times(&window, factor(walk.dilation));
        }
    }
    if number == 1
        && let Some(dim) = device.gathered_dim()
    {
        index[dim] = Var::Gathered(0).into();
    }
    let is_pair = matches!(
        (ir::name(device.op()), number),
        (spyre::LAYERNORMSCALE, 0) | (spyre::LAYERNORMNORM, 1)
    );
    if !is_pair {
        return vec![Access { value, index }];
    }
    let moment = |moment: i64| {
        let mut index = index.clone();
        if let Some(last) = index.last_mut() {
            *last = moment.into();
        }
        Access { value, index }
    };
    vec![moment(0), moment(1)]
}

/// Returns the coordinates of an element: a position of the point, or 0 where the tensor is broadcast.
fn points(dims: &[Option<usize>], pair: Pair) -> Vec<Expr> {
    let coordinate =
        |dim: &Option<usize>| dim.map_or_else(Expr::zero, |dim| point(pair.moved(dim)));
    dims.iter().map(coordinate).collect()
}

fn point(dim: usize) -> Expr {
    Var::Point(u32::try_from(dim).expect("fewer than 2^32 dimensions")).into()
}

/// Returns the name of an operation without that of the dialect. A relayout has another name than a copy, since its
/// cores are not those of `split`.
fn mnemonic(op: Op<'_>) -> String {
    if ir::name(op) == spyre::COPY && ir::attribute(op, "from_dims").is_some() {
        return "relayout".to_owned();
    }
    ir::name(op).trim_start_matches("spyre.").to_owned()
}

/// Returns the dimensions of the result of a relayout in the order of the digits of a core. Cores that get the same slice
/// differ in a digit that no dimension has: as the slowest one it has no part in the slice, and with another one no
/// dimension is returned. `None` for another operation.
fn relayout_digits(op: Op<'_>) -> Option<Vec<usize>> {
    let numbers = |name: &str| attr::dense_signed_integers(Some(ir::attribute(op, name)?));
    let (dims, slices) = (numbers("to_dims")?, numbers("to_slices")?);
    let digits = dims.into_iter().zip(slices);
    let digits = digits.filter(|(_, slices)| *slices > 1);
    let digits: Vec<Option<usize>> = digits.map(|(dim, _)| usize::try_from(dim).ok()).collect();
    let slowest = digits.iter().rposition(Option::is_some);
    let digits = digits.into_iter().take(slowest.map_or(0, |at| at + 1));
    Some(digits.collect::<Option<_>>().unwrap_or_default())
}

/// Returns the dimensions in the order of the digits of a core: the first one fastest, but for products the last one,
/// so that the parts of one sum are on neighbouring cores (SDSC bundle specification, section 4.7).
fn digits(name: &str, rank: usize) -> Vec<usize> {
    let is_product = matches!(
        name,
        spyre::BATCHMATMUL | spyre::BATCHMATMULFP8 | spyre::BATCHMATMULINT8
    );
    match rank.checked_sub(1) {
        Some(last) if is_product => std::iter::once(last).chain(0..last).collect(),
        _ => (0..rank).collect(),
    }
}

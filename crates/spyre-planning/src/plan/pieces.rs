//! Pieces of a function: runs of operations between points at which one value is alive.
//!
//! The layers of a model are such pieces, and most of them are equal. A piece is planned as a separate function, so
//! each can have tiles that suit it; equal pieces are planned once, however many there are.
//!
//! * `lines` cuts a function into pieces.
//! * `form` finds out which pieces are equal.

mod form;
mod lines;

use std::rc::Rc;

use melior::Context;
use melior::dialect::func;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, Module, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::names::{self, Followed, Follower, Name, Names};
use spyre_analysis::walk::device_ops;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::{DIM_SIZES, DIMS};
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};

use self::form::{Form, Reader};
use self::lines::Lines;
use super::op_tiles::{Fresh, OpTiles};
use super::tiled::module_like_that_of;

/// The pieces of a function, in order.
pub(super) struct Pieces<'p> {
    function: Op<'p>,
    names: Names<'p>,
    all: Vec<Piece<'p>>,
}

/// The number of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PieceId(usize);

struct Piece<'p> {
    /// The first piece that is equal to this one.
    first: PieceId,
    /// Operations outside that several pieces share, such as constants.
    shared: Vec<Op<'p>>,
    ops: Vec<Op<'p>>,
    inputs: Vec<Val<'p>>,
    outputs: Vec<Val<'p>>,
    /// The names of the inputs' dimensions, each once.
    names: Vec<Name>,
}

impl<'p> Pieces<'p> {
    /// Cuts a function into pieces. The dimensions of its arguments have names already. Returns `None` if there are
    /// fewer than two pieces, for a function with loops, and for one with a list of the names that tiles may use
    /// ([`DIM_SIZES`]).
    pub(super) fn of(function: Op<'p>, body: Blk<'p>) -> Option<Self> {
        if function.has_attribute(DIM_SIZES) {
            return None;
        }
        let ops: Vec<Op<'p>> = ir::operations(body).collect();
        let (_, ops) = ops.split_last()?;
        if ops.iter().any(|op| ir::blocks(*op).next().is_some()) {
            return None;
        }
        let lines = Lines::of(ops);
        let ends = lines.ends_of_pieces();
        if ends.is_empty() {
            return None;
        }
        let mut followed = Followed::of_function(function);
        let Ok(()) = followed.follow(body);
        let names = followed.names;
        let mut ids: FxHashMap<Form, PieceId> = FxHashMap::default();
        let mut all = Vec::with_capacity(ends.len());
        let mut from = 0;
        for end in ends {
            let id = PieceId(all.len());
            let (mut piece, form) = Reader::new(&lines, from, end).read(&names);
            piece.first = *ids.entry(form).or_insert(id);
            all.push(piece);
            from = end;
        }
        Some(Self {
            function,
            names,
            all,
        })
    }

    /// Returns the pieces of which none is equal to another.
    pub(super) fn different(&self) -> impl Iterator<Item = PieceId> {
        let all = self.all.iter().enumerate();
        all.filter_map(|(number, piece)| (piece.first.0 == number).then_some(piece.first))
    }

    /// Returns the number of device operations of a piece.
    pub(super) fn operations(&self, id: PieceId) -> usize {
        let ops = self.all[id.0].ops.iter();
        ops.filter(|op| DeviceOp::cast(**op).is_some()).count()
    }

    /// Builds a piece as a function, in a separate module.
    pub(super) fn build(&self, context: &'p Context, id: PieceId) -> Module<'p> {
        let piece = &self.all[id.0];
        let location = self.function.location();
        let module = module_like_that_of(self.function);
        let types = |values: &[Val<'p>]| -> Vec<Type<'p>> {
            values.iter().map(|value| value.r#type()).collect()
        };
        let (inputs, outputs) = (types(&piece.inputs), types(&piece.outputs));
        let region = Region::new();
        let arguments: Vec<_> = inputs.iter().map(|ty| (*ty, location)).collect();
        region.append_block(Block::new(&arguments));
        let function = func::func(
            context,
            StringAttribute::new(context, "piece"),
            TypeAttribute::new(FunctionType::new(context, &inputs, &outputs).into()),
            region,
            &[],
            location,
        );
        let function = ir::insert(At::End(module.body()), function).expect("the end is a place");
        let body = ir::function_body(function).expect("it was made with a body");
        let arguments = ir::arguments(body);
        let mut inside: FxHashMap<ir::ValueKey, Val<'_>> = FxHashMap::default();
        for (number, (input, argument)) in piece.inputs.iter().zip(arguments).enumerate() {
            inside.insert(ir::value_key(*input), argument);
            if let (Some(dims), Some(extents)) =
                (self.names.of_value(*input), names::shape(input.r#type()))
            {
                let dims = self.names.attribute(context, dims, &extents);
                ir::set_argument_attribute(function, number, DIMS, dims);
            }
        }
        for op in piece.shared.iter().chain(&piece.ops) {
            let copy = ir::build_clone(At::End(body), *op);
            for (number, operand) in op.operands().enumerate() {
                ir::set_operand(copy, number, inside[&ir::value_key(operand)]);
            }
            for (outer, result) in ir::results(*op).zip(ir::results(copy)) {
                inside.insert(ir::value_key(outer), result);
            }
        }
        let outputs = piece.outputs.iter();
        let outputs: Vec<_> = outputs
            .map(|value| inside[&ir::value_key(*value)])
            .collect();
        body.append_operation(func::r#return(&outputs, location));
        module
    }

    /// Returns the tiles of the whole function. Each piece has the tiles of the first one that is equal to it.
    pub(super) fn together(&self, of_pieces: &FxHashMap<PieceId, Vec<OpTiles>>) -> Rc<[OpTiles]> {
        let body = ir::function_body(self.function).expect("a function with pieces has a body");
        let numbers: FxHashMap<ir::OpKey, usize> = device_ops(body)
            .into_iter()
            .enumerate()
            .map(|(number, op)| (ir::op_key(op.op()), number))
            .collect();
        let mut all = Vec::new();
        let mut fresh = Fresh::new(&self.names);
        for piece in &self.all {
            let Some(tiles) = of_pieces.get(&piece.first) else {
                continue; // It has no tiles.
            };
            let is_device = |op: &&Op<'p>| DeviceOp::cast(**op).is_some();
            let shared = piece.shared.iter().filter(is_device).count();
            let op_numbers: Vec<usize> = piece
                .ops
                .iter()
                .filter(is_device)
                .map(|op| numbers[&ir::op_key(*op)])
                .collect();
            let first = &self.all[piece.first.0];
            let texts = |names: &[Name]| -> Vec<String> {
                let texts = names.iter().map(|name| self.names.text(*name).to_owned());
                texts.collect()
            };
            let mut renamed = fresh.piece(texts(&first.names), texts(&piece.names), tiles);
            for tiles in tiles.iter().filter(|tiles| tiles.number >= shared) {
                all.push(renamed.op(tiles, op_numbers[tiles.number - shared]));
            }
        }
        all.into()
    }
}

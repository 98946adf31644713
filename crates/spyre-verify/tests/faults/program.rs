//! The program of OpSpecs, as data of the proofs: what the files of its bundle have to address.
//!
//! An OpSpec has the device coordinates of each tensor as expressions of its dimensions. Coordinates with the same
//! argument are digits of one dimension of the tensor, so `floor(c1/64)` and `Mod(c1, 64)` are the digits of `c1`. The
//! distance that a level of tiles moves a tensor by is a number in mixed radix, whose digits are positions along the
//! device coordinates.

use std::collections::BTreeMap;

use spyre_layout::{Coord, DeviceFormat, Layout};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{
    Access, Def, Extent, Item, Loop, LoopId, OpKey, Param, ParamId, Place, Program, Site,
    Statement, StatementId, Value, ValueId,
};
use spyre_sdsc::expr::{Expr as SpecExpr, ExprKind};
use spyre_sdsc::model::{DimBounds, Direction, LoopBound};
use spyre_sdsc::{Allocation, Node, OpSpec, Symbol, TensorArg};

/// Returns the program of a tree.
pub(crate) fn program(nodes: &[Node]) -> Program {
    let mut builder = Builder::default();
    builder.program.body = builder.body(nodes);
    builder.program
}

#[derive(Default)]
struct Builder {
    program: Program,
    /// The loops around, outermost first.
    loops: Vec<LoopId>,
    /// The tensors in the scratchpad by their addresses.
    scratchpad: BTreeMap<u64, ValueId>,
}

/// A tensor of an OpSpec: its dimensions, and the place in them that the operation begins at.
struct Tensor {
    /// The position along each dimension at a point of the operation.
    index: Vec<Expr>,
    shape: Vec<Extent>,
    layout: Layout,
    /// The first position along each dimension, in each iteration.
    offsets: Vec<Expr>,
}

impl Tensor {
    fn moves(&self) -> bool {
        self.offsets.iter().any(|offset| *offset != Expr::zero())
    }
}

impl Builder {
    fn body(&mut self, nodes: &[Node]) -> Vec<Item> {
        let items = nodes.iter().filter_map(|node| match node {
            Node::Op(spec) => Some(Item::Statement(self.statement(spec))),
            Node::Loop(of) => {
                let (upper, step) = match of.bound().expect("a count") {
                    LoopBound::Static(count) => (Extent::Fixed(count), 1),
                    LoopBound::Runtime { symbol, step } => {
                        let bounds = of.count_symbol_bounds.get(&symbol).expect("bounds");
                        (self.size(&symbol, *bounds), integer(step))
                    }
                };
                let id = LoopId::new(self.program.loops.len());
                self.program.loops.push(Loop {
                    parent: self.loops.last().copied(),
                    lower: 0,
                    upper,
                    step,
                    carried: Vec::new(),
                    body: Vec::new(),
                    site: Site::new(1000 + id.index()),
                });
                self.loops.push(id);
                self.program.loops[id.index()].body = self.body(&of.body);
                self.loops.pop();
                Some(Item::Loop(id))
            }
            Node::Unimplemented { .. } => None,
        });
        items.collect()
    }

    /// Returns a runtime size, which is one dynamic extent wherever it occurs.
    fn size(&mut self, symbol: &Symbol, bounds: DimBounds) -> Extent {
        let params = &mut self.program.params;
        let at = params
            .iter()
            .position(|param| param.name == symbol.as_str());
        let at = at.unwrap_or_else(|| {
            params.push(Param {
                name: symbol.as_str().to_owned(),
                granularity: integer(bounds.granularity),
                maximum: integer(bounds.max),
            });
            params.len() - 1
        });
        Extent::Dynamic(ParamId::new(at))
    }

    fn statement(&mut self, spec: &OpSpec) -> StatementId {
        let space = spec
            .iteration_space
            .iter()
            .map(|dim| match dim.extent.kind() {
                ExprKind::Int(extent) => Extent::Fixed(*extent),
                ExprKind::Symbol(size) => {
                    let bounds = spec.symbolic_dim_bounds.get(size).expect("bounds");
                    self.size(size, *bounds)
                }
                other => panic!("an extent {other:?}"),
            });
        let space: Vec<Extent> = space.collect();
        let id = StatementId::new(self.program.statements.len());
        let (mut operands, mut results) = (Vec::new(), Vec::new());
        let mut kept = 0;
        for arg in &spec.args {
            let tensor = self.tensor(spec, &space, arg);
            match arg.direction {
                Direction::Input => operands.push(self.operand(arg, tensor)),
                Direction::Output => {
                    let is_kept = |at: &usize| {
                        tensor
                            .index
                            .iter()
                            .any(|expr| expr.vars().contains(&point(*at)))
                    };
                    kept = (0..space.len())
                        .filter(is_kept)
                        .max()
                        .map_or(0, |last| last + 1);
                    results.push(self.result(id, arg, tensor));
                }
            }
        }
        let name = match &spec.op[..] {
            "ReStickifyOpHBM" => "restickify",
            "identity" if spec.args.len() == 3 => "gather",
            "identity" => "copy",
            name => name,
        };
        let rank = space.len();
        self.program.statements.push(Statement {
            key: OpKey {
                name: name.to_owned(),
                attributes: attributes(spec),
                elements: Vec::new(),
            },
            is_move: matches!(name, "copy" | "restickify"),
            loops: self.loops.clone(),
            reduced: if spec.is_reduction { rank - kept } else { 0 },
            space,
            operands,
            results,
            split: Some(
                spec.iteration_space
                    .iter()
                    .map(|dim| integer(dim.slices))
                    .collect(),
            ),
            digits: (0..rank).collect(),
            site: Site::new(id.index()),
        });
        id
    }

    /// Reads the coordinates of a tensor.
    fn tensor(&self, spec: &OpSpec, space: &[Extent], arg: &TensorArg) -> Tensor {
        let mut arguments: Vec<&SpecExpr> = Vec::new();
        let mut dim_of = |expr| {
            let at = arguments.iter().position(|argument| *argument == expr);
            at.unwrap_or_else(|| {
                arguments.push(expr);
                arguments.len() - 1
            })
        };
        let coords = arg
            .device_coordinates
            .iter()
            .map(|coordinate| match coordinate.kind() {
                ExprKind::Int(0) => Coord::Zero,
                ExprKind::Floor(quotient) => {
                    let ExprKind::Quotient(argument, divisor) = quotient.kind() else {
                        panic!("{coordinate}")
                    };
                    Coord::floor_div(dim_of(argument), number(divisor))
                }
                ExprKind::Mod(argument, divisor) => {
                    Coord::modulo(dim_of(argument), number(divisor))
                }
                _ => Coord::dim(dim_of(coordinate)),
            });
        let coords: Vec<Coord> = coords.collect();
        let positions = |at: usize| coords.iter().position(|coord| coord.host_dim() == Some(at));
        let shape = arguments.iter().enumerate().map(|(at, argument)| {
            let outermost = positions(at).expect("a coordinate of each dimension");
            let size = integer(arg.device_size[outermost]);
            let Coord::Digit { divisor, .. } = coords[outermost] else {
                unreachable!("a digit of the dimension")
            };
            let per_digit = integer(divisor);
            let of_space = spec
                .iteration_space
                .iter()
                .position(|dim| is_symbol(argument, &dim.symbol));
            match of_space.map(|dim| space[dim]) {
                Some(Extent::Fixed(extent)) if (extent + per_digit - 1) / per_digit == size => {
                    Extent::Fixed(extent)
                }
                Some(extent @ Extent::Dynamic(_)) => extent,
                _ => Extent::Fixed(size * per_digit),
            }
        });
        let shape = shape.collect();
        let layout = Layout::new(arguments.len(), coords.clone()).expect("digits of dimensions");
        let layout = layout
            .with_arrangement(arg.arrangement)
            .expect("an arrangement of the layout");
        let layout = layout
            .with_device_size(arg.device_size.clone())
            .expect("the size of the layout");
        Tensor {
            index: arguments
                .iter()
                .map(|argument| position(spec, argument))
                .collect(),
            shape,
            layout,
            offsets: self.offsets(spec, arg, &coords, arguments.len()),
        }
    }

    /// Returns the first position along each dimension: the digits of the distances of all levels.
    fn offsets(&self, spec: &OpSpec, arg: &TensorArg, coords: &[Coord], rank: usize) -> Vec<Expr> {
        let mut offsets = vec![Expr::zero(); rank];
        let Some(advance) = &arg.advance else {
            return offsets;
        };
        for (symbols, id) in spec.tiled_levels.iter().zip(self.loops.iter().rev()) {
            for symbol in symbols {
                let distance = advance.coefficient_of(symbol.as_str()).expect("a sum");
                let mut rest = distance.to_integer().expect("a number of elements");
                for (at, coord) in coords.iter().enumerate() {
                    let stride = arg.device_size[at + 1..].iter().product::<u64>();
                    let digit = rest / integer(stride);
                    rest %= integer(stride);
                    if let Coord::Digit { dim, divisor, .. } = *coord {
                        let counter = Var::Counter(*id).into();
                        offsets[dim] = offsets[dim].plus_times(&counter, digit * integer(divisor));
                    }
                }
            }
        }
        offsets
    }

    fn value(
        &mut self,
        def: Def,
        arg: &TensorArg,
        tensor: &Tensor,
        place: Option<Place>,
    ) -> ValueId {
        let id = ValueId::new(self.program.values.len());
        let width = 128 / integer(arg.format.elements_per_stick().get());
        self.program.values.push(Value {
            def,
            loops: self.loops.clone(),
            shape: tensor.shape.clone(),
            element: element(arg.format).to_owned(),
            width,
            layout: Some(tensor.layout.clone()),
            place,
            site: Site::new(0),
        });
        id
    }

    fn operand(&mut self, arg: &TensorArg, tensor: Tensor) -> Access {
        let root = match arg.allocation {
            Allocation::Lx { address } if self.scratchpad.contains_key(&address.get()) => {
                self.scratchpad[&address.get()]
            }
            _ => self.value(Def::Empty, arg, &tensor, Some(place(arg.allocation))),
        };
        let value = match tensor.moves() {
            false => root,
            true => {
                let def = Def::Slice {
                    source: root,
                    offsets: tensor.offsets.clone(),
                    dims: (0..tensor.offsets.len()).map(Some).collect(),
                };
                self.value(def, arg, &tensor, None)
            }
        };
        Access {
            value,
            index: tensor.index,
        }
    }

    fn result(&mut self, id: StatementId, arg: &TensorArg, tensor: Tensor) -> Access {
        let place = place(arg.allocation);
        let value = match tensor.moves() {
            false => self.value(Def::Result(id), arg, &tensor, Some(place)),
            true => {
                let into = self.value(Def::Empty, arg, &tensor, Some(place));
                let tile = self.value(Def::Result(id), arg, &tensor, Some(Place::Window));
                let def = Def::Insert {
                    tile,
                    into,
                    offsets: tensor.offsets.clone(),
                    dims: (0..tensor.offsets.len()).map(Some).collect(),
                };
                self.value(def, arg, &tensor, None);
                tile
            }
        };
        if let Allocation::Lx { address } = arg.allocation {
            self.scratchpad.insert(address.get(), value);
        }
        Access {
            value,
            index: tensor.index,
        }
    }
}

fn point(dim: usize) -> Var {
    Var::Point(u32::try_from(dim).expect("few dimensions"))
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).expect("a number of 63 bits")
}

fn number(expr: &SpecExpr) -> u64 {
    match expr.kind() {
        ExprKind::Int(number) => u64::try_from(*number).expect("a positive number"),
        _ => panic!("{expr} is no number"),
    }
}

fn is_symbol(expr: &SpecExpr, symbol: &Symbol) -> bool {
    matches!(expr.kind(), ExprKind::Symbol(of) if of == symbol)
}

fn place(allocation: Allocation) -> Place {
    match allocation {
        Allocation::Hbm { arg, offset } => {
            assert_eq!(offset.get(), 0, "a tensor at the start of its argument");
            Place::Argument(arg.get())
        }
        Allocation::HbmPool { offset } => Place::Pool(integer(offset.get())),
        Allocation::Lx { address } => Place::Scratchpad(integer(address.get())),
    }
}

/// Returns an expression over the dimensions of an operation.
fn position(spec: &OpSpec, expr: &SpecExpr) -> Expr {
    match expr.kind() {
        ExprKind::Int(number) => (*number).into(),
        ExprKind::Symbol(symbol) => {
            let dim = spec
                .iteration_space
                .iter()
                .position(|dim| dim.symbol == *symbol);
            point(dim.expect("a dimension of the operation")).into()
        }
        ExprKind::Sum(terms) => {
            let terms = terms.iter().map(|term| position(spec, term));
            terms.fold(Expr::zero(), |sum, term| sum.plus(&term))
        }
        ExprKind::Product(factors) => match &factors[..] {
            [factor, rest] => position(spec, rest).times(integer(number(factor))),
            _ => panic!("{expr} has more than two factors"),
        },
        ExprKind::IndirectAccess(_) => Var::Gathered(0).into(),
        _ => panic!("{expr} is no sum"),
    }
}

/// Returns the attributes that an operation has for the constants of a spec.
fn attributes(spec: &OpSpec) -> Vec<String> {
    let names = [
        ("clipMin", "min"),
        ("clipMax", "max"),
        ("softplusBeta", "beta"),
        ("softplusThresh", "threshold"),
        ("eps", "eps"),
        ("mulConst", "factor"),
    ];
    let constants = spec.op_info.constants.iter();
    let attributes = constants.filter_map(|(constant, value)| {
        let (_, attribute) = names.iter().find(|(name, _)| name == constant)?;
        Some(format!("{attribute} = {value:e} : f64"))
    });
    attributes.collect()
}

/// Returns an element type of MLIR with a format; the format's name where there is none.
fn element(format: DeviceFormat) -> &'static str {
    match format {
        DeviceFormat::Sen169Fp16 => "f16",
        DeviceFormat::IeeeFp32 => "f32",
        DeviceFormat::IeeeInt32 => "i32",
        DeviceFormat::SenInt8 => "i8",
        DeviceFormat::Sen143Fp8 => "f8E4M3FN",
        DeviceFormat::Sen152Fp8 => "f8E5M2",
        other => other.name(),
    }
}

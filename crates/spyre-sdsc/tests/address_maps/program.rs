//! Programs to check: a tiled chain of two operations, as a tree for the generator.

use spyre_layout::{Bytes, Coord, DeviceFormat, DeviceTensor, Elements, Layout, WindowError};
use spyre_sdsc::{Allocation, Expr, LoopSpec, Node, OpSpec, Symbol, TensorArg};

pub(crate) const FORMAT: DeviceFormat = DeviceFormat::Sen169Fp16;

/// Elements of a stick.
pub(crate) const STICK: u64 = 64;

/// Where `y` is in every scratchpad.
pub(crate) const SCRATCHPAD: u64 = 4096;

/// `y = a + b; z = y * c`: `b` in another layout than the rest, `c` perhaps broadcast, `y` in the scratchpads.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Extents.
    pub shape: Vec<u64>,
    /// Dimensions from the outermost in memory to the innermost; the stick dimension by its sticks.
    pub order: Vec<usize>,
    /// The dimension inside sticks.
    pub stick: Option<usize>,
    /// The dimension that `c` has one element of.
    pub broadcast: Option<usize>,
    /// Loops, outermost first.
    pub levels: Vec<Level>,
    /// Into how many parts the cores divide each dimension.
    pub splits: Vec<u64>,
}

/// A loop that cuts a dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub dim: usize,
    /// Number of tiles.
    pub count: u64,
}

/// The loops with their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    /// Outermost first.
    pub levels: Vec<Cut>,
    /// Extents of the innermost tile.
    pub tile: Vec<u64>,
}

/// The dimension that a loop cuts, and how far its tiles are apart in the host tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub dim: usize,
    pub count: u64,
    /// The extent that the loops around it leave.
    pub span: Elements,
    /// Extent of its tiles.
    pub step: Elements,
}

/// Why there is no such tiled program.
#[derive(Debug)]
pub(crate) enum Illegal {
    /// Tiles of different sizes.
    Uneven,
    /// Tiles that are not whole sticks, or not at equal distances.
    Windows(WindowError),
}

/// A tensor of the program: where it is, and which of the dimensions it has.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub place: Allocation,
    pub device: DeviceTensor,
    pub broadcast: Option<usize>,
}

impl Program {
    fn layout(&self, order: impl Iterator<Item = usize>) -> Layout {
        let is_stick = |dim| self.stick == Some(dim);
        let mut coords: Vec<Coord> = order
            .map(|dim| Coord::floor_div(dim, if is_stick(dim) { STICK } else { 1 }))
            .collect();
        coords.push(
            self.stick
                .map_or(Coord::Zero, |dim| Coord::modulo(dim, STICK)),
        );
        Layout::new(self.shape.len(), coords).expect("a layout of all dimensions")
    }

    fn place(&self, layout: &Layout, shape: &[u64]) -> DeviceTensor {
        layout.place(shape, FORMAT).expect("a shape of that rank")
    }

    /// The loops and the tile.
    pub(crate) fn nest(&self) -> Result<Nest, Illegal> {
        let mut tile = self.shape.clone();
        let mut levels = Vec::new();
        for &Level { dim, count } in &self.levels {
            let span = tile[dim];
            if !span.is_multiple_of(count) {
                return Err(Illegal::Uneven);
            }
            tile[dim] = span / count;
            let (span, step) = (Elements(span), Elements(tile[dim]));
            levels.push(Cut {
                dim,
                count,
                span,
                step,
            });
        }
        Ok(Nest { levels, tile })
    }

    /// The tensors of each operation, the output last.
    pub(crate) fn operands(&self) -> Result<[[Operand; 3]; 2], Illegal> {
        let nest = self.nest()?;
        let row_major = self.layout(self.order.iter().copied());
        let other = self.layout(self.order.iter().rev().copied());
        let hbm = |number, layout: &Layout, broadcast: Option<usize>| {
            let mut shape = self.shape.clone();
            if let Some(dim) = broadcast {
                shape[dim] = 1;
            }
            Operand {
                place: Allocation::argument(number),
                device: self.place(layout, &shape),
                broadcast,
            }
        };
        let lx = |shape: &[u64]| Operand {
            place: Allocation::lx(SCRATCHPAD),
            device: self.place(&row_major, shape),
            broadcast: None,
        };
        let y = lx(&nest.tile);
        let c = hbm(2, &row_major, self.broadcast);
        let add = [hbm(0, &row_major, None), hbm(1, &other, None), y.clone()];
        Ok([add, [y, c, hbm(3, &row_major, None)]])
    }

    /// The tree for the generator. Advances are the distances that `spyre-layout` gives.
    pub(crate) fn tree(&self) -> Result<Vec<Node>, Illegal> {
        let nest = self.nest()?;
        let mut nodes = Vec::new();
        for (name, operands) in ["add", "mul"].into_iter().zip(self.operands()?) {
            nodes.push(self.op(name, &nest, &operands)?.into());
        }
        for level in nest.levels.iter().rev() {
            let count = i64::try_from(level.count).expect("a small count");
            nodes = vec![LoopSpec::new(count, nodes).into()];
        }
        Ok(nodes)
    }

    fn op(&self, name: &str, nest: &Nest, operands: &[Operand]) -> Result<OpSpec, Illegal> {
        let mut op = OpSpec::pointwise(name);
        let mut is_scalar = true;
        for (dim, (extent, slices)) in nest.tile.iter().zip(&self.splits).enumerate() {
            if self.shape[dim] > 1 {
                op = op.with_dim(symbol(dim), int(*extent), *slices);
                is_scalar = false;
            }
        }
        if is_scalar {
            op = op.with_dim(symbol(0), int(1), 1);
        }
        for level in (0..nest.levels.len()).rev() {
            op = op.with_tiled_level([Symbol::from(level_symbol(level).as_str())]);
        }
        let rank = operands
            .iter()
            .map(|factor_operand| factor_operand.device.device_size().len())
            .max();
        let last = operands.len() - 1;
        for (position, operand) in operands.iter().enumerate() {
            let arg = self.arg(nest, operand, rank.unwrap_or(0))?;
            op = if position == last {
                op.with_output(arg)
            } else {
                op.with_input(arg)
            };
        }
        Ok(op)
    }

    /// An operand with its coordinates: unit dimensions come first, as the conversion from tensors has them.
    fn arg(&self, nest: &Nest, operand: &Operand, rank: usize) -> Result<TensorArg, Illegal> {
        let coordinate = |coord: Coord| match coord {
            Coord::Digit {
                dim,
                divisor,
                modulus,
            } if self.shape[dim] > 1 && operand.broadcast != Some(dim) => {
                let mut digit = Expr::symbol(symbol(dim));
                if divisor != 1 {
                    digit = digit.floor_div(divisor as i64);
                }
                modulus.map_or(digit.clone(), |modulus| digit.modulo(modulus as i64))
            }
            _ => Expr::int(0),
        };
        let device = &operand.device;
        let dims = device.device_size().iter().zip(device.layout().coords());
        let mut dims: Vec<(u64, Expr)> = dims
            .map(|(size, coord)| (*size, coordinate(*coord)))
            .collect();
        let stick = dims.pop().expect("a stick");
        dims.retain(|(size, coordinate)| *size != 1 || *coordinate != Expr::int(0));
        let units = rank - 1 - dims.len();
        dims.splice(0..0, std::iter::repeat_n((1, Expr::int(0)), units));
        dims.push(stick);
        let (sizes, coordinates) = dims.into_iter().unzip();
        let arg = TensorArg::new(FORMAT, sizes, coordinates, operand.place);
        if operand.place.is_lx() {
            return Ok(arg);
        }
        let mut advance = Expr::int(0);
        for (number, level) in nest.levels.iter().enumerate() {
            if operand.broadcast == Some(level.dim) {
                continue;
            }
            let step = device
                .level_step_elements(level.dim, level.step, level.span)
                .map_err(Illegal::Windows)?;
            advance = advance + int(step.get()) * Expr::symbol(level_symbol(number));
        }
        Ok(if advance == Expr::int(0) {
            arg
        } else {
            arg.advancing(advance)
        })
    }

    /// Every iteration's first element, in the order of the loops.
    pub(crate) fn iterations(&self, nest: &Nest) -> Vec<Vec<u64>> {
        let mut starts = vec![vec![0; self.shape.len()]];
        for level in &nest.levels {
            let Elements(step) = level.step;
            starts = starts
                .into_iter()
                .flat_map(|start| {
                    (0..level.count).map(move |iteration| {
                        let mut start = start.clone();
                        start[level.dim] += iteration * step;
                        start
                    })
                })
                .collect();
        }
        starts
    }

    /// How many sticks or positions of each dimension there are in `shape`.
    pub(crate) fn units(&self, shape: &[u64]) -> Vec<u64> {
        let dims = shape.iter().enumerate();
        dims.map(|(dim, extent)| extent.div_ceil(self.unit(dim)))
            .collect()
    }

    /// Elements that are visited together along a dimension.
    pub(crate) fn unit(&self, dim: usize) -> u64 {
        if self.stick == Some(dim) { STICK } else { 1 }
    }
}

/// Where a kernel argument starts. Arguments are far apart, so that no address is in two.
pub(crate) fn base(argument: u64) -> Bytes {
    Bytes((argument + 1) << 40)
}

fn symbol(dim: usize) -> String {
    format!("c{dim}")
}

fn level_symbol(level: usize) -> String {
    format!("t{level}")
}

fn int(value: u64) -> Expr {
    Expr::int(i64::try_from(value).expect("a small number"))
}
